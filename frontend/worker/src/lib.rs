//! Runs the engine and the Lab in slices, for the programs that `static/engine.js` loads in a worker or in the page's
//! thread. The page is a crate of its own, so these programs contain no code of the page.

pub mod engine;
pub mod file;
pub mod lab;

use js_sys::{Array, Uint8Array};
use serde::Serialize;

/// Packs the response for `static/engine.js`: whether work remains, then the bytes of each message.
pub fn packed(more: bool, out: &[impl Serialize]) -> Array {
    let answer = Array::of1(&more.into());
    for message in out {
        if let Ok(bytes) = postcard::to_allocvec(message) {
            answer.push(&Uint8Array::from(bytes.as_slice()));
        }
    }
    answer
}
