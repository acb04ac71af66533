//! Handles the messages of the engine.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, Done, FromEngine, Read, Request};
use watchglass_engine::view::Views;

use super::choices::{Sharing, Tone};
use super::effect::{Effect, ScriptReply};
use super::flow::{Purpose, State};
use super::line::Completions;
use super::playback::{follow_beat, is_over, play, tick_later};
use super::progress::{PausedLoad, RunProgress};
use super::reply::reply_from;
use super::ui::{Dialog, EngineState};
use super::view_text::looked_at;
use super::{author, comparison, file, lessons, palette, run, texts};
use super::{qos, random_commands, replays};

/// The maximum length of a saved run for which the page prepares a link for failure reports, in characters.
const REPORT_RUN_CHARS_MAX: usize = 1 << 16;
/// The maximum number of characters of a link, so that address bars and chat programs accept the link.
const LINK_CHARS_MAX: usize = 8_000;

pub fn take(state: &mut State, message: FromEngine) {
    match message {
        FromEngine::Views(views) if views.is_part => {
            let before = Views::clone(&state.views);
            state.views = Rc::new(Views {
                index: views.index,
                key: views.key,
                watch: views.watch,
                messages: views.messages,
                storage: views.storage,
                cache: views.cache,
                qos: views.qos,
                ..before
            });
            state.views_came();
        }
        FromEngine::Views(views) => {
            let is_elsewhere = state.views.status.step != views.status.step;
            state.views = Rc::new(*views);
            state.views_came();
            if is_elsewhere && state.ui.messages_skipped > 0 {
                state.ui_mut().messages_skipped = 0;
            }
            if state.ui.begins_with_lesson && state.views.lesson.is_some() {
                state.ui_mut().begins_with_lesson = false;
            }
            let goes_on = state.pending().next().is_some();
            state.effects.push(Effect::SayWhenDrawn { goes_on });
            let replies = std::mem::take(&mut state.flow.move_replies);
            let replies = replies.into_iter();
            state
                .effects
                .extend(replies.map(|(ticket, reply)| Effect::Reply { ticket, reply }));
            lessons::views_came(state);
            run::seen(state);
            ask_way_out(state);
            follow_beat(state);
            first_picture(state);
            if std::mem::take(&mut state.flow.tick_when_shown) && state.ui.playing {
                if is_over(&state.views.status) {
                    state.pause();
                } else {
                    tick_later(state);
                }
            }
        }
        FromEngine::Progress {
            id, done, total, ..
        } if state.is_of_lesson(id)
            || replays::is_own(state, id)
            || random_commands::progressed(state, id, done)
            || qos::progressed(state, id, (done, total)) => {}
        FromEngine::Progress {
            done,
            total,
            running,
            ..
        } => {
            state.ui_mut().progress = Some(RunProgress {
                done,
                total,
                running,
            });
        }
        FromEngine::FileProgress {
            id,
            stage,
            done,
            total,
        } => file::came_to(state, id, stage, (done, total)),
        FromEngine::WantsFile { file, other } => file::wanted(state, file, other),
        FromEngine::Wants { name } => texts::fetch(state, name),
        // The load is suspended until the user continues or ends it.
        FromEngine::Paused {
            id,
            steps,
            done,
            total,
        } => {
            let ui = state.ui_mut();
            ui.progress = None;
            ui.paused = Some(PausedLoad {
                id,
                steps,
                done,
                total,
            });
        }
        FromEngine::Done { id, done } => {
            if state.ui.progress.is_some() {
                state.ui_mut().progress = None;
            }
            if state.ui.paused.is_some_and(|paused| paused.id == id) {
                state.ui_mut().paused = None;
            }
            let is_loaded = matches!(done, Done::Loaded { .. });
            state.flow.trail.load_ended(id, is_loaded);
            // Unknown numbers belong to an engine that was replaced.
            match state.answered(id) {
                Some(Purpose::Load) => {
                    run::loaded(state, id, done);
                    author::resume(state);
                }
                Some(Purpose::File(question)) => file::answered(state, id, question, done),
                Some(Purpose::Comparison(question)) => {
                    comparison::answered(state, id, question, done);
                }
                Some(Purpose::Rehearse) => author::checked(state, id, done),
                Some(Purpose::CompareQos) => qos::compared(state, id, done),
                Some(Purpose::Odds) => replays::answered(state, id, done),
                Some(Purpose::Nemesis) => random_commands::answered(state, id, done),
                Some(purpose) => answered(state, purpose, done),
                None => {}
            }
        }
    }
}

/// Requests a link to the step that the figure shows. The reader can open the figure in the app with this link.
fn ask_way_out(state: &mut State) {
    if state.ui.figure.is_some() {
        ask_link(state);
    }
}

/// Requests a link to the current step. The link opens a figure in the app and is a part of failure reports.
fn ask_link(state: &mut State) {
    let is_asked = state
        .pending()
        .any(|purpose| matches!(purpose, Purpose::WayOut { .. }));
    if !is_asked {
        let covers = state.flow.trail.covers();
        let view = looked_at(&state.ui);
        state.request(
            Purpose::WayOut { covers },
            Request::Read(Read::Link { view }),
        );
    }
}

/// Handles the first picture of a run, after all its saved lines are replayed.
fn first_picture(state: &mut State) {
    let is_running = state.ui.engine == EngineState::Running;
    if !is_running || state.flow.seen || state.flow.runs.is_replaying() {
        return;
    }
    state.flow.seen = true;
    if std::mem::take(&mut state.flow.play_when_seen) {
        play(state);
    }
    for ticket in std::mem::take(&mut state.flow.ready_tickets) {
        let reply = ScriptReply::Done;
        state.effects.push(Effect::Reply { ticket, reply });
    }
}

/// Opens the dialog that compares two branches.
pub fn open_comparison(state: &mut State, branches: [u32; 2]) {
    state.ui_mut().comparison = None;
    state.ui_mut().dialog = Some(Dialog::Branches(branches));
    state.request(
        Purpose::Compare,
        Request::Read(Read::CompareBranches(branches)),
    );
}

fn answered(state: &mut State, purpose: Purpose, done: Done) {
    match purpose {
        Purpose::Load
        | Purpose::Place
        | Purpose::File(_)
        | Purpose::Comparison(_)
        | Purpose::CompareQos
        | Purpose::Odds
        | Purpose::Nemesis
        | Purpose::Rehearse => {}
        Purpose::Entry { number, ticket } => {
            let act = run::act_of(state, number);
            run::answered(state, number, &done);
            if matches!(
                act,
                Some(Act::Undo | Act::ResetPart | Act::ResetFrom(_) | Act::Reset)
            ) {
                lessons::acted(state, done.clone());
            }
            if let Some(ticket) = ticket {
                let reply = reply_from(done);
                state.effects.push(Effect::Reply { ticket, reply });
            }
            if let Some(branches) = state.flow.comparison_after.take() {
                open_comparison(state, branches);
            }
            first_picture(state);
        }
        Purpose::Share(how) => {
            if let Done::Text(text) = done {
                // The dialog of the QR code says itself that a link is too long.
                let is_file = text.len() > LINK_CHARS_MAX && how != Sharing::QrCode;
                state.effects.push(match is_file {
                    true => Effect::Download(text),
                    false => Effect::Share(how, text),
                });
            }
        }
        Purpose::Download => match done {
            Done::File { name, bytes } => state.effects.push(Effect::SaveFile { name, bytes }),
            Done::Refused { message } => state.tell(Tone::Bad, message),
            _ => {}
        },
        Purpose::WayOut { covers } => {
            if let Done::Text(text) = done {
                state.flow.trail.linked(&text, covers);
                if state.ui.figure.is_some() {
                    state.ui_mut().link = text;
                }
            }
        }
        Purpose::AskLink(ticket) => {
            let reply = match done {
                Done::Text(text) => ScriptReply::Link(text),
                done => reply_from(done),
            };
            state.effects.push(Effect::Reply { ticket, reply });
        }
        Purpose::Move => {
            state.send_move();
            if !state.is_moving() {
                // The timer starts with the picture of the move, which arrives after this response and determines the
                // delay.
                state.flow.tick_when_shown = state.ui.playing;
                state.keep_soon();
            }
        }
        Purpose::Lesson => lessons::acted(state, done),
        Purpose::SkipTask => lessons::skipped(state, done),
        Purpose::LeaveLesson => lessons::left(state, done),
        Purpose::Lessons => lessons::listed(state, done),
        Purpose::Goal(name) => lessons::goal_came(state, name, done),
        Purpose::Progress => {
            if let Done::Refused { message } = done {
                state.tell(Tone::Bad, message);
            }
        }
        Purpose::Branch(_) => state.keep_soon(),
        Purpose::Compare => {
            if let Done::Branches(view) = done {
                state.ui_mut().comparison = Some(Rc::new(*view));
            }
        }
        Purpose::RepeatAs => {
            if let Done::Text(text) = done {
                let status = &state.views.status;
                state.flow.comparison_after = Some([status.branch, status.branches.len() as u32]);
                state.ui_mut().dialog = None;
                run::add(state, Act::Type(text), None);
            }
        }
        Purpose::Save { id, meta } => {
            let is_short = matches!(&done, Done::Text(text) if text.len() <= REPORT_RUN_CHARS_MAX);
            run::saved(state, id, meta, done);
            if is_short {
                ask_link(state);
            }
        }
        Purpose::Complete => {
            if let Done::Completions { start, items } = done {
                let list = (!items.is_empty()).then_some(Completions { start, items });
                state.line_mut().completions = list;
            }
        }
        Purpose::Find { typed, is_key } => palette::found(state, &typed, is_key, done),
        Purpose::Ask(ticket) => {
            state.keep_soon();
            // After a move, the script gets its reply when the page shows the step.
            let waits = matches!(done, Done::Moved { step } if step != state.views.status.step);
            let reply = reply_from(done);
            if waits {
                state.flow.move_replies.push((ticket, reply));
            } else {
                state.effects.push(Effect::Reply { ticket, reply });
            }
        }
    }
}
