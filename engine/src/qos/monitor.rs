//! The monitor: the newest requests with their cost, so that an administrator can choose thresholds.
//!
//! The proposal calls the same feature "QoS Watch" and "QoS monitor". Its monitor is a stream; here, the member keeps
//! the newest requests, and `qos monitor` lists the requests above a threshold.

use crate::base::bytes::KeyRange;
use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};

use super::name::QosName;
use super::operation::OpKind;
use super::subject::Identity;

/// The number of requests that the monitor keeps.
pub const ROWS: u64 = 1_000;

/// The maximum of `--limit` (`--limit (<100)` in the proposal).
pub const LIMIT_MAX: u64 = 100;

/// The measure that `qos monitor --type` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MonitorType {
    /// The number of visited index entries.
    ScanKeyNum,
    /// The duration in microseconds.
    Latency,
    /// The size of the request and the response in bytes.
    Traffic,
}

impl MonitorType {
    /// Returns the value of `--type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ScanKeyNum => "scanKeyNum",
            Self::Latency => "latency",
            Self::Traffic => "traffic",
        }
    }

    /// Returns the type with this name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::ScanKeyNum, Self::Latency, Self::Traffic]
            .into_iter()
            .find(|kind| kind.name() == text)
    }
}

/// A request that the member executed or limited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MonitorRow {
    /// The time of the arrival.
    pub arrived: SimTime,
    /// The kind of the request's first operation.
    pub kind: OpKind,
    /// The keys of the request's first operation.
    pub keys: Option<KeyRange>,
    /// The caller.
    pub caller: Identity,
    /// The number of visited index entries.
    pub scan: u64,
    /// The size of the request and the response in bytes.
    pub traffic: u64,
    /// The delay before the execution.
    pub wait: SimDuration,
    /// The duration of the execution.
    pub latency: SimDuration,
    /// The rule that decided about the request.
    pub rule: Option<QosName>,
    /// Whether the rule refused the request.
    pub is_limited: bool,
}

impl MonitorRow {
    /// Returns the measure of a type: a count, microseconds or bytes.
    pub fn value(&self, kind: MonitorType) -> u64 {
        match kind {
            MonitorType::ScanKeyNum => self.scan,
            MonitorType::Latency => self.latency.0,
            MonitorType::Traffic => self.traffic,
        }
    }
}

/// The newest requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Monitor {
    rows: OrdMap<u64, MonitorRow>,
    added: u64,
}

impl Monitor {
    pub(super) fn add(&mut self, row: MonitorRow) {
        self.added += 1;
        self.rows.insert(self.added, row);
        if self.added > ROWS {
            self.rows.remove(&(self.added - ROWS));
        }
    }

    /// Returns the rows, oldest first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &MonitorRow> {
        self.rows.values()
    }

    /// Returns the newest rows whose measure is greater than a threshold, oldest first.
    pub fn above(&self, kind: MonitorType, threshold: u64, limit: u64) -> Vec<MonitorRow> {
        let newest_first = self.rows().rev();
        let above = newest_first.filter(|row| row.value(kind) > threshold);
        let mut rows: Vec<MonitorRow> = above.take(limit as usize).cloned().collect();
        rows.reverse();
        rows
    }
}
