//! Fetches the text of a story or a lesson with the function that `static/page.js` has put on the window: it may have
//! begun before this program was there.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::text_of;

/// Where the function is.
const FETCH: &str = "watchglassText";

/// Returns the text, or why there is none.
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
