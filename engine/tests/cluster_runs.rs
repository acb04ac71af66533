//! Random clusters with faults. Each member is complete, from the API to the store, not only a raft node. The checks:
//! clients see one order, nothing acknowledged is lost, watches keep their guarantees, and the members are equal at the
//! end.
//!
//! `SEED=7 cargo test -p watchglass-engine cluster_runs::` runs the cluster of one seed. `cargo xtask soak` runs many
//! more clusters.

use crate::cluster_nemesis::{ClusterReport, run};
use crate::support::seeds;

const RUNS: u64 = 40;

#[test]
fn random_clusters_serve_clients_correctly() {
    let seeds = seeds(0..RUNS);
    let runs = seeds.end - seeds.start;
    let mut sum = ClusterReport::default();
    let mut undecided = 0;
    for seed in seeds {
        let report = run(seed, |world| world).unwrap_or_else(|error| panic!("{error}"));
        sum.operations += report.operations;
        sum.acknowledged += report.acknowledged;
        sum.unknown += report.unknown;
        sum.stale_reads += report.stale_reads;
        sum.crashes += report.crashes;
        sum.unsynced += report.unsynced;
        sum.terms += report.terms;
        sum.snapshots += report.snapshots;
        sum.watch_events += report.watch_events;
        sum.changes += report.changes;
        undecided += u64::from(report.is_undecided);
    }
    let text = format!("{runs} runs, {undecided} undecided: {sum:?}");
    // Not every run contains every kind of fault.
    if runs >= RUNS {
        // The runs exercise what they test.
        assert!(
            sum.acknowledged > 1_000 * runs && sum.unknown > 10 * runs,
            "{text}"
        );
        assert!(
            sum.terms > 5 * runs && sum.crashes > 3 * runs && 4 * sum.unsynced > runs,
            "{text}"
        );
        assert!(
            sum.stale_reads > runs && sum.watch_events > 1_000 * runs && 2 * sum.snapshots > runs,
            "{text}"
        );
        assert!(sum.changes > runs && undecided * 100 <= runs, "{text}");
    }
}
