//! The Index view: one lane per key, with revisions on the x-axis. A generation is a line of changes.
//!
//! Lanes are sorted by the creation of their keys, so that a new key does not move existing lanes. Alternatively,
//! lanes are sorted by the bytes of the keys, like etcd's index, so that the keys of a range are adjacent.

pub mod build;
mod lanes;

use serde::{Deserialize, Serialize};

/// The part of the Index view to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexQuery {
    /// The index of the first lane to return, among the lanes that match the filter.
    pub first_lane: u32,
    /// The number of lanes to return.
    pub lane_count: u32,
    /// The first revision to return.
    pub rev_from: i64,
    /// The last revision to return.
    pub rev_to: i64,
    /// The number of pixel columns for these revisions. With fewer than 2 per revision, changes are counted per
    /// column.
    pub columns: u32,
    /// A text that keys must contain; empty for all keys.
    pub filter: String,
    /// The order of the lanes.
    pub order: LaneOrder,
    /// The watcher whose range to mark. `None` marks the range of the last read.
    pub watcher: Option<u64>,
    /// The height of the overview of all lanes, in pixel rows; 0 for no overview.
    pub overview_rows: u32,
    /// A first and a last revision: lanes without a change in this range are folded away.
    pub fold: Option<(i64, i64)>,
}

/// The order of the lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaneOrder {
    /// In the order of the creation of the keys. The order of existing lanes never changes.
    #[default]
    Creation,
    /// By the bytes of the keys.
    Key,
}

/// The Index view at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexView {
    /// The query that this view belongs to.
    pub query: IndexQuery,
    /// The store's revision at the cursor.
    pub head: i64,
    /// The store's revision at the end of the run, where the axis ends.
    pub end: i64,
    /// The compacted revision; -1 before the first compaction.
    pub compact_revision: i64,
    /// The number of lanes at the cursor.
    pub lanes_total: u32,
    /// The number of lanes that match the filter and are not folded away.
    pub lanes_matching: u32,
    /// The number of lanes that match the filter and are folded away. The lanes of the newest revision never are.
    pub lanes_folded: u32,
    /// The index of the lane of the last write, among the matching lanes; `None` if this lane does not match.
    pub written: Option<u32>,
    /// The requested lanes.
    pub lanes: Vec<Lane>,
    /// The marked range of lanes; `None` if lanes are not sorted by key, or if the range contains no lanes.
    pub bracket: Option<LaneBracket>,
    /// The number of changes in the requested revisions, for each row of the overview of all matching lanes. If there
    /// are fewer lanes than rows, each lane has a row.
    pub overview: Vec<u32>,
    /// The transactions that changed several of these lanes.
    pub joins: Vec<Join>,
    /// The read in the step at the cursor; `None` if the step contains no read.
    pub read: Option<ReadCut>,
}

/// A range of adjacent lanes that contains all keys of a range. Indexes count the matching lanes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneBracket {
    /// The range, for example `/registry/pods/*`.
    pub range: String,
    /// The index of the first lane.
    pub first: u32,
    /// The index of the last lane.
    pub last: u32,
}

/// The lane of one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The key for display. Bytes that are not printable are escaped.
    pub name: String,
    /// Whether the key exists at the cursor.
    pub alive: bool,
    /// The key's generations with visible revisions, oldest first.
    pub threads: Vec<Thread>,
    /// The visible changes, oldest first; empty if there are bins.
    pub beads: Vec<Bead>,
    /// The number of changes per column, if the changes are too close to draw each.
    pub bins: Vec<Bin>,
}

/// A generation of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// The number of the generation, from 0. Unlike the position in etcd's list, this number never changes.
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
    /// The main revision: the transaction.
    pub main: i64,
    /// The sub-revision: the change inside the transaction.
    pub sub: i64,
    /// The state at the cursor.
    pub state: BeadState,
    /// Whether the step at the cursor made the change or removed its row.
    pub changed: bool,
    /// The start of the value; empty for a tombstone.
    pub label: String,
    /// The key's version after the change; 0 for a tombstone.
    pub version: i64,
}

/// The state of a change at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BeadState {
    /// The current value of the key.
    Live,
    /// A replaced value that is still readable at its revision.
    Superseded,
    /// A value at or before the compacted revision that reads still return, so its row stays.
    Kept,
    /// A compacted value whose row is not removed yet.
    Doomed,
    /// A value whose row is removed.
    Gone,
    /// A delete.
    Tombstone,
}

/// The changes of a lane in one pixel column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The column, from 0 at `rev_from`.
    pub column: u32,
    /// The number of changes.
    pub count: u32,
    /// The most important state among the changes.
    pub state: BeadState,
}

/// A transaction that changed several lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// The revision of the transaction.
    pub main: i64,
    /// The first changed lane, as an index into [`IndexView::lanes`].
    pub top: u32,
    /// The last changed lane, as an index into [`IndexView::lanes`].
    pub bottom: u32,
}

/// A read at one revision, drawn as a vertical line through all lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadCut {
    /// The revision of the read.
    pub revision: i64,
    /// The command, for example `get --rev=12`.
    pub label: String,
    /// The changes in visible lanes that the read returned.
    pub answers: Vec<ReadAnswer>,
    /// The error message of a refused read.
    pub refused: Option<String>,
    /// The number of keys found, including keys in other lanes.
    pub count: i64,
}

/// A change that a read returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadAnswer {
    /// The lane, as an index into [`IndexView::lanes`].
    pub lane: u32,
    /// The main revision.
    pub main: i64,
    /// The sub-revision.
    pub sub: i64,
}
