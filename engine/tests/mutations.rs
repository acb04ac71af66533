//! Each promise, broken on purpose, is found broken by the checker of its name.
//!
//! `cargo test -p watchglass-engine --features planted-bugs --test mutations`

mod worlds;

use watchglass_engine::api::Profile;
use watchglass_engine::base::planted::{Planted, PlantedBug};
use watchglass_engine::observe::guarantees::Guarantee;

/// Worlds in which a fault must have shown.
const WORLDS_MAX: u64 = 40;

/// The fault that breaks a promise.
fn bug_against(guarantee: Guarantee) -> PlantedBug {
    match guarantee {
        Guarantee::Ordered => PlantedBug::NewestFirst,
        Guarantee::Unique => PlantedBug::LastOnceMore,
        Guarantee::Atomic => PlantedBug::OneByOne,
        Guarantee::Reliable => PlantedBug::DropsWhenFull,
        Guarantee::Resumable => PlantedBug::ResumesTooLate,
        Guarantee::Bookmarkable => PlantedBug::ProgressUnasked,
        Guarantee::PrevKv => PlantedBug::ReadsTooLate,
        Guarantee::IsCreate => PlantedBug::VersionGoesOn,
        Guarantee::Filter => PlantedBug::SweepsUnfiltered,
    }
}

/// Whether the checker of this name finds a fault in the world of a seed.
fn is_caught(guarantee: Guarantee, planted: Planted, seed: u64) -> bool {
    let outcome = worlds::run(seed, |world| world.planted(planted));
    let mut found = outcome.guard.unexplained();
    found.any(|breach| breach.guarantee == guarantee)
}

#[test]
fn each_planted_bug_is_caught_by_the_checker_of_its_name() {
    let missed: Vec<&str> = Guarantee::ALL
        .into_iter()
        .filter(|guarantee| {
            let planted = Planted::one(bug_against(*guarantee));
            // The old etcd has mistakes of its own.
            let mut seeds =
                (0..WORLDS_MAX).filter(|seed| worlds::profile_of(*seed) == Profile::V3_6);
            !seeds.any(|seed| is_caught(*guarantee, planted, seed))
        })
        .map(Guarantee::name)
        .collect();
    assert!(
        missed.is_empty(),
        "nobody noticed what broke {}",
        missed.join(", ")
    );
}
