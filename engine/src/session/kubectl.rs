//! What is typed behind `kubectl`: requests that are sent and answered, and watches that begin.

use std::sync::Arc;

use crate::shell::print::kubectl as print;
use crate::shell::{KubectlCommand, Output};
use crate::sim::outbox::KubectlReply;
use crate::view::{EntryKind, show_kube};
use crate::world::op::{KubeWatch, WorldOp};
use crate::world::{Kubectl, World};

use super::session::Session;

impl Session {
    /// Does what stands behind `kubectl`.
    pub(super) fn kubectl(
        &mut self,
        command: &KubectlCommand,
        text: &Arc<str>,
        remark: &Arc<str>,
    ) -> (Output, EntryKind) {
        let server = match self.world().server_for(command.server.as_deref()) {
            Ok(server) => self.world().node_name(server),
            Err(why) => return (Output::error(&why, 1), EntryKind::Local),
        };
        if let Some((name, lists)) = &command.watch {
            let name = name.clone().unwrap_or_else(|| self.free_name());
            let watch = KubeWatch {
                name,
                server: command.server.clone(),
                request: command.request.clone(),
                lists: *lists,
            };
            return self.op(&WorldOp::KubeWatch(Box::new(watch)), text, remark);
        }
        let request = Kubectl {
            server: command.server.clone(),
            request: Arc::new(command.request.clone()),
        };
        if self.cursor < self.run().len() {
            let reply = peek(self.world().clone(), request);
            return (print::kubectl(command, &reply, &server), EntryKind::Peek);
        }
        let run = &mut self.branches[self.current].run;
        let reply = run.kubectl(request, text, remark);
        self.go_to_head();
        (print::kubectl(command, &reply, &server), EntryKind::Step)
    }

    /// Prints what has reached a client of API servers since it was last asked; `None` when there is
    /// no such client.
    pub(super) fn recv_heard(&mut self, name: &str, step: u64) -> Option<Output> {
        let at_the_end = step == self.run().len();
        let client = self.world().kube_client_named(name);
        let is_informer = client.is_some_and(|(_, client)| client.reflector().is_some());
        let run = &mut self.branches[self.current].run;
        let unread = run.unread_heard(name, step)?;
        let output = Output::ok(show_kube::heard(unread, is_informer));
        if at_the_end {
            run.mark_read(name);
            self.go_to_head();
        }
        Some(output)
    }
}

/// Asks a copy of a world, which goes on by itself.
fn peek(mut aside: World, request: Kubectl) -> KubectlReply {
    aside.drop_undelivered();
    let id = aside.kubectl(Arc::new(request));
    while aside.kubectl_reply(id).is_none() {
        if !aside.step(&mut |_| {}) {
            return KubectlReply::TimedOut;
        }
    }
    aside.take_kubectl_reply(id).expect("it was just there")
}
