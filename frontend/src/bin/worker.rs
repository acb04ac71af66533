//! The engine as a WebAssembly module of its own: registered as a worker, or, where this runs in a
//! page's thread, offered as functions for `inline_host.js`.

use std::cell::RefCell;

use gloo_worker::Registrable;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use watchglass_engine::session::protocol::FromEngine;
use watchglass_frontend::host::{EngineWorker, Postcard, Pump};

/// In a page's thread a slice is short: the page has to draw too.
const INLINE_SLICE_MS: f64 = 5.0;

thread_local! {
    static PUMP: RefCell<Pump> = RefCell::new(Pump::default());
}

fn main() {
    std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
    if js_sys::global()
        .dyn_into::<web_sys::WorkerGlobalScope>()
        .is_ok()
    {
        EngineWorker::registrar().encoding::<Postcard>().register();
    }
}

/// Forgets everything: a fresh engine.
#[wasm_bindgen]
pub fn begin() {
    PUMP.with_borrow_mut(|pump| *pump = Pump::default());
}

/// Hears a message; gives `[true, message, …]`.
#[wasm_bindgen]
pub fn hear(bytes: &[u8]) -> Array {
    let mut out = Vec::new();
    if let Ok(message) = postcard::from_bytes(bytes) {
        PUMP.with_borrow_mut(|pump| pump.hear(message, &mut out));
    }
    packed(true, out)
}

/// Works for a slice; gives `[more, message, …]`.
#[wasm_bindgen]
pub fn run() -> Array {
    let mut out = Vec::new();
    let more = PUMP.with_borrow_mut(|pump| pump.run_for(INLINE_SLICE_MS, &mut out));
    packed(more, out)
}

fn packed(more: bool, out: Vec<FromEngine>) -> Array {
    let answer = Array::of1(&more.into());
    for message in out {
        if let Ok(bytes) = postcard::to_allocvec(&message) {
            answer.push(&Uint8Array::from(bytes.as_slice()));
        }
    }
    answer
}
