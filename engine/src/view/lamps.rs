//! The guarantees as lamps.

use crate::observe::guarantees::{Guard, State, Verdict};

use super::watch::{Lamp, LampView};

/// What each promise to watchers has come to by a step.
pub fn lamps(guard: &Guard, step: u64) -> Vec<LampView> {
    guard.verdicts(step).into_iter().map(lamp).collect()
}

fn lamp(verdict: Verdict) -> LampView {
    LampView {
        name: verdict.guarantee.name().into(),
        lamp: match verdict.state {
            State::Idle => Lamp::Idle,
            State::Holds => Lamp::Holds,
            State::Near => Lamp::Near,
            State::Broken => Lamp::Broken,
        },
        detail: verdict.detail,
        explain: verdict.explain,
        step: verdict.step,
    }
}
