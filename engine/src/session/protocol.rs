//! What crosses the boundary between page and engine: plain data, the same in a worker, in the
//! page itself and in tests.
//!
//! The page says [`ToEngine`]; every message that carries an `id` is answered by exactly one
//! [`FromEngine::Done`] with it. Whenever the picture has changed a [`FromEngine::Views`] follows; to a page that says
//! when it has drawn one ([`ToEngine::Drawn`]) not before that, so that a long run never sends more than is seen.
//! What it asks to see meanwhile comes at once, without all that is not on the stage ([`Views::is_part`]).

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::scenario::SkippedLine;
use crate::view::{FileOverview, LessonCard, Moment, PrefixList, Queries, StoredValue, Views};

pub use crate::etcd::FileIdentity;

/// A message to the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToEngine {
    /// Start a new run. Response: [`Done::Loaded`] or [`Done::Refused`].
    Load {
        /// The answer's number.
        id: u32,
        /// The source of the run.
        source: Source,
        /// The initial position of the cursor.
        at: SeekTo,
    },
    /// Do something to the run. Answered as [`Act`] says.
    Do {
        /// The answer's number.
        id: u32,
        /// The action.
        act: Act,
    },
    /// Forget a half-typed transaction, stop a run that is being loaded, and drop what was typed
    /// and is not done yet.
    Interrupt,
    /// Move the cursor. Answered by [`Done::Moved`].
    Seek {
        /// The answer's number.
        id: u32,
        /// The target.
        to: SeekTo,
    },
    /// Move the cursor by so many steps, back when negative. Answered by [`Done::Moved`].
    StepBy {
        /// The answer's number.
        id: u32,
        /// The distance.
        delta: i64,
    },
    /// Move the cursor by so many beats, back when negative: to the end of the present one first, when it is in the
    /// middle of one and the move is forward. Answered by [`Done::Moved`].
    BeatBy {
        /// The answer's number.
        id: u32,
        /// The distance.
        delta: i64,
    },
    /// Move the cursor on by up to so many steps in its beat; from the end of the beat, to the first step of the next
    /// one. Answered by [`Done::Moved`].
    PlayOn {
        /// The answer's number.
        id: u32,
        /// The maximum number of steps.
        steps: u64,
    },
    /// Go to the end of another branch. Answered by [`Done::Moved`].
    Branch {
        /// The answer's number.
        id: u32,
        /// The number of the branch.
        branch: u32,
    },
    /// Replace the queries. No response, but views follow.
    Show(Queries),
    /// Show another moment, beside the one at the cursor, which stays. Answered by [`Done::Views`].
    Look {
        /// The answer's number.
        id: u32,
        /// The step to show.
        at: Moment,
        /// The queries for that step; the lesson is not included.
        queries: Box<Queries>,
    },
    /// The state as JSON. Answered by [`Done::Text`].
    State {
        /// The answer's number.
        id: u32,
    },
    /// Everything that was typed, as text that [`Source::Saved`] takes. Answered by
    /// [`Done::Text`].
    Save {
        /// The answer's number.
        id: u32,
    },
    /// The run as a link to the moment at hand, what stands behind the `#`. Answered by
    /// [`Done::Text`].
    Link {
        /// The answer's number.
        id: u32,
        /// The visible view, in the page's own format; a link restores the view.
        view: String,
    },
    /// A database file as `snapshot save` writes it. Answered by [`Done::File`] or [`Done::Refused`].
    Snapshot {
        /// The answer's number.
        id: u32,
        /// A snapshot that was saved on this branch; empty for the member's database at the cursor.
        name: String,
    },
    /// List the completions of the command line. Response: [`Done::Completions`].
    Complete {
        /// The answer's number.
        id: u32,
        /// The line.
        line: String,
        /// The cursor position in the line, in bytes.
        cursor: u32,
    },
    /// Do something in the lesson that is under way. Answered as [`LessonAct`] says, or by
    /// [`Done::Refused`].
    Lesson {
        /// The answer's number.
        id: u32,
        /// The action.
        act: LessonAct,
    },
    /// The lessons there are. Answered by [`Done::Lessons`].
    Lessons {
        /// The answer's number.
        id: u32,
    },
    /// Show the picture of a solved lesson. Response: [`Done::Views`].
    Goal {
        /// The answer's number.
        id: u32,
        /// The lesson's name.
        lesson: String,
        /// The queries for the view.
        queries: Queries,
    },
    /// How far the learner is, as the page kept it from [`LessonView::progress`]. Answered by
    /// [`Done::Moved`] or [`Done::Refused`].
    ///
    /// [`LessonView::progress`]: crate::view::LessonView::progress
    Progress {
        /// The answer's number.
        id: u32,
        /// The text.
        text: String,
    },
    /// The last picture is on the screen: the next one may come. Not answered.
    Drawn,
    /// Limits of this session, from now on. Sent once, before the first [`ToEngine::Load`]; without it the session has
    /// the limits of [`Limits::default`]. Not answered.
    Limit(Limits),
    /// Resume the load that [`FromEngine::Paused`] reported, for another [`Limits::load_steps`] steps. Does nothing
    /// when no load is paused. Not answered; the load itself is answered when it ends.
    Continue,
    /// A text that [`FromEngine::Wants`] named, or none when it could not be had. It may come before anything needs it.
    /// Not answered.
    Text {
        /// The name.
        name: String,
        /// The text.
        text: Option<String>,
    },
    /// Open a database file from outside, whose bytes follow. Answered by [`Done::Opened`], [`Done::Refused`] or
    /// [`Done::Interrupted`].
    OpenFile {
        /// The answer's number.
        id: u32,
        /// The name, without folders.
        name: String,
        /// The length in bytes.
        bytes: u64,
    },
    /// The next bytes of the file that is being opened. [`FromEngine::FileProgress`] follows.
    FileBytes(FileChunk),
    /// Give up the file that is being opened, and close the open one. Not answered.
    CloseFile,
    /// A question about the open file. Answered as [`FileAsk`] says, or by [`Done::Refused`].
    AskFile {
        /// The answer's number.
        id: u32,
        /// The question.
        ask: FileAsk,
    },
}

/// A piece of a file. It is written as bytes: as a list of numbers it would take a hundred times as long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChunk(pub Vec<u8>);

impl Serialize for FileChunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for FileChunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AsBytes;
        impl Visitor<'_> for AsBytes {
            type Value = FileChunk;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<FileChunk, E> {
                Ok(FileChunk(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(AsBytes)
    }
}

/// A question about the open file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAsk {
    /// The groups of keys below a prefix. Answered by [`Done::Prefixes`].
    Prefix(Vec<u8>),
    /// The newest value of a key. Answered by [`Done::Value`].
    Value {
        /// The key.
        key: Vec<u8>,
        /// Whether to include the value even if it is a Secret.
        shows_secret: bool,
    },
}

/// The stages of opening a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileStage {
    /// The bytes arrive and are hashed; counted in bytes.
    Reading,
    /// The pages are checked; counted in pages.
    Checking,
    /// The rows are counted; counted in pages.
    Summing,
}

/// The limits of a session, after which it stops the running command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of memory that all branches of the run may take together. A command that reaches the limit stops with a
    /// sentence, keeps what it has done, and commands that make the run grow are refused from then on. A load that
    /// needs more is answered by [`Done::Refused`].
    pub memory_bytes: u64,
    /// Steps after which a load pauses ([`FromEngine::Paused`]); `None` for a load that never pauses.
    pub load_steps: Option<u64>,
    /// Steps after which a typed command stops with a sentence. A replay of the run stops it at the same step.
    pub command_steps: u64,
}

impl Limits {
    /// Limits of the app: 1 GiB, a million steps for each command, and loads do not pause.
    pub const APP: Self = Self {
        memory_bytes: 1 << 30,
        load_steps: None,
        command_steps: 1_000_000,
    };
    /// Limits of a figure in another page, which shares the memory of that page's renderer: 256 MiB,
    /// 200,000 steps for each command, and a load pauses every 20,000 steps.
    pub const FIGURE: Self = Self {
        memory_bytes: 256 << 20,
        load_steps: Some(20_000),
        command_steps: 200_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::APP
    }
}

/// Something that a person does to a run; the page's journal keeps it until the run is saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Type text into the terminal: one command, or several lines. Answered by [`Done::Executed`].
    Type(String),
    /// Take back what was typed last, or the last reset. Answered by [`Done::Moved`] or [`Done::Refused`].
    Undo,
    /// Restart the part of the lesson: the run is as it was when one came to it. Answered by [`Done::Moved`] or
    /// [`Done::Refused`], like the two below.
    ResetPart,
    /// Restart the lesson from a part that the learner has reached, counted from 0: the run is as it was then.
    ResetFrom(u32),
    /// Restart the lesson from its stated start.
    Reset,
}

/// What a learner does in a lesson besides typing commands. Answered by [`Done::Moved`] where
/// nothing else is said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LessonAct {
    /// Go on to the next part.
    Next,
    /// Go back to the part before; the run stays as it is.
    Back,
    /// Show a part that has begun, counted from 0; the run stays as it is.
    Part(u32),
    /// Type the next command of the part. Answered by [`Done::Executed`].
    Type,
    /// Predict. Only the first prediction counts.
    Answer(String),
    /// Show one more hint.
    Hint,
    /// The commands that solve the task, to be read or typed. Answered by [`Done::Text`].
    Solution,
    /// The run without its lesson, to continue in the sandbox. Answered by [`Done::Text`], a text for
    /// [`Source::Saved`].
    Leave,
}

/// The source of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    /// A built-in story, by name.
    Story(String),
    /// An empty store.
    Empty {
        /// `3.6` or `3.4`.
        profile: String,
        /// The seed.
        seed: u64,
    },
    /// A scenario file, or a shell transcript with or without its outputs.
    Text(String),
    /// The result of [`ToEngine::Save`].
    Saved(String),
    /// The result of [`ToEngine::Link`].
    Link(String),
    /// A lesson that comes with the engine, by name; its stated start.
    Lesson(String),
    /// A database file from outside. When it is not open the engine asks for it ([`FromEngine::WantsFile`]).
    Snapshot {
        /// Which file.
        file: FileIdentity,
        /// The etcd version: `3.6` or `3.4`.
        profile: String,
    },
}

/// A place in the run. Whatever lies outside is clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeekTo {
    /// After this number of steps.
    Step(u64),
    /// The last step at or before this simulated time, in microseconds.
    TimeUs(u64),
    /// The first step at which the store has reached this revision.
    Revision(i64),
    /// The last step.
    End,
    /// The saved position, or the start (for [`ToEngine::Load`]).
    Default,
    /// The last step of this beat, from 1; 0 is the start.
    Beat(u64),
}

/// A message from the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromEngine {
    /// The answer to the message of that number.
    Done {
        /// The number.
        id: u32,
        /// The answer.
        done: Done,
    },
    /// The picture has changed.
    Views(Box<Views>),
    /// The progress of a long run, in commands.
    Progress {
        /// The id of the message.
        id: u32,
        /// Commands that are done.
        done: u64,
        /// The number of known commands, including the running command.
        total: u64,
        /// The command that is running, when it takes more than one slice.
        running: Option<RunningCommand>,
    },
    /// A load has reached [`Limits::load_steps`] and waits for [`ToEngine::Continue`]; [`ToEngine::Interrupt`] or
    /// another [`ToEngine::Load`] ends it with [`Done::Interrupted`]. Messages that arrive meanwhile wait for it.
    Paused {
        /// The load.
        id: u32,
        /// The number of steps so far.
        steps: u64,
        /// Commands that are done.
        done: u64,
        /// Commands that are known so far.
        total: u64,
    },
    /// A message waits for the text of a story or a lesson: [`ToEngine::Text`] brings it.
    Wants {
        /// The path of the text's file, without its end, such as `lessons/L01`.
        name: String,
    },
    /// The progress of the file that is being opened.
    FileProgress {
        /// The id of the message.
        id: u32,
        /// The current stage.
        stage: FileStage,
        /// The finished part of `total`.
        done: u64,
        /// The total amount of work.
        total: u64,
    },
    /// A load waits for a file: opening it ([`ToEngine::OpenFile`]) lets the load go on, another load or
    /// [`ToEngine::Interrupt`] ends the load.
    WantsFile {
        /// Which file.
        file: FileIdentity,
        /// The name of the file that was opened instead, whose content is another.
        other: Option<String>,
    },
}

/// The progress of a command that takes more than one slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningCommand {
    /// The command line, cut to one short line.
    pub text: String,
    /// The number of steps so far.
    pub steps: u64,
    /// The finished part of `total`, in `unit`.
    pub done: u64,
    /// What there is to do; 0 when nobody knows, as for a request that waits for its response.
    pub total: u64,
    /// The unit of `done` and `total`.
    pub unit: ProgressUnit,
}

/// The units of a command's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgressUnit {
    /// Microseconds of simulated time.
    SimulatedUs,
    /// Steps.
    Steps,
    /// Commands of the line that is being read.
    Commands,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Done {
    /// The run is there.
    Loaded {
        /// The report about the lines of a text.
        text: TextReport,
        /// What was looked at when the link was made, or what a lesson is about, in the page's own
        /// words; empty without one.
        view: String,
    },
    /// The text could not be used; the run is as it was.
    Refused {
        /// The error, its place, and how to correct it.
        message: String,
    },
    /// The text of that name could not be had; the run is as it was.
    Absent {
        /// The name, as in [`FromEngine::Wants`].
        name: String,
    },
    /// The typed text was executed or refused.
    Executed(Executed),
    /// The cursor moved.
    Moved {
        /// The step.
        step: u64,
    },
    /// A text.
    Text(String),
    /// A file.
    File {
        /// The name.
        name: String,
        /// The content.
        bytes: Vec<u8>,
    },
    /// The lessons there are, in the order in which they are taught.
    Lessons(Vec<LessonCard>),
    /// What was asked to be shown: a moment of the run, or a solved lesson.
    Views(Box<Views>),
    /// Completions.
    Completions {
        /// The start of the completed word in the line, in bytes.
        start: u32,
        /// The candidates with a few words on each.
        items: Vec<(String, String)>,
    },
    /// The file is open.
    Opened(Box<FileOverview>),
    /// Groups of keys of the open file.
    Prefixes(PrefixList),
    /// A value of the open file.
    Value(Box<StoredValue>),
    /// The command was interrupted; finished steps stay.
    Interrupted,
}

/// The report about the lines of a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextReport {
    /// The number of differences between expected and actual outputs.
    pub differences: u64,
    /// How many outputs were not compared: of commands with a pipe, and of watches, whose events come from elsewhere.
    pub uncompared: u64,
    /// The number of skipped lines.
    pub skipped: u64,
    /// The first skipped lines.
    pub first_skipped: Vec<SkippedLine>,
}

/// The result of typed text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Executed {
    /// Standard output of all commands together; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// The error output.
    pub stderr: String,
    /// The last exit code.
    pub exit: u8,
    /// The prompt, when the command needs more lines (the blocks of a transaction).
    pub more: Option<String>,
    /// Whether the command started a new branch.
    pub branched: bool,
}
