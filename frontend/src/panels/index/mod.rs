//! The index panel.

use yew::prelude::*;

#[component]
pub fn IndexPanel() -> Html {
    html! { <div class="index"></div> }
}
