//! The `etcdctl` terminal: each request is sent over a link and waits for its response.
//!
//! The terminal is a node, but sending and receiving at the terminal are not steps of their own. Sending a request is
//! part of the next step, and receiving a response is part of the previous step. With several endpoints, the client
//! library uses the first endpoint whose member runs and is not paused, and retries requests on the next endpoint. A
//! request to a stopped or paused member waits for its connection until `--command-timeout` has passed, and is then
//! never sent: each command of etcdctl opens a connection of its own. Not simulated: the time of dialing, and the
//! random choice among endpoints that connect at the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage};
use crate::api::{EtcdError, Reply, Request};
use crate::base::digest::{Sparse, Undigested};
use crate::base::ids::NodeId;
use crate::base::ordered::{OrdMap, OrdSet};
use crate::base::time::SimDuration;
use crate::client::etcd::login::{Login, LoginOutcome};
use crate::client::etcd::{RangeStreams, retry};
use crate::sim::outbox::RequestId;
use crate::sim::schedule::SchedulePlace;
use crate::trace::{ClientTrace, RetryReason, TraceEvent};

use super::network::DELAY;
use super::node::Node;
use super::{Cause, FIRST_MEMBER, Nobody, Trace, World, WorldEvent, WorldEventKind};

/// The name that the terminal has as a client of etcd.
pub(super) const ETCDCTL: &str = "etcdctl";

/// The default timeout of an etcdctl request (`--command-timeout`).
pub const COMMAND_TIMEOUT: SimDuration = SimDuration::from_millis(5_000);

/// The time that a person waits for a command without a time limit before they press Ctrl-C. `--command-timeout` has no
/// effect on these commands of etcdctl. The time is longer than [`retry::ATTEMPTS_MAX`] attempts of 7 s.
pub const WITHOUT_LIMIT: SimDuration = SimDuration::from_millis(15 * 60 * 1_000);

/// The destination of a request from the terminal: the members that can receive the request, and its timeout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The members in the order of `--endpoints`; empty if nothing listens at the endpoints.
    pub members: Vec<NodeId>,
    /// The timeout (`--command-timeout`), or [`WITHOUT_LIMIT`].
    pub timeout: SimDuration,
    /// The time that etcdctl waits before it sends the request.
    pub wait: SimDuration,
}

impl From<NodeId> for Destination {
    fn from(member: NodeId) -> Self {
        Self {
            members: vec![member],
            timeout: COMMAND_TIMEOUT,
            wait: SimDuration(0),
        }
    }
}

/// A request that was sent to a cluster and has no response yet.
#[derive(Clone, Debug, PartialEq, Hash)]
struct OpenCall {
    request: Arc<Request>,
    members: Vec<NodeId>,
    /// The index in `members` of the member that receives the current attempt.
    place: u32,
    failed: u32,
    /// The login that precedes the request.
    login: Sparse<Option<Login>>,
}

impl OpenCall {
    /// Returns the member that receives the current attempt.
    fn member(&self) -> NodeId {
        self.members[self.place as usize]
    }

    /// Returns the request that the terminal sends next: the login, or the request itself.
    fn next_request(&self) -> Arc<Request> {
        match &*self.login {
            None => self.request.clone(),
            Some(login) if login.is_pending() => login.request().into(),
            Some(login) => login.with_token(&self.request).into(),
        }
    }
}

/// The terminal in which the user types `etcdctl` commands.
#[derive(Clone, Debug, Hash)]
pub(super) struct EtcdctlNode {
    /// The member that receives the requests (`--endpoints`).
    endpoint: NodeId,
    /// The requests that have no response yet, each with the position of its timeout in the schedule.
    open: OrdMap<RequestId, SchedulePlace>,
    /// The open requests of a run with several members, and the open requests with a login.
    calls: Sparse<OrdMap<RequestId, OpenCall>>,
    /// The open requests of commands without a time limit.
    unlimited: Sparse<OrdSet<RequestId>>,
    /// The chunks of the open streamed reads.
    streams: Sparse<RangeStreams>,
    /// The responses that the session has not taken yet. The digest excludes them, because a replay does not take
    /// responses.
    replies: Undigested<BTreeMap<RequestId, Reply>>,
}

impl EtcdctlNode {
    pub(super) fn new(endpoint: NodeId) -> Self {
        Self {
            endpoint,
            open: OrdMap::new(),
            calls: Sparse::default(),
            unlimited: Sparse::default(),
            streams: Sparse::default(),
            replies: Undigested::default(),
        }
    }

    pub(super) fn endpoint(&self) -> NodeId {
        self.endpoint
    }

    /// Returns true if the request with the number `call` has no response and has not timed out.
    pub(super) fn waits_for(&self, call: u64) -> bool {
        self.open.contains_key(&RequestId(call))
    }
}

impl World {
    pub(super) fn etcdctl(&self) -> &EtcdctlNode {
        match self.nodes.get(&NodeId::Etcdctl) {
            Some(Node::Etcdctl(etcdctl)) => etcdctl,
            _ => panic!("every world has a terminal"),
        }
    }

    fn etcdctl_mut(&mut self) -> &mut EtcdctlNode {
        match self.nodes.get_mut(&NodeId::Etcdctl) {
            Some(Node::Etcdctl(etcdctl)) => Arc::make_mut(etcdctl),
            _ => panic!("every world has a terminal"),
        }
    }

    /// Sends a request to the endpoint. The request arrives when the configured delay between commands has passed, or
    /// later if the link is slow.
    pub fn submit(&mut self, request: Arc<Request>) -> RequestId {
        self.submit_to(self.endpoint(), request)
    }

    pub fn client_urls(&self) -> Vec<String> {
        let host = |node| match node {
            FIRST_MEMBER if self.config.members == 1 => "localhost".into(),
            _ => self.node_name(node),
        };
        let members = self.members();
        let urls = members.map(|(node, _)| format!("http://{}:2379", host(node)));
        match self.is_cluster() {
            true => urls.collect(),
            false => urls.take(1).collect(),
        }
    }

    /// Returns true if a member or the proxy may listen at an address. The only member of a world listens at the port
    /// 2379 of every host.
    pub fn listens_at(&self, endpoint: &str) -> bool {
        let is_strict = self.config.format.has_ports() && !self.is_cluster();
        let address = endpoint
            .rsplit_once("://")
            .map_or(endpoint, |(_, rest)| rest);
        let port = address.rsplit_once(':').map(|(_, port)| port);
        let is_number = |port: &&str| port.parse::<u32>().is_ok();
        let is_port = |port: &str| port == "2379" || self.is_proxy_at(endpoint);
        !is_strict || port.filter(is_number).is_none_or(is_port)
    }

    /// Returns the member or the proxy at an address, such as `etcd-2:2379`. The proxy responds at its port of every
    /// host, and the only member of a world at every other address.
    ///
    /// # Errors
    /// Returns an error message if no member has the address.
    pub fn member_at(&self, endpoint: &str) -> Result<NodeId, String> {
        if self.is_proxy_at(endpoint) {
            return Ok(NodeId::Proxy);
        }
        let address = endpoint
            .split_once("://")
            .map_or(endpoint, |(_, rest)| rest);
        let host = address.strip_suffix(":2379").unwrap_or(address);
        let found = self.names.get(host).filter(|node| node.is_member());
        if let Some(found) = found {
            return Ok(*found);
        }
        if !self.is_cluster() || ["127.0.0.1", "localhost", "etcd"].contains(&host) {
            return Ok(self.endpoint());
        }
        Err(format!(
            "no member has the address {endpoint}; the addresses are {}",
            self.client_urls().join(", ")
        ))
    }

    /// Sends a request to one of the members in `to`.
    pub fn submit_to(&mut self, to: impl Into<Destination>, request: Arc<Request>) -> RequestId {
        let Destination {
            members,
            timeout,
            wait,
        } = to.into();
        self.requests += 1;
        let id = RequestId(self.requests);
        if let Some(to) = members.first().copied() {
            let mut request = request;
            let login = Login::for_request(&request, self.config.profile);
            if self.members().count() > 1 || members.len() > 1 || login.is_some() {
                let call = OpenCall {
                    request,
                    members,
                    place: 0,
                    failed: 0,
                    login: Sparse(login),
                };
                request = call.next_request();
                self.etcdctl_mut().calls.insert(id, call);
            }
            let pace = self.config.command_pace.0.saturating_sub(DELAY.0);
            let sent = SimDuration(wait.0 + pace);
            self.add(sent, WorldEventKind::Typed { id, to, request });
        }
        let deadline = SimDuration(wait.0.saturating_add(timeout.0));
        let deadline = self.add(deadline, WorldEventKind::Timeout { id });
        let etcdctl = self.etcdctl_mut();
        etcdctl.open.insert(id, deadline);
        if timeout == WITHOUT_LIMIT {
            etcdctl.unlimited.insert(id);
        }
        id
    }

    /// Returns the index of the first member in the request's list of members that accepts connections. The search
    /// starts at the index `from` and wraps around. If no member accepts connections, returns `from`, wrapped around.
    fn running_place(&self, call: &OpenCall, from: u32) -> u32 {
        let count = call.members.len() as u32;
        let mut places = (from..from + count).map(|place| place % count);
        let skips_paused = self.config.format.drops_unsent_requests();
        let accepts = |member| self.is_running(member) && !(skips_paused && self.is_paused(member));
        let found = places.find(|place| accepts(call.members[*place as usize]));
        found.unwrap_or(from % count)
    }

    /// Sends a failed request again, if the client library retries such a request. Returns true if the request was sent
    /// again.
    fn retry_typed(
        &mut self,
        cause: Cause,
        id: RequestId,
        error: EtcdError,
        trace: Trace<'_>,
    ) -> bool {
        let Some(mut call) = self.etcdctl().calls.get(&id).cloned() else {
            return false;
        };
        call.failed += 1;
        let is_safe = retry::is_safe(&call.next_request(), error);
        if !is_safe || call.failed >= retry::ATTEMPTS_MAX {
            return false;
        }
        let delay = retry::pause(call.failed, call.members.len());
        call.place = self.running_place(&call, call.place + 1);
        let (to, request) = (call.member(), call.next_request());
        self.etcdctl_mut().calls.insert(id, call);
        let retries = TraceEvent::Client(ClientTrace::Retries {
            node: NodeId::Etcdctl,
            why: RetryReason::Error(error.to_string().into()),
            delay,
        });
        let cause = self.tell(NodeId::Etcdctl, cause, retries, trace);
        let what = WorldEventKind::Typed { id, to, request };
        self.due.add(self.now + delay, WorldEvent { cause, what });
        true
    }

    /// Handles the end of a member's process. The connections of requests to the member break. A request with several
    /// endpoints is sent again or fails. A request whose only endpoint is this member waits for the member.
    pub(super) fn break_typed(&mut self, cause: Cause, etcd: NodeId, trace: Trace<'_>) {
        let calls = self.etcdctl().calls.iter();
        let broken = calls.filter(|(_, call)| call.members.len() > 1 && call.member() == etcd);
        let broken: Vec<RequestId> = broken.map(|(id, _)| *id).collect();
        for id in broken {
            let error = EtcdError::MemberStopped;
            if !self.retry_typed(cause, id, error, trace) {
                self.typed_answered(id, Err(error));
            }
        }
    }

    fn typed_answered(&mut self, id: RequestId, reply: Reply) {
        let etcdctl = self.etcdctl_mut();
        etcdctl.calls.remove(&id);
        etcdctl.unlimited.remove(&id);
        etcdctl.streams.forget(id.0);
        if let Some(deadline) = etcdctl.open.remove(&id) {
            etcdctl.replies.insert(id, reply);
            self.due.remove(deadline);
        }
    }

    /// Returns the response to a request; `None` before the response arrives.
    pub fn reply(&self, id: RequestId) -> Option<&Reply> {
        self.etcdctl().replies.get(&id)
    }

    pub fn take_reply(&mut self, id: RequestId) -> Option<Reply> {
        self.etcdctl_mut().replies.remove(&id)
    }

    pub(super) fn send_typed(
        &mut self,
        cause: Cause,
        (id, mut to): (RequestId, NodeId),
        request: Arc<Request>,
        trace: Trace<'_>,
    ) {
        if let Some(mut call) = self.etcdctl().calls.get(&id).cloned() {
            call.place = self.running_place(&call, call.place);
            to = call.member();
            self.etcdctl_mut().calls.insert(id, call);
        }
        let call = Body::Etcd(EtcdMessage::Call {
            call: id.0,
            request,
        });
        self.send_all(NodeId::Etcdctl, vec![(to, call)], cause, trace);
    }

    pub(super) fn reach_etcdctl(&mut self, cause: Cause, body: &Body, trace: Trace<'_>) {
        let Body::Etcd(EtcdMessage::Answer { call, reply }) = body else {
            return;
        };
        let id = RequestId(*call);
        if self.goes_on_after_login(cause, id, reply, trace) {
            return;
        }
        let is_retried = match &**reply {
            Ok(_) => false,
            Err(error) => self.retry_typed(cause, id, *error, trace),
        };
        if is_retried || !self.etcdctl().waits_for(id.0) {
            return;
        }
        let reply = self
            .etcdctl_mut()
            .streams
            .receive(id.0, Reply::clone(reply));
        if let Some(reply) = reply {
            self.typed_answered(id, reply);
        }
    }

    /// Handles a reply to the login of a request, or a reply that refuses the token of the request. Returns true if the
    /// terminal then sends the request, or logs in again.
    fn goes_on_after_login(
        &mut self,
        cause: Cause,
        id: RequestId,
        reply: &Reply,
        trace: Trace<'_>,
    ) -> bool {
        let Some(mut call) = self.etcdctl().calls.get(&id).cloned() else {
            return false;
        };
        let Some(login) = &mut *call.login else {
            return false;
        };
        let outcome = login.take(reply);
        let mut cause = cause;
        match (outcome, reply) {
            (Ok(LoginOutcome::LoggedIn), _) => {}
            (Ok(LoginOutcome::LogsInAgain), Err(error)) if call.failed < retry::ATTEMPTS_MAX => {
                call.failed += 1;
                let retries = TraceEvent::Client(ClientTrace::Retries {
                    node: NodeId::Etcdctl,
                    why: RetryReason::Error(error.to_string().into()),
                    delay: SimDuration(0),
                });
                cause = self.tell(NodeId::Etcdctl, cause, retries, trace);
            }
            _ => return false,
        }
        let (to, request) = (call.member(), call.next_request());
        self.etcdctl_mut().calls.insert(id, call);
        let what = WorldEventKind::Typed { id, to, request };
        self.due.add(self.now, WorldEvent { cause, what });
        true
    }

    pub(super) fn etcdctl_times_out(&mut self, cause: Cause, id: RequestId, trace: Trace<'_>) {
        let etcdctl = self.etcdctl_mut();
        etcdctl.calls.remove(&id);
        etcdctl.streams.forget(id.0);
        let error = match etcdctl.unlimited.remove(&id) {
            Some(()) => EtcdError::Interrupted,
            None => EtcdError::DeadlineExceeded,
        };
        if etcdctl.open.remove(&id).is_some() {
            etcdctl.replies.insert(id, Err(error));
            self.tell(NodeId::Etcdctl, cause, TraceEvent::Refused { error }, trace);
            self.forget_unsent(|call| call == id.0);
            self.abandon(cause, NodeId::Etcdctl, |call| call == id.0, trace);
        }
    }

    /// Drops the requests that wait for a connection to a stopped or paused member.
    fn forget_unsent(&mut self, is_dropped: impl Fn(u64) -> bool) {
        if !self.config.format.drops_unsent_requests() {
            return;
        }
        let is_unsent = |due: &WorldEvent| match &due.what {
            WorldEventKind::Arrive(flight) if flight.from == NodeId::Etcdctl => {
                matches!(&*flight.body, Body::Etcd(EtcdMessage::Call { call, .. }) if is_dropped(*call))
            }
            _ => false,
        };
        let nodes = self
            .waiting
            .iter()
            .filter(|(_, waiting)| waiting.iter().any(|(_, due)| is_unsent(due)));
        let nodes: Vec<NodeId> = nodes.map(|(node, _)| *node).collect();
        for node in nodes {
            if let Some(waiting) = self.waiting.get_mut(&node) {
                waiting.retain(|(_, due)| !is_unsent(due));
            }
        }
    }

    /// Cancels all requests that have no response yet, like Ctrl-C. Returns the number of canceled requests.
    pub(super) fn forget_typed(&mut self) -> u64 {
        self.etcdctl_mut().calls = Sparse::default();
        self.etcdctl_mut().unlimited = Sparse::default();
        self.etcdctl_mut().streams = Sparse::default();
        let open = std::mem::take(&mut self.etcdctl_mut().open);
        for deadline in open.values() {
            self.due.remove(*deadline);
        }
        self.forget_unsent(|call| open.contains_key(&RequestId(call)));
        let is_open = |call| open.contains_key(&RequestId(call));
        self.abandon(None, NodeId::Etcdctl, is_open, &mut Nobody);
        open.len() as u64
    }
}

impl WorldEvent {
    /// Returns true if the event is the sending of a request or the arrival of a response at the terminal.
    pub(super) fn is_at_terminal(&self) -> bool {
        matches!(self.what, WorldEventKind::Typed { .. })
            || self.arrives_at() == Some(NodeId::Etcdctl)
    }
}
