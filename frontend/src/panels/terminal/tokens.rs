//! A row of buttons with words for the prompt, so that a phone needs no keyboard for common commands.

use watchglass_engine::session::protocol::Act;
use yew::prelude::*;

use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::use_store;
use crate::words::terminal as words;

const WORDS: [&str; 9] = [
    "put", "get", "del", "watch", "compact", "txn", "--rev=", "--prefix", "/key1",
];

#[component]
pub(super) fn Tokens() -> Html {
    let store = use_store();
    let add = |word: &'static str| {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| {
            let mut line = store.draft();
            if !line.is_empty() && !line.ends_with([' ', '=']) {
                line.push(' ');
            }
            line.push_str(word);
            if !word.ends_with('=') {
                line.push(' ');
            }
            store.dispatch(Action::Terminal(TerminalAct::Draft(line)));
        })
    };
    let back = {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| {
            let line = store.draft();
            let line = line.trim_end();
            let keep = line.rfind([' ', '=']).map_or(0, |at| at + 1);
            store.dispatch(Action::Terminal(TerminalAct::Draft(
                line[..keep].to_owned(),
            )));
        })
    };
    let run = {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| {
            let line = store.draft().trim_end().to_owned();
            if !line.is_empty() || store.views.status.pending.is_some() {
                store.dispatch(Action::Terminal(TerminalAct::Do(Act::Type(line))));
            }
        })
    };
    html! {
        <div class="wg-tokens" role="group" aria-label={words::TOKENS}>
            <div class="wg-token-words">
                { for WORDS.into_iter().map(|word| html! {
                    <button type="button" onclick={add(word)}>{ word }</button>
                }) }
            </div>
            <button type="button" aria-label={words::REMOVE_WORD} onclick={back}>{ "⌫" }</button>
            <button type="button" class="is-enter" aria-label={words::RUN_LINE} onclick={run}>{ "⏎" }</button>
        </div>
    }
}
