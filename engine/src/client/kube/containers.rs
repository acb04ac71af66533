//! The containers that a kubelet runs. The kubelet's informer knows the pods of the kubelet's node, and the kubelet
//! runs one container for each of these pods.
//!
//! Models the sync loop of `pkg/kubelet`: it compares the pods from the API server with the running containers, and
//! starts and stops containers until each pod has a container and no other container runs. Containers belong to the
//! machine and keep running while the kubelet restarts. Left out: images, the duration of a start, and the status that
//! a kubelet writes.

use std::sync::Arc;

use crate::base::ordered::OrdMap;
use crate::kube::{Key, Object};
use crate::trace::{Container, ContainerChange};

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
/// let mut containers = Containers::new("node-1");
/// let changes = containers.sync(&known);
/// assert!(matches!(&changes[..], [ContainerChange::Started(c)] if &*c.pod == "default/web-0"));
/// assert!(containers.sync(&known).is_empty());
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Containers {
    node: Arc<str>,
    running: OrdMap<Key, Container>,
}

impl Containers {
    /// Creates the state of a node without containers.
    pub fn new(node: &str) -> Self {
        Self {
            node: node.into(),
            running: OrdMap::new(),
        }
    }

    /// Returns the name of the node.
    pub fn node(&self) -> &Arc<str> {
        &self.node
    }

    /// Returns the running containers in the order of their keys.
    pub fn running(&self) -> impl Iterator<Item = &Container> {
        self.running.values()
    }

    /// Stops the containers of pods that are not in `known`, and starts a container for each pod in `known` that has no
    /// container.
    pub fn sync(&mut self, known: &im::OrdMap<Key, Arc<Object>>) -> Vec<ContainerChange> {
        let is_known = |key: &Key, uid| known.get(key).is_some_and(|pod| pod.uid == uid);
        let surplus = self.running.iter();
        let surplus = surplus.filter(|(key, container)| !is_known(key, container.uid));
        let surplus: Vec<Key> = surplus.map(|(key, _)| key.clone()).collect();
        let stopped = surplus.iter().filter_map(|key| self.running.remove(key));
        let mut changes: Vec<ContainerChange> = stopped.map(ContainerChange::Stopped).collect();
        for (key, pod) in known {
            if self.running.contains_key(key) {
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
}
