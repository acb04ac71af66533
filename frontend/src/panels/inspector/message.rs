//! The inspector of a message: its causes, numbered as in the picture, and its content.

use watchglass_engine::session::protocol::{Act, SeekTo};
use yew::prelude::*;

use super::panel::{hint, tabbed};
use super::why::{Cause, why};
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::words::{common, inspector as words};

/// Renders the selected message, or a hint.
pub fn message(store: &StoreHandle, tab: usize, on_tab: Callback<usize>) -> Html {
    let view = store.views.messages.as_ref();
    let detail = view.and_then(|view| view.selected.as_ref());
    let Some(detail) = detail.filter(|detail| Some(detail.id) == store.ui.message) else {
        return hint(words::MESSAGE_HINT);
    };
    let arrow = view.and_then(|view| view.arrows.iter().find(|arrow| arrow.id == detail.id));
    let name = arrow.map_or_else(|| words::message(detail.id), |arrow| arrow.label.clone());
    let shown = if tab == 0 {
        let causes = detail.why.iter();
        let causes: Vec<Cause> = causes
            .map(|(number, step, at_us, sentence)| Cause {
                number: *number,
                step: *step,
                at_us: Some(*at_us),
                sentence,
            })
            .collect();
        why(store, &causes)
    } else {
        html! {
            <dl class="insp-pairs">
                { for detail.fields.iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
        }
    };
    html! {
        <>
            <header class="insp-head is-wrapping"><h2 class="insp-key">{ name }</h2>
                if let Some(arrow) = arrow.filter(|arrow| arrow.step != store.views.status.step) {
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::seek(SeekTo::Step(arrow.step)))}>
                        { common::go_to_step(arrow.step) }
                    </button>
                }
            </header>
            if let Some(number) = detail.on_its_way.filter(|_| !store.ui.is_readonly()) {
                { what_if(store, number) }
            }
            { tabbed(words::MESSAGE_VIEWS, &[words::MESSAGE_CAUSES_TAB, words::MESSAGE_TAB], tab, on_tab, shown) }
        </>
    }
}

/// The delay that a packet suffers if it is lost once, because TCP sends it again after 200 ms.
const LOST_ONCE: &str = "200ms";

/// Renders the button that lets a message on its way arrive later. At a past step, the command begins a branch.
fn what_if(store: &StoreHandle, message: u64) -> Html {
    let command = format!("delay {message} {LOST_ONCE}");
    let onclick = store.on_click(Action::Terminal(TerminalAct::Do(Act::Type(
        command.clone(),
    ))));
    html! {
        <p class="insp-what-if">
            { words::WHAT_IF_LATER }
            <button type="button" class="wg-button is-small" {onclick}><code>{ command }</code></button>
        </p>
    }
}
