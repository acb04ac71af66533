//! A value of a key, shown as text, as JSON, by the numbers of its fields or as bytes, the Kubernetes object that the
//! value encodes, and the other revisions of the key.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::ValueForm;
use watchglass_engine::view::StoredValue;
use watchglass_engine::view::file::value::{dump, readable_text};
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::state::Action;
use crate::state::file_panel::FileAct;
use crate::store::use_store;
use crate::words::file_keys as words;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct ValueProps {
    pub(super) shown: Rc<StoredValue>,
}

/// Renders a value of a key. The heading gets the focus when the value of another key is shown.
#[component]
pub(super) fn Value(props: &ValueProps) -> Html {
    let store = use_store();
    let value = &props.shown;
    let heading = use_heading(value.key.clone());
    let act = |act: FileAct| store.on_click(Action::File(act));
    let show = |at, shows_secret| {
        act(FileAct::Value {
            key: value.key.clone(),
            at,
            shows_secret,
        })
    };
    let save = |form, name: &'static str| {
        html! {
            <button type="button" class="wg-button is-small" onclick={act(FileAct::SaveValue(form))}>{ name }</button>
        }
    };
    let more = value.revision_count - value.revisions.len() as u64;
    html! {
        <section class="file-part file-value" aria-label={words::VALUE}>
            <h3 ref={heading} tabindex="-1">
                <code>{ &value.text }</code>
                <button type="button" class="wg-button is-small" onclick={act(FileAct::CloseValue)}>
                    { words::CLOSE_VALUE }
                </button>
            </h3>
            <p>{ words::value(value) }</p>
            if let Some(object) = &value.object {
                <dl class="file-facts">
                    <dt>{ words::OBJECT }</dt><dd>{ [&object.api_version, " ", &object.kind].concat() }</dd>
                    if !object.namespace.is_empty() {
                        <dt>{ words::NAMESPACE }</dt><dd>{ &object.namespace }</dd>
                    }
                    <dt>{ words::NAME }</dt><dd>{ &object.name }</dd>
                </dl>
            }
            <div class="file-tools" role="group" aria-label={words::IN_THE_FILE}>
                <span>{ words::IN_THE_FILE }</span>
                { for value.revisions.iter().map(|row| {
                    let is_shown = value.at == Some(row.revision);
                    html! {
                        <button key={words::revision(row)} type="button" class="file-name"
                            disabled={row.is_delete || is_shown} aria-current={is_shown.then_some("true")}
                            onclick={show(Some(row.revision), false)}>{ words::revision(row) }</button>
                    }
                }) }
                if more > 0 {
                    <span>{ words::more_revisions(more) }</span>
                }
            </div>
            if value.at.is_some() {
                <div class="file-tools" role="group" aria-label={words::SAVE_AS}>
                    <span>{ words::SAVE_AS }</span>
                    if value.object.is_some() && value.fields.is_empty() {
                        { save(ValueForm::Json, words::AS_JSON) }
                        { save(ValueForm::Yaml, words::AS_YAML) }
                    }
                    { save(ValueForm::Script, words::AS_SCRIPT) }
                    { save(ValueForm::Bytes, words::AS_BYTES) }
                </div>
            }
            if value.is_encrypted {
                <p>{ words::ENCRYPTED }</p>
            }
            if value.is_hidden {
                <p>
                    { words::SECRET }{ " " }
                    <button type="button" class="wg-button is-small" onclick={show(value.at, true)}>
                        { words::SHOW_SECRET }
                    </button>
                </p>
            } else if value.at.is_some() {
                { content(value) }
                if (value.value.len() as u64) < value.bytes {
                    <p>{ words::only_first(value.value.len() as u64) }</p>
                }
            }
        </section>
    }
}

/// Returns the reference of a heading that gets the focus whenever another key is shown. The focus returns when the
/// value is closed.
#[hook]
pub(super) fn use_heading(key: Vec<u8>) -> NodeRef {
    let heading = use_node_ref();
    let shown = heading.clone();
    use_effect_with(key, move |_| {
        let before = gloo::utils::document().active_element();
        focus(shown.cast::<HtmlElement>());
        move || focus(before.and_then(|element| element.dyn_into().ok()))
    });
    heading
}

fn focus(element: Option<HtmlElement>) {
    if let Some(element) = element {
        element.focus().ok();
    }
}

/// Renders a value as a readable text, if it has one, and as a dump.
fn content(value: &StoredValue) -> Html {
    let text = readable_text(value);
    let is_open = text.is_none();
    html! {
        <>
            if !value.fields.is_empty() {
                <p>{ words::BY_NUMBER }</p>
            }
            if let Some(text) = text {
                <pre class="file-text" tabindex="0">{ text }</pre>
            }
            <details open={is_open}>
                <summary>{ words::BYTES }</summary>
                <pre class="file-text" tabindex="0">{ dump(&value.value) }</pre>
            </details>
        </>
    }
}
