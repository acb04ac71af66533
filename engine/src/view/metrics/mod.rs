//! The metrics of a member as small charts over the time of a run, and as the text that Prometheus reads.

pub mod build;

use serde::{Deserialize, Serialize};

/// The maximum number of points of a chart.
pub const POINTS_MAX: u64 = 96;

/// The metrics of a member at one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricsView {
    /// The time of the step, which is the end of all charts, in microseconds. The charts begin at 0.
    pub now_us: u64,
    pub charts: Vec<MetricChart>,
    pub histograms: Vec<DurationBins>,
    /// All metrics, in the text format of Prometheus.
    pub text: String,
}

/// The values of a metric over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricChart {
    /// etcd's name of the metric.
    pub name: String,
    /// The value of the metric at the step.
    pub value: u64,
    /// Whether the metric is a counter. The points of a counter are rates per second.
    pub is_counter: bool,
    pub is_bytes: bool,
    /// The points, oldest first, at most [`POINTS_MAX`].
    pub points: Vec<MetricPoint>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricPoint {
    pub at_us: u64,
    /// The value at this time; for a counter, the rate per second since the previous point.
    pub value: f64,
}

/// The durations of one kind of operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DurationBins {
    /// etcd's name of the histogram.
    pub name: String,
    /// The number of operations that were measured.
    pub count: u64,
    /// The upper bound of each bin in microseconds, and the number of operations in the bin; empty bins at the end are
    /// omitted. The number of operations above the last bound is `count` minus the sum of all bins.
    pub bins: Vec<(u64, u64)>,
}
