//! Says in words what has just happened, for those who do not see the picture.
//!
//! Polite, and while the story plays at most one message a second: each new sentence waits for its
//! turn and a newer one takes its place.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::state::use_store;

const PLAYING_MS: u32 = 1000;
/// So that a quick succession of keys is one message.
const STANDING_MS: u32 = 150;

#[component]
pub fn Announcer() -> Html {
    let store = use_store();
    let said = use_state(String::new);
    let status = &store.views.status;
    let sentence = if status.steps == 0 && status.step == 0 {
        String::new()
    } else {
        [
            "Step ",
            status.step.to_string().as_str(),
            " of ",
            status.steps.to_string().as_str(),
            ". ",
            status.narration.as_str(),
        ]
        .concat()
    };
    let wait = if store.ui.playing {
        PLAYING_MS
    } else {
        STANDING_MS
    };
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
