//! How the room is divided among keys, pages and rows.

use crate::draw::marks::FONT;
use watchglass_engine::view::StorageView;
use watchglass_engine::view::storage::{IndexKey, LevelView, RowMark, TreePage};

/// On a stage at least this wide the names of the parts stand at the left, else above each.
const WIDE: f64 = 600.0;
/// Width of the names at the left.
const NAMES: f64 = 118.0;
/// Distance to the edges.
const MARGIN: f64 = 14.0;
/// A key of the tree index is at least this wide.
const KEY_WIDTH: f64 = 66.0;
/// Between boxes of one row.
pub const GAP: f64 = 5.0;
/// A leaf is at least this wide, so that its number fits.
const LEAF_WIDTH: f64 = 70.0;
/// A page of the file, with and without its number.
const CELL: [(f64, f64); 2] = [(27.0, 34.0), (10.0, 10.0)];
/// More rows of numbered pages take too much of the height.
const CELL_ROWS_MAX: usize = 2;

/// Places along the width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoragePlan {
    /// Width of the drawing.
    pub width: f64,
    /// The names of the parts stand at the left.
    pub wide: bool,
    /// Where content begins.
    pub left: f64,
    /// Where content ends.
    pub right: f64,
    /// Width of a monospace character per pixel of font size.
    pub advance: f64,
}

/// Things in a row of which some do not fit: the first that is shown, and how many are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The place of the first.
    pub from: usize,
    /// How many.
    pub count: usize,
}

impl Shown {
    /// As many of `total` as fit, with the one at `around` among them.
    pub fn around(around: usize, room: usize, total: usize) -> Shown {
        let count = room.max(1).min(total);
        let from = around.saturating_sub(count / 2).min(total - count);
        Shown { from, count }
    }

    /// The things themselves.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.from..self.from + self.count)
            .unwrap_or_default()
    }
}

/// The leaves that are shown, and how many rows of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaves {
    /// Which leaves.
    pub shown: Shown,
    /// Rows of a leaf at most.
    pub rows: usize,
    /// Width of a row.
    pub row_width: f64,
}

/// The pages of the file in rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// Width of a page, distance included.
    pub width: f64,
    /// Height of a page, distance included.
    pub height: f64,
    /// Pages in a row.
    pub columns: usize,
    /// Pages say their kind and number.
    pub is_numbered: bool,
}

impl StoragePlan {
    /// Divides a stage of that width.
    pub fn new(width: f64, advance: f64) -> StoragePlan {
        let wide = width >= WIDE;
        StoragePlan {
            width,
            wide,
            left: if wide { NAMES + MARGIN } else { MARGIN },
            right: width - MARGIN,
            advance,
        }
    }

    /// Room for content.
    pub fn room(&self) -> f64 {
        (self.right - self.left).max(LEAF_WIDTH)
    }

    /// The keys that fit, and the width of each.
    pub fn keys(&self, keys: &[IndexKey], followed: &[u8]) -> (Shown, f64) {
        let fit = ((self.room() + GAP) / (KEY_WIDTH + GAP)) as usize;
        let at = keys.iter().position(|key| key.key == followed);
        let shown = Shown::around(at.unwrap_or(0), fit, keys.len());
        let each = (self.room() + GAP) / shown.count.max(1) as f64 - GAP;
        (shown, each.min(1.6 * KEY_WIDTH))
    }

    /// The leaves that fit beside `beside`, with as many rows each as fit.
    pub fn leaves(&self, level: &LevelView, followed: Option<u64>, beside: f64) -> Leaves {
        let pages = &level.pages;
        let widest = pages.iter().flat_map(|page| &page.rows).map(label);
        let digits = widest.map(|text| text.len()).max().unwrap_or(1);
        let row_width = 11.0 + FONT * self.advance * digits as f64;
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

    /// How the pages of the file are drawn.
    pub fn strip(&self, view: &StorageView) -> Strip {
        let [large, small] = CELL.map(|(width, height)| Strip {
            width: width + 3.0,
            height: height + 4.0,
            columns: ((self.room() + 3.0) / (width + 3.0)).max(1.0) as usize,
            is_numbered: width > 20.0,
        });
        let few = view.pages.len() <= CELL_ROWS_MAX * large.columns;
        if few { large } else { small }
    }
}

/// The width of a leaf with so many rows at most.
pub fn leaf(page: &TreePage, rows: usize, row_width: f64) -> f64 {
    let shown = page.rows.len().min(rows) as f64;
    shown.mul_add(row_width, 12.0).max(LEAF_WIDTH)
}

/// What a row says: its revision, and its place in the transaction where that is not the first.
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
