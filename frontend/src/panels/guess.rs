//! A guess: before a beat that answers a question, the reader chooses an option. The choice leads to the beat, which
//! then compares the guess with the answer.

use watchglass_engine::session::protocol::Move;
use yew::prelude::*;

use super::terms::with_code;
use crate::state::Action;
use crate::state::action::PlaybackAct;
use crate::store::use_store;
use crate::words::museum as words;

/// Renders the question before the beat that answers it, and the result at this beat.
#[component]
pub fn Guess() -> Html {
    let store = use_store();
    // The beat that answers the question, and the option that the reader chose.
    let chosen = use_state_eq(|| None::<(u64, u32)>);
    let beat = &store.views.status.beat;
    let text = |text: &str| with_code(text, |part| html! { { part.to_owned() } });
    let asked = beat.guess.as_ref().map(|guess| {
        let option = |(index, option): (u32, &String)| {
            let (store, chosen, number) = (store.clone(), chosen.clone(), beat.number + 1);
            let onclick = Callback::from(move |_: MouseEvent| {
                chosen.set(Some((number, index)));
                store.dispatch(Action::Playback(PlaybackAct::Move(Move::ByBeats(1))));
            });
            html! { <button type="button" class="wg-button" {onclick}>{ option }</button> }
        };
        html! {
            <div class="wg-guess" role="group" aria-label={words::GUESS}>
                <p>{ text(&guess.question) }</p>
                <div>{ for (0..).zip(&guess.options).map(option) }</div>
            </div>
        }
    });
    let answered = beat.answered.as_ref().and_then(|guess| {
        let (_, index) = chosen.filter(|(number, _)| *number == beat.number)?;
        let option = |index: u32| guess.options.get(index as usize).map(String::as_str);
        let is_right = index == guess.answer;
        let result = words::guessed(is_right, option(index)?, option(guess.answer)?);
        let class = classes!("wg-guessed", if is_right { "is-right" } else { "is-wrong" });
        Some(html! { <p {class} role="status">{ result }</p> })
    });
    html! { <>{ for answered }{ for asked }</> }
}
