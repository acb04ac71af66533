//! The inspector of a message: its causes, numbered as in the picture, and its content.

use watchglass_engine::session::protocol::SeekTo;
use yew::prelude::*;

use super::panel::{hint, tabbed};
use super::why::{Cause, why};
use crate::state::Action;
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
            { tabbed(words::MESSAGE_VIEWS, &[words::MESSAGE_CAUSES_TAB, words::MESSAGE_TAB], tab, on_tab, shown) }
        </>
    }
}
