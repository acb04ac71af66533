//! The axis of the Watch view. A position on the axis is the next revision that a watcher accepts; the axis extends
//! from the slowest watcher to the revision of the next write.

use watchglass_engine::view::WatchView;

use super::fence::Fence;
use crate::draw::labels::side_by_side;
use crate::draw::marks::{Mark, Side, extent};
use crate::draw::scale::{RevScale, ticks};
use crate::draw::text::grouped;
use crate::words::watch as words;

/// The height of the ruler, in pixels.
pub const RULER: f64 = 34.0;
/// The height of the row of flags at the bottom of the picture, in pixels.
pub const FLAGS: f64 = 28.0;
/// The minimum width of a drawing area in which the names of the pools are beside their watchers.
pub const WIDE: f64 = 600.0;

/// The size of the drawing area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// The width of the drawing area.
    pub width: f64,
    /// The height of the drawing area; all bands together may be taller.
    pub height: f64,
    /// The width of a monospace character as a fraction of the font size.
    pub advance: f64,
}

impl Room {
    /// Returns true if the names of the pools are beside their watchers instead of above them.
    pub fn is_wide(self) -> bool {
        self.width >= WIDE
    }

    /// Returns the width of the column of names.
    pub fn gutter(self) -> f64 {
        if self.is_wide() { 178.0 } else { 0.0 }
    }

    /// Returns the right edge of the plot. The columns of numbers are on the right of this edge.
    pub fn right(self) -> f64 {
        self.width - if self.is_wide() { 132.0 } else { 52.0 }
    }

    /// Returns the right edge of the column with the lags of the watchers in etcd.
    pub fn behind(self) -> f64 {
        self.width - if self.is_wide() { 71.0 } else { 10.0 }
    }

    /// Returns the right edge of the column with the events that the clients miss; `None` if there is no room for this
    /// column.
    pub fn missing(self) -> Option<f64> {
        self.is_wide().then_some(self.width - 10.0)
    }
}

/// The maximum number of revisions on an axis that reserves room for the next revisions, so that a write does not move
/// everything. A longer axis needs no reserved room, because one more revision moves the marks too little to be
/// visible.
const RESERVED_SPAN_MAX: i64 = 48;

/// Returns the revision axis of a view.
pub fn scale(view: &WatchView, room: Room) -> RevScale {
    let (first, last) = (view.axis_from.max(1), view.revision.max(1) + 1);
    axis(first, last, room.gutter(), room.right())
}

/// Returns an axis for the revisions `first..=last` between two pixels.
pub fn axis(first: i64, last: i64, left: f64, right: f64) -> RevScale {
    let mut span = last.saturating_sub(first).max(1);
    if span <= RESERVED_SPAN_MAX {
        let mut reserved = 2;
        while reserved < span {
            reserved += (reserved / 3).max(1);
        }
        span = reserved;
    }
    let (from, to) = (left + 22.0, right - 12.0);
    let pitch = (to - from).max(40.0) / span as f64;
    RevScale {
        left,
        width: (right - left).max(40.0),
        from: first as f64 - 22.0 / pitch,
        pitch,
    }
}

/// Draws the axis with its numbers and headings. `is_dense` is true if each row shows how many watchers it has, instead
/// of each watcher.
pub fn numbers(view: &WatchView, room: Room, scale: RevScale, is_dense: bool) -> Vec<Mark> {
    let mut marks = numbered(view.revision, view.axis_from, &[], room, scale);
    if is_dense {
        // The heading of the numbers of watchers begins left of the end of the axis.
        let heading = words::WATCHERS_HEADING[1].len() as f64 * 7.4;
        let end = room.width - 10.0 - heading - 10.0;
        let is_number = |class: &str| class.starts_with("watch-tick");
        marks.retain(
            |mark| !matches!(mark, Mark::Text(class, [x, _], _) if is_number(class) && *x > end),
        );
    }
    if room.is_wide() {
        marks.push(Mark::Text(
            "watch-axis",
            [16.0, 22.0],
            words::NEXT_REVISION.to_owned(),
        ));
    }
    let mut heading = |x: f64, [first, second]: [&str; 2]| {
        let lines = match room.is_wide() && !first.is_empty() {
            true => vec![(first, 14.0), (second, 27.0)],
            // There is no room for two lines beside the numbers of the axis.
            false => vec![(second, 22.0)],
        };
        for (line, y) in lines {
            marks.push(Mark::Text("watch-axis end", [x, y], line.to_owned()));
        }
    };
    if is_dense {
        heading(room.width - 10.0, words::WATCHERS_HEADING);
    } else {
        heading(room.behind(), words::BEHIND);
        if let Some(x) = room.missing() {
            heading(x, words::MISSING);
        }
    }
    marks
}

/// Draws the numbers of the revisions from `first` on. The number of the head revision is on a plate (an opaque
/// rectangle). The revisions in `pinned` are numbered, too, unless they are too close to one another.
pub fn numbered(head: i64, first: i64, pinned: &[i64], room: Room, scale: RevScale) -> Vec<Mark> {
    let mut marks = Vec::new();
    let label = (grouped(head).len() as f64 + 2.0) * 7.4;
    let mut numbers = vec![head];
    for pin in pinned {
        let is_far = |known: &i64| (pin - known).abs() as f64 * scale.pitch >= label;
        if numbers.iter().all(is_far) {
            numbers.push(*pin);
        }
    }
    let (from, last) = scale.visible();
    let first = from.max(first).max(1);
    for revision in ticks(scale, first, last, &numbers, label) {
        let x = scale.x(revision);
        if x > scale.right() {
            continue;
        }
        let line = [x, RULER - 6.0, x, RULER - 0.5];
        marks.push(Mark::Line("watch-tick-line", line));
        if revision != head {
            let class = if revision > head {
                "watch-tick future"
            } else {
                "watch-tick"
            };
            let said = grouped(revision);
            // The headings of the columns of numbers begin beside the right edge.
            let x = x.min(scale.right() - said.len() as f64 * 3.7);
            marks.push(Mark::Text(class, [x, 22.0], said));
        }
    }
    marks.push(Mark::Line(
        "watch-hair",
        [0.0, RULER - 0.5, room.width, RULER - 0.5],
    ));
    let (left, width) = extent(&grouped(head), scale.x(head), Side::Middle, room.advance);
    let left = left.min(room.width - width - 8.0);
    marks.push(Mark::Rect(
        "watch-head-plate",
        [left - 6.0, 8.0, width + 12.0, 20.0, 4.0],
    ));
    marks.push(Mark::Text("watch-head-text", [left, 22.2], grouped(head)));
    marks
}

/// Draws the background: the compacted revisions, the compaction lines, and the head revision.
pub fn ground(view: &WatchView, scale: RevScale, bottom: f64, fence: Option<&Fence>) -> Vec<Mark> {
    let mut marks = Vec::new();
    let line = |class, x: f64| Mark::Line(class, [x, RULER, x, bottom]);
    let ground = |class, from: f64, to: f64| {
        let from = from.max(scale.left);
        Mark::Rect(class, [from, RULER, to - from, bottom - RULER, 0.0])
    };
    let floor = floor_x(view, scale);
    if let Some(x) = floor {
        marks.push(ground("watch-unreadable", scale.left, x));
    }
    if let Some(fence) = fence {
        let from = floor.unwrap_or(scale.left);
        let to = scale.x_at(fence.revision as f64 - 0.5);
        marks.push(ground("watch-unreadable asked", from, to));
        marks.push(line("watch-fence", to.max(scale.left)));
    }
    marks.extend(floor.map(|x| line("watch-floor", x)));
    marks.push(line("watch-head", scale.x(view.revision)));
    marks
}

/// Returns the x coordinate of the compaction line, between the last compacted and the first readable revision; `None`
/// if the store was never compacted.
pub fn floor_x(view: &WatchView, scale: RevScale) -> Option<f64> {
    (view.compact_revision > 0)
        .then(|| scale.x_at(view.compact_revision as f64 - 0.5))
        .map(|x| x.max(scale.left))
}

/// Draws the flags at the lower ends of the compaction lines.
pub fn flags(
    view: &WatchView,
    room: Room,
    scale: RevScale,
    bottom: f64,
    fence: Option<&Fence>,
) -> Vec<Mark> {
    let mut said: Vec<(f64, String, [&'static str; 2])> = Vec::new();
    if let Some(x) = floor_x(view, scale) {
        let text = words::compacted(view.compact_revision);
        said.push((x, text, ["watch-flag floor", "watch-flag-text floor"]));
    }
    if let Some(fence) = fence {
        let x = scale.x_at(fence.revision as f64 - 0.5).max(scale.left);
        said.push((
            x,
            fence.words(((room.width - 24.0) / (room.advance * 12.0)) as usize),
            ["watch-flag asked", "watch-flag-text asked"],
        ));
    }
    let wanted: Vec<(f64, f64)> = said
        .iter()
        .map(|(x, text, _)| (*x, extent(text, 0.0, Side::Right, room.advance).1 + 16.0))
        .collect();
    let places = side_by_side(&wanted, 8.0, room.width - 8.0);
    let mut marks = Vec::new();
    for ((_, text, [plate, class]), (x, width)) in said.into_iter().zip(places) {
        marks.push(Mark::Rect(plate, [x, bottom + 3.0, width, 21.0, 4.0]));
        marks.push(Mark::Text(class, [x + 8.0, bottom + 17.6], text));
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_axis_end_before_the_headings_beside_it() {
        let room = Room {
            width: 1_280.0,
            height: 300.0,
            advance: 0.6,
        };
        let scale = axis(1_193, 1_203, room.gutter(), room.right());
        let marks = numbered(1_202, 1_193, &[], room, scale);
        let ends = marks.iter().filter_map(|mark| match mark {
            Mark::Text("watch-tick future", [x, _], said) => Some(x + said.len() as f64 * 3.6),
            _ => None,
        });
        let ends: Vec<f64> = ends.collect();
        assert!(!ends.is_empty());
        assert!(ends.iter().all(|end| *end <= room.right()), "{ends:?}");
    }
}
