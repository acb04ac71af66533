//! The caption of a figure: the text of the beat, which is a section of the run's story, the events of the step, and
//! the button for the next beat.

use watchglass_engine::session::protocol::Move;
use watchglass_engine::view::StatusView;
use yew::prelude::*;

use super::head::WayOut;
use crate::panels::terms::{with_code, with_names};
use crate::state::Action;
use crate::state::action::PlaybackAct;
use crate::state::playback::is_over;
use crate::state::progress::RunProgress;
use crate::state::speed::text_of;
use crate::state::ui::{Controls, EngineState};
use crate::store::{StoreHandle, use_store};
use crate::words::{common, figure as words, page};

/// Returns the text of the beat at the cursor, if the run has a story and its engine has sent the first views.
pub(super) fn beat_text(store: &StoreHandle) -> Option<&String> {
    let status = &store.views.status;
    let is_known = store.ui.engine == EngineState::Running && store.ui.progress.is_none();
    text_of(status).filter(|_| is_known && status.is_told)
}

/// Returns the text alternative of the picture: the beat, if the run has a story.
pub(super) fn alternative(store: &StoreHandle) -> Option<String> {
    let StatusView { beat, .. } = &store.views.status;
    let text = beat_text(store)?;
    Some(page::beat_sentence(beat.number, beat.count, text))
}

#[component]
pub(super) fn Caption() -> Html {
    let store = use_store();
    let figure = store.ui.figure.as_ref();
    let bare = figure.is_some_and(|figure| figure.controls == Controls::None);
    let status = &store.views.status;
    let progress = store.ui.progress.as_ref().map(RunProgress::sentence);
    let sentence = match (&store.ui.engine, &progress) {
        // Until the engine is ready, there is no sentence: the first views show the empty store before the run.
        (EngineState::Starting, _) => "",
        (_, Some(progress)) => progress,
        _ if status.narration.is_empty() => words::NOTHING_HAPPENED,
        _ => status.narration.as_str(),
    };
    let way_out = bare.then(|| html! { <WayOut /> });
    let Some(text) = beat_text(&store) else {
        return html! {
            <div class="wg-figure-caption">
                <p title={sentence.to_owned()}>{ with_names(sentence) }</p>
                { for way_out }
            </div>
        };
    };
    let beat = &status.beat;
    html! {
        <div class="wg-figure-caption is-told">
            <div>
                <div class="wg-figure-beat" tabindex="0" role="region" aria-label={common::STORY}>
                    <p>
                        <b>{ page::beat_of(beat.number, beat.count, false) }</b>{ " " }
                        { with_code(text, |part| html! { <>{ part }</> }) }
                    </p>
                </div>
                <p class="wg-figure-event" title={sentence.to_owned()}>{ with_names(sentence) }</p>
            </div>
            if !bare {
                <Next />
            }
            { for way_out }
        </div>
    }
}

/// Renders the button that moves the cursor to the next beat.
#[component]
fn Next() -> Html {
    let store = use_store();
    let is_end = is_over(&store.views.status);
    // A disabled button would lose the focus when the cursor reaches the end.
    let next = Action::Playback(PlaybackAct::Move(Move::ByBeats(1)));
    let onclick = (!is_end).then(|| store.on_click(next));
    html! {
        <button type="button" class="wg-button is-primary wg-figure-next" aria-disabled={is_end.then_some("true")}
            {onclick}>{ common::NEXT }</button>
    }
}
