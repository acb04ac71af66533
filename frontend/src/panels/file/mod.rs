//! The dialog for a database file. The dialog lets the user choose the file, shows the progress of reading, and shows
//! the content of the file.

mod comparison;
mod decryption;
mod export;
mod keys;
mod maintenance;
mod number_field;
mod overview;
mod prefixes;
mod value;
#[cfg(test)]
mod words_tests;
mod writers;

use web_sys::{File, HtmlInputElement};
use yew::prelude::*;

use crate::state::Action;
use crate::state::file_panel::{FileAct, FilePanel, FileProgress, WantedFile};
use crate::store::{StoreHandle, use_store};
use crate::words::{common, file as words};

/// Returns the title of the dialog.
pub fn title(file: &FilePanel) -> String {
    match (&file.opening, &file.wanted, &file.overview) {
        (Some(opening), ..) => opening.name.clone(),
        (None, None, Some(overview)) => overview.name.clone(),
        (None, Some(_), _) => words::NEEDS_SNAPSHOT.to_owned(),
        (None, None, None) => words::OPEN_SNAPSHOT.to_owned(),
    }
}

#[component]
pub fn FileDialog() -> Html {
    let store = use_store();
    let file = &store.ui.file;
    if let Some(opening) = &file.opening {
        html! {
            <>
                { progress(&store, &opening.progress, FileAct::Close, Some("status")) }
                <p>{ words::PRIVATE }</p>
            </>
        }
    } else if let Some(wanted) = &file.wanted {
        ask_again(&store, wanted)
    } else if let Some(overview) = &file.overview {
        html! { <overview::Overview overview={overview.clone()} /> }
    } else {
        choose(&store)
    }
}

fn choose(store: &StoreHandle) -> Html {
    html! {
        <div class="file-choose">
            <p>{ words::choose() }</p>
            <p>{ words::PRIVATE }</p>
            { refused(&store.ui.file.refused) }
            { choose_button(store, words::CHOOSE, true, StoreHandle::open_file) }
        </div>
    }
}

fn refused(why: &str) -> Html {
    if why.is_empty() {
        return html! {};
    }
    html! { <p class="file-refused" role="alert">{ why.to_owned() }</p> }
}

/// Renders a button that chooses a file, and opens the file with `open`.
fn choose_button(
    store: &StoreHandle,
    label: &'static str,
    is_primary: bool,
    open: fn(&StoreHandle, File),
) -> Html {
    let chosen = {
        let store = store.clone();
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            let file = input.as_ref().and_then(|input| input.files()?.get(0));
            if let Some(file) = file {
                open(&store, file);
            }
            // Reset the field so that the same file can be chosen again.
            if let Some(input) = input {
                input.set_value("");
            }
        })
    };
    let class = classes!("wg-button", "wg-file", is_primary.then_some("is-primary"));
    html! {
        <label {class}>{ label }<input type="file" class="wg-unseen" onchange={chosen} /></label>
    }
}

/// Renders the progress of reading the file, or of work on it, with a button that sends `cancel`. With the role
/// `status`, screen readers announce the progress.
fn progress(
    store: &StoreHandle,
    running: &FileProgress,
    cancel: FileAct,
    role: Option<&'static str>,
) -> Html {
    let percent = running.done * 100 / running.total.max(1);
    html! {
        <div class="file-progress">
            <p {role}>{ words::stage(running.stage, running.done, running.total) }</p>
            <progress max={running.total.max(1).to_string()} value={running.done.to_string()}
                aria-label={words::percent(percent)} />
            <button type="button" class="wg-button" onclick={store.on_click(Action::File(cancel))}>
                { common::CANCEL }
            </button>
        </div>
    }
}

fn ask_again(store: &StoreHandle, wanted: &WantedFile) -> Html {
    let file = &wanted.file;
    html! {
        <div class="file-choose">
            if let Some(other) = &wanted.other {
                <p class="file-refused" role="alert">{ words::another_file(other) }</p>
            }
            { refused(&store.ui.file.refused) }
            <p>{ words::CHOOSE_AGAIN }</p>
            <dl class="file-facts">
                <dt>{ words::NAME }</dt><dd>{ &*file.name }</dd>
                <dt>{ words::SNAPSHOT_SIZE }</dt><dd>{ words::bytes_exactly(file.bytes) }</dd>
                <dt>{ words::SHA_256 }</dt><dd>{ hash(&file.sha256) }</dd>
            </dl>
            <p>{ words::PRIVATE }</p>
            <div class="wg-row">
                { choose_button(store, words::CHOOSE_THE_FILE, true, StoreHandle::open_file) }
                <button type="button" class="wg-button"
                    onclick={store.on_click(Action::File(FileAct::DoWithout))}>{ words::DO_NOT_OPEN }</button>
            </div>
        </div>
    }
}

/// Formats a SHA-256 in hexadecimal digits.
fn hash(sha256: &[u8]) -> String {
    sha256.iter().map(|byte| format!("{byte:02x}")).collect()
}
