//! The page for authors: the check of each text, and the preview of the part at the caret.

use watchglass_engine::session::protocol::{Fault, LessonCheck};

use super::*;
use crate::state::action::AuthorAct;

const TEXT: &str = "#! lesson: T01";

fn begun() -> State {
    let mut state = State::new(Prefs::default());
    let effects = reduce(&mut state, Action::Author(AuthorAct::Begin));
    let empty = load(&effects).expect("a run that the page can show");
    done(&mut state, empty, loaded());
    state
}

/// Returns the id of the request that opens a run.
fn load(effects: &[Effect]) -> Option<u32> {
    let is_load = |message: &&&ToEngine| {
        let ToEngine::Request(_, request) = message else {
            return false;
        };
        matches!(request, Request::Load { .. } | Request::Preview { .. })
    };
    sent(effects).iter().find(is_load).map(|load| id_of(load))
}

fn edit(state: &mut State, text: &str, line: u32) -> Vec<Effect> {
    let text = text.to_owned();
    reduce(state, Action::Author(AuthorAct::Edit { text, line }))
}

/// Returns the id of the requested check.
fn check_id(effects: &[Effect]) -> u32 {
    let sent = sent(effects);
    match sent[..] {
        [ToEngine::Request(id, Request::Rehearse(_))] => *id,
        _ => panic!("{sent:?}"),
    }
}

fn checked(parts: &[u32]) -> Done {
    Done::LessonCheck(LessonCheck {
        parts: parts.to_vec(),
        ..LessonCheck::default()
    })
}

fn preview(effects: &[Effect]) -> Option<u32> {
    sent(effects).into_iter().find_map(|message| match message {
        ToEngine::Request(_, Request::Preview { part, .. }) => Some(*part),
        _ => None,
    })
}

#[test]
fn a_valid_text_is_shown_at_the_part_of_the_caret() {
    let mut state = begun();
    let asked = edit(&mut state, TEXT, 9);
    let effects = done(&mut state, check_id(&asked), checked(&[7, 12]));
    assert_eq!(preview(&effects), Some(0));
    assert_eq!(preview(&edit(&mut state, TEXT, 11)), None, "the same part");
    assert_eq!(preview(&edit(&mut state, TEXT, 12)), Some(1));
    assert_eq!(preview(&edit(&mut state, TEXT, 1)), Some(0));
}

#[test]
fn a_wrong_text_leaves_the_preview_as_it_is() {
    let mut state = begun();
    let asked = edit(&mut state, TEXT, 1);
    let fault = Fault {
        line: 1,
        text: "wrong".to_owned(),
    };
    let check = LessonCheck {
        faults: vec![fault],
        ..LessonCheck::default()
    };
    let effects = done(&mut state, check_id(&asked), Done::LessonCheck(check));
    assert_eq!(preview(&effects), None);
    let draft = state.ui.lesson_draft.as_ref().unwrap();
    assert!(draft.is_checked());
    assert_eq!(draft.check.as_ref().unwrap().faults.len(), 1);
}

#[test]
fn the_result_of_an_earlier_text_is_ignored() {
    let mut state = begun();
    let first = check_id(&edit(&mut state, TEXT, 1));
    let second = check_id(&edit(&mut state, "#! lesson: T02", 1));
    assert_eq!(preview(&done(&mut state, first, checked(&[1]))), None);
    assert!(!state.ui.lesson_draft.as_ref().unwrap().is_checked());
    assert_eq!(preview(&done(&mut state, second, checked(&[1]))), Some(0));
}

#[test]
fn nothing_of_a_preview_is_saved_and_another_run_ends_the_page_for_authors() {
    let mut state = begun();
    let asked = edit(&mut state, TEXT, 1);
    let effects = done(&mut state, check_id(&asked), checked(&[1]));
    let shown = load(&effects).unwrap();
    let kept = |effects: &[Effect]| {
        let mut kept = effects.iter();
        kept.any(|effect| matches!(effect, Effect::Keep(_) | Effect::SaveSoon))
    };
    let effects = done(&mut state, shown, loaded());
    let leaves = |effect: &Effect| !matches!(effect, Effect::Keep(crate::keep::Keep::Leave { .. }));
    let effects: Vec<_> = effects.into_iter().filter(leaves).collect();
    assert!(!kept(&effects), "{effects:?}");
    let act = Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned())));
    assert!(!kept(&reduce(&mut state, act)));
    assert!(!kept(&reduce(&mut state, Action::Run(RunAct::SaveNow))));
    reduce(&mut state, Action::OpenLesson("L04".to_owned()));
    let effects = found(&mut state, 1, Found::Nothing);
    assert!(state.ui.lesson_draft.is_some(), "the text may be refused");
    done(&mut state, load(&effects).unwrap(), loaded());
    assert_eq!(state.ui.lesson_draft, None);
}
