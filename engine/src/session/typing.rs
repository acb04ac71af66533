//! Typing: what lines become, what each command does at the cursor, and what is noted of it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::{Profile, Reply, Request};
use crate::scenario::{Block, Expected, transcript};
use crate::shell::{self, Command, CommandKind, Output, Read, Reader};
use crate::view::EntryKind;
use crate::world::Config;

use super::local;
use super::protocol::{Executed, SeekTo};
use super::run::{Entry, Run};
use super::save::LogItem;
use super::session::{Branch, Session};

impl Session {
    /// Types one block of a scenario: its remark and what it should print go along. False when
    /// some line of it could not be read.
    pub(super) fn block(&mut self, block: &Block) -> (Vec<Output>, bool) {
        let remark: Arc<str> = block.remark.as_str().into();
        let mut commands = Vec::new();
        let mut outputs = Vec::new();
        let mut read_all = true;
        for line in block.input.split('\n') {
            match self.reader.line(line) {
                Ok(Read::Blank | Read::More { .. }) => {}
                Ok(Read::Commands(read)) => commands.extend(read),
                Err(error) => {
                    let output = Output::error(&error.to_string(), 1);
                    self.note(
                        line,
                        &block.remark,
                        output.clone(),
                        EntryKind::Unreadable,
                        None,
                    );
                    outputs.push(output);
                    read_all = false;
                }
            }
        }
        if let Ok(Read::Commands(read)) = self.reader.finish() {
            commands.extend(read);
        }
        let expected = match &block.expected {
            Expected::Output(text) if commands.len() == 1 => Some(text.as_str()),
            Expected::Output(_) | Expected::Unsaid => None,
        };
        for command in &commands {
            outputs.push(self.one(command, &remark, expected).0);
        }
        (outputs, read_all)
    }

    /// Reads typed lines; what cannot be read is answered at once and noted in the terminal.
    pub(super) fn read(&mut self, text: &str) -> (VecDeque<Command>, Executed) {
        self.log.push(LogItem {
            branch: self.current as u32,
            step: self.cursor,
            text: text.to_owned(),
        });
        let mut commands = VecDeque::new();
        let mut result = Executed::default();
        for line in text.split('\n') {
            match self.reader.line(line) {
                Ok(Read::Blank) => {}
                Ok(Read::More { .. }) => self.dirty = true,
                Ok(Read::Commands(read)) => commands.extend(read),
                Err(error) => {
                    let output = Output::error(&error.to_string(), 1);
                    append(&mut result, &output);
                    self.note(line, "", output, EntryKind::Unreadable, None);
                }
            }
        }
        result.more = self.reader.pending().map(Into::into);
        (commands, result)
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
        let changes_the_run = command.is_write() || matches!(command.kind, CommandKind::Run(_));
        let branched = in_the_past && changes_the_run;
        if branched {
            self.branch_off(&text);
        }
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
                    (
                        shell::print::reply(etcdctl, &reply, &context),
                        EntryKind::Step,
                    )
                } else {
                    let reply = self.peek(etcdctl.request());
                    (
                        shell::print::reply(etcdctl, &reply, &context),
                        EntryKind::Peek,
                    )
                }
            }
            CommandKind::Run(duration) => {
                let run = &mut self.branches[self.current].run;
                run.sleep(*duration, &text, remark);
                self.go_to_head();
                (Output::default(), EntryKind::Step)
            }
            CommandKind::Step(steps) => (self.step_forward(*steps, &text), EntryKind::Local),
            CommandKind::World { profile, seed } => {
                self.fresh_world(*profile, *seed, &text);
                (Output::default(), EntryKind::Local)
            }
            CommandKind::Show(show) => (local::show(self.world(), show), EntryKind::Local),
            CommandKind::Help(topic) => (
                local::help(topic.as_deref(), self.profile()),
                EntryKind::Local,
            ),
            CommandKind::Answered(output) | CommandKind::Refused(output) => {
                (output.clone(), EntryKind::Local)
            }
        };
        let differs = expected.filter(|e| !transcript::same_output(e, &printed(&output)));
        self.note(&text, remark, output.clone(), kind, differs.map(Into::into));
        (output, branched)
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
    ) {
        let entry = Entry {
            id: 0,
            step: self.cursor,
            command: command.into(),
            remark: remark.into(),
            output,
            kind,
            expected,
        };
        self.branches[self.current].run.note(entry);
        self.dirty = true;
    }

    /// Asks a copy of the world at the cursor; the run is as it was.
    fn peek(&self, request: Request) -> Reply {
        let mut aside = self.world().clone();
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
        self.dirty = true;
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

/// Both streams together, as a terminal shows them.
pub(super) fn printed(output: &Output) -> String {
    let mut all = String::from_utf8_lossy(&output.stdout).into_owned();
    all.push_str(&String::from_utf8_lossy(&output.stderr));
    all
}

pub(super) fn append(result: &mut Executed, output: &Output) {
    result
        .stdout
        .push_str(&String::from_utf8_lossy(&output.stdout));
    result
        .stderr
        .push_str(&String::from_utf8_lossy(&output.stderr));
    result.exit = output.exit;
}

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
