//! The running command. Each call of [`Workspace::poll_command`] makes one step, so that the host can check its clock,
//! receive an interrupt and draw between any two steps.

use std::task::Poll;

use crate::shell::{Command, Output};
use crate::view::EntryKind;

use super::local;
use super::protocol::RunningCommand;
use super::report::{CommandReport, Finished};
use super::scrollback::More;
use super::started;
use super::task::{Begun, Running, STOPPED, Task, Typing, printed, stopped_after};
use super::workspace::Workspace;

impl Workspace {
    /// Starts a command at the cursor. Returns `None` if the command continues to run (see
    /// [`Workspace::poll_command`]).
    pub(super) fn begin_command(
        &mut self,
        command: &Command,
        mut typed: Typing,
    ) -> Option<Finished> {
        if !self.branches_off(command) {
            return self.begin_here(command, typed);
        }
        typed.branched = true;
        let fork = self.run().begin_fork(self.cursor, self.world().clone());
        let task = Task::Fork(fork.into(), self.moment(), command.clone().into());
        self.start(task, typed);
        match self.poll_command() {
            Poll::Ready(finished) => finished,
            Poll::Pending => None,
        }
    }

    fn begin_here(&mut self, command: &Command, typed: Typing) -> Option<Finished> {
        match self.begin_at_the_cursor(command, &typed) {
            Begun::Task(task) => {
                self.start(task, typed);
                None
            }
            Begun::Done(report) => Some(self.note(self.current, self.cursor, &typed, report)),
        }
    }

    fn start(&mut self, task: Task, typed: Typing) {
        let began = (self.cursor, self.run().head().now());
        self.running = Some(Running::new(task, typed, self.current, began));
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn running_progress(&self) -> Option<RunningCommand> {
        let running = self.running.as_ref()?;
        Some(running.progress(&self.branches[running.branch].run))
    }

    /// Makes the next step of the running command. Returns `Poll::Ready(None)` if no command is running.
    pub(super) fn poll_command(&mut self) -> Poll<Option<Finished>> {
        let Some(mut running) = self.running.take() else {
            return Poll::Ready(None);
        };
        self.dirty = true;
        if let Some(why) = self.why_stop(&running) {
            return Poll::Ready(Some(self.stop(running, &why)));
        }
        let follows = self.current == running.branch && self.cursor == self.run().len();
        let polled = running.poll(&mut self.branches[running.branch].run);
        // The cursor stays if a person has moved it to an earlier step.
        if follows && running.task.is_on_the_run() {
            self.go_to_head();
        }
        if polled.is_pending() {
            self.running = Some(running);
            return Poll::Pending;
        }
        let Task::Fork(fork, parent, command) = running.task else {
            return Poll::Ready(Some(self.finish_command(running)));
        };
        self.add_branch(fork.into_run(), parent, &running.typed.text);
        match self.begin_here(&command, running.typed) {
            None => Poll::Pending,
            finished => Poll::Ready(finished),
        }
    }

    /// Returns the reason why the command must stop at this step; `None` if the command may continue.
    fn why_stop(&self, running: &Running) -> Option<String> {
        if matches!(running.task, Task::Fork(..)) {
            return None;
        }
        let steps = running.steps(&self.branches[running.branch].run);
        if running.typed.stop_after.is_some_and(|most| steps >= most) {
            return Some(stopped_after(steps));
        }
        if running.task.is_on_the_run() && self.memory_used() >= self.limits.memory_bytes {
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
        if let Some(running) = self.running.take() {
            let why = stopped_after(running.steps(&self.branches[running.branch].run));
            self.stop(running, &why);
        }
    }

    /// Stops a command early. Its log item records the number of steps, so that a replay stops at the same step. A
    /// command that has changed nothing, such as the start of a branch, leaves no log item.
    fn stop(&mut self, mut running: Running, why: &str) -> Finished {
        let is_logged = self
            .log
            .last()
            .is_some_and(|item| *item.text == *running.typed.text);
        let run = &mut self.branches[running.branch].run;
        if running.task.is_on_the_run() {
            let steps = running.steps(run);
            run.cancel_undelivered();
            if let Some(item) = self.log.last_mut().filter(|_| is_logged) {
                *item = item.stopped_after(steps);
            }
        } else if is_logged {
            self.log.pop();
        }
        let (mut output, kind) = match &running.task {
            Task::Ops(ops) => (ops.complaints.clone(), EntryKind::Step),
            Task::Fork(..) => (Output::default(), EntryKind::Local),
            _ => (Output::default(), EntryKind::Step),
        };
        running.typed.branched &= !matches!(running.task, Task::Fork(..));
        let stop = Output::error(why, STOPPED);
        output.stderr.extend_from_slice(&stop.stderr);
        output.exit = stop.exit;
        self.end_command(running, CommandReport::new(output, kind))
    }

    /// Finishes a command that was not stopped.
    fn finish_command(&mut self, mut running: Running) -> Finished {
        let branch = running.branch;
        let run = &mut self.branches[branch].run;
        let report = match &mut running.task {
            Task::Etcdctl(exchange) => {
                let mut report = exchange.report(run);
                // Only the checks of a lesson, the picture of a read in the past, and the comparison of a copy with its
                // etcd need the request and its reply.
                let is_needed = self.lesson.is_some()
                    || report.kind == EntryKind::Peek
                    || run.head().is_mirror();
                report.exchange.take_if(|_| !is_needed);
                report
            }
            Task::Kubectl(exchange) => exchange.report(run),
            Task::Ops(ops) => match &ops.refused {
                Some(why) => CommandReport::refused(why),
                None if let Some(name) = ops.process() => {
                    let note = started::note_of_op(run.head(), &ops.now, false);
                    let name = name.to_owned();
                    CommandReport {
                        note,
                        ..self.received(&name, branch, None)
                    }
                }
                None => {
                    let is_interactive = ops.print.as_ref().is_some_and(|print| print.interactive);
                    let mut output = local::done(run.head(), &ops.now);
                    output.stderr.splice(0..0, ops.complaints.stderr.clone());
                    CommandReport {
                        note: started::note_of_op(run.head(), &ops.now, is_interactive),
                        ..CommandReport::new(output, EntryKind::Step)
                    }
                }
            },
            Task::Receive(name, _) => {
                let name = std::mem::take(name);
                self.received(&name, branch, None)
            }
            Task::Sleep(_) => CommandReport {
                note: Some(started::note_of_sleep(
                    running.began.1,
                    run.head().now(),
                    run.history(),
                    running.began.0,
                )),
                ..CommandReport::new(Output::default(), EntryKind::Step)
            },
            Task::Steps(_) if run.len() == running.began.0 => {
                CommandReport::local(Output::ok("no event is scheduled\n"))
            }
            Task::Move(replay, _) => {
                if self.current == branch {
                    self.stand_at(replay.clone());
                }
                CommandReport::local(Output::default())
            }
            Task::Steps(_) | Task::Fork(..) => CommandReport::local(Output::default()),
        };
        self.end_command(running, report)
    }

    fn end_command(&mut self, running: Running, report: CommandReport) -> Finished {
        let step = match &running.task {
            Task::Move(replay, _) => replay.to(),
            task if task.is_on_the_run() => self.branches[running.branch].run.len(),
            _ => running.began.0,
        };
        self.note(running.branch, step, &running.typed, report)
    }

    pub(super) fn note(
        &mut self,
        branch: usize,
        step: u64,
        typed: &Typing,
        report: CommandReport,
    ) -> Finished {
        let CommandReport {
            mut output,
            kind,
            exchange,
            note,
        } = report;
        if let Some(filters) = &typed.filters {
            output = output.filtered(filters);
        }
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
        let is_here = branch == self.current && step == self.cursor;
        let at_beat = match is_here {
            true => self.beat(),
            false => self.branches[branch].run.beats().at(step),
        };
        let run = &mut self.branches[branch].run;
        let line = (&typed.text, typed.beat.as_ref());
        let id = run.note((step, at_beat), line, &output, kind, more);
        let newest = run.beats().len();
        if is_here && typed.beat.is_some() {
            self.stand_in_beat(newest);
        }
        self.command_ended(branch, step, id);
        self.dirty = true;
        Finished {
            output,
            branched: typed.branched,
        }
    }
}

/// Joins the notes below a terminal entry into one text.
fn joined(notes: [Option<String>; 2]) -> Option<Box<str>> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join(" ").into())
}
