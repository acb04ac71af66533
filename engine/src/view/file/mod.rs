//! A database file from outside, before it is a world: what it says of itself, what takes its space, which keys change
//! most, and its values one by one.

pub mod build;
pub mod rows;
pub mod value;

use serde::{Deserialize, Serialize};

/// Groups, keys and leases of one list; what follows is summed up.
pub const LIST_MAX: usize = 200;
/// Keys with the most revisions.
pub const BUSY_KEYS_MAX: usize = 20;
/// Damages that are listed.
pub const DAMAGES_MAX: usize = 200;
/// Cells of the map of pages.
pub const MAP_CELLS_MAX: u64 = 384;
/// Bytes of a value that are shown.
pub const VALUE_BYTES_MAX: usize = 64 << 10;

/// What is known of a file once all of it is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileOverview {
    /// The name.
    pub name: String,
    /// Bytes of the file, including the SHA-256 at the end.
    pub bytes: u64,
    /// SHA-256 of the pages: of a good snapshot what stands at its end.
    pub sha256: [u8; 32],
    /// Whether the SHA-256 at the end is that of the pages; `None` when the file has none.
    pub trailer_matches: Option<bool>,
    /// The two meta pages: `None` for a valid one, or what is wrong with it.
    pub metas: [Option<String>; 2],
    /// The transaction that the file is of.
    pub txid: u64,
    /// `hash` as `snapshot status` prints it; `None` when not every page could be read.
    pub hash: Option<u32>,
    /// The revision of the newest row; 0 without rows.
    pub revision: i64,
    /// The compacted revision, if any.
    pub compacted: Option<i64>,
    /// A compaction that was scheduled and not finished.
    pub scheduled: Option<i64>,
    /// Row `consistent_index` of the bucket `meta`.
    pub consistent_index: Option<u64>,
    /// Row `term` of the bucket `meta`, which etcd 3.5 and later write.
    pub term: Option<u64>,
    /// Row `storageVersion` of the bucket `meta`, which etcd 3.6 and later write; otherwise empty.
    pub storage_version: String,
    /// The etcd that a world of this file gets: `3.4` or `3.6`.
    pub profile: String,
    /// Keys that exist at the newest revision.
    pub keys: u64,
    /// Rows of the bucket `key`.
    pub rows: u64,
    /// Rows that are deletes.
    pub tombstones: u64,
    /// Rows of all buckets: `totalKey` of `snapshot status`.
    pub total_keys: u64,
    /// The space by purpose.
    pub space: FileSpace,
    /// The buckets, in the file's order.
    pub buckets: Vec<FileBucket>,
    /// The groups below the empty prefix.
    pub prefixes: PrefixList,
    /// The keys with the most revisions.
    pub busy: Vec<PrefixRow>,
    /// The leases with the most keys.
    pub leases: Vec<FileLease>,
    /// The number of leases.
    pub lease_count: u64,
    /// Keys that have a lease.
    pub attached_keys: u64,
    /// Keys that name a lease which the file does not have.
    pub lost_leases: u64,
    /// The damages of the pages.
    pub damages: Vec<String>,
    /// The number of further damages.
    pub more_damages: u64,
    /// Why no world can be made of the file, if none can.
    pub refusal: Option<String>,
}

/// Pages and bytes of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSpace {
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Pages of the database.
    pub pages: u64,
    /// Branch pages.
    pub branch: u64,
    /// Leaf pages.
    pub leaf: u64,
    /// Pages that belong to the branch or leaf page before.
    pub overflow: u64,
    /// Meta pages and pages of the stored free list.
    pub meta: u64,
    /// Free pages.
    pub free: u64,
    /// Pages that no valid link reaches and that are not free.
    pub not_reached: u64,
    /// Bytes of the newest rows of the keys that exist.
    pub newest_bytes: u64,
    /// Bytes of all other rows of the bucket `key`.
    pub older_bytes: u64,
    /// For each of up to [`MAP_CELLS_MAX`] runs of pages, in file order, hundredths that are free.
    pub map: Vec<u8>,
    /// The number of pages per cell of the map.
    pub map_pages: u64,
}

impl FileSpace {
    /// Bytes of the database.
    pub fn bytes(&self) -> u64 {
        self.pages * self.page_bytes
    }

    /// Bytes of the free pages.
    pub fn free_bytes(&self) -> u64 {
        self.free * self.page_bytes
    }

    /// Bytes of pages in use that hold no row of the bucket `key`: headers, other buckets, room to grow.
    pub fn other_bytes(&self) -> u64 {
        let counted = self.free_bytes() + self.newest_bytes + self.older_bytes;
        self.bytes().saturating_sub(counted)
    }
}

/// A bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileBucket {
    /// The name.
    pub name: String,
    /// The number of rows.
    pub rows: u64,
    /// Bytes of the keys and values.
    pub bytes: u64,
}

/// A lease.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileLease {
    /// The id.
    pub id: i64,
    /// The granted TTL, in seconds.
    pub ttl_s: i64,
    /// The remaining time at the last checkpoint, in seconds; 0 without a checkpoint.
    pub remaining_s: i64,
    /// The number of attached keys.
    pub keys: u64,
}

/// The keys that begin with a prefix, grouped by what follows up to the next `/`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrefixList {
    /// The prefix.
    pub prefix: Vec<u8>,
    /// The groups with the most bytes.
    pub rows: Vec<PrefixRow>,
    /// All other groups together, and how many.
    pub others: Option<(u64, PrefixRow)>,
}

/// The rows of the keys of one group, or of one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrefixRow {
    /// The prefix of the group, or the key.
    pub prefix: Vec<u8>,
    /// The same as text.
    pub text: String,
    /// Whether the entry is a single key.
    pub is_key: bool,
    /// Keys that exist.
    pub keys: u64,
    /// Of a key: its generations, as far as the rows show them.
    pub generations: u64,
    /// Rows that are the newest of a key that exists.
    pub newest_rows: u64,
    /// All other rows.
    pub older_rows: u64,
    /// Bytes of the newest rows.
    pub newest_bytes: u64,
    /// Bytes of the others.
    pub older_bytes: u64,
    /// The newest revision.
    pub revision: i64,
}

impl PrefixRow {
    /// All rows.
    pub fn rows(&self) -> u64 {
        self.newest_rows + self.older_rows
    }

    /// Bytes of all rows.
    pub fn bytes(&self) -> u64 {
        self.newest_bytes + self.older_bytes
    }
}

/// The newest row of a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredValue {
    /// The key.
    pub key: Vec<u8>,
    /// The key as text.
    pub text: String,
    /// The revision of the last change.
    pub revision: i64,
    /// Whether that was a delete.
    pub is_deleted: bool,
    /// The create revision.
    pub create_revision: i64,
    /// The number of puts in the generation.
    pub version: i64,
    /// The lease, 0 for none.
    pub lease: i64,
    /// Bytes of the value.
    pub bytes: u64,
    /// Whether it is a Secret of Kubernetes, whose value is left out until it is asked for.
    pub is_hidden: bool,
    /// The first bytes of the value.
    pub value: Vec<u8>,
    /// The Kubernetes envelope around an object in protobuf form.
    pub object: Option<KubeEnvelope>,
    /// Whether an API server has encrypted it.
    pub is_encrypted: bool,
}

/// An object of Kubernetes in protobuf form: what stands around it, and its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KubeEnvelope {
    /// The group and version, such as `apps/v1`.
    pub api_version: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
    /// The namespace; empty for an object without one.
    pub namespace: String,
    /// The name.
    pub name: String,
}
