//! Handles the messages of the engine.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, Done, FromEngine, Read, Request, TextReport};

use watchglass_engine::session::latency::LabSetting;
use watchglass_engine::view::{KeyQuery, LaneOrder, QosQuery, StorageQuery, Views};

use super::effect::{Effect, ScriptReply};
use super::file;
use super::flow::{Purpose, State};
use super::lessons;
use super::palette;
use super::prefs::{order_from_name, order_name};
use super::qos::{self, QosComparing};
use super::reduce::{is_over, keep_soon, offer, pause, tell, tick_later};
use super::run;
use super::texts;
use super::ui::{EngineState, PausedLoad, RunProgress, Tone, Ui, View};
use crate::host::{Failure, FailureKind};
use crate::words::state as words;

/// The maximum length of a saved run for which the page prepares a link for failure reports, in characters.
const REPORT_RUN_CHARS_MAX: usize = 1 << 16;
/// The maximum number of characters of a link, so that address bars and chat programs accept the link.
const LINK_CHARS_MAX: usize = 8_000;

/// Handles one message.
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
                    pause(state);
                } else {
                    tick_later(state);
                }
            }
        }
        FromEngine::Progress {
            id, done, total, ..
        } if state.is_of_goal(id) || qos::progressed(state, id, (done, total)) => {}
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
                Some(Purpose::Load) => run::loaded(state, id, done),
                Some(Purpose::File(question)) => file::answered(state, id, question, done),
                Some(Purpose::CompareQos) => qos::compared(state, id, done),
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

/// Shows the view that the current beat (a section of the run with one text) names, if the view follows the beats and
/// the named view has changed.
fn follow_beat(state: &mut State) {
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
            View::Index | View::Storage | View::Cluster => {
                ui.selection = Some(KeyQuery {
                    key: picture.target.clone().into_bytes(),
                    revision: None,
                });
            }
            View::Cache | View::Messages | View::Qos | View::Lab => {}
        }
    }
    state.flow.picture = wanted;
}

/// Handles the first picture of a run, after all its saved lines are replayed.
fn first_picture(state: &mut State) {
    let is_running = state.ui.engine == EngineState::Running;
    if !is_running || state.flow.seen || state.flow.runs.is_replaying() {
        return;
    }
    state.flow.seen = true;
    if std::mem::take(&mut state.flow.play_when_seen) {
        super::reduce::play(state);
    }
    for ticket in std::mem::take(&mut state.flow.ready_tickets) {
        let reply = ScriptReply::Done;
        state.effects.push(Effect::Reply { ticket, reply });
    }
}

fn answered(state: &mut State, purpose: Purpose, done: Done) {
    match purpose {
        Purpose::Load | Purpose::Place | Purpose::File(_) | Purpose::CompareQos => {}
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
            first_picture(state);
        }
        Purpose::Link => {
            if let Done::Text(text) = done {
                state.effects.push(if text.len() <= LINK_CHARS_MAX {
                    Effect::CopyLink(text)
                } else {
                    Effect::Download(text)
                });
            }
        }
        Purpose::Download => match done {
            Done::File { name, bytes } => state.effects.push(Effect::SaveFile { name, bytes }),
            Done::Refused { message } => tell(state, Tone::Bad, message),
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
                keep_soon(state);
            }
        }
        Purpose::Lesson => lessons::acted(state, done),
        Purpose::SkipTask => lessons::skipped(state, done),
        Purpose::LeaveLesson => lessons::left(state, done),
        Purpose::Lessons => lessons::listed(state, done),
        Purpose::Goal(name) => lessons::goal_came(state, name, done),
        Purpose::Progress => {
            if let Done::Refused { message } = done {
                tell(state, Tone::Bad, message);
            }
        }
        Purpose::Branch(_) => keep_soon(state),
        Purpose::Compare => {
            if let Done::Branches(view) = done {
                state.ui_mut().comparison = Some(Rc::new(*view));
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
                offer(state, start, items);
            }
        }
        Purpose::Find { typed, is_key } => palette::found(state, &typed, is_key, done),
        Purpose::Ask(ticket) => {
            keep_soon(state);
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

/// Resets everything in the state that belongs to the previous run.
pub fn new_run(state: &mut State) {
    state.flow.picture = None;
    let ui = state.ui_mut();
    ui.cleared_below = 0;
    ui.selection = None;
    ui.storage = StorageQuery::default();
    ui.qos = QosComparing::None;
    ui.qos_query = QosQuery::default();
    ui.watcher = None;
    ui.message = None;
    ui.cache.selected = None;
    ui.highlight = None;
    ui.filter.clear();
    ui.terminal_earlier = 0;
}

/// Returns a description of the current view for a link: the name of the view, the settings of the Lab, and the order
/// of lanes in the Index view unless it is the default order.
pub fn looked_at(ui: &Ui) -> String {
    let name = ui.prefs.view.name();
    match ui.prefs.view {
        View::Lab => format!("{name} {}", LabSetting::to_text(&ui.lab.settings)),
        View::Index if ui.prefs.order != LaneOrder::default() => {
            format!("{name} {}", order_name(ui.prefs.order))
        }
        _ => name.to_owned(),
    }
}

/// Shows the view that a link or a lesson describes.
pub fn show_view(state: &mut State, name: &str) {
    let (name, settings) = name.split_once(' ').unwrap_or((name, ""));
    if let Some(settings) = LabSetting::from_text(settings) {
        state.ui_mut().lab.settings = settings;
    }
    if let (Some(View::Index), Some(order)) = (View::from_name(name), order_from_name(settings)) {
        state.ui_mut().prefs.order = order;
    }
    let view = View::from_name(name).filter(|view| state.ui.offers(*view));
    if let Some(view) = view {
        state.ui_mut().prefs.view = view;
        state.ui_mut().subject = view.subject();
    }
}

/// The maximum number of skipped lines for which the message about a loaded text gives a reason.
const SKIPPED_SHOWN: usize = 3;

/// Returns the message about a loaded text: how many outputs differ and how many lines were skipped.
pub fn loaded_sentence(report: &TextReport) -> String {
    let mut sentences = Vec::new();
    if report.differences > 0 {
        sentences.push(words::outputs_differ(report.differences, report.compared));
    } else if report.compared > 0 {
        sentences.push(words::outputs_same(report.compared));
    }
    if report.uncompared > 0 {
        sentences.push(words::outputs_not_compared(report.uncompared));
    }
    sentences.extend(report.notes.iter().cloned());
    if report.skipped > 0 {
        sentences.push(words::lines_skipped(report.skipped, report.skipped_writes));
        let reasons = report.first_skipped.iter().take(SKIPPED_SHOWN);
        sentences.extend(reasons.map(|skipped| words::line_skipped(skipped.line, &skipped.why)));
        if report.skipped > SKIPPED_SHOWN as u64 {
            sentences.push(words::OTHER_SKIPPED_LINES.to_owned());
        }
    }
    sentences.join(" ")
}

/// Returns the failure for a run whose text could not be fetched.
pub fn no_text(details: &str) -> Failure {
    Failure::new(FailureKind::NoText, details)
}

/// Converts the engine's response into the reply for a script.
pub fn reply_from(done: Done) -> ScriptReply {
    match done {
        Done::Loaded { text, .. } => ScriptReply::Loaded(text),
        Done::Refused { message } => ScriptReply::Refused(message),
        Done::Absent { .. } => ScriptReply::Refused(no_text("").text()),
        Done::Executed(executed) => ScriptReply::Executed {
            output: executed.stdout,
            error: executed.stderr,
            exit: executed.exit,
        },
        Done::Moved { step } => ScriptReply::Number(step as f64),
        Done::Text(text) => ScriptReply::Json(text),
        Done::Completions { .. }
        | Done::Lessons(_)
        | Done::Branches(_)
        | Done::Qos(_)
        | Done::Views(_)
        | Done::File { .. }
        | Done::Opened(_)
        | Done::Prefixes(_)
        | Done::Value(_) => ScriptReply::Done,
        Done::Interrupted => ScriptReply::Refused(words::INTERRUPTED.to_owned()),
    }
}
