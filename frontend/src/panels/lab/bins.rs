//! Sorts waits into bins for a histogram, with a linear or logarithmic axis.

use crate::draw::surface::within;
use watchglass_engine::session::latency::{ClosedForm, Distribution, HistogramBin};

/// The x axis of the histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BinAxis {
    pub is_log: bool,
    /// The start of the axis, in microseconds; shorter waits belong to the first bin.
    pub from: f64,
    /// The end of the axis, in microseconds.
    pub to: f64,
}

/// The shortest wait that a logarithmic axis distinguishes from zero, in microseconds.
const LOG_FROM_US: f64 = 100.0;
/// The approximate number of bins on a linear axis.
const LINEAR_BINS: f64 = 50.0;
/// The number of bins per doubling of the wait on a logarithmic axis.
const PER_DOUBLING: i32 = 4;

/// Rounds up to 1, 2 or 5 times a power of ten.
pub fn nice(value: f64) -> f64 {
    let mut unit = 1.0;
    while unit * 10.0 < value {
        unit *= 10.0;
    }
    let steps = [1.0, 2.0, 5.0, 10.0];
    let step = steps.into_iter().find(|step| step * unit >= value);
    step.unwrap_or(10.0) * unit
}

impl BinAxis {
    /// Creates an axis for waits of up to `longest_us` microseconds.
    pub fn new(is_log: bool, longest_us: u64) -> Self {
        let longest = (longest_us as f64).max(1_000.0);
        if is_log {
            let doublings = (longest / LOG_FROM_US).log2().ceil() + 1.0;
            let to = LOG_FROM_US * f64::powi(2.0, doublings as i32);
            return Self {
                is_log,
                from: LOG_FROM_US / 2.0,
                to,
            };
        }
        let bin = nice(longest / LINEAR_BINS);
        Self {
            is_log,
            from: 0.0,
            to: (longest / bin).ceil() * bin + bin,
        }
    }

    /// Returns the position of a wait on the axis, as a fraction of the axis's length.
    pub fn place(&self, us: f64) -> f64 {
        let place = if self.is_log {
            (us.max(self.from) / self.from).log2() / (self.to / self.from).log2()
        } else {
            us / self.to
        };
        within(place, 0.0, 1.0)
    }

    pub fn contains(&self, us: f64) -> bool {
        us <= self.to
    }

    /// Returns the edges of the bins, in microseconds.
    pub fn edges(&self) -> Vec<f64> {
        let mut edges = Vec::new();
        if self.is_log {
            edges.push(self.from);
            let mut bin = 0;
            loop {
                let edge = LOG_FROM_US * f64::powf(2.0, f64::from(bin) / f64::from(PER_DOUBLING));
                edges.push(edge.min(self.to));
                bin += 1;
                if edge >= self.to * 0.999 {
                    return edges;
                }
            }
        }
        let width = nice((self.to * 0.96) / LINEAR_BINS);
        let mut edge = 0.0;
        while edge < self.to + width / 2.0 {
            edges.push(edge);
            edge += width;
        }
        edges
    }

    /// Returns the values of the axis that have a label, in microseconds.
    pub fn ticks(&self) -> Vec<f64> {
        if self.is_log {
            let all = [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
            return all.into_iter().filter(|tick| *tick < self.to).collect();
        }
        let step = nice(self.to / 8.0);
        let mut ticks = Vec::new();
        let mut tick = 0.0;
        while tick <= self.to {
            ticks.push(tick);
            tick += step;
        }
        ticks
    }
}

/// Returns the number of waits in each bin. If an edge divides a range of the distribution, the waits of this range are
/// counted as if they were evenly distributed.
pub fn sorted(distribution: &Distribution, edges: &[f64]) -> Vec<f64> {
    let mut counts = vec![0.0; edges.len().saturating_sub(1)];
    let last = counts.len().saturating_sub(1);
    for HistogramBin { from, to, count } in &distribution.bins {
        let (from, to, count) = (*from as f64, *to as f64, *count as f64);
        // A wait at an edge belongs to the bin that begins there.
        let mut at = edges
            .partition_point(|edge| *edge <= from)
            .saturating_sub(1)
            .min(last);
        let mut low = from;
        while low < to {
            let high = if at >= last {
                to
            } else {
                edges[at + 1].min(to)
            };
            if let Some(sum) = counts.get_mut(at) {
                *sum += count * (high - low) / (to - from);
            }
            low = high.max(low + f64::EPSILON * to);
            at = (at + 1).min(last);
            if high >= to {
                break;
            }
        }
    }
    counts
}

/// Returns the number of waits that the closed form predicts for each bin, out of `count` waits.
pub fn expected(closed: &ClosedForm, count: u64, edges: &[f64]) -> Vec<f64> {
    // Waits outside of the edges belong to the first or the last bin.
    let last = edges.len().saturating_sub(1);
    let above = |at: usize| match at {
        0 => 1_000_000,
        at if at == last => 0,
        at => closed.above_ppm((edges[at] - 0.5).max(0.0) as u64),
    };
    let share = |at: usize| above(at).saturating_sub(above(at + 1)) as f64 / 1e6;
    (0..last).map(|at| share(at) * count as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::session::latency::{LabSetting, Scheme, Simulation};

    #[test]
    fn every_wait_is_in_a_bin_and_where_the_closed_form_expects_it() {
        let setting = LabSetting {
            requests: 20_000,
            ..LabSetting::of(Scheme::Today)
        };
        let mut simulation = Simulation::new(setting);
        while simulation.advance(10_000) {}
        let wait = simulation.report().wait;
        let closed = ClosedForm::of(&setting).expect("a closed form");
        for is_log in [false, true] {
            let edges = BinAxis::new(is_log, wait.max_us).edges();
            assert!(edges.is_sorted(), "{edges:?}");
            let counts = sorted(&wait, &edges);
            let sum: f64 = counts.iter().sum();
            assert!((sum - 20_000.0).abs() < 0.01, "{sum}");
            let expected = expected(&closed, 20_000, &edges);
            for (at, (count, expected)) in counts.iter().zip(&expected).enumerate() {
                let off = (count - expected).abs();
                assert!(
                    off < 120.0 + expected / 10.0,
                    "log {is_log}, bin {at}: {count} {expected}"
                );
            }
        }
    }

    #[test]
    fn an_axis_has_round_steps() {
        let axis = BinAxis::new(false, 250_000);
        assert_eq!(axis.edges()[1], 5_000.0);
        assert_eq!(axis.ticks()[1], 50_000.0);
        assert!((axis.place(axis.to) - 1.0).abs() < 1e-9);
        assert_eq!(nice(0.3), 1.0);
        assert_eq!(nice(31.0), 50.0);
    }
}
