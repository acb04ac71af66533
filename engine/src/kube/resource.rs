//! What kinds of objects there are, and what the cache of each is indexed by.
//!
//! Mirrors the `IndexerFuncs` and `Indexers` of the registries in `pkg/registry/core`. Left out:
//! every other resource; they behave as those here without an index.

use std::fmt;

use super::object::Object;

/// A kind of object with a cache of its own.
///
/// ```
/// use watchglass_engine::kube::resource::PODS;
/// use watchglass_engine::kube::Object;
/// let pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "node-7");
/// assert_eq!(PODS.trigger_value(&pod), Some("node-7"));
/// assert_eq!(PODS.list_indexes[0].to_string(), "f:spec.nodeName");
/// ```
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The plural name.
    pub name: &'static str,
    /// The kind of the objects.
    pub kind: &'static str,
    /// The prefix of the keys in etcd, with the trailing slash.
    pub prefix: &'static str,
    /// Whether the objects have a namespace.
    pub is_namespaced: bool,
    /// The field by whose value watchers can be found; at most one for each resource.
    pub trigger: Option<&'static str>,
    /// The indexes for lists.
    pub list_indexes: &'static [IndexName],
    /// Whether the resource has a watch cache by default.
    pub is_cached: bool,
}

/// The name of an index over a field or a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexName {
    /// `f:…` (`storage.FieldIndex`)
    Field(&'static str),
    /// `l:…` (`storage.LabelIndex`)
    Label(&'static str),
}

const fn plain(name: &'static str, kind: &'static str, prefix: &'static str) -> Resource {
    Resource {
        name,
        kind,
        prefix,
        is_namespaced: true,
        trigger: None,
        list_indexes: &[],
        is_cached: true,
    }
}

/// Pods: each kubelet watches and lists the pods of its node.
pub const PODS: Resource = Resource {
    trigger: Some("spec.nodeName"),
    list_indexes: &[IndexName::Field("spec.nodeName")],
    ..plain("pods", "Pod", "/registry/pods/")
};

/// Nodes: each kubelet watches its own node.
pub const NODES: Resource = Resource {
    is_namespaced: false,
    trigger: Some("metadata.name"),
    // etcd's key of nodes keeps their old name.
    ..plain("nodes", "Node", "/registry/minions/")
};

/// Secrets: kubelets watch single secrets.
pub const SECRETS: Resource = Resource {
    trigger: Some("metadata.name"),
    ..plain("secrets", "Secret", "/registry/secrets/")
};

/// Config maps: kubelets watch single config maps.
pub const CONFIG_MAPS: Resource = Resource {
    trigger: Some("metadata.name"),
    ..plain("configmaps", "ConfigMap", "/registry/configmaps/")
};

/// Services: no index.
pub const SERVICES: Resource = plain("services", "Service", "/registry/services/specs/");

/// Events: many writes and few watchers, so they have no cache.
pub const EVENTS: Resource = Resource {
    is_cached: false,
    ..plain("events", "Event", "/registry/events/")
};

/// All resources there are.
pub const RESOURCES: [&Resource; 6] = [&PODS, &NODES, &SECRETS, &CONFIG_MAPS, &SERVICES, &EVENTS];

impl Resource {
    /// Returns the resource with this plural name.
    pub fn find(name: &str) -> Option<&'static Self> {
        RESOURCES.into_iter().find(|resource| resource.name == name)
    }

    /// The value by which watchers of this object may be registered.
    pub fn trigger_value<'a>(&self, object: &'a Object) -> Option<&'a str> {
        self.trigger.map(|field| object.field(field))
    }
}

impl IndexName {
    /// The value under which an object stands in the index; none when it lacks the label.
    pub fn value_of<'a>(&self, object: &'a Object) -> Option<&'a str> {
        match self {
            Self::Field(name) => Some(object.field(name)),
            Self::Label(name) => object.labels.get(name).map(|value| &**value),
        }
    }
}

impl fmt::Display for IndexName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, "f:{name}"),
            Self::Label(name) => write!(f, "l:{name}"),
        }
    }
}
