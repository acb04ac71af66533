//! Power failures in the middle of commits: writes that are torn, lost and reordered at any point. After each the file
//! opens, everything that was acknowledged is there, and the index is the one that the rows make.

use watchglass_engine::base::planted::Planted;

/// Crashes in the life of one member.
const CRASHES: u32 = 100;

/// A member is 3.4 or 3.6 by its seed.
fn crash(seeds: impl Iterator<Item = u64>) {
    let (mut newer, mut older, mut damaged) = (0, 0, 0);
    for seed in seeds {
        let outcome = crate::power_failures::live(seed, CRASHES, Planted::default());
        let outcome = outcome.unwrap_or_else(|what| panic!("seed {seed}, {what}"));
        newer += outcome.newer;
        older += outcome.older;
        damaged += outcome.damaged;
    }
    // Both files are met often, or the crashes prove little.
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
