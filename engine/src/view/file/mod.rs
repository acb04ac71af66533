//! The view of an imported database file before a run starts from the file: the metadata, the use of space, the
//! writers, the keys, and the values of a key that the file contains.

pub mod before;
pub mod build;
pub mod comparison;
pub mod comparison_run;
pub mod csv;
pub mod difference;
mod fields;
pub mod key_list;
mod largest;
pub mod maintenance;
pub mod maintenance_run;
mod maintenance_script;
pub mod put_script;
pub mod rows;
pub mod search;
pub mod value;
pub mod writers;

use serde::{Deserialize, Serialize};

use crate::etcd::FileIdentity;
use crate::mvcc::Revision;
use writers::{Changes, WritersView};

/// The maximum number of groups, keys or leases in a list. The view shows the rest as a sum.
pub const LIST_MAX: usize = 200;
/// The maximum number of damaged places that the view lists.
pub const DAMAGES_MAX: usize = 200;
/// The maximum number of cells in the page map.
pub const MAP_CELLS_MAX: u64 = 384;
pub const VALUE_BYTES_MAX: usize = 64 << 10;

/// The overview of a file, available after the whole file is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileOverview {
    pub name: String,
    /// The size of the file in bytes, including the SHA-256 hash at the end.
    pub bytes: u64,
    /// The SHA-256 hash of the pages. An intact snapshot stores the same hash at its end.
    pub sha256: [u8; 32],
    /// Whether the hash at the end of the file is equal to the hash of the pages; `None` if the file ends without a
    /// hash.
    pub trailer_matches: Option<bool>,
    /// The error in each of the two meta pages; `None` for a valid page.
    pub metas: [Option<String>; 2],
    /// The ID of the newest transaction in the file.
    pub txid: u64,
    /// The hash that `snapshot status` prints; `None` if a page cannot be read.
    pub hash: Option<u32>,
    /// The revision of the newest row; 0 if there are no rows.
    pub revision: i64,
    /// The compact revision, if the store was ever compacted.
    pub compacted: Option<i64>,
    /// The revision of a scheduled compaction that did not finish; `None` if all compactions finished.
    pub scheduled: Option<i64>,
    /// The value of the row `consistent_index` in the bucket `meta`.
    pub consistent_index: Option<u64>,
    /// The value of the row `term` in the bucket `meta`, which etcd 3.5 and later write.
    pub term: Option<u64>,
    /// The value of the row `storageVersion` in the bucket `meta`, which etcd 3.6 and later write. Empty if there is no
    /// such row.
    pub storage_version: String,
    /// The etcd version of a run that starts from this file: `3.4` or `3.6`.
    pub profile: String,
    /// The number of keys that exist at the newest revision.
    pub keys: u64,
    /// The number of rows in the bucket `key`.
    pub rows: u64,
    /// The number of tombstones among the rows of the bucket `key`.
    pub tombstones: u64,
    /// The number that `snapshot status` of the file's version prints as `totalKey`: the live keys since 3.6, and the
    /// rows in all buckets before.
    pub total_keys: u64,
    /// What the space of the file is used for.
    pub space: FileSpace,
    /// The buckets, in the order of the file.
    pub buckets: Vec<FileBucket>,
    /// The groups of keys below a prefix with at least 95 % of the bytes.
    pub prefixes: PrefixList,
    pub writers: WritersView,
    /// The number of values that were decrypted.
    pub decrypted: u64,
    /// The leases with the most keys.
    pub leases: Vec<FileLease>,
    pub lease_count: u64,
    /// The number of keys whose lease the file contains.
    pub attached_keys: u64,
    /// The number of keys whose lease the file does not contain.
    pub lost_leases: u64,
    /// The descriptions of the damage in the pages, one for each damaged place, at most [`DAMAGES_MAX`].
    pub damages: Vec<String>,
    /// The number of damaged places that are not in `damages`.
    pub more_damages: u64,
    /// The reason why no run can start from this file; `None` if a run can start from it.
    pub refusal: Option<String>,
}

impl FileOverview {
    /// Returns the identity of the file, by which a run names its file.
    pub fn identity(&self) -> FileIdentity {
        FileIdentity {
            name: self.name.as_str().into(),
            bytes: self.bytes,
            sha256: self.sha256,
        }
    }
}

/// What the space of a file is used for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSpace {
    pub page_bytes: u64,
    pub pages: u64,
    pub branch: u64,
    pub leaf: u64,
    /// The number of overflow pages, which continue a branch or leaf page.
    pub overflow: u64,
    /// The number of meta pages and of pages that store the free list.
    pub meta: u64,
    pub free: u64,
    /// The number of unreachable pages, which are neither free nor the target of a valid link.
    pub not_reached: u64,
    /// The size of the newest rows of all existing keys, in bytes.
    pub newest_bytes: u64,
    /// The size of all rows in the bucket `key` that are not the newest row of an existing key, in bytes.
    pub older_bytes: u64,
    /// The page map, in file order. Each cell contains the percentage of its pages that are free. At most
    /// [`MAP_CELLS_MAX`] cells.
    pub map: Vec<u8>,
    /// The number of pages that one cell of the map represents.
    pub map_pages: u64,
}

impl FileSpace {
    pub fn bytes(&self) -> u64 {
        self.pages * self.page_bytes
    }

    pub fn free_bytes(&self) -> u64 {
        self.free * self.page_bytes
    }

    /// Returns the number of bytes that are in used pages, but not in rows of the bucket `key`: page headers, other
    /// buckets and unused space.
    pub fn other_bytes(&self) -> u64 {
        let counted = self.free_bytes() + self.newest_bytes + self.older_bytes;
        self.bytes().saturating_sub(counted)
    }
}

/// A bucket of an imported database file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileBucket {
    pub name: String,
    pub rows: u64,
    /// The size of the keys and values, in bytes.
    pub bytes: u64,
}

/// A lease in an imported database file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileLease {
    pub id: i64,
    /// The granted TTL, in seconds.
    pub ttl_s: i64,
    /// The remaining time at the last checkpoint, in seconds; 0 without a checkpoint.
    pub remaining_s: i64,
    /// The number of keys attached to the lease.
    pub keys: u64,
}

/// The keys with a prefix, grouped by the text between the prefix and the next `/`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrefixList {
    /// The prefix that all keys have in common.
    pub prefix: Vec<u8>,
    /// The groups with the most bytes, largest first.
    pub rows: Vec<PrefixRow>,
    /// The number of groups that `rows` omits and the sum of their counts; `None` if no group is omitted.
    pub others: Option<(u64, PrefixRow)>,
}

/// The rows of one key, or of all keys in a group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrefixRow {
    /// The prefix of the group, or the key.
    pub prefix: Vec<u8>,
    pub text: String,
    pub is_key: bool,
    pub keys: u64,
    /// The number of rows that are the newest row of an existing key.
    pub newest_rows: u64,
    /// The number of rows that are not the newest row of an existing key.
    pub older_rows: u64,
    pub newest_bytes: u64,
    /// The size of the rows that are not the newest row of an existing key, in bytes.
    pub older_bytes: u64,
    /// The newest revision.
    pub revision: i64,
    pub changes: Changes,
}

impl PrefixRow {
    pub fn rows(&self) -> u64 {
        self.newest_rows + self.older_rows
    }

    /// Returns the size of all rows in bytes.
    pub fn bytes(&self) -> u64 {
        self.newest_bytes + self.older_bytes
    }
}

/// A revision of a key that the file contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRevision {
    pub revision: Revision,
    pub is_delete: bool,
}

/// A value of a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredValue {
    pub key: Vec<u8>,
    pub text: String,
    /// The revision of the value; `None` if the file contains no value of the key.
    pub at: Option<Revision>,
    /// The revision at which the key was deleted; `None` for a live key.
    pub deleted: Option<i64>,
    /// The key's revisions in the file, newest first, at most [`LIST_MAX`].
    pub revisions: Vec<KeyRevision>,
    /// The number of the key's revisions in the file.
    pub revision_count: u64,
    pub create_revision: i64,
    /// The number of puts in the key's generation.
    pub version: i64,
    /// The lease of the key; 0 for none.
    pub lease: i64,
    /// The size of the value, in bytes.
    pub bytes: u64,
    /// Whether the content is omitted because the value is a Kubernetes Secret and the query does not request Secrets.
    pub is_hidden: bool,
    /// The first bytes of the value.
    pub value: Vec<u8>,
    /// The object as JSON, if all of its fields are known; empty for other values and for long objects.
    pub json: String,
    /// The fields of an object in protobuf encoding by their numbers, if not all of them are known.
    pub fields: String,
    /// The type and the name of the Kubernetes object that the value encodes.
    pub object: Option<KubeEnvelope>,
    /// Whether an API server has encrypted the value.
    pub is_encrypted: bool,
}

/// The type and the name of a Kubernetes object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KubeEnvelope {
    /// The group and version, such as `apps/v1`.
    pub api_version: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
    /// The namespace; empty for an object without one.
    pub namespace: String,
    pub name: String,
}
