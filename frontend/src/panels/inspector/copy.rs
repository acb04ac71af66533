//! A button that copies a text to the clipboard and reports the result.
//!
//! If the page may not write to the clipboard (an embedded page without the permission, an old browser), the text is
//! shown selected in a field, so that the user can copy it manually.

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::browser::clipboard;
use crate::words::inspector as words;

#[derive(Properties, PartialEq)]
pub struct CopyProps {
    pub text: String,
    /// The kind of the text, for the button's label.
    pub what: Copied,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Copied {
    /// Bytes as hexadecimal digits.
    Bytes,
    Json,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Idle,
    Done,
    ByHand,
}

/// The time for which the button reports success, in milliseconds.
const DONE_MS: u32 = 1600;

#[component]
pub fn CopyButton(props: &CopyProps) -> Html {
    let stage = use_state_eq(|| Stage::Idle);
    let field = use_node_ref();
    let onclick = {
        let (stage, text) = (stage.clone(), props.text.clone());
        Callback::from(move |_: MouseEvent| {
            let (stage, text) = (stage.clone(), text.clone());
            spawn_local(async move {
                if clipboard::write(&text).await.is_some() {
                    stage.set(Stage::Done);
                    Timeout::new(DONE_MS, move || stage.set(Stage::Idle)).forget();
                } else {
                    stage.set(Stage::ByHand);
                }
            });
        })
    };
    {
        let field = field.clone();
        use_effect_with(*stage, move |stage| {
            if *stage == Stage::ByHand
                && let Some(field) = field.cast::<HtmlTextAreaElement>()
            {
                field.select();
            }
        });
    }
    let is_done = *stage == Stage::Done;
    let label = match props.what {
        Copied::Bytes => words::copy_bytes(is_done),
        Copied::Json => words::copy_json(is_done),
    };
    html! {
        <span class="insp-copy">
            <button type="button" class="insp-button" {onclick}>{ label }</button>
            <span class="wg-unseen" role="status">{ if is_done { words::COPIED } else { "" } }</span>
            if *stage == Stage::ByHand {
                <textarea ref={field} readonly=true rows="3" aria-label={words::COPY_MANUALLY}
                    value={props.text.clone()} />
            }
        </span>
    }
}
