//! Lists of the keys of an imported file, deleted keys included: a filter, an order, and the keys that match.

use serde::{Deserialize, Serialize};

use super::KubeEnvelope;
use super::writers::Changes;
use crate::mvcc::Revision;

/// Which keys a list or a script contains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFilter {
    /// A part of the key. Upper and lower case are equal.
    pub text: String,
    /// Whether to include only keys that are deleted at the newest revision.
    pub is_deleted: bool,
}

impl KeyFilter {
    pub(super) fn matches(&self, key: &[u8], is_deleted: bool) -> bool {
        let text = self.text.as_bytes();
        (is_deleted || !self.is_deleted)
            && (text.is_empty()
                || key
                    .windows(text.len())
                    .any(|part| part.eq_ignore_ascii_case(text)))
    }
}

/// The order of a list of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyOrder {
    /// The keys with the most writes that the history covers first, then those with the most stored revisions.
    #[default]
    Writes,
    /// The keys with the most writes since their creation first.
    Version,
    /// The keys with the largest newest values first.
    Size,
    /// The keys with the newest changes first.
    Newest,
    /// The order of the keys.
    Key,
}

impl KeyOrder {
    /// All orders.
    pub const ALL: [Self; 5] = [
        Self::Writes,
        Self::Version,
        Self::Size,
        Self::Newest,
        Self::Key,
    ];
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyListQuery {
    pub filter: KeyFilter,
    pub order: KeyOrder,
    /// The maximum number of keys in the list.
    pub limit: u32,
}

/// The first keys that match a query, in its order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyList {
    pub query: KeyListQuery,
    pub rows: Vec<KeyRow>,
    /// The number of keys that match.
    pub matches: u64,
    /// The number of deleted keys that match.
    pub deleted: u64,
}

/// A key with its history in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyRow {
    pub key: Vec<u8>,
    pub text: String,
    pub is_deleted: bool,
    /// The revision of the last change.
    pub revision: i64,
    /// The revision of the last value; `None` if the file contains no value of the key.
    pub value_revision: Option<Revision>,
    /// The version of the last value: the number of puts in its generation.
    pub version: i64,
    /// The size of the last value, in bytes.
    pub bytes: u64,
    /// The number of the key's generations that have rows in the file.
    pub generations: u64,
    /// The number of the key's rows in the file.
    pub revisions: u64,
    pub changes: Changes,
    /// The Kubernetes object that the last value encodes.
    pub object: Option<KubeEnvelope>,
    pub is_encrypted: bool,
}
