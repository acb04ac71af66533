//! The member's side of leases: granting, keeping alive, and revoking what has expired.
//!
//! Mirrors `LeaseGrant` and friends in `server/etcdserver/v3_server.go` and `revokeExpiredLeases`
//! in `server.go`. The look for expired leases happens every 500 ms upstream; here it is left out
//! while nothing can have expired, which nobody can see.

use crate::api::{
    EtcdError, LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest,
    LeaseKeepAliveResponse, LeaseLeasesResponse, LeaseRevokeRequest, LeaseRevokeResponse,
    LeaseTimeToLiveRequest, LeaseTimeToLiveResponse, Request, ResponseHeader,
};
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::time::{SimDuration, SimTime};
use crate::lease::{LeaseError, lessor::EXPIRY_PERIOD};
use crate::mvcc::{Change, ChangeKind, record};
use crate::sim::Outbox;
use crate::trace::TraceEvent;

use super::server::{EtcdServer, MEMBER_ID, Timer};

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
    pub(super) fn lease_grant(
        &mut self,
        now: SimTime,
        r: LeaseGrantRequest,
        out: &mut Outbox<Timer>,
    ) -> Result<LeaseGrantResponse, EtcdError> {
        let id = if r.id == 0 {
            self.next_lease_id()
        } else {
            r.id
        };
        let request = LeaseGrantRequest { id, ..r };
        self.propose(&Request::LeaseGrant(request), out)?;
        let ttl = self.lessor.grant(id, r.ttl, now)?.ttl_s;
        self.put_lease_row(id, ttl);
        out.trace(TraceEvent::LeaseGranted { id, ttl_s: ttl });
        self.watch_expiry(now, out);
        Ok(LeaseGrantResponse {
            header: ResponseHeader::default(),
            id,
            ttl,
        })
    }

    pub(super) fn lease_revoke(
        &mut self,
        r: LeaseRevokeRequest,
        out: &mut Outbox<Timer>,
    ) -> Result<LeaseRevokeResponse, EtcdError> {
        self.propose(&Request::LeaseRevoke(r), out)?;
        self.revoke(r.id, out)?;
        Ok(LeaseRevokeResponse::default())
    }

    pub(super) fn lease_keep_alive(
        &mut self,
        now: SimTime,
        r: LeaseKeepAliveRequest,
        out: &mut Outbox<Timer>,
    ) -> LeaseKeepAliveResponse {
        // Not through raft; a lease that is gone is answered with a TTL of 0, not with an error.
        let ttl = self.lessor.renew(r.id, now).unwrap_or(0);
        if ttl > 0 {
            out.trace(TraceEvent::LeaseRenewed {
                id: r.id,
                ttl_s: ttl,
            });
        }
        LeaseKeepAliveResponse {
            header: ResponseHeader::default(),
            id: r.id,
            ttl,
        }
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

    /// Revokes what has expired, one proposal for each.
    pub(super) fn look_for_expired(&mut self, now: SimTime, out: &mut Outbox<Timer>) {
        self.expiry_looks.remove(&now);
        let expired = self.lessor.expired(now);
        out.trace(TraceEvent::LeasesLooked {
            expired: expired.len() as u32,
        });
        for id in expired {
            out.trace(TraceEvent::LeaseExpired { id });
            let revoked = self.lease_revoke(LeaseRevokeRequest { id }, out);
            assert!(
                revoked.is_ok(),
                "a lease that has expired is there to be revoked"
            );
        }
        self.watch_expiry(now, out);
    }

    /// Keys hang on the lease of their last put; a delete takes them off.
    pub(super) fn attach_changes(&mut self, changes: &[Change]) {
        for change in changes {
            let key = &change.kv.key;
            match change.kind {
                ChangeKind::Create | ChangeKind::Update if change.kv.lease != 0 => {
                    let attached = self.lessor.attach(change.kv.lease, key.clone());
                    assert!(attached.is_ok(), "a put's lease was checked to exist");
                }
                ChangeKind::Create | ChangeKind::Update | ChangeKind::Delete => {
                    self.lessor.detach(key);
                }
            }
        }
    }

    /// Takes a lease away and deletes its keys, all in one revision, in key order.
    fn revoke(&mut self, id: i64, out: &mut Outbox<Timer>) -> Result<(), EtcdError> {
        let keys = self.lessor.revoke(id)?;
        let row = Bytes::from(&id.to_be_bytes()[..]);
        self.kv
            .store_mut()
            .backend_mut()
            .delete(Bucket::Lease, &row);
        out.trace(TraceEvent::LeaseRevoked {
            id,
            keys: keys.len() as u32,
        });
        if !keys.is_empty() {
            let mut txn = self.kv.store_mut().write();
            for key in keys {
                txn.delete_range(&KeyRange::One(key));
            }
            let changes = txn.end();
            self.committed(changes, out);
        }
        Ok(())
    }

    /// Asks to be woken at the first look after the next lease has expired.
    fn watch_expiry(&mut self, now: SimTime, out: &mut Outbox<Timer>) {
        let Some(expiry) = self.lessor.next_expiry() else {
            return;
        };
        let look = SimTime(expiry.max(now).0.next_multiple_of(EXPIRY_PERIOD.0));
        // A look at the very moment just past would find the same again.
        let look = if look <= now {
            look + EXPIRY_PERIOD
        } else {
            look
        };
        // Whatever is looked for earlier asks again.
        if self.expiry_looks.first().is_none_or(|first| look < *first) {
            self.expiry_looks.insert(look);
            out.timer(SimDuration(look.0 - now.0), Timer::LeaseExpiry);
        }
    }

    /// Ids as `idutil` makes them, with a counter in place of the time: the member's low 16 bits
    /// in front, and always positive.
    fn next_lease_id(&mut self) -> i64 {
        self.leases_granted += 1;
        ((MEMBER_ID & 0xffff) << 48 | self.leases_granted) as i64 & i64::MAX
    }

    /// `leasepb.Lease`: ID 1, TTL 2.
    fn put_lease_row(&mut self, id: i64, ttl: i64) {
        let mut row = vec![0x08];
        record::put_varint(&mut row, id as u64);
        row.push(0x10);
        record::put_varint(&mut row, ttl as u64);
        let key = Bytes::from(&id.to_be_bytes()[..]);
        self.kv
            .store_mut()
            .backend_mut()
            .put(Bucket::Lease, key, Bytes::from(row));
    }
}
