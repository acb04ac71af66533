//! Lessons: opens a lesson, moves through it, and stores the learner's progress.
//!
//! The engine stores the lesson, checks its tasks and writes the progress as a text. The page stores this text and
//! gives it to the next engine.

use std::rc::Rc;

use watchglass_engine::session::practice::Item;
use watchglass_engine::session::protocol::{Act, Done, LessonAct, Move, Request, SeekTo, Source};
use watchglass_engine::view::{
    CacheQuery, IndexQuery, LessonItem, LessonView, Queries, WatchQuery,
};

use super::Action;
use super::action::PracticeAct;
use super::choices::{Panel, Tone};
use super::effect::Effect;
use super::flow::{Purpose, State};
use super::playback::move_cursor;
use super::run;
use super::runs::OpenFor;
use crate::keep::Wanted;
use crate::keep::opening::Opening;

/// The maximum number of lanes in the picture of a lesson's goal.
pub const GOAL_LANES: u32 = 5;
/// The maximum number of revisions in the picture of a lesson's goal.
pub const GOAL_REVISIONS: u32 = 40;

pub fn open(state: &mut State, name: String) {
    state.user_chose();
    state.flow.picture = None;
    let ui = state.ui_mut();
    ui.sheet = Panel::Story;
    ui.instant = true;
    let source = Source::Lesson(name);
    let at = SeekTo::Default;
    let wanted = Wanted::Source { source, at };
    run::look_for(state, wanted, OpenFor::Choice, false);
}

/// Executes an action in practice, and opens the next exercise unless the round has just ended.
pub fn practise(state: &mut State, act: PracticeAct) {
    let practice = &mut state.ui_mut().practice;
    match act {
        PracticeAct::Begin(now) => practice.begin(now),
        PracticeAct::Next(now) => practice.go_on(now),
        PracticeAct::Again(now) => practice.begin_again(now),
        PracticeAct::Forget(now) => {
            practice.forget();
            practice.begin(now);
        }
    }
    let (text, item) = (practice.to_text(), practice.next_item());
    let is_end = practice.is_over && matches!(act, PracticeAct::Next(_));
    state.effects.push(Effect::WritePractice(text));
    if !is_end {
        state.user_chose();
        let ui = state.ui_mut();
        ui.sheet = Panel::Story;
        ui.instant = true;
        let source = Source::Lesson(item.to_string());
        let at = SeekTo::Default;
        // An exercise is not worth an entry in the history of the browser.
        run::open_fresh(state, Some(Opening { source, at }), OpenFor::StartOver);
    }
}

/// Returns the choice that a number key selects, if the page shows an exercise without an answer.
pub fn choice_of_key(key: &str, lesson: &LessonView) -> Option<Action> {
    Item::named(&lesson.name)?;
    let question = lesson.question.as_ref().filter(|q| q.given.is_none())?;
    let number: usize = key.parse().ok()?;
    let choice = question.choices.get(number.checked_sub(1)?)?;
    Some(Action::Lesson(LessonAct::Answer(choice.clone())))
}

/// Returns the next command of a lesson's part that the learner has not run.
pub fn next_to_run(items: &[LessonItem]) -> Option<&str> {
    items.iter().find_map(|item| match item {
        LessonItem::Command {
            text, typed: false, ..
        } => Some(text.as_str()),
        LessonItem::Command { .. } | LessonItem::Say(_) | LessonItem::Note { .. } => None,
    })
}

/// Handles the two keys of a remote control. In a run, they move by a beat. In a lesson, the forward key runs the next
/// command, shows the answer of a question, runs the solution of a task, or opens the next part; the back key opens the
/// previous part.
pub fn page(state: &mut State, is_forward: bool) {
    let by = if is_forward { 1 } else { -1 };
    let views = state.views.clone();
    let Some(lesson) = &views.lesson else {
        return move_cursor(state, Move::ByBeats(by));
    };
    if let Some(presenting) = &mut state.ui_mut().presenting {
        presenting.has_moved = true;
    }
    // The views do not contain the result of a running command yet.
    if !state.ui.running.is_empty() {
        return;
    }
    match next_page(lesson) {
        _ if !is_forward => act(state, LessonAct::Back),
        Some(NextPage::Act(next)) => act(state, next),
        Some(NextPage::Solution) => skip(state),
        None => {}
    }
}

/// What a remote control does next in a lesson.
#[derive(Debug, PartialEq)]
enum NextPage {
    Act(LessonAct),
    /// Run the solution of the task, and go to the next part.
    Solution,
}

fn next_page(lesson: &LessonView) -> Option<NextPage> {
    let asks = lesson
        .question
        .as_ref()
        .is_some_and(|question| question.given.is_none());
    let is_last = lesson.part as usize + 1 >= lesson.parts.len();
    if asks {
        // The audience guesses aloud, so there is no guess to check.
        Some(NextPage::Act(LessonAct::Answer(String::new())))
    } else if next_to_run(&lesson.items).is_some() {
        Some(NextPage::Act(LessonAct::Type))
    } else if lesson.task.as_ref().is_some_and(|task| !task.solved) {
        Some(NextPage::Solution)
    } else {
        (!is_last).then_some(NextPage::Act(LessonAct::Next))
    }
}

/// Executes an action in the current lesson. An action that changes the run is journaled like a typed line.
pub fn act(state: &mut State, act: LessonAct) {
    let views = state.views.clone();
    let Some(lesson) = &views.lesson else {
        return;
    };
    state.pause();
    match act {
        LessonAct::Type => {
            if let Some(text) = next_to_run(&lesson.items) {
                run::exec(state, text.to_owned());
            }
        }
        LessonAct::Next
        | LessonAct::Back
        | LessonAct::Part(_)
        | LessonAct::Answer(_)
        | LessonAct::Hint
        | LessonAct::Solution => {
            ask(state, Purpose::Lesson, act);
        }
        LessonAct::Leave => ask(state, Purpose::LeaveLesson, act),
    }
}

fn ask(state: &mut State, purpose: Purpose, act: LessonAct) {
    state.request(purpose, Request::Lesson(act));
}

/// Skips the current task: requests its solution.
pub fn skip(state: &mut State) {
    ask(state, Purpose::SkipTask, LessonAct::Solution);
}

/// Runs the solution of the skipped task and goes to the next part, whose text is about the state after the solution.
pub fn skipped(state: &mut State, done: Done) {
    match done {
        Done::Text(solution) => {
            run::exec(state, solution);
            act(state, LessonAct::Next);
        }
        Done::Refused { message } => state.tell(Tone::Bad, message),
        _ => {}
    }
}

/// Handles the run that the engine separated from a lesson: opens it as a run without the lesson.
pub fn left(state: &mut State, done: Done) {
    match done {
        Done::Text(run) => {
            state.user_chose();
            let (source, at) = (Source::Saved(run), SeekTo::Default);
            let wanted = Wanted::Source { source, at };
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        Done::Refused { message } => state.tell(Tone::Bad, message),
        _ => {}
    }
}

/// Restarts the lesson or a part of it.
pub fn restart(state: &mut State, act: Act) {
    if state.views.lesson.is_some() {
        state.pause();
        run::add(state, act, None);
    }
}

/// Handles the response to an action in a lesson, which moved the learner or the cursor.
pub fn acted(state: &mut State, done: Done) {
    match done {
        Done::Refused { message } => state.tell(Tone::Bad, message),
        Done::Moved { .. } => {
            let ui = state.ui_mut();
            ui.dirty = true;
            ui.cleared_below = 0;
            run::save(state);
            state.effects.push(Effect::SaveSoon);
        }
        _ => {}
    }
}

pub fn list(state: &mut State) {
    state.request(Purpose::Lessons, Request::Lessons);
}

/// Handles the list of lessons; requests the pictures of their goals while the dialog is open.
pub fn listed(state: &mut State, done: Done) {
    let Done::Lessons(cards) = done else { return };
    let open = state.ui.dialog == Some(super::ui::Dialog::Lessons);
    let missing: Vec<_> = cards
        .iter()
        .filter(|card| open && !state.ui.goals.contains_key(&card.name))
        .map(|card| card.name.clone())
        .collect();
    let (challenges, lessons) = cards.into_iter().partition(|card| card.is_challenge);
    let ui = state.ui_mut();
    (ui.lessons, ui.challenges) = (Rc::new(lessons), Rc::new(challenges));
    for lesson in missing {
        let purpose = Purpose::Goal(lesson.clone());
        if state.pending().any(|pending| *pending == purpose) {
            continue;
        }
        state.request(
            purpose,
            Request::Goal {
                lesson,
                queries: goal_queries().into(),
            },
        );
    }
}

/// Returns the queries for the picture of a goal.
pub fn goal_queries() -> Queries {
    Queries {
        index: Some(IndexQuery {
            lane_count: GOAL_LANES,
            rev_from: 1,
            rev_to: i64::from(GOAL_REVISIONS),
            columns: GOAL_REVISIONS * 4,
            ..IndexQuery::default()
        }),
        watch: Some(WatchQuery {
            columns: GOAL_REVISIONS,
            ..WatchQuery::default()
        }),
        cache: Some(CacheQuery::default().into()),
        ..Queries::default()
    }
}

/// Stores the picture of a solved lesson.
pub fn goal_came(state: &mut State, name: String, done: Done) {
    if let Done::Views(views) = done {
        Rc::make_mut(&mut state.ui_mut().goals).insert(name, Rc::from(views));
    }
}

/// Handles new views: stores the learner's progress if it has changed.
pub fn views_came(state: &mut State) {
    let views = state.views.clone();
    let Some(lesson) = &views.lesson else { return };
    if state.ui.lessons.is_empty() && !state.pending().any(|p| *p == Purpose::Lessons) {
        list(state);
    }
    let result = lesson.question.as_ref().and_then(|question| question.right);
    if let (Some(item), Some(is_right)) = (Item::named(&lesson.name), result) {
        let practice = &mut state.ui_mut().practice;
        if practice.record(item, is_right) {
            let text = practice.to_text();
            state.effects.push(Effect::WritePractice(text));
        }
    }
    if lesson.progress != state.flow.progress {
        state.flow.progress.clone_from(&lesson.progress);
        state
            .effects
            .push(Effect::WriteProgress(lesson.progress.clone()));
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::lesson::{PartMark, QuestionView, TaskView};

    use super::*;

    #[test]
    fn a_remote_control_shows_answers_runs_commands_and_goes_on() {
        let command = |typed| LessonItem::Command {
            text: "put a 1".to_owned(),
            output: String::new(),
            error_lines: Vec::new(),
            more_lines: 0,
            typed,
            failed: false,
        };
        let mut lesson = LessonView {
            parts: vec![PartMark::default(), PartMark::default()],
            question: Some(QuestionView::default()),
            ..LessonView::default()
        };
        let act = |act| Some(NextPage::Act(act));
        assert_eq!(next_page(&lesson), act(LessonAct::Answer(String::new())));
        lesson.question = Some(QuestionView {
            given: Some(String::new()),
            ..QuestionView::default()
        });
        lesson.items = vec![command(true), command(false)];
        assert_eq!(next_page(&lesson), act(LessonAct::Type));
        lesson.items = vec![command(true)];
        lesson.task = Some(TaskView::default());
        assert_eq!(next_page(&lesson), Some(NextPage::Solution));
        lesson.task = None;
        assert_eq!(next_page(&lesson), act(LessonAct::Next));
        lesson.part = 1;
        assert_eq!(next_page(&lesson), None);
    }
}
