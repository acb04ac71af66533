//! What the summary of a file keeps of a stored value, to compare it with the next value of the same key. The values
//! themselves would not fit in memory.
//!
//! Values are compared by 64-bit hashes and field managers by 32-bit hashes, so two different values can count as equal
//! by chance; with a billion pairs, the probability is below 1 in 10 billion.

use crate::base::mix::Mix;
use crate::kube::stored_object::{Stored, hash_without_times};

/// A stored value as the next value of its key sees it.
///
/// ```
/// use watchglass_engine::kube::stored_object::Stored;
/// use watchglass_engine::view::file::before::Before;
/// let value = b"v1".as_slice();
/// let before = Before::of(value, &Stored::of(value));
/// assert!(before.is_same(&Before::of(value, &Stored::of(value))));
/// assert!(!before.is_same(&Before::of(b"v2", &Stored::of(b"v2"))));
/// ```
#[derive(Clone, Debug)]
pub struct Before {
    value: u64,
    /// The hash of the object without its times; `None` if the value is not an object of Kubernetes.
    untimed: Option<u64>,
    object: Option<ObjectBefore>,
}

/// The field managers of an object, for [`StoredObject::written_by`].
///
/// [`StoredObject::written_by`]: crate::kube::stored_object::StoredObject::written_by
#[derive(Clone, Debug)]
pub struct ObjectBefore {
    /// The newest time of the field managers, in seconds since 1970.
    pub time: Option<i64>,
    pub managers: Box<[u32]>,
}

impl Before {
    pub fn of(value: &[u8], stored: &Stored<'_>) -> Self {
        Self {
            value: Mix::of(value),
            untimed: hash_without_times(value),
            object: stored.object().map(|object| ObjectBefore {
                time: object.time(),
                managers: object.manager_hashes().collect(),
            }),
        }
    }

    /// Returns true if both values have the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        self.value == other.value
    }

    /// Returns true if both values are objects that differ at most in the times of their field managers and in their
    /// resource versions.
    pub fn differs_only_in_times(&self, other: &Self) -> bool {
        self.untimed.is_some() && self.untimed == other.untimed
    }

    /// Returns the field managers; `None` if the value is not an object of Kubernetes.
    pub fn object(&self) -> Option<&ObjectBefore> {
        self.object.as_ref()
    }
}
