//! The terminal: what was typed and what came of it, as it stood at the cursor, and a prompt.

mod entry;
mod history;
mod log;
mod prompt;
mod splitter;
mod tokens;

use yew::prelude::*;

use crate::state::Action;
use crate::store::use_store;
use crate::widgets::{Glyph, Icon};

#[component]
pub fn Terminal() -> Html {
    let store = use_store();
    let open = store.ui.prefs.terminal_open;
    let label = if open {
        "Close the terminal"
    } else {
        "Open the terminal"
    };
    html! {
        <section class={classes!("wg-terminal", (!open).then_some("is-closed"))} aria-label="Terminal">
            if open { <splitter::Splitter /> }
            <header class="wg-terminal-head">
                <h2>{ "Terminal" }</h2>
                <span class="wg-terminal-hint">{ "etcdctl commands · Tab completes · " }<kbd>{ "/" }</kbd></span>
                <span class="wg-spring"></span>
                <button type="button" class="wg-button is-quiet is-icon is-small wg-terminal-fold"
                    aria-label={label} title={label}
                    aria-expanded={if open { "true" } else { "false" }}
                    onclick={store.on_click(Action::ToggleTerminal)}>
                    <Icon glyph={if open { Glyph::Down } else { Glyph::Up }} />
                </button>
            </header>
            if open {
                <log::Log />
                <prompt::Prompt />
                <tokens::Tokens />
            }
        </section>
    }
}
