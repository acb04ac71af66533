//! The Cluster view at the cursor: members with their logs, the quorum of a read, and the check of the responses that
//! clients received.

use std::collections::BTreeSet;

use crate::support::session_after;
use watchglass_engine::api::Profile;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Notification, SeekTo, ToEngine};
use watchglass_engine::view::cluster::{
    MemberPart, MemberState, OperationOutcome, OperationsVerdict,
};
use watchglass_engine::view::{ClusterQuery, ClusterView, Queries};

fn view(session: &mut Session) -> ClusterView {
    let queries = Queries {
        cluster: Some(Box::new(ClusterQuery::default())),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    *session.views().cluster.expect("the view was requested")
}

fn after(lines: &[&str]) -> Session {
    let mut session = session_after(Profile::V3_6, &["world members=3 seed=7", "run 3s"]);
    for line in lines {
        session.exec(line);
    }
    session
}

fn labels(view: &ClusterView, member: usize) -> Vec<(u64, &str)> {
    let entries = view.members[member].entries.iter();
    entries.map(|e| (e.term, &*e.label)).collect()
}

#[test]
fn a_single_member_has_no_log() {
    let mut session = session_after(Profile::V3_6, &["put a 1"]);
    let view = view(&mut session);
    assert_eq!(view.members.len(), 1);
    assert!(view.members[0].entries.is_empty() && view.history.is_none());
}

#[test]
fn a_single_member_shows_the_term_of_its_responses() {
    let mut session = session_after(Profile::V3_6, &["put a 1"]);
    assert_eq!(view(&mut session).members[0].term, 2);
    session.exec("stop etcd");
    session.exec("start etcd");
    assert_eq!(view(&mut session).members[0].term, 3);
}

#[test]
fn both_sides_of_a_partition_show_their_own_log() {
    let mut session = after(&[
        "put a 1",
        "fault partition etcd-1",
        "put a lost",
        "put a 2 --endpoints=etcd-2",
        "get a --endpoints=etcd-2",
    ]);
    let view = view(&mut session);
    let states: Vec<MemberState> = view.members.iter().map(|m| m.state).collect();
    use MemberState::{Follower, Leader, PreCandidate};
    assert_eq!(states, [PreCandidate, Follower, Leader]);
    assert_eq!(labels(&view, 0).last(), Some(&(2, "a=lost")));
    let newest = labels(&view, 2);
    assert_eq!(newest[newest.len() - 2..], [(3, "elected"), (3, "a=2")]);
    let isolated = &view.members[0];
    assert_eq!((isolated.committed, isolated.last), (8, 9));
    assert_eq!(isolated.leader, None);
    assert_eq!(view.cuts, [[0, 1], [0, 2], [1, 0], [2, 0]]);

    let read = view.read.expect("a leader was asked about a read");
    assert_eq!((read.leader, read.member), (2, 1));
    assert!(read.is_confirmed);
    assert_eq!(
        read.confirmed_by,
        [1, 2],
        "the isolated member confirms nothing"
    );
}

#[test]
fn the_history_has_an_order_without_the_lost_write() {
    let mut session = after(&[
        "put a 1",
        "fault partition etcd-1",
        "put a lost",
        "put a 2 --endpoints=etcd-2",
        "get a --consistency=s",
        "get a --endpoints=etcd-3",
    ]);
    let history = view(&mut session).history.expect("operations");
    assert_eq!(history.key, "a");
    assert_eq!(history.verdict, OperationsVerdict::Linearizable);
    let operations = history.operations.iter();
    let seen: Vec<(&str, OperationOutcome, Option<u32>)> = operations
        .map(|o| (&*o.label, o.outcome, o.place))
        .collect();
    assert_eq!(
        seen,
        [
            ("put 1", OperationOutcome::Done, Some(1)),
            ("put lost", OperationOutcome::Open, None),
            ("put 2", OperationOutcome::Done, Some(2)),
            ("get 1", OperationOutcome::Serializable, None),
            ("get 2", OperationOutcome::Done, Some(3)),
        ]
    );
}

#[test]
fn a_key_that_a_transaction_writes_is_not_checked() {
    for others in [&["txn", "", "put a 2", "", ""][..], &["del --prefix a"]] {
        let lines = [&["put a 1"], others, &["get a"]].concat();
        let history = view(&mut after(&lines)).history.expect("operations");
        assert_eq!(
            history.operations.len(),
            2,
            "the other request is not in the history"
        );
        assert_eq!(history.verdict, OperationsVerdict::WrittenOtherwise);
    }
}

#[test]
fn the_view_belongs_to_the_cursor() {
    let mut session = after(&["put a 1", "put a 2"]);
    let end = view(&mut session).history.expect("operations");
    assert_eq!(end.operations.len(), 2);
    session.seek(SeekTo::Step(0));
    assert!(
        view(&mut session).history.is_none(),
        "no operation has begun"
    );
}

#[test]
fn a_write_passes_the_parts_of_its_member() {
    let mut session = after(&[]);
    let before = session.cursor();
    session.exec("put a 1 --endpoints=etcd-2");
    let end = session.cursor();
    let mut used: [Vec<MemberPart>; 3] = Default::default();
    for step in before + 1..=end {
        session.seek(SeekTo::Step(step));
        for (all, member) in used.iter_mut().zip(view(&mut session).members) {
            all.extend(member.inside.active);
        }
    }
    let used = used.map(|parts| parts.into_iter().collect::<BTreeSet<MemberPart>>());
    use MemberPart::{Api, Apply, Mvcc, Raft};
    assert_eq!(used[1], [Api, Raft, Apply, Mvcc].into());
    assert_eq!(
        used[0],
        [Raft, Apply, Mvcc].into(),
        "the leader has no client"
    );
}

/// Returns the name of each node around the members with its state, and its connections: the server, the number of
/// watches, and whether the connection is open.
fn around(view: &ClusterView) -> Vec<String> {
    let peers = view.peers.iter().map(|peer| {
        let connections = peer.connections.iter().map(|to| {
            let open = if to.is_open { "open" } else { "closed" };
            format!(" -> {} {} {open}", to.to, to.watches)
        });
        let (name, state) = (&peer.name, &peer.state);
        let ready = format!("{}/{}", peer.caches_ready, peer.caches);
        let connections: String = connections.collect();
        format!("{name} x{} {ready} {state}{connections}", peer.count)
    });
    peers.collect()
}

#[test]
fn the_nodes_around_the_members_have_the_connections_of_the_world() {
    let mut session = session_after(Profile::V3_6, &["put a 1"]);
    assert!(view(&mut session).peers.is_empty(), "only the terminal");
    for line in [
        "apiserver api-1",
        "run 1s",
        "informer pods as i1 --server=api-1",
        "kubelets 4 as fleet --every=1s --server=api-1",
        "watch /registry --prefix as w1",
        "run 1s",
        "pause i1",
    ] {
        session.exec(line);
    }
    let now = view(&mut session);
    assert_eq!(
        around(&now),
        [
            "api-1 x1 1/1  -> etcd 1 open",
            "w1 x1 0/0  -> etcd 1 open",
            "etcdctl x1 0/0  -> etcd 0 open",
            "i1 x1 0/0 paused -> api-1 1 open",
            "fleet x4 0/0  -> api-1 0 open",
        ]
    );
    let fleet = now.peers.last().expect("the kubelets");
    assert!(!fleet.connections[0].asked.is_empty());
    session.exec("stop api-1");
    let stopped = around(&view(&mut session));
    assert_eq!(stopped[0], "api-1 x1 0/0 stopped -> etcd 0 closed");
    assert!(
        stopped
            .iter()
            .filter(|peer| peer.ends_with("-> api-1 0 closed"))
            .count()
            == 2
    );
}

#[test]
fn many_similar_clients_are_one_node() {
    let mut session = session_after(Profile::V3_6, &["load l /a --puts=10 --clients=8"]);
    session.exec("run 1s");
    let peers = view(&mut session).peers;
    let load = peers.iter().find(|peer| peer.role == "load");
    assert_eq!(load.map(|load| (load.count, &*load.name)), Some((8, "")));
}
