//! Builds the charts of a member's metrics from the samples of a run.

use crate::base::durations::Durations;
use crate::observe::{Metric, MetricSample};
use crate::world::World;

use super::super::show;
use super::{DurationBins, MetricChart, MetricPoint, MetricsView, POINTS_MAX};

/// Returns the metrics of the member that the terminal uses. `samples` contains the samples of the run up to this
/// world, oldest first.
pub fn metrics_view<'a>(
    samples: impl Iterator<Item = &'a MetricSample>,
    world: &World,
) -> MetricsView {
    let now = MetricSample::of(world);
    let column = |sample: &MetricSample| sample.at.0 * (POINTS_MAX - 1) / now.at.0.max(1);
    // The last sample of each column.
    let mut shown: Vec<&MetricSample> = Vec::new();
    for sample in samples.filter(|sample| sample.at < now.at) {
        if shown
            .last()
            .is_some_and(|last| column(last) == column(sample))
        {
            shown.pop();
        }
        shown.push(sample);
    }
    // A rate over much less than a column would differ from all others.
    let column_us = now.at.0 / POINTS_MAX;
    shown.pop_if(|last| last.at.0 + column_us > now.at.0);
    shown.push(&now);
    let durations = show::metrics::durations(world);
    MetricsView {
        now_us: now.at.0,
        charts: Metric::ALL
            .iter()
            .enumerate()
            .map(|(place, metric)| chart(*metric, place, &shown))
            .collect(),
        histograms: durations
            .map(|(name, durations)| bins(name, &durations))
            .into(),
        text: show::metrics::metrics(world, ""),
    }
}

fn chart(metric: Metric, place: usize, samples: &[&MetricSample]) -> MetricChart {
    let is_counter = metric.is_counter();
    let mut points = Vec::with_capacity(samples.len());
    let (mut before, mut last_us) = (0, 0);
    for sample in samples {
        let (value, at_us) = (sample.values[place], sample.at.0);
        let shown = match is_counter {
            false => value as f64,
            true => {
                // A restart resets the counters, as in `rate()` of Prometheus.
                let more = value.checked_sub(before).unwrap_or(value);
                let us = at_us - last_us;
                if us == 0 {
                    0.0
                } else {
                    more as f64 * 1e6 / us as f64
                }
            }
        };
        points.push(MetricPoint {
            at_us,
            value: shown,
        });
        (before, last_us) = (value, at_us);
    }
    MetricChart {
        name: metric.name().to_owned(),
        value: before,
        is_counter,
        is_bytes: metric.is_bytes(),
        points,
    }
}

fn bins(name: &str, durations: &Durations) -> DurationBins {
    let mut below = 0;
    let mut bins = Vec::new();
    for (bound, count) in durations.buckets() {
        if below < durations.count {
            bins.push((bound, count - below));
        }
        below = count;
    }
    DurationBins {
        name: name.to_owned(),
        count: durations.count,
        bins,
    }
}
