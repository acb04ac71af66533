//! Divides the width of the drawing area among keys, pages and rows of the database file.

use crate::draw::Font;
use watchglass_engine::view::StorageView;
use watchglass_engine::view::storage::{IndexKey, LevelView, RowMark, TreePage};

/// The minimum width of a drawing area that has the names of the parts at the left. In a narrower drawing area, the
/// names are above the parts.
const WIDE: f64 = 600.0;
/// The width of the column of names at the left.
const NAMES: f64 = 118.0;
/// The distance to the left and right edges.
const MARGIN: f64 = 14.0;
/// The minimum width of the box of a key in the tree index, in pixels.
const KEY_WIDTH: f64 = 66.0;
/// The distance between two boxes in a row, in pixels.
pub const GAP: f64 = 5.0;
/// The minimum width of a leaf page, so that its number fits.
const LEAF_WIDTH: f64 = 70.0;
/// The width and the height of the box that represents a page of the file, in pixels: first for a box with the page's
/// number, then for a box without the number.
const CELL: [(f64, f64); 2] = [(27.0, 34.0), (10.0, 10.0)];
/// The maximum number of rows of numbered pages; more rows would need too much height.
const CELL_ROWS_MAX: usize = 2;

/// The horizontal division of the Storage view's drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoragePlan {
    pub width: f64,
    /// Whether the names of the parts are at the left.
    pub wide: bool,
    /// The left edge of the content.
    pub left: f64,
    /// The right edge of the content.
    pub right: f64,
    pub font: Font,
    pub sizes: Sizes,
    /// Whether the drawing has the pages that the last request touched.
    pub has_touched: bool,
    /// Whether the drawing has the pages of the file, and the bytes of the row.
    pub has_file: bool,
    /// Whether the parts are close together, because the drawing area is low.
    pub is_tight: bool,
}

/// The place in the drawing where the sizes of the file are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    First,
    /// Below everything; a reader may have to scroll to the sizes.
    Last,
    LeftOut,
}

/// The visible range of items in a row: the first visible item and the number of visible items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The index of the first visible item.
    pub from: usize,
    /// The number of visible items.
    pub count: usize,
}

impl Shown {
    /// Returns a range of at most `room` items out of `total` that contains the item `around`.
    pub fn around(around: usize, room: usize, total: usize) -> Shown {
        let count = room.max(1).min(total);
        let from = around.saturating_sub(count / 2).min(total - count);
        Shown { from, count }
    }

    /// Returns the items of `all` in the visible range.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.from..self.from + self.count)
            .unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaves {
    pub shown: Shown,
    /// The maximum number of rows in a leaf page.
    pub rows: usize,
    /// The width of a row in a leaf page, in pixels.
    pub row_width: f64,
}

/// The arrangement of all pages of the file in rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// The width of a page, including the gap.
    pub width: f64,
    /// The height of a page, including the gap.
    pub height: f64,
    /// The gap between two rows of pages.
    pub gap: f64,
    /// The number of pages in a row.
    pub columns: usize,
    /// Whether each page shows its kind and number.
    pub is_numbered: bool,
}

impl StoragePlan {
    pub fn new(width: f64, font: Font) -> StoragePlan {
        let wide = width >= WIDE;
        StoragePlan {
            width,
            wide,
            left: if wide { NAMES + MARGIN } else { MARGIN },
            right: width - MARGIN,
            font,
            sizes: Sizes::First,
            has_touched: true,
            has_file: true,
            is_tight: false,
        }
    }

    /// Returns the width of the content, which is the drawing area without names and margins.
    pub fn room(&self) -> f64 {
        (self.right - self.left).max(LEAF_WIDTH)
    }

    /// Returns the range of keys that fit, around the key `followed`, and the width of each key.
    pub fn keys(&self, keys: &[IndexKey], followed: &[u8]) -> (Shown, f64) {
        let fit = ((self.room() + GAP) / (KEY_WIDTH + GAP)) as usize;
        let at = keys.iter().position(|key| key.key == followed);
        let shown = Shown::around(at.unwrap_or(0), fit, keys.len());
        let each = (self.room() + GAP) / shown.count.max(1) as f64 - GAP;
        (shown, each.min(1.6 * KEY_WIDTH))
    }

    /// Returns the range of leaf pages that fit, around the page `followed`, and the number of rows that fit in each
    /// page. `beside` pixels of the width are reserved for the batch (the rows that are not committed yet).
    pub fn leaves(&self, level: &LevelView, followed: Option<u64>, beside: f64) -> Leaves {
        let pages = &level.pages;
        let widest = pages.iter().flat_map(|page| &page.rows).map(label);
        let digits = widest.map(|text| text.len()).max().unwrap_or(1);
        let row_width = self.row_width(digits);
        let most = pages.iter().map(|page| page.rows.len()).max().unwrap_or(0);
        let room = self.room() - beside + GAP;
        let total =
            |rows: usize| -> f64 { pages.iter().map(|p| leaf(p, rows, row_width) + GAP).sum() };
        let at = followed.and_then(|id| pages.iter().position(|page| page.id == id));
        let around = at.unwrap_or(pages.len().saturating_sub(1));
        if let Some(rows) = (1..=most).rev().find(|rows| total(*rows) <= room) {
            let shown = Shown::around(around, pages.len(), pages.len());
            return Leaves {
                shown,
                rows,
                row_width,
            };
        }
        let rows = most.clamp(1, 3);
        let each = row_width.mul_add(rows as f64, 12.0).max(LEAF_WIDTH) + GAP;
        Leaves {
            shown: Shown::around(around, (room / each) as usize, pages.len()),
            rows,
            row_width,
        }
    }

    /// Returns the width of a row whose label has this number of characters.
    pub fn row_width(&self, digits: usize) -> f64 {
        11.0 + self.font.long(digits)
    }

    pub fn strip(&self, view: &StorageView) -> Strip {
        let [large, small] = CELL.map(|(width, height)| Strip {
            width: width + 3.0,
            height: height + 4.0,
            gap: 4.0,
            columns: ((self.room() + 3.0) / (width + 3.0)).max(1.0) as usize,
            is_numbered: width > 20.0,
        });
        // Between two rows of numbered pages, there is room for a number of the path.
        match view.pages.len().div_ceil(large.columns) {
            0..=1 => large,
            2..=CELL_ROWS_MAX => Strip {
                height: large.height + 8.0,
                gap: large.gap + 8.0,
                ..large
            },
            _ => small,
        }
    }
}

/// Returns the width of a leaf page that shows at most `rows` rows.
pub fn leaf(page: &TreePage, rows: usize, row_width: f64) -> f64 {
    let shown = page.rows.len().min(rows) as f64;
    shown.mul_add(row_width, 12.0).max(LEAF_WIDTH)
}

/// Returns the label of a row: its main revision, and its sub revision unless that is 0.
pub fn label(row: &RowMark) -> String {
    match row.revision {
        (main, 0) => main.to_string(),
        (main, sub) => format!("{main}.{sub}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_followed_is_among_what_is_shown() {
        for (around, room, total) in [(0, 5, 9), (8, 5, 9), (4, 3, 9), (2, 20, 4), (0, 0, 1)] {
            let shown = Shown::around(around, room, total);
            assert!((shown.from..shown.from + shown.count).contains(&around));
            assert!(shown.from + shown.count <= total);
        }
        assert_eq!(Shown::around(0, 4, 0).count, 0);
    }
}
