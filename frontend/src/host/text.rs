//! Fetches the text of a story or a lesson with a function of `static/page.js`. That script may have started the
//! download before this program was loaded.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::text_of;

/// The name of the function on `window` that fetches a text.
const FETCH: &str = "watchglassText";

/// Returns the text, or the reason why the text is missing.
pub async fn fetch(name: &str) -> Result<String, String> {
    let text = match begin(name) {
        Ok(text) => text.await,
        Err(error) => Err(error),
    };
    match text {
        Ok(text) => Ok(text.as_string().unwrap_or_default()),
        Err(error) => Err(text_of(&error)),
    }
}

fn begin(name: &str) -> Result<JsFuture, JsValue> {
    let window = gloo::utils::window();
    let fetch: Function = Reflect::get(&window, &FETCH.into())?.dyn_into()?;
    let promise: Promise = fetch.call1(&window, &name.into())?.dyn_into()?;
    Ok(JsFuture::from(promise))
}
