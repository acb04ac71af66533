//! Gives the reader files to save.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Gives a text as a file.
pub fn save_text(name: &str, text: &str) -> Option<()> {
    save_blob(
        name,
        &Blob::new_with_str_sequence(&Array::of1(&text.into())).ok()?,
    )
}

/// Gives bytes as a file.
pub fn save_bytes(name: &str, bytes: &[u8]) -> Option<()> {
    let parts = Array::of1(&Uint8Array::from(bytes).into());
    save_blob(name, &Blob::new_with_u8_array_sequence(&parts).ok()?)
}

fn save_blob(name: &str, blob: &Blob) -> Option<()> {
    let address = Url::create_object_url_with_blob(blob).ok()?;
    let saved = save(name, &address);
    Url::revoke_object_url(&address).ok();
    saved
}

/// Gives what is at that address as a file.
pub fn save(name: &str, address: &str) -> Option<()> {
    let anchor = gloo::utils::document().create_element("a").ok()?;
    let anchor: HtmlAnchorElement = anchor.dyn_into().ok()?;
    anchor.set_href(address);
    anchor.set_download(name);
    anchor.click();
    Some(())
}
