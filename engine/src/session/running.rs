//! The running command. Each call of [`Workspace::continue_command`] makes one step, so that the host can check its
//! clock, receive an interrupt and draw between any two steps.

use std::sync::Arc;

use crate::api::{EtcdError, Reply};
use crate::base::time::SimDuration;
use crate::scenario::expr::Exchange;
use crate::shell::print::PrintContext;
use crate::shell::{Etcdctl, Output, print};
use crate::view::EntryKind;

use super::local;
use super::protocol::RunningCommand;
use super::scrollback::More;
use super::started;
use super::task::{
    Begun, CommandReport, CommandTask, CommandWait, Continued, Finished, Ops, Running, STOPPED,
    Typing, printed, stopped_after,
};
use super::workspace::Workspace;

impl Workspace {
    /// Starts a command that makes steps.
    pub(super) fn run_command(&mut self, task: CommandTask, typed: Typing) -> Begun {
        let run = self.run();
        let began = (self.cursor, run.head().now());
        let wait = match &task {
            // `run_ops` and `run_sleep` set the actual time.
            CommandTask::Ops(_) | CommandTask::Sleep => CommandWait::Until(began.1),
            CommandTask::Receive(_) => CommandWait::Deliveries(run.receive_until()),
            CommandTask::Steps(steps) => CommandWait::Steps(*steps),
            CommandTask::Move(_) => CommandWait::Cursor,
            CommandTask::Request(..)
            | CommandTask::FindMembers(..)
            | CommandTask::Kubectl(..)
            | CommandTask::PeekRequest(..) => CommandWait::Reply,
        };
        self.running = Some(Running {
            task,
            wait,
            typed,
            branch: self.current,
            began,
            steps: 0,
            sent: began.1,
            arrived: Vec::new(),
            complaints: Output::default(),
        });
        Begun::Running
    }

    /// Starts the operations of a command.
    pub(super) fn run_ops(&mut self, ops: Ops, typed: Typing, complaints: Output) -> Begun {
        let run = &mut self.branches[self.current].run;
        if let Err(why) = run.head().check(&ops.now) {
            return Begun::Done(CommandReport::refused(&why), typed);
        }
        let until = ops.submit(run);
        self.run_command(CommandTask::Ops(ops), typed);
        if let Some(running) = &mut self.running {
            (running.wait, running.complaints) = (CommandWait::Until(until), complaints);
        }
        Begun::Running
    }

    /// Starts a sleep: a command that lets simulated time pass.
    pub(super) fn run_sleep(&mut self, duration: SimDuration, typed: Typing) -> Begun {
        let run = &mut self.branches[self.current].run;
        match run.submit_sleep(duration) {
            Ok(until) => {
                self.run_command(CommandTask::Sleep, typed);
                if let Some(running) = &mut self.running {
                    running.wait = CommandWait::Until(until);
                }
                Begun::Running
            }
            Err(why) => Begun::Done(CommandReport::refused(&why), typed),
        }
    }

    /// Returns true if a command is running.
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some() || self.branching.is_some()
    }

    /// Returns the progress of the running command.
    pub(super) fn running_progress(&self) -> Option<RunningCommand> {
        if let Some(branching) = &self.branching {
            return Some(branching.progress());
        }
        let running = self.running.as_ref()?;
        Some(running.progress(&self.branches[running.branch].run))
    }

    /// Makes the next step of the running command.
    pub(super) fn continue_command(&mut self) -> Continued {
        if let Some(branching) = self.branching.take() {
            self.dirty = true;
            return self.continue_branching(branching);
        }
        let Some(mut running) = self.running.take() else {
            return Continued::Idle;
        };
        self.dirty = true;
        if let Some(why) = self.why_stop(&running) {
            return Continued::Finished(self.stop(running, &why));
        }
        let follows = self.current == running.branch && self.cursor == self.run().len();
        let goes_on = running.advance(&mut self.branches[running.branch].run);
        // The cursor stays if a person has moved it to an earlier step.
        if follows && running.is_on_the_run() {
            self.go_to_head();
        }
        if goes_on {
            self.running = Some(running);
            return Continued::Running;
        }
        Continued::Finished(self.finish_command(running))
    }

    /// Returns the reason why the command must stop at this step; `None` if the command may continue.
    fn why_stop(&self, running: &Running) -> Option<String> {
        let steps = running.steps;
        if running.typed.stop_after.is_some_and(|most| steps >= most) {
            return Some(stopped_after(steps));
        }
        if running.is_on_the_run() && self.memory_used() >= self.limits.memory_bytes {
            return Some(format!(
                "stopped after {steps} steps: the run uses {}; undo this command, or save the run as \
                 a file and start a new run",
                self.memory_sentence()
            ));
        }
        (steps >= self.limits.command_steps).then(|| {
            format!(
                "stopped after {steps} steps, the maximum for one command; to run more steps, type another \
                 command, such as step 100"
            )
        })
    }

    /// Stops the running command. The steps that it has finished remain in the run.
    pub(super) fn stop_command(&mut self) {
        self.stop_branching();
        if let Some(running) = self.running.take() {
            let why = stopped_after(running.steps);
            self.stop(running, &why);
        }
    }

    /// Stops a command early. Its log item records the number of steps, so that a replay stops at the same step.
    fn stop(&mut self, running: Running, why: &str) -> Finished {
        let is_logged = self
            .log
            .last()
            .is_some_and(|item| *item.text == *running.typed.text);
        if running.is_on_the_run() {
            self.branches[running.branch].run.cancel_undelivered();
            if let Some(item) = self.log.last_mut().filter(|_| is_logged) {
                *item = item.stopped_after(running.steps);
            }
        } else if is_logged {
            // The command has changed nothing that a replay needs.
            self.log.pop();
        }
        let mut output = running.complaints.clone();
        let stop = Output::error(why, STOPPED);
        output.stderr.extend_from_slice(&stop.stderr);
        output.exit = stop.exit;
        self.end_command(running, CommandReport::new(output, EntryKind::Step))
    }

    /// Finishes a command that was not stopped.
    fn finish_command(&mut self, mut running: Running) -> Finished {
        let branch = running.branch;
        let run = &mut self.branches[branch].run;
        let context = PrintContext::new(run.head().config().profile);
        let report = match &mut running.task {
            CommandTask::Request(ids, etcdctl) => {
                let replies = ids.iter().map(|id| run.take_reply(*id).expect(ANSWERED));
                let mut replies: Vec<Reply> = replies.collect();
                let took = run.head().now() - running.sent;
                let arrived = running.arrived.iter().filter(|(id, _)| ids.contains(id));
                let mut arrived: Vec<_> = arrived.collect();
                arrived.sort_by_key(|(id, _)| ids.iter().position(|known| known == id));
                let took_each = arrived.into_iter().map(|(_, at)| *at - running.sent);
                let took_each: Vec<SimDuration> = took_each.collect();
                let context = PrintContext {
                    took,
                    took_each: &took_each,
                    ..context
                };
                let output = print::replies(etcdctl, &replies, &context);
                let note = started::note_of_request(&etcdctl.verb, &replies[0], &output);
                CommandReport {
                    exchange: self.exchange(etcdctl, replies.swap_remove(0)),
                    note,
                    ..CommandReport::new(output, EntryKind::Step)
                }
            }
            CommandTask::PeekRequest(world, ids, etcdctl) => {
                let replies = ids.iter().map(|id| world.take_reply(*id).expect(ANSWERED));
                let mut replies: Vec<Reply> = replies.collect();
                let output = print::replies(etcdctl, &replies, &context);
                CommandReport {
                    exchange: self.exchange(etcdctl, replies.swap_remove(0)),
                    ..CommandReport::new(output, EntryKind::Peek)
                }
            }
            CommandTask::FindMembers(aside, id, _) => {
                let (reply, kind) = match aside {
                    Some(world) => (world.take_reply(*id), EntryKind::Peek),
                    None => (run.take_reply(*id), EntryKind::Step),
                };
                let error = reply
                    .and_then(Result::err)
                    .unwrap_or(EtcdError::DeadlineExceeded);
                CommandReport::new(print::no_members(error), kind)
            }
            CommandTask::Kubectl(exchange) => {
                let (output, kind) = exchange.output(run);
                CommandReport::new(output, kind)
            }
            CommandTask::Ops(ops) => match &ops.refused {
                Some(why) => CommandReport::refused(why),
                None if let Some(name) = ops.process() => {
                    let (name, world) = (name.to_owned(), run.head());
                    let note = started::note_of_op(world, &ops.now, false);
                    CommandReport {
                        note,
                        ..self.received(&name, branch, None)
                    }
                }
                None => {
                    let is_interactive = ops.print.as_ref().is_some_and(|print| print.interactive);
                    let output = match ops.print {
                        Some(_) => running.complaints.clone(),
                        None => local::done(run.head(), &ops.now),
                    };
                    CommandReport {
                        note: started::note_of_op(run.head(), &ops.now, is_interactive),
                        ..CommandReport::new(output, EntryKind::Step)
                    }
                }
            },
            CommandTask::Receive(name) => self.received(name, branch, None),
            CommandTask::Sleep => CommandReport {
                note: Some(started::note_of_sleep(
                    running.began.1,
                    run.head().now(),
                    run.history(),
                    running.began.0,
                )),
                ..CommandReport::new(Output::default(), EntryKind::Step)
            },
            CommandTask::Steps(_) if running.steps == 0 => {
                CommandReport::local(Output::ok("no event is scheduled\n"))
            }
            CommandTask::Steps(_) => CommandReport::local(Output::default()),
            CommandTask::Move(replay) => {
                if self.current == branch {
                    self.stand_at(replay.clone());
                }
                CommandReport::local(Output::default())
            }
        };
        self.end_command(running, report)
    }

    fn end_command(&mut self, running: Running, report: CommandReport) -> Finished {
        let step = match &running.task {
            CommandTask::Move(replay) => replay.to(),
            _ if running.is_on_the_run() => self.branches[running.branch].run.len(),
            _ => running.began.0,
        };
        self.note(running.branch, step, &running.typed, report)
    }

    /// Adds the output of a command to the terminal.
    pub(super) fn note(
        &mut self,
        branch: usize,
        step: u64,
        typed: &Typing,
        report: CommandReport,
    ) -> Finished {
        let CommandReport {
            output,
            kind,
            exchange,
            note,
        } = report;
        self.last_exit = output.exit;
        let expected = typed.expected.as_ref();
        let differs = expected.and_then(|expected| {
            let shown = match typed.hides_errors {
                true => String::from_utf8_lossy(&output.stdout).into_owned(),
                false => printed(&output),
            };
            let world = self.branches[branch].run.head();
            expected.difference(&shown, output.exit, world)
        });
        let more = More {
            expected: differs.map(Into::into),
            exchange,
            note: joined([typed.note.clone(), note]),
        };
        let run = &mut self.branches[branch].run;
        let line = (&typed.text, typed.beat.as_ref());
        let id = run.note(step, line, &output, kind, more);
        self.command_ended(branch, step, id);
        self.dirty = true;
        Finished {
            output,
            branched: typed.branched,
        }
    }

    /// Returns the request and its response if the checks of a lesson may need these; otherwise `None`.
    fn exchange(&self, etcdctl: &Etcdctl, reply: Reply) -> Option<Arc<Exchange>> {
        self.lesson.as_ref()?;
        let request = etcdctl.request();
        Some(Exchange { request, reply }.into())
    }
}

/// Joins the notes below a terminal entry into one text.
fn joined(notes: [Option<String>; 2]) -> Option<Box<str>> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join(" ").into())
}

/// The panic message for a request without a response. A response always arrives, because every request has a timeout
/// timer in the world.
const ANSWERED: &str = "if no scheduled events are left, every request has its response";
