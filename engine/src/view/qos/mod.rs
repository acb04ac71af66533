//! The QoS view: classes with their limiters, rules with the result of their comparison with the newest request,
//! delayed requests, and the newest requests with their costs.
//!
//! etcd QoS is a proposal of 2020 that was never merged into etcd.

pub mod build;
pub mod comparison;

use serde::{Deserialize, Serialize};

/// The maximum number of requests in [`QosView::marks`].
pub const MARKS_MAX: usize = 400;
/// The length of the time span that [`QosView::marks`] covers, in microseconds.
pub const MARKS_SPAN_US: u64 = 4_000_000;
/// The maximum number of requests in [`QosView::requests`].
pub const REQUESTS_MAX: usize = 12;
/// The maximum number of accounting groups of one class.
pub const GROUPS_MAX: usize = 8;
/// The number of bins into which latencies are counted. The last bin has no upper bound.
pub const LATENCY_BINS: usize = 6;

/// The maximum depth of the subtrees in [`QosEstimate::subtrees`].
pub const SUBTREE_LEVELS_MAX: u32 = 12;
/// The maximum number of requests in [`QosEstimate::tracked`].
pub const TRACKED_MAX: usize = 8;

/// The part of the QoS view to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosQuery {
    /// The first key of the range whose keys are counted, and the end of the range. An empty end stands for the end of
    /// the key space. If both are empty, the view counts the keys of the newest request.
    pub range: [String; 2],
}

/// The QoS view of a member.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosView {
    pub is_on: bool,
    /// The current time on the member's clock, in microseconds.
    pub now_us: u64,
    /// The used size of the database, the size of its file, and its quota, in bytes.
    pub storage: [u64; 3],
    /// Whether the condition on the quota uses the size of the file instead of the used size.
    pub is_file_size: bool,
    /// The QoS classes, ordered by name.
    pub classes: Vec<QosClassView>,
    /// The rules, in the order in which they are compared with a request.
    pub rules: Vec<QosRuleView>,
    /// The newest request that the rules were compared with.
    pub newest: Option<QosRequestView>,
    /// The number of requests for each outcome.
    pub counts: QosCounts,
    /// For each condition on the cost: its name, and the number of requests that met it.
    pub expensive: Vec<(String, u64)>,
    /// The latencies of the requests that no rule matched, as counts per bin.
    pub latencies: [u64; LATENCY_BINS],
    /// The requests that ended or were refused most recently, in the order of their arrivals.
    pub requests: Vec<QosRequestView>,
    /// The requests of the last seconds, for a chart; oldest first.
    pub marks: Vec<QosMark>,
    /// The estimate of the number of keys in a range.
    pub estimate: QosEstimate,
}

/// Both estimates of the number of keys that a read scans: the counted tree, and the tracker of executed requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosEstimate {
    /// The range whose keys are counted.
    pub range: String,
    /// The number of keys in the range, according to the tree.
    pub count: u64,
    pub keys: u64,
    /// The sampling rate: the tree contains about one in this number of keys.
    pub one_in: u64,
    /// The subtrees that the count reaches, at most [`SUBTREE_LEVELS_MAX`] levels deep; each subtree follows the
    /// subtree that contains it.
    pub subtrees: Vec<QosSubtree>,
    /// The newest requests in the tracker, the last used first; at most [`TRACKED_MAX`].
    pub tracked: Vec<QosTracked>,
    /// The number of requests in the tracker, and its maximum.
    pub tracker: [u64; 2],
    /// Whether rules use the tracker and not the tree.
    pub uses_tracker: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum QosSubtreePart {
    /// The count adds the size of the subtree.
    #[default]
    Added,
    /// The count descends into the subtree, and adds the key of its node.
    DescendedAndOwn,
    /// The count descends into the subtree, and does not add the key of its node.
    Descended,
    /// No key of the subtree is in the range.
    Skipped,
}

/// A subtree of the counted tree, which contains all keys between its first and its last key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosSubtree {
    /// The depth; 0 for the whole tree.
    pub level: u32,
    /// The number of keys in the tree before the subtree.
    pub before: u64,
    pub size: u64,
    /// The first and the last key.
    pub ends: [String; 2],
    pub part: QosSubtreePart,
}

/// A request in the tracker, with the costs of its last execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosTracked {
    /// The hash of the request, by which the tracker recognizes an equal request.
    pub hash: String,
    /// The number of index entries that the request visited.
    pub scan: u64,
    /// The size of the response in bytes.
    pub bytes: u64,
    pub latency_us: u64,
    /// Whether a read of the range without options is this request.
    pub is_of_range: bool,
}

/// A queue discipline: the rule by which a class admits, delays or refuses requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Discipline {
    #[default]
    TokenBucket,
    LeakyBucket,
    /// A limit on the number of running requests.
    InFlight,
    /// A limit on the sum of costs in a span of time.
    Window,
    /// A limit on the number of running requests, and a queue in the order of priority.
    Priority,
    /// A rule by which the class refuses every request.
    Discard,
}

/// A class of QoS: the limiter for the requests that the rules of the class match, the current level of the limiter,
/// and the counters of the class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosClassView {
    pub name: String,
    pub discipline: Discipline,
    /// The parameters of the limiter in words.
    pub parameters: String,
    /// The current level of the limiter.
    pub level: QosLevel,
    /// The levels of accounting groups, ordered by name, at most [`GROUPS_MAX`]. Empty if no rule of the class has
    /// groups.
    pub groups: Vec<QosLevel>,
    pub group_count: u64,
    /// The number of delayed requests.
    pub waiting: u64,
    /// The maximum number of requests that may wait.
    pub queue: u64,
    /// The time until the next delayed request starts, in microseconds.
    pub next_us: Option<u64>,
    /// The number of requests for each outcome.
    pub counts: QosCounts,
    /// The number of requests in each bin of latencies, from the arrival to the response. The upper bounds of the bins
    /// are 1 ms, 10 ms, 100 ms, 1 s and 10 s.
    pub latencies: [u64; LATENCY_BINS],
}

/// The level of a limiter. Depending on the limiter, it counts tokens, requests in a leaky bucket, running requests, or
/// the sum of costs in a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosLevel {
    /// The accounting group; empty for a limiter without groups.
    pub group: String,
    /// The current level. The level is negative while delayed requests have reserved tokens.
    pub level: i64,
    pub max: u64,
}

/// The number of requests for each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosCounts {
    /// The number of requests that no rule matched.
    pub bypassed: u64,
    /// The number of requests that a rule matched and that started at once.
    pub admitted: u64,
    /// The number of requests that a rule matched and that started later.
    pub delayed: u64,
    /// The number of requests that a rule refused.
    pub limited: u64,
    /// The number of requests that etcd's own protection refused: too many committed entries were waiting to be
    /// applied.
    pub too_many: u64,
}

/// A rule, with the result of its comparison with the newest request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosRuleView {
    pub name: String,
    pub class: String,
    pub priority: u32,
    /// The kinds of operations that the rule selects.
    pub ops: String,
    /// The key prefixes and the callers that the rule selects; empty if the rule selects any key and any caller.
    pub selects: String,
    /// The conditions of the rule; empty if there are none.
    pub conditions: String,
    /// The result of the comparison with the newest request.
    pub verdict: QosVerdict,
    /// The number of requests for each outcome.
    pub counts: QosCounts,
}

/// The result of the comparison of a rule with a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum QosVerdict {
    /// There is no request yet.
    #[default]
    None,
    /// The rule matches and decides.
    Wins,
    /// The rule matches, but a rule with a larger priority decides.
    Unused,
    /// The rule does not match. Contains the reason.
    Mismatch(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RequestOutcome {
    /// No rule matched.
    #[default]
    Bypassed,
    /// A rule matched, and the request started at once.
    Admitted,
    /// A rule matched, and the request started later.
    Delayed,
    /// A rule matched, and the request was refused.
    Limited,
}

/// A request to the member, with its cost and the decision of the rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosRequestView {
    /// The time at which the request arrived, in microseconds.
    pub at_us: u64,
    /// The kind of the request's first operation, and the keys of this operation.
    pub operation: String,
    /// The user that sent the request, and the address of the client.
    pub caller: String,
    /// The number of index entries that the request visited.
    pub scan: u64,
    /// The size of the request and the response, in bytes.
    pub traffic: u64,
    /// The time for which the request was delayed before its execution, in microseconds.
    pub wait_us: u64,
    /// The duration of the execution in microseconds; `None` while the request runs, and for a refused request.
    pub latency_us: Option<u64>,
    /// The rule that decided; empty if no rule matched.
    pub rule: String,
    pub outcome: RequestOutcome,
}

/// A request in the chart of the last seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QosMark {
    /// The time at which the request arrived, in microseconds.
    pub at_us: u64,
    /// The time for which the request was delayed before its execution, in microseconds.
    pub wait_us: u64,
    /// The index of the class in [`QosView::classes`]; `None` if no rule matched.
    pub class: Option<u32>,
    pub outcome: RequestOutcome,
}
