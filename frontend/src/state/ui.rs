//! What the user chose on this page, and what the page is busy with.

use std::collections::BTreeMap;
use std::rc::Rc;

use watchglass_engine::session::protocol::{ProgressUnit, RunningCommand};
use watchglass_engine::view::cache::RouteQuery;
use watchglass_engine::view::{
    CacheQuery, IndexQuery, KeyQuery, LessonCard, StorageQuery, Views, WatchQuery,
};

use super::file::FilePanel;
use super::lab::LabState;
use super::palette::Palette;
use super::playback::Speed;
use super::prefs::Prefs;
use super::trail::TrailReport;
use crate::host::Failure;
use crate::keep::journal::Aside;
use crate::keep::opening::Opening;
use crate::keep::{RunCard, RunId};

/// Everything that components read besides the engine's views.
#[derive(Clone, Debug, PartialEq)]
pub struct Ui {
    /// Whether the engine is there.
    pub engine: EngineState,
    /// The run that the page begins with is an empty store.
    pub begins_with_store: bool,
    /// The run that the page begins with is a lesson, and its views are not here yet.
    pub begins_with_lesson: bool,
    /// The engine owes a response and has sent nothing for seconds.
    pub is_silent: bool,
    /// A load has reached the limit of steps and waits to be continued.
    pub paused: Option<PausedLoad>,
    /// The progress of a long run.
    pub progress: Option<RunProgress>,
    /// The subject of the inspector.
    pub subject: Subject,
    /// The selected key and its row.
    pub selection: Option<KeyQuery>,
    /// The watcher under inspection.
    pub watcher: Option<u64>,
    /// The message under inspection.
    pub message: Option<u64>,
    /// Newer messages that the Messages view leaves out.
    pub messages_skipped: u64,
    /// The window and the page of the Storage view.
    pub storage: StorageQuery,
    /// The keys that something points at, to be found in the Index view.
    pub highlight: Option<KeySpan>,
    /// The text that shown keys contain.
    pub filter: String,
    /// The window of the Index view.
    pub index: Option<IndexQuery>,
    /// The window of the Watch view.
    pub watch: WatchQuery,
    /// The query of the Cache view.
    pub cache: CacheQuery,
    /// The tab of the inspector for caches.
    pub cache_tab: CacheTab,
    /// Width of the timeline's track in pixels.
    pub timeline_columns: u32,
    /// The number of requested scrollback entries.
    pub terminal_last: u32,
    /// The user's preferences; kept over a reload.
    pub prefs: Prefs,
    /// Whether the inspector is open.
    pub inspector_open: bool,
    /// The part in the phone's bottom sheet.
    pub sheet: Panel,
    /// Whether the bottom sheet is at full height.
    pub sheet_tall: bool,
    /// The quantity on the timeline's x axis.
    pub axis: Axis,
    /// The pace.
    pub speed: Speed,
    /// The page is shown to an audience: large text, no controls.
    pub presenting: Option<Presenting>,
    /// Whether the page is playing.
    pub playing: bool,
    /// The last move went back or jumped, so nothing should glide into place.
    pub instant: bool,
    /// The open dialog.
    pub dialog: Option<Dialog>,
    /// The note at the top.
    pub notice: Option<Notice>,
    /// Sent lines without a response.
    pub running: Vec<String>,
    /// Lines typed on this page, oldest first.
    pub history: Vec<String>,
    /// Lines of this run that are set aside, because they stopped the engine.
    pub asides: Vec<Aside>,
    /// The open run, if it is kept.
    pub open_run: Option<RunId>,
    /// The kept runs, once requested.
    pub runs: Option<Rc<Vec<RunCard>>>,
    /// Entries up to this number were cleared from the screen.
    pub cleared_below: u64,
    /// Whether the run contains user input and is saved.
    pub dirty: bool,
    /// The available lessons, once the page has requested them.
    pub lessons: Rc<Vec<LessonCard>>,
    /// The views of each solved lesson, by name, as far as received.
    pub goals: Rc<BTreeMap<String, Rc<Views>>>,
    /// Whether the browser lets the page keep how far the learner is.
    pub progress_kept: bool,
    /// How this page is shown, when it is a figure in somebody's text.
    pub figure: Option<Figure>,
    /// The moment at hand as a link, in a figure: where its way out leads.
    pub link: String,
    /// The latency lab.
    pub lab: LabState,
    /// The database file from outside.
    pub file: FilePanel,
    /// The state of the palette.
    pub palette: Palette,
}

impl Ui {
    /// The page before anything is known.
    pub fn new(prefs: Prefs) -> Self {
        Ui {
            engine: EngineState::Starting,
            begins_with_store: false,
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
            cache_tab: CacheTab::Routes,
            timeline_columns: 1200,
            terminal_last: TERMINAL_LAST,
            prefs,
            inspector_open: false,
            sheet: Panel::Story,
            sheet_tall: false,
            axis: Axis::Step,
            speed: Speed::default(),
            presenting: None,
            playing: false,
            instant: true,
            dialog: None,
            notice: None,
            running: Vec::new(),
            history: Vec::new(),
            asides: Vec::new(),
            open_run: None,
            runs: None,
            cleared_below: 0,
            dirty: false,
            lessons: Rc::default(),
            goals: Rc::default(),
            progress_kept: true,
            figure: None,
            link: String::new(),
            lab: LabState::default(),
            file: FilePanel::default(),
            palette: Palette::default(),
        }
    }

    /// Whether commands are refused.
    pub fn is_readonly(&self) -> bool {
        self.figure.as_ref().is_some_and(|figure| figure.readonly)
    }

    /// Whether the lab has the page to itself: it is apart from the run, and only a lesson stays beside it.
    pub fn has_lab_alone(&self, views: &Views) -> bool {
        self.prefs.view == View::Lab && views.lesson.is_none() && self.figure.is_none()
    }

    /// Whether the place of the story is a lesson's, also while the lesson loads.
    pub fn has_lesson(&self, views: &Views) -> bool {
        views.lesson.is_some() || self.begins_with_lesson
    }

    /// Whether there is something to read beside the picture: a story's text or a lesson, also while it loads.
    pub fn has_story(&self, views: &Views) -> bool {
        // Until the first picture says what is there, whatever the address promises.
        let is_coming = views.status.title.is_empty() && !self.begins_with_store;
        is_coming || views.status.is_told || self.has_lesson(views)
    }

    /// Whether there is a terminal: in the app, and in a figure that asked for one.
    pub fn has_terminal(&self) -> bool {
        let figure = self.figure.as_ref();
        figure.is_none_or(|figure| figure.controls == Controls::Full && !figure.readonly)
    }

    /// Whether that picture may be shown.
    pub fn offers(&self, view: View) -> bool {
        let offered = self.figure.as_ref().map(|figure| &figure.views);
        offered.is_none_or(|views| views.is_empty() || views.contains(&view))
    }
}

/// The page in presenter mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presenting {
    /// Whether the screen is blank, so that the audience looks at the speaker.
    pub is_blank: bool,
}

/// A figure in somebody's text: nothing of it is kept over a reload, and it has no dialogs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The controls below the picture.
    pub controls: Controls,
    /// The pictures offered; none means the one that the run itself names.
    pub views: Vec<View>,
    /// Whether the run stays as it is: time can be moved through, but nothing typed.
    pub readonly: bool,
}

/// The controls below a figure's picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controls {
    /// Moving through time, and a terminal.
    Full,
    /// Moving through time.
    #[default]
    Mini,
    /// No controls: the picture and its sentence.
    None,
}

impl Controls {
    /// From its name in an attribute.
    pub fn from_name(name: &str) -> Option<Controls> {
        match name {
            "full" => Some(Controls::Full),
            "mini" => Some(Controls::Mini),
            "none" => Some(Controls::None),
            _ => None,
        }
    }
}

/// Entries of the scrollback shown at first, and added by each "older".
pub const TERMINAL_LAST: u32 = 120;

/// Columns that watchers are counted in until the Watch view says how many it has room for.
const WATCH_COLUMNS: u32 = 40;

/// Whether the engine is there.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineState {
    /// The first picture has not arrived.
    Starting,
    /// The engine responds.
    Running,
    /// There is no engine; the reason, and the steps to reproduce the failure.
    Failed(Failure, TrailReport),
}

/// A load that waits to be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausedLoad {
    /// The number of the message.
    pub id: u32,
    /// The number of steps so far.
    pub steps: u64,
    /// Commands that are done.
    pub done: u64,
    /// Commands that are known so far.
    pub total: u64,
}

/// The progress of a long run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunProgress {
    /// Commands run.
    pub done: u64,
    /// Commands there are; 0 while not known.
    pub total: u64,
    /// The running command, when it takes long.
    pub running: Option<RunningCommand>,
}

impl RunProgress {
    /// The text of the notice.
    pub fn sentence(&self) -> String {
        let place = match self.total {
            0 | 1 => String::new(),
            total => format!("Command {} of {total}: ", (self.done + 1).min(total)),
        };
        let Some(running) = &self.running else {
            return match self.total {
                0 | 1 => "Working".to_owned(),
                total => format!("Command {} of {total}", (self.done + 1).min(total)),
            };
        };
        let (text, done, total) = (&running.text, running.done, running.total);
        let of = match running.unit {
            ProgressUnit::SimulatedUs => format!(
                "{} of {} simulated seconds",
                done / 1_000_000,
                total.div_ceil(1_000_000)
            ),
            ProgressUnit::Steps if total > 0 => format!("{done} of {total} steps"),
            ProgressUnit::Steps => format!("{done} steps"),
            ProgressUnit::Commands => format!("{done} of {total} commands read"),
        };
        format!("{place}{text}, {of}")
    }

    /// The finished and the total amount of work; 0 when unknown.
    pub fn bar(&self) -> (u64, u64) {
        match &self.running {
            Some(running) if self.total <= 1 => (running.done, running.total),
            _ => (self.done, self.total),
        }
    }
}

/// A picture of the run; one at a time is on the stage, and only it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Keys by revision.
    #[default]
    Index,
    /// Watchers by their next revision.
    Watch,
    /// API servers' caches under etcd's head.
    Cache,
    /// Messages between nodes over time.
    Messages,
    /// The database file, page by page.
    Storage,
    /// What consistent lists wait for; apart from the run.
    Lab,
}

impl View {
    /// All views, in the order of the tabs.
    pub const ALL: [View; 6] = [
        View::Index,
        View::Watch,
        View::Cache,
        View::Messages,
        View::Storage,
        View::Lab,
    ];

    /// The title of the tab.
    pub const fn title(self) -> &'static str {
        match self {
            View::Index => "Index",
            View::Watch => "Watch",
            View::Cache => "Cache",
            View::Messages => "Messages",
            View::Storage => "Storage",
            View::Lab => "Lab",
        }
    }

    /// The name, in storage and in links.
    pub fn name(self) -> &'static str {
        match self {
            View::Index => "index",
            View::Watch => "watch",
            View::Cache => "cache",
            View::Messages => "messages",
            View::Storage => "storage",
            View::Lab => "lab",
        }
    }

    /// Whether `docs/fidelity.md` has a line on what this view simplifies; a test compares them.
    pub fn is_simplified(self) -> bool {
        !matches!(self, View::Index)
    }

    /// From its name.
    pub fn from_name(name: &str) -> Option<View> {
        View::ALL.into_iter().find(|view| view.name() == name)
    }

    /// The subject of a selection in the view.
    pub fn subject(self) -> Subject {
        match self {
            View::Index | View::Lab => Subject::Key,
            View::Storage => Subject::Page,
            View::Watch => Subject::Watcher,
            View::Cache => Subject::Cache,
            View::Messages => Subject::Message,
        }
    }
}

/// The subject of the inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A key.
    Key,
    /// A watcher.
    Watcher,
    /// A message.
    Message,
    /// Caches and their requests.
    Cache,
    /// A page of the database file.
    Page,
}

/// The inspector's tabs for caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheTab {
    /// The routes of reads.
    Routes,
    /// The details of a request.
    Request,
    /// The API servers, and the savings of their caches.
    Servers,
}

impl CacheTab {
    /// All tabs, in order.
    pub const ALL: [CacheTab; 3] = [CacheTab::Routes, CacheTab::Request, CacheTab::Servers];
}

/// A key range: the first key included, the last key excluded, as in etcd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpan {
    /// The first key.
    pub key: Vec<u8>,
    /// The key behind the last one; empty for a single key, one zero byte for no end.
    pub end: Vec<u8>,
}

impl KeySpan {
    /// Whether the range contains a key.
    pub fn holds(&self, key: &[u8]) -> bool {
        match self.end.as_slice() {
            [] => key == self.key,
            [0] => key >= self.key.as_slice(),
            end => key >= self.key.as_slice() && key < end,
        }
    }
}

/// A part of the page that the phone shows one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The story's text and its one button.
    Story,
    /// The key inspector.
    Inspect,
    /// The terminal.
    Terminal,
}

/// The quantity on the timeline's x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Every step is as wide as every other.
    Step,
    /// Simulated time.
    Time,
    /// The store's revision.
    Revision,
}

/// The colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
    /// White, black and thick, for a projector.
    Projector,
}

/// A dialog.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Keys and commands.
    Help,
    /// What the simulator simplifies: in a view, or everywhere.
    Fidelity(Option<View>),
    /// The lessons there are.
    Lessons,
    /// The kept runs.
    Runs,
    /// Paste or open a transcript; the text it begins with.
    Open(String),
    /// A database file from outside.
    File,
    /// The palette: find something by its name.
    Palette,
}

/// A note at the top of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The importance of the note.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
    /// The action that the note offers.
    pub offer: Option<Offer>,
}

/// An action that a note offers.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// Open the source of the restored run from its start.
    StartOver,
    /// Go back to the run that was left.
    Back(RunId),
    /// Open a kept run that could not be opened.
    TryAgain(RunId),
    /// Open a source that could not be opened.
    Open(Opening),
    /// Correct a pasted text that could not be run.
    EditText(String),
}

/// The importance of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Good to know.
    Quiet,
    /// Something was refused or failed.
    Bad,
}

#[cfg(test)]
mod tests {
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
