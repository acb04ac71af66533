//! The engine as a separate WebAssembly module. `static/engine.js` calls these functions, in a worker or in a page's
//! thread.

use std::cell::RefCell;

use js_sys::Array;
use wasm_bindgen::prelude::*;
use watchglass_worker::engine::Pump;
use watchglass_worker::{file, packed};

thread_local! {
    static PUMP: RefCell<Pump> = RefCell::new(Pump::default());
}

fn main() {
    std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}

/// Handles one message; returns `[true, message, …]`, where `true` means that work remains.
#[wasm_bindgen]
pub fn hear(bytes: &[u8]) -> Array {
    let Ok(message) = postcard::from_bytes(bytes) else {
        wasm_bindgen::throw_str("this release of the engine cannot read the message");
    };
    let mut out = Vec::new();
    PUMP.with_borrow_mut(|pump| pump.hear(message, &mut out));
    packed(true, &out)
}

/// Takes a database file, which the next message opens: a `Blob`, or in the page's thread an `ArrayBuffer`. Returns
/// `[true]`.
#[wasm_bindgen]
pub fn offer(file: &JsValue) -> Array {
    if let Some(source) = file::source(file) {
        PUMP.with_borrow_mut(|pump| pump.offer_file(source));
    }
    Array::of1(&true.into())
}

/// Works for at most `slice_ms` milliseconds; returns `[more, message, …]`, where `more` is true if work remains.
#[wasm_bindgen]
pub fn run(slice_ms: f64) -> Array {
    let mut out = Vec::new();
    let more = PUMP.with_borrow_mut(|pump| pump.run_for(slice_ms, &mut out));
    packed(more, &out)
}
