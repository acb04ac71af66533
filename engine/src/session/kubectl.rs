//! Typed `kubectl` commands: requests to API servers, and watches.

use std::sync::Arc;

use crate::kube::KubeVerb;
use crate::shell::{KubectlCommand, Output};
use crate::view::show::kube;
use crate::world::Kubectl;
use crate::world::config::FormatVersion;
use crate::world::op::{KubeWatch, WorldOp};

use super::task::{Begun, CommandReport, CommandTask, Ops, Typing};
use super::workspace::Workspace;

impl Workspace {
    /// Starts a `kubectl` command.
    pub(super) fn kubectl(&mut self, command: &KubectlCommand, typed: Typing) -> Begun {
        let server = match self.world().server_for(command.server.as_deref()) {
            Ok(server) => self.world().node_name(server),
            Err(why) => return Begun::Done(CommandReport::refused(&why), typed),
        };
        if let Some((name, lists)) = &command.watch {
            let name = name.clone().unwrap_or_else(|| self.free_name());
            self.started_watches.push(name.clone());
            let watch = KubeWatch {
                name,
                server: command.server.clone(),
                request: command.request.clone(),
                lists: *lists,
            };
            let op = WorldOp::KubeWatch(Box::new(watch));
            return self.run_ops(Ops::one(op), typed, Output::default());
        }
        let mut request = command.request.clone();
        let in_chunks = command.in_chunks && self.world().config().format != FormatVersion::V1;
        if let (KubeVerb::List { options, .. }, true) =
            (&mut request.verb, command.in_chunks && !in_chunks)
        {
            options.limit = 0;
        }
        let request = Kubectl {
            server: command.server.clone(),
            request: Arc::new(request),
            in_chunks,
        };
        let command = Box::new(command.clone());
        let server = server.into();
        let task = if self.cursor < self.run().len() {
            let mut aside = self.aside();
            let id = aside.kubectl(Arc::new(request));
            CommandTask::PeekKubectl(Box::new(aside), id, command, server)
        } else {
            let id = self.branches[self.current].run.submit_kubectl(request);
            CommandTask::Kubectl(id, command, server)
        };
        self.run_command(task, typed)
    }

    /// Prints everything that a client of API servers has received since the last `recv`; `None` if there is no such
    /// client.
    pub(super) fn received_heard(
        &mut self,
        name: &str,
        branch: usize,
        step: u64,
    ) -> Option<Output> {
        let run = &mut self.branches[branch].run;
        let client = run.head().kube_client_named(name);
        let is_informer = client.is_some_and(|(_, client)| client.reflector().is_some());
        let unread = run.unread_heard(name, step)?;
        Some(Output::ok(kube::heard(unread, is_informer)))
    }
}
