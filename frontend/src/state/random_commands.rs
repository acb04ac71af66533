//! The requests of the search for a failure with random commands.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, Done, Move, Notification, Request, SeekTo};
use watchglass_engine::view::odds::Ending;

use super::flow::{Purpose, State};
use super::nemesis::{Nemesis, NemesisAct, Running};
use super::playback::move_cursor;
use super::run;

/// The number of attempts in one search.
const ATTEMPTS: u64 = 10_000;

/// Forgets the result, unless it belongs to the step at the cursor.
pub fn open(state: &mut State) {
    let nemesis = &state.ui.nemesis;
    if nemesis.place != place(state) {
        let sought = nemesis.sought.clone();
        state.ui_mut().nemesis = Nemesis::new(sought);
    }
}

/// Stops the search.
pub fn stop(state: &mut State) {
    if state.ui.nemesis.is_running() {
        state.notify(Notification::StopBackground);
        let nemesis = &mut state.ui_mut().nemesis;
        nemesis.running = None;
        nemesis.next_seed = 1 + nemesis.tried;
    }
}

pub fn act(state: &mut State, act: NemesisAct) {
    match act {
        NemesisAct::Choose(sought) => {
            stop(state);
            state.ui_mut().nemesis = Nemesis::new(sought);
        }
        NemesisAct::Search => search(state),
        NemesisAct::Stop => stop(state),
        NemesisAct::Open => {
            let view = state.ui.nemesis.view.clone();
            let Some((view, failure)) = view
                .as_ref()
                .and_then(|view| Some((view, view.failure.as_ref()?)))
            else {
                return;
            };
            state.ui_mut().dialog = None;
            move_cursor(state, Move::To(SeekTo::Step(view.step)));
            run::add(state, Act::Type(failure.text.clone()), None);
        }
    }
}

/// Returns the branch and the step at the cursor.
fn place(state: &State) -> (u32, u64) {
    let status = &state.views.status;
    (status.branch, status.step)
}

fn search(state: &mut State) {
    let nemesis = &state.ui.nemesis;
    let endings = match &nemesis.sought {
        Some(ending) => vec![ending.clone()],
        None => Ending::FORBIDDEN.to_vec(),
    };
    let request = Request::TryRandom {
        endings,
        ignored: nemesis.passed_over.clone(),
        seeds: nemesis.next_seed..nemesis.next_seed + ATTEMPTS,
    };
    let id = state.request(Purpose::Nemesis, request);
    let place = place(state);
    let nemesis = &mut state.ui_mut().nemesis;
    (nemesis.refusal, nemesis.view, nemesis.place) = (None, None, place);
    nemesis.running = Some(Running {
        id,
        before: nemesis.tried,
    });
}

/// Updates the progress. Returns false if the progress belongs to another request.
pub fn progressed(state: &mut State, id: u32, done: u64) -> bool {
    let Some(before) = state.ui.nemesis.tried_before(id) else {
        return false;
    };
    state.ui_mut().nemesis.tried = before + done;
    true
}

/// Handles the response to a search. The response to an earlier, canceled search has no effect.
pub fn answered(state: &mut State, id: u32, done: Done) {
    let Some(before) = state.ui.nemesis.tried_before(id) else {
        return;
    };
    let nemesis = &mut state.ui_mut().nemesis;
    nemesis.running = None;
    match done {
        Done::Nemesis(view) => {
            nemesis.tried = before + u64::from(view.attempts + view.stopped);
            nemesis.next_seed = 1 + nemesis.tried;
            let known = view.failure.as_ref().and_then(|failure| failure.known);
            nemesis.passed_over.extend(known);
            nemesis.view = Some(Rc::new(*view));
        }
        Done::Refused { message } => nemesis.refusal = Some(message),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::protocol::ToEngine;
    use watchglass_engine::view::odds::{Failure, Known, NemesisView};

    use super::*;
    use crate::state::effect::Effect;
    use crate::state::prefs::Prefs;

    /// Returns the number, the ignored bugs and the first seed of the search that the page has just requested.
    fn asked(state: &mut State) -> (u32, Vec<Known>, u64) {
        match state.effects.pop() {
            Some(Effect::Send(ToEngine::Request(
                id,
                Request::TryRandom { ignored, seeds, .. },
            ))) => (id, ignored, seeds.start),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_next_search_passes_over_the_bug_and_the_attempts_before() {
        let mut state = State::new(Prefs::default());
        act(&mut state, NemesisAct::Search);
        let (id, ignored, first) = asked(&mut state);
        assert_eq!((ignored, first), (Vec::new(), 1));
        assert!(progressed(&mut state, id, 7));
        assert_eq!(state.ui.nemesis.tried, 7);
        let failure = Failure {
            ending: Ending::BrokenGuarantee,
            what: String::new(),
            known: Some(Known::PassedOver),
            seed: 12,
            drawn: 20,
            needed: 1,
            text: "put a 1".into(),
        };
        let view = NemesisView {
            attempts: 12,
            failure: Some(failure),
            ..NemesisView::default()
        };
        answered(&mut state, id, Done::Nemesis(view.into()));
        act(&mut state, NemesisAct::Search);
        let (next, ignored, first) = asked(&mut state);
        assert_eq!((ignored, first), (vec![Known::PassedOver], 13));
        stop(&mut state);
        assert!(!progressed(&mut state, next, 30), "the search was stopped");
        assert_eq!(state.ui.nemesis.tried, 12);
    }
}
