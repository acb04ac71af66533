//! `cargo xtask tidy` checks rules for the source tree that the compiler and clippy cannot check. A test in this file
//! runs the same checks.
//!
//! Each rule is a function that takes a file and returns violations. Each violation has a place, a description and a
//! remedy. The rules are specific to this project. If a rule no longer helps, change the rule here and give the reason.

use std::fmt;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::project;

mod layers;
mod rules;
pub(crate) mod source;

/// Folders that contain no sources of this project.
const SKIPPED_FOLDERS: [&str; 8] = [
    ".git",
    ".tools",
    "dist",
    "node_modules",
    "parity-out",
    "playwright-report",
    "target",
    "test-results",
];

/// A violation of a tidy rule at one place in the sources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    path: String,
    line: usize,
    what: String,
}

/// A text file of the project, which the tidy rules check.
struct File {
    /// The path relative to the root, with forward slashes.
    path: String,
    text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.what)
    }
}

impl File {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn violation(&self, line: usize, what: impl Into<String>) -> Violation {
        Violation {
            path: self.path.clone(),
            line,
            what: what.into(),
        }
    }
}

/// Prints all violations; fails if there are any.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    anyhow::ensure!(
        args.is_empty(),
        "`tidy` takes no arguments: it looks at the whole tree"
    );
    let violations = check()?;
    violations
        .iter()
        .for_each(|violation| println!("{violation}"));
    println!("{} violations", violations.len());
    Ok(if violations.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Reads all files once and applies every rule.
pub(crate) fn check() -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    let mut tests = Vec::new();
    for path in project::files_below(&project::root(), &SKIPPED_FOLDERS)? {
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // A file that is not text has no lines to check.
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let file = File {
            path: project::relative(&path),
            text,
        };
        violations.extend(check_file(&file));
        if file.path.starts_with(rules::ENGINE_TESTS) && file.is_rust() {
            tests.push(file);
        }
    }
    violations.extend(rules::tests_are_built(&tests));
    violations.sort();
    Ok(violations)
}

fn check_file(file: &File) -> Vec<Violation> {
    let mut violations = rules::machine_paths_and_hosts(file);
    violations.extend(rules::colours(file));
    violations.extend(rules::scales(file));
    if file.is_rust() {
        violations.extend(rules::head(file));
        violations.extend(rules::digests(file));
        violations.extend(rules::line_length(file));
        violations.extend(rules::page_relative_addresses(file));
        violations.extend(layers::check(file));
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let violations = check().unwrap();
        let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
        assert!(
            list.is_empty(),
            "{} violations:\n{}",
            list.len(),
            list.join("\n")
        );
    }
}
