//! One client that simulates many kubelets. The kubelets take turns: each lists the pods of its own node at a fixed
//! interval.
//!
//! Models kubelets that list their pods (after a restart, or instead of a watch). The motivation of KEP-2340 describes
//! this load: each list selects the pods of one node from the pods of all nodes. Left out: the work of a kubelet with
//! its pods, and a separate connection for each kubelet.

use crate::base::digest::Sparse;
use crate::base::time::{SimDuration, SimTime};
use crate::client::load_calls::{LoadCalls, LoadPace};
use crate::kube::list_options::{ListOptions, ResourceVersion};
use crate::kube::request::WatchTarget;
use crate::kube::resource::PODS;
use crate::kube::selector::Predicate;
use crate::kube::{KubeRequest, KubeVerb};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KubeletsSpec {
    /// The number of nodes, named `node-1`, `node-2` and so on.
    pub nodes: u32,
    /// The time between two lists of the same kubelet.
    pub every: SimDuration,
    pub resource_version: Sparse<ResourceVersion>,
}

impl KubeletsSpec {
    /// Returns the time between the list of one kubelet and the list of the next kubelet.
    pub fn interval(&self) -> SimDuration {
        SimDuration(self.every.0 / u64::from(self.nodes.max(1)))
    }
}

#[derive(Clone, Debug, Hash)]
pub struct Kubelets {
    spec: KubeletsSpec,
    pub(super) calls: LoadCalls<()>,
}

impl Kubelets {
    pub fn new(spec: KubeletsSpec) -> Self {
        Self {
            spec,
            calls: LoadCalls::new(LoadPace::Open),
        }
    }

    pub fn spec(&self) -> KubeletsSpec {
        self.spec
    }

    /// Returns the lists, with their counts and latencies.
    pub fn calls(&self) -> &LoadCalls<()> {
        &self.calls
    }

    /// Returns the next list, and records `call` as its call number.
    pub(super) fn next(&mut self, now: SimTime, call: u64) -> KubeRequest {
        let node = self.calls.counts().sent % u64::from(self.spec.nodes) + 1;
        self.calls.sent(now, call, ());
        let selector = format!("spec.nodeName=node-{node}");
        let predicate = Predicate::by_fields(&selector).expect("a field, a sign and a name");
        KubeRequest {
            resource: &PODS,
            verb: KubeVerb::List {
                target: WatchTarget {
                    predicate,
                    ..WatchTarget::default()
                },
                options: ListOptions {
                    resource_version: *self.spec.resource_version,
                    ..ListOptions::default()
                },
            },
        }
    }
}
