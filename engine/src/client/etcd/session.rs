//! `etcdctl lock` and `etcdctl elect`: a session competes for a name.
//!
//! Mirrors `client/v3/concurrency` (`Session`, `Mutex`, `Election`, `waitDeletes`), and `lock_command.go` and
//! `elect_command.go` of etcdctl. A session is a lease that the process keeps alive. Each competitor puts the key
//! `NAME/LEASE`, and the key with the lowest create revision holds the lock or leads. Every other session watches only
//! the key directly before its own. Like upstream, the process deletes its key at its end and leaves the lease to
//! expire.

use std::sync::Arc;

use super::process::{ProcessNext, failed};
use crate::api::{
    Compare, CompareOp, CompareTarget, DeleteRangeRequest, EtcdError, EventKind, KeyValue,
    LeaseGrantRequest, PutRequest, RangeRequest, RangeResponse, Reply, Request, RequestOp,
    Response, ResponseHeader, ResponseOp, SortOrder, SortTarget, TxnRequest, TxnResponse,
    WatchCreateRequest, WatchResponse,
};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::trace::{Printed, ProcessError};

/// The TTL of `elect`'s lease in seconds (`defaultSessionTTL`), and of `lock`'s lease if `--ttl` is 0 or less.
const SESSION_TTL: i64 = 60;

/// The competition that a session takes part in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionSpec {
    /// The name of the lock or of the election.
    pub name: Bytes,
    pub role: SessionRole,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SessionRole {
    /// `lock NAME [COMMAND]`: holds a lock.
    Lock {
        /// The TTL of the lease in seconds (`--ttl`).
        ttl: i64,
        /// The command to run while the process holds the lock; without a command, the process holds the lock until
        /// Ctrl-C.
        runs: Option<HeldCommand>,
    },
    /// `elect NAME VALUE`: leads with this value.
    Campaign(Bytes),
    /// `elect NAME -l`: prints the key of each leader.
    Observe,
}

/// A command that runs while the process holds a lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HeldCommand {
    /// A command that only prints.
    Prints,
    /// A command of etcdctl that sends this request.
    Requests(Arc<Request>),
}

#[derive(Clone, Debug, PartialEq, Hash)]
enum Phase {
    Granting,
    /// Puts the own key.
    Putting,
    /// Searches for the newest key before the own key.
    Searching,
    /// Watches that key until its delete.
    Waiting,
    /// Reads the own key, which must still exist.
    Confirming,
    /// Reads the own key in order to print the key.
    Reading,
    /// Holds the lock or leads.
    Holding,
    Running,
    /// Deletes the own key.
    Releasing,
    FindingLeader,
    /// Watches for the first key of the election.
    AwaitingLeader,
    /// Watches the key of the leader.
    Following,
}

#[derive(Clone, Debug, PartialEq, Hash)]
pub struct LeaseSession {
    spec: SessionSpec,
    phase: Phase,
    key: Bytes,
    lease: i64,
    /// The create revision of the own key; 0 before the put.
    create_revision: i64,
    /// The revision at which the session acquired the lock.
    acquired_at: i64,
    /// The error to print when the own key is deleted.
    error: Option<ProcessError>,
}

impl LeaseSession {
    pub fn new(spec: SessionSpec) -> Self {
        Self {
            spec,
            phase: Phase::Granting,
            key: Bytes::default(),
            lease: 0,
            create_revision: 0,
            acquired_at: 0,
            error: None,
        }
    }

    /// Returns true if the session waits for the end of another session.
    pub fn waits(&self) -> bool {
        self.phase == Phase::Waiting
    }

    pub fn start(&mut self) -> Vec<ProcessNext> {
        let ttl = match &self.spec.role {
            SessionRole::Lock { ttl, .. } if *ttl > 0 => *ttl,
            _ => SESSION_TTL,
        };
        let grant = LeaseGrantRequest { ttl, id: 0 };
        self.ask(Phase::Granting, Request::LeaseGrant(grant))
    }

    fn ask(&mut self, phase: Phase, request: Request) -> Vec<ProcessNext> {
        self.phase = phase;
        vec![ProcessNext::Call(request)]
    }

    fn prefix(&self) -> Bytes {
        [&self.spec.name[..], b"/"].concat().into()
    }

    /// Returns the read of the key with the lowest or highest create revision.
    fn extreme(&self, sort_order: SortOrder, max_create_revision: i64) -> RangeRequest {
        let prefix = self.prefix();
        RangeRequest {
            range_end: prefix_end(&prefix),
            key: prefix,
            limit: 1,
            sort_order,
            sort_target: SortTarget::Create,
            max_create_revision,
            ..RangeRequest::default()
        }
    }

    fn own(&self) -> RangeRequest {
        RangeRequest {
            key: self.key.clone(),
            ..RangeRequest::default()
        }
    }

    /// Returns the condition that the own key was created at this revision; 0 if the key must not exist.
    fn created_at(&self, revision: i64) -> Compare {
        Compare {
            key: self.key.clone(),
            range_end: Bytes::default(),
            result: CompareOp::Equal,
            target: CompareTarget::Create(revision),
        }
    }

    pub fn answered(&mut self, response: &Response) -> Vec<ProcessNext> {
        match (&self.phase, response) {
            (Phase::Granting, Response::LeaseGrant(granted)) => {
                self.lease = granted.id;
                self.key = [&self.prefix()[..], format!("{:x}", granted.id).as_bytes()]
                    .concat()
                    .into();
                let mut next = vec![ProcessNext::KeepAlive(granted.id)];
                next.extend(self.put());
                next
            }
            (Phase::Putting, Response::Txn(txn)) => self.put_answered(txn),
            (Phase::Searching, Response::Range(found)) => {
                match (found.kvs.first(), &self.spec.role) {
                    (Some(before), _) => {
                        self.phase = Phase::Waiting;
                        watch(before.key.clone(), Bytes::default(), found.header.revision)
                    }
                    (None, SessionRole::Lock { .. }) => {
                        let own = self.own();
                        self.ask(Phase::Confirming, Request::Range(own))
                    }
                    (None, _) => self.acquired(found.header.revision),
                }
            }
            (Phase::Confirming, Response::Range(own)) if own.kvs.is_empty() => {
                failed(ProcessError::Own("mutex: session is expired"))
            }
            (Phase::Confirming, Response::Range(own)) => self.acquired(own.header.revision),
            (Phase::Reading, Response::Range(own)) => {
                if own.kvs.is_empty() && matches!(self.spec.role, SessionRole::Lock { .. }) {
                    return failed(ProcessError::Own("lock lost on init"));
                }
                self.phase = Phase::Holding;
                vec![ProcessNext::Print(Printed::Read(own.clone()))]
            }
            (Phase::Running, response) => self.ran(Some(Ok(response.clone()))),
            (Phase::Releasing, _) => match self.error {
                Some(error) => failed(error),
                None => vec![ProcessNext::End],
            },
            (Phase::FindingLeader, Response::Range(found)) => match found.kvs.first() {
                Some(leader) => self.leads(&found.header, leader),
                None => {
                    self.phase = Phase::AwaitingLeader;
                    let prefix = self.prefix();
                    let end = prefix_end(&prefix);
                    watch(prefix, end, found.header.revision)
                }
            },
            _ => Vec::new(),
        }
    }

    /// Puts the own key, unless the session only observes.
    fn put(&mut self) -> Vec<ProcessNext> {
        let value = match &self.spec.role {
            SessionRole::Lock { .. } => Bytes::default(),
            SessionRole::Campaign(value) => value.clone(),
            SessionRole::Observe => return self.find_leader(),
        };
        let put = RequestOp::Put(PutRequest {
            key: self.key.clone(),
            value,
            lease: self.lease,
            ..PutRequest::default()
        });
        let (mut success, mut failure) = (vec![put], vec![RequestOp::Range(self.own())]);
        if matches!(self.spec.role, SessionRole::Lock { .. }) {
            let owner = RequestOp::Range(self.extreme(SortOrder::Ascend, 0));
            success.push(owner.clone());
            failure.push(owner);
        }
        let txn = TxnRequest {
            compare: vec![self.created_at(0)],
            success,
            failure,
        };
        self.ask(Phase::Putting, Request::Txn(txn))
    }

    fn put_answered(&mut self, txn: &TxnResponse) -> Vec<ProcessNext> {
        let first = |at: usize| match txn.responses.get(at) {
            Some(ResponseOp::Range(range)) => range.kvs.first(),
            _ => None,
        };
        self.create_revision = match txn.succeeded {
            true => txn.header.revision,
            false => first(0).map_or(0, |own| own.create_revision),
        };
        let is_lock = matches!(self.spec.role, SessionRole::Lock { .. });
        let is_first = first(1).is_none_or(|owner| owner.create_revision == self.create_revision);
        match is_lock && is_first {
            true => self.acquired(txn.header.revision),
            false => self.search(),
        }
    }

    fn search(&mut self) -> Vec<ProcessNext> {
        let newest = self.extreme(SortOrder::Descend, self.create_revision - 1);
        self.ask(Phase::Searching, Request::Range(newest))
    }

    fn acquired(&mut self, revision: i64) -> Vec<ProcessNext> {
        self.acquired_at = revision;
        match &self.spec.role {
            SessionRole::Lock {
                runs: Some(HeldCommand::Requests(request)),
                ..
            } => {
                let request = Request::clone(request);
                self.ask(Phase::Running, request)
            }
            SessionRole::Lock {
                runs: Some(HeldCommand::Prints),
                ..
            } => self.ran(None),
            _ => {
                let own = self.own();
                self.ask(Phase::Reading, Request::Range(own))
            }
        }
    }

    /// Prints the output of the command, and releases the lock.
    pub fn ran(&mut self, reply: Option<Reply>) -> Vec<ProcessNext> {
        let printed = Printed::Ran {
            key: self.key.clone(),
            revision: self.acquired_at,
            reply,
        };
        let mut next = vec![ProcessNext::Print(printed)];
        next.extend(self.release());
        next
    }

    pub fn runs(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Deletes the own key.
    fn release(&mut self) -> Vec<ProcessNext> {
        let delete = DeleteRangeRequest {
            key: self.key.clone(),
            ..DeleteRangeRequest::default()
        };
        let request = match &self.spec.role {
            SessionRole::Lock { .. } => Request::DeleteRange(delete),
            SessionRole::Campaign(_) | SessionRole::Observe => Request::Txn(TxnRequest {
                compare: vec![self.created_at(self.create_revision)],
                success: vec![RequestOp::DeleteRange(delete)],
                failure: Vec::new(),
            }),
        };
        self.ask(Phase::Releasing, request)
    }

    pub fn watched(&mut self, response: &WatchResponse) -> Vec<ProcessNext> {
        let mut next = Vec::new();
        for event in &response.events {
            match (&self.phase, event.kind) {
                (Phase::Waiting, EventKind::Delete) => {
                    next.push(ProcessNext::Unwatch);
                    next.extend(self.search());
                }
                (Phase::AwaitingLeader, EventKind::Put) => {
                    next.push(ProcessNext::Unwatch);
                    let header = ResponseHeader {
                        revision: event.kv.mod_revision,
                        ..response.header.clone()
                    };
                    next.extend(self.leads(&header, &event.kv));
                }
                (Phase::Following, EventKind::Delete) => {
                    next.push(ProcessNext::Unwatch);
                    next.extend(self.find_leader());
                }
                (Phase::Following, EventKind::Put) => {
                    next.push(leader(&response.header, &event.kv));
                }
                _ => {}
            }
        }
        next
    }

    fn find_leader(&mut self) -> Vec<ProcessNext> {
        let oldest = self.extreme(SortOrder::Ascend, 0);
        self.ask(Phase::FindingLeader, Request::Range(oldest))
    }

    fn leads(&mut self, header: &ResponseHeader, kv: &KeyValue) -> Vec<ProcessNext> {
        self.phase = Phase::Following;
        let mut next = vec![leader(header, kv)];
        next.extend(watch(kv.key.clone(), Bytes::default(), header.revision + 1));
        next
    }

    pub fn lost_watch(&mut self, compacted: bool) -> Vec<ProcessNext> {
        failed(match (&self.phase, compacted) {
            (Phase::AwaitingLeader | Phase::Following, _) => {
                ProcessError::Own("elect: observer lost")
            }
            (_, true) => ProcessError::Etcd(EtcdError::Compacted),
            (_, false) => ProcessError::Own("lost watcher waiting for delete"),
        })
    }

    /// Handles the end of the lease. A session that still waits notices later that its own key is gone.
    pub fn lost_lease(&mut self) -> Vec<ProcessNext> {
        match (&self.phase, &self.spec.role) {
            (Phase::Holding, SessionRole::Lock { .. }) => {
                failed(ProcessError::Own("session expired"))
            }
            (Phase::Holding, _) => failed(ProcessError::Own("elect: session expired")),
            _ => Vec::new(),
        }
    }

    /// Handles Ctrl-C.
    pub fn interrupt(&mut self) -> Vec<ProcessNext> {
        match (&self.spec.role, &self.phase) {
            (SessionRole::Observe, _) => vec![ProcessNext::End],
            (_, Phase::Granting) => vec![ProcessNext::End],
            (_, Phase::Holding) => self.release(),
            (_, Phase::Waiting) => {
                self.error = Some(ProcessError::Own("context canceled"));
                let mut next = vec![ProcessNext::Unwatch];
                next.extend(self.release());
                next
            }
            (_, Phase::Releasing) => vec![ProcessNext::End],
            _ => {
                self.error = Some(ProcessError::Own("context canceled"));
                self.release()
            }
        }
    }
}

fn watch(key: Bytes, range_end: Bytes, start_revision: i64) -> Vec<ProcessNext> {
    vec![ProcessNext::Watch(WatchCreateRequest {
        key,
        range_end,
        start_revision,
        ..WatchCreateRequest::default()
    })]
}

fn leader(header: &ResponseHeader, kv: &KeyValue) -> ProcessNext {
    ProcessNext::Print(Printed::Read(RangeResponse {
        header: header.clone(),
        kvs: vec![kv.clone()].into(),
        ..RangeResponse::default()
    }))
}
