//! The panel that shows the lesson beside the picture: one part at a time, with a main button for the next action.

use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::{Act, LessonAct};
use watchglass_engine::view::{LessonCard, LessonItem, LessonView, PartMark};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::{commands, differs, ending, predict, runs, task};
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::state::lessons::next_to_run;
use crate::state::ui::Dialog;
use crate::store::{StoreHandle, use_store};
use crate::widgets::{Dropdown, Glyph, Icon, use_current};
use crate::words::{common, lesson as words};

#[component]
pub fn LessonRail() -> Html {
    let store = use_store();
    let answer = use_current(String::new);
    let is_missing = use_state_eq(|| false);
    let text = use_node_ref();
    let views = store.views.clone();
    let place = views.lesson.as_ref().map(|l| (l.name.clone(), l.part));
    let shown = views.lesson.as_ref().map_or(0, shown);
    {
        let (answer, is_missing) = (answer.clone(), is_missing.setter());
        use_effect_with(place.clone(), move |_| {
            answer.set(String::new());
            is_missing.set(false);
        });
    }
    {
        // A new part starts at its top; text that is added to a part later is scrolled into view.
        let before = use_mut_ref(|| (None, 0));
        let text = text.clone();
        use_effect_with((place, shown), move |now| {
            let before = before.replace(now.clone());
            let Some(text) = text.cast::<Element>() else {
                return;
            };
            match text.query_selector(".lesson-end") {
                _ if before.0 != now.0 => text.set_scroll_top(0),
                _ if before.1 >= now.1 => {}
                Ok(Some(end)) => show_end(&text, &end),
                _ => text.set_scroll_top(text.scroll_height()),
            }
        });
    }
    {
        // The message about a missing guess is at the end of the question.
        let text = text.clone();
        use_effect_with(*is_missing, move |is_missing| {
            if let Some(text) = text.cast::<Element>().filter(|_| *is_missing) {
                text.set_scroll_top(text.scroll_height());
            }
        });
    }
    let Some(lesson) = views.lesson.as_ref() else {
        return html! {};
    };
    let guess = Guess {
        answer: answer.get(),
        is_missing: *is_missing,
        on_answer: {
            let (answer, is_missing) = (answer.clone(), is_missing.setter());
            Callback::from(move |text| {
                answer.set(text);
                is_missing.set(false);
            })
        },
        on_check: {
            let (store, answer, text) = (store.clone(), answer.clone(), text.clone());
            let question = lesson.question.clone().unwrap_or_default();
            Callback::from(
                move |()| match predict::answer_of(&question, &answer.get()) {
                    Some(action) => store.dispatch(action),
                    None => {
                        is_missing.set(true);
                        focus_guess(&text);
                    }
                },
            )
        },
    };
    let cards = &store.ui.lessons;
    let number = cards.iter().position(|card| card.name == lesson.name);
    let part = lesson.parts.get(lesson.part as usize);
    let title = part.map(|part| part.title.clone()).unwrap_or_default();
    html! {
        <aside class="wg-story wg-lesson" aria-label={common::LESSON} id="wg-story">
            <div class="lesson-head">
                <p class="wg-kick">
                    { number.map_or_else(
                        || common::LESSON.to_owned(),
                        |number| words::lesson_of(number + 1, cards.len()),
                    ) }
                    <span class="wg-unseen">{ words::part_of(lesson.part + 1, lesson.parts.len()) }</span>
                </p>
                <Head can_undo={views.status.can_undo} />
            </div>
            <nav class="wg-segments lesson-parts" aria-label={words::PARTS}>
                { for lesson.parts.iter().enumerate().map(|(number, part)| segment(lesson, number, part, &store)) }
            </nav>
            <div class="wg-story-text wg-fades" ref={text} tabindex="0" role="region" aria-label={words::TEXT}>
                <h2 class="wg-story-title">{ title }</h2>
                if lesson.part == 0 {
                    <p class="lesson-goal">{ runs::set(&lesson.goal) }
                        { " " }{ words::about_minutes(lesson.minutes) }</p>
                }
                { body(lesson, &guess, &store) }
            </div>
            <p class="wg-unseen" role="status">{ spoken(lesson) }</p>
            { buttons(lesson, &guess, cards, &store) }
        </aside>
    }
}

/// Scrolls to the end of a lesson. The result of the last part (the conditions of a task, or the last command with its
/// explanation) stays visible above the end, if there is room for both.
fn show_end(text: &Element, end: &Element) {
    let task = text.query_selector(".lesson-task").ok().flatten();
    let last = || {
        let commands = text.query_selector_all(".lesson-command.is-typed").ok()?;
        let last = commands.item(commands.length().checked_sub(1)?)?;
        last.dyn_into::<Element>().ok()
    };
    if let Some(result) = task.or_else(last) {
        result.scroll_into_view();
    }
    let room = text.get_bounding_client_rect();
    if end.get_bounding_client_rect().top() > room.bottom() - room.height() / 3.0 {
        end.scroll_into_view();
    }
}

/// The learner's guess before it is submitted.
struct Guess {
    answer: String,
    /// Whether the learner tried to check without a guess.
    is_missing: bool,
    on_answer: Callback<String>,
    on_check: Callback<()>,
}

fn focus_guess(text: &NodeRef) {
    let text = text.cast::<Element>();
    let field = text.and_then(|text| text.query_selector(".lesson-predict input").ok().flatten());
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        // If the field cannot be focused, the note is sufficient.
        let _ = field.focus();
    }
}

/// Renders a part of the lesson as a button. The button opens the part if the learner has reached it.
fn segment(lesson: &LessonView, number: usize, part: &PartMark, store: &StoreHandle) -> Html {
    let here = number == lesson.part as usize;
    let act = LessonAct::Part(number as u32);
    let label = words::part_button(number + 1, part);
    html! {
        <button key={number} type="button" title={label.clone()} aria-label={label}
            aria-current={here.then_some("step")} disabled={!part.has_begun}
            onclick={store.on_click(Action::Lesson(act))}>
            <i class={classes!(part.done.then_some("is-on"), here.then_some("is-here"))}></i>
        </button>
    }
}

/// Returns the number of visible items in a part.
fn shown(lesson: &LessonView) -> usize {
    let given = lesson.question.as_ref().is_some_and(|q| q.given.is_some());
    let task = lesson.task.as_ref().map_or(0, |task| {
        task.hints.len() + task.solution.len() + usize::from(task.solved)
    });
    let end = lesson.end.is_some() && is_last(lesson);
    lesson.items.len() + usize::from(given) + task + usize::from(end)
}

#[derive(Clone, PartialEq, Properties)]
pub struct HeadProps {
    pub can_undo: bool,
    /// Whether the lesson has only one part, so that the button restarts it without a menu.
    #[prop_or_default]
    pub is_whole: bool,
}

/// Renders the buttons for undo and restart.
#[component]
pub fn Head(props: &HeadProps) -> Html {
    let store = use_store();
    let button = html! { <>{ words::RESTART }<Icon glyph={Glyph::Down} /></> };
    let item = |title: &str, about: &str, act: Act| {
        html! {
            <button type="button" class="wg-list-item" data-close=""
                onclick={store.on_click(Action::Terminal(TerminalAct::Do(act)))}>
                <span>{ title.to_owned() }</span><small>{ about.to_owned() }</small>
            </button>
        }
    };
    html! {
        <div class="lesson-again">
            <button type="button" class="wg-button is-quiet is-small" disabled={!props.can_undo}
                title={common::UNDO_TITLE}
                onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::Undo)))}>{ common::UNDO }</button>
            if props.is_whole {
                <button type="button" class="wg-button is-quiet is-small" title={words::WHOLE_LESSON_ABOUT}
                    onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::Reset)))}>{ words::RESTART }</button>
            } else {
                <Dropdown {button} class="is-quiet is-small lesson-reset" label={words::RESTART}>
                    { item(words::THIS_PART, words::THIS_PART_ABOUT, Act::ResetPart) }
                    { item(words::WHOLE_LESSON, words::WHOLE_LESSON_ABOUT, Act::Reset) }
                </Dropdown>
            }
        </div>
    }
}

fn body(lesson: &LessonView, guess: &Guess, store: &StoreHandle) -> Html {
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
    html! {
        <>
            { differs::misfit(lesson, store) }
            { for shown[..asked].iter().map(|item| commands::item(item, store)) }
            if let Some(question) = &lesson.question {
                <predict::Predict question={question.clone()} answer={guess.answer.clone()}
                    is_missing={guess.is_missing} on_answer={guess.on_answer.clone()}
                    on_check={guess.on_check.clone()} />
            }
            { for shown[asked..].iter().map(|item| commands::item(item, store)) }
            if lesson.near_miss && next_to_run(&lesson.items).is_some() {
                <p class="lesson-waits">{ words::NEAR_MISS }</p>
            }
            if let Some(question) = &lesson.question { { predict::verdict(question) } }
            { differs::differs(lesson, store) }
            { differs::stuck(lesson, store) }
            if let Some(task) = &lesson.task { { task::task(task, skip(lesson, &store.ui.lessons), store) } }
            if let Some(end) = lesson.end.as_ref().filter(|_| is_last(lesson)) { { ending::ending(end, store) } }
        </>
    }
}

/// Returns the text for screen readers: the status of a task or prediction, or the title of any other part.
fn spoken(lesson: &LessonView) -> String {
    let state = part_state(lesson);
    if lesson.misfit.is_some() {
        return words::with_misfit(&state);
    }
    if lesson.task.as_ref().is_some_and(differs::is_stuck) {
        return words::with_stuck(&state);
    }
    if lesson.near_miss && next_to_run(&lesson.items).is_some() {
        return words::with_near_miss(&state);
    }
    match &lesson.differs {
        None => state,
        Some(_) => words::with_difference(&state),
    }
}

fn part_state(lesson: &LessonView) -> String {
    if let Some(task) = &lesson.task {
        return task::state(task);
    }
    let title = lesson.parts.get(lesson.part as usize);
    let title = title.map(|part| part.title.as_str()).unwrap_or_default();
    let part = words::part(lesson.part as usize + 1, title);
    let question = lesson.question.as_ref();
    match question.and_then(|q| Some((q, q.actual.as_ref()?))) {
        Some((q, result)) => words::part_with_result(&part, q.given.as_deref(), result),
        None => part,
    }
}

fn is_last(lesson: &LessonView) -> bool {
    lesson.part as usize + 1 == lesson.parts.len()
}

/// Returns the lesson that follows this lesson in the list.
fn following<'a>(lesson: &LessonView, cards: &'a [LessonCard]) -> Option<&'a LessonCard> {
    let at = cards.iter().position(|card| card.name == lesson.name)?;
    cards.get(at + 1)
}

/// Returns the label of the main button, its action, and whether to highlight the button. The action is `None` if a
/// guess is missing; the button then asks for the guess. While [`skip`] offers to skip a task, the button does nothing.
fn main_action(
    lesson: &LessonView,
    answer: &str,
    cards: &[LessonCard],
) -> (&'static str, Option<Action>, bool) {
    let here = lesson.parts.get(lesson.part as usize);
    let done = here.is_some_and(|part| part.done);
    let asked = lesson.question.as_ref().filter(|q| q.given.is_none());
    if let Some(question) = asked.filter(|_| !done) {
        let action = predict::answer_of(question, answer);
        let is_there = action.is_some();
        return (words::SUBMIT_GUESS, action, is_there);
    }
    if let Some(command) = next_to_run(&lesson.items) {
        let run = Action::Terminal(TerminalAct::Do(Act::Type(command.to_owned())));
        return (words::RUN, Some(run), true);
    }
    if is_last(lesson) && done {
        let (label, action) = after_last(lesson, cards);
        return (label, Some(action), true);
    }
    let label = if is_last(lesson) {
        words::FINISH
    } else {
        common::NEXT
    };
    (label, Some(Action::Lesson(LessonAct::Next)), true)
}

/// Returns the button after the last part of a lesson: its label and its action.
fn after_last(lesson: &LessonView, cards: &[LessonCard]) -> (&'static str, Action) {
    match following(lesson, cards) {
        Some(card) => (words::NEXT_LESSON, Action::OpenLesson(card.name.clone())),
        None => (words::ALL_LESSONS, Action::OpenDialog(Dialog::Lessons)),
    }
}

/// Returns the action that skips the task of the part; `None` if the part has no unsolved task. The button for this
/// action is inside the task and not at the place of the main button, so a double click on *Next* in the previous part
/// does not skip the task.
fn skip(lesson: &LessonView, cards: &[LessonCard]) -> Option<Action> {
    let is_open = lesson.task.as_ref().is_some_and(|task| !task.solved);
    let is_open = is_open && next_to_run(&lesson.items).is_none();
    let next = || match is_last(lesson) {
        true => after_last(lesson, cards).1,
        // No solution fits a store that differs from the lesson's store.
        false if lesson.misfit.is_some() => Action::Lesson(LessonAct::Next),
        false => Action::SkipTask,
    };
    is_open.then(next)
}

fn buttons(lesson: &LessonView, guess: &Guess, cards: &[LessonCard], store: &StoreHandle) -> Html {
    let is_open = skip(lesson, cards).is_some();
    let (label, action, obvious) = main_action(lesson, &guess.answer, cards);
    let onclick = match action {
        // The button keeps its place and the focus until the task is solved.
        _ if is_open => Callback::noop(),
        Some(action) => store.on_click(action),
        None => guess.on_check.reform(|_| ()),
    };
    let is_primary = obvious && !is_open;
    let hint = lesson.task.as_ref().filter(|task| !task.solved);
    let hint = hint.and_then(|task| {
        if task.hints_left > 0 {
            Some((words::SHOW_HINT, LessonAct::Hint))
        } else if task.solution.is_empty() {
            Some((words::SHOW_SOLUTION, LessonAct::Solution))
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
                onclick={store.on_click(Action::Lesson(LessonAct::Back))}>{ common::BACK }</button>
            <button type="button" class={classes!("wg-button", "wg-main-action", is_primary.then_some("is-primary"))}
                aria-disabled={is_open.then_some("true")} {onclick}>{ label }</button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::{QuestionView, TaskView};

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
        let (label, _, obvious) = main_action(lesson, answer, &cards);
        (label, obvious)
    }

    #[test]
    fn there_is_one_obvious_thing_to_do() {
        let mut step = lesson();
        step.items = vec![LessonItem::Command {
            text: "put a 1".to_owned(),
            output: String::new(),
            error_lines: Vec::new(),
            more_lines: 0,
            typed: false,
            failed: false,
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
        assert_eq!(says(&asks, " "), ("Submit guess", false));
        assert_eq!(says(&asks, "many"), ("Submit guess", true));
        let (_, action, _) = main_action(&asks, " ", &[]);
        assert_eq!(action, None, "there is no guess to submit");
        asks.question = Some(QuestionView {
            is_number: true,
            ..QuestionView::default()
        });
        assert_eq!(says(&asks, "many"), ("Submit guess", false));
        assert_eq!(says(&asks, "three"), ("Submit guess", true));
    }

    #[test]
    fn a_part_is_called_by_its_number_and_title() {
        let mut part = PartMark {
            title: "Put and get".to_owned(),
            ..PartMark::default()
        };
        assert_eq!(words::part_button(1, &part), "Part 1: Put and get");
        part.done = true;
        assert_eq!(words::part_button(1, &part), "Part 1: Put and get, done");
    }

    #[test]
    fn an_open_task_is_skipped_by_a_button_of_its_own() {
        let cards = [LessonCard::default()];
        let mut open = lesson();
        assert_eq!(skip(&open, &cards), None);
        open.task = Some(TaskView::default());
        assert_eq!(skip(&open, &cards), Some(Action::SkipTask));
        open.misfit = Some(0);
        let next = Action::Lesson(LessonAct::Next);
        assert_eq!(skip(&open, &cards), Some(next));
        assert_eq!(says(&open, "").0, "Next");
        open.part = 1;
        let lessons = Action::OpenDialog(Dialog::Lessons);
        assert_eq!(skip(&open, &cards), Some(lessons));
        if let Some(task) = &mut open.task {
            task.solved = true;
        }
        assert_eq!(skip(&open, &cards), None);
        assert_eq!(says(&open, ""), ("Finish", true));
    }
}
