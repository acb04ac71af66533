//! The dialog for a database file. The dialog lets the user choose the file, shows the progress of reading, and shows
//! the content of the file.

mod export;
mod keys;
mod overview;
mod value;
mod words;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::state::Action;
use crate::state::file::{FileAct, FileOpening, WantedFile};
use crate::store::{StoreHandle, use_store};
use crate::widgets::Modal;

/// Renders the dialog with the file.
#[component]
pub fn FileDialog() -> Html {
    let store = use_store();
    let file = &store.ui.file;
    let title = match (&file.opening, &file.wanted, &file.overview) {
        (Some(opening), ..) => opening.name.clone(),
        (None, None, Some(overview)) => overview.name.clone(),
        (None, Some(_), _) => "This run needs its snapshot".to_owned(),
        (None, None, None) => "Open a snapshot".to_owned(),
    };
    let class = file.overview.is_some().then_some("is-file");
    html! {
        <Modal key="file" {title} class={classes!(class)} on_close={store.on(|()| Action::CloseDialog)}>
            if let Some(opening) = &file.opening {
                { progress(&store, opening) }
            } else if let Some(wanted) = &file.wanted {
                { ask_again(&store, wanted) }
            } else if let Some(overview) = &file.overview {
                <overview::Overview overview={overview.clone()} />
            } else {
                { choose(&store) }
            }
        </Modal>
    }
}

/// The statement on privacy, shown at each button that chooses a snapshot.
const PRIVATE: &str =
    "This tab reads the file and never uploads it. Close the tab to discard the file.";

fn choose(store: &StoreHandle) -> Html {
    html! {
        <div class="file-choose">
            <p>
                { "Choose a file saved by " }<code>{ "etcdctl snapshot save" }</code>{ ", or " }
                <code>{ "member/snap/db" }</code>{ " from a data directory. The page shows which keys use the most \
                   space or change most often, and their values. You can then start a run on this data: read old \
                   revisions, write, compact." }
            </p>
            <p>{ PRIVATE }</p>
            { refused(&store.ui.file.refused) }
            { choose_button(store, "Choose a file…", true) }
        </div>
    }
}

fn refused(why: &str) -> Html {
    if why.is_empty() {
        return html! {};
    }
    html! { <p class="file-refused" role="alert">{ why.to_owned() }</p> }
}

fn choose_button(store: &StoreHandle, label: &'static str, is_primary: bool) -> Html {
    let chosen = {
        let store = store.clone();
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            let file = input.as_ref().and_then(|input| input.files()?.get(0));
            if let Some(file) = file {
                store.open_file(file);
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

fn progress(store: &StoreHandle, opening: &FileOpening) -> Html {
    let percent = opening.done * 100 / opening.total.max(1);
    html! {
        <div class="file-progress">
            <p role="status">{ words::stage(opening) }</p>
            <progress max={opening.total.max(1).to_string()} value={opening.done.to_string()}
                aria-label={format!("{percent} %")} />
            <p>{ PRIVATE }</p>
            <button type="button" class="wg-button" onclick={store.on_click(Action::File(FileAct::Close))}>
                { "Cancel" }
            </button>
        </div>
    }
}

fn ask_again(store: &StoreHandle, wanted: &WantedFile) -> Html {
    let file = &wanted.file;
    html! {
        <div class="file-choose">
            if let Some(other) = &wanted.other {
                <p class="file-refused" role="alert">
                    { format!("{other} is another file: its content differs. Choose the file with the SHA-256 below.") }
                </p>
            }
            { refused(&store.ui.file.refused) }
            <p>{ "Links and saved runs contain your commands but not the snapshot. Choose the same file again:" }</p>
            <dl class="file-facts">
                <dt>{ "name" }</dt><dd>{ &*file.name }</dd>
                <dt>{ "size" }</dt><dd>{ words::bytes_exactly(file.bytes) }</dd>
                <dt>{ "SHA-256 of the pages" }</dt><dd>{ words::hash(&file.sha256) }</dd>
            </dl>
            <p>{ PRIVATE }</p>
            <div class="wg-row">
                { choose_button(store, "Choose the file…", true) }
                <button type="button" class="wg-button"
                    onclick={store.on_click(Action::File(FileAct::DoWithout))}>{ "Do not open this run" }</button>
            </div>
        </div>
    }
}
