//! The inspector panel.

use yew::prelude::*;

#[component]
pub fn InspectorPanel() -> Html {
    html! { <div class="inspector"></div> }
}
