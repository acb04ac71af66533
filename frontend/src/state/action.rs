//! The one closed list of things that can happen to the page.
//!
//! Buttons, the terminal, shortcuts, links and `window.watchglass` all speak these words, so that
//! whatever one of them can do the others can do too.

use watchglass_engine::session::latency::lab::FromLab;
use watchglass_engine::session::protocol::{Act, FromEngine, LessonAct, SeekTo, Source};
use watchglass_engine::view::{CacheQuery, IndexQuery, LaneOrder, StorageQuery, WatchQuery};

use super::file::FileAct;
use super::lab::LabAct;
use super::playback::Speed;
use super::ui::{Axis, CacheTab, Dialog, KeySpan, Notice, Panel, Theme, View};
use crate::host::Failure;
use crate::keep::{Found, RunCard, RunId, Wanted};

/// An event, or a request of the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    // --- From the engine -------------------------------------------------------------------
    /// A message of the engine.
    Engine(FromEngine),
    /// The engine is gone, or there is none; why.
    HostFailed(Failure),
    /// The engine owes an answer and sends nothing (true), or sends again (false).
    HostSilent(bool),
    /// The text that [`super::Effect::Fetch`] named is here, or why it is not.
    Fetched {
        /// The name.
        name: String,
        /// The text.
        text: Result<String, String>,
    },
    /// The page starts, with an engine and this run.
    Begin(Wanted),

    /// Start a fresh engine with the current run, or with the one that was to be opened.
    TryAgain,
    /// Start a fresh engine with the opening story from its start; the current run stays among the kept ones.
    RestartWithStory,

    // --- Runs ------------------------------------------------------------------------------
    /// Open the kept run of that source, or else the source; the place is where its cursor then stands.
    Open(Source, SeekTo),
    /// Open what the address names.
    Follow(Wanted),
    /// Open a kept run.
    OpenRun {
        /// The run.
        id: RunId,
        /// Open the run even if an earlier attempt failed.
        is_forced: bool,
    },
    /// Storage has answered [`crate::keep::Keep::Find`].
    Found {
        /// The number of the question.
        number: u32,
        /// The run found in storage.
        found: Found,
    },
    /// The kept runs, the newest first.
    Runs(Vec<RunCard>),
    /// Another page has taken this run over.
    RunTaken(RunId),
    /// A run could not be deleted.
    RunNotDeleted,
    /// Give a kept run a name; an empty one gives it its title back.
    NameRun {
        /// The run.
        id: RunId,
        /// The name.
        name: String,
    },
    /// Delete a kept run.
    DeleteRun(RunId),
    /// Type the line of that number, which stopped the engine, once more.
    TryAside(u64),
    /// Forget the line of that number, which stopped the engine.
    DropAside(u64),
    /// A file or pasted text is to become a run. Long texts show their progress.
    OpenText(String),
    /// Let the load that reached the limit of steps go on.
    Continue,
    /// Do something with a database file from outside.
    File(FileAct),
    /// Show these pages of the database file.
    Storage(StorageQuery),
    /// Inspects a page of the database file.
    SelectPage(u64),
    /// Shows the bytes of an element of that page.
    SelectElement {
        /// The page.
        page: u64,
        /// The element's place in the list.
        place: u32,
    },
    /// Follows a row from the index to its bytes.
    FollowRow {
        /// The key.
        key: Vec<u8>,
        /// The row's revision, main and sub; `None` for the newest row.
        revision: Option<(i64, i64)>,
    },
    /// Copy a link to the current step.
    CopyLink,
    /// Download the snapshot of that name; without a name the member's database at the cursor.
    SaveSnapshot(String),
    /// Open the source of the current run from its start; the run stays among the kept ones.
    StartOver,
    /// Open the lesson with this name.
    OpenLesson(String),
    /// Do something in the lesson that is under way.
    Lesson(LessonAct),
    /// The browser does not let the page keep how far the learner is.
    ProgressNotKept,
    /// Go to the end of that branch.
    Branch(u32),

    // --- Time ------------------------------------------------------------------------------
    /// Move the cursor there. While one move is under way only the latest wish is kept.
    Seek(SeekTo),
    /// Move by this number of steps, back when negative.
    StepBy(i64),
    /// Move by so many beats, back when negative. The view follows the run.
    BeatBy(i64),
    /// Move to the next or the previous change of the store.
    Marker {
        /// Towards the end of the run.
        forward: bool,
    },
    /// Start or end the presenter mode: large text, no controls.
    Present,
    /// Blank the screen of the presenter mode, or show it again.
    Blank,
    /// Let steps follow one another; from the start when the cursor is at the end.
    Play,
    /// Stop playing.
    Pause,
    /// Start or stop playing.
    TogglePlay,
    /// The timer of that number rang. Stale numbers are ignored.
    Tick(u32),
    /// Set the pace.
    Speed(Speed),
    /// Twice as fast, or half as fast.
    SpeedUp(bool),
    /// The quantity on the timeline's x axis.
    Axis(Axis),

    // --- Looking ---------------------------------------------------------------------------
    /// Put that picture on the stage.
    View(View),
    /// Inspect a key, at one of its revisions or at its newest.
    SelectKey {
        /// The key's bytes.
        key: Vec<u8>,
        /// Main and sub-revision of the row.
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
    /// Look at caches in that way.
    CacheTab(CacheTab),
    /// Ask this of the Cache view.
    CacheQuery(CacheQuery),
    /// Point at these keys in the Index view, or at none.
    Highlight(Option<KeySpan>),
    /// Show only keys that contain this text.
    Filter(String),
    /// Put the lanes of the Index view in this order.
    Order(LaneOrder),
    /// The Index view shows this window now; filter, order and watcher are set from other actions.
    IndexViewport(IndexQuery),
    /// The Watch view shows this window now; its `selected` field is set from
    /// [`Action::SelectWatcher`].
    WatchViewport(WatchQuery),
    /// The width of the timeline's track, in pixels.
    TimelineWidth(u32),
    /// Show older entries of the scrollback too.
    OlderEntries,

    /// Fetch the table of contents, with its terms.
    FetchContents,
    /// Find what begins with this text, or has it in its title: the palette's field.
    Find(String),

    // --- Terminal --------------------------------------------------------------------------
    /// The current text of the line, not yet sent.
    Draft(String),
    /// The same, while the list of completions stays open.
    DraftWithList(String),
    /// Put a line into the prompt, to be looked at and sent.
    Type(String),
    /// Do something to the run, such as what was typed. Restarts belong to lessons.
    Do(Act),
    /// Ctrl-C: forget a half-typed transaction, stop a long run, clear the line.
    Interrupt,
    /// Request completions.
    Complete {
        /// The line.
        line: String,
        /// The cursor position in the line, in bytes.
        cursor: u32,
    },
    /// Close the list of completions.
    CloseCompletions,
    /// Ctrl-L: start the screen after the last entry.
    ClearScreen,
    /// Put the keyboard into the prompt, opening the terminal if need be.
    FocusTerminal,

    // --- Layout ----------------------------------------------------------------------------
    /// Choose the colours.
    Theme(Theme),
    /// Open or close the inspector.
    ToggleInspector,
    /// Open or close the terminal.
    ToggleTerminal,
    /// Set the height of the terminal, in pixels.
    TerminalHeight(u16),
    /// Show this part in the phone's bottom sheet.
    Sheet(Panel),
    /// Make the phone's bottom sheet larger or smaller.
    ToggleSheet,
    /// Open a dialog.
    OpenDialog(Dialog),
    /// Close the dialog.
    CloseDialog,
    /// Put a note at the top.
    Tell(Notice),
    /// Put away the note at the top.
    DismissNotice,
    /// Whether shortcuts of a single character act.
    SingleKeys(bool),

    // --- The latency lab -------------------------------------------------------------------
    /// Do something there.
    Lab(LabAct),
    /// The lab's program sent something.
    LabSaid(FromLab),
    /// The lab's program is gone; why.
    LabFailed(Failure),
    /// The lab's program owes a message and sends nothing (true), or sends again (false).
    LabSilent(bool),

    // --- Housekeeping ----------------------------------------------------------------------
    /// Ask the engine for the text to keep.
    SaveNow,
    /// Saving the run failed; the reason.
    SaveFailed(String),
    /// `window.watchglass` asks; the ticket names the waiting promise.
    Ask {
        /// The promise.
        ticket: u32,
        /// The request.
        ask: Ask,
    },
}

/// A request of a script to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Resolve when the first picture is there.
    Ready,
    /// Run lines; resolves with their output.
    Exec(String),
    /// The state as JSON.
    State,
    /// Move by steps.
    StepBy(i64),
    /// Move to a place.
    Seek(SeekTo),
    /// Start another run.
    Load(Source),
    /// A link to the current step.
    Permalink,
}
