//! The map of the members: a node for each member on a circle, and a line for each link. A line that the user draws
//! across the map cuts all links between the members on its two sides.

use std::f64::consts::TAU;

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::MemberState;
use web_sys::Element;
use yew::prelude::*;

use crate::draw::marks::{self, Mark, path};
use crate::draw::surface::num;
use crate::state::Action;
use crate::store::StoreHandle;
use crate::words::cluster as words;

/// The width of the map, in pixels.
pub const WIDTH: f64 = 216.0;
/// The radius of the node of a member, in pixels.
const NODE: f64 = 25.0;
/// Half of the size of the cross that marks a cut link.
const CUT: f64 = 5.0;
/// The minimum length of a line that cuts links, in pixels. A shorter line counts as a click.
const LINE_MIN: f64 = 24.0;

type Point = (f64, f64);

/// The circle on which the nodes are.
struct Ring {
    radius: f64,
    /// The y coordinate of the centre.
    middle: f64,
    /// The height of the map.
    height: f64,
}

/// Returns the circle for a number of members. With three members, no node is in the lowest part of the circle. With
/// more members, the circle is larger, so that no member's state is drawn above the map or beside another node.
fn ring(count: usize) -> Ring {
    let (radius, middle, height) = match count {
        1 | 3 => (68.0, 112.0, 196.0),
        _ => (74.0, 117.0, 236.0),
    };
    Ring {
        radius,
        middle,
        height,
    }
}

/// Returns the centre of a node. The first node is at the top.
fn place(at: usize, count: usize) -> Point {
    let Ring { radius, middle, .. } = ring(count);
    let angle = TAU * (at as f64 / count as f64 - 0.25);
    (
        WIDTH / 2.0 + radius * angle.cos(),
        middle + radius * angle.sin(),
    )
}

fn between(a: Point, b: Point, share: f64) -> Point {
    (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share)
}

/// Lays out the map of the members: a node for each member, and the links between them.
fn scene(view: &ClusterView) -> Vec<Mark> {
    let count = view.members.len();
    let is_cut = |from: usize, to: usize| view.cuts.contains(&[from as u32, to as u32]);
    let mut all = Vec::new();
    for to in 1..count {
        for from in 0..to {
            let (a, b) = (place(from, count), place(to, count));
            let (there, back) = (is_cut(from, to), is_cut(to, from));
            let class = if there || back {
                "cl-link is-cut"
            } else {
                "cl-link"
            };
            all.push(Mark::Line(class, [a.0, a.1, b.0, b.1]));
            // The mark of a link that is cut in one direction is near the receiver.
            let share = match (there, back) {
                (true, true) => 0.5,
                (true, false) => 0.66,
                (false, true) => 0.34,
                (false, false) => continue,
            };
            let (x, y) = between(a, b, share);
            all.push(Mark::Path(
                "cl-cut",
                path(&[
                    ("M", &[x - CUT, y - CUT]),
                    ("L", &[x + CUT, y + CUT]),
                    ("M", &[x + CUT, y - CUT]),
                    ("L", &[x - CUT, y + CUT]),
                ]),
            ));
        }
    }
    for (at, member) in view.members.iter().enumerate() {
        let (x, y) = place(at, count);
        let circle = |radius: f64| [x - radius, y - radius, 2.0 * radius, 2.0 * radius, radius];
        let read = view.read.as_ref();
        if read.is_some_and(|read| read.confirmed_by.contains(&(at as u32))) {
            all.push(Mark::Rect("cl-confirms", circle(NODE + 4.0)));
        }
        let (node, name) = match member.state {
            MemberState::Leader => ("cl-node is-leader", "cl-node-name is-leader"),
            MemberState::Follower | MemberState::Learner => ("cl-node", "cl-node-name"),
            MemberState::PreCandidate | MemberState::Candidate => {
                ("cl-node is-candidate", "cl-node-name")
            }
            MemberState::Paused => ("cl-node is-paused", "cl-node-name is-off"),
            MemberState::Stopped => ("cl-node is-stopped", "cl-node-name is-off"),
        };
        all.push(Mark::Rect(node, circle(NODE)));
        all.push(Mark::Text(name, (x, y + 4.0).into(), member.name.clone()));
        let below = match y > ring(count).middle + 1.0 || count == 1 {
            true => y + NODE + 15.0,
            false => y - NODE - 8.0,
        };
        let state = words::state(member.state).to_owned();
        all.push(Mark::Text("cl-node-state", (x, below).into(), state));
    }
    all
}

/// Returns the command that cuts all links between the two sides of a line; `None` if all members are on one side, or
/// if the line is too short.
fn cut(view: &ClusterView, (a, b): (Point, Point)) -> Option<String> {
    if (b.0 - a.0).hypot(b.1 - a.1) < LINE_MIN {
        return None;
    }
    let count = view.members.len();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (at, member) in view.members.iter().enumerate() {
        let (x, y) = place(at, count);
        let side = (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0);
        match side < 0.0 {
            true => left.push(&*member.name),
            false => right.push(&*member.name),
        }
    }
    // The command cuts the named members off from all others, so the smaller side is enough.
    let smaller = match left.len() <= right.len() {
        true => left,
        false => right,
    };
    (!smaller.is_empty()).then(|| ["fault partition ", &smaller.join(" ")].concat())
}

#[derive(Clone, PartialEq, Properties)]
pub struct MapProps {
    /// The store of the page.
    pub store: StoreHandle,
}

/// Renders the map.
#[component]
pub fn Map(props: &MapProps) -> Html {
    let node = use_node_ref();
    let line = use_state_eq(|| None::<(Point, Point)>);
    let store = &props.store;
    let Some(view) = store.views.cluster.as_deref() else {
        return html! {};
    };
    let at = {
        let node = node.clone();
        move |event: &PointerEvent| {
            let bounds = node.cast::<Element>()?.get_bounding_client_rect();
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            Some((x - bounds.left(), y - bounds.top()))
        }
    };
    let on_down = {
        let (line, at, node) = (line.clone(), at.clone(), node.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some(element), Some(point)) = (node.cast::<Element>(), at(&event)) {
                element.set_pointer_capture(event.pointer_id()).ok();
                line.set(Some((point, point)));
            }
        })
    };
    let on_move = {
        let (line, at) = (line.clone(), at.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some((from, _)), Some(point)) = (*line, at(&event)) {
                line.set(Some((from, point)));
            }
        })
    };
    let on_up = {
        let (line, store) = (line.clone(), store.clone());
        Callback::from(move |_: PointerEvent| {
            let view = store.views.cluster.as_deref();
            if let Some(command) = line.and_then(|line| cut(view?, line)) {
                store.dispatch(Action::Do(Act::Type(command)));
            }
            line.set(None);
        })
    };
    let on_cancel = {
        let line = line.clone();
        Callback::from(move |_: PointerEvent| line.set(None))
    };
    let drawn = line.map(|(a, b)| Mark::Line("cl-drawn", [a.0, a.1, b.0, b.1]));
    let is_readonly = store.ui.is_readonly();
    let height = num(ring(view.members.len()).height);
    html! {
        <div class="cl-map">
            <svg ref={node} class={classes!("cl-svg", (!is_readonly).then_some("is-drawable"))} aria-hidden="true"
                width={num(WIDTH)} {height} onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up}
                onpointercancel={on_cancel}>
                { marks::draw(&scene(view)) }
                { for drawn.iter().map(|line| marks::draw(std::slice::from_ref(line))) }
            </svg>
            if !is_readonly {
                <p class="cl-hint">{ words::DRAW_A_LINE }</p>
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_line_separates_the_members_on_its_sides() {
        let view = fixture::partitioned();
        let below_the_first = ((10.0, 80.0), (206.0, 80.0));
        assert_eq!(
            cut(&view, below_the_first).as_deref(),
            Some("fault partition etcd-1")
        );
        let above_all = ((10.0, 2.0), (206.0, 2.0));
        assert_eq!(cut(&view, above_all), None);
        let a_click = ((10.0, 80.0), (14.0, 80.0));
        assert_eq!(cut(&view, a_click), None);
    }

    #[test]
    fn each_cut_link_has_a_mark() {
        let mut view = fixture::partitioned();
        let cuts = |view: &ClusterView| {
            let all = scene(view);
            let is_cut = |mark: &&Mark| matches!(mark, Mark::Path("cl-cut", _));
            all.iter().filter(is_cut).count()
        };
        assert_eq!(cuts(&view), 2, "both directions of a link share one mark");
        view.cuts.clear();
        assert_eq!(cuts(&view), 0);
    }

    #[test]
    fn the_state_of_a_member_is_in_the_map_and_beside_the_other_nodes() {
        let one = fixture::partitioned();
        for count in 1..=7 {
            let mut view = one.clone();
            let mut member = view.members[0].clone();
            member.state = MemberState::PreCandidate;
            view.members = vec![member; count];
            view.cuts.clear();
            let all = scene(&view);
            for mark in &all {
                let Mark::Text("cl-node-state", [x, y], said) = mark else {
                    continue;
                };
                let half = crate::draw::text::cells(said) as f64 * 6.6 / 2.0;
                assert!(*y >= 9.0 && *y <= ring(count).height - 3.0, "{count}: {y}");
                // The nodes of more than five members are closer together.
                for at in (0..count).filter(|_| count <= 5) {
                    let (cx, cy) = place(at, count);
                    let dx = (cx - x).abs() - half;
                    let dy = (cy - (y - 4.0)).abs() - 5.0;
                    assert!(
                        dx.max(0.0).hypot(dy.max(0.0)) >= NODE,
                        "{count}: {x} {y}, {at}"
                    );
                }
            }
        }
    }
}
