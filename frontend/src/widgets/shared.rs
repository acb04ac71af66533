//! A view as a prop: equal when it is the same one.
//!
//! `Rc<T>` compares contents, and comparing two large pictures bead by bead costs more than it
//! saves. The state hands out the same `Rc` as long as nothing has changed.

use std::ops::Deref;
use std::rc::Rc;

/// See the module.
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
