//! A part of the page that stays as it is until it is made anew: its content is compared by
//! identity, so that a picture of a thousand elements costs nothing while one types.

use std::rc::Rc;

use yew::prelude::*;

/// See the module.
#[derive(Properties)]
pub struct StillProps {
    /// What is shown, as `use_memo` gives it.
    pub html: Rc<Html>,
}

impl PartialEq for StillProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.html, &other.html)
    }
}

/// The content.
#[component]
pub fn Still(props: &StillProps) -> Html {
    (*props.html).clone()
}
