//! A search through all keys of an imported file, in steps. The result is the first keys of an order, a table of all
//! keys, or a script that writes the last value of each key.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::build::{FileSummary, KeyAt};
use super::csv;
use super::key_list::{KeyFilter, KeyList, KeyListQuery, KeyRow};
use super::put_script::PutScript;
use crate::base::Bytes;
use crate::bbolt::File;
use crate::words::file as words;

/// The number of keys that one step visits.
const KEYS_AT_ONCE: usize = 1_000;
/// When the values that one step reads have this size in bytes, the step ends.
const BYTES_AT_ONCE: usize = 1 << 20;
/// The cost of reading one value from a file of the host, as a number of bytes.
const READ_BYTES: usize = 64 << 10;
/// The maximum size of a table or a script, in bytes.
pub(super) const SAVED_BYTES_MAX: usize = 256 << 20;

/// A search with its position and its result so far.
#[derive(Debug)]
pub struct KeySearch {
    filter: KeyFilter,
    /// The last visited key.
    after: Option<Bytes>,
    result: Growing,
}

#[derive(Debug)]
enum Growing {
    List {
        list: KeyList,
        /// The first keys in the order of the query, each with its rank and the number of keys that matched before.
        first: BTreeMap<(Rank, u64), Bytes>,
    },
    Table(String),
    Script(PutScript),
}

type Rank = Reverse<(i64, u64)>;

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    List(KeyList),
    File(Vec<u8>),
    /// The table or script would be too large, or there is nothing to write.
    Refused(String),
}

impl KeySearch {
    pub fn list(query: KeyListQuery) -> Self {
        Self {
            filter: query.filter.clone(),
            after: None,
            result: Growing::List {
                list: KeyList {
                    query,
                    ..KeyList::default()
                },
                first: BTreeMap::new(),
            },
        }
    }

    /// Creates a search for a table of comma-separated values.
    pub fn table(filter: KeyFilter) -> Self {
        Self {
            filter,
            after: None,
            result: Growing::Table(csv::line(KeyRow::COLUMNS.iter().copied())),
        }
    }

    /// Creates a search for a script, with the name of the file and its newest revision in the head.
    pub fn script(filter: KeyFilter, file: &str, revision: i64) -> Self {
        let script = PutScript::new(&words::script_head(file, revision));
        Self {
            filter,
            after: None,
            result: Growing::Script(script),
        }
    }

    pub fn is_list(&self) -> bool {
        matches!(self.result, Growing::List { .. })
    }

    /// Visits the next keys. Returns true if no keys remain.
    pub fn step(&mut self, summary: &FileSummary, file: &File) -> bool {
        let mut bytes = 0;
        for _ in 0..KEYS_AT_ONCE {
            let result = &mut self.result;
            let next = summary.visit(self.after.as_ref(), 1, &self.filter, |key| {
                bytes += result.meet(&key, file);
            });
            self.after = next;
            if self.after.is_none() || self.result.len() > SAVED_BYTES_MAX {
                return true;
            }
            if bytes > BYTES_AT_ONCE {
                break;
            }
        }
        false
    }

    pub fn finish(self, summary: &FileSummary, file: &File) -> Found {
        let is_too_large = self.result.len() > SAVED_BYTES_MAX;
        match self.result {
            Growing::List { mut list, first } => {
                let rows = first.values();
                list.rows = rows.filter_map(|key| summary.key_row(file, key)).collect();
                Found::List(list)
            }
            _ if is_too_large => Found::Refused(words::saved_too_large(SAVED_BYTES_MAX >> 20)),
            Growing::Table(text) => Found::File(text.into_bytes()),
            Growing::Script(script) if script.is_empty() => {
                Found::Refused(words::NO_VALUES.to_owned())
            }
            Growing::Script(script) => Found::File(script.into_bytes()),
        }
    }
}

impl Growing {
    fn len(&self) -> usize {
        match self {
            Self::List { .. } => 0,
            Self::Table(text) => text.len(),
            Self::Script(script) => script.len(),
        }
    }

    /// Adds a key. Returns the number of bytes that were read.
    fn meet(&mut self, key: &KeyAt<'_>, file: &File) -> usize {
        match self {
            Self::List { list, first } => {
                let limit = list.query.limit as usize;
                let place = (key.rank(list.query.order), list.matches);
                list.matches += 1;
                list.deleted += u64::from(key.is_deleted());
                let is_full = first.len() >= limit;
                let last = first.last_key_value().map(|(last, _)| *last);
                if is_full && last.is_none_or(|last| place > last) {
                    return 0;
                }
                first.insert(place, key.key.clone());
                if is_full {
                    first.pop_last();
                }
                return 0;
            }
            Self::Table(text) => text.push_str(&key.row(file).to_csv()),
            Self::Script(script) => {
                if let Some(value) = key.last_value(file) {
                    script.put(key.key, &value);
                }
            }
        }
        READ_BYTES + key.value_bytes()
    }
}

impl KeyRow {
    const COLUMNS: [&str; 15] = [
        "key",
        "is_deleted",
        "revision",
        "value_revision",
        "version",
        "value_bytes",
        "generations",
        "stored_revisions",
        "writes",
        "writes_without_change",
        "writes_of_times_only",
        "api_version",
        "kind",
        "namespace",
        "name",
    ];

    fn to_csv(&self) -> String {
        let object = self.object.clone().unwrap_or_default();
        let number = |n: u64| n.to_string();
        csv::line([
            &*csv::safe(&self.text),
            if self.is_deleted { "1" } else { "0" },
            &self.revision.to_string(),
            &self
                .value_revision
                .map_or_else(String::new, |at| at.main.to_string()),
            &self.version.to_string(),
            &number(self.bytes),
            &number(self.generations),
            &number(self.revisions),
            &number(self.changes.writes),
            &number(self.changes.same),
            &number(self.changes.only_times),
            &*csv::safe(&object.api_version),
            &*csv::safe(&object.kind),
            &*csv::safe(&object.namespace),
            &*csv::safe(&object.name),
        ])
    }
}
