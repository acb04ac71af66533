//! Lessons: opening one, going through it, and keeping how far the learner is.
//!
//! The engine knows the lesson, checks its tasks and writes the progress; the page keeps that text
//! and gives it back to the next engine.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, Done, LessonAct, SeekTo, Source, ToEngine};
use watchglass_engine::view::{IndexQuery, LessonItem, Queries, WatchQuery};

use super::effect::Effect;
use super::flow::{Purpose, State};
use super::reduce::{exec, pause, tell, user_chose};
use super::run::{self, OpenFor};
use super::ui::{Panel, Tone};
use crate::keep::Wanted;

/// Lanes of a goal's picture.
pub const GOAL_LANES: u32 = 5;
/// Revisions that a goal's picture can show.
pub const GOAL_REVISIONS: u32 = 40;

/// Opens a lesson.
pub fn open(state: &mut State, name: String, effects: &mut Vec<Effect>) {
    user_chose(state);
    state.flow.picture = None;
    let ui = state.ui_mut();
    ui.sheet = Panel::Story;
    ui.instant = true;
    let source = Source::Lesson(name);
    let at = SeekTo::Default;
    let wanted = Wanted::Source { source, at };
    run::look_for(state, wanted, OpenFor::Choice, false, effects);
}

/// Does something in the lesson under way. What changes the run is journaled as what is typed is.
pub fn act(state: &mut State, act: LessonAct, effects: &mut Vec<Effect>) {
    let views = state.views.clone();
    let Some(lesson) = &views.lesson else {
        return;
    };
    pause(state);
    match act {
        LessonAct::Type => {
            let next = lesson.items.iter().find_map(|item| match item {
                LessonItem::Command {
                    text, typed: false, ..
                } => Some(text.clone()),
                LessonItem::Command { .. } | LessonItem::Say(_) | LessonItem::Note { .. } => None,
            });
            if let Some(text) = next {
                exec(state, text, effects);
            }
        }
        LessonAct::Next
        | LessonAct::Back
        | LessonAct::Part(_)
        | LessonAct::Answer(_)
        | LessonAct::Hint
        | LessonAct::Solution => {
            let id = state.number(Purpose::Lesson);
            effects.push(Effect::Send(ToEngine::Lesson { id, act }));
        }
        LessonAct::Leave => {
            let id = state.number(Purpose::LeaveLesson);
            effects.push(Effect::Send(ToEngine::Lesson { id, act }));
        }
    }
}

/// The run without its lesson is here: it opens as a run of its own.
pub fn left(state: &mut State, done: Done, effects: &mut Vec<Effect>) {
    match done {
        Done::Text(run) => {
            user_chose(state);
            let (source, at) = (Source::Saved(run), SeekTo::Default);
            let wanted = Wanted::Source { source, at };
            run::look_for(state, wanted, OpenFor::Choice, false, effects);
        }
        Done::Refused { message } => tell(state, Tone::Bad, message),
        _ => {}
    }
}

/// Restarts the lesson or a part of it.
pub fn restart(state: &mut State, act: Act, effects: &mut Vec<Effect>) {
    if state.views.lesson.is_some() {
        pause(state);
        run::add(state, act, None, effects);
    }
}

/// It was done: the learner, or the run, is somewhere else now.
pub fn acted(state: &mut State, done: Done, effects: &mut Vec<Effect>) {
    match done {
        Done::Refused { message } => tell(state, Tone::Bad, message),
        Done::Moved { .. } => {
            let ui = state.ui_mut();
            ui.dirty = true;
            ui.cleared_below = 0;
            run::save(state, effects);
            effects.push(Effect::SaveSoon);
        }
        _ => {}
    }
}

/// Asks for the lessons there are.
pub fn list(state: &mut State, effects: &mut Vec<Effect>) {
    let id = state.number(Purpose::Lessons);
    effects.push(Effect::Send(ToEngine::Lessons { id }));
}

/// They have come; while their list is open their goals are asked for, too.
pub fn listed(state: &mut State, done: Done, effects: &mut Vec<Effect>) {
    let Done::Lessons(cards) = done else { return };
    let open = state.ui.dialog == Some(super::ui::Dialog::Lessons);
    let missing: Vec<_> = cards
        .iter()
        .filter(|card| open && !state.ui.goals.contains_key(&card.name))
        .map(|card| card.name.clone())
        .collect();
    state.ui_mut().lessons = Rc::new(cards);
    for lesson in missing {
        let purpose = Purpose::Goal(lesson.clone());
        if state.pending().any(|pending| *pending == purpose) {
            continue;
        }
        let id = state.number(purpose);
        effects.push(Effect::Send(ToEngine::Goal {
            id,
            lesson,
            queries: goal_queries(),
        }));
    }
}

/// What to ask the engine for, so that the picture of a goal can be drawn.
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
        ..Queries::default()
    }
}

/// What a lesson looks like when it is solved.
pub fn goal_came(state: &mut State, name: String, done: Done) {
    if let Done::Views(views) = done {
        Rc::make_mut(&mut state.ui_mut().goals).insert(name, Rc::from(views));
    }
}

/// A picture came: keeps how far the learner is, if that has changed.
pub fn views_came(state: &mut State, effects: &mut Vec<Effect>) {
    let views = state.views.clone();
    let Some(lesson) = &views.lesson else { return };
    if state.ui.lessons.is_empty() && !state.pending().any(|p| *p == Purpose::Lessons) {
        list(state, effects);
    }
    if lesson.progress != state.flow.progress {
        state.flow.progress.clone_from(&lesson.progress);
        effects.push(Effect::WriteProgress(lesson.progress.clone()));
    }
}

/// A fresh engine is told how far the learner is.
pub fn give_back(state: &mut State, effects: &mut Vec<Effect>) {
    if !state.flow.progress.is_empty() {
        let text = state.flow.progress.clone();
        let id = state.number(Purpose::Progress);
        effects.push(Effect::Send(ToEngine::Progress { id, text }));
    }
}
