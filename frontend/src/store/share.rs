//! Shares the current step as a link in the address bar and on the clipboard, or as a file. Also opens links that a
//! user puts into the address bar.

use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::view::StatusView;

use super::{Store, StoreHandle, api};
use crate::address::Address;
use crate::address::link::{from_address, published, to_app};
use crate::browser::{clipboard, file, picture};
use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::RunAct;
use crate::state::choices::{Picture, PictureFormat, Tone, View};
use crate::state::effect::Happened;
use crate::state::speed::text_of;
use crate::state::ui::{Dialog, Notice};
use crate::words::state as words;

const FILE_NAME: &str = "run.watchglass";
/// The script of `<watch-glass>`, beside the page of the app.
const LOADER: &str = "watch-glass.js";
/// The element with the current view.
const PICTURE: &str = ".wg-picture";

/// Opens each link that the user puts into the address bar, and each address to which the user navigates back.
pub fn follow(store: &Rc<Store>) {
    let store = store.clone();
    let listener = EventListener::new(&gloo::utils::window(), "popstate", move |_| {
        let address = Address::of_page();
        if address.writes {
            // The page for authors begins with its draft.
            gloo::utils::window().location().reload().ok();
            return;
        }
        store.dispatch(Action::Run(RunAct::Follow(address.wanted())));
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
    let rest = address(&handle, link);
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
        show_notice(&store, tone, text);
        api::emit(&Happened::LinkCopied(hash));
    });
}

/// Shows the link to the current step as a QR code. `link` contains the whole run.
pub fn show_qr_code(store: &Rc<Store>, link: &str) {
    let address = to_app(&address(&store.handle(), link));
    store.dispatch(Action::OpenDialog(Dialog::QrCode(address)));
}

/// Copies the HTML that shows the current step as a figure. `link` contains the whole run. Where scripts do not run, as
/// in a feed, readers see the picture and its caption, which is a link to the step.
pub fn copy_embed_code(store: &Rc<Store>, link: &str) {
    let handle = store.handle();
    let status = &handle.views.status;
    let view = handle.ui.prefs.view.name();
    let attributes = match published_place(&handle) {
        Some((name, at)) => format!("scenario=\"{name}\" at=\"{at}\" view=\"{view}\""),
        None => format!("scenario=\"{link}\""),
    };
    let loader = to_app(LOADER);
    let caption = caption(&to_app(&address(&handle, link)), status).unwrap_or_default();
    let label = label(&handle);
    let store = store.clone();
    spawn_local(async move {
        let svg = picture::inline(PICTURE, &label).await.unwrap_or_default();
        let code = |svg: &str| {
            format!(
                "<script type=\"module\" src=\"{loader}\"></script>\n\
                 <watch-glass {attributes}>\n<figure>{svg}\n{caption}</figure>\n</watch-glass>\n"
            )
        };
        let (tone, text) = match clipboard::write(&code(&svg)).await {
            Some(()) => (Tone::Brief, words::EMBED_CODE_COPIED.to_owned()),
            // The reader copies the code from the notice, which has no room for the picture.
            None => (Tone::Quiet, code("")),
        };
        show_notice(&store, tone, text);
    });
}

/// Offers a picture as a file. The file of a view has the names of the run and the view, and the number of the step.
pub fn save_picture(store: &Rc<Store>, saved: Picture, format: PictureFormat) {
    let handle = store.handle();
    let (selector, name, label) = match saved {
        Picture::View => {
            let run = published()
                .and_then(|query| Some(query.strip_prefix("scenario=")?.replace('/', "-")));
            let run = run.unwrap_or_else(|| "watchglass".to_owned());
            let (view, step) = (handle.ui.prefs.view.name(), handle.views.status.step);
            let name = format!("{run}-{view}-step-{step}");
            (PICTURE.to_owned(), name, label(&handle))
        }
        Picture::Lab(name) => (
            format!("[data-lab-picture={name}]"),
            format!("watchglass-lab-{name}"),
            String::new(),
        ),
    };
    let format = format.name();
    let name = format!("{name}.{format}");
    let store = store.clone();
    spawn_local(async move {
        match picture::draw(&selector, format, &label).await {
            None => show_notice(&store, Tone::Bad, words::CANNOT_DRAW_PICTURE.to_owned()),
            Some(blob) if file::save_blob(&name, &blob).is_none() => {
                show_notice(&store, Tone::Bad, words::CANNOT_SAVE_FILES.to_owned());
            }
            Some(_) => {}
        }
    });
}

/// Returns the text alternative of the picture: the title of the run, and what happened.
fn label(handle: &StoreHandle) -> String {
    let status = &handle.views.status;
    let text = text_of(status).unwrap_or(&status.narration);
    format!("{}: {text}", status.title)
}

/// Returns the end of the address of a step: its place in a published run, or the link with the whole run.
fn address(handle: &StoreHandle, link: &str) -> String {
    let view = handle.ui.prefs.view.name();
    match published_place(handle) {
        Some((name, at)) => format!("?scenario={name}&at={at}&view={view}"),
        None => format!("#{link}"),
    }
}

/// Returns the HTML of a figure's caption: the title of the run, which leads to the step, and the text of the beat.
fn caption(address: &str, status: &StatusView) -> Option<String> {
    let text = text_of(status).unwrap_or(&status.narration);
    let make = |name: &str| gloo::utils::document().create_element(name).ok();
    let (caption, title) = (make("figcaption")?, make("a")?);
    title.set_attribute("href", address).ok()?;
    title.set_text_content(Some(&status.title));
    caption.append_child(&title).ok()?;
    if !text.is_empty() {
        caption.append_with_str_1(&format!(": {text}")).ok()?;
    }
    Some(caption.outer_html())
}

/// Returns the published run that the address names and the current place in it, such as `slow-client` and `beat:4`;
/// `None` if the user has added something to the run.
fn published_place(handle: &StoreHandle) -> Option<(String, String)> {
    let status = &handle.views.status;
    let is_published = status.typed == 0 && status.branches.len() < 2 && status.pending.is_none();
    // The Lab's settings are not a part of a published run, and a figure has the address of its frame.
    let is_whole = handle.ui.prefs.view != View::Lab && handle.ui.figure.is_none();
    if !is_published || !is_whole || from_address().is_some() {
        return None;
    }
    let query = published()?;
    let name = query.strip_prefix("scenario=")?;
    let beat = &status.beat;
    let at = match beat.number > 0 && status.step == beat.last {
        true => format!("beat:{}", beat.number),
        false => format!("step:{}", status.step),
    };
    Some((name.to_owned(), at))
}

/// Offers bytes as a file for download.
pub fn save_file(store: &Rc<Store>, name: &str, bytes: &[u8]) {
    if file::save_bytes(name, bytes).is_none() {
        show_notice(store, Tone::Bad, words::CANNOT_SAVE_FILES.to_owned());
    }
}

/// Offers the run as a file, because its link would be too long for an address bar.
pub fn download(store: &Rc<Store>, link: &str) {
    let (tone, text) = match file::save_text(FILE_NAME, link) {
        Some(()) => (Tone::Quiet, words::SAVED_AS_FILE),
        None => (Tone::Bad, words::TOO_LONG_FOR_LINK),
    };
    show_notice(store, tone, text.to_owned());
}

fn show_notice(store: &Rc<Store>, tone: Tone, text: String) {
    store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
        tone,
        text,
        offers: Vec::new(),
    })));
}
