//! A part of the page that is rendered again only if its content is a new object. A picture of a thousand elements
//! therefore causes no work while the user types.

use std::rc::Rc;

use yew::prelude::*;

/// The properties of the component that renders again only if its content is a new object.
#[derive(Properties)]
pub struct StillProps {
    /// The content, as returned by `use_memo`.
    pub html: Rc<Html>,
}

impl PartialEq for StillProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.html, &other.html)
    }
}

#[component]
pub fn Still(props: &StillProps) -> Html {
    (*props.html).clone()
}
