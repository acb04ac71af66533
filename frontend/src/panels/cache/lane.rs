//! A lane shows one API server: the revisions in its cache, the history window in which watches can begin, the watches
//! of clients, and the waiting reads.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{CacheLag, CacheReady, CacheRow, ProgressMark, WaitingRow};
use watchglass_engine::view::watch::WatcherPool;

use super::scene::{
    CACHE_ROW, CacheLayout, CacheScene, CacheSpot, POINTABLE, REVISION_ROW, WATCH_ROW,
    WATCHES_A_CACHE, margin, writes,
};
use crate::draw::{Identity, Marks, Placer, Plate, Rect, Side, TextBox, order, pt, svg_path, text};
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
/// The distance from the left end of the axis to the line of a cache.
pub const THREAD_LEFT: f64 = 6.0;
/// The distance from the middle of the bar down to the history window and progress notifications, and up to bookmarks.
/// Then the distance down to the texts about the window and the notifications.
const ASIDE: f64 = 19.0;
const TEXTS_BELOW: f64 = 31.8;
const WAITING: Plate = Plate::new("cache-tag", 7.0, 9.5, 4.0);
/// The space between a mark and its label.
const BESIDE: f64 = 8.0;
/// The space at the sides of a label that no other label in its row occupies.
const CLEAR: f64 = 4.0;

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
    let usable = cache.cached && cache.ready != CacheReady::Off && cache.revision > 0;
    let mut lane = Lane {
        scene,
        layout,
        number,
        cache,
        bar,
        below: Placer::default(),
    };
    lane.name(top);
    if !usable {
        let said = layout.room.font.measure(words::unusable(cache));
        let (left, right) = (layout.scale.left, layout.scale.right());
        let at = pt(left + 12.0, bar);
        let front = &mut lane.scene.front;
        front.plated("cache-window-text", at, Side::Right, said);
        let back = &mut lane.scene.back;
        back.level("cache-thread none", left + THREAD_LEFT, right, bar + 14.0);
        lane.spot();
        let below = if cache.cached { 28.0 } else { 20.0 };
        place.end = lane.watchers(bar + below);
        return place;
    }
    lane.body();
    lane.window();
    lane.notices();
    lane.spot();
    for (at, waiting) in cache.waiting.iter().take(TAGS_MAX).enumerate() {
        lane.tag(waiting, above + at as f64 * TAG + 5.0);
    }
    lane.answered();
    let below = if layout.is_tight { 39.0 } else { 44.0 };
    place.end = lane.watchers(bar + below);
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

struct Lane<'a> {
    scene: &'a mut CacheScene,
    layout: &'a CacheLayout<'a>,
    number: u64,
    cache: &'a CacheRow,
    /// The y coordinate of the middle of the bar.
    bar: f64,
    /// The texts below the bar.
    below: Placer,
}

impl Lane<'_> {
    /// Returns the identity of a part of this lane.
    fn identity(&self, kind: &str) -> Identity {
        Identity::new(kind, &self.cache.server, order::CACHE)
    }

    /// Draws the name of the server, the cache's revision, and the state of the cache.
    fn name(&mut self, top: f64) {
        let (layout, cache) = (self.layout, self.cache);
        let x = margin(layout.room);
        let state = words::brief(layout.view, cache);
        let class = match condition(layout.view, cache) {
            Condition::Fresh => "cache-state",
            Condition::Unconfirmed => "cache-state unconfirmed",
            Condition::Behind => "cache-state behind",
        };
        let texts = self.identity("lane");
        let front = &mut self.scene.front;
        if layout.room.is_wide() {
            let mut lines = vec![("cache-name", cache.server.clone())];
            if cache.cached {
                lines.push(("cache-revision", words::resource_version(cache.revision)));
            }
            lines.push((class, text::start(&state, 17)));
            for (at, (class, said)) in lines.into_iter().enumerate() {
                let identity = Identity::new(&texts.name, &at.to_string(), order::CACHE);
                let at = pt(x, self.bar - 11.0 + 16.0 * at as f64);
                front.part(identity, |marks| marks.text(class, at, said));
            }
        } else {
            // The line of the head revision may pass behind these texts.
            let name = layout.room.font.measure(words::server_at(cache));
            let beside = pt(x + name.width + 14.0, top + 12.8);
            let at = pt(x, beside.y);
            front.plated("cache-name", at, Side::Right, name);
            let state = layout.room.font.measure(state);
            front.part(texts, |marks| {
                marks.plated(class, beside, Side::Right, state)
            });
        }
    }

    /// Draws the revisions in the cache, and the revisions that the cache has not received.
    fn body(&mut self) {
        let (layout, cache, bar) = (self.layout, self.cache, self.bar);
        let scale = layout.scale;
        let left = scale.left + THREAD_LEFT;
        let first = cache.window.events.first().copied();
        let from = first.unwrap_or(cache.list_revision).min(cache.revision);
        let from = (scale.x(from) - 8.0).max(left);
        let to = scale.x(cache.revision).max(left);
        let head = scale.x(layout.view.head);
        let class = match condition(layout.view, cache) {
            Condition::Fresh => "cache-bar",
            Condition::Unconfirmed => "cache-bar unconfirmed",
            Condition::Behind => "cache-bar behind",
        };
        let [thread, gap, shown_bar, shape, stale, together] =
            ["thread", "gap", "bar", "cache", "stale", "events"].map(|kind| self.identity(kind));
        let (back, front) = (&mut self.scene.back, &mut self.scene.front);
        back.part(thread, |marks| marks.level("cache-thread", left, from, bar));
        let body = |from: f64, wide: f64| Rect::new(from, bar - HALF, wide, 2.0 * HALF);
        if cache.revision < layout.view.head {
            let class = match cache.lag() {
                CacheLag::Unconfirmed => "cache-gap unconfirmed",
                CacheLag::None | CacheLag::Stale => "cache-gap",
            };
            back.part(gap.grows(), |marks| {
                marks.rect(class, body(to, head - to), 0.0)
            });
        }
        // Around a single revision, the bar surrounds the mark of the newest revision.
        let wide = (to - from).max(16.0);
        back.part(shown_bar.grows(), |marks| {
            marks.rect(class, body(from, wide), 6.0)
        });
        let known = &layout.view.revisions;
        let is_delete = |event: i64| {
            let place = known.binary_search_by_key(&event, |mark| mark.revision);
            place.is_ok_and(|place| known[place].deletes)
        };
        let events = cache.window.events.iter().copied();
        let shown =
            events.filter(|event| *event <= cache.revision && scale.x(*event) >= scale.left);
        let shown = shown.map(|event| (event, is_delete(event)));
        if scale.pitch < POINTABLE {
            front.part(together, |marks| marks.extend(writes(scale, bar, shown)));
        } else {
            // An event comes from the write in etcd's row.
            for event in shown {
                let id = format!("{}/{}", cache.server, event.0);
                let write = format!("spot:{}", REVISION_ROW + event.0.unsigned_abs());
                let identity = Identity::new("event", &id, order::CACHE).from(write);
                front.part(identity, |marks| marks.extend(writes(scale, bar, [event])));
            }
        }
        front.part(shape, |marks| {
            marks.shape(pool(layout.view, cache), pt(to, bar), 7.5);
        });
        if cache.lag() != CacheLag::None {
            let mut texts = words::gap(cache)
                .into_iter()
                .map(|said| layout.room.font.measure(said));
            if let Some(said) = texts.find(|said| said.width + 28.0 <= head - to) {
                let middle = pt(f64::midpoint(to + BESIDE, head), bar);
                front.part(stale, |marks| {
                    marks.plated("cache-stale", middle, Side::Middle, said);
                });
            }
        }
    }

    /// Draws the history window: a bracket that begins at the oldest resource version from which a watch can begin.
    fn window(&mut self) {
        let (layout, cache) = (self.layout, self.cache);
        let (scale, room) = (layout.scale, layout.room);
        let Some(oldest) = cache.window.oldest else {
            return;
        };
        let newest = cache
            .window
            .events
            .last()
            .copied()
            .unwrap_or(cache.revision);
        let left = scale.x(oldest).max(scale.left + THREAD_LEFT);
        let right = scale.x(newest.max(oldest)).max(left + 4.0) + 6.0;
        let y = self.bar + ASIDE;
        let d = svg_path!(M left, y - 4.0; V y; H right; V y - 4.0);
        let [window, text] = ["window", "window-text"].map(|kind| self.identity(kind));
        self.scene
            .front
            .part(window, |marks| marks.path("cache-window", d));
        let mut said = room.font.measure(words::window(&cache.window));
        if said.width > room.width - 12.0 {
            said = room.font.measure(words::window_from(oldest));
        }
        let most = (room.width - said.width - 8.0).max(4.0);
        let middle = said.left(f64::midpoint(left, right), Side::Middle);
        let x = middle.max(scale.left.max(4.0)).min(most);
        self.below.take_span(x - 6.0, x + said.width + 6.0);
        // The plate hides the line of the head revision, which would cross the text.
        let at = pt(x, self.bar + TEXTS_BELOW);
        let front = &mut self.scene.front;
        front.part(text, |marks| {
            marks.plated("cache-window-text", at, Side::Right, said);
        });
    }

    /// Draws progress notifications from etcd below the bar and bookmarks to clients above the bar.
    fn notices(&mut self) {
        let mut below = std::mem::take(&mut self.below);
        for mark in newest(&self.cache.progress) {
            self.notice(mark, false, &mut below);
        }
        let mut above = Placer::default();
        for mark in newest(&self.cache.bookmarks) {
            self.notice(mark, true, &mut above);
        }
    }

    fn notice(&mut self, mark: &ProgressMark, up: bool, row: &mut Placer) {
        let (scale, room) = (self.layout.scale, self.layout.room);
        let x = scale.x(mark.revision);
        if x < scale.left {
            return;
        }
        let (class, said, y, text_y) = match up {
            true => {
                let y = self.bar - ASIDE;
                ("cache-bookmark", words::bookmark(mark.revision), y, y)
            }
            false => {
                let (y, text_y) = (self.bar + ASIDE, self.bar + TEXTS_BELOW);
                ("cache-progress", words::progress(mark.revision), y, text_y)
            }
        };
        let id = format!("{}/{}", self.cache.server, mark.revision);
        let identity = Identity::new(class, &id, order::CACHE).pops();
        let front = &mut self.scene.front;
        front.part(identity, |marks| marks.path(class, triangle(x, y, up)));
        let said = room.font.measure(said);
        let most = room.width - said.width - 4.0;
        let from = match up {
            true if x + BESIDE <= most => x + BESIDE,
            true => x - BESIDE - said.width,
            false => said.left(x, Side::Middle).min(most),
        };
        if from >= scale.left && row.take_span(from - CLEAR, from + said.width + CLEAR) {
            let at = pt(from, text_y);
            let text = Identity::new("notice-text", &format!("{class}/{id}"), order::CACHE);
            front.part(text, |marks| {
                marks.plated("cache-notice-text", at, Side::Right, said);
            });
        }
    }

    fn spot(&mut self) {
        let layout = self.layout;
        let id = CACHE_ROW + self.number;
        let (left, right) = (layout.scale.left, layout.scale.right());
        let area = Rect::new(left + 2.0, self.bar - HALF, right - left, 2.0 * HALF);
        let mut marks = Marks::default();
        marks.rect("cache-hit", area, 8.0);
        if layout.marked.active == Some(id) {
            marks.rect("watch-ring focus", area.grown(1.0, 1.0), 8.0);
        }
        let title = words::cache(layout.view, self.cache);
        self.scene.spots.push(CacheSpot { id, title, marks });
    }

    /// Draws a waiting read: a line to the needed revision on etcd's ruler, a bar from the cache's revision to the
    /// needed revision, and a label.
    fn tag(&mut self, waiting: &WaitingRow, y: f64) {
        let (layout, scale) = (self.layout, self.layout.scale);
        let here = scale.x(self.cache.revision).max(scale.left + THREAD_LEFT);
        let middle = y + 4.0;
        let mut marks = Marks::default();
        if let Some(needed) = waiting.needed {
            let (x, tip) = (scale.x(needed), layout.etcd + 9.0);
            let d = svg_path!(M x, middle; V tip; M x - 3.5, tip + 5.0; l 3.5, -5.0; l 3.5, 5.0);
            let needs = Identity::of("needs", waiting.request, order::CLIENT);
            self.scene
                .back
                .part(needs, |marks| marks.path("cache-needs", d));
            let (from, to) = (here.min(x), here.max(x));
            let bar = Rect::new(from, y, (to - from).max(3.0), 8.0);
            marks.rect("cache-wait", bar, 0.0);
        }
        let target = waiting.needed.map_or(here, |needed| scale.x(needed));
        let labels = words::waiting_labels(layout.view, waiting);
        let title = labels[0].clone();
        let labels = labels.map(|said| layout.room.font.measure(said));
        let wide = |said: &TextBox| said.width + 2.0 * WAITING.beside;
        let (least, most) = (scale.left.max(4.0), layout.room.width - 4.0);
        // The label is before the bar of the wait, or after the bar, or at another free position.
        let before = |wide: f64| here.min(target) - BESIDE - wide;
        let behind = here.max(target) + BESIDE;
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
        let start = pt(left + WAITING.beside, middle);
        let plate = WAITING.area(start, said);
        let id = waiting.request;
        marks.badge(&WAITING, "cache-tag-text", start, said.clone());
        if [layout.marked.selected, layout.marked.active].contains(&Some(id)) {
            marks.rect("watch-ring focus", plate.grown(2.5, 2.5), 6.0);
        }
        self.scene.spots.push(CacheSpot { id, title, marks });
    }

    /// Marks the revision of the response to the selected request.
    fn answered(&mut self) {
        let (layout, bar) = (self.layout, self.bar);
        let known = layout.view.selected.as_ref().filter(|request| {
            request.server == self.cache.server && Some(request.id) == layout.marked.selected
        });
        let x = known.and_then(|request| Some(layout.scale.x(request.revision?)));
        if let Some(x) = x.filter(|x| *x >= layout.scale.left) {
            let d = svg_path!(M x, bar - 15.0; V bar + 15.0);
            self.scene.front.path("cache-got", d);
        }
    }

    /// Draws each client watch at the last revision whose events were all sent to the client. Returns the lower edge of
    /// the lane.
    fn watchers(&mut self, y: f64) -> f64 {
        let (layout, cache) = (self.layout, self.cache);
        if cache.client_watches == 0 {
            return y + 2.0;
        }
        let (scale, room) = (layout.scale, layout.room);
        let middle = y + 8.0;
        let mut row = Placer::default();
        let mut at: Vec<(i64, Vec<(u64, &str)>)> = Vec::new();
        for (place, watch) in cache.watchers.iter().enumerate() {
            let id = WATCH_ROW + self.number * WATCHES_A_CACHE + place as u64;
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
            row.areas.push(Rect::new(x - 6.0, 0.0, 12.0, 1.0));
        }
        for (revision, names) in &at {
            let at = pt(place(*revision), middle);
            let all: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
            let mut marks = Marks::default();
            marks.circle("cache-watch", at, 5.0);
            let is_active = |(id, _): &(u64, &str)| layout.marked.active == Some(*id);
            if names.iter().any(is_active) {
                marks.circle("watch-ring focus", at, 9.0);
            }
            // Tries the side away from the head revision first, and a longer list of names before a shorter list.
            let places = (1..=NAMES_MAX.min(all.len())).rev().flat_map(|count| {
                let said = room.font.measure(words::client_names(&all, count));
                [
                    (at.x - said.width - 11.0, said.clone()),
                    (at.x + 11.0, said),
                ]
            });
            for (from, said) in places {
                let to = from + said.width;
                let fits = from >= scale.left + 3.0 && to <= room.width;
                if fits && row.take_span(from - CLEAR, to + CLEAR) {
                    marks.label("cache-notice-text", pt(from, middle), said.text);
                    break;
                }
            }
            let title = words::watches(names.len() as u64, &all.join(", "), *revision);
            let id = names.first().map_or(0, |(id, _)| *id);
            self.scene.spots.push(CacheSpot { id, title, marks });
        }
        if room.is_wide() {
            let said = words::client_watches(cache.client_watches);
            let at = pt(margin(room), middle);
            self.scene.front.label("watch-axis", at, said);
        }
        y + if layout.is_tight { 19.0 } else { 22.0 }
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
    svg_path!(M x - 4.6, y - 4.0 * by; h 9.2; L x, y + 4.2 * by; z)
}
