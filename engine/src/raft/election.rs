//! Elections: candidates, votes, and the change of terms and roles.

use super::vote::VoteResult;
use super::{EntryData, LogMark, RaftId, RaftNode, RaftPayload, RaftRole};

impl<T: EntryData> RaftNode<T> {
    /// Starts an election, or the pre-vote that comes before an election.
    pub(super) fn campaign(&mut self, pre: bool, transfer: bool) {
        if self.is_leader() || !self.can_lead() || self.has_unapplied_change() {
            return;
        }
        self.request_votes(pre, transfer);
    }

    fn request_votes(&mut self, pre: bool, transfer: bool) {
        let term = self.term + 1;
        if pre {
            // A pre-vote changes neither the term nor the vote, so a node that cannot win does not disturb the other
            // nodes.
            self.role = RaftRole::PreCandidate;
            self.leader = None;
            self.votes = super::vote::VoteTally::default();
        } else {
            self.reset(term);
            self.role = RaftRole::Candidate;
            self.vote = Some(self.id());
        }
        let last = self.log.last();
        for peer in self.other_voters() {
            let payload = RaftPayload::Vote {
                last,
                pre,
                transfer,
            };
            self.send_with_term(peer, term, payload);
        }
        self.handle_vote_reply(self.id(), pre, true);
    }

    /// Handles a message with a higher term than the node's own term. Returns false if the node ignores the message.
    pub(super) fn enter_term(&mut self, from: RaftId, term: u64, payload: &RaftPayload<T>) -> bool {
        match payload {
            RaftPayload::Vote {
                transfer: false, ..
            } if self.has_live_leader() => return false,
            // A pre-vote has the term of the election that would follow. The receiver keeps its own term.
            RaftPayload::Vote { pre: true, .. }
            | RaftPayload::VoteReply {
                pre: true,
                granted: true,
            } => {}
            _ => {
                let leader = payload.is_from_leader().then_some(from);
                self.become_follower(term, leader);
            }
        }
        true
    }

    /// Returns true if CheckQuorum is on and the lease of the known leader has not expired.
    ///
    /// A follower renews the lease when it receives a message from the leader. A leader renews the lease when it checks
    /// its quorum. The lease lasts one election timeout.
    fn has_live_leader(&self) -> bool {
        self.config.check_quorum
            && self.leader.is_some()
            && self.election_elapsed < self.config.election_ticks
    }

    pub(super) fn reply_to_older_term(&mut self, from: RaftId, payload: &RaftPayload<T>) {
        match payload {
            // The sender is the leader of an older term. This node reached its higher term while it was isolated. The
            // node ignores that leader, and the other nodes ignore this node's requests for votes. The reply has the
            // higher term, so the leader steps down, and an election follows.
            RaftPayload::Append { .. } | RaftPayload::Heartbeat { .. }
                if self.config.check_quorum || self.config.pre_vote =>
            {
                self.send(from, RaftPayload::Appended { index: 0 });
            }
            RaftPayload::Vote { pre: true, .. } => {
                let payload = RaftPayload::VoteReply {
                    pre: true,
                    granted: false,
                };
                self.send(from, payload);
            }
            _ => {}
        }
    }

    /// Grants or refuses a vote. A voter refuses if its own log is newer than the candidate's log, so the winner's log
    /// contains all committed entries.
    pub(super) fn handle_vote(&mut self, from: RaftId, term: u64, last: LogMark, pre: bool) {
        let is_free = self.vote == Some(from)
            || (self.vote.is_none() && self.leader.is_none())
            || (pre && term > self.term);
        let granted = is_free && last >= self.log.last();
        if granted && !pre {
            self.election_elapsed = 0;
            self.vote = Some(from);
        }
        let term = if granted { term } else { self.term };
        self.send_with_term(from, term, RaftPayload::VoteReply { pre, granted });
    }

    /// Records a vote, and changes the role once the pre-vote or election is decided. A won pre-vote starts the
    /// election. A won election makes this node the leader. A lost pre-vote or election makes this node a follower.
    pub(super) fn handle_vote_reply(&mut self, from: RaftId, pre: bool, granted: bool) {
        let expected = match self.role {
            RaftRole::PreCandidate => pre,
            RaftRole::Candidate => !pre,
            RaftRole::Follower | RaftRole::Leader => false,
        };
        if !expected {
            return;
        }
        self.votes.record(from, granted);
        match self.votes.result(self.members()) {
            VoteResult::Pending => {}
            VoteResult::Won if pre => self.request_votes(false, false),
            VoteResult::Won => self.become_leader(),
            VoteResult::Lost => self.become_follower(self.term, None),
        }
    }

    pub(super) fn follow(&mut self, leader: RaftId) {
        assert!(
            !self.is_leader(),
            "two leaders in term {}: {} and {leader}",
            self.term,
            self.id()
        );
        if self.role == RaftRole::Follower {
            self.election_elapsed = 0;
            self.leader = Some(leader);
        } else {
            self.become_follower(self.term, Some(leader));
        }
    }

    pub(super) fn become_follower(&mut self, term: u64, leader: Option<RaftId>) {
        self.reset(term);
        self.role = RaftRole::Follower;
        self.leader = leader;
    }

    fn become_leader(&mut self) {
        self.reset(self.term);
        self.role = RaftRole::Leader;
        self.leader = Some(self.id());
        // The leader's entries count for the quorum only after they are synced.
        self.acknowledge_own_entries();
        // Entries of older terms are committed together with this entry.
        self.log.push(self.term, None);
        self.broadcast_append();
    }
}
