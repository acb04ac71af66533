//! What is typed behind `etcdctl`: each request leaves the terminal, crosses a link and waits for its answer.
//!
//! The terminal is a node like any other, but what it sends and what reaches it is no step of its own: it belongs to
//! the step that it leads to or comes from. Left out: dialing. A request for a member that does not run
//! is kept until `--command-timeout` has passed.

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

/// The name of the terminal's client.
pub(super) const ETCDCTL: &str = "etcdctl";

/// The timeout of a request of etcdctl (`--command-timeout`).
const COMMAND_TIMEOUT: SimDuration = SimDuration::from_millis(5_000);

/// The terminal behind which `etcdctl` is typed.
#[derive(Clone, Debug, Hash)]
pub(super) struct EtcdctlNode {
    /// The member that receives the requests (`--endpoints`).
    endpoint: NodeId,
    /// Requests without an answer, and where the end of their time stands in the schedule.
    open: OrdMap<RequestId, SchedulePlace>,
    /// Whether an answer was taken depends on who looks: a replay leaves it.
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

    /// Whether this call has neither been answered nor timed out.
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

    /// Sends a request to the member; it arrives after the config's pace, unless its link is slower than others.
    pub fn submit(&mut self, request: Arc<Request>) -> RequestId {
        self.submit_to(self.endpoint(), request)
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

    /// The response to a request, once it has arrived.
    pub fn reply(&self, id: RequestId) -> Option<&Reply> {
        self.etcdctl().replies.get(&id)
    }

    /// Takes the answer away, so that it is not kept for ever.
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

    /// Gives up all requests without an answer, as Ctrl-C does. Returns their number.
    pub(super) fn forget_typed(&mut self) -> u64 {
        let open = std::mem::take(&mut self.etcdctl_mut().open);
        for deadline in open.values() {
            self.due.remove(*deadline);
        }
        open.len() as u64
    }
}

impl Due {
    /// Whether only the terminal is concerned.
    pub(super) fn is_at_terminal(&self) -> bool {
        matches!(self.what, What::Typed { .. }) || self.arrives_at() == Some(NodeId::Etcdctl)
    }
}
