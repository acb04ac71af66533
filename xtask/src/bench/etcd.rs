//! Compares the engine's index and store with etcd's own `mvcc` package, as ratios of times from one run.
//!
//! `engine/examples/bench/rows.rs` and `engine/examples/bench/etcd/main.go` do the same work. The Go program is built
//! against etcd's Go sources from the Linux distribution. `go build -overlay` adds `export.go` to the Go package
//! `mvcc`, because its index is private. The installed files stay unchanged.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::project;

/// The GOPATH of Debian's source packages for Go libraries.
const GOPATH: &str = "/usr/share/gocode";

/// The folder of etcd's `mvcc` package below [`GOPATH`].
const MVCC: &str = "src/go.etcd.io/etcd/mvcc";

/// The number of turns. In each turn, our program and the Go program both do the work of each row.
const ROUNDS: usize = 3;

/// The number of times that a program does the work of a row in one turn.
const RUNS: usize = 5;

/// A row of the comparison: work that both programs do and measure.
struct Row {
    name: &'static str,
    what: &'static str,
    /// A description of the additional work that only etcd does. Only etcd's time includes this work.
    besides: &'static str,
}

const LOCK: &str = "a lock per call";
const LOCK_KEY: &str = "a lock per key";
const WRITE: &str = "bbolt pages in memory, the consistent index, locks, metrics";
const READ: &str = "a bbolt read transaction, locks, metrics";

const fn row(name: &'static str, what: &'static str, besides: &'static str) -> Row {
    Row {
        name,
        what,
        besides,
    }
}

const ROWS: [Row; 17] = [
    row("index-put", "index put, 10k keys x 100", LOCK),
    row("index-put-1m", "index put, 1M keys x 1", LOCK),
    row("index-get", "index get now, 10k keys x 100", LOCK),
    row(
        "index-get-past",
        "index get in the past, 10k keys x 100",
        LOCK,
    ),
    row("index-get-1m", "index get now, 1M keys x 1", LOCK),
    row(
        "index-compact",
        "index compaction, 10k keys x 100",
        LOCK_KEY,
    ),
    row(
        "index-compact-100k",
        "index compaction, 100k keys x 10",
        LOCK_KEY,
    ),
    row(
        "index-compact-1m",
        "index compaction, 1M keys x 1",
        LOCK_KEY,
    ),
    row(
        "store-restore",
        "restore, 10k keys x 100",
        "reading pages of a file in memory",
    ),
    row("store-put-new", "store put, 100k keys x 1", WRITE),
    row("store-put", "store put, 10k keys x 100", WRITE),
    row("store-get", "store get now, 10k keys x 100", READ),
    row(
        "store-get-past",
        "store get in the past, 10k keys x 100",
        READ,
    ),
    row("store-range-1000", "range of 1,000 of 100k keys", READ),
    row("store-range-all", "range of 100k keys", READ),
    row(
        "store-range-limited",
        "range of 100k keys, limit 1,000",
        READ,
    ),
    row("store-count", "count of 100k keys", READ),
];

/// The times of one turn in milliseconds. Each run has an elapsed time and a processor time.
struct Turn {
    passed: Vec<f64>,
    used: Vec<f64>,
}

/// Runs the program `ours` and etcd's package alternately for each row, and prints etcd's time divided by our time. The
/// Go program is built in `folder`.
pub(super) fn compare(ours: &Path, folder: &Path) -> Result<()> {
    let mvcc = Path::new(GOPATH).join(MVCC);
    if project::on_path(&["go"]).is_none() || !mvcc.is_dir() {
        println!(
            "The comparison with etcd's mvcc package is skipped: it needs Go and etcd's source, on Debian 12 \
             `apt-get install -y --no-install-recommends golang-go golang-etcd-server-dev`."
        );
        return Ok(());
    }
    let etcd = build(&mvcc, folder)?;
    println!(
        "etcd 3.4.23's mvcc package in the same run: its time divided by ours, above 1 this engine is faster."
    );
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "Medians of {ROUNDS} turns with {RUNS} runs each, [least greatest] of the turns; load average {}",
        load.trim()
    );
    println!(
        "\n{:<38} {:>10} {:>10}  {:<20} {:<20} only etcd's time includes",
        "what", "ours ms", "etcd ms", "ratio by the clock", "by processor time"
    );
    for row in &ROWS {
        let mut ours_turns = Vec::new();
        let mut etcd_turns = Vec::new();
        for _ in 0..ROUNDS {
            ours_turns.push(turn(ours, &["--row"], row.name)?);
            etcd_turns.push(turn(&etcd, &[], row.name)?);
        }
        println!(
            "{:<38} {:>10.2} {:>10.2}  {:<20} {:<20} {}",
            row.what,
            median(ours_turns.iter().flat_map(|turn| &turn.passed)),
            median(etcd_turns.iter().flat_map(|turn| &turn.passed)),
            ratio(&etcd_turns, &ours_turns, |turn| &turn.passed),
            ratio(&etcd_turns, &ours_turns, |turn| &turn.used),
            row.besides
        );
    }
    Ok(())
}

/// Compiles the Go program. Only the distribution's packages are used.
fn build(mvcc: &Path, folder: &Path) -> Result<PathBuf> {
    let sources = project::root().join("engine/examples/bench/etcd");
    std::fs::create_dir_all(folder).context("cannot make the folder of the Go program")?;
    let added = mvcc.join("watchglass_export.go");
    let overlay =
        serde_json::json!({ "Replace": { added.to_string_lossy(): sources.join("export.go") } });
    let overlay_file = folder.join("overlay.json");
    std::fs::write(&overlay_file, overlay.to_string()).context("cannot write overlay.json")?;
    let program = folder.join("bench");
    let mut go = project::program("go");
    go.env("GO111MODULE", "off").env("GOPATH", GOPATH);
    go.env_remove("GOFLAGS").args(["build", "-overlay"]);
    go.arg(overlay_file).arg("-o").arg(&program);
    project::run(go.arg(sources.join("main.go")))?;
    Ok(program)
}

/// Starts `program` in a separate process. The process does the work of the given row [`RUNS`] times.
fn turn(program: &Path, options: &[&str], row: &str) -> Result<Turn> {
    let mut command = project::program(program);
    command.args(options).arg(row).arg(RUNS.to_string());
    let printed = project::capture(&mut command)?;
    let mut turn = Turn {
        passed: Vec::new(),
        used: Vec::new(),
    };
    for line in printed.lines() {
        let (passed, used) = line.split_once(' ').context("a line without two times")?;
        turn.passed.push(passed.parse()?);
        turn.used.push(used.parse()?);
    }
    ensure!(
        turn.passed.len() == RUNS,
        "`{}` printed {} times instead of {RUNS}",
        project::shown(&command),
        turn.passed.len()
    );
    Ok(turn)
}

/// Divides, for each turn, etcd's median time by our median time. Returns the median, the minimum and the maximum of
/// these ratios.
fn ratio(etcd: &[Turn], ours: &[Turn], times: fn(&Turn) -> &Vec<f64>) -> String {
    let ratios: Vec<f64> = etcd
        .iter()
        .zip(ours)
        .map(|(etcd, ours)| median(times(etcd)) / median(times(ours)))
        .collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = ratios.iter().copied().fold(0.0, f64::max);
    format!("{:.2} [{least:.2} {greatest:.2}]", median(&ratios))
}

fn median<'a>(times: impl IntoIterator<Item = &'a f64>) -> f64 {
    let mut times: Vec<f64> = times.into_iter().copied().collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
