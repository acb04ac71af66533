//! The key's entry in the key index, as JSON.

use yew::prelude::*;

use super::copy::CopyButton;

/// See the module.
#[derive(Properties, PartialEq)]
pub struct JsonProps {
    /// The text; empty if the key index does not contain the key.
    pub json: String,
    /// Whether the key index contains the key.
    pub indexed: bool,
}

/// The text, with a button that copies it.
#[component]
pub fn JsonView(props: &JsonProps) -> Html {
    if !props.indexed || props.json.is_empty() {
        return html! {
            <p class="insp-note">
                { "The index does not have this key at this step: it was not written yet, or a compaction \
                   removed its last generation." }
            </p>
        };
    }
    html! {
        <>
            <div class="insp-line">
                <span class="insp-note">{ "key index entry" }</span>
                <CopyButton text={props.json.clone()} what="JSON" />
            </div>
            <pre class="insp-json" tabindex="0" aria-label="Key index entry as JSON">{ &props.json }</pre>
        </>
    }
}
