//! The requests of a running `kubectl` command, which are sent one after the other.

use std::sync::Arc;

use crate::kube::KubeVerb;
use crate::shell::{KubectlCommand, KubectlRequest, print};
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::world::Kubectl;
use crate::world::config::FormatVersion;

use super::place::Place;
use super::report::CommandReport;
use super::run::Run;

/// The requests of a `kubectl` command, and the replies so far.
#[derive(Debug)]
pub(super) struct KubectlExchange {
    pub(super) place: Place,
    command: KubectlCommand,
    server: Arc<str>,
    /// The request without a reply.
    open: RequestId,
    replies: Vec<KubectlReply>,
}

impl KubectlExchange {
    /// Sends the first request of a command, if the command has requests.
    pub(super) fn begin(
        command: &KubectlCommand,
        server: Arc<str>,
        mut place: Place,
        run: &mut Run,
    ) -> Option<Self> {
        let first = command.next(&[])?;
        let open = submit(command, first, &mut place, run);
        Some(Self {
            place,
            command: command.clone(),
            server,
            open,
            replies: Vec::new(),
        })
    }

    /// Returns true if the open request has no reply.
    pub(super) fn is_waiting(&self, run: &Run) -> bool {
        self.place.world(run).kubectl_reply(self.open).is_none()
    }

    fn take_reply(&mut self, run: &mut Run) -> KubectlReply {
        let reply = self.place.take_kubectl_reply(run, self.open);
        reply.unwrap_or(KubectlReply::TimedOut)
    }

    /// Sends the next request once the open request has a reply. Returns false if the open request has no reply, or if
    /// it is the last request.
    pub(super) fn send_next(&mut self, run: &mut Run) -> bool {
        let Some(reply) = self.place.world(run).kubectl_reply(self.open).cloned() else {
            return false;
        };
        self.replies.push(reply);
        let Some(next) = self.command.next(&self.replies) else {
            self.replies.pop();
            return false;
        };
        self.take_reply(run);
        self.open = submit(&self.command, next, &mut self.place, run);
        true
    }

    /// Returns the output of the command, whose last request has a reply.
    pub(super) fn report(&mut self, run: &mut Run) -> CommandReport {
        let last = self.take_reply(run);
        self.replies.push(last);
        let now = self.place.world(run).now();
        let output = print::kubectl::kubectl(&self.command, &self.replies, &self.server, now);
        CommandReport::new(output, self.place.entry_kind())
    }
}

fn submit(
    command: &KubectlCommand,
    next: KubectlRequest,
    place: &mut Place,
    run: &mut Run,
) -> RequestId {
    let mut request = next.request;
    let lists_in_chunks = run.head().config().format != FormatVersion::V1;
    if let (KubeVerb::List { options, .. }, true) =
        (&mut request.verb, next.in_chunks && !lists_in_chunks)
    {
        options.limit = 0;
    }
    let request = Kubectl {
        server: command.server.clone(),
        request: Arc::new(request),
        in_chunks: next.in_chunks && lists_in_chunks,
    };
    place.submit_kubectl(run, request)
}
