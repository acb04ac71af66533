//! One client that simulates many kubelets. The kubelets take turns: each lists the pods of its own node at a fixed
//! interval.
//!
//! Models kubelets that list their pods (after a restart, or instead of a watch). The motivation of KEP-2340 describes
//! this load: each list selects the pods of one node from the pods of all nodes. Left out: the work of a kubelet with
//! its pods, and a separate connection for each kubelet.

use crate::base::digest::Sparse;
use crate::base::ordered::OrdSet;
use crate::base::time::SimDuration;
use crate::kube::list_options::{ListOptions, ResourceVersion};
use crate::kube::request::WatchTarget;
use crate::kube::resource::PODS;
use crate::kube::selector::Predicate;
use crate::kube::{KubeRequest, KubeVerb};

/// The number of kubelets and the list interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KubeletsSpec {
    /// The number of nodes, named `node-1`, `node-2` and so on.
    pub nodes: u32,
    /// The time between two lists of the same kubelet.
    pub every: SimDuration,
    /// The resource version of the lists.
    pub resource_version: Sparse<ResourceVersion>,
}

impl KubeletsSpec {
    /// Returns the time between the list of one kubelet and the list of the next kubelet.
    pub fn interval(&self) -> SimDuration {
        SimDuration(self.every.0 / u64::from(self.nodes.max(1)))
    }
}

/// The state of the kubelets.
#[derive(Clone, Debug, Hash)]
pub struct Kubelets {
    spec: KubeletsSpec,
    /// The number of lists sent.
    sent: u64,
    /// The call numbers of the lists without a response.
    open: OrdSet<u64>,
}

impl Kubelets {
    /// Creates kubelets that have not started.
    pub fn new(spec: KubeletsSpec) -> Self {
        Self {
            spec,
            sent: 0,
            open: OrdSet::new(),
        }
    }

    /// Returns the specification: the number of kubelets and the list interval.
    pub fn spec(&self) -> KubeletsSpec {
        self.spec
    }

    /// Returns the number of lists sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Returns the number of lists without a response.
    pub fn open(&self) -> u64 {
        self.open.len() as u64
    }

    /// Drops all pending lists when the connection breaks or the process ends.
    pub(super) fn lose(&mut self) {
        self.open = OrdSet::new();
    }

    /// Returns the next list, and records `call` as its call number.
    pub(super) fn next(&mut self, call: u64) -> KubeRequest {
        let node = self.sent % u64::from(self.spec.nodes) + 1;
        self.sent += 1;
        self.open.insert(call);
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

    /// Handles the response to a list; returns false if no list waits for the response.
    pub(super) fn answered(&mut self, call: u64) -> bool {
        self.open.remove(&call).is_some()
    }
}
