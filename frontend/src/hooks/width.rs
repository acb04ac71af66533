//! Reports the width of an element when it changes, without polling.

use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver, ResizeObserverEntry};
use yew::prelude::*;

/// Calls `on_width` with the element's width in whole pixels: once at first, then after every change.
#[hook]
pub fn use_width(node: &NodeRef, on_width: Callback<u32>) {
    let node = node.clone();
    use_effect_with(node, move |node| {
        let element = node.cast::<Element>();
        let closure = Closure::<dyn Fn(Array)>::new(move |entries: Array| {
            if let Ok(entry) = entries.get(0).dyn_into::<ResizeObserverEntry>() {
                on_width.emit(entry.content_rect().width().round().max(0.0) as u32);
            }
        });
        let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(closure);
        }
    });
}
