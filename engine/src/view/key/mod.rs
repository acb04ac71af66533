//! The key inspector shows the generations of a key, as a drawing and as JSON, and the bytes of one row.

pub mod build;

use serde::{Deserialize, Serialize};

/// The key to inspect, and the selected revision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyQuery {
    pub key: Vec<u8>,
    /// The revision whose row to return, as a main revision and a sub-revision. `None` selects the newest row.
    pub revision: Option<(i64, i64)>,
}

/// The details of a key at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyView {
    pub key: Vec<u8>,
    pub name: String,
    pub indexed: bool,
    /// Whether the key exists at the cursor.
    pub alive: bool,
    /// The revision of the last change as text, for example `5.0`.
    pub modified: String,
    /// The generations, newest first. Generations that a compaction removed from the index are included and marked.
    pub generations: Vec<GenerationView>,
    /// The number of the empty generation that the last tombstone appended. The next put of the key is added to this
    /// generation.
    pub empty: Option<u32>,
    /// The key index in JSON, in the format of `show key-index --json`.
    pub json: String,
    pub row: Option<RowView>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationView {
    /// The number of the generation, from 0.
    pub number: u32,
    /// The position in etcd's list of generations; `None` if a compaction has removed the generation from the index.
    pub place: Option<u32>,
    pub ver: i64,
    /// The revision of the first put, for example `2.0`.
    pub created: String,
    /// The changes, oldest first.
    pub revs: Vec<RevisionView>,
    /// Whether this generation is the current generation of an existing key.
    pub alive: bool,
    /// The revision of the tombstone.
    pub ended: Option<i64>,
    /// The current value of the key, if the key exists.
    pub value: Option<String>,
}

/// A change of the key, as an entry in the generation's list of revisions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RevisionView {
    /// The main revision, which identifies the transaction.
    pub main: i64,
    /// The sub-revision, which is the index of the change in the transaction.
    pub sub: i64,
    pub tombstone: bool,
    /// Whether a compaction has removed the change from the index.
    pub forgotten: bool,
}

/// A row of the bucket `key`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowView {
    /// The main revision, which identifies the transaction.
    pub main: i64,
    /// The sub-revision, which is the index of the change in the transaction.
    pub sub: i64,
    pub tombstone: bool,
    /// Whether the row is removed from the backend.
    pub gone: bool,
    /// The row's fields `create_revision`, `mod_revision`, `version`, `value` and `lease`, each as a name and a value.
    pub fields: Vec<(String, String)>,
    /// The row's key in the bucket: 17 bytes, or 18 bytes for a tombstone.
    pub bucket_key: Vec<u8>,
    /// The named parts of the bucket key, with their positions.
    pub bucket_key_parts: Vec<FieldView>,
    /// The first 256 bytes of the encoded `KeyValue`.
    pub value: Vec<u8>,
    /// The full length of the value, in bytes.
    pub value_len: u32,
    /// The fields of the encoded `KeyValue`, with their positions.
    pub value_parts: Vec<FieldView>,
}

/// A named range of bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldView {
    /// The name, for example `mod_revision`.
    pub name: String,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
    /// The value of these bytes for display, for example `3`.
    pub text: String,
}
