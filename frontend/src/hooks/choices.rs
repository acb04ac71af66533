//! Takes the focus from a `select` after a choice with the pointer. While a `select` has the focus, it uses letters and
//! Space itself, so no shortcut of a single character works. After a choice with the keyboard, the `select` keeps the
//! focus, because each arrow key is a choice.

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// Takes the focus from each `select` in which the user chose with the pointer, until the component is removed.
#[hook]
pub fn use_choices() {
    use_effect_with((), |()| {
        let window = gloo::utils::window();
        let by_pointer = Rc::new(Cell::new(false));
        let note = |name: &'static str, is_pointer: bool| {
            let by_pointer = by_pointer.clone();
            let options = EventListenerOptions::run_in_capture_phase();
            EventListener::new_with_options(&window, name, options, move |_| {
                by_pointer.set(is_pointer);
            })
        };
        let notes = [note("pointerdown", true), note("keydown", false)];
        let chosen = EventListener::new(&window, "change", move |event| {
            let target = event.target();
            let select = target.and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
            if let Some(select) = select.filter(|_| by_pointer.get()) {
                // If `blur` fails, the `select` keeps the focus.
                select.blur().ok();
            }
        });
        move || drop((notes, chosen))
    });
}
