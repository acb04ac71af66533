//! The figure of the start page: a small cluster, and a slider that selects the revision of a read.
//!
//! The reads are real: at the end of the run, every readable revision is read once. The slider moves the cursor to the
//! step of the response to the selected read.

use std::rc::Rc;

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::{IndexView, Lane, MarkerKind, TimelineView, Views};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::failure::FailureText;
use super::index::still;
use super::notices::reload;
use super::stage::Picture;
use crate::state::Action;
use crate::state::ui::EngineState;
use crate::store::use_store;
use crate::words::{common, index, page};

/// The name of the story of this figure. After the story, the commands that read every readable revision are run.
pub const STORY: &str = "at-a-glance";
/// The first readable revision, which is the story's compact revision. `LAST` is the story's newest revision.
pub const FIRST: i64 = 8;
pub const LAST: i64 = 23;
/// The initial revision of the slider. At this revision, a pod has failed and is not replaced yet.
pub const AT_FIRST: i64 = 12;
/// The initial revision on a narrow screen, which shows only the newest revisions. At this revision, two pods have just
/// been created.
pub const AT_FIRST_NARROW: i64 = 18;
/// The width below which a screen is narrow, in pixels.
const NARROW: f64 = 700.0;

/// Returns the command that reads every readable revision once. Every key begins with `/`.
pub fn reads() -> String {
    let from = FIRST.to_string();
    let to = LAST.to_string();
    format!("for r in {{{from}..{to}}}; do get / --prefix --rev=$r; done")
}

#[component]
pub fn FrontFigure() -> Html {
    let store = use_store();
    let wanted = use_state_eq(|| {
        let width = gloo::utils::window().inner_width();
        match width.ok().and_then(|width| width.as_f64()) {
            Some(width) if width <= NARROW => AT_FIRST_NARROW,
            _ => AT_FIRST,
        }
    });
    let views = &store.views;
    let step = views
        .timeline
        .as_ref()
        .and_then(|timeline| step_of(timeline, *wanted));
    {
        let store = store.clone();
        use_effect_with(step, move |step| {
            if let Some(step) = *step {
                store.dispatch(Action::seek(SeekTo::Step(step)));
            }
        });
    }
    if let EngineState::Failed(failure, report) = &store.ui.engine {
        return html! {
            <div class="wg-boot" role="alert">
                <FailureText failure={failure.clone()} report={report.clone()} />
                <button type="button" class="wg-button" onclick={Callback::from(|_| reload())}>
                    { common::TRY_AGAIN }
                </button>
            </div>
        };
    }
    let oninput = {
        let wanted = wanted.setter();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                wanted.set(input.value().parse().unwrap_or(AT_FIRST));
            }
        })
    };
    let read = views.index.as_ref().and_then(|index| {
        let read = index.read.as_ref()?;
        (read.revision == *wanted).then_some(index)
    });
    // The poster stays visible until the figure has drawn the same picture; after that, the figure always stays
    // visible.
    let is_drawn = use_mut_ref(|| false);
    *is_drawn.borrow_mut() |= read.is_some();
    let picture = classes!("wg-picture", is_drawn.borrow().then_some("is-drawn"));
    let sentence = read.map(answers).unwrap_or_default();
    html! {
        <>
            <div class={picture}><Picture /></div>
            <div class="front-scrub">
                <label for="front-cut">{ page::READ_AT }</label>
                <input id="front-cut" type="range" min={FIRST.to_string()} max={LAST.to_string()}
                    value={wanted.to_string()} disabled={step.is_none()} {oninput}
                    aria-valuetext={page::pods_value(*wanted, &sentence)} />
                <p>{ answer(*wanted, &sentence) }</p>
            </div>
        </>
    }
}

/// Renders the figure before any program runs: the picture at a revision, and a disabled slider.
pub fn poster(views: &Rc<Views>, revision: i64, width: f64, height: f64) -> Html {
    let Some(view) = &views.index else {
        return html! {};
    };
    html! {
        <>
            <div class="wg-picture" role="img" aria-label={index::figure(view)}>
                { still::draw(views, width, height) }
            </div>
            <div class="front-scrub" aria-hidden="true">
                <label>{ page::READ_AT }</label>
                <input type="range" min={FIRST.to_string()} max={LAST.to_string()} value={revision.to_string()}
                    disabled=true />
                <p>{ answer(revision, &answers(view)) }</p>
            </div>
        </>
    }
}

/// Renders the sentence below the slider; empty until the response to the read arrives.
fn answer(revision: i64, pods: &[(String, String)]) -> Html {
    if pods.is_empty() {
        return html! {};
    }
    page::pods_at(revision, pods)
}

/// Returns the step in which the response to the read of a revision arrived.
pub fn step_of(timeline: &TimelineView, revision: i64) -> Option<u64> {
    let flag = format!("--rev={revision}");
    let mut reads = timeline.markers.iter().rev();
    let read = reads.find(|marker| {
        marker.kind == MarkerKind::Read
            && marker.label.starts_with("get / ")
            && marker.label.ends_with(&flag)
    });
    read.map(|marker| marker.step)
}

/// Returns the name and the state of each pod in the response to the read.
fn answers(index: &IndexView) -> Vec<(String, String)> {
    let Some(read) = &index.read else {
        return Vec::new();
    };
    let pods = index.lanes.iter().enumerate();
    let pods = pods.filter_map(|(place, lane)| {
        let (before, pod) = lane.name.rsplit_once('/')?;
        before.contains("/pods/").then_some((place, lane, pod))
    });
    pods.map(|(place, lane, pod)| {
        let answer = read.answers.iter().find(|it| it.lane as usize == place);
        let is = answer.map_or_else(
            || absence(lane, read.revision).to_owned(),
            |answer| answer.label.clone(),
        );
        (pod.to_owned(), is)
    })
    .collect()
}

/// Returns the reason why a key is missing from the response.
fn absence(lane: &Lane, revision: i64) -> &'static str {
    let begun = lane.threads.iter().any(|thread| thread.first <= revision);
    if begun {
        page::DELETED
    } else {
        page::NOT_CREATED
    }
}
