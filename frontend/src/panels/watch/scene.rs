//! The layout of the Watch view. Each pool of watchers has a band (a horizontal area); all bands share one revision
//! axis. Each watcher is a pill, whose shape is at the next revision that the watcher accepts.
//!
//! The layout is a pure function of the view and the size of the drawing area. In a band, watchers are in the order of
//! their creation. A watcher that catches up moves to the right and into another band.

use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::{WatcherPool, WatcherView};

use super::dense;
use super::fence::Fence;
use super::pill::{Pill, pill};
use super::ruler::{self, Columns, FLAGS};
use crate::draw::axis::RULER;
use crate::draw::enlarge::Enlargement;
use crate::draw::text::grouped;
use crate::draw::{Identity, Marked, Marks, Rect, RevScale, Room, Side, order, pt, svg_path};
use crate::words::watch as words;

/// All marks (lines, shapes and texts) of the Watch view.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchScene {
    pub width: f64,
    pub height: f64,
    /// Whether the bands are lower than usual.
    pub is_tight: bool,
    /// The bands of the pools, from top to bottom.
    pub bands: Vec<PoolBand>,
    pub ruler: Marks,
    /// The lines, shapes and texts that are drawn behind the watchers.
    pub back: Marks,
    /// The watchers, ordered by number.
    pub pills: Vec<Pill>,
    /// The lines, shapes and texts that are drawn in front of the watchers.
    pub front: Marks,
    /// The rectangle around the revisions that the current sync pass has read.
    pub sync_pass: Option<Rect>,
}

/// The band of a pool: the horizontal area that contains the watchers of the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolBand {
    pub pool: WatcherPool,
    /// The upper edge.
    pub y: f64,
    pub height: f64,
    pub count: u64,
}

/// The height of a pool's name above its watchers.
pub const HEAD: f64 = 30.0;
/// The height of the bracket around the revisions of a sync pass.
const BRACKET: f64 = 28.0;
/// The maximum number of synced watchers that get a row of their own, even if the drawing must then be scrolled.
const SYNCED_ROWS: usize = 4;
/// Half the height of the bar of a lag, and of the bar of a batch.
const LAG: f64 = 6.0;
const BATCH: f64 = 4.5;
/// The space between a bar and its label, and around the label of a batch.
const BESIDE: f64 = 8.0;
const AROUND: f64 = 10.0;
/// The distance between two pills that share a row.
const PILLS_APART: f64 = 8.0;
/// The minimum heights of the band of unsynced watchers and of the other bands, if the texts beside the band need room.
const BAND_MIN: (f64, f64) = (124.0, 58.0);
/// The height below the bands for the cards of the streams.
const STREAMS: f64 = 150.0;

/// The pools from top to bottom; a watcher that falls behind moves up.
const POOLS: [WatcherPool; 4] = [
    WatcherPool::Victim,
    WatcherPool::Unsynced,
    WatcherPool::Synced,
    WatcherPool::Compacted,
];

/// The vertical distances in the bands, in pixels.
struct Spacing {
    /// The height of the band of a pool without watchers.
    empty: f64,
    /// The height of a pill (the mark of one watcher) with its margins.
    pill: f64,
    /// The height of a pill with the batches of the watcher below it.
    batch: f64,
    /// The distance from the middle of a pill to the middle of its batches.
    to_batch: f64,
    /// The space above the first and below the last row of a band.
    pad: f64,
    /// The number of pixels by which a band with watchers can be lower, because the texts beside it need less room.
    saved: f64,
}

impl Spacing {
    const USUAL: Spacing = Spacing {
        empty: 38.0,
        pill: 31.0,
        batch: 54.0,
        to_batch: 25.0,
        pad: 6.0,
        saved: 0.0,
    };
    const TIGHT: Spacing = Spacing {
        empty: 30.0,
        pill: 29.0,
        batch: 46.0,
        to_batch: 22.0,
        pad: 4.0,
        saved: 8.0,
    };
}

/// The data that all parts of the Watch view's layout use.
pub struct WatchLayout<'a> {
    pub view: &'a WatchView,
    pub room: Room,
    pub columns: Columns,
    pub scale: RevScale,
    spacing: &'static Spacing,
}

/// Returns the maximum height of the drawing: its height if every watcher is behind, because a watcher that is behind
/// needs a higher row. The distances depend on this height, so they do not change while watchers fall behind and catch
/// up.
fn height_at_most(view: &WatchView) -> f64 {
    let Spacing { empty, batch, .. } = Spacing::USUAL;
    RULER + 3.0 * empty + view.watchers.len() as f64 * batch + BRACKET + FLAGS
}

/// Returns the factor by which the drawing, and the cards below the drawing, are enlarged.
pub fn enlargement(view: &WatchView, room: Room) -> Enlargement {
    if view.is_dense() || !view.away.is_empty() {
        return Enlargement::NONE;
    }
    let height = height_at_most(view) + STREAMS;
    Enlargement::of(height, (room.width, room.height))
}

impl WatchScene {
    /// Computes the positions of all marks of the Watch view. If the height may not be enough, the bands are lower.
    pub fn new(view: &WatchView, room: Room, fence: Option<&Fence>, marked: Marked) -> WatchScene {
        let is_tight = room.is_wide() && !view.is_dense() && height_at_most(view) > room.height;
        let spacing = match is_tight {
            true => &Spacing::TIGHT,
            false => &Spacing::USUAL,
        };
        let columns = Columns::of(room);
        let scale = ruler::scale(view, columns);
        let layout = WatchLayout {
            view,
            room,
            columns,
            scale,
            spacing,
        };
        let mut scene = WatchScene {
            width: room.width,
            height: 0.0,
            is_tight,
            bands: Vec::new(),
            ruler: ruler::numbers(view, room, scale, view.is_dense()),
            back: Marks::default(),
            pills: Vec::new(),
            front: Marks::default(),
            sync_pass: None,
        };
        let mut y = RULER;
        if view.is_dense() {
            y = dense::lay(&mut scene, &layout, y);
        } else {
            for pool in POOLS {
                let of_pool: Vec<&WatcherView> = view
                    .watchers
                    .iter()
                    .filter(|watcher| watcher.pool == pool)
                    .collect();
                if pool == WatcherPool::Compacted && of_pool.is_empty() {
                    continue;
                }
                y = scene.band(&layout, pool, &of_pool, y, marked);
            }
        }
        let ground = ruler::ground(view, scale, y, fence);
        scene.back.splice(0..0, ground.0);
        let flags = ruler::flags(view, room, scale, fence, y);
        let foot = if flags.is_empty() { spacing.pad } else { FLAGS };
        scene.front.extend(flags.0);
        scene.height = y + foot;
        // The elements are looked up by number, so the order must not depend on the pool.
        scene.pills.sort_unstable_by_key(|pill| pill.id);
        scene
    }

    /// Begins a band with a pool's name; returns the y coordinate of the first row.
    pub fn open(&mut self, layout: &WatchLayout, pool: WatcherPool, count: u64, y: f64) -> f64 {
        self.bands.push(PoolBand {
            pool,
            y,
            height: 0.0,
            count,
        });
        if layout.room.is_wide() { y } else { y + HEAD }
    }

    /// Ends the current band at `bottom` or at its minimum height; returns the y coordinate of the next band.
    pub fn close(&mut self, layout: &WatchLayout, bottom: f64) -> f64 {
        let width = self.width;
        let Some(band) = self.bands.last_mut() else {
            return bottom;
        };
        let spacing = layout.spacing;
        let least = match (layout.room.is_wide(), band.count > 0, band.pool) {
            (true, true, WatcherPool::Unsynced) => BAND_MIN.0 - spacing.saved,
            (true, true, _) => BAND_MIN.1 - spacing.saved,
            (true, false, _) => spacing.empty,
            (false, true, _) => 0.0,
            (false, false, _) => HEAD,
        };
        band.height = (bottom - band.y).max(least);
        let end = band.y + band.height;
        let line = Identity::new("band", words::pool(band.pool), order::AXIS);
        self.back.part(line, |marks| {
            marks.level("watch-hair", 0.0, width, end - 0.5);
        });
        end
    }

    fn band(
        &mut self,
        layout: &WatchLayout,
        pool: WatcherPool,
        watchers: &[&WatcherView],
        y: f64,
        marked: Marked,
    ) -> f64 {
        let mut top = self.open(layout, pool, watchers.len() as u64, y);
        let swept = pool == WatcherPool::Unsynced && is_swept(layout.view);
        if watchers.is_empty() && !swept {
            return self.close(layout, top);
        }
        let spacing = layout.spacing;
        top += spacing.pad;
        if pool == WatcherPool::Unsynced && self.bracket(layout, top + 14.0) {
            top += BRACKET;
        }
        let bottom = if pool == WatcherPool::Synced {
            self.synced(layout, watchers, top, marked)
        } else {
            for watcher in watchers {
                let middle = top + spacing.pill / 2.0;
                self.lag(layout, watcher, middle);
                self.behind(layout, watcher, middle);
                let made = pill(layout, watcher, scale_x(layout, watcher), middle, marked);
                self.received(layout, watcher, &made);
                self.pills.push(made);
                let batches = self.batches(layout, watcher, middle + spacing.to_batch);
                top += if batches { spacing.batch } else { spacing.pill };
            }
            top
        };
        let end = self.close(layout, bottom + spacing.pad);
        if swept {
            self.swept(layout, y, end);
        }
        end
    }

    /// Marks the revisions that the current sync pass has read, as a rectangle in the band.
    pub fn swept(&mut self, layout: &WatchLayout, y: f64, end: f64) {
        if let Some(last) = &layout.view.last_sync {
            let (from, to) = layout.scale.ends(last.from, last.to);
            let from = from.max(layout.scale.left);
            self.sync_pass = Some(Rect::between(pt(from, y), pt(to, end)));
        }
    }

    /// Draws the synced watchers, which are all at the same revision. If there are only a few watchers, each watcher
    /// has a row. Otherwise, the watchers stand one after another in shared rows that end at this revision.
    fn synced(
        &mut self,
        layout: &WatchLayout,
        watchers: &[&WatcherView],
        mut top: f64,
        marked: Marked,
    ) -> f64 {
        let least = layout.scale.left + 8.0;
        let row = layout.spacing.pill;
        let rows = (layout.room.height - STREAMS - FLAGS - top) / row;
        let packed = watchers.len() > SYNCED_ROWS.max(rows.max(0.0) as usize);
        let mut free = None::<f64>;
        for watcher in watchers {
            let at = scale_x(layout, watcher);
            let middle = |top: f64| top + row / 2.0;
            let mut made = pill(layout, watcher, at, middle(top), marked);
            match free.filter(|_| packed) {
                Some(right) if right - PILLS_APART - made.width >= least => {
                    // Move the pill so that its right edge leaves a gap to the previous pill.
                    made.x += right - PILLS_APART - (made.x + made.left + made.width);
                }
                Some(_) => {
                    top += row;
                    made.y = middle(top);
                }
                None => {}
            }
            let edge = made.x + made.left;
            if packed && made.x < at - 1.0 {
                let end = edge + made.width;
                self.back.level("watch-thread", end, end + 10.0, made.y);
            }
            free = Some(edge);
            if !packed {
                self.behind(layout, watcher, made.y);
                self.received(layout, watcher, &made);
                top += row;
            }
            self.pills.push(made);
        }
        if packed { top + row } else { top }
    }

    /// Draws the lag of a watcher as a bar.
    fn lag(&mut self, layout: &WatchLayout, watcher: &WatcherView, y: f64) {
        let from = (scale_x(layout, watcher) + 12.0).max(layout.scale.left);
        let to = layout.scale.x_at(layout.view.revision as f64 + 0.5);
        if watcher.behind > 0 && to > from {
            let class = match watcher.pool {
                WatcherPool::Victim => "watch-lag victim",
                WatcherPool::Unsynced | WatcherPool::Synced => "watch-lag",
                WatcherPool::Compacted => return,
            };
            let area = Rect::between(pt(from, y - LAG), pt(to, y + LAG));
            let lag = Identity::of("lag", watcher.id, order::WATCHER).grows();
            self.back.part(lag, |marks| marks.rect(class, area, 0.0));
        }
    }

    /// Draws the revision that the client of a watcher has received, if the client misses events. If the client misses
    /// no events, the revision is drawn only if the client requested progress notifications and the revision is older
    /// than the store's revision.
    fn received(&mut self, layout: &WatchLayout, watcher: &WatcherView, pill: &Pill) {
        let Some(client) = watcher.client else {
            return;
        };
        let is_shown =
            client.missing > 0 || client.has_progress && client.revision < layout.view.revision;
        let x = layout.scale.x(client.revision).max(layout.scale.left + 8.0);
        let edge = pill.x + pill.left;
        if !is_shown || x > edge - 10.0 {
            return;
        }
        let y = pill.y;
        let of_client = |kind: &str| Identity::of(kind, watcher.id, order::RECEIVER);
        self.back.part(of_client("client-line"), |marks| {
            marks.level("watch-client-line", x, edge, y);
        });
        let tip = svg_path!(M x - 4.0, y - 6.0; L x + 4.0, y, x - 4.0, y + 6.0; Z);
        self.front
            .part(of_client("client"), |marks| marks.path("watch-client", tip));
        let room = edge - x - 20.0;
        let [long, short] = words::received(client);
        let said = match layout.columns.missing {
            // The column contains the number of missing events.
            Some(_) => [words::received_up_to(client), short],
            None => [long, short],
        };
        let width = |said: &String| layout.room.font.width(said);
        if let Some(said) = said.into_iter().find(|said| width(said) <= room) {
            let said = layout.room.font.measure(said);
            self.front.part(of_client("client-text"), |marks| {
                marks.plated("watch-client-text", pt(x + 10.0, y), Side::Right, said);
            });
        }
    }

    /// Draws the lag of a watcher in etcd and the number of events that its client misses, at the right edge.
    fn behind(&mut self, layout: &WatchLayout, watcher: &WatcherView, y: f64) {
        let mut number = |kind: &str, x: f64, is_behind: bool, text: String| {
            let class = match is_behind {
                true => "watch-behind",
                false => "watch-behind none",
            };
            let identity = Identity::of(kind, watcher.id, order::WATCHER);
            self.front
                .part(identity, |marks| marks.label(class, pt(x, y), text));
        };
        let behind = watcher.behind.max(0);
        number("behind", layout.columns.behind, behind > 0, grouped(behind));
        if let (Some(x), Some(client)) = (layout.columns.missing, watcher.client) {
            number("missing", x, client.missing > 0, words::missing(client));
        }
    }

    /// Draws a bracket around the revisions that the next sync pass reads, or that the current sync pass has read.
    pub fn bracket(&mut self, layout: &WatchLayout, y: f64) -> bool {
        let view = layout.view;
        let (from, to, [long, short]) = match (&view.last_sync, &view.next_sync) {
            (Some(last), _) if last.now => {
                let labels = words::this_pass_read(last.from, last.to, last.took_us);
                (last.from, last.to, labels)
            }
            (_, Some(next)) => {
                let labels = words::next_pass_reads(next.from, next.to);
                (next.from, next.to, labels)
            }
            _ => return false,
        };
        // If compaction has removed the missing revisions, there is nothing to read.
        if from > to {
            return false;
        }
        let (x1, x2) = layout.scale.ends(from, to);
        let x1 = x1.max(layout.scale.left + 4.0);
        let bracket = svg_path!(M x1, y + 6.0; v -6.0; H x2; v 6.0);
        self.back
            .part(Identity::new("pass", "bracket", order::STORE), |marks| {
                marks.path("watch-bracket", bracket);
            });
        let (left, right) = (layout.scale.left + 6.0, layout.room.width - 6.0);
        let wide = |said: &str| layout.room.font.width(said);
        // Part of the bracket must be visible on both sides of its label.
        let said = match wide(&long) + 40.0 > x2 - x1 {
            true => short,
            false => long,
        };
        let width = wide(&said);
        let half = width / 2.0 + 4.0;
        let middle = f64::midpoint(x1, x2).min(right - half).max(left + half);
        let said = layout.room.font.measure(said);
        self.front
            .part(Identity::new("pass", "text", order::STORE), |marks| {
                marks.plated("watch-bracket-text", pt(middle, y), Side::Middle, said);
            });
        true
    }

    /// Draws the batches of a watcher: the batch that was sent, the batch for the next sync pass, and the batch that a
    /// victim holds.
    fn batches(&mut self, layout: &WatchLayout, watcher: &WatcherView, y: f64) -> bool {
        let scale = layout.scale;
        let left = scale.left + 4.0;
        let mut edges: Option<(f64, f64)> = None;
        let mut grow = |from: f64, to: f64| {
            let (a, b) = edges.unwrap_or((from, to));
            edges = Some((a.min(from), b.max(to)));
        };
        let bar = |from: f64, to: f64| Rect::between(pt(from, y - BATCH), pt(to, y + BATCH));
        // The next batch stays the same part when a sync pass sends it.
        let batch = |from: i64| {
            let id = format!("{}/{from}", watcher.id);
            Identity::new("batch", &id, order::WATCHER).grows()
        };
        let mut said = Vec::new();
        if let Some(kept) = watcher.kept {
            let x = scale.x(kept).max(left + 5.0);
            let area = Rect::around(pt(x, y), 5.0, 5.0);
            let held = Identity::of("held", watcher.id, order::WATCHER);
            self.back.part(held.from("head:line".to_owned()), |marks| {
                marks.rect("watch-kept", area, 2.5);
            });
            grow(area.x, area.right());
            said.push(words::holds(kept));
        }
        if watcher.pool != WatcherPool::Unsynced && said.is_empty() {
            return false;
        }
        if let Some((from, to)) = watcher.sent.filter(|_| watcher.kept.is_none()) {
            let (x1, x2) = scale.ends(from, to);
            if x2 > left {
                let x1 = x1.max(left);
                let area = bar(x1, x2);
                self.back
                    .part(batch(from), |marks| marks.rect("watch-sent", area, 2.0));
                grow(x1, x2);
            }
            said.push(words::sent(from, to));
        }
        if let Some((from, to)) = watcher.next_batch {
            let (x1, x2) = scale.ends(from, to);
            let (x1, x2) = (x1.max(left), x2.max(left + 8.0));
            let area = bar(x1, x2).grown(-0.6, 0.0);
            self.back.part(batch(from), |marks| {
                marks.rect("watch-next", area, 2.0);
                if area.width > 14.0 {
                    let d = svg_path!(M x2 - 8.0, y - 2.6; l 3.4, 2.6, -3.4, 2.6);
                    marks.path("watch-next-tip", d);
                }
            });
            grow(x1, x2);
            said.push(words::next_batch(layout.view.revision, watcher, from, to));
        }
        let Some((x1, x2)) = edges else {
            return !said.is_empty();
        };
        self.captions(layout, watcher.id, said, (x1, x2), y);
        true
    }

    /// Draws the labels beside the bars of a row, but not below the numbers at the right edge. If there are two labels
    /// and both fit, the first label is on the left of the bars and the last label is on the right. Otherwise, one text
    /// with all labels is on the wider side; if this text does not fit, only the last label is there. If the wider side
    /// has no room even for the last label, the text is over the bars.
    fn captions(
        &mut self,
        layout: &WatchLayout,
        id: u64,
        said: Vec<String>,
        bars: (f64, f64),
        y: f64,
    ) {
        let font = layout.room.font;
        let left = bars.0 - AROUND - layout.scale.left;
        let right = layout.scale.right() - bars.1 - AROUND;
        let width = |text: &str| font.width(text) + 4.0;
        let mut put = |text: String, side: Side| {
            let x = match side {
                Side::Left => bars.0 - BESIDE,
                Side::Middle => f64::midpoint(bars.0, bars.1),
                Side::Right => bars.1 + BESIDE,
            };
            let kind = match side {
                Side::Left => "caption-left",
                Side::Middle | Side::Right => "caption",
            };
            self.front
                .part(Identity::of(kind, id, order::WATCHER), |marks| {
                    marks.plated("watch-caption", pt(x, y), side, font.measure(text));
                });
        };
        if let [first, last] = said.as_slice()
            && width(first) <= left
            && width(last) <= right
        {
            put(first.clone(), Side::Left);
            put(last.clone(), Side::Right);
            return;
        }
        // If not all labels fit, draw only the last, which describes the next batch.
        let shorter = said.last().cloned().unwrap_or_default();
        let texts = [said.join(" · "), shorter];
        let side = match right >= left {
            true => Side::Right,
            false => Side::Left,
        };
        let fits = |room: f64| texts.iter().find(|text| width(text) <= room);
        if let Some(text) = fits(right.max(left)) {
            put(text.clone(), side);
        } else if let Some(text) = fits(bars.1 - bars.0 - 24.0) {
            put(text.clone(), Side::Middle);
        }
    }
}

/// Returns true if the current step is a sync pass.
pub fn is_swept(view: &WatchView) -> bool {
    view.last_sync.as_ref().is_some_and(|last| last.now)
}

/// A watcher that waits for a revision in the far future is drawn at the next revision.
fn scale_x(layout: &WatchLayout, watcher: &WatcherView) -> f64 {
    let next = watcher.next.min(layout.view.revision + 1);
    layout.scale.x(next).max(layout.scale.left + 12.0)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn scene(view: &WatchView, width: f64) -> WatchScene {
        let room = Room::new(width, 420.0, 0.602);
        WatchScene::new(view, room, None, Marked::default())
    }

    #[test]
    fn shapes_stand_at_the_next_revision_whatever_the_width() {
        for width in [390.0, 760.0, 936.0] {
            let view = fixture::few();
            let scene = scene(&view, width);
            let x = |name: &str| {
                let id = view.watchers.iter().find(|w| w.name == name).map(|w| w.id);
                scene.pills.iter().find(|p| Some(p.id) == id).map(|p| p.x)
            };
            assert!(x("D0") < x("C0"), "{width}");
            assert!(x("C0") < x("B0") && x("B0") < x("D1") && x("D1") < x("A0"));
            assert_eq!(x("A0"), x("C1"), "all synced ones stand at one place");
            for pill in &scene.pills {
                let (from, to) = (pill.x + pill.left, pill.x + pill.left + pill.width);
                assert!(from >= -1.0 && to <= width, "{width}: {from} to {to}");
            }
        }
    }

    #[test]
    fn bands_follow_each_other_and_hold_their_watchers() {
        let view = fixture::few();
        let [usual, low] = [1_000.0, 300.0].map(|height| {
            let room = Room::new(760.0, height, 0.602);
            WatchScene::new(&view, room, None, Marked::default())
        });
        assert!(low.is_tight && low.height < usual.height - 30.0);
        for scene in [usual, low] {
            let counts: Vec<u64> = scene.bands.iter().map(|band| band.count).collect();
            assert_eq!(counts, [1, 3, 4]);
            for pair in scene.bands.windows(2) {
                assert_eq!(pair[0].y + pair[0].height, pair[1].y);
            }
            for pill in &scene.pills {
                let watcher = view.watchers.iter().find(|w| w.id == pill.id).unwrap();
                let band = scene.bands.iter().find(|b| b.pool == watcher.pool).unwrap();
                assert!(pill.y - 13.0 >= band.y && pill.y + 13.0 <= band.y + band.height);
            }
        }
    }

    #[test]
    fn many_synced_ones_share_a_thread() {
        let mut view = fixture::few();
        let synced = view.watchers.last().cloned().unwrap();
        for id in 20..30 {
            view.watchers.push(WatcherView {
                id,
                name: format!("w{id}"),
                ..synced.clone()
            });
        }
        let scene = scene(&view, 936.0);
        let band = scene.bands.last().unwrap();
        assert!(
            band.height < 14.0 * Spacing::USUAL.pill / 2.0,
            "{}",
            band.height
        );
        let mut pills: Vec<&Pill> = scene.pills.iter().filter(|p| p.y > band.y).collect();
        pills.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
        for pair in pills.windows(2) {
            let apart = pair[0].x + pair[0].left + pair[0].width < pair[1].x + pair[1].left;
            assert!(pair[0].y < pair[1].y || apart);
        }
    }

    #[test]
    fn captions_say_what_comes() {
        let said = |width| -> Vec<String> {
            let marks = scene(&fixture::few(), width).front;
            marks
                .texts("watch-caption")
                .map(|(_, said)| said.to_owned())
                .collect()
        };
        let wide = said(936.0);
        for text in [
            "holds revision 4,380",
            "sent 2,205–3,204",
            "next 3,205–4,204",
            "next pass: 3 events, then synced",
        ] {
            assert!(wide.iter().any(|said| said == text), "{text}: {wide:?}");
        }
        assert!(said(390.0).iter().any(|said| said.starts_with("next")));
    }
}
