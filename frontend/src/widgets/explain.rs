//! A button with an explanatory note beside it.
//!
//! A click or the keyboard opens the note; if `hover` is set, pointing opens it, too. Esc or focusing another element
//! closes the note.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The properties of [`Explain`].
#[derive(Clone, PartialEq, Properties)]
pub struct ExplainProps {
    /// The class of the button; the note's class is the same with the suffix `-note`.
    pub class: &'static str,
    /// The content of the button.
    pub button: Html,
    /// Whether pointing at the button opens the note.
    #[prop_or_default]
    pub hover: bool,
    /// The content of the note.
    pub children: Html,
}

/// Renders the button with its note.
#[component]
pub fn Explain(props: &ExplainProps) -> Html {
    let open = use_state_eq(|| false);
    let root = use_node_ref();
    let set = |to: bool| {
        let open = open.clone();
        Callback::from(move |_: PointerEvent| open.set(to))
    };
    let toggle = {
        // If pointing has opened the note, a click must not close it.
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
                // Focusable, so that a click on the note does not move the focus out of it.
                <span class={note_class} role="note" tabindex="-1">{ props.children.clone() }</span>
            }
        </span>
    }
}
