//! The kinds of values, and the fields of each kind of record.

use std::fmt;

/// The kinds of values of an expression, apart from `nothing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Int,
    /// Bytes.
    Text,
    /// True or false.
    Bool,
    /// A revision: the number of the transaction, and the number of the change inside the transaction.
    Revision,
    /// A list of values of one kind.
    List(&'static Kind),
    /// A record: a value with fields.
    Record(RecordKind),
    /// A kind that depends on the value.
    Any,
}

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// The store: its revisions, its numbers of keys and rows, and its time.
    Store,
    /// A row of the bucket `key`.
    Row,
    /// A key's entry in the index.
    KeyIndex,
    /// One generation of a key.
    Generation,
    /// A key with its value, as a client receives it.
    KeyValue,
    /// The last request to the member, and its response.
    Last,
    /// A watch and its received responses.
    Watch,
    /// An event that reached a watch.
    Event,
    /// A sync pass over the unsynced watchers.
    Sweep,
}

const REVISIONS: Kind = Kind::List(&Kind::Revision);
pub(super) const KVS: Kind = Kind::List(&Kind::Record(RecordKind::KeyValue));
pub(super) const ROWS: Kind = Kind::List(&Kind::Record(RecordKind::Row));
pub(super) const SWEEPS: Kind = Kind::List(&Kind::Record(RecordKind::Sweep));
const GENERATIONS: Kind = Kind::List(&Kind::Record(RecordKind::Generation));
const EVENTS: Kind = Kind::List(&Kind::Record(RecordKind::Event));
const KV: Kind = Kind::Record(RecordKind::KeyValue);

impl RecordKind {
    /// Returns the fields of the kind.
    pub fn fields(self) -> &'static [(&'static str, Kind)] {
        use Kind::{Bool, Int, Revision, Text};
        match self {
            Self::Store => &[
                ("rev", Int),
                ("compact_rev", Int),
                ("keys", Int),
                ("rows", Int),
                ("time_ms", Int),
            ],
            Self::Row => &[
                ("main", Int),
                ("sub", Int),
                ("tombstone", Bool),
                ("key", Text),
                ("value", Text),
                ("created", Int),
                ("mod", Int),
                ("ver", Int),
            ],
            Self::KeyIndex => &[("modified", Revision), ("gens", GENERATIONS)],
            Self::Generation => &[("ver", Int), ("created", Revision), ("revs", REVISIONS)],
            Self::KeyValue => &[
                ("key", Text),
                ("value", Text),
                ("create_revision", Int),
                ("mod_revision", Int),
                ("version", Int),
                ("lease", Int),
            ],
            Self::Last => &[
                ("op", Text),
                ("outcome", Text),
                ("error", Text),
                ("key", Text),
                ("range_end", Text),
                ("rev", Int),
                ("kvs", KVS),
                ("count", Int),
                ("deleted", Int),
                ("backward_jumps", Int),
                ("header_rev", Int),
            ],
            Self::Watch => &[
                ("state", Text),
                ("start_rev", Int),
                ("min_rev", Int),
                ("events", EVENTS),
                ("compact_rev", Int),
                ("reason", Text),
                ("was_victim", Bool),
                ("waiting", Int),
                ("missing", Int),
                ("twice", Int),
                ("known", Int),
                ("progress", Int),
                ("progress_every_ms", Int),
                ("waits", Int),
                ("wait_mean_ms", Int),
                ("wait_max_ms", Int),
            ],
            Self::Event => &[
                ("kind", Text),
                ("created", Bool),
                ("kv", KV),
                ("prev_kv", KV),
            ],
            Self::Sweep => &[
                ("picked", Int),
                ("from", Int),
                ("to", Int),
                ("rows", Int),
                ("synced", Int),
                ("victims", Int),
                ("remaining", Int),
            ],
        }
    }
}

impl Kind {
    /// Returns true if a value of one kind can equal a value of the other kind.
    pub(super) fn compares_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) => true,
            (Self::Int | Self::Revision, Self::Int | Self::Revision) => true,
            (Self::List(a), Self::List(b)) => a.compares_with(*b),
            (a, b) => a == b,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int => "a number",
            Self::Text => "a text",
            Self::Bool => "true or false",
            Self::Revision => "a revision",
            Self::List(_) => "a list",
            Self::Record(_) => "a thing with fields",
            Self::Any => "anything",
        })
    }
}
