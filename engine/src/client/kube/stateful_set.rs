//! A StatefulSet: a controller that keeps a number of pods with fixed names.
//!
//! Models `pkg/controller/statefulset`: the controller compares the pods that its informer knows with the desired pods,
//! and creates the first missing pod. The controller acts only on what its informer knows. Left out: the scheduler (the
//! controller assigns the nodes in turn), readiness, updates, deletes, and retries after an error.

use std::sync::Arc;

use crate::kube::resource::PODS;
use crate::kube::{Key, KubeRequest, KubeVerb, Object};

/// The desired pods of a StatefulSet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StatefulSetSpec {
    /// The name of the set. The pods are named `NAME-0`, `NAME-1` and so on, and have the label `app=NAME`.
    pub name: String,
    /// The number of pods.
    pub replicas: u32,
    /// The nodes on which the pods run, in turn.
    pub nodes: Vec<String>,
}

/// The controller of a StatefulSet.
///
/// ```
/// use watchglass_engine::client::kube::stateful_set::{StatefulSet, StatefulSetSpec};
/// let spec = StatefulSetSpec { name: "web".into(), replicas: 1, nodes: vec!["node-1".into()] };
/// let mut set = StatefulSet::new(spec);
/// assert!(set.sync(1, &Default::default()).is_some()); // creates web-0
/// assert!(set.sync(2, &Default::default()).is_none()); // waits for the response
/// ```
#[derive(Clone, Debug, Hash)]
pub struct StatefulSet {
    spec: StatefulSetSpec,
    /// The number of pods created.
    created: u64,
    /// The open request: its call number, and the key of the pod to create.
    open: Option<(u64, Key)>,
    /// A created pod that the informer does not know yet.
    expected: Option<Key>,
}

impl StatefulSet {
    /// Creates a controller that has created no pod.
    pub fn new(spec: StatefulSetSpec) -> Self {
        Self {
            spec,
            created: 0,
            open: None,
            expected: None,
        }
    }

    /// Returns the desired pods.
    pub fn spec(&self) -> &StatefulSetSpec {
        &self.spec
    }

    /// Returns the request that creates the first missing pod, with call number `call`. Returns `None` if no pod is
    /// missing, if a request is open, or if the informer does not know the last created pod yet.
    pub fn sync(&mut self, call: u64, known: &im::OrdMap<Key, Arc<Object>>) -> Option<KubeRequest> {
        self.expected.take_if(|key| known.contains_key(key));
        if self.open.is_some() || self.expected.is_some() {
            return None;
        }
        let names = (0..self.spec.replicas).map(|n| format!("{}-{n}", self.spec.name));
        let mut pods = names.map(|name| Object::new(PODS.kind, "default", &name));
        let missing = pods.find(|pod| !known.contains_key(&pod.key(PODS.prefix)))?;
        let turn = self.created % (self.spec.nodes.len() as u64).max(1);
        let node = self.spec.nodes.get(turn as usize);
        let pod = missing.with_label("app", &self.spec.name);
        let pod = match node {
            Some(node) => pod.with_field("spec.nodeName", node),
            None => pod,
        };
        self.open = Some((call, pod.key(PODS.prefix)));
        Some(KubeRequest {
            resource: &PODS,
            verb: KubeVerb::Create(pod),
        })
    }

    /// Records the response to a request. Returns false if the controller does not wait for the response.
    pub fn answered(&mut self, call: u64, is_success: bool) -> bool {
        let Some((_, key)) = self.open.take_if(|(open, _)| *open == call) else {
            return false;
        };
        if is_success {
            self.created += 1;
            self.expected = Some(key);
        }
        true
    }

    /// Drops the open request and the expected pod.
    pub fn lose(&mut self) {
        self.open = None;
        self.expected = None;
    }
}
