//! The calls of the clients: each client has at most one call in progress.

use std::collections::BTreeMap;

use watchglass_engine::api::{
    CompactionRequest, Compare, CompareOp, CompareTarget, DeleteRangeRequest, EtcdError,
    LeaseGrantRequest, LeaseRevokeRequest, PutRequest, RangeRequest, Reply, Request, RequestOp,
    Response, TxnRequest,
};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::prefix_end;
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::observe::linearizability::{KeyAction, KeyOperation};
use watchglass_engine::sim::outbox::RequestId;
use watchglass_engine::world::World;

use super::history::ClusterHistory;

/// The keys on which the clients perform linearizable operations.
const KEYS: [&str; 5] = ["k1", "k2", "k3", "k4", "k5"];

const LEASES: u64 = 2;

struct OpenCall {
    id: RequestId,
    member: u32,
    request: Request,
    /// The index of the call in `operations`; `None` if the linearizability check does not include the call.
    operation: Option<usize>,
    /// The greatest revision in the linearizable responses that had arrived before the call began.
    seen: i64,
    /// The greatest revision in the member's responses that had arrived before the call began.
    seen_at_member: i64,
    called_at: u64,
}

pub(super) struct Calls {
    clients: u64,
    open: Vec<OpenCall>,
    operations: Vec<KeyOperation>,
    /// The current moment of the history: the number of calls and replies so far.
    moment: u64,
    /// The number of values written so far, which makes each written value unique.
    values: u64,
    is_stopped: bool,
    /// The greatest revision in all linearizable responses so far.
    seen: i64,
    /// The greatest revision that each member returned since its process started.
    seen_at_members: BTreeMap<u32, i64>,
    stale_reads: u64,
    /// For each failed call: the moment at which the call began, and a description.
    failed: Vec<(u64, String)>,
}

impl Calls {
    pub(super) fn new(rng: &mut Rng, members: u32) -> Self {
        Self {
            clients: 3 + rng.below(5),
            open: Vec::new(),
            operations: Vec::new(),
            moment: 0,
            values: 0,
            is_stopped: false,
            seen: 1,
            seen_at_members: (1..=members).map(|member| (member, 1)).collect(),
            stale_reads: 0,
            failed: Vec::new(),
        }
    }

    pub(super) fn moment(&self) -> u64 {
        self.moment
    }

    pub(super) fn operations(&self) -> &[KeyOperation] {
        &self.operations
    }

    pub(super) fn stale_reads(&self) -> u64 {
        self.stale_reads
    }

    pub(super) fn idle(&self) -> u64 {
        match self.is_stopped {
            true => 0,
            false => self.clients.saturating_sub(self.open.len() as u64),
        }
    }

    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Records that the process of a member ended: a new process may serve older data to serializable reads.
    pub(super) fn member_stopped(&mut self, member: u32) {
        self.seen_at_members.insert(member, 1);
    }

    /// Describes a call that began after this moment of the history, and that failed or has no reply; `None` if there
    /// is no such call.
    pub(super) fn unsuccessful_after(&self, moment: u64) -> Option<String> {
        let mut failed = self.failed.iter().filter(|(at, _)| *at > moment);
        let open = self.open.iter().filter(|call| call.called_at > moment);
        let mut open = open.map(|call| format!("no reply to {:?}", call.request));
        failed
            .next()
            .map(|(_, text)| text.clone())
            .or_else(|| open.next())
    }

    fn value(&mut self) -> Bytes {
        self.values += 1;
        format!("v{}", self.values).as_str().into()
    }

    pub(super) fn draw(&mut self, rng: &mut Rng, history: &ClusterHistory) -> Request {
        let key: Bytes = KEYS[rng.below(KEYS.len() as u64) as usize].into();
        let lease = 1 + rng.below(LEASES) as i64;
        match rng.below(100) {
            0..=37 => get(key, false),
            38..=49 => get(key, true),
            50..=54 => Request::Range(RangeRequest {
                key: "k".into(),
                range_end: prefix_end(b"k"),
                serializable: rng.chance(1, 2),
                ..RangeRequest::default()
            }),
            55..=78 => put(key, self.value(), 0),
            79..=86 => {
                let expected = history.value_at(&key, history.revision()).cloned();
                let compare = Compare {
                    key: key.clone(),
                    range_end: Bytes::default(),
                    result: CompareOp::Equal,
                    target: match expected {
                        Some(value) => CompareTarget::Value(value),
                        None => CompareTarget::Version(0),
                    },
                };
                let write = PutRequest {
                    key,
                    value: self.value(),
                    ..PutRequest::default()
                };
                Request::Txn(TxnRequest {
                    compare: vec![compare],
                    success: vec![RequestOp::Put(write)],
                    failure: Vec::new(),
                })
            }
            87..=91 => Request::DeleteRange(DeleteRangeRequest {
                key,
                ..DeleteRangeRequest::default()
            }),
            92 | 93 => Request::LeaseGrant(LeaseGrantRequest {
                ttl: 2 + rng.below(4) as i64,
                id: lease,
            }),
            94 => Request::LeaseRevoke(LeaseRevokeRequest { id: lease }),
            95..=97 => put(
                format!("leased{lease}").as_str().into(),
                self.value(),
                lease,
            ),
            _ => Request::Compact(CompactionRequest {
                revision: (history.revision() - rng.below(40) as i64).max(1),
                physical: rng.chance(1, 4),
            }),
        }
    }

    /// Returns requests that every healthy member executes.
    pub(super) fn probes(&mut self, member: u32) -> Vec<Request> {
        let key: Bytes = KEYS[member as usize % KEYS.len()].into();
        let write = put(key.clone(), self.value(), 0);
        vec![write, get(key.clone(), false), get(key, true)]
    }

    pub(super) fn begin(&mut self, world: &mut World, member: u32, request: Request) {
        self.moment += 1;
        let operation = operation(&request, self.moment).map(|operation| {
            self.operations.push(operation);
            self.operations.len() - 1
        });
        let id = world.submit_to(NodeId::Member(member), request.clone().into());
        self.open.push(OpenCall {
            id,
            member,
            request,
            operation,
            seen: self.seen,
            seen_at_member: self.seen_at_members.get(&member).copied().unwrap_or(1),
            called_at: self.moment,
        });
    }

    pub(super) fn take_replies(
        &mut self,
        world: &mut World,
        history: &ClusterHistory,
    ) -> Result<(), String> {
        let mut place = 0;
        while place < self.open.len() {
            match world.take_reply(self.open[place].id) {
                None => place += 1,
                Some(reply) => {
                    let call = self.open.swap_remove(place);
                    self.replied(&call, reply, history)?;
                }
            }
        }
        Ok(())
    }

    fn replied(
        &mut self,
        call: &OpenCall,
        reply: Reply,
        history: &ClusterHistory,
    ) -> Result<(), String> {
        self.moment += 1;
        let response = match reply {
            Ok(response) => response,
            Err(error) => {
                if !is_refusal(error) {
                    let text = format!("{:?} at member {}: {error}", call.request, call.member);
                    self.failed.push((call.called_at, text));
                }
                return Ok(());
            }
        };
        let wrong = |what: String| Err(format!("{:?} returned {what}", call.request));
        let (revision, is_serializable) = match (&call.request, &response) {
            (Request::Range(asked), Response::Range(found)) => {
                let revision = found.header.revision;
                if revision > history.revision() {
                    return wrong(format!("the revision {revision}, which nobody wrote"));
                }
                let kvs = found.kvs.iter();
                let kvs: BTreeMap<_, _> =
                    kvs.map(|kv| (kv.key.clone(), kv.value.clone())).collect();
                let is_asked = |key: &Bytes| match asked.range_end.is_empty() {
                    true => *key == asked.key,
                    false => *key >= asked.key && *key < asked.range_end,
                };
                let expected = history.keys_at(revision);
                let expected = expected.filter(|(key, _)| is_asked(key));
                let expected: BTreeMap<_, _> =
                    expected.map(|(k, v)| (k.clone(), v.clone())).collect();
                if kvs != expected {
                    return wrong(format!(
                        "{kvs:?} at revision {revision}, and the history has {expected:?}"
                    ));
                }
                self.stale_reads += u64::from(asked.serializable && revision < call.seen);
                if let (Some(operation), false) = (call.operation, asked.serializable) {
                    self.operations[operation].action = KeyAction::Get {
                        value: kvs.get(&asked.key).cloned(),
                    };
                }
                (revision, asked.serializable)
            }
            (Request::Put(asked), Response::Put(done)) => {
                let revision = done.header.revision;
                if history.value_at(&asked.key, revision) != Some(&asked.value)
                    || !history.changed_at(&asked.key, revision)
                {
                    return wrong(format!(
                        "revision {revision}, where the history has another change"
                    ));
                }
                (revision, false)
            }
            (Request::DeleteRange(asked), Response::DeleteRange(done)) => {
                let revision = done.header.revision;
                let deleted = done.deleted > 0;
                if deleted && history.value_at(&asked.key, revision).is_some() {
                    return wrong(format!("revision {revision}, where the key exists"));
                }
                if let Some(operation) = call.operation {
                    self.operations[operation].action = KeyAction::Delete { deleted };
                }
                (revision, false)
            }
            (Request::Txn(_), Response::Txn(done)) => {
                if let Some(operation) = call.operation
                    && let KeyAction::Txn { succeeded, .. } = &mut self.operations[operation].action
                {
                    *succeeded = done.succeeded;
                }
                (done.header.revision, false)
            }
            (_, Response::MemberChange(_)) => return Ok(()),
            (_, Response::LeaseGrant(done)) => (done.header.revision, false),
            (_, Response::LeaseRevoke(done)) => (done.header.revision, false),
            (_, Response::Compact(done)) => (done.header.revision, false),
            other => return wrong(format!("{other:?}")),
        };
        let known = match is_serializable {
            true => call.seen_at_member,
            false => call.seen,
        };
        if revision < known {
            return wrong(format!(
                "revision {revision} at member {}, but revision {known} was seen before the call",
                call.member
            ));
        }
        if let Some(operation) = call.operation {
            self.operations[operation].returned_at = Some(self.moment);
        }
        if !is_serializable {
            self.seen = self.seen.max(revision);
        }
        let at_member = self.seen_at_members.entry(call.member).or_default();
        *at_member = (*at_member).max(revision);
        Ok(())
    }
}

fn get(key: Bytes, serializable: bool) -> Request {
    Request::Range(RangeRequest {
        key,
        serializable,
        ..RangeRequest::default()
    })
}

fn put(key: Bytes, value: Bytes, lease: i64) -> Request {
    Request::Put(PutRequest {
        key,
        value,
        lease,
        ..PutRequest::default()
    })
}

/// Returns the operation with which the linearizability check represents a request, if the request is linearizable and
/// concerns one key that no lease deletes.
fn operation(request: &Request, called_at: u64) -> Option<KeyOperation> {
    let (key, action) = match request {
        Request::Range(r) if !r.serializable && r.range_end.is_empty() => {
            (&r.key, KeyAction::Get { value: None })
        }
        Request::Put(r) if r.lease == 0 => {
            let value = r.value.clone();
            (&r.key, KeyAction::Put { value })
        }
        Request::DeleteRange(r) => (&r.key, KeyAction::Delete { deleted: false }),
        Request::Txn(r) => {
            let [RequestOp::Put(write)] = r.success.as_slice() else {
                return None;
            };
            let expected = match &r.compare.first()?.target {
                CompareTarget::Value(value) => Some(value.clone()),
                _ => None,
            };
            let action = KeyAction::Txn {
                expected,
                write: Some(write.value.clone()),
                succeeded: false,
            };
            (&write.key, action)
        }
        _ => return None,
    };
    Some(KeyOperation {
        key: key.clone(),
        called_at,
        returned_at: None,
        action,
    })
}

/// Returns true if the error depends on the request and the data, not on the cluster.
fn is_refusal(error: EtcdError) -> bool {
    matches!(
        error,
        EtcdError::Compacted
            | EtcdError::FutureRev
            | EtcdError::LeaseNotFound
            | EtcdError::LeaseExists
    )
}
