//! The rules of raft about changes of the members: which members count, and when a change is possible.
//!
//! etcd's raft library tests most of these rules in `confchange/testdata` and `testdata/confchange_v1_*.txt`.

use watchglass_engine::raft::{
    ConfChange, ConfState, LogMark, LoggedEntry, RaftId, RaftNode, RaftPayload, RaftRole,
    ReadContext,
};

use crate::raft::{Cluster, Data, config, in_term, message, written};

const TICKS_MAX: u32 = 20;

/// Creates three members; member 1 leads.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster
}

/// Creates three voters and two learners. The links of the leader lead only to the learners.
fn leader_with_learners() -> Cluster {
    let mut cluster = cluster();
    for id in [4, 5] {
        cluster.start(id, 3);
        cluster.propose(1, ConfChange::AddLearnerNode(id));
    }
    cluster.isolate(2);
    cluster.isolate(3);
    cluster
}

fn members(cluster: &Cluster, id: RaftId) -> (&[RaftId], &[RaftId]) {
    let members = cluster.node(id).members();
    (members.voters(), members.learners())
}

#[test]
fn an_added_voter_counts_for_the_quorum() {
    let mut cluster = cluster();
    cluster.isolate(3);
    cluster.propose(1, ConfChange::AddNode(4));
    assert_eq!(
        members(&cluster, 1).0,
        [1, 2, 3, 4],
        "two of three commit the change"
    );
    cluster.propose(1, 5);
    assert!(cluster.applied(1).is_empty(), "two of four commit nothing");
    cluster.start(4, 3);
    cluster.tick(&[1], 5);
    for id in [1, 2, 4] {
        assert_eq!(cluster.applied(id), [5]);
        assert_eq!(members(&cluster, id).0, [1, 2, 3, 4]);
    }
}

#[test]
fn a_learner_receives_the_log_but_does_not_count_for_the_quorum() {
    let mut cluster = cluster();
    cluster.start(4, 3);
    cluster.propose(1, ConfChange::AddLearnerNode(4));
    cluster.propose(1, 5);
    assert_eq!(cluster.applied(4), [5]);
    cluster.isolate(2);
    cluster.isolate(3);
    cluster.propose(1, 6);
    assert_eq!(cluster.node(4).log().last(), cluster.node(1).log().last());
    assert_eq!(
        cluster.applied(1),
        [5],
        "the acknowledgement of a learner commits nothing"
    );
}

#[test]
fn a_learner_is_never_a_candidate_but_votes() {
    let mut cluster = cluster();
    cluster.start(4, 3);
    cluster.propose(1, ConfChange::AddLearnerNode(4));
    cluster.isolate(4);
    cluster.tick(&[4], 5 * TICKS_MAX);
    assert_eq!(
        (cluster.node(4).role(), cluster.node(4).term()),
        (RaftRole::Follower, 1)
    );
    cluster
        .node_mut(4)
        .step(message(4, 1, 1, RaftPayload::TimeoutNow));
    assert_eq!(cluster.node(4).role(), RaftRole::Follower);
    let vote = RaftPayload::Vote {
        last: cluster.node(4).log().last(),
        pre: false,
        transfer: true,
    };
    cluster.node_mut(4).step(message(2, 4, 2, vote));
    let ready = cluster.node_mut(4).ready().unwrap();
    let granted = RaftPayload::VoteReply {
        pre: false,
        granted: true,
    };
    assert_eq!(ready.messages_after_sync[0].payload, granted);
}

#[test]
fn a_promoted_learner_counts_and_can_lead() {
    let mut cluster = cluster();
    cluster.start(4, 3);
    cluster.propose(1, ConfChange::AddLearnerNode(4));
    cluster.propose(1, ConfChange::AddNode(4));
    assert_eq!(members(&cluster, 4), (&[1, 2, 3, 4][..], &[][..]));
    cluster.isolate(3);
    cluster.propose(1, 5);
    assert_eq!(cluster.applied(4), [5]);
    cluster.node_mut(1).transfer_leader(4);
    cluster.settle();
    assert_eq!(cluster.leaders(), [4]);
}

#[test]
fn the_leadership_is_not_transferred_to_a_learner() {
    let mut cluster = cluster();
    cluster.start(4, 3);
    cluster.propose(1, ConfChange::AddLearnerNode(4));
    cluster.node_mut(1).transfer_leader(4);
    cluster.settle();
    assert_eq!(
        (cluster.leaders(), cluster.node(1).transferee()),
        (vec![1], None)
    );
}

#[test]
fn a_second_change_waits_until_the_first_change_is_applied() {
    let mut cluster = cluster();
    cluster.isolate(1);
    cluster.propose(1, ConfChange::AddNode(4));
    cluster.propose(1, ConfChange::AddNode(5));
    let data: Vec<_> = cluster
        .node(1)
        .log()
        .after(1)
        .map(|e| e.data.clone())
        .collect();
    let first = Data::Change(ConfChange::AddNode(4));
    assert_eq!(
        data,
        [Some(first), None],
        "an empty entry takes the place of the second change"
    );
    cluster.heal();
    cluster.tick(&[1], 2);
    cluster.propose(1, ConfChange::RemoveNode(3));
    assert_eq!(members(&cluster, 1).0, [1, 2, 4]);
}

#[test]
fn a_change_that_is_delivered_but_not_applied_is_pending() {
    let mut node: RaftNode<Data> = RaftNode::new(config(1, 1), 7);
    while !node.is_leader() {
        node.tick();
    }
    while node.ready().is_some() {
        node.advance();
    }
    node.propose(ConfChange::AddLearnerNode(2).into()).unwrap();
    while node.ready().is_some_and(|ready| ready.committed.is_empty()) {
        node.advance();
    }
    node.propose(ConfChange::AddLearnerNode(3).into()).unwrap();
    let last = node.log().after(0).last().unwrap();
    assert_eq!(
        last.data, None,
        "the member is still applying the first change"
    );
}

#[test]
fn a_new_leader_refuses_changes_until_it_has_applied_the_entries_of_older_terms() {
    let wal = written(&[1, 1], in_term(1));
    let mut node = RaftNode::restart(config(1, 3), 7, &wal, 0);
    while node.role() != RaftRole::Candidate {
        node.tick();
    }
    let granted = RaftPayload::VoteReply {
        pre: false,
        granted: true,
    };
    node.step(message(2, 1, 2, granted));
    assert!(node.is_leader());
    let propose = |node: &mut RaftNode<Data>| {
        node.propose(ConfChange::RemoveNode(3).into()).unwrap();
        let last = node.log().after(0).last().unwrap();
        last.data.is_some()
    };
    assert!(!propose(&mut node), "the entries of term 1 are not applied");
    node.ready().unwrap();
    node.advance();
    let index = node.log().last().index;
    node.step(message(2, 1, 2, RaftPayload::Appended { index }));
    while node.ready().is_some() {
        node.advance();
    }
    assert!(propose(&mut node));
}

#[test]
fn a_removed_member_no_longer_counts() {
    let mut cluster = cluster();
    cluster.isolate(3);
    cluster.propose(1, ConfChange::RemoveNode(3));
    cluster.isolate(2);
    cluster.propose(1, 5);
    assert!(cluster.applied(1).is_empty(), "one of two commits nothing");
    cluster.heal();
    cluster.isolate(3);
    cluster.tick(&[1], 2);
    assert_eq!(
        (cluster.applied(1), cluster.applied(2)),
        (&[5][..], &[5][..])
    );
    assert!(cluster.node(3).log().last() < cluster.node(1).log().last());
}

#[test]
fn a_member_that_applied_its_removal_is_never_a_candidate() {
    let mut cluster = cluster();
    cluster.propose(1, ConfChange::RemoveNode(3));
    // Member 3 received the entry, but the leader stops to send messages before member 3 learns of the commit.
    let node = cluster.node_mut(3);
    let commit = node.log().last().index;
    node.step(message(
        1,
        3,
        1,
        RaftPayload::Heartbeat { commit, read: None },
    ));
    cluster.settle();
    assert_eq!(members(&cluster, 3).0, [1, 2]);
    let term = cluster.node(3).term();
    cluster.tick(&[3], 5 * TICKS_MAX);
    assert_eq!(
        (cluster.node(3).role(), cluster.node(3).term()),
        (RaftRole::Follower, term)
    );
}

#[test]
fn a_removed_leader_appends_nothing_and_the_others_elect_a_leader() {
    let mut cluster = cluster();
    cluster.propose(1, ConfChange::RemoveNode(1));
    assert!(cluster.node_mut(1).propose(5.into()).is_err());
    assert_eq!(members(&cluster, 2).0, [2, 3]);
    cluster.isolate(1);
    cluster.tick(&[2], TICKS_MAX);
    cluster.tick(&[2, 3], TICKS_MAX);
    let leaders = cluster.leaders();
    assert!(leaders.iter().any(|leader| *leader != 1), "{leaders:?}");
}

#[test]
fn a_node_with_an_unapplied_change_starts_no_election() {
    let mut node: RaftNode<Data> = RaftNode::new(config(2, 3), 7);
    let entry = |index, data| LoggedEntry {
        term: 1,
        index,
        data,
    };
    let change = Data::Change(ConfChange::AddNode(4));
    let append = RaftPayload::Append {
        previous: LogMark::default(),
        entries: vec![entry(1, None), entry(2, Some(change))],
        commit: 2,
    };
    node.step(message(1, 2, 1, append));
    for _ in 0..5 * TICKS_MAX {
        node.tick();
    }
    assert_eq!((node.role(), node.term()), (RaftRole::Follower, 1));
    let ready = node.ready().unwrap();
    assert_eq!(ready.entries.len(), 2);
    node.advance();
    assert_eq!(node.ready().unwrap().committed.len(), 2);
    node.apply_conf_change(ConfChange::AddNode(4));
    node.advance();
    for _ in 0..TICKS_MAX {
        node.tick();
    }
    assert_eq!(node.role(), RaftRole::Candidate);
}

#[test]
fn a_snapshot_contains_the_members() {
    let snapshot = |to| {
        let mark = LogMark { term: 1, index: 9 };
        message(1, to, 1, RaftPayload::Snapshot(mark))
    };
    let state = ConfState::of_voters(vec![1, 2]).after(ConfChange::AddLearnerNode(4));
    let mut learner: RaftNode<Data> = RaftNode::new(config(4, 3), 7);
    learner.step_snapshot(snapshot(4), state.clone());
    assert_eq!((learner.members(), learner.log().last().index), (&state, 9));
    let mut stranger: RaftNode<Data> = RaftNode::new(config(3, 3), 7);
    stranger.step_snapshot(snapshot(3), state);
    assert_eq!(
        stranger.log().last().index,
        0,
        "the snapshot is of a cluster without member 3"
    );
}

#[test]
fn a_quorum_of_learners_keeps_no_leader() {
    let mut cluster = leader_with_learners();
    cluster.tick(&[1], TICKS_MAX);
    assert!(
        cluster.leaders().is_empty(),
        "CheckQuorum counts only voters"
    );
}

#[test]
fn a_read_is_not_confirmed_by_learners() {
    let mut cluster = leader_with_learners();
    cluster.node_mut(1).read_index(7);
    cluster.settle();
    assert!(cluster.reads(1).is_empty());
    let confirmation = RaftPayload::HeartbeatReply {
        read: Some(ReadContext {
            member: 1,
            number: 7,
        }),
    };
    cluster.node_mut(1).step(message(2, 1, 1, confirmation));
    cluster.settle();
    assert_eq!(cluster.reads(1), [7]);
}

#[test]
fn a_new_member_has_time_to_reply_before_the_quorum_is_checked() {
    let mut cluster = Cluster::new(1, |_| ());
    cluster.elect(1);
    cluster.tick(&[1], 9);
    cluster.propose(1, ConfChange::AddNode(2));
    cluster.tick(&[1], 1);
    assert_eq!(cluster.leaders(), [1]);
    cluster.tick(&[1], TICKS_MAX);
    assert!(cluster.leaders().is_empty(), "member 2 never replied");
}
