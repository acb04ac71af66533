//! The kinds of values, and the fields of each kind of record.

use std::fmt;

use crate::words::FieldNoun;
use crate::words::expr as words;

/// The kinds of values of an expression, apart from `nothing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    /// A text, which can contain any bytes.
    Text,
    Bool,
    /// A revision: the number of the transaction, and the number of the change inside the transaction.
    Revision,
    List(&'static Kind),
    /// A record: a value with fields.
    Record(RecordKind),
    /// A kind that is known only when the expression is evaluated.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// The store: its revisions, the numbers of its keys and rows, and the simulated time.
    Store,
    /// A row of the bucket `key`.
    Row,
    /// A key's entry in the index.
    KeyIndex,
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
    SyncPass,
    /// An API server's cache of one resource.
    Cache,
    /// The last request of `kubectl`, and its response.
    Request,
    /// A rule of etcd QoS.
    QosRule,
    /// A class of etcd QoS.
    QosClass,
    /// The requests of a load.
    Load,
}

pub(super) const TEXTS: Kind = Kind::List(&Kind::Text);
const REVISIONS: Kind = Kind::List(&Kind::Revision);
pub(super) const KVS: Kind = Kind::List(&Kind::Record(RecordKind::KeyValue));
pub(super) const ROWS: Kind = Kind::List(&Kind::Record(RecordKind::Row));
pub(super) const SYNC_PASSES: Kind = Kind::List(&Kind::Record(RecordKind::SyncPass));
pub(super) const QOS_RULES: Kind = Kind::List(&Kind::Record(RecordKind::QosRule));
const GENERATIONS: Kind = Kind::List(&Kind::Record(RecordKind::Generation));
const EVENTS: Kind = Kind::List(&Kind::Record(RecordKind::Event));
const KV: Kind = Kind::Record(RecordKind::KeyValue);

impl RecordKind {
    /// Returns the name and the kind of each field, and the noun that describes the field in texts.
    pub fn fields(self) -> &'static [(&'static str, Kind, FieldNoun)] {
        use Kind::{Bool, Int, Revision, Text};
        match self {
            Self::Store => &[
                ("rev", Int, FieldNoun::Revision),
                ("compact_rev", Int, FieldNoun::CompactedRevision),
                ("keys", Int, FieldNoun::KeyCount),
                ("rows", Int, FieldNoun::RowCount),
                ("leases", Int, FieldNoun::LeaseCount),
                ("time_ms", Int, FieldNoun::Time),
                ("file_percent", Int, FieldNoun::FileShare),
                ("used_percent", Int, FieldNoun::UsedShare),
                ("is_full", Bool, FieldNoun::AlarmFlag),
            ],
            Self::Row => &[
                ("main", Int, FieldNoun::Revision),
                ("sub", Int, FieldNoun::SubRevision),
                ("tombstone", Bool, FieldNoun::Tombstone),
                ("key", Text, FieldNoun::Key),
                ("value", Text, FieldNoun::Value),
                ("created", Int, FieldNoun::CreateRevision),
                ("mod", Int, FieldNoun::ModRevision),
                ("ver", Int, FieldNoun::ChangeCount),
                ("lease", Int, FieldNoun::Lease),
            ],
            Self::KeyIndex => &[
                ("modified", Revision, FieldNoun::Modified),
                ("gens", GENERATIONS, FieldNoun::Generations),
            ],
            Self::Generation => &[
                ("ver", Int, FieldNoun::ChangeCount),
                ("created", Revision, FieldNoun::CreateRevision),
                ("revs", REVISIONS, FieldNoun::Revisions),
            ],
            Self::KeyValue => &[
                ("key", Text, FieldNoun::Key),
                ("value", Text, FieldNoun::Value),
                ("create_revision", Int, FieldNoun::CreateRevision),
                ("mod_revision", Int, FieldNoun::ModRevision),
                ("version", Int, FieldNoun::Version),
                ("lease", Int, FieldNoun::Lease),
            ],
            Self::Last => &[
                ("op", Text, FieldNoun::Operation),
                ("outcome", Text, FieldNoun::Outcome),
                ("error", Text, FieldNoun::Error),
                ("key", Text, FieldNoun::Key),
                ("range_end", Text, FieldNoun::RangeEnd),
                ("rev", Int, FieldNoun::Revision),
                ("kvs", KVS, FieldNoun::Keys),
                ("count", Int, FieldNoun::KeyCount),
                ("deleted", Int, FieldNoun::DeletedCount),
                ("backward_jumps", Int, FieldNoun::BackwardJumps),
                ("header_rev", Int, FieldNoun::HeaderRevision),
            ],
            Self::Watch => &[
                ("state", Text, FieldNoun::State),
                ("key", Text, FieldNoun::Key),
                ("range_end", Text, FieldNoun::RangeEnd),
                ("start_rev", Int, FieldNoun::StartRevision),
                ("min_rev", Int, FieldNoun::NextRevision),
                ("events", EVENTS, FieldNoun::Events),
                ("compact_rev", Int, FieldNoun::CompactedRevision),
                ("reason", Text, FieldNoun::Reason),
                ("was_victim", Bool, FieldNoun::WasVictim),
                ("waiting", Int, FieldNoun::WaitingResponses),
                ("missing", Int, FieldNoun::MissingEvents),
                ("twice", Int, FieldNoun::Twice),
                ("known", Int, FieldNoun::KnownRevision),
                ("progress", Int, FieldNoun::ProgressNotifications),
                ("progress_every_ms", Int, FieldNoun::ProgressInterval),
                ("waits", Int, FieldNoun::Waits),
                ("wait_mean_ms", Int, FieldNoun::MeanWait),
                ("wait_max_ms", Int, FieldNoun::LongestWait),
            ],
            Self::Event => &[
                ("kind", Text, FieldNoun::Kind),
                ("created", Bool, FieldNoun::CreateFlag),
                ("kv", KV, FieldNoun::KeyValue),
                ("prev_kv", KV, FieldNoun::PreviousKeyValue),
            ],
            Self::SyncPass => &[
                ("picked", Int, FieldNoun::Picked),
                ("from", Int, FieldNoun::From),
                ("to", Int, FieldNoun::To),
                ("rows", Int, FieldNoun::RowCount),
                ("synced", Int, FieldNoun::Synced),
                ("victims", Int, FieldNoun::Victims),
                ("remaining", Int, FieldNoun::Remaining),
            ],
            Self::Cache => &[
                ("rv", Int, FieldNoun::Revision),
                ("behind", Int, FieldNoun::Behind),
                ("missing", Int, FieldNoun::MissingEvents),
                ("oldest", Int, FieldNoun::OldestStart),
                ("window", Int, FieldNoun::WindowLength),
                ("objects", Int, FieldNoun::ObjectCount),
                ("watches", Int, FieldNoun::ClientWatches),
                ("etcd_watches", Int, FieldNoun::EtcdWatches),
                ("decodes", Int, FieldNoun::Decodes),
            ],
            Self::Request => &[
                ("verb", Text, FieldNoun::Operation),
                ("server", Text, FieldNoun::Server),
                ("source", Text, FieldNoun::Source),
                ("asked", Text, FieldNoun::AskedVersion),
                ("rv", Int, FieldNoun::ResourceVersion),
                ("objects", Int, FieldNoun::ObjectCount),
                ("examined", Int, FieldNoun::ExaminedCount),
                ("wait_ms", Int, FieldNoun::CacheWait),
                ("code", Int, FieldNoun::StatusCode),
                ("ended_with", Int, FieldNoun::EndCode),
            ],
            Self::QosRule => &[
                ("name", Text, FieldNoun::Name),
                ("class", Text, FieldNoun::Class),
                ("priority", Int, FieldNoun::Priority),
                ("prefix", Text, FieldNoun::Prefix),
                ("condition", Text, FieldNoun::RuleCondition),
                ("admitted", Int, FieldNoun::AdmittedCount),
                ("delayed", Int, FieldNoun::DelayedCount),
                ("limited", Int, FieldNoun::LimitedCount),
            ],
            Self::QosClass => &[
                ("kind", Text, FieldNoun::Kind),
                ("level", Int, FieldNoun::Level),
                ("max", Int, FieldNoun::MaxLevel),
            ],
            Self::Load => &[
                ("requests", Int, FieldNoun::RequestCount),
                ("succeeded", Int, FieldNoun::SucceededCount),
                ("failed", Int, FieldNoun::FailedCount),
            ],
        }
    }
}

impl Kind {
    /// Returns true if a value of the kind `self` can equal a value of the kind `other`.
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
            Self::Int => words::NUMBER,
            Self::Text => words::TEXT,
            Self::Bool => words::TRUE_OR_FALSE,
            Self::Revision => words::REVISION,
            Self::List(_) => words::LIST,
            Self::Record(_) => words::RECORD,
            Self::Any => words::ANYTHING,
        })
    }
}
