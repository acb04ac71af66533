//! A cluster of three members whose former leader is cut off.

use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{
    ClusterMemberView, LogEntryView, MemberInside, MemberPart, MemberState, OperationOutcome,
    OperationView, OperationsVerdict, OperationsView, QuorumReadView,
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
    }
}
