//! Opens a file that is dropped anywhere on the page.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::session::foreign::{START_BYTES, opens_as_database};
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
        let start = file::start(&file, START_BYTES as u32).await;
        if opens_as_database(&file.name(), &start.unwrap_or_default()) {
            store.open_file(file);
        } else {
            open_text(file, store);
        }
    });
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
