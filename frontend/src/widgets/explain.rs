//! A button with an explanatory note beside it.
//!
//! A click or the keyboard opens the note; if `hover` is set, pointing opens it, too. Esc or focusing another element
//! closes the note. If pointing opened the note, the note closes a moment after the pointer has left the button, not at
//! once. The reason is that the note of a term is below the text, so the pointer crosses the text on its way to the
//! note.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

#[derive(Clone, PartialEq, Properties)]
pub struct ExplainProps {
    /// The class of the button; the note's class is the same with the suffix `-note`.
    pub class: &'static str,
    pub button: Html,
    /// Whether pointing at the button opens the note.
    #[prop_or_default]
    pub hover: bool,
    /// The number of the text that contains the button. If the number changes, the note closes.
    #[prop_or_default]
    pub text: u64,
    /// The content of the note.
    pub children: Html,
}

/// The time within which the pointer can move from the button to the note before the note closes, in milliseconds.
const LEAVING_MS: u32 = 400;

/// The distance between the text and the note, in pixels.
const GAP: f64 = 4.0;

#[component]
pub fn Explain(props: &ExplainProps) -> Html {
    let open = use_state_eq(|| false);
    let root = use_node_ref();
    let is_pinned = use_mut_ref(|| false);
    let leaving = use_mut_ref(|| None::<Timeout>);
    {
        let (open, is_pinned) = (open.clone(), is_pinned.clone());
        use_effect_with(props.text, move |_| {
            is_pinned.replace(false);
            open.set(false);
        });
    }
    let on_enter = {
        let (open, leaving) = (open.clone(), leaving.clone());
        Callback::from(move |_: PointerEvent| {
            leaving.replace(None);
            open.set(true);
        })
    };
    let on_leave = {
        let (open, is_pinned, leaving) = (open.clone(), is_pinned.clone(), leaving.clone());
        Callback::from(move |_: PointerEvent| {
            if !*is_pinned.borrow() {
                let open = open.clone();
                leaving.replace(Some(Timeout::new(LEAVING_MS, move || open.set(false))));
            }
        })
    };
    let toggle = {
        let (open, is_pinned) = (open.clone(), is_pinned.clone());
        Callback::from(move |_: MouseEvent| {
            // The pointer of a finger leaves before the click.
            leaving.replace(None);
            // If pointing has opened the note, the first click must not close it.
            let opens = !(*open && is_pinned.replace(false));
            is_pinned.replace(opens);
            open.set(opens);
        })
    };
    let on_key = {
        let (open, is_pinned) = (open.clone(), is_pinned.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && *open {
                event.prevent_default();
                event.stop_propagation();
                is_pinned.replace(false);
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
                is_pinned.replace(false);
                open.set(false);
            }
        })
    };
    let note = use_node_ref();
    {
        let note = note.clone();
        use_effect_with(*open, move |is_open| {
            if let Some(note) = note.cast::<HtmlElement>().filter(|_| *is_open) {
                keep_in_sight(&note);
            }
        });
    }
    let note_class = format!("{}-note wg-note", props.class);
    html! {
        <span ref={root} class="wg-explain" onkeydown={on_key} onfocusout={on_focus_out}
            onpointerenter={props.hover.then_some(on_enter)} onpointerleave={props.hover.then_some(on_leave)}>
            <button type="button" class={props.class} aria-expanded={if *open { "true" } else { "false" }}
                onclick={toggle}>
                { props.button.clone() }
            </button>
            if *open {
                // Focusable, so that a click on the note does not move the focus out of it.
                <span ref={note} class={note_class} role="note" tabindex="-1">{ props.children.clone() }</span>
            }
        </span>
    }
}

/// Keeps a note visible if it ends below the visible part of its text: moves the note above the text or, if there is no
/// room above the text either, scrolls.
fn keep_in_sight(note: &HtmlElement) {
    let Ok(Some(scroller)) = note.closest(".wg-fades") else {
        return;
    };
    let (seen, at) = (
        scroller.get_bounding_client_rect(),
        note.get_bounding_client_rect(),
    );
    let below = at.bottom() - seen.bottom();
    if below <= 0.0 {
        return;
    }
    let text = note
        .offset_parent()
        .map(|text| text.get_bounding_client_rect().top());
    if text.is_some_and(|top| top - at.height() - GAP >= seen.top()) {
        let _ = note.class_list().add_1("is-above");
    } else {
        scroller.set_scroll_top(scroller.scroll_top() + below.ceil() as i32);
    }
}
