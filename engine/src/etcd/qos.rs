//! etcd QoS in a member: the decision about each request, and the stored classes and rules. etcd QoS is a proposal for
//! limiting the requests of clients.
//!
//! etcd never merged the proposal, so this module mirrors no code of etcd. The member decides about a request before
//! any other check, even before the check of the gap between committed and applied entries. A change of a class or rule
//! is a raft entry, and the bucket `qos` stores the classes and rules. The limiters, which enforce the classes, are in
//! memory only, so a restart fills every token bucket. If the feature is off, the member has no state for QoS and no
//! bucket `qos`, and it replies to requests of the QoS API with the error for an unknown service.

use std::sync::Arc;

use crate::api::qos::{QosContent, QosRequest, QosResponse};
use crate::api::{
    EtcdError, RangeRequest, Reply, Request, RequestAs, RequestOp, Response, TxnRequest,
};
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::{Caller, NodeId};
use crate::base::time::{SimDuration, SimTime};
use crate::qos::metrics::QosMetrics;
use crate::qos::monitor::MonitorQuery;
use crate::qos::{
    Arrival, CountedTree, Decision, Estimator, Finish, Identity, OpKind, Operation, Qos, QosName,
    doctor,
};
use crate::sim::Outbox;
use crate::sim::cost::CostModel;
use crate::sim::processor::ProcessorWork;
use crate::trace::{Defined, QosTrace, TraceEvent};

use super::admission::{HeldRequests, arrival, built_in, change_definitions, read_definitions};
use super::entries::Waiter;
use super::server::{EtcdServer, MemberTimer};

const PICOSECONDS: u64 = 1_000_000;

/// The size that the condition `PercentOfStorageQuotaUsed` compares with the quota.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuotaBasis {
    /// The pages in use, as the proposal says (`backendDBInUse / backendDBQuota`).
    #[default]
    InUse,
    /// The size of the file, which etcd compares with the quota (`--quota-backend-bytes`).
    FileSize,
}

/// The minimum interval between two examinations of the doctor, if the member adds the proposed rules itself.
const AUTO_LIMIT_INTERVAL: SimDuration = SimDuration::from_millis(1_000);

/// Whether a member adds the rules that the doctor proposes from the member's own requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct AutoLimit {
    is_on: bool,
    /// The time of the next examination.
    due: SimTime,
}

/// The state of etcd QoS in a member.
#[derive(Clone, Debug, Default, Hash)]
pub struct MemberQos {
    state: Qos,
    /// The counters of QoS, added up over the earlier processes of the member. The comparison of runs uses these sums.
    earlier: QosMetrics,
    basis: QuotaBasis,
    automatic: AutoLimit,
    /// The processor time of all decisions, in picoseconds.
    spent_ps: u64,
    held: HeldRequests,
}

impl MemberQos {
    /// Returns the classes and rules, the limiters and the counters.
    pub fn state(&self) -> &Qos {
        &self.state
    }

    /// The member's own metrics begin at 0 in each process.
    pub fn counters_of_all_processes(&self) -> QosMetrics {
        let mut sums = self.earlier.clone();
        sums.add(self.state.metrics());
        sums
    }

    /// Returns the size that the condition `PercentOfStorageQuotaUsed` compares with the quota.
    pub fn basis(&self) -> QuotaBasis {
        self.basis
    }

    /// Returns whether the member adds the rules that the doctor proposes.
    pub fn limits_automatically(&self) -> bool {
        self.automatic.is_on
    }

    /// Returns the processor time that the decisions of QoS have taken.
    pub fn spent(&self) -> SimDuration {
        SimDuration(self.spent_ps / PICOSECONDS)
    }

    /// Returns true if QoS has no work for any request.
    fn is_idle(&self) -> bool {
        self.state.is_idle() && !self.automatic.is_on
    }

    /// Returns the start time and the caller of each delayed request.
    pub fn delayed(&self) -> impl Iterator<Item = (SimTime, Caller)> + '_ {
        self.held.delayed()
    }
}

/// Returns the identity that the client sent along with the request, and the request itself.
pub(super) fn caller_of(request: &Arc<Request>) -> (Option<&RequestAs>, &Arc<Request>) {
    match &**request {
        Request::As(r) => (Some(r), &r.request),
        _ => (None, request),
    }
}

/// Returns the operations of a request; empty for a request that no rule can match.
pub fn operations(request: &Request) -> Vec<Operation> {
    let mut operations = Vec::new();
    match request {
        Request::Range(r) | Request::RangeStream(r) => operations.push(read(r)),
        Request::Put(r) => operations.push(keyed(OpKind::Put, &r.key, &Bytes::default())),
        Request::DeleteRange(r) => {
            operations.push(keyed(OpKind::DeleteRange, &r.key, &r.range_end));
        }
        Request::Txn(r) => txn_operations(r, &mut operations),
        Request::Authenticate(_) => operations.push(Operation::new(OpKind::Authenticate, None)),
        Request::As(r) => return self::operations(&r.request),
        Request::Compact(_)
        | Request::HashKv(_)
        | Request::Status(_)
        | Request::LeaseGrant(_)
        | Request::LeaseRevoke(_)
        | Request::LeaseKeepAlive(_)
        | Request::LeaseTimeToLive(_)
        | Request::LeaseLeases(_)
        | Request::Alarm(_)
        | Request::Defragment(_)
        | Request::MoveLeader(_)
        | Request::MemberList(_)
        | Request::Auth(_)
        | Request::MemberChange(_)
        | Request::Qos(_) => {}
    }
    operations
}

fn keyed(kind: OpKind, key: &Bytes, range_end: &Bytes) -> Operation {
    Operation::new(kind, Some(KeyRange::new(key, range_end)))
}

fn read(r: &RangeRequest) -> Operation {
    Operation {
        limit: r.limit,
        keys_only: r.keys_only,
        count_only: r.count_only,
        ..keyed(OpKind::Range, &r.key, &r.range_end)
    }
}

/// Adds the operations of both branches, because the member chooses the branch only when it applies the transaction.
fn txn_operations(txn: &TxnRequest, operations: &mut Vec<Operation>) {
    for op in txn.success.iter().chain(&txn.failure) {
        match op {
            RequestOp::Range(r) => operations.push(read(r)),
            RequestOp::Put(r) => operations.push(keyed(OpKind::Put, &r.key, &Bytes::default())),
            RequestOp::DeleteRange(r) => {
                operations.push(keyed(OpKind::DeleteRange, &r.key, &r.range_end));
            }
            RequestOp::Txn(inner) => txn_operations(inner, operations),
            RequestOp::Empty => {}
        }
    }
}

/// Returns the size of the keys and values that a read returns, in bytes; 0 for other replies.
pub(super) fn reply_bytes(reply: &Reply) -> u64 {
    match reply {
        Ok(Response::Range(range) | Response::RangeStream(range)) => range.kvs.weight(),
        _ => 0,
    }
}

/// Returns the processor time that the work for a reply takes. Page reads do not count, because the processor is idle
/// during a page read.
fn cpu_of(cost: &CostModel, reply: &Reply) -> SimDuration {
    let work = match reply {
        Ok(Response::Range(range) | Response::RangeStream(range)) => {
            let read = cost.range(range.kvs.len() as u64, range.kvs.weight());
            cost.request.and(read)
        }
        Ok(Response::Authenticate(_)) => cost.request.and(cost.authenticate),
        _ => cost.request,
    };
    SimDuration(work.cpu_ps / PICOSECONDS)
}

impl EtcdServer {
    /// Returns the QoS feature; `None` if QoS is off.
    pub fn qos(&self) -> Option<&MemberQos> {
        self.qos.as_deref()
    }

    /// Disables the limits of the QoS rules. The simulator uses a member without limits to compare a run with rules and
    /// the same run without rules. Has no effect if QoS is already on.
    pub fn ignore_qos_rules(&mut self) {
        self.ignores_qos_rules = true;
    }

    /// Turns QoS on or off (`--experimental-enable-qos`). If QoS is turned on for the first time on a member, the
    /// member adds the built-in class and rule.
    pub fn enable_qos(&mut self, enable: bool, out: &mut Outbox<MemberTimer>) {
        if enable == self.qos.is_some() {
            return;
        }
        if !enable {
            if let Some(qos) = self.qos.take() {
                for (caller, request) in qos.held.iter() {
                    self.execute(*caller, request, out);
                }
                for caller in qos.state.monitor().streams() {
                    out.reply(caller, Err(EtcdError::UnknownService));
                }
            }
            return self.settle_watches(out);
        }
        let mut qos = Box::<MemberQos>::default();
        if self.ignores_qos_rules {
            qos.state.ignore_rules();
        }
        self.qos = Some(qos);
        if !self.store().backend().has_bucket(Bucket::Qos) {
            let (class, rule) = built_in();
            self.store_definition(Defined::Class, class.name, Some(class.encode()));
            self.store_definition(Defined::Rule, rule.name, Some(rule.encode()));
        }
        self.reload_qos();
    }

    /// Reads the classes and rules from the bucket `qos` and counts the keys again, when the process starts.
    pub(super) fn reload_qos(&mut self) {
        let Some(qos) = &mut self.qos else {
            return;
        };
        let before = std::mem::take(&mut **qos);
        qos.earlier = before.counters_of_all_processes();
        qos.basis = before.basis;
        qos.automatic.is_on = before.automatic.is_on;
        qos.state = before.state;
        qos.state.restart();
        let definitions = qos.state.definitions_mut();
        *definitions = Default::default();
        for (key, row) in self.kv.store().backend().rows(Bucket::Qos) {
            definitions.restore(&key, &row);
        }
        self.recount_keys();
    }

    /// Counts the keys of the index again, after a compaction removed keys.
    pub(super) fn recount_keys(&mut self) {
        if let Some(qos) = &mut self.qos {
            let mut tree = CountedTree::sampled(qos.state.keys().one_in());
            for index in self
                .kv
                .store()
                .index()
                .visit(&KeyRange::From(Bytes::zero()))
            {
                tree.insert(index.key.clone());
            }
            qos.state.set_keys(tree);
        }
    }

    /// Adds a new key to the counted tree, with which QoS estimates the keys in a range.
    pub(super) fn count_key(&mut self, key: &Bytes) {
        if let Some(qos) = &mut self.qos {
            qos.state.keys_mut().insert(key.clone());
        }
    }

    /// Sets the method by which QoS estimates the number of keys that a request will scan. Has no effect if QoS is off.
    pub fn set_qos_estimator(&mut self, estimator: Estimator) {
        if let Some(qos) = &mut self.qos {
            qos.state.set_estimator(estimator);
        }
    }

    /// The maximum number of entries in the tracker. Has no effect if QoS is off.
    pub fn set_qos_lru_size(&mut self, size: u64) {
        if let Some(qos) = &mut self.qos {
            qos.state.resize_tracker(size);
        }
    }

    /// Sets the sampling rate of the counted tree, which estimates the number of keys in a range: the tree contains
    /// about one in `one_in` keys. Has no effect if QoS is off.
    pub fn set_qos_sample(&mut self, one_in: u64) {
        if let Some(qos) = &mut self.qos {
            qos.state.set_keys(CountedTree::sampled(one_in));
            self.recount_keys();
        }
    }

    /// Sets the size that the condition `PercentOfStorageQuotaUsed` compares with the quota. Has no effect if QoS is
    /// off.
    pub fn set_qos_quota_basis(&mut self, basis: QuotaBasis) {
        if let Some(qos) = &mut self.qos {
            qos.basis = basis;
        }
    }

    /// Sets whether the member adds the rules that the doctor proposes. Has no effect if QoS is off.
    pub fn limit_automatically(&mut self, is_on: bool) {
        if let Some(qos) = &mut self.qos {
            qos.automatic.is_on = is_on;
        }
    }

    /// Adds the rules that the doctor proposes, if the member limits expensive requests automatically and the last
    /// examination is long enough ago.
    fn limit_expensive(&mut self, out: &mut Outbox<MemberTimer>) {
        let now = out.now;

        let storage = self.storage();
        let automatic = self.qos.as_mut();
        let due = automatic.filter(|qos| qos.automatic.is_on && qos.automatic.due <= now);
        let Some(qos) = due else { return };
        qos.automatic.due = now + AUTO_LIMIT_INTERVAL;
        let mut advices = doctor::examine(&qos.state, now, storage);
        advices.retain(|advice| advice.proposal.is_some());
        if advices.is_empty() {
            return;
        }
        let entry = Request::Qos(QosRequest::AddAdvised(advices)).into();
        // After an error, the next examination proposes the rules again.
        if self.propose_request(entry, None, Waiter::Nobody).is_ok() {
            self.apply_committed(out);
        }
    }

    /// Spends the processor time of a decision that compares a request with all rules.
    fn spend_on_decision(&mut self) {
        let (cost, qos) = (self.cost(), self.qos.as_ref());
        let rules = qos.map_or(0, |qos| qos.state.definitions().rules().len());
        let work = cost.qos_decision.and(cost.qos_rule.times(rules as u64));
        let Some(qos) = &mut self.qos else { return };
        let before = qos.spent();
        qos.spent_ps += work.cpu_ps;
        // The processor counts whole microseconds.
        let whole_us = qos.spent().0 - before.0;
        self.spend(ProcessorWork {
            cpu_ps: whole_us * PICOSECONDS,
            ..ProcessorWork::default()
        });
    }

    /// Decides whether to execute, delay or refuse a request. Returns true if the member executes the request now.
    pub(super) fn admit(
        &mut self,
        caller: Caller,
        (sender, request): (Option<&RequestAs>, &Arc<Request>),
        out: &mut Outbox<MemberTimer>,
    ) -> bool {
        let (used, size, quota) = self.storage();
        let Some(qos) = self.qos.as_ref().filter(|qos| !qos.is_idle()) else {
            return true;
        };
        let Some(mut arrival) = arrival(&qos.state, out.now, caller, (sender, request)) else {
            return true;
        };
        self.spend_on_decision();
        let Some(qos) = &mut self.qos else {
            return true;
        };
        arrival.scan = qos.state.scan(&arrival.operations);
        arrival.storage = match qos.basis {
            QuotaBasis::InUse => (used, quota),
            QuotaBasis::FileSize => (size, quota),
        };
        let MemberQos { state, held, .. } = &mut **qos;
        match held.arrive(state, caller, (arrival, request), out) {
            Decision::Bypass | Decision::Admitted { .. } => true,
            Decision::Delayed { .. } => {
                self.plan_release(out);
                false
            }
            Decision::Queued { .. } | Decision::Limited { .. } => false,
        }
    }

    /// Decides whether a watch may start. Returns the rule that refuses the watch, if any. Only rules that name the
    /// operation or the method `Watch` concern watches.
    pub(super) fn limit_watch(
        &mut self,
        client: NodeId,
        (user, keys): (Option<Arc<str>>, &KeyRange),
        out: &mut Outbox<MemberTimer>,
    ) -> Option<QosName> {
        let qos = self.qos.as_ref()?;
        let mut rules = qos.state.definitions().rules().iter();
        if !rules.any(|rule| rule.selects("Watch") && rule.kinds().contains(&OpKind::Watch)) {
            return None;
        }
        let operation = Operation::new(OpKind::Watch, Some(keys.clone()));
        let (rule, retry_after) =
            self.limit_stream(out.now, client, user, "Watch", vec![operation])?;
        out.trace(TraceEvent::Qos(QosTrace::Limited { rule, retry_after }));
        Some(rule)
    }

    /// Decides whether a snapshot may start. Returns the rule that refuses the snapshot, if any.
    pub(crate) fn limit_snapshot(&mut self, now: SimTime, user: Option<&str>) -> Option<QosName> {
        let qos = self.qos.as_ref()?;
        let mut rules = qos.state.definitions().rules().iter();
        if !rules.any(|rule| rule.selects("Snapshot")) {
            return None;
        }
        let user = user.map(Into::into);
        let limited = self.limit_stream(now, NodeId::Etcdctl, user, "Snapshot", Vec::new())?;
        Some(limited.0)
    }

    /// Decides whether a stream of responses may start. Returns the rule that refuses the stream, and the time after
    /// which a retry could succeed. A stream does not wait: the member refuses a stream that a class would delay.
    fn limit_stream(
        &mut self,
        now: SimTime,
        client: NodeId,
        user: Option<Arc<str>>,
        method: &'static str,
        operations: Vec<Operation>,
    ) -> Option<(QosName, Option<SimDuration>)> {
        let (used, size, quota) = self.storage();
        let qos = self.qos.as_mut()?;
        let identity = Identity {
            user,
            ..Identity::default()
        };
        let mut arrival = Arrival::new(method, operations, identity);
        arrival.storage = match qos.basis {
            QuotaBasis::InUse => (used, quota),
            QuotaBasis::FileSize => (size, quota),
        };
        arrival.deadline = Some(now + SimDuration(1));
        let caller = Caller {
            node: client,
            call: u64::MAX,
        };
        match qos.state.arrive(now, caller, arrival) {
            Decision::Bypass | Decision::Admitted { .. } => {
                qos.state.finish(now, caller, Finish::default());
                None
            }
            Decision::Delayed { rule, .. } | Decision::Queued { rule } => {
                qos.state.cancel(now, caller);
                Some((rule, None))
            }
            Decision::Limited { rule, retry_after } => Some((rule, retry_after)),
        }
    }

    fn plan_release(&self, out: &mut Outbox<MemberTimer>) {
        let wait = self
            .qos
            .as_ref()
            .and_then(|qos| qos.held.next_start(out.now));
        if let Some(wait) = wait {
            out.timer(wait, MemberTimer::QosRelease);
        }
    }

    /// Executes the delayed requests whose start time has been reached.
    pub(super) fn release_delayed(&mut self, out: &mut Outbox<MemberTimer>) {
        while let Some(qos) = &mut self.qos
            && let Some((caller, request)) = qos.held.take_delayed(out)
        {
            self.execute(caller, &request, out);
        }
        self.plan_release(out);
    }

    /// Counts a request that was refused because too many committed entries are not applied.
    pub(super) fn count_too_many_requests(&mut self) {
        if let Some(qos) = &mut self.qos {
            qos.state.count_too_many_requests();
        }
    }

    /// Returns true if requests are delayed or wait.
    pub fn has_delayed(&self) -> bool {
        let qos = self.qos.as_ref();
        qos.is_some_and(|qos| !qos.held.is_empty())
    }

    /// Returns true if QoS stores requests or streams of clients, see [`forget_client`](Self::forget_client).
    pub fn has_qos_clients(&self) -> bool {
        let qos = self.qos.as_ref();
        let has_stream = |qos: &MemberQos| qos.state.monitor().streams().next().is_some();
        self.has_delayed() || qos.is_some_and(|qos| has_stream(qos))
    }

    /// Records the end of a read that the member stopped, because its client has gone.
    pub(super) fn abandoned_in_qos(&mut self, now: SimTime, caller: Caller, cpu: SimDuration) {
        if let Some(qos) = &mut self.qos {
            let end = Finish {
                is_failure: true,
                cpu,
                ..Finish::default()
            };
            qos.state.finish(now, caller, end);
        }
    }

    /// Records the end of each request whose reply is in the outbox, and executes waiting requests that can run now.
    pub(super) fn end_qos(&mut self, out: &mut Outbox<MemberTimer>) {
        if self.qos.is_none() {
            return;
        }
        let cost = *self.cost();
        let mut ended = 0;
        while let Some(qos) = &mut self.qos {
            let replies = out.replies[ended..].iter();
            let is_last = |reply: &Reply| !reply.as_ref().is_ok_and(Response::is_partial);
            for (caller, reply) in replies.filter(|(_, reply)| is_last(reply)) {
                let end = Finish {
                    response_bytes: reply_bytes(reply),
                    is_failure: reply.is_err(),
                    cpu: cpu_of(&cost, reply),
                };
                qos.state.finish(out.now, *caller, end);
            }
            ended = out.replies.len();
            let MemberQos { state, held, .. } = &mut **qos;
            let Some((caller, request)) = held.take_queued(state, out) else {
                break;
            };
            self.execute(caller, &request, out);
        }
        if ended > 0 {
            self.limit_expensive(out);
        }
        self.send_monitored(out);
    }

    /// Closes the monitor's streams of a client whose connection broke, and drops the client's delayed requests.
    pub fn forget_client(&mut self, client: NodeId, now: SimTime) {
        let Some(qos) = &mut self.qos else {
            return;
        };
        qos.state.monitor_mut().close_streams(client);
        let MemberQos { state, held, .. } = &mut **qos;
        held.forget_client(state, now, client);
    }

    /// Returns the pages in use, the size of the file, and the quota, in bytes.
    fn storage(&self) -> (u64, u64, u64) {
        let db = self.store().backend().db();
        (db.bytes_in_use(), db.bytes(), self.limits.quota_bytes)
    }

    /// Serves a request of the QoS API that needs no log entry. Returns `None` if the request needs a log entry.
    pub(super) fn qos_read(
        &mut self,
        now: SimTime,
        request: &QosRequest,
    ) -> Result<Option<Response>, EtcdError> {
        let storage = self.storage();
        let qos = self.qos.as_mut().ok_or(EtcdError::UnknownService)?;
        let content = match request {
            request if request.is_write() => return Ok(None),
            request => match read_definitions(&qos.state, request)? {
                Some(content) => content,
                None => QosContent::Advice(doctor::examine(&qos.state, now, storage), false),
            },
        };
        Ok(Some(Response::Qos(QosResponse::from(content))))
    }

    /// Returns the content of the log entry for a request that changes classes or rules. For a doctor request
    /// (`QosRequest::Doctor`), the entry contains the classes and rules that this member proposes.
    pub(super) fn qos_entry(&self, now: SimTime, request: &Arc<Request>) -> Arc<Request> {
        match (&**request, &self.qos) {
            (Request::Qos(QosRequest::Doctor { .. }), Some(qos)) => {
                let advices = doctor::examine(&qos.state, now, self.storage());
                Request::Qos(QosRequest::AddAdvised(advices)).into()
            }
            _ => request.clone(),
        }
    }

    /// Opens a stream of the monitor. The responses follow when requests above the threshold end or are refused.
    pub(super) fn open_monitor(
        &mut self,
        caller: Caller,
        query: MonitorQuery,
    ) -> Result<(), EtcdError> {
        let qos = self.qos.as_mut().ok_or(EtcdError::UnknownService)?;
        qos.state.monitor_mut().open(caller, query);
        Ok(())
    }

    /// Sends the new requests over the streams of the monitor.
    pub(super) fn send_monitored(&mut self, out: &mut Outbox<MemberTimer>) {
        let qos = self.qos.as_mut();
        let unsent = qos.map(|qos| qos.state.monitor_mut().take_unsent());
        for (caller, row) in unsent.into_iter().flatten() {
            let mut response = QosResponse::from(QosContent::Request(row.into()));
            response.header = self.header_now();
            out.reply(caller, Ok(Response::Qos(response)));
        }
    }

    /// Applies the log entry of a request that changes classes or rules.
    pub(super) fn apply_qos(
        &mut self,
        request: &QosRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<QosResponse, EtcdError> {
        let qos = self.qos.as_mut().ok_or(EtcdError::UnknownService)?;
        let (content, stored) = change_definitions(&mut qos.state, request, out)?;
        for (kind, name, row) in stored {
            self.store_definition(kind, name, row);
        }
        Ok(content.into())
    }

    /// Writes or deletes the row of a class or rule.
    fn store_definition(&mut self, kind: Defined, name: QosName, row: Option<Vec<u8>>) {
        let key = Bytes::from(match kind {
            Defined::Class => format!("class/{name}"),
            Defined::Rule => format!("rule/{name}"),
        });
        let backend = self.kv.backend_mut();
        match row {
            Some(row) => backend.put(Bucket::Qos, key, row.into()),
            None => {
                backend.delete(Bucket::Qos, &key);
            }
        }
    }
}
