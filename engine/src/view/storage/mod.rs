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
mod tree;

use serde::{Deserialize, Serialize};

use super::key::{FieldView, KeyQuery};

/// The part of the file to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageQuery {
    /// The first page of the strip.
    pub first: u64,
    /// The page to show in detail. `None` selects the page with the followed row.
    pub page: Option<u64>,
    /// The element of this page whose bytes to show. `None` selects the followed row.
    pub element: Option<u32>,
    /// The row to follow from the index to its bytes. `None` selects the newest put.
    pub row: Option<KeyQuery>,
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
    /// The number of pages in the database.
    pub page_count: u64,
    /// The number of free pages.
    pub free: u64,
    /// The number of pages that the next commit frees, unless an open snapshot still uses them.
    pub pending: u64,
    /// The transaction IDs of open snapshots, oldest first.
    pub readers: Vec<u64>,
    /// The transaction ID of the file.
    pub txid: u64,
    /// The strip: [`PAGES_MAX`] pages, starting at the requested page.
    pub pages: Vec<PageCell>,
    /// The last commit; `None` if the process has not committed.
    pub commit: Option<CommitView>,
    /// The number of rows in the batch that are not in the file yet.
    pub batch_rows: u64,
    /// The number of rows in the file that the batch removes.
    pub batch_removes: u64,
    /// The newest rows of the batch in the bucket `key`, at most [`ROWS_MAX`].
    pub batch: Vec<RowMark>,
    /// The time until the next commit, in microseconds; `None` if the batch is empty.
    pub commit_in_us: Option<u64>,
    /// The keys in memory; `None` while the process is not running.
    pub index: Option<IndexRow>,
    /// The levels of the tree for the bucket `key`, from the root down. For an inline bucket, the page that contains
    /// the bucket.
    pub levels: Vec<LevelView>,
    /// The path to the followed row; `None` if there is no row.
    pub path: Option<RowPath>,
    /// The page shown in detail.
    pub page: Option<PageView>,
}

/// The number of pages in the strip.
pub const PAGES_MAX: u64 = 256;
/// The maximum number of pages in a tree level, near the followed row.
pub const LEVEL_PAGES_MAX: usize = 24;
/// The maximum number of rows in a leaf, near the followed row.
pub const ROWS_MAX: usize = 16;
/// The maximum number of keys from the tree index, near the followed key.
pub const KEYS_MAX: usize = 32;
/// The maximum number of elements of a page.
pub const ELEMENTS_MAX: usize = 200;
/// The maximum number of bytes of an element.
pub const BYTES_MAX: usize = 512;
/// The maximum size of a file for which to compute the size after `defrag`, in bytes.
pub const DEFRAG_BYTES_MAX: u64 = 512 * 1024;
/// The maximum size of a key in a mark, in bytes. Longer keys are omitted to limit the size of the view.
pub const KEY_BYTES_MAX: usize = 512;

/// The use of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageKind {
    /// A meta page.
    Meta,
    /// The stored list of free pages. etcd does not store this list.
    Freelist,
    /// The keys and page numbers of child pages.
    Branch,
    /// Keys and values.
    Leaf,
    /// A continuation of the previous page.
    Overflow,
    /// Freed by a commit, but not reusable while an open snapshot can read the page.
    Pending,
    /// A free page.
    #[default]
    Free,
}

/// A page in the strip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageCell {
    /// The page number.
    pub id: u64,
    /// The purpose of the page.
    pub kind: PageKind,
    /// Whether the last commit wrote the page.
    pub is_written: bool,
}

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommitView {
    /// The member's time, in microseconds.
    pub at_us: u64,
    /// The number of puts and deletes in the batch.
    pub operations: u64,
    /// The first page of each write, in the order of the writes. The last is the meta page.
    pub written: Vec<u64>,
    /// The number of bytes written.
    pub bytes: u64,
    /// The pages that this commit freed.
    pub freed: Vec<u64>,
}

/// Adjacent keys of the tree index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexRow {
    /// The keys, in order.
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
    /// The key's bytes; empty for keys longer than [`KEY_BYTES_MAX`].
    pub key: Vec<u8>,
    /// The key as text.
    pub name: String,
    /// The newest revision, main and sub.
    pub revision: (i64, i64),
    /// Whether the newest revision is a delete.
    pub is_deleted: bool,
    /// The leaf that contains the row of the newest revision; `None` while the row is only in the batch.
    pub leaf: Option<u64>,
}

/// A row of the bucket `key`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowMark {
    /// The key; empty for keys longer than [`KEY_BYTES_MAX`].
    pub key: Vec<u8>,
    /// The revision, main and sub.
    pub revision: (i64, i64),
    /// The state of the row.
    pub state: RowState,
}

/// The state of a row compared with other rows of its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowState {
    /// The newest row of an existing key.
    Newest,
    /// A row with a newer row of the same key.
    #[default]
    Older,
    /// A tombstone.
    Tombstone,
    /// A row that a compaction removed. The next commit removes the row from the file.
    Removed,
    /// Unknown, because the process is not running and the index in memory is lost.
    Unknown,
}

/// A level of the tree, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelView {
    /// The pages in key order, around the followed row.
    pub pages: Vec<TreePage>,
    /// Whether more pages precede these pages.
    pub has_before: bool,
    /// Whether more pages follow these pages.
    pub has_after: bool,
}

/// A page of the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreePage {
    /// The page number.
    pub id: u64,
    /// The kind: branch or leaf.
    pub kind: PageKind,
    /// Whether the bucket is inline. If so, this is the leaf page of all buckets, and the rows are those of the bucket
    /// `key`.
    pub is_inline: bool,
    /// The number of elements.
    pub count: u64,
    /// The number of overflow pages.
    pub overflow: u64,
    /// The first key, a revision such as `14.0`.
    pub first: String,
    /// The used part of the page, in percent.
    pub fill: u32,
    /// Whether the last commit wrote the page.
    pub is_written: bool,
    /// For a leaf, the rows near the followed row, or the last rows if no row is followed.
    pub rows: Vec<RowMark>,
    /// The index of the first of these rows in the leaf.
    pub rows_from: u64,
}

/// The path to a row: from the tree index through the pages of the tree to the row's bytes.
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
    /// The pages from the root of the tree to the leaf; empty while the row is only in the batch.
    pub pages: Vec<u64>,
    /// The position of the row in the file; `None` while the row is only in the batch.
    pub place: Option<RowPlace>,
    /// The size of the value in the bucket (a protobuf `KeyValue`), in bytes.
    pub value_bytes: u64,
    /// The fields of the value, in order: `key`, `create_revision`, …
    pub fields: Vec<(String, String)>,
}

/// The position of a row in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowPlace {
    /// The index of the element in its leaf.
    pub element: u32,
    /// The offset of the row's key in the file, in bytes.
    pub offset: u64,
    /// The page that contains this offset: the leaf, or one of its overflow pages.
    pub page: u64,
}

/// A page with its elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// The page number.
    pub id: u64,
    /// The use of the page.
    pub kind: PageKind,
    /// The bucket of the page; empty for the page of all buckets and for pages outside buckets.
    pub bucket: String,
    /// The number of overflow pages.
    pub overflow: u64,
    /// The number of bytes used for the header, elements, keys and values.
    pub used_bytes: u64,
    /// The size of the page in bytes, including overflow pages.
    pub bytes: u64,
    /// The number of elements.
    pub count: u64,
    /// The first elements, including the rows of inline buckets.
    pub elements: Vec<ElementView>,
    /// The 16 bytes of the header, with the names of its fields; empty for a page without valid content.
    pub header: BytesView,
    /// The fields of a meta page.
    pub fields: Vec<(String, String)>,
    /// The index in `elements` of the element whose bytes are shown.
    pub chosen: Option<u32>,
    /// The bytes of the chosen element's key.
    pub key: BytesView,
    /// The bytes of the chosen element's value.
    pub value: BytesView,
}

/// Bytes of the file, with the names of their parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BytesView {
    /// The offset in the file, in bytes.
    pub offset: u64,
    /// The first [`BYTES_MAX`] bytes.
    pub bytes: Vec<u8>,
    /// The number of bytes.
    pub total: u64,
    /// The named parts.
    pub parts: Vec<FieldView>,
}

/// An element of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ElementView {
    /// The key as text: a revision in the bucket `key`.
    pub key: String,
    /// The decoded value as text, if the format is known.
    pub value: String,
    /// The size of the key and value, in bytes.
    pub bytes: u64,
    /// The page that the element points to, for a branch element or a bucket with separate pages.
    pub child: Option<u64>,
    /// Whether the element belongs to the inline bucket above.
    pub is_nested: bool,
}
