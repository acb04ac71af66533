//! Sends the requests of `kubectl` commands. The first `kubectl` command adds a client, which sends each request to the
//! API server that the command names.
//!
//! A request times out after 90 s. The real kubectl would wait forever.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::digest::Undigested;
use crate::base::ordered::OrdMap;
use crate::base::time::SimDuration;
use crate::client::kube::client::{KubeApp, KubeClient};
use crate::kube::KubeRequest;
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::sim::schedule::SchedulePlace;

use super::{Cause, Trace, World, WorldEventKind};

/// The name of the client that sends the requests of `kubectl` commands.
pub const KUBECTL: &str = "kubectl";

/// The timeout of a request, which is longer than an API server's own timeout.
const TIMEOUT: SimDuration = SimDuration::from_millis(90_000);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kubectl {
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    pub request: Arc<KubeRequest>,
    /// Whether a list requests further chunks until the list is complete.
    pub in_chunks: bool,
}

/// The requests of `kubectl` commands, and their responses.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct TypedKubectl {
    /// The requests that have no response yet, each with the position of its timeout in the schedule.
    open: OrdMap<RequestId, SchedulePlace>,
    /// The responses that the session has not taken yet. The digest excludes them, because a replay does not take
    /// responses.
    replies: Undigested<BTreeMap<RequestId, KubectlReply>>,
}

impl World {
    /// Sends a request to an API server. The request leaves after the configured delay between commands.
    pub fn kubectl(&mut self, request: Arc<Kubectl>) -> RequestId {
        self.requests += 1;
        let id = RequestId(self.requests);
        self.add(
            self.config.command_pace,
            WorldEventKind::Kubectl { id, request },
        );
        let deadline = self.add(TIMEOUT, WorldEventKind::KubectlTimeout { id });
        self.kubectl.open.insert(id, deadline);
        id
    }

    /// Returns the response to a request; `None` before the response arrives.
    pub fn kubectl_reply(&self, id: RequestId) -> Option<&KubectlReply> {
        self.kubectl.replies.get(&id)
    }

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
        self.with(node, cause, trace, |client: &mut KubeClient, out| {
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
