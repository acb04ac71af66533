//! The command that is running. Every command that makes steps does so here, one step for each call of
//! [`Session::continue_command`], so that between any two steps the host can look at its clock, hear an interrupt and
//! draw.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::Reply;
use crate::base::time::{SimDuration, SimTime};
use crate::scenario::expr::Exchange;
use crate::scenario::transcript;
use crate::shell::print::PrintContext;
use crate::shell::{Etcdctl, KubectlCommand, Output, WatchPrint, print};
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::view::EntryKind;
use crate::world::World;
use crate::world::op::WorldOp;

use super::inputs::Replay;
use super::local;
use super::protocol::{ProgressUnit, RunningCommand};
use super::run::{Entry, REPLAY_STEPS, Run};
use super::session::Session;
use super::typing::{Typing, printed};

/// Characters of a command in a progress message.
const TEXT_CHARS_MAX: usize = 80;

/// Exit code of a command that was stopped, as a shell gives it after Ctrl-C.
pub(super) const STOPPED: u8 = 130;

/// The command that is running.
#[derive(Debug)]
pub(super) struct Running {
    task: Task,
    wait: Wait,
    typed: Typing,
    branch: usize,
    /// The step at which it began, and when.
    began: (u64, SimTime),
    /// Steps that it has made; in the past, on a copy of the world.
    steps: u64,
    /// What it has complained of so far.
    complaints: Output,
}

/// What a command does while it runs.
#[derive(Debug)]
pub(super) enum Task {
    /// A request to etcd.
    Request(RequestId, Etcdctl),
    /// The same, asked of a copy of the world at an earlier step.
    PeekRequest(Box<World>, RequestId, Etcdctl),
    /// A request to an API server, and the name of the server.
    Kubectl(RequestId, Box<KubectlCommand>, Arc<str>),
    /// The same, asked of a copy of the world at an earlier step.
    PeekKubectl(Box<World>, RequestId, Box<KubectlCommand>, Arc<str>),
    /// Operations, one after the other.
    Ops(Ops),
    /// `recv` of a watch or client.
    Receive(String),
    /// `run`
    Sleep,
    /// `step`, and how many
    Steps(u64),
    /// `step` at an earlier step: the cursor moves.
    Move(Replay),
}

/// Operations that belong to one command.
#[derive(Debug)]
pub(super) struct Ops {
    /// The operation under way.
    pub(super) now: WorldOp,
    pub(super) left: VecDeque<WorldOp>,
    /// How the watches print that `watch` begins; it prints nothing of its own.
    pub(super) print: Option<WatchPrint>,
    /// Why the next one cannot be done.
    pub(super) refused: Option<String>,
}

impl Ops {
    /// A single operation.
    pub(super) fn one(op: WorldOp) -> Self {
        Self {
            now: op,
            left: VecDeque::new(),
            print: None,
            refused: None,
        }
    }

    /// Submits the current operation and returns the time by which it is done.
    fn submit(&self, run: &mut Run) -> SimTime {
        if let (Some(print), WorldOp::Watch(watch)) = (self.print, &self.now) {
            run.print_as(&watch.name, print);
        }
        run.submit_op(self.now.clone())
    }

    /// Submits the next operation; `None` when there is none, or when it is refused.
    fn submit_next(&mut self, run: &mut Run) -> Option<SimTime> {
        let next = self.left.pop_front()?;
        if let Err(why) = run.head().check(&next) {
            self.refused = Some(why);
            return None;
        }
        self.now = next;
        Some(self.submit(run))
    }
}

/// What the command waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// The response, or the end of what is due.
    Reply,
    /// Whatever is due by then.
    Until(SimTime),
    /// What is on its way, but not longer than until then.
    Deliveries(SimTime),
    /// So many steps.
    Steps(u64),
    /// The cursor is where it should be.
    Cursor,
    /// What the command has set off and arrives soon.
    Settled(SimTime),
}

/// What beginning a command led to.
pub(super) enum Begun {
    /// It is running.
    Running,
    /// It is over: it makes no steps, or is refused.
    Done(Report, Typing),
}

/// What became of a command in one call.
pub(super) enum Continued {
    /// None is running.
    Idle,
    /// It is not over.
    Running,
    /// It is over.
    Finished(Finished),
}

/// A command that is over.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) output: Output,
    /// Whether it began a new branch.
    pub(super) branched: bool,
}

/// What a command printed, and what it was to the run.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) output: Output,
    pub(super) kind: EntryKind,
    pub(super) exchange: Option<Arc<Exchange>>,
}

impl Report {
    pub(super) fn new(output: Output, kind: EntryKind) -> Self {
        Self {
            output,
            kind,
            exchange: None,
        }
    }

    /// What is printed without the member being asked.
    pub(super) fn local(output: Output) -> Self {
        Self::new(output, EntryKind::Local)
    }

    /// A complaint.
    pub(super) fn refused(why: &str) -> Self {
        Self::local(Output::error(why, 1))
    }
}

impl Running {
    /// Whether its steps belong to the run.
    fn is_on_the_run(&self) -> bool {
        !matches!(
            self.task,
            Task::PeekRequest(..) | Task::PeekKubectl(..) | Task::Move(_)
        )
    }

    /// Makes a step, or begins the next phase after the last step; false when the command is done.
    fn advance(&mut self, run: &mut Run) -> bool {
        if !self.is_done_waiting(run) && self.step(run) {
            self.steps += 1;
            return true;
        }
        let next = match (&mut self.task, self.wait) {
            (Task::Ops(ops), Wait::Settled(_)) => ops.submit_next(run).map(Wait::Until),
            (_, Wait::Settled(_)) => None,
            (Task::Request(..) | Task::Kubectl(..) | Task::Ops(_), _) => {
                Some(Wait::Settled(run.settle_until()))
            }
            _ => None,
        };
        self.wait = next.unwrap_or(self.wait);
        next.is_some()
    }

    fn is_done_waiting(&self, run: &Run) -> bool {
        match self.wait {
            Wait::Reply => match &self.task {
                Task::Request(id, _) => run.head().reply(*id).is_some(),
                Task::Kubectl(id, ..) => run.head().kubectl_reply(*id).is_some(),
                Task::PeekRequest(world, id, _) => world.reply(*id).is_some(),
                Task::PeekKubectl(world, id, ..) => world.kubectl_reply(*id).is_some(),
                Task::Ops(_) | Task::Receive(_) | Task::Sleep | Task::Steps(_) | Task::Move(_) => {
                    true
                }
            },
            Wait::Until(at) => !run.is_due_by(at),
            Wait::Deliveries(until) => match &self.task {
                Task::Receive(name) => !run.is_pending(name, until),
                _ => true,
            },
            Wait::Steps(steps) => self.steps >= steps || !run.head().can_step(),
            Wait::Cursor => matches!(&self.task, Task::Move(replay) if replay.left() == 0),
            Wait::Settled(until) => !run.is_unsettled(until),
        }
    }

    /// Makes a step; false when nothing is due.
    fn step(&mut self, run: &mut Run) -> bool {
        match &mut self.task {
            Task::PeekRequest(world, ..) | Task::PeekKubectl(world, ..) => world.step_untraced(),
            Task::Move(replay) => {
                run.replay_more(replay, REPLAY_STEPS);
                true
            }
            _ => run.make_step(&self.typed.text, &self.typed.remark),
        }
    }

    /// How far it has come.
    pub(super) fn progress(&self, run: &Run) -> RunningCommand {
        let (done, total, unit) = match (&self.task, self.wait) {
            (Task::Sleep, Wait::Until(at)) => {
                let passed = run.head().now() - self.began.1;
                (passed.0, (at - self.began.1).0, ProgressUnit::SimulatedUs)
            }
            (Task::Steps(steps), _) => (self.steps, *steps, ProgressUnit::Steps),
            (Task::Move(replay), _) => {
                let all = self.steps * REPLAY_STEPS + replay.left();
                (all - replay.left(), all, ProgressUnit::Steps)
            }
            _ => (self.steps, 0, ProgressUnit::Steps),
        };
        RunningCommand {
            text: shortened(&self.typed.text),
            steps: self.steps,
            done,
            total,
            unit,
        }
    }
}

impl Session {
    /// Begins a command that makes steps.
    pub(super) fn run_command(&mut self, task: Task, typed: Typing) -> Begun {
        let run = self.run();
        let began = (self.cursor, run.head().now());
        let wait = match &task {
            // The time comes with the operation and the sleep.
            Task::Ops(_) | Task::Sleep => Wait::Until(began.1),
            Task::Receive(_) => Wait::Deliveries(run.receive_until()),
            Task::Steps(steps) => Wait::Steps(*steps),
            Task::Move(_) => Wait::Cursor,
            Task::Request(..)
            | Task::Kubectl(..)
            | Task::PeekRequest(..)
            | Task::PeekKubectl(..) => Wait::Reply,
        };
        self.running = Some(Running {
            task,
            wait,
            typed,
            branch: self.current,
            began,
            steps: 0,
            complaints: Output::default(),
        });
        Begun::Running
    }

    /// Begins operations that belong to one command.
    pub(super) fn run_ops(&mut self, ops: Ops, typed: Typing, complaints: Output) -> Begun {
        let run = &mut self.branches[self.current].run;
        if let Err(why) = run.head().check(&ops.now) {
            return Begun::Done(Report::refused(&why), typed);
        }
        let until = ops.submit(run);
        self.run_command(Task::Ops(ops), typed);
        if let Some(running) = &mut self.running {
            (running.wait, running.complaints) = (Wait::Until(until), complaints);
        }
        Begun::Running
    }

    /// Begins to let time pass.
    pub(super) fn run_sleep(&mut self, duration: SimDuration, typed: Typing) -> Begun {
        let run = &mut self.branches[self.current].run;
        match run.submit_sleep(duration) {
            Ok(until) => {
                self.run_command(Task::Sleep, typed);
                if let Some(running) = &mut self.running {
                    running.wait = Wait::Until(until);
                }
                Begun::Running
            }
            Err(why) => Begun::Done(Report::refused(&why), typed),
        }
    }

    /// Whether a command is running.
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some() || self.branching.is_some()
    }

    /// How far the command that is running has come.
    pub(super) fn running_progress(&self) -> Option<RunningCommand> {
        if let Some(branching) = &self.branching {
            return Some(branching.progress());
        }
        let running = self.running.as_ref()?;
        Some(running.progress(&self.branches[running.branch].run))
    }

    /// Makes the next step of the command that is running.
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
        // A person who looks at an earlier step meanwhile stays there.
        if follows && running.is_on_the_run() {
            self.go_to_head();
        }
        if goes_on {
            self.running = Some(running);
            return Continued::Running;
        }
        Continued::Finished(self.finish_command(running))
    }

    /// Why the command must stop here, if it must.
    fn why_stop(&self, running: &Running) -> Option<String> {
        let steps = running.steps;
        if running.typed.stop_after.is_some_and(|most| steps >= most) {
            return Some(stopped_after(steps));
        }
        if running.is_on_the_run() && self.memory_used() >= self.limits.memory_bytes {
            return Some(format!(
                "stopped after {steps} steps: the run takes {}; undo this command, or keep the run as \
                 a file and start a new one",
                self.memory_sentence()
            ));
        }
        (steps >= self.limits.command_steps).then(|| {
            format!(
                "stopped after {steps} steps, the limit of one command; type the rest as another \
                 command"
            )
        })
    }

    /// Stops the command that is running; what it has done stays.
    pub(super) fn stop_command(&mut self) {
        self.stop_branching();
        if let Some(running) = self.running.take() {
            let why = stopped_after(running.steps);
            self.stop(running, &why);
        }
    }

    /// Ends a command early. Its item in the log says after how many steps, so that a replay stops there, too.
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
            // It has done nothing that a replay would miss.
            self.log.pop();
        }
        let mut output = running.complaints.clone();
        let stop = Output::error(why, STOPPED);
        output.stderr.extend_from_slice(&stop.stderr);
        output.exit = stop.exit;
        self.end_command(running, Report::new(output, EntryKind::Step))
    }

    /// Ends a command that has done everything.
    fn finish_command(&mut self, mut running: Running) -> Finished {
        let branch = running.branch;
        let run = &mut self.branches[branch].run;
        let context = PrintContext::new(run.head().config().profile);
        let report = match &mut running.task {
            Task::Request(id, etcdctl) => {
                let reply = run.take_reply(*id).expect(ANSWERED);
                let took = run.head().now() - running.began.1;
                let output = print::reply(etcdctl, &reply, &PrintContext { took, ..context });
                Report {
                    exchange: self.exchange(etcdctl, reply),
                    ..Report::new(output, EntryKind::Step)
                }
            }
            Task::PeekRequest(world, id, etcdctl) => {
                let reply = world.take_reply(*id).expect(ANSWERED);
                let output = print::reply(etcdctl, &reply, &context);
                Report {
                    exchange: self.exchange(etcdctl, reply),
                    ..Report::new(output, EntryKind::Peek)
                }
            }
            Task::Kubectl(id, command, server) => {
                let reply = run.take_kubectl_reply(*id);
                let reply = reply.unwrap_or(KubectlReply::TimedOut);
                let output = print::kubectl::kubectl(command, &reply, server);
                Report::new(output, EntryKind::Step)
            }
            Task::PeekKubectl(world, id, command, server) => {
                let reply = world.take_kubectl_reply(*id);
                let reply = reply.unwrap_or(KubectlReply::TimedOut);
                let output = print::kubectl::kubectl(command, &reply, server);
                Report::new(output, EntryKind::Peek)
            }
            Task::Ops(ops) => match &ops.refused {
                Some(why) => Report::refused(why),
                None if ops.print.is_some() => {
                    Report::new(running.complaints.clone(), EntryKind::Step)
                }
                None => Report::new(local::done(run.head(), &ops.now), EntryKind::Step),
            },
            Task::Receive(name) => self.received(name, branch, None),
            Task::Sleep => Report::new(Output::default(), EntryKind::Step),
            Task::Steps(_) if running.steps == 0 => Report::local(Output::ok("nothing is due\n")),
            Task::Steps(_) => Report::local(Output::default()),
            Task::Move(replay) => {
                if self.current == branch {
                    self.stand_at(replay.clone());
                }
                Report::local(Output::default())
            }
        };
        self.end_command(running, report)
    }

    fn end_command(&mut self, running: Running, report: Report) -> Finished {
        let step = match &running.task {
            Task::Move(replay) => replay.to(),
            _ if running.is_on_the_run() => self.branches[running.branch].run.len(),
            _ => running.began.0,
        };
        self.note(running.branch, step, &running.typed, report)
    }

    /// Notes what a command printed.
    pub(super) fn note(
        &mut self,
        branch: usize,
        step: u64,
        typed: &Typing,
        report: Report,
    ) -> Finished {
        let Report {
            output,
            kind,
            exchange,
        } = report;
        let expected = typed.expected.clone();
        let differs = expected.filter(|e| !transcript::same_output(e, &printed(&output)));
        let id = self.branches[branch].run.note(Entry {
            id: 0,
            step,
            command: typed.text.clone(),
            remark: typed.remark.clone(),
            output: output.clone().into(),
            kind,
            expected: differs.map(Into::into),
            exchange,
        });
        self.command_ended(branch, step, id);
        self.dirty = true;
        Finished {
            output,
            branched: typed.branched,
        }
    }

    /// What was asked and answered, when a lesson's checker may want to know.
    fn exchange(&self, etcdctl: &Etcdctl, reply: Reply) -> Option<Arc<Exchange>> {
        self.lesson.as_ref()?;
        let request = etcdctl.request();
        Some(Exchange { request, reply }.into())
    }
}

/// The world has a timer for every request that nobody answers.
const ANSWERED: &str = "every request is answered before nothing is due";

pub(super) fn stopped_after(steps: u64) -> String {
    format!("stopped after {steps} steps")
}

/// A command on one short line.
pub(super) fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
