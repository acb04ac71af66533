//! The revision that each member has reached, on one axis. A bar shows the lag of each member that is behind.

use watchglass_engine::view::ClusterView;
use yew::prelude::*;

use crate::draw::{Font, Identity, Marks, Rect, order, pt, text};
use crate::words::cluster as words;

/// The height of a lane, which shows the revision of one member.
const LANE: f64 = 22.0;
/// The minimum number of revisions on the axis.
const SPAN_MIN: i64 = 12;
/// The radius of the dot at the revision of a member.
const DOT: f64 = 5.0;

fn scene(view: &ClusterView, width: f64, font: Font) -> Marks {
    let newest = words::newest_revision(view);
    let oldest = view.members.iter().map(|member| member.revision).min();
    let span = (newest - oldest.unwrap_or(newest) + 2).max(SPAN_MIN);
    let names = view.members.iter().map(|member| member.name.len()).max();
    let left = font.long(names.unwrap_or_default()) + 16.0;
    let right = width - 64.0;
    let x = |revision: i64| right - (right - left) * (newest - revision) as f64 / span as f64;
    let bottom = LANE * view.members.len() as f64;
    let mut all = Marks::default();
    all.upright("cl-head", right, 0.0, bottom);
    for (at, member) in view.members.iter().enumerate() {
        let y = LANE * (at as f64 + 0.5);
        all.label("cl-name", pt(0.0, y), member.name.as_str());
        let of_member = |kind| Identity::new(kind, &member.name, order::WATCHER);
        let at = x(member.revision);
        let label = text::grouped(member.revision);
        let room = font.width(&label) + 14.0;
        // The lane has a gap for the label of a member that is behind, so that no line crosses the label.
        let until = match member.revision < newest {
            true => at - room,
            false => at,
        };
        all.part(of_member("lane"), |all| {
            all.level("cl-lane", left, until.max(left), y);
        });
        if member.revision < newest {
            all.part(of_member("behind").grows(), |all| {
                all.rect("cl-behind", Rect::new(at, y - 4.0, right - at, 8.0), 0.0);
            });
        }
        let dot = match member.revision < newest {
            true => "cl-reached is-behind",
            false => "cl-reached",
        };
        all.part(of_member("reached"), |all| all.circle(dot, pt(at, y), DOT));
        let (class, place) = match member.revision < newest {
            true => ("cl-revision is-left", at - 10.0),
            false => ("cl-revision", right + 10.0),
        };
        all.part(of_member("revision"), |all| {
            all.label(class, pt(place, y), label);
        });
    }
    all
}

pub fn revisions(view: &ClusterView, width: f64, font: Font) -> Html {
    let height = LANE * view.members.len() as f64;
    scene(view, width, font).svg("cl-svg", width, height)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::draw::Segment;

    #[test]
    fn a_member_that_is_behind_has_a_distance() {
        let all = scene(&fixture::partitioned(), 600.0, Font::of(0.6));
        let distances: Vec<f64> = all.rects("cl-behind").map(|area| area.width).collect();
        assert_eq!(distances.len(), 1, "only etcd-1 is behind");
        assert!(distances[0] > 10.0);
    }

    #[test]
    fn no_lane_crosses_the_label_of_a_member() {
        let font = Font::of(0.6);
        let all = scene(&fixture::partitioned(), 600.0, font);
        let lanes: Vec<_> = all.lines("cl-lane").collect();
        let label = all.texts("cl-revision is-left").next();
        let (end, label) = label.expect("etcd-1 is behind");
        let start = end.x - font.width(label);
        let crosses = |lane: &&Segment| (lane.to.y - end.y).abs() < LANE / 2.0 && lane.to.x > start;
        assert_eq!(lanes.iter().filter(crosses).count(), 0, "{lanes:?}");
    }
}
