//! The operations of clients on single keys of a cluster, with their times and results. The log is built from the trace
//! alone.
//!
//! The Cluster view checks these operations for linearizability. The log omits requests for several keys, requests for
//! old revisions, and requests within transactions. A key that such a request writes cannot be checked.

use std::collections::BTreeMap;

use crate::api::message::{Body, EtcdMessage};
use crate::api::{
    DeleteRangeRequest, PutRequest, RangeRequest, Reply, Request, RequestOp, Response, TxnRequest,
};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::NodeId;
use crate::trace::{Event, NetTrace, TraceEvent};

use super::kube_log::StepTime;
use super::linearizability::{HistoryVerdict, KeyAction, KeyOperation, check};

/// A log of the operations of clients on single keys.
///
/// ```
/// use watchglass_engine::observe::ClientLog;
/// let log = ClientLog::for_members(3);
/// assert_eq!(log.newest_key(10), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClientLog {
    is_on: bool,
    operations: Vec<LoggedOperation>,
    /// The indexes in `operations` of the operations without a response, by client and request number.
    open: BTreeMap<(NodeId, u64), usize>,
    /// The operations whose responses are in flight, by the number of the response message. Each entry contains the
    /// operation's index in `operations`, and its result.
    answers: BTreeMap<u64, (usize, OperationResult)>,
    /// The keys that were written by requests that this log omits, each with the step of the first such request.
    written_otherwise: BTreeMap<Bytes, u64>,
    /// The ranges of the deletes of several keys, each with the step of the delete.
    deleted_ranges: Vec<(u64, KeyRange)>,
}

/// An operation of a client on a key.
#[derive(Clone, Debug)]
pub struct LoggedOperation {
    pub client: NodeId,
    pub member: NodeId,
    pub key: Bytes,
    pub kind: OperationKind,
    pub called: StepTime,
    /// The step and the time at which the client received the response, and the result; `None` before the response.
    pub returned: Option<(StepTime, OperationResult)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// A linearizable read.
    Get,
    SerializableGet,
    Put(Bytes),
    Delete,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperationResult {
    /// The value that a read returned; `None` if the key did not exist.
    Value(Option<Bytes>),
    Written,
    /// The delete took effect. Contains true if the key existed.
    Deleted(bool),
    /// The request failed with an error. A write may take effect nevertheless.
    Failed,
}

impl ClientLog {
    /// Creates the log of a run with this number of members. The log of a single member stays empty, because only
    /// clusters are checked.
    pub fn for_members(members: usize) -> Self {
        Self {
            is_on: members > 1,
            ..Self::default()
        }
    }

    /// Records an event. Returns true if the event added an operation to the log.
    pub fn observe(&mut self, event: &Event) -> bool {
        let TraceEvent::Net(what) = &event.what else {
            return false;
        };
        match what {
            _ if !self.is_on => {}
            NetTrace::Sent {
                message,
                from,
                to,
                body,
                ..
            } => match &**body {
                // A request that a proxy relays is already in the log.
                Body::Etcd(EtcdMessage::Call { call, request })
                    if !from.is_member() && *from != NodeId::Proxy =>
                {
                    return self.called(event, (*from, *to), *call, request);
                }
                Body::Etcd(EtcdMessage::Answer { call, reply }) => {
                    if let Some(place) = self.open.remove(&(*to, *call)) {
                        let result = result(reply, &self.operations[place].key);
                        self.answers.insert(message.0, (place, result));
                    }
                }
                _ => {}
            },
            NetTrace::Arrived { message } => {
                if let Some((place, result)) = self.answers.remove(&message.0) {
                    self.operations[place].returned = Some(((event.step, event.at), result));
                }
            }
            _ => {}
        }
        false
    }

    fn called(
        &mut self,
        event: &Event,
        (client, member): (NodeId, NodeId),
        call: u64,
        request: &Request,
    ) -> bool {
        let Some((key, kind)) = operation(request) else {
            self.written(request, event.step);
            return false;
        };
        self.open.insert((client, call), self.operations.len());
        self.operations.push(LoggedOperation {
            client,
            member,
            key: key.clone(),
            kind,
            called: (event.step, event.at),
            returned: None,
        });
        true
    }

    /// Records the keys that a request writes, if the log does not contain the request as an operation.
    fn written(&mut self, request: &Request, step: u64) {
        match request {
            Request::As(request) => self.written(&request.request, step),
            Request::Put(put) => self.key_written(&put.key, step),
            Request::DeleteRange(delete) => self.range_deleted(delete, step),
            Request::Txn(txn) => self.txn_written(txn, step),
            _ => {}
        }
    }

    fn txn_written(&mut self, txn: &TxnRequest, step: u64) {
        for operation in txn.success.iter().chain(&txn.failure) {
            match operation {
                RequestOp::Put(put) => self.key_written(&put.key, step),
                RequestOp::DeleteRange(delete) => self.range_deleted(delete, step),
                RequestOp::Txn(txn) => self.txn_written(txn, step),
                RequestOp::Range(_) | RequestOp::Empty => {}
            }
        }
    }

    fn key_written(&mut self, key: &Bytes, step: u64) {
        self.written_otherwise.entry(key.clone()).or_insert(step);
    }

    fn range_deleted(&mut self, delete: &DeleteRangeRequest, step: u64) {
        let range = KeyRange::new(&delete.key, &delete.range_end);
        self.deleted_ranges.push((step, range));
    }

    /// Returns the key of the newest operation up to a step.
    pub fn newest_key(&self, step: u64) -> Option<&Bytes> {
        self.until(step).last().map(|operation| &operation.key)
    }

    /// Returns the operations that were called by the end of `step`.
    fn until(&self, step: u64) -> &[LoggedOperation] {
        let count = self.operations.partition_point(|o| o.called.0 <= step);
        &self.operations[..count]
    }

    /// Returns the operations on a key that were called by the end of `step`. Omits responses that arrived after
    /// `step`.
    pub fn on_key(&self, key: &Bytes, step: u64) -> Vec<LoggedOperation> {
        let on_key = self.until(step).iter().filter(|o| o.key == *key);
        let mut operations: Vec<LoggedOperation> = on_key.cloned().collect();
        for operation in &mut operations {
            operation.returned.take_if(|((at, _), _)| *at > step);
        }
        operations
    }

    /// Returns the step of the first response that no order of the operations explains; `None` if an order explains all
    /// responses. Leaves out the keys that other requests write.
    pub fn contradiction(&self) -> Option<u64> {
        let mut keys: BTreeMap<&Bytes, Vec<KeyOperation>> = BTreeMap::new();
        for operation in &self.operations {
            if let Some(checked) = operation.checked() {
                keys.entry(&operation.key).or_default().push(checked);
            }
        }
        keys.retain(|key, _| !self.is_written_otherwise(key, u64::MAX));
        let first_of = |history: Vec<KeyOperation>| match check(&history) {
            HistoryVerdict::Contradiction(found) => history[found.response].returned_at,
            HistoryVerdict::Explained { .. } | HistoryVerdict::TooLarge { .. } => None,
        };
        keys.into_values().filter_map(first_of).min()
    }

    /// Returns true if a request that is not in the log wrote the key in `step` or before.
    pub fn is_written_otherwise(&self, key: &Bytes, step: u64) -> bool {
        let mut ranges = self.deleted_ranges.iter();
        self.written_otherwise
            .get(key)
            .is_some_and(|at| *at <= step)
            || ranges.any(|(at, range)| *at <= step && range.contains(key))
    }
}

impl LoggedOperation {
    /// Returns the operation for the linearizability check; `None` for a serializable read and for a read without a
    /// result.
    pub fn checked(&self) -> Option<KeyOperation> {
        let result = self.returned.as_ref().map(|(_, result)| result);
        let is_known = !matches!(result, None | Some(OperationResult::Failed));
        let action = match (&self.kind, result) {
            (OperationKind::Get, Some(OperationResult::Value(value))) => KeyAction::Get {
                value: value.clone(),
            },
            (OperationKind::Get | OperationKind::SerializableGet, _) => return None,
            (OperationKind::Put(value), _) => KeyAction::Put {
                value: value.clone(),
            },
            (OperationKind::Delete, result) => KeyAction::Delete {
                deleted: result == Some(&OperationResult::Deleted(true)),
            },
        };
        Some(KeyOperation {
            key: self.key.clone(),
            called_at: self.called.0,
            returned_at: self.returned.as_ref().filter(|_| is_known).map(|r| r.0.0),
            action,
        })
    }
}

fn operation(request: &Request) -> Option<(&Bytes, OperationKind)> {
    match request {
        Request::As(request) => operation(&request.request),
        Request::Range(range) | Request::RangeStream(range) if reads_value(range) => Some((
            &range.key,
            match range.serializable {
                true => OperationKind::SerializableGet,
                false => OperationKind::Get,
            },
        )),
        Request::Put(put) if is_plain(put) => {
            Some((&put.key, OperationKind::Put(put.value.clone())))
        }
        Request::DeleteRange(delete) if delete.range_end.is_empty() => {
            Some((&delete.key, OperationKind::Delete))
        }
        _ => None,
    }
}

fn reads_value(range: &RangeRequest) -> bool {
    let filters = [
        range.min_mod_revision,
        range.max_mod_revision,
        range.min_create_revision,
        range.max_create_revision,
    ];
    range.range_end.is_empty()
        && range.revision <= 0
        && !range.keys_only
        && !range.count_only
        && filters.iter().all(|revision| *revision == 0)
}

/// Returns true if the put sets a value and attaches no lease.
fn is_plain(put: &PutRequest) -> bool {
    !put.ignore_value && !put.ignore_lease && put.lease == 0
}

fn result(reply: &Reply, key: &Bytes) -> OperationResult {
    match reply {
        Ok(Response::Range(range)) => {
            let kv = range.kvs.iter().find(|kv| kv.key == *key);
            OperationResult::Value(kv.map(|kv| kv.value.clone()))
        }
        Ok(Response::DeleteRange(delete)) => OperationResult::Deleted(delete.deleted > 0),
        Ok(_) => OperationResult::Written,
        Err(_) => OperationResult::Failed,
    }
}
