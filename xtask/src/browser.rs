//! Runs the browser tests and the browser scripts of `e2e/` against the release build.
//!
//! The page is served under a sub-path and with a strict Content-Security-Policy, as on a documentation site. If the
//! page works there, it works on any host.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::report::Report;
use crate::{digests, project, server, site, tools};

const PLAYWRIGHT: &str = "node_modules/@playwright/test/cli.js";
pub(crate) const PREFIX: &str = "/docs/watchglass/";
/// The path of an example page that embeds figures. It is served next to Watchglass.
const EXAMPLE_PREFIX: &str = "/docs/site/";

/// Runs `cargo xtask browser [--dev] [SPEC]…`, which runs only some of the browser tests. Use it while you change the
/// page.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (dev, args): (Vec<_>, Vec<_>) = args.iter().partition(|arg| *arg == "--dev");
    if dev.is_empty() {
        site::build_if_changed()?;
    } else {
        site::run(&["--dev".to_owned()])?;
    }
    let report = playwright(&project::dist(), &args)?;
    println!("{} passed, {} failed", report.passed, report.failed);
    Ok(if report.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

pub(crate) fn test() -> Result<Report> {
    playwright(&project::dist(), &[])
}

/// Runs browser tests against the page in `folder`: the specs whose names begin with one of `args`, or all specs if
/// `args` is empty.
pub(crate) fn playwright(folder: &Path, args: &[&String]) -> Result<Report> {
    let mut command = script_command(PLAYWRIGHT, folder)?;
    command.arg("test").args(args);
    if args.iter().any(|arg| *arg == "pseudo") {
        command.env("WG_PSEUDO", "1");
    }
    if args.iter().any(|arg| *arg == "tapes") {
        command.env("WG_TAPES", folder);
    }
    // The digests take minutes of compiling, and only one spec needs them.
    if args.is_empty() || args.iter().any(|arg| arg.contains("digest")) {
        command.env("WG_DIGESTS", digests::native_digest_file()?);
    }
    report_of(&mut command)
}

/// Runs `docs.spec` against the sites in `names`. The mounts are Watchglass, and each site with Watchglass in it. Most
/// generators write scripts into their pages, which the strict policy does not allow.
pub(crate) fn test_docs(mounts: Vec<server::Mount>, names: &[&str]) -> Result<Report> {
    let mut command = command_with(PLAYWRIGHT, mounts, false)?;
    command.args(["test", "docs.spec"]);
    report_of(command.env("WG_DOCS", names.join(" ")))
}

fn report_of(command: &mut Command) -> Result<Report> {
    let report_file = project::e2e().join("test-results").join("report.json");
    std::fs::remove_file(&report_file).ok();
    let result = project::run(command);
    let text = match (std::fs::read_to_string(&report_file), result) {
        (Ok(text), _) => text,
        (Err(_), Err(error)) => return Err(error),
        (Err(error), Ok(())) => return Err(error).context("Playwright wrote no report"),
    };
    let report = parse_report(&text)?;
    ensure!(
        report.passed + report.failed > 0,
        "Playwright ran no test at all: see its output above"
    );
    Ok(report)
}

/// Runs one script in `e2e/`. The page's address is in the script's environment.
pub(crate) fn run_script(name: &str) -> Result<()> {
    project::run(&mut script_command(name, &project::dist())?)
}

/// Starts to serve the page, and returns a Node command for a script in `e2e/`. The page's address and a browser are in
/// the command's environment.
pub(crate) fn script_command(script: &str, folder: &Path) -> Result<Command> {
    let mounts = vec![
        server::Mount {
            prefix: PREFIX.to_owned(),
            folder: folder.to_path_buf(),
        },
        server::Mount {
            prefix: EXAMPLE_PREFIX.to_owned(),
            folder: project::root().join("examples/docs-site"),
        },
    ];
    command_with(script, mounts, true)
}

fn command_with(script: &str, mounts: Vec<server::Mount>, strict_csp: bool) -> Result<Command> {
    tools::ensure_npm_packages()?;
    let browser: OsString = tools::ensure_browser()?.into();
    let url = server::start(server::Options {
        mounts,
        strict_csp,
        port: 0,
    })?;
    let path = project::e2e().join(script);
    ensure!(path.is_file(), "there is no e2e/{script}");
    let mut node = tools::node();
    node.arg(path)
        .current_dir(project::e2e())
        .env("WG_URL", url)
        .env("CHROME_PATH", browser);
    Ok(node)
}

/// A flaky test is a test that failed at first and passed when it was retried.
fn parse_report(text: &str) -> Result<Report> {
    let json: serde_json::Value =
        serde_json::from_str(text).context("Playwright's report is not JSON")?;
    let count = |name: &str| json["stats"][name].as_u64().unwrap_or(0);
    // This list has the errors outside of tests, such as a spec that does not load. No total includes them.
    let errors = json["errors"]
        .as_array()
        .map_or(0, |errors| errors.len() as u64);
    Ok(Report {
        passed: count("expected") + count("flaky"),
        failed: count("unexpected") + errors,
        note: match count("skipped") {
            0 => String::new(),
            skipped => format!("{skipped} skipped"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_from_the_report() {
        let text = r#"{"stats":{"expected":4,"unexpected":1,"flaky":0,"skipped":2},"errors":[{"message":"x"}]}"#;
        let report = parse_report(text).unwrap();
        assert_eq!((report.passed, report.failed), (4, 2));
        assert_eq!(report.note, "2 skipped");
    }
}
