//! The commands `watch` and `recv`: the operations that start watches, and the printed output of received events.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::{Request, WatchResponse};
use crate::base::digest::Sparse;
use crate::client::kube::client::KubeApp;
use crate::shell::print::process::printed as print_process;
use crate::shell::print::qos::monitored as monitored_requests;
use crate::shell::print::watch as print;
use crate::shell::{Output, ProcessCommand, UserFlag, WatchCommand, WatchLine, WatchPrint};
use crate::view::EntryKind;
use crate::world::op::{StartProcess, StartWatch, WorldOp};

use super::report::CommandReport;
use super::task::{Begun, Ops, Task};
use super::workspace::Workspace;

impl Workspace {
    /// Starts the watches of a `watch` process.
    pub(super) fn watch(&mut self, watch: &WatchCommand) -> Begun {
        let name = watch.name.clone().unwrap_or_else(|| self.free_name());
        self.started_watches.push(name.clone());
        let mut complaints = Output::default();
        let mut begun = 0;
        let mut ops = VecDeque::new();
        self.branches[self.current]
            .run
            .print_as(&name, watch.print.clone());
        for line in &watch.starts {
            ops.push_back(match line {
                WatchLine::Watch(create) => {
                    begun += 1;
                    let (own, client) = match watch.print.interactive {
                        false => (name.clone(), watch.client.clone()),
                        // An interactive process, which can have several watches, is a separate client.
                        true => {
                            let client = watch.client.clone().unwrap_or_else(|| name.clone());
                            (format!("{name}.{begun}"), Some(client))
                        }
                    };
                    WorldOp::Watch(StartWatch {
                        name: own,
                        client,
                        endpoint: watch.endpoint.clone(),
                        create: create.clone(),
                        login: Sparse(watch.user.as_ref().and_then(UserFlag::login)),
                        runs: command_request(watch),
                    })
                }
                // Without a stream, the client library sends no progress request.
                WatchLine::Progress if begun == 0 => continue,
                WatchLine::Progress => WorldOp::Progress {
                    name: format!("{name}.{begun}"),
                },
                WatchLine::Bad(complaint) => {
                    complaints.stderr.extend_from_slice(complaint.as_bytes());
                    continue;
                }
            });
        }
        let Some(now) = ops.pop_front() else {
            return Begun::Done(CommandReport::local(complaints));
        };
        self.begin_ops(now, ops, Some(watch.print.clone()), complaints)
    }

    /// Starts a command of etcdctl that runs until it is ended.
    pub(super) fn process(&mut self, process: &ProcessCommand) -> Begun {
        let name = process.name.clone().unwrap_or_else(|| self.free_name());
        self.started_watches.push(name.clone());
        self.branches[self.current]
            .run
            .print_as(&name, process.print.clone());
        let start = StartProcess {
            name,
            endpoint: process.endpoint.clone(),
            destination: process.destination.clone(),
            login: process.user.as_ref().and_then(UserFlag::login),
            spec: process.spec.clone(),
        };
        self.begin_op(WorldOp::Process(start.into()), Output::default())
    }

    /// Ends a watch, all watches of an interactive process, a process of the QoS monitor, or another command of etcdctl
    /// that runs until it is ended.
    pub(super) fn unwatch(&mut self, name: &str) -> Begun {
        let mut names = VecDeque::from(self.watches_named(name));
        let client = self.run().head().client_named(name);
        if client.is_some_and(|(_, client)| client.monitor_stream().is_some()) {
            let client = name.to_owned();
            return self.begin_op(WorldOp::Stop { client }, Output::default());
        }
        if client.is_some_and(|(_, client)| client.process().is_some()) {
            let client = name.to_owned();
            return self.begin_op(WorldOp::Interrupt { client }, Output::default());
        }
        let first = names.pop_front().unwrap_or_else(|| name.to_owned());
        let end = |name| WorldOp::Unwatch { name };
        let left = names.into_iter().map(end).collect();
        self.begin_ops(end(first), left, None, Output::default())
    }

    /// Starts a command of one operation.
    pub(super) fn begin_op(&mut self, op: WorldOp, complaints: Output) -> Begun {
        self.begin_ops(op, VecDeque::new(), None, complaints)
    }

    fn begin_ops(
        &mut self,
        first: WorldOp,
        left: VecDeque<WorldOp>,
        print: Option<WatchPrint>,
        complaints: Output,
    ) -> Begun {
        let run = &mut self.branches[self.current].run;
        match Ops::begin(first, left, print, run) {
            Ok(mut ops) => {
                ops.complaints = complaints;
                Begun::Task(Task::Ops(ops.into()))
            }
            Err(why) => Begun::refused(&why),
        }
    }

    /// Returns the watches with this name: a single watch, or all watches of an interactive process.
    fn watches_named(&self, name: &str) -> Vec<String> {
        let world = self.run().head();
        if world.holder(name).is_some() {
            return vec![name.to_owned()];
        }
        let own = |n: u32| format!("{name}.{n}");
        let several = (1..).map(own).take_while(|own| world.holder(own).is_some());
        several.filter(|own| world.has_watch(own)).collect()
    }

    /// Returns the command that ends the watch of `etcdctl` or `kubectl` with this name; `None` if the watch has ended.
    pub(super) fn command_to_end(&self, name: &str) -> Option<String> {
        let world = self.run().head();
        let names = self.watches_named(name);
        if names.iter().any(|name| world.has_watch(name)) {
            return Some(format!("unwatch {name}"));
        }
        if let Some((_, client)) = world.client_named(name) {
            let is_open = client.process().is_some_and(|process| !process.has_ended());
            return (client.is_running() && is_open).then(|| format!("unwatch {name}"));
        }
        let (_, client) = world.kube_client_named(name)?;
        let is_watch = matches!(client.app(), KubeApp::Watch { .. });
        let is_open = client.is_running() && !client.has_ended();
        (is_watch && is_open).then(|| format!("stop {name}"))
    }

    /// Returns the command that ends the newest watch that is still open, as Ctrl+C does in a terminal.
    pub(super) fn command_to_end_newest(&self) -> Option<String> {
        let mut newest = self.started_watches.iter().rev();
        newest.find_map(|name| self.command_to_end(name))
    }

    /// Returns the first of the names w1, w2, … that neither a watch nor a client uses.
    pub(super) fn free_name(&self) -> String {
        self.run().head().free_watch_name()
    }

    /// Prints everything that has reached a watch or client since the last `recv`: up to step `past` or, if `past` is
    /// `None`, up to the end of the run.
    pub(super) fn received(
        &mut self,
        name: &str,
        branch: usize,
        past: Option<u64>,
    ) -> CommandReport {
        let run = &self.branches[branch].run;
        let at_the_end = past.is_none();
        let step = past.unwrap_or(run.len());
        let profile = run.head().config().profile;
        let client = run.head().client_named(name);
        let (output, kind) = if client.is_some_and(|(_, client)| client.process().is_some()) {
            let printed = run.unread_printed(name, step).unwrap_or_default();
            let printed = printed.iter().map(|(_, printed)| &**printed);
            let output = print_process(printed, &run.print_of(name), profile);
            (output, EntryKind::Step)
        } else if let Some(kept) = run.unread_kept(name, step) {
            let kept = kept.iter().map(|(_, lease, ttl)| (*lease, *ttl));
            (print::kept_alive(kept), EntryKind::Peek)
        } else if let Some(monitored) = run.unread_monitored(name, step) {
            let outcomes = monitored.iter().map(|(_, outcome)| outcome);
            (monitored_requests(outcomes), EntryKind::Step)
        } else if let Some(output) = self.received_heard(name, branch, step) {
            (output, EntryKind::Step)
        } else {
            let run = &self.branches[branch].run;
            let Some(unread) = run.unread(name, step) else {
                if run.prints(name) {
                    return CommandReport::local(Output::default()); // The process requested no watch.
                }
                let why = format!("watch {name} does not exist; `watch KEY as {name}` creates it");
                return CommandReport::refused(&why);
            };
            let responses: Vec<Arc<WatchResponse>> =
                unread.into_iter().map(|d| d.response.clone()).collect();
            let heard = responses.iter().map(|response| &**response);
            let ran = run.unread_ran(name, step);
            let mut ran = ran.iter().map(|reply| &**reply);
            let output =
                print::responses_and_commands(heard, &mut ran, &run.print_of(name), profile);
            (output, EntryKind::Step)
        };
        if at_the_end {
            self.branches[branch].run.mark_read(name);
        }
        let kind = if at_the_end { kind } else { EntryKind::Peek };
        CommandReport::new(output, kind)
    }
}

/// Returns the request that a watch sends for each event.
fn command_request(watch: &WatchCommand) -> Option<Arc<Request>> {
    let command = watch.print.command.as_ref()?;
    command.request().map(Arc::new)
}
