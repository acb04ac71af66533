//! The QoS metrics of a member: counters of decisions and of expensive requests, and histograms of latencies.

use std::fmt::{self, Write};

use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};

use super::condition::ConditionKind;
use super::name::QosName;
use super::state::Qos;

/// The outcome of the decision on a request that a rule matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QosOutcome {
    /// A rule matched, and the request started at once.
    Admitted,
    /// A rule matched, and the request started later.
    Delayed,
    /// A rule matched, and the request was refused.
    Limited,
}

impl fmt::Display for QosOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Admitted => "admitted",
            Self::Delayed => "delayed",
            Self::Limited => "limited",
        })
    }
}

/// The upper bounds of the bins of durations, in microseconds.
pub const DURATION_BINS: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// A histogram of the durations of the requests of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct QosDurations {
    /// For each bin, the number of requests whose duration is at most the bin's bound.
    pub bins: [u64; DURATION_BINS.len()],
    pub count: u64,
    pub sum_us: u64,
}

impl QosDurations {
    fn add(&mut self, span: SimDuration) {
        for (bin, bound) in self.bins.iter_mut().zip(DURATION_BINS) {
            *bin += u64::from(span.0 <= bound);
        }
        self.count += 1;
        self.sum_us = self.sum_us.saturating_add(span.0);
    }

    fn merge(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(other.bins) {
            *bin += more;
        }
        self.count += other.count;
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
    }
}

/// The QoS counters of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QosMetrics {
    requests: OrdMap<(QosName, QosName, QosOutcome), u64>,
    expensive: OrdMap<ConditionKind, u64>,
    waits: OrdMap<QosName, QosDurations>,
    /// The latencies by class, from the arrival to the response. Requests that no rule matched have no class.
    latencies: OrdMap<Option<QosName>, QosDurations>,
    /// The number of requests by class, including refused requests.
    arrivals: OrdMap<Option<QosName>, u64>,
    /// The number of failed requests by class, without refused requests.
    failures: OrdMap<Option<QosName>, u64>,
    /// The number of requests that no rule matched.
    pub bypassed: u64,
    /// The number of requests that were refused because of the gap between committed and applied entries.
    pub too_many_requests: u64,
}

impl QosMetrics {
    pub(super) fn count(&mut self, rule: QosName, class: QosName, outcome: QosOutcome) {
        *self
            .requests
            .get_or_insert_with((rule, class, outcome), || 0) += 1;
    }

    pub(super) fn wait(&mut self, class: QosName, wait: SimDuration) {
        self.waits
            .get_or_insert_with(class, QosDurations::default)
            .add(wait);
    }

    pub(super) fn latency(&mut self, class: Option<QosName>, latency: SimDuration) {
        self.latencies
            .get_or_insert_with(class, QosDurations::default)
            .add(latency);
    }

    pub(super) fn arrival(&mut self, class: Option<QosName>) {
        *self.arrivals.get_or_insert_with(class, || 0) += 1;
    }

    /// Returns the number of requests of a class, including refused requests. `None` selects the requests that no rule
    /// matched.
    pub fn arrivals(&self, class: Option<QosName>) -> u64 {
        self.arrivals.get(&class).copied().unwrap_or_default()
    }

    pub(super) fn failure(&mut self, class: Option<QosName>) {
        *self.failures.get_or_insert_with(class, || 0) += 1;
    }

    /// Returns the number of failed requests of a class. `None` selects the requests that no rule matched.
    pub fn failures(&self, class: Option<QosName>) -> u64 {
        self.failures.get(&class).copied().unwrap_or_default()
    }

    /// Returns the classes with requests, ordered by name. `None` stands for the requests that no rule matched.
    pub fn classes(&self) -> impl Iterator<Item = Option<QosName>> + '_ {
        self.arrivals.keys().copied()
    }

    pub fn add(&mut self, other: &Self) {
        for (key, count) in &other.requests {
            *self.requests.get_or_insert_with(*key, || 0) += count;
        }
        for (kind, count) in &other.expensive {
            *self.expensive.get_or_insert_with(*kind, || 0) += count;
        }
        for (class, count) in &other.arrivals {
            *self.arrivals.get_or_insert_with(*class, || 0) += count;
        }
        for (class, count) in &other.failures {
            *self.failures.get_or_insert_with(*class, || 0) += count;
        }
        for (class, durations) in &other.waits {
            let sum = self.waits.get_or_insert_with(*class, QosDurations::default);
            sum.merge(durations);
        }
        for (class, durations) in &other.latencies {
            let sum = self
                .latencies
                .get_or_insert_with(*class, QosDurations::default);
            sum.merge(durations);
        }
        self.bypassed += other.bypassed;
        self.too_many_requests += other.too_many_requests;
    }

    /// Returns the latencies of the requests of a class, from the arrival to the response. `None` selects the requests
    /// that no rule matched.
    pub fn latencies(&self, class: Option<QosName>) -> QosDurations {
        self.latencies.get(&class).copied().unwrap_or_default()
    }

    pub fn of_class(&self, class: QosName, outcome: QosOutcome) -> u64 {
        let all = self.requests.iter();
        let of_class = all.filter(|((_, c, o), _)| *c == class && *o == outcome);
        of_class.map(|(_, count)| count).sum()
    }

    pub(super) fn expensive(&mut self, kind: ConditionKind) {
        *self.expensive.get_or_insert_with(kind, || 0) += 1;
    }

    pub fn of_rule(&self, rule: QosName, outcome: QosOutcome) -> u64 {
        let all = self.requests.iter();
        let of_rule = all.filter(|((r, _, o), _)| *r == rule && *o == outcome);
        of_rule.map(|(_, count)| count).sum()
    }

    pub fn total(&self, outcome: QosOutcome) -> u64 {
        let all = self.requests.iter();
        all.filter(|((_, _, o), _)| *o == outcome)
            .map(|(_, count)| count)
            .sum()
    }

    /// Returns the number of requests that met a condition of some rule, by the kind of the condition.
    pub fn expensive_requests(&self) -> impl Iterator<Item = (ConditionKind, u64)> + '_ {
        self.expensive.iter().map(|(kind, count)| (*kind, *count))
    }
}

/// Formats the metrics as a member's endpoint `/metrics` does.
pub fn text(qos: &Qos, now: SimTime) -> String {
    let metrics = qos.metrics();
    let mut out = String::new();
    let mut line = |text: fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line(format_args!(
        "etcd_qos_requests_total{{rule=\"\",class=\"\",outcome=\"bypass\"}} {}",
        metrics.bypassed
    ));
    for ((rule, class, outcome), count) in &metrics.requests {
        line(format_args!(
            "etcd_qos_requests_total{{rule=\"{rule}\",class=\"{class}\",outcome=\"{outcome}\"}} {count}"
        ));
    }
    for (kind, count) in &metrics.expensive {
        let kind = kind.name();
        line(format_args!(
            "etcd_qos_expensive_requests_total{{kind=\"{kind}\"}} {count}"
        ));
    }
    for (class, waits) in &metrics.waits {
        for (bound, count) in DURATION_BINS.into_iter().zip(waits.bins) {
            let seconds = super::condition::Millionths(bound as i64);
            line(format_args!(
                "etcd_qos_wait_seconds_bucket{{class=\"{class}\",le=\"{seconds}\"}} {count}"
            ));
        }
        let (count, sum) = (
            waits.count,
            super::condition::Millionths(waits.sum_us as i64),
        );
        line(format_args!(
            "etcd_qos_wait_seconds_bucket{{class=\"{class}\",le=\"+Inf\"}} {count}"
        ));
        line(format_args!(
            "etcd_qos_wait_seconds_sum{{class=\"{class}\"}} {sum}"
        ));
        line(format_args!(
            "etcd_qos_wait_seconds_count{{class=\"{class}\"}} {count}"
        ));
    }
    for (class, kind, level) in qos.levels(now) {
        let name = match kind.name() {
            "maxinflight" => "etcd_qos_inflight",
            "tbf" => "etcd_qos_tokens",
            _ => continue,
        };
        line(format_args!("{name}{{class=\"{class}\"}} {level}"));
    }
    let tracker = qos.tracker();
    line(format_args!("etcd_qos_lru_hits_total {}", tracker.hits));
    line(format_args!("etcd_qos_lru_misses_total {}", tracker.misses));
    line(format_args!(
        "etcd_qos_lru_evictions_total {}",
        tracker.evictions
    ));
    for (part, bytes) in qos.memory() {
        line(format_args!(
            "etcd_qos_memory_bytes{{part=\"{part}\"}} {bytes}"
        ));
    }
    line(format_args!(
        "etcd_server_too_many_requests_total {}",
        metrics.too_many_requests
    ));
    out
}
