//! Moves of the cursor: playback, the moves that the user requests, and the view that follows the beats.

use watchglass_engine::session::protocol::{Move, Request, SeekTo};
use watchglass_engine::view::{KeyQuery, MarkerKind, StatusView, TimelineView, Views};

use super::action::PlaybackAct;
use super::choices::View;
use super::effect::Effect;
use super::flow::{Purpose, State};
use super::view_text::show_view;

/// Executes the action.
pub fn act(state: &mut State, act: PlaybackAct) {
    match act {
        PlaybackAct::Move(by) => move_cursor(state, by),
        PlaybackAct::Marker { forward } => {
            state.pause();
            state.set_instant(true);
            let to = neighbour(&state.views.status, state.views.timeline.as_ref(), forward);
            state.wish_move(Move::To(SeekTo::Step(to)));
        }
        PlaybackAct::Play => play(state),
        PlaybackAct::Pause => state.pause(),
        PlaybackAct::TogglePlay => {
            if state.ui.playing {
                state.pause();
            } else {
                play(state);
            }
        }
        PlaybackAct::Tick(number) => tick(state, number),
        PlaybackAct::Speed(speed) => {
            state.ui_mut().speed = speed;
            if state.ui.playing && !state.is_moving() {
                tick_later(state);
            }
        }
        PlaybackAct::SpeedUp(is_up) => {
            let speed = state.ui.speed;
            let speed = if is_up {
                speed.faster()
            } else {
                speed.slower()
            };
            self::act(state, PlaybackAct::Speed(speed));
        }
    }
}

/// Sets the timer for the next move.
pub fn tick_later(state: &mut State) {
    state.flow.tick = state.flow.tick.wrapping_add(1);
    let pace = state.ui.speed.pace(&state.views.status);
    state.effects.push(Effect::TickIn {
        number: state.flow.tick,
        ms: pace.wait_ms,
        is_rest: pace.is_rest,
    });
}

/// Starts playback; starts at the beginning if the cursor is at the end.
pub fn play(state: &mut State) {
    let status = &state.views.status;
    if status.steps == 0 {
        return;
    }
    let at_end = is_over(status);
    state.flow.follows_beats = true;
    state.leave_keys();
    let ui = state.ui_mut();
    ui.playing = true;
    ui.instant = at_end;
    let first = if at_end {
        Move::To(SeekTo::Step(0))
    } else {
        Move::PlayOn(1)
    };
    state.wish_move(first);
}

pub fn tick(state: &mut State, number: u32) {
    if number != state.flow.tick || !state.ui.playing {
        return;
    }
    let status = &state.views.status;
    if is_over(status) || asks(status) {
        state.pause();
        return;
    }
    let pace = state.ui.speed.pace(status);
    let by = Move::PlayOn(pace.steps);
    state.set_instant(is_instant(by));
    state.wish_move(by);
}

/// Returns true if playback has reached the end of the run.
pub fn is_over(status: &StatusView) -> bool {
    status.step >= status.steps && status.beat.number >= status.beat.count
}

/// Returns true if the reader can guess the result of the next step.
fn asks(status: &StatusView) -> bool {
    status.beat.guess.is_some() && status.step >= status.beat.last
}

/// Returns true if the step at the cursor only lets time pass. The text of the beat then says more than the narration
/// of the step.
pub fn only_time_passed(views: &Views) -> bool {
    let markers = views
        .timeline
        .as_ref()
        .map_or(&[][..], |line| &line.markers);
    let now = markers
        .iter()
        .find(|marker| marker.step == views.status.step);
    views.status.beat.place == 0 && now.is_some_and(|marker| marker.kind == MarkerKind::Time)
}

/// Moves the cursor, as the reader requested.
pub fn move_cursor(state: &mut State, by: Move) {
    state.pause();
    state.set_instant(is_instant(by));
    match by {
        Move::ToBranch(branch) => {
            state.user_did();
            state.request(Purpose::Branch(branch), Request::Move(by));
            return;
        }
        // An audience sees each beat in its own view.
        Move::To(_) if state.ui.presenting.is_some() => state.flow.follows_beats = true,
        Move::To(_) | Move::BySteps(_) => keep_view(state),
        Move::ByBeats(_) | Move::PlayOn(_) => state.flow.follows_beats = true,
    }
    state.wish_move(by);
}

/// Returns true if this move is a jump: not a move to a neighbouring step or beat.
pub fn is_instant(by: Move) -> bool {
    match by {
        Move::BySteps(delta) | Move::ByBeats(delta) => delta.abs() != 1,
        Move::PlayOn(steps) => steps != 1,
        Move::To(_) | Move::ToBranch(_) => true,
    }
}

/// Keeps the view that the reader sees, even if a beat names another view. Before the first picture, there is no view
/// to keep.
fn keep_view(state: &mut State) {
    state.flow.follows_beats &= !state.flow.seen;
}

/// Returns the step of the next or previous change of the store, as the timeline's markers show it. If there is no
/// further change, returns the last step of the run (forward) or 0 (backward). If the timeline has no markers, moves
/// by a fiftieth of the run's length.
pub fn neighbour(status: &StatusView, timeline: Option<&TimelineView>, forward: bool) -> u64 {
    let markers = timeline.map_or(&[][..], |view| &view.markers);
    if markers.is_empty() {
        let stride = (status.steps / 50).max(1);
        return if forward {
            status.step.saturating_add(stride).min(status.steps)
        } else {
            status.step.saturating_sub(stride)
        };
    }
    let mut notable = markers.iter().filter(|marker| !marker.kind.is_quiet());
    if forward {
        notable
            .find(|marker| marker.step > status.step)
            .map_or(status.steps, |marker| marker.step)
    } else {
        notable
            .rfind(|marker| marker.step < status.step)
            .map_or(0, |marker| marker.step)
    }
}

/// Shows the view that the current beat names, if the view follows the beats and
/// the named view has changed.
pub fn follow_beat(state: &mut State) {
    let wanted = state.views.status.beat.picture.clone();
    if !state.flow.follows_beats || wanted == state.flow.picture {
        return;
    }
    if let Some(picture) = &wanted {
        show_view(state, &picture.view);
        let views = state.views.clone();
        let ui = state.ui_mut();
        match ui.prefs.view {
            _ if picture.target.is_empty() => {}
            View::Watch => {
                // The Watch view arrives with the next views.
                let Some(watch) = &views.watch else { return };
                let mut watchers = watch.watchers.iter();
                let found = watchers.find(|watcher| watcher.name == picture.target);
                ui.watcher = found.map(|watcher| watcher.id);
            }
            View::Index | View::Storage => {
                ui.selection = Some(KeyQuery {
                    key: picture.target.clone().into_bytes(),
                    revision: None,
                });
            }
            View::Cache | View::Cluster | View::Messages | View::Qos | View::Lab => {}
        }
    }
    state.flow.picture = wanted;
}
