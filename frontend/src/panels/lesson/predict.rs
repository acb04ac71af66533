//! A prediction: the learner guesses a result before the commands run, and then compares the guess with the result.

use watchglass_engine::session::number_in;
use watchglass_engine::session::protocol::LessonAct;
use watchglass_engine::view::QuestionView;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::runs;
use crate::state::Action;
use crate::widgets::{Glyph, Icon};
use crate::words::lesson as words;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct PredictProps {
    pub question: QuestionView,
    /// The current choice or input, before the learner submits it.
    pub answer: String,
    pub on_answer: Callback<String>,
    /// Whether the learner tried to check without a guess.
    pub is_missing: bool,
    pub on_check: Callback<()>,
}

/// Renders the choices or a text field; after the submission, the learner's guess.
#[component]
pub(super) fn Predict(props: &PredictProps) -> Html {
    let question = &props.question;
    if let Some(given) = &question.given {
        if given.is_empty() {
            return html! {};
        }
        return html! {
            <p class="lesson-given">{ words::your_guess(given) }</p>
        };
    }
    let on_input = {
        let on_answer = props.on_answer.clone();
        Callback::from(move |event: InputEvent| {
            let field = event.target_dyn_into::<HtmlInputElement>();
            if let Some(field) = field {
                on_answer.emit(field.value());
            }
        })
    };
    let on_check = props.on_check.clone();
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        on_check.emit(());
    };
    let missing = match (question.choices.is_empty(), question.is_number) {
        (false, _) => words::NO_CHOICE,
        (true, true) => words::NO_NUMBER,
        (true, false) => words::NO_GUESS,
    };
    html! {
        <form class="lesson-predict" onsubmit={on_submit}>
            <fieldset>
                <legend>{ words::PREDICT }</legend>
                if question.choices.is_empty() {
                    <label>{ words::YOUR_ANSWER }
                        <input type="text" autocomplete="off" value={props.answer.clone()}
                            oninput={on_input} />
                    </label>
                } else {
                    { for question.choices.iter().map(|choice| html! {
                        <label key={choice.clone()} class="lesson-choice">
                            <input type="radio" name="lesson-prediction" value={choice.clone()}
                                checked={*choice == props.answer} oninput={on_input.clone()} />
                            { choice }
                        </label>
                    }) }
                }
                <p class="lesson-missing" role="alert">{ if props.is_missing { missing } else { "" } }</p>
            </fieldset>
        </form>
    }
}

/// Returns the action that submits the guess. Returns `None` if the guess is empty, or if the question asks for a
/// number and the guess contains no number.
pub(super) fn answer_of(question: &QuestionView, answer: &str) -> Option<Action> {
    let is_guess = match question.is_number {
        true => number_in(answer).is_some(),
        false => !answer.trim().is_empty(),
    };
    is_guess.then(|| Action::Lesson(LessonAct::Answer(answer.to_owned())))
}

/// Renders the result beside the guess, and the explanation if the guess is wrong.
pub(super) fn verdict(question: &QuestionView) -> Html {
    let Some(actual) = &question.actual else {
        return html! {};
    };
    let Some(right) = question.right else {
        return html! { <div class="lesson-verdict"><span>{ words::answer(actual) }</span></div> };
    };
    html! {
        <div class={classes!("lesson-verdict", if right { "is-right" } else { "is-wrong" })}>
            if right {
                <Icon glyph={Glyph::Check} />
                <span>{ words::right(actual) }</span>
            } else {
                <p>{ words::wrong(actual, question.given.as_deref().unwrap_or_default()) }</p>
                if !question.why.is_empty() { <p>{ runs::set(&question.why) }</p> }
            }
        </div>
    }
}
