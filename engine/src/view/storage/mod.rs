//! The database file of a member: its pages, the two indexes that lead to a row, and one page with its bytes.
//!
//! A read finds the newest revision of a key in the tree index, which is in memory and ordered by key, and the row of
//! that revision in the bucket `key` of the file, which is ordered by revision.

pub mod build;
mod index;
mod page;
mod strip;
mod tree;

use serde::{Deserialize, Serialize};

use super::key::{FieldView, KeyQuery};

/// What to show of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageQuery {
    /// The first page of the strip.
    pub first: u64,
    /// The page whose elements are shown; `None` for the one with the row that is followed.
    pub page: Option<u64>,
    /// The element of that page whose bytes are shown; `None` for the row that is followed.
    pub element: Option<u32>,
    /// The row that is followed from index to bytes; `None` for the newest put.
    pub row: Option<KeyQuery>,
}

/// A database file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageView {
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Bytes of the database, free pages included.
    pub bytes: u64,
    /// Bytes of the pages in use; pending pages count.
    pub bytes_in_use: u64,
    /// Bytes that `defrag` would leave; `None` for a file of more than [`DEFRAG_BYTES_MAX`], with a large batch, and
    /// while a snapshot is open.
    pub bytes_after_defrag: Option<u64>,
    /// Pages of the database.
    pub page_count: u64,
    /// Free pages.
    pub free: u64,
    /// Pages that the next commit frees, unless a reader still sees them.
    pub pending: u64,
    /// The transactions that open snapshots see, oldest first.
    pub readers: Vec<u64>,
    /// The transaction that the file is of.
    pub txid: u64,
    /// The strip: [`PAGES_MAX`] pages from the asked one on.
    pub pages: Vec<PageCell>,
    /// The last commit, if the process has committed.
    pub commit: Option<CommitView>,
    /// Rows that are in the batch and not in the file.
    pub batch_rows: u64,
    /// Rows of the file that the batch removes.
    pub batch_removes: u64,
    /// The newest of them in the bucket `key`, at most [`ROWS_MAX`].
    pub batch: Vec<RowMark>,
    /// Time until the batch is committed, in microseconds; `None` when nothing is pending.
    pub commit_in_us: Option<u64>,
    /// The keys in memory; `None` when the process does not run.
    pub index: Option<IndexRow>,
    /// The tree of the bucket `key`, from the root down. Of an inline bucket: the page around it.
    pub levels: Vec<LevelView>,
    /// The way of the row that is followed; `None` when there is no row.
    pub path: Option<RowPath>,
    /// The page that is shown whole.
    pub page: Option<PageView>,
}

/// Pages of the strip.
pub const PAGES_MAX: u64 = 256;
/// Pages of a level of the tree, around the row that is followed.
pub const LEVEL_PAGES_MAX: usize = 24;
/// Rows of a leaf, around the row that is followed.
pub const ROWS_MAX: usize = 16;
/// Keys of the tree index, around the key that is followed.
pub const KEYS_MAX: usize = 32;
/// Elements of a page that are shown.
pub const ELEMENTS_MAX: usize = 200;
/// Bytes of an element that are shown.
pub const BYTES_MAX: usize = 512;
/// A larger file is not defragmented to see what that would leave.
pub const DEFRAG_BYTES_MAX: u64 = 512 * 1024;
/// Keys of more bytes are left out of marks, so that a picture stays small.
pub const KEY_BYTES_MAX: usize = 512;

/// The use of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageKind {
    /// A meta page.
    Meta,
    /// The stored list of free pages; etcd stores none.
    Freelist,
    /// Keys and numbers of child pages.
    Branch,
    /// Keys and values.
    Leaf,
    /// Belongs to the page before.
    Overflow,
    /// Freed by a commit, and not free while a reader may see it.
    Pending,
    /// Free.
    #[default]
    Free,
}

/// A page in the strip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageCell {
    /// The number.
    pub id: u64,
    /// The use of the page.
    pub kind: PageKind,
    /// Whether the last commit wrote it.
    pub is_written: bool,
}

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommitView {
    /// The member's time, in microseconds.
    pub at_us: u64,
    /// Puts and deletes in the batch.
    pub operations: u64,
    /// The first page of each write, in the order of the writes; the meta page is last.
    pub written: Vec<u64>,
    /// Bytes written.
    pub bytes: u64,
    /// Pages that this commit freed.
    pub freed: Vec<u64>,
}

/// Keys of the tree index, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexRow {
    /// The keys that are shown.
    pub keys: Vec<IndexKey>,
    /// Whether keys precede the first key.
    pub has_before: bool,
    /// Whether keys follow the last key.
    pub has_after: bool,
    /// The number of keys, including deleted keys.
    pub total: u64,
}

/// A key of the tree index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexKey {
    /// The key's bytes; empty when there are more than [`KEY_BYTES_MAX`].
    pub key: Vec<u8>,
    /// The key as text.
    pub name: String,
    /// The newest revision, main and sub.
    pub revision: (i64, i64),
    /// That revision is a delete.
    pub is_deleted: bool,
    /// The leaf with the row of that revision; `None` while the row is in the batch only.
    pub leaf: Option<u64>,
}

/// A row of the bucket `key`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowMark {
    /// The key of the change; empty when it has more than [`KEY_BYTES_MAX`] bytes.
    pub key: Vec<u8>,
    /// The revision, main and sub.
    pub revision: (i64, i64),
    /// The state of the row.
    pub state: RowState,
}

/// The state of a row, relative to its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowState {
    /// The newest row of a key that exists.
    Newest,
    /// A newer row of the key follows.
    #[default]
    Older,
    /// A delete.
    Tombstone,
    /// Removed by a compaction: the next commit takes it out of the file.
    Removed,
    /// Not known: the process does not run, and the index is gone with it.
    Unknown,
}

/// A level of the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelView {
    /// The pages in key order, around the followed row.
    pub pages: Vec<TreePage>,
    /// Whether pages before these are not shown.
    pub has_before: bool,
    /// Whether pages behind these are not shown.
    pub has_after: bool,
}

/// A page of the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreePage {
    /// The number.
    pub id: u64,
    /// Branch or leaf.
    pub kind: PageKind,
    /// The bucket is inline: this is the leaf page of all buckets, and the rows are those of the bucket `key`.
    pub is_inline: bool,
    /// Elements.
    pub count: u64,
    /// The number of overflow pages.
    pub overflow: u64,
    /// The first key, a revision such as `14.0`.
    pub first: String,
    /// The used part, in percent.
    pub fill: u32,
    /// Whether the last commit wrote the page.
    pub is_written: bool,
    /// Rows of a leaf, around the one that is followed, else the last ones.
    pub rows: Vec<RowMark>,
    /// The place of the first of them in the leaf.
    pub rows_from: u64,
}

/// The way of one row: from the tree index through the pages of the tree to its bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowPath {
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The key as text.
    pub name: String,
    /// The row's revision, main and sub.
    pub revision: (i64, i64),
    /// The state of the row.
    pub state: RowState,
    /// The pages from the root of the tree to the leaf; empty while the row is in the batch only.
    pub pages: Vec<u64>,
    /// Where the row is in the file; `None` while it is in the batch only.
    pub place: Option<RowPlace>,
    /// Bytes of the value in the bucket, a protobuf `KeyValue`.
    pub value_bytes: u64,
    /// The fields of the value, in order: `key`, `create_revision`, …
    pub fields: Vec<(String, String)>,
}

/// The position of a row in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowPlace {
    /// The index of the element in its leaf.
    pub element: u32,
    /// Where its key begins, in bytes from the start of the file.
    pub offset: u64,
    /// The page that has this byte: the leaf, or one of its overflow pages.
    pub page: u64,
}

/// A page with its elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// The number.
    pub id: u64,
    /// The use of the page.
    pub kind: PageKind,
    /// The bucket that it belongs to; empty for the page of all buckets and for pages of no bucket.
    pub bucket: String,
    /// The number of overflow pages.
    pub overflow: u64,
    /// Bytes of the page that header, elements, keys and values take.
    pub used_bytes: u64,
    /// Bytes of the page, overflow included.
    pub bytes: u64,
    /// Elements.
    pub count: u64,
    /// The first of them; the rows of inline buckets are among them.
    pub elements: Vec<ElementView>,
    /// The header's 16 bytes, with their names; empty for a page whose content has no meaning any more.
    pub header: BytesView,
    /// The fields of a meta page.
    pub fields: Vec<(String, String)>,
    /// The index in `elements` of the element whose bytes are shown.
    pub chosen: Option<u32>,
    /// The key.
    pub key: BytesView,
    /// The value.
    pub value: BytesView,
}

/// Bytes of the file, and what they mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BytesView {
    /// The offset in the file, in bytes.
    pub offset: u64,
    /// The first [`BYTES_MAX`] bytes.
    pub bytes: Vec<u8>,
    /// The number of bytes.
    pub total: u64,
    /// Stretches with a name.
    pub parts: Vec<FieldView>,
}

/// An element of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ElementView {
    /// The key as text: a revision in the bucket `key`.
    pub key: String,
    /// The value as text, where it is known how to read it.
    pub value: String,
    /// Bytes of key and value.
    pub bytes: u64,
    /// The page it leads to, for a branch or a bucket with pages of its own.
    pub child: Option<u64>,
    /// It belongs to the inline bucket above it.
    pub is_nested: bool,
}
