//! Marks the parts of a picture that belong to the focus of a beat, scrolls to them, and dims all other parts.
//! `static/focus.js` does this, also in figures without a program; it describes the names.

use std::rc::Rc;

use watchglass_engine::view::Views;
use web_sys::Element;
use yew::prelude::*;

use crate::widgets::Shared;

mod script {
    use wasm_bindgen::prelude::wasm_bindgen;
    use web_sys::Element;

    #[wasm_bindgen(raw_module = "./static/focus.js")]
    extern "C" {
        pub fn focus(stage: &Element, is_new: bool) -> bool;
    }
}

/// Marks the parts that belong to `names`, which the drawing area `stage` has in `data-focus`, after each change of the
/// views. Scrolls to the first of these parts when the names or the beat change.
#[hook]
pub fn use_focus(stage: &NodeRef, views: &Rc<Views>, is_laid_out: bool, names: String) {
    let stage = stage.clone();
    let beat = views.status.beat.number;
    let shown = use_mut_ref(|| None::<(u64, String)>);
    use_effect_with(
        (Shared(views.clone()), is_laid_out, names),
        move |(_, _, names)| {
            if let Some(stage) = stage.cast::<Element>() {
                let place = Some((beat, names.clone()));
                let is_new = *shown.borrow() != place;
                // Before the first layout, the picture has no parts.
                let is_shown = script::focus(&stage, is_new);
                shown.replace(place.filter(|_| is_shown));
            }
        },
    );
}
