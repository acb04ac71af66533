//! The connections of a member to the other members of its cluster.
//!
//! Mirrors `ActiveSince` of `rafthttp`: a connection is lost if no message arrives for 5 s (`ConnReadTimeout`). Left
//! out: the messages that keep idle connections alive. Instead, all connections count as alive when a leader is
//! elected, because followers do not send messages to each other.

use std::collections::BTreeMap;

use crate::raft::RaftId;

/// A connection to a member is lost after this number of ticks without a message from the member.
const READ_TIMEOUT_TICKS: u64 = 50;

/// The connections to the other members of the cluster.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct PeerContacts {
    contacts: BTreeMap<RaftId, Contact>,
    /// The tick of the last election.
    elected: u64,
}

/// The connection to one other member.
#[derive(Clone, Copy, Debug, Default, Hash)]
struct Contact {
    /// The tick at which the last message arrived.
    heard: u64,
    /// The tick of the first message after the last loss of the connection; 0 if the connection was never lost.
    active_since: u64,
}

impl PeerContacts {
    /// Records a message from a member.
    pub(super) fn heard(&mut self, from: RaftId, tick: u64) {
        let elected = self.elected;
        let contact = self.contacts.entry(from).or_default();
        if tick >= contact.heard.max(elected) + READ_TIMEOUT_TICKS {
            contact.active_since = tick;
        }
        contact.heard = tick;
    }

    /// Records that a leader was elected.
    pub(super) fn leader_elected(&mut self, tick: u64) {
        *self = Self {
            contacts: BTreeMap::new(),
            elected: tick,
        };
    }

    /// Returns true if the connection to a member has been alive from tick `since` until now.
    pub(super) fn is_connected_since(&self, peer: RaftId, since: u64, now: u64) -> bool {
        let contact = self.contacts.get(&peer).copied().unwrap_or_default();
        let is_active = now < contact.heard.max(self.elected) + READ_TIMEOUT_TICKS;
        is_active && contact.active_since <= since
    }
}
