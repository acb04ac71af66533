//! The layout of the Storage view: sizes, keys in memory, the tree, the pages, and the path of one row through them.
//!
//! The layout is a pure function of the view and the width.

use std::collections::BTreeMap;

use watchglass_engine::view::storage::{
    IndexKey, LevelView, PageCell, PageKind, RowMark, RowState, TouchedPages, TreePage,
};
use watchglass_engine::view::{KeyQuery, StorageView};

use super::plan::{self, GAP, Leaves, Sizes, StoragePlan, Strip};
use super::touched;
use crate::draw::surface::within;
use crate::draw::{Identity, Marks, Point, Rect, Segment, order, pt, svg_path, text};
use crate::words::storage as words;

/// All marks (lines, shapes and texts) of the Storage view.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageScene {
    pub width: f64,
    pub height: f64,
    /// The names of the parts that the drawing leaves out.
    pub omitted: Vec<&'static str>,
    /// Names, sizes, and lines between the parts.
    pub back: Marks,
    /// The items of the picture that can be selected.
    pub things: Vec<Thing>,
    /// The numbers of the stations on the path of one row; the path itself is among the marks behind the boxes.
    pub way: Marks,
    /// The names of parts and leaf pages, which are drawn on top of the path.
    pub names: Marks,
    /// The rows that can be selected. A row is identified by its key and revision or, for the newest row of a key, by
    /// the key alone.
    pub rows: Vec<KeyQuery>,
}

/// An item of the picture that can be selected: a page or a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    pub target: StorageTarget,
    pub class: String,
    pub title: String,
    /// An explanation of the item, or an empty text.
    pub about: String,
    pub marks: Marks,
}

/// The page or row that an item represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageTarget {
    Page(u64),
    /// A row, by its index in [`StorageScene::rows`].
    Row(u64),
}

/// The heights of the parts of the drawing, in pixels.
const BAR: f64 = 15.0;
/// The height of the line about the alarm of a full database.
const ALARM: f64 = 20.0;
const KEY: f64 = 34.0;
const BRANCH: f64 = 22.0;
/// The space below a branch page. The number of the next station begins in this space.
const BELOW_BRANCH: f64 = 10.0;
const LEAF: f64 = 44.0;
const ROW: f64 = 20.0;
const VALUE: f64 = 22.0;
/// The space below the tree index if the drawing area is low.
const TIGHT: f64 = 24.0;
/// Half the size of a number on the path.
const NUMBER: f64 = 8.5;
/// The x coordinate of the names at the left of a wide drawing.
const NAMES_LEFT: f64 = 14.0;
/// The space between the edges of a box and the text or the rows in it, and the sum at both sides.
const INSET: f64 = 6.0;
const INSETS: f64 = 2.0 * INSET;
/// The distance from the upper edge of a bar to the baseline of its text.
const BAR_TEXT: f64 = 11.7;
/// The distances from the upper edge of a box to the baselines of its two texts.
const LINES: [f64; 2] = [14.0, 28.0];
/// The radius of the corners of a box.
const CORNER: f64 = 4.0;
/// The distance from the edges of the content to the marks for more items beyond them: left and right.
const MORE: (f64, f64) = (9.0, 3.0);
const BRANCH_WIDTH: f64 = 130.0;
/// The maximum ratio of the quota to the size of the file for which the bar of the file shows the quota.
const QUOTA_NEAR: u64 = 8;

impl StorageScene {
    /// Computes the positions of all marks of the Storage view.
    pub fn new(view: &StorageView, plan: StoragePlan) -> StorageScene {
        let mut draw = Draw {
            plan,
            y: 8.0,
            back: Marks::default(),
            things: Vec::new(),
            rows: Vec::new(),
            way: Vec::new(),
            names: Marks::default(),
            headings: Vec::new(),
        };
        let touched = view.touched.as_ref();
        if let Some(touched) = touched.filter(|_| plan.has_touched) {
            draw.touched(touched);
        }
        if plan.sizes == Sizes::First {
            draw.sizes(view);
        } else {
            // The first number of a path is above the keys.
            draw.y += NUMBER - if plan.is_tight { 2.0 } else { 0.0 };
        }
        let keys = draw.index(view);
        draw.y += if plan.is_tight { TIGHT } else { 40.0 };
        let leaves = draw.tree(view, &keys);
        if plan.has_file {
            draw.file(view, &leaves);
            draw.bytes(view);
        }
        if plan.sizes == Sizes::Last {
            draw.y += ROW;
            draw.sizes(view);
        }
        draw.name_parts();
        let way = draw.way();
        let omitted = [
            (plan.sizes == Sizes::LeftOut).then_some(words::SIZE),
            touched.filter(|_| !plan.has_touched).map(words::touched),
            (!plan.has_file).then_some(words::FILE),
            (!plan.has_file).then_some(words::BYTES),
        ];
        StorageScene {
            width: plan.width,
            height: draw.y + if plan.is_tight { 2.0 } else { 6.0 },
            omitted: omitted.into_iter().flatten().collect(),
            back: draw.back,
            things: draw.things,
            rows: draw.rows,
            way,
            names: draw.names,
        }
    }
}

struct Draw {
    plan: StoragePlan,
    /// The y coordinate at which the next part of the drawing begins.
    y: f64,
    back: Marks,
    things: Vec<Thing>,
    rows: Vec<KeyQuery>,
    /// The boxes (stations) through which the selected row's path leads. The line enters a box at the beginning of its
    /// segment and leaves it at the end.
    way: Vec<Segment>,
    names: Marks,
    /// In a narrow drawing, the names above the parts. For each name: the number of stations above the name, the y
    /// coordinate of the name, and its text.
    headings: Vec<(usize, f64, String)>,
}

/// The position of a key in memory, from which the line to the key's row begins.
struct KeyPlace {
    from: Point,
    revision: (i64, i64),
    leaf: Option<u64>,
    is_followed: bool,
    is_deleted: bool,
    name: String,
}

/// The position of a leaf page of the tree.
struct LeafPlace {
    id: u64,
    from: Point,
    is_followed: bool,
}

impl Draw {
    fn name(&mut self, name: &str, about: &str, height: f64) {
        if self.plan.wide {
            let at = pt(NAMES_LEFT, self.y + height / 2.0);
            if about.is_empty() {
                self.names.label("sto-name", at, name);
            } else {
                self.names.text("sto-name", at.moved(0.0, -2.0), name);
                self.names.text("sto-about", at.moved(0.0, 13.0), about);
            }
            return;
        }
        let said = match about {
            "" => name.to_owned(),
            about => format!("{name}, {about}"),
        };
        self.y += 14.0;
        self.headings.push((self.way.len(), self.y, said));
        // Leave room for a number of the path.
        self.y += 2.0 * NUMBER + 2.0;
    }

    /// Adds an item: a box with texts.
    fn thing(
        &mut self,
        target: StorageTarget,
        class: String,
        (title, about): (String, String),
        marks: Marks,
    ) {
        self.things.push(Thing {
            target,
            class,
            title,
            about,
            marks,
        });
    }

    /// Adds a station of the path.
    fn station(&mut self, x: f64, top: f64, bottom: f64) {
        self.way.push(Segment::new(pt(x, top), pt(x, bottom)));
    }

    /// Draws the pages that the last request touched.
    fn touched(&mut self, pages: &TouchedPages) {
        self.name(
            words::touched(pages),
            &words::touched_about(pages),
            touched::CELL,
        );
        self.y += touched::touched(&mut self.back, pages, &self.plan, self.y);
        self.y += if self.plan.is_tight { 2.0 } else { 8.0 };
    }

    /// Draws the bytes that are used, pending and free, the quota with its alarm, and the size after `defrag`.
    fn sizes(&mut self, view: &StorageView) {
        self.name(words::SIZE, "", BAR);
        let (plan, left, y) = (self.plan, self.plan.left, self.y);
        let said = words::size_of(view);
        let room = plan.room() - plan.font.width(&said) - 10.0;
        // Beside a quota that is much larger, the file would be too small to see.
        let near = |quota: &u64| *quota <= view.bytes.saturating_mul(QUOTA_NEAR);
        let quota = view.quota_bytes.filter(near);
        let whole = quota.unwrap_or_default().max(view.bytes).max(1);
        let along = |bytes: u64| room * bytes as f64 / whole as f64;
        let pending = view.pending * view.page_bytes;
        let used = view.bytes_in_use.saturating_sub(pending);
        let (used_to, pending_to) = (along(used), along(view.bytes_in_use));
        let bar = |y: f64, from: f64, to: f64| Rect::new(left + from, y, to - from, BAR);
        let text = |y: f64, from: f64| pt(left + from, y + BAR_TEXT);
        let size = |id| Identity::new("size", id, order::RECEIVER).grows();
        let back = &mut self.back;
        let end = along(view.bytes);
        back.part(size("file").grows(), |back| {
            back.rect("sto-bar is-free", bar(y, 0.0, end), 3.0);
        });
        if let Some(quota) = quota {
            let at = left + along(quota);
            back.rect("sto-quota", bar(y, 0.0, along(quota).max(end)), 3.0);
            back.part(size("quota"), |back| {
                back.upright("sto-quota-line", at, y - 4.0, y + BAR + 4.0);
            });
        }
        if pending > 0 {
            back.part(size("pending"), |back| {
                back.rect("sto-bar is-pending", bar(y, used_to, pending_to), 0.0);
            });
        }
        back.part(size("used"), |back| {
            back.rect("sto-bar is-used", bar(y, 0.0, used_to), 3.0);
        });
        back.part(size("total"), |back| {
            back.text("sto-total", text(y, room + 8.0), said);
        });
        let inside = words::used(used);
        let fits = |said: &str, room: f64| plan.font.width(said) + INSETS <= room;
        if fits(&inside, used_to) {
            back.part(size("used-text"), |back| {
                back.text("sto-used", text(y, INSET), inside);
            });
        }
        let free = view.bytes - view.bytes_in_use;
        let said = words::free(free);
        if free > 0 && fits(&said, end - pending_to) {
            back.part(size("free-text"), |back| {
                back.text("sto-free", text(y, pending_to + INSET), said);
            });
        }
        self.y += BAR;
        if view.has_no_space {
            self.y += ALARM;
            let at = pt(left, self.y - 3.0);
            back.part(size("alarm").pops(), |back| {
                back.text("sto-alarm", at, words::ALARM)
            });
        }
        if let Some(after) = view.bytes_after_defrag.filter(|after| *after < view.bytes) {
            let y = self.y + 4.0;
            let wide = along(after);
            back.part(size("defrag"), |back| {
                back.rect("sto-defrag", bar(y, 0.0, wide), 3.0);
            });
            let said = words::after_defrag(after);
            let beside = if fits(&said, wide) { 0.0 } else { wide };
            back.text("sto-free", text(y, beside + INSET), said);
            self.y += BAR + 4.0;
        }
        // The first number of a path is above the keys.
        self.y += match view.path.is_some() && plan.wide {
            true => 2.0 * NUMBER,
            false => 12.0,
        };
    }

    fn row_target(&mut self, key: &[u8], revision: Option<(i64, i64)>) -> StorageTarget {
        self.rows.push(KeyQuery {
            key: key.to_vec(),
            revision,
        });
        StorageTarget::Row(self.rows.len() as u64 - 1)
    }

    fn index(&mut self, view: &StorageView) -> Vec<KeyPlace> {
        let keys = view.index.as_ref().map(|index| &index.keys);
        let (about, missing) = match keys {
            None => (words::IN_MEMORY, words::NO_INDEX),
            Some(_) => (words::IN_MEMORY_BY_KEY, words::NO_KEYS),
        };
        self.name(words::TREE_INDEX, about, KEY);
        let Some(index) = view.index.as_ref().filter(|index| !index.keys.is_empty()) else {
            let at = pt(self.plan.left, self.y + 20.0);
            self.back.text("sto-about", at, missing);
            self.y += KEY;
            return Vec::new();
        };
        let followed = view.path.as_ref().map_or(&[][..], |path| &path.key);
        let (shown, width) = self.plan.keys(&index.keys, followed);
        let keys = shown.of(&index.keys);
        let cut = common(keys);
        let mut places = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let x = self.plan.left + at as f64 * (width + GAP);
            places.push(self.key(key, x, width, cut, key.key == followed));
        }
        self.backward(&places, width);
        let has_before = shown.from > 0 || index.has_before;
        let has_after = shown.from + shown.count < index.keys.len() || index.has_after;
        let right = self.plan.right + MORE.1;
        self.more(has_before, has_after.then_some(right), KEY);
        self.y += KEY;
        if let Some(place) = places.iter().find(|place| place.is_followed) {
            self.station(place.from.x, self.y - KEY, place.from.y);
        }
        places
    }

    fn key(&mut self, key: &IndexKey, x: f64, width: f64, cut: usize, followed: bool) -> KeyPlace {
        let y = self.y;
        let room = self.plan.font.cells(width - 6.0);
        let name = key.name.get(cut..).unwrap_or(&key.name);
        let middle = x + width / 2.0;
        let target = self.row_target(&key.key, None);
        let dead = if key.is_deleted { " is-deleted" } else { "" };
        let followed_class = if followed { " is-followed" } else { "" };
        let class = ["sto-index", dead, followed_class].concat();
        let mut marks = boxed(Rect::new(x, y, width, KEY));
        marks.text(
            "sto-key-name",
            pt(middle, y + LINES[0]),
            text::middle(name, room),
        );
        let revision = words::revision(key.revision);
        marks.text("sto-key-rev", pt(middle, y + LINES[1]), revision);
        self.thing(target, class, words::key(key), marks);
        KeyPlace {
            from: pt(middle, y + KEY),
            revision: key.revision,
            leaf: key.leaf,
            is_followed: followed,
            is_deleted: key.is_deleted,
            name: String::from_utf8_lossy(&key.key).into_owned(),
        }
    }

    /// Marks each pair of neighbouring keys in which the second key has the older row. Between these keys, a range read
    /// goes back to an older row.
    fn backward(&mut self, places: &[KeyPlace], width: f64) {
        let y = self.y + KEY + 7.0;
        let mut back = 0;
        // A range does not read the rows of deleted keys.
        let places: Vec<&KeyPlace> = places.iter().filter(|place| !place.is_deleted).collect();
        for pair in places.windows(2) {
            if pair[1].revision < pair[0].revision {
                back += 1;
                let x = pair[1].from.x - (width + GAP) / 2.0;
                let d = svg_path!(M x + 4.0, y - 4.5; L x - 4.0, y; L x + 4.0, y + 4.5; z);
                self.back.path("sto-back", d);
            }
        }
        let steps = places.len().saturating_sub(1);
        if self.plan.wide && steps > 1 {
            let y = self.y + KEY;
            let [number, rest] = words::steps_back(back, steps);
            let [first, second] = match self.plan.is_tight {
                true => [11.0, 24.0],
                false => [20.0, 35.0],
            };
            let at = pt(NAMES_LEFT, y + first);
            self.back.text("sto-about is-strong", at, number);
            self.back
                .text("sto-about", pt(NAMES_LEFT, y + second), rest);
        }
    }

    /// Draws a mark at each end of the visible items of a part beyond which there are more items: at the left edge of
    /// the content, and at the x coordinate `after`.
    fn more(&mut self, has_before: bool, after: Option<f64>, height: f64) {
        let y = self.y + height / 2.0 + 4.0;
        if has_before {
            let at = pt(self.plan.left - MORE.0, y);
            self.back.text("sto-more", at, "‹");
        }
        if let Some(x) = after {
            self.back.text("sto-more", pt(x, y), "›");
        }
    }

    /// Draws the tree of the bucket `key`, and, beside the leaf pages, the batch of rows that are not committed yet.
    fn tree(&mut self, view: &StorageView, keys: &[KeyPlace]) -> Vec<LeafPlace> {
        let Some((leaves, branches)) = view.levels.split_last() else {
            return Vec::new();
        };
        let pages = view.path.as_ref().map_or(&[][..], |path| &path.pages);
        let followed_leaf = pages.last().copied();
        let batch_width = batch_width(view, &self.plan);
        let shown = self.plan.leaves(leaves, followed_leaf, batch_width);
        let top = self.y;
        // The branch pages are drawn first, but the line through them needs the position of the row in its leaf page.
        self.y += branches.len() as f64 * (BRANCH + BELOW_BRANCH);
        let x_of_row = self.row_x(view, leaves, shown);
        self.y = top;
        for (depth, level) in branches.iter().enumerate() {
            self.branches(level, pages.get(depth).copied(), x_of_row);
        }
        let mut ends = BTreeMap::new();
        let places = self.leaves(view, leaves, shown, followed_leaf, &mut ends);
        self.batch(view, batch_width, &mut ends);
        // In a narrow drawing area, the names of the parts are in front of the lines.
        let end = if self.plan.wide { top } else { self.y };
        self.y += LEAF;
        self.lines_down(keys, &places, &ends, end);
        places
    }

    /// Returns the x coordinate of the selected row in its leaf page.
    fn row_x(&self, view: &StorageView, leaves: &LevelView, shown: Leaves) -> Option<f64> {
        let row = view.path.as_ref()?;
        let leaf = row.pages.last()?;
        let mut x = self.plan.left;
        for page in shown.shown.of(&leaves.pages) {
            let width = plan::leaf(page, shown.rows, shown.row_width);
            if page.id == *leaf {
                let rows = rows_of(page, shown.rows, Some(row.revision));
                let at = rows.iter().position(|mark| mark.revision == row.revision)?;
                return Some(x + INSET + shown.row_width * (at as f64 + 0.5));
            }
            x += width + GAP;
        }
        None
    }

    fn branches(&mut self, level: &LevelView, followed: Option<u64>, x: Option<f64>) {
        self.name(words::BRANCH, "", BRANCH);
        let count = level.pages.len();
        let around = level
            .pages
            .iter()
            .position(|page| Some(page.id) == followed);
        let fit = ((self.plan.room() + GAP) / (BRANCH_WIDTH + GAP)) as usize;
        let shown = plan::Shown::around(around.unwrap_or(count), fit, count);
        let width = (self.plan.room() + GAP) / shown.count.max(1) as f64 - GAP;
        for (at, page) in shown.of(&level.pages).iter().enumerate() {
            let left = self.plan.left + at as f64 * (width + GAP);
            let is_followed = Some(page.id) == followed;
            let room = self.plan.font.cells(width - 12.0);
            let said = text::start(&words::branch(page), room);
            let mut marks = boxed(Rect::new(left, self.y, width, BRANCH));
            marks.text("sto-branch-name", pt(left + 8.0, self.y + 15.0), said);
            let class = page_class("sto-branch is-branch", page.is_written, is_followed);
            let title = (words::tree_page(page), String::new());
            self.thing(StorageTarget::Page(page.id), class, title, marks);
            if is_followed {
                let x = x.unwrap_or(left + width / 2.0);
                let x = x.clamp(left + 12.0, left + width - 12.0);
                self.station(x, self.y, self.y + BRANCH);
            }
        }
        self.y += BRANCH + BELOW_BRANCH;
    }

    fn leaves(
        &mut self,
        view: &StorageView,
        level: &LevelView,
        shown: Leaves,
        followed: Option<u64>,
        ends: &mut BTreeMap<(i64, i64), f64>,
    ) -> Vec<LeafPlace> {
        self.name(words::LEAVES, words::BY_REVISION, LEAF);
        let row = view.path.as_ref().map(|path| path.revision);
        let mut x = self.plan.left;
        let mut places = Vec::new();
        for page in shown.shown.of(&level.pages) {
            let width = plan::leaf(page, shown.rows, shown.row_width);
            let is_followed = Some(page.id) == followed;
            let rows = rows_of(page, shown.rows, row.filter(|_| is_followed));
            self.leaf(page, rows.len() as u64, x, width, is_followed);
            for (at, mark) in rows.iter().enumerate() {
                let left = x + INSET + at as f64 * shown.row_width;
                let here = is_followed && row == Some(mark.revision);
                ends.insert(mark.revision, left + shown.row_width / 2.0);
                self.row(mark, left, shown.row_width, here);
            }
            places.push(LeafPlace {
                id: page.id,
                from: pt(x + width / 2.0, self.y + LEAF),
                is_followed,
            });
            x += width + GAP;
        }
        let Leaves { shown, .. } = shown;
        let has_before = shown.from > 0 || level.has_before;
        let has_after = shown.from + shown.count < level.pages.len() || level.has_after;
        self.more(has_before, has_after.then_some(x), LEAF);
        places
    }

    fn leaf(&mut self, page: &TreePage, shown: u64, x: f64, width: f64, is_followed: bool) {
        let room = self.plan.font.cells(width - 8.0);
        let mut names = words::leaf(page, shown).into_iter();
        let said = names.find(|said| text::cells(said) <= room);
        let class = page_class("sto-leaf is-leaf", page.is_written, is_followed);
        let title = (words::tree_page(page), String::new());
        let marks = boxed(Rect::new(x, self.y, width, LEAF));
        self.thing(StorageTarget::Page(page.id), class, title, marks);
        let at = pt(x + INSET, self.y + LEAF - INSET);
        let identity = Identity::of("leaf-name", page.id, order::CACHE);
        self.names.part(identity, |names| {
            names.text("sto-leaf-name", at, said.unwrap_or_default());
        });
    }

    fn row(&mut self, mark: &RowMark, left: f64, width: f64, is_followed: bool) {
        let (y, middle) = (self.y + 5.0, left + width / 2.0);
        let target = self.row_target(&mark.key, Some(mark.revision));
        let state = match mark.state {
            RowState::Newest => "is-newest",
            RowState::Older => "is-older",
            RowState::Removed => "is-removed",
            RowState::Unknown => "is-unknown",
            RowState::Tombstone => "is-tombstone",
        };
        let followed = if is_followed { " is-followed" } else { "" };
        let mut marks = Marks::default();
        let area = Rect::new(left + 1.0, y, width - 2.0, ROW);
        marks.rect("sto-box", area, 5.0);
        marks.text("sto-row-rev", pt(middle, y + LINES[0]), plan::label(mark));
        let class = format!("sto-row {state}{followed}");
        self.thing(target, class, words::row(mark), marks);
        if is_followed {
            // The line leaves at the lower edge of the page, so that it does not cross the page's name.
            self.station(middle, self.y, self.y + LEAF);
        }
    }

    /// Draws the rows of the batch. No page contains these rows until the next commit.
    fn batch(&mut self, view: &StorageView, width: f64, ends: &mut BTreeMap<(i64, i64), f64>) {
        if width == 0.0 {
            return;
        }
        let width = width - GAP;
        let x = self.plan.right - width;
        let area = Rect::new(x, self.y, width, LEAF);
        self.back
            .part(Identity::new("batch", "area", order::WATCHER), |back| {
                back.rect("sto-batch", area, CORNER);
            });
        let row = view.path.as_ref().filter(|path| path.place.is_none());
        let row_width = batch_row_width(view, &self.plan);
        let fit = |room: f64| (room / row_width).max(0.0) as usize;
        let total = view.batch_rows.max(view.batch.len() as u64);
        let all_fit = total as usize <= fit(width - INSETS);
        // The mark of the rows without room is before the newest rows.
        let font = self.plan.font;
        let mark_width = match all_fit {
            true => 0.0,
            false => font.width(&words::more_rows(total)) + 4.0,
        };
        let shown = fit(width - INSETS - mark_width).min(view.batch.len());
        if !all_fit {
            let at = pt(x + INSET, self.y + 19.0);
            let more = total - shown as u64;
            let is_wide = font.width(&words::more_rows(more)) <= width - INSETS;
            let said = match is_wide {
                true => words::more_rows(more),
                false => words::more_rows_short(more),
            };
            self.names.text("sto-more-rows", at, said);
        }
        for (at, mark) in view.batch.iter().skip(view.batch.len() - shown).enumerate() {
            let left = x + INSET + mark_width + at as f64 * row_width;
            let here = row.is_some_and(|row| row.revision == mark.revision);
            ends.insert(mark.revision, left + row_width / 2.0);
            self.row(mark, left, row_width, here);
        }
        let room = font.cells(width - 8.0);
        let long = Some(words::batch_name(view)).filter(|said| text::cells(said) <= room);
        let said = long.unwrap_or_else(|| words::BATCH.to_owned());
        let at = pt(x + INSET, self.y + LEAF - INSET);
        self.names.text("sto-leaf-name is-batch", at, said);
    }

    /// Draws a line from each visible key to its row, if the row is visible. The lines end at the y coordinate `end`.
    fn lines_down(
        &mut self,
        keys: &[KeyPlace],
        leaves: &[LeafPlace],
        ends: &BTreeMap<(i64, i64), f64>,
        end: f64,
    ) {
        for key in keys.iter().filter(|key| !key.is_followed) {
            let leaf = key.leaf;
            let leaf = leaf.and_then(|id| leaves.iter().find(|leaf| leaf.id == id));
            let x = ends
                .get(&key.revision)
                .copied()
                .or(leaf.map(|leaf| leaf.from.x));
            if let Some(x) = x {
                let line = curve(key.from.moved(0.0, 1.0), pt(x, end - 2.0));
                self.back
                    .part(Identity::new("line", &key.name, order::WATCHER), |back| {
                        back.path("sto-line", line);
                    });
            }
        }
    }

    /// Draws all pages of the file in order.
    fn file(&mut self, view: &StorageView, leaves: &[LeafPlace]) {
        let strip = self.plan.strip(view);
        // Between the leaf pages and small pages of the file, a number of the path touches no name of a leaf page.
        self.y += match strip.is_numbered && self.plan.wide && !self.plan.is_tight {
            true => 24.0,
            false => 2.0 * NUMBER,
        };
        let about = words::pages(view);
        let rows = view.pages.len().div_ceil(strip.columns).max(1);
        let height = rows as f64 * strip.height;
        self.name(words::FILE, &about, height);
        let first = view.pages.first().map_or(0, |cell| cell.id);
        let place = view.path.as_ref().and_then(|path| path.place);
        let chosen = view.page.as_ref().map(|page| page.id);
        for (at, cell) in view.pages.iter().enumerate() {
            let area = self.cell_area(strip, at);
            let is_followed = place.is_some_and(|place| place.page == cell.id);
            let is_chosen = chosen == Some(cell.id);
            self.cell(cell, area, strip.is_numbered, is_followed, is_chosen);
            if is_followed {
                self.station(area.x + area.width / 2.0, area.y, area.bottom());
            }
        }
        if strip.is_numbered && self.plan.wide {
            for leaf in leaves.iter().filter(|leaf| !leaf.is_followed) {
                let at = leaf.id.checked_sub(first).map(|at| at as usize);
                if let Some(at) = at.filter(|at| *at < view.pages.len()) {
                    let area = self.cell_area(strip, at);
                    let to = pt(area.x + area.width / 2.0, area.y - 2.0);
                    let line = curve(leaf.from.moved(0.0, 1.0), to);
                    self.back
                        .part(Identity::of("page-line", leaf.id, order::CACHE), |back| {
                            back.path("sto-line is-page", line);
                        });
                }
            }
        }
        self.y += height + 4.0;
    }

    fn cell_area(&self, strip: Strip, at: usize) -> Rect {
        let (row, column) = (at / strip.columns, at % strip.columns);
        let x = self.plan.left + column as f64 * strip.width;
        let y = self.y + row as f64 * strip.height;
        Rect::new(x, y, strip.width - 3.0, strip.height - strip.gap)
    }

    fn cell(
        &mut self,
        cell: &PageCell,
        area: Rect,
        is_numbered: bool,
        is_followed: bool,
        is_chosen: bool,
    ) {
        let mut marks = Marks::default();
        marks.rect("sto-box", area, if is_numbered { CORNER } else { 2.0 });
        if is_numbered {
            let middle = area.x + area.width / 2.0;
            let letter = words::letter(cell.kind);
            marks.text("sto-letter", pt(middle, area.y + LINES[0]), letter);
            marks.text("sto-id", pt(middle, area.y + LINES[1]), cell.id.to_string());
        } else if matches!(cell.kind, PageKind::Branch | PageKind::Meta) {
            // Pages without room for a letter are distinguished by shape.
            marks.rect("sto-dot", area.grown(-3.0, -3.0), 2.0);
        }
        let chosen = if is_chosen { " is-chosen" } else { "" };
        let class = ["sto-cell ", class_of(cell.kind), chosen].concat();
        let class = page_class(&class, cell.is_written, is_followed);
        let title = (words::cell(cell), String::new());
        self.thing(StorageTarget::Page(cell.id), class, title, marks);
    }

    /// Draws the bytes of the selected row: its key in the bucket, and the fields of its value.
    fn bytes(&mut self, view: &StorageView) {
        let Some(row) = &view.path else {
            return;
        };
        self.y += if self.plan.is_tight { 10.0 } else { 14.0 };
        let about = row.place.map_or_else(
            || words::IN_BATCH.to_owned(),
            |place| words::place_of_row(place, view),
        );
        let path = self.way.last().map(|station| station.to.x);
        self.name(words::BYTES, &about, VALUE + 14.0);
        let (main, sub) = row.revision;
        let (mark, sub_name) = match row.state == RowState::Tombstone {
            true => (" 74", "sub, t"),
            false => ("", "sub"),
        };
        let mut boxes: Vec<(String, String, bool)> = vec![
            (format!("{main:016x}"), "main".to_owned(), true),
            ("5f".to_owned(), "_".to_owned(), true),
            (format!("{sub:016x}{mark}"), sub_name.to_owned(), true),
        ];
        let fields = row.fields.iter();
        boxes.extend(fields.map(|(name, said)| (said.clone(), field(name), false)));
        let mut x = self.plan.left;
        let (font, top, mut first_end) = (self.plan.font, self.y, x);
        for (said, caption, is_key) in boxes {
            let room = self.plan.right - x;
            let wanted = font.width(&said).max(font.width(&caption)) + INSETS;
            let most = if is_key { wanted } else { wanted.min(150.0) };
            // A long value becomes shorter rather than begin another line.
            let least = if is_key { wanted } else { wanted.min(90.0) };
            if least > room {
                x = self.plan.left;
                self.y += VALUE + 18.0;
            }
            let width = most.min(self.plan.right - x);
            let cells = font.cells(width - 10.0);
            let class = match is_key {
                true => "sto-bytes is-key",
                false => "sto-bytes",
            };
            let area = Rect::new(x, self.y, width, VALUE);
            self.back.rect(class, area, 3.0);
            let at = pt(x + INSET, self.y + 15.0);
            self.back.text("sto-value", at, text::middle(&said, cells));
            let at = pt(x + INSET, self.y + VALUE + 12.0);
            let caption = text::start(&caption, cells + 1);
            self.back.text("sto-caption", at, caption);
            if self.y == top {
                first_end = x + width;
            }
            x += width + 3.0;
        }
        if row.place.is_some() {
            let first = self.plan.left + 14.0;
            // Beside the name above the bytes, the line goes straight down.
            let x = match path {
                Some(path) if !self.plan.wide => within(path, first, (first_end - 14.0).max(first)),
                _ => first,
            };
            self.station(x, top, top + VALUE);
        }
        self.y += VALUE + 16.0;
    }

    /// In a narrow drawing, draws the names above the parts. A name is beside the line of the path if there is room.
    fn name_parts(&mut self) {
        let left = self.plan.left;
        for (above, y, said) in std::mem::take(&mut self.headings) {
            let width = self.plan.font.width(&said);
            let ends = above
                .checked_sub(1)
                .and_then(|from| self.way.get(from).zip(self.way.get(above)));
            // The line beside the text.
            let passes = ends.map_or([f64::INFINITY; 2], |(from, to)| {
                let beside = samples(from.to, to.from);
                let beside = beside.filter(|at| (y - 14.0..=y + 6.0).contains(&at.y));
                let nothing = [f64::INFINITY, f64::NEG_INFINITY];
                beside.fold(nothing, |[least, most], at| {
                    [least.min(at.x - NUMBER), most.max(at.x + NUMBER)]
                })
            });
            let is_free = left + width <= passes[0] || passes[1] + width > self.plan.right;
            let x = if is_free { left } else { passes[1] };
            // If the line passes here, it must not be visible between the words.
            let plate = Rect::new(x - 2.0, y - 12.0, width + 4.0, 17.0);
            self.names.rect("sto-plate", plate, 2.0);
            self.names.text("sto-name", pt(x, y), said);
        }
    }

    /// Draws the line through all stations (the boxes on the path of the selected row), and returns the number of each
    /// station. The line is behind the boxes that it passes, so that it does not cross their texts.
    fn way(&mut self) -> Marks {
        let mut marks = Marks::default();
        for (at, pair) in self.way.windows(2).enumerate() {
            let line = Identity::of("way", at as u64, order::RECEIVER + at as u32);
            self.back.part(line, |back| {
                back.path("sto-way", curve(pair[0].to, pair[1].from));
            });
        }
        for (at, station) in self.way.iter().enumerate() {
            // The number is above the box, where the line enters.
            let middle = station.from.moved(0.0, -5.0);
            let number = Identity::of("station", at as u64, order::RECEIVER + at as u32);
            marks.part(number.pops(), |marks| {
                marks.circle("sto-number", middle, NUMBER);
                marks.label("sto-number-text", middle, (at + 1).to_string());
            });
        }
        marks
    }
}

fn boxed(area: Rect) -> Marks {
    let mut marks = Marks::default();
    marks.rect("sto-box", area, CORNER);
    marks
}

/// Returns points on the line between two stations. [`curve`] draws this line as a Bézier curve.
fn samples(from: Point, to: Point) -> impl Iterator<Item = Point> {
    (0..=40).map(move |at| {
        let t = f64::from(at) / 40.0;
        let (across, down) = (t * t * (3.0 - 2.0 * t), t * (1.5 - 1.5 * t + t * t));
        pt(from.towards(to, across).x, from.towards(to, down).y)
    })
}

/// Returns the label that is drawn below the box of a field of the selected row.
fn field(name: &str) -> String {
    match name {
        "create_revision" => "create".to_owned(),
        "mod_revision" => "mod".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the width of the batch (the rows that are not committed yet) beside the leaf pages, including the gap; 0 if
/// the batch is empty.
fn batch_width(view: &StorageView, plan: &StoragePlan) -> f64 {
    if view.batch.is_empty() {
        return 0.0;
    }
    let rows = view.batch.len() as f64 * batch_row_width(view, plan) + INSETS;
    let name = plan.font.width(&words::batch_name(view)) + INSETS;
    // A narrow drawing area shows fewer leaf pages, so that the batch can show some of its rows.
    let share = if plan.wide { 3.0 } else { 2.0 };
    rows.max(name).min(plan.room() / share) + GAP
}

fn batch_row_width(view: &StorageView, plan: &StoragePlan) -> f64 {
    let digits = view.batch.iter().map(|row| plan::label(row).len()).max();
    plan.row_width(digits.unwrap_or(1))
}

/// Returns the visible rows of a leaf page: the rows around the row `followed` or, without that row, the last rows.
fn rows_of(page: &TreePage, most: usize, followed: Option<(i64, i64)>) -> &[RowMark] {
    let at = followed.and_then(|row| page.rows.iter().position(|mark| mark.revision == row));
    let around = at.unwrap_or(page.rows.len().saturating_sub(1));
    plan::Shown::around(around, most, page.rows.len()).of(&page.rows)
}

/// Returns the length of the prefix that all keys share, up to the last slash. The keys are sorted, so comparing the
/// first and the last key is sufficient.
fn common(keys: &[IndexKey]) -> usize {
    let [first, .., last] = keys else {
        return 0;
    };
    let pairs = first.name.bytes().zip(last.name.bytes());
    let shared = pairs.take_while(|(a, b)| a == b).count();
    let start = first.name.as_bytes().get(..shared).unwrap_or_default();
    let slash = start.iter().rposition(|byte| *byte == b'/');
    slash.map_or(0, |at| at + 1)
}

fn page_class(class: &str, is_written: bool, is_followed: bool) -> String {
    let written = if is_written { " is-written" } else { "" };
    let followed = if is_followed { " is-followed" } else { "" };
    [class, written, followed].concat()
}

pub fn class_of(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Meta | PageKind::Freelist => "is-meta",
        PageKind::Branch => "is-branch",
        PageKind::Leaf => "is-leaf",
        PageKind::Overflow => "is-overflow",
        PageKind::Pending => "is-pending",
        PageKind::Free => "is-free",
    }
}

fn curve(from: Point, to: Point) -> String {
    let middle = f64::midpoint(from.y, to.y);
    svg_path!(M from.x, from.y; C from.x, middle, to.x, middle, to.x, to.y)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::draw::{Font, Mark, Side};

    fn scene(width: f64) -> StorageScene {
        StorageScene::new(&fixture::file(), StoragePlan::new(width, Font::of(0.6)))
    }

    fn tight(width: f64) -> StorageScene {
        let plan = StoragePlan {
            is_tight: true,
            sizes: Sizes::LeftOut,
            ..StoragePlan::new(width, Font::of(0.6))
        };
        StorageScene::new(&fixture::file(), plan)
    }

    fn rects(scene: &StorageScene, class: &str) -> Vec<Rect> {
        let things = scene
            .things
            .iter()
            .filter(|thing| thing.class.starts_with(class));
        let first = things.filter_map(|thing| match thing.marks.first() {
            Some(Mark::Rect(_, area, _)) => Some(*area),
            _ => None,
        });
        first.collect()
    }

    #[test]
    fn a_quota_that_is_near_is_on_the_scale_of_the_file_and_its_alarm_is_written() {
        let mut view = fixture::file();
        let lines = |view: &StorageView, width| {
            let scene = StorageScene::new(view, StoragePlan::new(width, Font::of(0.6)));
            let quotas: Vec<f64> = scene
                .back
                .lines("sto-quota-line")
                .map(|line| line.from.x)
                .collect();
            let files: Vec<f64> = scene
                .back
                .rects("sto-bar is-free")
                .map(Rect::right)
                .collect();
            (quotas, files[0], scene.back.texts("sto-alarm").count())
        };
        for width in [366.0, 980.0] {
            view.quota_bytes = Some(view.bytes + view.bytes / 2);
            let (quotas, file, alarms) = lines(&view, width);
            assert_eq!((quotas.len(), alarms), (1, 0));
            assert!(file < quotas[0] && quotas[0] < width, "{width}");
            view.has_no_space = true;
            assert_eq!(lines(&view, width).2, 1);
            view.has_no_space = false;
            view.quota_bytes = Some(2 << 30);
            let (quotas, whole, _) = lines(&view, width);
            assert!(
                quotas.is_empty() && whole > file,
                "{width}: the file would be too small to see"
            );
        }
    }

    #[test]
    fn nothing_covers_another_and_nothing_leaves_the_picture() {
        for width in [366.0, 640.0, 740.0, 980.0] {
            let scene = scene(width);
            for class in ["sto-index", "sto-branch", "sto-leaf", "sto-row", "sto-cell"] {
                let rects = rects(&scene, class);
                assert!(!rects.is_empty(), "{width}: no {class}");
                for (at, a) in rects.iter().enumerate() {
                    let whole = Rect::new(0.0, 0.0, width, scene.height);
                    assert!(whole.holds(*a), "{width}: {class} {a:?}");
                    for b in &rects[at + 1..] {
                        assert!(!a.overlaps(*b), "{width}: {class} {a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_way_has_a_number_for_each_station() {
        for width in [366.0, 740.0] {
            let scene = scene(width);
            let numbers = scene.way.texts("sto-number-text").map(|(_, said)| said);
            // Tree index, branch, leaf, page, bytes.
            assert_eq!(numbers.collect::<Vec<_>>(), ["1", "2", "3", "4", "5"]);
        }
    }

    fn around(mark: &Mark) -> Option<Rect> {
        let Mark::Text(class, at, said) = mark else {
            return None;
        };
        let is_middle = [
            "sto-key-name",
            "sto-key-rev",
            "sto-row-rev",
            "sto-letter",
            "sto-id",
        ];
        let side = match is_middle.contains(class) {
            true => Side::Middle,
            false => Side::Right,
        };
        let said = Font::of(0.6).measure(said.as_str());
        Some(said.area(pt(said.left(at.x, side), at.y - 3.0), 6.0))
    }

    #[test]
    fn no_number_of_the_path_covers_a_text_and_no_line_crosses_a_name() {
        let all = [366.0, 640.0, 740.0, 980.0].map(|width| (width, scene(width)));
        for (width, scene) in all
            .into_iter()
            .chain([366.0, 740.0, 980.0].map(|width| (width, tight(width))))
        {
            let things = scene.things.iter().flat_map(|thing| thing.marks.iter());
            let texts = scene.back.iter().chain(scene.names.iter()).chain(things);
            let texts: Vec<Rect> = texts.filter_map(around).collect();
            for number in scene.way.rects("sto-number") {
                let boxes = rects(&scene, "sto-row");
                for text in texts.iter().chain(&boxes) {
                    assert!(!number.overlaps(*text), "{width}: {number:?} {text:?}");
                }
            }
            // The line leaves a leaf page below the name of the page.
            for leaf in rects(&scene, "sto-leaf") {
                for line in scene.back.paths("sto-way") {
                    let start = line.strip_prefix('M').unwrap_or_default();
                    let start = start.split('C').next().unwrap_or_default();
                    let (_, y) = start.split_once([' ', ',']).expect("a point");
                    let y: f64 = y.parse().expect("a number");
                    assert!(y <= leaf.y || y >= leaf.bottom() - 0.1, "{width}: {start}");
                }
            }
            // The names are drawn in front of the path.
            let is_name = |class: &str| class == "sto-name" || class.starts_with("sto-leaf-name");
            let things = scene.things.iter().flat_map(|thing| thing.marks.iter());
            let mut behind = scene.back.iter().chain(things);
            assert!(!behind.any(|mark| matches!(mark, Mark::Text(class, ..) if is_name(class))));
        }
    }

    #[test]
    fn the_names_beside_the_parts_do_not_touch_in_a_low_picture() {
        for width in [740.0, 980.0] {
            let scene = tight(width);
            let beside = scene
                .back
                .iter()
                .chain(scene.names.iter())
                .filter_map(around);
            let mut beside: Vec<f64> = beside
                .filter(|area| area.x == NAMES_LEFT)
                .map(|area| area.y)
                .collect();
            beside.sort_by(f64::total_cmp);
            assert!(beside.len() > 5);
            assert!(
                beside.windows(2).all(|pair| pair[1] - pair[0] >= 12.0),
                "{width}: {beside:?}"
            );
        }
    }

    #[test]
    fn the_batch_marks_the_rows_for_which_it_has_no_room() {
        for (width, rows) in [(366.0, 12), (667.0, 12), (748.0, 40), (980.0, 3)] {
            let mut view = fixture::file();
            let row = view.batch[0].clone();
            view.batch = (0..rows)
                .map(|at| RowMark {
                    revision: (9_031 + at, 0),
                    ..row.clone()
                })
                .collect();
            view.batch_rows = rows as u64;
            let scene = StorageScene::new(&view, StoragePlan::new(width, Font::of(0.6)));
            let is_batch = |thing: &&Thing| thing.title.starts_with("Row 90");
            let shown = scene.things.iter().filter(is_batch).count() as i64;
            let more = scene.names.texts("sto-more-rows").next();
            let more = more.map(|(_, said)| said);
            let hidden = rows - shown;
            let expected = (hidden > 0).then(|| format!("+{hidden} more"));
            assert_eq!(more.map(str::to_owned), expected, "{width}");
        }
    }

    #[test]
    fn a_row_that_is_followed_is_in_sight() {
        let mut view = fixture::file();
        let path = view.path.as_mut().unwrap();
        (path.revision, path.pages) = ((2, 0), vec![4, 10]);
        for width in [366.0, 740.0] {
            let scene = StorageScene::new(&view, StoragePlan::new(width, Font::of(0.6)));
            let followed = |thing: &&Thing| {
                thing.class.starts_with("sto-row") && thing.class.ends_with("is-followed")
            };
            assert_eq!(scene.things.iter().filter(followed).count(), 1, "{width}");
        }
    }

    #[test]
    fn steps_back_are_counted_among_the_keys_shown() {
        let scene = scene(980.0);
        let said = scene
            .back
            .iter()
            .any(|mark| matches!(mark, Mark::Text(_, _, said) if said == "4 of 9 steps"));
        assert!(said, "{:?}", scene.back);
    }
}
