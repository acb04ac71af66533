//! In presenter mode and in a figure, each part of a view is shown completely or not at all. `static/parts.js` leaves
//! out the parts that do not fit, also in figures without a program.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::Element;
use web_sys::js_sys::{Array, Function};
use yew::prelude::*;

use crate::words::common;

mod script {
    use wasm_bindgen::prelude::wasm_bindgen;
    use web_sys::Element;
    use web_sys::js_sys::Function;

    #[wasm_bindgen(raw_module = "./static/parts.js")]
    extern "C" {
        #[wasm_bindgen(js_name = keepWhole)]
        pub fn keep_whole(root: &Element, say: &Function) -> Function;
        #[wasm_bindgen(js_name = showAll)]
        pub fn show_all(root: &Element);
    }
}

/// Leaves out the parts of the view in `node` that do not fit whole, after each rendering. Shows all parts again if
/// `is_on` becomes false.
#[hook]
pub fn use_whole_parts(node: &NodeRef, is_on: bool) {
    let node = node.clone();
    let was_on = use_mut_ref(|| false);
    use_effect(move || {
        let was_on = was_on.replace(is_on);
        let root = node.cast::<Element>();
        if let Some(root) = root.as_ref().filter(|_| was_on && !is_on) {
            script::show_all(root);
        }
        let kept = root.filter(|_| is_on).map(|root| {
            let say = Closure::<dyn Fn(Array) -> String>::new(|parts| sentence(&parts));
            let stop = script::keep_whole(&root, say.as_ref().unchecked_ref());
            (stop, say)
        });
        move || {
            if let Some((stop, _say)) = kept {
                stop_observing(&stop);
            }
        }
    });
}

fn stop_observing(stop: &Function) {
    let _ = stop.call0(&wasm_bindgen::JsValue::NULL);
}

/// Returns the sentence about parts, from pairs of a name and a number of rows; 0 means that the part is no table.
fn sentence(parts: &Array) -> String {
    let names = parts.iter().map(|part| {
        let part: Array = part.unchecked_into();
        let name = part.get(0).as_string().unwrap_or_default();
        match part.get(1).as_f64() {
            Some(rows) if rows > 0.0 => common::rows_of(&name, rows as u64),
            _ => name,
        }
    });
    common::not_shown(&names.collect::<Vec<_>>())
}
