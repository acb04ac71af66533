//! A member of a cluster: its raft node, and the requests that wait for the cluster.
//!
//! Mirrors `raftNode.start` (`etcdserver/raft.go`), which stores the entries of the raft library and sends its
//! messages. Also mirrors `linearizableReadLoop` (`v3_server.go`), which confirms linearizable reads with ReadIndex.
//! The error of a timeout follows `parseProposeCtxErr`. A proposal that is blocked until its deadline fails with the
//! code `DeadlineExceeded`, or with `Unknown` in etcd 3.4.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::api::log_entry::{ClusterEntry, LogEntry, PeerMessage};
use crate::api::message::{Body, EtcdMessage};
use crate::api::{Difference, EtcdError, Profile, Request};
use crate::base::digest::{Sparse, Undigested};
use crate::base::ids::{Caller, NodeId};
use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};
use crate::qos::gap::exceeds_request_limit;
use crate::raft::vote::quorum;
use crate::raft::{
    ConfState, LoggedEntry, RaftConfig, RaftId, RaftNode, RaftReady, RaftRole, WriteAheadLog,
};
use crate::sim::Outbox;

use super::auth::token_of;
use super::contacts::PeerContacts;
use super::entries::Waiter;
use super::forward::ForwardedRequest;
use super::identity::{MemberIdentity, founding};
use super::join::Joining;
use super::leader_monitor::LeaderMonitor;
use super::membership::Membership;
use super::raft_snapshot::LogSnapshots;
use super::server::{ELECTION_TIMEOUT, EtcdServer, MemberTimer};
use super::transfer::PendingTransfer;
use super::txn;

/// The time between two ticks of raft (`--heartbeat-interval`).
pub(super) const TICK: SimDuration = SimDuration::from_millis(100);

/// The number of ticks after which a request times out: 5 s plus two election timeouts (`ReqTimeout`).
pub(super) const REQUEST_TICKS: u64 = 70;

/// The number of ticks after its start at which a member stores the storage version (`monitorVersionInterval`).
const VERSION_TICKS: u64 = 40;

/// The number of ticks after which a member repeats a ReadIndex request that has no result (`readIndexRetryTime`).
const READ_RETRY_TICKS: u64 = 5;

/// The raft term of the first entries in the log of a new cluster: one configuration change for each member.
pub(super) const TERM_AT_START: u64 = 1;

/// A member's state as part of a cluster; `None` if the member is the only member of its cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Cluster(pub(super) Option<Box<ClusterMember>>);

// `None` adds nothing to the hash. So a single member has the same digest as before the simulator supported clusters.
impl Hash for Cluster {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some(member) = &self.0 {
            member.hash(state);
        }
    }
}

#[derive(Clone, Debug, Hash)]
pub(super) struct ClusterMember {
    pub(super) config: RaftConfig,
    seed: u64,
    /// The ids of the member, derived from its URLs.
    pub(super) identity: Undigested<MemberIdentity>,
    pub(super) node: RaftNode<Arc<ClusterEntry>>,
    /// The entries of the raft log that are synced to the disk.
    wal: WriteAheadLog<Arc<ClusterEntry>>,
    /// The output of the raft node. The member processes this output when the running sync of the log ends.
    writing: Option<RaftReady<Arc<ClusterEntry>>>,
    /// The committed entries that wait for the lock of the store.
    unapplied: Sparse<VecDeque<LoggedEntry<Arc<ClusterEntry>>>>,
    /// The number of ticks since the member was created.
    pub(super) ticks: u64,
    /// The number of proposals, ReadIndex requests and forwarded requests that have received an id.
    numbers: u64,
    /// For each proposal, by its number: the tick of the proposal, and the receiver of the result.
    waiters: OrdMap<u64, (u64, Waiter)>,
    /// The proposals that wait until a leader is known.
    without_leader: Vec<Arc<ClusterEntry>>,
    /// The reads that wait for the next ReadIndex.
    parked: Vec<ParkedRead>,
    /// The ReadIndex in progress: the request that asks a quorum to confirm the index of a read.
    confirming: Option<RunningReadIndex>,
    /// The confirmed reads, each with the index that the store must reach.
    confirmed: Vec<(u64, ParkedRead)>,
    /// The leader that the member last knew.
    leader: Option<RaftId>,
    /// The tick at which this member became the leader (`leadElectedTime`).
    elected: Option<u64>,
    pub(super) contacts: PeerContacts,
    /// The transfers of the leadership that are not complete.
    pub(super) transfers: Vec<PendingTransfer>,
    /// The lease requests that wait for the leader, by the number of the call.
    pub(super) forwarded: OrdMap<u64, ForwardedRequest>,
    /// The leases whose revocation is proposed, each with the time at which the proposal is repeated.
    pub(super) revoking: OrdMap<i64, SimTime>,
    pub(super) monitor: LeaderMonitor,
    pub(super) snapshots: LogSnapshots,
    /// The error of a proposal that is blocked until its deadline.
    blocked_error: EtcdError,
    /// Whether a repeated ReadIndex has a number of its own.
    renews_read_index: bool,
    /// The members of a new cluster, derived from their number.
    founding: Undigested<Arc<Membership>>,
    /// The members after the first change; `None` before.
    pub(super) changed: Sparse<Option<Arc<Membership>>>,
    /// The attributes that a member publishes if it was added to an existing cluster.
    pub(super) joining: Sparse<Option<Arc<Joining>>>,
}

/// A linearizable read that waits for its ReadIndex or for the store.
#[derive(Clone, Debug, Hash)]
struct ParkedRead {
    caller: Caller,
    request: Arc<Request>,
}

/// A ReadIndex request that has no result yet.
#[derive(Clone, Debug, Hash)]
struct RunningReadIndex {
    /// The number of the last attempt of the request.
    number: u64,
    /// The numbers of the earlier attempts. A response to an earlier attempt confirms the reads, too.
    earlier: Sparse<Vec<u64>>,
    /// The tick of the first attempt.
    started: u64,
    /// The tick of the last attempt.
    requested: u64,
    reads: Vec<ParkedRead>,
}

impl ClusterMember {
    pub(super) fn reseed(&mut self, seed: u64) {
        self.seed = seed;
        self.node.reseed(seed);
    }

    /// Creates a member of a cluster that was founded by `founders` members. `wal` is the log on the disk, and `start`
    /// creates the node.
    pub(super) fn new(
        (id, founders): (RaftId, u32),
        identity: MemberIdentity,
        (profile, seed): (Profile, u64),
        wal: WriteAheadLog<Arc<ClusterEntry>>,
        start: impl FnOnce(RaftConfig, &WriteAheadLog<Arc<ClusterEntry>>) -> RaftNode<Arc<ClusterEntry>>,
    ) -> Self {
        let config = RaftConfig {
            pre_vote: profile.has(Difference::PreVote),
            ..RaftConfig::new(id, (1..=founders).collect())
        };
        Self {
            identity: Undigested(identity),
            founding: Undigested(Arc::new(founding(founders))),
            changed: Sparse::default(),
            joining: Sparse::default(),
            node: start(config.clone(), &wal),
            config,
            seed,
            wal,
            writing: None,
            unapplied: Sparse::default(),
            ticks: 0,
            numbers: 0,
            waiters: OrdMap::new(),
            without_leader: Vec::new(),
            parked: Vec::new(),
            confirming: None,
            confirmed: Vec::new(),
            leader: None,
            elected: None,
            contacts: PeerContacts::default(),
            transfers: Vec::new(),
            forwarded: OrdMap::new(),
            revoking: OrdMap::new(),
            monitor: LeaderMonitor::default(),
            snapshots: LogSnapshots::new(profile),
            blocked_error: match profile.has(Difference::BlockedProposalTimesOut) {
                false => EtcdError::BlockedProposal,
                true => EtcdError::DeadlineExceeded,
            },
            renews_read_index: profile.has(Difference::RenewsReadIndex),
        }
    }

    pub(super) fn founders(&self) -> u32 {
        self.config.members.voters().len() as u32
    }

    /// Returns the members in the applied state.
    pub(super) fn membership(&self) -> &Arc<Membership> {
        self.changed.as_ref().unwrap_or(&self.founding)
    }

    fn conf_state(&self) -> ConfState {
        self.membership().conf_state().clone()
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        u64::from(self.config.id) << 48 | self.numbers
    }

    pub(super) fn propose(&mut self, content: LogEntry, waiter: Waiter) {
        let id = self.number();
        self.waiters.insert(id, (self.ticks, waiter));
        self.without_leader
            .push(Arc::new(ClusterEntry { id, content }));
    }

    /// Passes the waiting proposals to raft if a leader is known. Requests a ReadIndex if reads wait.
    fn pass_on(&mut self) {
        for entry in std::mem::take(&mut self.without_leader) {
            if self.node.propose(entry.clone()).is_err() {
                self.without_leader.push(entry);
            }
        }
        if self.confirming.is_none() && !self.parked.is_empty() {
            let reads = std::mem::take(&mut self.parked);
            self.request_index(reads);
        }
    }

    fn request_index(&mut self, reads: Vec<ParkedRead>) {
        let number = self.number();
        self.node.read_index(number);
        self.confirming = Some(RunningReadIndex {
            number,
            earlier: Sparse::default(),
            started: self.ticks,
            requested: self.ticks,
            reads,
        });
    }

    /// Repeats a ReadIndex, because the network can lose its messages.
    fn repeat_index(&mut self, mut running: RunningReadIndex) {
        if self.renews_read_index {
            running.earlier.push(running.number);
            running.number = self.number();
        }
        running.requested = self.ticks;
        self.node.read_index(running.number);
        self.confirming = Some(running);
    }

    /// Handles a tick of the raft clock. Returns the callers of requests that timed out, each with its error.
    fn tick(&mut self) -> Vec<(Caller, EtcdError)> {
        self.ticks += 1;
        self.node.tick();
        self.give_up_snapshots();
        let mut late = self.late_writes();
        if let Some(running) = self.confirming.take() {
            if self.is_late(running.started) {
                let callers = running.reads.iter().map(|read| read.caller);
                late.extend(callers.map(|caller| (caller, EtcdError::RequestTimedOut)));
            } else if self.ticks < running.requested + READ_RETRY_TICKS {
                self.confirming = Some(running);
            } else {
                self.repeat_index(running);
            }
        }
        late
    }

    fn is_late(&self, since: u64) -> bool {
        self.ticks >= since + REQUEST_TICKS
    }

    /// Removes the proposals that timed out. Returns their callers, each with its error.
    fn late_writes(&mut self) -> Vec<(Caller, EtcdError)> {
        let waiters = self.waiters.iter();
        let late: Vec<(u64, u64)> = waiters
            .map(|(id, (since, _))| (*id, *since))
            .filter(|(_, since)| self.is_late(*since))
            .collect();
        let mut callers = Vec::new();
        for (id, since) in late {
            let is_blocked = self.without_leader.iter().any(|entry| entry.id == id);
            self.without_leader.retain(|entry| entry.id != id);
            let error = match is_blocked {
                // A blocked proposal ends at the deadline of its request, with the error for an exceeded deadline.
                true => self.blocked_error,
                false => self.cause_of_timeout(since),
            };
            match self.waiters.remove(&id) {
                Some((_, Waiter::Caller(caller) | Waiter::Prepared(caller, _))) => {
                    callers.push((caller, error));
                }
                Some((_, Waiter::Login(login))) => callers.push((login.caller, error)),
                _ => {}
            }
        }
        callers
    }

    /// Returns the error of a proposal that timed out (`parseProposeCtxErr`).
    fn cause_of_timeout(&self, since: u64) -> EtcdError {
        let two_elections = 2 * u64::from(self.config.election_ticks);
        let follows_failure = |elected: u64| since < elected && since + two_elections > elected;
        if self.elected.is_some_and(follows_failure) {
            return EtcdError::TimedOutAfterLeaderFailure;
        }
        let is_connected = |peer: RaftId| self.contacts.is_connected_since(peer, since, self.ticks);
        let connected = match self.node.leader() {
            None => true,
            Some(leader) if leader == self.config.id => {
                let members = self.node.members().members();
                let count = members.len() as u32;
                let others = members.into_iter().filter(|member| *member != leader);
                let connected = others.filter(|member| is_connected(*member));
                connected.count() as u32 + 1 >= quorum(count)
            }
            Some(leader) => is_connected(leader),
        };
        match connected {
            true => EtcdError::RequestTimedOut,
            false => EtcdError::TimedOutAfterConnectionLoss,
        }
    }

    /// Records that this member, which was alone, is the leader.
    pub(super) fn leads_alone(&mut self) {
        self.leader = Some(self.config.id);
    }

    /// Records a change of the leader. Returns the reads that fail because a new leader was elected.
    fn leader_announced(&mut self, leader: Option<RaftId>) -> Vec<ParkedRead> {
        let is_new = leader.is_some() && leader != self.leader;
        self.leader = leader;
        if !is_new {
            return Vec::new();
        }
        self.contacts.leader_elected(self.ticks);
        if leader == Some(self.config.id) {
            self.elected = Some(self.ticks);
        }
        let running = self.confirming.take();
        running.map_or(Vec::new(), |running| running.reads)
    }

    /// Drops the state that the process loses when it stops: everything that is not in the synced log.
    fn stop(&mut self) {
        self.writing = None;
        self.unapplied.clear();
        self.waiters = OrdMap::new();
        self.without_leader.clear();
        self.parked.clear();
        self.confirming = None;
        self.confirmed.clear();
        self.transfers.clear();
        (self.leader, self.elected) = (None, None);
        self.contacts = PeerContacts::default();
        self.forwarded = OrdMap::new();
        self.revoking = OrdMap::new();
        self.monitor = LeaderMonitor::default();
        self.snapshots.stop();
    }
}

/// Returns true if a read must see all writes that etcd acknowledged before the read.
fn is_linearizable_read(request: &Request) -> bool {
    match request {
        Request::Range(r) | Request::RangeStream(r) => !r.serializable,
        Request::Txn(r) => txn::is_read_only(r) && !txn::is_serializable(r),
        Request::MemberList(r) => r.linearizable,
        _ => false,
    }
}

impl EtcdServer {
    /// Turns a new member into member `id` of a cluster with this number of members.
    #[must_use]
    pub fn in_cluster(mut self, id: RaftId, members: u32, seed: u64) -> Self {
        let applied = u64::from(members);
        let wal = WriteAheadLog::bootstrapped(TERM_AT_START, applied);
        let member = ClusterMember::new(
            (id, members),
            MemberIdentity::of_founder(id, members),
            (self.profile(), seed),
            wal,
            |config, wal| RaftNode::restart(config, seed, wal, applied),
        );
        self.raft_index = applied;
        self.raft_term = TERM_AT_START;
        self.begin_in_cluster(member);
        self
    }

    /// Makes a new member part of its cluster, whose members its database file then lists.
    pub(super) fn begin_in_cluster(&mut self, member: ClusterMember) {
        self.cluster = Cluster(Some(Box::new(member)));
        self.store_membership();
        self.kv.backend_mut().commit();
    }

    #[cfg(feature = "planted-bugs")]
    pub(super) fn plant_in_raft(&mut self, planted: crate::base::planted::Planted) {
        if let Some(member) = &mut self.cluster.0 {
            member.node = member.node.clone().planted(planted);
        }
    }

    pub fn founders(&self) -> u32 {
        self.cluster
            .0
            .as_ref()
            .map_or(1, |member| member.founders())
    }

    /// Returns the members of the cluster in the applied state.
    pub fn membership(&self) -> Arc<Membership> {
        match &self.cluster.0 {
            None => Arc::new(founding(1)),
            Some(member) => member.membership().clone(),
        }
    }

    /// Returns the raft node; `None` for a single member.
    pub fn raft(&self) -> Option<&RaftNode<Arc<ClusterEntry>>> {
        self.cluster.0.as_ref().map(|member| &member.node)
    }

    /// Returns the number of reads that wait until a quorum confirms their index, and the number of confirmed reads
    /// that wait until the store reaches their index.
    pub fn waiting_reads(&self) -> (usize, usize) {
        self.cluster.0.as_ref().map_or((0, 0), |member| {
            let running = member.confirming.as_ref();
            let asked = running.map_or(0, |running| running.reads.len());
            (member.parked.len() + asked, member.confirmed.len())
        })
    }

    /// Starts the clock of raft, and publishes the attributes of the member (`publish`).
    pub fn start_raft(&mut self, out: &mut Outbox<MemberTimer>) {
        if self.cluster.0.is_some() {
            out.timer(TICK, MemberTimer::RaftTick);
            self.publish();
            self.run_raft(out);
        }
    }

    /// Restarts the raft node with the synced log.
    pub(super) fn restart_raft(&mut self, out: &mut Outbox<MemberTimer>) {
        let applied = self.raft_index;
        if let Some(member) = &mut self.cluster.0 {
            let seed = member.seed ^ member.ticks;
            member.snapshots.compact_stored(&mut member.wal);
            member.node = member
                .node
                .restarted(member.conf_state(), seed, &member.wal, applied);
            self.raft_term = member.node.term();
            if member.membership().has_removed(member.config.id) {
                out.timer(SimDuration(0), MemberTimer::Removed);
            }
        }
        self.start_raft(out);
    }

    pub(super) fn stop_raft(&mut self) {
        if let Some(member) = &mut self.cluster.0 {
            member.stop();
        }
    }

    /// Handles a tick of the raft clock, and schedules the next tick.
    pub(super) fn tick_raft(&mut self, out: &mut Outbox<MemberTimer>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        for (caller, error) in member.tick() {
            out.reply(caller, Err(error));
        }
        self.publish_again();
        self.finish_transfers(out);
        self.forward_requests(out);
        self.monitor_leader(out);
        out.timer(TICK, MemberTimer::RaftTick);
        self.run_raft(out);
    }

    pub fn peer_message(&mut self, message: &PeerMessage, out: &mut Outbox<MemberTimer>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        if member.membership().has_removed(message.from) {
            return out.send(NodeId::Member(message.from), removed());
        }
        member.contacts.heard(message.from, member.ticks);
        let state = member.snapshots.received_with(message);
        match state.and_then(|state| state.conf_state().cloned()) {
            Some(members) => member.node.step_snapshot(message.clone(), members),
            None => member.node.step(message.clone()),
        }
        self.run_raft(out);
        self.end_qos(out);
        self.settle_watches(out);
    }

    /// Lets a linearizable read wait until a quorum of the cluster confirms the read's index. Returns false if the read
    /// does not need to wait.
    pub(super) fn park_read(&mut self, caller: Caller, request: &Arc<Request>) -> bool {
        let waits = match &**token_of(request).1 {
            Request::Authenticate(_) => self.auth.is_enabled(),
            request => is_linearizable_read(request),
        };
        let Some(member) = &mut self.cluster.0 else {
            return false;
        };
        if waits {
            member.parked.push(ParkedRead {
                caller,
                request: request.clone(),
            });
        }
        waits
    }

    /// Processes the output of the raft node until the node has no more output or a sync of the log begins.
    pub(super) fn run_raft(&mut self, out: &mut Outbox<MemberTimer>) {
        let fsync = self.cost().fsync();
        while let Some(member) = &mut self.cluster.0 {
            member.pass_on();
            let Some(mut ready) = member.node.ready() else {
                break;
            };
            let messages = std::mem::take(&mut ready.messages);
            send(member.queue_snapshots(messages), out);
            let waits = ready.must_sync && fsync.0 > 0;
            member.writing = Some(ready);
            if waits {
                self.syncing = 1;
                out.timer(fsync, MemberTimer::LogSynced);
                break;
            }
            self.finish_ready(out);
        }
        self.serve_confirmed(out);
    }

    /// Completes the raft node's work that waited for a sync of the log.
    pub(super) fn finish_ready(&mut self, out: &mut Outbox<MemberTimer>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        let Some(ready) = member.writing.take() else {
            return;
        };
        member.wal.save(&ready);
        self.raft_term = member.node.term();
        let is_new_leader = ready.soft_state.is_some_and(|s| s.role == RaftRole::Leader);
        let is_demoted = ready.soft_state.is_some() && !is_new_leader;
        if let Some(soft_state) = ready.soft_state {
            for read in member.leader_announced(soft_state.leader) {
                out.reply(read.caller, Err(EtcdError::LeaderChanged));
            }
        }
        for read in ready.read_states {
            let is_running = |running: &mut RunningReadIndex| {
                running.number == read.number || running.earlier.contains(&read.number)
            };
            if let Some(running) = member.confirming.take_if(is_running) {
                let reads = running.reads.into_iter();
                member.confirmed.extend(reads.map(|r| (read.index, r)));
            }
        }
        if let Some(mark) = ready.snapshot {
            // The snapshot contains the effects of these entries.
            if let Some(member) = &mut self.cluster.0 {
                member.unapplied.clear();
            }
            self.install_snapshot(mark, out);
        }
        if let Some(member) = &mut self.cluster.0 {
            member.unapplied.extend(ready.committed);
        }
        self.apply_committed_entries(out);
        if let Some(member) = &mut self.cluster.0 {
            send(member.queue_snapshots(ready.messages_after_sync), out);
        }
        self.take_snapshots(out);
        if is_new_leader {
            self.lessor.promote(out.now + ELECTION_TIMEOUT);
            if let Some(member) = &mut self.cluster.0 {
                member.revoking = OrdMap::new();
            }
            self.plan_check(out);
        }
        if is_demoted {
            self.forward_renewals(out);
        }
        if let Some(member) = &mut self.cluster.0 {
            member.node.advance();
        }
    }

    /// Applies the committed entries, unless a sync pass over watchers holds the lock of the store.
    pub(super) fn apply_committed_entries(&mut self, out: &mut Outbox<MemberTimer>) {
        while !self.is_locked()
            && let Some(entry) = self
                .cluster
                .0
                .as_mut()
                .and_then(|m| m.unapplied.pop_front())
        {
            let (content, waiter) = self.receiver_of(entry.data);
            self.apply_entry((content, waiter), out);
            assert_eq!(self.raft_index, entry.index, "entries are applied in order");
        }
    }

    /// Returns the content of an entry and the receiver of its result.
    fn receiver_of(&mut self, entry: Option<Arc<ClusterEntry>>) -> (LogEntry, Waiter) {
        let (Some(entry), Some(member)) = (entry, &mut self.cluster.0) else {
            return (LogEntry::Empty, Waiter::Nobody);
        };
        let waiter = member.waiters.remove(&entry.id);
        let waiter = waiter.map_or(Waiter::Nobody, |(_, waiter)| waiter);
        (entry.content.clone(), waiter)
    }

    /// Serves the confirmed reads whose index the store has reached, and the requests that waited for their tokens.
    fn serve_confirmed(&mut self, out: &mut Outbox<MemberTimer>) {
        let index = self.raft_index;
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        let confirmed = std::mem::take(&mut member.confirmed);
        let (due, waiting): (Vec<_>, Vec<_>) = confirmed
            .into_iter()
            .partition(|(needed, _)| *needed <= index);
        member.confirmed = waiting;
        for (_, read) in due {
            self.execute_now(read.caller, &read.request, out);
        }
        let waiting = std::mem::take(&mut *self.awaiting_tokens);
        for (caller, request) in waiting {
            self.execute_now(caller, &request, out);
        }
    }

    /// Returns true for a follower that has not stored the storage version yet (`monitorStorageVersion`).
    pub(super) fn is_young_follower(&self) -> bool {
        let member = self.cluster.0.as_ref();
        member.is_some_and(|m| m.ticks < VERSION_TICKS && m.node.role() != RaftRole::Leader)
    }

    /// Returns true if the member knows a leader. A single member is its own leader.
    pub fn has_leader(&self) -> bool {
        self.raft().is_none_or(|node| node.leader().is_some())
    }

    /// Returns true if the member refuses proposals because too many committed entries are not applied yet.
    pub(super) fn is_far_behind(&self) -> bool {
        let is_far = |node: &RaftNode<_>| {
            exceeds_request_limit(node.log().committed(), self.raft_index, false)
        };
        self.raft().is_some_and(is_far)
    }

    /// Returns true if the member may revoke expired leases: in a cluster, only the leader counts the time of leases.
    pub(super) fn is_primary(&self) -> bool {
        self.raft()
            .is_none_or(|node| node.role() == RaftRole::Leader)
    }
}

/// Returns the response to a message from a removed member.
pub(super) fn removed() -> Body {
    Body::Etcd(EtcdMessage::PeerRemoved)
}

fn send(messages: Vec<PeerMessage>, out: &mut Outbox<MemberTimer>) {
    for message in messages {
        let to = NodeId::Member(message.to);
        out.send(to, Body::Etcd(EtcdMessage::Peer(Arc::new(message))));
    }
}
