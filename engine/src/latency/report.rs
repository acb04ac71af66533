//! The result of a run of the latency lab, as plain data that a page can draw.

use serde::{Deserialize, Serialize};

use crate::base::histogram::{Histogram, HistogramBin};

use super::setting::LabSetting;

/// The result of a run of the lab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabReport {
    pub setting: LabSetting,
    /// The time that each list waited for the cache; 0 for a list that did not wait. As in the closed forms, this time
    /// does not include the request for etcd's revision.
    pub wait: Distribution,
    /// The time from the arrival of each list until the API server can create the response: the sum of the request for
    /// etcd's revision, the wait and, if etcd serves the list, the list request to etcd. The time does not include the
    /// creation of the response.
    pub whole: Distribution,
    /// The number of lists that found the cache fresh and did not wait.
    pub fresh: u64,
    /// The number of lists whose wait ended with an event.
    pub by_event: u64,
    /// The number of lists that etcd served, after a timeout or immediately.
    pub from_etcd: u64,
    /// The number of lists that failed after a timeout.
    pub refused: u64,
    /// The number of requests for etcd's revision.
    pub questions: u64,
    pub requests: u64,
    /// The number of progress notifications that the API server received, both requested and unrequested.
    pub notifications: u64,
    pub simulated_us: u64,
    /// Sample lists of the run, from the fastest to the slowest. The last sample is the slowest list of the run.
    pub samples: Vec<ListParts>,
}

impl LabReport {
    /// Returns the index of the sample that is nearest to the median; `None` without samples.
    pub fn median_sample(&self) -> Option<usize> {
        let distance = |at: &usize| self.samples[*at].whole_us().abs_diff(self.whole.p50_us);
        (0..self.samples.len()).min_by_key(distance)
    }
}

/// A list of a run, with the parts of its latency and its messages. Times are in microseconds since the start of the
/// run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListParts {
    pub arrived_us: u64,
    /// The request for etcd's revision; `None` if the scheme sends no such request.
    pub revision: Option<RevisionRequest>,
    /// The time at which the wait for the cache ended.
    pub ended_us: u64,
    pub ended_by: WaitEnd,
    /// The progress requests, and the messages of the cache's watch, from the arrival of the list to the end of its
    /// wait. The oldest message is first.
    pub messages: Vec<WatchMessage>,
    /// The number of messages that `messages` omits because its length is limited.
    pub omitted: u64,
    /// The duration of the list request to etcd; `None` if the list needed no such request.
    pub etcd_us: Option<u64>,
    pub is_refused: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionRequest {
    pub sent_us: u64,
    pub received_us: u64,
    pub revision: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitEnd {
    /// The cache was fresh when the list began to wait.
    Fresh,
    /// The cache received an event with a sufficient revision.
    Event,
    /// The cache received a progress notification with a sufficient revision.
    Notification,
    Timeout,
}

/// A message on the cache's watch of etcd, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchMessage {
    /// The time at which the API server sent or received the message.
    pub at_us: u64,
    pub kind: WatchMessageKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchMessageKind {
    /// The API server sends a progress request.
    Request,
    /// The API server receives a progress notification with this revision.
    Notification(u64),
    /// The API server receives an event with this revision.
    Event(u64),
}

/// The parts of the time from the arrival of a list to its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListPart {
    /// The wait until the list's batch is complete. The lists of a batch share one request for etcd's revision.
    Batch,
    Revision,
    /// The wait until the cache has reached etcd's revision.
    Wait,
    FromEtcd,
}

impl ListParts {
    /// Returns the parts in the order of time, with the start and the end of each, in microseconds since the arrival.
    /// Each part starts at the end of the previous part.
    pub fn parts(&self) -> Vec<(ListPart, u64, u64)> {
        let since_arrival = |at: u64| at.saturating_sub(self.arrived_us);
        let ended = since_arrival(self.ended_us);
        let mut ends = Vec::new();
        if let Some(revision) = self.revision {
            if revision.sent_us > self.arrived_us {
                ends.push((ListPart::Batch, since_arrival(revision.sent_us)));
            }
            ends.push((ListPart::Revision, since_arrival(revision.received_us)));
        }
        if self.revision.is_some() || ended > 0 {
            ends.push((ListPart::Wait, ended));
        }
        if let Some(us) = self.etcd_us {
            ends.push((ListPart::FromEtcd, ended + us));
        }
        let mut from = 0;
        ends.into_iter()
            .map(|(part, to)| (part, std::mem::replace(&mut from, to), to))
            .collect()
    }

    /// Returns the time from the arrival of the list to its response.
    pub fn whole_us(&self) -> u64 {
        self.ended_us.saturating_sub(self.arrived_us) + self.etcd_us.unwrap_or(0)
    }
}

/// A distribution of times, with a histogram whose bins are logarithmic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    pub count: u64,
    pub mean_ns: u64,
    pub least_us: u64,
    pub p50_us: u64,
    pub p90_us: u64,
    pub p99_us: u64,
    pub p999_us: u64,
    pub max_us: u64,
    /// The bins that are not empty, with bounds in microseconds.
    pub bins: Vec<HistogramBin>,
}

impl Distribution {
    /// Computes the distribution of a histogram in microseconds.
    pub fn of(histogram: &Histogram) -> Self {
        Self {
            count: histogram.count(),
            mean_ns: histogram.mean_thousandths(),
            least_us: histogram.least(),
            p50_us: histogram.quantile(1, 2),
            p90_us: histogram.quantile(9, 10),
            p99_us: histogram.quantile(99, 100),
            p999_us: histogram.quantile(999, 1_000),
            max_us: histogram.greatest(),
            bins: histogram.bins().collect(),
        }
    }
}
