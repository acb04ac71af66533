//! The forms of exercises, and the topics that the forms belong to.

use crate::words::practice as words;

use super::dice::Dice;
use super::draft::Draft;
use super::{caches, compaction, generations, leases, quorums, reads, revisions, watches};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    Reads,
    Generations,
    Revisions,
    Compaction,
    Watches,
    Leases,
    Caches,
    Quorums,
}

impl Topic {
    pub fn title(self) -> &'static str {
        match self {
            Self::Reads => words::READS,
            Self::Generations => words::GENERATIONS,
            Self::Revisions => words::REVISIONS,
            Self::Compaction => words::COMPACTION,
            Self::Watches => words::WATCHES,
            Self::Leases => words::LEASES,
            Self::Caches => words::CACHES,
            Self::Quorums => words::QUORUMS,
        }
    }

    /// Returns what a learner can do after practising the topic.
    pub(super) fn goal(self) -> &'static str {
        match self {
            Self::Reads => words::READS_GOAL,
            Self::Generations => words::GENERATIONS_GOAL,
            Self::Revisions => words::REVISIONS_GOAL,
            Self::Compaction => words::COMPACTION_GOAL,
            Self::Watches => words::WATCHES_GOAL,
            Self::Leases => words::LEASES_GOAL,
            Self::Caches => words::CACHES_GOAL,
            Self::Quorums => words::QUORUMS_GOAL,
        }
    }

    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Reads => "etcd server/storage/mvcc/kvstore_txn.go",
            Self::Generations => "etcd server/storage/mvcc/key_index.go",
            Self::Revisions => "etcd server/storage/mvcc/kvstore_txn.go",
            Self::Compaction => "etcd server/storage/mvcc/kvstore_compaction.go",
            Self::Watches => "etcd server/storage/mvcc/watchable_store.go",
            Self::Leases => "etcd server/lease/lessor.go",
            Self::Caches => "apiserver/pkg/storage/cacher/delegator.go",
            Self::Quorums => "etcd server/etcdserver/v3_server.go",
        }
    }

    /// Returns the view that the page shows after the answer.
    pub(super) fn picture(self) -> &'static str {
        match self {
            Self::Reads | Self::Generations | Self::Revisions | Self::Compaction | Self::Leases => {
                "index"
            }
            Self::Watches => "watch",
            Self::Caches => "cache",
            Self::Quorums => "cluster",
        }
    }
}

macro_rules! forms {
    ($($form:ident $name:literal $topic:ident $draft:path;)+) => {
        /// A kind of question. Its name is part of links and of the learner's stored results, so it never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Form { $($form),+ }

        impl Form {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$form),+];

            pub fn name(self) -> &'static str {
                match self { $(Self::$form => $name),+ }
            }

            pub fn topic(self) -> Topic {
                match self { $(Self::$form => Topic::$topic),+ }
            }

            pub(super) fn draft(self, dice: &mut Dice) -> Draft {
                match self { $(Self::$form => $draft(dice)),+ }
            }
        }
    };
}

// The page asks for new forms in this order, so two neighbours have different topics.
forms! {
    ValueAtRevision "value-at-revision" Reads reads::value_at_revision;
    Version "version" Generations generations::version;
    RevisionAfter "revision-after" Revisions revisions::revision_after;
    ReadAfterCompaction "read-after-compaction" Compaction compaction::read_after_compaction;
    FirstEvent "first-event" Watches watches::first_event;
    Detached "detached" Leases leases::detached;
    Served "served" Caches caches::served;
    WriteWithoutMembers "write-without-members" Quorums quorums::write_without_members;
    HeaderRevision "header-revision" Reads reads::header_revision;
    CreateRevision "create-revision" Generations generations::create_revision;
    SharedRevision "shared-revision" Revisions revisions::shared_revision;
    RowsAfterCompaction "rows-after-compaction" Compaction compaction::rows_after_compaction;
    EventCount "event-count" Watches watches::event_count;
    Expiry "expiry" Leases leases::expiry;
    StaleList "stale-list" Caches caches::stale_list;
    ReadOnMember "read-on-member" Quorums quorums::read_on_member;
    EdgeOfHistory "edge-of-history" Reads reads::edge_of_history;
    ModRevision "mod-revision" Generations generations::mod_revision;
    CompactAgain "compact-again" Compaction compaction::compact_again;
    WatchAfterCompaction "watch-after-compaction" Watches watches::watch_after_compaction;
    ListVersion "list-version" Caches caches::list_version;
    ReadWithoutMajority "read-without-majority" Quorums quorums::read_without_majority;
    CountWithLimit "count-with-limit" Reads reads::count_with_limit;
    RowsOfDelete "rows-of-delete" Generations generations::rows_of_delete;
    WatchBeforeWindow "watch-before-window" Caches caches::watch_before_window;
    ObjectsInCache "objects-in-cache" Caches caches::objects_in_cache;
}
