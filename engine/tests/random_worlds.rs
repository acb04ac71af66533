//! A thousand random worlds, in which every guarantee for every watch holds.
//!
//! `WORLDS=50` sets the number of worlds, `FROM=1000` the first seed, and `SEED=7` runs only the world of this seed. A
//! failure prints the seed, the actions, and the responses that the watch received.

use crate::support::seeds;
use watchglass_engine::api::Profile;
use watchglass_engine::observe::guarantees::{Guarantee, GuaranteeState};

use crate::worlds::Outcome;
use crate::worlds::retell::retell;

/// The number of worlds in a run if `WORLDS` is not set.
const WORLDS: u64 = 1_000;

/// The test fails if fewer than one in this number of worlds exercise a guarantee, because the random worlds then
/// hardly test this guarantee.
const WORLDS_PER_PROMISE: u64 = 3;

/// If the test runs fewer worlds than this number, the test does not check how many worlds exercise each guarantee.
const WORLDS_THAT_COUNT: u64 = 100;

/// The maximum number of failures that are printed in full.
const TOLD_MAX: usize = 3;

/// Returns a text about the broken guarantees and other faults of a world; `None` if there are none.
fn wrong(seed: u64, outcome: &Outcome) -> Option<String> {
    let mut wrong = Vec::new();
    for b in outcome.guard.unexplained() {
        wrong.push(format!(
            "{} is broken in step {} for {}: {}\n{}",
            b.guarantee,
            b.step,
            b.watch,
            b.what,
            retell(seed, b.step, &b.watch)
        ));
    }
    if let Some(watch) = outcome.restless.first() {
        wrong.push(format!(
            "{} watches never come to rest, the first is {watch}\n{}",
            outcome.restless.len(),
            retell(seed, u64::MAX, watch)
        ));
    }
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

#[test]
fn every_promise_is_kept_in_a_thousand_worlds() {
    let seeds = seeds(0..WORLDS);
    let count = seeds.end - seeds.start;
    let mut failures = Vec::new();
    let mut said = [0; Guarantee::ALL.len()];
    let mut old_mistakes = 0;
    for seed in seeds {
        let outcome = crate::worlds::run(seed, |world| world);
        for (said, verdict) in said.iter_mut().zip(outcome.guard.verdicts(u64::MAX)) {
            *said += u64::from(verdict.state != GuaranteeState::Idle);
        }
        let known = outcome
            .guard
            .breaches()
            .iter()
            .filter(|b| b.known.is_some());
        let known = known.count();
        old_mistakes += known;
        let is_old = crate::worlds::profile_of(seed) == Profile::V3_4;
        assert!(known == 0 || is_old, "seed {seed}: 3.6 has mended that");
        failures.extend(wrong(seed, &outcome));
    }
    assert!(
        failures.is_empty(),
        "{} worlds are wrong:\n{}",
        failures.len(),
        failures[..failures.len().min(TOLD_MAX)].join("\n")
    );
    if count < WORLDS_THAT_COUNT {
        return;
    }
    for (guarantee, said) in Guarantee::ALL.iter().zip(said) {
        assert!(
            said * WORLDS_PER_PROMISE >= count,
            "only {said} of {count} worlds say anything about {guarantee}"
        );
    }
    assert!(
        old_mistakes > 0,
        "3.4 has lost the mistakes it is known for"
    );
}
