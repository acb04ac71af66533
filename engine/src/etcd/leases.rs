//! Grants and renews leases, and revokes expired leases.
//!
//! Mirrors `LeaseGrant` and the other lease requests in `server/etcdserver/v3_server.go`, `v3rpc/lease.go`, and
//! `revokeExpiredLeases` in `server.go`. Upstream checks for expired leases every 500 ms. The simulator skips checks at
//! which no lease can have expired, which has no visible effect. Here, the member revokes expired leases one after
//! another, each with its own proposal. Upstream has up to 16 such proposals in flight. Checkpoints are disabled by
//! default, as in etcd.

use std::collections::VecDeque;

use crate::api::log_entry::LogEntry;
use crate::api::{
    Difference, EtcdError, LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest,
    LeaseKeepAliveResponse, LeaseLeasesResponse, LeaseRevokeRequest, LeaseRevokeResponse,
    LeaseTimeToLiveRequest, LeaseTimeToLiveResponse, Request, Response, ResponseHeader,
};
use crate::backend::Bucket;
use crate::base::bytes::KeyRange;
use crate::base::ids::Caller;
use crate::base::proto;
use crate::base::time::{SimDuration, SimTime};
use crate::lease::LeaseError;
use crate::lease::lessor::{EXPIRY_PERIOD, seconds};
use crate::mvcc::Change;
use crate::sim::Outbox;
use crate::trace::{ChangeKind, LeaseTrace, TraceEvent};

use super::auth::entry_of;
use super::entries::Waiter;
use super::lease_row::LeaseRow;
use super::server::{EtcdServer, MemberTimer};

/// The time after which the leader proposes the revocation of a lease again.
const REVOKE_RETRY: SimDuration = SimDuration::from_millis(3_000);

/// The member's state for leases, in addition to the lessor, which stores the leases.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct LeaseServer {
    /// The time of the next check for expired leases, if a check is scheduled.
    next_check: Option<SimTime>,
    /// The expired leases that the last check found and that are not revoked yet, in the order of the revocation.
    expired: VecDeque<i64>,
    /// The renewals of expired leases. The responses wait until the leases are revoked.
    renewals: Vec<(Caller, LeaseKeepAliveResponse)>,
    /// The number of generated lease ids.
    granted: u64,
}

impl LeaseServer {
    /// Drops the in-memory state of the process, including its timers.
    pub(super) fn restart(&mut self) {
        self.next_check = None;
        self.expired.clear();
        self.renewals.clear();
    }
}

impl From<LeaseError> for EtcdError {
    fn from(e: LeaseError) -> Self {
        match e {
            LeaseError::NotFound => Self::LeaseNotFound,
            LeaseError::Exists => Self::LeaseExists,
            LeaseError::TtlTooLarge => Self::LeaseTtlTooLarge,
        }
    }
}

impl EtcdServer {
    /// The request with a lease id. If the request has no id, the member chooses an id before it proposes the request.
    pub(super) fn with_lease_id(&mut self, r: LeaseGrantRequest) -> LeaseGrantRequest {
        let id = match r.id {
            0 => self.next_lease_id(),
            id => id,
        };
        LeaseGrantRequest { id, ..r }
    }

    pub(super) fn apply_grant(
        &mut self,
        r: LeaseGrantRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<LeaseGrantResponse, EtcdError> {
        let id = r.id;
        let lease = self.lessor.grant(id, r.ttl, out.now)?;
        let (ttl, expiry) = (lease.ttl_s, lease.expiry);
        self.metrics.granted += 1;
        self.put_lease_row(id, ttl, 0);
        out.trace(TraceEvent::Lease(LeaseTrace::Granted {
            id,
            asked_s: r.ttl,
            ttl_s: ttl,
            expiry,
        }));
        self.plan_check(out);
        Ok(LeaseGrantResponse {
            header: ResponseHeader::default(),
            id,
            ttl,
        })
    }

    /// Renews a lease without a raft entry. For a missing lease, the response has a TTL of 0 and is not an error. For
    /// an expired lease that is not revoked yet, returns `None`, and the response waits for the revocation.
    pub(super) fn lease_keep_alive(
        &mut self,
        caller: Caller,
        r: LeaseKeepAliveRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> Option<LeaseKeepAliveResponse> {
        let now = out.now;

        let mut response = LeaseKeepAliveResponse {
            // etcd creates the header before the renewal. A header created later could contain a revision at which the
            // lease no longer exists.
            header: self.header_now(),
            id: r.id,
            ttl: 0,
        };
        if self.lessor.lookup(r.id).is_some_and(|l| l.expiry <= now) {
            out.trace(TraceEvent::Lease(LeaseTrace::RenewalWaits { id: r.id }));
            self.leases.renewals.push((caller, response));
            return None;
        }
        let checkpointed = self
            .lessor
            .lookup(r.id)
            .is_some_and(|l| l.remaining_ttl_s > 0 && self.lessor.makes_checkpoints());
        match self.lessor.renew(r.id, now) {
            Ok(ttl) => {
                response.ttl = ttl;
                self.metrics.renewed += 1;
                out.trace(TraceEvent::Lease(LeaseTrace::Renewed {
                    id: r.id,
                    ttl_s: ttl,
                    expiry: now + seconds(ttl),
                }));
                if checkpointed {
                    // The checkpoint is outdated. As in etcd, the response waits until the entry that clears the
                    // checkpoint is applied.
                    let entry = LogEntry::Checkpoint(vec![(r.id, 0)]);
                    let response = Box::new(Ok(Response::LeaseKeepAlive(response)));
                    self.propose(entry, Waiter::Prepared(caller, response));
                    self.apply_committed(out);
                    self.plan_check(out);
                    return None;
                }
            }
            Err(_) => out.trace(TraceEvent::Lease(LeaseTrace::Missing { id: r.id })),
        }
        Some(response)
    }

    pub(super) fn lease_time_to_live(
        &self,
        now: SimTime,
        r: LeaseTimeToLiveRequest,
    ) -> LeaseTimeToLiveResponse {
        let header = ResponseHeader::default();
        match self.lessor.lookup(r.id) {
            None => LeaseTimeToLiveResponse {
                header,
                id: r.id,
                ttl: -1,
                ..Default::default()
            },
            Some(lease) => LeaseTimeToLiveResponse {
                header,
                id: r.id,
                ttl: lease.remaining_s(now),
                granted_ttl: lease.ttl_s,
                keys: if r.keys {
                    lease.keys.iter().cloned().collect()
                } else {
                    Vec::new()
                },
            },
        }
    }

    pub(super) fn lease_leases(&self) -> LeaseLeasesResponse {
        let leases = self.lessor.leases().map(|lease| lease.id).collect();
        LeaseLeasesResponse {
            header: ResponseHeader::default(),
            leases,
        }
    }

    /// Checks for expired leases, starts to revoke them, and writes due checkpoints.
    pub(super) fn check_leases(&mut self, out: &mut Outbox<MemberTimer>) {
        let now = out.now;

        assert!(
            self.leases.expired.is_empty(),
            "what one check found is revoked before the next"
        );
        self.leases.next_check = None;
        if !self.is_primary() || self.is_mirror() {
            return;
        }
        let mut expired = self.lessor.expired(now);
        self.skip_proposed(now, &mut expired);
        out.trace(TraceEvent::Lease(LeaseTrace::Looked {
            expired: expired.len() as u32,
            more: self.lessor.more_expired(now),
        }));
        self.leases.expired = expired.into();
        self.checkpoint_leases(out);
        self.go_on_revoking(out);
    }

    /// Removes from `expired` the leases whose revocation the leader has proposed in the last 3 s
    /// (`defaultExpiredleaseRetryInterval`). If the cluster has not applied the revocation by then, the leader proposes
    /// it again.
    fn skip_proposed(&mut self, now: SimTime, expired: &mut Vec<i64>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        let proposed = member.revoking.clone();
        expired.retain(|id| proposed.get(id).is_none_or(|retry| *retry <= now));
        for id in expired {
            member.revoking.insert(*id, now + REVOKE_RETRY);
        }
    }

    /// Forwards the renewals that wait for the revocation of their leases. Called when the member stops being the
    /// leader.
    pub(super) fn forward_renewals(&mut self, out: &mut Outbox<MemberTimer>) {
        for (caller, response) in std::mem::take(&mut self.leases.renewals) {
            let request = Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: response.id });
            if let Err(error) = self.forward_to_leader(caller, &request.into(), out) {
                out.reply(caller, Err(error));
            }
        }
    }

    /// Revokes the next expired lease that the last check found.
    pub(super) fn revoke_expired(&mut self, out: &mut Outbox<MemberTimer>) {
        let found = self.leases.expired.pop_front();
        let id = found.expect("the timer is set for a lease that was found");
        let revoke = Request::LeaseRevoke(LeaseRevokeRequest { id });
        if self.is_primary() {
            let entry = entry_of(revoke.into(), self.auth.own_info());
            self.propose(entry, Waiter::Expiry);
        }
        self.apply_committed(out);
        self.go_on_revoking(out);
    }

    fn go_on_revoking(&mut self, out: &mut Outbox<MemberTimer>) {
        if self.leases.expired.is_empty() {
            self.plan_check(out);
        } else {
            out.timer(SimDuration(0), MemberTimer::LeaseRevoke);
        }
    }

    /// Sets the interval between checkpoints of long leases, starting at `now`. 0 disables checkpoints.
    pub fn checkpoint_leases_every(
        &mut self,
        interval: SimDuration,
        out: &mut Outbox<MemberTimer>,
    ) {
        self.lessor.checkpoint_every(interval, out.now);
        self.plan_check(out);
    }

    /// Writes the due checkpoints, so that a new leader knows the remaining TTLs.
    fn checkpoint_leases(&mut self, out: &mut Outbox<MemberTimer>) {
        loop {
            let due = self.lessor.due_checkpoints(out.now);
            if due.is_empty() {
                return;
            }
            self.propose(LogEntry::Checkpoint(due), Waiter::Nobody);
            self.apply_committed(out);
        }
    }

    /// Stores the remaining seconds of the given leases. The value 0 deletes a checkpoint and is not traced.
    pub(super) fn apply_checkpoint(
        &mut self,
        remaining: &[(i64, i64)],
        out: &mut Outbox<MemberTimer>,
    ) {
        for (id, remaining_s) in remaining {
            self.checkpoint(*id, *remaining_s, out.now);
        }
        if let Some((first, remaining_s @ 1..)) = remaining.first() {
            out.trace(TraceEvent::Lease(LeaseTrace::Checkpointed {
                first: *first,
                remaining_s: *remaining_s,
                leases: remaining.len() as u32,
            }));
        }
    }

    fn checkpoint(&mut self, id: i64, remaining_s: i64, now: SimTime) {
        let Some(ttl_s) = self.lessor.checkpoint(id, remaining_s, now) else {
            return;
        };
        if self.profile().has(Difference::PersistsCheckpoints) {
            self.put_lease_row(id, ttl_s, remaining_s);
        }
    }

    /// Attaches a changed key to the lease that the put specifies, or detaches a deleted key from its lease. Returns an
    /// event if the key's lease has changed.
    pub(super) fn attach_change(&mut self, change: &Change) -> Option<TraceEvent> {
        let key = &change.kv.key;
        let before = self.lessor.lease_of(key);
        let after = match change.kind {
            ChangeKind::Create | ChangeKind::Update => change.kv.lease,
            ChangeKind::Delete => 0,
        };
        if after == 0 {
            self.lessor.detach(key);
        } else {
            let attached = self.lessor.attach(after, key.clone());
            assert!(attached.is_ok(), "a put's lease was checked to exist");
        }
        (before != after).then(|| {
            TraceEvent::Lease(LeaseTrace::OfKey {
                key: key.clone(),
                before,
                after,
            })
        })
    }

    /// Removes a lease and deletes its keys in key order, all in one revision.
    pub(super) fn apply_revoke(
        &mut self,
        id: i64,
        expired: bool,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<LeaseRevokeResponse, EtcdError> {
        if let Some(member) = &mut self.cluster.0 {
            member.revoking.remove(&id);
        }
        let keys = self.lessor.revoke(id)?;
        self.metrics.revoked += 1;
        self.metrics.expired += u64::from(expired);
        self.metrics.count_deletes(keys.len() as u64);
        let row = LeaseRow::key(id);
        self.kv.backend_mut().delete(Bucket::Lease, &row);
        out.trace(TraceEvent::Lease(LeaseTrace::Revoked {
            id,
            keys: keys.len() as u32,
            expired,
        }));
        if !keys.is_empty() {
            let ((), written) = self.kv.write(|txn| {
                for key in keys {
                    txn.delete_range(&KeyRange::One(key));
                }
            });
            self.committed(written, out);
        }
        let waited = self.leases.renewals.extract_if(.., |(_, r)| r.id == id);
        for (caller, response) in waited {
            out.reply(caller, Ok(Response::LeaseKeepAlive(response)));
        }
        Ok(LeaseRevokeResponse::default())
    }

    /// Schedules the first check at which a lease can expire or a checkpoint can be due.
    pub(super) fn plan_check(&mut self, out: &mut Outbox<MemberTimer>) {
        if !self.is_primary() {
            return;
        }
        // The next check is scheduled after the expired leases of the last check are revoked.
        let (Some(next), true) = (self.lessor.next_due(), self.leases.expired.is_empty()) else {
            return;
        };
        // Checks take place at multiples of the period since the start. The check of the present time has already run.
        let period = EXPIRY_PERIOD.0;
        let next_check = SimTime((next.0.max(out.now.0 + 1)).next_multiple_of(period));
        if self
            .leases
            .next_check
            .is_none_or(|planned| next_check < planned)
        {
            self.leases.next_check = Some(next_check);
            out.timer(next_check - out.now, MemberTimer::LeaseExpiry);
        }
    }

    /// Generates a lease id like `idutil`, but with a counter instead of the time. The high 16 bits contain the low 16
    /// bits of the member's id, but the sign bit is cleared, so the lease id is positive.
    fn next_lease_id(&mut self) -> i64 {
        self.leases.granted += 1;
        ((self.member_id() & 0xffff) << 48 | self.leases.granted) as i64 & i64::MAX
    }

    fn put_lease_row(&mut self, id: i64, ttl_s: i64, remaining_ttl_s: i64) {
        let row = LeaseRow {
            id,
            ttl_s,
            remaining_ttl_s,
        };
        let backend = self.kv.backend_mut();
        backend.put(Bucket::Lease, LeaseRow::key(id), proto::encode(&row).into());
    }
}
