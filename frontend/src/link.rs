//! Links to a moment: from the address bar, into it, and onto the clipboard.
//!
//! What stands behind the `#` never reaches a server.

use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, HtmlAnchorElement, Url, UrlSearchParams};

use crate::address::Address;
use crate::api;
use crate::keep::slot;
use crate::panels::inspector::copy;
use crate::state::happened::Happened;
use crate::state::ui::{Notice, Tone};
use crate::state::{Action, Store};

/// Names a kept run in the address.
pub const RUN: &str = "run";
/// Names a lesson in the address.
pub const LESSON: &str = "lesson";
/// The page of figures.
const FIGURE_PAGE: &str = "embed.html";

/// What a file of a run is called.
const FILE_NAME: &str = "run.watchglass";

/// The link that the page was opened with.
pub fn from_address() -> Option<String> {
    let hash = gloo::utils::window().location().hash().ok()?;
    let text = hash.strip_prefix('#')?;
    is_link(text).then(|| text.to_owned())
}

/// The text that `static/start.js` has fetched, when the address names a file.
pub fn fetched_scenario() -> Option<String> {
    let name = JsValue::from_str("watchglassScenario");
    js_sys::Reflect::get(&js_sys::global(), &name)
        .ok()?
        .as_string()
}

/// Whether a fragment is meant to be a link to a moment, of this or another form.
pub fn is_link(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else {
        return false;
    };
    rest.split_once('.').is_some_and(|(version, _)| {
        !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Opens links that are put into the address bar of the open page, and what the address says when one goes back.
pub fn follow(store: &Rc<Store>) {
    let store = store.clone();
    let listener = EventListener::new(&gloo::utils::window(), "hashchange", move |_| {
        store.dispatch(Action::Follow(Address::of_page().wanted()));
    });
    listener.forget();
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

/// Puts a link into the address bar, without a step of the browser's history, and copies it.
pub fn copy_link(store: &Rc<Store>, link: &str) {
    let window = gloo::utils::window();
    let hash = format!("#{link}");
    let figure = store.handle().ui.figure.is_some();
    if let Some(history) = window.history().ok().filter(|_| !figure) {
        // In a sandboxed frame the address may not be changed; the copy is what counts.
        history
            .replace_state_with_url(&JsValue::NULL, "", Some(&hash))
            .ok();
    }
    let address = to_app(&hash);
    let store = store.clone();
    spawn_local(async move {
        let text = match copy::write(&address).await {
            Some(()) => "The link to this moment is copied.".to_owned(),
            None if figure => format!("The link to this moment: {address}"),
            None => "The link to this moment is in the address bar: copy it from there.".to_owned(),
        };
        store.dispatch(Action::Tell(Notice {
            tone: Tone::Quiet,
            text,
            offer: None,
        }));
        api::emit(&Happened::LinkCopied(hash));
    });
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

/// Whether the address already names that source.
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

/// Gives the run as a file, for a link that no address bar would carry.
pub fn download(store: &Rc<Store>, link: &str) {
    let saved = save_text(FILE_NAME, link).is_some();
    let text = if saved {
        "This run is too long for a link. It was saved as run.watchglass: drop the file on the page \
         to open it again."
    } else {
        "This run is too long for a link, and this browser does not let the page save a file."
    };
    store.dispatch(Action::Tell(Notice {
        tone: if saved { Tone::Quiet } else { Tone::Bad },
        text: text.to_owned(),
        offer: None,
    }));
}

/// Gives a text as a file.
pub fn save_text(name: &str, text: &str) -> Option<()> {
    let blob = Blob::new_with_str_sequence(&Array::of1(&text.into())).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
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
