//! The layout of the plot that shows the staleness of caches over time. The plot contains a line for each cache, the
//! times of progress notifications above the lines, and the requests with their waits.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{CacheRow, PathKind, RequestRow};

use super::lane::{pool, triangle};
use super::scene::{CacheSpot, margin, sides};
use crate::draw::text::duration;
use crate::draw::{Identity, Marked, Marks, Rect, Room, Side, order, pt, svg_path};
use crate::words::cache as words;

/// All marks (lines, shapes and texts) of the plot that shows the staleness of caches over time.
#[derive(Clone, Debug, PartialEq)]
pub struct CachePlot {
    pub height: f64,
    pub marks: Marks,
    pub spots: Vec<CacheSpot>,
}

/// The minimum and the usual height of the area that contains the lines of the caches, in pixels.
const FIELD: (f64, f64) = (28.0, 108.0);
/// The minimum distance between two ticks of staleness, in pixels.
const TICK: f64 = 16.0;
/// The maximum length of the text of a time on the axis, including the space beside the text, in characters.
const TIME_CELLS: usize = 9;
/// The height of the axis of times below the area.
const TIMES: f64 = 24.0;
/// The distance from the right edge of the field to the names of the lines, in pixels.
const BESIDE: f64 = 10.0;
/// The height of a row of requests and of the bar of a request, in pixels.
const ROW: f64 = 15.0;
const BAR: f64 = 9.0;
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
pub fn step(whole: u64, most: u64) -> u64 {
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
        let names = shown
            .iter()
            .map(|cache| BESIDE + room.font.width(&words::line(view, cache)));
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
                marks: Marks::default(),
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
                plot.marks.path("cache-progress", d);
            }
        }
        if progress && room.is_wide() {
            let at = pt(margin(room), field.top - 10.0);
            plot.marks.text("watch-axis", at, words::PROGRESS);
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
            let bar = Rect::new(begin, y, end - begin, BAR);
            let mut marks = Marks::default();
            marks.rect(bar_class(request), bar, 2.0);
            let split = &request.split;
            let since = request.sent_us + split.link_us / 2 + split.revision_us;
            let wait = match waits_since(view, request) {
                Some(since) => Some((since, field.now_us)),
                None => (split.wait_us > 0).then_some((since, since + split.wait_us)),
            };
            if let Some((since, until)) = wait {
                let from = field.x(since).max(begin);
                let to = field.x(until).min(end);
                marks.rect("cache-wait", Rect::new(from, y, to - from, BAR), 0.0);
            }
            let id = request.id;
            if marked.selected == Some(id) {
                marks.rect("watch-ring selected", bar.grown(3.0, 3.0), 4.0);
            }
            if marked.active == Some(id) {
                marks.rect("watch-ring focus", bar.grown(3.0, 3.0), 4.0);
            }
            let title = words::request_title(request);
            self.spots.push(CacheSpot { id, title, marks });
        }
        if rows > 0 && room.is_wide() {
            let at = pt(margin(room), 12.5);
            self.marks.text("watch-axis", at, words::REQUESTS);
        }
        rows as f64 * ROW
    }

    fn axes(&mut self, field: &Field, room: Room, step_us: u64) {
        let mut at = 0;
        while at <= field.most_us {
            let y = field.y(at);
            let class = if at == 0 { "cache-base" } else { "watch-hair" };
            self.marks.level(class, field.left, field.right, y);
            let said = match at {
                0 => "0".to_owned(),
                at => duration(at),
            };
            let said = room.font.measure(said);
            let x = said.left(field.left - 8.0, Side::Left);
            self.marks.label("cache-axis", pt(x, y), said.text);
            at += step_us;
        }
        let span = field.now_us.saturating_sub(field.from_us);
        let long = room.font.long(TIME_CELLS);
        let most = ((field.right - field.left) / long).clamp(1.0, 6.0) as u64;
        let step_us = step(span, most).max(1);
        let mut ago = 0;
        while ago <= span {
            let x = field.x(field.now_us - ago);
            self.marks
                .upright("watch-tick-line", x, field.bottom, field.bottom + 4.0);
            let said = match ago {
                0 => words::NOW.to_owned(),
                ago => format!("−{}", duration(ago)),
            };
            let said = room.font.measure(said);
            let x = said
                .left(x, Side::Middle)
                .min(room.width - said.width - 2.0);
            let at = pt(x, field.bottom + 18.0);
            self.marks.text("cache-axis", at, said.text);
            ago += step_us;
        }
    }

    fn line(&mut self, field: &Field, cache: &CacheRow, line: &'static str, under: &'static str) {
        let mut d = String::new();
        let mut ends = None::<(f64, f64)>;
        let mut before = None;
        for point in &cache.staleness {
            if point.at_us < field.from_us {
                before = Some(point);
                continue;
            }
            let (x, y) = (field.x(point.at_us), field.y(point.stale_us));
            let first = match (ends, before) {
                (Some((first, _)), _) => {
                    d.push_str(&svg_path!(L x, y));
                    first
                }
                // A line that began earlier enters at the left edge; while a cache is stale, its staleness grows with
                // time.
                (None, Some(before)) => {
                    let gone = field.from_us - before.at_us;
                    let grows = point.stale_us > before.stale_us;
                    let there = before.stale_us + if grows { gone } else { 0 };
                    d.push_str(&svg_path!(M field.left, field.y(there); L x, y));
                    field.left
                }
                (None, None) => {
                    d.push_str(&svg_path!(M x, y));
                    x
                }
            };
            ends = Some((first, x));
        }
        let Some((first, last)) = ends else {
            return;
        };
        let closed = svg_path!(L last, field.bottom; L first, field.bottom; z);
        let identity = Identity::new("staleness", &cache.server, order::RECEIVER);
        self.marks.part(identity, |marks| {
            marks.path(under, format!("{d}{closed}"));
            marks.path(line, d);
        });
    }

    /// Writes the name of each cache beside the end of its line. If names would overlap, the upper name is moved up.
    fn labels(&mut self, view: &CacheView, field: &Field, mut labels: Vec<(f64, &CacheRow)>) {
        labels.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut above = f64::MAX;
        for (y, cache) in labels {
            let identity = |kind| Identity::new(kind, &cache.server, order::RECEIVER);
            self.marks.part(identity("staleness-end"), |marks| {
                marks.shape(pool(view, cache), pt(field.right, y), 5.5);
            });
            let middle = (y - 2.0).min(above - 16.0).min(field.bottom - 10.0);
            above = middle;
            let said = words::line(view, cache);
            let at = pt(field.right + BESIDE, middle);
            self.marks.part(identity("staleness-name"), |marks| {
                marks.label("cache-stale", at, said);
            });
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
    use crate::draw::{Font, Mark, Point};

    fn plot(width: f64) -> CachePlot {
        plot_in(width, 0.0)
    }

    fn plot_in(width: f64, free: f64) -> CachePlot {
        let room = Room::new(width, 420.0, 0.602);
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
            let texts = plot.marks.texts("cache-axis");
            let texts = texts.filter(|(_, said)| said.starts_with('−') || *said == words::NOW);
            let font = Font::of(0.602);
            let mut times: Vec<[f64; 2]> = texts
                .map(|(at, said)| [at.x, at.x + font.width(said)])
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
            let lines = plot.marks.flat().filter(
                |mark| matches!(mark, Mark::Path(class, _) if class.starts_with("cache-line")),
            );
            assert_eq!(lines.count(), 2);
            let said: Vec<(Point, &str)> = plot.marks.texts("cache-stale").collect();
            assert_eq!(said[0].1, "api-1: fresh");
            assert_eq!(said[1].1, "api-2: 284 ms");
            assert!(
                said[1].0.y < said[0].0.y - 14.0,
                "the stale one stands higher"
            );
        }
    }

    #[test]
    fn a_request_is_as_long_as_it_took_and_its_wait_is_hatched() {
        let plot = plot(760.0);
        let spot = plot.spots.iter().find(|spot| spot.id == 12).unwrap();
        let [
            Mark::Rect("cache-request open", bar, _),
            Mark::Rect("cache-wait", wait, _),
        ] = spot.marks.as_slice()
        else {
            panic!("a bar and its wait: {:?}", spot.marks);
        };
        assert!(wait.x > bar.x && wait.right() <= bar.right() + 0.1);
        assert!((wait.width / bar.width - 87.0 / 90.0).abs() < 0.02);
    }
}
