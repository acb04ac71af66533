//! The work of a leader: it replicates its log, commits entries, confirms reads, and checks that a quorum still
//! replies.

use crate::base::planted::PlantedBug;

use super::vote::quorum;
use super::{LogMark, ProposalDropped, RaftId, RaftNode, RaftPayload, ReadContext, ReadState};

impl<T: Clone> RaftNode<T> {
    /// Advances a leader by one tick: checks the quorum and sends heartbeats, each at its interval.
    pub(super) fn tick_leader(&mut self) {
        self.heartbeat_elapsed += 1;
        if self.election_elapsed >= self.config.election_ticks {
            self.election_elapsed = 0;
            if self.config.check_quorum && !self.has_active_quorum() {
                return self.become_follower(self.term, None);
            }
            self.transferee = None;
        }
        if self.heartbeat_elapsed >= self.config.heartbeat_ticks {
            self.heartbeat_elapsed = 0;
            self.broadcast_heartbeat(self.reads.newest());
        }
    }

    /// Returns true if a quorum has replied since the previous check. Resets the replies for the next check.
    fn has_active_quorum(&mut self) -> bool {
        let id = self.id();
        let mut active = 0;
        for (member, progress) in &mut self.progress {
            active += u32::from(progress.is_active || *member == id);
            progress.is_active = false;
        }
        active >= quorum(self.voters())
    }

    fn broadcast_heartbeat(&mut self, read: Option<ReadContext>) {
        for peer in self.peers() {
            // Committed entries may be missing in the follower's log, which may have other entries at their indexes.
            // The follower must not commit those other entries.
            let commit = self.progress[&peer].matched.min(self.log.committed());
            self.send(peer, RaftPayload::Heartbeat { commit, read });
        }
    }

    /// Appends a proposal to the log and replicates the new entry.
    pub(super) fn append_proposal(&mut self, data: T) -> Result<(), ProposalDropped> {
        if self.transferee.is_some() {
            return Err(ProposalDropped);
        }
        self.log.push(self.term, Some(data));
        self.broadcast_append();
        Ok(())
    }

    pub(super) fn broadcast_append(&mut self) {
        for peer in self.peers() {
            self.send_append(peer, true);
        }
    }

    /// Sends the next entries to a follower, or a snapshot if these entries are compacted. Returns false if nothing was
    /// sent.
    fn send_append(&mut self, to: RaftId, even_if_empty: bool) -> bool {
        let progress = &self.progress[&to];
        if progress.is_paused(self.config.messages_in_flight) {
            return false;
        }
        let index = progress.next - 1;
        let Some(term) = self.log.term(index) else {
            return progress.is_active && self.send_snapshot(to);
        };
        let entries = self.log.batch(index, self.config.entries_per_message);
        if entries.is_empty() && !even_if_empty {
            return false;
        }
        let last = index + entries.len() as u64;
        self.progress_mut(to).sent(last);
        let payload = RaftPayload::Append {
            previous: LogMark { term, index },
            entries,
            commit: self.log.committed(),
        };
        self.send(to, payload);
        true
    }

    fn send_snapshot(&mut self, to: RaftId) -> bool {
        let index = self.log.delivered();
        let term = self.log.term(index);
        let term = term.expect("compaction ends at or before the last delivered entry");
        self.progress_mut(to).await_snapshot(index);
        self.send(to, RaftPayload::Snapshot(LogMark { term, index }));
        true
    }

    /// Handles an acknowledgement of a follower.
    pub(super) fn handle_appended(&mut self, from: RaftId, index: u64) {
        if !self.is_leader() {
            return;
        }
        let in_flight_max = self.config.messages_in_flight;
        let progress = self.progress_mut(from);
        progress.is_active = true;
        let was_paused = progress.is_paused(in_flight_max);
        if !progress.acknowledge(index) {
            return;
        }
        if self.commit_by_quorum() {
            self.broadcast_append();
        } else if was_paused {
            self.send_append(from, true);
        }
        while self.send_append(from, false) {}
        if self.transferee == Some(from) {
            self.finish_transfer(from);
        }
    }

    /// Handles a rejected append. Searches for the last entry that both logs can have in common, and sends the entries
    /// after it.
    pub(super) fn handle_append_rejected(&mut self, from: RaftId, rejected: u64, hint: LogMark) {
        if !self.is_leader() {
            return;
        }
        let next = match hint.term {
            0 => hint.index,
            term => self.log.find_conflict_by_term(hint.index, term).index,
        };
        let progress = self.progress_mut(from);
        progress.is_active = true;
        if progress.reject(rejected, next) {
            self.send_append(from, true);
        }
    }

    pub(super) fn handle_heartbeat_reply(&mut self, from: RaftId, read: Option<ReadContext>) {
        if !self.is_leader() {
            return;
        }
        let in_flight_max = self.config.messages_in_flight;
        let progress = self.progress_mut(from);
        progress.heartbeat_replied(in_flight_max);
        if progress.matched < self.log.last().index {
            self.send_append(from, true);
        }
        if let Some(read) = read {
            self.confirm_read(read, from);
        }
    }

    /// Records that the leader itself has synced its entries, so that the leader counts for the quorum.
    pub(super) fn acknowledge_own_entries(&mut self) {
        let (id, stable) = (self.id(), self.log.stable());
        if self.progress_mut(id).acknowledge(stable) && self.commit_by_quorum() {
            self.broadcast_append();
        }
    }

    /// Commits all entries that a quorum has synced, if the last of these entries has the current term. Returns true if
    /// new entries are committed.
    ///
    /// An entry of an older term is not committed by itself, because a newer leader could still overwrite it.
    fn commit_by_quorum(&mut self) -> bool {
        let mut matched: Vec<u64> = self.progress.values().map(|p| p.matched).collect();
        matched.sort_unstable_by(|a, b| b.cmp(a));
        let mut index = matched[quorum(self.voters()) as usize - 1];
        if self.planted.is(PlantedBug::CommitsBeforeQuorum) {
            index = matched[0];
        }
        if index <= self.log.committed() || self.log.term(index) != Some(self.term) {
            return false;
        }
        self.log.commit_to(index);
        true
    }

    /// Begins a linearizable read. Returns false if this leader does not know yet which entries are committed.
    pub(super) fn begin_read(&mut self, read: ReadContext) -> bool {
        let committed = self.log.committed();
        if self.log.term(committed) != Some(self.term) {
            return false;
        }
        if self.planted.is(PlantedBug::ReadsUnconfirmed) {
            self.answer_read(read, committed);
            return true;
        }
        self.reads.add(read, committed);
        self.confirm_read(read, self.id());
        self.broadcast_heartbeat(self.reads.newest());
        true
    }

    /// Handles a read that another member forwarded.
    pub(super) fn handle_read_index(&mut self, read: ReadContext) {
        if self.is_leader() {
            // If the read cannot begin, the leader drops the request. The member that serves the read then sends the
            // request again.
            self.begin_read(read);
        } else if let Some(leader) = self.leader {
            self.send(leader, RaftPayload::ReadIndex(read));
        }
    }

    fn confirm_read(&mut self, read: ReadContext, by: RaftId) {
        for (read, index) in self.reads.confirm(read, by, self.voters()) {
            self.answer_read(read, index);
        }
    }

    fn answer_read(&mut self, read: ReadContext, index: u64) {
        if read.member == self.id() {
            let number = read.number;
            self.read_states.push(ReadState { number, index });
        } else {
            self.send(read.member, RaftPayload::ReadIndexReply { read, index });
        }
    }

    /// Begins a leader transfer. The transfer takes place only after the next leader has received all entries.
    pub(super) fn begin_transfer(&mut self, to: RaftId) {
        let is_known = self.config.voters.contains(&to);
        if !is_known || to == self.id() || self.transferee == Some(to) {
            return;
        }
        self.election_elapsed = 0;
        self.transferee = Some(to);
        if self.progress[&to].matched == self.log.last().index {
            self.send(to, RaftPayload::TimeoutNow);
        } else {
            self.send_append(to, true);
        }
    }

    fn finish_transfer(&mut self, to: RaftId) {
        if self.progress[&to].matched == self.log.last().index {
            self.send(to, RaftPayload::TimeoutNow);
        }
    }

    fn progress_mut(&mut self, member: RaftId) -> &mut super::FollowerProgress {
        let progress = self.progress.get_mut(&member);
        progress.expect("only members send messages")
    }
}
