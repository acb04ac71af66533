//! The parts of a phrase that names the subject of a lesson's expression. Each language builds the phrase from these
//! parts.

/// The subject of an expression: the value or statement that the expression is about.
#[derive(Debug)]
pub enum ExprSubject {
    /// The store.
    Store,
    /// All keys.
    Keys,
    /// The last response.
    LastResponse,
    /// All sync passes.
    SyncPasses,
    /// The learner's predictions.
    Predictions,
    /// The version of etcd.
    Version,
    /// All rows.
    Rows,
    /// The index entry of a key.
    IndexEntry(String),
    /// A key or a watch, by its name.
    Named(String),
    /// A setting, by its name.
    Setting(String),
    /// A field of a record.
    Field(FieldNoun, Box<ExprSubject>),
    /// The number of elements of a list.
    Count(ExprList),
    /// One element of a list. The position is counted from 0 at the start of the list, and from -1 at its end.
    Element(ExprList, i64),
    /// The number of elements of a list that meet a condition.
    Matching(ExprList),
    /// A statement about all or some elements of a list.
    Statement(ExprList),
    /// A comparison of two values.
    Comparison(Box<ExprSubject>),
    /// The result of arithmetic with two values.
    Computed(Box<ExprSubject>, ExprArithmetic, Box<ExprSubject>),
    /// A number.
    Number(i64),
    /// A value that has no name, such as a literal.
    Value,
}

/// The arithmetic operators in expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExprArithmetic {
    /// Addition.
    Plus,
    /// Subtraction.
    Minus,
    /// Multiplication.
    Times,
    /// Division.
    DividedBy,
}

/// The lists that an expression can read.
#[derive(Debug)]
pub enum ExprList {
    /// The rows.
    Rows,
    /// The keys.
    Keys,
    /// The sync passes.
    SyncPasses,
    /// The learner's predictions.
    Predictions,
    /// The generations of a key.
    Generations(Box<ExprSubject>),
    /// The revisions of a generation.
    Revisions(Box<ExprSubject>),
    /// The keys in a response.
    KeysIn(Box<ExprSubject>),
    /// The events that a watch received.
    Events(Box<ExprSubject>),
    /// Another list.
    Other(Box<ExprSubject>),
}

/// The meanings of the fields that a record in an expression can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldNoun {
    /// The number of keys whose mod revision is less than the mod revision of the preceding key in the response.
    BackwardJumps,
    /// The number of changes in a generation.
    ChangeCount,
    /// The revision of the last compaction.
    CompactedRevision,
    /// Whether an event created its key.
    CreateFlag,
    /// The create revision.
    CreateRevision,
    /// The number of deleted keys.
    DeletedCount,
    /// An error message.
    Error,
    /// The events that a watch received.
    Events,
    /// The start of a range of revisions.
    From,
    /// The generations of a key.
    Generations,
    /// The revision in the header of a response.
    HeaderRevision,
    /// A key.
    Key,
    /// A key with its value.
    KeyValue,
    /// The number of keys.
    KeyCount,
    /// The keys in a response.
    Keys,
    /// The kind of an event.
    Kind,
    /// The newest revision that a client knows.
    KnownRevision,
    /// A lease.
    Lease,
    /// The longest wait of a client.
    LongestWait,
    /// The mean wait of a client.
    MeanWait,
    /// The number of events that a watch is missing.
    MissingEvents,
    /// The mod revision.
    ModRevision,
    /// The revision of the last change of a key.
    Modified,
    /// The next revision that a watcher needs.
    NextRevision,
    /// The operation of the last request, for example a put or a range.
    Operation,
    /// The outcome of a request.
    Outcome,
    /// The number of watchers that a sync pass selected.
    Picked,
    /// A key with its value before an event.
    PreviousKeyValue,
    /// The time between two progress notifications that a watch received.
    ProgressInterval,
    /// The number of progress notifications that a watch received.
    ProgressNotifications,
    /// The end of a range of keys.
    RangeEnd,
    /// The reason why a watch ended.
    Reason,
    /// The number of watchers that are still unsynced after a sync pass.
    Remaining,
    /// A revision.
    Revision,
    /// The revisions of a generation.
    Revisions,
    /// The number of rows.
    RowCount,
    /// The start revision of a watch.
    StartRevision,
    /// The state of a watch.
    State,
    /// The number of a change inside its transaction.
    SubRevision,
    /// The number of watchers that became synced in a sync pass.
    Synced,
    /// The simulated time.
    Time,
    /// The end of a range of revisions.
    To,
    /// Whether a row is a tombstone.
    Tombstone,
    /// The number of events that a watch received more than once.
    Twice,
    /// A value.
    Value,
    /// A version.
    Version,
    /// The number of watchers that became victims in a sync pass.
    Victims,
    /// The number of responses in the channel of a stream.
    WaitingResponses,
    /// The number of waits of a client.
    Waits,
    /// Whether a watcher was a victim.
    WasVictim,
}
