//! The quota of the database, and the alarm for an exceeded quota.
//!
//! Mirrors `quota.go`, `v3rpc/quota.go`, `api/v3alarm`, the two appliers `quotaApplierV3` and `applierV3Capped` of
//! `apply.go`, and `applierV3Corrupt` of `corrupt.go`. A request is checked twice. The first check takes place before
//! the proposal. If the first check refuses the request, nothing is written. The second check takes place when the
//! entry is applied. If the second check finds too little space, the entry is still written, and only the response is
//! an error. If a sync of the log takes no time, a single member applies its proposals immediately, so both checks have
//! the same result. An alarm is stored only as a row of the bucket `alarm`.

use crate::api::log_entry::LogEntry;
use crate::api::{
    AlarmAction, AlarmMember, AlarmRequest, AlarmResponse, AlarmType, EtcdError, PutRequest,
    Request, RequestOp, ResponseHeader, TxnRequest,
};
use crate::auth::AuthInfo;
use crate::backend::Bucket;
use crate::base::ids::Caller;
use crate::base::{Bytes, proto};
use crate::sim::Outbox;
use crate::trace::TraceEvent;

use super::entries::Waiter;
use super::server::{EtcdServer, MemberTimer};

/// The assumed size of a lease in the database, in bytes (`leaseOverhead`).
const LEASE_BYTES: u64 = 64;
/// The assumed size of a put in addition to its key and value, in bytes (`kvOverhead`).
const PUT_BYTES: u64 = 256;

/// Returns the assumed size of a request in bytes, or 0 if the quota never refuses the request.
///
/// ```
/// use watchglass_engine::api::{PutRequest, Request};
/// use watchglass_engine::etcd::quota::cost;
/// let put = PutRequest { key: "/key1".into(), value: "value1".into(), ..PutRequest::default() };
/// assert_eq!(cost(&Request::Put(put)), 256 + 5 + 6);
/// ```
pub fn cost(request: &Request) -> u64 {
    match request {
        Request::Put(r) => put_cost(r),
        Request::Txn(r) => txn_cost(r),
        Request::LeaseGrant(_) => LEASE_BYTES,
        Request::Range(_)
        | Request::RangeStream(_)
        | Request::DeleteRange(_)
        | Request::Compact(_)
        | Request::HashKv(_)
        | Request::Status(_)
        | Request::LeaseRevoke(_)
        | Request::LeaseKeepAlive(_)
        | Request::LeaseTimeToLive(_)
        | Request::LeaseLeases(_)
        | Request::Alarm(_)
        | Request::Defragment(_)
        | Request::MoveLeader(_)
        | Request::MemberList(_)
        | Request::MemberChange(_)
        | Request::Authenticate(_)
        | Request::Auth(_)
        | Request::Qos(_) => 0,
        Request::As(r) => cost(&r.request),
    }
}

fn put_cost(r: &PutRequest) -> u64 {
    PUT_BYTES + r.key.len() as u64 + r.value.len() as u64
}

/// Returns the assumed size of the puts in the larger branch of a transaction, in bytes. As in etcd, puts in nested
/// transactions are not counted.
fn txn_cost(r: &TxnRequest) -> u64 {
    let puts = |ops: &[RequestOp]| {
        let costs = ops.iter().map(|op| match op {
            RequestOp::Put(r) => put_cost(r),
            _ => 0,
        });
        costs.sum::<u64>()
    };
    puts(&r.success).max(puts(&r.failure))
}

impl EtcdServer {
    /// Returns the quota in bytes (`--quota-backend-bytes`).
    pub fn quota_bytes(&self) -> u64 {
        self.limits.quota_bytes
    }

    pub fn set_quota_bytes(&mut self, bytes: u64) {
        self.limits.quota_bytes = bytes;
    }

    /// The size of the database is the size of the file after the last commit, including free pages.
    pub(super) fn fits_quota(&self, request: &Request) -> bool {
        let cost = cost(request);
        let size = self.store().backend().db().bytes();
        cost == 0 || size.saturating_add(cost) < self.limits.quota_bytes
    }

    /// Returns the alarms, in the order of their rows.
    pub fn alarms(&self) -> Vec<AlarmMember> {
        let rows = self.store().backend().rows(Bucket::Alarm);
        rows.filter_map(|(key, _)| proto::decode(&key)).collect()
    }

    /// Returns true if a `NOSPACE` alarm is active. Until the alarm is disarmed, the member refuses requests whose
    /// [`cost`] is not 0.
    pub fn has_no_space(&self) -> bool {
        self.has_alarm(AlarmType::NoSpace)
    }

    fn has_alarm(&self, alarm: AlarmType) -> bool {
        self.store().backend().row_count(Bucket::Alarm) > 0
            && self.alarms().iter().any(|a| a.alarm == alarm)
    }

    /// Returns true if a `CORRUPT` alarm is active and the member therefore refuses the entry of this request. The
    /// member still serves reads, which need no entry.
    pub(super) fn is_corrupt_for(&self, request: &Request) -> bool {
        let is_refused = match request {
            Request::Put(_)
            | Request::DeleteRange(_)
            | Request::Txn(_)
            | Request::Compact(_)
            | Request::LeaseGrant(_)
            | Request::LeaseRevoke(_)
            | Request::Qos(_) => true,
            Request::Range(_)
            | Request::RangeStream(_)
            | Request::HashKv(_)
            | Request::Status(_)
            | Request::LeaseKeepAlive(_)
            | Request::LeaseTimeToLive(_)
            | Request::LeaseLeases(_)
            | Request::Alarm(_)
            | Request::Defragment(_)
            | Request::MoveLeader(_)
            | Request::MemberList(_)
            | Request::MemberChange(_)
            | Request::Authenticate(_)
            | Request::Auth(_)
            | Request::As(_) => false,
        };
        is_refused && self.has_alarm(AlarmType::Corrupt)
    }

    /// Proposes to raise a `NOSPACE` alarm. As in etcd, each request that exceeds the quota leads to such a proposal.
    /// The caller of the request gets the error once the alarm is raised.
    pub(super) fn propose_no_space(&mut self, caller: Caller) {
        let raise = Request::Alarm(AlarmRequest {
            action: AlarmAction::Activate,
            member_id: self.member_id(),
            alarm: AlarmType::NoSpace,
        });
        let waiter = Waiter::Prepared(caller, Box::new(Err(EtcdError::NoSpace)));
        self.propose(LogEntry::Request(raise.into()), waiter);
    }

    /// Proposes the additional entries of `alarm disarm`: etcdctl lists the alarms, and disarms each alarm with a
    /// separate request.
    pub(super) fn propose_before_disarm(
        &mut self,
        r: &AlarmRequest,
        info: Option<&AuthInfo>,
    ) -> Result<(), EtcdError> {
        if r.action == AlarmAction::Deactivate && r.member_id == 0 {
            for _ in 0..self.alarms().len() {
                let get = Request::Alarm(AlarmRequest::default());
                self.propose_request(get.into(), info.cloned(), Waiter::Nobody)?;
            }
        }
        Ok(())
    }

    pub(super) fn apply_alarm(
        &mut self,
        r: AlarmRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> AlarmResponse {
        let is_meant = |alarm: &AlarmMember| {
            (r.member_id == 0 || r.member_id == alarm.member_id)
                && (r.alarm == AlarmType::None || r.alarm == alarm.alarm)
        };
        let mut alarms = self.alarms();
        let was_raised = alarms.iter().any(|a| a.alarm == AlarmType::NoSpace);
        alarms.retain(is_meant);
        match r.action {
            AlarmAction::Get => {}
            AlarmAction::Activate if alarms.is_empty() => {
                let alarm = AlarmMember {
                    member_id: r.member_id,
                    alarm: r.alarm,
                };
                let backend = self.kv.backend_mut();
                backend.put(Bucket::Alarm, row_key(alarm), Bytes::default());
                alarms.push(alarm);
                // The alarm of another member can already be active. The trace reports only the first alarm.
                if r.alarm == AlarmType::NoSpace && !was_raised {
                    out.trace(TraceEvent::NoSpaceRaised {
                        size: self.store().backend().db().bytes(),
                        quota: self.limits.quota_bytes,
                    });
                }
            }
            AlarmAction::Activate => {}
            AlarmAction::Deactivate => {
                for alarm in &alarms {
                    let backend = self.kv.backend_mut();
                    backend.delete(Bucket::Alarm, &row_key(*alarm));
                }
                if alarms.iter().any(|alarm| alarm.alarm == AlarmType::NoSpace) {
                    out.trace(TraceEvent::NoSpaceDisarmed);
                }
            }
        }
        AlarmResponse {
            header: ResponseHeader::default(),
            alarms,
        }
    }
}

fn row_key(alarm: AlarmMember) -> Bytes {
    proto::encode(&alarm).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{
        CompactionRequest, DeleteRangeRequest, LeaseGrantRequest, LeaseRevokeRequest, Profile,
        RangeRequest,
    };
    use crate::base::ids::NodeId;
    use crate::base::time::SimTime;
    use crate::sim::cost::{CostModel, Disk};

    const CALLER: Caller = Caller {
        node: NodeId::Etcdctl,
        call: 1,
    };

    fn put(key: &str) -> PutRequest {
        PutRequest {
            key: key.into(),
            value: "v".into(),
            ..PutRequest::default()
        }
    }

    /// If an entry that another member proposed exceeds the quota, a member still applies the entry, but the response
    /// is an error.
    #[test]
    fn an_entry_beyond_the_quota_is_applied_and_refused() {
        let mut member = EtcdServer::new(Profile::V3_6);
        let size = member.store().backend().db().bytes();
        member.set_quota_bytes(size + 256 + 2);
        let mut out = Outbox::new(SimTime(0));
        let entry = Request::Put(put("a")).into();
        member
            .propose_request(entry, None, Waiter::Caller(CALLER))
            .unwrap();
        member.apply_committed(&mut out);
        assert_eq!(out.replies, [(CALLER, Err(EtcdError::NoSpace))]);
        assert_eq!(member.store().current_rev(), 2);
        assert!(member.has_no_space());

        // While the alarm is active, no entry with a cost is applied, even if the entry fits in the quota.
        member.set_quota_bytes(u64::MAX);
        let entry = Request::Put(put("b")).into();
        member
            .propose_request(entry, None, Waiter::Caller(CALLER))
            .unwrap();
        member.apply_committed(&mut out);
        assert_eq!(out.replies[1].1, Err(EtcdError::NoSpace));
        assert_eq!(member.store().current_rev(), 2);
    }

    #[test]
    fn a_refusal_waits_for_the_alarm() {
        let mut member = EtcdServer::new(Profile::V3_6);
        let mut out = Outbox::new(SimTime(0));
        let cost = CostModel::FREE.with_disk(Disk::Ssd);
        member.set_cost(cost, &mut out);
        member.set_quota_bytes(1);
        let request = Request::Put(put("a")).into();
        member.handle(CALLER, &request, &mut out);
        assert!(out.replies.is_empty() && !member.has_no_space());
        out.now = SimTime(1_000);
        member.wake(MemberTimer::LogSynced, &mut out);
        assert_eq!(out.replies, [(CALLER, Err(EtcdError::NoSpace))]);
        assert!(member.has_no_space());
    }

    #[test]
    fn a_request_fits_while_it_stays_below_the_quota() {
        let mut member = EtcdServer::new(Profile::V3_6);
        let size = member.store().backend().db().bytes();
        let request = Request::Put(put("a"));
        member.set_quota_bytes(size + 258);
        assert!(!member.fits_quota(&request));
        member.set_quota_bytes(size + 259);
        assert!(member.fits_quota(&request));
        member.set_quota_bytes(0);
        assert!(member.fits_quota(&Request::Range(RangeRequest::default())));
    }

    #[test]
    fn a_corrupt_member_serves_reads_only() {
        let mut member = EtcdServer::new(Profile::V3_4);
        let alarm = AlarmMember {
            member_id: 7,
            alarm: AlarmType::Corrupt,
        };
        let backend = member.kv.backend_mut();
        backend.put(Bucket::Alarm, row_key(alarm), Bytes::default());
        assert_eq!(member.alarms(), [alarm]);
        assert_eq!(alarm.text(Profile::V3_6), "memberID:7 alarm:CORRUPT ");
        assert_eq!(alarm.text(Profile::V3_7), "memberID:7 alarm:CORRUPT");

        let mut answer = |request: Request| {
            let mut out = Outbox::new(SimTime(0));
            member.handle(CALLER, &request.into(), &mut out);
            out.replies.pop().expect("an answer at once").1
        };
        let refused = [
            Request::Put(put("a")),
            Request::DeleteRange(DeleteRangeRequest {
                key: "a".into(),
                ..DeleteRangeRequest::default()
            }),
            Request::Txn(TxnRequest {
                success: vec![RequestOp::Put(put("a"))],
                ..TxnRequest::default()
            }),
            Request::Compact(CompactionRequest {
                revision: 1,
                physical: false,
            }),
            Request::LeaseGrant(LeaseGrantRequest { ttl: 60, id: 0 }),
            Request::LeaseRevoke(LeaseRevokeRequest { id: 1 }),
        ];
        for request in refused {
            assert_eq!(answer(request), Err(EtcdError::Corrupt));
        }
        let read = Request::Range(RangeRequest {
            key: "a".into(),
            ..RangeRequest::default()
        });
        assert!(answer(read).is_ok());
        let disarm = Request::Alarm(AlarmRequest {
            action: AlarmAction::Deactivate,
            ..AlarmRequest::default()
        });
        assert!(answer(disarm).is_ok());
        assert!(answer(Request::Put(put("a"))).is_ok());
    }

    #[test]
    fn a_transaction_counts_its_more_expensive_branch() {
        let nested = TxnRequest {
            success: vec![RequestOp::Put(put("n"))],
            ..TxnRequest::default()
        };
        let txn = TxnRequest {
            success: vec![RequestOp::Put(put("a")), RequestOp::Txn(nested)],
            failure: vec![RequestOp::Put(put("a")), RequestOp::Put(put("b"))],
            ..TxnRequest::default()
        };
        assert_eq!(cost(&Request::Txn(txn)), 2 * (256 + 2));
    }
}
