//! Finds the endings of a run: from its logs, or from the world after each step.

use std::collections::BTreeMap;

use crate::base::time::SimDuration;
use crate::client::kube::client::KubeClient;
use crate::kube::KubeVerb;
use crate::kube::status::StatusReason;
use crate::scenario::expr::{Expr, Facts};
use crate::session::run::Run;
use crate::view::odds::Ending;
use crate::view::odds::Known;
use crate::view::show::kube::has_two_containers;
use crate::world::World;

/// The time after which a request to an API server counts as slow.
const SLOW: SimDuration = SimDuration::from_millis(1_000);

/// The way to find an ending.
#[derive(Debug)]
pub(super) enum Detector {
    /// The logs of the run contain the step in which the ending occurred.
    Logged(fn(&Run) -> Option<u64>),
    /// The checkers of the guarantees have found a breach that none of these known bugs explains.
    Breach(Vec<Known>),
    /// The world has the ending after a step, and may lose it later.
    State(fn(&World) -> bool),
    Condition(Expr),
}

impl Detector {
    /// # Errors
    /// Returns an error message if the condition cannot be read.
    pub(super) fn new(ending: &Ending) -> Result<Self, String> {
        Ok(match ending {
            Ending::BrokenGuarantee => Self::Breach(Vec::new()),
            Ending::NotLinearizable => Self::Logged(not_linearizable),
            Ending::RepeatedCreate => Self::Logged(repeated_create),
            Ending::EndedWatch => Self::Logged(ended_watch),
            Ending::SlowRequest => Self::Logged(slow_request),
            Ending::TwoContainers => Self::State(has_two_containers),
            Ending::DivergedMembers => Self::State(has_diverged),
            Ending::FullDatabase => {
                Self::State(|world| world.members().any(|(_, m)| m.has_no_space()))
            }
            Ending::KilledProcess => Self::State(has_killed_process),
            Ending::Condition(text) => Self::Condition(Expr::condition(text)?),
        })
    }

    /// Leaves out the breaches that these known bugs explain.
    pub(super) fn ignore(&mut self, known: &[Known]) {
        if let Self::Breach(ignored) = self {
            ignored.extend(known);
        }
    }

    /// Returns the step in which the ending occurred, if a log of the run contains it.
    pub(super) fn logged(&self, run: &Run) -> Option<u64> {
        match self {
            Self::Logged(first) => first(run),
            Self::Breach(_) => self.breach(run).map(|(step, ..)| step),
            Self::State(_) | Self::Condition(_) => None,
        }
    }

    /// Returns the step of the first breach of a guarantee, a sentence about it, and the known bug that explains it;
    /// `None` for all other endings.
    pub(super) fn breach(&self, run: &Run) -> Option<(u64, String, Option<Known>)> {
        let Self::Breach(ignored) = self else {
            return None;
        };
        let etcd = run.guard().breaches().iter();
        let etcd = etcd.filter(|breach| breach.known.is_none_or(|known| !ignored.contains(&known)));
        let etcd = etcd.map(|breach| {
            let known = breach.known.map_or("", Known::text);
            let what = format!("{}: {}. {known}", breach.watch, breach.what);
            (breach.step, what.trim_end().to_owned(), breach.known)
        });
        let kube = run.kube_guard().breaches().iter();
        let kube = kube.map(|breach| (breach.step, [&breach.what, "."].concat(), None));
        etcd.chain(kube).min_by_key(|(step, ..)| *step)
    }

    /// Returns true if the world of the run after a step has the ending.
    pub(super) fn is_there(&self, run: &Run, step: u64, world: &World) -> bool {
        match self {
            Self::Logged(_) | Self::Breach(_) => false,
            Self::State(is_there) => is_there(world),
            Self::Condition(condition) => condition.holds(&Facts {
                past: run.past(step, world, &[]),
                last: run.last_exchange(step),
                answers: &[],
            }),
        }
    }
}

fn not_linearizable(run: &Run) -> Option<u64> {
    run.client_log().contradiction()
}

/// Returns the step of the first response to a controller that an object exists, if the controller's previous create of
/// this object had succeeded. A create after a lost response is no repetition.
fn repeated_create(run: &Run) -> Option<u64> {
    let mut has_created = BTreeMap::new();
    let mut first = None;
    for request in run.kube_log().requests_at(run.len()) {
        let KubeVerb::Create(object) = &request.request.verb else {
            continue;
        };
        let client = run.head().kube_client(request.client);
        if client.and_then(KubeClient::controller).is_none() {
            continue;
        }
        let name = (request.client, &object.namespace, &object.name);
        let heard = request.heard.as_ref();
        let error = heard.and_then(|(_, answer)| answer.as_ref().as_ref().err());
        let exists = error.is_some_and(|error| error.reason() == StatusReason::AlreadyExists);
        let is_new = heard.is_some() && error.is_none();
        if has_created.insert(name, is_new) == Some(true) && exists {
            first = first.or(heard.map(|((step, _), _)| *step));
        }
    }
    first
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

fn has_diverged(world: &World) -> bool {
    let members = world.members().filter(|(node, _)| world.runs(*node));
    let members: Vec<(u64, i64)> = members
        .map(|(_, member)| (member.raft_index(), member.store().current_rev()))
        .collect();
    members.iter().any(|(index, revision)| {
        let mut others = members.iter();
        others.any(|other| other.0 == *index && other.1 != *revision)
    })
}
