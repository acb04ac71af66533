//! How API servers compact etcd: every five minutes, to the revision of five minutes before.
//!
//! Mirrors `storage/etcd3/compact.go`. All API servers run one; a key of its own decides which of them compacts: its
//! version counts the rounds, and the server that writes the next version compacts to the revision that it learned in
//! the round before. Its requests have no time limit, and none is repeated: after an error the server waits for its
//! next round. Off here unless `--etcd-compaction-interval` is given. Left out: the watch on the key by which
//! newer caches learn of a compaction.

use crate::api::{
    CompactionRequest, Compare, CompareOp, CompareTarget, PutRequest, RangeRequest, Request,
    RequestOp, ResponseOp, TxnRequest, TxnResponse,
};
use crate::base::Bytes;

/// The key whose version counts the rounds (`compactRevKey`).
const COMPACT_REV_KEY: &str = "compact_rev_key";

/// The state of the compaction rounds, as one API server knows it.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Compactor {
    /// The version of the key after the last round.
    time: i64,
    /// The revision at the last round, to which the next one compacts; 0 before the first.
    revision: i64,
}

impl Compactor {
    /// The transaction that takes the turn if no other server has taken it.
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

    /// The answer to it: with the turn comes a compaction, but not in the first round.
    pub(super) fn answered(&mut self, txn: &TxnResponse) -> Option<Request> {
        let before = std::mem::replace(&mut self.revision, txn.header.revision);
        if !txn.succeeded {
            if let Some(ResponseOp::Range(found)) = txn.responses.first()
                && let Some(kv) = found.kvs.first()
            {
                self.time = kv.version;
            } else {
                // The key was deleted. Upstream's process panics here, and starts anew without a revision.
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
