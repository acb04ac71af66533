//! The layout of the rulers in the Cache view: etcd's revisions, and below them one row (a lane) for each API server on
//! the same axis.
//!
//! The layout is a pure function of the view and the size of the drawing area. A cache's bar ends at the cache's
//! revision; the hatched area from there to etcd's head revision shows the missing revisions.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{CacheRow, RevisionMark};

use super::lane::{self, THREAD_LEFT};
use crate::draw::axis::{NAMES_LEFT, RULER, RULER_TEXT, axis, ruler};
use crate::draw::shapes::cross;
use crate::draw::{
    Identity, Mark, Marked, Marks, Placer, Plate, Rect, RevScale, Room, Side, order, pt, svg_path,
    text,
};
use crate::words::{cache as words, common};

/// All marks (lines, shapes and texts) on the revision axis of the Cache view.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheScene {
    pub width: f64,
    pub height: f64,
    pub ruler: Marks,
    /// The lines, shapes and texts that are drawn behind the caches.
    pub back: Marks,
    pub front: Marks,
    pub spots: Vec<CacheSpot>,
}

/// An item of the picture that can be selected and has a row in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheSpot {
    pub id: u64,
    /// The full description of the item in words.
    pub title: String,
    pub marks: Marks,
}

/// The data that all parts of the Cache view's layout use.
pub struct CacheLayout<'a> {
    pub view: &'a CacheView,
    pub room: Room,
    pub scale: RevScale,
    pub marked: Marked,
    /// Whether the texts of a lane are close together, because the drawing area is low.
    pub is_tight: bool,
    /// The y coordinate of the middle of etcd's row.
    pub etcd: f64,
}

/// The lowest row id of a cache in the table. Row ids below this id are the numbers of requests.
pub const CACHE_ROW: u64 = 1 << 40;
/// The lowest row id of a client watch in the table.
pub const WATCH_ROW: u64 = 1 << 41;
/// The lowest row id of a write to the resource in the table. The row of a write has this id plus the revision.
pub const REVISION_ROW: u64 = 1 << 42;
/// The number of ids that are reserved for the client watches of each cache.
pub const WATCHES_A_CACHE: u64 = 1 << 16;

/// The width of the column of names in a wide drawing area, in pixels.
const GUTTER: f64 = 126.0;
/// The height of etcd's row, in pixels.
const ETCD_ROW: f64 = 48.0;
/// The minimum number of revisions before the head revision on the axis, if the store has that many revisions.
const REVISIONS_MIN: i64 = 2;

/// The minimum distance between two revisions at which each write can be pointed at, in pixels.
pub const POINTABLE: f64 = 4.5;
/// The maximum length of an object's name beside its write, in characters.
const NAME_CELLS: usize = 16;

const MOVED: Plate = Plate::new("cache-moved-plate", 6.0, 9.5, 4.0);

/// Returns the x coordinates of the left and the right edge of the plots.
pub fn sides(room: Room) -> (f64, f64) {
    let left = if room.is_wide() { GUTTER } else { 0.0 };
    (left, room.width - 18.0)
}

/// Returns the left edge of the texts beside a lane.
pub fn margin(room: Room) -> f64 {
    if room.is_wide() { NAMES_LEFT } else { 12.0 }
}

impl CacheSpot {
    /// Returns the place of the item in the order in which marks move.
    pub fn order(&self) -> u32 {
        match self.id {
            REVISION_ROW.. => order::STORE,
            WATCH_ROW.. => order::RECEIVER,
            CACHE_ROW.. => order::CACHE,
            _ => order::CLIENT,
        }
    }
}

impl CacheScene {
    /// Computes the positions of all marks on the revision axis of the Cache view. If the height is not enough, the
    /// texts of a lane are closer together.
    pub fn new(view: &CacheView, room: Room, marked: Marked) -> CacheScene {
        let scene = CacheScene::spaced(view, room, marked, false);
        if room.is_wide() && scene.height > room.height {
            CacheScene::spaced(view, room, marked, true)
        } else {
            scene
        }
    }

    fn spaced(view: &CacheView, room: Room, marked: Marked, is_tight: bool) -> CacheScene {
        let (left, right) = sides(room);
        let head = view.head.max(1);
        // With a single revision, the axis would extend far beyond the head revision.
        let first = view.axis_from.min(head - REVISIONS_MIN).max(1);
        // A cache is ahead of a member that was restored from an older backup.
        let newest = |cache: &CacheRow| {
            let event = cache.window.events.last();
            event.copied().unwrap_or_default().max(cache.revision)
        };
        let ahead = view.caches.iter().map(newest).max().unwrap_or_default();
        let scale = axis(first, head.max(ahead), left, right);
        let wide = room.is_wide();
        let top = if wide { RULER } else { RULER + 18.0 };
        let layout = CacheLayout {
            view,
            room,
            scale,
            marked,
            is_tight,
            etcd: top + if wide { ETCD_ROW / 2.0 } else { 14.0 },
        };
        // Watches can begin at the first revision of a cache's history window, so the axis names this revision.
        let oldest: Vec<i64> = view
            .caches
            .iter()
            .filter_map(|cache| cache.window.oldest)
            .collect();
        let mut scene = CacheScene {
            width: room.width,
            height: 0.0,
            ruler: ruler(view.head, first, &oldest, room, scale, f64::INFINITY),
            back: Marks::default(),
            front: Marks::default(),
            spots: Vec::new(),
        };
        if wide {
            let at = pt(NAMES_LEFT, RULER_TEXT);
            scene.ruler.text("watch-axis", at, common::REVISION_AXIS);
        }
        scene.etcd(&layout);
        let mut y = layout.etcd + ETCD_ROW / 2.0;
        let mut bars = Vec::new();
        for (at, cache) in view.caches.iter().enumerate() {
            scene.hair(y);
            let place = lane::lay(&mut scene, &layout, at as u64, cache, y);
            y = place.end;
            bars.push((cache.server.as_str(), place));
        }
        scene.back_in_time(&layout, &bars);
        let x = scale.x(view.head);
        let mut head = Marks::default();
        head.part(Identity::new("head", "line", order::STORE), |marks| {
            marks.upright("watch-head", x, RULER, y);
        });
        scene.back.splice(0..0, head.0);
        scene.hair(y);
        scene.height = y;
        scene
    }

    fn hair(&mut self, y: f64) {
        self.back.level("watch-hair", 0.0, self.width, y - 0.5);
    }

    /// Draws etcd's row: all revisions; the revisions that changed the resource are highlighted.
    fn etcd(&mut self, layout: &CacheLayout) {
        let (view, scale, y) = (layout.view, layout.scale, layout.etcd);
        let mut names = Placer::default();
        let x = margin(layout.room);
        if layout.room.is_wide() {
            self.front.text("cache-name", pt(x, y - 3.0), words::ETCD);
            let compacted = words::compaction(view.compact_revision);
            self.front.text("watch-axis", pt(x, y + 13.0), compacted);
        } else {
            let said = words::etcd(view.compact_revision);
            // The names of objects are on the same line as this text.
            let said = layout.room.font.measure(said);
            names.take_span(x, x + said.width + 6.0);
            let at = pt(x, RULER + 11.8);
            self.front.plated("cache-name", at, Side::Right, said);
        }
        let floor = scale.x_at(view.compact_revision as f64 - 0.5);
        if view.compact_revision > 0 && floor > scale.left {
            let area = Rect::new(scale.left, y - 11.0, floor - scale.left, 22.0);
            let compacted = |id| Identity::new("compacted", id, order::STORE);
            self.back.part(compacted("area").grows(), |marks| {
                marks.rect("watch-unreadable", area, 0.0);
            });
            let line = compacted("line").from("compacted:area".to_owned());
            self.back.part(line, |marks| {
                marks.upright("watch-floor", floor, y - 14.0, y + 14.0);
            });
        }
        let end = scale.x(view.head);
        self.back
            .part(Identity::new("etcd", "thread", order::STORE), |marks| {
                marks.level("cache-thread", scale.left + THREAD_LEFT, end, y);
            });
        let (mut own, mut other) = (Vec::new(), String::new());
        // Lines of other revisions that are close together must not be more prominent than the writes to the resource.
        let close = scale.pitch < POINTABLE;
        for mark in &view.revisions {
            let x = scale.x(mark.revision);
            if x < scale.left {
                continue;
            }
            if mark.own {
                own.push(mark);
            } else {
                let half = if close { 3.0 } else { 5.0 };
                other.push_str(&svg_path!(M x, y - half; v 2.0 * half));
            }
        }
        let class = match close {
            true => "cache-other dense",
            false => "cache-other",
        };
        self.front
            .part(Identity::new("etcd", "other", order::STORE), |marks| {
                marks.path(class, other);
            });
        if close {
            let own = own.iter().map(|mark| (mark.revision, mark.deletes));
            self.front.extend(writes(scale, y, own));
            return;
        }
        for mark in own.iter().rev() {
            self.own_write(layout, mark, &mut names);
        }
    }

    /// Draws a write to the resource as an item of its own, with the name of the object if there is room for the name.
    fn own_write(&mut self, layout: &CacheLayout, mark: &RevisionMark, names: &mut Placer) {
        let (scale, y) = (layout.scale, layout.etcd);
        let id = REVISION_ROW + mark.revision.unsigned_abs();
        let x = scale.x(mark.revision);
        let area = Rect::around(pt(x, y), (scale.pitch / 2.0).min(8.0), 9.0);
        let mut marks = Marks::default();
        marks.rect("cache-hit", area, 3.0);
        marks.extend(writes(scale, y, [(mark.revision, mark.deletes)]));
        if layout.marked.active == Some(id) {
            marks.rect("watch-ring focus", area.grown(1.0, 1.0), 3.0);
        }
        let name = text::middle(words::object(mark), NAME_CELLS);
        let name = layout.room.font.measure(name);
        // At an edge of the plot, the name moves inwards and is still above its write.
        let left = (name.left(x, Side::Middle))
            .min(layout.room.width - name.width - 6.0)
            .max(scale.left + 4.0);
        if names.take_span(left - 4.0, left + name.width + 4.0) {
            let at = pt(left, y - 16.0);
            let object = Identity::at("object", mark.revision, order::STORE);
            self.front.part(object, |marks| {
                marks.plated("cache-object", at, Side::Right, name);
            });
        }
        let title = words::write(mark);
        self.spots.push(CacheSpot { id, title, marks });
    }

    /// Draws the most recent client that went back in time: an arrow from the revision that the client saw first to the
    /// older revision that it saw next.
    fn back_in_time(&mut self, layout: &CacheLayout, bars: &[(&str, lane::LanePlace)]) {
        let Some(moved) = layout.view.back_in_time.last() else {
            return;
        };
        let bar = |name: &str| bars.iter().find(|(known, _)| *known == name);
        let (Some((_, from)), Some((_, place))) = (bar(&moved.from.0), bar(&moved.to.0)) else {
            return;
        };
        let (from, to) = (from.bar, place.bar);
        let scale = layout.scale;
        let (x1, x2) = (scale.x(moved.from.1), scale.x(moved.to.1));
        let down = to > from;
        let (y1, y2) = if down {
            (from + 13.0, to - 14.0)
        } else {
            (from - 13.0, to + 14.0)
        };
        let tip = if down { -5.0 } else { 5.0 };
        // Beside the text, the arrow is upright, so that the text can be on both of its sides.
        let turn = if down { y2.min(place.words - 12.0) } else { y2 };
        let middle = f64::midpoint(y1, turn);
        let line = svg_path!(M x1, y1; C x1, middle, x2, middle, x2, turn; V y2);
        let wings = y2 + tip;
        let tip = svg_path!(M x2 - 4.0, wings; L x2, y2; L x2 + 4.0, wings);
        self.back
            .part(Identity::new("moved", "line", order::RECEIVER), |marks| {
                marks.path("cache-moved", line + &tip);
            });
        // The text is beside the tip of the arrow: the longest text for which there is room on a side of the arrow. It
        // does not cover the names at the left.
        let least = scale.left.max(margin(layout.room));
        let spots = words::back_in_time(moved).into_iter().flat_map(|said| {
            let said = layout.room.font.measure(said);
            [x2 - 14.0 - said.width, x2 + 14.0].map(|left| {
                let start = pt(left, place.words);
                (MOVED.area(start, &said), start, said.clone())
            })
        });
        let is_inside = |area: Rect| area.x >= least && area.right() <= layout.room.width;
        let mut spots = spots.filter(|(area, ..)| is_inside(*area));
        if let Some((_, start, said)) = spots.next() {
            self.front
                .part(Identity::new("moved", "text", order::RECEIVER), |marks| {
                    marks.badge(&MOVED, "cache-moved-text", start, said);
                });
        }
    }
}

/// A bar for each create or update, a cross for each delete. `y` is the middle of the marks.
pub fn writes(
    scale: RevScale,
    y: f64,
    revisions: impl IntoIterator<Item = (i64, bool)>,
) -> impl Iterator<Item = Mark> {
    let (mut puts, mut deletes) = (String::new(), String::new());
    let across = (scale.pitch / 2.0 - 0.5).clamp(1.0, 4.5);
    for (revision, is_delete) in revisions {
        let x = scale.x(revision);
        if is_delete {
            deletes.push_str(&cross(pt(x, y), across, 5.5));
        } else {
            puts.push_str(&svg_path!(M x, y - 6.5; v 13.0));
        }
    }
    let paths = [(bead_class(scale), puts), ("cache-delete", deletes)];
    let drawn = paths.into_iter().filter(|(_, d)| !d.is_empty());
    drawn.map(|(class, d)| Mark::Path(class, d))
}

/// Returns the CSS class of a write. The class makes writes narrower if revisions are close together.
fn bead_class(scale: RevScale) -> &'static str {
    match scale.pitch {
        pitch if pitch >= 11.0 => "cache-own",
        pitch if pitch >= POINTABLE => "cache-own close",
        _ => "cache-own dense",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::draw::{Font, Point};

    fn scene(view: &CacheView, width: f64) -> CacheScene {
        let room = Room::new(width, 420.0, 0.602);
        CacheScene::new(view, room, Marked::default())
    }

    fn texts<'a>(scene: &'a CacheScene, class: &'a str) -> Vec<(Point, &'a str)> {
        let spots = scene.spots.iter().flat_map(|spot| spot.marks.flat());
        let all = scene.front.flat().chain(spots);
        all.filter_map(|mark| match mark {
            Mark::Text(known, at, text) if known.starts_with(class) => Some((*at, text.as_str())),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn the_label_of_a_wait_is_beside_its_bar() {
        let view = fixture::two();
        for width in [390.0, 760.0, 936.0] {
            let scene = scene(&view, width);
            let rects = |class: &str| -> Vec<Rect> {
                let spots = scene.spots.iter();
                spots
                    .flat_map(|spot| spot.marks.rects(class).collect::<Vec<_>>())
                    .collect()
            };
            let (bars, labels) = (rects("cache-wait"), rects("cache-tag"));
            assert!(!bars.is_empty() && bars.len() == labels.len());
            for (bar, label) in bars.iter().zip(&labels) {
                let is_beside = label.right() <= bar.x || bar.right() <= label.x;
                assert!(is_beside, "{width}: {label:?} {bar:?}");
            }
        }
    }

    #[test]
    fn a_low_drawing_area_has_closer_lanes_whose_texts_do_not_touch() {
        let view = fixture::two();
        let room = Room::new(760.0, 100.0, 0.602);
        let usual = scene(&view, room.width);
        let low = CacheScene::new(&view, room, Marked::default());
        assert!(low.height < usual.height - 8.0 * view.caches.len() as f64);
        let beside = texts(&low, "cache-")
            .into_iter()
            .chain(texts(&low, "watch-axis"));
        let mut beside: Vec<f64> = beside
            .filter(|(at, _)| at.x == NAMES_LEFT)
            .map(|(at, _)| at.y)
            .collect();
        beside.sort_by(f64::total_cmp);
        assert!(
            beside.windows(2).all(|pair| pair[1] - pair[0] >= 14.0),
            "{beside:?}"
        );
    }

    #[test]
    fn what_a_cache_lacks_is_the_distance_to_the_head() {
        for width in [390.0, 760.0, 936.0] {
            let view = fixture::two();
            let scene = scene(&view, width);
            let gaps: Vec<Rect> = scene.back.rects("cache-gap").collect();
            let [gap] = gaps.as_slice() else {
                panic!("one cache is behind: {gaps:?}");
            };
            let head = scene
                .back
                .lines("watch-head")
                .next()
                .expect("a head")
                .from
                .x;
            assert!((gap.right() - head).abs() < 0.1);
            assert!(head > gap.x && head < width);
        }
    }

    #[test]
    fn the_windows_left_edge_is_the_oldest_revision_that_a_watch_can_begin_from() {
        let view = fixture::two();
        let scene = scene(&view, 936.0);
        let said = texts(&scene, "cache-window-text");
        assert_eq!(said[0].1, "window: 16 of 16 events, from 1,219");
        assert_eq!(scene.front.paths("cache-window").count(), 2);
    }

    #[test]
    fn a_read_that_waits_says_what_for_and_how_long() {
        let view = fixture::two();
        let scene = scene(&view, 760.0);
        let said = texts(&scene, "cache-tag-text");
        assert_eq!(said[0].1, "LIST needs RV 1,258 · waits 87 ms");
        assert_eq!(scene.spots.iter().filter(|spot| spot.id == 12).count(), 1);
    }

    #[test]
    fn a_client_that_went_back_in_time_is_drawn_from_lane_to_lane() {
        let scene = scene(&fixture::two(), 936.0);
        let said = texts(&scene, "cache-moved-text");
        assert_eq!(
            said[0].1,
            "back in time: dashboard saw 1,258, then 1,244 on api-2"
        );
        let narrow = self::scene(&fixture::two(), 390.0);
        let said = texts(&narrow, "cache-moved-text");
        assert_eq!(said[0].1, "back in time");
    }

    #[test]
    fn a_cache_that_is_ahead_of_etcd_is_inside_the_picture() {
        let mut view = fixture::two();
        let newest = view.caches.iter().map(|cache| cache.revision).max();
        view.head = newest.unwrap() - 20;
        for width in [390.0, 1_200.0] {
            let scene = scene(&view, width);
            let bars = scene.back.flat().filter_map(|mark| match mark {
                Mark::Rect(class, area, _) if class.contains("cache-bar") => Some(area.right()),
                _ => None,
            });
            let ends: Vec<f64> = bars.collect();
            assert!(!ends.is_empty());
            assert!(ends.iter().all(|end| *end <= width), "{width}: {ends:?}");
        }
    }

    #[test]
    fn the_text_about_a_client_that_went_back_in_time_does_not_cover_its_arrow() {
        for width in [360.0, 390.0, 640.0, 800.0, 936.0, 1_200.0] {
            for revision in [1_213, 1_230, 1_244, 1_256] {
                let mut view = fixture::two();
                view.back_in_time[0].to.1 = revision;
                let scene = scene(&view, width);
                let plate = scene.front.rects("cache-moved-plate").next();
                let plate = plate.expect("the arrow has a text");
                let room = Room::new(width, 420.0, 0.602);
                let (from, to) = sides(room);
                let x = axis(view.axis_from, view.head, from, to).x(revision);
                assert!(
                    plate.x > x + 5.0 || plate.right() < x - 5.0,
                    "{width} {revision}"
                );
                assert!(
                    plate.x >= 0.0 && plate.right() <= width,
                    "{width} {revision}"
                );
            }
        }
    }

    #[test]
    fn the_axis_names_the_first_revision_of_a_history_window() {
        for width in [390.0, 936.0] {
            let mut view = fixture::two();
            for oldest in [1_212, 1_217, 1_230] {
                for cache in &mut view.caches {
                    cache.window.oldest = Some(oldest);
                }
                let scene = scene(&view, width);
                let number = text::grouped(oldest);
                let is_number =
                    |mark: &Mark| matches!(mark, Mark::Text(_, _, said) if *said == number);
                assert!(scene.ruler.flat().any(is_number), "{width}: {number}");
            }
        }
    }

    #[test]
    fn a_delete_has_a_mark_of_its_own_and_each_write_has_a_title() {
        let scene = scene(&fixture::two(), 936.0);
        let of = |revision: u64| {
            let mut spots = scene.spots.iter();
            let spot = spots
                .find(|spot| spot.id == REVISION_ROW + revision)
                .unwrap();
            let has = |class| {
                let mut marks = spot.marks.flat();
                marks.any(|mark| match mark {
                    Mark::Path(known, d) => known.starts_with(class) && !d.is_empty(),
                    _ => false,
                })
            };
            (spot.title.as_str(), has("cache-own"), has("cache-delete"))
        };
        let title = "revision 1,250: put pods/default/web-1";
        assert_eq!(of(1250), (title, false, true));
        assert_eq!((of(1245).1, of(1245).2), (true, false));
        assert!(!texts(&scene, "cache-object").is_empty());
    }

    #[test]
    fn the_first_write_on_the_axis_has_a_name() {
        let mut view = fixture::two();
        view.revisions.truncate(3);
        for (mark, revision) in view.revisions.iter_mut().zip(2..) {
            mark.revision = revision;
            mark.own = true;
        }
        (view.head, view.axis_from) = (4, 4);
        view.caches.clear();
        view.back_in_time.clear();
        for (width, name) in [
            (936.0, "web-1"),
            (936.0, "controller-1"),
            (1_200.0, "web-1"),
        ] {
            view.revisions[0].label = format!("put pods/default/{name}");
            let scene = scene(&view, width);
            let names = texts(&scene, "cache-object");
            assert_eq!(names.len(), 3, "{width} {name}: {names:?}");
            let (at, said) = names[2];
            assert_eq!(said, name);
            let room = Room::new(width, 420.0, 0.602);
            let (left, wide) = (at.x, room.font.width(said));
            let (from, to) = sides(room);
            let x = axis(2, 4, from, to).x(2);
            assert!(from < left && left < x && x < left + wide, "{width} {name}");
        }
    }

    #[test]
    fn revisions_of_other_resources_are_not_drawn_as_missing() {
        let mut view = fixture::two();
        let gaps = |view: &CacheView, class: &str| scene(view, 936.0).back.rects(class).count();
        assert_eq!(gaps(&view, "cache-gap"), 1);
        view.caches[1].missing = 0;
        assert_eq!(gaps(&view, "cache-gap"), 0);
        assert_eq!(gaps(&view, "cache-gap unconfirmed"), 1);
    }

    #[test]
    fn nothing_sticks_out_and_lanes_follow_each_other() {
        for width in [390.0, 800.0, 936.0] {
            let scene = scene(&fixture::two(), width);
            let names: Vec<f64> = texts(&scene, "cache-name")
                .iter()
                .map(|(at, _)| at.y)
                .collect();
            assert!(names.is_sorted(), "{names:?}");
            for (at, said) in texts(&scene, "cache-") {
                let (left, wide) = (at.x, Font::of(0.602).width(said));
                assert!(
                    left >= 0.0 && left + wide <= width + 40.0,
                    "{width}: {said}"
                );
                assert!(at.y <= scene.height, "{said}");
            }
        }
    }
}
