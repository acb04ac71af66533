//! Many kubelets as one client: each lists the pods of its own node, one after the other, again and again.
//!
//! Stands for kubelets that ask afresh (after a restart, or in place of a watch), which is what the motive of
//! KEP-2340 counts: the pods of one node out of those of all. Left out: what a kubelet does with them, and a
//! connection for each.

use crate::base::ordered::OrdSet;
use crate::base::time::SimDuration;
use crate::kube::list_options::ListOptions;
use crate::kube::request::WatchTarget;
use crate::kube::resource::PODS;
use crate::kube::selector::Predicate;
use crate::kube::{KubeRequest, KubeVerb};

/// The number of kubelets and the list interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KubeletsSpec {
    /// Nodes: `node-1`, `node-2`, ….
    pub nodes: u32,
    /// The time between two lists of a kubelet.
    pub every: SimDuration,
}

impl KubeletsSpec {
    /// From a list of one kubelet to that of the next one.
    pub fn interval(&self) -> SimDuration {
        SimDuration(self.every.0 / u64::from(self.nodes.max(1)))
    }
}

/// The kubelets.
#[derive(Clone, Debug, Hash)]
pub struct Kubelets {
    spec: KubeletsSpec,
    /// Lists that were sent.
    sent: u64,
    /// The lists without a response.
    open: OrdSet<u64>,
}

impl Kubelets {
    /// Kubelets that have not begun.
    pub fn new(spec: KubeletsSpec) -> Self {
        Self {
            spec,
            sent: 0,
            open: OrdSet::new(),
        }
    }

    /// The number of kubelets and the list interval.
    pub fn spec(&self) -> KubeletsSpec {
        self.spec
    }

    /// Lists that were sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The number of lists without a response.
    pub fn open(&self) -> u64 {
        self.open.len() as u64
    }

    /// Drops all pending lists and stops listing.
    pub(super) fn lose(&mut self) {
        self.open = OrdSet::new();
    }

    /// The next list, with call number `call`.
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
                options: ListOptions::default(),
            },
        }
    }

    /// Handles the response to a list; returns false when no list waits for the response.
    pub(super) fn answered(&mut self, call: u64) -> bool {
        self.open.remove(&call).is_some()
    }
}
