//! The actions on a database file that the user chose, and the engine's responses.

use std::rc::Rc;

use watchglass_engine::session::protocol::{
    Done, FileAsk, FileIdentity, FileStage, Notification, Request, SeekTo, Source,
};

use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::key_list::KeyListQuery;
use watchglass_engine::view::file::maintenance::MaintenanceStage;

use super::comparison;
use super::effect::{Effect, ScriptReply};
use super::engine::host_failed;
use super::file_panel::{
    ComparisonAct, ComparisonPanel, FileAct, FileOpening, FilePanel, FileProgress, FileQuestion,
    FileScript, MaintenancePanel, WantedFile,
};
use super::flow::{Purpose, State};
use super::run;
use super::runs::OpenFor;
use super::ui::Dialog;
use crate::host::Failure;
use crate::keep::opening::Opening;
use crate::words::file as words;

/// The number of keys by which the list of keys grows.
pub const KEYS_AT_ONCE: u32 = 50;

pub fn act(state: &mut State, act: FileAct) {
    match act {
        // Figures have no dialogs.
        FileAct::Open { script, .. } if state.ui.figure.is_some() => {
            refuse_script(state, script, words::NO_FILE_IN_FIGURE);
        }
        FileAct::Unpack { open, .. } if state.ui.figure.is_some() => self::act(state, *open),
        FileAct::Open {
            name,
            bytes,
            script,
        } => {
            state.effects.push(Effect::OfferFile);
            let request = Request::show_file(&name);
            let progress = FileProgress {
                id: state.request(Purpose::File(FileQuestion::Open), request),
                stage: FileStage::Reading,
                done: 0,
                total: bytes,
            };
            begin(state, name, progress, script);
        }
        FileAct::Unpack { open, done, total } => {
            let progress = FileProgress {
                // No request of the engine has this number.
                id: 0,
                stage: FileStage::Unpacking,
                done,
                total,
            };
            match *open {
                FileAct::Open { name, script, .. } => {
                    begin(state, name, progress, script);
                }
                FileAct::Comparison(ComparisonAct::Open { .. }) => {
                    state.ui_mut().file.comparison = ComparisonPanel {
                        running: Some(progress),
                        ..ComparisonPanel::default()
                    };
                }
                _ => {}
            }
        }
        FileAct::Refuse { open, why } => {
            match *open {
                FileAct::Open { script, .. } => refuse_script(state, script, &why),
                FileAct::Comparison(_) => {
                    let comparison = &mut state.ui_mut().file.comparison;
                    (comparison.running, comparison.refused) = (None, why);
                    return;
                }
                _ => {}
            }
            let ui = state.ui_mut();
            ui.dialog = Some(Dialog::File);
            (ui.file.opening, ui.file.refused) = (None, why);
        }
        FileAct::Close => {
            let script = take_script(state);
            refuse_script(state, script, words::CLOSED);
            state.notify(Notification::CloseFile);
            let wanted = state.ui.file.wanted.clone();
            let is_idle = state.ui.file.opening.is_none() && wanted.is_none();
            let ui = state.ui_mut();
            ui.file = FilePanel {
                wanted,
                ..FilePanel::default()
            };
            if is_idle {
                ui.dialog = None;
            }
        }
        FileAct::Explore => {
            if state.ui.file.maintenance.running.is_some() {
                self::act(state, FileAct::StopMaintenance);
            }
            if let Some(overview) = &state.ui.file.overview {
                let source = source_of(overview);
                run::explore(state, source, SeekTo::Default);
            }
        }
        FileAct::Decrypt(keys) => {
            let decrypt = Request::AskFile(FileAsk::Decrypt { keys });
            let id = state.request(Purpose::File(FileQuestion::Open), decrypt);
            if let Some(overview) = state.ui.file.overview.clone() {
                let file = &mut state.ui_mut().file;
                file.refused.clear();
                file.opening = Some(FileOpening {
                    name: overview.name.clone(),
                    progress: FileProgress {
                        id,
                        stage: FileStage::Reading,
                        done: 0,
                        total: overview.bytes,
                    },
                    script: None,
                });
            }
        }
        FileAct::List(prefix) => ask(state, FileAsk::Prefix(prefix)),
        FileAct::Value {
            key,
            at,
            shows_secret,
        } => ask(
            state,
            FileAsk::Value {
                key,
                at,
                shows_secret,
            },
        ),
        FileAct::CloseValue => state.ui_mut().file.value = None,
        FileAct::SaveValue(form) => {
            if let Some(value) = &state.ui.file.value {
                let (key, at) = (value.key.clone(), value.at);
                ask(state, FileAsk::SaveValue { key, at, form });
            }
        }
        FileAct::Search(query) => {
            state.ui_mut().file.query = query.clone();
            ask(state, FileAsk::Keys(query));
        }
        FileAct::SaveTable => ask(
            state,
            FileAsk::SaveTable(state.ui.file.query.filter.clone()),
        ),
        FileAct::SaveScript => ask(
            state,
            FileAsk::SaveScript(state.ui.file.query.filter.clone()),
        ),
        FileAct::Maintain(Ok(query)) => {
            let ask = Request::AskFile(FileAsk::Maintenance(query));
            let id = state.request(Purpose::File(FileQuestion::Maintenance), ask);
            state.ui_mut().file.maintenance = MaintenancePanel {
                running: Some(FileProgress {
                    id,
                    stage: FileStage::Maintenance(MaintenanceStage::Restoring),
                    done: 0,
                    total: 0,
                }),
                ..MaintenancePanel::default()
            };
        }
        FileAct::Maintain(Err(refused)) => {
            if state.ui.file.maintenance.running.is_some() {
                state.notify(Notification::StopMaintenance);
            }
            state.ui_mut().file.maintenance = MaintenancePanel {
                refused,
                ..MaintenancePanel::default()
            };
        }
        FileAct::StopMaintenance => {
            state.notify(Notification::StopMaintenance);
            state.ui_mut().file.maintenance = MaintenancePanel::default();
        }
        FileAct::Comparison(act) => comparison::act(state, act),
        FileAct::DoWithout => {
            let ui = state.ui_mut();
            ui.file.wanted = None;
            ui.dialog = None;
            state.notify(Notification::Interrupt);
            run::interrupted(state);
        }
    }
}

/// Opens the dialog with the progress of opening a file.
fn begin(state: &mut State, name: String, progress: FileProgress, script: Option<FileScript>) {
    let earlier = take_script(state).filter(|earlier| script.as_ref() != Some(earlier));
    refuse_script(state, earlier, words::OTHER_FILE);
    let ui = state.ui_mut();
    ui.dialog = Some(Dialog::File);
    ui.file = FilePanel {
        opening: Some(FileOpening {
            name,
            progress,
            script,
        }),
        wanted: ui.file.wanted.clone(),
        ..FilePanel::default()
    };
}

fn source_of(overview: &FileOverview) -> Source {
    Source::Snapshot {
        file: overview.identity(),
        profile: overview.profile.clone(),
    }
}

/// Takes the script that waits for the file that is being opened.
fn take_script(state: &mut State) -> Option<FileScript> {
    let is_awaited = state.ui.file.opening.as_ref()?.script.is_some();
    let file = is_awaited.then(|| &mut state.ui_mut().file)?;
    file.opening.as_mut()?.script.take()
}

/// Tells a script why there is no run on its file.
fn refuse_script(state: &mut State, script: Option<FileScript>, why: &str) {
    if let Some(FileScript { ticket, .. }) = script {
        let reply = ScriptReply::Refused(why.to_owned());
        state.effects.push(Effect::Reply { ticket, reply });
    }
}

fn ask(state: &mut State, ask: FileAsk) {
    state.request(Purpose::File(FileQuestion::Part), Request::AskFile(ask));
}

/// Updates the progress of the work that request `id` started.
pub fn came_to(state: &mut State, id: u32, stage: FileStage, (done, total): (u64, u64)) {
    let file = &mut state.ui_mut().file;
    let opening = file.opening.as_mut().map(|opening| &mut opening.progress);
    let others = [&mut file.maintenance.running, &mut file.comparison.running];
    let mut all = opening.into_iter().chain(others.into_iter().flatten());
    if let Some(progress) = all.find(|progress| progress.id == id) {
        (progress.stage, progress.done, progress.total) = (stage, done, total);
    }
}

/// Handles the response to request `id`, unless the file was closed or replaced in the meantime.
pub fn answered(state: &mut State, id: u32, question: FileQuestion, done: Done) {
    let file = &state.ui.file;
    let is_awaited = match question {
        FileQuestion::Open => file.opening.as_ref().is_some_and(|o| o.progress.id == id),
        FileQuestion::Part => file.overview.is_some(),
        FileQuestion::Maintenance => {
            let running = file.maintenance.running.as_ref();
            running.is_some_and(|running| running.id == id)
        }
    };
    if !is_awaited {
        return;
    }
    let is_open = question == FileQuestion::Open;
    let script = is_open.then(|| take_script(state)).flatten();
    let ui = state.ui_mut();
    let file = &mut ui.file;
    match question {
        FileQuestion::Open => file.opening = None,
        FileQuestion::Part => file.refused.clear(),
        FileQuestion::Maintenance => {
            file.maintenance.running = None;
            match done {
                Done::Maintenance(view) => file.maintenance.view = Some(Rc::new(*view)),
                Done::Refused { message } => file.maintenance.refused = message,
                _ => {}
            }
            return;
        }
    }
    match done {
        Done::Opened(overview) => {
            let is_it = |wanted: &mut WantedFile| {
                (wanted.file.bytes, wanted.file.sha256) == (overview.bytes, overview.sha256)
            };
            // The run that waited for this file is loaded now.
            if file.wanted.take_if(is_it).is_some() {
                ui.dialog = None;
            }
            let overview = Rc::new(*overview);
            *file = FilePanel {
                overview: Some(overview.clone()),
                wanted: file.wanted.take(),
                ..FilePanel::default()
            };
            if let Some(FileScript { ticket, profile }) = script {
                ui.dialog = None;
                let mut source = source_of(&overview);
                if let (Source::Snapshot { profile: own, .. }, false) =
                    (&mut source, profile.is_empty())
                {
                    *own = profile;
                }
                let at = SeekTo::Default;
                let opening = Some(Opening { source, at });
                run::open_fresh(state, opening, OpenFor::Script(ticket));
                if let Some(next) = state.flow.runs.nexts.back_mut() {
                    next.run.stays_in_tab = true;
                }
                return;
            }
            let limit = KEYS_AT_ONCE;
            let query = KeyListQuery {
                limit,
                ..KeyListQuery::default()
            };
            act(state, FileAct::Search(query));
        }
        Done::Keys(list) => file.keys = Some(Rc::new(*list)),
        Done::File { name, bytes } => state.effects.push(Effect::SaveFile { name, bytes }),
        Done::Prefixes(list) => file.list = Some(Rc::new(list)),
        Done::Value(value) => file.value = Some(Rc::new(*value)),
        Done::Refused { message } => {
            file.refused.clone_from(&message);
            refuse_script(state, script, &message);
        }
        _ => refuse_script(state, script, words::CLOSED),
    }
}

/// Handles a run that needs a file: opens the dialog, or reports a failure in a figure.
pub fn wanted(state: &mut State, file: FileIdentity, other: Option<String>) {
    if state.ui.figure.is_some() {
        // A different run would not match the text around the figure.
        let text = words::figure_cannot_open(&file.name);
        return host_failed(state, Failure::refused(text));
    }
    run::waits_for_file(state);
    let ui = state.ui_mut();
    ui.file.wanted = Some(WantedFile { file, other });
    ui.file.overview = None;
    ui.dialog = Some(Dialog::File);
}
