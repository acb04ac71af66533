//! Opens a file that is dropped anywhere on the page.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DragEvent, File};
use yew::prelude::*;

use crate::browser::file::{self, TextError};
use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::RunAct;
use crate::state::choices::Tone;
use crate::state::ui::Notice;
use crate::store::{StoreHandle, use_store};
use crate::words::page as words;

/// The maximum size of a transcript. A larger file was probably dropped by mistake.
const FILE_BYTES_MAX: f64 = 32.0 * 1024.0 * 1024.0;

/// The number of bytes from which a database is recognized.
const START_BYTES: u32 = 64;

/// The offset of the magic number in a bbolt database, in bytes.
const META_MAGIC_AT: usize = 16;
const META_MAGIC: [u8; 4] = [0xed, 0xda, 0x0c, 0xed];
/// The first bytes of an SQLite database. The engine refuses such a file with an explanation.
const SQLITE: &[u8] = b"SQLite format 3";

#[component]
pub fn Dropzone() -> Html {
    let store = use_store();
    let over = use_state(|| false);
    {
        let over = over.setter();
        use_effect_with((), move |()| {
            let window = gloo::utils::window();
            let active = EventListenerOptions::enable_prevent_default();
            let dragged = EventListener::new_with_options(&window, "dragover", active, {
                let over = over.clone();
                move |event| {
                    if carries_file(event) {
                        event.prevent_default();
                        over.set(true);
                    }
                }
            });
            let left = EventListener::new(&window, "dragleave", {
                let over = over.clone();
                move |event| {
                    // If the pointer only moves to another element of the page, the event names this element.
                    let leaves = event
                        .dyn_ref::<DragEvent>()
                        .is_none_or(|event| event.related_target().is_none());
                    if leaves {
                        over.set(false);
                    }
                }
            });
            let dropped = EventListener::new_with_options(&window, "drop", active, {
                move |event| {
                    over.set(false);
                    if carries_file(event) {
                        event.prevent_default();
                        if let Some(file) = dropped_file(event) {
                            open(file, store.clone());
                        }
                    }
                }
            });
            move || drop((dragged, left, dropped))
        });
    }
    if *over {
        html! {
            <div class="wg-drop">
                <p>{ words::DROP }</p>
            </div>
        }
    } else {
        html! {}
    }
}

/// Opens a file: a database file in the file dialog, any other file as a transcript. Shows an error if the file cannot
/// be opened.
pub fn open(file: File, store: StoreHandle) {
    spawn_local(async move {
        if is_database(&file).await {
            store.open_file(file);
        } else {
            open_text(file, store);
        }
    });
}

/// Returns true if the file is a bbolt database, is an SQLite database, or has a name that ends with `.db`.
async fn is_database(file: &File) -> bool {
    if file.name().ends_with(".db") {
        return true;
    }
    let start = file::start(file, START_BYTES).await.unwrap_or_default();
    let starts_at = |at: usize, what: &[u8]| start.get(at..at + what.len()) == Some(what);
    starts_at(META_MAGIC_AT, &META_MAGIC) || starts_at(0, SQLITE)
}

fn open_text(file: File, store: StoreHandle) {
    spawn_local(async move {
        let action = match file::text(&file, FILE_BYTES_MAX).await {
            Ok(text) => Action::Run(RunAct::OpenText(text)),
            Err(TextError::TooLarge) => refusal(words::is_too_large(&file.name())),
            Err(TextError::NotText) => refusal(words::is_not_text(&file.name())),
            Err(TextError::NotReadable) => refusal(words::is_not_readable(&file.name())),
        };
        store.dispatch(action);
    });
}

fn refusal(text: String) -> Action {
    Action::Layout(LayoutAct::Tell(Notice {
        tone: Tone::Bad,
        text,
        offers: Vec::new(),
    }))
}

fn carries_file(event: &Event) -> bool {
    event
        .dyn_ref::<DragEvent>()
        .and_then(|event| event.data_transfer())
        .is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

fn dropped_file(event: &Event) -> Option<File> {
    event
        .dyn_ref::<DragEvent>()?
        .data_transfer()?
        .files()?
        .get(0)
}
