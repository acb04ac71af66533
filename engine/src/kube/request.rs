//! What is asked of an API server, and what it answers.
//!
//! Mirrors the verbs of its REST API. Left out: patch, delete of collections, subresources, admission.

use std::sync::Arc;

use super::list_options::ListOptions;
use super::object::Object;
use super::resource::Resource;
use super::selector::Predicate;
use super::status::StatusError;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KubeRequest {
    /// The resource.
    pub resource: &'static Resource,
    /// The operation.
    pub verb: KubeVerb,
}

/// The operation of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeVerb {
    /// One object.
    Get {
        /// The namespace; empty for a resource without namespaces.
        namespace: String,
        /// The name.
        name: String,
        /// The options; only the resource version counts.
        options: ListOptions,
    },
    /// All objects that match.
    List {
        /// Which.
        target: WatchTarget,
        /// The required resource version and the limit.
        options: ListOptions,
    },
    /// All changes of objects that match.
    Watch {
        /// Which.
        target: WatchTarget,
        /// From where.
        options: ListOptions,
        /// After how many seconds the server ends it; `None` for its own choice.
        timeout_s: Option<u64>,
    },
    /// Make an object.
    Create(Object),
    /// Replace an object.
    Update {
        /// The new object.
        object: Object,
        /// The required resource version of the existing object.
        resource_version: Option<u64>,
    },
    /// Delete an object.
    Delete {
        /// The namespace.
        namespace: String,
        /// The name.
        name: String,
    },
}

/// The target of a watch, without its options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchTarget {
    /// The namespace; empty for all.
    pub namespace: String,
    /// The name; empty for all.
    pub name: String,
    /// The selected objects.
    pub predicate: Predicate,
}

/// An answer.
pub type KubeAnswer = Result<KubeResponse, StatusError>;

/// The response of an API server that does not refuse the request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeResponse {
    /// An object: of a GET, or as it was written, or as it was when it was deleted.
    Object(Arc<Object>),
    /// A list.
    List(Arc<ObjectList>),
    /// A watch has begun; events follow.
    WatchBegun,
}

/// A list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectList {
    /// The resource version of the whole.
    pub resource_version: u64,
    /// The objects in the order of their keys.
    pub items: Vec<Arc<Object>>,
    /// The start of the next page.
    pub continue_token: Option<String>,
    /// The number of remaining objects, when known.
    pub remaining: Option<u64>,
    /// Objects that it had besides these: a run does not keep what each of a fleet of kubelets was sent. A list that is
    /// on its way has all of them.
    pub not_kept: u64,
}

impl ObjectList {
    /// The number of objects.
    pub fn count(&self) -> u64 {
        self.items.len() as u64 + self.not_kept
    }

    /// The same with nothing left of its objects but how many there were.
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
    /// Whether an object matches the request.
    pub fn selects(&self, object: &Object) -> bool {
        let in_namespace = self.namespace.is_empty() || *self.namespace == *object.namespace;
        let is_named = self.name.is_empty() || *self.name == *object.name;
        in_namespace && is_named && self.predicate.matches(object)
    }
}

/// The source of a response to a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServedBy {
    /// The watch cache.
    Cache,
    /// A snapshot of the cache.
    Snapshot,
    /// etcd.
    Etcd,
    /// No source: the request was refused.
    Nobody,
}

impl ServedBy {
    /// The name of the source.
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
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Get { .. } => "GET",
            Self::List { .. } => "LIST",
            Self::Watch { .. } => "WATCH",
            Self::Create(_) => "CREATE",
            Self::Update { .. } => "UPDATE",
            Self::Delete { .. } => "DELETE",
        }
    }

    /// Whether the request is a write.
    pub fn is_write(&self) -> bool {
        match self {
            Self::Create(_) | Self::Update { .. } | Self::Delete { .. } => true,
            Self::Get { .. } | Self::List { .. } | Self::Watch { .. } => false,
        }
    }

    /// The options of a read.
    pub fn options(&self) -> Option<&ListOptions> {
        match self {
            Self::Get { options, .. }
            | Self::List { options, .. }
            | Self::Watch { options, .. } => Some(options),
            Self::Create(_) | Self::Update { .. } | Self::Delete { .. } => None,
        }
    }
}
