//! Changes of the members during a run: members are added, promoted and removed at random.

use watchglass_engine::raft::{ConfChange, ConfState, RaftConfig, RaftId, RaftMessage};

use super::member::Member;
use super::{FAULTS_LAST, MS, NemesisRun, Node, SECOND, Scheduled, Write, WriteKind};

/// The maximum number of members at one time.
const MEMBERS_MAX: usize = 7;

impl<P: Fn(Node) -> Node> NemesisRun<P> {
    /// Lets a member propose one or two random changes, and schedules the next changes.
    pub(super) fn reconfigure(&mut self) -> Result<(), String> {
        if self.now >= FAULTS_LAST {
            return Ok(());
        }
        let next = 100 * MS + self.rng.below(4 * SECOND);
        self.schedule(next, Scheduled::Reconfigure);
        let proposer = self.leader_or_any();
        for _ in 0..1 + self.rng.below(2) {
            let change = self.draw_change();
            let write = Write {
                number: self.clients.number(),
                key: 0,
                kind: WriteKind::Change(change),
            };
            if let ConfChange::AddNode(id) | ConfChange::AddLearnerNode(id) = change {
                self.add_process(id);
            }
            if let Some(node) = &mut self.member(proposer).node {
                // A member without a leader drops the proposal.
                let _ = node.propose(write);
            }
        }
        self.work(proposer)
    }

    fn draw_change(&mut self) -> ConfChange {
        let members = self.current_members();
        let all = members.members();
        let one = all[self.rng.below(all.len() as u64) as usize];
        let is_full = all.len() >= MEMBERS_MAX;
        match self.rng.below(6) {
            0 | 1 if !is_full => ConfChange::AddLearnerNode(self.next_id()),
            2 if !is_full => ConfChange::AddNode(self.next_id()),
            3 | 4 if !members.learners().is_empty() => ConfChange::AddNode(members.learners()[0]),
            _ => ConfChange::RemoveNode(one),
        }
    }

    fn next_id(&self) -> RaftId {
        self.members.keys().max().map_or(1, |last| last + 1)
    }

    /// Starts the process of a new member, which knows only the first members.
    fn add_process(&mut self, id: RaftId) {
        if self.members.contains_key(&id) {
            return;
        }
        let config = RaftConfig {
            id,
            ..self.first.clone()
        };
        let member = Member::new(config, self.seed, &mut self.rng);
        self.members.insert(id, member);
        self.start(id);
        self.schedule(0, Scheduled::Tick(id));
    }

    /// Returns the members of the newest state that any member has applied.
    pub(super) fn current_members(&self) -> ConfState {
        let states = self.members.values().map(|member| &member.state);
        let newest = states.max_by_key(|state| state.applied.index);
        newest.expect("a run has members").members.clone()
    }

    fn leader_or_any(&mut self) -> RaftId {
        let all = self.current_members().members();
        let one = all[self.rng.below(all.len() as u64) as usize];
        match self.rng.chance(3, 4) {
            true => self.leader().unwrap_or(one),
            false => one,
        }
    }

    /// Returns true if the receiver of a message has stored the removal of its sender. etcd's members refuse such
    /// messages before raft handles them, and the sender stops. A member of etcd also stops one second after it has
    /// applied its own removal. In these runs, it does not: if a leader removed itself from a cluster of two members
    /// and stopped before the other member learned of the commit, the other member could never become the leader.
    pub(super) fn is_from_removed(&self, message: &RaftMessage<Write>) -> bool {
        let receiver = self.members.get(&message.to);
        receiver.is_some_and(|member| {
            member.node.is_some() && member.stored.removed.contains(&message.from)
        })
    }

    pub(super) fn end(&mut self, id: RaftId) {
        let member = self.members.get_mut(&id).expect("the member exists");
        member.is_gone = true;
        if member.node.is_some() {
            member.crash(&mut self.rng);
        }
    }
}
