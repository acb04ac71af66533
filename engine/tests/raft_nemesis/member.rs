//! A member of the cluster: its node, its disk, and its state.

use std::collections::BTreeMap;

use watchglass_engine::base::rng::Rng;
use watchglass_engine::raft::{
    LogMark, LoggedEntry, RaftConfig, RaftNode, RaftReady, ReadState, WriteAheadLog,
};

use super::{MS, Node, Write, WriteKind};

/// The state that a member builds from its log.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateMachine {
    pub(crate) values: BTreeMap<u8, u64>,
    /// The last applied entry.
    pub(crate) applied: LogMark,
}

impl StateMachine {
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
    /// The state in memory.
    pub(super) state: StateMachine,
    /// The state that the member last stored on its disk.
    pub(super) stored: StateMachine,
    /// The time at which the pause of the process ends. During the pause, ticks and messages wait.
    pub(super) paused_until: u64,
    /// The work that waits for a sync.
    pub(super) writing: Option<RaftReady<Write>>,
    /// The received states of other members. The key is the position of the snapshot with which the state arrived.
    pub(super) received_states: BTreeMap<LogMark, StateMachine>,
    /// The confirmed reads that wait until the state reaches their index.
    pub(super) confirmed_reads: Vec<ReadState>,
    /// The time between two ticks: each member's clock is up to 10% too fast or too slow.
    pub(super) tick_interval: u64,
    /// The number of applied entries after which the member stores its state.
    store_after: u64,
}

impl Member {
    pub(super) fn new(config: RaftConfig, seed: u64, rng: &mut Rng) -> Self {
        Self {
            config,
            seed,
            node: None,
            life: 0,
            wal: WriteAheadLog::default(),
            state: StateMachine::default(),
            stored: StateMachine::default(),
            paused_until: 0,
            writing: None,
            received_states: BTreeMap::new(),
            confirmed_reads: Vec::new(),
            tick_interval: 90 * MS + rng.below(20 * MS),
            store_after: 1 + rng.below(30),
        }
    }

    /// Starts the process with the log and the state on the disk.
    pub(super) fn start(&mut self, prepare: impl Fn(Node) -> Node) {
        self.life += 1;
        self.state = self.stored.clone();
        let seed = self.seed ^ self.life;
        let applied = self.stored.applied.index;
        let node = RaftNode::restart(self.config.clone(), seed, &self.wal, applied);
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

    /// Stores the state at intervals, and removes entries that the stored state contains, except for the last `kept`
    /// entries.
    pub(super) fn store_and_compact(&mut self, kept: u64) {
        let applied = self.state.applied.index;
        if applied < self.stored.applied.index + self.store_after {
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
