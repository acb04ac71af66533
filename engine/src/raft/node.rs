//! A raft node: the state, the inputs and the output of the raft algorithm on one member (`raft.go`, `rawnode.go`).

use std::collections::BTreeMap;

use crate::base::digest::{Sparse, Undigested};
use crate::base::planted::{Planted, PlantedBug};
use crate::base::rng::Rng;

use super::read_index::{PendingRead, PendingReads};
use super::vote::VoteTally;
use super::{
    ConfState, EntryData, FollowerProgress, HardState, LogMark, LoggedEntry, RaftConfig, RaftId,
    RaftLog, RaftMessage, RaftPayload, RaftReady, ReadContext, ReadState, SoftState, WriteAheadLog,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaftRole {
    /// The node receives entries from a leader, or waits for a leader.
    Follower,
    /// The node asks whether it would win an election, without increasing its term.
    PreCandidate,
    Candidate,
    Leader,
}

/// The error of a proposal that the node cannot accept or forward (`ErrProposalDropped`): the node knows no leader, or
/// the leadership is being transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProposalDropped;

/// A raft node.
///
/// The inputs are [`tick`](Self::tick), [`step`](Self::step), [`propose`](Self::propose),
/// [`read_index`](Self::read_index) and [`transfer_leader`](Self::transfer_leader). After each input, the member takes
/// the work with [`ready`](Self::ready).
#[derive(Clone, Debug, Hash)]
pub struct RaftNode<T> {
    pub(super) config: RaftConfig,
    rng: Rng,
    pub(super) term: u64,
    pub(super) vote: Option<RaftId>,
    pub(super) role: RaftRole,
    pub(super) leader: Option<RaftId>,
    pub(super) log: RaftLog<T>,
    pub(super) votes: VoteTally,
    /// The progress of all members, including this member. Only a leader keeps the progress up to date.
    pub(super) progress: BTreeMap<RaftId, FollowerProgress>,
    pub(super) reads: PendingReads,
    /// The member to which the leadership is being transferred.
    pub(super) transferee: Option<RaftId>,
    /// The number of ticks since the last heartbeat of this leader.
    pub(super) heartbeat_elapsed: u32,
    /// On a follower, the number of ticks since the last message of its leader. On a leader, the number of ticks since
    /// its last quorum check.
    pub(super) election_elapsed: u32,
    /// The number of ticks after which this node starts an election.
    election_timeout: u32,
    messages: Vec<RaftMessage<T>>,
    pub(super) read_states: Vec<ReadState>,
    /// The position of a received snapshot, which the next [`RaftReady`] will contain.
    pub(super) snapshot: Option<LogMark>,
    /// The hard state in the last [`RaftReady`], to detect changes.
    saved: HardState,
    /// The soft state in the last [`RaftReady`], to detect changes.
    announced: SoftState,
    /// The last entry of the [`RaftReady`] that the member is writing.
    writing: Option<LogMark>,
    /// The number of delivered entries that change the members and that the member has not applied.
    pub(super) changing: Sparse<u32>,
    pub(super) planted: Planted,
    /// The members before the first change, for a planted bug. Without this bug, the value is always `None`.
    pub(super) planted_members: Undigested<Option<ConfState>>,
}

impl<T: EntryData> RaftNode<T> {
    pub fn new(config: RaftConfig, seed: u64) -> Self {
        Self::restart(config, seed, &WriteAheadLog::default(), 0)
    }

    /// Creates the node of a member that restarts with its written log. `applied` is the index of the last entry that
    /// the member's stored state contains.
    ///
    /// # Panics
    /// Panics if the log and the stored state contradict each other.
    pub fn restart(config: RaftConfig, seed: u64, wal: &WriteAheadLog<T>, applied: u64) -> Self {
        let label = format!("raft {} {}", config.id, wal.hard_state().term);
        let saved = wal.hard_state();
        let mut node = Self {
            rng: Rng::stream(seed, &label),
            term: saved.term,
            vote: saved.vote,
            role: RaftRole::Follower,
            leader: None,
            log: RaftLog::restore(wal, applied),
            votes: VoteTally::default(),
            progress: BTreeMap::new(),
            reads: PendingReads::default(),
            transferee: None,
            heartbeat_elapsed: 0,
            election_elapsed: 0,
            election_timeout: 0,
            messages: Vec::new(),
            read_states: Vec::new(),
            snapshot: None,
            saved,
            announced: SoftState {
                leader: None,
                role: RaftRole::Follower,
            },
            writing: None,
            changing: Sparse::default(),
            planted: Planted::default(),
            planted_members: Undigested::default(),
            config,
        };
        node.reset(saved.term);
        node
    }

    /// Creates the leader of a cluster with one voter, whose log begins here. The member was alone and kept no log.
    pub fn alone(config: RaftConfig, seed: u64, wal: &WriteAheadLog<T>, applied: u64) -> Self {
        let mut node = Self::restart(config, seed, wal, applied);
        node.role = RaftRole::Leader;
        node.leader = Some(node.id());
        node.acknowledge_own_entries();
        node.announced = node.soft_state();
        node
    }

    /// Creates the node of the same member after a restart. `members` are the members in the stored state. A planted
    /// bug remains planted.
    #[must_use]
    pub fn restarted(
        &self,
        members: ConfState,
        seed: u64,
        wal: &WriteAheadLog<T>,
        applied: u64,
    ) -> Self {
        let config = RaftConfig {
            members,
            ..self.config.clone()
        };
        Self {
            planted: self.planted,
            ..Self::restart(config, seed, wal, applied)
        }
    }

    /// Plants a bug, so that tests can verify that the checkers find the bug.
    #[cfg(feature = "planted-bugs")]
    #[must_use]
    pub fn planted(mut self, planted: Planted) -> Self {
        self.planted = planted;
        self
    }

    pub fn id(&self) -> RaftId {
        self.config.id
    }

    /// Returns the members of the cluster, as of the last applied entry.
    pub fn members(&self) -> &ConfState {
        &self.config.members
    }

    pub fn term(&self) -> u64 {
        self.term
    }

    pub fn role(&self) -> RaftRole {
        self.role
    }

    pub fn is_leader(&self) -> bool {
        self.role == RaftRole::Leader
    }

    /// Returns the leader of the term; `None` if this node does not know a leader.
    pub fn leader(&self) -> Option<RaftId> {
        self.leader
    }

    pub fn log(&self) -> &RaftLog<T> {
        &self.log
    }

    /// Returns the progress of a member's replication; `None` if this node is not the leader.
    pub fn progress(&self, member: RaftId) -> Option<&FollowerProgress> {
        self.progress.get(&member).filter(|_| self.is_leader())
    }

    /// Returns the newest read for which this leader requested confirmation from a quorum, and whether a quorum has
    /// confirmed it.
    pub fn last_read(&self) -> Option<(&PendingRead, bool)> {
        self.reads.last()
    }

    /// Returns the member to which the leadership is being transferred; `None` if no transfer is in progress.
    pub fn transferee(&self) -> Option<RaftId> {
        self.transferee
    }

    pub fn tick(&mut self) {
        self.election_elapsed += 1;
        if self.is_leader() {
            self.tick_leader();
        } else if self.can_lead() && self.election_elapsed >= self.election_timeout {
            self.election_elapsed = 0;
            self.campaign(self.config.pre_vote, false);
        }
    }

    /// Proposes data for the log. A follower forwards the proposal to its leader, and does not learn whether the
    /// proposal arrives.
    ///
    /// # Errors
    /// Returns an error if the node knows no leader, or if a leader transfer is in progress.
    pub fn propose(&mut self, data: T) -> Result<(), ProposalDropped> {
        if self.is_leader() {
            return self.append_proposal(data);
        }
        let leader = self.leader.ok_or(ProposalDropped)?;
        self.send(leader, RaftPayload::Propose(data));
        Ok(())
    }

    /// Requests the index that the member's state must reach before the member serves a linearizable read.
    ///
    /// The result is a [`ReadState`] with the number `number`, which the member must not have used before. The request
    /// can get lost, so the member repeats the request with another number. Returns false if the request is lost
    /// immediately: either this node knows no leader, or this node is the leader and has not committed an entry of its
    /// term.
    pub fn read_index(&mut self, number: u64) -> bool {
        let read = ReadContext {
            member: self.id(),
            number,
        };
        if self.is_leader() {
            return self.begin_read(read);
        }
        let Some(leader) = self.leader else {
            return false;
        };
        self.send(leader, RaftPayload::ReadIndex(read));
        true
    }

    /// The transfer ends within an election timeout, with or without success.
    pub fn transfer_leader(&mut self, to: RaftId) {
        match self.leader {
            _ if self.is_leader() => self.begin_transfer(to),
            Some(leader) => self.send(leader, RaftPayload::TransferLeader { to }),
            None => {}
        }
    }

    /// Reports that messages to a member got lost, for example because a connection broke (`ReportUnreachable`).
    pub fn report_unreachable(&mut self, member: RaftId) {
        if let Some(progress) = self.progress.get_mut(&member)
            && progress.state == super::ReplicationState::Replicate
        {
            progress.probe();
        }
    }

    /// Reports whether a snapshot arrived at a member (`ReportSnapshot`). Until this report, the leader sends no
    /// entries to the member.
    pub fn report_snapshot(&mut self, member: RaftId, arrived: bool) {
        if let Some(progress) = self.progress.get_mut(&member) {
            progress.snapshot_sent(arrived);
        }
    }

    /// Removes all log entries up to `index`, which the member's state must contain.
    ///
    /// # Panics
    /// Panics if the member did not receive these entries.
    pub fn compact(&mut self, index: u64) {
        self.log.compact(index);
    }

    /// Handles a message from another node. A snapshot without its members leaves the members unchanged.
    pub fn step(&mut self, message: RaftMessage<T>) {
        self.handle(message, None);
    }

    /// Handles a snapshot from the leader. `members` are the members in the state that arrives with the snapshot.
    pub fn step_snapshot(&mut self, message: RaftMessage<T>, members: ConfState) {
        self.handle(message, Some(members));
    }

    fn handle(&mut self, message: RaftMessage<T>, members: Option<ConfState>) {
        let RaftMessage {
            from,
            term,
            payload,
            ..
        } = message;
        if !payload.is_forwarded() {
            if term > self.term {
                if !self.enter_term(from, term, &payload) {
                    return;
                }
            } else if term < self.term {
                return self.reply_to_older_term(from, &payload);
            }
        }
        match payload {
            RaftPayload::Vote { last, pre, .. } => self.handle_vote(from, term, last, pre),
            RaftPayload::VoteReply { pre, granted } => self.handle_vote_reply(from, pre, granted),
            RaftPayload::Append {
                previous,
                entries,
                commit,
            } => {
                self.follow(from);
                self.handle_append(from, previous, entries, commit);
            }
            RaftPayload::Heartbeat { commit, read } => {
                self.follow(from);
                self.log.commit_to(commit);
                self.send(from, RaftPayload::HeartbeatReply { read });
            }
            RaftPayload::Snapshot(mark) => {
                self.follow(from);
                let members = members.unwrap_or_else(|| self.members().clone());
                self.handle_snapshot(from, mark, members);
            }
            RaftPayload::Appended { index } => self.handle_appended(from, index),
            RaftPayload::AppendRejected { index, hint } => {
                self.handle_append_rejected(from, index, hint);
            }
            RaftPayload::HeartbeatReply { read } => self.handle_heartbeat_reply(from, read),
            RaftPayload::TimeoutNow => {
                if self.role == RaftRole::Follower {
                    self.campaign(false, true);
                }
            }
            RaftPayload::Propose(data) => {
                // If the proposal is dropped, the member that sent it gets no reply and waits until its own timeout.
                let _ = self.propose(data);
            }
            RaftPayload::ReadIndex(read) => self.handle_read_index(read),
            RaftPayload::ReadIndexReply { read, index } => {
                if read.member == self.id() {
                    let number = read.number;
                    self.read_states.push(ReadState { number, index });
                }
            }
            RaftPayload::TransferLeader { to } => self.transfer_leader(to),
        }
    }

    /// Returns the next work for the member. Returns `None` if there is no work, or if the member has not finished the
    /// previous work.
    pub fn ready(&mut self) -> Option<RaftReady<T>> {
        if self.writing.is_some() || !self.has_ready() {
            return None;
        }
        let soft_state = self.soft_state();
        let entries = self
            .log
            .after(self.log.stable())
            .cloned()
            .collect::<Vec<_>>();
        let committed = self.deliver();
        let hard_state = self.hard_state();
        let must_sync = !entries.is_empty()
            || self.snapshot.is_some()
            || (hard_state.term, hard_state.vote) != (self.saved.term, self.saved.vote);
        let (messages, messages_after_sync) = self.take_messages();
        let ready = RaftReady {
            soft_state: (soft_state != self.announced).then_some(soft_state),
            hard_state: (hard_state != self.saved).then_some(hard_state),
            snapshot: self.snapshot.take(),
            entries,
            must_sync,
            messages,
            messages_after_sync,
            committed,
            read_states: std::mem::take(&mut self.read_states),
        };
        self.writing = Some(self.log.last());
        (self.saved, self.announced) = (hard_state, soft_state);
        Some(ready)
    }

    /// Reports that the member has written and synced the last [`RaftReady`].
    ///
    /// # Panics
    /// Panics if the member has no unfinished work.
    pub fn advance(&mut self) {
        let written = self.writing.take().expect("the member took a `RaftReady`");
        self.log.stable_to(written);
        if self.is_leader() {
            self.acknowledge_own_entries();
        }
    }

    /// Returns true if the member has not finished the last [`RaftReady`].
    pub fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    fn has_ready(&self) -> bool {
        !self.messages.is_empty()
            || !self.read_states.is_empty()
            || self.snapshot.is_some()
            || self.log.last().index > self.log.stable()
            || self.log.deliverable() > self.log.delivered()
            || self.hard_state() != self.saved
            || self.soft_state() != self.announced
    }

    fn deliver(&mut self) -> Vec<LoggedEntry<T>> {
        let mut committed = self.log.deliver(self.config.entries_per_message);
        let changes = committed.iter().filter(|entry| entry.changes_members());
        self.changing.0 += changes.count() as u32;
        if self.planted.is(PlantedBug::AppliesOutOfOrder) {
            committed.reverse();
        }
        committed
    }

    /// Divides the queued messages into messages to send immediately and messages to send after the sync.
    fn take_messages(&mut self) -> (Vec<RaftMessage<T>>, Vec<RaftMessage<T>>) {
        let messages = std::mem::take(&mut self.messages);
        let is_leader = self.is_leader();
        let sends_early = self.planted.is(PlantedBug::AcknowledgesBeforeSync);
        messages
            .into_iter()
            .partition(|message| sends_early || (is_leader && !message.payload.is_promise()))
    }

    fn hard_state(&self) -> HardState {
        HardState {
            term: self.term,
            vote: self.vote,
            commit: self.log.committed(),
        }
    }

    fn soft_state(&self) -> SoftState {
        SoftState {
            leader: self.leader,
            role: self.role,
        }
    }

    /// Returns true if the node can become the leader: it is a voter.
    pub(super) fn can_lead(&self) -> bool {
        self.members().is_voter(self.id())
    }

    /// Returns true if the node knows of a committed change of the members that the member has not applied.
    pub(super) fn has_unapplied_change(&self) -> bool {
        let committed = self.log.committed();
        let mut unapplied = self.log.after(self.log.delivered());
        *self.changing > 0
            || unapplied.any(|entry| entry.index <= committed && entry.changes_members())
    }

    pub(super) fn peers(&self) -> Vec<RaftId> {
        let members = self.members().members().into_iter();
        members.filter(|member| *member != self.id()).collect()
    }

    pub(super) fn other_voters(&self) -> Vec<RaftId> {
        let voters = self.members().voters().iter().copied();
        voters.filter(|voter| *voter != self.id()).collect()
    }

    /// Queues a message with the term of this node.
    pub(super) fn send(&mut self, to: RaftId, payload: RaftPayload<T>) {
        let term = match payload.is_forwarded() {
            true => 0,
            false => self.term,
        };
        self.send_with_term(to, term, payload);
    }

    pub(super) fn send_with_term(&mut self, to: RaftId, term: u64, payload: RaftPayload<T>) {
        self.messages.push(RaftMessage {
            from: self.id(),
            to,
            term,
            payload,
        });
    }

    /// Replaces the random numbers of the node, also the one of the current election timeout.
    pub fn reseed(&mut self, seed: u64) {
        self.rng.reseed(seed);
        self.draw_election_timeout();
    }

    fn draw_election_timeout(&mut self) {
        let election_ticks = self.config.election_ticks;
        self.election_timeout = election_ticks + self.rng.below(u64::from(election_ticks)) as u32;
    }

    /// Resets the state that belongs to the previous role or term.
    pub(super) fn reset(&mut self, term: u64) {
        if term != self.term {
            self.term = term;
            self.vote = None;
        }
        self.leader = None;
        self.heartbeat_elapsed = 0;
        self.election_elapsed = 0;
        self.draw_election_timeout();
        self.transferee = None;
        self.votes = VoteTally::default();
        self.reads = PendingReads::default();
        let last = self.log.last().index;
        let members = self.members().members().into_iter();
        self.progress = members
            .map(|member| (member, FollowerProgress::new(last)))
            .collect();
    }
}
