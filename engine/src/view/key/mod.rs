//! The key inspector: generations as drawing and as JSON, and one row down to its bytes.

pub mod build;

use serde::{Deserialize, Serialize};

/// The key, and the selected revision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyQuery {
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The revision whose row is wanted, main and sub; without it the newest one.
    pub revision: Option<(i64, i64)>,
}

/// The details of a key at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyView {
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The key for a person.
    pub name: String,
    /// Whether the index contains the key.
    pub indexed: bool,
    /// Whether the key exists at the cursor.
    pub alive: bool,
    /// The last change, e.g. `5.0`.
    pub modified: String,
    /// The generations, newest first, including forgotten generations, which are marked.
    pub generations: Vec<GenerationView>,
    /// The key index as etcd holds it, as `show key-index --json` prints it.
    pub json: String,
    /// The row asked for.
    pub row: Option<RowView>,
}

/// One life.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationView {
    /// The number of the generation, from 0.
    pub number: u32,
    /// Its place in etcd's list of generations; none when it was forgotten.
    pub place: Option<u32>,
    /// The number of changes in the generation.
    pub ver: i64,
    /// The first put, e.g. `2.0`.
    pub created: String,
    /// The changes, oldest first.
    pub revs: Vec<RevisionView>,
    /// Whether the generation is the current one of an existing key.
    pub alive: bool,
    /// The revision of its tombstone.
    pub ended: Option<i64>,
    /// The current value, when the key exists.
    pub value: Option<String>,
}

/// One change in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RevisionView {
    /// The transaction.
    pub main: i64,
    /// The sub-revision: the change inside the transaction.
    pub sub: i64,
    /// Whether the change is a delete.
    pub tombstone: bool,
    /// Whether the index has forgotten the change.
    pub forgotten: bool,
}

/// One row of the key bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowView {
    /// The transaction.
    pub main: i64,
    /// The sub-revision: the change inside the transaction.
    pub sub: i64,
    /// Whether the row is a tombstone.
    pub tombstone: bool,
    /// Whether the row is gone from the backend.
    pub gone: bool,
    /// `create_revision`, `mod_revision`, `version`, `value`, `lease` with their values.
    pub fields: Vec<(String, String)>,
    /// The bucket key: 17 bytes, or 18 for a tombstone.
    pub bucket_key: Vec<u8>,
    /// The parts of the bucket key.
    pub bucket_key_parts: Vec<FieldView>,
    /// The encoded `KeyValue`; at most the first 256 bytes of it.
    pub value: Vec<u8>,
    /// The full length of the value, in bytes.
    pub value_len: u32,
    /// The fields.
    pub value_parts: Vec<FieldView>,
}

/// A named stretch of bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldView {
    /// The name, e.g. `mod_revision`.
    pub name: String,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
    /// The displayed value, e.g. `3`.
    pub text: String,
}
