//! The compactor of an API server. Every five minutes, it compacts etcd to the revision that etcd had five minutes
//! earlier.
//!
//! Mirrors `storage/etcd3/compact.go`. Every API server runs a compactor. A special key decides which server compacts.
//! The version of this key counts the rounds. In each round, only one server compacts etcd: the server that is the
//! first to write the next version of the key. This server compacts etcd to the revision that it received in the
//! previous round. The requests have no timeout. After an error, the server does not repeat the request but waits for
//! its next round. Here, the compactor is off unless `--etcd-compaction-interval` is given. Left out: the watch of the
//! key, from which the caches of newer Kubernetes versions learn that etcd was compacted.

use crate::api::{
    CompactionRequest, Compare, CompareOp, CompareTarget, PutRequest, RangeRequest, Request,
    RequestOp, ResponseOp, TxnRequest, TxnResponse,
};
use crate::base::Bytes;

/// The key whose version counts the compaction rounds (`compactRevKey`).
const COMPACT_REV_KEY: &str = "compact_rev_key";

/// The state of the compaction rounds, according to one API server.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Compactor {
    /// The version of [`COMPACT_REV_KEY`] after the last round.
    time: i64,
    /// The revision that this server received in the last round; 0 before the first round. The next round compacts etcd
    /// to this revision.
    revision: i64,
}

impl Compactor {
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

    /// Handles the response to the transaction that starts a round. Returns the compaction request if this server has
    /// started the round, except in the server's first round.
    pub(super) fn answered(&mut self, txn: &TxnResponse) -> Option<Request> {
        let before = std::mem::replace(&mut self.revision, txn.header.revision);
        if !txn.succeeded {
            if let Some(ResponseOp::Range(found)) = txn.responses.first()
                && let Some(kv) = found.kvs.first()
            {
                self.time = kv.version;
            } else {
                // The key was deleted. Upstream's process panics here and restarts without a revision.
                *self = Self::default();
            }
            return None;
        }
        self.time += 1;
        (before > 0).then_some(Request::Compact(CompactionRequest {
            revision: before,
            physical: false,
        }))
    }
}
