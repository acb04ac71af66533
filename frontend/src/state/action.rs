//! The closed list of everything that can happen to the page.
//!
//! Buttons, the terminal, shortcuts, links and `window.watchglass` all dispatch these actions, so each of them can
//! trigger every action.

use watchglass_engine::session::latency::lab::FromLab;
use watchglass_engine::session::protocol::{
    Act, ExportForm, FromEngine, LessonAct, Move, Read, SeekTo, Source,
};
use watchglass_engine::view::{
    CacheQuery, IndexQuery, LaneOrder, QosQuery, StorageQuery, WatchQuery,
};

use super::choices::{Axis, CacheTab, Panel, Picture, PictureFormat, Sharing, Theme, View};
use super::file_panel::FileAct;
use super::lab::LabAct;
use super::nemesis::NemesisAct;
use super::odds::OddsAct;
use super::speed::Speed;
use super::ui::{Dialog, KeySpan, Notice};
use crate::host::Failure;
use crate::keep::{Found, RunCard, RunId, Wanted};

/// An event, or a request of the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Move the cursor, play or pause.
    Playback(PlaybackAct),
    /// Choose a view or what it shows.
    View(ViewAct),
    /// Change the layout.
    Layout(LayoutAct),
    /// Type, or change what the terminal shows.
    Terminal(TerminalAct),
    /// Open, name, save or delete a run.
    Run(RunAct),
    Engine(FromEngine),
    /// The engine stopped or could not start; contains the reason.
    HostFailed(Failure),
    /// Whether the engine is silent. True: a response is due, and the engine has been silent for too long. False: the
    /// engine sends messages again.
    HostSilent(bool),
    /// The result of [`super::Effect::Fetch`]: the text, or the reason why the text is missing.
    Fetched {
        name: String,
        text: Result<String, String>,
    },
    /// Execute an action on a database file that the user chose.
    File(FileAct),
    /// The forward key (true) or the back key (false) of a remote control.
    Page(bool),
    OpenLesson(String),
    /// Execute an action in the current lesson.
    Lesson(LessonAct),
    /// Run the solution of the current task, and go to the next part.
    SkipTask,
    Practice(PracticeAct),
    Author(AuthorAct),
    /// The browser refused to store the learner's progress.
    ProgressNotKept,
    /// Compare the run up to the cursor with and without the QoS rules.
    CompareQos,
    /// Close or cancel the comparison of the run with and without the QoS rules.
    CloseQosComparison,
    /// Search for the moment at which an ending became inevitable.
    Odds(OddsAct),
    Nemesis(NemesisAct),
    /// Fetch the table of contents, with its terms.
    FetchContents,
    /// Search in the palette for entries that match this text.
    Find(String),
    OpenDialog(Dialog),
    CloseDialog,
    Lab(LabAct),
    LabSaid(FromLab),
    /// The Lab's program stopped or could not start; contains the reason.
    LabFailed(Failure),
    /// Whether the Lab's program is silent. True: a response is due, and the Lab's program has been silent for too
    /// long. False: the program sends messages again.
    LabSilent(bool),
    /// A request of `window.watchglass`; the ticket identifies the waiting promise.
    Ask {
        ticket: u32,
        ask: Ask,
    },
}

impl Action {
    /// Returns the action that moves the cursor to a position.
    pub fn seek(to: SeekTo) -> Self {
        Self::Playback(PlaybackAct::Move(Move::To(to)))
    }
}

/// A move of the cursor, or an action on playback.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackAct {
    /// Move the cursor. While a move is pending, only the latest request is remembered. After a move by beats, the view
    /// follows the beats.
    Move(Move),
    /// Move to the next or the previous change of the store.
    Marker {
        /// Whether to move towards the end of the run.
        forward: bool,
    },
    /// Play the steps; starts at the beginning if the cursor is at the end.
    Play,
    Pause,
    TogglePlay,
    /// The timer with this number fired. Stale numbers are ignored.
    Tick(u32),
    Speed(Speed),
    /// Double the playback speed (true) or halve it (false).
    SpeedUp(bool),
}

/// A choice of a view, of what it shows, or of what the inspector shows.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewAct {
    /// Show this window of the database file.
    Storage(StorageQuery),
    /// Inspect a page of the database file.
    SelectPage(u64),
    /// Show the bytes of an element of a page.
    SelectElement {
        page: u64,
        /// The element's index on the page.
        place: u32,
    },
    /// Inspect a key and its row in the database file.
    FollowRow {
        key: Vec<u8>,
        /// The row's revision, main and sub; `None` for the newest row.
        revision: Option<(i64, i64)>,
    },
    /// Set the quantity on the timeline's x axis.
    Axis(Axis),
    Show(View),
    /// Inspect a key at the given revision or at its newest revision.
    SelectKey {
        key: Vec<u8>,
        /// The main and the sub revision of the row.
        revision: Option<(i64, i64)>,
    },
    /// Inspect a watcher, by its number in the store.
    SelectWatcher(u64),
    /// Inspect a message, by its number.
    SelectMessage(u64),
    /// Leave the given number of newest messages out of the Messages view.
    SkipMessages(u64),
    /// Inspect a request to an API server, by its number.
    SelectRequest(u64),
    CacheTab(CacheTab),
    CacheQuery(CacheQuery),
    QosQuery(QosQuery),
    /// Set the time span of the plot in the Cache view, in microseconds; 0 for an automatic choice.
    PlotSpan(u64),
    /// Highlight these keys in the Index view, or none.
    Highlight(Option<KeySpan>),
    /// Show only keys that contain this text.
    Filter(String),
    /// Set the order of the lanes in the Index view.
    Order(LaneOrder),
    /// Record the window that the Index view shows. Other actions set the filter, the order and the watcher.
    IndexViewport(IndexQuery),
    /// Record the window that the Watch view shows. [`ViewAct::SelectWatcher`] sets the window's `selected` field.
    WatchViewport(WatchQuery),
    /// Set the width of the timeline's track, in pixels.
    TimelineWidth(u32),
}

/// A change of the layout of the page.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutAct {
    /// Start or end the presenter mode: large text, no controls.
    Present,
    /// Hide the prompt of presenter mode.
    EndTyping,
    /// Blank the screen of the presenter mode, or show it again.
    Blank,
    Theme(Theme),
    ToggleInspector,
    ToggleTerminal,
    /// Enlarge the terminal because it is in use, or shrink it to three lines.
    TerminalActive(bool),
    /// Set the height of the terminal beside the current view, in pixels.
    TerminalHeight(u16),
    /// Set the width of the inspector beside the current view, in pixels.
    InspectorWidth(u16),
    /// Let the picture fill the window, or show the panels again.
    /// Shows or hides the workbench around a story.
    ToggleWorkbench,
    /// Show this panel in the phone's bottom sheet.
    Sheet(Panel),
    /// Make the phone's bottom sheet larger or smaller.
    ToggleSheet,
    Tell(Notice),
    /// Close the notice at the top.
    DismissNotice,
    /// Switch single-character shortcuts on or off.
    SingleKeys(bool),
}

/// An action in practice, with the local time in minutes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PracticeAct {
    /// Continue today's round.
    Begin(u32),
    /// Show the next exercise, or the summary at the end of the round.
    Next(u32),
    /// Begin another round.
    Again(u32),
    /// Forget all results, and begin another round.
    Forget(u32),
}

/// An action on the page for authors of lessons.
#[derive(Clone, Debug, PartialEq)]
pub enum AuthorAct {
    /// The page starts: start an engine.
    Begin,
    /// The author has paused: check the text, and show the part at the caret.
    Edit {
        text: String,
        /// The line of the caret, counted from 1.
        line: u32,
    },
}

/// An action in the terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum TerminalAct {
    /// Set the number of scrollback entries that fit into the terminal.
    Fits(u32),
    /// Show more of the older entries of the scrollback.
    OlderEntries,
    /// Record the text of the prompt, which is not sent yet. Closes the list of completions.
    Draft(String),
    /// Record the text of the prompt and keep the list of completions open.
    DraftWithList(String),
    /// Put a line into the prompt without sending it.
    Type(String),
    /// Change the run: type a line, undo, or restart a lesson or a part of it.
    Do(Act),
    /// Ctrl-C: discard a half-typed transaction, stop a long run, clear the line.
    Interrupt,
    Complete {
        line: String,
        /// The cursor position in the line, in bytes.
        cursor: u32,
    },
    CloseCompletions,
    /// Ctrl-L: hide all entries before the current one.
    ClearScreen,
    /// Focus the prompt; opens the terminal if necessary.
    Focus,
}

/// An action on the open run or on saved runs.
#[derive(Clone, Debug, PartialEq)]
pub enum RunAct {
    /// The page starts: start an engine and open this run.
    Begin(Wanted),
    /// Start a fresh engine with the current run, or with the run that was about to open when the engine failed.
    TryAgain,
    /// Start a fresh engine with the opening story from its start; the current run stays in the list of saved runs.
    RestartWithStory,
    /// Open the saved run of a source. If there is none, open the source itself, with the cursor at the given position.
    Open(Source, SeekTo),
    /// Open the run that the address names.
    Follow(Wanted),
    OpenSaved {
        id: RunId,
        /// Open the run even if an earlier attempt failed.
        is_forced: bool,
    },
    /// The result of [`crate::keep::Keep::Find`].
    Found {
        number: u32,
        found: Found,
    },
    /// The saved runs, newest first.
    Listed(Vec<RunCard>),
    /// Another page now owns this run.
    Taken(RunId),
    NotDeleted,
    /// Give a saved run a name; an empty name restores the run's title.
    Name {
        id: RunId,
        name: String,
    },
    Delete(RunId),
    /// Run the line with this number again; the line stopped the engine earlier.
    TryAside(u64),
    /// Discard the line with this number, which stopped the engine earlier.
    DropAside(u64),
    /// Remember the text that the user entered in the dialog for a transcript.
    KeepTranscript(String),
    /// Show the next or the previous output that differs from the transcript.
    ShowDifference {
        is_next: bool,
    },
    /// Start a run from a file's content or a pasted text. While a long text loads, the page shows the progress.
    OpenText(String),
    /// Continue the load that reached the limit of steps.
    Continue,
    /// Pass on the current step.
    Share(Sharing),
    /// Download a picture.
    SavePicture(Picture, PictureFormat),
    /// Repeat the commands of the branch as this etcd version on a new branch, and compare both branches.
    RepeatAs(String),
    /// Download the run up to the cursor in this form.
    Export(ExportForm),
    /// Download the snapshot with this name; an empty name means the member's database at the cursor.
    SaveSnapshot(String),
    /// Open the source of the current run from its start; the run stays in the list of saved runs.
    StartOver,
    /// Request the text of the run from the engine, to store it.
    SaveNow,
    /// Saving the run failed; contains the reason.
    SaveFailed(String),
}

/// A request of a script to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Resolve when the first picture is visible.
    Ready,
    /// Run lines; resolves with their output.
    Exec(String),
    /// Read from the run; resolves with the JSON that the engine returns.
    Read(Read),
    Move(Move),
    Load(Source),
    Permalink,
}
