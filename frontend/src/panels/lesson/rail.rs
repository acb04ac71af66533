//! The lesson beside the picture: one part at a time, and one obvious next thing to do.

use watchglass_engine::session::protocol::{Act, LessonAct};
use watchglass_engine::view::{LessonCard, LessonItem, LessonView};
use web_sys::Element;
use yew::prelude::*;

use super::{commands, differs, ending, predict, task, words};
use crate::state::Action;
use crate::state::ui::Dialog;
use crate::store::{StoreHandle, use_store};
use crate::widgets::{Dropdown, Glyph, Icon};

#[component]
pub fn LessonRail() -> Html {
    let store = use_store();
    let answer = use_state(String::new);
    let text = use_node_ref();
    let views = store.views.clone();
    let place = views.lesson.as_ref().map(|l| (l.name.clone(), l.part));
    let shown = views.lesson.as_ref().map_or(0, shown);
    {
        let answer = answer.setter();
        use_effect_with(place.clone(), move |_| answer.set(String::new()));
    }
    {
        // A part is read from its beginning; what comes in it later is brought into view.
        let before = use_mut_ref(|| (None, 0));
        let text = text.clone();
        use_effect_with((place, shown), move |now| {
            let before = before.replace(now.clone());
            let Some(text) = text.cast::<Element>() else {
                return;
            };
            let end = text.query_selector(".lesson-end").ok().flatten();
            match end {
                _ if before.0 != now.0 => text.set_scroll_top(0),
                _ if before.1 >= now.1 => {}
                Some(end) => end.scroll_into_view(),
                None => text.set_scroll_top(text.scroll_height()),
            }
        });
    }
    let Some(lesson) = views.lesson.as_ref() else {
        return html! {};
    };
    let cards = &store.ui.lessons;
    let number = cards.iter().position(|card| card.name == lesson.name);
    let part = lesson.parts.get(lesson.part as usize);
    let title = part.map(|part| part.title.clone()).unwrap_or_default();
    html! {
        <aside class="wg-story wg-lesson" aria-label="Lesson" id="wg-story">
            <div class="lesson-head">
                <p class="wg-kick">
                    { match number {
                        Some(number) => html! { <>{ "Lesson " }{ number + 1 }{ " of " }{ cards.len() }</> },
                        None => html! { <>{ "Lesson " }{ &lesson.name }</> },
                    } }
                    <span class="wg-unseen">{ ", part " }{ lesson.part + 1 }{ " of " }{ lesson.parts.len() }</span>
                </p>
                <Head can_undo={lesson.can_undo} />
            </div>
            <div class="wg-segments" aria-hidden="true">
                { for lesson.parts.iter().enumerate().map(|(number, part)| {
                    let here = number == lesson.part as usize;
                    html! {
                        <i key={number} class={classes!(part.done.then_some("is-on"), here.then_some("is-here"))}></i>
                    }
                }) }
            </div>
            <div class="wg-story-text" ref={text} tabindex="0" role="region" aria-label="Text of the lesson">
                <h2 class="wg-story-title">{ title }</h2>
                if lesson.part == 0 {
                    <p class="lesson-goal">{ words::set(&lesson.goal) }
                        { " About " }{ lesson.minutes }{ " minutes." }</p>
                }
                { body(lesson, &answer, &store) }
            </div>
            <p class="wg-unseen" role="status">{ spoken(lesson) }</p>
            { buttons(lesson, &answer, cards, &store) }
        </aside>
    }
}

/// How much of a part is shown.
fn shown(lesson: &LessonView) -> usize {
    let given = lesson.question.as_ref().is_some_and(|q| q.given.is_some());
    let task = lesson.task.as_ref().map_or(0, |task| {
        task.hints.len() + task.solution.len() + usize::from(task.solved)
    });
    let end = lesson.end.is_some() && is_last(lesson);
    lesson.items.len() + usize::from(given) + task + usize::from(end)
}

#[derive(Clone, PartialEq, Properties)]
struct HeadProps {
    can_undo: bool,
}

/// Undo and restart.
#[component]
fn Head(props: &HeadProps) -> Html {
    let store = use_store();
    let button = html! { <>{ "Restart" }<Icon glyph={Glyph::Down} /></> };
    let item = |title: &str, about: &str, act: Act| {
        html! {
            <button type="button" class="wg-list-item" data-close=""
                onclick={store.on_click(Action::Do(act))}>
                <span>{ title.to_owned() }</span><small>{ about.to_owned() }</small>
            </button>
        }
    };
    html! {
        <div class="lesson-again">
            <button type="button" class="wg-button is-quiet is-small" disabled={!props.can_undo}
                title="Undo the last command (Ctrl+Z)"
                onclick={store.on_click(Action::Do(Act::Undo))}>{ "Undo" }</button>
            <Dropdown {button} class="is-quiet is-small lesson-reset" label="Restart">
                { item("This part", "as you found it", Act::ResetPart) }
                { item("The whole lesson", "you can undo this", Act::Reset) }
            </Dropdown>
        </div>
    }
}

fn body(lesson: &LessonView, answer: &UseStateHandle<String>, store: &StoreHandle) -> Html {
    let shown = &lesson.items;
    let asked = shown
        .iter()
        .position(|item| matches!(item, LessonItem::Command { .. }))
        .unwrap_or(shown.len());
    let asked = if lesson.question.is_some() {
        asked
    } else {
        shown.len()
    };
    let on_answer = {
        let answer = answer.setter();
        Callback::from(move |text| answer.set(text))
    };
    html! {
        <>
            { for shown[..asked].iter().map(|item| commands::item(item, store)) }
            if let Some(question) = &lesson.question {
                <predict::Predict question={question.clone()} answer={(**answer).clone()} {on_answer} />
            }
            { for shown[asked..].iter().map(|item| commands::item(item, store)) }
            if let Some(question) = &lesson.question { { predict::verdict(question) } }
            { differs::differs(lesson, store) }
            if let Some(task) = &lesson.task { { task::task(task, store) } }
            if let Some(end) = lesson.end.as_ref().filter(|_| is_last(lesson)) { { ending::ending(end) } }
        </>
    }
}

/// How a task or a prediction stands, or which part this is.
fn spoken(lesson: &LessonView) -> String {
    let state = part_state(lesson);
    match &lesson.differs {
        None => state,
        Some(_) => format!("{state}. {}", differs::DIFFERS),
    }
}

fn part_state(lesson: &LessonView) -> String {
    if let Some(task) = &lesson.task {
        return task::state(task);
    }
    let title = lesson.parts.get(lesson.part as usize);
    let title = title.map(|part| part.title.as_str()).unwrap_or_default();
    let came = lesson.question.as_ref().and_then(|q| {
        let came = q.came.as_ref()?;
        let given = q.given.as_deref().unwrap_or("nothing");
        Some(format!(". You guessed {given}. It is {came}"))
    });
    let part = (lesson.part + 1).to_string();
    format!("Part {part}: {title}{}", came.unwrap_or_default())
}

fn is_last(lesson: &LessonView) -> bool {
    lesson.part as usize + 1 == lesson.parts.len()
}

/// The lesson after this one.
fn following<'a>(lesson: &LessonView, cards: &'a [LessonCard]) -> Option<&'a LessonCard> {
    let at = cards.iter().position(|card| card.name == lesson.name)?;
    cards.get(at + 1)
}

/// What the main button says and does, and whether it is the obvious thing.
fn main_thing(
    lesson: &LessonView,
    answer: &str,
    cards: &[LessonCard],
) -> (&'static str, Action, bool) {
    let here = lesson.parts.get(lesson.part as usize);
    let done = here.is_some_and(|part| part.done);
    let asking = lesson.question.as_ref().is_some_and(|q| q.given.is_none());
    let open_task = lesson.task.as_ref().is_some_and(|task| !task.solved);
    if asking && !done {
        return (
            "Check my guess",
            predict::answer_of(answer),
            !answer.trim().is_empty(),
        );
    }
    if let Some(command) = commands::next(&lesson.items) {
        return ("Run it", Action::Do(Act::Type(command.to_owned())), true);
    }
    if is_last(lesson) && (done || open_task) {
        return match following(lesson, cards) {
            Some(card) => (
                "Next lesson",
                Action::OpenLesson(card.name.clone()),
                !open_task,
            ),
            None => (
                "All lessons",
                Action::OpenDialog(Dialog::Lessons),
                !open_task,
            ),
        };
    }
    let next = Action::Lesson(LessonAct::Next);
    match (open_task, is_last(lesson)) {
        (true, _) => ("Skip", next, false),
        (false, true) => ("Finish", next, true),
        (false, false) => ("Next", next, true),
    }
}

fn buttons(lesson: &LessonView, answer: &str, cards: &[LessonCard], store: &StoreHandle) -> Html {
    let (label, action, obvious) = main_thing(lesson, answer, cards);
    let hint = lesson.task.as_ref().filter(|task| !task.solved);
    let hint = hint.and_then(|task| {
        if task.hints_left > 0 {
            Some(("Hint", LessonAct::Hint))
        } else if task.solution.is_empty() {
            Some(("Solution", LessonAct::Solution))
        } else {
            None
        }
    });
    html! {
        <div class="wg-story-buttons">
            if let Some((label, act)) = hint {
                <button type="button" class="wg-button lesson-hint"
                    onclick={store.on_click(Action::Lesson(act))}>{ label }</button>
            }
            <span class="wg-spring"></span>
            <button type="button" class="wg-button" disabled={lesson.part == 0}
                onclick={store.on_click(Action::Lesson(LessonAct::Back))}>{ "Back" }</button>
            <button type="button" class={classes!("wg-button", "wg-main-action", obvious.then_some("is-primary"))}
                onclick={store.on_click(action)}>{ label }</button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::{PartMark, QuestionView, TaskView};

    use super::*;

    fn lesson() -> LessonView {
        LessonView {
            name: "L01".to_owned(),
            parts: vec![PartMark::default(), PartMark::default()],
            ..LessonView::default()
        }
    }

    fn says(lesson: &LessonView, answer: &str) -> (&'static str, bool) {
        let cards = [LessonCard::default()];
        let (label, _, obvious) = main_thing(lesson, answer, &cards);
        (label, obvious)
    }

    #[test]
    fn there_is_one_obvious_thing_to_do() {
        let mut step = lesson();
        step.items = vec![LessonItem::Command {
            text: "put a 1".to_owned(),
            output: String::new(),
            more_lines: 0,
            typed: false,
        }];
        assert_eq!(says(&step, ""), ("Run it", true));
        step.items.clear();
        assert_eq!(says(&step, ""), ("Next", true));
        step.part = 1;
        assert_eq!(says(&step, ""), ("Finish", true));
        step.parts[1].done = true;
        assert_eq!(says(&step, ""), ("All lessons", true));
    }

    #[test]
    fn a_guess_comes_before_the_commands() {
        let mut asks = lesson();
        asks.question = Some(QuestionView::default());
        assert_eq!(says(&asks, " "), ("Check my guess", false));
        assert_eq!(says(&asks, "3"), ("Check my guess", true));
    }

    #[test]
    fn an_open_task_can_be_left_but_that_is_not_the_obvious_thing() {
        let mut open = lesson();
        open.task = Some(TaskView::default());
        assert_eq!(says(&open, ""), ("Skip", false));
        if let Some(task) = &mut open.task {
            task.solved = true;
        }
        assert_eq!(says(&open, ""), ("Next", true));
    }
}
