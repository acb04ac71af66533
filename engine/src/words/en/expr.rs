//! The texts about the expressions in lessons: phrases that say what an expression is about, names of kinds of values,
//! and error messages.

use std::fmt::Display;

use crate::words::{ExprArithmetic, ExprList, ExprSubject, FieldNoun};

// Phrases that name the subject of an expression.

/// Returns a phrase that names the subject of an expression, for example `the revision of the store`. Names are in
/// backticks.
pub fn subject(about: &ExprSubject) -> String {
    match about {
        ExprSubject::Store => STORE.to_owned(),
        ExprSubject::Keys => "the keys".to_owned(),
        ExprSubject::LastResponse => "the last response".to_owned(),
        ExprSubject::LastRequest => "the last request of `kubectl`".to_owned(),
        ExprSubject::SyncPasses => "the sync passes".to_owned(),
        ExprSubject::QosRules => "the QoS rules".to_owned(),
        ExprSubject::Predictions => "your predictions".to_owned(),
        ExprSubject::Version => "the version of etcd".to_owned(),
        ExprSubject::Rows => "the rows".to_owned(),
        ExprSubject::IndexEntry(key) => format!("the index entry of `{key}`"),
        ExprSubject::Named(name) => format!("`{name}`"),
        ExprSubject::Setting(name) => format!("the setting `{name}`"),
        ExprSubject::Field(noun, of) => format!("the {} of {}", field(*noun), subject(of)),
        ExprSubject::Count(list) => format!("the number of {}", elements(list)),
        ExprSubject::Element(list, at) => format!("the {} {}", ordinal(*at), element(list)),
        ExprSubject::Matching(list) => format!("the number of matching {}", elements(list)),
        ExprSubject::Statement(list) => format!("the condition on the {}", elements(list)),
        ExprSubject::Comparison(of) => format!("the comparison of {}", subject(of)),
        ExprSubject::Computed(left, operator, right) => {
            format!(
                "{} {} {}",
                subject(left),
                arithmetic(*operator),
                subject(right)
            )
        }
        ExprSubject::Number(number) => number.to_string(),
        ExprSubject::Value => "a value".to_owned(),
    }
}

/// Returns a phrase for all elements of a list, without an article.
fn elements(list: &ExprList) -> String {
    match list {
        ExprList::Rows => "rows".to_owned(),
        ExprList::Keys => "keys".to_owned(),
        ExprList::SyncPasses => "sync passes".to_owned(),
        ExprList::QosRules => "QoS rules".to_owned(),
        ExprList::Predictions => "predictions".to_owned(),
        ExprList::Generations(of) => format!("generations of {}", owner(of)),
        ExprList::Revisions(of) => format!("revisions of {}", subject(of)),
        ExprList::KeysIn(response) => format!("keys in {}", subject(response)),
        ExprList::Events(watch) => format!("events that {} received", subject(watch)),
        ExprList::Other(other) => format!("elements of {}", subject(other)),
    }
}

/// Returns a phrase for one element of a list, without an article.
fn element(list: &ExprList) -> String {
    match list {
        ExprList::Rows => "row".to_owned(),
        ExprList::Keys => "key".to_owned(),
        ExprList::SyncPasses => "sync pass".to_owned(),
        ExprList::QosRules => "QoS rule".to_owned(),
        ExprList::Predictions => "prediction".to_owned(),
        ExprList::Generations(of) => format!("generation of {}", owner(of)),
        ExprList::Revisions(of) => format!("revision of {}", subject(of)),
        ExprList::KeysIn(response) => format!("key in {}", subject(response)),
        ExprList::Events(watch) => format!("event that {} received", subject(watch)),
        ExprList::Other(other) => format!("element of {}", subject(other)),
    }
}

/// Returns a phrase for the owner of a list of generations. If the owner is the index entry of a key, the phrase names
/// only the key.
fn owner(of: &ExprSubject) -> String {
    match of {
        ExprSubject::IndexEntry(key) => format!("`{key}`"),
        other => subject(other),
    }
}

/// Returns the ordinal of an element, such as `first` or `last`. `at` is counted from 0 at the start of the list, and
/// backwards from -1 at its end.
fn ordinal(at: i64) -> String {
    const FIRST: [&str; 10] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    match usize::try_from(at).map(|at| FIRST.get(at)) {
        Ok(Some(ordinal)) => (*ordinal).to_owned(),
        Ok(None) => format!("{}th", at.saturating_add(1)),
        Err(_) if at == -1 => "last".to_owned(),
        Err(_) => format!("{}th from last", at.unsigned_abs()),
    }
}

fn arithmetic(operator: ExprArithmetic) -> &'static str {
    match operator {
        ExprArithmetic::Plus => "plus",
        ExprArithmetic::Minus => "minus",
        ExprArithmetic::Times => "times",
        ExprArithmetic::DividedBy => "divided by",
    }
}

/// Returns the name of a field, without an article.
fn field(noun: FieldNoun) -> &'static str {
    match noun {
        FieldNoun::AdmittedCount => "number of admitted requests",
        FieldNoun::AlarmFlag => "alarm flag",
        FieldNoun::Class => "class",
        FieldNoun::DelayedCount => "number of delayed requests",
        FieldNoun::FailedCount => "number of failed requests",
        FieldNoun::FileShare => "size of the file in percent of the quota",
        FieldNoun::Level => "level",
        FieldNoun::LimitedCount => "number of refused requests",
        FieldNoun::MaxLevel => "maximum level",
        FieldNoun::Name => "name",
        FieldNoun::Prefix => "prefix",
        FieldNoun::Priority => "priority",
        FieldNoun::RequestCount => "number of requests",
        FieldNoun::RuleCondition => "condition",
        FieldNoun::SucceededCount => "number of successful requests",
        FieldNoun::UsedShare => "size in use in percent of the quota",
        FieldNoun::AskedVersion => "requested resource version",
        FieldNoun::Behind => "number of revisions behind etcd",
        FieldNoun::CacheWait => "wait for the cache in milliseconds",
        FieldNoun::ClientWatches => "number of client watches",
        FieldNoun::Decodes => "number of decoded events",
        FieldNoun::EndCode => "status code at the end",
        FieldNoun::EtcdWatches => "number of etcd watches",
        FieldNoun::ExaminedCount => "number of examined objects",
        FieldNoun::ObjectCount => "number of objects",
        FieldNoun::OldestStart => "oldest start of a watch",
        FieldNoun::ResourceVersion => "resource version",
        FieldNoun::Server => "server",
        FieldNoun::Source => "source",
        FieldNoun::StatusCode => "status code",
        FieldNoun::WindowLength => "number of events in the window",
        FieldNoun::BackwardJumps => "number of jumps back to an older row",
        FieldNoun::ChangeCount => "change count",
        FieldNoun::CompactedRevision => "compact revision",
        FieldNoun::CreateFlag => "create flag",
        FieldNoun::CreateRevision => "create revision",
        FieldNoun::DeletedCount => "number of deleted keys",
        FieldNoun::Error => "error",
        FieldNoun::Events => "list of events",
        FieldNoun::From => "first revision",
        FieldNoun::Generations => "list of generations",
        FieldNoun::HeaderRevision => "header revision",
        FieldNoun::Key => "key",
        FieldNoun::KeyValue => "key-value pair",
        FieldNoun::KeyCount => "number of keys",
        FieldNoun::Keys => "list of keys",
        FieldNoun::Kind => "kind",
        FieldNoun::KnownRevision => "known revision",
        FieldNoun::Lease => "lease",
        FieldNoun::LongestWait => "longest wait in milliseconds",
        FieldNoun::MeanWait => "mean wait in milliseconds",
        FieldNoun::MissingEvents => "number of missing events",
        FieldNoun::ModRevision => "mod revision",
        FieldNoun::Modified => "last revision",
        FieldNoun::NextRevision => "next revision",
        FieldNoun::Operation => "command",
        FieldNoun::Outcome => "outcome",
        FieldNoun::Picked => "number of selected watchers",
        FieldNoun::PreviousKeyValue => "previous key-value pair",
        FieldNoun::ProgressInterval => "progress interval in milliseconds",
        FieldNoun::ProgressNotifications => "number of progress notifications",
        FieldNoun::RangeEnd => "range end",
        FieldNoun::Reason => "reason",
        FieldNoun::Remaining => "number of remaining watchers",
        FieldNoun::Revision => "revision",
        FieldNoun::Revisions => "list of revisions",
        FieldNoun::RowCount => "number of rows",
        FieldNoun::LeaseCount => "number of leases",
        FieldNoun::StartRevision => "start revision",
        FieldNoun::State => "state",
        FieldNoun::SubRevision => "sub-revision",
        FieldNoun::Synced => "number of synced watchers",
        FieldNoun::Time => "time in milliseconds",
        FieldNoun::To => "last revision",
        FieldNoun::Tombstone => "tombstone flag",
        FieldNoun::Twice => "number of repeated events",
        FieldNoun::Value => "value",
        FieldNoun::Version => "version",
        FieldNoun::Victims => "number of victims",
        FieldNoun::WaitingResponses => "number of waiting responses",
        FieldNoun::Waits => "number of waits",
        FieldNoun::WasVictim => "victim flag",
    }
}

/// The phrases for records. A text uses such a phrase in place of a value, because a record has no single value.
pub const STORE: &str = "the store";
pub const ROW: &str = "a row";
pub const INDEX_ENTRY: &str = "an index entry";
pub const GENERATION: &str = "a generation";
pub const KEY: &str = "a key";
pub const REQUEST: &str = "a request";
pub const WATCH: &str = "a watch";
pub const EVENT: &str = "an event";
pub const SYNC_PASS: &str = "a sync pass";
pub const CACHE: &str = "a cache";
pub const QOS_RULE: &str = "a QoS rule";
pub const QOS_CLASS: &str = "a QoS class";
pub const LOAD: &str = "a load";

/// The kinds of values, for error messages.
pub const NUMBER: &str = "a number";
pub const TEXT: &str = "a text";
pub const TRUE_OR_FALSE: &str = "true or false";
pub const REVISION: &str = "a revision";
pub const LIST: &str = "a list";
pub const RECORD: &str = "a record";
pub const ANYTHING: &str = "anything";

// Errors in words, numbers and symbols.

/// The word that an error message uses for a value that has no name.
pub const THIS: &str = "this";

/// The error messages for an expression with a missing or misplaced part.
pub const SINGLE_EQUALS_SIGN: &str = "`=` is not an operator; to compare two values, write `==`";
pub const STARTS_WITHOUT_WITH: &str = "`with` must follow `starts`";
pub const MISPLACED_MINUS: &str = "a `-` must be before a number or between two numbers";
pub const PLACE_MISSING: &str = "a number and `]` must follow `[`";
pub const ARGUMENT_MISSING: &str = "the argument in brackets must be a text, such as (\"/key1\")";
pub const FIELD_MISSING: &str = "the name of a field must follow `.`";
pub const ELEMENT_NAME_MISSING: &str =
    "the name of the element is missing; an example is `some k in keys: …`";

pub fn too_long(bytes_max: usize) -> String {
    format!("an expression has at most {bytes_max} bytes")
}

/// Returns the error message for an expression whose brackets are nested too deeply.
pub fn too_deep(most: u32) -> String {
    format!("brackets can be nested at most {most} levels deep")
}

/// Returns the error message for a quoted text without its closing quotation mark.
pub fn unclosed_text(start: &str) -> String {
    format!("the text that begins at `{start}` has no closing `\"`")
}

pub fn number_too_large(number: &str) -> String {
    format!("the number `{number}` is too large")
}

/// Returns the error message for a character that no expression contains.
pub fn unknown_character(character: char) -> String {
    format!("an expression cannot contain `{character}`")
}

/// Returns the error message for an operator or bracket in the position of a value.
pub fn misplaced_sign(sign: &str) -> String {
    format!("expected a value, found `{sign}`")
}

/// Returns the error message for a bracket or other symbol that is missing at the end of the expression.
pub fn sign_missing_at_end(sign: &str) -> String {
    format!("a `{sign}` is missing at the end")
}

/// Returns the error message for a bracket or other symbol that is missing before `rest`.
pub fn sign_missing_before(sign: &str, rest: &str) -> String {
    format!("a `{sign}` is missing before `{rest}`")
}

/// Returns the error message for an expression that ends too early. `names` lists the words with which a value may
/// start.
pub fn value_missing(names: &str) -> String {
    format!("a value is missing at the end; a value can start with {names}")
}

/// Returns the error message for an expression that is followed by the text `rest`.
pub fn rest_after_end(rest: &str) -> String {
    format!("`{rest}` follows the end of the expression; join two conditions with `and` or `or`")
}

/// Returns the error message for a quantifier whose variable is not followed by `in` and a list.
pub fn in_missing(variable: &str) -> String {
    format!("`{variable}` must be followed by `in` and a list")
}

// Errors in names and in the kinds of values.

/// The error message for an expression that calls `rows` with a bucket other than `key`.
pub const OTHER_BUCKET: &str = "`rows` reads only the bucket `key`: write rows(\"key\")";

/// Returns the error message for a word that is not a name. `names` lists the words with which a value may start.
pub fn no_such_name(word: &str, names: &str) -> String {
    format!("there is no name `{word}`; the names are {names}")
}

pub fn no_such_setting(name: &str, names: &[&str]) -> String {
    format!(
        "there is no setting `{name}`; the settings are {}",
        names.join(", ")
    )
}

pub fn no_such_field(record: &str, field: &str, fields: &[&str]) -> String {
    format!(
        "`{record}` has no field `{field}`; its fields are {}",
        fields.join(", ")
    )
}

pub fn field_of_list(list: &str) -> String {
    format!("`{list}` is a list: its length is `len`, and its elements are `[0]`, `[1]` and so on")
}

/// Returns the error message for an expression that reads a field of a value without fields.
pub fn field_of_value(value: &str, kind: impl Display, field: &str) -> String {
    format!("`{value}` is {kind} and has no field `{field}`")
}

/// Returns the error message for an expression that reads an element of a value that is not a list.
pub fn not_a_list(value: &str, kind: impl Display) -> String {
    format!("`{value}` is {kind}, not a list")
}

/// Returns the error message for a quantifier over a value that is not a list.
pub fn not_a_list_after_in(kind: impl Display) -> String {
    format!("expected a list after `in`, found {kind}")
}

pub fn not_a_condition(expression: &str, kind: impl Display) -> String {
    format!("`{expression}` is {kind}, not a condition; compare the expression with a value")
}

/// Returns the error message for a value where a condition is required.
pub fn value_for_condition(kind: impl Display) -> String {
    format!("expected a condition, found {kind}; compare this value with another value")
}

/// Returns the error message for a comparison of two values that can never be equal.
pub fn never_equal(left: impl Display, right: impl Display) -> String {
    format!("{left} is compared with {right}, but the two are never equal")
}

/// Returns the error message for arithmetic with a value that is not a number.
pub fn not_a_number(kind: impl Display) -> String {
    format!("arithmetic needs numbers, not {kind}")
}
