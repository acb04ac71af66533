//! The list of all lessons, in teaching order, and of all challenges, each with a picture of its goal.

use watchglass_engine::view::LessonCard;
use web_sys::Element;
use yew::prelude::*;

use super::{goal, runs};
use crate::address::link;
use crate::state::Action;
use crate::state::action::PracticeAct;
use crate::store::{local, use_store};
use crate::widgets::{Glyph, Icon};
use crate::words::{author, challenge, lesson as words, practice};

#[component]
pub fn LessonIndex() -> Html {
    let store = use_store();
    let here = store
        .views
        .lesson
        .as_ref()
        .map(|lesson| lesson.name.as_str());
    let challenges = use_node_ref();
    {
        // From a challenge, the list leads to the other challenges.
        let challenges = challenges.clone();
        let lesson = store.views.lesson.as_ref();
        let is_challenge = lesson.is_some_and(|lesson| lesson.challenge.is_some());
        use_effect_with(store.ui.challenges.is_empty(), move |is_empty| {
            let heading = challenges.cast::<Element>();
            if let Some(heading) = heading.filter(|_| is_challenge && !is_empty) {
                heading.scroll_into_view();
            }
        });
    }
    let card = |card: &LessonCard, about: Html| {
        let views = store.ui.goals.get(&card.name);
        html! {
            <li key={card.name.clone()}>
                <button type="button" class="lesson-card" data-lesson={card.name.clone()}
                    aria-current={(here == Some(card.name.as_str())).then_some("true")}
                    onclick={store.on_click(Action::OpenLesson(card.name.clone()))}>
                    <span class="lesson-picture">
                        if let Some(views) = views { { goal::draw(views, &card.picture) } }
                    </span>
                    <span class="lesson-card-text">
                        <b lang="en">{ &card.title }</b>
                        <span lang="en">{ runs::set(&card.goal) }</span>
                        <small>{ about }</small>
                    </span>
                </button>
            </li>
        }
    };
    let lesson = |(number, of): (usize, &LessonCard)| {
        let about = words::number_and_minutes(number + 1, of.minutes);
        card(of, html! { <>{ about }{ done(of) }</> })
    };
    let challenge = |of: &LessonCard| card(of, of.best.map(solved).unwrap_or_default());
    html! {
        <>
            <p class="lesson-intro">
                { words::INTRODUCTION }
                if store.ui.progress_kept {
                    { " " }{ words::PROGRESS_SAVED }
                } else {
                    <strong>{ " " }{ words::PROGRESS_NOT_SAVED }</strong>
                }
            </p>
            <p class="lesson-intro">
                <button type="button" class="wg-button wg-practise"
                    onclick={store.on(|_: MouseEvent| Action::Practice(PracticeAct::Begin(local::now_minutes())))}>
                    { practice::PRACTICE }
                </button>
                { " " }{ practice::ABOUT }
            </p>
            <p class="lesson-intro">
                <a class="wg-button" href={["?", link::WRITE].concat()}>{ author::TITLE }</a>
                { " " }{ author::ABOUT }
            </p>
            if store.ui.lessons.is_empty() { <p role="status">{ words::LOADING }</p> }
            <ol class="lesson-cards">{ for store.ui.lessons.iter().enumerate().map(lesson) }</ol>
            <h3 class="lesson-challenges" id="wg-challenges" ref={challenges}>{ challenge::CHALLENGES }</h3>
            <p class="lesson-intro">{ challenge::ABOUT }</p>
            <ol class="lesson-cards" aria-labelledby="wg-challenges">
                { for store.ui.challenges.iter().map(challenge) }
            </ol>
        </>
    }
}

fn solved(commands: u32) -> Html {
    html! { <span class="lesson-done"><Icon glyph={Glyph::Check} />{ challenge::best(commands) }</span> }
}

fn done(card: &LessonCard) -> Html {
    if card.finished {
        html! { <span class="lesson-done"><Icon glyph={Glyph::Check} />{ words::FINISHED }</span> }
    } else if card.done > 0 {
        html! { <span class="lesson-begun">{ words::parts_done(card.done, card.parts) }</span> }
    } else {
        html! {}
    }
}
