//! What the page has to say about itself: a note, a failure of the engine, the progress of a load.

use watchglass_engine::session::protocol::{SeekTo, Source};
use yew::prelude::*;

use super::failure::FailureText;
use crate::host::{Failure, FailureKind};
use crate::state::happened::SILENT;
use crate::state::ui::{EngineState, Offer, Tone};
use crate::state::{Action, StoreHandle, save, use_store};
use crate::widgets::{Glyph, Icon};

const AGAIN_WITH_RUN: &str = "Start it again with your run";

#[component]
pub fn Notices() -> Html {
    let store = use_store();
    html! {
        <div class="wg-notices">
            if let EngineState::Failed(failure, report) = &store.ui.engine {
                <div class="wg-notice is-bad" role="alert">
                    <FailureText failure={failure.clone()} report={report.clone()} />
                    { ways_on(failure, &store) }
                </div>
            }
            if store.ui.is_silent {
                <div class="wg-notice is-bad" role="alert">
                    <p><b>{ SILENT }</b>{ " " }
                        { "It was ended by the browser, or works on one large step. The page waits for it." }</p>
                    <button type="button" class="wg-button is-small" onclick={try_again(&store)}>
                        { AGAIN_WITH_RUN }
                    </button>
                </div>
            }
            if let Some(notice) = &store.ui.notice {
                <div class={classes!("wg-notice", (notice.tone == Tone::Bad).then_some("is-bad"))}
                    role={if notice.tone == Tone::Bad { "alert" } else { "status" }}>
                    <p>{ &notice.text }</p>
                    if let Some(offer) = &notice.offer {
                        { offered(offer, &store) }
                    }
                    <button type="button" class="wg-button is-quiet is-icon is-small"
                        aria-label="Dismiss" onclick={store.on_click(Action::DismissNotice)}>
                        <Icon glyph={Glyph::Close} />
                    </button>
                </div>
            }
            if let Some(progress) = &store.ui.progress {
                <div class="wg-notice" role="status">
                    <p>{ progress.sentence() }</p>
                    { bar(progress.bar()) }
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Interrupt)}>{ "Stop" }</button>
                </div>
            }
        </div>
    }
}

/// What to do about a failure.
fn ways_on(failure: &Failure, store: &StoreHandle) -> Html {
    let button = |label: &'static str, onclick: Callback<MouseEvent>| {
        html! {
            <button type="button" class="wg-button is-small" {onclick}>{ label }</button>
        }
    };
    match failure.kind {
        FailureKind::OtherRelease => button("Reload the page", Callback::from(|_| reload())),
        _ if failure.is_at_start() => button("Try again", try_again(store)),
        _ => html! {
            <>
                { button(AGAIN_WITH_RUN, try_again(store)) }
                { button("Start with the story", store.on_click(Action::RestartWithStory)) }
            </>
        },
    }
}

fn try_again(store: &StoreHandle) -> Callback<MouseEvent> {
    store.on(|_: MouseEvent| Action::TryAgain {
        saved: save::read_run(),
    })
}

/// Loads the page anew.
pub fn reload() {
    gloo::utils::window().location().reload().ok();
}

/// A bar, which only moves to and fro when nobody knows how much there is to do.
fn bar((done, total): (u64, u64)) -> Html {
    let value = (total > 0).then(|| done.to_string());
    html! {
        <progress max={total.max(1).to_string()} {value} aria-label="Progress"></progress>
    }
}

fn offered(offer: &Offer, store: &StoreHandle) -> Html {
    let (label, action) = match offer {
        Offer::StartOver => ("Start over", Action::StartOver),
        Offer::Back(text) => (
            "Go back to your run",
            Action::Open(Source::Saved(text.clone()), SeekTo::Default),
        ),
    };
    html! {
        <button type="button" class="wg-button is-small" onclick={store.on_click(action)}>
            { label }
        </button>
    }
}
