//! Presenter mode shows a part of a view whole or not at all: nobody scrolls during a presentation.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, HtmlElement, ResizeObserver};
use yew::prelude::*;

use crate::state::ui::View;

/// The class of a part that the picture can do without.
const PART: &str = ".wg-part";
/// The class of a part that is not shown.
const LEFT_OUT: &str = "is-left-out";

/// Leaves out the parts of the view in `node` that do not fit whole, from the first such part to the last part. Does
/// nothing outside presenter mode.
#[hook]
pub fn use_whole_parts(node: &NodeRef, is_presenting: bool, view: View, step: u64) {
    let node = node.clone();
    use_effect_with((is_presenting, view, step), move |(is_presenting, ..)| {
        let stage = node.cast::<Element>();
        let watch = stage.and_then(|stage| {
            let scroller = stage.query_selector(".wg-view-scroll").ok()??;
            let fit = {
                let (scroller, is_presenting) = (scroller.clone(), *is_presenting);
                move || leave_out(&scroller, is_presenting)
            };
            fit();
            let closure = Closure::<dyn Fn()>::new(fit);
            let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
            if *is_presenting {
                observer.observe(&scroller);
                // The content of a view becomes higher without a new step, for instance after the first layout.
                if let Some(content) = scroller.first_element_child() {
                    observer.observe(&content);
                }
            }
            Some((observer, closure))
        });
        move || {
            if let Some((observer, _closure)) = watch {
                observer.disconnect();
            }
        }
    });
}

/// Leaves out the parts that end below the lower edge of `scroller`; shows all parts if `is_presenting` is false.
fn leave_out(scroller: &Element, is_presenting: bool) {
    let Ok(all) = scroller.query_selector_all(PART) else {
        return;
    };
    let parts = (0..all.length()).filter_map(|at| all.item(at)?.dyn_into::<HtmlElement>().ok());
    let parts: Vec<HtmlElement> = parts.collect();
    for part in &parts {
        let _ = part.class_list().remove_1(LEFT_OUT);
    }
    if !is_presenting {
        return;
    }
    let room = scroller.get_bounding_client_rect().height();
    let Some(content) = scroller.first_element_child() else {
        return;
    };
    let top = content.get_bounding_client_rect().top();
    let ends_below = |part: &HtmlElement| part.get_bounding_client_rect().bottom() - top > room;
    let first = parts.iter().position(ends_below);
    for part in &parts[first.unwrap_or(parts.len())..] {
        let _ = part.class_list().add_1(LEFT_OUT);
    }
}
