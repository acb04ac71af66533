//! A pill shows one watcher: a shape at the watcher's next revision and, if there is room, the name beside the shape.

use watchglass_engine::view::watch::{WatcherPool, WatcherView};

use super::ruler::floor_x;
use super::scene::WatchLayout;
use crate::draw::{Marked, Marks, Rect, pt, text};
use crate::words::watch as words;

/// Half the height of a pill (the mark of one watcher), in pixels.
pub const HALF: f64 = 13.0;
/// The distance from the middle of the shape to the near end of the pill.
const END: f64 = 13.0;
/// The distance from the middle of the shape to the text.
const GAP: f64 = 12.0;
/// The distance from the text to the far end of the pill.
const PAD: f64 = 10.0;
/// The maximum number of characters of a key range.
const RANGE_CELLS: usize = 30;

/// The mark of one watcher in the Watch view: a shape and, if there is room, a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Pill {
    pub id: u64,
    /// The position of the shape.
    pub x: f64,
    /// The y coordinate of the middle of the row.
    pub y: f64,
    /// The left end of the pill's body, relative to the shape.
    pub left: f64,
    pub width: f64,
    /// The full description of the watcher in words.
    pub title: String,
    /// The marks that draw the body, the name and the shape. Coordinates are relative to the middle of the shape.
    pub marks: Marks,
}

/// Returns the pill of a watcher with its shape at (`x`, `y`). The body of the pill is on the left of the shape,
/// because watchers move from the left. If there is no room on the left, the body is on the right.
pub fn pill(layout: &WatchLayout, watcher: &WatcherView, x: f64, y: f64, marked: Marked) -> Pill {
    let font = layout.room.font;
    let around = END + GAP + PAD;
    let before = x - layout.scale.left - 4.0 - around + END;
    let behind = layout.room.width - 6.0 - x - around + END;
    let name = text::cells(&watcher.name);
    let wanted = name + 1 + text::cells(&watcher.range).min(RANGE_CELLS);
    // A body that crosses the compaction line would look as if its watcher were compacted.
    let floor = floor_x(layout.view, layout.scale).filter(|floor| *floor <= x);
    let clear = floor.map_or(before, |floor| before.min(x - floor - 4.0 - around + END));
    let long = font.long(wanted);
    let on_left = (clear >= long || behind < long) && before >= long || before >= behind;
    let room = font.cells(before.max(behind)).max(1);
    let name_cells = name.min(room);
    let range_cells = wanted.min(room).saturating_sub(name_cells + 1);
    let range = if range_cells >= 3 || range_cells >= text::cells(&watcher.range) {
        text::middle(&watcher.range, range_cells)
    } else {
        String::new()
    };
    let said = text::middle(&watcher.name, name_cells);
    let mut cells = text::cells(&said);
    let range_at = cells + 1;
    if !range.is_empty() {
        cells = range_at + text::cells(&range);
    }
    let width = font.long(cells) + around;
    let left = if on_left { END - width } else { -END };
    let text_x = if on_left { left + PAD } else { GAP };
    let outline = match watcher.pool {
        WatcherPool::Synced => "watch-pill synced",
        WatcherPool::Unsynced => "watch-pill unsynced",
        WatcherPool::Victim => "watch-pill victim",
        WatcherPool::Compacted => "watch-pill canceled",
    };
    let mut marks = Marks::default();
    let body = Rect::new(left, -HALF, width, 2.0 * HALF);
    let mut ring = |class, by: f64| marks.rect(class, body.grown(by, by), HALF + by);
    if watcher.changed {
        ring("watch-ring changed-edge", 2.5);
        ring("watch-ring changed", 2.5);
    }
    ring(outline, 0.0);
    if marked.selected == Some(watcher.id) {
        ring("watch-ring selected", 0.0);
    }
    if marked.active == Some(watcher.id) {
        ring("watch-ring focus", 3.5);
    }
    marks.label("watch-name", pt(text_x, 0.0), said);
    if !range.is_empty() {
        let x = text_x + font.long(range_at);
        marks.label("watch-range", pt(x, 0.0), range);
    }
    marks.shape(watcher.pool, pt(0.0, 0.0), 7.0);
    Pill {
        id: watcher.id,
        x,
        y,
        left,
        width,
        title: words::title(watcher),
        marks,
    }
}
