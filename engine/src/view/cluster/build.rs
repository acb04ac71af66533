//! Builds the Cluster view from the world and from the log of operations.

use std::sync::Arc;

use crate::api::log_entry::{ClusterEntry, LogEntry, MemberChange};
use crate::api::{AuthRequest, Request};
use crate::base::bytes::KeyRange;
use crate::base::ids::NodeId;
use crate::etcd::EtcdServer;
use crate::observe::Past;
use crate::raft::{LoggedEntry, RaftId, RaftRole};
use crate::view::names::range;
use crate::words::cluster as words;
use crate::world::World;

use super::connections::peers;
use super::history::operations;
use super::inside::inside;
use super::{
    ClusterMemberView, ClusterQuery, ClusterView, ENTRIES_MAX, LogEntryView, MemberInside,
    MemberState, QuorumReadView,
};

pub fn cluster_view(past: Past<'_>, query: &ClusterQuery) -> ClusterView {
    let world = past.world;
    let members: Vec<(NodeId, &EtcdServer)> = world.members().collect();
    let last = |etcd: &EtcdServer| match etcd.raft() {
        Some(raft) => raft.log().last().index,
        None => etcd.raft_index(),
    };
    let last_index = members.iter().map(|(_, etcd)| last(etcd)).max();
    let last_index = last_index.unwrap_or_default();
    let mut cuts = Vec::new();
    for (from, (sender, _)) in members.iter().enumerate() {
        for (to, (receiver, _)) in members.iter().enumerate() {
            if world.is_cut(*sender, *receiver) {
                cuts.push([from as u32, to as u32]);
            }
        }
    }
    ClusterView {
        last_index,
        cuts,
        read: read(world, &members),
        history: operations(past, query),
        peers: peers(past),
        members: members
            .iter()
            .map(|(node, etcd)| ClusterMemberView {
                inside: inside(*node, etcd, past.events),
                ..member(world, *node, etcd, last_index)
            })
            .collect(),
    }
}

fn member(world: &World, node: NodeId, etcd: &EtcdServer, last_index: u64) -> ClusterMemberView {
    let state = match etcd.raft().map(|raft| raft.role()) {
        _ if !world.runs(node) => MemberState::Stopped,
        _ if world.is_paused(node) => MemberState::Paused,
        None | Some(RaftRole::Leader) => MemberState::Leader,
        Some(_) if etcd.is_learner() => MemberState::Learner,
        Some(RaftRole::Follower) => MemberState::Follower,
        Some(RaftRole::PreCandidate) => MemberState::PreCandidate,
        Some(RaftRole::Candidate) => MemberState::Candidate,
    };
    let (reads_for_quorum, reads_for_store) = etcd.waiting_reads();
    let view = ClusterMemberView {
        name: world.node_name(node),
        state,
        is_disk_full: world.has_full_disk(node),
        term: etcd.raft_term(),
        leader: None,
        last: etcd.raft_index(),
        committed: etcd.raft_index(),
        applied: etcd.raft_index(),
        revision: etcd.store().current_rev(),
        reads_for_quorum: reads_for_quorum as u64,
        reads_for_store: reads_for_store as u64,
        inside: MemberInside::default(),
        entries: Vec::new(),
    };
    let Some(raft) = etcd.raft() else {
        return view;
    };
    let entries = raft.log().after(last_index.saturating_sub(ENTRIES_MAX));
    ClusterMemberView {
        term: raft.term(),
        leader: raft.leader().and_then(|id| place(world, id)),
        last: raft.log().last().index,
        committed: raft.log().committed(),
        entries: entries.map(entry).collect(),
        ..view
    }
}

fn entry(entry: &LoggedEntry<Arc<ClusterEntry>>) -> LogEntryView {
    let label = match entry.data.as_deref().map(|entry| &entry.content) {
        None => words::ELECTED.into(),
        Some(LogEntry::Empty) => words::MEMBER.into(),
        Some(LogEntry::Checkpoint(_)) => words::CHECKPOINT.into(),
        Some(LogEntry::Request(request) | LogEntry::UserRequest(request, _)) => of_request(request),
        Some(LogEntry::Publish(_)) => words::MEMBER.into(),
        Some(LogEntry::MemberChange(change)) => of_change(change).into(),
    };
    LogEntryView {
        index: entry.index,
        term: entry.term,
        label,
    }
}

/// Returns a change of the membership in a few words.
fn of_change(change: &MemberChange) -> &'static str {
    match change {
        MemberChange::Add(member) if member.is_learner => words::ADD_LEARNER,
        MemberChange::Add(_) => words::ADD_MEMBER,
        MemberChange::Remove { .. } => words::REMOVE_MEMBER,
        MemberChange::Update { .. } => words::UPDATE_MEMBER,
        MemberChange::Promote { .. } => words::PROMOTE_MEMBER,
    }
}

/// Returns the content of a request in a few words.
fn of_request(request: &Request) -> String {
    match request {
        Request::As(request) => of_request(&request.request),
        Request::Put(put) => format!("{}={}", put.key.to_text(), put.value.to_text()),
        Request::DeleteRange(delete) => {
            let keys = KeyRange::new(&delete.key, &delete.range_end);
            format!("del {}", range(&keys))
        }
        Request::Range(_) | Request::RangeStream(_) | Request::Txn(_) => "txn".into(),
        Request::Compact(compact) => format!("compact {}", compact.revision),
        Request::LeaseGrant(_) => words::GRANT.into(),
        Request::LeaseRevoke(_) => words::REVOKE.into(),
        Request::Alarm(_) => words::ALARM.into(),
        Request::Authenticate(_) => words::LOGIN.into(),
        Request::Qos(_) => "qos".into(),
        Request::Auth(AuthRequest::AssignToken { .. }) => words::LOGIN.into(),
        Request::Auth(r) => r.method().into(),
        // Members serve these requests without a log entry.
        Request::HashKv(_)
        | Request::Status(_)
        | Request::LeaseKeepAlive(_)
        | Request::LeaseTimeToLive(_)
        | Request::LeaseLeases(_)
        | Request::MoveLeader(_)
        | Request::MemberList(_)
        | Request::MemberChange(_)
        | Request::Defragment(_) => words::REQUEST.into(),
    }
}

/// Returns the position of a member in the view.
fn place(world: &World, member: RaftId) -> Option<u32> {
    let mut members = world.members();
    let place = members.position(|(node, _)| node == NodeId::Member(member));
    place.map(|place| place as u32)
}

/// Returns the newest linearizable read of the current leader. The current leader is the leader with the newest term,
/// because an old leader may not know yet that it was replaced.
fn read(world: &World, members: &[(NodeId, &EtcdServer)]) -> Option<QuorumReadView> {
    let running = members.iter().filter(|(node, _)| world.runs(*node));
    let rafts = running.filter_map(|(_, etcd)| etcd.raft());
    let leaders = rafts.filter(|raft| raft.is_leader());
    let leader = leaders.max_by_key(|raft| raft.term())?;
    let (read, is_confirmed) = leader.last_read()?;
    Some(QuorumReadView {
        leader: place(world, leader.id())?,
        member: place(world, read.context.member)?,
        index: read.index,
        confirmed_by: (read.confirmed_by.iter())
            .filter_map(|id| place(world, *id))
            .collect(),
        is_confirmed,
    })
}
