//! The list of all lessons, in teaching order, each with a picture of its goal.

use watchglass_engine::view::LessonCard;
use yew::prelude::*;

use super::{goal, words};
use crate::state::Action;
use crate::store::use_store;
use crate::widgets::{Glyph, Icon};

#[component]
pub fn LessonIndex() -> Html {
    let store = use_store();
    let here = store
        .views
        .lesson
        .as_ref()
        .map(|lesson| lesson.name.as_str());
    let card = |(number, card): (usize, &LessonCard)| {
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
                        <b>{ &card.title }</b>
                        <span>{ words::set(&card.goal) }</span>
                        <small>
                            { "Lesson " }{ number + 1 }{ " · " }{ card.minutes }{ " min" }
                            { done(card) }
                        </small>
                    </span>
                </button>
            </li>
        }
    };
    html! {
        <>
            <p class="lesson-intro">
                { "Each lesson has a task that you solve with your own commands. Its picture shows what you reach." }
                if store.ui.progress_kept {
                    { " Your progress is saved in this browser only." }
                } else {
                    <strong>
                        { " This browser does not let the page save your progress: a reload loses it." }
                    </strong>
                }
            </p>
            if store.ui.lessons.is_empty() { <p role="status">{ "Loading the lessons…" }</p> }
            <ol class="lesson-cards">{ for store.ui.lessons.iter().enumerate().map(card) }</ol>
        </>
    }
}

fn done(card: &LessonCard) -> Html {
    if card.finished {
        html! { <span class="lesson-done"><Icon glyph={Glyph::Check} />{ "done" }</span> }
    } else if card.done > 0 {
        html! { <span class="lesson-begun">{ card.done }{ " of " }{ card.parts }{ " parts" }</span> }
    } else {
        html! {}
    }
}
