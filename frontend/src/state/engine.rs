//! The start and the end of an engine: what a fresh engine receives, and what happens to pending requests when the
//! engine stops.

use watchglass_engine::session::protocol::{Act, Limits, Notification, Request};

use super::effect::{Effect, ScriptReply};
use super::file_panel::FilePanel;
use super::flow::{Purpose, State};
use super::runs::{ItemStage, JournalItem};
use super::ui::EngineState;
use crate::host::Failure;
use crate::keep::Keep;
use crate::keep::journal::{Aside, AsideReason};
use crate::words::{file as file_words, state as words};

pub fn start_engine(state: &mut State) {
    // The page replaces the engine although a line has no response, so the engine was silent for too long. Set the line
    // aside, too.
    leave_engine(state, words::RESTARTED, AsideReason::Unfinished);
    engine_left(state);
    state.flow.texts.clear();
    let ui = state.ui_mut();
    ui.engine = EngineState::Starting;
    ui.dialog = None;
    state.effects.push(Effect::RestartHost);
    if state.ui.figure.is_some() {
        state.notify(Notification::Limit(Limits::FIGURE));
    }
    give_back(state);
}

/// Handles the failure of the engine: the picture stays visible, and all pending requests of scripts are refused with
/// the reason for the failure.
pub fn host_failed(state: &mut State, failure: Failure) {
    let report = state.flow.trail.report();
    leave_engine(state, &failure.text(), AsideReason::Stopped);
    engine_left(state);
    for ticket in std::mem::take(&mut state.flow.ready_tickets) {
        let reply = ScriptReply::Refused(failure.text());
        state.effects.push(Effect::Reply { ticket, reply });
    }
    state.ui_mut().engine = EngineState::Failed(failure, report);
}

/// Settles all pending requests, because the current engine will not answer them.
fn leave_engine(state: &mut State, why: &str, aside: AsideReason) {
    state.pause();
    let moved = std::mem::take(&mut state.flow.move_replies);
    let mut tickets: Vec<u32> = moved.into_iter().map(|(ticket, _)| ticket).collect();
    for purpose in state.pending() {
        match purpose {
            Purpose::Ask(ticket) | Purpose::AskLink(ticket) => tickets.push(*ticket),
            Purpose::Entry { ticket, .. } => tickets.extend(*ticket),
            _ => {}
        }
    }
    for ticket in tickets {
        let reply = ScriptReply::Refused(why.to_owned());
        state.effects.push(Effect::Reply { ticket, reply });
    }
    state.forget_questions();
    if let Some(draft) = &mut state.ui_mut().lesson_draft {
        draft.forget();
    }
    died(state, why, aside);
}

/// Handles the failure of the engine: sets aside the line that the engine was executing. All other lines wait for the
/// next engine.
fn died(state: &mut State, why: &str, reason: AsideReason) {
    let runs = &mut state.flow.runs;
    let mut tickets = Vec::new();
    for run in runs
        .run
        .iter_mut()
        .chain(runs.nexts.iter_mut().map(|next| &mut next.run))
    {
        tickets.extend(run.items.iter_mut().filter_map(|item| item.ticket.take()));
    }
    tickets.extend(
        runs.early
            .iter_mut()
            .filter_map(|(_, ticket)| ticket.take()),
    );
    if let Some(run) = runs.run.as_mut() {
        let is_sent = |item: &JournalItem| item.stage == ItemStage::Sent;
        if let Some(place) = run.items.iter().position(is_sent) {
            let entry = run.items.remove(place).entry;
            let (id, number) = (run.id.clone(), entry.number);
            state.effects.push(Effect::Keep(match entry.act {
                Act::Type(text) => {
                    let aside = Aside {
                        number,
                        text,
                        why: reason,
                    };
                    run.asides.push(aside.clone());
                    Keep::SetAside { id, aside }
                }
                Act::Undo | Act::ResetPart | Act::ResetFrom(_) | Act::Reset => {
                    let numbers = vec![number];
                    Keep::Drop { id, numbers }
                }
            }));
            // Loads that wait behind this line have not begun, so they have not failed.
            let ids = runs.nexts.iter().map(|next| &next.run);
            let ids = ids.chain(runs.run.iter()).filter(|run| run.is_kept);
            state.effects.extend(ids.map(|run| {
                let id = run.id.clone();
                Effect::Keep(Keep::AttemptDone { id })
            }));
        }
    }
    if let Some(run) = runs.run.as_mut() {
        run.replay_all();
    }
    for ticket in tickets {
        let reply = ScriptReply::Refused(why.to_owned());
        state.effects.push(Effect::Reply { ticket, reply });
    }
    state.show_runs();
}

/// Gives the learner's progress to a fresh engine.
fn give_back(state: &mut State) {
    if !state.flow.progress.is_empty() {
        let text = state.flow.progress.clone();
        state.request(Purpose::Progress, Request::Progress(text));
    }
}

/// Forgets the file because the engine that stored it was replaced or stopped.
fn engine_left(state: &mut State) {
    if state.ui.file == FilePanel::default() {
        return;
    }
    let file = std::mem::take(&mut state.ui_mut().file);
    if let Some(script) = file.opening.and_then(|opening| opening.script) {
        state.effects.push(Effect::Reply {
            ticket: script.ticket,
            reply: ScriptReply::Refused(file_words::CLOSED.to_owned()),
        });
    }
}
