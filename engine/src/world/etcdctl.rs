//! The `etcdctl` terminal: each request is sent over a link and waits for its response.
//!
//! The terminal is a node. Sending and receiving at the terminal are not separate steps: the send is part of the next
//! step, and the receipt is part of the previous step. Not simulated: dialing. A request to a stopped member waits
//! until `--command-timeout` has passed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage};
use crate::api::{EtcdError, Reply, Request};
use crate::base::digest::Undigested;
use crate::base::ids::NodeId;
use crate::base::ordered::OrdMap;
use crate::base::time::SimDuration;
use crate::sim::outbox::RequestId;
use crate::sim::schedule::SchedulePlace;
use crate::trace::TraceEvent;

use super::node::Node;
use super::wires::DELAY;
use super::{Cause, Due, Trace, What, World};

/// The name of the terminal as a client of etcd.
pub(super) const ETCDCTL: &str = "etcdctl";

/// The timeout of an etcdctl request (`--command-timeout`).
const COMMAND_TIMEOUT: SimDuration = SimDuration::from_millis(5_000);

/// The terminal in which the user types `etcdctl` commands.
#[derive(Clone, Debug, Hash)]
pub(super) struct EtcdctlNode {
    /// The member that receives the requests (`--endpoints`).
    endpoint: NodeId,
    /// The requests that have no response yet, each with the position of its timeout in the schedule.
    open: OrdMap<RequestId, SchedulePlace>,
    /// The responses that the session has not taken yet. The digest excludes them, because a replay does not take
    /// responses.
    replies: Undigested<BTreeMap<RequestId, Reply>>,
}

impl EtcdctlNode {
    pub(super) fn new(endpoint: NodeId) -> Self {
        Self {
            endpoint,
            open: OrdMap::new(),
            replies: Undigested::default(),
        }
    }

    pub(super) fn endpoint(&self) -> NodeId {
        self.endpoint
    }

    /// Returns true if the request with this number is still waiting: it has no response and has not timed out.
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

    /// Returns the client URLs of all members.
    pub fn client_urls(&self) -> Vec<String> {
        match self.config.members {
            1 => vec!["http://localhost:2379".into()],
            _ => self
                .members()
                .map(|(node, _)| format!("http://{}:2379", self.node_name(node)))
                .collect(),
        }
    }

    /// Returns the member at an address, such as `etcd-2:2379`. The only member of a world responds at every address.
    ///
    /// # Errors
    /// Returns an error message if no member has the address.
    pub fn member_at(&self, endpoint: &str) -> Result<NodeId, String> {
        let address = endpoint
            .split_once("://")
            .map_or(endpoint, |(_, rest)| rest);
        let host = address.strip_suffix(":2379").unwrap_or(address);
        let found = self.names.get(host).filter(|node| node.is_member());
        if let Some(found) = found {
            return Ok(*found);
        }
        if self.config.members == 1 || ["127.0.0.1", "localhost", "etcd"].contains(&host) {
            return Ok(self.endpoint());
        }
        Err(format!(
            "no member has the address {endpoint}; the addresses are {}",
            self.client_urls().join(", ")
        ))
    }

    /// Sends a request to this member.
    pub fn submit_to(&mut self, to: NodeId, request: Arc<Request>) -> RequestId {
        self.requests += 1;
        let id = RequestId(self.requests);
        let pace = self.config.command_pace.0.saturating_sub(DELAY.0);
        self.add(SimDuration(pace), What::Typed { id, to, request });
        let deadline = self.add(COMMAND_TIMEOUT, What::Timeout { id });
        self.etcdctl_mut().open.insert(id, deadline);
        id
    }

    /// Returns the response to a request; `None` before the response arrives.
    pub fn reply(&self, id: RequestId) -> Option<&Reply> {
        self.etcdctl().replies.get(&id)
    }

    /// Removes and returns the response to a request.
    pub fn take_reply(&mut self, id: RequestId) -> Option<Reply> {
        self.etcdctl_mut().replies.remove(&id)
    }

    pub(super) fn send_typed(
        &mut self,
        cause: Cause,
        (id, to): (RequestId, NodeId),
        request: Arc<Request>,
        trace: Trace<'_>,
    ) {
        let call = Body::Etcd(EtcdMessage::Call {
            call: id.0,
            request,
        });
        self.send_all(NodeId::Etcdctl, vec![(to, call)], cause, trace);
    }

    pub(super) fn reach_etcdctl(&mut self, body: &Body) {
        let Body::Etcd(EtcdMessage::Answer { call, reply }) = body else {
            return;
        };
        let id = RequestId(*call);
        let etcdctl = self.etcdctl_mut();
        if let Some(deadline) = etcdctl.open.remove(&id) {
            etcdctl.replies.insert(id, Reply::clone(reply));
            self.due.remove(deadline);
        }
    }

    pub(super) fn etcdctl_times_out(&mut self, cause: Cause, id: RequestId, trace: Trace<'_>) {
        let etcdctl = self.etcdctl_mut();
        if etcdctl.open.remove(&id).is_some() {
            let error = EtcdError::DeadlineExceeded;
            etcdctl.replies.insert(id, Err(error));
            self.tell(NodeId::Etcdctl, cause, TraceEvent::Refused { error }, trace);
        }
    }

    /// Cancels all requests that have no response yet, like Ctrl-C. Returns the number of canceled requests.
    pub(super) fn forget_typed(&mut self) -> u64 {
        let open = std::mem::take(&mut self.etcdctl_mut().open);
        for deadline in open.values() {
            self.due.remove(*deadline);
        }
        open.len() as u64
    }
}

impl Due {
    /// Returns true if the event concerns only the terminal.
    pub(super) fn is_at_terminal(&self) -> bool {
        matches!(self.what, What::Typed { .. }) || self.arrives_at() == Some(NodeId::Etcdctl)
    }
}
