//! Changes of the members during a run: members are added, started, promoted and removed at random.
//!
//! The first members stay, because the clients with watches are connected to them.

use std::sync::Arc;

use watchglass_engine::api::{ListedMember, MemberChangeRequest, Request};
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::etcd::membership::Membership;
use watchglass_engine::world::config::MEMBERS_MAX;
use watchglass_engine::world::op::WorldOp;

use super::{ClusterRun, WATCHERS};

impl ClusterRun {
    /// Returns the members in the newest state that a member has applied.
    pub(super) fn membership(&self) -> Arc<Membership> {
        let newest = self.world.members().max_by_key(|(_, m)| m.raft_index());
        newest.expect("a run has members").1.membership()
    }

    /// Returns the voters that were started at least once.
    pub(super) fn voters(&self) -> Vec<u32> {
        let membership = self.membership();
        let voters = membership
            .members()
            .filter(|(_, member)| !member.is_learner);
        voters
            .map(|(raft, _)| raft)
            .filter(|raft| self.world.member(NodeId::Member(*raft)).is_some())
            .collect()
    }

    /// Requests a random change, and schedules the next change.
    pub(super) fn reconfigure(&mut self) -> Result<(), String> {
        let pause = SimDuration(100_000 + self.rng.below(1_000_000));
        self.next_change = Some(self.world.now() + pause);
        self.start_added()?;
        let membership = self.membership();
        let learner = membership.members().find(|(_, member)| member.is_learner);
        let removable = membership.members().filter(|(raft, _)| !is_kept(*raft));
        let removable: Vec<&ListedMember> = removable.map(|(_, member)| member).collect();
        let is_full = membership.members().count() >= MEMBERS_MAX as usize;
        let change = match self.rng.below(4) {
            0 | 1 if !is_full => MemberChangeRequest::Add {
                peer_urls: vec![format!("http://etcd-{}:2380", next_number(&membership))],
                is_learner: self.rng.chance(2, 3),
            },
            0..=2 if let Some((_, learner)) = learner => {
                MemberChangeRequest::Promote { id: learner.id }
            }
            3 if !removable.is_empty() => {
                let place = self.rng.below(removable.len() as u64) as usize;
                let id = removable[place].id;
                MemberChangeRequest::Remove { id }
            }
            _ => return Ok(()),
        };
        let voters = self.voters();
        let member = voters[self.rng.below(voters.len() as u64) as usize];
        let request = Request::MemberChange(change);
        self.calls.begin(&mut self.world, member, request);
        Ok(())
    }

    pub(super) fn start_added(&mut self) -> Result<(), String> {
        let membership = self.membership();
        for (raft, member) in membership.members() {
            if self.world.member(NodeId::Member(raft)).is_none() {
                self.op(WorldOp::Start {
                    client: host(member).to_owned(),
                })?;
            }
        }
        Ok(())
    }
}

fn is_kept(raft: u32) -> bool {
    raft as usize <= WATCHERS.len()
}

fn next_number(membership: &Membership) -> u32 {
    let is_used = |raft| membership.member(raft).is_some() || membership.has_removed(raft);
    (1..)
        .find(|raft| !is_used(*raft))
        .expect("numbers are free")
}

/// Returns the host in the peer URL of a member, such as `etcd-4` in `http://etcd-4:2380`.
fn host(member: &ListedMember) -> &str {
    let url = member.peer_urls[0].trim_start_matches("http://");
    url.trim_end_matches(":2380")
}
