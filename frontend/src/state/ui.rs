//! The user's choices on this page, and the current state of the page.

use std::collections::BTreeMap;
use std::rc::Rc;

use watchglass_engine::session::practice::Item;
use watchglass_engine::session::protocol::{DifferingEntry, TextReport};
use watchglass_engine::view::cache::RouteQuery;
use watchglass_engine::view::{
    BranchesView, CacheQuery, IndexQuery, KeyQuery, LessonCard, LessonView, QosComparisonView,
    QosQuery, StorageQuery, Views, WatchQuery,
};

use super::choices::{Axis, CacheTab, Panel, Subject, Tone, View};
use super::contents::ContentsEntry;
use super::draft::LessonDraft;
use super::file_panel::FilePanel;
use super::lab::LabState;
use super::nemesis::Nemesis;
use super::odds::Odds;
use super::practice::Practice;
use super::prefs::Prefs;
use super::progress::{PausedLoad, RunProgress};
use super::speed::Speed;
use super::trail::TrailReport;
use crate::host::Failure;
use crate::keep::journal::Aside;
use crate::keep::opening::Opening;
use crate::keep::{RunCard, RunId};

/// All state that components show, except the engine's views.
#[derive(Clone, Debug, PartialEq)]
pub struct Ui {
    pub engine: EngineState,
    /// Whether the page begins with an empty store.
    pub begins_with_store: bool,
    /// Whether `static/page.js` has laid out the page for a reader of a story.
    pub begins_with_story: bool,
    /// Whether the page begins with a lesson whose views have not arrived yet.
    pub begins_with_lesson: bool,
    /// Whether the engine has been silent for seconds although a response is due.
    pub is_silent: bool,
    /// The load that reached the limit of steps and waits to be continued.
    pub paused: Option<PausedLoad>,
    /// The progress of a long run.
    pub progress: Option<RunProgress>,
    pub subject: Subject,
    pub selection: Option<KeyQuery>,
    pub watcher: Option<u64>,
    pub message: Option<u64>,
    /// The number of newest messages that the Messages view leaves out.
    pub messages_skipped: u64,
    /// The window of the Storage view and the page selected in it.
    pub storage: StorageQuery,
    /// The keys to highlight in the Index view.
    pub highlight: Option<KeySpan>,
    /// The text that keys must contain to be shown.
    pub filter: String,
    /// The window of the Index view.
    pub index: Option<IndexQuery>,
    /// The window of the Watch view.
    pub watch: WatchQuery,
    pub cache: CacheQuery,
    pub qos_query: QosQuery,
    /// The selected tab of the inspector for caches.
    pub cache_tab: CacheTab,
    /// The width of the timeline's track, in pixels.
    pub timeline_columns: u32,
    /// The number of scrollback entries that fit into the terminal.
    pub terminal_fits: u32,
    /// The number of earlier scrollback entries that the reader has requested.
    pub terminal_earlier: u32,
    /// The user's preferences, which are stored for the next visit.
    pub prefs: Prefs,
    pub inspector_open: bool,
    /// Whether the terminal is in use: the focus is on its prompt or on its edge, or was there until a moment ago.
    pub terminal_active: bool,
    /// Whether a story has the workbench (terminal, tabs, inspector, playback by step) around its picture.
    pub workbench: bool,
    /// The panel in the phone's bottom sheet.
    pub sheet: Panel,
    /// Whether the bottom sheet is at full height.
    pub sheet_tall: bool,
    /// The quantity on the timeline's x axis.
    pub axis: Axis,
    pub speed: Speed,
    /// The presenter mode, if it is on.
    pub presenting: Option<Presenting>,
    pub playing: bool,
    /// Whether the last move of the cursor jumped: it did not go to a neighbouring step or beat.
    pub instant: bool,
    pub dialog: Option<Dialog>,
    pub notice: Option<Notice>,
    /// The text that was last in the dialog for a transcript.
    pub transcript: String,
    /// The outputs of the run that differ from its transcript.
    pub differences: Differences,
    /// The lines that were sent and have no response.
    pub running: Vec<String>,
    /// The lines typed on this page, oldest first.
    pub history: Vec<String>,
    /// The lines of this run that are set aside, because they stopped the engine.
    pub asides: Vec<Aside>,
    /// The open run, if it is saved.
    pub open_run: Option<RunId>,
    /// The saved runs, once the page has requested them.
    pub runs: Option<Rc<Vec<RunCard>>>,
    /// The lowest number of a visible scrollback entry. Earlier entries are hidden, because the user cleared the
    /// screen.
    pub cleared_below: u64,
    /// Whether the run must be saved because it contains input of the user.
    pub dirty: bool,
    /// The available lessons, once the page has requested them.
    pub lessons: Rc<Vec<LessonCard>>,
    pub challenges: Rc<Vec<LessonCard>>,
    /// The views for the pictures of lessons' goals that have arrived so far, by the name of the lesson.
    pub goals: Rc<BTreeMap<String, Rc<Views>>>,
    /// Whether the browser stores the learner's progress.
    pub progress_kept: bool,
    pub practice: Practice,
    /// The draft of a lesson, if this page is the page for authors.
    pub lesson_draft: Option<LessonDraft>,
    /// The settings of the figure, if this page is a figure.
    pub figure: Option<Figure>,
    /// In a figure, a link to the current step, for opening the figure in the app.
    pub link: String,
    pub lab: LabState,
    /// The state of the database file that the user chose.
    pub file: FilePanel,
    pub palette: Palette,
    /// The comparison of two branches, once the engine has sent it.
    pub comparison: Option<Rc<BranchesView>>,
    /// The comparison of the run with and without the QoS rules.
    pub qos: QosComparing,
    pub odds: Odds,
    pub nemesis: Nemesis,
}

impl Ui {
    /// Creates the state before any view has arrived.
    pub fn new(prefs: Prefs) -> Self {
        let workbench = prefs.workbench;
        Ui {
            engine: EngineState::Starting,
            begins_with_store: false,
            begins_with_story: false,
            begins_with_lesson: false,
            is_silent: false,
            paused: None,
            progress: None,
            subject: prefs.view.subject(),
            selection: None,
            watcher: None,
            message: None,
            messages_skipped: 0,
            storage: StorageQuery::default(),
            highlight: None,
            filter: String::new(),
            index: None,
            watch: WatchQuery {
                columns: WATCH_COLUMNS,
                ..WatchQuery::default()
            },
            cache: CacheQuery {
                ask: Some(RouteQuery {
                    verb: "LIST".to_owned(),
                    ..RouteQuery::default()
                }),
                ..CacheQuery::default()
            },
            qos_query: QosQuery::default(),
            cache_tab: CacheTab::Routes,
            timeline_columns: 1200,
            terminal_fits: TERMINAL_FITS,
            terminal_earlier: 0,
            prefs,
            inspector_open: false,
            terminal_active: false,
            workbench,
            sheet: Panel::Story,
            sheet_tall: false,
            axis: Axis::Step,
            speed: Speed::default(),
            presenting: None,
            playing: false,
            instant: true,
            dialog: None,
            transcript: String::new(),
            differences: Differences::default(),
            notice: None,
            running: Vec::new(),
            history: Vec::new(),
            asides: Vec::new(),
            open_run: None,
            runs: None,
            cleared_below: 0,
            dirty: false,
            lessons: Rc::default(),
            challenges: Rc::default(),
            goals: Rc::default(),
            progress_kept: true,
            practice: Practice::default(),
            lesson_draft: None,
            figure: None,
            link: String::new(),
            lab: LabState::default(),
            file: FilePanel::default(),
            palette: Palette::default(),
            comparison: None,
            qos: QosComparing::default(),
            odds: Odds::default(),
            nemesis: Nemesis::default(),
        }
    }

    /// Resets everything that belongs to the previous run.
    pub fn forget_run(&mut self) {
        self.cleared_below = 0;
        self.workbench = self.prefs.workbench;
        self.selection = None;
        self.storage = StorageQuery::default();
        self.qos = QosComparing::None;
        self.odds = Odds::default();
        self.nemesis = Nemesis::default();
        self.qos_query = QosQuery::default();
        self.watcher = None;
        self.message = None;
        self.cache.selected = None;
        self.highlight = None;
        self.filter.clear();
        self.terminal_earlier = 0;
    }

    /// Ends the wait for a database file, because the load that waited has ended.
    pub fn end_file_wait(&mut self, is_loaded: bool) {
        let was_waiting = self.file.wanted.take().is_some();
        if was_waiting && is_loaded && self.dialog == Some(Dialog::File) {
            self.dialog = None;
        }
    }

    /// Returns true if commands are refused.
    pub fn is_readonly(&self) -> bool {
        self.figure.as_ref().is_some_and(|figure| figure.readonly)
    }

    /// Returns true if the Lab fills the page. The Lab does not show the run, so only a lesson stays beside it.
    pub fn has_lab_alone(&self, views: &Views) -> bool {
        self.prefs.view == View::Lab && views.lesson.is_none() && self.figure.is_none()
    }

    /// Returns true if the page shows a lesson or is loading a lesson.
    pub fn has_lesson(&self, views: &Views) -> bool {
        views.lesson.is_some() || self.begins_with_lesson
    }

    /// Returns true if only the panel of practice is visible: it asks a question that the picture would answer, or
    /// shows the summary of a round.
    pub fn is_asking(&self, views: &Views) -> bool {
        let lesson = views.lesson.as_ref();
        let lesson = lesson.filter(|lesson| Item::named(&lesson.name).is_some());
        let is_open = |lesson: &LessonView| {
            let question = lesson.question.as_ref();
            question.is_some_and(|question| question.actual.is_none())
        };
        lesson.is_some_and(|lesson| self.practice.is_over || is_open(lesson))
    }

    /// Returns true if the page shows a story's text or a lesson, or is loading one of them.
    pub fn has_story(&self, views: &Views) -> bool {
        // Before the first views arrive, assume that there is a text unless the page begins with an empty store.
        let is_coming = views.status.title.is_empty() && !self.begins_with_store;
        is_coming || views.status.is_told || self.has_lesson(views)
    }

    /// Returns true if the page shows a story to a reader: its text, its picture and its playback, without the
    /// workbench.
    pub fn is_reading(&self, views: &Views) -> bool {
        !self.workbench && self.presenting.is_none() && self.can_read(views)
    }

    /// Returns true if the run is a story without commands of the user. All other runs need the workbench.
    pub fn can_read(&self, views: &Views) -> bool {
        let status = &views.status;
        let is_coming = status.title.is_empty() && self.begins_with_story;
        let is_story = is_coming || status.is_told && status.typed == 0;
        self.figure.is_none() && is_story && !self.has_lesson(views) && !self.has_lab_alone(views)
    }

    /// Returns true if the page has a terminal: in the app, and in a figure with full controls that is not read-only.
    pub fn has_terminal(&self) -> bool {
        let figure = self.figure.as_ref();
        figure.is_none_or(|figure| figure.controls == Controls::Full && !figure.readonly)
    }

    /// Returns true if the terminal is larger than three lines. This is also the case while the reader compares an
    /// output with the transcript.
    pub fn is_terminal_active(&self) -> bool {
        self.terminal_active || self.differences.entry().is_some()
    }

    pub fn offers(&self, view: View) -> bool {
        let offered = self.figure.as_ref().map(|figure| &figure.views);
        offered.is_none_or(|views| views.is_empty() || views.contains(&view))
    }
}

/// The state of the presenter mode, which shows the page to an audience: large text, no controls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presenting {
    /// Whether the screen is blank, so that the audience looks at the speaker.
    pub is_blank: bool,
    /// Whether the prompt of the terminal is below the picture.
    pub is_typing: bool,
    /// Whether the speaker has moved or played since the mode began, so that the list of keys is no longer needed.
    pub has_moved: bool,
}

/// The settings of a figure, which is a picture of a run in another page's text. A figure stores nothing and has no
/// dialogs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    pub controls: Controls,
    /// The views that the user can choose from; if empty, the run decides the view.
    pub views: Vec<View>,
    /// Whether the figure is read-only: the cursor can move, but nothing can be typed.
    pub readonly: bool,
}

/// The controls below a figure's picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controls {
    /// The controls for playback, and a terminal.
    Full,
    #[default]
    Mini,
    /// No controls: only the picture and its sentence.
    None,
}

impl Controls {
    pub fn from_name(name: &str) -> Option<Controls> {
        match name {
            "full" => Some(Controls::Full),
            "mini" => Some(Controls::Mini),
            "none" => Some(Controls::None),
            _ => None,
        }
    }
}

/// The number of scrollback entries until the terminal reports its height.
const TERMINAL_FITS: u32 = 24;

/// The number of scrollback entries that *Show earlier commands* adds.
pub const TERMINAL_EARLIER: u32 = 120;

/// The number of columns of the histogram of watchers, until the Watch view reports its width.
const WATCH_COLUMNS: u32 = 40;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum QosComparing {
    /// No comparison was requested.
    #[default]
    None,
    /// The engine replays the run.
    Running {
        id: u32,
        /// The replayed time of both runs, in microseconds.
        done: u64,
        /// The total time of both runs, in microseconds; 0 while unknown.
        total: u64,
    },
    Ready(Rc<QosComparisonView>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    /// The table of contents, once loaded.
    pub contents: Option<Rc<Vec<ContentsEntry>>>,
    /// Whether fetching the table of contents failed.
    pub has_failed: bool,
    /// Commands that begin with the typed text, each with a short description.
    pub commands: Vec<(String, String)>,
    /// Keys of the store that start with the typed text.
    pub keys: Vec<String>,
    pub(super) typed: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EngineState {
    /// The first views have not arrived.
    Starting,
    Running,
    /// There is no engine; contains the reason and the steps to reproduce the failure.
    Failed(Failure, TrailReport),
}

/// A range of keys that includes the first key and excludes the end, as in etcd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpan {
    pub key: Vec<u8>,
    /// The key after the last key; empty for a single key, one zero byte for a range without an end.
    pub end: Vec<u8>,
}

impl KeySpan {
    pub fn holds(&self, key: &[u8]) -> bool {
        match self.end.as_slice() {
            [] => key == self.key,
            [0] => key >= self.key.as_slice(),
            end => key >= self.key.as_slice() && key < end,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Keys and commands.
    Help,
    /// The simplifications of the simulator, in one view or in all.
    Fidelity(Option<View>),
    Lessons,
    Runs,
    /// Paste or open a transcript; contains the initial text.
    Open(String),
    /// Open a database file and explore its content.
    File,
    /// The palette: find a run, term, key or setting by name.
    Palette {
        /// Whether the browser returns to the previous page if the reader closes the palette without a choice.
        returns: bool,
    },
    /// Two branches side by side.
    Branches([u32; 2]),
    /// The QR code of an address.
    QrCode(String),
    /// All files of the run.
    Export,
    /// The search for the moment at which an ending became inevitable.
    Odds,
    /// The search for a failure with random commands.
    Nemesis,
}

/// The outputs of a run that differ from its transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differences {
    /// The entries of the terminal whose outputs differ from the transcript, in the order of the run.
    pub entries: Rc<Vec<DifferingEntry>>,
    /// The index of the entry that the reader has chosen.
    pub chosen: Option<usize>,
}

impl Differences {
    /// Creates the state after a text was loaded; no entry is chosen yet.
    pub fn new(report: &TextReport) -> Self {
        Self {
            entries: Rc::new(report.differing.clone()),
            chosen: None,
        }
    }

    pub fn entry(&self) -> Option<&DifferingEntry> {
        self.entries.get(self.chosen?)
    }

    /// Chooses the next or the previous entry. After the last entry, the first entry is next.
    pub fn choose(&mut self, is_next: bool) {
        let count = self.entries.len();
        self.chosen = match (self.chosen, is_next) {
            _ if count == 0 => None,
            (None, true) => Some(0),
            (None, false) => Some(count - 1),
            (Some(at), true) => Some((at + 1) % count),
            (Some(at), false) => Some((at + count - 1) % count),
        };
    }
}

/// A notice at the top of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
    pub offers: Vec<Offer>,
}

/// An action that a notice offers.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// Open the source of the restored run from its start.
    StartOver,
    /// Return to the run that was open before.
    Back(RunId),
    /// Retry opening a saved run that failed to open.
    TryAgain(RunId),
    /// Retry opening a source that failed to open.
    Open(Opening),
    /// Edit a pasted text of which the page could run nothing or only a part.
    EditText(String),
    /// Show the outputs that differ from the transcript, one after another.
    Differences,
    /// Find another run.
    Find,
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::protocol::ProgressUnit;
    use watchglass_engine::session::protocol::RunningCommand;

    use super::*;

    #[test]
    fn the_badge_of_a_view_is_true() {
        let text = include_str!("../../../docs/fidelity.md");
        let (_, table) = text.split_once("## Simplified").expect("the table");
        let (table, _) = table.split_once("\n## ").expect("its end");
        for view in View::ALL {
            let names = |line: &str| {
                let views = line.split(" | ").nth(1).unwrap_or_default();
                views.split(", ").any(|name| name == view.title())
            };
            assert_eq!(table.lines().any(names), view.is_simplified(), "{view:?}");
        }
    }

    #[test]
    fn progress_names_the_command_and_moves_inside_it() {
        let mut progress = RunProgress {
            done: 0,
            total: 1,
            running: Some(RunningCommand {
                text: "run 10m".to_owned(),
                steps: 700,
                done: 60_000_000,
                total: 600_000_000,
                unit: ProgressUnit::SimulatedUs,
            }),
        };
        let sentence = "run 10m, 60 of 600 simulated seconds";
        assert_eq!(progress.sentence(), sentence);
        assert_eq!(progress.bar(), (60_000_000, 600_000_000));
        (progress.done, progress.total) = (4, 20);
        assert_eq!(progress.sentence(), format!("Command 5 of 20: {sentence}"));
        assert_eq!(progress.bar(), (4, 20));
    }
}
