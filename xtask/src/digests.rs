//! Runs every behaviour file natively and writes the digests of the resulting worlds. `e2e/specs/digest.spec.mjs` runs
//! the same files in the page and compares its digests with these: the same inputs must lead to the same world.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::project;

const FOLDER: &str = "engine/tests/behaviour";

/// Writes a file with the native digests, and returns its path. Each line is `<hex>  <path>`, for one behaviour file.
pub(crate) fn native_digest_file() -> Result<PathBuf> {
    let digests = project::target_dir()?.join("behaviour-digests.txt");
    std::fs::write(&digests, native_digests(&behaviour_files()?)?)
        .context("cannot write the native digests into the target folder")?;
    Ok(digests)
}

/// Returns the paths of all behaviour files, relative to the root, in the form that the example prints.
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
    let mut command = project::program(project::test_example("behaviour_digest")?);
    let digests = project::capture(command.args(files))?;
    let count = digests.lines().count();
    ensure!(
        count == files.len(),
        "{} behaviour files exist, but `behaviour_digest` printed {count} lines",
        files.len()
    );
    Ok(digests)
}
