//! What the page shows: plain data with public fields, one model per panel.
//!
//! A panel asks with a query that names what is visible and gets only that. Nothing of the
//! engine's own types is inside, so that a panel can be built and tested against literals.

pub mod cache;
pub mod file;
pub mod index;
pub mod key;
pub mod lesson;
pub mod messages;
pub mod moment;
pub mod names;
pub mod narrate;
mod node_state;
pub mod show;
pub mod status;
pub mod storage;
pub mod terminal;
pub mod timeline;
pub mod watch;

pub use cache::{CacheQuery, CacheView};
pub use file::{FileOverview, PrefixList, StoredValue};
pub use index::{
    Bead, BeadState, Bin, IndexQuery, IndexView, Join, Lane, LaneBracket, LaneOrder, ReadAnswer,
    ReadCut, Thread,
};
pub use key::{FieldView, GenerationView, KeyQuery, KeyView, RevisionView, RowView};
pub use lesson::{
    ConditionView, DiffersView, LessonCard, LessonEnd, LessonItem, LessonView, PartMark, PartName,
    QuestionView, TaskView, TextRun, TextRunKind,
};
pub use messages::{MessagesQuery, MessagesView};
pub use moment::Moment;
pub use status::{BeatView, BranchView, MemoryPart, MemoryView, PictureView, StatusView, WayView};
pub use storage::{StorageQuery, StorageView};
pub use terminal::{EntryKind, TerminalEntry, TerminalQuery, TerminalView};
pub use timeline::{
    BeatMark, CurvePoint, Marker, MarkerKind, StepCurve, TimelineBin, TimelineQuery, TimelineView,
};
pub use watch::{WatchQuery, WatchView};

use serde::{Deserialize, Serialize};

/// What every panel wants to see; the engine answers with [`Views`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queries {
    /// The Index view, when it is open.
    pub index: Option<IndexQuery>,
    /// The key inspector, when a key is selected.
    pub key: Option<KeyQuery>,
    /// The timeline.
    pub timeline: Option<TimelineQuery>,
    /// The terminal.
    pub terminal: Option<TerminalQuery>,
    /// The Watch view, when it is open.
    pub watch: Option<WatchQuery>,
    /// The Messages view, when it is open.
    pub messages: Option<MessagesQuery>,
    /// The Storage view, when it is open.
    pub storage: Option<Box<StorageQuery>>,
    /// The lesson rail, when it is open.
    pub lesson: bool,
    /// The Cache view, when it is open.
    pub cache: Option<Box<CacheQuery>>,
}

/// The present picture of everything that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Views {
    /// Whether only the stage and the key are there, quickly for who pans while a run goes on: all else comes with the
    /// next whole picture.
    pub is_part: bool,
    /// Where the run stands; always there.
    pub status: StatusView,
    /// Answer to [`Queries::index`].
    pub index: Option<IndexView>,
    /// Answer to [`Queries::key`].
    pub key: Option<KeyView>,
    /// Answer to [`Queries::timeline`].
    pub timeline: Option<TimelineView>,
    /// Answer to [`Queries::terminal`].
    pub terminal: Option<TerminalView>,
    /// Answer to [`Queries::watch`].
    pub watch: Option<WatchView>,
    /// Answer to [`Queries::messages`].
    pub messages: Option<MessagesView>,
    /// Answer to [`Queries::storage`].
    pub storage: Option<Box<StorageView>>,
    /// Answer to [`Queries::lesson`], when a lesson is under way.
    pub lesson: Option<LessonView>,
    /// Answer to [`Queries::cache`].
    pub cache: Option<CacheView>,
}
