//! The requests of a running `kubectl` command, which are sent one after the other.

use std::sync::Arc;

use crate::kube::KubeVerb;
use crate::shell::{KubectlCommand, KubectlRequest, Output, print};
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::view::EntryKind;
use crate::world::config::FormatVersion;
use crate::world::{Kubectl, World};

use super::run::Run;

/// The requests of a `kubectl` command, and the replies so far.
#[derive(Debug)]
pub(super) struct KubectlExchange {
    command: KubectlCommand,
    /// The name of the API server.
    server: Arc<str>,
    /// The copy of the world in which the requests are sent if the cursor is at an earlier step.
    aside: Option<Box<World>>,
    /// The request without a reply.
    open: RequestId,
    replies: Vec<KubectlReply>,
}

impl KubectlExchange {
    /// Sends the first request of a command, if the command has requests.
    pub(super) fn begin(
        command: &KubectlCommand,
        server: Arc<str>,
        mut aside: Option<Box<World>>,
        run: &mut Run,
    ) -> Option<Self> {
        let first = command.next(&[])?;
        let open = submit(command, first, aside.as_deref_mut(), run);
        Some(Self {
            command: command.clone(),
            server,
            aside,
            open,
            replies: Vec::new(),
        })
    }

    /// Returns true if the command sends its requests in a copy of the world.
    pub(super) fn is_aside(&self) -> bool {
        self.aside.is_some()
    }

    /// Returns the copy of the world in which the requests are sent, if there is one.
    pub(super) fn aside(&mut self) -> Option<&mut World> {
        self.aside.as_deref_mut()
    }

    /// Returns true if the open request has a reply.
    pub(super) fn has_reply(&self, run: &Run) -> bool {
        let world = self.aside.as_deref().unwrap_or(run.head());
        world.kubectl_reply(self.open).is_some()
    }

    fn take_reply(&mut self, run: &mut Run) -> KubectlReply {
        let reply = match &mut self.aside {
            Some(world) => world.take_kubectl_reply(self.open),
            None => run.take_kubectl_reply(self.open),
        };
        reply.unwrap_or(KubectlReply::TimedOut)
    }

    /// Sends the next request once the open request has a reply. Returns false if the open request has no reply, or if
    /// it is the last request.
    pub(super) fn send_next(&mut self, run: &mut Run) -> bool {
        if !self.has_reply(run) {
            return false;
        }
        let world = self.aside.as_deref().unwrap_or(run.head());
        let Some(reply) = world.kubectl_reply(self.open).cloned() else {
            return false;
        };
        self.replies.push(reply);
        let Some(next) = self.command.next(&self.replies) else {
            self.replies.pop();
            return false;
        };
        self.take_reply(run);
        self.open = submit(&self.command, next, self.aside.as_deref_mut(), run);
        true
    }

    /// Returns the output of the command, whose last request has a reply, and the kind of its entry.
    pub(super) fn output(&mut self, run: &mut Run) -> (Output, EntryKind) {
        let last = self.take_reply(run);
        self.replies.push(last);
        let world = self.aside.as_deref().unwrap_or(run.head());
        let output =
            print::kubectl::kubectl(&self.command, &self.replies, &self.server, world.now());
        let kind = match self.aside {
            Some(_) => EntryKind::Peek,
            None => EntryKind::Step,
        };
        (output, kind)
    }
}

/// Sends a request in the run or in a copy of its world.
fn submit(
    command: &KubectlCommand,
    next: KubectlRequest,
    aside: Option<&mut World>,
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
    match aside {
        Some(world) => world.kubectl(Arc::new(request)),
        None => run.submit_kubectl(request),
    }
}
