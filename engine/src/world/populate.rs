//! Adds the pods of a cluster to a new etcd, as if etcd had run for a long time. No requests or notifications are sent.
//!
//! The pods are added in many steps at the same simulated time, so that the page can show the progress.

use crate::base::Bytes;
use crate::base::ids::NodeId;
use crate::kube::resource::PODS;
use crate::kube::{Object, codec};
use crate::mvcc::kv_store::FIRST_REVISION;
use crate::words::changes as words;

use super::{Cause, Trace, World, WorldEvent, WorldEventKind};

const PODS_A_STEP: u64 = 50;

const PODS_MAX: u64 = 300_000;

/// A population: the pods to add to a new etcd, as in a cluster with many nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Population {
    /// The number of nodes: `node-1`, `node-2`, …
    pub nodes: u32,
    pub pods: u32,
    /// The assumed size of each pod, in bytes.
    pub size: u64,
}

impl Population {
    pub fn total(&self) -> u64 {
        u64::from(self.nodes) * u64::from(self.pods)
    }

    /// Returns the key and the value of the pod with index `place`.
    fn row(&self, place: u64) -> (Bytes, Bytes) {
        let pods = u64::from(self.pods);
        let (node, nth) = (place / pods + 1, place % pods + 1);
        let node = node.to_string();
        let name = format!("pod-{node}-{nth}");
        let pod = Object::new(PODS.kind, "default", &name)
            .with_field("spec.nodeName", &format!("node-{node}"))
            .with_field("status.phase", "Running")
            .with_uid(place + 1)
            .with_size(self.size);
        let value = Bytes::from(codec::encode(&pod).as_bytes());
        (codec::key(&PODS, &pod), value)
    }
}

impl World {
    pub(super) fn check_populate(&self, pods: &Population) -> Result<(), String> {
        let total = pods.total();
        if total == 0 || total > PODS_MAX {
            return Err(format!("`populate` accepts 1 to {PODS_MAX} pods in total"));
        }
        let is_new = self.populated().into_iter().all(|node| {
            let member = self.member(node).filter(|_| self.runs(node));
            member.is_some_and(|member| member.store().current_rev() == FIRST_REVISION)
        });
        let is_new =
            is_new && self.clients().next().is_none() && self.apiservers().next().is_none();
        if !is_new {
            return Err(
                "`populate` requires a new etcd; type `populate` before the first write or watch, or start a new run \
                 with `world`"
                    .into(),
            );
        }
        Ok(())
    }

    /// Returns the members that have the pods: all members of a cluster, because their stores are equal.
    fn populated(&self) -> Vec<NodeId> {
        let count = self.config.members as usize;
        let members = self.members().take(count.max(1));
        members.map(|(node, _)| node).collect()
    }

    /// Adds the next pods, starting at index `from`, and schedules the remaining pods for the next step.
    pub(super) fn populate(
        &mut self,
        cause: Cause,
        (pods, from): (Population, u64),
        trace: Trace<'_>,
    ) {
        let to = (from + PODS_A_STEP).min(pods.total());
        let sentence = words::populated(to, pods.total(), pods.nodes);
        let cause = self.changed(cause, None, sentence, trace);
        for member in self.populated() {
            self.with_member(member, cause, trace, |member, out| {
                for place in from..to {
                    let (key, value) = pods.row(place);
                    member.populate(key, value, out);
                }
            });
        }
        if to < pods.total() {
            let what = WorldEventKind::Populate(pods, to);
            self.due.add(self.now, WorldEvent { cause, what });
        }
    }
}
