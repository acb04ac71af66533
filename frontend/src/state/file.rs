//! A database file that the user chose: the progress of opening it, its content, and the run that waits for it.

use std::rc::Rc;

use watchglass_engine::session::protocol::{
    Done, FileAsk, FileChunk, FileIdentity, FileStage, Notification, Request, SeekTo, Source,
};
use watchglass_engine::view::{FileOverview, PrefixList, StoredValue};

use super::effect::Effect;
use super::flow::{Purpose, State};
use super::reduce::host_failed;
use super::run;
use super::ui::Dialog;
use crate::host::Failure;
use crate::words::file as words;

/// The state of the database file and of its dialog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilePanel {
    /// The file that is being opened.
    pub opening: Option<FileOpening>,
    /// The reason why the last file could not be opened.
    pub refused: String,
    /// The summary of the open file.
    pub overview: Option<Rc<FileOverview>>,
    /// The groups of keys that the dialog lists; `None` while it lists the groups of the overview.
    pub list: Option<Rc<PrefixList>>,
    /// The key whose value is shown.
    pub value: Option<Rc<StoredValue>>,
    /// The file that a run needs before it can load.
    pub wanted: Option<WantedFile>,
}

/// A file that is being opened.
#[derive(Clone, Debug, PartialEq)]
pub struct FileOpening {
    /// The number of the message that opens the file.
    pub id: u32,
    /// The name of the file.
    pub name: String,
    /// The current phase of opening the file.
    pub stage: FileStage,
    /// The amount of work done, out of `total`.
    pub done: u64,
    /// The total amount of work.
    pub total: u64,
}

/// A file that a run needs before it can load.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedFile {
    /// The identity of the file.
    pub file: FileIdentity,
    /// The name of another file that the user opened instead of the needed file.
    pub other: Option<String>,
}

/// An action on the database file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileAct {
    /// Open the database file that the user chose. [`crate::store::Store`] holds the file.
    Open {
        /// The name of the file.
        name: String,
        /// The length in bytes.
        bytes: u64,
    },
    /// The result of reading a part of the file.
    Read {
        /// The number of the message that opens the file.
        id: u32,
        /// The bytes, or the reason for the failure.
        bytes: Result<Vec<u8>, String>,
    },
    /// Cancel opening the file, or close the open file.
    Close,
    /// Start a run with the file.
    Explore,
    /// List the groups of keys with this prefix.
    List(Vec<u8>),
    /// Show the newest value of a key.
    Value {
        /// The key.
        key: Vec<u8>,
        /// Whether to show the value even if the key belongs to a Secret.
        shows_secret: bool,
    },
    /// Close the value.
    CloseValue,
    /// Cancel the load that waits for a file.
    DoWithout,
}

/// Executes the action.
pub fn act(state: &mut State, act: FileAct) {
    match act {
        // Figures have no dialogs.
        FileAct::Open { .. } if state.ui.figure.is_some() => {}
        FileAct::Open { name, bytes } => {
            let request = Request::OpenFile {
                name: name.clone(),
                bytes,
            };
            let id = state.request(Purpose::File(FileQuestion::Open), request);
            let ui = state.ui_mut();
            ui.dialog = Some(Dialog::File);
            ui.file = FilePanel {
                opening: Some(FileOpening {
                    id,
                    name,
                    stage: FileStage::Reading,
                    done: 0,
                    total: bytes,
                }),
                wanted: ui.file.wanted.clone(),
                ..FilePanel::default()
            };
            if bytes > 0 {
                state.effects.push(Effect::ReadFile { id, from: 0 });
            }
        }
        FileAct::Read { id, bytes } => {
            if state.ui.file.opening.as_ref().is_none_or(|o| o.id != id) {
                return;
            }
            match bytes {
                Ok(bytes) => state.effects.push(Effect::Send(
                    Notification::FileBytes(FileChunk(bytes)).into(),
                )),
                Err(why) => {
                    state
                        .effects
                        .push(Effect::Send(Notification::CloseFile.into()));
                    let file = &mut state.ui_mut().file;
                    file.opening = None;
                    file.refused = why;
                }
            }
        }
        FileAct::Close => {
            state
                .effects
                .push(Effect::Send(Notification::CloseFile.into()));
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
            if let Some(overview) = &state.ui.file.overview {
                let source = Source::Snapshot {
                    file: FileIdentity {
                        name: overview.name.as_str().into(),
                        bytes: overview.bytes,
                        sha256: overview.sha256,
                    },
                    profile: overview.profile.clone(),
                };
                run::explore(state, source, SeekTo::Default);
            }
        }
        FileAct::List(prefix) => ask(state, FileAsk::Prefix(prefix)),
        FileAct::Value { key, shows_secret } => {
            ask(state, FileAsk::Value { key, shows_secret });
        }
        FileAct::CloseValue => state.ui_mut().file.value = None,
        FileAct::DoWithout => {
            let ui = state.ui_mut();
            ui.file.wanted = None;
            ui.dialog = None;
            state
                .effects
                .push(Effect::Send(Notification::Interrupt.into()));
            run::interrupted(state);
        }
    }
}

/// The kind of a request about the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileQuestion {
    /// Open the file.
    Open,
    /// Get groups of keys or a value from the open file.
    Part,
}

fn ask(state: &mut State, ask: FileAsk) {
    state.request(Purpose::File(FileQuestion::Part), Request::AskFile(ask));
}

/// Updates the progress of opening the file. Once the engine has processed the bytes that it received, requests the
/// next bytes.
pub fn came_to(state: &mut State, id: u32, stage: FileStage, (done, total): (u64, u64)) {
    if state.ui.file.opening.as_ref().is_none_or(|o| o.id != id) {
        return;
    }
    if let Some(opening) = &mut state.ui_mut().file.opening {
        (opening.stage, opening.done, opening.total) = (stage, done, total);
    }
    if stage == FileStage::Reading && done < total {
        state.effects.push(Effect::ReadFile { id, from: done });
    }
}

/// Handles the response to request `id`, unless the file was closed or replaced in the meantime.
pub fn answered(state: &mut State, id: u32, question: FileQuestion, done: Done) {
    let file = &state.ui.file;
    let is_awaited = match question {
        FileQuestion::Open => file.opening.as_ref().is_some_and(|o| o.id == id),
        FileQuestion::Part => file.overview.is_some(),
    };
    if !is_awaited {
        return;
    }
    let ui = state.ui_mut();
    let file = &mut ui.file;
    match question {
        FileQuestion::Open => file.opening = None,
        FileQuestion::Part => file.refused.clear(),
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
            file.overview = Some(Rc::new(*overview));
        }
        Done::Prefixes(list) => file.list = Some(Rc::new(list)),
        Done::Value(value) => file.value = Some(Rc::new(*value)),
        Done::Refused { message } => file.refused = message,
        _ => {}
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

/// Handles the end of a load, successful or not. Afterwards, no run waits for a file.
pub fn settled(state: &mut State, is_loaded: bool) {
    if state.ui.file.wanted.is_some() {
        let ui = state.ui_mut();
        ui.file.wanted = None;
        if is_loaded && ui.dialog == Some(Dialog::File) {
            ui.dialog = None;
        }
    }
}

/// Forgets the file because the engine that stored it was replaced or stopped.
pub fn engine_left(state: &mut State) {
    if state.ui.file != FilePanel::default() {
        state.ui_mut().file = FilePanel::default();
    }
}
