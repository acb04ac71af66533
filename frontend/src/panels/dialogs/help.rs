//! The list of keyboard shortcuts and commands.

use yew::prelude::*;

use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::ui::Dialog;
use crate::store::use_store;
use crate::words::{dialogs as words, topbar};

const KEYS: [(&str, &str); 24] = [
    ("Space", words::KEY_PLAY),
    ("Page ↑  Page ↓", words::KEY_BEATS),
    ("← →", words::KEY_STEP),
    ("Shift + ← →", words::KEY_TEN_STEPS),
    ("Ctrl + ← →", words::KEY_CHANGE),
    ("Home  End", words::KEY_ENDS),
    ("[  ]", words::KEY_SPEED),
    ("1 – 8", words::KEY_VIEWS),
    ("1 – 4", words::KEY_CHOICES),
    ("/", words::KEY_TERMINAL),
    ("Tab", words::KEY_COMPLETE),
    ("Esc, Esc", words::KEY_TO_LESSON),
    ("↑ ↓", words::KEY_LINES),
    ("Ctrl + C", words::KEY_DISCARD),
    ("Ctrl + L", words::KEY_CLEAR),
    ("p", words::KEY_PRESENTER),
    ("w", words::KEY_WORKBENCH),
    ("i", words::KEY_INSPECTOR),
    ("c", words::KEY_LINK),
    ("0  +  −", words::KEY_ZOOM),
    ("l", words::KEY_LESSONS),
    ("Ctrl + K", words::KEY_FIND),
    ("Ctrl + Z", words::KEY_UNDO),
    ("?", words::KEY_HELP),
];

const COMMANDS: [(&str, &str); 11] = [
    ("put KEY VALUE", words::COMMAND_PUT),
    ("get KEY [END]", words::COMMAND_GET),
    ("del KEY [END]", words::COMMAND_DEL),
    ("txn", words::COMMAND_TXN),
    ("compact N", words::COMMAND_COMPACT),
    ("watch KEY as NAME", words::COMMAND_WATCH),
    ("pause NAME, net NAME …", words::COMMAND_PAUSE),
    ("apiserver NAME, kubectl …", words::COMMAND_APISERVER),
    ("show key-index KEY", words::COMMAND_KEY_INDEX),
    ("show bucket key --decode", words::COMMAND_BUCKET),
    ("help", words::COMMAND_HELP),
];

#[component]
pub fn Help() -> Html {
    let store = use_store();
    let on = store.ui.prefs.single_keys;
    html! {
        <>
            <h3>{ words::HELP_KEYS }</h3>
            <dl class="wg-keys">
                { for KEYS.iter().map(|(key, what)| html! {
                    <><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></>
                }) }
            </dl>
            <label class="wg-check">
                <input type="checkbox" checked={on}
                    onchange={store.on(move |_: Event| Action::Layout(LayoutAct::SingleKeys(!on)))} />
                { " " }{ words::SINGLE_KEYS }
            </label>
            <h3>{ words::HELP_COMMANDS }</h3>
            <dl class="wg-keys">
                { for COMMANDS.iter().map(|(command, what)| html! {
                    <><dt><code>{ *command }</code></dt><dd>{ *what }</dd></>
                }) }
            </dl>
            <h3>{ words::HELP_ABOUT }</h3>
            <p>
                { words::SIMULATION }{ " " }
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                    { topbar::FIDELITY }
                </button>
            </p>
            <p>{ words::PASTING }</p>
        </>
    }
}
