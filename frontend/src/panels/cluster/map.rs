//! The map of the members: a node for each member on a circle, and a line for each link. A line that the user draws
//! across the map cuts all links between the members on its two sides. If API servers or clients use the members, the
//! members are in a row, and the other nodes are below them ([`peers`]).

use std::f64::consts::TAU;
use std::rc::Rc;

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{MemberState, PeerKind};
use web_sys::Element;
use yew::prelude::*;

use super::peers::{self, PlacedPeer};
use crate::draw::marks;
use crate::draw::shapes::cross;
use crate::draw::surface::num;
use crate::draw::{Font, Identity, Mark, Marks, Point, Segment, order, pt, svg_path};
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::words::cluster as words;

pub const WIDTH: f64 = 216.0;
/// The radius of the node of a member, in pixels.
const NODE: f64 = 25.0;
/// Half of the size of the cross that marks a cut link.
const CUT: f64 = 5.0;
/// The minimum length of a line that cuts links, in pixels. A shorter line counts as a click.
const LINE_MIN: f64 = 24.0;

/// The height of the curve between two members of a row, for each member that the curve passes.
const CURVE: f64 = 16.0;
/// The maximum distance between two members of a row.
const APART: f64 = 170.0;

pub struct Spots {
    pub members: Vec<Point>,
    is_row: bool,
    /// A state is written above the nodes at or above this y coordinate, and below the other nodes.
    middle: f64,
    pub height: f64,
    /// The left edge of the space beside a row.
    pub right: f64,
}

impl Spots {
    fn new(view: &ClusterView, width: f64) -> Self {
        match view.peers.is_empty() {
            true => Self::ring(view.members.len()),
            false => Self::row(view, width),
        }
    }

    fn ring(count: usize) -> Self {
        let Ring { middle, height, .. } = ring(count);
        Self {
            members: (0..count).map(|at| place(at, count)).collect(),
            is_row: false,
            middle: if count == 1 { 0.0 } else { middle },
            height,
            right: WIDTH,
        }
    }

    /// Returns the places of the members in a row at the top of a map. A second etcd has a place at the end of the row.
    pub fn row(view: &ClusterView, width: f64) -> Self {
        let count = view.members.len();
        let has_more = view
            .peers
            .iter()
            .any(|peer| peer.kind == PeerKind::EventsEtcd);
        let beside = if has_more { peers::BOX_WIDTH.0 } else { 0.0 };
        let apart = ((width - beside) / count as f64).min(APART);
        let left = (width - beside - apart * count as f64) / 2.0;
        let x = |at: usize| left + apart * (at as f64 + 0.5);
        let top = CURVE * count.saturating_sub(2) as f64;
        let y = top + NODE + 6.0;
        Self {
            members: (0..count).map(|at| pt(x(at), y)).collect(),
            is_row: true,
            middle: 0.0,
            // The states of members that are close together have two lines.
            height: y + NODE + if apart < 100.0 { 36.0 } else { 20.0 },
            right: x(count) - apart / 2.0,
        }
    }

    /// Returns the curve of a link, and the point at a share of its length.
    fn link(&self, from: usize, to: usize, share: f64) -> (Option<Point>, Point) {
        let (a, b) = (self.members[from], self.members[to]);
        let passed = from.abs_diff(to) - 1;
        if !self.is_row || passed == 0 {
            return (None, a.towards(b, share));
        }
        let top = a
            .towards(b, 0.5)
            .moved(0.0, -2.0 * (NODE + CURVE * passed as f64 - 4.0));
        let at = a.towards(top, share).towards(top.towards(b, share), share);
        (Some(top), at)
    }
}

struct Ring {
    radius: f64,
    middle: f64,
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
    pt(
        WIDTH / 2.0 + radius * angle.cos(),
        middle + radius * angle.sin(),
    )
}

/// Lays out the map of the members: a node for each member, and the links between them.
fn scene(view: &ClusterView, spots: &Spots) -> Marks {
    let count = view.members.len();
    let is_cut = |from: usize, to: usize| view.cuts.contains(&[from as u32, to as u32]);
    let mut all = Marks::default();
    for to in 1..count {
        for from in 0..to {
            let (a, b) = (spots.members[from], spots.members[to]);
            let (there, back) = (is_cut(from, to), is_cut(to, from));
            let class = match there || back {
                true => "cl-link is-cut",
                false => "cl-link",
            };
            let of_link = |kind| Identity::new(kind, &format!("{from}-{to}"), order::MESSAGE);
            all.part(of_link("link"), |all| match spots.link(from, to, 0.5).0 {
                None => all.line(class, a, b),
                Some(top) => all.path(class, svg_path!(M a.x, a.y; Q top.x, top.y, b.x, b.y)),
            });
            // The mark of a link that is cut in one direction is near the receiver.
            let share = match (there, back) {
                (true, true) => 0.5,
                (true, false) => 0.66,
                (false, true) => 0.34,
                (false, false) => continue,
            };
            let (_, at) = spots.link(from, to, share);
            all.part(of_link("cut").pops(), |all| {
                all.path("cl-cut", cross(at, CUT, CUT));
            });
        }
    }
    for (at, member) in view.members.iter().enumerate() {
        let middle = spots.members[at];
        let Point { x, y } = middle;
        let read = view.read.as_ref();
        if read.is_some_and(|read| read.confirmed_by.contains(&(at as u32))) {
            let ring = Identity::new("confirms", &member.name, order::WATCHER).pops();
            all.part(ring, |all| {
                all.circle("cl-confirms", middle, NODE + 4.0);
            });
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
        let is_lower = spots.is_row && spots.height > y + NODE + 30.0 && at % 2 == 1;
        let below = match y > spots.middle + 1.0 {
            true if is_lower => y + NODE + 31.0,
            true => y + NODE + 15.0,
            false => y - NODE - 8.0,
        };
        let identity = Identity::new("member", &member.name, order::STORE);
        all.part(identity, |all| {
            all.circle(node, middle, NODE);
            all.label(name, middle, member.name.as_str());
            all.text("cl-node-state", pt(x, below), words::state(member.state));
        });
    }
    all
}

/// Returns the command that cuts all links between the two sides of a line; `None` if all members are on one side, or
/// if the line is too short.
fn cut(view: &ClusterView, spots: &Spots, line: Segment) -> Option<String> {
    if is_click(line) {
        return None;
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (at, member) in view.members.iter().enumerate() {
        let (across, down) = line.size();
        let (x, y) = Segment::new(line.from, spots.members[at]).size();
        let side = across * y - down * x;
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

fn is_click(line: Segment) -> bool {
    let (across, down) = line.size();
    across.hypot(down) < LINE_MIN
}

#[derive(Clone, PartialEq, Properties)]
pub struct MapProps {
    pub store: StoreHandle,
    pub width: f64,
    pub font: Font,
}

#[component]
pub fn Map(props: &MapProps) -> Html {
    let node = use_node_ref();
    let line = use_state_eq(|| None::<Segment>);
    let chosen = use_state_eq(|| None::<usize>);
    let store = &props.store;
    let Some(view) = store.views.cluster.as_deref() else {
        return html! {};
    };
    let at = {
        let node = node.clone();
        move |event: &PointerEvent| {
            let bounds = node.cast::<Element>()?.get_bounding_client_rect();
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            Some(pt(x - bounds.left(), y - bounds.top()))
        }
    };
    let on_down = {
        let (line, at, node) = (line.clone(), at.clone(), node.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some(element), Some(point)) = (node.cast::<Element>(), at(&event)) {
                element.set_pointer_capture(event.pointer_id()).ok();
                line.set(Some(Segment::new(point, point)));
            }
        })
    };
    let on_move = {
        let (line, at) = (line.clone(), at.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some(known), Some(point)) = (*line, at(&event)) {
                line.set(Some(Segment::new(known.from, point)));
            }
        })
    };
    let spots = Rc::new(Spots::new(view, props.width));
    let (placed, height) = match view.peers.is_empty() {
        true => (Vec::new(), spots.height),
        false => peers::layout(view, &spots, props.width),
    };
    let placed = Rc::new(placed);
    let is_drawable = !store.ui.is_readonly() && view.members.len() > 1;
    let on_up = {
        let (line, store, chosen) = (line.clone(), store.clone(), chosen.clone());
        let (spots, placed) = (spots.clone(), placed.clone());
        Callback::from(move |_: PointerEvent| {
            let view = store.views.cluster.as_deref();
            if let Some(drawn) = line.filter(|line| is_click(*line)) {
                let mut all = placed.iter();
                chosen.set(
                    all.find(|peer| peer.area.contains(drawn.from))
                        .map(|peer| peer.at),
                );
            } else if is_drawable
                && let Some(command) = line.and_then(|line| cut(view?, &spots, line))
            {
                store.dispatch(Action::Terminal(TerminalAct::Do(Act::Type(command))));
            }
            line.set(None);
        })
    };
    let on_cancel = {
        let line = line.clone();
        Callback::from(move |_: PointerEvent| line.set(None))
    };
    let drawn = line.filter(|_| is_drawable);
    let is_alone = view.peers.is_empty();
    let width = if is_alone { WIDTH } else { props.width };
    let about = chosen.and_then(|at| view.peers.get(at));
    html! {
        <div class="cl-map">
            <svg ref={node} class={classes!("cl-svg", is_drawable.then_some("is-drawable"))}
                aria-hidden={is_alone.then_some("true")} role={(!is_alone).then_some("group")}
                aria-label={(!is_alone).then_some(words::MAP)} width={num(width)} height={num(height)}
                onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointercancel={on_cancel}>
                { for placed.iter().map(|peer| wires(view, peer)) }
                { marks::draw(&scene(view, &spots)) }
                { for placed.iter().map(|peer| peer_of(view, peer, &chosen, props.font)) }
                { for drawn.map(|line| marks::element(&Mark::Line("cl-drawn", line))) }
            </svg>
            if !is_alone {
                <p class="cl-about" role="status">
                    { about.map_or_else(|| words::CHOOSE.to_owned(), words::peer) }
                </p>
            }
            if is_drawable {
                <p class="cl-hint">{ words::draw_a_line(is_alone) }</p>
            }
        </div>
    }
}

/// Renders the lines from a node to its servers.
fn wires(view: &ClusterView, placed: &PlacedPeer) -> Html {
    let mark = ["wires:", &view.peers[placed.at].name].concat();
    html! { <g data-mark={mark} data-order={order::CLIENT.to_string()}>{ marks::draw(&placed.wires) }</g> }
}

/// Renders the box of a node as a button that shows the connections of the node.
fn peer_of(
    view: &ClusterView,
    placed: &PlacedPeer,
    chosen: &UseStateHandle<Option<usize>>,
    font: Font,
) -> Html {
    let (at, is_chosen) = (placed.at, **chosen == Some(placed.at));
    let peer = &view.peers[at];
    let chosen = chosen.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if matches!(&*event.key(), "Enter" | " ") {
            event.prevent_default();
            chosen.set((!is_chosen).then_some(at));
        }
    });
    html! {
        <g key={at} class="cl-button" data-mark={["peer:", &peer.name].concat()}
            data-order={order::CLIENT.to_string()} role="button" tabindex="0" aria-label={words::peer(peer)}
            aria-pressed={if is_chosen { "true" } else { "false" }} {onkeydown}>
            { marks::draw(&peers::draw(peer, placed, is_chosen, font)) }
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_line_separates_the_members_on_its_sides() {
        let view = fixture::partitioned();
        let ring = Spots::ring(3);
        let below_the_first = Segment::new(pt(10.0, 80.0), pt(206.0, 80.0));
        assert_eq!(
            cut(&view, &ring, below_the_first).as_deref(),
            Some("fault partition etcd-1")
        );
        let above_all = Segment::new(pt(10.0, 2.0), pt(206.0, 2.0));
        assert_eq!(cut(&view, &ring, above_all), None);
        let a_click = Segment::new(pt(10.0, 80.0), pt(14.0, 80.0));
        assert_eq!(cut(&view, &ring, a_click), None);
        let row = Spots::row(&view, 600.0);
        let right_of_the_first = Segment::new(pt(215.0, 2.0), pt(215.0, 90.0));
        assert_eq!(
            cut(&view, &row, right_of_the_first).as_deref(),
            Some("fault partition etcd-1")
        );
    }

    #[test]
    fn each_cut_link_has_a_mark() {
        let mut view = fixture::partitioned();
        let cuts = |view: &ClusterView| scene(view, &Spots::ring(3)).paths("cl-cut").count();
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
            let all = scene(&view, &Spots::ring(count));
            for (Point { x, y }, said) in all.texts("cl-node-state") {
                let half = crate::draw::text::cells(said) as f64 * 6.6 / 2.0;
                assert!(y >= 9.0 && y <= ring(count).height - 3.0, "{count}: {y}");
                // The nodes of more than five members are closer together.
                for at in (0..count).filter(|_| count <= 5) {
                    let node = place(at, count);
                    let dx = (node.x - x).abs() - half;
                    let dy = (node.y - (y - 4.0)).abs() - 5.0;
                    assert!(
                        dx.max(0.0).hypot(dy.max(0.0)) >= NODE,
                        "{count}: {x} {y}, {at}"
                    );
                }
            }
        }
    }
}
