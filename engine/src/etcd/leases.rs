//! The member's side of leases: granting, keeping alive, and revoking what has expired.
//!
//! Mirrors `LeaseGrant` and friends in `server/etcdserver/v3_server.go`, `v3rpc/lease.go`, and
//! `revokeExpiredLeases` in `server.go`. The look for expired leases happens every 500 ms upstream;
//! here it is left out while nothing can have expired, which nobody can see. Each lease that a look
//! finds is revoked by a proposal of its own, one after the other; upstream has up to 16 under way.
//! Checkpoints are off, as upstream by default, until they are asked for.

use std::collections::VecDeque;

use crate::api::{
    EtcdError, LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest,
    LeaseKeepAliveResponse, LeaseLeasesResponse, LeaseRevokeRequest, LeaseRevokeResponse,
    LeaseTimeToLiveRequest, LeaseTimeToLiveResponse, Profile, Request, Response, ResponseHeader,
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

use super::entries::{LogEntry, Waiter};
use super::lease_row::LeaseRow;
use super::server::{EtcdServer, MEMBER_ID, MemberTimer};

/// The lease state of the member besides the lessor.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct LeaseServer {
    /// When the leases are looked at next, if they need to be.
    look: Option<SimTime>,
    /// What the last look has found expired and is not revoked yet, in that order.
    expired: VecDeque<i64>,
    /// Renewals of expired leases; the responses wait until the leases are revoked.
    renewals: Vec<(Caller, LeaseKeepAliveResponse)>,
    /// Ids given so far.
    granted: u64,
}

impl LeaseServer {
    /// Drops the state that only the process had, including its timers.
    pub(super) fn restart(&mut self) {
        self.look = None;
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
    /// The request with an id, which the member chooses before it proposes it.
    pub(super) fn with_lease_id(&mut self, r: LeaseGrantRequest) -> LeaseGrantRequest {
        let id = match r.id {
            0 => self.next_lease_id(),
            id => id,
        };
        LeaseGrantRequest { id, ..r }
    }

    pub(super) fn apply_grant(
        &mut self,
        now: SimTime,
        r: LeaseGrantRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<LeaseGrantResponse, EtcdError> {
        let id = r.id;
        let lease = self.lessor.grant(id, r.ttl, now)?;
        let (ttl, expiry) = (lease.ttl_s, lease.expiry);
        self.put_lease_row(id, ttl, 0);
        out.trace(TraceEvent::Lease(LeaseTrace::Granted {
            id,
            asked_s: r.ttl,
            ttl_s: ttl,
            expiry,
        }));
        self.plan_look(now, out);
        Ok(LeaseGrantResponse {
            header: ResponseHeader::default(),
            id,
            ttl,
        })
    }

    /// Not through raft. A lease that is gone is answered with a TTL of 0, not with an error; of
    /// one that has expired and is still there the answer waits until it is gone.
    pub(super) fn lease_keep_alive(
        &mut self,
        now: SimTime,
        caller: Caller,
        r: LeaseKeepAliveRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> Option<LeaseKeepAliveResponse> {
        let mut response = LeaseKeepAliveResponse {
            // Upstream fills it in before it renews: the revision must not be one at which the
            // lease is gone already.
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
            .is_some_and(|l| l.remaining_ttl_s > 0);
        match self.lessor.renew(r.id, now) {
            Ok(ttl) => {
                response.ttl = ttl;
                if checkpointed && self.lessor.makes_checkpoints() {
                    // What was written down is no longer true.
                    let nothing = LogEntry::Checkpoint(vec![(r.id, 0)]);
                    self.propose(nothing, Waiter::Nobody);
                    self.apply_committed(now, out);
                    self.plan_look(now, out);
                }
                out.trace(TraceEvent::Lease(LeaseTrace::Renewed {
                    id: r.id,
                    ttl_s: ttl,
                    expiry: now + seconds(ttl),
                }));
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

    /// Looks which leases have expired, which are revoked next, and which need a checkpoint.
    pub(super) fn look_at_leases(&mut self, now: SimTime, out: &mut Outbox<MemberTimer>) {
        assert!(
            self.leases.expired.is_empty(),
            "what one look found is revoked before the next"
        );
        self.leases.look = None;
        let expired = self.lessor.expired(now);
        out.trace(TraceEvent::Lease(LeaseTrace::Looked {
            expired: expired.len() as u32,
            more: self.lessor.more_expired(now),
        }));
        self.leases.expired = expired.into();
        self.checkpoint_leases(now, out);
        self.go_on_revoking(now, out);
    }

    /// Revokes the next lease that the last look has found.
    pub(super) fn revoke_expired(&mut self, now: SimTime, out: &mut Outbox<MemberTimer>) {
        let found = self.leases.expired.pop_front();
        let id = found.expect("the timer is set for a lease that was found");
        let revoke = Request::LeaseRevoke(LeaseRevokeRequest { id });
        self.propose(LogEntry::Request(revoke.into()), Waiter::Expiry);
        self.apply_committed(now, out);
        self.go_on_revoking(now, out);
    }

    fn go_on_revoking(&mut self, now: SimTime, out: &mut Outbox<MemberTimer>) {
        if self.leases.expired.is_empty() {
            self.plan_look(now, out);
        } else {
            out.timer(SimDuration(0), MemberTimer::LeaseRevoke);
        }
    }

    /// From when on what is left of long leases is written down, and how often; 0 for never.
    pub fn checkpoint_leases_every(
        &mut self,
        interval: SimDuration,
        now: SimTime,
        out: &mut Outbox<MemberTimer>,
    ) {
        self.lessor.checkpoint_every(interval, now);
        self.plan_look(now, out);
    }

    /// Writes down what is left of the leases whose turn it is, so that a new leader knows it.
    fn checkpoint_leases(&mut self, now: SimTime, out: &mut Outbox<MemberTimer>) {
        loop {
            let due = self.lessor.due_checkpoints(now);
            if due.is_empty() {
                return;
            }
            self.propose(LogEntry::Checkpoint(due), Waiter::Nobody);
            self.apply_committed(now, out);
        }
    }

    /// Stores the remaining seconds of these leases. 0 deletes a checkpoint and is not traced.
    pub(super) fn apply_checkpoint(
        &mut self,
        remaining: &[(i64, i64)],
        now: SimTime,
        out: &mut Outbox<MemberTimer>,
    ) {
        for (id, remaining_s) in remaining {
            self.checkpoint(*id, *remaining_s, now);
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
        // Before 3.6 it is only remembered, unless another flag is given.
        if self.profile() == Profile::V3_6 {
            self.put_lease_row(id, ttl_s, remaining_s);
        }
    }

    /// A key hangs on the lease of its last put; a delete takes it off. Says so when that is new.
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

    /// Takes a lease away and deletes its keys, all in one revision, in key order.
    pub(super) fn apply_revoke(
        &mut self,
        id: i64,
        expired: bool,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<LeaseRevokeResponse, EtcdError> {
        let keys = self.lessor.revoke(id)?;
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

    /// Asks to be woken at the first look at which something has to be done.
    pub(super) fn plan_look(&mut self, now: SimTime, out: &mut Outbox<MemberTimer>) {
        // After what was found expired is revoked this is asked again.
        let (Some(next), true) = (self.lessor.next_due(), self.leases.expired.is_empty()) else {
            return;
        };
        // The looks are at whole periods since the start; one at this very moment is over.
        let period = EXPIRY_PERIOD.0;
        let look = SimTime((next.0.max(now.0 + 1)).next_multiple_of(period));
        if self.leases.look.is_none_or(|planned| look < planned) {
            self.leases.look = Some(look);
            out.timer(look - now, MemberTimer::LeaseExpiry);
        }
    }

    /// Ids as `idutil` makes them, with a counter in place of the time: the member's low 16 bits
    /// in front, and always positive.
    fn next_lease_id(&mut self) -> i64 {
        self.leases.granted += 1;
        ((MEMBER_ID & 0xffff) << 48 | self.leases.granted) as i64 & i64::MAX
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
