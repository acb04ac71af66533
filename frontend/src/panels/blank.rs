//! The text that an empty view shows, with commands to start with.

use yew::prelude::*;

use super::lesson::next_command;
use super::terms::code_words;
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::words::{common, page as words};

/// Renders a heading, a sentence, and commands, each with a short explanation. A click on a command puts it into the
/// prompt. In a lesson, and before the end of a run, the next command is shown instead of these commands, because any
/// other command would leave the lesson or the run.
pub fn blank(
    store: &StoreHandle,
    title: &'static str,
    about: &'static str,
    lines: &[(&'static str, &'static str)],
) -> Html {
    let is_open = store.views.lesson.is_none() && store.views.status.next.is_none();
    html! {
        <div class="wg-blank">
            <h3>{ title }</h3>
            <p>{ about }</p>
            <ul>
                { for lines.iter().filter(|_| is_open).map(|(line, about)| html! {
                    <li>
                        <button type="button" class="wg-button is-code"
                            onclick={store.on_click(Action::Terminal(TerminalAct::Type((*line).to_owned())))}>
                            <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ *line }
                        </button>
                        <small>{ *about }</small>
                    </li>
                }) }
            </ul>
            if let Some(next) = store.views.lesson.as_ref().and_then(next_command) {
                <p>{ words::next_in_lesson(next) }</p>
            }
            if let Some(next) = &store.views.status.next {
                <p>{ common::next(code_words(next)) }</p>
            }
        </div>
    }
}
