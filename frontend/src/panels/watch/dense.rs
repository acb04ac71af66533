//! The layout for more watchers than can be drawn one by one: the number of watchers in each column of the revision
//! axis, and in each key range.

use watchglass_engine::view::watch::{WatcherBin, WatcherPool};

use super::ruler::{Columns, EDGE};
use super::scene::{WatchLayout, WatchScene, is_swept};
use crate::draw::axis::NAMES_LEFT;
use crate::draw::marks::BASELINE;
use crate::draw::surface::within;
use crate::draw::text::{self, key_name};
use crate::draw::{Rect, Room, Side, pt, svg_path};
use crate::words::watch as words;

/// The approximate width of a column, in pixels.
const COLUMN: f64 = 15.0;
/// The height of the highest column, in pixels.
const HIGHEST: f64 = 84.0;
/// The height of a key range's row, in pixels.
const ROW: f64 = 28.0;
/// The CSS classes of the shades. A shade shows the number of watchers in a cell.
const SHADES: [&str; 4] = [
    "watch-cell s1",
    "watch-cell s2",
    "watch-cell s3",
    "watch-cell s4",
];

/// Returns the number of columns that fit into the drawing area.
pub fn columns(room: Room) -> u32 {
    let columns = Columns::of(room);
    within((columns.plot - columns.names) / COLUMN, 12.0, 64.0) as u32
}

/// Lays out the bands (one for each pool of watchers) and the rows of key ranges, beginning at `y`. Returns the y
/// coordinate below them.
pub fn lay(scene: &mut WatchScene, layout: &WatchLayout, y: f64) -> f64 {
    let y = victims(scene, layout, y);
    let y = unsynced(scene, layout, y);
    let view = layout.view;
    let top = scene.open(layout, WatcherPool::Synced, view.synced, y);
    capsule(scene, layout, view.synced, top + 27.0, 26.0);
    let y = scene.close(layout, top + if view.synced > 0 { 54.0 } else { 0.0 });
    ranges(scene, layout, y)
}

/// Draws the victims as shapes, because there are few; shapes that would overlap become one shape with a number.
fn victims(scene: &mut WatchScene, layout: &WatchLayout, y: f64) -> f64 {
    let view = layout.view;
    let top = scene.open(layout, WatcherPool::Victim, view.victims, y);
    if view.victims == 0 {
        return scene.close(layout, top);
    }
    let middle = top + 28.0;
    let mut met: Vec<(f64, u64)> = Vec::new();
    for bin in view.bins.iter().filter(|bin| bin.victims > 0) {
        let x = middle_of(layout, bin);
        let count = u64::from(bin.victims);
        match met.last_mut() {
            Some((at, sum)) if x - *at < 20.0 => *sum += count,
            _ => met.push((x, count)),
        }
    }
    for (x, count) in met {
        scene.back.shape(WatcherPool::Victim, pt(x, middle), 10.0);
        if count > 1 {
            let said = count.to_string();
            scene.back.label("watch-victims", pt(x, middle), said);
        }
    }
    total(scene, layout, view.victims, middle);
    scene.close(layout, top + 56.0)
}

/// Draws columns of unsynced watchers. Filled: the next sync pass selects them. Hollow: a later sync pass selects
/// them.
fn unsynced(scene: &mut WatchScene, layout: &WatchLayout, y: f64) -> f64 {
    let view = layout.view;
    let top = scene.open(layout, WatcherPool::Unsynced, view.unsynced, y);
    let swept = is_swept(view);
    if view.unsynced == 0 && !swept {
        return scene.close(layout, top);
    }
    scene.bracket(layout, top + 20.0);
    let base = top + 50.0 + HIGHEST;
    let sum = |bin: &WatcherBin| bin.unsynced_now + bin.unsynced_later;
    let most = view.bins.iter().map(sum).max().unwrap_or(0).max(1);
    let high = |count: u32| f64::from(count) * HIGHEST / f64::from(most);
    let (mut hollow, mut filled) = (String::new(), String::new());
    for bin in &view.bins {
        let Some((x, width)) = column(layout, bin) else {
            continue;
        };
        let bar = |height: f64, by: f64| svg_path!(M x + by, base; v by - height; h width - 2.0 * by; v height - by);
        if bin.unsynced_later > 0 {
            hollow.push_str(&bar(high(sum(bin)).max(2.0), 0.6));
        }
        if bin.unsynced_now > 0 {
            filled.push_str(&bar(high(bin.unsynced_now).max(1.0), 0.0));
        }
    }
    scene.back.path("watch-later", hollow);
    scene.back.path("watch-now", filled);
    let (left, right) = (layout.scale.left, layout.columns.plot);
    scene.back.level("watch-base", left, right, base + 0.5);
    if let Some(bin) = view.bins.iter().find(|bin| sum(bin) == most) {
        let at = pt(middle_of(layout, bin), base - HIGHEST - 5.0);
        scene.front.text("watch-most", at, most.to_string());
    }
    total(scene, layout, view.unsynced, base - HIGHEST / 2.0);
    let end = scene.close(layout, base + 14.0);
    if swept {
        scene.swept(layout, y, end);
    }
    end
}

/// Draws one row for each of the largest key ranges; a darker cell contains more watchers.
fn ranges(scene: &mut WatchScene, layout: &WatchLayout, y: f64) -> f64 {
    let (view, room) = (layout.view, layout.room);
    if view.ranges.is_empty() {
        return y;
    }
    let head = match room.is_wide() {
        true => words::BY_KEY_RANGE,
        false => "",
    };
    let at = pt(NAMES_LEFT, y + 17.0);
    scene.front.text("watch-ranges", at, head);
    scene.front.plated(
        "watch-caption",
        pt(layout.columns.plot - 6.0, y + 13.0),
        Side::Left,
        room.font.measure(words::DARKER),
    );
    let mut top = y + 24.0;
    for row in &view.ranges {
        let label_y = if room.is_wide() { top } else { top + 14.0 };
        let middle = label_y + ROW / 2.0;
        let (width, at) = match room.is_wide() {
            true => (layout.columns.names, pt(NAMES_LEFT, middle + BASELINE)),
            false => (room.width, pt(12.0, top + 12.0)),
        };
        let (prefix, last) = key_name(&row.label, room.font.cells(width - 26.0));
        let name = [prefix, last].concat();
        scene.front.text("watch-range-name", at, name);
        let (left, right) = (layout.scale.left, layout.columns.plot);
        scene.back.level("watch-hair", left, right, middle);
        let most = row.unsynced.iter().copied().max().unwrap_or(0).max(1);
        let mut shades = [const { String::new() }; SHADES.len()];
        for (bin, count) in view.bins.iter().zip(&row.unsynced) {
            let Some((x, width)) = column(layout, bin).filter(|_| *count > 0) else {
                continue;
            };
            let shade = (*count as usize * SHADES.len()).div_ceil(most as usize) - 1;
            shades[shade].push_str(&svg_path!(M x, middle - 9.0; h width; v 18.0; h -width; z));
        }
        for (class, d) in SHADES.into_iter().zip(shades) {
            scene.back.path(class, d);
        }
        let mut last_x = f64::MIN;
        for (bin, count) in view.bins.iter().zip(&row.victims) {
            let x = middle_of(layout, bin);
            if *count > 0 && x - last_x > 14.0 {
                scene.back.shape(WatcherPool::Victim, pt(x, middle), 6.0);
                last_x = x;
            }
        }
        capsule(scene, layout, row.synced, middle, 22.0);
        total(scene, layout, row.watchers, middle);
        top = label_y + ROW;
    }
    top + 8.0
}

/// Draws all synced watchers as one shape that contains the number of synced watchers.
fn capsule(scene: &mut WatchScene, layout: &WatchLayout, count: u64, y: f64, height: f64) {
    if count == 0 {
        return;
    }
    let x = layout.scale.x(layout.view.revision + 1);
    let said = text::count(count);
    let left = x - 12.0 - layout.room.font.width(&said);
    let (from, end, half) = (left - 10.0, x + height / 2.0, height / 2.0);
    let body = Rect::between(pt(from, y - half), pt(end, y + half));
    scene.front.rect("watch-pill synced", body, half);
    scene.front.label("watch-name", pt(left, y), said);
    scene.front.shape(WatcherPool::Synced, pt(x, y), half - 6.0);
}

fn total(scene: &mut WatchScene, layout: &WatchLayout, count: u64, y: f64) {
    let said = text::count(count);
    let x = layout.room.width - EDGE;
    scene.front.label("watch-behind", pt(x, y), said);
}

fn column(layout: &WatchLayout, bin: &WatcherBin) -> Option<(f64, f64)> {
    let (from, to) = layout.scale.ends(bin.from, bin.to);
    let from = from.max(layout.scale.left);
    (to > from + 1.0).then_some((from + 0.5, to - from - 1.0))
}

fn middle_of(layout: &WatchLayout, bin: &WatcherBin) -> f64 {
    let (from, to) = layout.scale.ends(bin.from, bin.to);
    f64::midpoint(from, to).max(layout.scale.left + 10.0)
}
