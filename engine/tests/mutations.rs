//! For each guarantee, a planted fault breaks the guarantee, and the checker of the guarantee must report a breach.
//!
//! Run these tests with `cargo test -p watchglass-engine mutations::`.

use watchglass_engine::api::Profile;
use watchglass_engine::base::planted::{Planted, PlantedBug};
use watchglass_engine::observe::KubeGuarantee;
use watchglass_engine::observe::guarantees::Guarantee;
use watchglass_engine::world::World;

use crate::kube_worlds::KubeWorld;
use crate::{cluster_nemesis, power_failures, raft_nemesis, worlds};

/// The maximum number of random worlds in which a test plants a fault. The checker must find the fault in at least one
/// of them.
const WORLDS_MAX: u64 = 40;

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
        Guarantee::Filter => PlantedBug::SyncPassesUnfiltered,
    }
}

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
            // etcd 3.4 has known faults, so the test uses only 3.6.
            let mut seeds =
                (0..WORLDS_MAX).filter(|seed| worlds::profile_of(*seed) > Profile::V3_4);
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

#[test]
fn a_meta_page_that_is_written_before_its_pages_is_caught() {
    let planted = Planted::one(PlantedBug::MetaBeforePages);
    // If the checker cannot see the damage of a file, the member finds it and panics.
    let is_caught = (0..WORLDS_MAX).any(|seed| {
        let lived = std::panic::catch_unwind(|| power_failures::live(seed, 10, planted));
        !matches!(lived, Ok(Ok(_)))
    });
    assert!(
        is_caught,
        "no crash came between the meta page and its pages"
    );
}

/// The planted faults of an API server, each with the guarantee to its clients that the fault breaks.
const API_SERVER_BUGS: [(PlantedBug, KubeGuarantee); 5] = [
    (
        PlantedBug::ReadsWithoutWaiting,
        KubeGuarantee::ConsistentList,
    ),
    (PlantedBug::ListsTooLittle, KubeGuarantee::ConsistentList),
    (PlantedBug::SendsNewestFirst, KubeGuarantee::Ordered),
    (PlantedBug::DropsUpdates, KubeGuarantee::Reliable),
    (PlantedBug::BookmarksTooFar, KubeGuarantee::Bookmarkable),
];

#[test]
fn each_planted_bug_of_an_api_server_is_caught_by_the_checker_of_its_name() {
    for (bug, guarantee) in API_SERVER_BUGS {
        let planted = Planted::one(bug);
        let mut seeds = 1..WORLDS_MAX;
        let is_caught = seeds.any(|seed| {
            let mut world = KubeWorld::new(seed, |world| world.planted(planted));
            world.live();
            let mut broken = world.kube.breaches().iter();
            broken.any(|breach| breach.guarantee == guarantee)
        });
        assert!(is_caught, "nobody noticed what broke {}", guarantee.name());
    }
    let tested = |guarantee| API_SERVER_BUGS.iter().any(|(_, of)| *of == guarantee);
    assert!(KubeGuarantee::ALL.into_iter().all(tested));
}

const RAFT_BUGS: [PlantedBug; 5] = [
    PlantedBug::CommitsBeforeQuorum,
    PlantedBug::ReadsUnconfirmed,
    PlantedBug::AcknowledgesBeforeSync,
    PlantedBug::AppliesOutOfOrder,
    PlantedBug::CountsLearners,
];

/// The faults that complete members reveal too rarely, because etcd checks each change of the members.
const MEMBERSHIP_BUGS: [PlantedBug; 2] =
    [PlantedBug::CommitsWithOldQuorum, PlantedBug::ChangesTwice];

#[test]
fn each_planted_bug_of_raft_is_caught() {
    for bug in RAFT_BUGS.into_iter().chain(MEMBERSHIP_BUGS) {
        let is_caught = (0..WORLDS_MAX).any(|seed| {
            let prepare = |node: raft_nemesis::Node| node.planted(Planted::one(bug));
            // A node that detects an impossible message panics.
            let result = std::panic::catch_unwind(|| raft_nemesis::run(seed, prepare));
            !matches!(result, Ok(Ok(_)))
        });
        assert!(is_caught, "nobody noticed {bug:?}");
    }
}

#[test]
fn each_planted_bug_of_raft_is_caught_in_a_cluster_of_complete_members() {
    for bug in RAFT_BUGS {
        let is_caught = (0..WORLDS_MAX).any(|seed| {
            let prepare = |world: World| world.planted(Planted::one(bug));
            let result = std::panic::catch_unwind(|| cluster_nemesis::run(seed, prepare));
            !matches!(result, Ok(Ok(_)))
        });
        assert!(is_caught, "nobody noticed {bug:?}");
    }
}
