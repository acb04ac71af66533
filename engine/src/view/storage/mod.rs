//! The Storage view: the pages of a member's database file, the two indexes that locate a row, and the bytes of one
//! page.
//!
//! To read a key, etcd first searches the tree index for the key's newest revision. The tree index is in memory and
//! sorted by key. Then etcd reads the row of this revision from the bucket `key` of the file, which is sorted by
//! revision.

pub mod build;
mod index;
mod page;
mod strip;
mod touched;
mod tree;

use serde::{Deserialize, Serialize};

use super::key::{FieldView, KeyQuery};
use super::metrics::MetricsView;

/// The part of the file to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageQuery {
    /// A page that the strip must include. The strip is a row of adjacent pages that the view displays.
    pub first: u64,
    /// The page whose details to return. `None` selects the page that contains the followed row.
    pub page: Option<u64>,
    /// The element of the selected page whose bytes to return. `None` selects the followed row.
    pub element: Option<u32>,
    /// The row to follow from the tree index to the row's bytes in the file. `None` selects the first row that the read
    /// at the cursor returned or, if the command at the cursor is not a read, the newest put.
    pub row: Option<KeyQuery>,
    /// Whether to return the member's metrics.
    pub has_metrics: bool,
}

/// The Storage view of a database file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageView {
    /// The size of a page, in bytes.
    pub page_bytes: u64,
    /// The size of the database in bytes, including free pages.
    pub bytes: u64,
    /// The size of the used pages in bytes, including pending pages.
    pub bytes_in_use: u64,
    /// The file size after a `defrag`, in bytes. `None` if the file has more than [`DEFRAG_BYTES_MAX`] bytes, if the
    /// batch is large, or if a snapshot is open.
    pub bytes_after_defrag: Option<u64>,
    pub page_count: u64,
    pub free: u64,
    /// The number of pages that the next commit frees, unless an open snapshot still uses them.
    pub pending: u64,
    /// The transaction IDs of open snapshots, oldest first.
    pub readers: Vec<u64>,
    /// The transaction ID of the file's newest commit.
    pub txid: u64,
    /// The strip: at most [`PAGES_MAX`] adjacent pages, including the requested page. The first page number is a
    /// multiple of [`PAGES_MAX`].
    pub pages: Vec<PageCell>,
    /// The last commit; `None` if the running process has not committed.
    pub commit: Option<CommitView>,
    /// The pages that the read at the cursor needs or, if the command at the cursor is not a read, the pages that the
    /// last commit wrote; `None` if there are no such pages.
    pub touched: Option<TouchedPages>,
    /// The quota of the database file, in bytes; `None` if the member's quota is unknown.
    pub quota_bytes: Option<u64>,
    /// Whether the member has the alarm `NOSPACE`, so that it refuses requests that need space.
    pub has_no_space: bool,
    /// The number of rows in the batch that the next commit writes to the file.
    pub batch_rows: u64,
    /// The number of rows that the next commit removes from the file.
    pub batch_removes: u64,
    /// The newest rows of the batch in the bucket `key`, at most [`ROWS_MAX`].
    pub batch: Vec<RowMark>,
    /// The time until the next commit, in microseconds; `None` if the batch is empty.
    pub commit_in_us: Option<u64>,
    /// The part of the tree index near the followed row; `None` while the process is not running.
    pub index: Option<IndexRow>,
    /// The levels of the bucket `key`'s tree, from the root down. For an inline bucket, this is only the page that
    /// contains the bucket.
    pub levels: Vec<LevelView>,
    /// The path to the followed row; `None` if there is no row.
    pub path: Option<RowPath>,
    /// The page whose details the view shows.
    pub page: Option<PageView>,
    /// The member's metrics, if the query requests them.
    pub metrics: Option<MetricsView>,
}

/// The maximum number of pages in the strip.
pub const PAGES_MAX: u64 = 256;
/// The maximum number of pages in [`TouchedPages::pages`].
pub const TOUCHED_MAX: usize = 64;
/// The maximum number of rows of a read whose pages are counted.
pub const TOUCHED_ROWS_MAX: usize = 4_096;
/// The maximum number of pages of one tree level in the view. The view contains the pages near the followed row.
pub const LEVEL_PAGES_MAX: usize = 24;
/// The maximum number of rows of one leaf in the view. The view contains the rows near the followed row.
pub const ROWS_MAX: usize = 32;
/// The maximum number of keys of the tree index in the view. The view contains the keys near the followed row's key.
pub const KEYS_MAX: usize = 32;
/// The maximum number of elements of one page in the view.
pub const ELEMENTS_MAX: usize = 200;
/// The maximum number of bytes of one element in the view.
pub const BYTES_MAX: usize = 512;
/// The maximum size of a file, in bytes. For larger files, the view omits the size after `defrag`.
pub const DEFRAG_BYTES_MAX: u64 = 512 * 1024;
/// The maximum size of a key, in bytes. Longer keys are omitted to limit the size of the view.
pub const KEY_BYTES_MAX: usize = 512;

/// What a page of a database file is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageKind {
    /// A meta page, which names the root page of the newest commit.
    Meta,
    /// A page that stores the list of free pages. Files of etcd have no such page, because etcd does not store this
    /// list.
    Freelist,
    /// A branch page, which stores the keys and page numbers of child pages.
    Branch,
    /// A leaf page, which stores keys and values.
    Leaf,
    /// An overflow page, which continues the page before it.
    Overflow,
    /// A page that a commit freed but that is not reusable yet, because an open snapshot can still read the page.
    Pending,
    #[default]
    Free,
}

/// A page in the strip, which is the displayed row of adjacent pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageCell {
    pub id: u64,
    pub kind: PageKind,
    /// Whether the last commit wrote the page.
    pub is_written: bool,
}

/// The pages of the file that a read or a commit touched. A page that follows the page before it in the file is
/// sequential; every other page is random.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TouchedPages {
    pub by: TouchedBy,
    /// The first pages in order, at most [`TOUCHED_MAX`]. A page can occur several times.
    pub pages: Vec<TouchedPage>,
    /// The numbers of all sequential and random pages.
    pub sequential: u64,
    pub random: u64,
    /// The number of rows of a read; only the pages of the first [`TOUCHED_ROWS_MAX`] rows are counted. 0 for a commit.
    pub rows: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TouchedBy {
    #[default]
    Read,
    Commit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedPage {
    pub id: u64,
    pub kind: PageKind,
    pub is_sequential: bool,
}

/// A commit of the member's backend to the database file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommitView {
    /// The time of the commit on the member's clock, in microseconds.
    pub at_us: u64,
    /// The number of puts and deletes in the batch.
    pub operations: u64,
    /// For each write of the commit, in the order of the writes: the number of the first page that was written. The
    /// last entry is the meta page.
    pub written: Vec<u64>,
    pub bytes: u64,
    pub freed: Vec<u64>,
}

/// Adjacent keys of the tree index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexRow {
    /// The keys of this part of the index, in order.
    pub keys: Vec<IndexKey>,
    /// Whether the index contains keys before the keys in this list.
    pub has_before: bool,
    /// Whether the index contains keys after the keys in this list.
    pub has_after: bool,
    /// The number of keys in the whole index, including deleted keys.
    pub total: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexKey {
    /// The bytes of the key; empty for a key longer than [`KEY_BYTES_MAX`].
    pub key: Vec<u8>,
    /// The key as text, for display.
    pub name: String,
    /// The newest revision, as a main revision and a sub-revision.
    pub revision: (i64, i64),
    /// Whether the newest revision is a delete.
    pub is_deleted: bool,
    /// The leaf that contains the row of the newest revision; `None` while the row is only in the batch.
    pub leaf: Option<u64>,
}

/// A row of the bucket `key`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowMark {
    /// The bytes of the key; empty for a key longer than [`KEY_BYTES_MAX`].
    pub key: Vec<u8>,
    /// The revision, as a main revision and a sub-revision.
    pub revision: (i64, i64),
    pub state: RowState,
}

/// The state of a row, compared with the other rows of its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowState {
    /// The newest row of an existing key.
    Newest,
    /// A row that is not the newest row of its key.
    #[default]
    Older,
    Tombstone,
    /// A row that a compaction removed. The next commit removes the row from the file.
    Removed,
    /// Unknown, because the process is not running and the index in memory is lost.
    Unknown,
}

/// One level of the tree, as pages from left to right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelView {
    /// The pages in key order, around the followed row.
    pub pages: Vec<TreePage>,
    /// Whether the level contains pages before the pages in this list.
    pub has_before: bool,
    /// Whether the level contains pages after the pages in this list.
    pub has_after: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreePage {
    pub id: u64,
    /// The kind: branch or leaf.
    pub kind: PageKind,
    /// Whether the bucket is inline. An inline bucket has no separate pages. In this case, the page is the leaf page
    /// that lists all buckets, and `rows` are the rows of the bucket `key`.
    pub is_inline: bool,
    pub count: u64,
    pub overflow: u64,
    /// The first key of the page, as a revision such as `14.0`.
    pub first: String,
    /// The used part of the page, in percent.
    pub fill: u32,
    /// Whether the last commit wrote the page.
    pub is_written: bool,
    /// For a leaf, the rows near the followed row, or the last rows if no row is followed.
    pub rows: Vec<RowMark>,
    /// The index of the first row of `rows` among all rows of the leaf.
    pub rows_from: u64,
}

/// The path to a row: from the tree index through the pages of the bucket's tree to the bytes of the row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowPath {
    pub key: Vec<u8>,
    /// The key as text, for display.
    pub name: String,
    /// The revision of the row, as a main revision and a sub-revision.
    pub revision: (i64, i64),
    pub state: RowState,
    /// The pages from the root of the tree to the leaf; empty while the row is only in the batch.
    pub pages: Vec<u64>,
    /// The position of the row in the file; `None` while the row is only in the batch.
    pub place: Option<RowPlace>,
    /// The size of the row's value in the bucket, which is a protobuf `KeyValue`, in bytes.
    pub value_bytes: u64,
    /// The fields of the row's value, in order, each as a name and a value: `key`, `create_revision`, …
    pub fields: Vec<(String, String)>,
}

/// The position of a row in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowPlace {
    /// The index of the row's element in the leaf.
    pub element: u32,
    /// The offset of the row's key in the file, in bytes.
    pub offset: u64,
    /// The page that contains this offset: the leaf, or one of its overflow pages.
    pub page: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    pub id: u64,
    pub kind: PageKind,
    /// The bucket that the page belongs to; empty for the page that lists all buckets, and for pages outside buckets.
    pub bucket: String,
    pub overflow: u64,
    /// The number of bytes used for the header, elements, keys and values.
    pub used_bytes: u64,
    /// The size of the page in bytes, including overflow pages.
    pub bytes: u64,
    pub count: u64,
    /// The first elements of the page. If the page contains an inline bucket, its rows are included.
    pub elements: Vec<ElementView>,
    /// The 16 bytes of the page header, with the names of the fields; empty for a page without valid content.
    pub header: BytesView,
    /// The fields of a meta page, each as a name and a value; empty for other pages.
    pub fields: Vec<(String, String)>,
    /// The index in `elements` of the chosen element, whose bytes are shown.
    pub chosen: Option<u32>,
    /// The bytes of the key of the chosen element.
    pub key: BytesView,
    /// The bytes of the value of the chosen element.
    pub value: BytesView,
}

/// Bytes of the file, with the names of their parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BytesView {
    /// The offset in the file at which these bytes start.
    pub offset: u64,
    /// The first bytes, at most [`BYTES_MAX`].
    pub bytes: Vec<u8>,
    /// The total number of bytes, including the bytes that `bytes` does not contain.
    pub total: u64,
    /// The parts of the bytes, each with its name and position.
    pub parts: Vec<FieldView>,
}

/// An element of a page, such as a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ElementView {
    /// The key as text: a revision in the bucket `key`.
    pub key: String,
    /// The decoded value as text, if the format is known.
    pub value: String,
    /// The size of the key and value, in bytes.
    pub bytes: u64,
    /// The number of the page to which the element points, for a branch element or a bucket with separate pages.
    pub child: Option<u64>,
    /// Whether the element belongs to the inline bucket that precedes the element.
    pub is_nested: bool,
}
