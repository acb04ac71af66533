//! A shared value as a component property. Two such values are equal if they are the same object.
//!
//! `Rc<T>` would compare contents, and comparing two large pictures element by element costs more than it saves. The
//! state returns the same `Rc` as long as nothing has changed.

use std::ops::Deref;
use std::rc::Rc;

/// A reference-counted value that is compared by identity.
#[derive(Debug, Default)]
pub struct Shared<T>(pub Rc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(self.0.clone())
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
