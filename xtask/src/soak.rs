//! `cargo xtask soak` runs thousands of random clusters with faults, and types random commands, on every core.
//!
//! The engine's example `soak` contains the clusters and their checks (`engine/tests/cluster_nemesis`), and types
//! random commands as the page does in *Search for a failure*. It is built in the profile `test`: optimised, with
//! overflow checks and debug assertions. Without `--seed`, the seed depends on the time, so that each soak makes other
//! runs; the seed is printed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};

use crate::project;

/// The number of runs without `--runs`.
const RUNS: u64 = 2_000;

/// The number of different seeds if no seed is given.
const SEEDS: u64 = 1_000_000_000;

#[derive(Default)]
struct Soaked {
    passed: u64,
    undecided: u64,
    failures: Vec<String>,
}

/// Runs `cargo xtask soak [--runs N] [--seed N]`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let (mut runs, mut seed) = (RUNS, since_1970.as_millis() as u64 % SEEDS);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let value = rest.next().with_context(|| format!("{arg} takes a number"));
        match arg.as_str() {
            "--runs" => runs = value?.parse().context("--runs takes a whole number")?,
            "--seed" => seed = value?.parse().context("--seed takes a whole number")?,
            other => bail!("`soak` does not know `{other}`; it takes --runs N and --seed N"),
        }
    }
    ensure!(runs > 0, "--runs takes a number above 0");
    let program = project::test_example("soak")?;
    println!("soak: {runs} clusters, --seed {seed}");
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let results: Vec<Result<Soaked>> = std::thread::scope(|scope| {
        let start = |core: u64| {
            let program = &program;
            // This process does the runs `core`, `core + cores` and so on.
            let count = (runs + cores - 1 - core) / cores;
            scope.spawn(move || work(program, seed + core, cores, count))
        };
        let workers: Vec<_> = (0..cores.min(runs)).map(start).collect();
        let workers = workers.into_iter();
        workers
            .map(|worker| worker.join().expect("a worker returns its error"))
            .collect()
    });
    let mut sum = Soaked::default();
    for result in results {
        let result = result?;
        sum.passed += result.passed;
        sum.undecided += result.undecided;
        sum.failures.extend(result.failures);
    }
    let failed = sum.failures.len();
    let undecided = sum.undecided;
    println!(
        "soak: {} clusters passed ({undecided} too large for the check of linearizability), {failed} failed",
        sum.passed
    );
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Runs `count` clusters in another process, and prints each failure at once.
fn work(program: &Path, first: u64, step: u64, count: u64) -> Result<Soaked> {
    let mut soak = project::program(program);
    soak.args([first, step, count].map(|number| number.to_string()));
    let mut child = soak
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the clusters")?;
    let stdout = child
        .stdout
        .take()
        .context("the pipe was requested above")?;
    let mut soaked = Soaked::default();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["OK", _, undecided] => {
                soaked.passed += 1;
                soaked.undecided += u64::from(*undecided == "true");
            }
            ["FAILED", seed, what @ ..] => {
                println!(
                    "  seed {seed}: {}\n    cargo xtask soak --runs 1 --seed {seed}",
                    what.join(" ")
                );
                soaked.failures.push((*seed).to_owned());
            }
            _ => println!("  {line}"),
        }
    }
    let status = child.wait()?;
    ensure!(
        status.success(),
        "the program of the clusters ended with {status}"
    );
    let finished = soaked.passed + soaked.failures.len() as u64;
    ensure!(
        finished == count,
        "{finished} of {count} clusters have a result"
    );
    Ok(soaked)
}
