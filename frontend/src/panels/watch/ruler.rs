//! The axis of the Watch view. A position on the axis is the next revision that a watcher accepts; the axis extends
//! from the slowest watcher to the revision of the next write.

use watchglass_engine::view::WatchView;

use super::fence::Fence;
use crate::draw::axis::{DIGIT, NAMES_LEFT, RULER, RULER_TEXT, axis, ruler};
use crate::draw::placer::side_by_side;
use crate::draw::{Identity, Marks, Rect, RevScale, Room, order, pt};
use crate::words::watch as words;

/// The height of the row of flags at the bottom of the picture.
pub const FLAGS: f64 = 28.0;
/// The space beside the row of flags, and the sum of the space left and right of the text in a flag.
const BESIDE_FLAGS: f64 = 8.0;
const FLAG_PADDING: f64 = 16.0;
/// The distance from the right edge of the picture to the numbers.
pub const EDGE: f64 = 10.0;

/// The columns of the picture, from left to right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// The right edge of the names.
    pub names: f64,
    /// The right edge of the plot.
    pub plot: f64,
    /// The right edge of the lags of the watchers in etcd.
    pub behind: f64,
    /// The right edge of the numbers of events that the clients miss; `None` if there is no room for them.
    pub missing: Option<f64>,
}

impl Columns {
    pub fn of(room: Room) -> Columns {
        let width = room.width;
        match room.is_wide() {
            true => Columns {
                names: 178.0,
                plot: width - 132.0,
                behind: width - 71.0,
                missing: Some(width - EDGE),
            },
            false => Columns {
                names: 0.0,
                plot: width - 52.0,
                behind: width - EDGE,
                missing: None,
            },
        }
    }
}

pub fn scale(view: &WatchView, columns: Columns) -> RevScale {
    let (first, last) = (view.axis_from.max(1), view.revision.max(1) + 1);
    axis(first, last, columns.names, columns.plot)
}

/// Draws the axis with its numbers and headings. `is_dense` is true if each row shows how many watchers it has, instead
/// of each watcher.
pub fn numbers(view: &WatchView, room: Room, scale: RevScale, is_dense: bool) -> Marks {
    let end = match is_dense {
        // The heading of the numbers of watchers begins left of the end of the axis.
        true => {
            let heading = words::WATCHERS_HEADING[1].len() as f64 * DIGIT;
            room.width - EDGE - heading - 10.0
        }
        false => f64::INFINITY,
    };
    let mut marks = ruler(view.revision, view.axis_from, &[], room, scale, end);
    if room.is_wide() {
        let at = pt(NAMES_LEFT, RULER_TEXT);
        marks.text("watch-axis", at, words::NEXT_REVISION);
    }
    let mut heading = |x: f64, [first, second]: [&str; 2]| {
        let lines = match room.is_wide() && !first.is_empty() {
            true => vec![(first, 14.0), (second, 27.0)],
            // There is no room for two lines beside the numbers of the axis.
            false => vec![(second, RULER_TEXT)],
        };
        for (line, y) in lines {
            marks.text("watch-axis end", pt(x, y), line);
        }
    };
    let columns = Columns::of(room);
    if is_dense {
        heading(room.width - EDGE, words::WATCHERS_HEADING);
    } else {
        heading(columns.behind, words::BEHIND);
        if let Some(x) = columns.missing {
            heading(x, words::MISSING);
        }
    }
    marks
}

/// Draws the background: the compacted revisions, the compaction lines, and the head revision.
pub fn ground(view: &WatchView, scale: RevScale, bottom: f64, fence: Option<&Fence>) -> Marks {
    let mut marks = Marks::default();
    let ground = |from: f64, to: f64| Rect::between(pt(from, RULER), pt(to, bottom));
    let floor = floor_x(view, scale);
    if let Some(x) = floor {
        let compacted = Identity::new("compacted", "area", order::STORE).grows();
        marks.part(compacted, |marks| {
            marks.rect("watch-unreadable", ground(scale.left, x), 0.0);
        });
    }
    if let Some(fence) = fence {
        let from = floor.unwrap_or(scale.left).max(scale.left);
        let to = scale.x_at(fence.revision as f64 - 0.5);
        marks.rect("watch-unreadable asked", ground(from, to), 0.0);
        marks.upright("watch-fence", to.max(scale.left), RULER, bottom);
    }
    if let Some(x) = floor {
        let line =
            Identity::new("compacted", "line", order::STORE).from("compacted:area".to_owned());
        marks.part(line, |marks| marks.upright("watch-floor", x, RULER, bottom));
    }
    let head = Identity::new("head", "line", order::STORE);
    let x = scale.x(view.revision);
    marks.part(head, |marks| marks.upright("watch-head", x, RULER, bottom));
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
    fence: Option<&Fence>,
    y: f64,
) -> Marks {
    let mut said: Vec<(f64, String, [&'static str; 2])> = Vec::new();
    if let Some(x) = floor_x(view, scale) {
        let text = words::compacted(view.compact_revision);
        said.push((x, text, ["watch-flag floor", "watch-flag-text floor"]));
    }
    if let Some(fence) = fence {
        let x = scale.x_at(fence.revision as f64 - 0.5).max(scale.left);
        let text = fence.words(room.font.cells(room.width - 24.0));
        said.push((x, text, ["watch-flag asked", "watch-flag-text asked"]));
    }
    let wanted = said
        .iter()
        .map(|(x, text, _)| (*x, room.font.width(text) + FLAG_PADDING));
    let wanted: Vec<(f64, f64)> = wanted.collect();
    let places = side_by_side(&wanted, BESIDE_FLAGS, room.width - BESIDE_FLAGS);
    let mut marks = Marks::default();
    for ((_, text, [plate, class]), (x, width)) in said.into_iter().zip(places) {
        marks.part(Identity::new("flag", class, order::STORE), |marks| {
            marks.rect(plate, Rect::new(x, y + 3.0, width, 21.0), 4.0);
            marks.text(class, pt(x + FLAG_PADDING / 2.0, y + 17.6), text);
        });
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_axis_end_before_the_headings_beside_it() {
        let room = Room::new(1_280.0, 300.0, 0.6);
        let columns = Columns::of(room);
        let scale = axis(1_193, 1_203, columns.names, columns.plot);
        let marks = ruler(1_202, 1_193, &[], room, scale, f64::INFINITY);
        let numbers = marks.texts("watch-tick future");
        let ends: Vec<f64> = numbers
            .map(|(at, said)| at.x + said.len() as f64 * 3.6)
            .collect();
        assert!(!ends.is_empty());
        assert!(ends.iter().all(|end| *end <= columns.plot), "{ends:?}");
    }
}
