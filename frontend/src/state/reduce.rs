//! The reducer: one function that changes the state by an action and returns effects.
//!
//! It routes each action to the file of its part: playback, selection, layout, terminal, runs, lessons, the Lab. Only
//! dialogs and the requests of scripts, which concern several parts, are handled here.

use watchglass_engine::session::protocol::{Act, Read, Request, SeekTo};

use super::action::{Action, Ask};
use super::effect::{Effect, ScriptReply};
use super::engine::host_failed;
use super::file_panel::FileAct;
use super::flow::{Purpose, State};
use super::happened::Announced;
use super::playback::is_instant;
use super::runs::OpenFor;
use super::ui::{Dialog, EngineState};
use super::view_text::looked_at;
use super::{
    answers, author, contents, file, layout, lessons, palette, playback, qos, random_commands,
    replays, run, run_action, selection, terminal, texts,
};
use crate::keep::Keep;
use crate::keep::opening::Opening;
use crate::words::state as words;

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
        Action::Playback(act) => playback::act(state, act),
        Action::View(act) => selection::act(state, act),
        Action::Layout(act) => layout::act(state, act),
        Action::Terminal(act) => terminal::act(state, act),
        Action::Run(act) => run_action::act(state, act),
        Action::Engine(message) => answers::take(state, message),
        Action::HostFailed(failure) => host_failed(state, failure),
        Action::HostSilent(is_silent) => state.ui_mut().is_silent = is_silent,
        Action::Fetched { name, text } if name == contents::NAME => palette::fetched(state, text),
        Action::Fetched { name, text } => texts::fetched(state, name, text),
        Action::FetchContents => palette::fetch(state),
        Action::Find(text) => palette::find(state, &text),
        Action::File(act) => file::act(state, act),
        Action::Page(is_forward) => lessons::page(state, is_forward),
        Action::OpenLesson(name) => lessons::open(state, name),
        Action::Lesson(act) => lessons::act(state, act),
        Action::SkipTask => lessons::skip(state),
        Action::Practice(act) => lessons::practise(state, act),
        Action::Author(act) => author::act(state, act),
        Action::ProgressNotKept => state.ui_mut().progress_kept = false,
        Action::CompareQos => qos::compare(state),
        Action::CloseQosComparison => qos::close(state),
        Action::Odds(act) => replays::act(state, act),
        Action::Nemesis(act) => random_commands::act(state, act),
        // Figures have no dialogs, and an open dialog would disable the shortcuts.
        Action::OpenDialog(_) if state.ui.figure.is_some() => {}
        Action::OpenDialog(Dialog::Branches(branches)) => answers::open_comparison(state, branches),
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
            if dialog == Dialog::Odds {
                replays::open(state);
            }
            if dialog == Dialog::Nemesis {
                random_commands::open(state);
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
        Action::CloseDialog => {
            replays::stop(state);
            random_commands::stop(state);
            state.ui_mut().dialog = None;
        }
        Action::Lab(act) => {
            let effects = state.ui_mut().lab.act(act);
            state.effects.extend(effects);
        }
        Action::LabSaid(message) => state.ui_mut().lab.take(message),
        Action::LabFailed(failure) => state.ui_mut().lab.failed(failure),
        Action::LabSilent(is_silent) => state.ui_mut().lab.is_silent = is_silent,
        Action::Ask { ticket, ask } => answer_script(state, ticket, ask),
    }
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
        Ask::Read(read) => (Purpose::Ask(ticket), Request::Read(read)),
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
