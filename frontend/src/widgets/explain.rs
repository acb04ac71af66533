//! Something that can be asked what it means: a button, and a note beside it.
//!
//! The note opens by a click, by the keyboard, and where it is short also by the pointer; Esc and
//! going elsewhere close it.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// See the module.
#[derive(Clone, PartialEq, Properties)]
pub struct ExplainProps {
    /// The look of both; the note has `-note` behind it.
    pub class: &'static str,
    /// The content of the button.
    pub button: Html,
    /// Whether pointing is enough.
    #[prop_or_default]
    pub hover: bool,
    /// The note.
    pub children: Html,
}

/// The button with its note.
#[component]
pub fn Explain(props: &ExplainProps) -> Html {
    let open = use_state_eq(|| false);
    let root = use_node_ref();
    let set = |to: bool| {
        let open = open.clone();
        Callback::from(move |_: PointerEvent| open.set(to))
    };
    let toggle = {
        // Where pointing has opened it, a click must not close it again.
        let (open, hover) = (open.clone(), props.hover);
        Callback::from(move |_: MouseEvent| open.set(hover || !*open))
    };
    let on_key = {
        let open = open.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && *open {
                event.prevent_default();
                event.stop_propagation();
                open.set(false);
            }
        })
    };
    let on_focus_out = {
        let (open, root) = (open.clone(), root.clone());
        Callback::from(move |event: FocusEvent| {
            let to = event
                .related_target()
                .and_then(|to| to.dyn_into::<Element>().ok());
            let root = root.cast::<HtmlElement>();
            if !root.is_some_and(|root| to.is_some_and(|to| root.contains(Some(&to)))) {
                open.set(false);
            }
        })
    };
    let note_class = format!("{}-note wg-note", props.class);
    html! {
        <span ref={root} class="wg-explain" onkeydown={on_key} onfocusout={on_focus_out}
            onpointerenter={props.hover.then(|| set(true))} onpointerleave={props.hover.then(|| set(false))}>
            <button type="button" class={props.class} aria-expanded={if *open { "true" } else { "false" }}
                onclick={toggle}>
                { props.button.clone() }
            </button>
            if *open {
                // Focusable, so that pressing on it does not count as going elsewhere.
                <span class={note_class} role="note" tabindex="-1">{ props.children.clone() }</span>
            }
        </span>
    }
}
