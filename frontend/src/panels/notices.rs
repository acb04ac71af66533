//! What the page has to say about itself: a note, a failure of the engine, the progress of a load.

use watchglass_engine::session::protocol::{SeekTo, Source};
use yew::prelude::*;

use crate::state::ui::{EngineState, Offer, Tone};
use crate::state::{Action, StoreHandle, save, use_store};
use crate::widgets::{Glyph, Icon};

#[component]
pub fn Notices() -> Html {
    let store = use_store();
    html! {
        <div class="wg-notices">
            if let EngineState::Failed(why) = &store.ui.engine {
                <div class="wg-notice is-bad" role="alert">
                    <p><b>{ "The simulator stopped. " }</b>
                        { "The page still shows the last picture. " }
                        <span class="wg-why">{ why }</span></p>
                    <button type="button" class="wg-button is-small"
                        onclick={store.on(|_: MouseEvent| Action::RestartHost {
                            saved: save::read_run(),
                            asked: None,
                        })}>
                        { "Start it again with your run" }
                    </button>
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::RestartHost { saved: None, asked: None })}>
                        { "Start with the story" }
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
                    <p>{ "Running command " }{ progress.done }{ " of " }{ progress.total }</p>
                    <progress max={progress.total.max(1).to_string()}
                        value={progress.done.to_string()} aria-label="Progress"></progress>
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Interrupt)}>{ "Stop" }</button>
                </div>
            }
        </div>
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
