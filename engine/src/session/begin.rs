//! The start of a command at the cursor.

use std::sync::Arc;

use crate::api::{Profile, Switch};
use crate::base::time::SimDuration;
use crate::etcd::SnapshotError;
use crate::shell::{Command, CommandKind, EXIT_CODE, Etcdctl, Note, Output};
use crate::world::op::WorldOp;
use crate::world::{Config, World};

use super::etcdctl_exchange::EtcdctlExchange;
use super::local;
use super::place::Place;
use super::report::CommandReport;
use super::run::Run;
use super::task::{Begun, Task, Typing, first_line};
use super::workspace::{Branch, Workspace};

impl Workspace {
    pub(super) fn begin_at_the_cursor(&mut self, command: &Command, typed: &Typing) -> Begun {
        let at_the_end = self.cursor == self.run().len();
        let report = match &command.kind {
            CommandKind::Etcdctl(etcdctl) => return self.send(etcdctl),
            CommandKind::Run(duration) => return self.sleep(*duration),
            CommandKind::Step(steps) => {
                if at_the_end {
                    return Begun::Task(Task::Steps(*steps));
                }
                let to = self.cursor.saturating_add(*steps);
                let replay = self.run().begin_replay(to);
                let length = replay.left();
                return Begun::Task(Task::Move(replay, length));
            }
            CommandKind::Fork if typed.branched => {
                let text = format!("branch {}\n", self.current + 1);
                CommandReport::local(Output::ok(text))
            }
            CommandKind::Fork => CommandReport::refused(&format!(
                "the run already has the maximum of {FORKS_MAX} branches; continue on an existing branch"
            )),
            CommandKind::World {
                profile,
                switch,
                seed,
                members,
            } => match self.fresh_world((*profile, *switch), (*seed, *members), &typed.text) {
                Ok(()) => CommandReport::local(Output::default()),
                Err(message) => CommandReport::refused(&message),
            },
            CommandKind::Watch(watch) => return self.watch(watch),
            CommandKind::Process(process) => return self.process(process),
            CommandKind::Monitor {
                name,
                query,
                endpoint,
            } => {
                let name = name.clone().unwrap_or_else(|| self.free_name());
                let op = WorldOp::Monitor {
                    name,
                    query: *query,
                    endpoint: endpoint.clone(),
                };
                return self.begin_op(op, Output::default());
            }
            CommandKind::Recv { name } if at_the_end => {
                let until = self.run().receive_until();
                return Begun::Task(Task::Receive(name.clone(), until));
            }
            CommandKind::Recv { name } => self.received(name, self.current, Some(self.cursor)),
            CommandKind::Kubectl(kubectl) => return self.kubectl(kubectl),
            CommandKind::Op(WorldOp::Unwatch { name }) => return self.unwatch(name),
            CommandKind::Op(WorldOp::Mirror(_)) if !self.can_copy() => CommandReport::refused(
                "changes of another etcd are copied only at the end of the first branch; move there first",
            ),
            CommandKind::Op(op) => {
                let deprecation = command.deprecation(self.profile());
                return self.begin_op(op.clone(), deprecation);
            }
            CommandKind::Show(show) => {
                let mut output = local::show(show, self.past(&[]));
                let deprecation = command.deprecation(self.profile()).stderr;
                output.stderr.splice(0..0, deprecation);
                CommandReport::local(output)
            }
            CommandKind::Help(topic) => {
                CommandReport::local(local::help(topic.as_deref(), self.profile()))
            }
            CommandKind::Answered(output) if typed.text.starts_with("echo ") => {
                let exit = self.last_exit.to_string();
                let text = String::from_utf8_lossy(&output.stdout);
                CommandReport::local(Output::ok(text.replace(EXIT_CODE, &exit)))
            }
            CommandKind::Answered(output) | CommandKind::Refused(output) => {
                CommandReport::local(output.clone())
            }
        };
        Begun::Done(report)
    }

    fn send(&mut self, etcdctl: &Etcdctl) -> Begun {
        let place = self.place();
        let run = &mut self.branches[self.current].run;
        match EtcdctlExchange::begin(etcdctl.clone(), place, run) {
            Ok(exchange) => Begun::Task(Task::Etcdctl(exchange.into())),
            Err(why) => Begun::refused(&why),
        }
    }

    fn sleep(&mut self, duration: SimDuration) -> Begun {
        match self.branches[self.current].run.submit_sleep(duration) {
            Ok(until) => Begun::Task(Task::Sleep(until)),
            Err(why) => Begun::refused(&why),
        }
    }

    /// Returns the place in which the requests of a command run: the run itself if the cursor is at its end.
    pub(super) fn place(&self) -> Place {
        match self.cursor == self.run().len() {
            true => Place::Run,
            false => Place::Aside(self.aside().into()),
        }
    }

    /// Returns a copy of the world at the cursor, for requests that must not change the run. The copy does not contain
    /// the requests that are in flight at the cursor, because they belong to the future of the run.
    pub(super) fn aside(&self) -> World {
        let mut aside = self.world().clone();
        aside.drop_undelivered();
        aside
    }

    fn profile(&self) -> Profile {
        self.world().config().profile.plain()
    }

    /// Returns the sentence of a note. If the world has several members, returns `None` for a note that applies only to
    /// a world with one member.
    pub(super) fn sentence_of(&self, note: Option<&Note>) -> Option<String> {
        let is_single = !self.world().is_cluster();
        let note = note.filter(|note| is_single || !note.needs_one_member());
        note.and_then(Note::sentence)
    }

    pub(super) fn typing_of(&self, command: &Command, text: Arc<str>) -> Typing {
        let note = command.note.as_ref();
        Typing {
            note: self.sentence_of(note),
            filters: note.and_then(Note::filters),
            ..Typing::new(text)
        }
    }

    /// Starts a new branch from the database file of the run, or from an empty store if the run has no such file.
    fn fresh_world(
        &mut self,
        (profile, switch): (Option<Profile>, Option<Switch>),
        (seed, members): (Option<u64>, Option<u32>),
        label: &str,
    ) -> Result<(), String> {
        let now = self.world().config().clone();
        let plain = profile.unwrap_or(now.profile).plain();
        let profile = switch.map_or(plain, |switch| plain.with(switch));
        let snapshot = match now.snapshot {
            Some(file) if file.profile != profile => {
                let read = file.with_profile(profile);
                let read = read.map_err(|error| {
                    let (name, error) = (&file.identity.name, SnapshotError::from(error));
                    format!("Cannot start a run on {name}: {error}.")
                })?;
                Some(Arc::new(read))
            }
            same => same,
        };
        let config = Config {
            profile,
            seed: seed.unwrap_or(now.seed),
            command_pace: now.command_pace,
            snapshot,
            members: members.unwrap_or(now.members),
            format: now.format,
        };
        self.reader = self.reader.clone().with_profile(config.profile);
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
        Ok(())
    }
}

/// The maximum number of branches that `fork` creates; each branch has its own history.
pub(super) const FORKS_MAX: usize = 256;
