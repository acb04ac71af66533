//! What the reducer wants done outside of itself.

use watchglass_engine::session::latency::lab::ToLab;
use watchglass_engine::session::protocol::{TextReport, ToEngine};

use super::happened::Happened;
use super::prefs::Prefs;
use super::ui::Theme;
use crate::keep::Keep;

/// A side effect in the browser or in the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a message to the engine.
    Send(ToEngine),
    /// Fetch the text with this name; [`super::Action::Fetched`] delivers the text.
    Fetch(String),
    /// Read the next bytes of the file that the store holds, from that byte on.
    ReadFile {
        /// The number of the message that opens the file.
        id: u32,
        /// The first byte.
        from: u64,
    },
    /// Notify the engine once this picture is on the screen.
    SayWhenDrawn {
        /// Whether more are to come; if not nothing has to wait, and no frame is asked for.
        goes_on: bool,
    },
    /// Start a fresh engine; later messages go to the new engine.
    RestartHost,
    /// Send this to the lab's program, which is started if there is none.
    SendLab(ToLab),
    /// End the lab's program.
    EndLab,
    /// Keep the lab's settings over a reload.
    WriteLab(String),
    /// Dispatch [`super::Action::Tick`] with this number after a delay in milliseconds.
    TickIn {
        /// The number.
        number: u32,
        /// The delay.
        ms: u32,
        /// Whether the picture rests for the reader; pointing or typing prolongs the rest.
        is_rest: bool,
    },
    /// Ring with [`super::Action::SaveNow`] when nothing more was asked for a moment.
    SaveSoon,
    /// Do something with kept runs.
    Keep(Keep),
    /// Keep the half-typed line over a reload.
    WriteDraft(String),
    /// Keep how far the learner is with the lessons.
    WriteProgress(String),
    /// Keep the preferences.
    WritePrefs(Prefs),
    /// Put the theme on the document.
    ApplyTheme(Theme),
    /// Put a link into the address bar and on the clipboard.
    CopyLink(String),
    /// Give a run that is too long for a link as a file.
    Download(String),
    /// Give these bytes as a file.
    SaveFile {
        /// The name.
        name: String,
        /// The content.
        bytes: Vec<u8>,
    },
    /// Put the keyboard into the prompt.
    FocusPrompt,
    /// Notify scripts of events.
    Emit(Happened),
    /// Answer a script.
    Reply {
        /// The promise.
        ticket: u32,
        /// The answer.
        reply: ScriptReply,
    },
}

impl Effect {
    /// Whether the effect stores data over a reload, which figures never do.
    pub fn keeps(&self) -> bool {
        matches!(
            self,
            Effect::SaveSoon
                | Effect::Keep(_)
                | Effect::WriteDraft(_)
                | Effect::WriteProgress(_)
                | Effect::WritePrefs(_)
        )
    }
}

/// An answer to a script.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptReply {
    /// The request was completed.
    Done,
    /// A number, e.g. the step reached.
    Number(f64),
    /// `{output, error, exit}`.
    Executed {
        /// Standard output.
        output: String,
        /// Complaints.
        error: String,
        /// The exit code.
        exit: u8,
    },
    /// A link's text, after the `#`.
    Link(String),
    /// A JSON text, to be handed over parsed.
    Json(String),
    /// `{differences, uncompared, skipped}`.
    Loaded(TextReport),
    /// The request was refused.
    Refused(String),
}
