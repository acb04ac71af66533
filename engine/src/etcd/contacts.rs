//! The connections of a member to the other members of its cluster.
//!
//! Mirrors `ActiveSince` of `rafthttp`: a connection is lost if no message arrives for 5 s (`ConnReadTimeout`). Left
//! out: the messages that keep idle connections alive. Instead, all connections count as alive when a leader is
//! elected, because followers do not send messages to each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::digest::Sparse;
use crate::raft::RaftId;

/// A connection to a member is lost after this number of ticks without a message from the member.
const READ_TIMEOUT_TICKS: u64 = 50;

/// The connections to the other members of the cluster.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct PeerContacts {
    contacts: BTreeMap<RaftId, Contact>,
    /// The tick of the last election.
    elected: u64,
    /// The members that were added and have never sent a message.
    unheard: Sparse<BTreeSet<RaftId>>,
}

#[derive(Clone, Copy, Debug, Default, Hash)]
struct Contact {
    /// The tick at which the last message arrived.
    heard: u64,
    /// The tick of the first message after the last loss of the connection; 0 if the connection was never lost.
    active_since: u64,
}

impl PeerContacts {
    pub(super) fn heard(&mut self, from: RaftId, tick: u64) {
        let elected = self.elected;
        let is_first = self.unheard.remove(&from);
        let contact = self.contacts.entry(from).or_default();
        if is_first || tick >= contact.heard.max(elected) + READ_TIMEOUT_TICKS {
            contact.active_since = tick;
        }
        contact.heard = tick;
    }

    pub(super) fn leader_elected(&mut self, tick: u64) {
        *self = Self {
            contacts: BTreeMap::new(),
            elected: tick,
            unheard: std::mem::take(&mut self.unheard),
        };
    }

    /// Records that a member was added, which starts later.
    pub(super) fn added(&mut self, peer: RaftId) {
        self.unheard.insert(peer);
    }

    /// Returns true if the member has sent a message since the last election.
    pub(super) fn knows(&self, peer: RaftId) -> bool {
        self.contacts.contains_key(&peer)
    }

    pub(super) fn is_active(&self, peer: RaftId, now: u64) -> bool {
        let heard = self.contacts.get(&peer).map_or(0, |contact| contact.heard);
        !self.unheard.contains(&peer) && now < heard.max(self.elected) + READ_TIMEOUT_TICKS
    }

    /// Returns true if the connection to a member has been alive from tick `since` until now.
    pub(super) fn is_connected_since(&self, peer: RaftId, since: u64, now: u64) -> bool {
        let contact = self.contacts.get(&peer).copied().unwrap_or_default();
        self.is_active(peer, now) && contact.active_since <= since
    }
}
