//! A cluster of three members whose former leader is cut off.

use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{
    ClusterMemberView, ConnectionView, LogEntryView, MemberInside, MemberPart, MemberState,
    OperationOutcome, OperationView, OperationsVerdict, OperationsView, PeerKind, PeerView,
    QuorumReadView,
};

fn entry(index: u64, term: u64, label: &str) -> LogEntryView {
    LogEntryView {
        index,
        term,
        label: label.to_owned(),
    }
}

fn member(name: &str, state: MemberState, term: u64, revision: i64) -> ClusterMemberView {
    let mut entries: Vec<LogEntryView> = (4..8).map(|index| entry(index, 2, "member")).collect();
    entries.push(entry(8, 2, "a=1"));
    match term {
        2 => entries.push(entry(9, 2, "a=lost")),
        _ => entries.push(entry(9, 3, "elected")),
    }
    ClusterMemberView {
        name: name.to_owned(),
        state,
        term,
        leader: (term == 3).then_some(2),
        last: 9,
        committed: if term == 3 { 9 } else { 8 },
        applied: if term == 3 { 9 } else { 8 },
        revision,
        entries,
        inside: MemberInside {
            active: vec![MemberPart::Raft],
            pending: 1,
            keys: 1,
            ..MemberInside::default()
        },
        ..ClusterMemberView::default()
    }
}

fn operation(label: &str, called_us: u64, returned_us: Option<u64>) -> OperationView {
    OperationView {
        client: "etcdctl".to_owned(),
        member: "etcd-1".to_owned(),
        label: label.to_owned(),
        called_us,
        returned_us,
        is_write: label.starts_with("put"),
        ..OperationView::default()
    }
}

/// Returns the cluster with two API servers and clients of both kinds. One API server is stopped.
pub(super) fn surrounded() -> ClusterView {
    let to = |to: &str, watches: u64, asked: &str, is_open: bool| ConnectionView {
        to: to.to_owned(),
        watches,
        asked: asked.to_owned(),
        is_open,
    };
    let peer = |name: &str, kind, role: &str, connections: Vec<ConnectionView>| PeerView {
        name: name.to_owned(),
        kind,
        role: role.to_owned(),
        count: 1,
        is_running: true,
        connections,
        ..PeerView::default()
    };
    use PeerKind::{ApiServer, EtcdClient, EventsEtcd, KubeClient, Proxy};
    let server = |name: &str, connections| PeerView {
        caches: 2,
        caches_ready: 2,
        ..peer(name, ApiServer, "API server", connections)
    };
    let informer = |name: &str| peer(name, KubeClient, "informer", vec![to("api-1", 1, "", true)]);
    let peers = vec![
        server(
            "api-1",
            vec![
                to("etcd-1", 2, "Range /registry/pods*", true),
                to("etcd-events", 1, "", true),
            ],
        ),
        PeerView {
            state: "stopped".to_owned(),
            is_running: false,
            caches_ready: 0,
            ..server("api-2", vec![to("etcd-2", 0, "", false)])
        },
        peer(
            "grpc-proxy",
            Proxy,
            "gRPC proxy",
            vec![to("etcd-2", 0, "Range a", true)],
        ),
        peer(
            "reader",
            EtcdClient,
            "load",
            vec![to("grpc-proxy", 0, "Range a", true)],
        ),
        peer(
            "etcdctl",
            EtcdClient,
            "this terminal",
            vec![to("etcd-3", 0, "PUT a", true)],
        ),
        PeerView {
            count: 20,
            name: String::new(),
            ..peer(
                "",
                EtcdClient,
                "load",
                vec![to("etcd-1", 0, "Range a", true), to("etcd-2", 0, "", true)],
            )
        },
        peer("etcd-events", EventsEtcd, "member", Vec::new()),
        informer("i1"),
        informer("i2"),
        informer("i3"),
        PeerView {
            count: 3_000,
            ..peer(
                "nodes",
                KubeClient,
                "kubelets",
                vec![to("api-1", 0, "list pods", true)],
            )
        },
        peer(
            "kubectl",
            KubeClient,
            "this terminal",
            vec![to("api-1", 0, "get pods", true)],
        ),
    ];
    ClusterView {
        peers,
        ..partitioned()
    }
}

/// Returns the cluster after the election of a new leader.
pub(super) fn partitioned() -> ClusterView {
    ClusterView {
        members: vec![
            member("etcd-1", MemberState::PreCandidate, 2, 2),
            member("etcd-2", MemberState::Follower, 3, 3),
            member("etcd-3", MemberState::Leader, 3, 3),
        ],
        last_index: 9,
        cuts: vec![[0, 1], [0, 2], [1, 0], [2, 0]],
        read: Some(QuorumReadView {
            leader: 2,
            member: 1,
            index: 9,
            confirmed_by: vec![1, 2],
            is_confirmed: true,
        }),
        history: Some(OperationsView {
            key: "a".to_owned(),
            now_us: 9_000,
            operations: vec![
                OperationView {
                    place: Some(1),
                    ..operation("put 1", 1_000, Some(2_000))
                },
                OperationView {
                    outcome: OperationOutcome::Open,
                    ..operation("put lost", 3_000, None)
                },
                OperationView {
                    member: "etcd-2".to_owned(),
                    place: Some(2),
                    ..operation("get 1", 4_000, Some(5_000))
                },
            ],
            older: 0,
            verdict: OperationsVerdict::Linearizable,
        }),
        peers: Vec::new(),
    }
}
