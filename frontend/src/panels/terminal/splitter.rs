//! The upper edge of the terminal, which changes its height by dragging or with the arrow keys.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::state::Action;
use crate::state::reduce::TERMINAL_HEIGHT;
use crate::store::use_store;

/// The change of the height by one press of an arrow key, in pixels.
const KEY_PX: u16 = 24;

#[component]
pub(super) fn Splitter() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let drag = use_mut_ref(|| None::<(i32, f64)>);
    let height = store.ui.prefs.terminal_height;
    use_effect_with(height, |height| apply(*height));
    let on_down = {
        let drag = drag.clone();
        let node = node.clone();
        Callback::from(move |event: PointerEvent| {
            if let Some(edge) = node.cast::<Element>() {
                edge.set_pointer_capture(event.pointer_id()).ok();
                drag.replace(Some((event.client_y(), height_of(&edge))));
            }
        })
    };
    let on_move = {
        let drag = drag.clone();
        let store = store.clone();
        Callback::from(move |event: PointerEvent| {
            if let Some((y, height)) = *drag.borrow() {
                let wanted = height + f64::from(y - event.client_y());
                store.dispatch(Action::TerminalHeight(wanted.max(0.0) as u16));
            }
        })
    };
    let on_up = Callback::from(move |_: PointerEvent| {
        drag.replace(None);
    });
    let on_key = {
        let store = store.clone();
        let node = node.clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(edge) = node.cast::<Element>() else {
                return;
            };
            let now = height_of(&edge) as u16;
            let wanted = match event.key().as_str() {
                "ArrowUp" => now.saturating_add(KEY_PX),
                "ArrowDown" => now.saturating_sub(KEY_PX),
                "Home" => *TERMINAL_HEIGHT.end(),
                "End" => *TERMINAL_HEIGHT.start(),
                _ => return,
            };
            event.prevent_default();
            store.dispatch(Action::TerminalHeight(wanted));
        })
    };
    html! {
        <div ref={node} class="wg-splitter" role="separator" tabindex="0" aria-orientation="horizontal"
            aria-label="Height of the terminal"
            aria-valuemin={TERMINAL_HEIGHT.start().to_string()} aria-valuemax={TERMINAL_HEIGHT.end().to_string()}
            aria-valuenow={(if height == 0 { 200 } else { height }).to_string()}
            onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up.clone()}
            onpointercancel={on_up} onkeydown={on_key}></div>
    }
}

/// Sets the height of the terminal on the root element; `static/page.js` sets the height of the last visit there. Uses
/// the object model, because the style policy forbids a `style` attribute.
fn apply(height: u16) {
    let root = gloo::utils::document().document_element();
    if let Some(root) = root.and_then(|root| root.dyn_into::<HtmlElement>().ok()) {
        let style = root.style();
        if height == 0 {
            style.remove_property("--wg-terminal-height").ok();
        } else {
            let height = format!("{height}px");
            style.set_property("--wg-terminal-height", &height).ok();
        }
    }
}

fn height_of(edge: &Element) -> f64 {
    edge.parent_element()
        .map_or(0.0, |terminal| terminal.get_bounding_client_rect().height())
}
