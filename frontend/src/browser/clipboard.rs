//! Writes to the clipboard.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Copies a text to the clipboard; returns `None` if the browser does not allow this. Uses `Reflect`, because some
/// browsers have no clipboard object.
pub async fn write(text: &str) -> Option<()> {
    let navigator = Reflect::get(web_sys::window()?.as_ref(), &"navigator".into()).ok()?;
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).ok()?;
    let write: Function = Reflect::get(&clipboard, &"writeText".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let promise: Promise = write
        .call1(&clipboard, &JsValue::from_str(text))
        .ok()?
        .dyn_into()
        .ok()?;
    JsFuture::from(promise).await.ok()?;
    Some(())
}
