//! The level of detail: the shapes for which there is room, and the query for the visible range.

use watchglass_engine::view::IndexQuery;

use super::geometry::{Stage, TEXT_PITCH};
use super::overview::ROW;
use crate::draw::scale::RevScale;

/// The level of detail of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Many revisions share a column, which shows the number of changes and the most important change.
    Bins,
    /// Each change is a thin bar.
    Bars,
    /// Each change is a bead.
    Shape,
    /// Each change is a bead with the start of its value.
    Text,
}

/// The minimum distance between two revisions for beads and for bars, in pixels.
const SHAPE_PITCH: f64 = 6.0;
const BAR_PITCH: f64 = 2.0;

impl Detail {
    /// Returns the level of detail if two revisions are `pitch` pixels apart.
    pub fn at(pitch: f64) -> Detail {
        if pitch >= TEXT_PITCH {
            Detail::Text
        } else if pitch >= SHAPE_PITCH {
            Detail::Shape
        } else if pitch >= BAR_PITCH {
            Detail::Bars
        } else {
            Detail::Bins
        }
    }
}

/// The maximum number of SVG nodes; a larger scene is drawn on a canvas.
pub const SVG_NODES_MAX: usize = 600;

/// Returns the query for the visible range and some lanes and revisions around it, so that small movements need no new
/// query. For the same reason, the queried range moves in large steps. `half_page` is half the number of revisions of a
/// page, if the picture follows the head revision by pages: the query is then the same for all pages.
pub fn query(
    stage: &Stage,
    scale: RevScale,
    half_page: Option<i64>,
    scroll_top: f64,
    filter: &str,
) -> IndexQuery {
    let screen = stage.screen();
    let step = (screen / 2).max(1);
    let first_seen = (scroll_top / stage.tier.lane).floor().max(0.0) as u32;
    let first_lane = (first_seen / step).saturating_sub(1) * step;
    // The window begins one or two steps above the visible lanes and ends at least one step below them.
    let lane_count = screen + 3 * step;

    let (rev_from, rev_to) = match half_page {
        Some(half) => (1, 6 * half),
        None => {
            let half = ((scale.span() / 2.0).ceil() as i64).max(1);
            let page = (scale.from / half as f64).floor() as i64;
            let to = (page + 2) * half + scale.span().ceil() as i64;
            (((page - 1) * half).max(1), to)
        }
    };
    let revisions = (rev_to - rev_from + 1) as f64;
    let columns = match Detail::at(scale.pitch) {
        Detail::Text | Detail::Shape => (revisions * scale.pitch).ceil(),
        // One column for each revision: bars.
        Detail::Bars => revisions,
        Detail::Bins => (revisions * scale.pitch).round().max(1.0),
    };
    IndexQuery {
        first_lane,
        lane_count,
        rev_from,
        rev_to,
        half_page,
        columns: columns as u32,
        filter: filter.to_owned(),
        overview_rows: if stage.has_overview {
            (stage.lanes_height() / ROW) as u32
        } else {
            0
        },
        ..IndexQuery::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::camera::Camera;
    use super::*;

    fn stage() -> Stage {
        Stage::new(760.0, 418.0, 2000, 0.6)
    }

    #[test]
    fn detail_follows_the_pitch() {
        let at = [72.0, 14.0, 13.9, 6.0, 5.9, 2.0, 1.9, 0.01].map(Detail::at);
        use Detail::{Bars, Bins, Shape, Text};
        assert_eq!(at, [Text, Text, Shape, Shape, Bars, Bars, Bins, Bins]);
    }

    #[test]
    fn everything_seen_is_asked_for() {
        let stage = stage();
        for scroll in [0.0, 7.0, 500.0, 47_000.0] {
            for (from, pitch) in [(0.5, 24.0), (777.3, 24.0), (9000.0, 3.0), (0.0, 0.06)] {
                let scale = Camera::Free { from, pitch }.scale(&stage, 1, 10_000);
                let query = query(&stage, scale, None, scroll, "");
                let first = (scroll / 24.0) as u32;
                assert!(query.first_lane <= first);
                assert!(query.first_lane + query.lane_count >= first + stage.screen());
                let (seen_first, seen_last) = scale.visible();
                assert!(query.rev_from <= seen_first.max(1), "{query:?}");
                assert!(query.rev_to >= seen_last, "{query:?} {seen_last}");
            }
        }
    }

    #[test]
    fn a_camera_that_follows_the_head_asks_once_for_all_pages() {
        let stage = stage();
        let half = Camera::Auto.half_page(&stage, 10_000);
        let at = |head| {
            query(
                &stage,
                Camera::Auto.scale(&stage, head, 10_000),
                half,
                0.0,
                "",
            )
        };
        assert!(half.is_some());
        assert_eq!(at(2), at(5_000));
        assert_eq!(at(2), at(10_000));
        assert_eq!(Camera::Auto.half_page(&stage, 5), None, "a short run");
        assert_eq!(Camera::Fit.half_page(&stage, 10_000), None);
    }

    #[test]
    fn beads_are_asked_for_exactly_when_they_can_be_drawn() {
        let stage = stage();
        for pitch in [72.0, 14.0, 6.0, 5.9, 2.0, 0.5] {
            let scale = Camera::Free { from: 100.0, pitch }.scale(&stage, 1, 10_000);
            let query = query(&stage, scale, None, 0.0, "");
            let revisions = query.rev_to - query.rev_from + 1;
            let beads = i64::from(query.columns) >= 6 * revisions;
            assert_eq!(beads, Detail::at(scale.pitch) >= Detail::Shape, "{pitch}");
        }
    }

    #[test]
    fn a_small_movement_asks_for_nothing_new() {
        let stage = stage();
        let scale = |from| Camera::Free { from, pitch: 24.0 }.scale(&stage, 1, 10_000);
        let mut asked = 0;
        let mut last = query(&stage, scale(100.0), None, 0.0, "");
        for tenth in 1..1000 {
            let next = query(
                &stage,
                scale(100.0 + f64::from(tenth) / 10.0),
                None,
                f64::from(tenth),
                "",
            );
            asked += i32::from(next != last);
            last = next;
        }
        assert!(asked < 16, "{asked}");
    }
}
