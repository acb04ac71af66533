//! The revision that each member has reached, on one axis. A bar shows the lag of each member that is behind.

use watchglass_engine::view::ClusterView;
use yew::prelude::*;

use crate::draw::marks::{self, Mark};
use crate::draw::surface::num;
use crate::draw::text;
use crate::words::cluster as words;

/// The height of a lane, which shows the revision of one member.
const LANE: f64 = 22.0;
/// The minimum number of revisions on the axis.
const SPAN_MIN: i64 = 12;
/// The radius of the dot at the revision of a member.
const DOT: f64 = 5.0;

/// Lays out the revisions of the members for a picture of this width.
fn scene(view: &ClusterView, width: f64, advance: f64) -> Vec<Mark> {
    let newest = words::newest_revision(view);
    let oldest = view.members.iter().map(|member| member.revision).min();
    let span = (newest - oldest.unwrap_or(newest) + 2).max(SPAN_MIN);
    let names = view.members.iter().map(|member| member.name.len()).max();
    let left = names.unwrap_or_default() as f64 * advance * marks::FONT + 16.0;
    let right = width - 64.0;
    let x = |revision: i64| right - (right - left) * (newest - revision) as f64 / span as f64;
    let bottom = LANE * view.members.len() as f64;
    let mut all = vec![Mark::Line("cl-head", [right, 0.0, right, bottom])];
    for (at, member) in view.members.iter().enumerate() {
        let y = LANE * (at as f64 + 0.5);
        all.push(Mark::Text("cl-name", [0.0, y + 4.0], member.name.clone()));
        let at = x(member.revision);
        let label = text::grouped(member.revision);
        let room = label.len() as f64 * advance * marks::FONT + 14.0;
        // The lane has a gap for the label of a member that is behind, so that no line crosses the label.
        let until = match member.revision < newest {
            true => at - room,
            false => at,
        };
        all.push(Mark::Line("cl-lane", [left, y, until.max(left), y]));
        if member.revision < newest {
            all.push(Mark::Rect("cl-behind", [at, y - 4.0, right - at, 8.0, 0.0]));
        }
        let dot = match member.revision < newest {
            true => "cl-reached is-behind",
            false => "cl-reached",
        };
        all.push(Mark::Rect(
            dot,
            [at - DOT, y - DOT, 2.0 * DOT, 2.0 * DOT, DOT],
        ));
        let (class, place) = match member.revision < newest {
            true => ("cl-revision is-left", at - 10.0),
            false => ("cl-revision", right + 10.0),
        };
        all.push(Mark::Text(class, [place, y + 4.0], label));
    }
    all
}

/// Renders the lanes.
pub fn revisions(view: &ClusterView, width: f64, advance: f64) -> Html {
    let height = LANE * view.members.len() as f64;
    html! {
        <svg class="cl-svg" width={num(width)} height={num(height)} aria-hidden="true">
            { marks::draw(&scene(view, width, advance)) }
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_member_that_is_behind_has_a_distance() {
        let all = scene(&fixture::partitioned(), 600.0, 0.6);
        let distances: Vec<f64> = all
            .iter()
            .filter_map(|mark| match mark {
                Mark::Rect("cl-behind", [_, _, width, ..]) => Some(*width),
                _ => None,
            })
            .collect();
        assert_eq!(distances.len(), 1, "only etcd-1 is behind");
        assert!(distances[0] > 10.0);
    }

    #[test]
    fn no_lane_crosses_the_label_of_a_member() {
        let all = scene(&fixture::partitioned(), 600.0, 0.6);
        let lanes: Vec<_> = all
            .iter()
            .filter_map(|mark| match mark {
                Mark::Line("cl-lane", [from, _, to, y]) => Some((*from, *to, *y)),
                _ => None,
            })
            .collect();
        let label = all.iter().find_map(|mark| match mark {
            Mark::Text("cl-revision is-left", [end, y], label) => Some((*end, *y, label)),
            _ => None,
        });
        let (end, y, label) = label.expect("etcd-1 is behind");
        let start = end - label.len() as f64 * 0.6 * marks::FONT;
        let crosses = |lane: &&(f64, f64, f64)| (lane.2 - y).abs() < LANE / 2.0 && lane.1 > start;
        assert_eq!(lanes.iter().filter(crosses).count(), 0, "{lanes:?}");
    }
}
