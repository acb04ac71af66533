//! `cargo xtask fuzz` passes hostile links, texts, lines, messages and database files to the engine, on every core,
//! until the time is over.
//!
//! The engine's example `fuzz` contains the generators and the checks. It is built in the profile `test`: optimised,
//! with overflow checks and debug assertions. The example prints its findings. This module restarts the example if it
//! ends early, and counts several findings at the same place in the code as one finding.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::project;
use crate::report::Report;

const MODES: [&str; 5] = ["links", "texts", "shell", "session", "pages"];

/// The duration of the stage in `cargo xtask test`, for all modes together.
const STAGE: Duration = Duration::from_secs(30);

/// The seed of the stage in `cargo xtask test`. The seed is fixed, so that a failure is reproducible on any machine.
const STAGE_SEED: u64 = 1;

/// If a finding is about a slice of work that took too long, the finding's place begins with these words.
const LONG_SLICE: &str = "a long slice: ";

/// The findings of one mode.
#[derive(Default)]
struct Found {
    cases: u64,
    slice_us: u64,
    peak_bytes: u64,
    /// The findings, each as its place in the code and the line that describes the finding.
    findings: Vec<(String, String)>,
}

/// The part of the time in [`STAGE`] that is reserved for the mode `pages`.
const STAGE_PAGES: Duration = Duration::from_secs(4);

/// Runs `cargo xtask fuzz [links|texts|shell|session|pages] [--minutes N] [--seed S] [--case SEED]`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (mut modes, mut minutes, mut seed, mut case) = (Vec::new(), 4.0, STAGE_SEED, None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{arg} takes a number"));
        match arg.as_str() {
            "--minutes" => {
                minutes = value()?
                    .parse::<f64>()
                    .context("--minutes takes a number")?
            }
            "--seed" => seed = value()?.parse().context("--seed takes a whole number")?,
            "--case" => case = Some(value()?.clone()),
            mode if MODES.contains(&mode) => modes.push(mode),
            other => bail!(
                "`fuzz` does not know `{other}`; it takes links, texts, shell, session or pages, --minutes N, --seed S \
                 and --case SEED"
            ),
        }
    }
    let program = project::test_example("fuzz")?;
    if let Some(case) = case {
        let [mode] = modes.as_slice() else {
            bail!("--case takes the mode as well, such as `cargo xtask fuzz shell --case {case}`");
        };
        let status = project::program(&program)
            .args([mode, "--case", &case])
            .status()?;
        return Ok(if status.success() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    if modes.is_empty() {
        modes = MODES.to_vec();
    }
    ensure!(
        minutes > 0.0 && minutes < 10_000.0,
        "--minutes takes a number above 0"
    );
    let findings = fuzz(
        &program,
        &modes,
        Duration::from_secs_f64(minutes * 60.0),
        seed,
        |_| true,
    )?
    .failed;
    Ok(if findings == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs the stage in `cargo xtask test`. Each mode counts as one test, and each finding counts as one failed test. Long
/// slices are printed but not counted, because the duration of work depends on the machine.
pub(crate) fn stage() -> Result<Report> {
    let program = project::test_example("fuzz")?;
    let counts = |place: &str| !place.starts_with(LONG_SLICE);
    let (pages, others) = MODES.split_last().context("there are modes")?;
    let mut report = fuzz(&program, others, STAGE - STAGE_PAGES, STAGE_SEED, counts)?;
    let of_pages = fuzz(&program, &[*pages], STAGE_PAGES, STAGE_SEED, counts)?;
    report.passed += of_pages.passed;
    report.failed += of_pages.failed;
    Ok(report)
}

fn fuzz(
    program: &PathBuf,
    modes: &[&str],
    time: Duration,
    seed: u64,
    counts: impl Fn(&str) -> bool,
) -> Result<Report> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut report = Report::default();
    for mode in modes {
        let until = Instant::now() + time / modes.len() as u32;
        let found = Mutex::new(Found::default());
        let results: Vec<Result<()>> = std::thread::scope(|scope| {
            let start = |core| {
                let found = &found;
                scope.spawn(move || {
                    work(
                        program,
                        mode,
                        seed.wrapping_mul(1_000).wrapping_add(core),
                        until,
                        found,
                    )
                })
            };
            let workers: Vec<_> = (0..cores).map(start).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().expect("a worker returns its error"))
                .collect()
        });
        results.into_iter().collect::<Result<()>>()?;
        let found = found.into_inner().context("a worker has ended early")?;
        println!(
            "{mode:<8} seed {seed}: {} cases, longest slice {} ms, peak {} MiB, {} findings",
            found.cases,
            found.slice_us / 1_000,
            found.peak_bytes >> 20,
            found.findings.len()
        );
        for (_, shown) in &found.findings {
            println!("  {shown}");
        }
        let counted = found.findings.iter().filter(|(place, _)| counts(place));
        let failed = counted.count() as u64;
        report.passed += u64::from(failed == 0);
        report.failed += failed;
    }
    Ok(report)
}

/// Runs the program until the time is over. If the program ends early, starts it again with the next case.
fn work(
    program: &PathBuf,
    mode: &str,
    seed: u64,
    until: Instant,
    found: &Mutex<Found>,
) -> Result<()> {
    let mut from = 0;
    loop {
        let left = until.saturating_duration_since(Instant::now()).as_secs();
        if left == 0 {
            return Ok(());
        }
        let mut fuzz = project::program(program);
        fuzz.arg(mode).args(["--seconds", &left.to_string()]);
        fuzz.args(["--seed", &seed.to_string(), "--from", &from.to_string()]);
        let mut child = fuzz
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the fuzzer")?;
        let stdout = child
            .stdout
            .take()
            .context("the pipe was asked for above")?;
        let mut last = (0, String::new());
        let mut reported = false;
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            let fields: Vec<&str> = line.split('\t').collect();
            let mut found = found.lock().expect("nothing panics with the lock");
            match fields.as_slice() {
                ["CASE", case, seed] => last = (case.parse()?, (*seed).to_owned()),
                ["COST", slice, peak] => {
                    found.cases += 1;
                    found.slice_us = found.slice_us.max(slice.parse()?);
                    found.peak_bytes = found.peak_bytes.max(peak.parse()?);
                }
                ["FINDING", place, seed, what, input @ ..] => {
                    reported = true;
                    found.add(mode, place, seed, what, &input.join("\t"));
                }
                _ => {}
            }
        }
        let status = child.wait()?;
        if status.success() {
            return Ok(());
        }
        if !reported {
            let mut found = found.lock().expect("nothing panics with the lock");
            found.add(
                mode,
                &format!("the program ended with {status}"),
                &last.1,
                "",
                "",
            );
        }
        from = last.0 + 1;
    }
}

impl Found {
    fn add(&mut self, mode: &str, place: &str, seed: &str, what: &str, input: &str) {
        if self.findings.iter().any(|(known, _)| known == place) {
            return;
        }
        let shown =
            format!("{place} {what}\n    cargo xtask fuzz {mode} --case {seed}\n    {input}");
        println!("  found: {shown}");
        self.findings.push((place.to_owned(), shown));
    }
}
