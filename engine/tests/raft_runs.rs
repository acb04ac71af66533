//! Random clusters of raft nodes with faults: the safety properties of raft hold, and clients see one order.
//!
//! `SEED=7 cargo test -p watchglass-engine raft_runs::` runs the cluster of one seed, `WORLDS=5000` runs more clusters.

use crate::raft_nemesis::{NemesisReport, run};
use crate::support::seeds;

const RUNS: u64 = 200;

#[test]
fn random_clusters_are_safe_and_recover() {
    let seeds = seeds(0..RUNS);
    let runs = seeds.end - seeds.start;
    let mut sum = NemesisReport::default();
    let mut undecided = 0;
    for seed in seeds {
        let report = run(seed, |node| node).unwrap_or_else(|error| panic!("{error}"));
        sum.operations += report.operations;
        sum.acknowledged += report.acknowledged;
        sum.unknown += report.unknown;
        sum.leaders += report.leaders;
        sum.crashes += report.crashes;
        sum.snapshots += report.snapshots;
        sum.changes += report.changes;
        undecided += u64::from(report.is_undecided);
    }
    let text = format!("{runs} runs, {undecided} undecided: {sum:?}");
    // Not every run contains every kind of fault.
    if runs >= RUNS {
        // The runs exercise what they test.
        assert!(
            sum.acknowledged > 1_000 * runs && sum.unknown > 50 * runs,
            "{text}"
        );
        assert!(sum.leaders > 5 * runs && sum.crashes > 10 * runs, "{text}");
        assert!(
            sum.snapshots > runs && sum.changes > 5 * runs && undecided * 100 <= runs,
            "{text}"
        );
    }
}
