//! A state whose handlers always read the newest value.
//!
//! A handler reads the values of `use_state` as they were in the rendering that made the handler. On a busy page, the
//! user can press a second key before the page is rendered with the change of the first key. With the old values, the
//! handler of the second key would undo this change.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

/// The newest value of a state.
#[derive(Clone)]
pub struct Current<T> {
    value: Rc<RefCell<T>>,
    update: UseForceUpdateHandle,
}

impl<T: Clone + PartialEq> Current<T> {
    pub fn get(&self) -> T {
        self.value.borrow().clone()
    }

    /// Replaces the value, and renders the component again if the value is different.
    pub fn set(&self, value: T) {
        if *self.value.borrow() != value {
            self.value.replace(value);
            self.update.force_update();
        }
    }
}

/// Returns the state. Calls `initial` only once, for the first value of the state.
#[hook]
pub fn use_current<T: Clone + PartialEq + 'static>(initial: impl FnOnce() -> T) -> Current<T> {
    let value = use_mut_ref(initial);
    let update = use_force_update();
    Current { value, update }
}
