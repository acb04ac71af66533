//! Gives the reader files to save, and reads those that the reader chooses.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Bytes that are read at once: a moment's work for this thread.
const PIECE_BYTES: u64 = 1 << 20;

/// Reads the next bytes of a file from a byte on.
///
/// # Errors
/// When the browser does not give them, for instance because the file was changed since it was chosen.
pub async fn read(file: &Blob, from: u64) -> Result<Vec<u8>, String> {
    let refused =
        |_| "The file could not be read: it was moved or changed. Choose it again.".to_owned();
    let piece = file.slice_with_f64_and_f64(from as f64, (from + PIECE_BYTES) as f64);
    let piece = JsFuture::from(piece.map_err(refused)?.array_buffer());
    let bytes = Uint8Array::new(&piece.await.map_err(refused)?);
    Ok(bytes.to_vec())
}

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
