//! Runs every behaviour file natively and in wasm, and compares the digests. The same inputs must lead to the same
//! world.
//!
//! Natively, the example `behaviour_digest` prints a digest for each file. In wasm, `e2e/wasm-behaviour.mjs` runs the
//! example `behaviour_wasm` without any imports, so an engine that needed a clock could not start.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::project;
use crate::report::Report;
use crate::tools::{self, WASM_TARGET};

const FOLDER: &str = "engine/tests/behaviour";

/// Compares all files below `engine/tests/behaviour`; each file counts as one test.
pub(crate) fn compare() -> Result<Report> {
    tools::ensure_wasm_target()?;
    let files = behaviour_files()?;
    let target = project::target_dir()?;

    let digests = native_digest_file()?;

    let mut build = project::cargo();
    build.args(["build", "--profile", "test", "--target", WASM_TARGET]);
    build.args(["-p", "watchglass-engine", "--example", "behaviour_wasm"]);
    project::run(&mut build)?;

    let mut driver = tools::node();
    driver
        .arg(project::e2e().join("wasm-behaviour.mjs"))
        .arg(
            target
                .join(WASM_TARGET)
                .join("debug/examples/behaviour_wasm.wasm"),
        )
        .arg(&digests);
    let mut last = String::new();
    let status = project::tee(&mut driver, |line| line.clone_into(&mut last))?;
    let report = Report::of_summary(&last)
        .with_context(|| format!("wasm-behaviour.mjs ended with {status} and no summary"))?;
    ensure!(
        report.passed + report.failed == files.len() as u64,
        "{} behaviour files exist, {} were compared: did `behaviour_digest` skip some?",
        files.len(),
        report.passed + report.failed
    );
    Ok(report)
}

/// Writes a file with the native digests, and returns its path. Each line is `<hex>  <path>`, for one behaviour file.
pub(crate) fn native_digest_file() -> Result<PathBuf> {
    let digests = project::target_dir()?.join("behaviour-digests.txt");
    std::fs::write(&digests, native_digests(&behaviour_files()?)?)
        .context("cannot write the native digests into the target folder")?;
    Ok(digests)
}

/// Returns the paths of all behaviour files, relative to the root, in the form that both programs print.
fn behaviour_files() -> Result<Vec<String>> {
    let mut files: Vec<String> = project::files_below(&project::root().join(FOLDER), &[])?
        .iter()
        .map(|path| project::relative(path))
        .collect();
    files.retain(|file| file.ends_with(".txt"));
    ensure!(!files.is_empty(), "{FOLDER} holds no .txt file");
    Ok(files)
}

fn native_digests(files: &[String]) -> Result<String> {
    let mut command = project::cargo();
    command.args([
        "run",
        "--profile",
        "test",
        "-p",
        "watchglass-engine",
        "--example",
        "behaviour_digest",
        "--",
    ]);
    command.args(files);
    project::capture(&mut command)
}
