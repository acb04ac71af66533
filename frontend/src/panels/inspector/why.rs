//! The part of the inspector with the heading "Why?": a chain of causes, each with a link to its step.

use watchglass_engine::session::protocol::SeekTo;
use yew::prelude::*;

use crate::state::Action;
use crate::store::StoreHandle;
use crate::words::inspector as words;

pub struct Cause<'a> {
    /// The number of the cause, which the picture shows too.
    pub number: u32,
    pub step: u64,
    /// The simulated time in microseconds, if known.
    pub at_us: Option<u64>,
    pub sentence: &'a str,
}

/// Renders the chain of causes, oldest first.
pub fn why(store: &StoreHandle, causes: &[Cause]) -> Html {
    if causes.is_empty() {
        return html! { <p class="insp-note">{ words::NO_CAUSE }</p> };
    }
    html! {
        <ol class="insp-why" aria-label={words::CAUSES}>
            { for causes.iter().map(|cause| {
                let here = cause.step == store.views.status.step;
                html! {
                    <li key={cause.number} class={(cause.number == 1).then_some("root")}>
                        <i aria-hidden="true">{ cause.number }</i>
                        <p>{ cause.sentence }</p>
                        <button type="button" class="insp-step" aria-current={here.then_some("step")}
                            onclick={store.on_click(Action::seek(SeekTo::Step(cause.step)))}>
                            { words::step(cause.step, cause.at_us) }
                        </button>
                    </li>
                }
            }) }
        </ol>
    }
}
