//! `cargo xtask bless [PATH]` replaces the expected outputs in behaviour files with the actual outputs of the engine.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::project;

/// Runs the behaviour test in the mode that rewrites outputs, and then prints the changed files.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let mut test = project::cargo();
    test.args(["test", "-p", "watchglass-engine", "behaviour::"]);
    test.env("BLESS", "1");
    match args {
        [] => {}
        [path] => {
            test.env("BLESS_PATH", path);
        }
        _ => bail!(
            "`bless` takes one path at most, not {}: name a folder to bless several files",
            args.len()
        ),
    }
    // A file with a syntax error fails the test, but the other files are rewritten, so the changes are printed anyway.
    let blessed = project::run(&mut test);
    project::run(project::program("git").args(["--no-pager", "diff", "--stat"]))?;
    println!("Read the diff: commit only what you can explain.");
    blessed.map(|()| ExitCode::SUCCESS)
}
