//! Entries of the raft log, from the proposal to the reply.
//!
//! Mirrors `processInternalRaftRequestOnce` (`v3_server.go`), which proposes an entry and lets the caller wait, and
//! `applyEntryNormal` (`server.go`), which applies committed entries in order and wakes the caller with the result.
//! A single member commits its proposals when its log is synced; in a cluster, raft commits them (`cluster.rs`).

use std::sync::Arc;

use crate::api::log_entry::{EntryUser, LogEntry};
use crate::api::{
    CompactionRequest, CompactionResponse, Difference, EtcdError, Request, Response, TxnRequest,
    TxnResponse, proto,
};
use crate::auth::AuthInfo;
use crate::base::digest::Sparse;
use crate::base::ids::Caller;
use crate::base::time::SimDuration;
use crate::mvcc::Written;
use crate::sim::Outbox;
use crate::trace::{ChangeKind, TraceEvent};

use super::auth::{PendingLogin, entry_of};
use super::server::{EtcdServer, MemberTimer, Waiting};
use super::{apply, quota, txn};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Waiter {
    Caller(Caller),
    /// The caller of a request, and the known result, which the member sends after it has applied the entry.
    Prepared(Caller, Box<Result<Response, EtcdError>>),
    /// The expiry check, which revokes an expired lease.
    Expiry,
    /// The compactor, for a compaction at this revision.
    Compactor(i64),
    Nobody,
    /// The caller of a login, for the entry that assigns the token.
    Login(PendingLogin),
}

/// A proposed entry that is not applied yet.
#[derive(Clone, Debug, Hash)]
pub(super) struct Proposal {
    entry: LogEntry,
    waiter: Waiter,
}

impl EtcdServer {
    /// Removes and returns the entries that are not applied.
    pub(super) fn take_proposed(&mut self) -> impl Iterator<Item = (LogEntry, Waiter)> + use<> {
        let proposed = std::mem::take(&mut self.proposed).into_iter();
        proposed.map(|Proposal { entry, waiter }| (entry, waiter))
    }

    /// Proposes an entry for a request. The entry contains the user of the request.
    ///
    /// # Errors
    /// Returns an error if the request is larger than the maximum size of an entry, or if the member has too many
    /// committed entries that are not applied.
    pub(super) fn propose_request(
        &mut self,
        request: Arc<Request>,
        info: Option<AuthInfo>,
        waiter: Waiter,
    ) -> Result<(), EtcdError> {
        if self.is_far_behind() {
            self.count_too_many_requests();
            return Err(EtcdError::TooManyRequests);
        }
        let user = info
            .as_ref()
            .map_or(("", 0), |info| (&*info.user, info.revision));
        if proto::raft_entry_size(&request, user) > self.limits.request_bytes {
            return Err(EtcdError::RequestTooLarge);
        }
        self.propose(entry_of(request, info), waiter);
        Ok(())
    }

    /// Proposes an entry whose result goes to `waiter`.
    pub(super) fn propose(&mut self, entry: LogEntry, waiter: Waiter) {
        match &mut self.cluster.0 {
            Some(member) => member.propose(entry, waiter),
            None => self.proposed.push_back(Proposal { entry, waiter }),
        }
    }

    /// Writes all proposed entries to the log, and applies them when the log is synced: immediately if a sync takes no
    /// time. Entries that are proposed during a sync are part of the next sync.
    pub(super) fn apply_committed(&mut self, out: &mut Outbox<MemberTimer>) {
        if self.cluster.0.is_some() {
            return self.run_raft(out);
        }
        let fsync = self.cost().fsync();
        if fsync.0 == 0 && self.syncing == 0 {
            if self.is_locked() {
                return;
            }
            self.apply_entries(self.proposed.len(), out);
            // The entries may have added a second member.
            return self.run_raft(out);
        }
        if self.syncing == 0 && !self.proposed.is_empty() {
            self.syncing = self.proposed.len();
            out.timer(fsync, MemberTimer::LogSynced);
        }
    }

    /// Applies the entries of a finished sync, and starts the next sync.
    pub(super) fn log_synced(&mut self, out: &mut Outbox<MemberTimer>) {
        if self.cluster.0.is_none() && self.is_locked() {
            // The entries are in the log. They are applied when the sync pass releases the lock.
            self.log_waits = Sparse(true);
            return;
        }
        let synced = std::mem::take(&mut self.syncing);
        if self.cluster.0.is_some() {
            self.finish_ready(out);
            return self.run_raft(out);
        }
        self.metrics.syncs.add(self.cost().fsync());
        self.apply_entries(synced, out);
        self.apply_committed(out);
    }

    /// Applies the entries that waited for the lock of the store.
    pub(super) fn apply_waiting(&mut self, out: &mut Outbox<MemberTimer>) {
        if self.cluster.0.is_some() {
            self.apply_committed_entries(out);
            return self.run_raft(out);
        }
        match std::mem::take(&mut *self.log_waits) {
            true => self.log_synced(out),
            false => self.apply_committed(out),
        }
    }

    /// Applies the first `count` proposed entries. If a sync takes no time, also applies the entries that the member
    /// proposes while it applies these entries.
    fn apply_entries(&mut self, count: usize, out: &mut Outbox<MemberTimer>) {
        let waits = self.cost().fsync().0 > 0;
        let mut left = count;
        while left > 0 || !waits {
            let Some(Proposal { entry, waiter }) = self.proposed.pop_front() else {
                return;
            };
            left = left.saturating_sub(1);
            if !waits {
                self.metrics.syncs.add(SimDuration(0));
            }
            self.apply_entry((entry, waiter), out);
        }
    }

    /// Applies a committed entry and sends the result to its receiver.
    pub(super) fn apply_entry(
        &mut self,
        (entry, waiter): (LogEntry, Waiter),
        out: &mut Outbox<MemberTimer>,
    ) {
        self.next_index(out);
        let result = match entry {
            LogEntry::Request(request) => self.apply_request((&request, None), &waiter, out),
            LogEntry::UserRequest(request, user) => {
                self.apply_request((&request, Some(&user)), &waiter, out)
            }
            LogEntry::Checkpoint(remaining) => {
                self.apply_checkpoint(&remaining, out);
                Ok(None)
            }
            LogEntry::MemberChange(change) => self.apply_member_change(&change, out),
            LogEntry::Publish(started) => {
                self.apply_publish(&started);
                Ok(None)
            }
            LogEntry::Empty => Ok(None),
        };
        match (waiter, result) {
            (Waiter::Caller(caller), result) => {
                self.metrics.failed_proposals += u64::from(result.is_err());
                self.reply(caller, result, out);
            }
            (Waiter::Login(login), result) => self.login_applied(login, result, out),
            (Waiter::Prepared(caller, result), _) => self.reply(caller, result.map(Some), out),
            // A client revoked the lease before the expiry check did. etcd logs this error and continues.
            (Waiter::Expiry, Err(error)) => out.trace(TraceEvent::Refused { error }),
            (Waiter::Compactor(revision), result) => {
                self.auto_compacted(out.now, revision, result.err());
            }
            (Waiter::Expiry | Waiter::Nobody, _) => {}
        }
    }

    /// Applies the entry of a request, unless the member refuses the request because of an alarm or because the user
    /// may not make it. A request that exceeds the quota is applied, but its caller gets an error as soon as the alarm
    /// is raised.
    fn apply_request(
        &mut self,
        (request, user): (&Request, Option<&EntryUser>),
        waiter: &Waiter,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<Option<Response>, EtcdError> {
        if self.is_corrupt_for(request) {
            return Err(EtcdError::Corrupt);
        }
        if quota::cost(request) > 0 && self.has_no_space() {
            return Err(EtcdError::NoSpace);
        }
        self.authorize_entry(request, user)?;
        let fits = self.fits_quota(request);
        let response = self.apply(request, waiter, out)?;
        match waiter {
            Waiter::Caller(caller) if !fits => {
                self.propose_no_space(*caller);
                Ok(None)
            }
            _ => Ok(response),
        }
    }

    /// Applies the entry of a request. Returns `None` if the response is sent later.
    fn apply(
        &mut self,
        request: &Request,
        waiter: &Waiter,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<Option<Response>, EtcdError> {
        let response = match request {
            Request::Put(r) => {
                apply::check_put(self.kv.store(), &self.lessor, r)?;
                let (response, written) = self.kv.write(|txn| apply::put(txn, r));
                let response = response?;
                self.metrics.count_put(r);
                self.committed(written, out);
                Response::Put(response)
            }
            Request::DeleteRange(r) => {
                let (response, written) = self.kv.write(|txn| apply::delete_range(txn, r));
                let response = response?;
                self.metrics.count_delete(r);
                self.committed(written, out);
                Response::DeleteRange(response)
            }
            Request::Txn(r) => {
                let is_asked = *waiter != Waiter::Nobody;
                match is_asked || self.profile().has(Difference::ChecksAllReads) {
                    true => Response::Txn(self.apply_txn(r, out)?),
                    false => Response::Txn(self.apply_txn(&txn::without_reads(r), out)?),
                }
            }
            Request::Compact(r) => return self.apply_compaction(*r, waiter, out),
            Request::LeaseGrant(r) => Response::LeaseGrant(self.apply_grant(*r, out)?),
            Request::LeaseRevoke(r) => {
                let expired = *waiter == Waiter::Expiry;
                Response::LeaseRevoke(self.apply_revoke(r.id, expired, out)?)
            }
            Request::Alarm(r) => Response::Alarm(self.apply_alarm(*r, out)),
            Request::Qos(r) => Response::Qos(self.apply_qos(r, out)?),
            Request::Auth(r) => Response::Auth(self.apply_auth(out.now, r)?),
            Request::Range(_)
            | Request::RangeStream(_)
            | Request::HashKv(_)
            | Request::Status(_)
            | Request::LeaseKeepAlive(_)
            | Request::LeaseTimeToLive(_)
            | Request::LeaseLeases(_)
            | Request::Defragment(_)
            | Request::MoveLeader(_)
            | Request::MemberList(_)
            | Request::MemberChange(_)
            | Request::Authenticate(_)
            | Request::As(_) => unreachable!("answered without an entry"),
        };
        Ok(Some(response))
    }

    /// Executes a transaction. A read-only transaction needs no entry.
    pub(super) fn apply_txn(
        &mut self,
        r: &TxnRequest,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<TxnResponse, EtcdError> {
        let path = txn::TxnPath::choose(self.kv.store(), r);
        let compares = txn::compare_count(r);
        out.trace(TraceEvent::Compared {
            compares,
            succeeded: path.succeeded(),
        });
        txn::check(self.kv.store(), &self.lessor, r, &path)?;
        let (mut response, written) = self.kv.try_write(|write| txn::execute(write, r, &path))?;
        self.metrics.count_txn(r, &path, txn::is_read_only(r));
        response.header.revision = self.kv.store().current_rev();
        self.committed(written, out);
        Ok(response)
    }

    pub(super) fn apply_compaction(
        &mut self,
        r: CompactionRequest,
        waiter: &Waiter,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<Option<Response>, EtcdError> {
        let reply = match self.kv.compact(r.revision) {
            Ok(()) => {
                // etcd reads a key to get the current revision, and counts this read.
                self.metrics.count_range();
                out.trace(TraceEvent::CompactionScheduled {
                    revision: r.revision,
                });
                self.compactions_queued += 1;
                if self.kv.store().compactions_pending() == 1 {
                    out.timer(SimDuration(0), MemberTimer::CompactionBatch);
                }
                let header = self.header(self.kv.store().current_rev());
                Ok(Response::Compact(CompactionResponse { header }))
            }
            Err(e) => Err(EtcdError::from(e)),
        };
        // A physical compaction waits until the rows are removed. The request waits for earlier compactions even if its
        // own revision is already compacted, but not if its revision is in the future.
        let waits = r.physical && !matches!(reply, Err(EtcdError::FutureRev));
        if waits
            && self.compactions_queued > self.compactions_done
            && let Waiter::Caller(caller) = waiter
        {
            let (caller, jobs) = (*caller, self.compactions_queued);
            out.trace(TraceEvent::CompactionWaits);
            self.waiting.push_back(Waiting {
                caller,
                jobs,
                reply,
            });
            return Ok(None);
        }
        reply.map(Some)
    }

    /// Counts an applied raft entry, and stores the entry's index in the database.
    pub(super) fn next_index(&mut self, out: &mut Outbox<MemberTimer>) {
        self.raft_index += 1;
        self.put_meta_u64("consistent_index", self.raft_index);
        out.trace(TraceEvent::Applied {
            index: self.raft_index,
        });
    }

    /// Completes a write transaction: updates the leases of the changed keys, and reports the changes in the trace.
    pub(super) fn committed(&mut self, written: Written, out: &mut Outbox<MemberTimer>) {
        let revision = self.kv.store().current_rev();
        let count = written.changes.len() as u32;
        for change in written.changes {
            let lease = self.attach_change(&change);
            if change.kind == ChangeKind::Create {
                self.count_key(&change.kv.key);
            }
            out.trace(TraceEvent::Changed {
                main: change.revision.main,
                sub: change.revision.sub,
                kind: change.kind,
                key: change.kv.key,
                value: change.kv.value,
                version: change.kv.version,
                lease: change.kv.lease,
                generation: change.generation,
                generation_ver: change.generation_ver,
            });
            out.trace.extend(lease);
        }
        out.trace(if count == 0 {
            TraceEvent::NothingChanged { revision }
        } else {
            TraceEvent::Committed {
                revision,
                changes: count,
            }
        });
        self.trace_notified(revision, &written.notified, out);
    }
}
