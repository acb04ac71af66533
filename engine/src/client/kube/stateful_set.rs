//! The controller of a StatefulSet, which keeps a number of pods with fixed names.
//!
//! Models `pkg/controller/statefulset`: the controller compares the pods that its informer knows with the desired pods,
//! and creates the first missing pod. The controller acts only on what its informer knows. If the objects change while
//! a request has no response, the controller compares again after the response, as with client-go's work queue. After
//! an error, the controller compares again after a delay of 5 ms, 10 ms, 20 ms and so on, up to 1,000 s. With
//! the gate `StaleControllerConsistencyStatefulSet` (KEP-5647), the controller does nothing while the resource version
//! of its informer is older than its own last write; upstream also retries after a delay. Left out: the
//! scheduler (the controller assigns the nodes in turn), readiness, updates and deletes.

use std::sync::Arc;

use crate::base::digest::Sparse;
use crate::base::time::SimDuration;
use crate::kube::resource::PODS;
use crate::kube::{Key, KubeRequest, KubeVerb, Object};

/// The first and the longest delay after an error (`DefaultControllerRateLimiter`).
const RETRY_DELAYS: (SimDuration, SimDuration) = (
    SimDuration::from_millis(5),
    SimDuration::from_millis(1_000_000),
);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterCreate {
    /// The controller waits for the next change of the informer's objects.
    Waits,
    /// The controller compares the pods again at once, because the objects changed during the request.
    Compares,
    /// The controller compares the pods again after this delay, because the request failed.
    Retries(SimDuration),
}

/// The desired pods of a StatefulSet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StatefulSetSpec {
    /// The name of the set. The pods are named `NAME-0`, `NAME-1` and so on, and have the label `app=NAME`.
    pub name: String,
    pub replicas: u32,
    /// The nodes on which the pods run, in turn.
    pub nodes: Vec<String>,
    /// Whether the controller waits until its informer has received the controller's last write.
    pub waits_for_writes: Sparse<bool>,
}

/// The controller of a StatefulSet.
///
/// ```
/// use watchglass_engine::client::kube::stateful_set::{AfterCreate, StatefulSet, StatefulSetSpec};
/// let spec = StatefulSetSpec {
///     name: "web".into(),
///     replicas: 1,
///     nodes: vec!["node-1".into()],
///     waits_for_writes: Default::default(),
/// };
/// let mut set = StatefulSet::new(spec);
/// assert!(set.sync(1, &Default::default(), 5).is_some()); // creates web-0
/// assert!(set.sync(2, &Default::default(), 5).is_none()); // waits for the response
/// assert_eq!(set.answered(1, Some(6)), Some(AfterCreate::Compares));
/// ```
#[derive(Clone, Debug, Hash)]
pub struct StatefulSet {
    spec: StatefulSetSpec,
    created: u64,
    /// The call number of the open request.
    open: Option<u64>,
    /// Whether the objects have changed since the open request was sent.
    is_changed: bool,
    /// The number of errors since the last success.
    errors: u32,
    /// The resource version of the last write, if the controller waits for its writes.
    written: Sparse<u64>,
}

impl StatefulSet {
    pub fn new(spec: StatefulSetSpec) -> Self {
        Self {
            spec,
            created: 0,
            open: None,
            is_changed: false,
            errors: 0,
            written: Sparse(0),
        }
    }

    pub fn spec(&self) -> &StatefulSetSpec {
        &self.spec
    }

    /// Returns the request that creates the first missing pod, with call number `call`. Returns `None` if no pod is
    /// missing, if a request is open, or if the informer has not received the controller's last write. `version` is the
    /// resource version of the informer.
    pub fn sync(
        &mut self,
        call: u64,
        known: &im::OrdMap<Key, Arc<Object>>,
        version: u64,
    ) -> Option<KubeRequest> {
        if *self.written > version {
            return None;
        }
        if self.open.is_some() {
            self.is_changed = true;
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
        self.open = Some(call);
        Some(KubeRequest {
            resource: &PODS,
            verb: KubeVerb::Create(pod),
        })
    }

    /// Records the response to a request: the resource version of the created pod, or `None` for an error. Returns
    /// `None` if the controller does not wait for the response.
    pub fn answered(&mut self, call: u64, written: Option<u64>) -> Option<AfterCreate> {
        self.open.take_if(|open| *open == call)?;
        let is_changed = std::mem::take(&mut self.is_changed);
        let Some(written) = written else {
            let (first, longest) = RETRY_DELAYS;
            let delay = first.0.saturating_mul(1 << self.errors.min(31));
            self.errors += 1;
            return Some(AfterCreate::Retries(SimDuration(delay.min(longest.0))));
        };
        if *self.spec.waits_for_writes {
            *self.written = written;
        }
        self.created += 1;
        self.errors = 0;
        Some(match is_changed {
            true => AfterCreate::Compares,
            false => AfterCreate::Waits,
        })
    }

    /// Drops the open request when the connection breaks or the process ends.
    pub fn lose(&mut self) {
        self.open = None;
        self.is_changed = false;
        self.errors = 0;
    }

    /// Forgets the last write when the process ends.
    pub fn forget_writes(&mut self) {
        *self.written = 0;
    }
}
