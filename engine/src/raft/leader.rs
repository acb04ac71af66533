//! The work of a leader: it replicates its log, commits entries, confirms reads, and checks that a quorum still
//! replies.

use super::{
    ConfChange, ConfState, EntryData, FollowerProgress, LogMark, ProposalDropped, RaftId, RaftNode,
    RaftPayload, ReadContext, ReadState,
};

impl<T: EntryData> RaftNode<T> {
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
        let (id, progress) = (self.id(), &self.progress);
        let is_active = |member| member == id || progress.get(&member).is_some_and(|p| p.is_active);
        let has_quorum = self.members().is_quorum(is_active);
        for progress in self.progress.values_mut() {
            progress.is_active = false;
        }
        has_quorum
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
        // A leader that was removed appends nothing.
        if self.transferee.is_some() || !self.progress.contains_key(&self.id()) {
            return Err(ProposalDropped);
        }
        // An empty entry takes the place of a change that follows another change too early.
        let is_dropped = data.changes_members() && self.has_pending_change();
        self.log.push(self.term, (!is_dropped).then_some(data));
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

    pub(super) fn handle_appended(&mut self, from: RaftId, index: u64) {
        if !self.is_leader() {
            return;
        }
        let in_flight_max = self.config.messages_in_flight;
        let Some(progress) = self.progress.get_mut(&from) else {
            return;
        };
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
        let Some(progress) = self.progress.get_mut(&from) else {
            return;
        };
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
        let Some(progress) = self.progress.get_mut(&from) else {
            return;
        };
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
        let progress = self.progress.get_mut(&id);
        if progress.is_some_and(|own| own.acknowledge(stable)) && self.commit_by_quorum() {
            self.broadcast_append();
        }
    }

    /// Commits all entries that a quorum has synced, if the last of these entries has the current term. Returns true if
    /// new entries are committed.
    ///
    /// An entry of an older term is not committed by itself, because a newer leader could still overwrite it.
    fn commit_by_quorum(&mut self) -> bool {
        let (counted, quorum) = self.counted_members();
        let matched = counted
            .iter()
            .filter_map(|member| self.progress.get(member));
        let mut matched: Vec<u64> = matched.map(|progress| progress.matched).collect();
        matched.sort_unstable_by(|a, b| b.cmp(a));
        let Some(&index) = matched.get(quorum as usize - 1) else {
            return false;
        };
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
        if self.serves_unconfirmed(read, committed) {
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
        let members = &self.config.members;
        for (read, index) in self.reads.confirm(read, by, members) {
            self.answer_read(read, index);
        }
    }

    pub(super) fn answer_read(&mut self, read: ReadContext, index: u64) {
        if read.member == self.id() {
            let number = read.number;
            self.read_states.push(ReadState { number, index });
        } else {
            self.send(read.member, RaftPayload::ReadIndexReply { read, index });
        }
    }

    /// Begins a leader transfer. The transfer takes place only after the next leader has received all entries.
    pub(super) fn begin_transfer(&mut self, to: RaftId) {
        if !self.members().is_voter(to) || to == self.id() || self.transferee == Some(to) {
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
        progress.expect("the leader knows the progress of every member")
    }

    /// Returns true if the leader has not applied an earlier change of the members. A new leader assumes such a change
    /// among the entries of older terms.
    fn has_pending_change(&self) -> bool {
        let mut unapplied = self.log.after(self.log.delivered());
        let is_pending = *self.changing > 0
            || unapplied.any(|entry| entry.term < self.term || entry.changes_members());
        is_pending && !self.changes_twice()
    }

    /// Records that the member applied an entry that does not change the members of raft.
    pub fn skip_conf_change(&mut self) {
        self.changing.0 = self.changing.saturating_sub(1);
    }

    pub fn apply_conf_change(&mut self, change: ConfChange) {
        self.skip_conf_change();
        let members = self.members().clone().after(change);
        self.set_members(members);
        if !self.is_leader() {
            return;
        }
        if self.commit_by_quorum() {
            self.broadcast_append();
        } else {
            for peer in self.peers() {
                self.send_append(peer, false);
            }
        }
    }

    /// Replaces the members. The leader keeps the progress of the remaining members.
    pub(super) fn set_members(&mut self, members: ConfState) {
        let last = self.log.last().index;
        let before = std::mem::take(&mut self.progress);
        let kept = members.members().into_iter();
        let kept = kept.map(|member| {
            let progress = before.get(&member).cloned();
            (
                member,
                progress.unwrap_or_else(|| FollowerProgress::added(last)),
            )
        });
        self.progress = kept.collect();
        let previous = std::mem::replace(&mut self.config.members, members);
        self.remember_members(previous);
        if self
            .transferee
            .is_some_and(|to| !self.members().is_voter(to))
        {
            self.transferee = None;
        }
    }
}
