//! The nodes around the members, in rows below them: API servers, the gRPC proxy and clients of etcd. The clients of an
//! API server or of the proxy are below it. A line leads from each node up to each of its servers.

use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{ConnectionView, PeerKind, PeerView};

use super::map::Spots;
use crate::draw::{Font, Marks, Point, Rect, pt, svg_path, text};
use crate::words::cluster as words;

/// The minimum and the maximum width of a box, in pixels.
pub const BOX_WIDTH: (f64, f64) = (104.0, 168.0);
/// The height of a box: three lines of text.
const BOX_HEIGHT: f64 = 52.0;
/// The space between two columns. The lines to the boxes of lower rows are in this space.
const GAP: f64 = 14.0;
/// The space between two boxes of a column.
const BELOW: f64 = 10.0;
/// The space for the lines between two kinds of nodes.
const TIER: f64 = 40.0;
/// The distance between the ends of several lines at one box.
const FAN: f64 = 12.0;

pub struct PlacedPeer {
    /// The position in [`ClusterView::peers`].
    pub at: usize,
    pub area: Rect,
    /// The lines to the servers.
    pub wires: Marks,
}

impl PlacedPeer {
    fn new(at: usize, left: f64, top: f64, width: f64) -> PlacedPeer {
        PlacedPeer {
            at,
            area: Rect::new(left, top, width, BOX_HEIGHT),
            wires: Marks::default(),
        }
    }

    fn middle(&self) -> f64 {
        self.area.x + self.area.width / 2.0
    }

    fn bottom(&self) -> Point {
        pt(self.middle(), self.area.bottom())
    }
}

pub fn wire_class(connection: &ConnectionView) -> &'static str {
    match (connection.is_open, connection.watches) {
        (false, _) => "cl-wire is-closed",
        (true, 0) => "cl-wire",
        (true, _) => "cl-wire is-watching",
    }
}

/// Lays out the nodes for a map of this width, and returns the height of the map.
pub fn layout(view: &ClusterView, spots: &Spots, width: f64) -> (Vec<PlacedPeer>, f64) {
    let peers = || view.peers.iter().enumerate();
    let is_client_of = |peer: &PeerView, server: &PeerView| {
        let first = peer.connections.first();
        let has_clients = matches!(server.kind, PeerKind::ApiServer | PeerKind::Proxy);
        has_clients && first.is_some_and(|to| to.to == server.name)
    };
    let has_server = |peer| peers().any(|(_, server)| is_client_of(peer, server));
    // The heads of the columns. A client of API servers that has sent no request yet is a head, too.
    let mut heads: Vec<(usize, Vec<usize>)> = peers()
        .filter(|(_, peer)| peer.kind != PeerKind::EventsEtcd)
        .filter(|(_, peer)| !has_server(peer))
        .map(|(at, head)| {
            let clients = peers().filter(|(_, peer)| is_client_of(peer, head));
            (at, clients.map(|(at, _)| at).collect())
        })
        .collect();
    // A client of members that also uses the proxy stands beside it, so its line passes behind no other node.
    let proxy = |(at, _): &(usize, Vec<usize>)| view.peers[*at].kind == PeerKind::Proxy;
    if let Some(proxy) = heads.iter().position(proxy) {
        let name = &view.peers[heads[proxy].0].name;
        let uses = |at: usize| view.peers[at].connections.iter().any(|to| to.to == *name);
        heads[proxy + 1..].sort_by_key(|(at, _)| !uses(*at));
    }
    let columns = ((width + GAP) / (BOX_WIDTH.0 + GAP)).floor().max(1.0) as usize;
    let spans = spans(&heads, columns);
    let columns = spans.iter().sum::<usize>().min(columns);
    let room = (width - GAP * columns as f64) / columns as f64;
    let each = room.clamp(BOX_WIDTH.0, BOX_WIDTH.1);
    let margin = (width - (each + GAP) * columns as f64).max(0.0) / 2.0 + GAP;
    let left = |column: usize| margin + (each + GAP) * column as f64;
    let first_top = spots.height + TIER;
    let (mut all, mut top, mut column, mut height) = (Vec::new(), first_top, 0, 0.0_f64);
    for ((at, clients), span) in heads.into_iter().zip(spans) {
        if column + span > columns {
            (column, top) = (0, top + height + TIER);
            height = 0.0;
        }
        let middle = f64::midpoint(left(column), left(column + span - 1));
        let head = PlacedPeer::new(at, middle, top, each);
        let below = top + BOX_HEIGHT + TIER;
        for (place, at) in clients.iter().enumerate() {
            let row = place / span;
            let (x, y) = (
                left(column + place % span),
                (BOX_HEIGHT + BELOW) * row as f64,
            );
            let mut client = PlacedPeer::new(*at, x, below + y, each);
            let connection = &view.peers[*at].connections[0];
            let trunk = (row > 0).then_some(pt(x - GAP * 0.3, below - 8.0));
            let line = wire(&client, head.bottom(), trunk, 0.0);
            client.wires.path(wire_class(connection), line);
            all.push(client);
        }
        let rows = clients.len().div_ceil(span) as f64;
        let clients = rows * (BOX_HEIGHT + BELOW) + if rows > 0.0 { TIER - BELOW } else { 0.0 };
        height = height.max(BOX_HEIGHT + clients);
        column += span;
        all.push(head);
    }
    // The second etcd is beside the members.
    let events = peers().filter(|(_, peer)| peer.kind == PeerKind::EventsEtcd);
    let beside = spots.height - BOX_HEIGHT - 8.0;
    all.extend(events.map(|(at, _)| PlacedPeer::new(at, spots.right, beside, BOX_WIDTH.0)));
    connect(view, spots, &mut all, first_top);
    (all, top + height + BELOW)
}

/// Returns the number of columns for each head. Servers with many clients get the free columns.
fn spans(heads: &[(usize, Vec<usize>)], columns: usize) -> Vec<usize> {
    let mut spans = vec![1; heads.len()];
    for _ in heads.len()..columns {
        let rows = |at: &usize| heads[*at].1.len().div_ceil(spans[*at]);
        let longest = (0..heads.len()).rev().max_by_key(rows);
        match longest.filter(|at| rows(at) > 1) {
            Some(at) => spans[at] += 1,
            None => break,
        }
    }
    spans
}

/// Adds the lines that do not lead to the API server of the own column.
fn connect(view: &ClusterView, spots: &Spots, all: &mut [PlacedPeer], first_top: f64) {
    let bottom = |name: &str| {
        let member = view.members.iter().position(|member| member.name == name);
        let peer = || all.iter().find(|placed| view.peers[placed.at].name == name);
        match member {
            Some(at) => Some(pt(spots.members[at].x, spots.height)),
            None => peer().map(PlacedPeer::bottom),
        }
    };
    let wires: Vec<Marks> = all
        .iter()
        .map(|placed| {
            let rest = &view.peers[placed.at].connections[placed.wires.len()..];
            let first = placed.wires.len() as f64 - (rest.len() as f64 - 1.0) / 2.0;
            let is_low = placed.area.y > first_top && placed.wires.is_empty();
            let trunk = is_low.then_some(pt(placed.area.x - GAP * 0.7, first_top - 8.0));
            let mut wires = Marks::default();
            for (at, connection) in rest.iter().enumerate() {
                let shift = (first + at as f64) * FAN;
                if let Some(server) = bottom(&connection.to) {
                    let line = wire(placed, server, trunk, shift);
                    wires.path(wire_class(connection), line);
                }
            }
            wires
        })
        .collect();
    for (placed, wires) in all.iter_mut().zip(wires) {
        placed.wires.extend(wires.0);
    }
}

/// Returns the line of a connection, from the node up to its server. With a trunk, the line leaves the box at its left
/// side and goes up between two columns.
fn wire(from: &PlacedPeer, to: Point, trunk: Option<Point>, shift: f64) -> String {
    let (start, area) = (from.middle() + shift, from.area);
    match trunk {
        None => svg_path!(M start, area.y; L to.x, to.y),
        Some(trunk) => {
            svg_path!(M area.x, area.y + BOX_HEIGHT / 2.0; H trunk.x; V trunk.y; L to.x, to.y)
        }
    }
}

pub fn draw(peer: &PeerView, placed: &PlacedPeer, is_chosen: bool, font: Font) -> Marks {
    let class = match (is_chosen, peer.is_running, peer.state.is_empty()) {
        (true, ..) => "cl-peer is-chosen",
        (_, false, _) => "cl-peer is-off",
        (_, true, false) => "cl-peer is-late",
        (_, true, true) => "cl-peer",
    };
    let role_class = match peer.state.is_empty() {
        true => "cl-node-state",
        false => "cl-node-state is-late",
    };
    let [name, role, connection] = words::peer_lines(peer);
    let name = text::middle(&name, font.cells(placed.area.width - 8.0));
    let at = |line: f64| pt(placed.middle(), placed.area.y + 2.0 + 15.0 * line);
    let mut marks = Marks::default();
    marks.rect(class, placed.area, 5.0);
    marks.text("cl-node-name", at(1.0), name);
    marks.text(role_class, at(2.0), role);
    marks.text("cl-node-state", at(3.0), connection);
    marks
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::draw::Mark;

    fn placed(width: f64) -> (ClusterView, Vec<PlacedPeer>, f64) {
        let view = fixture::surrounded();
        let (all, height) = layout(&view, &Spots::row(&view, width), width);
        (view, all, height)
    }

    #[test]
    fn each_node_has_a_box_of_its_own_in_the_map() {
        for width in [362.0, 560.0, 772.0, 1400.0] {
            let (view, all, height) = placed(width);
            assert_eq!(all.len(), view.peers.len(), "{width}");
            for (at, one) in all.iter().enumerate() {
                let inside = one.area.x >= 0.0 && one.area.right() <= width + 0.1;
                assert!(inside, "{width}: {:?}", one.area);
                assert!(one.bottom().y <= height, "{width}");
                for other in &all[..at] {
                    let is_apart = !one.area.overlaps(other.area);
                    assert!(is_apart, "{width}: {} and {}", one.at, other.at);
                }
            }
        }
    }

    #[test]
    fn a_client_of_a_member_and_of_the_proxy_stands_beside_the_proxy() {
        let mut view = fixture::surrounded();
        let named = |view: &ClusterView, name| view.peers.iter().position(|peer| peer.name == name);
        let terminal = named(&view, "etcdctl").expect("the terminal is in the map");
        // Another client of the members stands before the terminal.
        view.peers.swap(terminal, terminal + 1);
        let connections = &mut view.peers[terminal + 1].connections;
        let to_proxy = ConnectionView {
            to: "grpc-proxy".to_owned(),
            ..connections[0].clone()
        };
        connections.push(to_proxy);
        let width = 1_400.0;
        let (all, _) = layout(&view, &Spots::row(&view, width), width);
        let left = |name| {
            let at = named(&view, name);
            let placed = all.iter().find(|placed| Some(placed.at) == at);
            placed.expect("the node has a box").area.x
        };
        let (proxy, terminal) = (left("grpc-proxy"), left("etcdctl"));
        let between = |placed: &&PlacedPeer| proxy < placed.area.x && placed.area.x < terminal;
        assert!(proxy < terminal);
        let row = all
            .iter()
            .filter(|placed| placed.area.y < all[0].area.y + 1.0);
        assert_eq!(row.filter(between).count(), 0);
    }

    #[test]
    fn each_connection_has_a_line_and_its_class_says_what_it_carries() {
        let (view, all, _) = placed(772.0);
        for one in &all {
            let peer = &view.peers[one.at];
            let classes = peer.connections.iter().map(wire_class);
            let drawn = one.wires.iter().map(|wire| match wire {
                Mark::Path(class, _) => *class,
                _ => "",
            });
            assert!(classes.eq(drawn), "{}", peer.name);
        }
        let is_closed = |one: &&PlacedPeer| one.wires.paths("cl-wire is-closed").count() > 0;
        assert_eq!(all.iter().filter(is_closed).count(), 1);
    }
}
