//! The containers that a kubelet runs. The kubelet's informer knows the pods of the kubelet's node, and the kubelet
//! runs one container for each of these pods.
//!
//! Models the sync loop of `pkg/kubelet`: it compares the pods from the API server with the running containers, and
//! starts and stops containers until each pod has a container and no other container runs. Containers belong to the
//! machine and keep running while the kubelet restarts. If the deletion of a pod has begun, the kubelet stops the
//! container and then deletes the pod with grace period 0, as `pkg/kubelet/status` does. If the kubelet
//! reports (`--status=on`), it sets the phase of a pod to `Running` after the start of the container. Left out: images,
//! the duration of a start or a stop, and the other parts of the status.

use std::sync::Arc;

use crate::base::digest::Sparse;
use crate::base::ordered::OrdMap;
use crate::base::time::SimDuration;
use crate::kube::resource::PODS;
use crate::kube::{DeleteOptions, Key, KubeAnswer, KubeRequest, KubeVerb, Object, ObjectPatch};
use crate::trace::{Container, ContainerChange};

/// The field with the phase of a pod, and the phase of a pod whose container runs.
const PHASE: &str = "status.phase";
const RUNNING: &str = "Running";

/// The time after which a kubelet repeats a failed request (`syncPeriod` of its status manager).
const RETRY_DELAY: SimDuration = SimDuration::from_millis(10_000);

/// The containers of one node.
///
/// ```
/// use std::sync::Arc;
/// use watchglass_engine::client::kube::containers::Containers;
/// use watchglass_engine::kube::{Key, Object};
/// use watchglass_engine::trace::ContainerChange;
/// let pod = Arc::new(Object::new("Pod", "default", "web-0").with_uid(1));
/// let key: Key = "/registry/pods/default/web-0".into();
/// let known = [(key, pod)].into_iter().collect();
/// let mut containers = Containers::new("node-1", false);
/// let changes = containers.sync(&known);
/// assert!(matches!(&changes[..], [ContainerChange::Started(c)] if &*c.pod == "default/web-0"));
/// assert!(containers.sync(&known).is_empty());
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Containers {
    node: Arc<str>,
    running: OrdMap<Key, Container>,
    /// The pods that the kubelet has deleted, with their uids. The informer may still know these pods.
    deleted: Sparse<OrdMap<Key, u64>>,
    /// The pods of the deletes and reports that have no response yet, by call number.
    open: Sparse<OrdMap<u64, Key>>,
    /// Whether the kubelet reports the phase of its pods.
    reports: Sparse<bool>,
    /// The pods whose phase the kubelet has reported, with their uids. The informer may not know the phase yet.
    reported: Sparse<OrdMap<Key, u64>>,
}

impl Containers {
    pub fn new(node: &str, reports: bool) -> Self {
        Self {
            node: node.into(),
            reports: Sparse(reports),
            reported: Sparse::default(),
            running: OrdMap::new(),
            deleted: Sparse::default(),
            open: Sparse::default(),
        }
    }

    pub fn node(&self) -> &Arc<str> {
        &self.node
    }

    /// Returns the running containers in the order of their keys.
    pub fn running(&self) -> impl Iterator<Item = &Container> {
        self.running.values()
    }

    /// Stops the containers of pods that are not in `known` or in deletion, and starts a container for each other pod
    /// that has no container.
    pub fn sync(&mut self, known: &im::OrdMap<Key, Arc<Object>>) -> Vec<ContainerChange> {
        let runs = |pod: &Object, uid| pod.uid == uid && !pod.is_in_deletion();
        let is_known = |key: &Key, uid| known.get(key).is_some_and(|pod| runs(pod, uid));
        let gone = self.deleted.keys().filter(|key| !known.contains_key(*key));
        for key in gone.cloned().collect::<Vec<Key>>() {
            self.deleted.remove(&key);
        }
        let surplus = self.running.iter();
        let surplus = surplus.filter(|(key, container)| !is_known(key, container.uid));
        let surplus: Vec<Key> = surplus.map(|(key, _)| key.clone()).collect();
        let stopped = surplus.iter().filter_map(|key| self.running.remove(key));
        let mut changes: Vec<ContainerChange> = stopped.map(ContainerChange::Stopped).collect();
        for (key, pod) in known {
            if self.running.contains_key(key) || pod.is_in_deletion() {
                continue;
            }
            let container = Container {
                pod: format!("{}/{}", pod.namespace, pod.name).into(),
                uid: pod.uid,
            };
            self.running.insert(key.clone(), container.clone());
            changes.push(ContainerChange::Started(container));
        }
        changes
    }

    /// The delete of a pod in deletion, or the report of a phase; `None` if no such pod is left.
    pub fn next_request(
        &mut self,
        call: u64,
        known: &im::OrdMap<Key, Arc<Object>>,
    ) -> Option<KubeRequest> {
        self.next_delete(call, known)
            .or_else(|| self.next_report(call, known))
    }

    fn next_report(
        &mut self,
        call: u64,
        known: &im::OrdMap<Key, Arc<Object>>,
    ) -> Option<KubeRequest> {
        if !*self.reports {
            return None;
        }
        let needs_report = |key: &Key, container: &Container| {
            let is_reported = self.reported.get(key) == Some(&container.uid);
            let pod = known.get(key).filter(|pod| pod.uid == container.uid);
            !is_reported && pod.is_some_and(|pod| pod.field(PHASE) != RUNNING)
        };
        let mut running = self.running.iter();
        let (key, container) = running.find(|(key, container)| needs_report(key, container))?;
        let (key, uid) = (key.clone(), container.uid);
        let pod = &known[&key];
        self.reported.insert(key.clone(), uid);
        self.open.insert(call, key);
        let fields = vec![(PHASE.to_owned(), Some(RUNNING.to_owned()))];
        Some(KubeRequest {
            resource: &PODS,
            verb: KubeVerb::Patch {
                namespace: pod.namespace.to_string(),
                name: pod.name.to_string(),
                patch: ObjectPatch {
                    labels: Vec::new(),
                    fields,
                },
            },
        })
    }

    fn next_delete(
        &mut self,
        call: u64,
        known: &im::OrdMap<Key, Arc<Object>>,
    ) -> Option<KubeRequest> {
        let is_deleted = |key: &Key, pod: &Object| self.deleted.get(key) == Some(&pod.uid);
        let mut left = known.iter();
        let (key, pod) = left.find(|(key, pod)| pod.is_in_deletion() && !is_deleted(key, pod))?;
        self.deleted.insert(key.clone(), pod.uid);
        self.open.insert(call, key.clone());
        Some(KubeRequest {
            resource: &PODS,
            verb: KubeVerb::Delete {
                namespace: pod.namespace.to_string(),
                name: pod.name.to_string(),
                options: DeleteOptions {
                    grace_period_s: Some(0),
                    uid: Some(pod.uid),
                    ..DeleteOptions::default()
                },
            },
        })
    }

    /// Records the response to a request. Returns `None` if the kubelet does not wait for this response, otherwise the
    /// time until the next attempt, if the request failed.
    pub fn answered(&mut self, call: u64, answer: &KubeAnswer) -> Option<Option<SimDuration>> {
        let key = self.open.remove(&call)?;
        let is_done = match answer {
            Ok(_) => true,
            // The pod is gone, or another pod has its name.
            Err(error) => matches!(error.code(), 404 | 409),
        };
        if !is_done {
            self.deleted.remove(&key);
        }
        if answer.is_err() {
            self.reported.remove(&key);
        }
        Some((!is_done).then_some(RETRY_DELAY))
    }

    /// Drops the requests without a response when the connection breaks or the process ends.
    pub fn lose(&mut self) {
        for key in std::mem::take(&mut self.open.0).values() {
            self.deleted.remove(key);
            self.reported.remove(key);
        }
    }
}
