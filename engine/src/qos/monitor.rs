//! The monitor: the newest requests with their cost, and the streams of `qos monitor`. An administrator uses them to
//! choose thresholds.
//!
//! The proposal calls this feature both "QoS Watch" and "QoS monitor". A stream sends each request above a threshold
//! when the request ends or is refused. The stream ends when it has sent its maximum number of requests.

use crate::base::bytes::KeyRange;
use crate::base::ids::{Caller, NodeId};
use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};

use super::name::QosName;
use super::subject::Identity;

/// The maximum number of requests that the monitor stores.
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
    /// Returns the value of the flag `--type` that selects this measure.
    pub fn name(self) -> &'static str {
        match self {
            Self::ScanKeyNum => "scanKeyNum",
            Self::Latency => "latency",
            Self::Traffic => "traffic",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::ScanKeyNum, Self::Latency, Self::Traffic]
            .into_iter()
            .find(|kind| kind.name() == text)
    }
}

/// The requests that a monitor stream sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MonitorQuery {
    /// The measure that is compared with the threshold.
    pub kind: MonitorType,
    /// The threshold: a count, microseconds or bytes. The stream sends a request if the measure of the request is
    /// greater than the threshold.
    pub threshold: u64,
    /// The maximum number of requests, from 1 to [`LIMIT_MAX`].
    pub limit: u64,
}

/// A request that the member executed or limited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MonitorRow {
    pub arrived: SimTime,
    /// The kind of the request's first operation, or the method of a request without operations.
    pub name: &'static str,
    /// The keys of the request's first operation.
    pub keys: Option<KeyRange>,
    pub caller: Identity,
    /// The number of visited index entries.
    pub scan: u64,
    /// The size of the request and the response in bytes.
    pub traffic: u64,
    /// The delay before the execution.
    pub wait: SimDuration,
    pub latency: SimDuration,
    /// The rule that decided on the request.
    pub rule: Option<QosName>,
    /// The class that the rule had at that time.
    pub class: Option<QosName>,
    /// Whether the rule refused the request.
    pub is_limited: bool,
}

impl MonitorRow {
    /// Returns the request's measure of this type: a count, microseconds or bytes.
    pub fn value(&self, kind: MonitorType) -> u64 {
        match kind {
            MonitorType::ScanKeyNum => self.scan,
            MonitorType::Latency => self.latency.0,
            MonitorType::Traffic => self.traffic,
        }
    }
}

/// The monitor of a member: the member's newest requests, and the open streams of `qos monitor`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Monitor {
    rows: OrdMap<u64, MonitorRow>,
    added: u64,
    /// The open streams by their caller, each with its query. The limit in the query is the number of requests that the
    /// stream may still send.
    streams: OrdMap<Caller, MonitorQuery>,
    /// The requests that the streams have not sent yet, oldest first.
    unsent: Vec<(Caller, MonitorRow)>,
}

impl Monitor {
    pub(super) fn add(&mut self, row: MonitorRow) {
        self.send(&row);
        self.added += 1;
        self.rows.insert(self.added, row);
        if self.added > ROWS {
            self.rows.remove(&(self.added - ROWS));
        }
    }

    /// Queues a request on each stream whose threshold is below the value of the request.
    fn send(&mut self, row: &MonitorRow) {
        let above = self.streams.iter();
        let above = above.filter(|(_, query)| row.value(query.kind) > query.threshold);
        let callers: Vec<Caller> = above.map(|(caller, _)| *caller).collect();
        for caller in callers {
            self.unsent.push((caller, row.clone()));
            if let Some(query) = self.streams.get_mut(&caller) {
                query.limit -= 1;
                if query.limit == 0 {
                    self.streams.remove(&caller);
                }
            }
        }
    }

    /// Returns the newest requests, oldest first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &MonitorRow> {
        self.rows.values()
    }

    /// Opens a stream. The stream sends the requests that end or are refused from now on.
    pub fn open(&mut self, caller: Caller, query: MonitorQuery) {
        self.streams.insert(caller, query);
    }

    pub fn close_streams(&mut self, node: NodeId) {
        let of_node = self.streams.keys().filter(|caller| caller.node == node);
        let callers: Vec<Caller> = of_node.copied().collect();
        for caller in callers {
            self.streams.remove(&caller);
        }
    }

    /// Returns the callers of the open streams.
    pub fn streams(&self) -> impl Iterator<Item = Caller> + '_ {
        self.streams.keys().copied()
    }

    /// Removes and returns the requests that the streams must send, oldest first.
    pub fn take_unsent(&mut self) -> Vec<(Caller, MonitorRow)> {
        std::mem::take(&mut self.unsent)
    }
}
