//! The database file of a member: its pages, the tree of the bucket `key`, and one page with its elements.

pub mod build;

use serde::{Deserialize, Serialize};

/// What to show of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageQuery {
    /// The first page of the strip.
    pub first: u64,
    /// The page whose elements are shown; `None` for the root of the bucket `key`.
    pub page: Option<u64>,
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
    /// The last commit, if the process made one.
    pub commit: Option<CommitView>,
    /// Rows that are in the batch and not in the file.
    pub batch_rows: u64,
    /// Time until the batch is committed, in microseconds; `None` when nothing is pending.
    pub commit_in_us: Option<u64>,
    /// The tree of the bucket `key`, from the root down. Empty when the rows are in the root page of all buckets.
    pub levels: Vec<LevelView>,
    /// The page that is shown whole.
    pub page: Option<PageView>,
}

/// Pages of the strip.
pub const PAGES_MAX: u64 = 256;
/// Pages of a level of the tree: the last ones, where new rows go.
pub const LEVEL_PAGES_MAX: usize = 24;
/// Elements of a page that are shown.
pub const ELEMENTS_MAX: usize = 200;

/// What a page is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageKind {
    /// One of the two meta pages.
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
    /// Its number.
    pub id: u64,
    /// What it is used for.
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
    /// The pages that were written, in the order of the writes; the last is the meta page.
    pub written: Vec<u64>,
    /// Bytes of the writes.
    pub bytes: u64,
    /// The pages that were freed.
    pub freed: Vec<u64>,
}

/// Pages at one depth of the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelView {
    /// The last pages, in key order.
    pub pages: Vec<TreePage>,
    /// Whether there are pages before them.
    pub has_more: bool,
}

/// A page of the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreePage {
    /// Its number.
    pub id: u64,
    /// Branch or leaf.
    pub kind: PageKind,
    /// Elements.
    pub count: u64,
    /// The first key: a revision such as `14.0`.
    pub first: String,
    /// Hundredths of the page that are in use.
    pub fill: u32,
    /// Whether the last commit wrote it.
    pub is_written: bool,
}

/// A page with its elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// Its number.
    pub id: u64,
    /// What it is used for.
    pub kind: PageKind,
    /// Pages behind it that belong to it.
    pub overflow: u64,
    /// Bytes of header, elements, keys and values.
    pub used_bytes: u64,
    /// Bytes of the page with its overflow pages.
    pub bytes: u64,
    /// Elements.
    pub count: u64,
    /// The first [`ELEMENTS_MAX`] elements, with the rows of inline buckets under each.
    pub elements: Vec<ElementView>,
    /// Of a meta page: its fields.
    pub fields: Vec<(String, String)>,
}

/// An element of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ElementView {
    /// The key, decoded: a revision, a bucket, a name.
    pub key: String,
    /// The value, decoded: key and value of the row, or the child page.
    pub value: String,
    /// The first bytes of the key, in hex.
    pub key_hex: String,
    /// Bytes of key and value.
    pub bytes: u64,
    /// The page that the element leads to.
    pub child: Option<u64>,
    /// Whether it is a row of the inline bucket above.
    pub is_nested: bool,
}
