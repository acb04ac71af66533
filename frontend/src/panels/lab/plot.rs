//! Draws results as a function of one setting: simulated results as points, closed forms as lines.

use crate::draw::surface::num as px;
use crate::draw::surface::within;
use crate::draw::text;
use yew::prelude::*;

use super::bins::nice;
use crate::words::lab::{count, fixed};

#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name, which is drawn at the end of the line.
    pub name: String,
    /// The CSS class of the curve.
    pub class: &'static str,
    /// The line of the closed form, in the units of the axes.
    pub line: Vec<(f64, f64)>,
    /// The simulated points, in the units of the axes.
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LabPlot {
    /// The content of the plot in one sentence, for screen readers.
    pub alt: String,
    /// The quantity on the x axis.
    pub x_name: &'static str,
    /// The quantity on the y axis.
    pub y_name: &'static str,
    /// Whether both axes are logarithmic.
    pub is_log: bool,
    pub curves: Vec<Curve>,
    pub width: f64,
    pub height: f64,
}

const LEFT: f64 = 60.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// The width of the space at the right for the names of curves, in pixels.
const NAMES: f64 = 118.0;

#[derive(Clone, Copy)]
struct Axis {
    is_log: bool,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64> + Clone, is_log: bool) -> Self {
        let most = values.clone().fold(0.0, f64::max);
        if !is_log {
            let step = nice(most.max(1.0) / 5.0);
            return Self {
                is_log,
                from: 0.0,
                to: step * (most / step).ceil().max(1.0),
            };
        }
        let least = values
            .filter(|value| *value > 0.0)
            .fold(f64::MAX, f64::min)
            .min(most.max(1.0));
        let from = 10_f64.powf(least.log10().floor());
        Self {
            is_log,
            from,
            to: 10_f64.powf(most.max(from * 10.0).log10().ceil()),
        }
    }

    fn place(&self, value: f64) -> f64 {
        let place = if self.is_log {
            (value.max(self.from) / self.from).log10() / (self.to / self.from).log10()
        } else {
            value / self.to
        };
        within(place, 0.0, 1.0)
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.is_log {
            let step = nice(self.to / 6.0);
            let steps = (self.to / step + 1e-9).floor() as u32;
            return (0..=steps).map(|tick| f64::from(tick) * step).collect();
        }
        let mut ticks = vec![self.from];
        while let Some(last) = ticks.last().copied().filter(|last| last * 5.0 < self.to) {
            ticks.push(last * 10.0);
        }
        ticks
    }
}

/// The width of a digit of an axis, and the minimum distance between the texts of two values, in pixels.
const TICK_ADVANCE: f64 = 7.2;
const TICK_GAP: f64 = 10.0;

/// Returns the number `n` for which an axis shows the text of every `n`th value, so that texts do not touch each other.
/// The values are evenly spaced.
pub(super) fn every(texts: &[String], places: &[f64]) -> usize {
    let widest = texts.iter().map(|said| text::cells(said)).max();
    let least = widest.unwrap_or(0) as f64 * TICK_ADVANCE + TICK_GAP;
    match places {
        [first, second, ..] => (least / (second - first).abs().max(1.0)).ceil().max(1.0) as usize,
        _ => 1,
    }
}

/// Formats a number for an axis.
fn tick_text(value: f64) -> String {
    if value >= 1.0 || value <= 0.0 {
        return count(value.round() as u64);
    }
    let thousandths = (value * 1_000.0).round() as u64;
    let text = fixed(thousandths, 3);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Moves names apart that would otherwise overlap; returns their new positions.
fn apart(mut places: Vec<(f64, usize)>) -> Vec<f64> {
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out = vec![0.0; places.len()];
    let mut last = f64::MIN;
    for (y, at) in places {
        last = y.max(last + 15.0);
        out[at] = last;
    }
    out
}

pub fn plot(plot: &LabPlot) -> Html {
    let all = || {
        plot.curves
            .iter()
            .flat_map(|curve| curve.line.iter().chain(&curve.points))
    };
    let x_axis = Axis::of(all().map(|point| point.0), plot.is_log);
    let y_axis = Axis::of(all().map(|point| point.1), plot.is_log);
    let (x0, x1) = (LEFT, (plot.width - NAMES).max(LEFT + 80.0));
    let (y0, y1) = (TOP, plot.height - BOTTOM);
    let x = |value: f64| x0 + x_axis.place(value) * (x1 - x0);
    let y = |value: f64| y1 - y_axis.place(value) * (y1 - y0);
    let grid = y_axis.ticks().into_iter().map(|tick| {
        html! {
            <>
                <line class="lab-grid" x1={px(x0)} x2={px(x1)} y1={px(y(tick))} y2={px(y(tick))} />
                <text class="lab-tick lab-end" x={px(x0 - 6.0)} y={px(y(tick) + 4.0)}>{ tick_text(tick) }</text>
            </>
        }
    });
    let ticks = x_axis.ticks();
    let places: Vec<f64> = ticks.iter().map(|tick| x(*tick)).collect();
    let texts: Vec<String> = ticks.into_iter().map(tick_text).collect();
    let every = every(&texts, &places);
    let ticks = places
        .into_iter()
        .zip(texts)
        .step_by(every)
        .map(|(at, said)| {
            html! {
                <>
                    <line class="lab-axis" x1={px(at)} x2={px(at)} y1={px(y1)} y2={px(y1 + 4.0)} />
                    <text class="lab-tick lab-middle" x={px(at)} y={px(y1 + 17.0)}>{ said }</text>
                </>
            }
        });
    let ends = plot.curves.iter().enumerate().filter_map(|(at, curve)| {
        let end = curve.line.last().or(curve.points.last())?;
        Some((y(end.1), at))
    });
    let names = apart(ends.collect());
    let curves = plot.curves.iter().enumerate().map(|(at, curve)| {
        let mut path = String::new();
        for (at, point) in curve.line.iter().enumerate() {
            let begin = if at == 0 { "M" } else { "L" };
            path.push_str(&format!("{begin}{} {}", px(x(point.0)), px(y(point.1))));
        }
        let points = curve.points.iter().map(|point| html! {
            <circle class={classes!("lab-point", curve.class)} cx={px(x(point.0))} cy={px(y(point.1))} r="3.4" />
        });
        html! {
            <>
                if !path.is_empty() {
                    <path class={classes!("lab-curve", curve.class)} d={path} />
                }
                { for points }
                if let Some(at) = names.get(at) {
                    <text class="lab-note is-strong" x={px(x1 + 8.0)} y={px(at + 4.0)}>{ &curve.name }</text>
                }
            </>
        }
    });
    html! {
        <svg class="lab-svg" role="img" aria-label={plot.alt.clone()} width={px(plot.width)} height={px(plot.height)}
            viewBox={format!("0 0 {} {}", px(plot.width), px(plot.height))}>
            { for grid }
            <line class="lab-axis" x1={px(x0)} x2={px(x1)} y1={px(y1)} y2={px(y1)} />
            { for ticks }
            { for curves }
            <text class="lab-tick" x="4" y="13">{ plot.y_name }</text>
            <text class="lab-tick" x={px(x0)} y={px(plot.height - 6.0)}>{ plot.x_name }</text>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_reaches_the_greatest_value() {
        for is_log in [false, true] {
            for most in [0.4, 3.0, 62.5, 250.0, 99_999.0] {
                let axis = Axis::of([0.2, most].into_iter(), is_log);
                assert!(axis.to >= most, "{is_log} {most} {}", axis.to);
                let ticks = axis.ticks();
                assert!((2..=12).contains(&ticks.len()), "{is_log} {most} {ticks:?}");
            }
        }
    }

    #[test]
    fn names_lie_apart() {
        assert_eq!(
            apart(vec![(20.0, 0), (18.0, 1), (90.0, 2)]),
            [33.0, 18.0, 90.0]
        );
        assert_eq!(tick_text(0.05), "0.05");
        let texts = ["1,000", "10,000", "100,000"].map(str::to_owned);
        assert_eq!(every(&texts, &[0.0, 70.0, 140.0]), 1);
        assert_eq!(every(&texts, &[0.0, 40.0, 80.0]), 2);
        assert_eq!(tick_text(1_000.0), "1,000");
    }
}
