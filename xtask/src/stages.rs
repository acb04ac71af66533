//! `cargo xtask test` runs all checks of CI. The fastest checks run first, so that most mistakes are found in the first
//! minute; native builds and the build of the page run side by side.
//!
//! After a failed stage, the other stages still run (unless `--fail-fast` is given), so that one run shows all
//! failures.

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::report::Report;
use crate::site::sizes::Sizes;
use crate::tools::WASM_TARGET;
use crate::{browser, docs, firefox, fuzz, project, site, tidy, trunk};

/// A stage, which is one line of the summary.
struct Stage {
    name: &'static str,
    run: fn() -> Result<Report>,
    /// Whether `--no-browser` skips the stage.
    needs_browser: bool,
    /// The stage whose failure prevents this stage from running.
    after: Option<&'static str>,
}

struct Ended {
    name: &'static str,
    time: Duration,
    report: Report,
}

const SITE: &str = "release page";

/// Stages that run one after the other.
type Lane = &'static [Stage];

/// The phases of a run. The lanes of a phase run at the same time: a compiler keeps one core busy for much of its time,
/// and two compilers keep two. The browser tests have the machine for themselves.
const PHASES: [&[Lane]; 3] = [
    &[&[
        Stage::new("format", format),
        Stage::new("tidy", tidy_tree),
        Stage::new("packages of the engine", packages),
        Stage::new("adapters", docs::test),
    ]],
    &[
        &[
            // The same code runs in the browser, so clippy does not check it again for wasm.
            Stage::new("clippy", clippy),
            Stage::new("tests, native", tests_native),
        ],
        &[
            Stage::new(SITE, release_page).in_browser(None),
            Stage::new("sizes", sizes).in_browser(Some(SITE)),
            // The native tests run now, so the fuzzer's program is compiled.
            Stage::new("fuzz", fuzz::stage),
        ],
    ],
    &[&[
        Stage::new("browser", browser::test).in_browser(Some(SITE)),
        Stage::new("firefox", firefox::test).in_browser(Some(SITE)),
        Stage::new("trunk", trunk::test).in_browser(None),
    ]],
];

impl Stage {
    const fn new(name: &'static str, run: fn() -> Result<Report>) -> Stage {
        Stage {
            name,
            run,
            needs_browser: false,
            after: None,
        }
    }

    const fn in_browser(self, after: Option<&'static str>) -> Stage {
        Stage {
            needs_browser: true,
            after,
            ..self
        }
    }
}

/// Runs `cargo xtask test [--no-browser] [--fail-fast] [STAGE]…`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (flags, wanted): (Vec<_>, Vec<_>) = args.iter().partition(|arg| arg.starts_with("--"));
    let has = |flag: &str| flags.iter().any(|arg| *arg == flag);
    if let Some(unknown) = flags
        .iter()
        .find(|arg| !["--no-browser", "--fail-fast"].contains(&arg.as_str()))
    {
        bail!("`test` does not know `{unknown}`; it takes --no-browser and --fail-fast");
    }
    let names = |stage: &Stage, word: &str| stage.name.starts_with(word);
    if let Some(unknown) = wanted
        .iter()
        .find(|word| !stages().any(|stage| names(stage, word)))
    {
        let known: Vec<_> = stages().map(|stage| format!("`{}`", stage.name)).collect();
        bail!(
            "there is no stage `{unknown}`; the stages are {}",
            known.join(", ")
        );
    }
    let is_wanted = |stage: &Stage| {
        (wanted.is_empty() || wanted.iter().any(|word| names(stage, word)))
            && !(stage.needs_browser && has("--no-browser"))
    };
    let start = Instant::now();
    let mut ended: Vec<Ended> = Vec::new();
    for lanes in PHASES {
        if has("--fail-fast") && ended.iter().any(|one| one.report.failed > 0) {
            break;
        }
        let run = |lane: Lane| run_lane(lane, &is_wanted, has("--fail-fast"), &ended);
        let done: Vec<Vec<Ended>> = thread::scope(|scope| {
            let threads: Vec<_> = lanes.iter().map(|lane| scope.spawn(|| run(lane))).collect();
            let lanes = threads.into_iter().map(|thread| thread.join());
            lanes
                .map(|lane| lane.expect("a stage has no panic"))
                .collect()
        });
        ended.extend(done.into_iter().flatten());
    }
    Ok(summary(&ended, start.elapsed()))
}

fn stages() -> impl Iterator<Item = &'static Stage> {
    PHASES.into_iter().flatten().flat_map(|lane| *lane)
}

/// Runs the wanted stages of a lane; `before` are the stages of earlier phases.
fn run_lane(
    lane: Lane,
    is_wanted: &(impl Fn(&Stage) -> bool + Sync),
    is_fail_fast: bool,
    before: &[Ended],
) -> Vec<Ended> {
    let mut ended: Vec<Ended> = Vec::new();
    for stage in lane.iter().filter(|stage| is_wanted(stage)) {
        let one = run_stage(stage, before.iter().chain(&ended));
        println!("== {}", one.line());
        let stop = is_fail_fast && one.report.failed > 0;
        ended.push(one);
        if stop {
            break;
        }
    }
    ended
}

fn run_stage<'a>(stage: &Stage, mut before: impl Iterator<Item = &'a Ended>) -> Ended {
    println!("\n== {}", stage.name);
    let start = Instant::now();
    let missing = stage
        .after
        .filter(|name| before.any(|done| done.name == *name && done.report.failed > 0));
    let result = match missing {
        Some(name) => Err(anyhow::anyhow!("not run, since the stage `{name}` failed")),
        None => (stage.run)(),
    };
    let report = result.unwrap_or_else(|error| Report {
        passed: 0,
        failed: 1,
        note: format!("{error:#}"),
    });
    Ended {
        name: stage.name,
        time: start.elapsed(),
        report,
    }
}

/// Prints one line per stage, and the totals as the last line.
fn summary(ended: &[Ended], time: Duration) -> ExitCode {
    println!("\nStages:");
    for one in ended {
        println!("  {}", one.line());
    }
    println!("  {:<26} {:>6.1} s", "all", time.as_secs_f64());
    let passed: u64 = ended.iter().map(|one| one.report.passed).sum();
    let failed: u64 = ended.iter().map(|one| one.report.failed).sum();
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

impl Ended {
    fn line(&self) -> String {
        let Report {
            passed,
            failed,
            note,
        } = &self.report;
        let result = if *failed == 0 { "ok" } else { "FAILED" };
        let mut line = format!(
            "{:<26} {:>6.1} s  {result}",
            self.name,
            self.time.as_secs_f64()
        );
        // A stage with a single check has no tests to count.
        if *passed > 0 {
            line.push_str(&format!("  {passed} passed, {failed} failed"));
        }
        if !note.is_empty() {
            line.push_str(&format!("  ({note})"));
        }
        line
    }
}

fn format() -> Result<Report> {
    project::run(project::cargo().args(["fmt", "--all", "--check"]))
        .context("run `cargo fmt --all`")?;
    Ok(Report::default())
}

fn tidy_tree() -> Result<Report> {
    let violations = tidy::check()?;
    violations
        .iter()
        .for_each(|violation| println!("{violation}"));
    ensure!(
        violations.is_empty(),
        "{} violations, listed above",
        violations.len()
    );
    Ok(Report::default())
}

fn clippy() -> Result<Report> {
    let mut clippy = project::cargo();
    clippy.args(["clippy", "--workspace", "--all-targets"]);
    project::run(clippy.args(["--", "-D", "warnings"]))?;
    Ok(Report::default())
}

/// Checks that the engine needs no package that calls JavaScript.
fn packages() -> Result<Report> {
    let found = bindings(&engine_packages()?);
    ensure!(
        found.is_empty(),
        "the engine must run without JavaScript, but it depends on {}: `cargo tree -p watchglass-engine --target \
         {WASM_TARGET} -i NAME` shows why",
        found.join(", ")
    );
    Ok(Report::default())
}

/// Returns the packages that the engine needs in the browser, one line each: `imbl v7.0.2 …`.
fn engine_packages() -> Result<String> {
    let mut tree = project::cargo();
    tree.args(["tree", "-p", "watchglass-engine", "--target", WASM_TARGET]);
    project::capture(tree.args(["-e", "normal", "--prefix", "none"]))
}

/// Returns the names of the packages that call JavaScript.
fn bindings(packages: &str) -> Vec<&'static str> {
    let names = packages.lines().filter_map(|line| line.split(' ').next());
    ["wasm-bindgen", "js-sys", "web-sys"]
        .into_iter()
        .filter(|binding| names.clone().any(|name| name == *binding))
        .collect()
}

fn tests_native() -> Result<Report> {
    let mut report = Report::default();
    // The default members of the workspace, and then the member that is not one of them.
    for members in [&["--no-fail-fast"][..], &["--no-fail-fast", "-p", "xtask"]] {
        let failed_before = report.failed;
        let status = project::tee(project::cargo().arg("test").args(members), |line| {
            if let Some((passed, failed)) = parse_test_result(line) {
                report.passed += passed;
                report.failed += failed;
            }
        })?;
        // Code that does not compile, and a test that aborts, have no result line.
        if !status.success() && report.failed == failed_before {
            report.failed += 1;
            report.note = format!(
                "`cargo test` ended with {status} though no test says it failed: see its output above"
            );
        }
    }
    Ok(report)
}

fn release_page() -> Result<Report> {
    site::build_if_changed()?;
    Ok(Report::default())
}

/// Checks that the downloads of no page have grown by more than the tolerance.
fn sizes() -> Result<Report> {
    Sizes::measure(&project::dist())?.check()?;
    Ok(Report::default())
}

/// Parses `test result: ok. 12 passed; 0 failed; 0 ignored; …`.
fn parse_test_result(line: &str) -> Option<(u64, u64)> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |name: &str| {
        let item = counts
            .split("; ")
            .find_map(|item| item.trim().strip_suffix(name))?;
        item.trim().parse().ok()
    };
    Some((count("passed")?, count("failed")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_a_script_is_read() {
        let report = Report::of_summary("12 passed, 1 failed").unwrap();
        assert_eq!((report.passed, report.failed), (12, 1));
        assert!(Report::of_summary("Error: no such file").is_none());
    }

    #[test]
    fn test_results_are_read() {
        let ok = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(parse_test_result(ok), Some((12, 0)));
        let failed =
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(parse_test_result(failed), Some((3, 2)));
        assert_eq!(parse_test_result("test base::parses ... ok"), None);
    }

    #[test]
    fn a_package_that_calls_javascript_is_found() {
        assert_eq!(
            bindings("imbl v7.0.2\nwasm-bindgen v0.2.130 (*)\n"),
            ["wasm-bindgen"]
        );
        assert!(bindings("imbl v7.0.2\nwasm-bindgen-shared v0.2.130\n").is_empty());
    }

    #[test]
    fn a_stage_waits_for_the_one_it_needs() {
        let failed = Report {
            failed: 1,
            ..Report::default()
        };
        let before = [Ended {
            name: SITE,
            time: Duration::ZERO,
            report: failed,
        }];
        let stage = Stage::new("browser", || Ok(Report::default())).in_browser(Some(SITE));
        assert_eq!(run_stage(&stage, before.iter()).report.failed, 1);
        assert_eq!(run_stage(&stage, [].iter()).report.failed, 0);
    }
}
