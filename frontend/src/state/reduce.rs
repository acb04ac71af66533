//! The reducer: one function that changes the state by an action and returns effects.
//!
//! [`super::answers`] handles the messages of the engine; this file handles all other actions.

use std::rc::Rc;

use watchglass_engine::session::INTERRUPT;
use watchglass_engine::session::permalink::is_link;
use watchglass_engine::session::protocol::{
    Act, Move, Notification, Read, Request, SeekTo, Source,
};
use watchglass_engine::view::KeyQuery;

use super::action::{Action, Ask};
use super::choices::{CacheTab, Panel, Subject, Tone, View};
use super::effect::{Effect, ScriptReply};
use super::engine::host_failed;
use super::file::{self};
use super::file_panel::FileAct;
use super::flow::{Purpose, State};
use super::happened::Announced;
use super::line::PromptLine;
use super::playback::{is_instant, move_cursor, neighbour, play, tick, tick_later};
use super::run::{self};
use super::runs::OpenFor;
use super::ui::{Dialog, EngineState, Presenting, TERMINAL_EARLIER};
use super::view_text::looked_at;
use super::{answers, contents, lessons, palette, qos, texts};
use crate::keep::opening::Opening;
use crate::keep::{Keep, Wanted};
use crate::words::state as words;

/// The range of the terminal's height, in pixels.
pub const TERMINAL_HEIGHT: std::ops::RangeInclusive<u16> = 96..=640;
/// The range of the inspector's width, in pixels.
pub const INSPECTOR_WIDTH: std::ops::RangeInclusive<u16> = 240..=640;
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
            state.user_chose();
            let wanted = Wanted::Source { source, at };
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        Action::Follow(wanted) => {
            state.user_chose();
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        Action::OpenRun { id, is_forced } => {
            state.user_chose();
            run::look_for(state, Wanted::Run(id), OpenFor::Choice, is_forced);
        }
        Action::Found { number, found } => run::found(state, number, found),
        Action::Runs(runs) => state.ui_mut().runs = Some(Rc::new(runs)),
        Action::RunTaken(id) => run::taken(state, &id),
        Action::RunNotDeleted => {
            state.tell(Tone::Bad, words::NOT_DELETED.to_owned());
        }
        Action::NameRun { id, name } => run::name(state, id, name),
        Action::DeleteRun(id) => {
            if state.ui.open_run.as_ref() != Some(&id) {
                state.effects.push(Effect::Keep(Keep::Delete { id }));
            }
        }
        Action::TryAside(number) => {
            if let Some(text) = run::take_aside(state, number) {
                run::exec(state, text);
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
            state.user_chose();
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
            let view = looked_at(&state.ui);
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
            state.pause();
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
            state.pause();
            if let Some(presenting) = &mut state.ui_mut().presenting {
                presenting.is_blank = !presenting.is_blank;
                presenting.has_moved = true;
            }
        }
        Action::Play => play(state),
        Action::Pause => state.pause(),
        Action::TogglePlay => {
            if state.ui.playing {
                state.pause();
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
            run::exec(state, text);
        }
        Action::Do(Act::Undo) => run::undo(state),
        Action::Do(act) => lessons::restart(state, act),
        Action::Interrupt => {
            let is_idle = state.line.draft.is_empty()
                && state.views.status.pending.is_none()
                && !state.flow.runs.is_waiting()
                && !state.ui.is_readonly();
            state.pause();
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

        Action::Lab(act) => {
            let effects = state.ui_mut().lab.act(act);
            state.effects.extend(effects);
        }
        Action::LabSaid(message) => state.ui_mut().lab.take(message),
        Action::LabFailed(failure) => state.ui_mut().lab.failed(failure),
        Action::LabSilent(is_silent) => state.ui_mut().lab.is_silent = is_silent,

        Action::SaveNow => run::save(state),
        Action::SaveFailed(why) => {
            if !state.flow.save_failed {
                state.flow.save_failed = true;
                state.tell(Tone::Bad, why);
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

/// Resets the selections, because the run restarts from its beginning.
fn forget_place(state: &mut State) {
    state.user_chose();
    state.flow.follows_beats = true;
    state.flow.picture = None;
    state.ui_mut().forget_run();
}

fn keep_prefs(state: &mut State) {
    state
        .effects
        .push(Effect::WritePrefs(state.ui.prefs.clone()));
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
            let view = looked_at(&state.ui);
            (Purpose::AskLink(ticket), Request::Read(Read::Link { view }))
        }
        Ask::State => (Purpose::Ask(ticket), Request::Read(Read::State)),
        Ask::Move(by) => {
            state.pause();
            state.set_instant(is_instant(by));
            state.head_for(by);
            (Purpose::Ask(ticket), Request::Move(by))
        }
        Ask::Load(source) => {
            state.user_chose();
            let at = SeekTo::Default;
            let opening = Some(Opening { source, at });
            run::open_fresh(state, opening, OpenFor::Script(ticket));
            return;
        }
    };
    state.request(purpose, request);
}
