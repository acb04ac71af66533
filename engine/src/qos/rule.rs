//! A rule, which selects the requests that a class limits.
//!
//! The proposal's "generalised rule" adds retries, accounting groups, costs, windows and watches to the basic rule.

use std::fmt;
use std::sync::Arc;

use crate::base::Bytes;
use crate::base::bytes::{KeyRange, escape};
use crate::base::proto::{Content, each_field, write_bytes, write_number};

use super::arrival::{Arrival, Measures};
use super::condition::{ConditionKind, QosCondition};
use super::error::{QosError, QosWarning};
use super::method::{self, kinds_of, methods, parse_method};
use super::name::QosName;
use super::operation::OpKind;
use super::overlap::{overlaps, prefix_range};
use super::subject::{AddressRange, QosSubject};

/// A rule. An empty list of subjects, prefixes or conditions selects everything. An empty list of kinds of operations
/// selects all kinds except watches. The proposal's type for rules has no name field, although names decide between
/// rules of the same priority.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QosRule {
    pub name: QosName,
    /// The class that limits the requests that the rule matches.
    pub class: QosName,
    /// The priority from 1 to 100. If a request matches several rules, the largest priority wins.
    pub priority: u32,
    /// The callers that the rule selects; empty for all callers.
    pub subjects: Vec<QosSubject>,
    /// The prefixes of the keys that the rule selects; empty for all keys.
    pub prefixes: Vec<Bytes>,
    /// The methods that the rule selects; empty for all methods whose requests have an operation (generalised rule).
    pub methods: Vec<&'static str>,
    /// The kinds of operations that the rule selects; empty for all kinds except watches, or for all kinds if the rule
    /// selects methods.
    pub ops: Vec<OpKind>,
    /// The conditions, all of which a request must meet.
    pub conditions: Vec<QosCondition>,
    /// The minimum number of times that the client has sent the request before (generalised rule).
    pub min_retry: u32,
    /// The property by which requests are divided into accounting groups (generalised rule).
    pub group_by: GroupBy,
    /// The cost that is charged for a request (generalised rule).
    pub cost: Cost,
}

/// The accounting group of a rule. Each group has its own limiter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroupBy {
    /// One limiter for all requests.
    #[default]
    Rule,
    User,
    Address,
    /// One limiter for each key prefix that consists of this number of slash-separated segments.
    KeySegments(u32),
}

/// The cost that is charged for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cost {
    /// Every request costs 1.
    #[default]
    Requests,
    /// A failed request costs 1. The cost is charged before the execution and refunded if the request succeeds.
    Failed,
    /// A request costs as much as the number of index entries that it visits.
    ScanKeys,
    RequestBytes,
    /// The size of the request and the response in bytes. The response is predicted, and the difference is charged
    /// after the execution.
    Traffic,
    /// The size of the response in bytes, predicted like [`Traffic`](Self::Traffic).
    ResponseBytes,
    /// The duration of the request in milliseconds, predicted like [`Traffic`](Self::Traffic).
    WallTime,
    /// The processor time of the request in milliseconds, predicted like [`Traffic`](Self::Traffic).
    CpuTime,
}

impl Cost {
    pub const ALL: [Self; 8] = [
        Self::Requests,
        Self::Failed,
        Self::ScanKeys,
        Self::RequestBytes,
        Self::Traffic,
        Self::ResponseBytes,
        Self::WallTime,
        Self::CpuTime,
    ];

    /// Returns the value of the flag `--cost`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requests => "1",
            Self::Failed => "failed",
            Self::ScanKeys => "scan_keys",
            Self::RequestBytes => "req_bytes",
            Self::Traffic => "traffic",
            Self::ResponseBytes => "resp_bytes",
            Self::WallTime => "wall_ms",
            Self::CpuTime => "cpu_ms",
        }
    }

    /// Returns true if only a member knows the cost.
    pub fn needs_member(self) -> bool {
        matches!(self, Self::ScanKeys | Self::CpuTime)
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cost| cost.name() == text)
    }

    /// Returns the cost of a request with these measures. An unknown measure counts as 0.
    pub fn of(self, measures: &Measures) -> u64 {
        match self {
            Self::Requests | Self::Failed => 1,
            Self::ScanKeys => measures.scan.unwrap_or(0),
            Self::RequestBytes => measures.request_bytes,
            Self::Traffic => measures.request_bytes + measures.response_bytes.unwrap_or(0),
            Self::ResponseBytes => measures.response_bytes.unwrap_or(0),
            Self::CpuTime => measures.cpu.map_or(0, |span| span.0 / 1_000),
            Self::WallTime => measures.latency.map_or(0, |span| span.0 / 1_000),
        }
    }
}

impl GroupBy {
    /// Parses the value of `--group-by`: `user`, `ip`, or `key:2` for the first two segments of the key.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "user" => Some(Self::User),
            "ip" => Some(Self::Address),
            _ => {
                let segments = text.strip_prefix("key:")?.parse().ok()?;
                (1..=16)
                    .contains(&segments)
                    .then_some(Self::KeySegments(segments))
            }
        }
    }

    /// Returns the name of a request's accounting group; empty if the rule has one limiter for all requests.
    pub fn group(self, arrival: &Arrival) -> Arc<str> {
        match self {
            Self::Rule => "".into(),
            Self::User => arrival.caller.user.clone().unwrap_or_else(|| "".into()),
            Self::Address => AddressRange {
                first: arrival.caller.address,
                bits: 32,
            }
            .to_string()
            .into(),
            Self::KeySegments(segments) => {
                let mut operations = arrival.operations.iter();
                let keys = operations.find_map(|op| op.keys.as_ref());
                let key = keys.map(|keys| keys.start().as_slice()).unwrap_or_default();
                escape(first_segments(key, segments)).into()
            }
        }
    }
}

/// Returns the beginning of a key, up to and including the slash that ends the segment with this number.
pub(super) fn first_segments(key: &[u8], segments: u32) -> &[u8] {
    let mut slashes = key.iter().enumerate().skip(1).filter(|(_, b)| **b == b'/');
    match slashes.nth(segments as usize - 1) {
        Some((at, _)) => &key[..=at],
        None => key,
    }
}

impl QosRule {
    /// Creates a rule that selects every request.
    pub fn new(name: QosName, class: QosName, priority: u32) -> Self {
        Self {
            name,
            class,
            priority,
            subjects: Vec::new(),
            prefixes: Vec::new(),
            methods: Vec::new(),
            ops: Vec::new(),
            conditions: Vec::new(),
            min_retry: 0,
            group_by: GroupBy::default(),
            cost: Cost::default(),
        }
    }

    pub fn kinds(&self) -> &[OpKind] {
        match self.ops.as_slice() {
            [] if self.methods.is_empty() => &OpKind::DEFAULT,
            [] => &OpKind::ALL,
            ops => ops,
        }
    }

    /// A rule selects requests without an operation only by their method.
    pub fn selects(&self, method: &str) -> bool {
        match self.methods.as_slice() {
            [] => !kinds_of(method).is_empty(),
            methods => methods.contains(&method),
        }
    }

    /// Returns true if the rule has no condition on the operations of a request or on their keys.
    pub(super) fn takes_any_operation(&self) -> bool {
        self.ops.is_empty() && self.prefixes.is_empty()
    }

    /// Returns the sort key of the rule. Among the rules that match a request, the rule with the smallest sort key
    /// wins.
    pub fn order(&self) -> (std::cmp::Reverse<u32>, QosName) {
        (std::cmp::Reverse(self.priority), self.name)
    }

    /// Returns the first reason why the rule does not match a request; `None` if the rule matches.
    pub fn mismatch(&self, arrival: &Arrival, measures: &Measures) -> Option<Mismatch> {
        let is_subject = |subject: &QosSubject| subject.matches(&arrival.caller);
        if !self.subjects.is_empty() && !self.subjects.iter().any(is_subject) {
            return Some(Mismatch::Subject);
        }
        if arrival.retry < self.min_retry {
            return Some(Mismatch::Retry);
        }
        if !self.selects(arrival.method) {
            return Some(Mismatch::Method);
        }
        if arrival.operations.is_empty() && self.takes_any_operation() {
            return self.unmet(measures);
        }
        let kinds = self.kinds();
        let mut of_kind = arrival
            .operations
            .iter()
            .filter(|op| kinds.contains(&op.kind))
            .peekable();
        if of_kind.peek().is_none() {
            return Some(Mismatch::Operation);
        }
        let is_covered = |keys: &KeyRange| {
            let mut prefixes = self.prefixes.iter();
            prefixes.any(|prefix| overlaps(keys, &prefix_range(prefix)))
        };
        let has_key = |keys: &Option<KeyRange>| match keys {
            Some(keys) => self.prefixes.is_empty() && !keys.is_empty() || is_covered(keys),
            None => self.prefixes.is_empty(),
        };
        if !of_kind.any(|op| has_key(&op.keys)) {
            return Some(Mismatch::Prefix);
        }
        self.unmet(measures)
    }

    fn unmet(&self, measures: &Measures) -> Option<Mismatch> {
        let mut conditions = self.conditions.iter();
        let unmet = conditions.find(|condition| !condition.is_met(measures));
        unmet.map(|condition| Mismatch::Condition(*condition))
    }

    /// Returns true if a condition of the rule compares the number of keys under the rule's prefixes.
    pub fn counts_keys(&self) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|condition| condition.kind == ConditionKind::KeyNum)
    }

    /// Checks the fields that do not depend on other definitions.
    ///
    /// # Errors
    /// Returns an error if a value is outside its range.
    pub fn check(&self) -> Result<(), QosError> {
        if !(1..=100).contains(&self.priority) {
            return Err(QosError::PriorityRange);
        }
        for condition in &self.conditions {
            if condition.threshold < 0 {
                return Err(QosError::NegativeThreshold);
            }
            let is_percent = condition.kind == ConditionKind::PercentOfStorageQuotaUsed;
            if is_percent && condition.threshold >= super::condition::MILLION {
                return Err(QosError::PercentThreshold);
            }
        }
        Ok(())
    }

    /// Returns the warnings that do not depend on other definitions.
    pub fn warnings(&self) -> Vec<QosWarning> {
        let mut warnings = Vec::new();
        let slashless = self.prefixes.iter().filter(|prefix| {
            let first = prefix.first();
            first.is_some_and(|first| *first != b'/')
        });
        warnings.extend(slashless.cloned().map(QosWarning::PrefixWithoutSlash));
        let mut conditions = self.conditions.iter();
        let scans = conditions.any(|condition| condition.kind == ConditionKind::ScanKeyNum);
        if scans && !self.kinds().contains(&OpKind::Range) {
            warnings.push(QosWarning::ScanWithoutRange);
        }
        if self.ops.contains(&OpKind::Authenticate) && !self.prefixes.is_empty() {
            warnings.push(QosWarning::AuthenticateWithPrefixes);
        }
        if !self.takes_any_operation() {
            let mut methods = self.methods.iter();
            let without = methods.find(|method| kinds_of(method).is_empty());
            warnings.extend(without.map(|method| QosWarning::MethodWithoutOperation(method)));
        }
        warnings
    }

    /// Returns true if this rule wins for every request that `other` matches.
    pub fn shadows(&self, other: &Self) -> bool {
        self.order() < other.order() && self.covers(other)
    }

    /// Returns true if this rule matches every request that `other` matches.
    pub fn covers(&self, other: &Self) -> bool {
        let covers = |prefix: &Bytes| self.prefixes.iter().any(|ours| prefix.starts_with(ours));
        let implies = |condition: &QosCondition| {
            let mut theirs = other.conditions.iter();
            theirs.any(|c| c.kind == condition.kind && c.threshold >= condition.threshold)
        };
        self.min_retry <= other.min_retry
            && (self.subjects.is_empty() || self.subjects == other.subjects)
            && methods().all(|method| self.selects(method) || !other.selects(method))
            && other.kinds().iter().all(|kind| self.kinds().contains(kind))
            && (self.prefixes.is_empty()
                || !other.prefixes.is_empty() && other.prefixes.iter().all(covers))
            && self.conditions.iter().all(implies)
    }

    /// Encodes the rule as a row of the bucket `qos`.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_bytes(1, self.name.as_str().as_bytes(), &mut out);
        write_bytes(2, self.class.as_str().as_bytes(), &mut out);
        write_number(3, self.priority.into(), &mut out);
        for subject in &self.subjects {
            let mut row = Vec::new();
            if let Some(user) = &subject.user {
                write_bytes(1, user.as_bytes(), &mut row);
            }
            if let Some(range) = subject.addresses {
                write_number(2, range.first.into(), &mut row);
                write_number(3, range.bits.into(), &mut row);
            }
            write_bytes(4, &row, &mut out);
        }
        for prefix in &self.prefixes {
            write_bytes(5, prefix, &mut out);
        }
        for kind in &self.ops {
            write_bytes(6, kind.name().as_bytes(), &mut out);
        }
        for condition in &self.conditions {
            let mut row = Vec::new();
            write_bytes(1, condition.kind.name().as_bytes(), &mut row);
            write_number(2, condition.threshold as u64, &mut row);
            write_bytes(7, &row, &mut out);
        }
        write_number(8, self.min_retry.into(), &mut out);
        if let Some(text) = self.group_by.text() {
            write_bytes(9, text.as_bytes(), &mut out);
        }
        write_bytes(10, self.cost.name().as_bytes(), &mut out);
        for method in &self.methods {
            write_bytes(11, method.as_bytes(), &mut out);
        }
        out
    }

    /// Decodes a row of the bucket `qos`. Returns `None` if the row is not a rule.
    pub fn decode(row: &[u8]) -> Option<Self> {
        let nameless = QosName::new("-")?;
        let mut rule = Self::new(nameless, nameless, 0);
        let mut is_valid = true;
        each_field(row, |number, content| {
            is_valid &= rule.set(number, content).is_some();
        });
        let is_named = rule.name != nameless && rule.class != nameless;
        (is_valid && is_named).then_some(rule)
    }

    fn set(&mut self, number: u32, content: Content<'_>) -> Option<()> {
        let text = |bytes| std::str::from_utf8(bytes).ok();
        match (number, content) {
            (1, Content::Bytes(bytes)) => self.name = QosName::new(text(bytes)?)?,
            (2, Content::Bytes(bytes)) => self.class = QosName::new(text(bytes)?)?,
            (3, Content::Int(n)) => self.priority = u32::try_from(n).ok()?,
            (4, Content::Bytes(row)) => {
                let mut subject = QosSubject::default();
                let (mut first, mut bits) = (0, None);
                each_field(row, |number, content| match (number, content) {
                    (1, Content::Bytes(bytes)) => subject.user = text(bytes).map(Into::into),
                    (2, Content::Int(n)) => first = n as u32,
                    (3, Content::Int(n)) => bits = Some(n as u32),
                    _ => {}
                });
                subject.addresses = bits.map(|bits| AddressRange { first, bits });
                self.subjects.push(subject);
            }
            (5, Content::Bytes(bytes)) => self.prefixes.push(bytes.into()),
            (6, Content::Bytes(bytes)) => self.ops.push(OpKind::parse(text(bytes)?)?),
            (7, Content::Bytes(row)) => {
                let (mut kind, mut threshold) = (None, 0);
                each_field(row, |number, content| match (number, content) {
                    (1, Content::Bytes(bytes)) => {
                        kind = text(bytes).and_then(ConditionKind::parse);
                    }
                    (2, Content::Int(n)) => threshold = n as i64,
                    _ => {}
                });
                let kind = kind?;
                self.conditions.push(QosCondition { kind, threshold });
            }
            (8, Content::Int(n)) => self.min_retry = u32::try_from(n).ok()?,
            (9, Content::Bytes(bytes)) => self.group_by = GroupBy::parse(text(bytes)?)?,
            (10, Content::Bytes(bytes)) => self.cost = Cost::parse(text(bytes)?)?,
            (11, Content::Bytes(bytes)) => self.methods.push(parse_method(text(bytes)?)?),
            _ => {}
        }
        Some(())
    }
}

impl GroupBy {
    /// Returns the value of the flag `--group-by`; `None` for the default.
    pub fn text(self) -> Option<String> {
        match self {
            Self::Rule => None,
            Self::User => Some("user".into()),
            Self::Address => Some("ip".into()),
            Self::KeySegments(segments) => Some(format!("key:{segments}")),
        }
    }
}

/// The first reason why a rule does not match a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The caller is not one of the subjects.
    Subject,
    /// The client has not sent the request often enough.
    Retry,
    Method,
    /// The request has no operation of the selected kinds.
    Operation,
    /// No operation of the selected kinds has a key under one of the prefixes.
    Prefix,
    /// A condition is not met, or its measure is unknown.
    Condition(QosCondition),
}

/// Formats the rule as the flags that create it.
impl fmt::Display for QosRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--class {} --priority {}", self.class, self.priority)?;
        for subject in &self.subjects {
            if let Some(user) = &subject.user {
                write!(f, " --user {user}")?;
            }
            if let Some(addresses) = subject.addresses {
                write!(f, " --client-ip {addresses}")?;
            }
        }
        f.write_str(&method::flags(&self.methods))?;
        if !self.ops.is_empty() {
            let names: Vec<&str> = self.ops.iter().map(|kind| kind.name()).collect();
            write!(f, " --ops {}", names.join(","))?;
        }
        for prefix in &self.prefixes {
            // A comma would separate two prefixes.
            match prefix.contains(&b',') {
                true => write!(f, " --prefix '\"{prefix}\"'")?,
                false => write!(f, " --prefix {prefix}")?,
            }
        }
        for condition in &self.conditions {
            write!(f, " --condition '{condition}'")?;
        }
        if self.min_retry > 0 {
            write!(f, " --retry {}", self.min_retry)?;
        }
        if let Some(group) = self.group_by.text() {
            write!(f, " --group-by {group}")?;
        }
        match self.cost {
            Cost::Requests => Ok(()),
            cost => write!(f, " --cost {}", cost.name()),
        }
    }
}
