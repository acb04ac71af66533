//! The run that a person works on: its branches, the cursor, and what is typed.
//!
//! [`Session::handle`] takes a message and may begin work; [`Session::pump`] does a slice of that
//! work. Whoever hosts the session (a worker, the page itself, a test) pumps until nothing is
//! left, and hears other messages in between.

use std::collections::VecDeque;

use crate::shell::{Output, Read, Reader};
use crate::view::Queries;
use crate::world::{Config, World};

use super::asked::Asked;
use super::branching::Branching;
use super::inputs::Replay;
use super::lesson::{Acted, LessonRun};
use super::lesson_cards::{Moment, Told};
use super::loading::Loading;
use super::progress::Progress;
use super::protocol::{Done, Executed, FromEngine, LessonAct, Limits, SeekTo, Source, ToEngine};
use super::run::{REPLAY_STEPS, Run};
use super::running::{Continued, Running};
use super::save::LogItem;
use super::texts::Texts;
use super::typing::{Typed, Typing};
use super::undo::Before;

/// Steps of a replay that a move of the cursor makes at once; a longer way goes in pieces, like other work.
const STEPS_SOUGHT_AT_ONCE: u64 = 32;

/// A person's whole work: see the module.
///
/// ```
/// use watchglass_engine::session::Session;
/// let mut session = Session::default();
/// let done = session.exec("put /key1 value1");
/// assert_eq!(done.stdout, "OK\n");
/// assert_eq!(session.world().at_endpoint().store().current_rev(), 2);
/// session.seek(watchglass_engine::session::SeekTo::Step(0)); // step back to the empty store
/// assert_eq!(session.world().at_endpoint().store().current_rev(), 1);
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
    pub(super) reader: Reader,
    /// What the run was made from, and everything typed since: enough to make it again.
    pub(super) source: Source,
    pub(super) log: Vec<LogItem>,
    /// The moment at which each command of the log ended, in the same order.
    pub(super) ends: Vec<Moment>,
    /// The lesson's sentences about moments that are over.
    pub(super) told: Vec<Told>,
    /// The lines of a transaction that is not complete.
    pub(super) half_typed: Vec<String>,
    /// What undo goes back to, the newest last.
    pub(super) before: Vec<Before>,
    /// The lesson that is under way.
    pub(super) lesson: Option<LessonRun>,
    /// How far the learner is with all lessons, whatever run is open.
    pub(super) progress: Progress,
    /// Stories and lessons that runs are made from.
    pub(super) texts: Texts,
    jobs: VecDeque<Job>,
    /// Runs that are being freed.
    pub(super) discarded: Vec<Run>,
    pub(super) limits: Limits,
    /// The command that is running.
    pub(super) running: Option<Running>,
    /// The branch that is being made for the next command.
    pub(super) branching: Option<Branching>,
    pub(super) queries: Queries,
    pub(super) dirty: bool,
    /// Whether whoever looks says when a picture is drawn, and whether the last one is.
    is_paced: bool,
    is_drawn: bool,
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
pub(super) struct Job {
    pub(super) id: u32,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    Exec(Box<Typed>),
    Load(Box<Loading>),
    Undo,
    Act(LessonAct),
    /// A lesson's last moment is made, to be shown in these pictures.
    Goal(Box<Loading>, Queries),
    /// It was asked for while another run was about to take the place.
    Asked(Asked),
    /// The cursor is on a long way, which goes before whatever else is to be done.
    Seek(Replay),
    /// A message waits for a text.
    Text {
        name: String,
        message: Box<ToEngine>,
    },
}

impl Job {
    /// Whether this may put another run in the place of this one, or waits for that.
    pub(super) fn replaces(&self) -> bool {
        match &self.work {
            Work::Load(_) | Work::Undo | Work::Act(_) | Work::Asked(_) => true,
            Work::Text { message, .. } => matches!(**message, ToEngine::Load { .. }),
            Work::Exec(_) | Work::Goal(..) | Work::Seek(_) => false,
        }
    }
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
            ends: Vec::new(),
            told: Vec::new(),
            half_typed: Vec::new(),
            before: Vec::new(),
            lesson: None,
            progress: Progress::default(),
            texts: Texts::default(),
            jobs: VecDeque::new(),
            discarded: Vec::new(),
            limits: Limits::default(),
            running: None,
            branching: None,
            queries: Queries::default(),
            dirty: true,
            is_paced: false,
            is_drawn: true,
        }
    }

    /// From now on whoever looks says [`ToEngine::Drawn`] of each picture, and until then gets no other one while
    /// something goes on, unless it belongs to an answer.
    pub fn pace(&mut self) {
        (self.is_paced, self.is_drawn) = (true, true);
    }

    /// Makes the chapters of the recordings that begin from now on as long as this, for tests: those of a short run
    /// would all be held.
    pub fn set_chapter_steps(&mut self, steps: u64) {
        for branch in &mut self.branches {
            branch.run.set_chapter_steps(steps);
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
        let from = out.len();
        match message {
            ToEngine::Drawn => self.is_drawn = true,
            ToEngine::Limit(limits) => self.limits = limits,
            ToEngine::Continue => self.resume_load(),
            ToEngine::Load { id, .. } | ToEngine::Goal { id, .. } => {
                self.begin_run(id, message, out)
            }
            ToEngine::Text { name, text } => self.take_text(&name, text, out),
            ToEngine::Exec { id, text } => self.begin_exec(id, &text),
            ToEngine::Interrupt => self.interrupt(out),
            ToEngine::Seek { id, to } => self.ask(id, Asked::Seek(to), out),
            ToEngine::StepBy { id, delta } => self.ask(id, Asked::StepBy(delta), out),
            ToEngine::Branch { id, branch } => self.ask(id, Asked::Branch(branch), out),
            ToEngine::State { id } => self.ask(id, Asked::State, out),
            ToEngine::Save { id } => self.ask(id, Asked::Save, out),
            ToEngine::Link { id, view } => self.ask(id, Asked::Link { view }, out),
            ToEngine::Complete { id, line, cursor } => {
                self.ask(id, Asked::Complete { line, cursor }, out);
            }
            ToEngine::Show(queries) => {
                self.queries = queries;
                self.dirty = true;
                // Whoever pans while a run goes on does not wait for all else.
                if self.waits() {
                    let views = self.stage_views();
                    out.push(FromEngine::Views(Box::new(views)));
                }
            }
            ToEngine::Undo { id } => self.begin(id, Work::Undo),
            ToEngine::Lesson { id, act } => self.begin(id, Work::Act(act)),
            ToEngine::Lessons { id } => answer(out, id, Done::Lessons(self.lessons())),
            ToEngine::Progress { id, text } => match Progress::from_text(&text) {
                Ok(progress) => {
                    self.progress = progress;
                    self.dirty = true;
                    answer(out, id, Done::Moved { step: self.cursor });
                }
                Err(message) => answer(out, id, Done::Refused { message }),
            },
        }
        self.flush(from, out);
    }

    /// Does at most `budget` small pieces of what was begun, each no more than one step of the simulation; false when
    /// nothing is left.
    pub fn pump(&mut self, budget: u32, out: &mut Vec<FromEngine>) -> bool {
        let mut left = budget;
        let has_time = || {
            let has_time = left > 0;
            left = left.saturating_sub(1);
            has_time
        };
        self.pump_while(has_time, out)
    }

    /// Does small pieces of what was begun, each no more than one step of the simulation, while `has_time` says so;
    /// false when nothing is left. The host looks at its clock there: how long a step takes depends on the run.
    pub fn pump_while(
        &mut self,
        mut has_time: impl FnMut() -> bool,
        out: &mut Vec<FromEngine>,
    ) -> bool {
        let from = out.len();
        while has_time() {
            if self.free_more() {
                continue;
            }
            if self.stalled_load().is_some() {
                break;
            }
            let next = self.next_job();
            let Some(mut job) = self.jobs.remove(next) else {
                break;
            };
            match self.advance(&mut job) {
                Some(done) => answer(out, job.id, done),
                None => self.jobs.insert(next, job),
            }
            if let Some((id, loading)) = self.paused_load() {
                let (done, total) = loading.progress();
                out.push(FromEngine::Paused {
                    id,
                    steps: loading.steps(),
                    done,
                    total,
                });
            }
        }
        let next = self.jobs.get(self.next_job());
        let next = next.filter(|_| self.stalled_load().is_none());
        if let Some(job) = next {
            out.push(self.progress_of(job));
        }
        let has_more = next.is_some() || !self.discarded.is_empty();
        self.flush(from, out);
        has_more
    }

    fn progress_of(&self, job: &Job) -> FromEngine {
        let ((done, total), running) = match &job.work {
            Work::Exec(typed) => {
                let running = self.running_progress().or_else(|| typed.reading());
                (typed.progress(), running)
            }
            Work::Load(loading) | Work::Goal(loading, _) => (loading.progress(), loading.running()),
            Work::Undo | Work::Act(_) | Work::Asked(_) | Work::Seek(_) | Work::Text { .. } => {
                ((0, 1), None)
            }
        };
        FromEngine::Progress {
            id: job.id,
            done,
            total,
            running,
        }
    }

    /// The next job, when it is a load that has reached [`Limits::load_steps`].
    fn paused_load(&self) -> Option<(u32, &Loading)> {
        let job = self.jobs.get(self.next_job())?;
        match &job.work {
            Work::Load(loading) if loading.is_paused(self.limits.load_steps) => {
                Some((job.id, loading))
            }
            _ => None,
        }
    }

    /// The next job, when it is a load that is paused or waits for its text.
    pub(super) fn stalled_load(&self) -> Option<u32> {
        let job = self.jobs.get(self.next_job())?;
        match &job.work {
            Work::Load(loading) if loading.is_paused(self.limits.load_steps) => Some(job.id),
            Work::Text { .. } => Some(job.id),
            _ => None,
        }
    }

    /// Lets a paused load make as many steps again.
    fn resume_load(&mut self) {
        let next = self.next_job();
        let load_steps = self.limits.load_steps;
        if let Some(job) = self.jobs.get_mut(next)
            && let Work::Load(loading) = &mut job.work
            && loading.is_paused(load_steps)
        {
            loading.resume();
        }
    }

    /// Whether the next picture has to wait until the last one is drawn: while something is done that brings many.
    fn waits(&self) -> bool {
        self.is_paced && !self.is_drawn && self.goes_on()
    }

    /// Whether something of the run is under way: the picture at hand is soon followed by another one.
    pub(super) fn goes_on(&self) -> bool {
        self.jobs.get(self.next_job()).is_some()
    }

    /// Sends the picture when it has changed, the last one was seen or an answer goes out, and no run is being loaded.
    fn flush(&mut self, from: usize, out: &mut Vec<FromEngine>) {
        let is_load = |job: &Job| {
            let is_fetched = matches!(job.work, Work::Text { .. }) && job.replaces();
            is_fetched || matches!(job.work, Work::Load(_))
        };
        let loading = self.jobs.iter().any(is_load);
        let is_answer = |message: &FromEngine| matches!(message, FromEngine::Done { .. });
        let is_wanted = !self.waits() || out[from..].iter().any(is_answer);
        if self.dirty && !loading && is_wanted {
            self.look();
            self.tell();
            self.dirty = false;
            self.is_drawn = false;
            out.push(FromEngine::Views(Box::new(self.views())));
        }
    }

    /// Types text and waits for all of it; what hosts do with [`handle`](Self::handle) and
    /// [`pump`](Self::pump), for tests and the native shell.
    pub fn exec(&mut self, text: &str) -> Executed {
        let mut out = Vec::new();
        self.begin_exec(0, text);
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
        let id = 0;
        self.begin_run(id, ToEngine::Load { id, source, at }, &mut out);
        while self.pump(u32::MAX, &mut out) {}
        let done = out.into_iter().find_map(|message| match message {
            FromEngine::Done { done, .. } => Some(done),
            _ => None,
        });
        done.unwrap_or(Done::Interrupted)
    }

    /// The input ends: a transaction that was cut short gets etcdctl's own complaint.
    pub fn finish(&mut self) -> Option<Output> {
        match self.reader.finish() {
            Ok(Read::Commands(commands)) => {
                let mut last = None;
                for command in &commands {
                    let mut finished = self.begin_command(command, Typing::new(&*command.text));
                    while self.is_running() {
                        if let Continued::Finished(more) = self.continue_command() {
                            finished = Some(more);
                        }
                    }
                    last = finished.map(|finished| finished.output);
                }
                last
            }
            Ok(Read::Blank | Read::More { .. }) => None,
            Err(error) => Some(Output::error(&error.to_string(), 1)),
        }
    }

    /// Moves the cursor.
    pub fn seek(&mut self, to: SeekTo) {
        if let Some(mut replay) = self.begin_seek(to) {
            while !self.run().replay_more(&mut replay, u64::MAX) {}
            self.stand_at(replay);
        }
    }

    /// Moves the cursor, or begins to do so when the way is long.
    pub(super) fn begin_seek(&mut self, to: SeekTo) -> Option<Replay> {
        let run = self.run();
        let step = match to {
            SeekTo::Step(step) => step.min(run.len()),
            SeekTo::TimeUs(us) => run.steps().partition_point(|s| s.at.0 <= us) as u64,
            SeekTo::Revision(rev) if rev <= 1 => 0,
            SeekTo::Revision(rev) => {
                // Not a search by halves: a restored backup takes the revision back.
                let steps = run.steps().iter();
                (steps.take_while(|s| s.revision < rev).count() as u64 + 1).min(run.len())
            }
            SeekTo::End => run.len(),
            SeekTo::Default => self.cursor.min(run.len()),
        };
        if step == self.cursor {
            return None;
        }
        if step == run.len() {
            self.go_to_head();
            return None;
        }
        let mut replay = run.begin_replay(step);
        if !run.replay_more(&mut replay, STEPS_SOUGHT_AT_ONCE) {
            return Some(replay);
        }
        self.stand_at(replay);
        None
    }

    /// Stands where a replay has led.
    pub(super) fn stand_at(&mut self, replay: Replay) {
        self.cursor = replay.to();
        self.past = (self.cursor < self.run().len()).then(|| replay.into_world());
        self.dirty = true;
    }

    pub(super) fn switch(&mut self, branch: u32) {
        if (branch as usize) < self.branches.len() {
            self.current = branch as usize;
            self.go_to_head();
        }
    }

    /// Stands at the end of the branch.
    pub(super) fn go_to_head(&mut self) {
        self.past = None;
        self.cursor = self.run().len();
        self.dirty = true;
    }

    fn interrupt(&mut self, out: &mut Vec<FromEngine>) {
        self.reader.abandon();
        self.stop_command();
        self.half_typed.clear();
        self.end_jobs(out, |_| true);
        self.dirty = true;
    }

    pub(super) fn end_jobs(
        &mut self,
        out: &mut Vec<FromEngine>,
        mut ends: impl FnMut(&Job) -> bool,
    ) {
        for job in std::mem::take(&mut self.jobs) {
            if !ends(&job) {
                self.jobs.push_back(job);
                continue;
            }
            answer(out, job.id, Done::Interrupted);
            if let Work::Load(mut loading) | Work::Goal(mut loading, _) = job.work {
                self.discard(std::mem::take(&mut loading.session));
            }
        }
    }

    /// The place of the first job that can go on, or of a load that waits for its text. The picture of a goal holds
    /// nothing up while it waits for a text.
    fn next_job(&self) -> usize {
        let can_wait = |job: &Job| matches!(job.work, Work::Text { .. }) && !job.replaces();
        let first = self.jobs.iter().position(|job| !can_wait(job));
        first.unwrap_or(usize::MAX)
    }

    // Work under way.

    fn begin_exec(&mut self, id: u32, text: &str) {
        self.begin(id, Work::Exec(Typed::new(text).into()));
    }

    fn begin(&mut self, id: u32, work: Work) {
        self.push(Job { id, work });
    }

    pub(super) fn push(&mut self, job: Job) {
        self.jobs.push_back(job);
    }

    /// Returns all jobs, oldest first; those that go on are pushed again.
    pub(super) fn take_jobs(&mut self) -> VecDeque<Job> {
        std::mem::take(&mut self.jobs)
    }

    fn ask(&mut self, id: u32, asked: Asked, out: &mut Vec<FromEngine>) {
        if self.jobs.iter().any(Job::replaces) {
            return self.begin(id, Work::Asked(asked));
        }
        let mut from = self.cursor;
        if asked.is_move() {
            // A move that is still under way is given up for this one.
            self.jobs.retain(|job| {
                if let Work::Seek(replay) = &job.work {
                    from = replay.to();
                    answer(out, job.id, Done::Moved { step: self.cursor });
                }
                !matches!(job.work, Work::Seek(_))
            });
        }
        match self.answer_to(asked, from) {
            Ok(done) => answer(out, id, done),
            Err(replay) => {
                let work = Work::Seek(replay);
                self.jobs.push_front(Job { id, work });
            }
        }
    }

    fn advance(&mut self, job: &mut Job) -> Option<Done> {
        match &mut job.work {
            Work::Asked(asked) => match self.answer_to(asked.clone(), self.cursor) {
                Ok(done) => Some(done),
                Err(replay) => {
                    job.work = Work::Seek(replay);
                    None
                }
            },
            Work::Seek(replay) => {
                if self.run().replay_more(replay, REPLAY_STEPS) {
                    self.stand_at(replay.clone());
                    return Some(Done::Moved { step: self.cursor });
                }
                None
            }
            Work::Exec(typed) => {
                let more = typed.advance(self);
                (!more).then(|| Done::Executed(std::mem::take(&mut typed.result)))
            }
            Work::Load(loading) => {
                let more = loading.advance();
                if let Some(message) = loading.memory_refusal(self.limits.memory_bytes) {
                    self.discard(std::mem::take(&mut loading.session));
                    return Some(Done::Refused { message });
                }
                if more {
                    return None;
                }
                let done = loading.done();
                let resumes = loading.resumes;
                let (session, rewound) = loading.finish();
                let queries = std::mem::take(&mut self.queries);
                let jobs = std::mem::take(&mut self.jobs);
                let progress = std::mem::take(&mut self.progress);
                let texts = std::mem::take(&mut self.texts);
                let new = Self {
                    queries,
                    jobs,
                    progress,
                    texts,
                    dirty: true,
                    limits: self.limits,
                    is_paced: self.is_paced,
                    is_drawn: self.is_drawn,
                    ..session
                };
                let old = std::mem::replace(self, new);
                self.discard(old);
                if rewound {
                    self.note_progress();
                    return Some(Done::Moved { step: self.cursor });
                }
                self.resume_lesson(resumes);
                Some(done)
            }
            Work::Goal(loading, queries) => {
                if loading.advance() {
                    return None;
                }
                let (mut session, _) = loading.finish();
                session.queries = std::mem::take(queries);
                Some(Done::Goal(session.views().into()))
            }
            // It is never the next job: see `stalled_load`.
            Work::Text { .. } => None,
            Work::Undo => match self.undo() {
                Ok(loading) => {
                    job.work = Work::Load(loading.into());
                    None
                }
                Err(message) => Some(Done::Refused { message }),
            },
            Work::Act(act) => match self.act(act.clone()) {
                Ok(Acted::Done(done)) => Some(done),
                Ok(Acted::Work(work)) => {
                    job.work = work;
                    None
                }
                Err(message) => Some(Done::Refused { message }),
            },
        }
    }
}

pub(super) fn answer(out: &mut Vec<FromEngine>, id: u32, done: Done) {
    out.push(FromEngine::Done { id, done });
}
