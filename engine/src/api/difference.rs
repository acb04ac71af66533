//! The behaviours in which the simulated versions of etcd and etcdctl differ.
//!
//! Code that depends on the version asks [`Profile::has`] about one difference. The section "Where the versions differ"
//! of `docs/fidelity.md` has the same rows; a test compares the two.

use super::Profile;

macro_rules! since {
    (Unreleased) => {
        None
    };
    ($version:ident) => {
        Some(Profile::$version)
    };
}

macro_rules! differences {
    ($($(#[doc = $doc:literal])* $name:ident: $since:ident, $topic:literal, $before:literal, $after:literal;)*) => {
        /// A behaviour that etcd or etcdctl changed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Difference {
            $($(#[doc = $doc])* #[doc = $after] $name,)*
        }

        impl Difference {
            /// All differences, in the order of the fidelity page.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the first simulated version with the new behaviour; `None` if the change is not released.
            pub const fn since(self) -> Option<Profile> {
                match self {
                    $(Self::$name => since!($since),)*
                }
            }

            /// Returns the difference as a row of the fidelity page: the topic, the behaviour of older versions, and
            /// the behaviour of newer versions.
            pub const fn texts(self) -> [&'static str; 3] {
                match self {
                    $(Self::$name => [$topic, $before, $after],)*
                }
            }
        }
    };
}

impl Difference {
    /// The differences that `world bug=ISSUE` and `world fix=ISSUE` switch, each with the number of its etcd issue.
    pub const ISSUES: [(u32, Self); 10] = [
        (15220, Self::OrdersProgress),
        (15274, Self::ResumesAfterProgress),
        (17507, Self::AnswersDeferredProgress),
        (17529, Self::CancelsOvertakenWatcher),
        (18089, Self::KeepsCompactedTombstone),
        (18667, Self::ChecksAllReads),
        (20281, Self::KeepsFutureStart),
        (20418, Self::RenewsReadIndex),
        (20693, Self::RefusesNegativeStart),
        (22264, Self::BoundsSyncPass),
    ];
}

differences! {
    // The store.
    KeepsCompactedTombstone: V3_5,
        "a tombstone exactly at the compact revision",
        "dropped (until 3.4.33 and 3.5.15)",
        "kept, so that a watch that starts there receives the delete";
    RestoresLoneTombstone: V3_5,
        "a tombstone whose puts are gone, when the index is rebuilt",
        "skipped (until 3.4.35 and 3.5.17)",
        "kept";
    HashesCompactRevision: V3_5,
        "HashKV at the compact revision",
        "refused as compacted (until 3.4.26 and 3.5.9)",
        "served; a tombstone at the compact revision is not part of the hash";
    StoresCompactionHashes: V3_5,
        "HashKV at the revision of one of the ten newest compactions",
        "computed from the rows, or refused as compacted (until 3.5.4)",
        "the hash that the compaction stored in memory";
    UsesBbolt14: V3_6,
        "bbolt: when a page is merged with its neighbour, and when the file grows",
        "below a quarter of a page; as soon as a write transaction needs a page beyond the end of the file",
        "below half of the fill percentage of the bucket; when the transaction commits (bbolt 1.4)";
    ChecksOperationsInOrder: V3_6,
        "a transaction with several invalid operations",
        "the error of the first invalid put, or else of the first invalid read",
        "the error of the first invalid operation";
    ReadsKeysFromIndex: V3_7,
        "a range with `keys_only`, unless it is sorted by value",
        "reads the rows, so the keys have their leases",
        "is served from the index: it reads no rows, and the leases are 0";
    StreamsRanges: V3_7,
        "`RangeStream` and `get --stream`",
        "do not exist",
        "a member sends a range in chunks, all at one revision";
    ChecksAllReads: V3_7,
        "a transaction with a write and with a read at a revision, on the members that the client did not ask",
        "the read is removed first, so these members execute a transaction that the asked member may refuse \
         (etcd#18667)",
        "every member checks the read";
    StopsAbandonedRead: V3_5,
        "a read of rows whose client has gone",
        "continues to its end",
        "stops before the next row, and is an error in the log";
    // Watches.
    StartsWatchAtZero: V3_5,
        "a watch's start revision 0",
        "becomes the next revision",
        "stays 0";
    RefusesNegativeStart: V3_5,
        "a negative start revision",
        "-1 is accepted: the sync pass reads nothing, and all watchers of the pass count as synced; a revision below \
         -1 is canceled as compacted by the next sync pass (until 3.4.37)",
        "refused immediately (since 3.5.24 and 3.6.6)";
    ResumesAfterProgress: V3_5,
        "a watch that resumes after a progress notification (etcdctl and other clients; API servers have a newer \
         library)",
        "also receives the events of the revision of the notification again (etcd#15274, until 3.4.23)",
        "resumes at the next revision (since 3.5.8)";
    KeepsFutureStart: V3_5,
        "a watch of the future, after its member installs a snapshot of the leader",
        "also receives events before its start (etcd#20281)",
        "receives events from its start on (since 3.5.22 and 3.6.2)";
    CancelsOvertakenWatcher: V3_5,
        "a watcher whose revisions are compacted while its channel is full",
        "moved to the next revision without an error (until 3.4.30 and 3.5.12)",
        "canceled once the channel has room";
    OrdersProgress: V3_5,
        "a progress request",
        "etcd responds immediately, even before events that are in flight (etcd#15220, until 3.5.7)",
        "etcd responds when every watch of the stream is synced, after the events of these watches";
    AnswersDeferredProgress: V3_4,
        "a progress request while a watch of the stream is not synced",
        "postponed until after the next response of the stream, which may be long in coming; until then, the member \
         ignores progress requests (etcd#17507, 3.4.25 to 3.4.30 and 3.5.8 to 3.5.12)",
        "ignored, so the client requests progress again";
    BoundsSyncPass: Unreleased,
        "the revisions that a sync pass reads",
        "all revisions that the watchers are missing, although a watcher receives at most 1,000 (etcd#22264)",
        "1,000 for each group of watchers with nearby revisions (proposed in etcd#22304)";
    WaitsForWatchStart: V3_5,
        "a progress notification before a watch has reached its start revision",
        "sent (until 3.4.24)",
        "not sent";
    // The member.
    PreVote: V3_5,
        "a candidate's first step",
        "a new term",
        "a pre-vote without a new term (`--pre-vote`)";
    BlockedProposalTimesOut: V3_5,
        "a write through a member without a leader, after 7 s",
        "`context deadline exceeded` without a code that a client library could retry",
        "`context deadline exceeded` with the code DeadlineExceeded";
    RenewsReadIndex: V3_5,
        "a ReadIndex that a member repeats after 500 ms",
        "has the id of the first one, so late replies of other members can confirm a read that began later, which is \
         then stale (etcd#20418, until 3.4.41 and 3.5.27)",
        "has a new id (since 3.5.28 and 3.6.9)";
    SnapshotsOften: V3_6,
        "the default of `--snapshot-count`",
        "100,000",
        "10,000";
    PersistsCheckpoints: V3_6,
        "the remaining TTL of a lease checkpoint",
        "only in memory, unless a separate flag is set",
        "also in the database file";
    SkipsDoneCompaction: V3_6,
        "the periodic compactor, if there is no new revision",
        "repeats the request, which fails",
        "does not repeat the request";
    StoresRaftState: V3_5,
        "the raft term and the voters in the database file",
        "absent",
        "in the bucket `meta`";
    StoresVersion: V3_6,
        "the storage version in the database file",
        "absent",
        "in the bucket `meta`";
    ChecksQuorumOfNewMember: V3_7,
        "a member is added while a voter is not connected",
        "refused as `unhealthy cluster` (3.5.30 behaves like 3.7)",
        "accepted if the connected voters are a quorum after the change";
    FindsLearnerFirst: V3_5,
        "`member promote` of a member that does not exist",
        "an entry of the log, and refused when it is applied",
        "refused at once";
    UpdateKeepsLearner: V3_7,
        "`member update` of a learner",
        "lists the learner as a voter, which cannot be promoted any more",
        "keeps the learner";
    LearnerErrorIsFinal: V3_6,
        "the code of `rpc not supported for learner`",
        "Unavailable: a client library repeats a read",
        "FailedPrecondition";
    // The client library and etcdctl.
    NamesLearner: V3_6,
        "`member add --learner`",
        "prints `added to cluster`",
        "prints `added as learner to cluster`";
    ListsMembersLinearizably: V3_5,
        "the member list",
        "from the state of the requested member",
        "linearizable";
    AsksForAlarms: V3_5,
        "`endpoint health`",
        "reads one key, and prints its result on standard error",
        "also requests the alarms, and prints a healthy result on standard output";
    RefusesKeysAndCount: V3_5,
        "`get --keys-only --count-only`",
        "prints the count",
        "refused";
    WarnsAboutRange: V3_6,
        "`del` of a range without `--range`",
        "deletes the range (3.5 announces the warning of 3.6)",
        "prints a warning and waits two seconds";
    PrintsErrorsOnce: V3_6,
        "etcdctl's error for an unknown command or a wrong flag",
        "printed twice",
        "printed once (etcd#14173)";
    LowercaseWatchErrors: V3_5,
        "the error of `watch -i` at the end of its input",
        "`Error reading watch request line`",
        "`error reading watch request line`";
    HexFields: V3_6,
        "`--hex -w fields`",
        "prints decimal numbers",
        "prints hexadecimal IDs";
    OmitsEmptyRevision: V3_6,
        "the line `Revision` of `-w fields`, if the response has no revision",
        "printed as 0",
        "left out";
    SnakeCaseTxn: V3_5,
        "etcdctl's JSON for the operations of transactions",
        "`ResponseRange`",
        "`response_range`";
    HeadsAlarms: V3_5,
        "`alarm list -w json`",
        "without a header",
        "with a header";
    TimesDefrag: V3_6,
        "`defrag`",
        "prints no duration",
        "prints its duration";
    ReportsStorage: V3_6,
        "columns of `endpoint status` and of `snapshot status`",
        "without the storage version, the quota and the downgrade",
        "with them";
    CountsLiveKeys: V3_6,
        "the total keys of `snapshot status`",
        "the rows in all buckets",
        "the keys that exist at the newest revision";
    NamesHashRevision: V3_6,
        "`endpoint hashkv`",
        "prints the hash",
        "prints the hash and its revision";
    NamesServerVersion: V3_6,
        "`snapshot save`",
        "prints the name of the file",
        "also prints the version of the server's storage";
    HasEtcdutl: V3_5,
        "`etcdutl`",
        "does not exist",
        "exists, beside `etcdctl snapshot status` and `restore`, which are deprecated";
    MovesSnapshotTools: V3_6,
        "`etcdctl snapshot status` and `etcdctl snapshot restore`",
        "run",
        "etcdctl prints the help of `snapshot`";
    HashesFiles: V3_6,
        "`etcdutl hashkv` and `etcdutl migrate`",
        "do not exist",
        "exist";
    HashesFilesWithLeases: V3_7,
        "`etcdutl hashkv` of a file in which a key has a lease",
        "ends with a panic: no lessor to attach lease",
        "prints the hash";
    DecodesTombstone: V3_6,
        "the row of `etcd-dump-db --decode`",
        "without the tombstone and without the remaining TTL of a lease",
        "with both";
    QuotesArguments: V3_5,
        "`'a b'` in `txn` and `watch -i`",
        "cut at a wrong place, or etcdctl panics",
        "one word";
    PrintsMemberIdsInHex: V3_5,
        "`member list --hex -w json`",
        "prints decimal numbers",
        "prints hexadecimal texts";
    HexMemberChanges: V3_7,
        "`--hex -w json` of `member add` and of the other changes; learners in `member list --hex -w json`",
        "prints decimal numbers; not marked",
        "prints hexadecimal texts; marked";
    TrimsAlarms: V3_7,
        "the text of an alarm",
        "ends in a space",
        "does not";
    PrintsMissingHeader: V3_7,
        "`alarm disarm -w fields`",
        "etcdctl panics, because the response has no header",
        "prints an empty header";
    CapitalizesClientUrls: V3_6,
        "the client URLs in `member list --hex -w json`",
        "`clientURLS` (3.4 prints no hexadecimal texts)",
        "`clientURLs`";
    PrintsGoFields: V3_5,
        "the error of `lease revoke -w protobuf`",
        "the header of the response",
        "the header, and three internal fields of the Go type";
    PrintsGoPointers: V3_7,
        "the same error",
        "without the internal fields of the library for protobuf",
        "with them, and one of them is an address in memory";
    PrintsNullList: V3_6,
        "`endpoint status -w json` and `endpoint hashkv -w json`, if no endpoint answers",
        "`[]`",
        "`null`";
    FiltersByPositiveRevision: V3_6,
        "the flags of `get` for the revisions of keys",
        "do not exist",
        "exist; values below 1 are ignored";
    DrawsLines: V3_7,
        "`-w table`",
        "draws borders with `+`, `-` and `|`, and wraps long texts",
        "draws borders with lines, and does not wrap texts";
    CobraPages: V3_7,
        "etcdctl's help pages",
        "in a form of their own, indented by a tab, and in 3.6 by two spaces",
        "in the form of the library cobra, on standard error after a wrong flag";
    FindsCommandAfterHelp: V3_7,
        "`etcdctl --help get`",
        "prints the page of etcdctl",
        "prints the page of `get`";
    // Authentication.
    CodesMaintenanceErrors: V3_6,
        "a refusal of `endpoint hashkv`, `defrag` or `snapshot save` because of the user",
        "is sent without a gRPC code (`code = Unknown`)",
        "is sent with its code";
    LogsInOnce: V3_6,
        "`endpoint status`, `endpoint hashkv` and `defrag` with a user",
        "log in twice: the client library opens two connections",
        "log in once";
    HasAuthStatus: V3_5,
        "`auth status`",
        "does not exist",
        "prints whether authentication is enabled, and the auth revision";
    OpensAuthStatus: V3_7,
        "`auth status` while authentication is enabled",
        "needs the role `root`",
        "needs no user";
    ChecksMoreRequests: V3_5,
        "authentication and requests about leases, members, alarms, the leader, the status and compactions",
        "need no user, except a revocation of a lease with keys",
        "need a user, or the role `root`";
    OpensStatus: V3_7,
        "`endpoint status` while authentication is enabled",
        "needs the role `root` (in 3.4 no user)",
        "needs a user";
    ChecksNestedTxns: V3_5,
        "the permissions for a nested transaction",
        "not checked",
        "checked";
    ChecksPutsInTxns: V3_7,
        "the permissions for the previous value and for the lease of a put in a transaction",
        "not checked (3.5.30 checks them)",
        "checked";
    ChecksWholeWatch: V3_7,
        "the permission for a watch of all keys from a key on",
        "needed for the first key",
        "needed for all keys";
    ValidatesPermissions: V3_5,
        "a permission for an empty key, or for a range whose end is not after its first key",
        "granted",
        "refused";
    HashesBeforeProposal: V3_5,
        "a password of more than 72 bytes; a password that is changed to the empty text",
        "cut to 72 bytes; matches the empty text",
        "refused; matches no text";
    RootRoleHasKeys: V3_6,
        "`role get root`",
        "prints no keys",
        "prints all keys";
    CommitsAuthChanges: V3_6,
        "a change to users or roles in the database file",
        "written by the next commit",
        "committed at once";
}
