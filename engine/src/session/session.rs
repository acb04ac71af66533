//! The run that a person works on: its branches, the cursor, and what is typed.
//!
//! [`Session::handle`] takes a message and may begin work; [`Session::pump`] does a slice of that
//! work. Whoever hosts the session (a worker, the page itself, a test) pumps until nothing is
//! left, and hears other messages in between.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::Profile;
use crate::base::time::SimDuration;
use crate::scenario::{self, Block, Expected, Scenario, stories, transcript};
use crate::shell::{self, Command, CommandKind, Output, Read, Reader};
use crate::view::{EntryKind, Queries};
use crate::world::{Config, World};

use super::local;
use super::protocol::{Done, Executed, FromEngine, SeekTo, Source, ToEngine};
use super::run::{Entry, Run};
use super::save::{LogItem, Saved};

/// A person's whole work: see the module.
///
/// ```
/// use watchglass_engine::session::Session;
/// let mut session = Session::default();
/// let done = session.exec("put /key1 value1");
/// assert_eq!(done.stdout, "OK\n");
/// assert_eq!(session.world().etcd().store().current_rev(), 2);
/// session.seek(watchglass_engine::session::SeekTo::Step(0)); // step back to the empty store
/// assert_eq!(session.world().etcd().store().current_rev(), 1);
/// ```
#[derive(Debug)]
pub struct Session {
    pub(super) title: String,
    pub(super) branches: Vec<Branch>,
    pub(super) current: usize,
    /// The step the cursor stands after.
    pub(super) cursor: u64,
    /// The world there; none at the end of the run, whose world the run itself has. A second copy
    /// would make every write copy what it changes.
    past: Option<World>,
    reader: Reader,
    /// What the run was made from, and everything typed since: enough to make it again.
    source: Source,
    log: Vec<LogItem>,
    jobs: VecDeque<Job>,
    pub(super) queries: Queries,
    pub(super) dirty: bool,
}

/// One line of history.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) run: Run,
    /// The branch it left, and where.
    pub(super) parent: Option<(u32, u64)>,
    /// What it began with.
    pub(super) label: String,
}

/// Work that takes more than a moment.
#[derive(Debug)]
struct Job {
    id: u32,
    work: Work,
    done: u64,
    total: u64,
}

#[derive(Debug)]
enum Work {
    Exec {
        commands: VecDeque<Command>,
        result: Executed,
    },
    Load(Box<Loading>),
}

/// A run that is being made; it takes the place of the present one when it is complete.
#[derive(Debug)]
struct Loading {
    session: Session,
    blocks: VecDeque<Block>,
    replay: VecDeque<LogItem>,
    at: SeekTo,
    saved_at: Option<(u32, u64)>,
    differences: u64,
    skipped: u64,
}

impl Default for Session {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl Session {
    /// A session with an empty store.
    pub fn new(config: Config) -> Self {
        let source = Source::Empty {
            profile: config.profile.to_string(),
            seed: config.seed,
        };
        let run = Run::new(config);
        Self {
            title: "Sandbox".into(),
            past: None,
            reader: Reader::new(run.head().config().profile),
            branches: vec![Branch {
                run,
                parent: None,
                label: "start".into(),
            }],
            current: 0,
            cursor: 0,
            source,
            log: Vec::new(),
            jobs: VecDeque::new(),
            queries: Queries::default(),
            dirty: true,
        }
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        self.past.as_ref().unwrap_or_else(|| self.run().head())
    }

    /// The run the cursor is on.
    pub fn run(&self) -> &Run {
        &self.branches[self.current].run
    }

    /// The step the cursor stands after.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// The prompt of a half-typed transaction.
    pub fn pending(&self) -> Option<&'static str> {
        self.reader.pending()
    }

    /// Takes a message. Answers and pictures go into `out`; more may come from [`pump`](Self::pump).
    pub fn handle(&mut self, message: ToEngine, out: &mut Vec<FromEngine>) {
        match message {
            ToEngine::Load { id, source, at } => self.begin_load(id, source, at, out),
            ToEngine::Exec { id, text } => self.begin_exec(id, &text, out),
            ToEngine::Interrupt => self.interrupt(out),
            ToEngine::Seek { id, to } => {
                self.seek(to);
                answer(out, id, Done::Moved { step: self.cursor });
            }
            ToEngine::StepBy { id, delta } => {
                self.seek(SeekTo::Step(self.cursor.saturating_add_signed(delta)));
                answer(out, id, Done::Moved { step: self.cursor });
            }
            ToEngine::Branch { id, branch } => {
                self.switch(branch);
                answer(out, id, Done::Moved { step: self.cursor });
            }
            ToEngine::Show(queries) => {
                self.queries = queries;
                self.dirty = true;
            }
            ToEngine::State { id } => answer(out, id, Done::Text(self.state_json())),
            ToEngine::Save { id } => answer(out, id, Done::Text(self.save())),
            ToEngine::Complete { id, line, cursor } => {
                answer(out, id, self.complete(&line, cursor));
            }
        }
        self.flush(out);
    }

    /// Does at most `budget` commands of what was begun; false when nothing is left.
    pub fn pump(&mut self, budget: u32, out: &mut Vec<FromEngine>) -> bool {
        for _ in 0..budget {
            let Some(mut job) = self.jobs.pop_front() else {
                break;
            };
            match self.advance(&mut job) {
                Some(done) => answer(out, job.id, done),
                None => self.jobs.push_front(job),
            }
        }
        if let Some(job) = self.jobs.front() {
            out.push(FromEngine::Progress {
                id: job.id,
                done: job.done,
                total: job.total,
            });
        }
        self.flush(out);
        !self.jobs.is_empty()
    }

    /// Sends the picture when it has changed and no more work is under way.
    fn flush(&mut self, out: &mut Vec<FromEngine>) {
        let loading = self.jobs.iter().any(|j| matches!(j.work, Work::Load(_)));
        if self.dirty && !loading {
            self.dirty = false;
            out.push(FromEngine::Views(Box::new(self.views())));
        }
    }

    /// Types text and waits for all of it; what hosts do with [`handle`](Self::handle) and
    /// [`pump`](Self::pump), for tests and the native shell.
    pub fn exec(&mut self, text: &str) -> Executed {
        let mut out = Vec::new();
        self.begin_exec(0, text, &mut out);
        while self.pump(u32::MAX, &mut out) {}
        let executed = out.into_iter().find_map(|message| match message {
            FromEngine::Done {
                done: Done::Executed(executed),
                ..
            } => Some(executed),
            _ => None,
        });
        executed.unwrap_or_default()
    }

    /// Begins a run and waits for it.
    pub fn load(&mut self, source: Source, at: SeekTo) -> Done {
        let mut out = Vec::new();
        self.begin_load(0, source, at, &mut out);
        while self.pump(u32::MAX, &mut out) {}
        let done = out.into_iter().find_map(|message| match message {
            FromEngine::Done { done, .. } => Some(done),
            FromEngine::Views(_) | FromEngine::Progress { .. } => None,
        });
        done.unwrap_or(Done::Interrupted)
    }

    /// The input ends: a transaction that was cut short gets etcdctl's own complaint.
    pub fn finish(&mut self) -> Option<Output> {
        match self.reader.finish() {
            Ok(Read::Commands(commands)) => {
                let mut last = None;
                for command in &commands {
                    last = Some(self.one(command, &"".into(), None).0);
                }
                last
            }
            Ok(Read::Blank | Read::More { .. }) => None,
            Err(error) => Some(Output::error(&error.to_string(), 1)),
        }
    }

    /// Moves the cursor.
    pub fn seek(&mut self, to: SeekTo) {
        let run = self.run();
        let step = match to {
            SeekTo::Step(step) => step.min(run.len()),
            SeekTo::TimeUs(us) => run.steps().partition_point(|s| s.at.0 <= us) as u64,
            SeekTo::Revision(rev) if rev <= 1 => 0,
            SeekTo::Revision(rev) => {
                (run.steps().partition_point(|s| s.revision < rev) as u64 + 1).min(run.len())
            }
            SeekTo::End => run.len(),
            SeekTo::Default => self.cursor.min(run.len()),
        };
        if step == self.cursor {
            return;
        }
        self.past = (step < run.len()).then(|| run.world_at(step));
        self.cursor = step;
        self.dirty = true;
    }

    fn switch(&mut self, branch: u32) {
        if (branch as usize) < self.branches.len() {
            self.current = branch as usize;
            self.go_to_head();
        }
    }

    fn interrupt(&mut self, out: &mut Vec<FromEngine>) {
        self.reader.abandon();
        for job in self.jobs.drain(..) {
            answer(out, job.id, Done::Interrupted);
        }
        self.dirty = true;
    }

    // What is typed.

    fn begin_exec(&mut self, id: u32, text: &str, out: &mut Vec<FromEngine>) {
        self.log.push(LogItem {
            branch: self.current as u32,
            step: self.cursor,
            text: text.to_owned(),
        });
        let (commands, result) = self.read(text);
        let total = commands.len() as u64;
        if total == 0 {
            answer(out, id, Done::Executed(result));
            return;
        }
        self.jobs.push_back(Job {
            id,
            work: Work::Exec { commands, result },
            done: 0,
            total,
        });
    }

    /// Reads typed lines; what cannot be read is answered at once and noted in the terminal.
    fn read(&mut self, text: &str) -> (VecDeque<Command>, Executed) {
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

    fn advance(&mut self, job: &mut Job) -> Option<Done> {
        match &mut job.work {
            Work::Exec { commands, result } => {
                let command = commands.pop_front()?;
                let (output, branched) = self.one(&command, &"".into(), None);
                append(result, &output);
                result.branched |= branched;
                job.done += 1;
                commands
                    .is_empty()
                    .then(|| Done::Executed(std::mem::take(result)))
            }
            Work::Load(loading) => {
                job.done += 1;
                if loading.advance() {
                    return None;
                }
                let queries = std::mem::take(&mut self.queries);
                let jobs = std::mem::take(&mut self.jobs);
                let done = Done::Loaded {
                    differences: loading.differences,
                    skipped: loading.skipped,
                };
                let session = std::mem::take(&mut loading.session);
                *self = Self {
                    queries,
                    jobs,
                    dirty: true,
                    ..session
                };
                Some(done)
            }
        }
    }

    /// Does one command at the cursor. True when that began a new branch.
    fn one(
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

    fn go_to_head(&mut self) {
        self.past = None;
        self.cursor = self.run().len();
        self.dirty = true;
    }

    /// Asks a copy of the world at the cursor; the run is as it was.
    fn peek(&self, request: crate::api::Request) -> crate::api::Reply {
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

    // Beginning a run.

    fn begin_load(&mut self, id: u32, source: Source, at: SeekTo, out: &mut Vec<FromEngine>) {
        match Loading::new(source, at) {
            Ok(loading) => {
                let total = (loading.blocks.len() + loading.replay.len()) as u64;
                let work = Work::Load(Box::new(loading));
                self.jobs.push_back(Job {
                    id,
                    work,
                    done: 0,
                    total,
                });
            }
            Err(message) => answer(out, id, Done::Refused { message }),
        }
    }

    /// Everything that makes this work again.
    fn save(&self) -> String {
        let saved = Saved {
            source: self.source.clone(),
            log: self.log.clone(),
            branch: self.current as u32,
            step: self.cursor,
        };
        saved.to_text()
    }

    fn complete(&self, line: &str, cursor: u32) -> Done {
        let keys: Vec<_> = self
            .world()
            .etcd()
            .store()
            .index()
            .iter()
            .take(COMPLETION_KEYS_MAX)
            .map(|ki| ki.key.clone())
            .collect();
        let completion = shell::complete(line, cursor as usize, &keys);
        Done::Completions {
            start: completion.start,
            items: completion
                .items
                .into_iter()
                .map(|i| (i.text, i.gloss))
                .collect(),
        }
    }

    /// Lets time pass by hand; used by tests that have no text to type.
    pub fn sleep(&mut self, duration: SimDuration) {
        let text: Arc<str> = "run".into();
        self.branches[self.current]
            .run
            .sleep(duration, &text, &"".into());
        self.go_to_head();
    }
}

/// Keys that completion looks at.
const COMPLETION_KEYS_MAX: usize = 10_000;

impl Loading {
    fn new(source: Source, at: SeekTo) -> Result<Self, String> {
        let mut loading = Self {
            session: Session::default(),
            blocks: VecDeque::new(),
            replay: VecDeque::new(),
            at,
            saved_at: None,
            differences: 0,
            skipped: 0,
        };
        loading.open(source)?;
        Ok(loading)
    }

    fn open(&mut self, source: Source) -> Result<(), String> {
        match &source {
            Source::Story(name) => {
                let story = stories::find(name).ok_or_else(|| {
                    let names: Vec<_> = stories::ALL.iter().map(|s| s.name).collect();
                    format!(
                        "there is no story `{name}`; there are: {}",
                        names.join(", ")
                    )
                })?;
                let scenario = scenario::read(story.text).map_err(|e| e.to_string())?;
                self.take(scenario);
            }
            Source::Empty { profile, seed } => {
                let profile = Profile::parse(profile).ok_or_else(|| {
                    format!("there is no profile `{profile}`; there are 3.6 and 3.4")
                })?;
                self.session = Session::new(Config {
                    profile,
                    seed: *seed,
                    ..Config::default()
                });
            }
            Source::Text(text) => {
                let scenario = scenario::read(text).map_err(|e| e.to_string())?;
                some_command(&scenario)?;
                self.take(scenario);
            }
            Source::Saved(text) => {
                let saved = Saved::from_text(text)?;
                if matches!(saved.source, Source::Saved(_)) {
                    return Err("a saved run cannot be made from another saved run".into());
                }
                self.saved_at = Some((saved.branch, saved.step));
                self.replay = saved.log.into();
                return self.open(saved.source);
            }
        }
        self.session.source = source;
        Ok(())
    }

    /// The scenario's commands are the ones to run.
    fn take(&mut self, scenario: Scenario) {
        self.session.title = scenario.header("title").unwrap_or("Transcript").to_owned();
        self.skipped = scenario.skipped;
        self.blocks = scenario.blocks.into();
    }

    /// Does the next command; false when the run is complete and the cursor stands.
    fn advance(&mut self) -> bool {
        if let Some(block) = self.blocks.pop_front() {
            self.block(&block);
            return true;
        }
        if let Some(item) = self.replay.pop_front() {
            self.session.replay(&item);
            return true;
        }
        match (self.saved_at, self.at) {
            (Some((branch, step)), SeekTo::Default) => {
                self.session.switch(branch);
                self.session.seek(SeekTo::Step(step));
            }
            (None, SeekTo::Default) => self.session.seek(SeekTo::Step(0)),
            (_, at) => self.session.seek(at),
        }
        false
    }

    fn block(&mut self, block: &Block) {
        let (outputs, read) = self.session.block(block);
        self.skipped += u64::from(!read);
        let Expected::Output(expected) = &block.expected else {
            return;
        };
        let printed: String = outputs.iter().map(printed).collect();
        if !transcript::same_output(expected, &printed) {
            self.differences += 1;
        }
    }
}

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

    /// Types again what was typed once, where it was typed.
    fn replay(&mut self, item: &LogItem) {
        if (item.branch as usize) < self.branches.len() && item.branch as usize != self.current {
            self.switch(item.branch);
        }
        self.seek(SeekTo::Step(item.step));
        let _ = self.exec(&item.text);
    }
}

/// Blocks at the beginning of a text among which one must be a command.
const PROBED_BLOCKS: usize = 50;

/// Refuses a text that is something else altogether: none of its first lines is a command.
fn some_command(scenario: &Scenario) -> Result<(), String> {
    let mut first = None;
    for block in scenario.blocks.iter().take(PROBED_BLOCKS) {
        let line = block.input.lines().next().unwrap_or_default();
        let why = match Reader::new(Profile::default()).line(line) {
            Ok(Read::Commands(read)) => match read.iter().find_map(refusal) {
                Some(why) => why,
                None => return Ok(()),
            },
            Ok(Read::Blank | Read::More { .. }) => return Ok(()),
            Err(error) => error.to_string(),
        };
        first = first.or(Some((block.line, why)));
    }
    match first {
        None => Ok(()),
        Some((line, why)) => Err(format!(
            "no line of this text is a command that the simulator knows. Line {line}: {why}"
        )),
    }
}

/// What etcdctl itself says against a command, on one line.
fn refusal(command: &Command) -> Option<String> {
    match &command.kind {
        CommandKind::Refused(output) => {
            Some(first_line(String::from_utf8_lossy(&output.stderr).trim()))
        }
        _ => None,
    }
}

/// Both streams together, as a terminal shows them.
pub(super) fn printed(output: &Output) -> String {
    let mut all = String::from_utf8_lossy(&output.stdout).into_owned();
    all.push_str(&String::from_utf8_lossy(&output.stderr));
    all
}

fn append(result: &mut Executed, output: &Output) {
    result
        .stdout
        .push_str(&String::from_utf8_lossy(&output.stdout));
    result
        .stderr
        .push_str(&String::from_utf8_lossy(&output.stderr));
    result.exit = output.exit;
}

fn answer(out: &mut Vec<FromEngine>, id: u32, done: Done) {
    out.push(FromEngine::Done { id, done });
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
