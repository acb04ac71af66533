//! The page for authors of lessons. After each pause, the engine checks the text; if the lesson can be shown, its part
//! at the caret becomes the current run. Nothing of these runs is saved.

use std::rc::Rc;

use watchglass_engine::session::default_profile;
use watchglass_engine::session::protocol::{Done, Request, SeekTo, Source};

use super::action::AuthorAct;
use super::draft::LessonDraft;
use super::engine::start_engine;
use super::flow::{Purpose, State};
use super::run;
use super::runs::OpenFor;
use crate::keep::opening::Opening;
use crate::keep::slot::SEED;

pub fn act(state: &mut State, act: AuthorAct) {
    match act {
        AuthorAct::Begin => {
            state.ui_mut().lesson_draft = Some(LessonDraft::default());
            start_engine(state);
            let profile = default_profile().to_owned();
            open(
                state,
                Source::Empty {
                    profile,
                    seed: SEED,
                },
                0,
            );
        }
        AuthorAct::Edit { text, line } => edit(state, &text, line),
    }
}

fn edit(state: &mut State, text: &str, line: u32) {
    let Some(draft) = &mut state.ui_mut().lesson_draft else {
        return;
    };
    draft.line = line;
    if *draft.text == *text && (draft.is_checked() || draft.asked.is_some()) {
        return preview(state);
    }
    draft.text = text.into();
    let id = state.request(Purpose::Rehearse, Request::Rehearse(text.to_owned()));
    if let Some(draft) = &mut state.ui_mut().lesson_draft {
        draft.asked = Some(id);
    }
}

/// Handles the result of a check. The result of an earlier text is ignored.
pub fn checked(state: &mut State, id: u32, done: Done) {
    let Some(draft) = &mut state.ui_mut().lesson_draft else {
        return;
    };
    if draft.asked != Some(id) {
        return;
    }
    draft.forget();
    match done {
        Done::LessonCheck(check) => {
            draft.check = Some(Rc::new(check));
            preview(state);
        }
        _ => resume(state),
    }
}

/// Checks the text again if its check was interrupted, or if the engine failed during the check.
pub fn resume(state: &mut State) {
    let draft = state.ui.lesson_draft.as_ref();
    let is_open = |draft: &&LessonDraft| draft.asked.is_none() && draft.check.is_none();
    if let Some(draft) = draft.filter(is_open)
        && !draft.text.is_empty()
    {
        let (text, line) = (draft.text.clone(), draft.line);
        edit(state, &text, line);
    }
}

/// Shows the part at the caret.
fn preview(state: &mut State) {
    let draft = state.ui.lesson_draft.as_ref();
    let Some((draft, part)) = draft.and_then(|draft| Some((draft, draft.wanted_part()?))) else {
        return;
    };
    let text = draft.text.clone();
    open(state, Source::Text(text.to_string()), part);
    let ui = state.ui_mut();
    ui.instant = true;
    if let Some(draft) = &mut ui.lesson_draft {
        draft.shown = Some((text, part));
    }
}

fn open(state: &mut State, source: Source, part: u32) {
    let at = SeekTo::Default;
    run::open_fresh(state, Some(Opening { source, at }), OpenFor::Preview(part));
}
