//! Offers files for download, and reads the files that the reader chooses.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Reads the first `bytes` bytes of a file. Returns `None` if the browser refuses to read the file, for example because
/// the file has changed since the user chose it.
pub async fn start(file: &Blob, bytes: u32) -> Option<Vec<u8>> {
    let piece = file.slice_with_f64_and_f64(0.0, bytes.into()).ok()?;
    Some(Uint8Array::new(&whole(&piece).await?).to_vec())
}

/// Reads a whole file, as an `ArrayBuffer`. Returns `None` if the browser refuses to read the file.
pub async fn whole(file: &Blob) -> Option<JsValue> {
    JsFuture::from(file.array_buffer()).await.ok()
}

/// The name of the `window` function that unpacks a gzip file (`static/start.js`).
const UNPACK: &str = "watchglassUnpack";

/// Unpacks a gzip file. Calls `progress` with the number of compressed bytes that are read, until the function returns
/// false. Returns `None` if the data is damaged, or if `progress` has returned false.
pub async fn unpacked(file: &Blob, progress: impl FnMut(f64) -> bool + 'static) -> Option<Blob> {
    let window = gloo::utils::window();
    let unpack: Function = Reflect::get(&window, &UNPACK.into())
        .ok()?
        .dyn_into()
        .ok()?;
    let progress = Closure::<dyn FnMut(f64) -> bool>::new(progress);
    let unpacked = unpack.call2(&window, file, progress.as_ref());
    let unpacked: Promise = unpacked.ok()?.dyn_into().ok()?;
    JsFuture::from(unpacked).await.ok()?.dyn_into().ok()
}

/// Why the text of a file cannot be read.
pub enum TextError {
    TooLarge,
    NotText,
    NotReadable,
}

/// Reads a file that contains text in UTF-8, of at most `bytes_max` bytes.
pub async fn text(file: &Blob, bytes_max: f64) -> Result<String, TextError> {
    if file.size() > bytes_max {
        return Err(TextError::TooLarge);
    }
    let text = JsFuture::from(file.text()).await.ok();
    // The browser replaces what is not UTF-8.
    match text.and_then(|text| text.as_string()) {
        Some(text) if text.contains(['\0', '\u{fffd}']) => Err(TextError::NotText),
        Some(text) => Ok(text),
        None => Err(TextError::NotReadable),
    }
}

pub fn save_text(name: &str, text: &str) -> Option<()> {
    save_blob(
        name,
        &Blob::new_with_str_sequence(&Array::of1(&text.into())).ok()?,
    )
}

pub fn save_bytes(name: &str, bytes: &[u8]) -> Option<()> {
    let parts = Array::of1(&Uint8Array::from(bytes).into());
    save_blob(name, &Blob::new_with_u8_array_sequence(&parts).ok()?)
}

pub fn save_blob(name: &str, blob: &Blob) -> Option<()> {
    let address = Url::create_object_url_with_blob(blob).ok()?;
    let saved = save(name, &address);
    Url::revoke_object_url(&address).ok();
    saved
}

pub fn save(name: &str, address: &str) -> Option<()> {
    let anchor = gloo::utils::document().create_element("a").ok()?;
    let anchor: HtmlAnchorElement = anchor.dyn_into().ok()?;
    anchor.set_href(address);
    anchor.set_download(name);
    anchor.click();
    Some(())
}
