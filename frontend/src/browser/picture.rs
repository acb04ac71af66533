//! Pictures of the page as files. `static/picture.js` draws them, because it needs the computed style of every element.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// The name of the `window` function that draws a picture (`static/boot.js`).
const DRAW: &str = "watchglassPicture";

/// Draws the first element that matches the selector, as it looks now. `format` is `svg`, `png` or `inline`; `label` is
/// the text alternative, and empty if the element has one. Returns `None` if there is no such element, or if the script
/// that draws cannot be loaded.
pub async fn draw(selector: &str, format: &str, label: &str) -> Option<Blob> {
    let window = web_sys::window()?;
    let element = window.document()?.query_selector(selector).ok()??;
    let draw: Function = Reflect::get(&window, &DRAW.into()).ok()?.dyn_into().ok()?;
    let drawn = draw.call3(&window, &element, &format.into(), &label.into());
    let drawn: Promise = drawn.ok()?.dyn_into().ok()?;
    JsFuture::from(drawn).await.ok()?.dyn_into().ok()
}

/// Draws the element for the HTML of a figure, and returns the SVG.
pub async fn inline(selector: &str, label: &str) -> Option<String> {
    let blob = draw(selector, "inline", label).await?;
    JsFuture::from(blob.text()).await.ok()?.as_string()
}
