//! The story's text beside the picture: the explanation of the current beat, and the button for the next beat. A beat
//! is a section of the run with one text.

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::{MarkerKind, StatusView, Views};
use yew::prelude::*;

use super::stage::is_past;
use super::terms::{Terms, with_code};
use super::ways::way_on;
use crate::state::Action;
use crate::state::reduce::is_over;
use crate::store::use_store;
use crate::widgets::{Glyph, Icon};
use crate::words::{common, page as words};

/// The maximum number of beats for which the panel shows a row of segments.
const SEGMENTS_MAX: u64 = 24;

#[component]
pub fn Story() -> Html {
    let store = use_store();
    let status = &store.views.status;
    // A lesson is known to be loaded before the views with its text arrive.
    let is_lesson = store.ui.has_lesson(&store.views);
    if !store.ui.has_story(&store.views) {
        return html! {};
    }
    if is_lesson || !status.is_told {
        return html! {
            <aside class={classes!("wg-story", is_lesson.then_some("wg-lesson"))} aria-label={common::STORY}>
                <div class="wg-skeleton is-text"><i></i><i></i><i></i></div>
            </aside>
        };
    }
    let past = is_past(status, &store.ui);
    let beat = &status.beat;
    html! {
        <aside class="wg-story" aria-label={common::STORY} id="wg-story">
            <div class="wg-story-text">
                <p class="wg-kick">
                    { words::beat_of(beat.number, beat.count, store.ui.presenting.is_some() && store.ui.playing) }
                </p>
                if beat.count > 1 && beat.count <= SEGMENTS_MAX {
                    <div class="wg-segments" aria-hidden="true">
                        { for (1..=beat.count).map(|number| html! {
                            <i key={number} class={(number <= beat.number).then_some("is-on")}></i>
                        }) }
                    </div>
                }
                <h2 class="wg-story-title">{ &status.title }</h2>
                if let Some(text) = beat.text.as_ref().or(opening(status)) {
                    <p class="wg-beat">{ with_code(text, |part| html! { <Terms text={part.to_owned()} /> }) }</p>
                }
                if beat.number > 0 {
                    <div class={classes!("wg-happened", past.then_some("is-past"))}>
                        if let Some(command) = &status.command {
                            <code>{ command }</code>
                        }
                        if !only_time_passed(&store.views) { <p>{ &status.narration }</p> }
                    </div>
                }
                if is_over(status) && status.branch == 0 && !store.ui.playing { <Ways /> }
            </div>
            <Buttons />
            if store.ui.presenting.is_some() { <p class="wg-presenter-keys">{ words::PRESENTER_KEYS }</p> }
        </aside>
    }
}

/// Returns true if the step at the cursor only lets time pass. The panel then omits the narration of the step, because
/// the text of the beat describes such a step better.
fn only_time_passed(views: &Views) -> bool {
    let markers = views
        .timeline
        .as_ref()
        .map_or(&[][..], |line| &line.markers);
    let now = markers
        .iter()
        .find(|marker| marker.step == views.status.step);
    now.is_some_and(|marker| marker.kind == MarkerKind::Time)
}

/// Returns the text before the first beat.
fn opening(status: &StatusView) -> Option<&String> {
    status.opening.as_ref().filter(|_| status.beat.number == 0)
}

/// Links to further lessons and stories, shown at the end of the run.
#[component]
fn Ways() -> Html {
    let store = use_store();
    html! {
        <ul class="wg-ways">
            { for store.views.status.ways.iter().map(|way| html! { <li>{ way_on(&store, way) }</li> }) }
        </ul>
    }
}

/// Renders the main button, and a less prominent button beside it.
#[component]
fn Buttons() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let back = html! {
        <button type="button" class="wg-button" disabled={status.beat.number == 0}
            onclick={store.on_click(Action::BeatBy(-1))}>{ common::BACK }</button>
    };
    let main = |action: Action, glyph: Option<Glyph>, label: &'static str| {
        html! {
            <button type="button" class="wg-button is-primary wg-main-action"
                onclick={store.on_click(action)}>
                if let Some(glyph) = glyph { <Icon {glyph} /> }
                { label }
            </button>
        }
    };
    let branch = status
        .branches
        .iter()
        .find(|branch| branch.id == status.branch);
    let left = branch.and_then(|branch| branch.parent);
    let (side, main) = if let Some(left) = left {
        let store = store.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            store.dispatch(Action::Branch(left.branch));
            store.dispatch(Action::Seek(SeekTo::Step(left.step)));
        });
        let back = html! {
            <button type="button" class="wg-button" {onclick}>{ words::BACK_TO_STORY }</button>
        };
        (back, html! {})
    } else if store.ui.playing {
        (back, main(Action::Pause, Some(Glyph::Pause), words::PAUSE))
    } else if status.beat.number == 0 {
        let play = html! {
            <button type="button" class="wg-button" onclick={store.on_click(Action::Play)}>
                <Icon glyph={Glyph::Play} />{ words::PLAY }
            </button>
        };
        (play, main(Action::BeatBy(1), None, common::NEXT))
    } else if !is_over(status) {
        (back, main(Action::BeatBy(1), None, common::NEXT))
    } else {
        let again = html! {
            <button type="button" class="wg-button"
                onclick={store.on_click(Action::Play)}>{ words::REPLAY }</button>
        };
        (
            again,
            main(Action::FocusTerminal, Some(Glyph::Terminal), words::TRY_IT),
        )
    };
    html! { <div class="wg-story-buttons">{ side }{ main }</div> }
}
