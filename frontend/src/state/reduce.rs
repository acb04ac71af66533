//! The reducer: one function that changes the state by an action and returns effects.
//!
//! [`super::answers`] handles the messages of the engine; this file handles all other actions.

use std::rc::Rc;

use watchglass_engine::session::INTERRUPT;
use watchglass_engine::session::protocol::{
    Act, Move, Notification, Read, Request, SeekTo, Source,
};
use watchglass_engine::view::{KeyQuery, StatusView, StorageQuery, TimelineView};

use watchglass_engine::session::permalink::is_link;

use super::action::{Action, Ask};
use super::answers;
use super::contents;
use super::effect::{Effect, ScriptReply};
use super::file::{self, FileAct};
use super::flow::{Purpose, State};
use super::happened::Announced;
use super::lab;
use super::lessons;
use super::line::{Completions, PromptLine};
use super::palette;
use super::qos;
use super::run::{self, OpenFor};
use super::texts;
use super::ui::{
    CacheTab, Dialog, EngineState, Notice, Panel, Presenting, Subject, TERMINAL_EARLIER, Tone, View,
};
use crate::host::Failure;
use crate::keep::opening::Opening;
use crate::keep::{Keep, Wanted};
use crate::words::state as words;

/// The range of the terminal's height, in pixels.
pub const TERMINAL_HEIGHT: std::ops::RangeInclusive<u16> = 96..=640;
/// The range of the inspector's width, in pixels.
pub const INSPECTOR_WIDTH: std::ops::RangeInclusive<u16> = 240..=640;
/// The maximum number of lines in the history of the prompt.
const HISTORY_MAX: usize = 500;

/// Changes the state by an action, and returns the effects to carry out.
pub fn reduce(state: &mut State, action: Action) -> Vec<Effect> {
    let before = Announced::of(state);
    change(state, action);
    state.send_queries();
    let events = Announced::of(state).since(&before);
    state.effects.extend(events.into_iter().map(Effect::Emit));
    let mut effects = std::mem::take(&mut state.effects);
    if state.ui.figure.is_some() {
        effects.retain(|effect| !effect.keeps());
    }
    effects
}

fn change(state: &mut State, action: Action) {
    match action {
        Action::Engine(message) => answers::take(state, message),
        Action::HostFailed(failure) => host_failed(state, failure),
        Action::HostSilent(is_silent) => state.ui_mut().is_silent = is_silent,
        Action::Fetched { name, text } if name == contents::NAME => palette::fetched(state, text),
        Action::Fetched { name, text } => texts::fetched(state, name, text),
        Action::FetchContents => palette::fetch(state),
        Action::Find(text) => palette::find(state, &text),
        Action::Begin(wanted) => run::begin(state, wanted),
        Action::TryAgain => run::restart_with_run(state),
        Action::RestartWithStory => {
            forget_place(state);
            run::restart_with_story(state);
        }

        Action::Open(source, at) => {
            user_chose(state);
            let wanted = Wanted::Source { source, at };
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        Action::Follow(wanted) => {
            user_chose(state);
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        Action::OpenRun { id, is_forced } => {
            user_chose(state);
            run::look_for(state, Wanted::Run(id), OpenFor::Choice, is_forced);
        }
        Action::Found { number, found } => run::found(state, number, found),
        Action::Runs(runs) => state.ui_mut().runs = Some(Rc::new(runs)),
        Action::RunTaken(id) => run::taken(state, &id),
        Action::RunNotDeleted => {
            tell(state, Tone::Bad, words::NOT_DELETED.to_owned());
        }
        Action::NameRun { id, name } => run::name(state, id, name),
        Action::DeleteRun(id) => {
            if state.ui.open_run.as_ref() != Some(&id) {
                state.effects.push(Effect::Keep(Keep::Delete { id }));
            }
        }
        Action::TryAside(number) => {
            if let Some(text) = run::take_aside(state, number) {
                exec(state, text);
            }
        }
        Action::DropAside(number) => {
            run::take_aside(state, number);
        }
        Action::KeepTranscript(text) => state.ui_mut().transcript = text,
        Action::ShowDifference { is_next } => {
            let ui = state.ui_mut();
            ui.differences.choose(is_next);
            ui.cleared_below = 0;
            // Two outputs need more lines than the usual sheet has.
            ui.sheet = Panel::Terminal;
            ui.sheet_tall = true;
            if let Some(step) = ui.differences.entry().map(|entry| entry.step) {
                move_cursor(state, Move::To(SeekTo::Step(step)));
            }
        }
        Action::OpenText(text) => {
            state.ui_mut().transcript.clone_from(&text);
            user_chose(state);
            // A `.watchglass` file contains a link that is too long for an address.
            let (source, at) = if is_link(text.trim()) && !text.trim().contains(char::is_whitespace)
            {
                (Source::Link(text), SeekTo::Default)
            } else {
                (Source::Text(run::with_profile(state, text)), SeekTo::End)
            };
            let wanted = Wanted::Source { source, at };
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        Action::Continue => {
            if state.ui_mut().paused.take().is_some() {
                state
                    .effects
                    .push(Effect::Send(Notification::Continue.into()));
            }
        }
        Action::CopyLink => {
            let view = answers::looked_at(&state.ui);
            state.request(Purpose::Link, Request::Read(Read::Link { view }));
        }
        Action::File(act) => file::act(state, act),
        Action::Storage(query) => state.ui_mut().storage = query,
        Action::SelectPage(page) => {
            let storage = &mut state.ui_mut().storage;
            (storage.page, storage.element) = (Some(page), Some(0));
            inspect(state, Subject::Page);
        }
        Action::SelectElement { page, place } => {
            let storage = &mut state.ui_mut().storage;
            (storage.page, storage.element) = (Some(page), Some(place));
        }
        Action::FollowRow { key, revision } => {
            choose_key(state, KeyQuery { key, revision });
            inspect(state, Subject::Page);
        }
        Action::SaveSnapshot(name) => {
            state.request(Purpose::Download, Request::Read(Read::Snapshot { name }));
        }
        Action::StartOver => {
            forget_place(state);
            run::start_over(state);
        }
        Action::OpenLesson(name) => lessons::open(state, name),
        Action::Lesson(act) => lessons::act(state, act),
        Action::SkipTask => lessons::skip(state),
        Action::ProgressNotKept => state.ui_mut().progress_kept = false,
        Action::CompareQos => qos::compare(state),
        Action::CloseQosComparison => qos::close(state),
        Action::Move(by) => move_cursor(state, by),
        Action::Marker { forward } => {
            pause(state);
            state.set_instant(true);
            let to = neighbour(&state.views.status, state.views.timeline.as_ref(), forward);
            state.wish_move(Move::To(SeekTo::Step(to)));
        }
        Action::Present => {
            let ui = state.ui_mut();
            ui.presenting = match ui.presenting {
                None => Some(Presenting::default()),
                Some(_) => None,
            };
            ui.is_full = false;
            ui.dialog = None;
            ui.notice = None;
        }
        // A figure fills its frame, and its frame belongs to another page.
        Action::ToggleFull if state.ui.figure.is_some() => {}
        Action::ToggleFull => {
            let ui = state.ui_mut();
            ui.is_full = !ui.is_full;
        }
        Action::Blank => {
            // Nobody sees what happens on a black screen.
            pause(state);
            if let Some(presenting) = &mut state.ui_mut().presenting {
                presenting.is_blank = !presenting.is_blank;
                presenting.has_moved = true;
            }
        }
        Action::Play => play(state),
        Action::Pause => pause(state),
        Action::TogglePlay => {
            if state.ui.playing {
                pause(state);
            } else {
                play(state);
            }
        }
        Action::Tick(number) => tick(state, number),
        Action::Speed(speed) => {
            state.ui_mut().speed = speed;
            if state.ui.playing && !state.is_moving() {
                tick_later(state);
            }
        }
        Action::SpeedUp(is_up) => {
            let speed = state.ui.speed;
            let speed = if is_up {
                speed.faster()
            } else {
                speed.slower()
            };
            change(state, Action::Speed(speed));
        }
        Action::Axis(axis) => state.ui_mut().axis = axis,

        Action::View(view) => {
            if state.ui.prefs.view != view && state.ui.offers(view) {
                let ui = state.ui_mut();
                ui.prefs.view = view;
                // The Index view also shows the watcher, so it stays selected.
                let stays = view == View::Index && ui.watcher.is_some();
                if !(stays && ui.subject == Subject::Watcher) {
                    ui.subject = view.subject();
                }
                ui.highlight = None;
                ui.instant = true;
                keep_prefs(state);
            }
        }
        Action::SelectKey { key, revision } => {
            choose_key(state, KeyQuery { key, revision });
            inspect(state, Subject::Key);
        }
        Action::SelectWatcher(id) => {
            state.ui_mut().watcher = Some(id);
            inspect(state, Subject::Watcher);
        }
        Action::SelectMessage(id) => {
            state.ui_mut().message = Some(id);
            inspect(state, Subject::Message);
        }
        Action::SkipMessages(count) => state.ui_mut().messages_skipped = count,
        Action::SelectRequest(id) => {
            state.ui_mut().cache.selected = Some(id);
            change(state, Action::CacheTab(CacheTab::Request));
        }
        Action::CacheTab(tab) => {
            state.ui_mut().cache_tab = tab;
            inspect(state, Subject::Cache);
        }
        Action::CacheQuery(query) => state.ui_mut().cache = query,
        Action::QosQuery(query) => state.ui_mut().qos_query = query,
        Action::PlotSpan(us) => {
            state.ui_mut().prefs.plot_us = us;
            keep_prefs(state);
        }
        Action::Highlight(range) => {
            if state.ui.highlight != range {
                state.ui_mut().highlight = range;
            }
        }
        Action::Filter(text) => state.ui_mut().filter = text,
        Action::Order(order) => {
            state.ui_mut().prefs.order = order;
            keep_prefs(state);
        }
        Action::IndexViewport(window) => {
            if state.ui.index.as_ref() != Some(&window) {
                state.ui_mut().index = Some(window);
            }
        }
        Action::WatchViewport(window) => {
            if state.ui.watch != window {
                state.ui_mut().watch = window;
            }
        }
        Action::TimelineWidth(columns) => {
            if state.ui.timeline_columns != columns {
                state.ui_mut().timeline_columns = columns;
            }
        }
        Action::TerminalFits(entries) => {
            if state.ui.terminal_fits != entries {
                state.ui_mut().terminal_fits = entries;
            }
        }
        Action::OlderEntries => {
            let ui = state.ui_mut();
            ui.cleared_below = 0;
            ui.terminal_earlier = ui.terminal_earlier.saturating_add(TERMINAL_EARLIER);
        }

        Action::Draft(text) => {
            state.effects.push(Effect::WriteDraft(text.clone()));
            *state.line_mut() = PromptLine {
                draft: text,
                completions: None,
            };
        }
        Action::DraftWithList(text) => {
            state.effects.push(Effect::WriteDraft(text.clone()));
            state.line_mut().draft = text;
        }
        Action::Do(Act::Type(_) | Act::Undo) | Action::Type(_) if state.ui.is_readonly() => {}
        Action::Type(text) => {
            change(state, Action::Draft(text));
            change(state, Action::FocusTerminal);
        }
        Action::Do(Act::Type(text)) => {
            state.ui_mut().differences.chosen = None;
            exec(state, text);
        }
        Action::Do(Act::Undo) => run::undo(state),
        Action::Do(act) => lessons::restart(state, act),
        Action::Interrupt => {
            let is_idle = state.line.draft.is_empty()
                && state.views.status.pending.is_none()
                && !state.flow.runs.is_waiting()
                && !state.ui.is_readonly();
            pause(state);
            if is_idle {
                // As in a shell, the keys end a watch that is in the foreground.
                run::add(state, Act::Type(INTERRUPT.to_owned()), None);
            } else {
                *state.line_mut() = PromptLine::default();
                state.effects.push(Effect::WriteDraft(String::new()));
                state
                    .effects
                    .push(Effect::Send(Notification::Interrupt.into()));
                run::interrupted(state);
            }
        }
        Action::Complete { line, cursor } => {
            state.request(
                Purpose::Complete,
                Request::Read(Read::Complete { line, cursor }),
            );
        }
        Action::CloseCompletions => state.line_mut().completions = None,
        Action::ClearScreen => {
            let last = state
                .views
                .terminal
                .as_ref()
                .and_then(|view| view.entries.last());
            let below = last.map_or(0, |entry| entry.id.saturating_add(1));
            state.ui_mut().cleared_below = below;
        }
        Action::FocusTerminal => {
            if state.ui.has_lab_alone(&state.views) {
                change(state, Action::View(View::Index));
            }
            let ui = state.ui_mut();
            ui.is_full = false;
            ui.sheet = Panel::Terminal;
            ui.prefs.terminal_open = true;
            state.effects.push(Effect::FocusPrompt);
        }

        Action::Theme(theme) => {
            state.ui_mut().prefs.theme = theme;
            state.effects.push(Effect::ApplyTheme(theme));
            keep_prefs(state);
        }
        Action::ToggleInspector => {
            let ui = state.ui_mut();
            // In full screen, the inspector is hidden even if it is open.
            ui.inspector_open = !ui.inspector_open || ui.is_full;
            ui.is_full = false;
        }
        Action::ToggleTerminal => {
            let ui = state.ui_mut();
            ui.prefs.terminal_open = !ui.prefs.terminal_open;
            keep_prefs(state);
        }
        Action::TerminalActive(is_active) => state.ui_mut().terminal_active = is_active,
        Action::TerminalHeight(height) => {
            let height = height.clamp(*TERMINAL_HEIGHT.start(), *TERMINAL_HEIGHT.end());
            state.ui_mut().prefs.panel_sizes_mut().terminal = height;
            keep_prefs(state);
        }
        Action::InspectorWidth(width) => {
            let width = width.clamp(*INSPECTOR_WIDTH.start(), *INSPECTOR_WIDTH.end());
            state.ui_mut().prefs.panel_sizes_mut().inspector = width;
            keep_prefs(state);
        }
        Action::Sheet(panel) => state.ui_mut().sheet = panel,
        Action::ToggleSheet => {
            let ui = state.ui_mut();
            ui.sheet_tall = !ui.sheet_tall;
        }
        // Figures have no dialogs, and an open dialog would disable the shortcuts.
        Action::OpenDialog(_) if state.ui.figure.is_some() => {}
        Action::OpenDialog(dialog) => {
            if let Dialog::Open(text) = &dialog {
                if !text.is_empty() {
                    state.ui_mut().transcript.clone_from(text);
                } else if state.ui.transcript.is_empty()
                    && let Some(text) = run::text_of_user(state)
                {
                    // After a reload, the text of the run is still there.
                    state.ui_mut().transcript = text;
                }
            }
            if dialog == Dialog::Lessons {
                lessons::list(state);
            }
            if dialog == Dialog::Runs {
                state.effects.push(Effect::Keep(Keep::List));
            }
            if let Dialog::Branches(branches) = dialog {
                state.ui_mut().comparison = None;
                state.request(
                    Purpose::Compare,
                    Request::Read(Read::CompareBranches(branches)),
                );
            }
            if matches!(dialog, Dialog::Fidelity(_)) {
                palette::fetch(state);
            }
            if matches!(dialog, Dialog::Palette { .. }) {
                palette::fetch(state);
                palette::find(state, "");
            }
            state.ui_mut().dialog = Some(dialog);
        }
        Action::CloseDialog
            if state.ui.dialog == Some(Dialog::File) && state.ui.file.wanted.is_some() =>
        {
            file::act(state, FileAct::DoWithout);
        }
        Action::CloseDialog => state.ui_mut().dialog = None,
        Action::Tell(notice) => state.ui_mut().notice = Some(notice),
        Action::DismissNotice => state.ui_mut().notice = None,
        Action::SingleKeys(on) => {
            state.ui_mut().prefs.single_keys = on;
            keep_prefs(state);
        }

        Action::Lab(act) => lab::act(state, act),
        Action::LabSaid(message) => lab::take(state, message),
        Action::LabFailed(failure) => lab::failed(state, failure),
        Action::LabSilent(is_silent) => state.ui_mut().lab.is_silent = is_silent,

        Action::SaveNow => run::save(state),
        Action::SaveFailed(why) => {
            if !state.flow.save_failed {
                state.flow.save_failed = true;
                tell(state, Tone::Bad, why);
            }
        }
        Action::Ask { ticket, ask } => answer_script(state, ticket, ask),
    }
}

/// Selects a key in the inspector and in the Storage view, and unselects the page of the Storage view.
fn choose_key(state: &mut State, key: KeyQuery) {
    let ui = state.ui_mut();
    (ui.storage.page, ui.storage.element) = (None, None);
    ui.selection = Some(key);
}

/// Opens the inspector for a subject.
fn inspect(state: &mut State, subject: Subject) {
    let ui = state.ui_mut();
    ui.subject = subject;
    ui.inspector_open = true;
    ui.sheet = Panel::Inspect;
}

/// Shows a notice at the top.
pub fn tell(state: &mut State, tone: Tone, text: String) {
    state.ui_mut().notice = Some(Notice {
        tone,
        text,
        offers: Vec::new(),
    });
}

/// Moves the cursor, as the reader requested.
fn move_cursor(state: &mut State, by: Move) {
    pause(state);
    match by {
        Move::ToBranch(branch) => {
            user_did(state);
            state.set_instant(true);
            state.request(Purpose::Branch(branch), Request::Move(by));
            return;
        }
        // An audience sees each beat in its own view.
        Move::To(_) if state.ui.presenting.is_some() => state.flow.follows_beats = true,
        Move::To(_) | Move::BySteps(_) => keep_view(state),
        Move::ByBeats(_) | Move::PlayOn(_) => state.flow.follows_beats = true,
    }
    state.set_instant(is_instant(by));
    state.wish_move(by);
}

/// Returns true if the picture after this move appears without a transition. Only a move to the next step or beat has a
/// transition.
fn is_instant(by: Move) -> bool {
    match by {
        Move::BySteps(delta) | Move::ByBeats(delta) => delta != 1,
        Move::PlayOn(steps) => steps != 1,
        Move::To(_) | Move::ToBranch(_) => true,
    }
}

/// Keeps the view that the reader sees, even if a beat names another view. Before the first picture, there is no view
/// to keep.
fn keep_view(state: &mut State) {
    state.flow.follows_beats &= !state.flow.seen;
}

/// Shows completions; closes the list if there are none.
pub fn offer(state: &mut State, start: u32, items: Vec<(String, String)>) {
    state.line_mut().completions = if items.is_empty() {
        None
    } else {
        Some(Completions { start, items })
    };
}

/// Stops playing; a timer that fires later is stale.
pub fn pause(state: &mut State) {
    state.flow.tick = state.flow.tick.wrapping_add(1);
    if state.ui.playing {
        state.ui_mut().playing = false;
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

/// Schedules a save if the run contains input of the user.
pub fn keep_soon(state: &mut State) {
    if state.ui.dirty && !state.ui.playing {
        state.effects.push(Effect::SaveSoon);
    }
}

pub fn user_did(state: &mut State) {
    user_chose(state);
    let ui = state.ui_mut();
    ui.dirty = true;
}

/// Closes the notice and the dialog and stops playback, because the user chose another run.
pub fn user_chose(state: &mut State) {
    pause(state);
    let ui = state.ui_mut();
    ui.notice = None;
    ui.dialog = None;
}

/// Resets the selections, because the run restarts from its beginning.
fn forget_place(state: &mut State) {
    user_chose(state);
    state.flow.follows_beats = true;
    state.flow.picture = None;
    let ui = state.ui_mut();
    ui.selection = None;
    ui.storage = StorageQuery::default();
    ui.watcher = None;
    ui.message = None;
    ui.cache.selected = None;
    ui.cleared_below = 0;
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

fn tick(state: &mut State, number: u32) {
    if number != state.flow.tick || !state.ui.playing {
        return;
    }
    let status = &state.views.status;
    if is_over(status) {
        pause(state);
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

/// Returns the step of the next or previous change of the store, as the timeline's markers show it. If there is no
/// further change, returns the last step of the run (forward) or 0 (backward). If the timeline has no markers, moves
/// by a fiftieth of the run's length.
fn neighbour(status: &StatusView, timeline: Option<&TimelineView>, forward: bool) -> u64 {
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

pub fn exec(state: &mut State, text: String) {
    let ui = state.ui_mut();
    ui.dirty = true;
    ui.instant = false;
    *state.line_mut() = PromptLine::default();
    let ui = state.ui_mut();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if ui.history.last().is_none_or(|last| last != line) {
            ui.history.push(line.to_owned());
        }
    }
    let surplus = ui.history.len().saturating_sub(HISTORY_MAX);
    ui.history.drain(..surplus);
    run::add(state, Act::Type(text), None);
    state.effects.push(Effect::WriteDraft(String::new()));
}

fn keep_prefs(state: &mut State) {
    state
        .effects
        .push(Effect::WritePrefs(state.ui.prefs.clone()));
}

/// Handles the failure of the engine: the picture stays visible, and all pending requests of scripts are refused with
/// the reason for the failure.
pub fn host_failed(state: &mut State, failure: Failure) {
    let report = state.flow.trail.report();
    leave_engine(state, &failure.text());
    file::engine_left(state);
    for ticket in std::mem::take(&mut state.flow.ready_tickets) {
        let reply = ScriptReply::Refused(failure.text());
        state.effects.push(Effect::Reply { ticket, reply });
    }
    state.ui_mut().engine = EngineState::Failed(failure, report);
}

/// Settles all pending requests, because the current engine will not answer them.
pub fn leave_engine(state: &mut State, why: &str) {
    pause(state);
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
    run::died(state, why);
}

fn answer_script(state: &mut State, ticket: u32, ask: Ask) {
    if let EngineState::Failed(failure, _) = &state.ui.engine {
        let reply = ScriptReply::Refused(failure.text());
        state.effects.push(Effect::Reply { ticket, reply });
        return;
    }
    let (purpose, request) = match ask {
        Ask::Ready => {
            if state.flow.seen {
                let reply = ScriptReply::Done;
                state.effects.push(Effect::Reply { ticket, reply });
            } else {
                state.flow.ready_tickets.push(ticket);
            }
            return;
        }
        Ask::Exec(_) if state.ui.is_readonly() => {
            let reply = ScriptReply::Refused(words::READ_ONLY.to_owned());
            state.effects.push(Effect::Reply { ticket, reply });
            return;
        }
        Ask::Exec(text) => {
            let ui = state.ui_mut();
            ui.dirty = true;
            ui.instant = false;
            run::add(state, Act::Type(text), Some(ticket));
            return;
        }
        Ask::Permalink => {
            let view = answers::looked_at(&state.ui);
            (Purpose::AskLink(ticket), Request::Read(Read::Link { view }))
        }
        Ask::State => (Purpose::Ask(ticket), Request::Read(Read::State)),
        Ask::Move(by) => {
            pause(state);
            state.set_instant(is_instant(by));
            state.head_for(by);
            (Purpose::Ask(ticket), Request::Move(by))
        }
        Ask::Load(source) => {
            user_chose(state);
            let at = SeekTo::Default;
            let opening = Some(Opening { source, at });
            run::open_fresh(state, opening, OpenFor::Script(ticket));
            return;
        }
    };
    state.request(purpose, request);
}
