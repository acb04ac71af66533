//! A running command: its work, the condition that it waits for, its steps, and its report at the end.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::Response;
use crate::base::time::SimTime;
use crate::scenario::expr::Exchange;
use crate::scenario::{Beat, Sameness, compare_output, is_beside_events};
use crate::shell::{Command, Etcdctl, Output, RunIf, WatchPrint};
use crate::sim::outbox::RequestId;
use crate::view::{EntryKind, Moment, TranscriptOutput};
use crate::world::op::WorldOp;
use crate::world::{Destination, World};

use super::inputs::Replay;
use super::kubectl_exchange::KubectlExchange;
use super::protocol::{ProgressUnit, RunningCommand};
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
    /// During a replay, the number of steps after which the command was stopped in the original run.
    pub(super) stop_after: Option<u64>,
    /// Whether the command started a new branch.
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
            stop_after: None,
            branched: false,
        }
    }
}

/// The maximum number of characters of a command in a progress message.
const TEXT_CHARS_MAX: usize = 80;

/// The exit code of a stopped command. A shell reports the same exit code after Ctrl-C.
pub(super) const STOPPED: u8 = 130;

/// The running command: its work, the condition that it waits for, and its progress.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) task: CommandTask,
    pub(super) wait: CommandWait,
    pub(super) typed: Typing,
    pub(super) branch: usize,
    /// The step and the time at which the command started.
    pub(super) began: (u64, SimTime),
    /// The number of steps that the command has made. If the cursor is not at the end of the run, a command that does
    /// not change the run makes these steps on a copy of the world.
    pub(super) steps: u64,
    /// The time at which the requests were sent.
    pub(super) sent: SimTime,
    /// The requests whose responses have arrived, with the times of arrival.
    pub(super) arrived: Vec<(RequestId, SimTime)>,
    /// The error output so far, as the command printed it.
    pub(super) complaints: Output,
}

/// The work of a running command.
#[derive(Debug)]
pub(super) enum CommandTask {
    /// A command that sends a request to one or more members.
    Request(Vec<RequestId>, Etcdctl),
    /// A request to etcd in a copy of the world at an earlier step.
    PeekRequest(Box<World>, Vec<RequestId>, Etcdctl),
    /// The request for the member list that precedes the requests of a command with `--cluster`. If the cursor is at an
    /// earlier step, the request is sent in a copy of the world.
    FindMembers(Option<Box<World>>, RequestId, Etcdctl),
    /// The requests of a command to an API server.
    Kubectl(Box<KubectlExchange>),
    /// A sequence of operations.
    Ops(Ops),
    /// The command `recv`, with the name of the watch or client.
    Receive(String),
    /// The command `run`, which lets time pass.
    Sleep,
    /// The command `step`, with the number of steps.
    Steps(u64),
    /// The command `step` when the cursor is not at the end of the run. The command then only moves the cursor.
    Move(Replay),
}

/// The operations of one command.
#[derive(Debug)]
pub(super) struct Ops {
    /// The current operation.
    pub(super) now: WorldOp,
    pub(super) left: VecDeque<WorldOp>,
    /// The print options of the watches that a `watch` command starts; `None` for other commands.
    pub(super) print: Option<WatchPrint>,
    /// The reason why the next operation is refused.
    pub(super) refused: Option<String>,
}

impl Ops {
    /// Creates a sequence of one operation.
    pub(super) fn one(op: WorldOp) -> Self {
        Self {
            now: op,
            left: VecDeque::new(),
            print: None,
            refused: None,
        }
    }

    /// Returns the name of the process that the current operation starts or interrupts.
    pub(super) fn process(&self) -> Option<&str> {
        match &self.now {
            WorldOp::Process(start) => Some(&start.name),
            WorldOp::Interrupt { client } => Some(client),
            _ => None,
        }
    }

    /// Submits the current operation and returns the time by which the operation is done.
    pub(super) fn submit(&self, run: &mut Run) -> SimTime {
        if let (Some(print), WorldOp::Watch(watch)) = (&self.print, &self.now) {
            run.print_as(&watch.name, print.clone());
        }
        run.submit_op(self.now.clone())
    }

    /// Submits the next operation and returns the time by which that operation is done. Returns `None` if no operation
    /// is left or if the world refuses the next operation.
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

/// The condition that the command waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandWait {
    /// The response to the request has arrived. The wait also ends when no events are scheduled.
    Reply,
    /// All events that are scheduled for this time or before have happened.
    Until(SimTime),
    /// All in-flight messages have arrived. The wait ends at this time at the latest.
    Deliveries(SimTime),
    /// The command has made this number of steps.
    Steps(u64),
    /// The cursor has reached its target.
    Cursor,
    /// The immediate effects of the command have happened. The wait ends at this time at the latest.
    Settled(SimTime),
}

/// The result of starting a command.
pub(super) enum Begun {
    /// The command is running.
    Running,
    /// The command has ended because it makes no steps or was refused.
    Done(CommandReport, Typing),
}

/// The result of one slice of work on a command.
pub(super) enum Continued {
    /// No command is running.
    Idle,
    /// The command is still running.
    Running,
    /// The command has ended.
    Finished(Finished),
}

/// A command that has ended, with its output.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) output: Output,
    /// Whether the command started a new branch.
    pub(super) branched: bool,
}

/// The output of a command, and its effect on the run.
#[derive(Debug)]
pub(super) struct CommandReport {
    pub(super) output: Output,
    pub(super) kind: EntryKind,
    pub(super) exchange: Option<Arc<Exchange>>,
    /// A note about the effect of the command.
    pub(super) note: Option<String>,
}

impl CommandReport {
    pub(super) fn new(output: Output, kind: EntryKind) -> Self {
        Self {
            output,
            kind,
            exchange: None,
            note: None,
        }
    }

    /// Creates the report of a command that sends no request to a member.
    pub(super) fn local(output: Output) -> Self {
        Self::new(output, EntryKind::Local)
    }

    /// Creates the report of a command that the simulator refuses, with this error message.
    pub(super) fn refused(why: &str) -> Self {
        Self::local(Output::error(why, 1))
    }
}

impl Running {
    /// Returns true if the command adds its steps to the run. Other commands use a copy of the world, or move the
    /// cursor.
    pub(super) fn is_on_the_run(&self) -> bool {
        match &self.task {
            CommandTask::PeekRequest(..)
            | CommandTask::FindMembers(Some(_), ..)
            | CommandTask::Move(_) => false,
            CommandTask::Kubectl(exchange) => !exchange.is_aside(),
            _ => true,
        }
    }

    /// Makes a step, or starts the next phase after the last step; returns false once the command is done.
    pub(super) fn advance(&mut self, run: &mut Run) -> bool {
        self.note_arrivals(run);
        if !self.is_done_waiting(run) && self.step(run) {
            self.steps += 1;
            return true;
        }
        if self.ask_members(run) || self.ask_next(run) {
            return true;
        }
        if let CommandTask::Kubectl(exchange) = &mut self.task
            && self.wait == CommandWait::Reply
            && exchange.send_next(run)
        {
            return true;
        }
        let next = match (&mut self.task, self.wait) {
            (CommandTask::Ops(ops), CommandWait::Settled(_)) => {
                ops.submit_next(run).map(CommandWait::Until)
            }
            (_, CommandWait::Settled(_)) => None,
            (CommandTask::Ops(ops), CommandWait::Until(_)) if ops.process().is_some() => {
                Some(CommandWait::Deliveries(run.receive_until()))
            }
            (CommandTask::Kubectl(exchange), _) if exchange.is_aside() => None,
            (
                CommandTask::Request(..)
                | CommandTask::FindMembers(None, ..)
                | CommandTask::Kubectl(..)
                | CommandTask::Ops(_),
                _,
            ) => Some(CommandWait::Settled(run.settle_until())),
            _ => None,
        };
        self.wait = next.unwrap_or(self.wait);
        next.is_some()
    }

    /// Once the response with the member list has arrived, sends the requests of the command to these members. Returns
    /// false if the command did not request the member list, or if no list has arrived.
    fn ask_members(&mut self, run: &mut Run) -> bool {
        let CommandTask::FindMembers(aside, id, etcdctl) = &mut self.task else {
            return false;
        };
        let world = aside.as_deref().unwrap_or(run.head());
        let Some(Ok(Response::MemberList(list))) = world.reply(*id) else {
            return false;
        };
        let urls = list
            .members
            .iter()
            .flat_map(|member| member.client_urls.clone());
        etcdctl.endpoints = urls.collect();
        let Ok(members) = etcdctl.destinations(world) else {
            return false;
        };
        self.sent = world.now();
        match aside {
            Some(world) => world.take_reply(*id),
            None => run.take_reply(*id),
        };
        let ids = submit(run, aside.as_deref_mut(), etcdctl, members);
        let etcdctl = etcdctl.clone();
        self.task = match aside.take() {
            Some(world) => CommandTask::PeekRequest(world, ids, etcdctl),
            None => CommandTask::Request(ids, etcdctl),
        };
        true
    }

    /// Sends the next request of a command that sends several requests in turn. Returns false if no request follows.
    fn ask_next(&mut self, run: &mut Run) -> bool {
        if self.wait != CommandWait::Reply {
            return false;
        }
        let (aside, ids, etcdctl) = match &mut self.task {
            CommandTask::Request(ids, etcdctl) => (None, ids, etcdctl),
            CommandTask::PeekRequest(world, ids, etcdctl) => (Some(world), ids, etcdctl),
            _ => return false,
        };
        let world = aside.as_deref().map_or(run.head(), |world| world);
        let replies: Option<Vec<_>> = ids.iter().map(|id| world.reply(*id)).collect();
        let next = replies.and_then(|replies| etcdctl.next_request(&replies));
        let (Some(next), Ok(mut to)) = (next, etcdctl.destinations(world)) else {
            return false;
        };
        let (next, to) = (Arc::new(next), to.remove(0));
        ids.push(match aside {
            Some(world) => world.submit_to(to, next),
            None => run.submit(to, next),
        });
        true
    }

    fn note_arrivals(&mut self, run: &Run) {
        let (CommandTask::Request(ids, _), CommandWait::Reply) = (&self.task, self.wait) else {
            return;
        };
        for id in ids {
            let is_known = self.arrived.iter().any(|(known, _)| known == id);
            if !is_known && run.head().reply(*id).is_some() {
                self.arrived.push((*id, run.head().now()));
            }
        }
    }

    fn is_done_waiting(&self, run: &Run) -> bool {
        match self.wait {
            CommandWait::Reply => match &self.task {
                CommandTask::Request(ids, _) => {
                    ids.iter().all(|id| run.head().reply(*id).is_some())
                }
                CommandTask::FindMembers(aside, id, _) => {
                    let world = aside.as_deref().unwrap_or(run.head());
                    world.reply(*id).is_some()
                }
                CommandTask::Kubectl(exchange) => exchange.has_reply(run),
                CommandTask::PeekRequest(world, ids, _) => {
                    ids.iter().all(|id| world.reply(*id).is_some())
                }
                CommandTask::Ops(_)
                | CommandTask::Receive(_)
                | CommandTask::Sleep
                | CommandTask::Steps(_)
                | CommandTask::Move(_) => true,
            },
            CommandWait::Until(at) => !run.is_due_by(at),
            CommandWait::Deliveries(until) => match &self.task {
                CommandTask::Receive(name) => !run.is_pending(name, until),
                CommandTask::Ops(ops) => {
                    let pending = ops.process().map(|name| run.is_pending(name, until));
                    pending != Some(true)
                }
                _ => true,
            },
            CommandWait::Steps(steps) => self.steps >= steps || !run.head().can_step(),
            CommandWait::Cursor => {
                matches!(&self.task, CommandTask::Move(replay) if replay.left() == 0)
            }
            CommandWait::Settled(until) => !run.is_unsettled(until),
        }
    }

    /// Makes a step; returns false if no event is scheduled.
    fn step(&mut self, run: &mut Run) -> bool {
        match &mut self.task {
            CommandTask::PeekRequest(world, ..) | CommandTask::FindMembers(Some(world), ..) => {
                world.step_untraced()
            }
            CommandTask::Kubectl(exchange) if exchange.is_aside() => {
                exchange.aside().is_some_and(World::step_untraced)
            }
            CommandTask::Move(replay) => {
                run.replay_more(replay, REPLAY_STEPS);
                true
            }
            _ => run.make_step(&self.typed.text, self.typed.beat.as_ref()),
        }
    }

    /// Returns the progress of the command.
    pub(super) fn progress(&self, run: &Run) -> RunningCommand {
        let (done, total, unit) = match (&self.task, self.wait) {
            (CommandTask::Sleep, CommandWait::Until(at)) => {
                let passed = run.head().now() - self.began.1;
                (passed.0, (at - self.began.1).0, ProgressUnit::SimulatedUs)
            }
            (CommandTask::Steps(steps), _) => (self.steps, *steps, ProgressUnit::Steps),
            (CommandTask::Move(replay), _) => {
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

/// Submits a command's request to each destination, in the run or in a copy of its world.
pub(super) fn submit(
    run: &mut Run,
    mut aside: Option<&mut World>,
    etcdctl: &Etcdctl,
    to: Vec<Destination>,
) -> Vec<RequestId> {
    let request = Arc::new(etcdctl.request());
    let ids = to.into_iter().map(|to| match &mut aside {
        Some(world) => world.submit_to(to, request.clone()),
        None => run.submit(to, request.clone()),
    });
    ids.collect()
}

/// A branch under construction, and the command that waits for it.
#[derive(Debug)]
pub(super) struct Branching {
    pub(super) fork: Box<Fork>,
    pub(super) parent: Moment,
    pub(super) command: Command,
    pub(super) typed: Typing,
}

impl Branching {
    /// Returns the progress of the command.
    pub(super) fn progress(&self) -> RunningCommand {
        let (done, total) = self.fork.progress();
        RunningCommand {
            text: shortened(&self.typed.text),
            steps: 0,
            done,
            total,
            unit: ProgressUnit::Steps,
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
