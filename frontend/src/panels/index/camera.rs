//! The visible range of the revision axis: fitting, following the head revision (the newest revision at the cursor),
//! panning, zooming.
//!
//! A step of the run must not move the axis. Therefore, the axis reserves room for later revisions. A camera that
//! follows a revision (the head revision or the revision of a read in the past) moves by whole pages. The axis depends
//! only on the step and the end of the run: the same step always gives the same picture.

use watchglass_engine::view::{IndexView, page_of};

use super::geometry::{NAMES_MARGIN, STACKED, Stage, TEXT_PITCH, WIDE};
use super::scene::are_names_alike;
use crate::draw::scale::RevScale;
use crate::draw::surface::within;

/// The user's choice of the visible revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Camera {
    /// Shows all revisions if their beads have room for text, otherwise a page around the head revision.
    #[default]
    Auto,
    /// Shows all revisions, even if their beads have no room for text.
    Fit,
    /// Shows the range to which the user panned or zoomed.
    Free {
        /// The revision at the left edge.
        from: f64,
        /// The number of pixels between two revisions.
        pitch: f64,
    },
}

/// The minimum distance between two revisions on a page that follows the head revision, in pixels. At this distance, a
/// bead has room for two characters of a value.
const FOLLOW_PITCH: f64 = 24.0;
/// The minimum number of revisions on a page that follows the head revision. If the drawing area is too narrow, a page
/// has fewer revisions.
const FOLLOWED_MIN: f64 = 8.0;
/// The space before the first revision. After the last revision, this space is added to half the distance between two
/// revisions. A key's line that continues after its last bead extends visibly into this space.
const MARGIN: f64 = 14.0;
/// The minimum width of the column of names. The title of the ruler fits into this width.
const NAMES_MIN: f64 = 76.0;
/// The factor by which one click on a zoom button changes the distance between revisions.
pub const ZOOM_STEP: f64 = 1.5;

/// Returns the number of revisions for which the axis reserves room. The number grows in large steps, so that one more
/// command rarely changes the distance between revisions.
fn reserved(end: i64) -> f64 {
    let mut room = 6_i64;
    while room < end {
        // 6, 8, 12, 16, 24, 32, 48, …: each number is a third or a half larger than the previous one.
        room += if (room & (room - 1)) == 0 {
            room / 2
        } else {
            room / 3
        };
    }
    room as f64
}

/// The properties of the names that determine the width of their column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Names {
    /// The number of characters of the longest name.
    pub cells: usize,
    /// Whether shortened names of different keys would be alike in a column of the usual width.
    pub are_alike: bool,
}

/// The maximum distance between two revisions of a short run in a wide drawing area, in pixels.
const WIDE_PITCH: f64 = 150.0;

/// The number of pixels that the column of names may take from the revisions, so that a name that is slightly too long
/// is not cut.
const NAMES_MORE: f64 = 24.0;

/// The maximum share of the drawing area that a widened column of names takes.
const NAMES_SHARE_MAX: f64 = 0.4;

/// Returns the distance between two revisions at which the revisions 1 to `last` fill `width` pixels. Revision 1 is the
/// revision of an empty store and has no bead, so the axis needs no half distance before this revision.
fn filling(width: f64, last: f64) -> f64 {
    (width - 2.0 * MARGIN) / (last - 0.5)
}

/// Fits a stage to a run: enlarges the lanes and widens the column of names if there is room. The run has `lanes` keys
/// and `end` revisions. Lanes in which a name would be cut are not enlarged.
fn fitted(stage: Stage, lanes: u32, names: Names, end: i64) -> Stage {
    let pitch = filling(stage.plot_width(), reserved(end.max(1)));
    let mut enlarged = stage
        .enlarged(lanes, pitch)
        .map(|stage| with_names(stage, names, end));
    enlarged
        .find(|stage| stage.cells(stage.gutter - NAMES_MARGIN) >= names.cells)
        .unwrap_or_else(|| with_names(stage, names, end))
}

/// Fits a stage to a run: enlarges the lanes and widens the column of names if there is room, and gives the names so
/// much space that their shortened forms are different. Also returns the space that the names need; this value is used
/// for the next view of the run.
pub fn fitted_to(
    view: &IndexView,
    stage: Stage,
    lanes: u32,
    names: Names,
    end: i64,
) -> (Stage, Names) {
    let usual = fitted(stage, lanes, names, end);
    if names.are_alike || usual.has_overview || !are_names_alike(view, &usual) {
        return (usual, names);
    }
    let names = Names {
        are_alike: true,
        ..names
    };
    (fitted(stage, lanes, names, end), names)
}

/// Widens the column of names. The column takes only space that the revisions leave free even at their maximum
/// distance. If shortened names would be alike otherwise, the column takes more space. If the drawing area is narrow
/// and the names are short, the column becomes narrower instead. If not all lanes fit, the visible names depend on the
/// scroll position, so the width of the column does not change.
fn with_names(stage: Stage, names: Names, end: i64) -> Stage {
    let share = stage.width * NAMES_SHARE_MAX;
    let revisions = 2.0 * MARGIN + reserved(end.max(1)) * stage.tier.pitch_max;
    // One pixel more, because the number of characters that fit is rounded down.
    let wanted = stage.font(stage.tier.font).long(names.cells) + NAMES_MARGIN + 1.0;
    let gutter = match (stage.width < WIDE, names.are_alike) {
        // A name on two lines needs less space.
        (true, true) => wanted.min(STACKED - 1.0).max(stage.gutter),
        (false, true) => wanted.min(share).max(stage.gutter),
        (true, false) => wanted.max(NAMES_MIN).min(stage.gutter),
        (false, false) if wanted <= stage.gutter + NAMES_MORE => wanted.max(stage.gutter),
        (false, false) => wanted
            .min(share.min(stage.width - revisions))
            .max(stage.gutter),
    };
    match stage.has_overview {
        true => stage,
        false => Stage { gutter, ..stage },
    }
}

fn start_margin(pitch: f64) -> f64 {
    1.0 - MARGIN / pitch
}

impl Camera {
    /// Returns the revision axis that this camera shows in a drawing area. `head` is the revision to keep in sight,
    /// `end` the last revision of the run.
    pub fn scale(self, stage: &Stage, head: i64, end: i64) -> RevScale {
        let width = stage.plot_width();
        let end = end.max(head).max(1);
        let make = |from: f64, pitch: f64| RevScale {
            left: stage.gutter,
            width,
            from,
            pitch,
        };
        match self {
            Camera::Auto => match pitch_of_all(stage, end) {
                Some(pitch) => make(start_margin(pitch), pitch),
                None => {
                    let pitch = follow_pitch(stage);
                    make(page(width, pitch, head, end), pitch)
                }
            },
            Camera::Fit => {
                let pitch = filling(width, end as f64).min(stage.tier.pitch_max);
                make(start_margin(pitch), pitch)
            }
            Camera::Free { from, pitch } => {
                let pitch = within(pitch, pitch_min(stage, end), pitch_max(stage));
                make(clamp_from(from, pitch, width, end), pitch)
            }
        }
    }

    /// Returns half the number of revisions of a page; `None` if this camera does not move by pages. `end` is the last
    /// revision of the run.
    pub fn half_page(self, stage: &Stage, end: i64) -> Option<i64> {
        let follows = self == Camera::Auto && pitch_of_all(stage, end.max(1)).is_none();
        follows.then(|| half_page(stage.plot_width(), follow_pitch(stage)))
    }

    /// Returns the camera after panning by `pixels`; positive values show later revisions.
    #[must_use]
    pub fn panned(scale: RevScale, pixels: f64, end: i64) -> Camera {
        let from = scale.from + pixels / scale.pitch;
        Camera::Free {
            from: clamp_from(from, scale.pitch, scale.width, end),
            pitch: scale.pitch,
        }
    }

    /// Returns the camera after zooming by `factor`. The revision at pixel `x` stays at that pixel.
    #[must_use]
    pub fn zoomed(stage: &Stage, scale: RevScale, factor: f64, x: f64, end: i64) -> Camera {
        let pitch = within(
            scale.pitch * factor,
            pitch_min(stage, end),
            pitch_max(stage),
        );
        let from = scale.at(x) - (x - scale.left) / pitch;
        Camera::Free {
            from: clamp_from(from, pitch, scale.width, end),
            pitch,
        }
    }

    /// Returns the camera after the smallest move that makes the revision visible, with some space beside it.
    #[must_use]
    pub fn revealing(self, scale: RevScale, revision: i64, end: i64) -> Camera {
        let (x, room) = (scale.x(revision), (scale.width * 0.1).min(scale.pitch));
        if x < scale.left + room {
            Camera::panned(scale, x - scale.left - scale.width * 0.4, end)
        } else if x > scale.right() - room {
            Camera::panned(scale, x - scale.right() + scale.width * 0.4, end)
        } else {
            self
        }
    }
}

/// Returns true if the whole run is visible.
pub fn fits(scale: RevScale, end: i64) -> bool {
    scale.x(1) >= scale.left && scale.x(end.max(1)) <= scale.right()
}

fn pitch_min(stage: &Stage, end: i64) -> f64 {
    let all = filling(stage.plot_width(), end.max(1) as f64);
    all.min(TEXT_PITCH)
}

/// Returns the distance between two revisions of a run in a wide drawing area. A short run uses most of the width, and
/// leaves room for the label of the last revision.
fn roomy(stage: &Stage, last: f64) -> f64 {
    let usual = filling(stage.plot_width(), last).min(stage.tier.pitch_max);
    let wide = filling(stage.plot_width(), last + 1.0).min(WIDE_PITCH);
    usual.max(wide)
}

fn pitch_max(stage: &Stage) -> f64 {
    stage.tier.pitch_max.max(WIDE_PITCH)
}

fn clamp_from(from: f64, pitch: f64, width: f64, end: i64) -> f64 {
    let first = start_margin(pitch);
    let last = end.max(1) as f64 + 0.5 + MARGIN / pitch - width / pitch;
    from.min(last.max(first)).max(first)
}

/// Returns the left edge of the page that contains the head revision, in revisions. Each page overlaps half of the next
/// page. The head revision is on the first page or in the right half of its page, so that earlier revisions are
/// visible.
fn page(width: f64, pitch: f64, head: i64, end: i64) -> f64 {
    let half = half_page(width, pitch);
    let first = page_of(head, half) * half;
    clamp_from(first as f64 + start_margin(pitch), pitch, width, end)
}

/// Returns the distance between two revisions on a page that follows the head revision. If only a part of the lanes is
/// visible, a page has about two revisions per visible lane. On a longer page, keys that are new and have one revision
/// each would use only the end of the page.
fn follow_pitch(stage: &Stage) -> f64 {
    if !stage.has_overview {
        return FOLLOW_PITCH;
    }
    let lanes = (stage.lanes_height() / stage.tier.lane).floor();
    let revisions = (2.0 * lanes).max(FOLLOWED_MIN);
    (stage.plot_width() / revisions).max(FOLLOW_PITCH)
}

/// Returns half the number of revisions of a page: the revisions that are visible at a time.
fn half_page(width: f64, pitch: f64) -> i64 {
    (((width - 2.0 * MARGIN) / pitch / 2.0).floor() as i64).max(1)
}

/// Returns the distance between two revisions if all revisions of a run are visible with their values; `None` if the
/// values do not have enough room.
fn pitch_of_all(stage: &Stage, end: i64) -> Option<f64> {
    let exact = filling(stage.plot_width(), end as f64).min(stage.tier.pitch_max);
    // The values need all the room of a narrow drawing area.
    let roomy = match stage.width < WIDE {
        true => exact,
        false => roomy(stage, reserved(end)),
    };
    if roomy >= TEXT_PITCH {
        Some(roomy)
    } else {
        // A fixed distance, because `exact` would change with every new revision.
        (exact >= TEXT_PITCH).then_some(TEXT_PITCH)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn of_cells(cells: usize) -> Names {
        Names {
            cells,
            are_alike: false,
        }
    }

    fn stage(lanes: u32) -> Stage {
        Stage::new(760.0, 418.0, lanes, 0.6)
    }

    #[test]
    fn the_column_of_names_takes_more_space_if_names_would_be_alike() {
        let mut view = fixture::two_lives();
        let mut other = view.lanes[0].clone();
        view.lanes[0].name = "/servers/group-0/server-01".to_owned();
        other.name = "/servers/group-1/server-01".to_owned();
        view.lanes.push(other);
        let names = of_cells(26);
        for (width, height) in [(320.0, 420.0), (760.0, 300.0), (1160.0, 560.0)] {
            let stage = Stage::new(width, height, 2, 0.6);
            let (stage, names) = fitted_to(&view, stage, 2, names, 40);
            assert!(names.are_alike, "{width}");
            assert!(!are_names_alike(&view, &stage), "{width}: {stage:?}");
        }
    }

    #[test]
    fn lanes_in_which_a_name_would_be_cut_are_not_enlarged() {
        let stage = Stage::new(1160.0, 560.0, 2, 0.6);
        let fitted = |cells| fitted(stage, 2, of_cells(cells), 4);
        assert_eq!([5, 40].map(|cells| fitted(cells).tier.lane), [179.0, 128.0]);
        assert!(fitted(40).cells(fitted(40).gutter - NAMES_MARGIN) >= 40);
    }

    #[test]
    fn a_short_story_is_generous_and_stays_still() {
        let at_start = Camera::Auto.scale(&stage(1), 1, 5);
        let at_end = Camera::Auto.scale(&stage(1), 5, 5);
        assert_eq!(at_start, at_end);
        assert!(
            (84.0..=WIDE_PITCH).contains(&at_start.pitch),
            "{}",
            at_start.pitch
        );
        assert!(at_start.x(1) > 156.0);
        // The run uses most of the width.
        assert!(at_start.x(5) > at_start.left + 0.6 * at_start.width);
    }

    #[test]
    fn short_values_fit_into_the_beads_of_a_short_run() {
        // A phone, and a figure of 800x450 pixels.
        for (width, height) in [(390.0, 700.0), (800.0, 308.0)] {
            let stage = fitted(Stage::new(width, height, 1, 0.6), 1, of_cells(5), 5);
            let pitch = Camera::Auto.scale(&stage, 5, 5).pitch;
            let room = pitch - 4.0 - super::super::geometry::bead_padding(&stage.tier) + 2.0;
            assert!(stage.cells(room) >= "value1".len(), "{width}: {pitch}");
        }
    }

    #[test]
    fn long_names_get_the_room_that_the_revisions_leave() {
        let wide = Stage::new(1_400.0, 418.0, 5, 0.6);
        let name = "/servers/group-0/server-01".len();
        let widened = with_names(wide, of_cells(name), 6);
        assert_eq!(widened.cells(widened.gutter - NAMES_MARGIN), name);
        assert!(widened.gutter > wide.gutter);
        let pitch = |stage: &Stage| Camera::Auto.scale(stage, 6, 6).pitch;
        assert_eq!(pitch(&widened), pitch(&wide));
        // A name that is slightly too long stays whole even with many revisions.
        assert_eq!(with_names(wide, of_cells(name), 60), widened);
        // The column stays the same with many revisions, with short names, in a small drawing area, and if the lanes
        // scroll.
        assert_eq!(with_names(wide, of_cells(40), 60), wide);
        assert_eq!(with_names(wide, of_cells(5), 6), wide);
        let scrolls = Stage::new(1_400.0, 418.0, 100, 0.6);
        assert_eq!(with_names(scrolls, of_cells(name), 6), scrolls);
        let small = Stage::new(390.0, 418.0, 5, 0.6);
        assert_eq!(with_names(small, of_cells(name), 1), small);
        assert_eq!(with_names(small, of_cells(5), 1).gutter, NAMES_MIN);
        let longest = with_names(wide, of_cells(1_000), 1);
        assert!(longest.gutter <= 0.4 * 1_400.0);
    }

    #[test]
    fn typing_one_more_command_rarely_moves_anything() {
        let mut changes = 0;
        let mut last = Camera::Auto.scale(&stage(4), 1, 1).pitch;
        for end in 2..40 {
            let pitch = Camera::Auto.scale(&stage(4), end, end).pitch;
            changes += i32::from(pitch != last);
            last = pitch;
        }
        assert!(changes <= 6, "{changes}");
    }

    #[test]
    fn a_long_run_is_followed_in_pages() {
        let scale = |head| Camera::Auto.scale(&stage(9), head, 10_000);
        let mut moves = 0;
        for head in 1..400_i64 {
            let now = scale(head);
            // The whole bead of the head revision is visible.
            let half = now.pitch / 2.0;
            assert!(
                now.x(head) - half >= now.left && now.x(head) + half <= now.right(),
                "{head}"
            );
            moves += i32::from(now != scale(head + 1));
        }
        assert!(moves < 40, "{moves}");
        let at_end = scale(10_000);
        assert!(at_end.x(10_000) <= at_end.right());
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let stage = stage(9);
        let scale = Camera::Auto.scale(&stage, 5000, 10_000);
        let under = scale.at(400.0);
        let zoomed = Camera::zoomed(&stage, scale, 0.5, 400.0, 10_000).scale(&stage, 5000, 10_000);
        assert!((zoomed.at(400.0) - under).abs() < 1e-6);
        assert!((zoomed.pitch - scale.pitch / 2.0).abs() < 1e-6);
    }

    #[test]
    fn one_cannot_leave_the_run() {
        let stage = stage(9);
        let scale = Camera::Auto.scale(&stage, 1, 10_000);
        let left = Camera::panned(scale, -1e9, 10_000).scale(&stage, 1, 10_000);
        assert!(left.x(1) > left.left);
        let right = Camera::panned(scale, 1e9, 10_000).scale(&stage, 1, 10_000);
        assert!(right.x(10_000) < right.right());
        let all = Camera::Fit.scale(&stage, 1, 10_000);
        assert!(fits(all, 10_000));
        assert!(!fits(scale, 10_000));
    }

    #[test]
    fn what_is_walked_to_comes_into_sight() {
        let stage = stage(9);
        let scale = Camera::Auto.scale(&stage, 1, 10_000);
        let camera = Camera::Auto.revealing(scale, 500, 10_000);
        let shown = camera.scale(&stage, 1, 10_000);
        assert!(shown.x(500) > shown.left && shown.x(500) < shown.right());
        assert_eq!(camera.revealing(shown, 500, 10_000), camera);
    }
}
