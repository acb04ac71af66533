//! The requests of the search for the moment at which an ending became inevitable: the endings of the run, and the
//! replays from one step after the other.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, Done, Move, Notification, Request, SeekTo};
use watchglass_engine::view::odds::Ending;

use super::flow::{Purpose, State};
use super::odds::{Odds, OddsAct, Running};
use super::playback::move_cursor;
use super::run;
use crate::words::odds as words;

/// Starts to search for the endings of the run, unless results of this branch exist.
pub fn open(state: &mut State) {
    let branch = state.views.status.branch;
    let odds = &state.ui.odds;
    if odds.chosen.is_none() || odds.branch != branch {
        let condition = odds.condition.clone();
        state.ui_mut().odds = Odds::new(branch, condition);
        ask(state, None, Request::SearchEndings { condition: None });
    }
}

/// Stops the search and the replays. The results so far stay.
pub fn stop(state: &mut State) {
    if state.ui.odds.is_running() {
        state.notify(Notification::StopBackground);
        state.ui_mut().odds.stop();
    }
}

pub fn act(state: &mut State, act: OddsAct) {
    match act {
        OddsAct::Choose(ending, first) => choose(state, ending, first),
        OddsAct::Condition(text) => {
            let odds = &mut state.ui_mut().odds;
            odds.condition.clone_from(&text);
            ask(
                state,
                None,
                Request::SearchEndings {
                    condition: Some(text),
                },
            );
        }
        OddsAct::LeaveOut(leaves_out) => {
            stop(state);
            state.ui_mut().odds.leaves_out = leaves_out;
            if let Some((ending, first)) = state.ui.odds.chosen.clone() {
                choose(state, ending, first);
            }
        }
        OddsAct::Stop => stop(state),
        OddsAct::Back => {
            stop(state);
            state.ui_mut().odds.chosen = None;
            open(state);
        }
        OddsAct::OpenAvoided(step, text) => {
            stop(state);
            state.ui_mut().dialog = None;
            move_cursor(state, Move::To(SeekTo::Step(step)));
            run::add(state, Act::Type(text), None);
        }
    }
}

fn choose(state: &mut State, ending: Ending, first: u64) {
    state.ui_mut().odds.choose(ending, first);
    go_on(state);
}

fn go_on(state: &mut State) {
    let odds = &mut state.ui_mut().odds;
    let next = odds.next();
    let (Some((step, seeds)), Some((ending, _)), Some(endings)) =
        (next, odds.chosen.clone(), &odds.endings)
    else {
        odds.running = None;
        return;
    };
    let request = Request::Repeat {
        ending,
        step,
        until: endings.step,
        seeds,
        leaves_out: odds.leaves_out,
    };
    ask(state, Some(step), request);
}

fn ask(state: &mut State, step: Option<u64>, request: Request) {
    let id = state.request(Purpose::Odds, request);
    let odds = &mut state.ui_mut().odds;
    odds.refusal = None;
    odds.running = Some(Running { id, step });
}

/// Returns true if a message about progress belongs to the search or the replays.
pub fn is_own(state: &State, id: u32) -> bool {
    state
        .ui
        .odds
        .running
        .as_ref()
        .is_some_and(|running| running.id == id)
}

/// Handles the response to a search or to replays. The response to an earlier, canceled request has no effect.
pub fn answered(state: &mut State, id: u32, done: Done) {
    if !is_own(state, id) {
        return;
    }
    let odds = &mut state.ui_mut().odds;
    let step = odds.running.take().and_then(|running| running.step);
    match (done, step) {
        (Done::Odds(view), Some(step)) => {
            odds.add(step, *view);
            go_on(state);
        }
        (Done::Endings(view), None) if odds.endings.is_none() => odds.endings = Some(Rc::new(view)),
        (Done::Endings(view), None) => match view.found.into_iter().next() {
            Some((ending, first)) => choose(state, ending, first),
            None => odds.refusal = Some(words::never_true(view.step)),
        },
        (Done::Refused { message }, _) => odds.refusal = Some(message),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::protocol::ToEngine;
    use watchglass_engine::view::odds::{EndingsView, OddsView};

    use super::*;
    use crate::state::effect::Effect;
    use crate::state::odds::Cliff;
    use crate::state::prefs::Prefs;

    /// Answers the requests of the page as a run would that turns at step `turn`, until the page asks for nothing more.
    /// Replays that begin inside the command from step 20 to 29 begin before it.
    fn answer_all(state: &mut State, turn: u64) -> Vec<u64> {
        let mut steps = Vec::new();
        while let Some(Effect::Send(ToEngine::Request(id, Request::Repeat { step, seeds, .. }))) =
            state.effects.pop()
        {
            let at = if (20..30).contains(&step) { 20 } else { step };
            let replays = (seeds.end - seeds.start) as u32;
            let hits = if at < turn { replays / 2 } else { replays };
            steps.push(step);
            let view = OddsView {
                step: at,
                replays,
                hits,
                ..OddsView::default()
            };
            answered(state, id, Done::Odds(view.into()));
        }
        steps
    }

    fn chosen(first: u64) -> State {
        let mut state = State::new(Prefs::default());
        state.ui_mut().odds.endings = Some(Rc::new(EndingsView {
            step: 1_000,
            found: Vec::new(),
        }));
        choose(&mut state, Ending::TwoContainers, first);
        state
    }

    #[test]
    fn the_turning_point_is_found_exactly() {
        for turn in [1, 2, 19, 20, 500, 733, 899] {
            let mut state = chosen(900);
            let steps = answer_all(&mut state, turn);
            let odds = &state.ui.odds;
            let Some(Cliff::After(last, after)) = odds.cliff() else {
                panic!("turn {turn}: {:?}", odds.cliff());
            };
            assert_eq!(
                (last.view.step, odds.is_exact()),
                (turn - 1, true),
                "turn {turn}"
            );
            assert_eq!(after.map_or(900, |after| after.view.step), turn);
            assert_eq!(last.view.replays, 50, "turn {turn}");
            assert!(steps.len() < 60, "{} requests", steps.len());
        }
    }

    #[test]
    fn a_command_with_several_requests_is_one_moment() {
        let mut state = chosen(900);
        answer_all(&mut state, 25);
        let Some(Cliff::After(last, Some(after))) = state.ui.odds.cliff() else {
            panic!("{:?}", state.ui.odds.cliff());
        };
        assert_eq!((last.view.step, last.until, after.view.step), (20, 29, 30));
    }

    #[test]
    fn an_ending_that_nothing_avoids_has_no_turning_point() {
        let mut state = chosen(5);
        let steps = answer_all(&mut state, 0);
        assert_eq!(steps.len(), 5);
        assert_eq!(state.ui.odds.cliff(), Some(Cliff::Always));
    }

    #[test]
    fn responses_after_a_stop_have_no_effect() {
        let mut state = chosen(10);
        stop(&mut state);
        assert!(matches!(
            state.effects.pop(),
            Some(Effect::Send(ToEngine::Notification(
                Notification::StopBackground
            )))
        ));
        let Some(Effect::Send(ToEngine::Request(id, _))) = state.effects.pop() else {
            panic!("no request");
        };
        answered(&mut state, id, Done::Odds(Box::default()));
        assert!(state.ui.odds.points.is_empty() && state.effects.is_empty());
    }
}
