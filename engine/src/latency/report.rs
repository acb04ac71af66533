//! The result of a run as plain data, which a page can draw.

use serde::{Deserialize, Serialize};

use crate::base::histogram::{Histogram, HistogramBin};

use super::setting::LabSetting;

/// The result of a run of the lab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabReport {
    /// The setting of the run.
    pub setting: LabSetting,
    /// The times that lists waited for the cache; 0 for lists that did not wait. Does not include the request for
    /// etcd's revision, as in the closed forms.
    pub wait: Distribution,
    /// The times from the arrival of a list until its response can be created: the request for etcd's revision, the
    /// wait and, if etcd serves the list, the list from etcd. Does not include the creation of the response.
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
    /// The number of progress requests.
    pub requests: u64,
    /// The number of progress notifications received, with or without a request.
    pub notifications: u64,
    /// The simulated time, in microseconds.
    pub simulated_us: u64,
    /// A few consecutive lists from the middle of the run.
    pub some: Vec<OneList>,
}

/// The times of one list, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneList {
    /// The arrival time of the list.
    pub came_us: u64,
    /// The duration of the wait.
    pub wait_us: u64,
    /// The time until the response.
    pub whole_us: u64,
}

/// A distribution of times, with a histogram whose bins are logarithmic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// The number of measured times.
    pub count: u64,
    /// The mean, in nanoseconds.
    pub mean_ns: u64,
    /// The minimum time.
    pub least_us: u64,
    /// The median: half of the times are below.
    pub p50_us: u64,
    /// The 90th percentile: 90% of the times are below.
    pub p90_us: u64,
    /// The 99th percentile: 99% of the times are below.
    pub p99_us: u64,
    /// The 99.9th percentile: 99.9% of the times are below.
    pub p999_us: u64,
    /// The maximum time.
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
