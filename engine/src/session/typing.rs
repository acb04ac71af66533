//! Typing: what lines become, what each command does at the cursor, and what is noted of it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::{Profile, Reply, Request};
use crate::scenario::expr::Exchange;
use crate::scenario::{Block, Expected, transcript};
use crate::shell::{self, Command, CommandKind, Etcdctl, Output, Read, Reader};
use crate::view::EntryKind;
use crate::world::Config;
use crate::world::op::WorldOp;

use super::going::Until;
use super::local;
use super::protocol::{Executed, SeekTo};
use super::run::{Entry, Run};
use super::save::LogItem;
use super::session::{Branch, Session};

/// A text that is being typed: lines still to be read, and commands of the last line still to be
/// done. A line is read only when those before it are done, because they may change how it reads.
#[derive(Debug)]
pub(super) struct Typed {
    begun: bool,
    lines: VecDeque<String>,
    commands: VecDeque<Command>,
    pub(super) result: Executed,
}

impl Typed {
    pub(super) fn new(text: &str) -> Self {
        Self {
            begun: false,
            lines: text.split('\n').map(Into::into).collect(),
            commands: VecDeque::new(),
            result: Executed::default(),
        }
    }

    /// Lines and commands that are left.
    pub(super) fn left(&self) -> u64 {
        (self.lines.len() + self.commands.len()) as u64
    }

    /// Does one command, or reads one line; false when nothing is left.
    pub(super) fn advance(&mut self, session: &mut Session) -> bool {
        if !self.begun {
            self.begun = true;
            session.before_typing();
        }
        if session.go_on() {
            return true;
        }
        if let Some(command) = self.commands.pop_front() {
            session.log(command.text.clone());
            let (output, branched) = session.one(&command, &"".into(), None);
            append(&mut self.result, &output);
            self.result.branched |= branched;
        } else if let Some(line) = self.lines.pop_front() {
            match session.read_line(line) {
                Ok(commands) => self.commands.extend(commands),
                Err(refused) => {
                    let Refused { typed, output } = *refused;
                    append(&mut self.result, &output);
                    session.note(&typed, "", output, EntryKind::Unreadable, None, None);
                }
            }
        }
        self.result.more = session.pending().map(Into::into);
        self.left() > 0 || session.is_going()
    }
}

/// A block of a scenario that is being typed.
#[derive(Debug)]
pub(super) struct TypedBlock {
    remark: Arc<str>,
    commands: VecDeque<Command>,
    expected: Expected,
    /// Whether the expected output is that of one command alone, and can stand beside it.
    single: bool,
    /// What was printed so far.
    pub(super) printed: String,
    /// Whether every line could be read.
    pub(super) read: bool,
}

impl TypedBlock {
    /// Reads all of a block; a transaction that is cut short gets etcdctl's own complaint.
    pub(super) fn new(session: &mut Session, block: &Block) -> Self {
        let mut typed = Self {
            remark: block.remark.as_str().into(),
            commands: VecDeque::new(),
            expected: block.expected.clone(),
            single: false,
            printed: String::new(),
            read: true,
        };
        for line in block.input.split('\n') {
            match session.reader.line(line) {
                Ok(Read::Blank | Read::More { .. }) => {}
                Ok(Read::Commands(read)) => typed.commands.extend(read),
                Err(error) => typed.unreadable(session, line, &error.to_string()),
            }
        }
        match session.reader.finish() {
            Ok(Read::Blank | Read::More { .. }) => {}
            Ok(Read::Commands(read)) => typed.commands.extend(read),
            Err(error) => typed.unreadable(session, &block.input, &error.to_string()),
        }
        typed.single = typed.commands.len() == 1;
        typed
    }

    fn unreadable(&mut self, session: &mut Session, line: &str, why: &str) {
        let output = Output::error(why, 1);
        self.printed.push_str(&printed(&output));
        self.read = false;
        session.note(
            line,
            &self.remark,
            output,
            EntryKind::Unreadable,
            None,
            None,
        );
    }

    /// Does one command; false when none is left.
    pub(super) fn advance(&mut self, session: &mut Session) -> bool {
        if session.go_on() {
            return true;
        }
        if let Some(command) = self.commands.pop_front() {
            let expected = match &self.expected {
                Expected::Output(text) if self.single => Some(text.as_str()),
                Expected::Output(_) | Expected::Unsaid => None,
            };
            let (output, _) = session.one(&command, &self.remark, expected);
            self.printed.push_str(&printed(&output));
        }
        !self.commands.is_empty() || session.is_going()
    }

    /// Whether the text says that something else is printed.
    pub(super) fn differs(&self) -> bool {
        match &self.expected {
            Expected::Output(expected) => !transcript::same_output(expected, &self.printed),
            Expected::Unsaid => false,
        }
    }
}

/// Lines that cannot be read, and what is printed about them.
struct Refused {
    typed: String,
    output: Output,
}

impl Session {
    /// Types one block of a scenario to its end and returns what it printed.
    pub(super) fn block(&mut self, block: &Block) -> String {
        let mut typed = TypedBlock::new(self, block);
        while typed.advance(self) {}
        typed.printed
    }

    /// Reads one typed line. A line that cannot be read is logged with the lines that it continues:
    /// on its own it might be a command.
    fn read_line(&mut self, line: String) -> Result<Vec<Command>, Box<Refused>> {
        let read = self.reader.line(&line);
        self.half_typed.push(line);
        // A transaction's lines are one command in the log, but only once they are complete.
        if self.reader.pending().is_some() {
            self.dirty = true;
            return Ok(Vec::new());
        }
        let typed = std::mem::take(&mut self.half_typed);
        match read {
            Ok(Read::Blank | Read::More { .. }) => Ok(Vec::new()),
            Ok(Read::Commands(commands)) => Ok(commands),
            Err(error) => {
                let typed = typed.join("\n");
                self.log(typed.clone());
                let output = Output::error(&error.to_string(), 1);
                Err(Box::new(Refused { typed, output }))
            }
        }
    }

    /// Notes something typed where the cursor stands, so that it can be typed again.
    fn log(&mut self, text: String) {
        self.log.push(LogItem {
            branch: self.current as u32,
            step: self.cursor,
            text,
        });
    }

    /// Does one command at the cursor. True when that began a new branch.
    pub(super) fn one(
        &mut self,
        command: &Command,
        remark: &Arc<str>,
        expected: Option<&str>,
    ) -> (Output, bool) {
        let text: Arc<str> = command.text.as_str().into();
        let in_the_past = self.cursor < self.run().len();
        let changes_the_run = command.is_write()
            || matches!(
                command.kind,
                CommandKind::Run(_) | CommandKind::Watch(_) | CommandKind::Op(_)
            );
        let forks = command.kind == CommandKind::Fork && self.branches.len() < FORKS_MAX;
        let branched = forks || in_the_past && changes_the_run;
        if branched {
            self.branch_off(&text);
        }
        let mut exchange = None;
        let (output, kind) = match &command.kind {
            CommandKind::Etcdctl(etcdctl) => {
                let context = shell::print::PrintContext::new(self.profile());
                let at_the_end = self.cursor == self.run().len();
                if at_the_end {
                    let began = self.run().head().now();
                    let run = &mut self.branches[self.current].run;
                    let reply = run.request(etcdctl.request(), &text, remark);
                    self.go_to_head();
                    let took = self.world().now() - began;
                    let context = shell::print::PrintContext { took, ..context };
                    exchange = self.exchange(etcdctl, &reply);
                    (
                        shell::print::reply(etcdctl, &reply, &context),
                        EntryKind::Step,
                    )
                } else {
                    let reply = self.peek(etcdctl.request());
                    exchange = self.exchange(etcdctl, &reply);
                    (
                        shell::print::reply(etcdctl, &reply, &context),
                        EntryKind::Peek,
                    )
                }
            }
            CommandKind::Run(duration) => {
                let run = &mut self.branches[self.current].run;
                match run.begin_sleep(*duration) {
                    Ok(until) => {
                        self.begin_going(Until::Time(until), (&text, remark, expected));
                        return (Output::default(), branched);
                    }
                    Err(why) => (Output::error(&why, 1), EntryKind::Local),
                }
            }
            CommandKind::Step(steps) => (self.step_forward(*steps, &text), EntryKind::Local),
            CommandKind::Fork if branched => {
                let text = format!("branch {}\n", self.current + 1);
                (Output::ok(text), EntryKind::Local)
            }
            CommandKind::Fork => {
                let text =
                    format!("there are {FORKS_MAX} branches already; go on with one of them");
                (Output::error(&text, 1), EntryKind::Local)
            }
            CommandKind::World { profile, seed } => {
                self.fresh_world(*profile, *seed, &text);
                (Output::default(), EntryKind::Local)
            }
            CommandKind::Watch(watch) => self.watch(watch, &text, remark),
            CommandKind::Recv { name } => self.recv(name, &text, remark),
            CommandKind::Kubectl(kubectl) => self.kubectl(kubectl, &text, remark),
            CommandKind::Op(WorldOp::Unwatch { name }) => self.unwatch(name, &text, remark),
            CommandKind::Op(op @ WorldOp::Populate(_)) => match self.world().check(op) {
                Ok(()) => {
                    let run = &mut self.branches[self.current].run;
                    let until = run.begin_op(op.clone());
                    self.begin_going(Until::Done(until), (&text, remark, expected));
                    return (Output::default(), branched);
                }
                Err(why) => (Output::error(&why, 1), EntryKind::Local),
            },
            CommandKind::Op(op) => self.op(op, &text, remark),
            CommandKind::Show(show) => {
                let moment = self.cache_moment();
                (local::show(self.world(), show, moment), EntryKind::Local)
            }
            CommandKind::Help(topic) => (
                local::help(topic.as_deref(), self.profile()),
                EntryKind::Local,
            ),
            CommandKind::Answered(output) | CommandKind::Refused(output) => {
                (output.clone(), EntryKind::Local)
            }
        };
        let differs = expected.filter(|e| !transcript::same_output(e, &printed(&output)));
        let differs = differs.map(Into::into);
        self.note(&text, remark, output.clone(), kind, differs, exchange);
        (output, branched)
    }

    /// What was asked and answered, when a lesson's checker may want to know.
    fn exchange(&self, etcdctl: &Etcdctl, reply: &Reply) -> Option<Arc<Exchange>> {
        self.lesson.as_ref()?;
        let exchange = Exchange {
            request: etcdctl.request(),
            reply: reply.clone(),
        };
        Some(exchange.into())
    }

    fn profile(&self) -> Profile {
        self.world().config().profile
    }

    fn note(
        &mut self,
        command: &str,
        remark: &str,
        output: Output,
        kind: EntryKind,
        expected: Option<String>,
        exchange: Option<Arc<Exchange>>,
    ) {
        let entry = Entry {
            id: 0,
            step: self.cursor,
            command: command.into(),
            remark: remark.into(),
            output,
            kind,
            expected,
            exchange,
        };
        let id = self.branches[self.current].run.note(entry);
        self.command_ended(self.current, self.cursor, id);
        self.dirty = true;
    }

    /// Asks a copy of the world at the cursor; the run is as it was.
    fn peek(&self, request: Request) -> Reply {
        let mut aside = self.world().clone();
        // What was already on its way at this moment belongs to the future that is not asked.
        aside.drop_undelivered();
        let id = aside.submit(Arc::new(request));
        while aside.reply(id).is_none() {
            assert!(
                aside.step(&mut |_| {}),
                "a request is answered before all is quiet"
            );
        }
        aside.take_reply(id).expect("it was just there")
    }

    fn step_forward(&mut self, steps: u64, text: &Arc<str>) -> Output {
        let end = self.run().len();
        if self.cursor < end {
            self.seek(SeekTo::Step(self.cursor.saturating_add(steps)));
            return Output::default();
        }
        let run = &mut self.branches[self.current].run;
        let made = run.advance_by(steps, text, &"".into());
        self.go_to_head();
        match made {
            0 => Output::ok("nothing is due\n"),
            _ => Output::default(),
        }
    }

    fn branch_off(&mut self, label: &str) {
        let run = self.run().fork(self.cursor);
        let parent = Some((self.current as u32, self.cursor));
        self.branches.push(Branch {
            run,
            parent,
            label: first_line(label),
        });
        self.current = self.branches.len() - 1;
        self.go_to_head();
    }

    fn fresh_world(&mut self, profile: Option<Profile>, seed: Option<u64>, label: &str) {
        let now = self.world().config().clone();
        let config = Config {
            profile: profile.unwrap_or(now.profile),
            seed: seed.unwrap_or(now.seed),
            ..now
        };
        self.reader = Reader::new(config.profile);
        let fresh = Branch {
            run: Run::new(config),
            parent: None,
            label: first_line(label),
        };
        if self.branches.len() == 1 && self.run().is_empty() {
            self.branches[0] = Branch {
                label: self.branches[0].label.clone(),
                ..fresh
            };
        } else {
            self.branches.push(fresh);
            self.current = self.branches.len() - 1;
        }
        self.go_to_head();
    }
}

/// Branches from which on `fork` makes no more: each holds a history of its own.
const FORKS_MAX: usize = 256;

/// Both streams together, as a terminal shows them.
pub(super) fn printed(output: &Output) -> String {
    let mut all = String::from_utf8_lossy(&output.stdout).into_owned();
    all.push_str(&String::from_utf8_lossy(&output.stderr));
    all
}

/// Bytes of output that one answer to typed text carries.
const EXECUTED_BYTES_MAX: usize = 16 << 20;

fn append(result: &mut Executed, output: &Output) {
    for (all, more) in [
        (&mut result.stdout, &output.stdout),
        (&mut result.stderr, &output.stderr),
    ] {
        if all.len() + more.len() <= EXECUTED_BYTES_MAX {
            all.push_str(&String::from_utf8_lossy(more));
        } else if !all.ends_with(CUT) {
            all.push_str(CUT);
        }
    }
    result.exit = output.exit;
}

/// Stands where an answer was cut.
const CUT: &str = "\n… more output than one answer carries\n";

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
