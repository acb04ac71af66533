//! What a run came to: plain data, for a page to draw.

use serde::{Deserialize, Serialize};

use crate::base::histogram::{Histogram, HistogramBin};

use super::setting::LabSetting;

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabReport {
    /// The setting of the run.
    pub setting: LabSetting,
    /// How long lists waited for the cache, those that did not included. Without the question for
    /// etcd's revision, as closed forms have it.
    pub wait: Distribution,
    /// From their coming until they could be answered: the question, the wait, and etcd's own list
    /// where they went there. Without the making of the answer.
    pub whole: Distribution,
    /// Lists that found the cache fresh.
    pub fresh: u64,
    /// Lists that an event released.
    pub by_event: u64,
    /// Lists that waited too long, or went there at once, and were sent to etcd.
    pub from_etcd: u64,
    /// Lists that waited too long and failed.
    pub refused: u64,
    /// Questions for etcd's revision.
    pub questions: u64,
    /// Requests for progress.
    pub requests: u64,
    /// Notifications received, with or without a request.
    pub notifications: u64,
    /// Simulated time.
    pub simulated_us: u64,
    /// A few lists one after the other, from the middle of the run.
    pub some: Vec<OneList>,
}

/// One list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneList {
    /// The arrival time of the list.
    pub came_us: u64,
    /// The duration of the wait.
    pub wait_us: u64,
    /// The time until the response.
    pub whole_us: u64,
}

/// Times, sorted into logarithmic bins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// The number of waits.
    pub count: u64,
    /// The mean, in nanoseconds.
    pub mean_ns: u64,
    /// The least.
    pub least_us: u64,
    /// Half are below.
    pub p50_us: u64,
    /// Nine in ten are below.
    pub p90_us: u64,
    /// 99 in 100 are below.
    pub p99_us: u64,
    /// 999 in 1,000 are below.
    pub p999_us: u64,
    /// The greatest.
    pub max_us: u64,
    /// The bins that are not empty, in microseconds.
    pub bins: Vec<HistogramBin>,
}

impl Distribution {
    /// The distribution of a histogram in microseconds.
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
