//! Something worked out that may be wanted again, and that a copy goes without.
//!
//! Worlds are copied to be kept; what can be worked out again at any time must not be kept with them.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A place for it. A copy of it is empty, and it is no part of the state: nothing that is decided may depend on
/// whether it is filled.
pub struct Scratch<T>(Option<T>);

impl<T> Scratch<T> {
    /// The value.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// Puts something there, in place of what was there.
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
