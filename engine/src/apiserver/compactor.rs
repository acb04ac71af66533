//! The compactor of an API server. Every five minutes, it compacts etcd to the revision that etcd had five minutes
//! earlier.
//!
//! Mirrors `storage/etcd3/compact.go`. Every API server runs a compactor. A special key decides which server compacts.
//! The version of this key counts the rounds. In each round, only one server compacts etcd: the server that is the
//! first to write the next version of the key. This server compacts etcd to the revision that it received in the
//! previous round. The requests have no timeout. After an error, the server waits for its next round; only after
//! `DeadlineExceeded` of a member without a leader does the client library send the request again. Since 1.34, the
//! server also reads and watches the key, and every 15 s each cache removes its snapshots below the last compaction,
//! because etcd could not serve the rest of such a list (`cacher/compactor.go`). Here, the compactor and its watch are
//! off unless `--etcd-compaction-interval` is given.

use crate::api::{
    CompactionRequest, Compare, CompareOp, CompareTarget, PutRequest, RangeRequest, Request,
    RequestOp, ResponseOp, TxnRequest, TxnResponse,
};
use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::time::SimDuration;
use crate::kube::Resource;
use crate::kube::resource;

/// The key whose version counts the compaction rounds (`compactRevKey`).
pub(super) const COMPACT_REV_KEY: &str = "compact_rev_key";

/// The place of the watch of [`COMPACT_REV_KEY`] among the watches of resources. It is no resource.
pub(super) const COMPACT_REV: Resource = Resource {
    name: COMPACT_REV_KEY,
    prefix: COMPACT_REV_KEY,
    ..resource::NONE
};

/// The delay of the first read of the key after the start of the server (`runWatchLoop`).
pub(super) const FIRST_READ: SimDuration = SimDuration::from_millis(1_000);

/// The time between two looks of the caches at the last compaction (`compactorPollPeriod`).
pub(super) const POLL: SimDuration = SimDuration::from_millis(15_000);

/// The state of the compaction rounds, according to one API server.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Compactor {
    /// The version of [`COMPACT_REV_KEY`] after the last round.
    time: i64,
    /// The revision that this server received in the last round; 0 before the first round. The next round compacts etcd
    /// to this revision.
    revision: i64,
    /// The revision of the last known compaction; 0 before the first.
    compacted: Sparse<i64>,
}

impl Compactor {
    pub(super) fn compacted(&self) -> u64 {
        u64::try_from(*self.compacted).unwrap_or(0)
    }

    /// Handles a compaction by this server.
    pub(super) fn compacts(&mut self, revision: i64) {
        *self.compacted = (*self.compacted).max(revision);
    }

    /// Handles a value of [`COMPACT_REV_KEY`]. Ignores a value that is not a number.
    pub(super) fn hears(&mut self, value: &[u8]) {
        let text = std::str::from_utf8(value).ok();
        if let Some(revision) = text.and_then(|text| text.parse().ok()) {
            self.compacts(revision);
        }
    }

    /// Returns the transaction that starts the next round if no other server has started it.
    pub(super) fn turn(&self) -> Request {
        let key = Bytes::from(COMPACT_REV_KEY.as_bytes());
        Request::Txn(TxnRequest {
            compare: vec![Compare {
                key: key.clone(),
                range_end: Bytes::default(),
                result: CompareOp::Equal,
                target: CompareTarget::Version(self.time),
            }],
            success: vec![RequestOp::Put(PutRequest {
                key: key.clone(),
                value: Bytes::from(self.revision.to_string().as_bytes()),
                ..PutRequest::default()
            })],
            failure: vec![RequestOp::Range(RangeRequest {
                key,
                ..RangeRequest::default()
            })],
        })
    }

    /// Handles the response to the transaction that starts a round. Returns the revision to compact etcd at if this
    /// server has started the round, except in the server's first round.
    pub(super) fn answered(&mut self, txn: &TxnResponse) -> Option<i64> {
        let before = std::mem::replace(&mut self.revision, txn.header.revision);
        if !txn.succeeded {
            if let Some(ResponseOp::Range(found)) = txn.responses.first()
                && let Some(kv) = found.kvs.first()
            {
                self.time = kv.version;
                self.hears(&kv.value);
            } else {
                // The key was deleted. Upstream's process panics here and restarts without a revision.
                *self = Self::default();
            }
            return None;
        }
        self.time += 1;
        (before > 0).then_some(before)
    }
}

pub(super) fn compaction(revision: i64) -> Request {
    Request::Compact(CompactionRequest {
        revision,
        physical: false,
    })
}
