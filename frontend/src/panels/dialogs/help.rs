//! The list of keyboard shortcuts and commands.

use yew::prelude::*;

use crate::state::Action;
use crate::state::ui::Dialog;
use crate::store::use_store;

const KEYS: [(&str, &str); 22] = [
    ("Space", "play or pause"),
    ("Page ↑  Page ↓", "previous or next beat of a story"),
    ("← →", "one step back or forward"),
    ("Shift + ← →", "ten steps"),
    (
        "Ctrl + ← →",
        "previous or next change: of a key, a watch, a lease, a setting or a fault",
    ),
    ("Home  End", "go to the start or the end"),
    ("[  ]", "slower, faster"),
    (
        "1 – 8",
        "views: index, watch, cache, messages, storage, cluster, QoS, lab",
    ),
    ("/", "go to the terminal"),
    (
        "Tab",
        "in the terminal: complete the command; to leave, press Esc, then Tab",
    ),
    ("↑ ↓", "in the terminal: earlier and later lines"),
    (
        "Ctrl + C",
        "in the terminal: discard the line or transaction, stop a long run",
    ),
    ("Ctrl + L", "in the terminal: clear the screen"),
    (
        "p",
        "presenter mode: arrow keys move by beats, B blanks the screen, Esc leaves",
    ),
    ("f", "full screen: the picture fills the window, Esc leaves"),
    ("i", "open or close the inspector"),
    ("c", "copy a link to this step"),
    ("0  +  −", "in the Index view: fit, zoom in, zoom out"),
    ("l", "list of lessons"),
    (
        "Ctrl + K",
        "find a lesson, a run, a term, a key or a command",
    ),
    ("Ctrl + Z", "undo the last command"),
    ("?", "this list"),
];

const COMMANDS: [(&str, &str); 11] = [
    ("put KEY VALUE", "write; --prev-kv --ignore-value"),
    (
        "get KEY [END]",
        "read; --rev=N --prefix --from-key --limit=N --keys-only --count-only -w json",
    ),
    ("del KEY [END]", "delete; --prefix --from-key --prev-kv"),
    (
        "txn",
        "comparisons, success requests, failure requests; an empty line ends each part",
    ),
    (
        "compact N",
        "remove superseded revisions up to N; --physical",
    ),
    (
        "watch KEY as NAME",
        "get notified of changes; --prefix --rev=N --prev-kv; recv NAME prints the received events",
    ),
    (
        "pause NAME, net NAME …",
        "pause a client, delay messages: help pause, help net",
    ),
    (
        "apiserver NAME, kubectl …",
        "an API server with its watch cache, and requests to it: help apiserver, help kubectl",
    ),
    (
        "show key-index KEY",
        "the key's generations in etcd's key index; --json",
    ),
    (
        "show bucket key --decode",
        "the rows of the backend, as etcd-dump-db prints them",
    ),
    ("help", "every command with its flags"),
];

#[component]
pub fn Help() -> Html {
    let store = use_store();
    let on = store.ui.prefs.single_keys;
    html! {
        <>
            <h3>{ "Keys" }</h3>
            <dl class="wg-keys">
                { for KEYS.iter().map(|(key, what)| html! {
                    <><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></>
                }) }
            </dl>
            <label class="wg-check">
                <input type="checkbox" checked={on}
                    onchange={store.on(move |_: Event| Action::SingleKeys(!on))} />
                { " Single-key shortcuts (outside text fields)" }
            </label>
            <h3>{ "Commands" }</h3>
            <dl class="wg-keys">
                { for COMMANDS.iter().map(|(command, what)| html! {
                    <><dt><code>{ *command }</code></dt><dd>{ *what }</dd></>
                }) }
            </dl>
            <h3>{ "About" }</h3>
            <p>
                { "This is a simulation, not etcd. " }
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                    { "How faithful is it?" }
                </button>
            </p>
            <p>
                { "Pasting several lines runs them one after another. \
                   A pasted transcript with its outputs is compared." }
            </p>
        </>
    }
}
