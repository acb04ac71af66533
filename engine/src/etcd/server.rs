//! The etcd member, which receives requests, sends responses, and runs compaction jobs.
//!
//! Mirrors `server/etcdserver/v3_server.go`. The handling of raft entries is in `entries.rs`.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::{
    AuthenticateResponse, DefragmentResponse, Difference, EtcdError, HashKvRequest, HashKvResponse,
    MemberChangeResponse, MemberListResponse, Profile, QosRequest, RangeRequest, RangeResponse,
    Reply, Request, Response, ResponseHeader, StatusResponse, proto,
};
use crate::auth::AuthStore;
use crate::backend::{Bucket, PageCache, PageCount};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::digest::{Sparse, Undigested};
use crate::base::ids::{Caller, StreamKey};
use crate::base::ordered::OrdMap;
use crate::base::proto::size;
use crate::base::time::{SimDuration, SimTime};
use crate::mvcc::{CompactionLimits, KvStore, WatchableStore};
use crate::sim::Outbox;
use crate::sim::cost::CostModel;
use crate::sim::processor::{Processor, ProcessorWork};
use crate::trace::{FirstRead, TraceEvent};

use crate::lease::Lessor;
use crate::lease::lessor::ttl_min_s;

use super::auth::{AfterWork, token_of};
use super::cluster::Cluster;
use super::compactor::{AutoCompaction, AutoCompactor};
use super::entries::{Proposal, Waiter};
use super::last_range::LastRange;
use super::leases::LeaseServer;
use super::metrics::{MemberMetrics, RunningRead};
use super::qos::{self, MemberQos};
use super::range_stream::RangeStream;
use super::restart::Backup;
use super::watch_server::WatchServer;
use super::{check, range, txn};

/// The number of entries in the raft log of a new single member before its first request: the configuration change, the
/// empty entry of the term, the attributes of the member, and the cluster version.
const RAFT_INDEX_AT_START: u64 = 4;
const RAFT_TERM_AT_START: u64 = 2;

/// The election timeout (`--election-timeout`), which determines the minimum TTL of leases.
pub(super) const ELECTION_TIMEOUT: SimDuration = SimDuration::from_millis(1000);

/// The default quota of the database, in bytes (`--quota-backend-bytes`).
pub const QUOTA_BYTES: u64 = 2 << 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServerLimits {
    /// The maximum number of operations or compares per transaction (`--max-txn-ops`).
    pub txn_ops: u32,
    /// The maximum size of a raft entry, in bytes (`--max-request-bytes`).
    pub request_bytes: u64,
    /// The maximum size of the database, in bytes (`--quota-backend-bytes`).
    pub quota_bytes: u64,
    /// The maximum size of a message that the client library sends, in bytes (`defaultMaxCallSendMsgSize`).
    pub client_send_bytes: u64,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            txn_ops: 128,
            request_bytes: 3 << 19,
            quota_bytes: QUOTA_BYTES,
            client_send_bytes: proto::CLIENT_SEND_BYTES,
        }
    }
}

/// The last version of etcd without progress requests (`WatchProgressRequest`).
const VERSION_WITHOUT_PROGRESS: &str = "3.3.13";

/// The storage version of a database without a row that states the version (`DetectSchemaVersion`).
const UNMARKED_STORAGE: &str = "3.5.0";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberTimer {
    /// Run the next batch of the running compaction.
    CompactionBatch,
    /// Check whether an automatic compaction is due, and sample the revision.
    AutoCompaction,
    /// The processor finishes a job.
    JobEnds,
    /// A sync of the write-ahead log ends.
    LogSynced,
    /// Execute the delayed requests whose start time has been reached.
    QosRelease,
    LeaseExpiry,
    /// Revoke the next expired lease.
    LeaseRevoke,
    /// Run a sync pass over the unsynced watchers.
    WatchSync,
    /// A long sync pass ends, and releases the lock of the store.
    WatchUnlock,
    /// Retry sending to victims, which are the watchers whose channel was full.
    WatchVictims,
    /// Send progress notifications to the watches of a stream.
    WatchProgress(StreamKey),
    RaftTick,
    /// Commit the batch to a full disk, which can end the process.
    Commit,
    /// Stop, because the member was removed from the cluster. The world ends the process.
    Removed,
}

/// An etcd member.
///
/// The type has two main methods besides its getters: [`handle`](Self::handle) handles a request, and
/// [`wake`](Self::wake) handles a timer. Both write their replies, messages and timers to the outbox.
///
/// ```
/// use watchglass_engine::api::{Profile, PutRequest, Request, Response};
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::etcd::EtcdServer;
/// use watchglass_engine::base::ids::{Caller, NodeId};
/// use watchglass_engine::sim::Outbox;
/// let mut member = EtcdServer::new(Profile::V3_6);
/// let mut out = Outbox::new(SimTime(0));
/// let put = PutRequest { key: "/key1".into(), value: "value1".into(), ..PutRequest::default() };
/// let caller = Caller { node: NodeId::Etcdctl, call: 1 };
/// member.handle(caller, &Request::Put(put).into(), &mut out);
/// let (_, reply) = out.replies.remove(0);
/// let Ok(Response::Put(put)) = reply else { panic!() };
/// assert_eq!(put.header.revision, 2); // the first write of a store
/// ```
#[derive(Clone, Debug, Hash)]
pub struct EtcdServer {
    profile: Profile,
    pub(super) limits: ServerLimits,
    pub(super) kv: WatchableStore,
    pub(super) watch: WatchServer,
    pub(super) lessor: Lessor,
    pub(super) leases: LeaseServer,
    pub(super) raft_index: u64,
    pub(super) cluster: Cluster,
    /// The proposed entries that are not applied yet.
    pub(super) proposed: VecDeque<Proposal>,
    pub(super) raft_term: u64,
    /// The physical compactions whose responses wait until their compaction job is finished.
    pub(super) waiting: VecDeque<Waiting>,
    /// The number of compaction jobs that ever finished.
    pub(super) compactions_done: u64,
    pub(super) compactions_queued: u64,
    pub(super) compactor: AutoCompactor,
    /// The snapshots that are being sent. Each snapshot has its own read transaction.
    pub(super) snapshots: OrdMap<Arc<str>, Arc<Backup>>,
    /// The defragmentation requests that wait until no read transaction is open.
    pub(super) defragments: Vec<Caller>,
    /// The last long response to a range request, cached for repetitions of the same request.
    last_range: LastRange,
    /// The state of etcd QoS, a proposal that etcd never merged; `None` if QoS is off.
    pub(super) qos: Option<Box<MemberQos>>,
    /// Whether the limits of the QoS rules are disabled.
    pub(super) ignores_qos_rules: bool,
    /// Whether the member accepts logins of any user while authentication is disabled (`set auth 1`).
    has_auth: bool,
    /// The users, roles and tokens.
    pub(super) auth: Sparse<AuthStore>,
    /// The requests whose tokens are in entries that the member has not applied yet.
    pub(super) awaiting_tokens: Sparse<Vec<(Caller, Arc<Request>)>>,
    cost: CostModel,
    /// The processor of the member's machine, with the responses that the processor works on.
    processor: Processor<MemberJob>,
    /// The counters of the member's process since its start.
    pub(super) metrics: MemberMetrics,
    /// The pages that the current read fetched from the disk.
    pages_fetched: PageCount,
    /// The number of proposed entries that the running sync of the log writes; 0 if no sync runs.
    pub(super) syncing: usize,
    /// Whether the entries of the last sync of the log wait for the lock of the store.
    pub(super) log_waits: Sparse<bool>,
    /// Whether a sync pass over unsynced watchers takes time and blocks writes.
    pub(super) sync_pass_costs: Sparse<bool>,
    /// The seed of the world, from which the members of a cluster draw their random numbers. The digest contains the
    /// seed elsewhere.
    pub(super) seed: Undigested<u64>,
    /// Whether the store has rows that no log entry wrote. The digest contains these rows.
    pub(super) is_populated: Undigested<bool>,
    /// Whether the member only copies another etcd (`mirror.rs`).
    pub(super) is_mirror: Sparse<bool>,
}

/// A response that the processor works on.
#[derive(Clone, Debug, Hash)]
pub struct MemberJob {
    pub(super) caller: Caller,
    pub(super) response: Response,
    /// The read in progress; `None` if the request is not a read.
    read: Option<Box<RunningRead>>,
    /// The work that follows the hash of a password or a TLS handshake, which then replaces the response.
    after_work: Sparse<Option<Box<AfterWork>>>,
    /// The range whose chunk the response is, if more chunks follow.
    pub(super) stream: Sparse<Option<Box<RangeStream>>>,
}

impl MemberJob {
    fn new(caller: Caller, response: Response) -> Self {
        Self {
            caller,
            response,
            read: None,
            after_work: Sparse::default(),
            stream: Sparse::default(),
        }
    }

    fn reads_rows(&self) -> bool {
        matches!(self.response, Response::Range(_) | Response::RangeStream(_))
    }
}

#[derive(Clone, Debug, Hash)]
pub(super) struct Waiting {
    pub(super) caller: Caller,
    /// The response is due when `EtcdServer::compactions_done` reaches this number.
    pub(super) jobs: u64,
    pub(super) reply: Reply,
}

impl EtcdServer {
    /// Creates a member with an empty store.
    pub fn new(profile: Profile) -> Self {
        let mut member = Self {
            profile,
            limits: ServerLimits::default(),
            kv: WatchableStore::new(KvStore::new(profile)),
            watch: WatchServer::new(0),
            lessor: Lessor::new(ttl_min_s(ELECTION_TIMEOUT)),
            leases: LeaseServer::default(),
            raft_index: RAFT_INDEX_AT_START,
            cluster: Cluster::default(),
            proposed: VecDeque::new(),
            raft_term: RAFT_TERM_AT_START,
            waiting: VecDeque::new(),
            compactions_done: 0,
            compactions_queued: 0,
            compactor: AutoCompactor::default(),
            snapshots: OrdMap::new(),
            defragments: Vec::new(),
            last_range: LastRange::default(),
            qos: None,
            ignores_qos_rules: false,
            has_auth: false,
            auth: Sparse::default(),
            awaiting_tokens: Sparse::default(),
            cost: CostModel::FREE,
            processor: Processor::new(CostModel::FREE.etcd_cores),
            metrics: MemberMetrics::default(),
            pages_fetched: PageCount::default(),
            syncing: 0,
            log_waits: Sparse(false),
            sync_pass_costs: Sparse(false),
            seed: Undigested::default(),
            is_populated: Undigested::default(),
            is_mirror: Sparse(false),
        };
        member.write_start_rows();
        member
    }

    pub fn seeded(mut self, seed: u64) -> Self {
        self.watch = WatchServer::new(seed);
        self.seed = Undigested(seed);
        self
    }

    /// Replaces the random numbers of the member from now on.
    pub fn reseed(&mut self, seed: u64) {
        self.watch.reseed(seed);
        self.seed = Undigested(seed);
        if let Some(member) = &mut self.cluster.0 {
            member.reseed(seed);
        }
    }

    /// Plants a fault, for tests of the checkers.
    #[cfg(feature = "planted-bugs")]
    pub fn plant(&mut self, planted: crate::base::planted::Planted) {
        self.kv.plant(planted);
        self.plant_in_raft(planted);
    }

    pub fn watchable(&self) -> &WatchableStore {
        &self.kv
    }

    pub fn store(&self) -> &KvStore {
        self.kv.store()
    }

    /// Sets the number of rows that a compaction examines in one batch, and the pause after a full batch.
    pub fn set_compaction_limits(&mut self, limits: CompactionLimits) {
        self.kv.set_compaction_limits(limits);
    }

    /// Sets the cost model of a new member.
    #[must_use]
    pub fn with_cost(mut self, cost: CostModel) -> Self {
        self.cost = cost;
        self.processor = Processor::new(cost.etcd_cores);
        self
    }

    /// Sets whether a sync pass over unsynced watchers takes time and blocks writes.
    #[must_use]
    pub fn with_sync_pass_costs(mut self, costs: bool) -> Self {
        self.sync_pass_costs = Sparse(costs);
        self
    }

    /// Adds work to the processor time of the member.
    pub(super) fn spend(&mut self, work: ProcessorWork) {
        self.processor.spend(work);
    }

    /// Sets the cost model, which determines how much processor time the member's work takes.
    pub fn set_cost(&mut self, cost: CostModel, out: &mut Outbox<MemberTimer>) {
        self.cost = cost;
        self.processor.set_cores(out.now, cost.etcd_cores);
        self.plan_job_end(out);
    }

    /// Returns the cost model, which determines how much processor time the member's work takes.
    pub fn cost(&self) -> &CostModel {
        &self.cost
    }

    /// Returns true if the member accepts logins.
    pub fn has_auth(&self) -> bool {
        self.has_auth
    }

    /// Lets the member accept or refuse logins.
    pub fn set_auth(&mut self, has_auth: bool) {
        self.has_auth = has_auth;
    }

    pub fn processor(&self) -> &Processor<MemberJob> {
        &self.processor
    }

    /// Returns the counters of the member's process since its start.
    pub fn metrics(&self) -> &MemberMetrics {
        &self.metrics
    }

    /// Returns the number of proposals that are not applied yet.
    pub fn proposals_pending(&self) -> u64 {
        self.proposed.len() as u64
    }

    pub fn lessor(&self) -> &Lessor {
        &self.lessor
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Returns the index of the last raft entry that the member has applied.
    pub fn raft_index(&self) -> u64 {
        self.raft_index
    }

    /// Returns the raft term in the member's responses.
    pub fn raft_term(&self) -> u64 {
        self.raft_term
    }

    /// Handles a request. The response follows immediately, or later if it must wait, for example for the removal of
    /// rows by a physical compaction.
    pub fn handle(
        &mut self,
        caller: Caller,
        request: &Arc<Request>,
        out: &mut Outbox<MemberTimer>,
    ) {
        out.trace(TraceEvent::Received {
            method: request.method(),
            revision: match &**request {
                Request::Range(r) | Request::RangeStream(r) => r.revision,
                _ => 0,
            },
        });
        let (sender, inner) = qos::caller_of(request);
        self.metrics.received_bytes += size(&**inner);
        if let Err(error) = self.check_learner(inner) {
            return out.reply(caller, Err(error));
        }
        // Only the token matters after the decision of QoS.
        let has_token = sender.is_some_and(|sender| sender.token().is_some());
        let kept = if has_token { request } else { inner };
        let is_admitted = self.qos.is_none() || {
            let sender = sender.map(|sender| self.known_sender(sender, out.now));
            self.admit(caller, (sender.as_ref(), kept), out)
        };
        if is_admitted {
            self.execute(caller, kept, out);
        }
        self.end_qos(out);
        self.settle_watches(out);
    }

    /// Executes a request that etcd QoS has admitted.
    pub(super) fn execute(
        &mut self,
        caller: Caller,
        request: &Arc<Request>,
        out: &mut Outbox<MemberTimer>,
    ) {
        if self.park_read(caller, request) {
            return self.run_raft(out);
        }
        self.execute_now(caller, request, out);
    }

    /// Executes a request that does not wait for the cluster.
    pub(super) fn execute_now(
        &mut self,
        caller: Caller,
        request: &Arc<Request>,
        out: &mut Outbox<MemberTimer>,
    ) {
        let answered = self.answer(caller, request, out);
        self.apply_committed(out);
        match answered {
            Ok(Some(response @ (Response::Range(_) | Response::Authenticate(_)))) => {
                self.work_on(caller, (token_of(request).1, response), out);
            }
            answered => {
                self.processor.spend(self.cost.request);
                self.reply(caller, answered, out);
            }
        }
    }

    /// Uses processor time for a watch response with this number of events.
    pub(super) fn spend_on_watch(&mut self, events: u64) {
        self.processor.spend(self.cost.watch(events));
    }

    /// Sends a response once the work for the response is done.
    fn work_on(
        &mut self,
        caller: Caller,
        (request, response): (&Request, Response),
        out: &mut Outbox<MemberTimer>,
    ) {
        let pages = self.wait_for_disk(out.now);
        let work = self.work_of(&response).and(pages);
        let mut job = MemberJob::new(caller, response);
        if !self.processor.ends_at_once(work) {
            job.read = self.running(out.now, request, &job.response, pages);
        }
        if let Some(job) = self.run_job(work, job, out) {
            self.reply(job.caller, Ok(Some(job.response)), out);
        }
    }

    /// Runs a job. Returns the job if it takes no time.
    pub(super) fn run_job(
        &mut self,
        work: ProcessorWork,
        job: MemberJob,
        out: &mut Outbox<MemberTimer>,
    ) -> Option<MemberJob> {
        let ended = self.processor.run(out.now, work, job);
        if ended.is_none() {
            self.plan_job_end(out);
        }
        ended
    }

    /// Returns the time that the current read waits for the disk: for the end of a commit, which holds the lock of the
    /// read buffer, and for the pages that the read needs.
    pub(super) fn wait_for_disk(&mut self, now: SimTime) -> ProcessorWork {
        let commit = self.store().backend().commit_end();
        let fetched = std::mem::take(&mut self.pages_fetched);
        let pages = self.cost.pages(fetched.random, fetched.sequential);
        ProcessorWork::idle(SimDuration(commit.0.saturating_sub(now.0))).and(pages)
    }

    /// Computes the hash of a password, and then continues with `after`.
    pub(super) fn hash_password(
        &mut self,
        caller: Caller,
        after: AfterWork,
        out: &mut Outbox<MemberTimer>,
    ) {
        self.work_before(caller, (self.cost.authenticate, after), out);
    }

    /// Does the work of a TLS handshake, and then handles the first request of the connection.
    pub fn handle_after_handshake(
        &mut self,
        caller: Caller,
        request: &Arc<Request>,
        out: &mut Outbox<MemberTimer>,
    ) {
        let after = AfterWork::Handle(request.clone());
        self.work_before(caller, (self.cost.tls_handshake, after), out);
    }

    /// Adds the work of a TLS handshake to the processor time. The work delays nothing.
    pub fn spend_on_handshake(&mut self) {
        self.processor.spend(self.cost.tls_handshake);
    }

    /// Does some work, and then continues with `after`.
    fn work_before(
        &mut self,
        caller: Caller,
        (work, after): (ProcessorWork, AfterWork),
        out: &mut Outbox<MemberTimer>,
    ) {
        let response = Response::Authenticate(AuthenticateResponse::default());
        let job = MemberJob {
            after_work: Sparse(Some(Box::new(after))),
            ..MemberJob::new(caller, response)
        };
        if let Some(job) = self.processor.run(out.now, work, job) {
            self.end_job(job, out);
        }
        self.plan_job_end(out);
    }

    /// Returns the steps of a read for the log of slow reads.
    fn running(
        &self,
        since: SimTime,
        request: &Request,
        response: &Response,
        pages: ProcessorWork,
    ) -> Option<Box<RunningRead>> {
        let (Request::Range(request), Response::Range(range)) = (request, response) else {
            return None;
        };
        Some(Box::new(RunningRead {
            since,
            request: request.clone(),
            index: self.cost.etcd_object.times(range.kvs.len() as u64),
            backend: self.cost.etcd_byte.times(range.kvs.weight()).and(pages),
        }))
    }

    fn work_of(&self, response: &Response) -> ProcessorWork {
        let range = match response {
            Response::Range(range) => range,
            Response::Authenticate(_) => return self.cost.request.and(self.cost.authenticate),
            _ => return self.cost.request,
        };
        let rows = range.kvs.len() as u64;
        let read = self.cost.range(rows, range.kvs.weight());
        self.cost.request.and(read)
    }

    fn end_jobs(&mut self, out: &mut Outbox<MemberTimer>) {
        for mut job in self.processor.finished(out.now) {
            if let (Some(read), Response::Range(range)) = (job.read.take(), &job.response) {
                self.metrics.read(out.now, *read, Some(range));
            }
            self.end_job(job, out);
        }
        self.plan_job_end(out);
    }

    fn end_job(&mut self, mut job: MemberJob, out: &mut Outbox<MemberTimer>) {
        match job.after_work.take() {
            Some(after) => self.continue_with(job.caller, *after, out),
            None => {
                self.reply(job.caller, Ok(Some(job.response.clone())), out);
                self.send_chunks(job, out);
            }
        }
    }

    /// Returns true if the member reads rows for a client's request that `is_gone` selects, and can stop between two
    /// rows.
    pub fn can_abandon(&self, is_gone: impl Fn(Caller) -> bool) -> bool {
        let mut jobs = self.processor.jobs();
        self.profile.has(Difference::StopsAbandonedRead)
            && jobs.any(|job| job.reads_rows() && is_gone(job.caller))
    }

    /// Stops the reads of clients that wait for no response any more (`ctx.Done` in `rangeKeys`).
    pub fn abandon_reads(
        &mut self,
        is_gone: impl Fn(Caller) -> bool,
        out: &mut Outbox<MemberTimer>,
    ) {
        let now = out.now;

        let is_stopped = |job: &MemberJob| job.reads_rows() && is_gone(job.caller);
        for (job, cpu) in self.processor.stop(now, is_stopped) {
            if let Some(read) = job.read {
                self.metrics.read(now, *read, None);
            }
            self.abandoned_in_qos(now, job.caller, cpu);
            out.trace(TraceEvent::ReadAbandoned);
        }
        self.plan_job_end(out);
        self.end_qos(out);
    }

    pub(super) fn plan_job_end(&self, out: &mut Outbox<MemberTimer>) {
        if let Some(at) = self.processor.next() {
            out.timer(at - out.now, MemberTimer::JobEnds);
        }
    }

    /// Drops the responses that the processor works on, and the entries that are not in the log yet. Call this method
    /// when the process ends.
    pub(super) fn drop_jobs(&mut self) {
        self.processor.clear();
        self.proposed.clear();
        self.syncing = 0;
        self.log_waits = Sparse(false);
        self.stop_raft();
    }

    /// Sends nothing if the response is `None`, which means that the response follows later.
    pub(super) fn reply(
        &self,
        caller: Caller,
        result: Result<Option<Response>, EtcdError>,
        out: &mut Outbox<MemberTimer>,
    ) {
        match result {
            Ok(Some(response)) => out.reply(caller, Ok(self.with_header(response))),
            Ok(None) => {}
            Err(error) => out.reply(caller, Err(error)),
        }
    }

    /// Advances the member's time to `now`. If the backend's batch is due by then, the backend commits the batch.
    pub fn advance(&mut self, out: &mut Outbox<MemberTimer>) {
        let prices = PageCount {
            sequential: self.cost.sequential_write_ps,
            random: self.cost.random_write_ps,
        };
        let backend = self.kv.backend_mut();
        backend.set_page_write_ps(prices);
        backend.advance(out.now);
        self.lock_until(self.store().backend().commit_end(), out);
    }

    /// Returns true if a timer is stale: the work of the timer is no longer needed.
    pub fn is_void(&self, timer: MemberTimer) -> bool {
        match timer {
            MemberTimer::AutoCompaction => self.auto_compaction() == AutoCompaction::Off,
            MemberTimer::JobEnds => self.processor.running() == 0,
            MemberTimer::LogSynced => self.syncing == 0,
            MemberTimer::QosRelease => !self.has_delayed(),
            MemberTimer::WatchUnlock => !self.is_locked(),
            MemberTimer::Commit => self.store().backend().due().is_none(),
            _ => false,
        }
    }

    pub fn wake(&mut self, timer: MemberTimer, out: &mut Outbox<MemberTimer>) {
        match timer {
            MemberTimer::CompactionBatch => self.compaction_batch(out),
            MemberTimer::AutoCompaction => self.run_compactor(out),
            MemberTimer::JobEnds => self.end_jobs(out),
            MemberTimer::LogSynced => self.log_synced(out),
            MemberTimer::RaftTick => self.tick_raft(out),
            MemberTimer::QosRelease => self.release_delayed(out),
            MemberTimer::LeaseExpiry => self.check_leases(out),
            MemberTimer::LeaseRevoke => self.revoke_expired(out),
            MemberTimer::WatchSync => self.sync_watchers(out),
            MemberTimer::WatchUnlock => self.unlock_watches(out),
            MemberTimer::WatchVictims => self.retry_victims(out),
            MemberTimer::WatchProgress(stream) => self.tick_progress(stream, out),
            // The caller has already committed the batch.
            MemberTimer::Commit => {}
            // The caller ends the process.
            MemberTimer::Removed => {}
        }
        self.end_qos(out);
        self.settle_watches(out);
    }

    /// Executes a request that needs no log entry. For any other request, proposes a log entry.
    fn answer(
        &mut self,
        caller: Caller,
        sent: &Arc<Request>,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<Option<Response>, EtcdError> {
        let now = out.now;

        let (token, request) = token_of(sent);
        proto::check_send_size(request, self.limits.client_send_bytes)?;
        if !self.fits_quota(request) {
            self.propose_no_space(caller);
            return Ok(None);
        }
        if matches!(**request, Request::RangeStream(_))
            && !self.profile().has(Difference::StreamsRanges)
        {
            return Err(EtcdError::UnknownMethod);
        }
        check::request(request, self.limits.txn_ops)?;
        if self.awaits_token(token) {
            self.awaiting_tokens.push((caller, sent.clone()));
            return Ok(None);
        }
        // A member that forwards a request has checked the request.
        let info = match caller.node.is_member() {
            true => None,
            false => self.authorize(now, token, request)?,
        };
        let proposed = match &**request {
            Request::Range(r) => {
                let response = self.last_range.read(self.kv.store(), r)?;
                self.metrics.count_range();
                let returned = response.kvs.len() as i64;
                trace_read(out, r, returned, &response);
                self.fetch_pages(r);
                return Ok(Some(Response::Range(response)));
            }
            Request::RangeStream(r) => {
                let job = MemberJob {
                    stream: Sparse(Some(Box::new(RangeStream::new(r)))),
                    ..MemberJob::new(caller, Response::RangeStream(RangeResponse::default()))
                };
                self.send_chunks(job, out);
                return Ok(None);
            }
            Request::HashKv(r) => return Ok(Some(Response::HashKv(self.hash_kv(*r, out)?))),
            Request::Status(_) => return Ok(Some(Response::Status(self.status()))),
            Request::LeaseKeepAlive(_) | Request::LeaseTimeToLive(_) if !self.is_primary() => {
                self.forward_to_leader(caller, request, out)?;
                return Ok(None);
            }
            Request::LeaseKeepAlive(r) => {
                let renewed = self.lease_keep_alive(caller, *r, out);
                return Ok(renewed.map(Response::LeaseKeepAlive));
            }
            Request::LeaseTimeToLive(r) => {
                let response = self.lease_time_to_live(now, *r);
                return Ok(Some(Response::LeaseTimeToLive(response)));
            }
            Request::LeaseLeases(_) => {
                return Ok(Some(Response::LeaseLeases(self.lease_leases())));
            }
            Request::Txn(r) if txn::is_read_only(r) => {
                return Ok(Some(Response::Txn(self.apply_txn(r, out)?)));
            }
            Request::LeaseGrant(r) => Request::LeaseGrant(self.with_lease_id(*r)).into(),
            Request::Put(_)
            | Request::DeleteRange(_)
            | Request::Txn(_)
            | Request::Compact(_)
            | Request::LeaseRevoke(_) => request.clone(),
            Request::Alarm(r) => {
                self.propose_before_disarm(r, info.as_ref())?;
                request.clone()
            }
            Request::Defragment(_) if !self.snapshots.is_empty() => {
                self.defragments.push(caller);
                return Ok(None);
            }
            Request::Defragment(_) => {
                return Ok(Some(Response::Defragment(self.defragment(out))));
            }
            Request::Authenticate(login) if self.auth.is_enabled() => {
                self.begin_login(caller, (request, login), out)?;
                return Ok(None);
            }
            Request::Authenticate(_) if !self.has_auth => return Err(EtcdError::AuthNotEnabled),
            // With `set auth 1`, any user can log in with any password. The response contains no token.
            Request::Authenticate(_) => {
                let response = AuthenticateResponse::default();
                return Ok(Some(Response::Authenticate(response)));
            }
            Request::Qos(QosRequest::Monitor(query)) => {
                self.open_monitor(caller, *query)?;
                return Ok(None);
            }
            Request::Qos(r) => match self.qos_read(now, r)? {
                Some(response) => return Ok(Some(response)),
                None => self.qos_entry(now, request),
            },
            Request::Auth(_) => {
                self.propose_auth(caller, (request, info), out)?;
                return Ok(None);
            }
            Request::MoveLeader(r) => return self.move_leader(caller, *r),
            Request::MemberList(_) => {
                return Ok(Some(Response::MemberList(self.member_list())));
            }
            Request::MemberChange(change) => {
                return self.change_members(caller, (request, change), out);
            }
            Request::As(_) => unreachable!("`token_of` has separated the request from its caller"),
        };
        self.propose_request(proposed, info, Waiter::Caller(caller))?;
        Ok(None)
    }

    /// Counts the pages that a read fetches from the disk, if the run simulates the page cache.
    pub(super) fn fetch_pages(&mut self, r: &RangeRequest) {
        let Some(cache) = self.store().backend().page_cache() else {
            return;
        };
        let before = cache.misses();
        let rows = range::rows_read(self.kv.store(), r);
        self.kv.backend_mut().count_row_reads(Bucket::Key, rows);
        let cache = self.store().backend().page_cache();
        self.pages_fetched = cache.map_or(before, PageCache::misses).since(before);
    }

    /// Clears the cached response to a range request. Call this method before the store is replaced.
    pub(super) fn forget_ranges(&mut self) {
        self.last_range = LastRange::default();
    }

    fn compaction_batch(&mut self, out: &mut Outbox<MemberTimer>) {
        // A snapshot from the leader has replaced the store, which ended the compaction.
        if self.store().compactions_pending() == 0 {
            return;
        }
        let batch = self.kv.compaction_batch();
        out.trace(TraceEvent::CompactionBatch {
            revision: batch.rev,
            scanned: batch.scanned,
            removed: batch.removed.iter().map(|r| (r.main, r.sub)).collect(),
        });
        let Some(revision) = batch.finished else {
            out.timer(self.kv.store().limits().sleep, MemberTimer::CompactionBatch);
            return;
        };
        self.compactions_done += 1;
        self.recount_keys();
        out.trace(TraceEvent::CompactionFinished { revision });
        while let Some(waiting) = self
            .waiting
            .pop_front_if(|w| w.jobs <= self.compactions_done)
        {
            out.reply(waiting.caller, waiting.reply);
        }
        if self.kv.store().compactions_pending() > 0 {
            out.timer(SimDuration(0), MemberTimer::CompactionBatch);
        }
    }

    fn hash_kv(
        &self,
        r: HashKvRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<HashKvResponse, EtcdError> {
        let found = self.kv.store().hash_kv(r.revision)?;
        out.trace(TraceEvent::Hashed {
            revision: found.revision,
            hash: found.hash,
        });
        Ok(HashKvResponse {
            header: ResponseHeader {
                revision: self.kv.store().current_rev(),
                ..Default::default()
            },
            hash: found.hash,
            compact_revision: found.compact_revision,
            hash_revision: found.revision,
        })
    }

    /// Copies the database to a new file without free pages.
    pub(super) fn defragment(&mut self, out: &mut Outbox<MemberTimer>) -> DefragmentResponse {
        let before = self.db_size();
        self.kv.backend_mut().defragment();
        let after = self.db_size();
        out.trace(TraceEvent::Defragmented { before, after });
        DefragmentResponse::default()
    }

    pub fn set_disk_full(&mut self, is_full: bool) {
        self.kv.backend_mut().set_disk_full(is_full);
    }

    /// Sets the timer for the next commit if the disk is full, because this commit can end the process. Other commits
    /// need no timer: they take place when the member is next used.
    ///
    /// If the batch became full, its commit has begun and holds the lock of the store.
    pub fn plan_commit(&mut self, out: &mut Outbox<MemberTimer>) {
        self.lock_until(self.store().backend().commit_end(), out);
        let backend = self.store().backend();
        if let (true, Some(due)) = (backend.is_disk_full(), backend.due()) {
            out.timer(
                SimDuration(due.0.saturating_sub(out.now.0)),
                MemberTimer::Commit,
            );
        }
    }

    /// Sets the size of the page cache in bytes. With 0, the whole file is in memory.
    pub fn set_page_cache(&mut self, bytes: u64) {
        self.kv.backend_mut().set_page_cache(bytes);
    }

    /// Returns the size of the database file after the last commit and the size of its pages in use, both in bytes.
    pub fn db_size(&self) -> (i64, i64) {
        let db = self.store().backend().db();
        (db.bytes() as i64, db.bytes_in_use() as i64)
    }

    fn status(&self) -> StatusResponse {
        let (db_size, db_size_in_use) = self.db_size();
        let no_leader = (!self.has_leader()).then(|| EtcdError::NoLeader.to_string());
        let alarms = self.alarms();
        let alarms = alarms.iter().map(|alarm| alarm.text(self.profile));
        let errors = no_leader.into_iter().chain(alarms).collect();
        StatusResponse {
            header: ResponseHeader::default(),
            version: match *self.watch_limits().ignores_progress {
                true => VERSION_WITHOUT_PROGRESS.into(),
                false => self.profile.server_version().into(),
            },
            db_size,
            leader: self.leader_id(),
            raft_index: self.raft_index,
            raft_term: self.raft_term,
            raft_applied_index: self.raft_index,
            errors,
            db_size_in_use,
            is_learner: self.is_learner(),
            storage_version: match self.profile.has(Difference::StoresVersion) {
                true if self.is_young_follower() => UNMARKED_STORAGE.into(),
                true => self.profile.cluster_version().into(),
                false => String::new(),
            },
            db_size_quota: match self.profile.has(Difference::ReportsStorage) {
                true => self.limits.quota_bytes as i64,
                false => 0,
            },
        }
    }

    /// Writes a key in its own transaction without a request, for the simulator's command `populate`.
    pub fn populate(&mut self, key: Bytes, value: Bytes, out: &mut Outbox<MemberTimer>) {
        let (_, written) = self.kv.write(|txn| txn.put(key, value, 0));
        self.is_populated = Undigested(true);
        self.committed(written, out);
    }

    /// Returns a response header with the current revision.
    pub(super) fn header_now(&self) -> ResponseHeader {
        self.header(self.store().current_rev())
    }

    fn with_header(&self, mut response: Response) -> Response {
        if response.is_partial() {
            return response;
        }
        let header = match &mut response {
            Response::Range(r) | Response::RangeStream(r) => &mut r.header,
            Response::Put(r) => &mut r.header,
            Response::DeleteRange(r) => &mut r.header,
            Response::Txn(r) => &mut r.header,
            Response::Compact(r) => &mut r.header,
            Response::HashKv(r) => &mut r.header,
            Response::Status(r) => &mut r.header,
            Response::LeaseGrant(r) => &mut r.header,
            Response::LeaseRevoke(r) => &mut r.header,
            Response::LeaseKeepAlive(r) => &mut r.header,
            Response::LeaseTimeToLive(r) => &mut r.header,
            Response::LeaseLeases(r) => &mut r.header,
            Response::Alarm(r) => &mut r.header,
            Response::Defragment(r) => &mut r.header,
            Response::Authenticate(r) => &mut r.header,
            Response::Qos(r) => &mut r.header,
            Response::Auth(r) => &mut r.header,
            Response::MoveLeader(r) => &mut r.header,
            // etcd does not set the revision.
            Response::MemberList(MemberListResponse { header, .. })
            | Response::MemberChange(MemberChangeResponse { header, .. }) => {
                *header = self.header(0);
                return response;
            }
        };
        let revision = if header.revision == 0 {
            self.kv.store().current_rev()
        } else {
            header.revision
        };
        *header = self.header(revision);
        response
    }

    pub fn header(&self, revision: i64) -> ResponseHeader {
        ResponseHeader {
            cluster_id: self.cluster_id(),
            member_id: self.member_id(),
            revision,
            raft_term: self.raft_term,
        }
    }

    /// Writes the rows that a member has before its first request.
    fn write_start_rows(&mut self) {
        self.kv.backend_mut().put(
            Bucket::Auth,
            "authRevision".into(),
            Bytes::from(&1u64.to_be_bytes()[..]),
        );
        self.write_own_rows();
    }

    /// Writes the rows about the member itself. A database file from outside the simulator also gets these rows.
    pub(super) fn write_own_rows(&mut self) {
        self.put_meta_u64("consistent_index", self.raft_index);
        self.store_membership();
        let backend = self.kv.backend_mut();
        let version = self.profile.cluster_version();
        backend.put(Bucket::Cluster, "clusterVersion".into(), version.into());
        if self.profile.has(Difference::StoresVersion) {
            backend.put(Bucket::Meta, "storageVersion".into(), version.into());
        }
        if self.profile.has(Difference::StoresRaftState) {
            self.put_meta_u64("term", RAFT_TERM_AT_START);
        }
        self.kv.backend_mut().commit();
    }

    pub(super) fn put_meta_u64(&mut self, key: &str, n: u64) {
        let value = Bytes::from(&n.to_be_bytes()[..]);
        self.kv.backend_mut().put(Bucket::Meta, key.into(), value);
    }
}

/// Traces a read. `returned` is the number of rows in the whole response.
pub(super) fn trace_read(
    out: &mut Outbox<MemberTimer>,
    asked: &RangeRequest,
    returned: i64,
    found: &RangeResponse,
) {
    let revision = if asked.revision > 0 {
        asked.revision
    } else {
        found.header.revision
    };
    let returned = (!asked.count_only).then_some(returned);
    let is_partial = returned.is_some_and(|returned| returned < found.count);
    let first = found.kvs.first().map(|kv| FirstRead {
        key: kv.key.clone(),
        mod_revision: kv.mod_revision,
        value: (!asked.keys_only).then(|| kv.value.clone()),
    });
    out.trace(TraceEvent::Read {
        range: KeyRange::new(&asked.key, &asked.range_end),
        revision,
        count: found.count,
        returned,
        first,
        partial_request: is_partial.then(|| Arc::new(asked.clone())),
    });
}
