//! What is typed behind `kubectl`: each request goes to the API server that is named, from a client of its own.
//!
//! The client comes with the first request. Left out: kubectl itself would wait for ever.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::digest::Undigested;
use crate::base::ordered::OrdMap;
use crate::base::time::SimDuration;
use crate::client::kube::client::{KubeApp, KubeClient};
use crate::kube::KubeRequest;
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::sim::schedule::SchedulePlace;

use super::{Cause, Trace, What, World};

/// The client that sends what is typed.
pub const KUBECTL: &str = "kubectl";

/// How long what is typed waits for an answer: longer than an API server works on a request.
const TIMEOUT: SimDuration = SimDuration::from_millis(90_000);

/// A request that is typed behind `kubectl`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kubectl {
    /// The API server, by name; the first when none is given.
    pub server: Option<String>,
    /// The request.
    pub request: Arc<KubeRequest>,
    /// Whether a list continues to its last chunk.
    pub in_chunks: bool,
}

/// A typed request and its result.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct TypedKubectl {
    /// Requests without an answer, and where the end of their time stands in the schedule.
    open: OrdMap<RequestId, SchedulePlace>,
    /// Whether an answer was taken depends on who looks: a replay leaves it.
    replies: Undigested<BTreeMap<RequestId, KubectlReply>>,
}

impl World {
    /// Sends a typed request to an API server; it leaves after the config's pace.
    pub fn kubectl(&mut self, request: Arc<Kubectl>) -> RequestId {
        self.requests += 1;
        let id = RequestId(self.requests);
        self.add(self.config.command_pace, What::Kubectl { id, request });
        let deadline = self.add(TIMEOUT, What::KubectlTimeout { id });
        self.kubectl.open.insert(id, deadline);
        id
    }

    /// The response to a typed request, once it has arrived.
    pub fn kubectl_reply(&self, id: RequestId) -> Option<&KubectlReply> {
        self.kubectl.replies.get(&id)
    }

    /// Takes the answer away.
    pub fn take_kubectl_reply(&mut self, id: RequestId) -> Option<KubectlReply> {
        self.kubectl.replies.remove(&id)
    }

    pub(super) fn send_kubectl(
        &mut self,
        cause: Cause,
        id: RequestId,
        request: &Kubectl,
        trace: Trace<'_>,
    ) {
        let Ok(server) = self.server_for(request.server.as_deref()) else {
            self.kubectl_done(id, KubectlReply::ConnectionRefused);
            return;
        };
        let (node, cause) = match self.kube_node(KUBECTL) {
            Some(node) => (node, cause),
            None => self.add_kube_client(cause, KUBECTL, server, KubeApp::Kubectl, trace),
        };
        let asked = request.request.clone();
        self.with(node, cause, trace, |client: &mut KubeClient, _, out| {
            client.ask(id, server, asked, request.in_chunks, out);
        });
    }

    pub(super) fn kubectl_done(&mut self, id: RequestId, reply: KubectlReply) {
        if let Some(deadline) = self.kubectl.open.remove(&id) {
            self.due.remove(deadline);
            self.kubectl.replies.insert(id, reply);
        }
    }

    pub(super) fn kubectl_times_out(&mut self, id: RequestId) {
        if let Some(node) = self.kube_node(KUBECTL)
            && let Some(client) = self.state::<KubeClient>(node)
        {
            client.forget(id);
        }
        self.kubectl_done(id, KubectlReply::TimedOut);
    }
}
