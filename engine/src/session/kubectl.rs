//! Typed `kubectl` commands: requests to API servers, and watches.

use crate::shell::{KubectlCommand, Output, print};
use crate::view::show::kube;
use crate::world::op::{KubeWatch, WorldOp};

use super::kubectl_exchange::KubectlExchange;
use super::report::CommandReport;
use super::task::{Begun, Task};
use super::workspace::Workspace;

impl Workspace {
    pub(super) fn kubectl(&mut self, command: &KubectlCommand) -> Begun {
        let server = match self.world().server_for(command.server.as_deref()) {
            Ok(server) => self.world().node_name(server),
            Err(why) => return Begun::refused(&why),
        };
        if let (Some((name, lists)), [one]) = (&command.watch, command.requests.as_slice()) {
            let name = name.clone().unwrap_or_else(|| self.free_name());
            self.started_watches.push(name.clone());
            let watch = KubeWatch {
                name,
                server: command.server.clone(),
                request: one.request.clone(),
                lists: *lists,
            };
            let op = WorldOp::KubeWatch(Box::new(watch));
            return self.begin_op(op, Output::default());
        }
        let place = self.place();
        let run = &mut self.branches[self.current].run;
        match KubectlExchange::begin(command, server.into(), place, run) {
            Some(exchange) => Begun::Task(Task::Kubectl(exchange.into())),
            None => {
                let output = print::kubectl::kubectl(command, &[], "", self.world().now());
                Begun::Done(CommandReport::local(output))
            }
        }
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
