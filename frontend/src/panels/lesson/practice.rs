//! Practice: an exercise with choices, the result and the reason after the answer, and the summary of a round.
//!
//! Until the learner has answered, the panel is alone on the page, because the picture shows the answer.

use watchglass_engine::session::protocol::LessonAct;
use watchglass_engine::view::{LessonItem, LessonView, QuestionView};
use web_sys::HtmlElement;
use yew::prelude::*;

use super::{commands, differs, predict, runs};
use crate::state::Action;
use crate::state::action::PracticeAct;
use crate::state::practice::{Practice, ROUND_ITEMS};
use crate::store::{StoreHandle, local, use_store};
use crate::words::{common, practice as words};

#[component]
pub fn PracticeRail() -> Html {
    let store = use_store();
    let main = use_node_ref();
    let views = store.views.clone();
    let practice = &store.ui.practice;
    let lesson = views.lesson.as_ref();
    let question = lesson.and_then(|lesson| lesson.question.as_ref());
    let is_answered = question.is_some_and(|question| question.actual.is_some());
    {
        // Enter then leads on: 2, Enter, 3, Enter.
        let main = main.clone();
        use_effect_with(
            (is_answered, practice.is_over),
            move |(is_answered, is_over)| {
                let main = main.cast::<HtmlElement>();
                if let Some(main) = main.filter(|_| *is_answered || *is_over) {
                    // Without the focus, the button still works.
                    let _ = main.focus();
                }
            },
        );
    }
    let Some(lesson) = lesson else {
        return html! {};
    };
    let total = ROUND_ITEMS.max(practice.results().len());
    let number = practice.results().len() + usize::from(!is_answered);
    let topic = &lesson.title;
    let title = lesson.parts.first().map(|part| part.title.clone());
    let (heading, body, label, act) = if practice.is_over {
        let score = words::score(practice.right(), practice.results().len());
        let act: fn(u32) -> PracticeAct = PracticeAct::Again;
        (score, summary(practice), words::MORE, act)
    } else {
        let body = exercise(lesson, question, &store);
        let act: fn(u32) -> PracticeAct = PracticeAct::Next;
        (title.unwrap_or_default(), body, common::NEXT, act)
    };
    let is_shown = is_answered || practice.is_over;
    let on_next = store.on(move |_: MouseEvent| Action::Practice(act(local::now_minutes())));
    html! {
        <aside class="wg-story wg-lesson wg-practice" aria-label={words::PRACTICE} id="wg-story">
            <div class="lesson-head">
                <p class="wg-kick">
                    { if practice.is_over { words::PRACTICE.to_owned() } else {
                        words::position(number.max(1), total, topic)
                    } }
                </p>
                if !practice.is_over {
                    <a href={format!("?practice={}", lesson.name)} title={words::LINK_TITLE}>{ words::LINK }</a>
                }
            </div>
            <div class="wg-segments" aria-hidden="true">
                { for (0..total).map(|at| html! {
                    <i class={practice.results().get(at).map(|(_, is_right)| {
                        if *is_right { "is-on" } else { "is-on is-wrong" }
                    })}></i>
                }) }
            </div>
            <div class="wg-story-text wg-fades" tabindex="0" role="region" aria-label={words::TEXT}>
                <h2 class="wg-story-title">{ heading.clone() }</h2>
                { body }
            </div>
            <p class="wg-unseen" role="status">{ spoken(&heading, question, practice) }</p>
            <div class="wg-story-buttons">
                <span class="wg-spring"></span>
                if is_shown {
                    <button ref={main} type="button" class="wg-button wg-main-action is-primary" onclick={on_next}>
                        { label }
                    </button>
                }
            </div>
        </aside>
    }
}

/// Returns the text for screen readers: the result, or the heading.
fn spoken(heading: &str, question: Option<&QuestionView>, practice: &Practice) -> String {
    let result = question.filter(|_| !practice.is_over);
    match result.and_then(|q| Some((q, q.actual.as_ref()?))) {
        Some((q, actual)) => {
            crate::words::lesson::part_with_result(heading, q.given.as_deref(), actual)
        }
        None => heading.to_owned(),
    }
}

fn exercise(lesson: &LessonView, question: Option<&QuestionView>, store: &StoreHandle) -> Html {
    let asked = lesson.items.iter();
    let asked = asked
        .take_while(|item| matches!(item, LessonItem::Command { .. }))
        .count();
    let (before, rest) = lesson.items.split_at(asked);
    let (text, after) = rest.split_at(rest.len().min(1));
    html! {
        <>
            if question.is_some_and(|question| question.given.is_none()) {
                <pre class="lesson-command practice-before" role="group" aria-label={words::BEFORE}>
                    { for before.iter().map(line) }
                </pre>
            }
            { for text.iter().map(|item| commands::item(item, store)) }
            if let Some(question) = question {
                if question.given.is_none() { { choices(question, store) } }
                { predict::verdict(question) }
            }
            { for after.iter().map(|item| commands::item(item, store)) }
            { differs::differs(lesson, store) }
        </>
    }
}

/// Renders a command before the question as one line. Its output is in the terminal.
fn line(item: &LessonItem) -> Html {
    match item {
        LessonItem::Command { text, .. } => html! {
            <span><span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ runs::code(text) }</span>
        },
        LessonItem::Say(_) | LessonItem::Note { .. } => Html::default(),
    }
}

fn choices(question: &QuestionView, store: &StoreHandle) -> Html {
    html! {
        <ol class="practice-choices" aria-label={words::CHOICES}>
            { for question.choices.iter().enumerate().map(|(at, choice)| html! {
                <li>
                    <button type="button" class="wg-button practice-choice"
                        aria-keyshortcuts={(at + 1).to_string()}
                        onclick={store.on_click(Action::Lesson(LessonAct::Answer(choice.clone())))}>
                        <kbd aria-hidden="true">{ at + 1 }</kbd><span>{ choice }</span>
                    </button>
                </li>
            }) }
        </ol>
    }
}

/// Renders the button that forgets all results, after a second click.
#[component]
fn Forget() -> Html {
    let store = use_store();
    let is_sure = use_state_eq(|| false);
    let onclick = match *is_sure {
        true => {
            store.on(|_: MouseEvent| Action::Practice(PracticeAct::Forget(local::now_minutes())))
        }
        false => {
            let is_sure = is_sure.setter();
            Callback::from(move |_| is_sure.set(true))
        }
    };
    html! {
        <button type="button" class="wg-button is-quiet is-small" {onclick}>
            { if *is_sure { words::FORGET_FOR_GOOD } else { words::FORGET } }
        </button>
    }
}

fn summary(practice: &Practice) -> Html {
    let topics: Vec<_> = practice
        .again()
        .into_iter()
        .map(|topic| topic.title())
        .collect();
    html! {
        <>
            <p class="lesson-say">{ words::again(&topics) }</p>
            <p>{ words::SAVED }</p>
            <p>
                <Forget />
            </p>
        </>
    }
}
