//! `cargo xtask bench [sizes|native|qos|nemesis|wasm|browser|start|lighthouse]…` measures sizes, speed and waiting
//! times. Without a name, it runs all groups of measurements.

mod etcd;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::site::sizes::Sizes;
use crate::{browser, project, site, tools};

/// A group of measurements, which can be run by its name.
struct Part {
    name: &'static str,
    run: fn() -> Result<()>,
}

const PARTS: [Part; 8] = [
    Part {
        name: "sizes",
        run: sizes,
    },
    Part {
        name: "native",
        run: native,
    },
    Part {
        name: "qos",
        run: qos,
    },
    Part {
        name: "nemesis",
        run: nemesis,
    },
    Part {
        name: "wasm",
        run: in_wasm,
    },
    Part {
        name: "browser",
        run: in_browser,
    },
    Part {
        name: "start",
        run: start,
    },
    Part {
        name: "lighthouse",
        run: lighthouse,
    },
];

/// Runs the named groups of measurements, or all groups.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    if args == ["sizes", "--bless"] {
        measured()?.bless()?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(unknown) = args
        .iter()
        .find(|arg| PARTS.iter().all(|part| part.name != **arg))
    {
        bail!(
            "`bench` has no part `{unknown}`; it has sizes, native, qos, nemesis, wasm, browser, start \
             and lighthouse"
        );
    }
    for part in PARTS {
        if args.is_empty() || args.iter().any(|arg| arg == part.name) {
            println!("\n## {}\n", part.name);
            (part.run)()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the sizes of the release build's files that a visitor downloads.
fn sizes() -> Result<()> {
    measured()?.check()
}

fn measured() -> Result<Sizes> {
    site::build_if_changed()?;
    let sizes = Sizes::measure(&project::dist())?;
    println!("{sizes}");
    Ok(sizes)
}

/// Measures the engine natively, and compares its index and store with etcd's own.
fn native() -> Result<()> {
    let mut build = project::cargo();
    build.args(["build", "--release", "-q", "-p", "watchglass-engine"]);
    project::run(build.args(["--example", "bench"]))?;
    let target = project::target_dir()?;
    let ours = target
        .join("release/examples/bench")
        .with_extension(std::env::consts::EXE_EXTENSION);
    etcd::compare(&ours, &target.join("bench-etcd"))?;
    println!();
    project::run(&mut project::program(&ours))
}

/// The accuracy of each queue discipline of etcd QoS, a proposal, and the cost of its decisions.
fn qos() -> Result<()> {
    let mut accuracy = project::cargo();
    accuracy.args(["run", "--release", "-q", "-p", "watchglass-engine"]);
    project::run(accuracy.args(["--example", "qos"]))?;
    println!();
    let mut cost = project::cargo();
    cost.args(["run", "--release", "-q", "-p", "watchglass-engine"]);
    project::run(cost.args(["--example", "bench", "--", "QoS"]))
}

/// The time that random commands need to find known bugs.
fn nemesis() -> Result<()> {
    let mut search = project::cargo();
    search.args(["run", "--release", "-q", "-p", "watchglass-engine"]);
    project::run(search.args(["--example", "nemesis"]))
}

/// Measures the same work natively and in wasm, and prints the ratio of the times. The page uses the wasm build.
fn in_wasm() -> Result<()> {
    tools::ensure_wasm_target()?;
    let mut native = project::cargo();
    native.args(["run", "--release", "-q", "-p", "watchglass-engine"]);
    native.args(["--example", "bench", "--", "--workloads"]);
    let native = project::capture(&mut native)?;
    let mut build = project::cargo();
    build.args(["build", "--profile", "web", "--target", tools::WASM_TARGET]);
    build.args(["-q", "-p", "watchglass-engine", "--example", "bench_wasm"]);
    project::run(&mut build)?;
    let module = project::target_dir()?
        .join(tools::WASM_TARGET)
        .join("web/examples/bench_wasm.wasm");
    let mut node = tools::node();
    node.arg(project::e2e().join("wasm-bench.mjs"));
    node.arg(module).arg(WASM_RUNS.to_string());
    let wasm = project::capture(&mut node)?;
    println!(
        "{:<66} {:>10} {:>10} {:>7}",
        "median of runs", "native ms", "wasm ms", "ratio"
    );
    for (native, wasm) in native.lines().zip(wasm.lines()) {
        let (ours, name) = median_and_name(native);
        let (theirs, _) = median_and_name(wasm);
        println!(
            "{name:<66} {ours:>10.1} {theirs:>10.1} {:>7.2}",
            theirs / ours
        );
    }
    Ok(())
}

/// The number of runs of each workload in wasm. The native benchmark has the same number of runs.
const WASM_RUNS: usize = 5;

/// Parses a line that consists of a word, numbers and a name. Returns the median of the numbers, and the name.
fn median_and_name(line: &str) -> (f64, String) {
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let mut took: Vec<f64> = words.iter().map_while(|word| word.parse().ok()).collect();
    took.truncate(WASM_RUNS);
    let name = words[took.len()..].join(" ");
    took.sort_by(f64::total_cmp);
    (took.get(took.len() / 2).copied().unwrap_or(f64::NAN), name)
}

/// Measures how long a visitor waits, on a slow phone and on a laptop.
fn start() -> Result<()> {
    site::build_if_changed()?;
    browser::run_script("start.mjs")
}

/// Measures a page with three figures with Lighthouse.
fn lighthouse() -> Result<()> {
    site::build_if_changed()?;
    browser::run_script("lighthouse.mjs")
}

/// Measures the page in Chromium.
fn in_browser() -> Result<()> {
    site::build_if_changed()?;
    browser::run_script("bench.mjs")
}
