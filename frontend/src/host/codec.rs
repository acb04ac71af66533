//! Messages between page and worker as postcard bytes.

use gloo_worker::Codec;
use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsValue, throw_str};

/// Compact and without names; page and worker are always of the same build.
#[derive(Debug)]
pub struct Postcard;

impl Codec for Postcard {
    fn encode<I: Serialize>(input: I) -> JsValue {
        match postcard::to_allocvec(&input) {
            Ok(bytes) => Uint8Array::from(bytes.as_slice()).into(),
            Err(_) => throw_str("a message could not be encoded"),
        }
    }

    fn decode<O: for<'de> Deserialize<'de>>(input: JsValue) -> O {
        let bytes = Uint8Array::from(input).to_vec();
        match postcard::from_bytes(&bytes) {
            Ok(message) => message,
            // Only a worker of another version can send such bytes.
            Err(_) => throw_str("page and worker are of different versions; reload the page"),
        }
    }
}
