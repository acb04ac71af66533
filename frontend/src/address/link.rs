//! Reads the link after the `#` in the address, and writes the name of the open run into the address.
//!
//! The browser never sends the part after the `#` to a server.

use js_sys::global;
use wasm_bindgen::JsValue;
use watchglass_engine::session::permalink::is_link;
use web_sys::UrlSearchParams;

use super::Address;
use crate::keep::slot;

pub const RUN: &str = "run";
pub const LESSON: &str = "lesson";
pub const PRACTICE: &str = "practice";
pub const WRITE: &str = "write";
const FIGURE_PAGE: &str = "embed.html";

pub fn from_address() -> Option<String> {
    let hash = gloo::utils::window().location().hash().ok()?;
    let text = hash.strip_prefix('#')?;
    is_link(text).then(|| text.to_owned())
}

/// Returns the text of the scenario that `static/start.js` fetched, if the address names a scenario file.
pub fn fetched_scenario() -> Option<String> {
    let name = JsValue::from_str("watchglassScenario");
    js_sys::Reflect::get(&global(), &name).ok()?.as_string()
}

/// Returns the address of the app, followed by `rest`. The app and the page of a figure are in the same folder.
pub fn to_app(rest: &str) -> String {
    let address = gloo::utils::window().location().href().unwrap_or_default();
    [app_address(&address), rest].concat()
}

/// Returns the address of the app, with the query and the link (the part from `#` on) of this web page.
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

/// Names the open saved run in the page's address. A slot stores which run opens with a source. If the slot of the
/// run's source leads to this run, the address names the source; otherwise, the address names the id of the run. If the
/// user chose the run, the browser's Back button leads to the previous run.
pub fn name_run(slot: Option<&str>, id: &str, is_chosen: bool) {
    match slot {
        Some(slot) if leads_to(slot) => {}
        slot => {
            let source = slot.and_then(slot::query);
            rename(&source.unwrap_or_else(|| format!("{RUN}={id}")), is_chosen);
        }
    }
}

/// Names the source of the open run in the page's address, or writes `app=` if an address cannot name the source. If
/// the user chose the source, the browser's Back button leads to the previous run.
pub fn name_source(slot: Option<&str>, is_chosen: bool) {
    let slot = slot.unwrap_or_default();
    if !leads_to(slot) {
        let source = slot::query(slot);
        rename(&source.unwrap_or_else(|| "app=".to_owned()), is_chosen);
    }
}

/// Returns the part of the page's query that names a published run or lesson, such as `lesson=L04`.
pub fn published() -> Option<String> {
    let query = gloo::utils::window().location().search().ok()?;
    let words = UrlSearchParams::new_with_str(&query).ok()?;
    ["scenario", LESSON]
        .into_iter()
        .find_map(|word| Some([word, "=", &words.get(word)?].concat()))
}

/// Returns true if the page's address already names the source that this slot identifies.
fn leads_to(slot: &str) -> bool {
    let opening = Address::of_page().opening;
    let named = opening.and_then(|opening| slot::of(&opening.source));
    named.is_some_and(|named| named == slot)
}

/// The query parameters about the run. Some of these parameters have an effect only when the page opens.
const OF_THE_RUN: [&str; 10] = [
    "scenario", LESSON, PRACTICE, WRITE, RUN, "at", "app", "play", "present", "dialog",
];

/// Replaces the query parameters about the run with the parameter `named`, and removes the link after the `#`. Adds an
/// entry to the browser's history if `is_new`, unless the address stays the same or a link has already added an entry.
fn rename(named: &str, is_new: bool) {
    let window = gloo::utils::window();
    let location = window.location();
    let query = location.search().unwrap_or_default();
    let Ok(words) = UrlSearchParams::new_with_str(&query) else {
        return;
    };
    let before = String::from(words.to_string());
    for word in OF_THE_RUN {
        words.delete(word);
    }
    let (name, value) = named.split_once('=').unwrap_or((named, ""));
    words.set(name, value);
    let words = String::from(words.to_string());
    let is_new = is_new && words != before && from_address().is_none();
    let path = location.pathname().unwrap_or_default();
    let address = format!("{path}?{words}");
    if let Ok(history) = window.history() {
        // In a sandboxed frame, the browser refuses to change the address. The page works without the change.
        match is_new {
            true => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
            false => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        }
        .ok();
    }
}

/// Returns true if the reader came here from a page in the same folder, such as the start page, and the browser can go
/// back to this page.
pub fn is_from_same_folder() -> bool {
    let window = gloo::utils::window();
    let has_previous = window
        .history()
        .and_then(|history| history.length())
        .is_ok_and(|length| length > 1);
    let here = window.location().href().unwrap_or_default();
    has_previous && folder(&gloo::utils::document().referrer()) == folder(&here)
}

pub fn go_back() {
    if let Ok(history) = gloo::utils::window().history() {
        // If the browser refuses, the reader stays on this page, which works as well.
        history.back().ok();
    }
}

fn folder(address: &str) -> &str {
    let page = address.split(['?', '#']).next().unwrap_or_default();
    page.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::{app_address, folder, is_link};

    #[test]
    fn the_start_page_and_the_table_of_contents_are_in_the_folder_of_the_app() {
        let app = folder("https://a.b/docs/?dialog=palette");
        for (page, is_same) in [
            ("https://a.b/docs/", true),
            ("https://a.b/docs/scenarios.html#cache", true),
            ("https://a.b/docs/?lesson=L04&next=/x", true),
            ("https://a.b/docs/v1/", false),
            ("https://a.b/", false),
            ("https://search.example/docs/", false),
            // The reader typed the address, or the previous page sends no referrer.
            ("", false),
        ] {
            assert_eq!(folder(page) == app, is_same, "{page}");
        }
    }

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
