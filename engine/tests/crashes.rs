//! Power failures in the middle of commits: writes are torn, lost and reordered at any point. After each failure, the
//! file must open, every acknowledged write must be present, and the index must equal an index built from the rows.

use watchglass_engine::base::planted::Planted;

const CRASHES: u32 = 100;

/// Runs one member per seed through its crashes. The seed also selects 3.4 or 3.6.
fn crash(seeds: impl Iterator<Item = u64>) {
    let (mut newer, mut older, mut damaged) = (0, 0, 0);
    for seed in seeds {
        let outcome = crate::power_failures::live(seed, CRASHES, Planted::default());
        let outcome = outcome.unwrap_or_else(|what| panic!("seed {seed}, {what}"));
        newer += outcome.newer;
        older += outcome.older;
        damaged += outcome.damaged;
    }
    // The file of the old and that of the new commit must both be frequent; otherwise the crashes prove little.
    let least = (newer + older) / 20;
    assert!(
        newer > least && older > least && damaged > least,
        "{newer} {older} {damaged}"
    );
}

#[test]
fn five_thousand_crashes_of_3_4_lose_nothing() {
    crash((0..100).step_by(2));
}

#[test]
fn five_thousand_crashes_of_3_6_lose_nothing() {
    crash((1..100).step_by(2));
}

#[test]
#[ignore = "takes minutes"]
fn a_million_crashes_lose_nothing() {
    crash(100..10_100);
}
