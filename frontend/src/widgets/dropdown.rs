//! A button that opens a short list below it. The arrow keys move the focus through the list. Esc, a choice, or
//! focusing another element closes the list.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

#[derive(Clone, PartialEq, Properties)]
pub struct DropdownProps {
    /// The purpose of the button, if the content of the button does not state it.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    /// Additional CSS classes of the button.
    #[prop_or_default]
    pub class: Classes,
    pub button: Html,
    /// The content of the list. A click on an element with `data-close` closes the list.
    pub children: Html,
}

/// Focuses the next or the previous element of the list; goes around at the ends.
fn focus_next(root: &NodeRef, is_down: bool) {
    let all = root.cast::<Element>().and_then(|root| {
        root.query_selector_all(".wg-dropdown-list :is(a, button)")
            .ok()
    });
    let active = gloo::utils::document().active_element();
    let Some(all) = all.filter(|all| all.length() > 0) else {
        return;
    };
    let at = (0..all.length()).find(|at| all.item(*at).as_ref() == active.as_deref());
    let to = match (at, is_down) {
        (None, true) => 0,
        (None, false) => all.length() - 1,
        (Some(at), true) => (at + 1) % all.length(),
        (Some(at), false) => (at + all.length() - 1) % all.length(),
    };
    let element = all
        .item(to)
        .and_then(|to| to.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        element.focus().ok();
    }
}

#[component]
pub fn Dropdown(props: &DropdownProps) -> Html {
    let open = use_state(|| false);
    let root = use_node_ref();
    let button = use_node_ref();

    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let on_key = {
        let open = open.clone();
        let (root, button) = (root.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| {
            let step = match event.key().as_str() {
                "ArrowDown" => Some(true),
                "ArrowUp" => Some(false),
                _ => None,
            };
            if let (Some(is_down), true) = (step, *open) {
                event.prevent_default();
                focus_next(&root, is_down);
            }
            if event.key() == "Escape" && *open {
                event.stop_propagation();
                event.prevent_default();
                open.set(false);
                if let Some(button) = button.cast::<HtmlElement>() {
                    button.focus().ok();
                }
            }
        })
    };
    let on_focus_out = {
        let open = open.clone();
        let root = root.clone();
        Callback::from(move |event: FocusEvent| {
            let to = event
                .related_target()
                .and_then(|to| to.dyn_into::<Element>().ok());
            let inside = root
                .cast::<Element>()
                .is_some_and(|root| to.is_some_and(|to| root.contains(Some(&to))));
            if !inside {
                open.set(false);
            }
        })
    };
    let on_pick = {
        let open = open.clone();
        Callback::from(move |event: MouseEvent| {
            let target = event.target().and_then(|to| to.dyn_into::<Element>().ok());
            let closes = target
                .and_then(|target| target.closest("[data-close]").ok().flatten())
                .is_some();
            if closes {
                open.set(false);
            }
        })
    };
    html! {
        <div class="wg-dropdown" ref={root} onkeydown={on_key} onfocusout={on_focus_out}>
            <button ref={button} type="button" class={classes!("wg-button", props.class.clone())}
                aria-label={props.label.clone()} title={props.label.clone()}
                aria-expanded={if *open { "true" } else { "false" }} onclick={toggle}>
                { props.button.clone() }
            </button>
            if *open {
                // Focusable, so that a click on the padding does not move the focus out of the list.
                <div class="wg-dropdown-list" tabindex="-1" onclick={on_pick}>
                    { props.children.clone() }
                </div>
            }
        </div>
    }
}
