//! Prints the output of `show cluster`: the role, the term and the indexes of each member.

use crate::base::ids::NodeId;
use crate::raft::RaftRole;
use crate::shell::print::kubectl::columns;
use crate::world::World;

/// Prints one line for each member.
pub fn cluster(world: &World) -> String {
    let mut rows = vec![
        [
            "member",
            "state",
            "term",
            "leader",
            "log",
            "committed",
            "applied",
            "revision",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for (node, member) in world.members() {
        let name = world.node_name(node);
        let state = match world.runs(node) {
            _ if world.is_paused(node) => "paused",
            false => "stopped",
            true if member.is_learner() => "learner",
            true => member.raft().map_or("leader", |raft| role(raft.role())),
        };
        let revision = member.store().current_rev().to_string();
        let Some(raft) = member.raft() else {
            let index = member.raft_index().to_string();
            let row = [
                &name, "leader", "2", &name, &index, &index, &index, &revision,
            ];
            rows.push(row.map(str::to_owned).to_vec());
            continue;
        };
        let leader = raft
            .leader()
            .map_or("none".to_owned(), |id| world.node_name(NodeId::Member(id)));
        rows.push(vec![
            name,
            state.to_owned(),
            raft.term().to_string(),
            leader,
            raft.log().last().index.to_string(),
            raft.log().committed().to_string(),
            member.raft_index().to_string(),
            revision,
        ]);
    }
    columns(&rows)
}

/// Returns the word for the role of a member.
pub fn role(role: RaftRole) -> &'static str {
    match role {
        RaftRole::Follower => "follower",
        RaftRole::PreCandidate => "pre-candidate",
        RaftRole::Candidate => "candidate",
        RaftRole::Leader => "leader",
    }
}
