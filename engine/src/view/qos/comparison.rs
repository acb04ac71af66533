//! The comparison of a run with and without the QoS rules.

use serde::{Deserialize, Serialize};

use crate::base::ids::NodeId;
use crate::qos::QosName;
use crate::qos::metrics::{QosMetrics, QosOutcome};
use crate::world::World;

use super::LATENCY_BINS;
use super::build::bins;

/// The comparison of two replays with the same seed: one with the QoS rules, and one without.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosComparisonView {
    /// The step of the run at which the comparison ends.
    pub step: u64,
    /// The time of this step, in microseconds.
    pub time_us: u64,
    /// The outcomes of the run with the rules and of the run without the rules.
    pub sides: [QosSideView; 2],
}

/// The outcome of one of the two runs. The numbers of requests and of kills are sums over all members. If a member was
/// restarted, the numbers include its earlier processes. The sizes in `storage` belong to the member that the terminal
/// uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosSideView {
    /// The number of requests that a rule refused.
    pub limited: u64,
    /// The used size of the database, the size of its file, and its quota, in bytes.
    pub storage: [u64; 3],
    /// The time of the first `NOSPACE` alarm of any member, in microseconds.
    pub no_space_us: Option<u64>,
    /// Whether a member has the alarm at the end of the run.
    pub has_no_space: bool,
    /// The number of times that the operating system killed etcd because etcd was out of memory.
    pub kills: u64,
    /// The time at which the operating system first killed etcd, in microseconds.
    pub killed_us: Option<u64>,
    /// First the requests that no rule matches, if there are any, and then the classes with requests, ordered by name.
    /// The run without the rules uses the same classes: each request has the class of the rule that would apply to it.
    pub classes: Vec<QosClassOutcome>,
}

/// The outcomes of the requests of one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosClassOutcome {
    /// The name; empty for the requests that no rule matches.
    pub name: String,
    /// The number of requests that the class refused.
    pub limited: u64,
    /// The number of requests with a response that is not an error.
    pub succeeded: u64,
    /// The number of requests that failed with an error other than a refusal by QoS.
    pub failed: u64,
    /// The number of requests without a response: requests that still run or wait, or that were lost with their process
    /// or connection.
    pub unanswered: u64,
    /// The number of executed requests in each latency bin. A latency is the time from the arrival to the response.
    pub latencies: [u64; LATENCY_BINS],
}

/// The times at which failures first happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QosMilestones {
    no_space_us: Option<u64>,
    killed_us: Option<u64>,
}

impl QosMilestones {
    /// Observes the world after a step.
    pub fn observe(&mut self, world: &World) {
        let now = world.now().0;
        if self.no_space_us.is_none() && has_no_space(world) {
            self.no_space_us = Some(now);
        }
        if self.killed_us.is_none() && kills(world) > 0 {
            self.killed_us = Some(now);
        }
    }
}

fn has_no_space(world: &World) -> bool {
    world.members().any(|(_, member)| member.has_no_space())
}

fn kills(world: &World) -> u64 {
    let of = |(node, _): (NodeId, _)| world.memory_of(node).map_or(0, |memory| memory.kills);
    world.members().map(of).sum()
}

/// Returns the outcome of a run whose final state is `world`.
pub fn side_view(world: &World, milestones: QosMilestones) -> QosSideView {
    let mut metrics = QosMetrics::default();
    for (_, member) in world.members() {
        if let Some(qos) = member.qos() {
            metrics.add(&qos.counters_of_all_processes());
        }
    }
    let member = world.at_endpoint();
    let db = member.store().backend().db();
    let class = |name: Option<QosName>| {
        let limited = name.map_or(0, |class| metrics.of_class(class, QosOutcome::Limited));
        let latencies = metrics.latencies(name);
        let failed = metrics.failures(name);
        QosClassOutcome {
            name: name.map_or_else(String::new, |name| name.to_string()),
            limited,
            succeeded: latencies.count - failed,
            failed,
            unanswered: metrics
                .arrivals(name)
                .saturating_sub(latencies.count + limited),
            latencies: bins(latencies),
        }
    };
    QosSideView {
        limited: metrics.total(QosOutcome::Limited),
        storage: [db.bytes_in_use(), db.bytes(), member.quota_bytes()],
        no_space_us: milestones.no_space_us,
        has_no_space: has_no_space(world),
        kills: kills(world),
        killed_us: milestones.killed_us,
        classes: metrics.classes().map(class).collect(),
    }
}
