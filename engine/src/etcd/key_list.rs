//! The keys that `etcdctl get --prefix -w json` prints, as a database file: the keys of a backup without a snapshot, or
//! a part of the keys of an etcd.
//!
//! The list has the newest row of each key, so the database is that of a store which was compacted at the revision of
//! the list. Left out: leases, members, the order of the changes in one revision, and everything else that a response
//! to a range does not contain.

use std::fmt;

use crate::api::{KeyValue, RangeRequest, Request, Response, gateway};
use crate::base::bytes::escape;
use crate::base::small_sort::SmallSort;
use crate::base::{Bytes, proto};
use crate::bbolt::node::FILL_SEQUENTIAL;
use crate::bbolt::{Db, Options, TxError};
use crate::mvcc::Revision;
use crate::words::database_file as words;

/// The first bytes of a list, after white space.
const START: &[u8] = b"{\"header\":";

/// The buckets of etcd in which the database has rows.
const BUCKETS: [&[u8]; 2] = [b"key", b"meta"];

/// The rows in meta that have the revision of the last compaction.
const COMPACTED: [&[u8]; 2] = [b"scheduledCompactRev", b"finishedCompactRev"];

/// The reason why a list is no database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyListError {
    /// The text is not a response to a range.
    NoResponse,
    /// The response has no revision.
    NoRevision,
    /// The response has only the first keys: it was limited.
    Limited,
    /// A key has no revision, or a revision above that of the response.
    Revision(Bytes),
    /// The list does not fit in a database of the simulator.
    Database(TxError),
}

impl fmt::Display for KeyListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoResponse => f.write_str(words::NO_KEY_LIST),
            Self::NoRevision => f.write_str(words::LIST_WITHOUT_REVISION),
            Self::Limited => f.write_str(words::LIMITED_LIST),
            Self::Revision(key) => f.write_str(&words::wrong_revision(&escape(key))),
            Self::Database(error) => error.fmt(f),
        }
    }
}

impl From<TxError> for KeyListError {
    fn from(error: TxError) -> Self {
        Self::Database(error)
    }
}

/// Returns true if a file begins as a list of keys does.
pub fn is_key_list(start: &[u8]) -> bool {
    start.trim_ascii_start().starts_with(START)
}

/// Returns the database file of a list.
///
/// ```
/// use watchglass_engine::etcd::key_list::{database_of, is_key_list};
/// let list = r#"{"header":{"revision":7},"kvs":[{"key":"YQ==","create_revision":3,"mod_revision":5,"version":2}]}"#;
/// assert!(is_key_list(list.as_bytes()));
/// assert!(database_of(list).is_ok());
/// assert!(database_of("{}").is_err());
/// ```
///
/// # Errors
/// Returns an error if the text is not the whole response to a range.
pub fn database_of(text: &str) -> Result<Vec<u8>, KeyListError> {
    let request = Request::Range(RangeRequest::default());
    let Some(Response::Range(range)) = gateway::response(&request, text) else {
        return Err(KeyListError::NoResponse);
    };
    let revision = range.header.revision;
    if revision < 1 {
        return Err(KeyListError::NoRevision);
    }
    let is_cut = !text.trim_ascii_end().ends_with('}');
    let is_counted = range.count != 0 && range.count != range.kvs.len() as i64;
    if range.more || is_cut || is_counted {
        return Err(KeyListError::Limited);
    }
    let mut keys: Vec<&KeyValue> = range.kvs.iter().collect();
    keys.small_sort_by(|a, b| (a.mod_revision, &a.key).cmp(&(b.mod_revision, &b.key)));
    let mut rows: Vec<(Bytes, Bytes)> = Vec::with_capacity(keys.len());
    let mut before = Revision::new(0, 0);
    for key in keys {
        if !(1..=revision).contains(&key.mod_revision) {
            return Err(KeyListError::Revision(key.key.clone()));
        }
        // A transaction writes several keys in one revision.
        let sub = match before.main == key.mod_revision {
            true => before.sub + 1,
            false => 0,
        };
        before = Revision::new(key.mod_revision, sub);
        let row = Bytes::from(proto::encode(key));
        rows.push((Bytes::from(before.encode().as_slice()), row));
    }
    let mut db = Db::new(Options::etcd_3_6());
    let mut tx = db.begin();
    for bucket in BUCKETS {
        tx.create_bucket(&[], bucket)?;
    }
    let compacted = Revision::new(revision, 0).encode();
    for name in COMPACTED {
        tx.put(&[b"meta"], name, compacted.as_slice())?;
    }
    tx.set_fill(&[b"key"], FILL_SEQUENTIAL)?;
    tx.append(&[b"key"], rows)?;
    db.commit(tx)?;
    let file = db.view().to_file();
    file.map_err(|damage| TxError::Damaged(damage).into())
}
