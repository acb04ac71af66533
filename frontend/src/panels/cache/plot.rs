//! The layout of the plot that shows the staleness of caches over time. The plot contains a line for each cache, the
//! times of progress notifications above the lines, and the requests with their waits.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{CacheRow, PathKind, RequestRow};

use super::lane::{pool, triangle};
use super::scene::{CacheSpot, margin, sides};
use crate::draw::marks::Marked;
use crate::draw::marks::{FONT, Mark, Side, extent, path};
use crate::draw::text::{self, duration};
use crate::panels::watch::ruler::Room;
use crate::panels::watch::shape::shape;
use crate::words::cache as words;

/// All marks (lines, shapes and texts) of the plot that shows the staleness of caches over time.
#[derive(Clone, Debug, PartialEq)]
pub struct CachePlot {
    /// The height.
    pub height: f64,
    /// The lines of the caches and their labels.
    pub marks: Vec<Mark>,
    /// The requests.
    pub spots: Vec<CacheSpot>,
}

/// The minimum and the usual height of the area that contains the lines of the caches, in pixels.
const FIELD: (f64, f64) = (28.0, 108.0);
/// The minimum distance between two ticks of staleness, in pixels.
const TICK: f64 = 16.0;
/// The maximum length of the text of a time on the axis, including the space beside the text, in characters.
const TIME_CELLS: f64 = 9.0;
/// The height of the axis of times below the area.
const TIMES: f64 = 24.0;
/// The distance from the right edge of the field to the names of the lines, in pixels.
const BESIDE: f64 = 10.0;
/// The height of a row of requests, in pixels.
const ROW: f64 = 15.0;
/// The maximum number of rows for overlapping requests, and the number in a low plot.
const ROWS_MAX: usize = 3;
const ROWS_LOW: usize = 1;
/// The CSS classes of the lines of caches. If there are more caches than classes, the classes repeat.
const LINES: [[&str; 2]; 3] = [
    ["cache-line", "cache-under"],
    ["cache-line second", "cache-under second"],
    ["cache-line third", "cache-under third"],
];

struct Field {
    left: f64,
    right: f64,
    from_us: u64,
    now_us: u64,
    top: f64,
    bottom: f64,
    most_us: u64,
}

impl Field {
    fn x(&self, at_us: u64) -> f64 {
        let gone = at_us.saturating_sub(self.from_us) as f64;
        let span = self.now_us.saturating_sub(self.from_us).max(1) as f64;
        self.left + gone / span * (self.right - self.left)
    }

    fn y(&self, stale_us: u64) -> f64 {
        let share = stale_us as f64 / self.most_us.max(1) as f64;
        self.bottom - share * (self.bottom - self.top)
    }
}

/// Returns the smallest step size out of 1, 2, 5, 10, 20, … for which at most `most` steps cover `whole`.
fn step(whole: u64, most: u64) -> u64 {
    let mut unit = 1;
    loop {
        for factor in [1, 2, 5] {
            if whole <= unit * factor * most {
                return unit * factor;
            }
        }
        unit *= 10;
    }
}

/// Returns the start of a request's wait for the cache, in microseconds, if the request waits.
pub fn waits_since(view: &CacheView, request: &RequestRow) -> Option<u64> {
    let mut waiting = view.caches.iter().flat_map(|cache| &cache.waiting);
    let found = waiting.find(|waiting| waiting.request == request.id)?;
    found.needed.map(|_| found.since_us)
}

/// Returns the requests within the time span of the plot, newest first.
pub fn shown_requests(view: &CacheView) -> impl Iterator<Item = &RequestRow> {
    let from_us = view.now_us.saturating_sub(view.plot_us);
    let end = |request: &RequestRow| request.sent_us.saturating_add(request.split.total_us);
    view.requests
        .iter()
        .filter(move |request| end(request) >= from_us)
}

impl CachePlot {
    /// Lays out the plot for the time span that the view contains. If the plot with its usual height does not fit into
    /// `height` pixels, but a lower plot does, the plot is lower.
    pub fn new(view: &CacheView, room: Room, height: f64, marked: Marked) -> CachePlot {
        let (left, right) = sides(room);
        let left = left.max(52.0) + 8.0;
        let (from_us, now_us) = (view.now_us.saturating_sub(view.plot_us), view.now_us);
        let shown: Vec<&CacheRow> = view.caches.iter().filter(|cache| cache.cached).collect();
        // The names of the lines are beside the field, where no line can cross them.
        let names = shown.iter().map(|cache| {
            let (_, width) = extent(&words::line(view, cache), 0.0, Side::Right, room.advance);
            BESIDE + width
        });
        let right = right - names.fold(0.0, f64::max);
        let stale = shown.iter().flat_map(|cache| &cache.staleness);
        let inside = stale.filter(|point| point.at_us >= from_us);
        let most = inside
            .map(|point| point.stale_us)
            .max()
            .unwrap_or(0)
            .max(20_000);
        let mut field = Field {
            left,
            right,
            from_us,
            now_us,
            top: 0.0,
            bottom: 0.0,
            most_us: 0,
        };
        let progress = shown
            .iter()
            .any(|cache| cache.progress.iter().any(|mark| mark.at_us >= from_us));
        let above = if progress { 30.0 } else { 16.0 };
        let with_rows = |most: usize| {
            let mut plot = CachePlot {
                height: 0.0,
                marks: Vec::new(),
                spots: Vec::new(),
            };
            let rows = plot.requests(view, &field, room, marked, most);
            (plot, rows + above)
        };
        let rest = |top: f64| height - top - TIMES;
        let (mut plot, top, high) = [ROWS_MAX, ROWS_LOW]
            .into_iter()
            .map(with_rows)
            .find(|(_, top)| rest(*top) >= FIELD.0)
            .map(|(plot, top)| (plot, top, rest(top).min(FIELD.1)))
            .unwrap_or_else(|| {
                let (plot, top) = with_rows(ROWS_MAX);
                (plot, top, FIELD.1)
            });
        let step_us = step(most, ((high / TICK) as u64).clamp(1, 3));
        field.most_us = most.div_ceil(step_us) * step_us;
        (field.top, field.bottom) = (top, top + high);
        plot.height = field.bottom + TIMES;
        plot.axes(&field, room, step_us);
        let mut labels = Vec::new();
        for (at, cache) in shown.iter().enumerate() {
            let [line, under] = LINES[at % LINES.len()];
            plot.line(&field, cache, line, under);
            labels.push((
                field.y(cache.staleness.last().map_or(0, |last| last.stale_us)),
                *cache,
            ));
            for mark in cache.progress.iter().filter(|mark| mark.at_us >= from_us) {
                let d = triangle(field.x(mark.at_us), field.top - 14.0, false);
                plot.marks.push(Mark::Path("cache-progress", d));
            }
        }
        if progress && room.is_wide() {
            let at = [margin(room), field.top - 10.0];
            plot.marks
                .push(Mark::Text("watch-axis", at, words::PROGRESS.to_owned()));
        }
        plot.labels(view, &field, labels);
        plot
    }

    /// Draws each request as a bar from its start to its response; the hatched part of the bar shows the wait. Draws at
    /// most `rows_max` rows, and returns the height of all rows.
    fn requests(
        &mut self,
        view: &CacheView,
        field: &Field,
        room: Room,
        marked: Marked,
        rows_max: usize,
    ) -> f64 {
        let mut free: Vec<f64> = Vec::new();
        let mut rows = 0;
        // The newest requests come first. Old requests without room appear only in the table.
        for request in shown_requests(view) {
            let begin = field.x(request.sent_us.max(field.from_us));
            let end = field.x((request.sent_us + request.split.total_us).min(field.now_us));
            let end = end.max(begin + 4.0);
            let row = free.iter().position(|at| end + 3.0 <= *at);
            let row = row.unwrap_or(free.len());
            if row >= rows_max {
                continue;
            }
            match free.get_mut(row) {
                Some(at) => *at = begin,
                None => free.push(begin),
            }
            rows = rows.max(row + 1);
            let y = 4.0 + row as f64 * ROW;
            let mut marks = vec![Mark::Rect(
                bar_class(request),
                [begin, y, end - begin, 9.0, 2.0],
            )];
            let split = &request.split;
            let since = request.sent_us + split.link_us / 2 + split.revision_us;
            let wait = match waits_since(view, request) {
                Some(since) => Some((since, field.now_us)),
                None => (split.wait_us > 0).then_some((since, since + split.wait_us)),
            };
            if let Some((since, until)) = wait {
                let from = field.x(since).max(begin);
                let to = field.x(until).min(end);
                marks.push(Mark::Rect("cache-wait", [from, y, to - from, 9.0, 0.0]));
            }
            let around = [begin - 3.0, y - 3.0, end - begin + 6.0, 15.0, 4.0];
            if marked.selected == Some(request.id) {
                marks.push(Mark::Rect("watch-ring selected", around));
            }
            if marked.active == Some(request.id) {
                marks.push(Mark::Rect("watch-ring focus", around));
            }
            let title = words::request_title(request);
            self.spots.push(CacheSpot {
                id: request.id,
                title,
                marks,
            });
        }
        if rows > 0 && room.is_wide() {
            let at = [margin(room), 12.5];
            self.marks
                .push(Mark::Text("watch-axis", at, words::REQUESTS.to_owned()));
        }
        rows as f64 * ROW
    }

    fn axes(&mut self, field: &Field, room: Room, step_us: u64) {
        let mut at = 0;
        while at <= field.most_us {
            let y = field.y(at);
            let class = if at == 0 { "cache-base" } else { "watch-hair" };
            self.marks
                .push(Mark::Line(class, [field.left, y, field.right, y]));
            let said = if at == 0 {
                "0".to_owned()
            } else {
                duration(at)
            };
            let (x, _) = extent(&said, field.left - 8.0, Side::Left, room.advance);
            self.marks
                .push(Mark::Text("cache-axis", [x, y + 4.0], said));
            at += step_us;
        }
        let span = field.now_us.saturating_sub(field.from_us);
        let long = TIME_CELLS * room.advance * FONT;
        let most = ((field.right - field.left) / long).clamp(1.0, 6.0) as u64;
        let step_us = step(span, most).max(1);
        let mut ago = 0;
        while ago <= span {
            let x = field.x(field.now_us - ago);
            self.marks.push(Mark::Line(
                "watch-tick-line",
                [x, field.bottom, x, field.bottom + 4.0],
            ));
            let said = if ago == 0 {
                words::NOW.to_owned()
            } else {
                format!("−{}", duration(ago))
            };
            let width = text::cells(&said) as f64 * room.advance * FONT;
            let x = (x - width / 2.0).min(room.width - width - 2.0);
            self.marks
                .push(Mark::Text("cache-axis", [x, field.bottom + 18.0], said));
            ago += step_us;
        }
    }

    fn line(&mut self, field: &Field, cache: &CacheRow, line: &'static str, under: &'static str) {
        let mut d = String::new();
        let mut ends = None;
        let mut before = None;
        for point in &cache.staleness {
            if point.at_us < field.from_us {
                before = Some(point);
                continue;
            }
            let (x, y) = (field.x(point.at_us), field.y(point.stale_us));
            if let Some((first, _)) = &mut ends {
                let _: &mut f64 = first;
                d.push_str(&path(&[("L", &[x, y])]));
            } else {
                // A line that began earlier enters at the left edge; while a cache is stale, its staleness grows with
                // time.
                if let Some(before) = before {
                    let gone = field.from_us - before.at_us;
                    let grows = point.stale_us > before.stale_us;
                    let there = before.stale_us + if grows { gone } else { 0 };
                    d.push_str(&path(&[
                        ("M", &[field.left, field.y(there)]),
                        ("L", &[x, y]),
                    ]));
                    ends = Some((field.left, x));
                } else {
                    d.push_str(&path(&[("M", &[x, y])]));
                    ends = Some((x, x));
                }
            }
            if let Some((_, last)) = &mut ends {
                *last = x;
            }
        }
        let Some((first, last)) = ends else {
            return;
        };
        let closed = path(&[
            ("L", &[last, field.bottom]),
            ("L", &[first, field.bottom]),
            ("z", &[]),
        ]);
        self.marks.push(Mark::Path(under, format!("{d}{closed}")));
        self.marks.push(Mark::Path(line, d));
    }

    /// Writes the name of each cache beside the end of its line. If names would overlap, the upper name is moved up.
    fn labels(&mut self, view: &CacheView, field: &Field, mut labels: Vec<(f64, &CacheRow)>) {
        labels.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut above = f64::MAX;
        for (y, cache) in labels {
            self.marks
                .extend(shape(pool(view, cache), field.right, y, 5.5));
            let middle = (y - 2.0).min(above - 16.0).min(field.bottom - 10.0);
            above = middle;
            let said = words::line(view, cache);
            let at = [field.right + BESIDE, middle + 4.2];
            self.marks.push(Mark::Text("cache-stale", at, said));
        }
    }
}

/// Returns the CSS class of a request, which depends on the source of its response, or on its refusal.
pub fn bar_class(request: &RequestRow) -> &'static str {
    match request.path {
        _ if request.ended_with > 0 => "cache-request refused",
        PathKind::Open => "cache-request open",
        PathKind::Cache => "cache-request",
        PathKind::Snapshot => "cache-request snapshot",
        PathKind::Etcd => "cache-request etcd",
        PathKind::Refused => "cache-request refused",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn plot(width: f64) -> CachePlot {
        plot_in(width, 0.0)
    }

    fn plot_in(width: f64, free: f64) -> CachePlot {
        let room = Room {
            width,
            height: 420.0,
            advance: 0.602,
        };
        CachePlot::new(&fixture::two(), room, free, Marked::default())
    }

    #[test]
    fn a_plot_is_lower_if_it_then_fits() {
        let usual = plot(760.0).height;
        assert_eq!(plot_in(760.0, usual - 30.0).height, usual - 30.0);
        assert_eq!(plot_in(760.0, usual - 70.0).height, usual - 70.0);
        assert_eq!(plot_in(760.0, usual + 30.0).height, usual);
        // A plot that would be too low to read has its usual height.
        assert_eq!(plot_in(760.0, usual - 120.0).height, usual);
    }

    #[test]
    fn ticks_are_numbers_that_people_count_in() {
        assert_eq!(
            [1, 7, 20, 21, 99, 1000].map(|whole| step(whole, 4)),
            [1, 2, 5, 10, 50, 500]
        );
    }

    #[test]
    fn the_times_on_the_axis_are_apart_in_a_narrow_picture() {
        for width in [320.0, 390.0, 760.0] {
            let plot = plot(width);
            let mut times: Vec<[f64; 2]> = plot
                .marks
                .iter()
                .filter_map(|mark| match mark {
                    Mark::Text("cache-axis", [x, _], said)
                        if said.starts_with('−') || said == words::NOW =>
                    {
                        let long = text::cells(said) as f64 * 0.602 * FONT;
                        Some([*x, *x + long])
                    }
                    _ => None,
                })
                .collect();
            assert!(times.len() >= 2, "{width}");
            times.sort_by(|a, b| a[0].total_cmp(&b[0]));
            for pair in times.windows(2) {
                assert!(pair[0][1] + 4.0 <= pair[1][0], "{width}: {pair:?}");
            }
        }
    }

    #[test]
    fn each_cache_has_its_line_and_its_name() {
        for width in [390.0, 760.0] {
            let plot = plot(width);
            let lines = plot.marks.iter().filter(
                |mark| matches!(mark, Mark::Path(class, _) if class.starts_with("cache-line")),
            );
            assert_eq!(lines.count(), 2);
            let said: Vec<(f64, &str)> = plot
                .marks
                .iter()
                .filter_map(|mark| match mark {
                    Mark::Text("cache-stale", at, text) => Some((at[1], text.as_str())),
                    _ => None,
                })
                .collect();
            assert_eq!(said[0].1, "api-1: fresh");
            assert_eq!(said[1].1, "api-2: 284 ms");
            assert!(said[1].0 < said[0].0 - 14.0, "the stale one stands higher");
        }
    }

    #[test]
    fn a_request_is_as_long_as_it_took_and_its_wait_is_hatched() {
        let plot = plot(760.0);
        let spot = plot.spots.iter().find(|spot| spot.id == 12).unwrap();
        let [
            Mark::Rect("cache-request open", bar),
            Mark::Rect("cache-wait", wait),
        ] = spot.marks.as_slice()
        else {
            panic!("a bar and its wait: {:?}", spot.marks);
        };
        assert!(wait[0] > bar[0] && wait[0] + wait[2] <= bar[0] + bar[2] + 0.1);
        assert!((wait[2] / bar[2] - 87.0 / 90.0).abs() < 0.02);
    }
}
