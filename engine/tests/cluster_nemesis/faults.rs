//! The faults of a run: crashes, pauses, partitions, slow disks, bad links and wrong clocks.

use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::raft::RaftRole;
use watchglass_engine::sim::network::Delay;
use watchglass_engine::world::op::{CostChange, LinkChange, NodeName, Partition, Way, WorldOp};

use super::{ClusterRun, WATCHERS};

/// The durations, in milliseconds, that a sync of a member's log can take. The longest one delays heartbeats.
const SYNCS: [u64; 5] = [0, 1, 10, 100, 400];

const PS_PER_MS: u64 = 1_000_000_000;

impl ClusterRun {
    /// Returns the numbers of the members that were started and have not learned of their removal.
    fn ids(&self) -> Vec<u32> {
        let members = self.world.members();
        members
            .filter_map(|(_, member)| Some(member.raft()?.id()))
            .collect()
    }

    fn any(&mut self) -> u32 {
        let ids = self.ids();
        ids[self.rng.below(ids.len() as u64) as usize]
    }

    fn name(&self, member: u32) -> NodeName {
        NodeName::Client(self.world.node_name(NodeId::Member(member)))
    }

    fn names(&self, members: &[u32]) -> Vec<NodeName> {
        members.iter().map(|member| self.name(*member)).collect()
    }

    /// Returns the running leader of the newest term, or any member.
    fn leader(&mut self) -> u32 {
        let leaders = self.world.members().filter_map(|(node, member)| {
            let raft = member.raft()?;
            let leads = raft.role() == RaftRole::Leader && self.world.runs(node);
            leads.then(|| (raft.term(), raft.id()))
        });
        leaders.max().map_or_else(|| self.any(), |(_, id)| id)
    }

    pub(super) fn cause_fault(&mut self) -> Result<(), String> {
        let (one, leader) = (self.any(), self.leader());
        match self.rng.below(28) {
            0..=2 => self.op(WorldOp::Heal),
            3 => self.isolate(leader, false),
            4 => self.isolate(one, false),
            5 => self.isolate(leader, true),
            6 => {
                let (left, right): (Vec<u32>, Vec<u32>) =
                    self.ids().into_iter().partition(|_| self.rng.chance(1, 2));
                self.op(WorldOp::Heal)?;
                self.op(WorldOp::Partition(Partition {
                    left: self.names(&left),
                    right: self.names(&right),
                    is_one_way: false,
                }))
            }
            7 => {
                // One link in one direction; earlier cuts remain.
                let to = self.any();
                self.op(WorldOp::Partition(Partition {
                    left: vec![self.name(one)],
                    right: vec![self.name(to)],
                    is_one_way: true,
                }))
            }
            8 => self.crash(leader),
            9 => self.crash(one),
            10 => {
                for id in self.ids() {
                    self.crash(id)?;
                }
                Ok(())
            }
            11 | 12 => {
                // Only the isolated leader still has the entries that the other members have not synced.
                self.isolate(leader, false)?;
                for id in self.ids() {
                    if id != leader {
                        self.crash(id)?;
                        self.start(id)?;
                    }
                }
                Ok(())
            }
            13..=15 => {
                for id in self.ids() {
                    self.start(id)?;
                }
                Ok(())
            }
            16 => self.op(WorldOp::Pause(self.name(leader))),
            17 => self.op(WorldOp::Pause(self.name(one))),
            18 | 19 => {
                for id in self.ids() {
                    self.op(WorldOp::Resume(self.name(id)))?;
                }
                Ok(())
            }
            20 | 21 => self.set_random_sync(),
            22 => {
                let change = match self.rng.below(4) {
                    0 => LinkChange::LossOneIn([0, 5, 30][self.rng.below(3) as usize]),
                    1 => {
                        let longest = SimDuration(self.rng.below(300_000));
                        LinkChange::Delay(Delay::Uniform(SimDuration(100), longest))
                    }
                    2 => LinkChange::Hold,
                    _ => LinkChange::Release,
                };
                self.link(one, change)
            }
            23 => {
                let drift_ppm = [0, 100_000, -100_000][self.rng.below(3) as usize];
                self.op(WorldOp::Clock {
                    node: self.name(one),
                    offset_us: 0,
                    drift_ppm,
                })
            }
            24 => {
                let client = WATCHERS[self.rng.below(3) as usize];
                self.op(WorldOp::Disconnect {
                    client: client.into(),
                })
            }
            25 => {
                let client = WATCHERS[self.rng.below(3) as usize];
                self.op(WorldOp::Pause(NodeName::Client(client.into())))
            }
            26 => {
                let client = WATCHERS[self.rng.below(3) as usize];
                self.watch(client)
            }
            _ => self.release_clients(),
        }
    }

    /// Cuts the links between a member and all others, in one direction or in both.
    fn isolate(&mut self, member: u32, is_one_way: bool) -> Result<(), String> {
        self.op(WorldOp::Heal)?;
        let others: Vec<u32> = self.ids().into_iter().filter(|id| *id != member).collect();
        let (mut left, mut right) = (vec![member], others);
        if is_one_way && self.rng.chance(1, 2) {
            std::mem::swap(&mut left, &mut right);
        }
        self.op(WorldOp::Partition(Partition {
            left: self.names(&left),
            right: self.names(&right),
            is_one_way,
        }))
    }

    fn crash(&mut self, member: u32) -> Result<(), String> {
        self.op(WorldOp::Resume(self.name(member)))?;
        let node = NodeId::Member(member);
        let last = |run: &Self| {
            let raft = run.world.member(node).and_then(|m| m.raft());
            raft.map_or(0, |raft| raft.log().last().index)
        };
        if !self.world.runs(node) {
            return Ok(());
        }
        let before = last(self);
        self.op(WorldOp::Crash(self.name(member)))?;
        self.calls.member_stopped(member);
        self.report.crashes += 1;
        if self.rng.chance(1, 2) {
            self.start(member)?;
            self.report.unsynced += before.saturating_sub(last(self));
        }
        Ok(())
    }

    fn start(&mut self, member: u32) -> Result<(), String> {
        self.op(WorldOp::Start {
            client: self.world.node_name(NodeId::Member(member)),
        })
    }

    pub(super) fn set_random_sync(&mut self) -> Result<(), String> {
        let sync = SYNCS[self.rng.below(SYNCS.len() as u64) as usize];
        self.set_sync(sync)
    }

    fn set_sync(&mut self, milliseconds: u64) -> Result<(), String> {
        self.op(WorldOp::Cost(Box::new(CostChange {
            values: vec![("fsync", milliseconds * PS_PER_MS)],
            ..CostChange::default()
        })))
    }

    fn link(&mut self, member: u32, change: LinkChange) -> Result<(), String> {
        self.op(WorldOp::Link {
            client: self.world.node_name(NodeId::Member(member)),
            way: Way::Both,
            change,
        })
    }

    fn release_clients(&mut self) -> Result<(), String> {
        for client in WATCHERS {
            self.op(WorldOp::Resume(NodeName::Client(client.into())))?;
            self.op(WorldOp::Connect {
                client: client.into(),
            })?;
        }
        Ok(())
    }

    /// Removes all faults and starts all members, also those that were only added.
    pub(super) fn repair(&mut self) -> Result<(), String> {
        self.op(WorldOp::Heal)?;
        self.set_sync(0)?;
        for id in self.ids() {
            self.op(WorldOp::Resume(self.name(id)))?;
            self.start(id)?;
            self.link(id, LinkChange::Release)?;
            self.link(id, LinkChange::LossOneIn(0))?;
            self.link(id, LinkChange::Delay(Delay::Fixed(SimDuration(250))))?;
            self.op(WorldOp::Clock {
                node: self.name(id),
                offset_us: 0,
                drift_ppm: 0,
            })?;
        }
        self.start_added()?;
        self.release_clients()
    }
}
