//! A button that puts a text on the clipboard and says whether it got there.
//!
//! Where the page may not write to the clipboard (an embed without the permission, an old browser)
//! the text is shown in a field, selected, to be copied by hand.

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::browser::clipboard;

/// See the module.
#[derive(Properties, PartialEq)]
pub struct CopyProps {
    /// The text.
    pub text: String,
    /// What it is, for the button's name.
    pub what: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Idle,
    Done,
    ByHand,
}

/// How long the button says that it is done.
const DONE_MS: u32 = 1600;

/// The button.
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
    html! {
        <span class="insp-copy">
            <button type="button" class="insp-button" {onclick}>
                { if *stage == Stage::Done { "Copied" } else { "Copy" } }
                <span class="loom-hidden">{ " " }{ props.what }</span>
            </button>
            <span class="loom-hidden" role="status">{ if *stage == Stage::Done { "Copied" } else { "" } }</span>
            if *stage == Stage::ByHand {
                <textarea ref={field} readonly=true rows="3" aria-label="Copy this text by hand"
                    value={props.text.clone()} />
            }
        </span>
    }
}
