//! The parts of a phrase that names the subject of a lesson's expression. Each language builds the phrase from these
//! parts. Also the formats of files that a sentence names.

/// The format of a file that is no etcd database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignFile {
    Sqlite,
    Gzip,
    Zip,
    Tar,
    Zstd,
    Xz,
    Bzip2,
    /// A file of `member/wal`.
    WriteAheadLog,
}

/// The subject of an expression: the value or statement that the expression is about.
#[derive(Debug)]
pub enum ExprSubject {
    Store,
    Keys,
    LastResponse,
    /// The last request of `kubectl`.
    LastRequest,
    SyncPasses,
    /// The rules of etcd QoS.
    QosRules,
    /// The learner's predictions.
    Predictions,
    /// The version of etcd.
    Version,
    Rows,
    IndexEntry(String),
    /// A key, a watch, a cache, a rule, a class or a load, by its name.
    Named(String),
    Setting(String),
    Field(FieldNoun, Box<ExprSubject>),
    Count(ExprList),
    /// One element of a list. The position is counted from 0 at the start of the list, and from -1 at its end.
    Element(ExprList, i64),
    /// The number of elements of a list that meet a condition.
    Matching(ExprList),
    /// A statement about all or some elements of a list.
    Statement(ExprList),
    Comparison(Box<ExprSubject>),
    /// The result of arithmetic with two values.
    Computed(Box<ExprSubject>, ExprArithmetic, Box<ExprSubject>),
    Number(i64),
    /// A value that has no name, such as a literal.
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExprArithmetic {
    Plus,
    Minus,
    Times,
    DividedBy,
}

/// The lists that an expression can read.
#[derive(Debug)]
pub enum ExprList {
    Rows,
    Keys,
    SyncPasses,
    QosRules,
    /// The learner's predictions.
    Predictions,
    Generations(Box<ExprSubject>),
    Revisions(Box<ExprSubject>),
    KeysIn(Box<ExprSubject>),
    /// The events that a watch received.
    Events(Box<ExprSubject>),
    Other(Box<ExprSubject>),
}

/// The meanings of the fields that a record in an expression can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldNoun {
    /// The number of requests that a rule admitted at once.
    AdmittedCount,
    /// Whether etcd raised the alarm `NOSPACE`.
    AlarmFlag,
    /// The class of a rule.
    Class,
    /// The number of requests that a rule delayed.
    DelayedCount,
    FailedCount,
    /// The size of the database file as a share of the quota.
    FileShare,
    /// The level of a limiter, for example the tokens in its bucket.
    Level,
    /// The number of requests that a rule refused.
    LimitedCount,
    MaxLevel,
    Name,
    Prefix,
    Priority,
    RequestCount,
    RuleCondition,
    SucceededCount,
    /// The pages in use as a share of the quota.
    UsedShare,
    /// The number of keys whose mod revision is less than the mod revision of the preceding key in the response.
    BackwardJumps,
    /// The resource version that a request named.
    AskedVersion,
    /// The number of revisions by which a cache is behind etcd.
    Behind,
    /// The time that a request waited for the cache.
    CacheWait,
    ClientWatches,
    /// The number of events that an API server decoded.
    Decodes,
    /// The status code that ended a watch.
    EndCode,
    EtcdWatches,
    /// The number of objects that the server looked at for a response.
    ExaminedCount,
    ObjectCount,
    /// The smallest resource version from which a watch can start.
    OldestStart,
    ResourceVersion,
    Server,
    /// What served a request: the cache, a snapshot or etcd.
    Source,
    StatusCode,
    /// The number of events in the window of a cache.
    WindowLength,
    ChangeCount,
    /// The revision of the last compaction.
    CompactedRevision,
    /// Whether an event created its key.
    CreateFlag,
    CreateRevision,
    DeletedCount,
    Error,
    /// The events that a watch received.
    Events,
    /// The start of a range of revisions.
    From,
    Generations,
    /// The revision in the header of a response.
    HeaderRevision,
    Key,
    KeyValue,
    KeyCount,
    Keys,
    Kind,
    /// The newest revision that a client knows.
    KnownRevision,
    Lease,
    LongestWait,
    MeanWait,
    /// The number of events that a watch is missing.
    MissingEvents,
    ModRevision,
    /// The revision of the last change of a key.
    Modified,
    /// The next revision that a watcher needs.
    NextRevision,
    /// The operation of the last request, for example a put or a range.
    Operation,
    Outcome,
    /// The number of watchers that a sync pass selected.
    Picked,
    /// A key with its value before an event.
    PreviousKeyValue,
    /// The time between two progress notifications that a watch received.
    ProgressInterval,
    /// The number of progress notifications that a watch received.
    ProgressNotifications,
    RangeEnd,
    /// The reason why a watch ended.
    Reason,
    /// The number of watchers that are still unsynced after a sync pass.
    Remaining,
    Revision,
    Revisions,
    RowCount,
    LeaseCount,
    StartRevision,
    State,
    /// The number of a change inside its transaction.
    SubRevision,
    /// The number of watchers that became synced in a sync pass.
    Synced,
    /// The simulated time.
    Time,
    /// The end of a range of revisions.
    To,
    Tombstone,
    /// The number of events that a watch received more than once.
    Twice,
    Value,
    Version,
    /// The number of watchers that became victims in a sync pass.
    Victims,
    /// The number of responses in the channel of a stream.
    WaitingResponses,
    Waits,
    WasVictim,
}
