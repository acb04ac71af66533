//! A small Kubernetes object: what the watch cache looks at, and no more.
//!
//! Stands for `runtime.Object` with the attributes that `GetAttrs` finds in it. Left out: every
//! other part of a spec or status; of its bytes only the number is kept.

use std::fmt;
use std::sync::Arc;

use crate::base::interner::Interner;

use super::set::Set;

/// The largest size of an object, in bytes: what etcd takes in one request (`--max-request-bytes`).
pub const SIZE_BYTES_MAX: u64 = 1536 << 10;

/// The key of an object in etcd, such as `/registry/pods/default/web-1`.
pub type Key = Arc<str>;

/// An object.
///
/// ```
/// use watchglass_engine::kube::Object;
/// let pod = Object::new("Pod", "default", "web-1")
///     .with_label("app", "web")
///     .with_field("spec.nodeName", "node-7");
/// assert_eq!(pod.field("metadata.name"), "web-1");
/// assert_eq!(pod.field("spec.nodeName"), "node-7");
/// assert_eq!(pod.field("status.phase"), ""); // an absent field is empty
/// assert_eq!(&*pod.key("/registry/pods/"), "/registry/pods/default/web-1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// `Pod`, `ConfigMap`, …
    pub kind: Arc<str>,
    /// Empty for kinds that have no namespace.
    pub namespace: Arc<str>,
    /// Unique among those of its kind in its namespace that exist at one time.
    pub name: Arc<str>,
    /// Unique for ever: an object made again under the same name has another one.
    pub uid: u64,
    /// The labels, for label selectors.
    pub labels: Set,
    /// The fields for field selectors, including name and namespace.
    pub fields: Set,
    /// The etcd revision of the last change.
    pub resource_version: u64,
    /// The size of the encoding, in bytes.
    pub size_bytes: u64,
}

impl Object {
    /// An object without labels, not stored yet.
    pub fn new(kind: &str, namespace: &str, name: &str) -> Self {
        Self::interned(&mut Interner::default(), kind, namespace, name)
    }

    /// The same, which shares its texts with those that were made with the same interner.
    pub fn interned(interner: &mut Interner, kind: &str, namespace: &str, name: &str) -> Self {
        let namespace = interner.share(namespace);
        // Its own: no other one of its kind has it.
        let name: Arc<str> = name.into();
        let mut fields = Set::default();
        fields.insert(interner.share("metadata.name"), name.clone());
        if !namespace.is_empty() {
            fields.insert(interner.share("metadata.namespace"), namespace.clone());
        }
        Self {
            kind: interner.share(kind),
            namespace,
            name,
            uid: 0,
            labels: Set::default(),
            fields,
            resource_version: 0,
            size_bytes: 0,
        }
    }

    /// The same with a label.
    #[must_use]
    pub fn with_label(mut self, name: &str, value: &str) -> Self {
        self.labels.insert(name.into(), value.into());
        self
    }

    /// The same with a field.
    #[must_use]
    pub fn with_field(mut self, name: &str, value: &str) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    /// The same at this resource version.
    #[must_use]
    pub fn at(mut self, resource_version: u64) -> Self {
        self.resource_version = resource_version;
        self
    }

    /// The same with this uid.
    #[must_use]
    pub fn with_uid(mut self, uid: u64) -> Self {
        self.uid = uid;
        self
    }

    /// Returns the object with an encoding of `size_bytes` bytes.
    #[must_use]
    pub fn with_size(mut self, size_bytes: u64) -> Self {
        self.size_bytes = size_bytes;
        self
    }

    /// The value of a field; empty when the object does not have the field.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |value| value)
    }

    /// The key under which a resource with this prefix (`/registry/pods/`) stores it.
    pub fn key(&self, resource_prefix: &str) -> Key {
        assert!(
            resource_prefix.ends_with('/'),
            "a resource's prefix ends in a slash, or /registry/pods would hold /registry/podsets: {resource_prefix}"
        );
        if self.namespace.is_empty() {
            format!("{resource_prefix}{}", self.name).into()
        } else {
            format!("{resource_prefix}{}/{}", self.namespace, self.name).into()
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        write!(f, "{}@{}", self.name, self.resource_version)
    }
}
