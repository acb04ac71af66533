//! A cache for a computed value. A copy of the cache is empty.
//!
//! Runs store copies of the world. The copies must not contain values that can be computed again at any time.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A cache for one value. A clone of the cache is empty. The cache is not part of the state: no decision may depend on
/// whether the cache contains a value.
pub struct Scratch<T>(Option<T>);

impl<T> Scratch<T> {
    /// Returns the cached value; `None` if the cache is empty.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// Stores a value in place of the previous value.
    pub fn put(&mut self, it: T) {
        self.0 = Some(it);
    }
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Clone for Scratch<T> {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl<T> Hash for Scratch<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<T> fmt::Debug for Scratch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "filled" } else { "empty" })
    }
}
