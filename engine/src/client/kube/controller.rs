//! The control loop of an informer, which observes objects and acts until the actual state is the desired state.

use super::containers::Containers;
use super::stateful_set::{StatefulSet, StatefulSetSpec};
use crate::base::digest::Sparse;

/// The kind of control loop that an informer runs, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ControllerSpec {
    /// A kubelet, which runs the containers of the pods of its node.
    Kubelet {
        node: String,
        /// Whether the kubelet reports the phase of its pods.
        reports: Sparse<bool>,
    },
    /// The controller of a StatefulSet, which creates pods.
    StatefulSet(StatefulSetSpec),
}

/// A control loop.
///
/// ```
/// use watchglass_engine::client::kube::controller::{Controller, ControllerSpec};
/// let kubelet = Controller::new(&ControllerSpec::Kubelet {
///     node: "node-1".into(),
///     reports: Default::default(),
/// });
/// assert!(matches!(kubelet, Controller::Kubelet(_)));
/// ```
#[derive(Clone, Debug, Hash)]
pub enum Controller {
    /// A kubelet with the containers of its node.
    Kubelet(Containers),
    StatefulSet(StatefulSet),
}

impl Controller {
    pub fn new(spec: &ControllerSpec) -> Self {
        match spec {
            ControllerSpec::Kubelet { node, reports } => {
                Self::Kubelet(Containers::new(node, reports.0))
            }
            ControllerSpec::StatefulSet(set) => Self::StatefulSet(StatefulSet::new(set.clone())),
        }
    }
}
