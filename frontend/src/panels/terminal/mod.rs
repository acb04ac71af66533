//! The terminal: the commands up to the cursor with their output, and a prompt.
//!
//! The terminal is three lines high until the prompt gets the focus. When the prompt loses the focus, the terminal
//! shrinks after a delay. Without the delay, the element under the pointer would move away before the click.

mod differences;
mod entry;
mod history;
mod log;
mod prompt;
mod suggestion;
mod tokens;

pub use entry::output;

use gloo::timers::callback::Timeout;
use watchglass_engine::session::protocol::Act;
use web_sys::Element;
use yew::prelude::*;

use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::TerminalAct;
use crate::state::layout::TERMINAL_HEIGHT;
use crate::store::{PROMPT_ID, use_store};
use crate::widgets::splitter::Edge;
use crate::widgets::{Glyph, Icon, Splitter};
use crate::words::{common, terminal as words};

/// The delay before the terminal shrinks, in milliseconds. The delay is longer than a click takes.
const LEAVING_MS: u32 = 400;

#[component]
pub fn Terminal() -> Html {
    let store = use_store();
    let open = store.ui.prefs.terminal_open;
    let label = if open { words::CLOSE } else { words::OPEN };
    let ending = use_mut_ref(|| None::<Timeout>);
    let onfocusin = {
        let (store, ending) = (store.clone(), ending.clone());
        Callback::from(move |event: FocusEvent| {
            ending.replace(None);
            let target = event.target_dyn_into::<Element>();
            let is_edge =
                |target: &Element| target.get_attribute("role").as_deref() == Some("separator");
            if target.is_some_and(|target| target.id() == PROMPT_ID || is_edge(&target)) {
                store.dispatch(Action::Layout(LayoutAct::TerminalActive(true)));
            }
        })
    };
    let onfocusout = {
        let store = store.clone();
        Callback::from(move |_: FocusEvent| {
            let store = store.clone();
            let shrink = move || store.dispatch(Action::Layout(LayoutAct::TerminalActive(false)));
            ending.replace(Some(Timeout::new(LEAVING_MS, shrink)));
        })
    };
    // A lesson has its own undo button.
    let offers_undo = store.views.lesson.is_none() && !store.ui.is_readonly();
    let has_undo = offers_undo && store.views.status.can_undo;
    let class = classes!(
        "wg-terminal",
        (!open).then_some("is-closed"),
        store.ui.is_terminal_active().then_some("is-active"),
        has_undo.then_some("has-undo")
    );
    html! {
        <section {class} aria-label={common::TERMINAL} {onfocusin} {onfocusout}>
            if open {
                <Splitter label={words::HEIGHT} edge={Edge::Top} property="--wg-terminal-height"
                    range={TERMINAL_HEIGHT} size={store.ui.prefs.panel_sizes().terminal} default={200}
                    on_size={store.on(|value| Action::Layout(LayoutAct::TerminalHeight(value)))} />
            }
            <header class="wg-terminal-head">
                <h2>{ common::TERMINAL }</h2>
                <span class="wg-terminal-hint">{ words::hint() }</span>
                <span class="wg-spring"></span>
                if offers_undo {
                    <button type="button" class="wg-button is-quiet is-small wg-undo"
                        disabled={!has_undo} title={common::UNDO_TITLE}
                        onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::Undo)))}>{ common::UNDO }</button>
                }
                <button type="button" class="wg-button is-quiet is-icon is-small wg-terminal-fold"
                    aria-label={label} title={label}
                    aria-expanded={if open { "true" } else { "false" }}
                    onclick={store.on_click(Action::Layout(LayoutAct::ToggleTerminal))}>
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
