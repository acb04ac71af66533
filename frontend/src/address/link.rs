//! What the address bar says, and what the page writes into it: the link behind the `#`, the run that is open.
//!
//! What stands behind the `#` never reaches a server.

use js_sys::global;
use wasm_bindgen::JsValue;
use watchglass_engine::session::permalink::is_link;
use web_sys::UrlSearchParams;

use super::Address;
use crate::keep::slot;

/// Names a kept run in the address.
pub const RUN: &str = "run";
/// Names a lesson in the address.
pub const LESSON: &str = "lesson";
/// The page of figures.
const FIGURE_PAGE: &str = "embed.html";

/// The link that the page was opened with.
pub fn from_address() -> Option<String> {
    let hash = gloo::utils::window().location().hash().ok()?;
    let text = hash.strip_prefix('#')?;
    is_link(text).then(|| text.to_owned())
}

/// The text that `static/start.js` has fetched, when the address names a file.
pub fn fetched_scenario() -> Option<String> {
    let name = JsValue::from_str("watchglassScenario");
    js_sys::Reflect::get(&global(), &name).ok()?.as_string()
}

/// Where the app lies, and this behind it; a figure's page lies beside it.
pub fn to_app(rest: &str) -> String {
    let address = gloo::utils::window().location().href().unwrap_or_default();
    [app_address(&address), rest].concat()
}

/// The app at what this page's own address asks for.
pub fn to_app_as_here() -> String {
    let location = gloo::utils::window().location();
    let query = location.search().unwrap_or_default();
    let hash = location.hash().unwrap_or_default();
    to_app(&[query, hash].concat())
}

fn app_address(address: &str) -> &str {
    let page = address.split(['?', '#']).next().unwrap_or_default();
    page.strip_suffix(FIGURE_PAGE).unwrap_or(page)
}

/// Has the address name the kept run that is open: by its source, if that is where the slot leads, else by its id.
pub fn name_run(slot: Option<&str>, id: &str) {
    match slot {
        Some(slot) if leads_to(slot) => {}
        Some(slot) => match slot::query(slot) {
            Some(query) => rename(&query),
            None => rename(&format!("{RUN}={id}")),
        },
        None => rename(&format!("{RUN}={id}")),
    }
}

/// Has the address name the source that is open, as far as an address can.
pub fn name_source(slot: Option<&str>) {
    let slot = slot.unwrap_or_default();
    if !leads_to(slot) {
        rename(&slot::query(slot).unwrap_or_else(|| "app=".to_owned()));
    }
}

/// Whether the address already names this source.
fn leads_to(slot: &str) -> bool {
    let opening = Address::of_page().opening;
    let named = opening.and_then(|opening| slot::of(&opening.source));
    named.is_some_and(|named| named == slot)
}

/// What an address says of the run, and what it asks for once.
const OF_THE_RUN: [&str; 7] = ["scenario", LESSON, RUN, "at", "app", "play", "dialog"];

/// Puts this into the query in place of what was said of the run, and removes what was behind the `#`. The browser's
/// history has no step of it.
fn rename(named: &str) {
    let window = gloo::utils::window();
    let location = window.location();
    let query = location.search().unwrap_or_default();
    let Ok(words) = UrlSearchParams::new_with_str(&query) else {
        return;
    };
    for word in OF_THE_RUN {
        words.delete(word);
    }
    let (name, value) = named.split_once('=').unwrap_or((named, ""));
    words.set(name, value);
    let words = String::from(words.to_string());
    let path = location.pathname().unwrap_or_default();
    let address = format!("{path}?{words}");
    if let Ok(history) = window.history() {
        // In a sandboxed frame the address may not be changed, and nothing depends on it.
        history
            .replace_state_with_url(&JsValue::NULL, "", Some(&address))
            .ok();
    }
}

#[cfg(test)]
mod tests {
    use super::{app_address, is_link};

    #[test]
    fn the_app_lies_beside_the_page_of_figures() {
        for (page, app) in [
            ("https://a.b/docs/?theme=dark#v1.x", "https://a.b/docs/"),
            ("https://a.b/docs/embed.html?at=end", "https://a.b/docs/"),
            ("https://a.b/docs/index.html", "https://a.b/docs/index.html"),
        ] {
            assert_eq!(app_address(page), app);
        }
    }

    #[test]
    fn what_a_link_is() {
        for link in ["v1.abc", "v12.", "v1.x.y"] {
            assert!(is_link(link), "{link}");
        }
        for other in ["", "v", "v1", "vx.abc", "section", "video.mp4", "v.abc"] {
            assert!(!is_link(other), "{other}");
        }
    }
}
