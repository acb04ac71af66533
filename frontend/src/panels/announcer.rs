//! Announces the position of the cursor to screen readers: a beat (a section of the story) with its text and what
//! changed, or a step with its sentence.
//!
//! The announcements do not interrupt other speech. During playback there is at most one announcement per second, and a
//! newer sentence replaces a waiting sentence.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::state::choices::View;
use crate::state::playback::only_time_passed;
use crate::state::speed::text_of;
use crate::state::ui::EngineState;
use crate::store::{StoreHandle, use_store};
use crate::words::{cache, cluster, index, messages, page as words, qos, storage, watch};

/// Returns the sentence that describes the current view; `None` if the view has not arrived yet.
fn picture_sentence(store: &StoreHandle) -> Option<String> {
    let views = &store.views;
    match store.ui.prefs.view {
        View::Index => views.index.as_ref().map(index::figure),
        View::Watch => views.watch.as_ref().map(watch::figure),
        View::Cache => views.cache.as_ref().map(cache::figure),
        View::Messages => views.messages.as_ref().map(messages::figure),
        View::Storage => views.storage.as_deref().map(storage::figure),
        View::Cluster => views.cluster.as_deref().map(cluster::figure),
        View::Qos => views.qos.as_deref().map(qos::figure),
        View::Lab => None,
    }
}

const PLAYING_MS: u32 = 1000;
/// The delay before an announcement, in milliseconds, so that several quick key presses cause only one announcement.
const STANDING_MS: u32 = 150;

#[component]
pub fn Announcer() -> Html {
    let store = use_store();
    let said = use_state(String::new);
    let status = &store.views.status;
    let beat = &status.beat;
    let told = text_of(status).filter(|_| status.is_told && !store.ui.has_lesson(&store.views));
    // The run and the beat that were announced last. A further step of this beat is announced as a step.
    let announced = use_mut_ref(|| None::<(String, u64)>);
    let here = (status.title.clone(), beat.number);
    let is_new_beat = announced.borrow().as_ref() != Some(&here);
    let sentence = match told {
        _ if status.steps == 0 && status.step == 0 => String::new(),
        Some(text) if is_new_beat => {
            // The picture says more than that time passed.
            let picture = only_time_passed(&store.views).then(|| picture_sentence(&store));
            let changed = picture.flatten();
            let changed = changed.as_ref().unwrap_or(&status.narration);
            words::beat(beat.number, beat.count, text, changed)
        }
        _ => words::step(status.step, status.steps, &status.narration),
    };
    // The announcement of a position stays the same after its beat was announced.
    let position = (here.clone(), status.step, status.narration.clone());
    let sentence = {
        let latched = use_mut_ref(|| None);
        let mut latched = latched.borrow_mut();
        match &*latched {
            Some((of, sentence)) if *of == position => String::clone(sentence),
            _ => {
                *latched = Some((position, sentence.clone()));
                sentence
            }
        }
    };
    let wait = if store.ui.playing {
        PLAYING_MS
    } else {
        STANDING_MS
    };
    // A figure does not announce its initial step, because that would interrupt the page around the figure.
    let opening = use_mut_ref(|| None::<String>);
    let known = store.ui.engine == EngineState::Running && !sentence.is_empty();
    if store.ui.figure.is_some() && known && opening.borrow().is_none() {
        opening.replace(Some(sentence.clone()));
    }
    let is_opening = said.is_empty() && opening.borrow().as_ref() == Some(&sentence);
    let sentence = if is_opening { String::new() } else { sentence };
    {
        let said = said.setter();
        use_effect_with((sentence, here), move |(sentence, here)| {
            let (sentence, here) = (sentence.clone(), here.clone());
            let timer = Timeout::new(wait, move || {
                announced.replace(Some(here));
                said.set(sentence);
            });
            move || drop(timer)
        });
    }
    html! { <div class="wg-unseen" aria-live="polite" role="status">{ &*said }</div> }
}
