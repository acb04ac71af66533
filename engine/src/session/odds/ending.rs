//! Finds the endings of a run: from its logs, or from the world after each step.

use crate::base::time::SimDuration;
use crate::kube::KubeVerb;
use crate::scenario::expr::{Expr, Facts};
use crate::session::run::Run;
use crate::view::odds::Ending;
use crate::view::show::kube::has_two_containers;
use crate::world::World;

/// The time after which a request to an API server counts as slow.
const SLOW: SimDuration = SimDuration::from_millis(1_000);

/// The way to find an ending.
#[derive(Debug)]
pub(super) enum Detector {
    /// The logs of the run contain the step in which the ending occurred.
    Logged(fn(&Run) -> Option<u64>),
    /// The world has the ending after a step, and may lose it later.
    State(fn(&World) -> bool),
    Condition(Expr),
}

impl Detector {
    /// # Errors
    /// Returns an error message if the condition cannot be read.
    pub(super) fn new(ending: &Ending) -> Result<Self, String> {
        Ok(match ending {
            Ending::BrokenGuarantee => Self::Logged(broken_guarantee),
            Ending::NotLinearizable => Self::Logged(not_linearizable),
            Ending::EndedWatch => Self::Logged(ended_watch),
            Ending::SlowRequest => Self::Logged(slow_request),
            Ending::TwoContainers => Self::State(has_two_containers),
            Ending::FullDatabase => {
                Self::State(|world| world.members().any(|(_, m)| m.has_no_space()))
            }
            Ending::KilledProcess => Self::State(has_killed_process),
            Ending::Condition(text) => Self::Condition(Expr::condition(text)?),
        })
    }

    /// Returns the step in which the ending occurred, if a log of the run contains it.
    pub(super) fn logged(&self, run: &Run) -> Option<u64> {
        match self {
            Self::Logged(first) => first(run),
            Self::State(_) | Self::Condition(_) => None,
        }
    }

    /// Returns true if the world of the run after a step has the ending.
    pub(super) fn is_there(&self, run: &Run, step: u64, world: &World) -> bool {
        match self {
            Self::Logged(_) => false,
            Self::State(is_there) => is_there(world),
            Self::Condition(condition) => condition.holds(&Facts {
                past: run.past(step, world, &[]),
                last: run.last_exchange(step),
                answers: &[],
            }),
        }
    }
}

fn broken_guarantee(run: &Run) -> Option<u64> {
    let etcd = run.guard().breaches().iter().map(|breach| breach.step);
    let kube = run.kube_guard().breaches().iter().map(|breach| breach.step);
    etcd.chain(kube).min()
}

fn not_linearizable(run: &Run) -> Option<u64> {
    run.client_log().contradiction()
}

fn ended_watch(run: &Run) -> Option<u64> {
    let etcd = run
        .watch_log()
        .watches()
        .filter_map(|(_, watch)| watch.ended.as_ref());
    // A client that cancels its own watch gives no reason.
    let etcd = etcd
        .filter(|(_, reason)| !reason.is_empty())
        .map(|(step, _)| *step);
    let kube = run.kube_log().requests_at(run.len()).iter();
    etcd.chain(kube.filter_map(|request| Some(request.ended.as_ref()?.0.0)))
        .min()
}

fn slow_request(run: &Run) -> Option<u64> {
    let requests = run.kube_log().requests_at(run.len()).iter();
    let requests =
        requests.filter(|request| !matches!(request.request.verb, KubeVerb::Watch { .. }));
    let answered = requests.filter_map(|request| Some((request.sent.1, request.heard.as_ref()?.0)));
    answered
        .filter(|(sent, heard)| heard.1 > *sent + SLOW)
        .map(|(_, heard)| heard.0)
        .min()
}

fn has_killed_process(world: &World) -> bool {
    let members = world.members().map(|(node, _)| node);
    let mut nodes = members.chain(world.apiservers().map(|(node, _)| node));
    nodes.any(|node| world.memory_of(node).is_some_and(|memory| memory.kills > 0))
}
