//! The histogram of two runs: the bars of A are filled, the bars of B are hatched, and lines show the closed forms.

use watchglass_engine::session::latency::{ClosedForm, Distribution, LabReport, Slo};
use yew::prelude::*;

use super::bins::{BinAxis, expected, nice, sorted};
use super::plot::{Base, svg};
use crate::draw::marks::path_data;
use crate::draw::{Font, Marks, Rect, pt};
use crate::words::lab::{self as words, count};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Whether the bins are logarithmic.
    pub is_log: bool,
    /// Whether to show the durations of whole requests instead of only their waits.
    pub is_whole: bool,
    pub width: f64,
    pub height: f64,
}

const LEFT: f64 = 56.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 106.0;
/// The y coordinate of the first label. Each label names a mean or a percentile and has its own line.
const NAMES_TOP: f64 = 8.0;
const NAME_HEIGHT: f64 = 15.0;
/// The font of a label; its characters are wider than usual, because labels are bold.
const NOTE: Font = Font::of(0.65);
/// The distance between a line and its label, in pixels.
const NOTE_GAP: f64 = 5.0;
/// The maximum distance by which the number of a high bar moves away from the bar, in pixels.
const NOTE_SHIFT_MAX: f64 = 80.0;
const BOTTOM: f64 = 40.0;
/// The y coordinate of the upper end of a bar that is cut off because it is too high for the picture.
const BROKEN_TOP: f64 = 76.0;
/// The highest bar is cut off if it is more than this many times as high as the highest bar that remains whole.
const BROKEN_AT: f64 = 1.8;

/// The name of A or B, and the CSS classes of its marks.
#[derive(Debug, PartialEq)]
pub struct Series {
    pub name: &'static str,
    pub class: &'static str,
    pub bar: &'static str,
    pub closed: &'static str,
    /// The lines at the mean and at the 99th percentile.
    pub mean: &'static str,
    pub p99: &'static str,
    pub curve: &'static str,
    pub point: &'static str,
}

macro_rules! series {
    ($name:expr, $class:literal) => {
        Series {
            name: $name,
            class: $class,
            bar: concat!("lab-bar ", $class),
            closed: concat!("lab-closed ", $class),
            mean: concat!("lab-mark ", $class),
            p99: concat!("lab-mark is-dashed ", $class),
            curve: concat!("lab-curve ", $class),
            point: concat!("lab-point ", $class),
        }
    };
}

pub static SERIES: [Series; 2] = [series!(words::A, "lab-a"), series!(words::B, "lab-b")];

fn part<'a>(report: &'a LabReport, look: &Look) -> &'a Distribution {
    if look.is_whole {
        &report.whole
    } else {
        &report.wait
    }
}

/// Formats a duration for the axis, in milliseconds: `250`, `2,000`.
fn tick_text(us: f64) -> String {
    let us = us.round() as u64;
    match us {
        0 => "0".to_owned(),
        us if us.is_multiple_of(1_000) => count(us / 1_000),
        us => words::fixed(us / 100, 1),
    }
}

/// Returns the hatch pattern for the bars of B. Each picture contains its own pattern, so that a saved picture is
/// complete.
pub fn hatch(id: &'static str) -> Html {
    html! {
        <defs>
            <pattern {id} width="6" height="6" patternUnits="userSpaceOnUse">
                <path class="lab-hatch" d="M-1.5 1.5l3-3M0 6l6-6M4.5 7.5l3-3" />
            </pattern>
        </defs>
    }
}

pub fn histogram(reports: &[LabReport], look: &Look) -> Html {
    let longest = reports.iter().map(|report| {
        let part = part(report, look);
        let end = ClosedForm::of(&report.setting)
            .ok()
            .filter(|_| !look.is_whole)
            .map_or(0, |c| c.end_us());
        // Ignore the longest waits (one in a thousand), which would shrink all other bars.
        if look.is_log {
            part.max_us
        } else {
            part.p999_us.max(end.min(part.max_us))
        }
    });
    let axis = BinAxis::new(look.is_log, longest.max().unwrap_or(0));
    let edges = axis.edges();
    let heights: Vec<Vec<f64>> = reports
        .iter()
        .map(|report| sorted(part(report, look), &edges))
        .collect();
    let mut all: Vec<f64> = heights.iter().flatten().copied().collect();
    all.sort_by(|a, b| b.total_cmp(a));
    let highest = all.first().copied().unwrap_or(0.0);
    // Cut off bars that are much higher than all others, so that the others stay visible.
    let next = all
        .iter()
        .copied()
        .find(|height| *height * BROKEN_AT < highest)
        .unwrap_or(0.0);
    let towers = all
        .iter()
        .filter(|height| **height * BROKEN_AT >= highest)
        .count();
    let is_broken = towers <= 2 && next > highest / 200.0;
    let top = nice_above(if is_broken {
        next * 1.15
    } else {
        highest * 1.05
    });

    let (x0, x1) = (LEFT, look.width - RIGHT);
    let (y0, y1) = (TOP, look.height - BOTTOM);
    let x = |us: f64| x0 + axis.place(us) * (x1 - x0);
    let y = |count: f64| y1 - (count / top).min(1.0) * (y1 - y0);
    let base = Base::new(x0, x1, y1);
    let mut marks = Marks::default();
    marks.text(
        "lab-tick lab-end",
        pt(x0 - 6.0, TOP - 14.0),
        words::LISTS_AXIS,
    );
    // Each mean or percentile needs a line of text.
    let lines = if y1 - y0 < 100.0 { 2 } else { 4 };
    for line in 0..=lines {
        let value = top * f64::from(line) / f64::from(lines);
        base.value(&mut marks, y(value), count(value as u64));
    }
    for (heights, series) in heights.iter().zip(&SERIES) {
        for (count, edge) in heights.iter().zip(edges.windows(2)) {
            let up = match *count > top {
                true => BROKEN_TOP,
                false => y(*count).min(y1 - 1.0),
            };
            if *count > 0.0 {
                let (left, wide) = (x(edge[0]), x(edge[1]) - x(edge[0]));
                let bar = Rect::new(left + 0.5, up, (wide - 1.0).max(0.8), y1 - up);
                marks.rect(series.bar, bar, 0.0);
            }
        }
    }
    for (report, series) in reports.iter().zip(&SERIES) {
        let closed = ClosedForm::of(&report.setting).ok();
        let Some(closed) = closed.filter(|_| !look.is_whole) else {
            continue;
        };
        let expected = expected(&closed, report.wait.count, &edges);
        let mut path = String::new();
        for (count, edge) in expected.iter().zip(edges.windows(2)) {
            let up = if *count > top { BROKEN_TOP } else { y(*count) };
            let begin = if path.is_empty() { "M" } else { "L" };
            path.push_str(begin);
            path.push_str(&path_data(&[("", &[x(edge[0]), up]), ("H", &[x(edge[1])])]));
        }
        marks.path(series.closed, path);
    }
    let ticks = axis.ticks();
    let texts: Vec<String> = ticks.iter().map(|us| tick_text(*us)).collect();
    let places: Vec<f64> = ticks.iter().map(|us| x(*us)).collect();
    base.draw(&mut marks, &places, texts);
    let named = reports.iter().zip(&SERIES).flat_map(|(report, series)| {
        let part = part(report, look);
        let (mean, p99) = (part.mean_ns as f64 / 1_000.0, part.p99_us as f64);
        let p99_text = words::p99_mark(series.name, part.p99_us * 1_000);
        [
            (
                x(mean),
                words::mean_mark(series.name, part.mean_ns),
                series.mean,
            ),
            (x(p99), p99_text, series.p99),
        ]
    });
    let limit = Slo::OneObject.limit().0 as f64;
    let slo = (look.is_whole && axis.contains(limit))
        .then(|| (x(limit), words::SLO.to_owned(), "lab-mark lab-slo"));
    let named: Vec<_> = named.chain(slo).collect();
    let width_of = |said: &str| NOTE.width(said);
    let places: Vec<f64> = named.iter().map(|(at, ..)| *at).collect();
    let labels: Vec<(f64, f64)> = named
        .iter()
        .map(|(at, said, ..)| (*at, width_of(said)))
        .collect();
    let all: Vec<usize> = (0..named.len()).collect();
    let rows = uncrossed(&all, &[], &labels, look.width).unwrap_or(all);
    // All lines are drawn before all texts, so that no line crosses a text.
    let mut notes = Marks::default();
    for (row, place) in rows.iter().enumerate() {
        let (_, said, class) = &named[*place];
        let (at, width) = labels[*place];
        let top = NAMES_TOP + row as f64 * NAME_HEIGHT;
        let above: Vec<f64> = rows[..row].iter().map(|above| places[*above]).collect();
        marks.upright(class, at, top, y1);
        let (class, start) = match is_left_of_line(at, width, &above, (x0, x1, look.width)) {
            true => ("lab-note is-strong lab-end", at - NOTE_GAP),
            false => ("lab-note is-strong lab-start", at + NOTE_GAP),
        };
        notes.text(class, pt(start, top + 10.0), said.as_str());
    }
    let towers = heights.iter().zip(&SERIES).filter_map(|(heights, series)| {
        let at = heights.iter().position(|count| *count > top)?;
        Some((series.name, at, heights[at]))
    });
    for (line, (name, at, high)) in towers.enumerate() {
        let high = high.round() as u64;
        let forms = [
            words::high_bar(name, high),
            words::high_bar_short(name, high),
            count(high),
        ];
        let (left, right) = (x(edges[at]), x(edges[at + 1]));
        // The number stays near its bar, so a line that is in the way may leave only room for a short form.
        let beside = right + 7.0;
        let placed = forms.iter().map(|said| {
            (
                said,
                beside_lines(beside, width_of(said), &places, look.width),
            )
        });
        let near = placed
            .into_iter()
            .find(|(_, start)| *start <= beside + NOTE_SHIFT_MAX);
        let (said, start) = near.unwrap_or((&forms[0], beside));
        for (class, above) in [("lab-break", 8.0), ("lab-axis", 10.5), ("lab-axis", 5.5)] {
            let y = TOP - above;
            notes.line(class, pt(left - 3.0, y), pt(right + 3.0, y - 5.0));
        }
        let at = pt(start, BROKEN_TOP + 8.0 + NAME_HEIGHT * line as f64);
        notes.text("lab-note has-plate", at, said.as_str());
    }
    marks.extend(notes.0);
    let what = match look.is_whole {
        true => words::WHOLE_AXIS,
        false => words::WAIT_AXIS,
    };
    marks.text("lab-tick", pt(x0, look.height - 6.0), what);
    let alt = words::histogram_alt(reports);
    svg(&marks, alt, look.width, look.height, hatch("lab-hatch-h"))
}

/// Returns whether a label has room at the left of its line, and whether it has room at the right. The line is at `at`.
/// A label has room if the label is inside the picture and no line of the labels `above` passes through the label.
fn free_sides(at: f64, width: f64, above: &[f64], whole: f64) -> [bool; 2] {
    [at - NOTE_GAP - width, at + NOTE_GAP].map(|from| {
        let to = from + width;
        let is_crossed = above.iter().any(|line| (from..=to).contains(line));
        from >= 0.0 && to <= whole && !is_crossed
    })
}

/// Returns an order of the labels, from top to bottom, in which no line passes through a label. Each line begins beside
/// its label and runs downwards, so only the lines of the labels above a label can pass through this label. `labels`
/// contains the x coordinate of each label's line, and the label's width; `rest` are the labels to place. `None` if
/// there is no such order.
fn uncrossed(
    rest: &[usize],
    above: &[f64],
    labels: &[(f64, f64)],
    whole: f64,
) -> Option<Vec<usize>> {
    if rest.is_empty() {
        return Some(Vec::new());
    }
    rest.iter().find_map(|first| {
        let (at, width) = labels[*first];
        if free_sides(at, width, above, whole) == [false, false] {
            return None;
        }
        let others: Vec<usize> = rest
            .iter()
            .copied()
            .filter(|other| other != first)
            .collect();
        let mut rows = uncrossed(&others, &[above, &[at]].concat(), labels, whole)?;
        rows.insert(0, *first);
        Some(rows)
    })
}

/// Returns the first x coordinate, from `start` on, at which no line passes through a text of this width. Returns
/// `start` if the picture has no such place.
fn beside_lines(start: f64, width: f64, lines: &[f64], whole: f64) -> f64 {
    let mut from = start;
    while let Some(line) = lines
        .iter()
        .filter(|line| (from - 2.0..=from + width + 2.0).contains(*line))
        .copied()
        .reduce(f64::max)
    {
        from = line + NOTE_GAP;
    }
    if from + width <= whole { from } else { start }
}

/// Returns true if a label is at the left of its line. The reason is that, at the right, there is less room, or that
/// the line of an earlier label (`above`), which begins higher, would pass through the label. The last argument
/// contains the left and the right end of the axis, and the width of the picture.
fn is_left_of_line(at: f64, width: f64, above: &[f64], (x0, x1, whole): (f64, f64, f64)) -> bool {
    let has_room = at + NOTE_GAP + width <= whole;
    match free_sides(at, width, above, whole) {
        [true, false] => true,
        [false, true] => false,
        _ => !has_room || at > x0 + (x1 - x0) * 0.72,
    }
}

/// Returns the upper end of the y axis: at least `value`, and four times a round number.
fn nice_above(value: f64) -> f64 {
    let quarter = (value / 4.0).max(1.0);
    let unit = nice(quarter) / 10.0;
    // Only the steps 1, 2 and 5 would be too coarse, so a quarter of the axis may have two significant digits.
    let unit = unit.max(1.0);
    (quarter / unit).ceil() * unit * 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_where_no_line_passes() {
        let axis = (50.0, 350.0, 370.0);
        assert!(
            !is_left_of_line(100.0, 80.0, &[], axis),
            "at the right if both sides are free"
        );
        assert!(is_left_of_line(150.0, 80.0, &[200.0], axis));
        assert!(!is_left_of_line(150.0, 80.0, &[100.0], axis));
        assert!(
            is_left_of_line(320.0, 80.0, &[300.0], axis),
            "no room at the right"
        );
    }

    #[test]
    fn the_labels_have_an_order_in_which_no_line_crosses_them() {
        // The second line is between the sides of the third label, and so is the first.
        let labels = [(200.0, 80.0), (120.0, 80.0), (160.0, 80.0)];
        let rows = uncrossed(&[0, 1, 2], &[], &labels, 370.0).expect("an order");
        let mut above = Vec::new();
        for row in rows {
            let (at, width) = labels[row];
            assert_ne!(free_sides(at, width, &above, 370.0), [false; 2], "{row}");
            above.push(at);
        }
        assert_eq!(uncrossed(&[0], &[], &[(50.0, 400.0)], 370.0), None);
    }

    #[test]
    fn a_note_moves_beside_the_lines() {
        assert_eq!(beside_lines(100.0, 50.0, &[20.0, 160.0], 370.0), 100.0);
        assert_eq!(beside_lines(100.0, 50.0, &[120.0, 140.0], 370.0), 145.0);
        assert_eq!(beside_lines(300.0, 60.0, &[320.0], 370.0), 300.0);
    }

    #[test]
    fn the_axis_ends_above_the_highest() {
        for value in [1.0, 37.0, 1_900.0, 4_321.0, 99_000.0] {
            let top = nice_above(value);
            assert!(top >= value && top < value * 1.6 + 4.0, "{value} {top}");
        }
    }
}
