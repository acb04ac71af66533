//! Leaves for another page, as a click on a link does.

use wasm_bindgen::JsCast;
use web_sys::HtmlAnchorElement;

/// Opens an address relative to the page. The page in one file (`xtask/src/site/offline/single.js`) can lead links to
/// the pages that it contains, but not assignments to `location`.
pub fn open(address: &str) -> Option<()> {
    let link = gloo::utils::document().create_element("a").ok()?;
    let link: HtmlAnchorElement = link.dyn_into().ok()?;
    link.set_href(address);
    // The event of the click must reach the window.
    gloo::utils::body().append_child(&link).ok()?;
    link.click();
    link.remove();
    Some(())
}
