//! Announces the current step and its sentence to screen readers.
//!
//! The announcements do not interrupt other speech. During playback there is at most one announcement per second, and a
//! newer sentence replaces a waiting sentence.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::state::ui::EngineState;
use crate::store::use_store;
use crate::words::page as words;

const PLAYING_MS: u32 = 1000;
/// The delay before an announcement, in milliseconds, so that several quick key presses cause only one announcement.
const STANDING_MS: u32 = 150;

#[component]
pub fn Announcer() -> Html {
    let store = use_store();
    let said = use_state(String::new);
    let status = &store.views.status;
    let sentence = if status.steps == 0 && status.step == 0 {
        String::new()
    } else {
        words::step(status.step, status.steps, &status.narration)
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
        use_effect_with(sentence, move |sentence| {
            let sentence = sentence.clone();
            let timer = Timeout::new(wait, move || said.set(sentence));
            move || drop(timer)
        });
    }
    html! { <div class="wg-unseen" aria-live="polite" role="status">{ &*said }</div> }
}
