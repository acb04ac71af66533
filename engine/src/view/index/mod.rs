//! The Index view: one lane per key, x is the revision, generations are threads of beads.
//!
//! Lanes are in the order in which their keys were created, so that a new key moves no lane, or in the order of the
//! keys' bytes, as in etcd's index, so that the keys of a range stand together.

pub mod build;
mod lanes;

use serde::{Deserialize, Serialize};

/// What part of the picture is visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexQuery {
    /// The first lane wanted, among those that match the filter.
    pub first_lane: u32,
    /// How many lanes.
    pub lane_count: u32,
    /// The first revision wanted.
    pub rev_from: i64,
    /// The last one.
    pub rev_to: i64,
    /// Columns of pixels for these revisions; with fewer than 2 per revision come bins.
    pub columns: u32,
    /// Only keys that contain this text.
    pub filter: String,
    /// The order of the lanes.
    pub order: LaneOrder,
    /// The watcher whose range is the bracket; without one the last range read is.
    pub watcher: Option<u64>,
    /// Rows of pixels that the overview of all lanes has; 0 for no overview.
    pub overview_rows: u32,
}

/// The order of the lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaneOrder {
    /// The order in which their keys first appeared: nothing is ever re-sorted while time runs.
    #[default]
    Creation,
    /// The order of the keys' bytes.
    Key,
}

/// The picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexView {
    /// The query it answers.
    pub query: IndexQuery,
    /// The store's revision at the cursor.
    pub head: i64,
    /// The store's revision at the end of the run: how far the axis must reach.
    pub end: i64,
    /// The oldest readable revision; -1 when never compacted.
    pub compact_revision: i64,
    /// Lanes there are at the cursor.
    pub lanes_total: u32,
    /// Lanes that match the filter.
    pub lanes_matching: u32,
    /// The place, among the lanes that match, of the one that was changed last; `None` when that one does not match.
    pub written: Option<u32>,
    /// The lanes wanted.
    pub lanes: Vec<Lane>,
    /// The lanes that a range of keys covers; only by key, and only when there are any.
    pub bracket: Option<LaneBracket>,
    /// Changes in the revisions wanted, for each row of the overview of all lanes that match. With fewer lanes than
    /// rows each lane has a row.
    pub overview: Vec<u32>,
    /// Transactions that changed several of these lanes.
    pub joins: Vec<Join>,
    /// The read that the step at the cursor was, when it was one.
    pub read: Option<ReadCut>,
}

/// The lanes that a range of keys covers: by key they are contiguous. Places count the lanes that match the filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneBracket {
    /// The range, e.g. `/registry/pods/*`.
    pub range: String,
    /// The place of the first lane.
    pub first: u32,
    /// The place of the last lane.
    pub last: u32,
}

/// One key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The key for a person, with what is not printable escaped.
    pub name: String,
    /// Whether the key exists at the cursor.
    pub alive: bool,
    /// Its lives that reach into the visible revisions, oldest first.
    pub threads: Vec<Thread>,
    /// Its changes there, oldest first; empty when there are bins.
    pub beads: Vec<Bead>,
    /// Changes per column, when they are too close to be drawn one by one.
    pub bins: Vec<Bin>,
}

/// One life of a key: a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Which life it is, from 0; unlike the place in etcd's list it never changes.
    pub number: u32,
    /// Changes in it so far, as etcd's `ver` counts them.
    pub ver: i64,
    /// The revision of its first put.
    pub first: i64,
    /// The revision of its tombstone, or of its last put while it lives.
    pub last: i64,
    /// Whether it lives at the cursor.
    pub alive: bool,
    /// Whether a compaction has removed all of it.
    pub forgotten: bool,
}

/// One change of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bead {
    /// The transaction.
    pub main: i64,
    /// The change inside it.
    pub sub: i64,
    /// How it stands at the cursor.
    pub state: BeadState,
    /// Whether the step at the cursor made it or changed its state.
    pub changed: bool,
    /// The start of its value; empty for a tombstone.
    pub label: String,
    /// The key's version after it; 0 for a tombstone.
    pub version: i64,
}

/// How a change stands at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BeadState {
    /// The key's present value.
    Live,
    /// Replaced, but readable at its revision.
    Superseded,
    /// At or before the compact revision and kept, because it still answers reads.
    Kept,
    /// A compaction has covered it; its row is still to be removed.
    Doomed,
    /// Its row is gone.
    Gone,
    /// A delete.
    Tombstone,
}

/// The changes of a lane that fall into one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The column, from 0 at `rev_from`.
    pub column: u32,
    /// Changes in it.
    pub count: u32,
    /// The most notable of them.
    pub state: BeadState,
}

/// One transaction that changed several lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// Its revision.
    pub main: i64,
    /// The first of its lanes, as a position in [`IndexView::lanes`].
    pub top: u32,
    /// The last of them.
    pub bottom: u32,
}

/// A read: a straight cut through all lanes at one revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadCut {
    /// The revision it read at.
    pub revision: i64,
    /// What asked, e.g. `get --rev=12`.
    pub label: String,
    /// The beads that answered, among the visible lanes.
    pub answers: Vec<ReadAnswer>,
    /// Why it was refused, when it was.
    pub refused: Option<String>,
    /// How many keys it found, visible or not.
    pub count: i64,
}

/// One bead that answered a read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadAnswer {
    /// Position in [`IndexView::lanes`].
    pub lane: u32,
    /// The bead's transaction.
    pub main: i64,
    /// The change inside it.
    pub sub: i64,
}
