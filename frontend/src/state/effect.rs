//! The side effects that the reducer requests.

use watchglass_engine::session::latency::lab::ToLab;
use watchglass_engine::session::protocol::{TextReport, ToEngine};

use super::choices::{Picture, PictureFormat, Sharing, Theme};
use super::prefs::Prefs;
use crate::keep::Keep;

/// A side effect in the browser or in the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Send(ToEngine),
    /// Fetch the text with this name; [`super::Action::Fetched`] delivers the text.
    Fetch(String),
    /// Hand the database file that the user chose over to the engine, before the message that opens it.
    OfferFile,
    /// Notify the engine when the current picture is on the screen.
    SayWhenDrawn {
        /// Whether the engine waits for the notification before it sends more pictures. If not, the notification is
        /// sent immediately.
        goes_on: bool,
    },
    /// Start a fresh engine; later messages go to the new engine.
    RestartHost,
    /// Send a message to the Lab's program; starts the program if necessary.
    SendLab(ToLab),
    EndLab,
    WriteLab(String),
    /// Dispatch `PlaybackAct::Tick` with this number after a delay in milliseconds.
    TickIn {
        number: u32,
        ms: u32,
        /// Whether the delay is reading time. Pointing or typing prolongs reading time.
        is_rest: bool,
    },
    /// Dispatch `RunAct::SaveNow` after a short delay. Each further effect of this kind restarts the delay.
    SaveSoon,
    /// Carry out an operation on saved runs.
    Keep(Keep),
    /// Store the half-typed line.
    WriteDraft(String),
    /// Store the learner's progress.
    WriteProgress(String),
    /// Store the results of practice.
    WritePractice(String),
    WritePrefs(Prefs),
    ApplyTheme(Theme),
    /// Pass on the current step; the text is the link to it.
    Share(Sharing, String),
    /// Offer a picture as a file for download.
    SavePicture(Picture, PictureFormat),
    /// Offer the run as a file, because the run is too long for a link.
    Download(String),
    /// Offer bytes as a file for download.
    SaveFile {
        name: String,
        bytes: Vec<u8>,
    },
    FocusPrompt,
    /// Notify scripts of events.
    Emit(Happened),
    /// Settle the promise of a script.
    Reply {
        /// The ticket of the promise, a number that identifies the promise.
        ticket: u32,
        reply: ScriptReply,
    },
}

impl Effect {
    /// Returns true if the effect stores data in the browser for the next visit. Figures ignore such effects.
    pub fn keeps(&self) -> bool {
        matches!(
            self,
            Effect::SaveSoon
                | Effect::Keep(_)
                | Effect::WriteDraft(_)
                | Effect::WriteProgress(_)
                | Effect::WritePractice(_)
                | Effect::WritePrefs(_)
                | Effect::WriteLab(_)
        )
    }
}

/// An event for scripts.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// The cursor moved.
    Step {
        /// The step before the cursor.
        step: u64,
        steps: u64,
        /// The number of the beat at the cursor, and the number of all beats.
        beat: u64,
        beats: u64,
        /// The store's revision at the cursor.
        revision: i64,
        /// The simulated time at the cursor, in microseconds.
        time_us: u64,
    },
    /// The run, its branch, its number of steps, the view or the playback state changed.
    Change {
        title: String,
        branch: u32,
        steps: u64,
        view: &'static str,
        playing: bool,
    },
    /// A load in a figure reached the limit of steps and waits for the reader; contains the number of steps.
    Paused(u64),
    /// Something failed; contains the reason.
    Error(String),
    /// The link to the current step was copied.
    LinkCopied(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ScriptReply {
    /// The request was completed.
    Done,
    /// A number, such as the current step.
    Number(f64),
    /// The result of commands: `{output, error, exit}`.
    Executed {
        /// Standard output.
        output: String,
        error: String,
        exit: u8,
    },
    /// The text of a link, without the `#`.
    Link(String),
    /// A JSON text. The script receives the parsed value.
    Json(String),
    /// The result of loading a text: `{differences, uncompared, skipped}`.
    Loaded(TextReport),
    Refused(String),
}
