//! A running command: its work, the condition that it waits for, and its steps.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use crate::base::time::SimTime;
use crate::scenario::{Beat, Sameness, compare_output, is_beside_events};
use crate::shell::{Command, Output, RunIf, WatchPrint};
use crate::transcript::Filters;
use crate::view::{Moment, TranscriptOutput};
use crate::world::World;
use crate::world::op::WorldOp;

use super::etcdctl_exchange::EtcdctlExchange;
use super::inputs::Replay;
use super::kubectl_exchange::KubectlExchange;
use super::place::Place;
use super::protocol::{ProgressUnit, RunningCommand};
use super::report::CommandReport;
use super::run::{Fork, REPLAY_STEPS, Run};

/// A typed line, with the data for its terminal entry.
#[derive(Clone, Debug)]
pub(super) struct Typing {
    pub(super) text: Arc<str>,
    /// The beat (the section of the narration) of the line; `None` if the line belongs to no section and is a beat of
    /// its own.
    pub(super) beat: Option<Arc<Beat>>,
    pub(super) expected: Option<Box<ExpectedOutput>>,
    /// Whether the line redirects its error output, so that a real shell would not show it. The error output is then
    /// not compared with the expected output.
    pub(super) hides_errors: bool,
    /// A note that describes how the executed command differs from the typed line.
    pub(super) note: Option<String>,
    /// The programs that the output goes through.
    pub(super) filters: Option<Filters>,
    /// During a replay, the number of steps after which the command was stopped in the original run.
    pub(super) stop_after: Option<u64>,
    pub(super) branched: bool,
}

/// The expected output of a line, which belongs to the last command of the line.
#[derive(Clone, Debug)]
pub(super) struct ExpectedOutput {
    pub(super) output: TranscriptOutput,
    /// The output of the earlier commands of the line, joined into one text.
    pub(super) earlier: String,
    /// The conditions under which the later commands of the line run, such as `&&`.
    pub(super) next: Vec<RunIf>,
}

impl ExpectedOutput {
    /// If the actual output of the line differs from the expected output, returns the expected output of this command:
    /// the expected output of the line without the output of the line's earlier commands. Returns `None` if another
    /// command of the line runs after this command.
    pub(super) fn difference(
        &self,
        printed: &str,
        exit: u8,
        world: &World,
    ) -> Option<TranscriptOutput> {
        if self.next.iter().any(|next| next.holds(exit)) {
            return None;
        }
        let actual = [&self.earlier, printed].concat();
        let differs = compare_output(&self.output.text, &actual) == Sameness::Different;
        differs.then(|| {
            let text = &self.output.text;
            TranscriptOutput {
                text: text.strip_prefix(&self.earlier).unwrap_or(text).to_owned(),
                is_compared: self.output.is_compared
                    && !(is_beside_events(text, &actual) && world.has_watches()),
            }
        })
    }
}

impl Typing {
    pub(super) fn new(text: impl Into<Arc<str>>) -> Self {
        Self {
            text: text.into(),
            beat: None,
            expected: None,
            hides_errors: false,
            note: None,
            filters: None,
            stop_after: None,
            branched: false,
        }
    }
}

/// The maximum number of characters of a command in a progress message.
const TEXT_CHARS_MAX: usize = 80;

/// The exit code of a stopped command. A shell reports the same exit code after Ctrl-C.
pub(super) const STOPPED: u8 = 130;

#[derive(Debug)]
pub(super) struct Running {
    pub(super) task: Task,
    pub(super) typed: Typing,
    pub(super) branch: usize,
    /// The step and the time at which the command started.
    pub(super) began: (u64, SimTime),
    /// After the work: the time until which the command waits for its immediate effects.
    settles: Option<SimTime>,
}

/// The work of a running command, with the condition that it waits for.
#[derive(Debug)]
pub(super) enum Task {
    /// The start of a branch, and the command that then runs there.
    Fork(Box<Fork>, Moment, Box<Command>),
    /// The requests of a command to members.
    Etcdctl(Box<EtcdctlExchange>),
    /// The requests of a command to an API server.
    Kubectl(Box<KubectlExchange>),
    Ops(Box<Ops>),
    /// The command `recv`: waits until everything has reached the watch or client of this name, or until this time.
    Receive(String, SimTime),
    /// The command `run`, which lets time pass until this time.
    Sleep(SimTime),
    /// The command `step`, with the number of steps.
    Steps(u64),
    /// The command `step` when the cursor is not at the end of the run. The command then only moves the cursor. The
    /// number is the length of the replay.
    Move(Replay, u64),
}

/// The operations of one command.
#[derive(Debug)]
pub(super) struct Ops {
    pub(super) now: WorldOp,
    wait: OpWait,
    left: VecDeque<WorldOp>,
    /// The print options of the watches that a `watch` command starts; `None` for other commands.
    pub(super) print: Option<WatchPrint>,
    /// The error output that precedes the output of the operations.
    pub(super) complaints: Output,
    /// The reason why the next operation is refused.
    pub(super) refused: Option<String>,
}

/// The condition that an operation waits for.
#[derive(Clone, Copy, Debug)]
enum OpWait {
    /// All events that are scheduled for this time or before have happened.
    Until(SimTime),
    /// Everything that is on the way to a process has arrived, or this time has passed.
    Deliveries(SimTime),
}

impl Ops {
    /// Submits the first operation.
    ///
    /// # Errors
    /// Returns an error message if the world refuses the operation.
    pub(super) fn begin(
        first: WorldOp,
        left: VecDeque<WorldOp>,
        print: Option<WatchPrint>,
        run: &mut Run,
    ) -> Result<Self, String> {
        run.head().check(&first)?;
        let mut ops = Self {
            now: first,
            wait: OpWait::Until(SimTime(0)),
            left,
            print,
            complaints: Output::default(),
            refused: None,
        };
        ops.submit(run);
        Ok(ops)
    }

    /// Returns the name of the process that the current operation starts or interrupts.
    pub(super) fn process(&self) -> Option<&str> {
        match &self.now {
            WorldOp::Process(start) => Some(&start.name),
            WorldOp::Interrupt { client } => Some(client),
            _ => None,
        }
    }

    fn submit(&mut self, run: &mut Run) {
        if let (Some(print), WorldOp::Watch(watch)) = (&self.print, &self.now) {
            run.print_as(&watch.name, print.clone());
        }
        self.wait = OpWait::Until(run.submit_op(self.now.clone()));
    }

    /// Submits the next operation. Returns false if no operation is left or if the world refuses the next operation.
    fn submit_next(&mut self, run: &mut Run) -> bool {
        let Some(next) = self.left.pop_front() else {
            return false;
        };
        if let Err(why) = run.head().check(&next) {
            self.refused = Some(why);
            return false;
        }
        self.now = next;
        self.submit(run);
        true
    }

    fn is_waiting(&self, run: &Run) -> bool {
        match self.wait {
            OpWait::Until(at) => run.is_due_by(at),
            OpWait::Deliveries(until) => self
                .process()
                .is_some_and(|name| run.is_pending(name, until)),
        }
    }

    /// After the operation on a process, waits for its deliveries. Returns false if there is nothing to wait for.
    fn wait_for_process(&mut self, run: &Run) -> bool {
        let waits = matches!(self.wait, OpWait::Until(_)) && self.process().is_some();
        if waits {
            self.wait = OpWait::Deliveries(run.receive_until());
        }
        waits
    }
}

/// The result of starting a command.
pub(super) enum Begun {
    Task(Task),
    /// The command has ended because it makes no steps or was refused.
    Done(CommandReport),
}

impl Begun {
    /// Returns the end of a command that the simulator refuses, with this error message.
    pub(super) fn refused(why: &str) -> Self {
        Self::Done(CommandReport::refused(why))
    }
}

impl Task {
    /// Returns the place of the steps; `None` if the task makes no steps of a world.
    fn place(&self) -> Option<&Place> {
        match self {
            Self::Fork(..) | Self::Move(..) => None,
            Self::Etcdctl(exchange) => Some(&exchange.place),
            Self::Kubectl(exchange) => Some(&exchange.place),
            Self::Ops(_) | Self::Receive(..) | Self::Sleep(_) | Self::Steps(_) => Some(&Place::Run),
        }
    }

    /// Returns true if the task adds its steps to the run.
    pub(super) fn is_on_the_run(&self) -> bool {
        self.place().is_some_and(Place::is_run)
    }

    /// Returns true if the command waits for its immediate effects after the work.
    fn settles(&self) -> bool {
        let has_effects = matches!(self, Self::Etcdctl(_) | Self::Kubectl(_) | Self::Ops(_));
        has_effects && self.is_on_the_run()
    }

    /// Returns true if the task waits for the next step. `steps` is the number of steps so far.
    fn is_waiting(&mut self, run: &Run, steps: u64) -> bool {
        match self {
            Self::Fork(..) => true,
            Self::Etcdctl(exchange) => exchange.is_waiting(run),
            Self::Kubectl(exchange) => exchange.is_waiting(run),
            Self::Ops(ops) => ops.is_waiting(run),
            Self::Receive(name, until) => run.is_pending(name, *until),
            Self::Sleep(until) => run.is_due_by(*until),
            Self::Steps(wanted) => steps < *wanted && run.head().can_step(),
            Self::Move(replay, _) => replay.left() > 0,
        }
    }

    /// Makes a step. Returns false if no event is scheduled, or if all observers of the branch have read its past.
    fn step(&mut self, run: &mut Run, typed: &Typing) -> bool {
        let aside = match self {
            Self::Fork(fork, ..) => return !fork.observe_more(),
            Self::Move(replay, _) => {
                run.replay_more(replay, REPLAY_STEPS);
                return true;
            }
            Self::Etcdctl(exchange) => exchange.place.aside(),
            Self::Kubectl(exchange) => exchange.place.aside(),
            Self::Ops(_) | Self::Receive(..) | Self::Sleep(_) | Self::Steps(_) => None,
        };
        match aside {
            Some(world) => world.step_untraced(),
            None => run.make_step(&typed.text, typed.beat.as_ref()),
        }
    }

    /// Starts the next part of the work. Returns false if the work is done.
    fn go_on(&mut self, run: &mut Run) -> bool {
        match self {
            Self::Etcdctl(exchange) => exchange.send_next(run),
            Self::Kubectl(exchange) => exchange.send_next(run),
            Self::Ops(ops) => ops.wait_for_process(run),
            Self::Fork(..)
            | Self::Receive(..)
            | Self::Sleep(_)
            | Self::Steps(_)
            | Self::Move(..) => false,
        }
    }
}

impl Running {
    /// Starts a command at this step and time of a branch.
    pub(super) fn new(task: Task, typed: Typing, branch: usize, began: (u64, SimTime)) -> Self {
        Self {
            task,
            typed,
            branch,
            began,
            settles: None,
        }
    }

    /// Returns the number of steps that the command has made, in the run, in a copy of its world, or with the cursor.
    pub(super) fn steps(&self, run: &Run) -> u64 {
        match &self.task {
            Task::Move(replay, all) => all - replay.left(),
            task => task
                .place()
                .map_or(0, |place| place.world(run).steps() - self.began.0),
        }
    }

    /// Makes a step, or starts the next part of the work. Returns `Poll::Ready` once the command is done.
    pub(super) fn poll(&mut self, run: &mut Run) -> Poll<()> {
        let steps = self.steps(run);
        let is_waiting = match self.settles {
            Some(until) => run.is_unsettled(until),
            None => self.task.is_waiting(run, steps),
        };
        if is_waiting && self.task.step(run, &self.typed) {
            return Poll::Pending;
        }
        let goes_on = match self.settles.take() {
            Some(_) => match &mut self.task {
                Task::Ops(ops) => ops.submit_next(run),
                _ => false,
            },
            None if self.task.go_on(run) => true,
            None => {
                self.settles = self.task.settles().then(|| run.settle_until());
                self.settles.is_some()
            }
        };
        match goes_on {
            true => Poll::Pending,
            false => Poll::Ready(()),
        }
    }

    pub(super) fn progress(&self, run: &Run) -> RunningCommand {
        let steps = self.steps(run);
        let (done, total, unit) = match &self.task {
            Task::Sleep(until) => {
                let passed = run.head().now() - self.began.1;
                (
                    passed.0,
                    (*until - self.began.1).0,
                    ProgressUnit::SimulatedUs,
                )
            }
            Task::Steps(wanted) => (steps, *wanted, ProgressUnit::Steps),
            Task::Move(_, all) => (steps, *all, ProgressUnit::Steps),
            Task::Fork(fork, ..) => {
                let (done, total) = fork.progress();
                (done, total, ProgressUnit::Steps)
            }
            Task::Etcdctl(_) | Task::Kubectl(_) | Task::Ops(_) | Task::Receive(..) => {
                (steps, 0, ProgressUnit::Steps)
            }
        };
        RunningCommand {
            text: shortened(&self.typed.text),
            steps,
            done,
            total,
            unit,
        }
    }
}

pub(super) fn stopped_after(steps: u64) -> String {
    format!("stopped after {steps} steps")
}

/// Returns the first line of a command, cut to a maximum length.
pub(super) fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Returns both output streams as one text, as in a terminal.
pub(super) fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.in_order().concat()).into_owned()
}

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
