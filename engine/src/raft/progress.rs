//! The leader's knowledge about the log of each follower (`tracker/progress.go`, `tracker/inflights.go`).

use std::collections::VecDeque;

/// The modes in which a leader sends entries to a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplicationState {
    /// The leader searches for the last entry that both logs have in common. After each reply, including each heartbeat
    /// reply, the leader sends at most one message with entries.
    Probe { sent: bool },
    /// The leader sends new entries without waiting for the replies to earlier messages.
    Replicate,
    /// The leader sends no entries until the follower has installed a snapshot.
    Snapshot { index: u64 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FollowerProgress {
    pub matched: u64,
    pub next: u64,
    pub state: ReplicationState,
    /// Whether the follower has replied since the last quorum check.
    pub is_active: bool,
    /// For each message that the follower has not acknowledged, the index of the last entry in the message.
    in_flight: VecDeque<u64>,
}

impl FollowerProgress {
    /// Creates the progress of a follower at the start of a term, when the leader does not know the follower's log yet.
    pub(super) fn new(last: u64) -> Self {
        Self {
            matched: 0,
            next: last + 1,
            state: ReplicationState::Probe { sent: false },
            is_active: false,
            in_flight: VecDeque::new(),
        }
    }

    /// Creates the progress of a member that an applied entry adds. The new member counts as active until the next
    /// quorum check, so that it has time to reply.
    pub(super) fn added(last: u64) -> Self {
        Self {
            next: last.max(1),
            is_active: true,
            ..Self::new(last)
        }
    }

    /// Returns true if the leader must wait before it sends more entries.
    pub(super) fn is_paused(&self, in_flight_max: u32) -> bool {
        match self.state {
            ReplicationState::Probe { sent } => sent,
            ReplicationState::Replicate => self.in_flight.len() >= in_flight_max as usize,
            ReplicationState::Snapshot { .. } => true,
        }
    }

    /// Records that the leader sent entries up to `last`.
    pub(super) fn sent(&mut self, last: u64) {
        match &mut self.state {
            ReplicationState::Probe { sent } => *sent = true,
            ReplicationState::Replicate => {
                if last >= self.next {
                    self.next = last + 1;
                    self.in_flight.push_back(last);
                }
            }
            ReplicationState::Snapshot { .. } => {}
        }
    }

    /// Records an acknowledgement. Returns true if the acknowledgement is new.
    pub(super) fn acknowledge(&mut self, index: u64) -> bool {
        self.next = self.next.max(index + 1);
        if index <= self.matched {
            return false;
        }
        self.matched = index;
        match self.state {
            ReplicationState::Probe { .. } => self.replicate(),
            ReplicationState::Replicate => self.in_flight.retain(|last| *last > index),
            ReplicationState::Snapshot { index: snapshot } if index >= snapshot => self.replicate(),
            ReplicationState::Snapshot { .. } => {}
        }
        true
    }

    /// Records a rejected append. `hint` is the index of the last entry that both logs can have in common. Returns
    /// false if the rejection is outdated.
    pub(super) fn reject(&mut self, rejected: u64, hint: u64) -> bool {
        match self.state {
            ReplicationState::Replicate => {
                if rejected <= self.matched {
                    return false;
                }
                self.probe();
            }
            ReplicationState::Probe { .. } | ReplicationState::Snapshot { .. } => {
                if self.next - 1 != rejected {
                    return false;
                }
                self.next = rejected.min(hint + 1).max(self.matched + 1);
                self.unpause();
            }
        }
        true
    }

    /// Allows one more message after a heartbeat reply, because earlier messages may have been lost.
    pub(super) fn heartbeat_replied(&mut self, in_flight_max: u32) {
        self.is_active = true;
        self.unpause();
        if self.is_paused(in_flight_max) && self.state == ReplicationState::Replicate {
            self.in_flight.pop_front();
        }
    }

    fn unpause(&mut self) {
        if let ReplicationState::Probe { sent } = &mut self.state {
            *sent = false;
        }
    }

    /// Begins a new search for the last entry that both logs have in common.
    pub(super) fn probe(&mut self) {
        // The follower may have installed the snapshot although the leader did not receive the acknowledgement.
        self.next = match self.state {
            ReplicationState::Snapshot { index } => index.max(self.matched) + 1,
            _ => self.matched + 1,
        };
        self.enter(ReplicationState::Probe { sent: false });
    }

    pub(super) fn replicate(&mut self) {
        self.next = self.matched + 1;
        self.enter(ReplicationState::Replicate);
    }

    pub(super) fn await_snapshot(&mut self, index: u64) {
        self.enter(ReplicationState::Snapshot { index });
    }

    /// Records whether a snapshot arrived. The leader sends entries again, as a probe, when the follower next replies.
    pub(super) fn snapshot_sent(&mut self, arrived: bool) {
        if let ReplicationState::Snapshot { .. } = self.state {
            if !arrived {
                self.state = ReplicationState::Snapshot { index: 0 };
            }
            self.probe();
            self.state = ReplicationState::Probe { sent: true };
        }
    }

    fn enter(&mut self, state: ReplicationState) {
        self.state = state;
        self.in_flight.clear();
    }
}
