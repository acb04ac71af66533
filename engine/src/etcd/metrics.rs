//! The counters of a member, and its log of slow reads.
//!
//! Mirrors the counters of `mvcc/metrics.go`, `mvcc/metrics_txn.go`, `lease/metrics.go` and `etcdserver/metrics.go`,
//! and `warnOfExpensiveRequest` with the steps of `pkg/traceutil`. `view::show::metrics` prints them as etcd's page
//! `/metrics`. Left out: metrics of the Go runtime and of gRPC calls, the bytes that are sent, and metrics that have
//! the same value in every run of the simulator.

use std::collections::VecDeque;

use crate::api::{
    DeleteRangeRequest, PutRequest, RangeRequest, RangeResponse, RequestOp, TxnRequest,
};
use crate::base::durations::Durations;
use crate::base::proto::size;
use crate::base::time::{SimDuration, SimTime};
use crate::sim::processor::ProcessorWork;

use super::txn::TxnPath;

/// The duration above which a read is slow (`warnApplyDuration`).
pub const SLOW: SimDuration = SimDuration::from_millis(100);

/// The number of slow reads that the log keeps.
const SLOW_KEPT: usize = 20;

/// A read that took longer than [`SLOW`], with its steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SlowRead {
    pub at: SimTime,
    /// The duration from the request to the response.
    pub took: SimDuration,
    pub request: RangeRequest,
    /// The number of rows in the response and its size in bytes; `None` if the member stopped the read, because the
    /// client had gone.
    pub response: Option<(u64, u64)>,
    /// The time that the search of the index takes on an idle processor.
    pub index: SimDuration,
    /// The time that reading the rows takes on an idle processor, with the reads of pages from the disk.
    pub backend: SimDuration,
}

/// A read that the processor is working on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RunningRead {
    pub(super) since: SimTime,
    pub(super) request: RangeRequest,
    pub(super) index: ProcessorWork,
    pub(super) backend: ProcessorWork,
}

/// The counters of a member since its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemberMetrics {
    /// The number of puts, including puts in transactions.
    pub puts: u64,
    /// The number of deletes, including deletes in transactions and deletes of a revoked lease.
    pub deletes: u64,
    /// The number of reads, including compares and the reads for `--prev-kv` of writes and watches.
    pub ranges: u64,
    /// The number of store transactions with more than one operation.
    pub txns: u64,
    /// The size of all keys and values that were put, in bytes.
    pub put_bytes: u64,
    pub granted: u64,
    /// The number of revoked leases, including expired leases.
    pub revoked: u64,
    pub expired: u64,
    /// The number of lease renewals.
    pub renewed: u64,
    /// The number of events that watch streams took from their channels.
    pub events: u64,
    /// The size of all requests, in bytes.
    pub received_bytes: u64,
    /// The number of reads that took longer than [`SLOW`].
    pub slow_applies: u64,
    /// The number of clients' requests whose proposals failed.
    pub failed_proposals: u64,
    /// The durations of the syncs of the write-ahead log.
    pub syncs: Durations,
    slow: VecDeque<SlowRead>,
}

/// The numbers of reads, puts and deletes in one transaction of the store, and the size of the puts.
#[derive(Clone, Copy, Debug, Default)]
struct OpCounts {
    ranges: u64,
    puts: u64,
    deletes: u64,
    put_bytes: u64,
}

impl OpCounts {
    fn add(&mut self, op: &RequestOp) {
        match op {
            RequestOp::Range(_) => self.ranges += 1,
            RequestOp::Put(r) => self.put(r),
            RequestOp::DeleteRange(r) => self.delete(r),
            RequestOp::Txn(_) | RequestOp::Empty => {}
        }
    }

    fn put(&mut self, r: &PutRequest) {
        self.ranges += u64::from(r.prev_kv || r.ignore_value || r.ignore_lease);
        self.puts += 1;
        self.put_bytes += r.key.len() as u64 + r.value.len() as u64;
    }

    fn delete(&mut self, r: &DeleteRangeRequest) {
        self.ranges += u64::from(r.prev_kv);
        self.deletes += 1;
    }
}

impl MemberMetrics {
    /// Returns the latest slow reads, the oldest first.
    pub fn slow(&self) -> impl Iterator<Item = &SlowRead> {
        self.slow.iter()
    }

    fn count(&mut self, ops: OpCounts) {
        self.ranges += ops.ranges;
        self.puts += ops.puts;
        self.deletes += ops.deletes;
        self.put_bytes += ops.put_bytes;
        if ops.ranges + ops.puts + ops.deletes > 1 {
            self.txns += 1;
        }
    }

    pub(super) fn count_put(&mut self, r: &PutRequest) {
        let mut ops = OpCounts::default();
        ops.put(r);
        self.count(ops);
    }

    pub(super) fn count_delete(&mut self, r: &DeleteRangeRequest) {
        let mut ops = OpCounts::default();
        ops.delete(r);
        self.count(ops);
    }

    pub(super) fn count_range(&mut self) {
        self.count_ranges(1);
    }

    /// Counts several reads, each in a transaction of its own.
    pub(super) fn count_ranges(&mut self, count: u64) {
        self.ranges += count;
    }

    /// Counts the deletes of a revoked lease.
    pub(super) fn count_deletes(&mut self, deletes: u64) {
        self.count(OpCounts {
            deletes,
            ..OpCounts::default()
        });
    }

    /// Counts the compares and operations of a transaction. In a transaction that only reads, both belong to the same
    /// transaction of the store. Otherwise, the compares have their own transaction of the store.
    pub(super) fn count_txn(&mut self, r: &TxnRequest, path: &TxnPath, is_read_only: bool) {
        let mut compares = OpCounts {
            ranges: path.compares(),
            ..OpCounts::default()
        };
        let mut ops = OpCounts::default();
        path.each(r, &mut |op| ops.add(op));
        if is_read_only {
            ops.ranges += std::mem::take(&mut compares.ranges);
        }
        self.count(compares);
        self.count(ops);
    }

    /// Records a read, if the read was slow. `response` is `None` if the member stopped the read.
    pub(super) fn read(
        &mut self,
        now: SimTime,
        read: RunningRead,
        response: Option<&RangeResponse>,
    ) {
        let took = now - read.since;
        if took <= SLOW {
            return;
        }
        self.slow_applies += 1;
        if self.slow.len() == SLOW_KEPT {
            self.slow.pop_front();
        }
        self.slow.push_back(SlowRead {
            at: now,
            took,
            request: read.request,
            response: response.map(|response| {
                let bytes = size(response).max(response.kvs.weight());
                (response.kvs.len() as u64, bytes)
            }),
            index: read.index.alone(),
            backend: read.backend.alone(),
        });
    }
}
