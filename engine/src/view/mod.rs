//! The view models: plain data with public fields, one model for each panel.
//!
//! A panel sends a query for the part of a view that it displays, and receives only this part. View models contain no
//! engine types, so that panels can be built and tested with literal values.

pub mod branches;
pub mod cache;
pub mod cluster;
pub mod file;
pub mod index;
pub mod key;
pub mod lesson;
pub mod messages;
pub mod metrics;
pub mod moment;
pub mod names;
pub mod narrate;
mod node_state;
pub mod odds;
pub mod qos;
pub mod show;
pub mod status;
pub mod storage;
pub mod terminal;
pub mod timeline;
pub mod watch;

pub use branches::{BranchEnd, BranchesView, KeyEnd, WatcherEnd};
pub use cache::{CacheQuery, CacheView};
pub use cluster::{ClusterQuery, ClusterView};
pub use file::{FileOverview, PrefixList, StoredValue};
pub use index::{
    Bead, BeadState, Bin, IndexQuery, IndexView, Join, Lane, LaneBracket, LaneOrder, ReadAnswer,
    ReadCut, Thread, page_of,
};
pub use key::{FieldView, GenerationView, KeyQuery, KeyView, RevisionView, RowView};
pub use lesson::{
    ChallengeView, ConditionView, DiffersView, LessonCard, LessonEnd, LessonItem, LessonView,
    PartMark, PartName, QuestionView, TaskView, TextRun, TextRunKind,
};
pub use messages::{MessagesQuery, MessagesView};
pub use metrics::MetricsView;
pub use moment::Moment;
pub use qos::comparison::QosComparisonView;
pub use qos::{QosQuery, QosView};
pub use status::{
    BeatView, BranchView, ExhibitView, GuessView, MemoryPart, MemoryView, PendingView, PictureView,
    StatusView, WayView,
};
pub use storage::{StorageQuery, StorageView};
pub use terminal::{EntryKind, TerminalEntry, TerminalQuery, TerminalView, TranscriptOutput};
pub use timeline::{
    BeatMark, CurvePoint, Marker, MarkerKind, StepCurve, TimelineBin, TimelineQuery, TimelineView,
};
pub use watch::{WatchQuery, WatchView};

use serde::{Deserialize, Serialize};

/// The queries of all panels. The engine responds with [`Views`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queries {
    pub index: Option<IndexQuery>,
    /// The query of the key inspector, if a key is selected.
    pub key: Option<KeyQuery>,
    pub timeline: Option<TimelineQuery>,
    pub terminal: Option<TerminalQuery>,
    pub watch: Option<WatchQuery>,
    pub messages: Option<MessagesQuery>,
    pub storage: Option<Box<StorageQuery>>,
    /// Whether the lesson rail is open.
    pub lesson: bool,
    pub cache: Option<Box<CacheQuery>>,
    pub cluster: Option<Box<ClusterQuery>>,
    pub qos: Option<Box<QosQuery>>,
}

/// The views that the queries requested, for the step at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Views {
    /// Whether only the main view and the key inspector are included. The engine can compute these two views fast, so
    /// it sends only these views while the user pans during a run. Later, the engine sends all requested views.
    pub is_part: bool,
    /// The status, which is always present.
    pub status: StatusView,
    pub index: Option<IndexView>,
    pub key: Option<KeyView>,
    pub timeline: Option<TimelineView>,
    pub terminal: Option<TerminalView>,
    pub watch: Option<WatchView>,
    pub messages: Option<MessagesView>,
    pub storage: Option<Box<StorageView>>,
    /// The response to [`Queries::lesson`], if a lesson is loaded.
    pub lesson: Option<LessonView>,
    pub cache: Option<CacheView>,
    pub cluster: Option<Box<ClusterView>>,
    pub qos: Option<Box<QosView>>,
}
