//! A small Kubernetes object, limited to the parts that the watch cache reads.
//!
//! Mirrors `runtime.Object` with the attributes that `GetAttrs` returns. Left out: all other parts of a spec or status.
//! An object stores only the number of its bytes, not the bytes.

use std::fmt;
use std::sync::Arc;

use crate::base::interner::Interner;

use super::set::Set;

/// The maximum size of an object, in bytes. The value is etcd's maximum request size (`--max-request-bytes`).
pub const SIZE_BYTES_MAX: u64 = 1536 << 10;

/// The field with the date at which an object was created.
pub const CREATION_TIMESTAMP: &str = "metadata.creationTimestamp";

/// The field with the date at which the grace period of a deletion ends. Only an object in deletion has this field.
pub const DELETION_TIMESTAMP: &str = "metadata.deletionTimestamp";

pub const DELETION_GRACE_PERIOD: &str = "metadata.deletionGracePeriodSeconds";

/// The prefix of the fields that hold annotations. The name of the annotation follows.
pub const ANNOTATIONS: &str = "metadata.annotations/";

/// The key of an object in etcd, such as `/registry/pods/default/web-1`.
pub type Key = Arc<str>;

/// A Kubernetes object.
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
    /// The kind, for example `Pod` or `ConfigMap`.
    pub kind: Arc<str>,
    /// The namespace, or empty if the kind has no namespaces.
    pub namespace: Arc<str>,
    /// The name, which is unique among the existing objects of the same kind and namespace.
    pub name: Arc<str>,
    /// The uid. A new object with the name of a deleted object gets a new uid.
    pub uid: u64,
    /// The labels, for label selectors.
    pub labels: Set,
    /// The fields that field selectors can use, including name and namespace.
    pub fields: Set,
    /// The etcd revision of the last change, or 0 before the object is stored.
    pub resource_version: u64,
    /// The size of the encoded object, in bytes.
    pub size_bytes: u64,
}

impl Object {
    /// Creates an object that has no labels and is not stored yet.
    pub fn new(kind: &str, namespace: &str, name: &str) -> Self {
        Self::interned(&mut Interner::default(), kind, namespace, name)
    }

    /// Creates an object like [`new`](Self::new). Equal strings of the objects that were created with the same interner
    /// share memory.
    pub fn interned(interner: &mut Interner, kind: &str, namespace: &str, name: &str) -> Self {
        let namespace = interner.share(namespace);
        // The name is not shared, because no other object of the same kind has it.
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

    #[must_use]
    pub fn with_label(mut self, name: &str, value: &str) -> Self {
        self.labels.insert(name.into(), value.into());
        self
    }

    #[must_use]
    pub fn with_field(mut self, name: &str, value: &str) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    #[must_use]
    pub fn at(mut self, resource_version: u64) -> Self {
        self.resource_version = resource_version;
        self
    }

    #[must_use]
    pub fn with_uid(mut self, uid: u64) -> Self {
        self.uid = uid;
        self
    }

    /// Returns the object with this encoded size, in bytes.
    #[must_use]
    pub fn with_size(mut self, size_bytes: u64) -> Self {
        self.size_bytes = size_bytes;
        self
    }

    /// Returns the value of a field, or an empty string if the object does not have the field.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |value| value)
    }

    /// Returns the value of a field for field selectors (`ToSelectableFields`): the default of an absent field that has
    /// one. Only a few fields have defaults here; the stored object does not contain them.
    pub fn selectable(&self, name: &str) -> &str {
        match (self.field(name), &*self.kind, name) {
            ("", "Pod", "spec.host") => self.field("spec.nodeName"),
            ("", "Pod", "status.phase") => "Pending",
            ("", "Pod", "spec.schedulerName") => "default-scheduler",
            ("", "Pod", "spec.restartPolicy") => "Always",
            ("", "Pod", "spec.serviceAccountName") => "default",
            ("", "Pod", "spec.hostNetwork") | ("", "Node", "spec.unschedulable") => "false",
            ("", "Namespace", "status.phase") => "Active",
            ("", "Secret", "type") => "Opaque",
            ("", "Service", "spec.type") => "ClusterIP",
            (value, _, _) => value,
        }
    }

    pub fn is_in_deletion(&self) -> bool {
        !self.field(DELETION_TIMESTAMP).is_empty()
    }

    /// Returns the grace period of the deletion in seconds; `None` if the object is not in deletion.
    pub fn deletion_grace_period_s(&self) -> Option<u64> {
        self.field(DELETION_GRACE_PERIOD).parse().ok()
    }

    /// Returns the key of the object in etcd. `resource_prefix` is the prefix of the resource, for example
    /// `/registry/pods/`.
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

/// Returns the first eight hexadecimal digits of a uid.
pub fn short_uid(uid: u64) -> String {
    format!("{:08x}", uid >> 32)
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        write!(f, "{}@{}", self.name, self.resource_version)
    }
}
