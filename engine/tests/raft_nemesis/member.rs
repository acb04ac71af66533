//! A member of the cluster: its node, its disk, and its state.

use std::collections::{BTreeMap, BTreeSet};

use watchglass_engine::base::rng::Rng;
use watchglass_engine::raft::{
    ConfChange, ConfState, LogMark, LoggedEntry, RaftConfig, RaftId, RaftNode, RaftReady,
    ReadState, WriteAheadLog,
};

use super::{MS, Node, Write, WriteKind};

/// The state that a member builds from its log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateMachine {
    pub(crate) members: ConfState,
    pub(crate) removed: BTreeSet<RaftId>,
    pub(crate) values: BTreeMap<u8, u64>,
    pub(crate) applied: LogMark,
}

impl StateMachine {
    pub(super) fn new(voters: Vec<RaftId>) -> Self {
        Self {
            members: ConfState::of_voters(voters),
            removed: BTreeSet::new(),
            values: BTreeMap::new(),
            applied: LogMark::default(),
        }
    }

    /// Applies a change of the members, unless an earlier change has made the change impossible. Returns true if the
    /// change took effect.
    fn change(&mut self, change: ConfChange) -> bool {
        let is_possible = match change {
            ConfChange::AddNode(id) | ConfChange::AddLearnerNode(id) => !self.removed.contains(&id),
            ConfChange::RemoveNode(id) => self.members.members().contains(&id),
        };
        let after = self.members.clone().after(change);
        // A removed leader can leave the last voter behind without a quorum: the last voter does not know that the
        // removal is committed. So a run keeps two voters.
        let loses_quorum = after.voters().len() < 2.min(self.members.voters().len());
        if !is_possible || loses_quorum {
            return false;
        }
        if let ConfChange::RemoveNode(id) = change {
            self.removed.insert(id);
        }
        self.members = after;
        true
    }

    /// Applies an entry. Returns whether a delete found the key, or whether the condition of a put was true.
    pub(crate) fn apply(&mut self, entry: &LoggedEntry<Write>) -> Result<bool, String> {
        if entry.index != self.applied.index + 1 {
            let applied = self.applied.index;
            return Err(format!(
                "entry {} is applied after entry {applied}",
                entry.index
            ));
        }
        self.applied = entry.mark();
        let Some(write) = &entry.data else {
            return Ok(true);
        };
        Ok(match write.kind {
            WriteKind::Change(change) => self.change(change),
            WriteKind::Put => {
                self.values.insert(write.key, write.number);
                true
            }
            WriteKind::Delete => self.values.remove(&write.key).is_some(),
            WriteKind::PutIf(expected) => {
                let is_equal = self.values.get(&write.key).copied() == expected;
                if is_equal {
                    self.values.insert(write.key, write.number);
                }
                is_equal
            }
        })
    }
}

pub(super) struct Member {
    config: RaftConfig,
    seed: u64,
    /// The running node; `None` after a crash.
    pub(super) node: Option<Node>,
    /// The number of times that the process has started. The end of a sync that began before the last start is ignored.
    pub(super) life: u64,
    /// The synced part of the log.
    pub(super) wal: WriteAheadLog<Write>,
    pub(super) state: StateMachine,
    /// The state that the member last stored on its disk.
    pub(super) stored: StateMachine,
    /// The time at which the pause of the process ends. During the pause, ticks and messages wait.
    pub(super) paused_until: u64,
    pub(super) writing: Option<RaftReady<Write>>,
    /// The received states of other members. The key is the position of the snapshot with which the state arrived.
    pub(super) received_states: BTreeMap<LogMark, StateMachine>,
    /// The confirmed reads that wait until the state reaches their index.
    pub(super) confirmed_reads: Vec<ReadState>,
    /// The time between two ticks: each member's clock is up to 10% too fast or too slow.
    pub(super) tick_interval: u64,
    /// The number of applied entries after which the member stores its state.
    store_after: u64,
    /// Whether the process has ended because the member was removed from the cluster.
    pub(super) is_gone: bool,
}

impl Member {
    pub(super) fn new(config: RaftConfig, seed: u64, rng: &mut Rng) -> Self {
        let state = StateMachine::new(config.members.voters().to_vec());
        Self {
            config,
            seed,
            node: None,
            life: 0,
            wal: WriteAheadLog::default(),
            stored: state.clone(),
            state,
            paused_until: 0,
            writing: None,
            received_states: BTreeMap::new(),
            confirmed_reads: Vec::new(),
            tick_interval: 90 * MS + rng.below(20 * MS),
            store_after: 1 + rng.below(30),
            is_gone: false,
        }
    }

    /// Starts the process with the log and the state on the disk.
    pub(super) fn start(&mut self, prepare: impl Fn(Node) -> Node) {
        self.life += 1;
        self.state = self.stored.clone();
        let seed = self.seed ^ self.life;
        let applied = self.stored.applied.index;
        let config = RaftConfig {
            members: self.stored.members.clone(),
            ..self.config.clone()
        };
        let node = RaftNode::restart(config, seed, &self.wal, applied);
        self.node = Some(prepare(node));
    }

    /// Ends the process. A write in progress is lost or has just finished, at random.
    pub(super) fn crash(&mut self, rng: &mut Rng) {
        if let Some(ready) = self.writing.take()
            && ready.snapshot.is_none()
            && rng.chance(1, 4)
        {
            self.wal.save(&ready);
        }
        self.node = None;
        self.received_states.clear();
        self.confirmed_reads.clear();
    }

    /// Describes the member for the message about a violation.
    pub(super) fn summary(&self, id: RaftId) -> String {
        let (applied, members) = (self.state.applied, &self.state.members);
        let node = self.node.as_ref();
        let node = node.map(|node| (node.role(), node.term(), node.leader(), node.log().last()));
        format!("member {id}: node {node:?}, applied {applied:?}, {members:?}")
    }

    /// Stores the state at intervals and after changes of the members, and removes entries that the stored state
    /// contains, except for the last `kept` entries.
    pub(super) fn store_and_compact(&mut self, kept: u64, has_changed: bool) {
        let applied = self.state.applied.index;
        if !has_changed && applied < self.stored.applied.index + self.store_after {
            return;
        }
        self.stored = self.state.clone();
        let index = applied.saturating_sub(kept);
        self.wal.compact(index);
        if let Some(node) = &mut self.node {
            node.compact(index);
        }
    }
}
