//! The faults of a run: partitions, lossy links, slow disks, crashes, and requests to transfer the leader.

use std::collections::BTreeSet;

use watchglass_engine::base::rng::Rng;
use watchglass_engine::raft::RaftId;

use super::{FAULTS_LAST, MS, NemesisRun, Node, SECOND, Scheduled};

#[derive(Default)]
pub(super) struct Faults {
    /// The links that lose all messages: sender and receiver.
    cut: BTreeSet<(RaftId, RaftId)>,
    /// The percentages of messages that the network loses, duplicates and delays.
    loss: u64,
    duplication: u64,
    lateness: u64,
    slow_disks: BTreeSet<RaftId>,
}

impl Faults {
    pub(super) fn loses(&self, from: RaftId, to: RaftId, rng: &mut Rng) -> bool {
        self.cut.contains(&(from, to)) || rng.chance(self.loss, 100)
    }

    pub(super) fn duplicates(&self, rng: &mut Rng) -> bool {
        rng.chance(self.duplication, 100)
    }

    /// Draws the random delay of a message. Because delays differ, messages can overtake each other.
    pub(super) fn delay(&self, rng: &mut Rng) -> u64 {
        match rng.chance(self.lateness, 100) {
            true => rng.below(3 * SECOND),
            false => MS / 5 + rng.below(2 * MS),
        }
    }

    pub(super) fn sync_delay(&self, member: RaftId, rng: &mut Rng) -> u64 {
        match self.slow_disks.contains(&member) {
            true => rng.below(800 * MS),
            false => MS / 2 + rng.below(5 * MS),
        }
    }

    fn cut_both_ways(&mut self, a: RaftId, b: RaftId) {
        self.cut.extend([(a, b), (b, a)]);
    }
}

impl<P: Fn(Node) -> Node> NemesisRun<P> {
    /// Causes a random fault, and schedules the next fault.
    pub(super) fn cause_fault(&mut self) {
        if self.now >= FAULTS_LAST {
            return;
        }
        let next = 50 * MS + self.rng.below(3 * SECOND);
        self.schedule(next, Scheduled::Fault);
        let ids = self.ids();
        let one = ids[self.rng.below(ids.len() as u64) as usize];
        let leader = self.leader().unwrap_or(one);
        match self.rng.below(17) {
            0..3 => self.faults.cut.clear(),
            3 | 4 => {
                self.faults.cut.clear();
                self.isolate(leader);
            }
            5 => {
                self.faults.cut.clear();
                self.isolate(one);
            }
            6 => {
                // The partition divides the members into two sides.
                self.faults.cut.clear();
                let is_left: BTreeSet<_> = ids.iter().filter(|_| self.rng.chance(1, 2)).collect();
                for a in &ids {
                    for b in ids
                        .iter()
                        .filter(|b| is_left.contains(a) != is_left.contains(b))
                    {
                        self.faults.cut_both_ways(*a, *b);
                    }
                }
            }
            7 => {
                // Each link between the leader and another member loses all messages in one direction.
                for other in ids.into_iter().filter(|other| *other != leader) {
                    let link = match self.rng.chance(1, 2) {
                        true => (leader, other),
                        false => (other, leader),
                    };
                    self.faults.cut.insert(link);
                }
            }
            8 => {
                let rng = &mut self.rng;
                self.faults.loss = [0, 2, 20][rng.below(3) as usize];
                self.faults.duplication = [0, 5, 30][rng.below(3) as usize];
                self.faults.lateness = [0, 2, 20][rng.below(3) as usize];
            }
            9 if self.faults.slow_disks.len() < ids.len() => {
                self.faults.slow_disks.insert(one);
            }
            9 => self.faults.slow_disks.clear(),
            10 => self.crash(leader),
            11 => self.crash(one),
            12 => {
                // A power failure of all members.
                for id in ids {
                    self.crash(id);
                }
            }
            13 => {
                if let Some(node) = &mut self.member(leader).node {
                    node.transfer_leader(one);
                    node.report_unreachable(one);
                }
            }
            14 => {
                let pause = self.rng.below(5 * SECOND);
                self.member(leader).paused_until = self.now + pause;
            }
            _ => {
                // Only the isolated leader still has the entries that the other members have not synced.
                self.faults.cut.clear();
                self.isolate(leader);
                for id in ids.into_iter().filter(|id| *id != leader) {
                    self.crash(id);
                }
            }
        }
    }

    pub(super) fn repair(&mut self) {
        self.faults = Faults::default();
        for id in self.ids() {
            self.member(id).paused_until = 0;
            self.start(id);
        }
    }

    pub(super) fn leader(&self) -> Option<RaftId> {
        let mut members = self.members.iter();
        let leader = members.find(|(_, m)| m.node.as_ref().is_some_and(Node::is_leader));
        leader.map(|(id, _)| *id)
    }

    fn isolate(&mut self, id: RaftId) {
        for other in self.ids() {
            self.faults.cut_both_ways(id, other);
        }
    }

    fn crash(&mut self, id: RaftId) {
        let member = self.members.get_mut(&id).expect("the member exists");
        if member.node.is_none() {
            return;
        }
        member.crash(&mut self.rng);
        self.observer.see_crash();
        let pause = match self.rng.chance(1, 2) {
            true => self.rng.below(50 * MS),
            false => self.rng.below(3 * SECOND),
        };
        self.schedule(pause, Scheduled::Restart(id));
    }
}
