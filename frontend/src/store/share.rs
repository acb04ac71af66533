//! Shares the current step as a link in the address bar and on the clipboard, or as a file. Also opens links that a
//! user puts into the address bar.

use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::view::StatusView;

use super::{Store, api};
use crate::address::Address;
use crate::address::link::{from_address, published, to_app};
use crate::browser::{clipboard, file};
use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::RunAct;
use crate::state::choices::{Tone, View};
use crate::state::effect::Happened;
use crate::state::ui::Notice;
use crate::words::state as words;

const FILE_NAME: &str = "run.watchglass";

/// Opens each link that the user puts into the address bar, and each address to which the user navigates back.
pub fn follow(store: &Rc<Store>) {
    let store = store.clone();
    let listener = EventListener::new(&gloo::utils::window(), "popstate", move |_| {
        store.dispatch(Action::Run(RunAct::Follow(Address::of_page().wanted())));
    });
    listener.forget();
}

/// Puts a link to the current step into the address bar, without a new entry in the browser's history, and copies it.
/// `link` contains the whole run. A published run to which the user has added nothing has a short link.
pub fn copy_link(store: &Rc<Store>, link: &str) {
    let window = gloo::utils::window();
    let hash = format!("#{link}");
    let handle = store.handle();
    let figure = handle.ui.figure.is_some();
    let short = short_link(&handle.views.status, handle.ui.prefs.view);
    let rest = short.filter(|_| !figure).unwrap_or_else(|| hash.clone());
    if let Some(history) = window.history().ok().filter(|_| !figure) {
        // In a sandboxed frame, the browser refuses to change the address. The copy on the clipboard is sufficient.
        history
            .replace_state_with_url(&JsValue::NULL, "", Some(&rest))
            .ok();
    }
    let address = to_app(&rest);
    let store = store.clone();
    spawn_local(async move {
        let (tone, text) = match clipboard::write(&address).await {
            Some(()) => (Tone::Brief, words::LINK_COPIED.to_owned()),
            // The reader copies the link from the notice.
            None if figure => (Tone::Quiet, words::link_to_step(&address)),
            None => (Tone::Brief, words::LINK_IN_ADDRESS_BAR.to_owned()),
        };
        store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
            tone,
            text,
            offers: Vec::new(),
        })));
        api::emit(&Happened::LinkCopied(hash));
    });
}

/// Returns the query that opens the current step of the published run that the address names, such as
/// `?scenario=slow-client&at=beat:4&view=watch`.
fn short_link(status: &StatusView, view: View) -> Option<String> {
    let is_published = status.typed == 0 && status.branches.len() < 2 && status.pending.is_none();
    // The Lab's settings are not a part of a run.
    if !is_published || view == View::Lab || from_address().is_some() {
        return None;
    }
    let name = published()?;
    let name = name.strip_prefix("scenario=")?;
    let beat = &status.beat;
    let at = match beat.number > 0 && status.step == beat.last {
        true => format!("beat:{}", beat.number),
        false => format!("step:{}", status.step),
    };
    Some(format!("?scenario={name}&at={at}&view={}", view.name()))
}

/// Offers bytes as a file for download.
pub fn save_file(store: &Rc<Store>, name: &str, bytes: &[u8]) {
    if file::save_bytes(name, bytes).is_none() {
        store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
            tone: Tone::Bad,
            text: words::CANNOT_SAVE_FILES.to_owned(),
            offers: Vec::new(),
        })));
    }
}

/// Offers the run as a file, because its link would be too long for an address bar.
pub fn download(store: &Rc<Store>, link: &str) {
    let saved = file::save_text(FILE_NAME, link).is_some();
    let text = if saved {
        words::SAVED_AS_FILE
    } else {
        words::TOO_LONG_FOR_LINK
    };
    store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
        tone: if saved { Tone::Quiet } else { Tone::Bad },
        text: text.to_owned(),
        offers: Vec::new(),
    })));
}
