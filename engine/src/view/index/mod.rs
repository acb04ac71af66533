//! The Index view: each key has a lane (a row of the view), and revisions are on the x-axis. Each generation of the key
//! is a line through its changes.
//!
//! Lanes are sorted by the creation of their keys, so that a new key does not move existing lanes. Alternatively,
//! lanes are sorted by the bytes of the keys, like etcd's index, so that the keys of a range are adjacent.

pub mod build;
mod lanes;

use serde::{Deserialize, Serialize};

/// The part of the Index view to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexQuery {
    /// The index of the first lane to return. Only lanes that match the filter are counted.
    pub first_lane: u32,
    pub lane_count: u32,
    pub rev_from: i64,
    pub rev_to: i64,
    /// Half the number of revisions of a page. If set, the view ignores `rev_from` and `rev_to`. Instead, the view
    /// contains the page of the revision [`IndexView::in_sight`], and some revisions before and after this page.
    /// Therefore, a picture that follows the head revision page by page needs no new query for each page.
    pub half_page: Option<i64>,
    /// The number of pixel columns for these revisions. With fewer than 2 columns per revision, the view shows the
    /// number of changes per column.
    pub columns: u32,
    /// A text that keys must contain; empty for all keys.
    pub filter: String,
    pub order: LaneOrder,
    /// The watcher whose key range to mark. `None` marks the key range of the last read.
    pub watcher: Option<u64>,
    /// The height of the overview of all lanes, in pixel rows; 0 for no overview.
    pub overview_rows: u32,
    /// The first and the last revision of a range. Lanes without a change in this range are folded (hidden).
    pub fold: Option<(i64, i64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaneOrder {
    /// By creation time of the keys. New keys do not change the order of existing lanes.
    #[default]
    Creation,
    /// By the bytes of the keys, as in etcd's index.
    Key,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexView {
    pub query: IndexQuery,
    /// The first revision that the view contains.
    pub rev_from: i64,
    /// The last revision that the view contains.
    pub rev_to: i64,
    /// The store's revision at the cursor.
    pub head: i64,
    /// The store's revision at the end of the run, which is the right end of the revision axis.
    pub end: i64,
    /// The compact revision; -1 before the first compaction.
    pub compact_revision: i64,
    pub lanes_total: u32,
    /// The number of lanes at the end of the run. The heights of the lanes depend on this number, so that a new key
    /// does not change them.
    pub lanes_end: u32,
    /// The number of lanes that match the filter and are not folded away.
    pub lanes_matching: u32,
    /// The number of lanes that match the filter but are folded. The lanes that the newest revision changed are never
    /// folded.
    pub lanes_folded: u32,
    /// The index of the lane of the last write, among the matching lanes; `None` if this lane does not match.
    pub written: Option<u32>,
    /// The index of the lane of the key that the beat at the cursor highlights, among the matching lanes.
    pub focus: Option<u32>,
    pub lanes: Vec<Lane>,
    /// The lanes in the marked key range; `None` if the lanes are not sorted by key, or if the range contains no lanes.
    pub bracket: Option<LaneBracket>,
    /// The overview of all matching lanes: for each row of pixels, the number of changes in the requested revisions. If
    /// there are fewer lanes than rows of pixels, each lane has one entry.
    pub overview: Vec<u32>,
    /// The transactions that changed several of the returned lanes.
    pub joins: Vec<Join>,
    /// The read of the command at the cursor; `None` if the command is not a read.
    pub read: Option<ReadCut>,
}

impl IndexView {
    /// The revision of a read in the past, otherwise the head revision, and 1 before the first write.
    pub fn in_sight(&self) -> i64 {
        in_sight(self.head, self.read.as_ref())
    }
}

fn in_sight(head: i64, read: Option<&ReadCut>) -> i64 {
    let head = head.max(1);
    let read = read.map(|read| read.revision);
    read.filter(|revision| (1..head).contains(revision))
        .unwrap_or(head)
}

/// Returns the number of the page of a revision. Each page has `2 * half` revisions. A page begins every `half`
/// revisions, so each page overlaps half of the next page. The page of a revision is the page that contains the
/// revision in its second half; if there is no such page, it is page 0.
///
/// ```
/// use watchglass_engine::view::page_of;
///
/// let pages = [1, 10, 11, 20, 21, 31].map(|revision| page_of(revision, 10));
/// assert_eq!(pages, [0, 0, 0, 0, 1, 2]);
/// ```
pub fn page_of(revision: i64, half: i64) -> i64 {
    ((revision - 1) / half - 1).max(0)
}

/// Adjacent lanes, which contain all keys of a key range. Both indexes count only the matching lanes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneBracket {
    /// The range, for example `/registry/pods/*`.
    pub range: String,
    pub first: u32,
    pub last: u32,
}

/// The lane (row of the view) of one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    pub key: Vec<u8>,
    /// The key for display. Bytes that are not printable are escaped.
    pub name: String,
    /// Whether the key exists at the cursor.
    pub alive: bool,
    /// The key's generations with revisions in the requested range, oldest first.
    pub threads: Vec<Thread>,
    /// The changes in the requested range, oldest first; empty if the changes are counted in `bins`.
    pub beads: Vec<Bead>,
    /// The last change before the requested range, if the range contains no change of the key.
    pub earlier: Option<Bead>,
    /// The number of changes per pixel column; empty if the changes are in `beads`.
    pub bins: Vec<Bin>,
}

/// A generation of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// The number of the generation, counted from 0. This number never changes. A compaction can change the position of
    /// the generation in etcd's list of generations.
    pub number: u32,
    /// The number of changes in the generation, which etcd calls `ver`.
    pub ver: i64,
    /// The revision of the first put.
    pub first: i64,
    /// The revision of the tombstone, or of the last put if the generation has no tombstone.
    pub last: i64,
    /// Whether the generation has no tombstone at the cursor.
    pub alive: bool,
    /// Whether the key index no longer contains the generation, after a compaction.
    pub forgotten: bool,
}

/// A change of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bead {
    /// The main revision, which identifies the transaction.
    pub main: i64,
    /// The sub-revision, which is the index of the change in the transaction.
    pub sub: i64,
    /// The state of the change at the cursor.
    pub state: BeadState,
    /// Whether the step at the cursor made the change or removed the row of the change.
    pub changed: bool,
    /// The start of the value; empty for a tombstone.
    pub label: String,
    /// The key's version after the change; 0 for a tombstone.
    pub version: i64,
    /// For the current value of the key, the lease of the key. For a delete, the lease whose end deleted the key. Empty
    /// if there is no such lease.
    pub lease: String,
}

/// The state of a change at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BeadState {
    /// The current value of the key.
    Live,
    /// A replaced value that is still readable at its revision.
    Superseded,
    /// A replaced value at or before the compact revision. A read at the compact revision still returns this value, and
    /// the compaction does not remove the row of this value.
    Kept,
    /// A compacted value or delete whose row the compaction has not removed yet.
    Doomed,
    /// A value or delete whose row a compaction has removed.
    Gone,
    /// A delete that is not compacted. In etcd 3.6, also a delete at the compact revision.
    Tombstone,
}

/// The changes of a lane in one pixel column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The column, from 0 at `rev_from`.
    pub column: u32,
    pub count: u32,
    /// The state that is the most important among these changes.
    pub state: BeadState,
}

/// A transaction that changed several lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Join {
    pub main: i64,
    /// The first changed lane, as an index into [`IndexView::lanes`].
    pub top: u32,
    /// The last changed lane, as an index into [`IndexView::lanes`].
    pub bottom: u32,
}

/// A read at one revision. The view draws the read as a vertical line through all lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadCut {
    pub revision: i64,
    /// The command, for example `get --rev=12`.
    pub label: String,
    /// The changes that the read returned. Contains only changes in visible lanes.
    pub answers: Vec<ReadAnswer>,
    /// The error message, if the read was refused.
    pub refused: Option<String>,
    /// The number of keys found, including keys in other lanes.
    pub count: i64,
    /// The number of returned keys, including keys in other lanes; `None` if the request asks only for the count.
    pub returned: Option<i64>,
    /// Whether a person typed the read at an earlier step. The read is then not part of the run.
    pub is_aside: bool,
}

/// A change that a read returned, with its lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadAnswer {
    /// The lane, as an index into [`IndexView::lanes`].
    pub lane: u32,
    pub main: i64,
    pub sub: i64,
    /// The value, cut to a short text. The change may be to the left of the visible revisions.
    pub label: String,
}
