//! The states of the guarantees. The page shows each guarantee as a lamp.

use crate::observe::guarantees::{GuaranteeState, GuaranteeVerdict, Guard};
use crate::observe::{KubeGuarantee, KubeGuard};
use crate::words::kube_guard as words;

use super::{Lamp, LampView};

/// Returns the state of each guarantee for watchers after a step.
pub fn lamps(guard: &Guard, step: u64) -> Vec<LampView> {
    guard.verdicts(step).into_iter().map(lamp).collect()
}

fn lamp(verdict: GuaranteeVerdict) -> LampView {
    LampView {
        name: verdict.guarantee.name().into(),
        lamp: match verdict.state {
            GuaranteeState::Idle => Lamp::Idle,
            GuaranteeState::Holds => Lamp::Holds,
            GuaranteeState::Near => Lamp::Near,
            GuaranteeState::Broken => Lamp::Broken,
        },
        detail: verdict.detail,
        explain: verdict.explain,
        step: verdict.step,
    }
}

/// Returns the state of each guarantee for clients of API servers after a step. Guarantees that are too expensive to
/// check in the page are omitted; only tests check these guarantees.
pub fn kube_lamps(guard: &KubeGuard, step: u64) -> Vec<LampView> {
    let shown = [KubeGuarantee::ConsistentList, KubeGuarantee::Ordered];
    let lamp = |guarantee: KubeGuarantee| {
        let mut breaches = guard.breaches().iter();
        let breach = breaches.find(|b| b.guarantee == guarantee && b.step <= step);
        let applied = guard.applied(guarantee).is_some_and(|at| at <= step);
        let promise = guarantee.promise();
        LampView {
            name: guarantee.name().into(),
            lamp: match (breach, applied) {
                (Some(_), _) => Lamp::Broken,
                (None, true) => Lamp::Holds,
                (None, false) => Lamp::Idle,
            },
            detail: match (breach, applied) {
                (Some(breach), _) => words::broken_in(breach.step),
                (None, true) => words::HOLDS.into(),
                (None, false) => words::NOT_EXERCISED_YET.into(),
            },
            explain: match breach {
                Some(breach) => words::broken(promise, breach.step, &breach.what),
                None => promise.into(),
            },
            step: breach.map(|breach| breach.step),
        }
    };
    shown.into_iter().map(lamp).collect()
}
