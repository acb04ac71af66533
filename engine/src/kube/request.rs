//! The requests to an API server and its responses.
//!
//! Mirrors the verbs of the Kubernetes REST API. Left out: delete of collections, subresources, admission.

use std::sync::Arc;

use super::list_options::ListOptions;
use super::object::Object;
use super::resource::Resource;
use super::selector::Predicate;
use super::status::StatusError;
use crate::base::digest::Sparse;

/// A request to an API server: an operation on a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KubeRequest {
    pub resource: &'static Resource,
    pub verb: KubeVerb,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeVerb {
    Get {
        /// The namespace, or empty if the resource has no namespaces.
        namespace: String,
        name: String,
        /// The options. A GET uses only the resource version.
        options: ListOptions,
    },
    List {
        target: WatchTarget,
        options: ListOptions,
    },
    Watch {
        target: WatchTarget,
        /// The options, including the resource version at which the watch starts.
        options: ListOptions,
        /// The number of seconds after which the server ends the watch, or `None` for the server's default.
        timeout_s: Option<u64>,
    },
    Create(Object),
    /// Replaces an object.
    Update {
        object: Object,
        /// The text of the resource version that the existing object must have; empty or `0` for no check.
        resource_version: String,
    },
    /// Changes some labels and fields of an object.
    Patch {
        namespace: String,
        name: String,
        patch: ObjectPatch,
    },
    Delete {
        namespace: String,
        name: String,
        options: DeleteOptions,
    },
    /// Sends a GET with this path and query, which are none of the requests above. The server decodes and refuses them,
    /// or serves a path that belongs to no resource, such as `/version`.
    Raw(Arc<str>),
}

/// The options of a delete (`metav1.DeleteOptions`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeleteOptions {
    /// The seconds that a pod gets to end, or `None` for the default of the pod. With 0, the object is removed at once.
    pub grace_period_s: Option<u64>,
    /// The uid that the object must have, or `None` for any.
    pub uid: Option<u64>,
    /// The resource version that the object must have, or `None` for any.
    pub resource_version: Option<u64>,
    /// Whether to delete an object that cannot be decoded (`ignoreStoreReadErrorWithClusterBreakingPotential`).
    pub ignores_read_error: Sparse<bool>,
}

/// Changes of an object (`application/merge-patch+json`): each name gets a new value, or is removed with `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectPatch {
    pub labels: Vec<(String, Option<String>)>,
    pub fields: Vec<(String, Option<String>)>,
}

impl ObjectPatch {
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Returns the object with these changes.
    ///
    /// ```
    /// use watchglass_engine::kube::{Object, ObjectPatch};
    /// let labels = vec![("app".to_owned(), None), ("tier".to_owned(), Some("web".to_owned()))];
    /// let patch = ObjectPatch { labels, fields: Vec::new() };
    /// let pod = patch.applied(&Object::new("Pod", "default", "p").with_label("app", "a"));
    /// assert_eq!(pod.labels.get("tier").map(|value| &**value), Some("web"));
    /// assert!(pod.labels.get("app").is_none());
    /// ```
    #[must_use]
    pub fn applied(&self, object: &Object) -> Object {
        let mut object = object.clone();
        for (changes, set) in [
            (&self.labels, &mut object.labels),
            (&self.fields, &mut object.fields),
        ] {
            for (name, value) in changes {
                match value {
                    Some(value) => set.insert(name.as_str().into(), value.as_str().into()),
                    None => set.remove(name),
                }
            }
        }
        object
    }
}

/// The objects that a list or watch selects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchTarget {
    /// The namespace, or empty for all namespaces.
    pub namespace: String,
    /// The name, or empty for all names.
    pub name: String,
    /// The label and field selectors.
    pub predicate: Predicate,
}

pub type KubeAnswer = Result<KubeResponse, StatusError>;

/// A response to a request that the API server does not refuse.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeResponse {
    /// The object of the request: as read by a GET, as written by a create or update, or as removed by a delete.
    Object(Arc<Object>),
    List(Arc<ObjectList>),
    /// The watch has started. Events follow.
    WatchBegun,
    /// The text at a path that belongs to no resource.
    Text(Arc<str>),
}

/// A list of objects, or a page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectList {
    pub resource_version: u64,
    /// The objects in the order of their keys.
    pub items: Vec<Arc<Object>>,
    /// The token for the next page, or `None` if the list is complete.
    pub continue_token: Option<String>,
    /// The number of objects on later pages, if known.
    pub remaining: Option<u64>,
    /// The number of objects that the simulator has removed from `items`. A run cannot store all lists of many
    /// kubelets, so the simulator removes the objects after the client has received the list. A list in flight contains
    /// all its objects.
    pub not_kept: u64,
}

impl ObjectList {
    /// Returns the number of objects, including objects that were removed from `items`.
    pub fn count(&self) -> u64 {
        self.items.len() as u64 + self.not_kept
    }

    /// Returns a copy of the list without its objects. [`count`](Self::count) of the copy still returns the number of
    /// objects.
    #[must_use]
    pub fn without_items(&self) -> Self {
        Self {
            resource_version: self.resource_version,
            items: Vec::new(),
            continue_token: self.continue_token.clone(),
            remaining: self.remaining,
            not_kept: self.count(),
        }
    }
}

impl WatchTarget {
    pub fn selects(&self, object: &Object) -> bool {
        let in_namespace = self.namespace.is_empty() || *self.namespace == *object.namespace;
        let is_named = self.name.is_empty() || *self.name == *object.name;
        in_namespace && is_named && self.predicate.matches(object)
    }
}

/// The component that serves a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServedBy {
    Cache,
    Snapshot,
    Etcd,
    /// No component: the request was refused.
    Nobody,
}

impl ServedBy {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Snapshot => "snapshot",
            Self::Etcd => "etcd",
            Self::Nobody => "nobody",
        }
    }
}

impl KubeVerb {
    /// Returns the name of the verb, for example `GET`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Get { .. } => "GET",
            Self::List { .. } => "LIST",
            Self::Watch { .. } => "WATCH",
            Self::Create(_) => "CREATE",
            Self::Update { .. } => "UPDATE",
            Self::Patch { .. } => "PATCH",
            Self::Delete { .. } => "DELETE",
            Self::Raw(_) => "GET",
        }
    }

    pub fn is_write(&self) -> bool {
        match self {
            Self::Create(_) | Self::Update { .. } | Self::Patch { .. } | Self::Delete { .. } => {
                true
            }
            Self::Get { .. } | Self::List { .. } | Self::Watch { .. } | Self::Raw(_) => false,
        }
    }

    /// Returns the options of a read, or `None` for a write.
    pub fn options(&self) -> Option<&ListOptions> {
        match self {
            Self::Get { options, .. }
            | Self::List { options, .. }
            | Self::Watch { options, .. } => Some(options),
            Self::Create(_)
            | Self::Update { .. }
            | Self::Patch { .. }
            | Self::Delete { .. }
            | Self::Raw(_) => None,
        }
    }
}
