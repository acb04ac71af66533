//! `etcdctl make-mirror`: copies the keys with a prefix, and then all further changes.
//!
//! Mirrors `client/v3/mirror/syncer.go` and `make_mirror_command.go`. The first copy reads pages of 1,000 keys at one
//! revision and puts the keys one by one. Further changes arrive on a watch, and the changes of one revision are one
//! transaction. Left out: the flags for the connection to the destination.

use std::collections::VecDeque;

use super::process::ProcessNext;
use crate::api::{
    DeleteRangeRequest, EventKind, PutRequest, RangeRequest, Request, RequestOp, Response,
    SortOrder, SortTarget, TxnRequest, WatchCreateRequest, WatchResponse,
};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::base::ids::NodeId;

/// The number of keys in one page of the first copy (`batchLimit`).
const PAGE: i64 = 1_000;

/// The keys to copy, and their destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MirrorSpec {
    /// The member that receives the copies.
    pub destination: NodeId,
    /// The prefix of the keys to copy (`--prefix`).
    pub prefix: Bytes,
    /// The text that replaces the prefix (`--dest-prefix`). `None` keeps the prefix.
    pub destination_prefix: Option<Bytes>,
    /// The first revision to copy (`--rev`). With 0, the command copies all keys first.
    pub revision: i64,
    /// The maximum number of operations in one transaction (`--max-txn-ops`).
    pub operations_max: u64,
}

/// The progress of a copy.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Mirror {
    spec: MirrorSpec,
    phase: Phase,
    /// The revision of the first copy.
    revision: i64,
    /// The requests for the destination that are not sent yet.
    left: VecDeque<Request>,
    /// The first key of the next page of the first copy; `None` after the last page.
    next_key: Option<Bytes>,
    copied: u64,
    /// Whether a request to the destination has no response yet.
    is_sending: bool,
}

#[derive(Clone, Debug, PartialEq, Hash)]
enum Phase {
    /// Requests the current revision.
    Revision,
    Page,
    /// Puts the keys of a page.
    Putting,
    Watching,
}

impl Mirror {
    pub fn new(spec: MirrorSpec) -> Self {
        Self {
            revision: spec.revision.saturating_sub(1).max(0),
            spec,
            phase: Phase::Revision,
            left: VecDeque::new(),
            next_key: None,
            copied: 0,
            is_sending: false,
        }
    }

    pub fn copied(&self) -> u64 {
        self.copied
    }

    /// Requests the current revision, or starts the watch if the command starts at a given revision.
    pub fn start(&mut self) -> Vec<ProcessNext> {
        if self.revision > 0 {
            return self.watch();
        }
        let key = match self.spec.prefix.is_empty() {
            true => Bytes::from("foo"),
            false => self.spec.prefix.clone(),
        };
        vec![ProcessNext::Call(Request::Range(RangeRequest {
            key,
            ..RangeRequest::default()
        }))]
    }

    fn page(&mut self, key: Bytes) -> Vec<ProcessNext> {
        self.phase = Phase::Page;
        vec![ProcessNext::Call(Request::Range(RangeRequest {
            key,
            range_end: self.range_end(),
            limit: PAGE,
            revision: self.revision,
            sort_order: SortOrder::Ascend,
            sort_target: SortTarget::Key,
            ..RangeRequest::default()
        }))]
    }

    fn range_end(&self) -> Bytes {
        match self.spec.prefix.is_empty() {
            true => Bytes::zero(),
            false => prefix_end(&self.spec.prefix),
        }
    }

    fn watch(&mut self) -> Vec<ProcessNext> {
        self.phase = Phase::Watching;
        let key = match self.spec.prefix.is_empty() {
            true => Bytes::zero(),
            false => self.spec.prefix.clone(),
        };
        vec![ProcessNext::Watch(WatchCreateRequest {
            key,
            range_end: self.range_end(),
            start_revision: self.revision + 1,
            ..WatchCreateRequest::default()
        })]
    }

    fn send_next(&mut self) -> Option<ProcessNext> {
        let next = self.left.pop_front();
        self.is_sending = next.is_some();
        let next = next?;
        Some(ProcessNext::CallTo(self.spec.destination, next))
    }

    pub fn answered(&mut self, response: &Response) -> Vec<ProcessNext> {
        match (&self.phase, response) {
            (Phase::Revision, Response::Range(range)) => {
                self.revision = range.header.revision;
                let key = match self.spec.prefix.is_empty() {
                    true => Bytes::zero(),
                    false => self.spec.prefix.clone(),
                };
                self.page(key)
            }
            (Phase::Page, Response::Range(range)) => {
                for kv in range.kvs.iter() {
                    let put = self.put(&kv.key, &kv.value);
                    self.left.push_back(Request::Put(put));
                }
                let last = range.kvs.last().filter(|_| range.more);
                self.next_key = last.map(|last| [&last.key[..], b"\0"].concat().into());
                self.phase = Phase::Putting;
                self.put_next()
            }
            (Phase::Putting, _) => {
                self.copied += 1;
                self.put_next()
            }
            (Phase::Watching, _) => self.send_next().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn put_next(&mut self) -> Vec<ProcessNext> {
        match (self.send_next(), self.next_key.take()) {
            (Some(put), next_key) => {
                self.next_key = next_key;
                vec![put]
            }
            (None, Some(key)) => self.page(key),
            (None, None) => self.watch(),
        }
    }

    fn put(&self, key: &Bytes, value: &Bytes) -> PutRequest {
        PutRequest {
            key: self.copy_of(key),
            value: value.clone(),
            ..PutRequest::default()
        }
    }

    /// Returns the name of the copy of a key: the first occurrence of the prefix is replaced. If the command starts at
    /// a given revision and no other prefix is set, the copy has no prefix, as upstream.
    fn copy_of(&self, key: &Bytes) -> Bytes {
        let prefix = &self.spec.prefix;
        let new: &[u8] = match &self.spec.destination_prefix {
            Some(new) => new,
            None if self.spec.revision > 1 => b"",
            None => prefix,
        };
        let at = match prefix.len() {
            0 => Some(0),
            len => key.windows(len).position(|part| part == &prefix[..]),
        };
        match at {
            Some(at) => [&key[..at], new, &key[at + prefix.len()..]].concat().into(),
            None => key.clone(),
        }
    }

    pub fn watched(&mut self, response: &WatchResponse) -> Vec<ProcessNext> {
        let (mut last, mut ops) = (0, Vec::new());
        for event in &response.events {
            let revision = event.kv.mod_revision;
            let is_full = ops.len() as u64 == self.spec.operations_max;
            if !ops.is_empty() && (revision > last || is_full) {
                self.commit(&mut ops);
            }
            last = revision;
            self.copied += 1;
            ops.push(match event.kind {
                EventKind::Put => RequestOp::Put(self.put(&event.kv.key, &event.kv.value)),
                EventKind::Delete => RequestOp::DeleteRange(DeleteRangeRequest {
                    key: self.copy_of(&event.kv.key),
                    ..DeleteRangeRequest::default()
                }),
            });
        }
        if !ops.is_empty() {
            self.commit(&mut ops);
        }
        match self.is_sending {
            true => Vec::new(),
            false => self.send_next().into_iter().collect(),
        }
    }

    fn commit(&mut self, ops: &mut Vec<RequestOp>) {
        self.left.push_back(Request::Txn(TxnRequest {
            success: std::mem::take(ops),
            ..TxnRequest::default()
        }));
    }
}
