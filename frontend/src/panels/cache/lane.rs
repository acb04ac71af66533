//! A lane shows one API server: the revisions in its cache, the history window in which watches can begin, the watches
//! of clients, and the waiting reads.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{CacheLag, CacheReady, CacheRow, ProgressMark, WaitingRow};
use watchglass_engine::view::watch::WatcherPool;

use super::scene::{
    CACHE_ROW, CacheLayout, CacheScene, CacheSpot, Taken, WATCH_ROW, WATCHES_A_CACHE, margin,
    writes,
};
use crate::draw::marks::{FONT, Mark, Side, extent, path, plated};
use crate::draw::text;
use crate::panels::watch::shape::shape;
use crate::words::cache as words;

/// Half the height of the bar of a cache, in pixels.
const HALF: f64 = 11.0;
/// The vertical space for a waiting read, in pixels.
const TAG: f64 = 23.0;
/// The maximum number of waiting reads that a lane shows; the table contains all waiting reads.
const TAGS_MAX: usize = 3;
/// The maximum number of client watches that a mark names beside it. The title of the mark contains the names of all
/// client watches.
const NAMES_MAX: usize = 3;
/// The height of a lane's name in a narrow drawing area.
const NAME: f64 = 20.0;

/// The vertical position of a lane (the row of one API server).
pub struct LanePlace {
    /// The y coordinate of the middle of the bar.
    pub bar: f64,
    /// The y coordinate of the text about a client that went back in time (received an older revision than before).
    pub words: f64,
    /// The y coordinate of the lower edge of the lane.
    pub end: f64,
}

/// Lays out a lane that begins at `top`.
pub fn lay(
    scene: &mut CacheScene,
    layout: &CacheLayout,
    number: u64,
    cache: &CacheRow,
    top: f64,
) -> LanePlace {
    let moved = layout.view.back_in_time.last();
    let moved_here = moved.is_some_and(|moved| moved.to.0 == cache.server);
    let tags = cache.waiting.len().min(TAGS_MAX);
    let mut y = top + if layout.is_tight { 4.0 } else { 8.0 };
    if !layout.room.is_wide() {
        y += NAME;
    }
    let words = y + 8.0;
    if moved_here {
        y += TAG;
    }
    let above = y;
    y += tags as f64 * TAG;
    if !cache.bookmarks.is_empty() {
        y += 12.0;
    }
    // Beside the bar are three lines of text; without a cache, there is no revision and only two lines.
    let least = match (layout.room.is_wide(), cache.cached) {
        (false, _) => 0.0,
        _ if layout.is_tight => top + 24.0,
        (true, true) => top + 29.0,
        (true, false) => top + 27.0,
    };
    let mut place = LanePlace {
        bar: (y + HALF + if tags > 0 { 0.0 } else { 3.0 }).max(least),
        words,
        end: 0.0,
    };
    let bar = place.bar;
    name(scene, layout, cache, top, bar);
    let usable = cache.cached && cache.ready != CacheReady::Off && cache.revision > 0;
    if !usable {
        let said = words::unusable(cache);
        let x = layout.scale.left + 12.0;
        scene.front.extend(plated(
            "cache-window-text",
            "watch-plate",
            (x, bar),
            Side::Right,
            said,
            layout.room.advance,
        ));
        let line = [
            layout.scale.left + 6.0,
            bar + 14.0,
            layout.scale.right(),
            bar + 14.0,
        ];
        scene.back.push(Mark::Line("cache-thread none", line));
        spot(scene, layout, number, cache, bar);
        let below = if cache.cached { 28.0 } else { 20.0 };
        place.end = watchers(scene, layout, number, cache, bar + below);
        return place;
    }
    body(scene, layout, cache, bar);
    let mut words_row = Taken(Vec::new());
    window(scene, layout, cache, bar, &mut words_row);
    notices(scene, layout, cache, bar, &mut words_row);
    spot(scene, layout, number, cache, bar);
    for (at, waiting) in cache.waiting.iter().take(TAGS_MAX).enumerate() {
        let y = above + at as f64 * TAG + 5.0;
        tag(scene, layout, cache, waiting, y);
    }
    answered(scene, layout, cache, bar);
    let below = if layout.is_tight { 39.0 } else { 44.0 };
    place.end = watchers(scene, layout, number, cache, bar + below);
    place
}

/// The condition of a cache, which decides its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// The server works, and the cache has reached etcd's revision.
    Fresh,
    /// The server works, and only revisions of other resources are newer than the cache.
    Unconfirmed,
    /// The cache is stale, not ready or ahead of etcd, or its server does not work normally.
    Behind,
}

fn condition(view: &CacheView, cache: &CacheRow) -> Condition {
    let works = view.server_state(cache).is_empty();
    if !works || cache.ready != CacheReady::Ready || cache.ahead > 0 {
        return Condition::Behind;
    }
    match cache.lag() {
        CacheLag::None => Condition::Fresh,
        CacheLag::Unconfirmed => Condition::Unconfirmed,
        CacheLag::Stale => Condition::Behind,
    }
}

/// Returns the shape that marks the revision of a cache. A fresh cache has the shape of a synced watcher, a stale cache
/// has the shape of an unsynced watcher.
pub fn pool(view: &CacheView, cache: &CacheRow) -> WatcherPool {
    match condition(view, cache) {
        Condition::Fresh | Condition::Unconfirmed => WatcherPool::Synced,
        Condition::Behind => WatcherPool::Unsynced,
    }
}

/// Draws the name of the server, the cache's revision, and the state of the cache.
fn name(scene: &mut CacheScene, layout: &CacheLayout, cache: &CacheRow, top: f64, bar: f64) {
    let x = margin(layout.room);
    let state = words::brief(layout.view, cache);
    let class = match condition(layout.view, cache) {
        Condition::Fresh => "cache-state",
        Condition::Unconfirmed => "cache-state unconfirmed",
        Condition::Behind => "cache-state behind",
    };
    if layout.room.is_wide() {
        let mut lines = vec![("cache-name", cache.server.clone())];
        if cache.cached {
            lines.push(("cache-revision", words::resource_version(cache.revision)));
        }
        lines.push((class, text::start(&state, 17)));
        for (at, (class, said)) in lines.into_iter().enumerate() {
            let y = bar - 11.0 + 16.0 * at as f64;
            scene.front.push(Mark::Text(class, [x, y], said));
        }
    } else {
        // The line of the head revision may pass behind these texts.
        let mut over = |class, x: f64, said: String| {
            let at = (x, top + 12.8);
            let marks = plated(
                class,
                "watch-plate",
                at,
                Side::Right,
                said,
                layout.room.advance,
            );
            scene.front.extend(marks);
        };
        let said = words::server_at(cache);
        let (_, width) = extent(&said, 0.0, Side::Right, layout.room.advance);
        over("cache-name", x, said);
        over(class, x + width + 14.0, state);
    }
}

/// Draws the revisions in the cache, and the revisions that the cache has not received.
fn body(scene: &mut CacheScene, layout: &CacheLayout, cache: &CacheRow, bar: f64) {
    let scale = layout.scale;
    let on_plot = |x: f64| x.max(scale.left + 6.0);
    let first = cache.window.events.first().copied();
    let from = first.unwrap_or(cache.list_revision).min(cache.revision);
    let (from, to) = (
        on_plot(scale.x(from) - 8.0),
        on_plot(scale.x(cache.revision)),
    );
    let head = scale.x(layout.view.head);
    let class = match condition(layout.view, cache) {
        Condition::Fresh => "cache-bar",
        Condition::Unconfirmed => "cache-bar unconfirmed",
        Condition::Behind => "cache-bar behind",
    };
    scene.back.push(Mark::Line(
        "cache-thread",
        [scale.left + 6.0, bar, from, bar],
    ));
    if cache.revision < layout.view.head {
        let gap = [to, bar - HALF, head - to, 2.0 * HALF, 0.0];
        let class = match cache.lag() {
            CacheLag::Unconfirmed => "cache-gap unconfirmed",
            CacheLag::None | CacheLag::Stale => "cache-gap",
        };
        scene.back.push(Mark::Rect(class, gap));
    }
    // Around a single revision, the bar surrounds the mark of the newest revision.
    let wide = (to - from).max(16.0);
    scene
        .back
        .push(Mark::Rect(class, [from, bar - HALF, wide, 2.0 * HALF, 6.0]));
    let known = &layout.view.revisions;
    let is_delete = |event: i64| {
        let place = known.binary_search_by_key(&event, |mark| mark.revision);
        place.is_ok_and(|place| known[place].deletes)
    };
    let events = cache.window.events.iter().copied();
    let shown = events.filter(|event| *event <= cache.revision && scale.x(*event) >= scale.left);
    let shown = shown.map(|event| (event, is_delete(event)));
    scene.front.extend(writes(scale, bar, shown));
    let pool = pool(layout.view, cache);
    scene.front.extend(shape(pool, to, bar, 7.5));
    if cache.lag() != CacheLag::None {
        let fits =
            |text: &str| extent(text, 0.0, Side::Right, layout.room.advance).1 + 28.0 <= head - to;
        if let Some(said) = words::gap(cache).into_iter().find(|said| fits(said)) {
            let middle = (f64::midpoint(to + 8.0, head), bar);
            let advance = layout.room.advance;
            scene.front.extend(plated(
                "cache-stale",
                "watch-plate",
                middle,
                Side::Middle,
                said,
                advance,
            ));
        }
    }
}

/// Draws the history window: a bracket that begins at the oldest resource version from which a watch can begin.
fn window(
    scene: &mut CacheScene,
    layout: &CacheLayout,
    cache: &CacheRow,
    bar: f64,
    taken: &mut Taken,
) {
    let Some(oldest) = cache.window.oldest else {
        return;
    };
    let scale = layout.scale;
    let newest = cache
        .window
        .events
        .last()
        .copied()
        .unwrap_or(cache.revision);
    let left = scale.x(oldest).max(scale.left + 6.0);
    let right = scale.x(newest.max(oldest)).max(left + 4.0) + 6.0;
    let y = bar + 19.0;
    let d = path(&[
        ("M", &[left, y - 4.0]),
        ("V", &[y]),
        ("H", &[right]),
        ("V", &[y - 4.0]),
    ]);
    scene.front.push(Mark::Path("cache-window", d));
    let width_of = |said: &str| extent(said, 0.0, Side::Right, layout.room.advance).1;
    let long = words::window(&cache.window);
    let said = match width_of(&long) <= layout.room.width - 12.0 {
        true => long,
        false => words::window_from(oldest),
    };
    let width = width_of(&said);
    let most = (layout.room.width - width - 8.0).max(4.0);
    let least = scale.left.max(4.0);
    let x = (f64::midpoint(left, right) - width / 2.0)
        .max(least)
        .min(most);
    taken.take(x - 6.0, x + width + 6.0);
    // The plate (an opaque rectangle behind the text) hides the line of the head revision, which would cross the text.
    let plate = [x - 3.0, bar + 24.5, width + 6.0, 15.0, 3.0];
    scene.front.push(Mark::Rect("watch-plate", plate));
    scene
        .front
        .push(Mark::Text("cache-window-text", [x, bar + 36.0], said));
}

/// Draws progress notifications from etcd below the bar and bookmarks to clients above the bar.
fn notices(
    scene: &mut CacheScene,
    layout: &CacheLayout,
    cache: &CacheRow,
    bar: f64,
    taken: &mut Taken,
) {
    let scale = layout.scale;
    let mut above = Taken(Vec::new());
    let put = |scene: &mut CacheScene, mark: &ProgressMark, up: bool, taken: &mut Taken| {
        let x = scale.x(mark.revision);
        if x < scale.left {
            return;
        }
        let y = if up { bar - 19.0 } else { bar + 19.0 };
        let class = if up {
            "cache-bookmark"
        } else {
            "cache-progress"
        };
        scene.front.push(Mark::Path(class, triangle(x, y, up)));
        let said = match up {
            true => words::bookmark(mark.revision),
            false => words::progress(mark.revision),
        };
        let (_, width) = extent(&said, 0.0, Side::Right, layout.room.advance);
        let most = layout.room.width - width - 4.0;
        let from = match up {
            true if x + 8.0 <= most => x + 8.0,
            true => x - 8.0 - width,
            false => (x - width / 2.0).min(most),
        };
        if from >= scale.left && taken.take(from - 4.0, from + width + 4.0) {
            let y = if up { y + 4.0 } else { bar + 36.0 };
            let plate = [from - 3.0, y - 11.5, width + 6.0, 15.0, 3.0];
            scene.front.push(Mark::Rect("watch-plate", plate));
            scene
                .front
                .push(Mark::Text("cache-notice-text", [from, y], said));
        }
    };
    for mark in newest(&cache.progress) {
        put(scene, mark, false, taken);
    }
    for mark in newest(&cache.bookmarks) {
        put(scene, mark, true, &mut above);
    }
}

/// Returns one mark for each revision, newest first. The number of marks is limited, because too many marks would be
/// indistinguishable.
fn newest(marks: &[ProgressMark]) -> Vec<&ProgressMark> {
    let mut seen: Vec<&ProgressMark> = Vec::new();
    for mark in marks.iter().rev() {
        if seen.len() < 8 && seen.iter().all(|known| known.revision != mark.revision) {
            seen.push(mark);
        }
    }
    seen
}

/// Returns a triangle, which points down for notifications from etcd and up for bookmarks to clients.
pub fn triangle(x: f64, y: f64, up: bool) -> String {
    let by = if up { -1.0 } else { 1.0 };
    path(&[
        ("M", &[x - 4.6, y - 4.0 * by]),
        ("h", &[9.2]),
        ("L", &[x, y + 4.2 * by]),
        ("z", &[]),
    ])
}

/// Makes the bar of a cache selectable.
fn spot(scene: &mut CacheScene, layout: &CacheLayout, number: u64, cache: &CacheRow, bar: f64) {
    let id = CACHE_ROW + number;
    let (left, right) = (layout.scale.left, layout.scale.right());
    let area = |by: f64| {
        let height = 2.0 * (HALF + by);
        [
            left + 2.0 - by,
            bar - HALF - by,
            right - left + 2.0 * by,
            height,
            8.0,
        ]
    };
    let mut marks = vec![Mark::Rect("cache-hit", area(0.0))];
    if layout.marked.active == Some(id) {
        marks.push(Mark::Rect("watch-ring focus", area(1.0)));
    }
    let title = words::cache(layout.view, cache);
    scene.spots.push(CacheSpot { id, title, marks });
}

/// Draws a waiting read: a line to the needed revision on etcd's ruler, a bar from the cache's revision to the needed
/// revision, and a label.
fn tag(
    scene: &mut CacheScene,
    layout: &CacheLayout,
    cache: &CacheRow,
    waiting: &WaitingRow,
    y: f64,
) {
    let scale = layout.scale;
    let here = scale.x(cache.revision).max(scale.left + 6.0);
    let mut marks = Vec::new();
    if let Some(needed) = waiting.needed {
        let x = scale.x(needed);
        let d = path(&[
            ("M", &[x, y + 4.0]),
            ("V", &[layout.etcd + 9.0]),
            ("M", &[x - 3.5, layout.etcd + 14.0]),
            ("l", &[3.5, -5.0]),
            ("l", &[3.5, 5.0]),
        ]);
        scene.back.push(Mark::Path("cache-needs", d));
        let (from, to) = (here.min(x), here.max(x));
        marks.push(Mark::Rect(
            "cache-wait",
            [from, y, (to - from).max(3.0), 8.0, 0.0],
        ));
    }
    let target = waiting.needed.map_or(here, |needed| scale.x(needed));
    let labels = words::waiting_labels(layout.view, waiting);
    let title = labels[0].clone();
    let wide = |said: &str| extent(said, 0.0, Side::Right, layout.room.advance).1 + 14.0;
    let (least, most) = (scale.left.max(4.0), layout.room.width - 4.0);
    // The label is before the bar of the wait, or after the bar, or at another free position.
    let before = |wide: f64| here.min(target) - 8.0 - wide;
    let behind = here.max(target) + 8.0;
    let beside = labels.iter().find_map(|said| {
        let wide = wide(said);
        let left = match before(wide) {
            left if left >= least => left,
            _ if behind + wide <= most => behind,
            _ => return None,
        };
        Some((left, said))
    });
    let (left, said) = beside.unwrap_or_else(|| {
        let [said, _] = &labels;
        let wide = wide(said);
        ((most - wide).min(before(wide).max(least)).max(4.0), said)
    });
    let wide = wide(said);
    let middle = y + 4.0;
    let plate = [left, middle - 9.5, wide, 19.0, 4.0];
    let chosen = layout.marked.selected == Some(waiting.request);
    marks.push(Mark::Rect("cache-tag", plate));
    marks.push(Mark::Text(
        "cache-tag-text",
        [left + 7.0, middle + 4.2],
        said.clone(),
    ));
    if chosen || layout.marked.active == Some(waiting.request) {
        let around = [left - 2.5, middle - 12.0, wide + 5.0, 24.0, 6.0];
        marks.push(Mark::Rect("watch-ring focus", around));
    }
    let id = waiting.request;
    scene.spots.push(CacheSpot { id, title, marks });
}

/// Marks the revision of the response to the selected request.
fn answered(scene: &mut CacheScene, layout: &CacheLayout, cache: &CacheRow, bar: f64) {
    let known = layout.view.selected.as_ref();
    let Some(request) = known.filter(|request| {
        request.server == cache.server && Some(request.id) == layout.marked.selected
    }) else {
        return;
    };
    let Some(revision) = request.revision else {
        return;
    };
    let x = layout.scale.x(revision);
    if x >= layout.scale.left {
        let d = path(&[("M", &[x, bar - 15.0]), ("V", &[bar + 15.0])]);
        scene.front.push(Mark::Path("cache-got", d));
    }
}

/// Draws each client watch at the last revision whose events were all sent to the client. Returns the lower edge of the
/// lane.
fn watchers(
    scene: &mut CacheScene,
    layout: &CacheLayout,
    number: u64,
    cache: &CacheRow,
    y: f64,
) -> f64 {
    if cache.client_watches == 0 {
        return y + 2.0;
    }
    let scale = layout.scale;
    let advance = layout.room.advance * FONT;
    let middle = y + 8.0;
    let mut taken = Taken(Vec::new());
    let mut at: Vec<(i64, Vec<(u64, &str)>)> = Vec::new();
    for (place, watch) in cache.watchers.iter().enumerate() {
        let id = WATCH_ROW + number * WATCHES_A_CACHE + place as u64;
        let revision = watch.revision.min(layout.view.head);
        match at.iter_mut().find(|(known, _)| *known == revision) {
            Some((_, names)) => names.push((id, &watch.client)),
            None => at.push((revision, vec![(id, &watch.client)])),
        }
    }
    at.sort_by_key(|(revision, _)| -*revision);
    let place = |revision: i64| scale.x(revision).max(scale.left + 10.0);
    for (revision, _) in &at {
        let x = place(*revision);
        taken.0.push((x - 6.0, x + 6.0));
    }
    for (revision, names) in &at {
        let x = place(*revision);
        let ids: Vec<u64> = names.iter().map(|(id, _)| *id).collect();
        let count = names.len() as u64;
        let all: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
        let mut marks = vec![Mark::Rect(
            "cache-watch",
            [x - 5.0, middle - 5.0, 10.0, 10.0, 5.0],
        )];
        if layout
            .marked
            .active
            .is_some_and(|active| ids.contains(&active))
        {
            marks.push(Mark::Rect(
                "watch-ring focus",
                [x - 9.0, middle - 9.0, 18.0, 18.0, 9.0],
            ));
        }
        // Tries the side away from the head revision first, and a longer list of names before a shorter list.
        let places = (1..=NAMES_MAX.min(all.len())).rev().flat_map(|count| {
            let said = words::client_names(&all, count);
            let width = text::cells(&said) as f64 * advance;
            [(x - width - 11.0, said.clone()), (x + 11.0, said)]
        });
        for (from, said) in places {
            let to = from + text::cells(&said) as f64 * advance;
            let fits = from >= scale.left + 3.0 && to <= layout.room.width;
            if fits && taken.take(from - 4.0, to + 4.0) {
                let at = [from, middle + 4.2];
                marks.push(Mark::Text("cache-notice-text", at, said));
                break;
            }
        }
        let title = words::watches(count, &all.join(", "), *revision);
        let id = ids.first().copied().unwrap_or_default();
        scene.spots.push(CacheSpot { id, title, marks });
    }
    if layout.room.is_wide() {
        let said = words::client_watches(cache.client_watches);
        let x = margin(layout.room);
        scene
            .front
            .push(Mark::Text("watch-axis", [x, middle + 4.2], said));
    }
    y + if layout.is_tight { 19.0 } else { 22.0 }
}
