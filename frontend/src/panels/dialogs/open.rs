//! A dialog to paste a transcript or choose a file.

use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::panels::dropzone;
use crate::state::Action;
use crate::state::action::RunAct;
use crate::store::use_store;
use crate::words::{dialogs as words, file};

const EXAMPLE: &str = "$ etcdctl put /key1 value1\nOK\n$ etcdctl get /key1\n/key1\nvalue1\n";

#[derive(Clone, PartialEq, Properties)]
pub(super) struct OpenTextProps {
    /// The initial text of the field for a transcript. If empty, the field keeps the text of the last time.
    pub(super) text: String,
}

#[component]
pub(super) fn OpenText(props: &OpenTextProps) -> Html {
    let store = use_store();
    let text = match props.text.is_empty() {
        true => store.ui.transcript.clone(),
        false => props.text.clone(),
    };
    let field = use_node_ref();
    let keep = {
        let store = store.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlTextAreaElement>() {
                store.dispatch(Action::Run(RunAct::KeepTranscript(field.value())));
            }
        })
    };
    {
        let field = field.clone();
        // Selects the text of the last time, so that a paste replaces the text.
        use_effect_with((), move |()| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                field.select();
            }
        });
    }
    let run = {
        let field = field.clone();
        let store = store.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                let text = field.value();
                if text.trim().is_empty() {
                    field.focus().ok();
                } else {
                    store.dispatch(Action::Run(RunAct::OpenText(text)));
                }
            }
        })
    };
    let chosen = {
        let store = store.clone();
        Callback::from(move |event: Event| {
            let file = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
                .and_then(|input| input.files())
                .and_then(|files| files.get(0));
            if let Some(file) = file {
                store.dispatch(Action::CloseDialog);
                dropzone::open(file, store.clone());
            }
        })
    };
    html! {
        <form class="wg-open-text" onsubmit={run}>
            <label for="wg-open-field">{ words::transcript("$ etcdctl …") }</label>
            <textarea ref={field} id="wg-open-field" rows="10" spellcheck="false" autocomplete="off" autofocus=true
                placeholder={EXAMPLE} defaultvalue={text} oninput={keep} />
            <div class="wg-row">
                <label class="wg-button wg-file">
                    { file::CHOOSE }
                    <input type="file" class="wg-unseen" accept=".txt,.log,.md,.sh,.watchglass,text/*"
                        onchange={chosen} />
                </label>
                <span class="wg-spring"></span>
                <button type="submit" class="wg-button is-primary">{ words::RUN_TRANSCRIPT }</button>
            </div>
        </form>
    }
}
