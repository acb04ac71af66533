//! The simulated kinds of objects, and the indexes of the watch cache for each kind.
//!
//! Mirrors the `IndexerFuncs` and `Indexers` of the registries in `pkg/registry/core`. Left out: all other resources,
//! which behave like the simulated resources that have no index.

use std::fmt;

use super::object::Object;

/// A kind of object. Each resource except events has its own watch cache.
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
    /// The plural name, for example `pods`.
    pub name: &'static str,
    /// The kind of the objects, for example `Pod`.
    pub kind: &'static str,
    /// The group and version of the API, for example `apps/v1`; `v1` for the core group.
    pub api_version: &'static str,
    /// The prefix of the keys in etcd, with the trailing slash.
    pub prefix: &'static str,
    pub is_namespaced: bool,
    /// The field by which the cache indexes watchers. A watcher whose selector requires one value of this field is
    /// registered under that value. A resource has at most one such field.
    pub trigger: Option<&'static str>,
    pub list_indexes: &'static [IndexName],
    /// The fields that selectors can use besides the name and the namespace; empty if there are no others.
    pub selectable_fields: &'static [&'static str],
    /// Whether the resource has a watch cache by default.
    pub is_cached: bool,
}

/// The name of an index over a field or a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexName {
    /// An index over a field, with the name `f:…` (`storage.FieldIndex`).
    Field(&'static str),
    /// An index over a label, with the name `l:…` (`storage.LabelIndex`).
    Label(&'static str),
}

const fn plain(name: &'static str, kind: &'static str, prefix: &'static str) -> Resource {
    Resource {
        name,
        kind,
        api_version: "v1",
        prefix,
        is_namespaced: true,
        trigger: None,
        list_indexes: &[],
        selectable_fields: &[],
        is_cached: true,
    }
}

/// Pods: each kubelet watches and lists the pods of its node.
pub const PODS: Resource = Resource {
    trigger: Some("spec.nodeName"),
    list_indexes: &[IndexName::Field("spec.nodeName")],
    selectable_fields: &[
        "spec.host",
        "spec.hostNetwork",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.nominatedNodeName",
        "status.phase",
        "status.podIP",
        "status.podIPs",
    ],
    ..plain("pods", "Pod", "/registry/pods/")
};

/// Nodes: each kubelet watches its own node.
pub const NODES: Resource = Resource {
    is_namespaced: false,
    trigger: Some("metadata.name"),
    selectable_fields: &["spec.unschedulable"],
    // Nodes were once called minions. Their keys in etcd keep this name.
    ..plain("nodes", "Node", "/registry/minions/")
};

/// Secrets: kubelets watch single secrets.
pub const SECRETS: Resource = Resource {
    trigger: Some("metadata.name"),
    selectable_fields: &["type"],
    ..plain("secrets", "Secret", "/registry/secrets/")
};

/// Config maps: kubelets watch single config maps.
pub const CONFIG_MAPS: Resource = Resource {
    trigger: Some("metadata.name"),
    ..plain("configmaps", "ConfigMap", "/registry/configmaps/")
};

/// Services, which have no index.
pub const SERVICES: Resource = Resource {
    selectable_fields: &["spec.clusterIP", "spec.type"],
    ..plain("services", "Service", "/registry/services/specs/")
};

/// Events, which have no watch cache because they have many writes and few watchers.
pub const EVENTS: Resource = Resource {
    is_cached: false,
    selectable_fields: &[
        "involvedObject.apiVersion",
        "involvedObject.fieldPath",
        "involvedObject.kind",
        "involvedObject.name",
        "involvedObject.namespace",
        "involvedObject.resourceVersion",
        "involvedObject.uid",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ],
    ..plain("events", "Event", "/registry/events/")
};

/// The placeholder in a request whose path names no simulated resource.
pub const NONE: Resource = plain("", "", "/");

/// Namespaces. A create in a namespace needs its object, except in the namespaces of each cluster.
pub const NAMESPACES: Resource = Resource {
    is_namespaced: false,
    selectable_fields: &["status.phase"],
    ..plain("namespaces", "Namespace", "/registry/namespaces/")
};

/// Leases: kubelets and the leaders of controllers renew them.
pub const LEASES: Resource = Resource {
    api_version: "coordination.k8s.io/v1",
    ..plain("leases", "Lease", "/registry/leases/")
};

/// Deployments, which have no controller here.
pub const DEPLOYMENTS: Resource = Resource {
    api_version: "apps/v1",
    ..plain("deployments", "Deployment", "/registry/deployments/")
};

pub const RESOURCES: [&Resource; 9] = [
    &PODS,
    &NODES,
    &SECRETS,
    &CONFIG_MAPS,
    &SERVICES,
    &EVENTS,
    &NAMESPACES,
    &LEASES,
    &DEPLOYMENTS,
];

impl Resource {
    /// Returns the resource with the plural name `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        RESOURCES.into_iter().find(|resource| resource.name == name)
    }

    /// Returns true if field selectors can use the field (`ConvertFieldLabel`).
    pub fn can_select(&self, field: &str) -> bool {
        let is_common = match field {
            "metadata.name" => true,
            // A resource with fields of its own lists the namespace only if its objects have one.
            "metadata.namespace" => self.is_namespaced || self.selectable_fields.is_empty(),
            _ => false,
        };
        is_common || self.selectable_fields.contains(&field)
    }

    /// Returns the API group, for example `apps`; empty for the core group.
    pub fn group(&self) -> &'static str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    pub fn api_version_of(kind: &str) -> &'static str {
        let mut all = RESOURCES.into_iter();
        all.find(|resource| resource.kind == kind)
            .map_or("v1", |resource| resource.api_version)
    }

    /// Returns the object's value of the trigger field, or `None` if the resource has no trigger field.
    pub fn trigger_value<'a>(&self, object: &'a Object) -> Option<&'a str> {
        self.trigger.map(|field| object.field(field))
    }
}

impl IndexName {
    /// Returns the object's value in the index, or `None` if the object does not have the label.
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
