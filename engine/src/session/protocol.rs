//! The messages between page and engine: plain data, the same in a worker, in the page itself and in tests.
//!
//! As in the Language Server Protocol, the page sends requests, which have an id and get exactly one response with the
//! same id ([`FromEngine::Done`]), and notifications, which get none. After each change of the displayed state, the
//! engine sends [`FromEngine::Views`], which the page draws.
//!
//! The page can acknowledge the views that it has drawn ([`Notification::Drawn`]). The engine then waits for the
//! acknowledgement before it sends the next views, so a long run never sends more views than the page can draw. If the
//! page sends new queries during that wait, the engine immediately sends the views in the main area of the page,
//! without the other views ([`Views::is_part`]).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::scenario::SkippedLine;
use crate::view::file::comparison::{ComparisonQuery, ComparisonView, ValueDifference};
use crate::view::file::key_list::{KeyFilter, KeyList, KeyListQuery};
use crate::view::file::maintenance::{MaintenanceQuery, MaintenanceStage, MaintenanceView};
use crate::view::odds::{Ending, EndingsView, Known, NemesisView, OddsView};
use crate::view::{
    BranchesView, FileOverview, LessonCard, Moment, PrefixList, QosComparisonView, Queries,
    StoredValue, Views,
};

pub use crate::etcd::FileIdentity;
pub use crate::mvcc::Revision;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToEngine {
    /// A request with its id. The engine responds with exactly one [`FromEngine::Done`] with the same id.
    Request(u32, Request),
    /// A message without a response.
    Notification(Notification),
}

impl From<Notification> for ToEngine {
    fn from(notification: Notification) -> Self {
        Self::Notification(notification)
    }
}

/// A request. Unless the variant names another response, the response is [`Done::Moved`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Start a new run. Response: [`Done::Loaded`] or [`Done::Refused`].
    Load {
        source: Source,
        /// The initial position of the cursor.
        at: SeekTo,
    },
    /// Perform an action on the run. The response depends on the action; see [`Act`].
    Act(Act),
    Move(Move),
    /// Read from the run, which does not change.
    Read(Read),
    /// Replay the run up to the cursor twice, with and without the QoS rules, and compare both runs. Other work runs
    /// first. Response: [`Done::Qos`], or [`Done::Interrupted`] after [`Notification::StopBackground`], another request
    /// that runs in the background, or the load of another run.
    CompareQos,
    /// Search the run up to the cursor for endings that occurred: for this condition, or for all endings without a
    /// condition. Other work runs first. Response: [`Done::Endings`], [`Done::Refused`], or [`Done::Interrupted`] as
    /// for [`Request::CompareQos`].
    SearchEndings {
        condition: Option<String>,
    },
    /// Repeat the run from a step on, once for each seed, and count the replays in which the ending occurs. Other work
    /// runs first. Response: [`Done::Odds`], [`Done::Refused`], or [`Done::Interrupted`] as for
    /// [`Request::CompareQos`].
    Repeat {
        ending: Ending,
        step: u64,
        /// The step up to which the commands of the run are repeated.
        until: u64,
        seeds: Range<u64>,
        /// Whether each replay leaves out some of the later commands.
        leaves_out: bool,
    },
    /// Type random commands after the cursor, on copies of the run, once for each seed, until one of these endings
    /// occurs; then leave out the commands that are not needed for it. The run does not change. Other work runs first.
    /// Response: [`Done::Nemesis`], [`Done::Refused`], or [`Done::Interrupted`] as for [`Request::CompareQos`].
    TryRandom {
        endings: Vec<Ending>,
        /// The known bugs whose breaches of guarantees are ignored.
        ignored: Vec<Known>,
        seeds: Range<u64>,
    },
    /// Return the run of the current branch, from its start to the cursor, as a file for another program. Other work
    /// runs first. Response: [`Done::File`], [`Done::Refused`] if the file would be too large, or
    /// [`Done::Interrupted`] as for [`Request::CompareQos`].
    Export(ExportForm),
    /// Check the text of a lesson: play the lesson with its solutions, ways and wrong turns. Other work runs first. The
    /// current run does not change. Response: [`Done::LessonCheck`], or [`Done::Interrupted`] after another such
    /// request.
    Rehearse(String),
    /// Start a run of a lesson's text at one of its parts, counted from 0, as if a learner had typed the commands of
    /// the parts before. The learner's progress does not change. Response: [`Done::Loaded`] or [`Done::Refused`].
    Preview {
        text: String,
        part: u32,
    },
    /// Perform an action in the current lesson. Response: [`Done::Refused`], or the response that [`LessonAct`] names.
    Lesson(LessonAct),
    /// Return the list of lessons. Response: [`Done::Lessons`].
    Lessons,
    /// Show the run in the state that a lesson describes as its goal. Response: [`Done::Views`].
    Goal {
        lesson: String,
        /// The queries that select the views of the goal state.
        queries: Box<Queries>,
    },
    /// Restore the learner's progress from the text that the page stored from [`LessonView::progress`]. Response:
    /// [`Done::Moved`] or [`Done::Refused`].
    ///
    /// [`LessonView::progress`]: crate::view::LessonView::progress
    Progress(String),
    /// Open the database file from the user's computer that the host has handed over with [`Session::offer_file`]. The
    /// engine sends [`FromEngine::FileProgress`]. Response: [`Done::Opened`], [`Done::Refused`] or
    /// [`Done::Interrupted`].
    ///
    /// [`Session::offer_file`]: super::Session::offer_file
    OpenFile {
        /// The name of the file, without its folders.
        name: String,
        role: FileRole,
    },
    /// A question about the open file. Response: [`Done::Refused`], or the response that [`FileAsk`] names.
    AskFile(FileAsk),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Move {
    To(SeekTo),
    /// Moves by a number of steps, backwards if negative.
    BySteps(i64),
    /// Moves by a number of beats, backwards if negative. From the middle of a beat, the
    /// first move forward leads to the end of that beat.
    ByBeats(i64),
    /// Moves forward by up to this number of steps within the current beat, or from the end of the beat to the first
    /// step of the next beat.
    PlayOn(u64),
    /// Moves to the end of the branch with this number.
    ToBranch(u32),
}

/// A request that reads from the run and does not change it. The engine answers it before pending commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Read {
    /// Compare the ends of two branches, which have these numbers. Response: [`Done::Branches`].
    CompareBranches([u32; 2]),
    /// Return the views of another step. Response: [`Done::Views`].
    Look {
        at: Moment,
        /// The queries that select the views of that step. The views do not include the lesson.
        queries: Box<Queries>,
    },
    /// Return the commands of the branch up to the cursor, as a text that repeats them on a new store of this etcd
    /// version. Response: [`Done::Text`].
    Commands { profile: String },
    /// Return the state of the world at the cursor as JSON. Response: [`Done::Text`].
    State,
    /// Return the run as a text from which [`Source::Saved`] loads the run again. Response: [`Done::Text`].
    Save,
    /// Return a link to the current step: the text after the `#`. Response: [`Done::Text`].
    Link {
        /// The visible view, in the page's own format. Opening the link shows this view again.
        view: String,
    },
    /// Return a database file as `snapshot save` writes it. Response: [`Done::File`] or [`Done::Refused`].
    Snapshot {
        /// The name of a snapshot saved on this branch; empty for the member's database at the cursor.
        name: String,
    },
    /// Return the request of an etcdctl command for the JSON gateway of a real etcd, as JSON. Response: [`Done::Text`]
    /// or [`Done::Refused`].
    EtcdRequest { line: String },
    /// Compare the response of a real etcd with the last response of the run, which has executed the same command. The
    /// result is JSON. Response: [`Done::Text`] or [`Done::Refused`].
    EtcdResponse {
        line: String,
        /// The JSON of the gateway, which also reports an error as JSON.
        response: String,
    },
    /// List the completions of the command line. Response: [`Done::Completions`].
    Complete {
        line: String,
        /// The cursor position in the line, in bytes.
        cursor: u32,
    },
}

/// A message to the engine without a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Notification {
    /// Discard a half-typed transaction, stop the running command or load, and drop typed commands that have not
    /// started.
    Interrupt,
    /// Cancel the work in the background: a comparison with and without the QoS rules, or replays of the run.
    StopBackground,
    /// Replace the queries, which select the views that the engine sends. The engine sends the new views.
    Show(Box<Queries>),
    /// Acknowledge the last [`FromEngine::Views`]: the page has drawn these views, and the engine may send the next
    /// views.
    Drawn,
    /// Set the limits of this session. The page sends this message once, before the first [`Request::Load`]. Without
    /// the message, the session has the limits of [`Limits::default`].
    Limit(Limits),
    /// Resume the load that [`FromEngine::Paused`] reported. The load pauses again after another [`Limits::load_steps`]
    /// steps. Does nothing if no load is paused.
    Continue,
    /// The text that [`FromEngine::Wants`] named, or `None` if the page cannot fetch the text. The page may send a text
    /// before the engine asks for it.
    Text {
        name: String,
        /// The text; `None` if the page cannot fetch it.
        text: Option<String>,
    },
    /// Cancel the file that is being opened, and close the open file and the other file.
    CloseFile,
    /// Cancel the comparison, or the file that is being opened for it, and close the other file.
    StopComparison,
    /// Cancel the prediction of a maintenance plan.
    StopMaintenance,
}

/// The form of an exported run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportForm {
    /// A shell script of the commands with their outputs, which compares the outputs with those of a real etcd.
    EtcdctlScript,
    /// The events of the trace, each as a JSON object in a line of its own.
    TraceLines,
    /// The trace in Chrome's Trace Event Format, for Perfetto.
    Perfetto,
}

impl Request {
    /// Returns the request to show a database file with this name.
    pub fn show_file(name: &str) -> Self {
        Self::OpenFile {
            name: name.to_owned(),
            role: FileRole::Shown,
        }
    }
}

/// What a database file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileRole {
    /// The file is shown, and a run can start on it. It replaces the open file, and closes the other file.
    Shown,
    /// The state of the file is compared with the open file. It replaces the other file.
    Other,
}

/// A question about the open file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAsk {
    /// Read the file again, and decrypt the values of API servers with these keys: a key in base64, or the text of an
    /// `EncryptionConfiguration`. Response: [`Done::Opened`].
    Decrypt { keys: String },
    /// Return the keys below a prefix, in groups. Response: [`Done::Prefixes`].
    Prefix(Vec<u8>),
    /// Return a value of a key. Response: [`Done::Value`].
    Value {
        key: Vec<u8>,
        /// The revision of the value; `None` for the last value.
        at: Option<Revision>,
        /// Whether to return the value even if it contains a Kubernetes Secret.
        shows_secret: bool,
    },
    /// Return a value of a key as a file. Response: [`Done::File`].
    SaveValue {
        key: Vec<u8>,
        at: Option<Revision>,
        form: ValueForm,
    },
    /// Search the keys. Replaces an earlier search that is not finished. Response: [`Done::Keys`] or
    /// [`Done::Interrupted`].
    Keys(KeyListQuery),
    /// Return all keys that match as a file of comma-separated values. Response: [`Done::File`].
    SaveTable(KeyFilter),
    /// Return a script that puts the last value of each key that matches. Response: [`Done::File`].
    SaveScript(KeyFilter),
    /// Predict the sizes of the database after a maintenance plan. Replaces an earlier prediction that is not finished.
    /// Response: [`Done::Maintenance`], or [`Done::Interrupted`].
    Maintenance(MaintenanceQuery),
    /// Compare the open file with the other file, or two revisions of the open file. Replaces an earlier comparison
    /// that is not finished. Response: [`Done::Comparison`] or [`Done::Interrupted`].
    Compare(ComparisonQuery),
    /// Return all changed keys that match as a file of comma-separated values. Replaces an earlier comparison that is
    /// not finished. Response: [`Done::File`] or [`Done::Interrupted`].
    SaveComparison(ComparisonQuery),
    /// Return how the values of a key differ in the states that were compared last. Response: [`Done::Difference`].
    Difference {
        key: Vec<u8>,
        /// Whether to return the values even if they contain a Kubernetes Secret.
        shows_secret: bool,
    },
}

/// The form in which a value is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueForm {
    /// The bytes of the value.
    Bytes,
    /// An object of Kubernetes as JSON, for `kubectl apply`.
    Json,
    /// The same object as YAML.
    Yaml,
    /// A script with `etcdctl put`.
    Script,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileStage {
    /// The page unpacks a compressed file before it opens the file; progress in compressed bytes.
    Unpacking,
    /// The engine reads and hashes the bytes; progress in bytes.
    Reading,
    /// The engine checks the pages and reads their rows; progress in pages.
    Checking,
    /// The pages are checked, and the engine reads the last rows; progress in branch and leaf pages.
    Summing,
    /// The engine predicts the sizes after a maintenance plan.
    Maintenance(MaintenanceStage),
    /// The engine compares two states; progress in keys and rows.
    Comparing,
}

/// The limits of a session. When a limit is reached, a command stops, and a load pauses or is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The maximum memory of all branches of the run together, in bytes. A command that reaches the limit stops with an
    /// error message, and its finished steps stay. From then on, commands that make the run grow are refused. A load
    /// that needs more memory gets [`Done::Refused`].
    pub memory_bytes: u64,
    /// The number of steps after which a load pauses (see [`FromEngine::Paused`]); `None` if loads never pause.
    pub load_steps: Option<u64>,
    /// The number of steps after which a typed command stops with an error message. A replay of the run stops the
    /// command at the same step.
    pub command_steps: u64,
}

impl Limits {
    /// The limits of the app: 1 GiB, a million steps per command, and loads that never pause.
    pub const APP: Self = Self {
        memory_bytes: 1 << 30,
        load_steps: None,
        command_steps: 1_000_000,
    };
    /// The limits of a figure: a simulator that is embedded in another page and shares the memory of that page's
    /// renderer. 256 MiB, 200,000 steps per command, and loads that pause every 60,000 steps, which is more than any
    /// run of the site has.
    pub const FIGURE: Self = Self {
        memory_bytes: 256 << 20,
        load_steps: Some(60_000),
        command_steps: 200_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::APP
    }
}

/// An action of a person on a run. The page stores the action in its journal until the run is saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Type a text into the terminal. The text is one command or several lines. Response: [`Done::Executed`].
    Type(String),
    /// Undo the last typed text or the last restart. Response: [`Done::Moved`] or [`Done::Refused`].
    Undo,
    /// Restart the displayed part of the lesson: the run returns to its state at the start of the part. Response:
    /// [`Done::Moved`] or [`Done::Refused`].
    ResetPart,
    /// Restart the lesson from a started part, counted from 0: the run returns to its state at the start of that part.
    /// Response: [`Done::Moved`] or [`Done::Refused`].
    ResetFrom(u32),
    /// Restart the whole lesson. Response: [`Done::Moved`] or [`Done::Refused`].
    Reset,
}

/// An action of a learner in a lesson, besides typing commands. Response: [`Done::Moved`], unless the variant names
/// another response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LessonAct {
    Next,
    /// Go back to the previous part; the run does not change.
    Back,
    /// Show a started part, counted from 0; the run does not change.
    Part(u32),
    /// Type the next command of the part. Response: [`Done::Executed`].
    Type,
    /// Submit a prediction of the result. Only the first prediction for a question counts.
    Answer(String),
    /// Show one more hint.
    Hint,
    /// Return the commands that solve the task. Response: [`Done::Text`].
    Solution,
    /// Return the run without its lesson, to continue in the sandbox. Response: [`Done::Text`] with a text for
    /// [`Source::Saved`].
    Leave,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    /// A published story, by name.
    Story(String),
    Empty {
        /// The etcd version, such as `3.6`.
        profile: String,
        seed: u64,
    },
    /// A scenario file, or a shell transcript with or without its outputs.
    Text(String),
    /// A saved run: the text that [`Read::Save`] returned.
    Saved(String),
    /// A link to a step of a run: the text that [`Read::Link`] returned.
    Link(String),
    /// A published lesson, by name. The run begins at the start of the lesson.
    Lesson(String),
    /// A database file from the user's computer. If the file is not open, the engine asks for it
    /// ([`FromEngine::WantsFile`]).
    Snapshot {
        file: FileIdentity,
        /// The etcd version, such as `3.6`.
        profile: String,
    },
}

/// A target for the cursor. Targets outside the run are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeekTo {
    /// The position after this number of steps.
    Step(u64),
    /// The last step at or before this simulated time, in microseconds.
    TimeUs(u64),
    /// The first step at which the store has reached this revision.
    Revision(i64),
    End,
    /// The position that the saved run or the link contains; without such a position, the start of the run. Used for
    /// [`Request::Load`].
    Default,
    /// The last step of the beat with this number, counted from 1; 0 is the start of the run.
    Beat(u64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromEngine {
    /// The response to the message that had this id.
    Done { id: u32, done: Done },
    /// The current views, after a change of the displayed state.
    Views(Box<Views>),
    /// The progress of a long load or command, as a count of commands.
    Progress {
        id: u32,
        /// The number of finished commands of the load or of the typed text.
        done: u64,
        /// The total number of commands that are known so far, including the running command. Reading further lines can
        /// increase this number.
        total: u64,
        /// The running command, if it takes more than one slice.
        running: Option<RunningCommand>,
    },
    /// A load has made [`Limits::load_steps`] steps and waits for [`Notification::Continue`].
    /// [`Notification::Interrupt`] or another [`Request::Load`] ends the load with [`Done::Interrupted`]. While the
    /// load is paused, later messages wait.
    Paused {
        id: u32,
        /// The number of steps that the load has made.
        steps: u64,
        /// The number of finished commands.
        done: u64,
        /// The total number of commands that are known so far. Reading further lines can increase this number.
        total: u64,
    },
    /// A message waits for the text of a story or lesson. The page sends the text with [`Notification::Text`].
    Wants {
        /// The path of the text's file without its extension, such as `lessons/L01`.
        name: String,
    },
    /// The progress of the file that is being opened, or of the prediction of a maintenance plan.
    FileProgress {
        id: u32,
        stage: FileStage,
        /// The amount of work that is finished, in the unit of `stage`.
        done: u64,
        /// The total amount of work in this stage, in the unit of `stage`.
        total: u64,
    },
    /// A load waits for a file. The load continues once the file is open ([`Request::OpenFile`]); another load or
    /// [`Notification::Interrupt`] cancels the waiting load.
    WantsFile {
        file: FileIdentity,
        /// The name of the file that was opened, if the content of this file differs from `file`.
        other: Option<String>,
    },
}

/// The progress of a command that takes more than one slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningCommand {
    /// The command line, cut to one short line; empty while the lines of a text are parsed.
    pub text: String,
    /// The number of steps that the command has made.
    pub steps: u64,
    /// The amount of work that is finished, in `unit`.
    pub done: u64,
    /// The total amount of work; 0 if unknown, as for a request that waits for its response.
    pub total: u64,
    /// The unit of the fields `done` and `total`.
    pub unit: ProgressUnit,
}

/// The units of a command's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgressUnit {
    SimulatedUs,
    Steps,
    /// Commands of the typed line, while the engine parses this line.
    Commands,
    /// Lines of a text, while the engine parses the text.
    Lines,
}

/// The response to a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Done {
    Loaded {
        /// Statistics about the lines of the text from which the run was loaded.
        text: TextReport,
        /// The view that the link or the lesson opens, in the page's own format; empty if there is none.
        view: String,
    },
    /// The engine refused the message. The run has not changed.
    Refused {
        /// An error message that states the error, its position, and the correction.
        message: String,
    },
    /// The page could not fetch a text that the message needs. The run has not changed.
    Absent {
        /// The name of the missing text, as in [`FromEngine::Wants`].
        name: String,
    },
    /// The typed text was executed, or refused with an error message.
    Executed(Executed),
    Moved {
        /// The step at the new position of the cursor.
        step: u64,
    },
    Text(String),
    File {
        name: String,
        bytes: Vec<u8>,
    },
    LessonCheck(LessonCheck),
    /// All lessons, in teaching order.
    Lessons(Vec<LessonCard>),
    /// The views of a step of the run, or of the goal of a lesson.
    Views(Box<Views>),
    Branches(Box<BranchesView>),
    /// The comparison of the run with and without the QoS rules.
    Qos(Box<QosComparisonView>),
    Endings(EndingsView),
    Odds(Box<OddsView>),
    Nemesis(Box<NemesisView>),
    /// The completions of a word in the command line.
    Completions {
        /// The start of the word to complete: its position in the line, in bytes.
        start: u32,
        /// The possible completions, each with a short description.
        items: Vec<(String, String)>,
    },
    Opened(Box<FileOverview>),
    /// The groups of keys below a prefix in the open file.
    Prefixes(PrefixList),
    /// A value of a key in the open file.
    Value(Box<StoredValue>),
    /// The keys of the open file that match a query.
    Keys(Box<KeyList>),
    /// The sizes of the open file after each step of a maintenance plan.
    Maintenance(Box<MaintenanceView>),
    /// The changes from one state to another.
    Comparison(Box<ComparisonView>),
    /// The values of a key in the two compared states.
    Difference(Box<ValueDifference>),
    /// The work was interrupted. The steps that a command had finished remain in the run.
    Interrupted,
}

/// The result of the check of a lesson's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonCheck {
    /// The faults; empty if the lesson passes its check.
    pub faults: Vec<Fault>,
    /// The first line of each part. Empty if the lesson cannot be shown, because its text is invalid or one of its
    /// commands does not end.
    pub parts: Vec<u32>,
    /// A link that contains the text: the text after the `#`. Empty if the lesson cannot be shown.
    pub link: String,
}

/// A fault that the check of a lesson found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The line of the lesson's text, counted from 1.
    pub line: u32,
    /// What was expected, what the run shows, and what to change.
    pub text: String,
}

/// Statistics about the lines of a loaded text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextReport {
    /// The number of outputs of the transcript that were compared with the simulator's outputs.
    pub compared: u64,
    /// The number of differences between expected and actual outputs.
    pub differences: u64,
    /// The first entries whose outputs differ, in the order of the run.
    pub differing: Vec<DifferingEntry>,
    /// Notes for the reader about parts of the text that the simulator runs differently from a real cluster.
    pub notes: Vec<String>,
    /// The number of outputs that were not compared. These are outputs of commands with a pipe, and outputs of watches,
    /// which depend on other clients.
    pub uncompared: u64,
    /// The number of lines that the simulator did not run.
    pub skipped: u64,
    /// The number of lines that the simulator did not run and that would change the store.
    pub skipped_writes: u64,
    /// The first skipped lines, with the reasons.
    pub first_skipped: Vec<SkippedLine>,
}

/// An entry of the terminal whose output differs from the transcript.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DifferingEntry {
    /// The number of the entry in the run.
    pub entry: u64,
    /// The number of the step in which the command's response arrived.
    pub step: u64,
}

/// The result of typed text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Executed {
    /// The standard output of all commands together. Bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// The error output of all commands together. Bytes that are not UTF-8 are replaced.
    pub stderr: String,
    /// The exit code of the last command.
    pub exit: u8,
    /// The prompt for the next line, if the command needs more lines (the blocks of a transaction).
    pub more: Option<String>,
    pub branched: bool,
}
