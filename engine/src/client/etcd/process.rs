//! A command of etcdctl that runs until it is ended: `lease keep-alive`, `lock`, `elect` and `make-mirror`.
//!
//! Each command is a state machine: [`EtcdctlProcess`] receives what reaches the process, and returns the next actions
//! of the process, which [`Client`](super::client::Client) performs. The process waits for at most one response at a
//! time, apart from the renewals of its lease. A broken connection repeats the pending request when the client connects
//! again. Left out: `--command-timeout`, because these commands use contexts without a deadline.

use std::sync::Arc;

use super::mirror::{Mirror, MirrorSpec};
use super::session::{LeaseSession, SessionSpec};
use crate::api::{
    EtcdError, LeaseKeepAliveResponse, Reply, Request, WatchCreateRequest, WatchResponse,
};
use crate::base::ids::NodeId;
use crate::trace::{Printed, ProcessError};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ProcessSpec {
    /// `lease keep-alive ID`: renews this lease and prints each renewal.
    KeepAlive { lease: i64 },
    /// `lock` or `elect`, which keep a lease alive and put a key with the lease.
    Session(SessionSpec),
    /// `make-mirror`: copies keys, and then all further changes.
    Mirror(MirrorSpec),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ProcessNext {
    /// Sends a request. The response is the next thing that the process waits for.
    Call(Request),
    /// Sends a request to the destination of a mirror.
    CallTo(NodeId, Request),
    /// Keeps the lease with this ID alive.
    KeepAlive(i64),
    Watch(WatchCreateRequest),
    /// Ends the newest watch.
    Unwatch,
    Print(Printed),
    End,
}

/// A running command of etcdctl.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct EtcdctlProcess {
    spec: ProcessSpec,
    state: State,
    /// The pending request: its call number, the member that receives it (`None` for the client's member), and the
    /// request.
    pending: Option<(u64, Option<NodeId>, Arc<Request>)>,
    /// The number of watches that the process has started.
    watches: u32,
    /// The number of renewals whose response has arrived. A timer for the deadline of an earlier renewal is stale.
    renewals: u32,
    begun: bool,
    ended: bool,
}

#[derive(Clone, Debug, PartialEq, Hash)]
enum State {
    KeepAlive(i64),
    Session(LeaseSession),
    Mirror(Mirror),
}

impl State {
    fn of(spec: &ProcessSpec) -> Self {
        match spec {
            ProcessSpec::KeepAlive { lease } => Self::KeepAlive(*lease),
            ProcessSpec::Session(spec) => Self::Session(LeaseSession::new(spec.clone())),
            ProcessSpec::Mirror(spec) => Self::Mirror(Mirror::new(spec.clone())),
        }
    }
}

impl EtcdctlProcess {
    pub fn new(spec: ProcessSpec) -> Self {
        Self {
            state: State::of(&spec),
            spec,
            pending: None,
            watches: 0,
            renewals: 0,
            begun: false,
            ended: false,
        }
    }

    pub fn spec(&self) -> &ProcessSpec {
        &self.spec
    }

    /// Returns true if the process has started. A client with a password logs in first.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Returns the actions of a process that cannot log in.
    pub fn refused(error: EtcdError) -> Vec<ProcessNext> {
        failed(ProcessError::Etcd(error))
    }

    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns true if the process waits for the response to a request, or for its first renewal.
    pub fn awaits_response(&self) -> bool {
        let is_first = matches!(self.state, State::KeepAlive(_)) && self.renewals == 0;
        !self.ended && (self.pending.is_some() || is_first)
    }

    /// Returns true if the process has started, holds no lock or leadership, and waits for another session.
    pub fn waits_for_others(&self) -> bool {
        matches!(&self.state, State::Session(session) if session.waits())
    }

    pub fn renewals(&self) -> u32 {
        self.renewals
    }

    pub fn start(&mut self) -> Vec<ProcessNext> {
        self.begun = true;
        match &mut self.state {
            State::KeepAlive(lease) => vec![ProcessNext::KeepAlive(*lease)],
            State::Session(session) => session.start(),
            State::Mirror(mirror) => mirror.start(),
        }
    }

    /// Forgets the state of the process, as its end does.
    pub fn reset(&mut self) {
        *self = Self {
            watches: self.watches,
            ..Self::new(self.spec.clone())
        };
    }

    /// Stores the pending request with its call number.
    pub fn called(&mut self, call: u64, to: Option<NodeId>, request: Arc<Request>) {
        self.pending = Some((call, to, request));
    }

    /// Returns the pending request, for another connection.
    pub fn pending(&self) -> Option<(Option<NodeId>, Arc<Request>)> {
        let (_, to, request) = self.pending.as_ref()?;
        Some((*to, request.clone()))
    }

    /// Returns the name of the newest watch. `client` is the name of the client.
    pub fn watch_name(&self, client: &str) -> Arc<str> {
        format!("{client}.{}", self.watches).into()
    }

    pub fn next_watch_name(&mut self, client: &str) -> Arc<str> {
        self.watches += 1;
        self.watch_name(client)
    }

    /// Handles a response. Returns `None` if the process does not wait for the response to this call.
    pub fn answered(&mut self, call: u64, reply: &Reply) -> Option<Vec<ProcessNext>> {
        self.pending.take_if(|(pending, ..)| *pending == call)?;
        Some(match (&mut self.state, reply) {
            (State::Session(session), Err(_)) if session.runs() => session.ran(Some(reply.clone())),
            (_, Err(error)) => failed(ProcessError::Etcd(*error)),
            (State::KeepAlive(_), Ok(_)) => Vec::new(),
            (State::Session(session), Ok(response)) => session.answered(response),
            (State::Mirror(mirror), Ok(response)) => mirror.answered(response),
        })
    }

    /// Handles a response to the newest watch.
    pub fn watched(&mut self, response: &WatchResponse) -> Vec<ProcessNext> {
        match &mut self.state {
            _ if self.ended || response.created => Vec::new(),
            State::KeepAlive(_) => Vec::new(),
            State::Session(session) => session.watched(response),
            State::Mirror(mirror) => mirror.watched(response),
        }
    }

    /// Handles the end of the newest watch.
    pub fn lost_watch(&mut self, compacted: bool) -> Vec<ProcessNext> {
        match &mut self.state {
            _ if self.ended => Vec::new(),
            State::KeepAlive(_) => Vec::new(),
            State::Session(session) => session.lost_watch(compacted),
            State::Mirror(_) if compacted => failed(ProcessError::Etcd(EtcdError::Compacted)),
            // The command ends without an error.
            State::Mirror(_) => vec![ProcessNext::End],
        }
    }

    pub fn renewed(&mut self, response: &LeaseKeepAliveResponse) -> Vec<ProcessNext> {
        self.renewals = self.renewals.saturating_add(1);
        match &self.state {
            _ if response.ttl <= 0 => self.lost_lease(),
            State::KeepAlive(_) => vec![ProcessNext::Print(Printed::KeptAlive(response.clone()))],
            State::Session(_) | State::Mirror(_) => Vec::new(),
        }
    }

    /// Handles the end of the lease, or a renewal without a response.
    pub fn lost_lease(&mut self) -> Vec<ProcessNext> {
        match &mut self.state {
            _ if self.ended => Vec::new(),
            State::KeepAlive(lease) => vec![
                ProcessNext::Print(Printed::Expired(*lease)),
                ProcessNext::End,
            ],
            State::Session(session) => session.lost_lease(),
            State::Mirror(_) => Vec::new(),
        }
    }

    /// Handles Ctrl-C.
    pub fn interrupt(&mut self) -> Vec<ProcessNext> {
        match &mut self.state {
            _ if self.ended => Vec::new(),
            State::Session(session) => {
                self.pending = None;
                session.interrupt()
            }
            State::KeepAlive(_) | State::Mirror(_) => vec![ProcessNext::End],
        }
    }

    /// Returns the number of copied keys; `None` for other commands than `make-mirror`.
    pub fn copied(&self) -> Option<u64> {
        match &self.state {
            State::Mirror(mirror) if !self.ended => Some(mirror.copied()),
            _ => None,
        }
    }

    pub fn end(&mut self) {
        self.ended = true;
        self.pending = None;
    }
}

/// Returns the actions of a process that an error ends.
pub(super) fn failed(error: ProcessError) -> Vec<ProcessNext> {
    vec![ProcessNext::Print(Printed::Failed(error)), ProcessNext::End]
}
