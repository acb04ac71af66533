//! Draws results as a function of one setting: simulated results as points, closed forms as lines.

use yew::prelude::*;

use super::bins::nice;
use super::histogram::Series;
use crate::draw::marks::{draw, polyline};
use crate::draw::surface::{num, within};
use crate::draw::{Font, Marks, Point, pt};
use crate::words::lab::{count, fixed};

#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name, which is drawn at the end of the line.
    pub name: String,
    pub series: &'static Series,
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

/// The font of the values of an axis, and the minimum distance between the texts of two values, in pixels.
const TICK: Font = Font::of(0.6);
const TICK_GAP: f64 = 10.0;
/// The radius of a simulated point.
const POINT: f64 = 3.4;

/// Returns the number `n` for which an axis shows the text of every `n`th value, so that texts do not touch each other.
/// The values are evenly spaced.
pub(super) fn every(texts: &[String], places: &[f64]) -> usize {
    let widths = texts.iter().map(|said| TICK.width(said));
    let least = widths.fold(0.0, f64::max) + TICK_GAP;
    match places {
        [first, second, ..] => (least / (second - first).abs().max(1.0)).ceil().max(1.0) as usize,
        _ => 1,
    }
}

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

/// The x axis.
#[derive(Clone, Copy)]
pub(super) struct Base {
    left: f64,
    right: f64,
    y: f64,
}

impl Base {
    pub(super) fn new(left: f64, right: f64, y: f64) -> Base {
        Base { left, right, y }
    }

    pub(super) fn line(self, marks: &mut Marks) {
        marks.level("lab-axis", self.left, self.right, self.y);
    }

    /// Draws the axis with these values, each at its x coordinate, as far as their texts do not touch.
    pub(super) fn draw(self, marks: &mut Marks, places: &[f64], texts: Vec<String>) {
        let every = every(&texts, places);
        self.line(marks);
        for (x, said) in places.iter().zip(texts).step_by(every) {
            self.tick(marks, *x, "lab-tick lab-middle", said);
        }
    }

    pub(super) fn tick(self, marks: &mut Marks, x: f64, class: &'static str, said: String) {
        marks.upright("lab-axis", x, self.y, self.y + 4.0);
        marks.text(class, pt(x, self.y + 17.0), said);
    }

    /// Draws a value of the y axis, with a line.
    pub(super) fn value(self, marks: &mut Marks, y: f64, said: String) {
        marks.level("lab-grid", self.left, self.right, y);
        marks.label("lab-tick lab-end", pt(self.left - 6.0, y), said);
    }
}

/// Renders a picture with its text alternative.
pub(super) fn svg(marks: &Marks, alt: String, width: f64, height: f64, defs: Html) -> Html {
    let (width, height) = (num(width), num(height));
    let view_box = ["0", "0", &width, &height].join(" ");
    html! {
        <svg class="lab-svg" role="img" aria-label={alt} {width} {height} viewBox={view_box}>
            { defs }
            { draw(marks) }
        </svg>
    }
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
    let base = Base::new(x0, x1, y1);
    let mut marks = Marks::default();
    for tick in y_axis.ticks() {
        base.value(&mut marks, y(tick), tick_text(tick));
    }
    let ticks = x_axis.ticks();
    let places: Vec<f64> = ticks.iter().map(|tick| x(*tick)).collect();
    base.draw(
        &mut marks,
        &places,
        ticks.into_iter().map(tick_text).collect(),
    );
    let ends = plot.curves.iter().enumerate().filter_map(|(at, curve)| {
        let end = curve.line.last().or(curve.points.last())?;
        Some((y(end.1), at))
    });
    let names = apart(ends.collect());
    for (at, curve) in plot.curves.iter().enumerate() {
        let place = |point: &(f64, f64)| pt(x(point.0), y(point.1));
        let line: Vec<Point> = curve.line.iter().map(place).collect();
        if !line.is_empty() {
            marks.path(curve.series.curve, polyline(&line));
        }
        for point in curve.points.iter().map(place) {
            marks.circle(curve.series.point, point, POINT);
        }
        if let Some(at) = names.get(at) {
            let name = curve.name.as_str();
            marks.label("lab-note is-strong", pt(x1 + 8.0, *at), name);
        }
    }
    marks.text("lab-tick", pt(4.0, 13.0), plot.y_name);
    marks.text("lab-tick", pt(x0, plot.height - 6.0), plot.x_name);
    let alt = plot.alt.clone();
    svg(&marks, alt, plot.width, plot.height, Html::default())
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
