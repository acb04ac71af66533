//! The room of a picture whose horizontal axis shows revisions, and the ruler at the top of the picture.

use super::geometry::pt;
use super::identity::{Identity, order};
use super::marks::{Marks, Plate};
use super::scale::{RevScale, ticks};
use super::text::{Font, Side, grouped};

pub const RULER: f64 = 34.0;
/// The baseline of a text in the ruler.
pub const RULER_TEXT: f64 = 22.0;
/// The minimum width of a picture in which names are beside their rows instead of above them.
const WIDE: f64 = 600.0;
/// The x coordinate of the names and headings at the left edge of a wide picture.
pub const NAMES_LEFT: f64 = 16.0;
/// The space from the left end of an axis to its first revision, and from its last revision to the right end.
const ENDS: (f64, f64) = (22.0, 12.0);
const AXIS_MIN: f64 = 40.0;
/// The width of a digit in the ruler, including some space.
pub const DIGIT: f64 = 7.4;

const HEAD: Plate = Plate::new("watch-head-plate", 6.0, 10.0, 4.0);

/// The size of a drawing area, and the font of its texts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// The width; 0 before the first layout.
    pub width: f64,
    /// The height; a picture may be higher.
    pub height: f64,
    pub font: Font,
}

impl Room {
    /// Returns a drawing area; `advance` is the width of a monospace character as a fraction of the font size.
    pub const fn new(width: f64, height: f64, advance: f64) -> Room {
        let font = Font::of(advance);
        Room {
            width,
            height,
            font,
        }
    }

    /// Returns true if names are beside their rows instead of above them.
    pub fn is_wide(self) -> bool {
        self.width >= WIDE
    }
}

/// The maximum number of revisions on an axis that reserves room for the next revisions, so that a write does not move
/// everything. A longer axis needs no reserved room, because one more revision moves the marks too little to be
/// visible.
const RESERVED_SPAN_MAX: i64 = 48;

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
    let (from, to) = (left + ENDS.0, right - ENDS.1);
    let pitch = (to - from).max(AXIS_MIN) / span as f64;
    RevScale {
        left,
        width: (right - left).max(AXIS_MIN),
        from: first as f64 - ENDS.0 / pitch,
        pitch,
    }
}

/// Draws the ruler with the numbers of the revisions from `first` on. The number of the head revision is on a plate (an
/// opaque rectangle). The revisions in `pinned` are numbered, too, unless they are too close to one another. Numbers
/// that begin right of `end` are left out, except the number of the head revision.
pub fn ruler(
    head: i64,
    first: i64,
    pinned: &[i64],
    room: Room,
    scale: RevScale,
    end: f64,
) -> Marks {
    let mut marks = Marks::default();
    let label = (grouped(head).len() as f64 + 2.0) * DIGIT;
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
        let line = Identity::at("tick", revision, order::AXIS);
        marks.part(line, |marks| {
            marks.upright("watch-tick-line", x, RULER - 6.0, RULER - 0.5);
        });
        if revision != head {
            let class = match revision > head {
                true => "watch-tick future",
                false => "watch-tick",
            };
            let said = grouped(revision);
            // The headings of the columns of numbers begin beside the right edge.
            let x = x.min(scale.right() - said.len() as f64 * DIGIT / 2.0);
            if x <= end {
                let number = Identity::at("number", revision, order::AXIS);
                marks.part(number, |marks| marks.text(class, pt(x, RULER_TEXT), said));
            }
        }
    }
    marks.level("watch-hair", 0.0, room.width, RULER - 0.5);
    let said = room.font.measure(grouped(head));
    let left = said.left(scale.x(head), Side::Middle);
    let left = left.min(room.width - said.width - 8.0);
    let number = Identity::new("head", "number", order::STORE);
    marks.part(number, |marks| {
        marks.badge(&HEAD, "watch-head-text", pt(left, 18.0), said);
    });
    marks
}
