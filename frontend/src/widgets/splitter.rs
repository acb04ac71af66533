//! The edge of a panel. The user drags the edge or presses the arrow keys to change the size of the panel.

use std::ops::RangeInclusive;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The change of the size by one press of an arrow key, in pixels.
const KEY_PX: u16 = 24;

/// The edge of the panel at which the splitter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The upper edge: the splitter changes the height. The splitter is a child of the panel.
    Top,
    /// The left edge: the splitter changes the width. The panel is the next element after the splitter.
    Left,
}

#[derive(Clone, PartialEq, Properties)]
pub struct SplitterProps {
    pub label: &'static str,
    pub edge: Edge,
    /// The custom property of the root element from which the style sheet takes the size.
    pub property: &'static str,
    /// The permitted sizes, in pixels.
    pub range: RangeInclusive<u16>,
    /// The size in pixels; 0 means the default of the layout.
    pub size: u16,
    /// The default of the layout, in pixels.
    pub default: u16,
    /// Called with the size that the reader wants.
    pub on_size: Callback<u16>,
}

#[component]
pub fn Splitter(props: &SplitterProps) -> Html {
    let node = use_node_ref();
    let drag = use_mut_ref(|| None::<(i32, f64)>);
    let (edge, size) = (props.edge, props.size);
    use_effect_with((props.property, size), |(property, size)| {
        apply(property, *size);
    });
    let at = move |event: &PointerEvent| match edge {
        Edge::Top => event.client_y(),
        Edge::Left => event.client_x(),
    };
    let on_down = {
        let drag = drag.clone();
        let node = node.clone();
        Callback::from(move |event: PointerEvent| {
            if let Some(element) = node.cast::<Element>() {
                element.set_pointer_capture(event.pointer_id()).ok();
                drag.replace(Some((at(&event), size_of(&element, edge))));
            }
        })
    };
    let on_move = {
        let (drag, on_size) = (drag.clone(), props.on_size.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some((from, size)) = *drag.borrow() {
                on_size.emit((size + f64::from(from - at(&event))).max(0.0) as u16);
            }
        })
    };
    let on_up = Callback::from(move |_: PointerEvent| {
        drag.replace(None);
    });
    let on_key = {
        let (node, range, on_size) = (node.clone(), props.range.clone(), props.on_size.clone());
        Callback::from(move |event: KeyboardEvent| {
            let Some(element) = node.cast::<Element>() else {
                return;
            };
            let now = size_of(&element, edge) as u16;
            let wanted = match (edge, event.key().as_str()) {
                (Edge::Top, "ArrowUp") | (Edge::Left, "ArrowLeft") => now.saturating_add(KEY_PX),
                (Edge::Top, "ArrowDown") | (Edge::Left, "ArrowRight") => now.saturating_sub(KEY_PX),
                (_, "Home") => *range.end(),
                (_, "End") => *range.start(),
                _ => return,
            };
            event.prevent_default();
            on_size.emit(wanted);
        })
    };
    let (class, orientation) = match edge {
        Edge::Top => ("wg-splitter", "horizontal"),
        Edge::Left => ("wg-splitter is-upright", "vertical"),
    };
    let now = if size == 0 { props.default } else { size };
    html! {
        <div ref={node} {class} role="separator" tabindex="0" aria-orientation={orientation} aria-label={props.label}
            aria-valuemin={props.range.start().to_string()} aria-valuemax={props.range.end().to_string()}
            aria-valuenow={now.to_string()} onpointerdown={on_down} onpointermove={on_move}
            onpointerup={on_up.clone()} onpointercancel={on_up} onkeydown={on_key}></div>
    }
}

/// Sets the size on the root element. There, `static/page.js` also sets the height that the terminal had at the last
/// visit. Uses the object model, because the style policy forbids a `style` attribute.
fn apply(property: &str, size: u16) {
    let root = gloo::utils::document().document_element();
    if let Some(root) = root.and_then(|root| root.dyn_into::<HtmlElement>().ok()) {
        let style = root.style();
        if size == 0 {
            style.remove_property(property).ok();
        } else {
            style.set_property(property, &format!("{size}px")).ok();
        }
    }
}

fn size_of(splitter: &Element, edge: Edge) -> f64 {
    let panel = match edge {
        Edge::Top => splitter.parent_element(),
        Edge::Left => splitter.next_element_sibling(),
    };
    panel.map_or(0.0, |panel| {
        let bounds = panel.get_bounding_client_rect();
        match edge {
            Edge::Top => bounds.height(),
            Edge::Left => bounds.width(),
        }
    })
}
