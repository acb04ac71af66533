//! Runs every behaviour file below `tests/behaviour`, and compares the output of each command with the recorded output.
//!
//! `BLESS=1 cargo test -p watchglass-engine behaviour::` rewrites the outputs (review the diff before you commit it).
//! `RUN=word` runs only the files whose path contains the word.

use std::fs;
use std::path::{Path, PathBuf};

use watchglass_engine::session::script::{self, OutputDifference};

/// The maximum number of lines of a file. The page plays each file, and a visitor should need no more than two minutes.
const LINES_MAX: usize = 110;

/// The minimum number of files that the test must find, so that a missing folder does not pass as a folder without
/// faults.
const FILES_MIN: usize = 40;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour")
}

fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "txt") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the path of a behaviour file in the form with which `RUN=` is compared.
fn shown(path: &Path) -> String {
    path.strip_prefix(folder())
        .unwrap_or(path)
        .display()
        .to_string()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", shown(path)))
}

/// Runs a behaviour file. Returns the differences from the recorded outputs, and other faults of the file.
fn run(path: &Path, bless: bool) -> Vec<String> {
    let text = read(path);
    let report = match script::run_file(&text) {
        Ok(report) => report,
        Err(e) => return vec![format!("{}: {e}", shown(path))],
    };
    let mut wrong = Vec::new();
    if !report.deterministic {
        wrong.push(format!("{}: made again, it ends otherwise", shown(path)));
    }
    wrong.extend(report.kube_broken.iter().map(|b| {
        let path = shown(path);
        let name = b.guarantee.name();
        format!("{path}: {name} is broken in step {}: {}", b.step, b.what)
    }));
    wrong.extend(report.broken.iter().map(|b| {
        let path = shown(path);
        format!(
            "{path}: {} is broken in step {}: {}: {}",
            b.guarantee, b.step, b.watch, b.what
        )
    }));
    match (&report.known_failure, report.differences.is_empty()) {
        (Some(reason), true) => wrong.push(format!(
            "{}: known to fail ({reason}), but it passes: take the header away",
            shown(path)
        )),
        (None, false) if bless => {
            let blessed = fs::write(path, &report.rewritten);
            blessed.unwrap_or_else(|e| panic!("{}: {e}", shown(path)));
        }
        (None, false) => {
            wrong.extend(report.differences.iter().map(|d| describe(path, d)));
        }
        (Some(_), false) | (None, true) => {}
    }
    wrong
}

fn describe(path: &Path, d: &OutputDifference) -> String {
    let indent = |text: &str| -> String {
        let lines = text.split('\n').map(|line| format!("    {line}\n"));
        lines.collect()
    };
    format!(
        "{}:{}: {}\n  expected:\n{}  but it prints:\n{}",
        shown(path),
        d.line,
        d.input,
        indent(&d.expected),
        indent(&d.actual)
    )
}

#[test]
fn every_file_prints_what_it_says() {
    let bless = std::env::var_os("BLESS").is_some();
    let word = std::env::var("RUN").unwrap_or_default();
    let files: Vec<_> = files()
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(&word))
        .collect();
    assert!(
        files.len() >= FILES_MIN || !word.is_empty(),
        "only {} files in {}",
        files.len(),
        folder().display()
    );
    let wrong: Vec<String> = files.iter().flat_map(|path| run(path, bless)).collect();
    assert!(
        wrong.is_empty(),
        "{} outputs differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_file_says_why_it_exists() {
    for path in files() {
        let text = read(&path);
        let path = shown(&path);
        assert!(text.starts_with("#! title: "), "{path}: no title");
        let first = text
            .lines()
            .find(|line| !line.starts_with("#!") && !line.is_empty());
        let remark = first.is_some_and(|line| line.starts_with("# "));
        assert!(remark, "{path}: the header is not followed by a reason");
        let lines = text.lines().count();
        assert!(
            lines <= LINES_MAX,
            "{path}: {lines} lines; one claim per file"
        );
    }
}
