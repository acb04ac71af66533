//! A session: it handles messages, does long work in slices, and sends responses.
//!
//! [`Session::handle`] handles a message and may start work; [`Session::pump`] does a slice of that work. The host of
//! the session (a worker, the page itself, a test) calls `pump` until no work is left, and handles further messages
//! between the calls.

use std::collections::VecDeque;

use crate::scenario::format::FormatError;
use crate::view::{Queries, Views};
use crate::world::{Config, World};

use super::answer::Answer;
use super::export::Export;
use super::files::is_same;
use super::jobs::{Job, Replaying, Work};
use super::loading::Loading;
use super::progress::LearnerProgress;
use super::protocol::{
    Act, Done, Executed, Fault, FileIdentity, FromEngine, LessonCheck, Notification, Request,
    SeekTo, Source, ToEngine,
};
use super::rehearsal::Rehearsal;
use super::run::{REPLAY_STEPS, Run};
use super::texts::{NotNow, Texts, refusal_of_lesson};
use super::typing::Typed;
use super::workspace::Workspace;

/// A session: the run of a person, and the work in progress on the run.
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
#[derive(Debug, Default)]
pub struct Session {
    workspace: Workspace,
    /// The texts and files from which runs are loaded.
    texts: Texts,
    jobs: VecDeque<Job>,
    /// Discarded runs whose memory is being freed.
    pub(super) discarded: Vec<Run>,
    queries: Queries,
    pacing: Pacing,
}

/// Draw acknowledgements: whether the page sends them, and whether the page has acknowledged the last views.
#[derive(Debug)]
struct Pacing {
    is_paced: bool,
    is_drawn: bool,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            is_paced: false,
            is_drawn: true,
        }
    }
}

impl Session {
    pub fn new(config: Config) -> Self {
        Self {
            workspace: Workspace::new(config),
            ..Self::default()
        }
    }

    /// Sets the number of steps in new chapters, for tests: with the normal number, all chapters of a short run stay in
    /// memory.
    pub fn set_chapter_steps(&mut self, steps: u64) {
        self.workspace.set_chapter_steps(steps);
    }

    pub fn world(&self) -> &World {
        self.workspace.world()
    }

    /// Returns the run of the current branch.
    pub fn run(&self) -> &Run {
        self.workspace.run()
    }

    /// Returns the last step before the cursor; 0 at the start of the run.
    pub fn cursor(&self) -> u64 {
        self.workspace.cursor
    }

    /// Returns the prompt of a half-typed transaction.
    pub fn pending(&self) -> Option<&'static str> {
        self.workspace.pending()
    }

    pub fn seek(&mut self, to: SeekTo) {
        self.workspace.seek(to);
    }

    /// Returns the views for the current queries.
    pub fn views(&self) -> Views {
        self.workspace.views(&self.queries, self.goes_on())
    }

    /// Returns only the views in the main area of the page, and the view of the selected key.
    fn stage_views(&mut self) -> Views {
        let queries = &mut self.queries;
        let aside = (
            queries.timeline.take(),
            queries.terminal.take(),
            queries.lesson,
        );
        queries.lesson = false;
        let views = Views {
            is_part: true,
            ..self.views()
        };
        let queries = &mut self.queries;
        (queries.timeline, queries.terminal, queries.lesson) = aside;
        views
    }

    /// Returns the state at the cursor as JSON.
    pub fn state_json(&self) -> String {
        self.workspace.state_json()
    }

    /// Turns on pacing: the page acknowledges the views that it has drawn with [`Notification::Drawn`]. While a command
    /// runs, the engine sends the next views only after the acknowledgement of the last views, or together with a
    /// response.
    pub fn pace(&mut self) {
        (self.pacing.is_paced, self.pacing.is_drawn) = (true, true);
    }

    /// Takes a database file that the next [`Request::OpenFile`] opens.
    pub fn offer_file(&mut self, source: crate::bbolt::Source) {
        self.texts.files.offer(source);
    }

    /// Handles a message. Adds responses and views to `out`; [`pump`](Self::pump) may add more.
    pub fn handle(&mut self, message: ToEngine, out: &mut Vec<FromEngine>) {
        let from = out.len();
        match message {
            ToEngine::Request(id, request) => self.request(id, request, out),
            ToEngine::Notification(notification) => self.notify(notification, out),
        }
        self.flush(from, out);
    }

    /// Begins a request, or lets it wait until the earlier jobs are done.
    fn request(&mut self, id: u32, request: Request, out: &mut Vec<FromEngine>) {
        let waits = match &request {
            Request::Act(_) | Request::Lesson(_) => true,
            Request::Move(_) | Request::Read(_) | Request::Export(_) => {
                self.jobs.iter().any(Job::replaces)
            }
            Request::Load { .. }
            | Request::Preview { .. }
            | Request::Goal { .. }
            | Request::CompareQos
            | Request::SearchEndings { .. }
            | Request::Repeat { .. }
            | Request::TryRandom { .. }
            | Request::Rehearse(_)
            | Request::Lessons
            | Request::Progress(_)
            | Request::OpenFile { .. }
            | Request::AskFile(_) => false,
        };
        if waits {
            let work = Work::Request(request.into());
            self.push(Job { id, work });
        } else {
            self.begin_request(id, request, out);
        }
    }

    fn begin_request(&mut self, id: u32, request: Request, out: &mut Vec<FromEngine>) {
        let (workspace, texts) = (&mut self.workspace, &mut self.texts);
        let load = |loading: Loading| Answer::Work(Work::Load(loading.into()));
        let result = match request {
            Request::Load { .. } | Request::Preview { .. } | Request::Goal { .. } => {
                return self.begin_run(id, request, out);
            }
            Request::OpenFile { name, role } => {
                return texts.files.begin(id, &name, role, out);
            }
            Request::AskFile(ask) => return texts.files.ask(id, ask, out),
            Request::Act(Act::Type(text)) => Ok(Answer::Work(Work::Exec(Typed::new(&text).into()))),
            Request::Act(Act::Undo) => workspace.undo(texts).map(load),
            Request::Act(Act::ResetPart) => workspace.restart(workspace.part(), texts).map(load),
            Request::Act(Act::ResetFrom(part)) => {
                workspace.restart(Some(part as usize), texts).map(load)
            }
            Request::Act(Act::Reset) => workspace.restart(None, texts).map(load),
            Request::Rehearse(text) => {
                self.end_jobs(out, |job| matches!(job.work, Work::Rehearsing(_)));
                Ok(match Rehearsal::new(&text) {
                    Ok(rehearsal) => Answer::Work(Work::Rehearsing(rehearsal.into())),
                    Err(FormatError {
                        line,
                        message: text,
                    }) => {
                        let faults = vec![Fault { line, text }];
                        Answer::Done(Done::LessonCheck(LessonCheck {
                            faults,
                            ..LessonCheck::default()
                        }))
                    }
                })
            }
            Request::Lesson(act) => workspace.act(act),
            Request::Lessons => Ok(Answer::Done(Done::Lessons(workspace.lessons()))),
            Request::Progress(text) => LearnerProgress::from_text(&text).map(|progress| {
                workspace.progress = progress;
                workspace.dirty = true;
                Answer::Done(workspace.moved())
            }),
            Request::Move(by) => {
                let from = self.end_move(out);
                Ok(self.workspace.move_cursor(by, from))
            }
            Request::Read(read) => Ok(workspace.read(read)),
            Request::CompareQos => {
                self.end_background(out);
                let comparison = self.workspace.begin_qos_comparison();
                Ok(Answer::Work(Work::Comparing(comparison.into())))
            }
            Request::Export(form) => {
                self.end_background(out);
                let export = Export::new(&self.workspace, form);
                Ok(Answer::Work(Work::Exporting(export.into())))
            }
            Request::SearchEndings { condition } => {
                self.end_background(out);
                let search = self.workspace.begin_search(condition);
                search.map(|search| Answer::Work(Work::Odds(search)))
            }
            Request::Repeat {
                ending,
                step,
                until,
                seeds,
                leaves_out,
            } => {
                self.end_background(out);
                let repeat = self
                    .workspace
                    .begin_repeat(&ending, (step, until), seeds, leaves_out);
                repeat.map(|repeat| Answer::Work(Work::Odds(repeat)))
            }
            Request::TryRandom {
                endings,
                ignored,
                seeds,
            } => {
                self.end_background(out);
                let nemesis = self.workspace.begin_nemesis(endings, &ignored, seeds);
                nemesis.map(|nemesis| Answer::Work(Work::Odds(nemesis)))
            }
        };
        match result {
            Ok(Answer::Done(done)) => answer(out, id, done),
            Ok(Answer::Work(work)) => self.jobs.push_front(Job { id, work }),
            Err(message) => answer(out, id, Done::Refused { message }),
        }
    }

    fn notify(&mut self, notification: Notification, out: &mut Vec<FromEngine>) {
        match notification {
            Notification::Drawn => self.pacing.is_drawn = true,
            Notification::Limit(limits) => self.workspace.limits = limits,
            Notification::Continue => self.resume_load(),
            Notification::Text { name, text } => self.take_text(&name, text, out),
            Notification::CloseFile => self.texts.files.close(out),
            Notification::StopMaintenance => self.texts.files.stop_maintenance(out),
            Notification::StopComparison => self.texts.files.close_other(out),
            Notification::Interrupt => self.interrupt(out),
            Notification::StopBackground => self.end_background(out),
            Notification::Show(queries) => {
                self.queries = *queries;
                self.workspace.dirty = true;
                // While a command runs, a change of the queries (such as panning) gets a response without delay.
                if self.waits() {
                    let views = self.stage_views();
                    out.push(FromEngine::Views(Box::new(views)));
                }
            }
        }
    }

    /// Does at most `budget` small pieces of the work in progress, each at most one step of the simulation, or one
    /// command of a lesson that is checked. Returns false if no work is left.
    pub fn pump(&mut self, budget: u32, out: &mut Vec<FromEngine>) -> bool {
        let mut left = budget;
        let has_time = || {
            let has_time = left > 0;
            left = left.saturating_sub(1);
            has_time
        };
        self.pump_while(has_time, out)
    }

    /// Does small pieces of the work in progress, each at most one step of the simulation or one command of a lesson
    /// that is checked, while `has_time` returns true. Returns false if no work is left. The host checks its clock in
    /// `has_time`, because the steps of some runs take long.
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
            if self.texts.files.has_work() {
                let memory = self.workspace.limits.memory_bytes;
                if let Some(open) = self.texts.files.advance(memory, out) {
                    self.take_file(&open.identity, out);
                }
                continue;
            }
            if self.jobs.is_empty() || self.stalled_load().is_some() {
                let memory = self.workspace.limits.memory_bytes;
                if self.texts.files.advance_background(memory, out) {
                    continue;
                }
                break;
            }
            let next = self.next_job();
            // A load replaces the run that the work in the background reads.
            let loads = |job: &Job| matches!(job.work, Work::Load(_));
            if self.jobs.get(next).is_some_and(loads) && self.jobs.iter().any(Job::reads_the_run) {
                self.end_background(out);
                continue;
            }
            let Some(mut job) = self.jobs.remove(next) else {
                break;
            };
            if let Work::Request(request) = job.work {
                self.begin_request(job.id, *request, out);
                continue;
            }
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
        out.extend(self.texts.files.progress());
        out.extend(self.texts.files.background_progress());
        let has_file_work = self.texts.files.has_work() || self.texts.files.has_background();
        let has_more = next.is_some() || !self.discarded.is_empty() || has_file_work;
        self.flush(from, out);
        has_more
    }

    fn progress_of(&self, job: &Job) -> FromEngine {
        let ((done, total), running) = match &job.work {
            Work::Exec(typed) => {
                let running = self
                    .workspace
                    .running_progress()
                    .or_else(|| typed.reading());
                (typed.progress(), running)
            }
            Work::Load(loading) | Work::Goal(loading, _) => (loading.progress(), loading.running()),
            Work::Comparing(comparison) => (comparison.progress(), None),
            Work::Odds(odds) => (odds.progress(), None),
            Work::Exporting(export) => export.progress(),
            Work::Request(_)
            | Work::Replaying(_)
            | Work::Rehearsing(_)
            | Work::Text { .. }
            | Work::File { .. } => ((0, 1), None),
        };
        FromEngine::Progress {
            id: job.id,
            done,
            total,
            running,
        }
    }

    /// Returns the next job if it is a load that has made [`Limits::load_steps`] steps and therefore must pause.
    fn paused_load(&self) -> Option<(u32, &Loading)> {
        let job = self.jobs.get(self.next_job())?;
        match &job.work {
            Work::Load(loading) if loading.is_paused(self.workspace.limits.load_steps) => {
                Some((job.id, loading))
            }
            _ => None,
        }
    }

    /// Returns the id of the next job's message, if the job is a paused load or waits for a text or a file.
    pub(super) fn stalled_load(&self) -> Option<u32> {
        let job = self.jobs.get(self.next_job())?;
        match &job.work {
            Work::Load(loading) if loading.is_paused(self.workspace.limits.load_steps) => {
                Some(job.id)
            }
            Work::Text { .. } | Work::File { .. } => Some(job.id),
            _ => None,
        }
    }

    /// Lets a paused load make another [`Limits::load_steps`] steps.
    fn resume_load(&mut self) {
        let next = self.next_job();
        let load_steps = self.workspace.limits.load_steps;
        if let Some(job) = self.jobs.get_mut(next)
            && let Work::Load(loading) = &mut job.work
            && loading.is_paused(load_steps)
        {
            loading.resume();
        }
    }

    /// Returns true if the engine must not send the next views yet, because work is in progress and the page has not
    /// acknowledged the last views.
    fn waits(&self) -> bool {
        self.pacing.is_paced && !self.pacing.is_drawn && self.goes_on()
    }

    /// Returns true if work is in progress, so that the views will change again soon.
    pub(super) fn goes_on(&self) -> bool {
        let next = self.jobs.get(self.next_job());
        // Work in the background does not change the views.
        next.is_some_and(|job| !job.is_in_the_background())
    }

    /// Sends the views if they have changed and no run is loading. While the page has not acknowledged the last views,
    /// sends the views only together with a response.
    fn flush(&mut self, from: usize, out: &mut Vec<FromEngine>) {
        let is_load = |job: &Job| {
            let is_fetched = matches!(job.work, Work::Text { .. }) && job.replaces();
            is_fetched || matches!(job.work, Work::Load(_) | Work::File { .. })
        };
        let loading = self.jobs.iter().any(is_load);
        let is_answer = |message: &FromEngine| matches!(message, FromEngine::Done { .. });
        let is_wanted = !self.waits() || out[from..].iter().any(is_answer);
        if self.workspace.dirty && !loading && is_wanted {
            self.workspace.find_goal();
            self.workspace.check_lesson();
            self.workspace.tell();
            self.workspace.try_part();
            self.workspace.try_solution();
            self.workspace.dirty = false;
            self.pacing.is_drawn = false;
            out.push(FromEngine::Views(Box::new(self.views())));
        }
    }

    /// Types text and waits until all commands are done, for tests and the native shell. Other hosts use
    /// [`handle`](Self::handle) and [`pump`](Self::pump).
    pub fn exec(&mut self, text: &str) -> Executed {
        let mut out = Vec::new();
        self.request(0, Request::Act(Act::Type(text.to_owned())), &mut out);
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

    /// Loads a run and waits until it is complete.
    pub fn load(&mut self, source: Source, at: SeekTo) -> Done {
        let mut out = Vec::new();
        self.begin_run(0, Request::Load { source, at }, &mut out);
        while self.pump(u32::MAX, &mut out) {}
        let done = out.into_iter().find_map(|message| match message {
            FromEngine::Done { done, .. } => Some(done),
            _ => None,
        });
        done.unwrap_or(Done::Interrupted)
    }

    fn interrupt(&mut self, out: &mut Vec<FromEngine>) {
        self.workspace.reader.abandon();
        self.workspace.stop_command();
        self.workspace.half_typed.clear();
        self.end_jobs(out, |_| true);
        self.workspace.dirty = true;
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
                self.discard(std::mem::take(&mut loading.workspace));
            }
        }
    }

    /// Returns the position of the next job in the list of jobs.
    ///
    /// Two kinds of jobs give way to others. A job that shows the goal of a lesson does not block later jobs while it
    /// waits for the text of the lesson. A job in the background runs only if there is no other job. By contrast, a
    /// load that waits for its text blocks all later jobs.
    fn next_job(&self) -> usize {
        let can_wait = |job: &Job| {
            job.is_in_the_background() || matches!(job.work, Work::Text { .. }) && !job.replaces()
        };
        let first = self.jobs.iter().position(|job| !can_wait(job));
        let first = first.or_else(|| self.jobs.iter().position(Job::is_in_the_background));
        first.unwrap_or(usize::MAX)
    }

    /// Cancels the work in the background that reads the run.
    fn end_background(&mut self, out: &mut Vec<FromEngine>) {
        self.end_jobs(out, Job::reads_the_run);
    }

    /// Removes all texts, for tests: in a browser, a session starts without texts.
    pub fn forget_texts(&mut self) {
        self.texts.clear();
    }

    /// Starts the work for a request, or lets the request wait for a missing text or file.
    pub(super) fn begin_run(&mut self, id: u32, request: Request, out: &mut Vec<FromEngine>) {
        let Some(job) = self.job(id, request, out) else {
            return;
        };
        // A stalled load would block the new load forever, so the stalled load is ended.
        if job.replaces()
            && let Some(stalled) = self.stalled_load()
        {
            self.end_jobs(out, |job| job.id == stalled);
        }
        self.push(job);
    }

    /// Creates the job for a request; `None` if the request gets an immediate response.
    fn job(&self, id: u32, request: Request, out: &mut Vec<FromEngine>) -> Option<Job> {
        let work = match &request {
            Request::Load { source, at } => {
                let loading = Loading::new(source.clone(), *at, &self.texts);
                loading.map(|loading| Work::Load(loading.into()))
            }
            Request::Preview { text, part } => {
                let loading = Loading::preview(text.clone(), *part, &self.texts);
                loading.map(|loading| Work::Load(loading.into()))
            }
            Request::Goal { lesson, queries } => {
                let loading = Loading::goal(lesson, &self.texts);
                loading.map(|loading| Work::Goal(loading.into(), queries.clone()))
            }
            _ => return None,
        };
        match work {
            Ok(work) => Some(Job { id, work }),
            Err(NotNow::Wants(name)) => {
                out.push(FromEngine::Wants { name: name.clone() });
                let request = Box::new(request);
                let work = Work::Text { name, request };
                Some(Job { id, work })
            }
            Err(NotNow::WantsFile(file)) => {
                let other = self.texts.files.open_name().map(Into::into);
                let wanted = file.clone();
                out.push(FromEngine::WantsFile { file, other });
                let request = Box::new(request);
                let work = Work::File { wanted, request };
                Some(Job { id, work })
            }
            Err(NotNow::Refused(message)) => {
                answer(out, id, Done::Refused { message });
                None
            }
        }
    }

    /// Continues the load that waits for this file. If a load waits for a different file, asks the page for that file
    /// again.
    fn take_file(&mut self, opened: &FileIdentity, out: &mut Vec<FromEngine>) {
        for job in self.take_jobs() {
            let job = match job.work {
                Work::File { wanted, request } if is_same(&wanted, opened) => {
                    self.job(job.id, *request, out)
                }
                Work::File { wanted, request } => {
                    out.push(FromEngine::WantsFile {
                        file: wanted.clone(),
                        other: Some(opened.name.to_string()),
                    });
                    let work = Work::File { wanted, request };
                    Some(Job { id: job.id, work })
                }
                work => Some(Job { id: job.id, work }),
            };
            if let Some(job) = job {
                self.push(job);
            }
        }
    }

    /// Continues to handle the requests that wait for this text. If the page has no such text, responds to these
    /// requests with [`Done::Absent`].
    pub(super) fn take_text(
        &mut self,
        name: &str,
        text: Option<String>,
        out: &mut Vec<FromEngine>,
    ) {
        let has_arrived = text.is_some();
        if let Some(text) = text {
            self.texts.insert(name, text);
        }
        for job in self.take_jobs() {
            let job = match job.work {
                Work::Text { name: wanted, .. } if wanted == name && !has_arrived => {
                    let done = match refusal_of_lesson(&wanted) {
                        Some(message) => Done::Refused { message },
                        None => Done::Absent { name: wanted },
                    };
                    answer(out, job.id, done);
                    continue;
                }
                Work::Text {
                    name: wanted,
                    request,
                } if wanted == name => self.job(job.id, *request, out),
                work => Some(Job { id: job.id, work }),
            };
            if let Some(job) = job {
                self.push(job);
            }
        }
    }

    // Work in progress.

    pub(super) fn push(&mut self, job: Job) {
        self.jobs.push_back(job);
    }

    /// Removes all jobs and returns them, oldest first. The caller puts back the jobs that continue.
    pub(super) fn take_jobs(&mut self) -> VecDeque<Job> {
        std::mem::take(&mut self.jobs)
    }

    /// Ends the move in progress, which a new move replaces. Returns the step at which a relative move starts.
    fn end_move(&mut self, out: &mut Vec<FromEngine>) -> u64 {
        let mut from = self.workspace.cursor;
        self.jobs.retain(|job| {
            if let Work::Replaying(Replaying::Seek(replay)) = &job.work {
                from = replay.to();
                answer(out, job.id, self.workspace.moved());
            }
            !matches!(job.work, Work::Replaying(Replaying::Seek(_)))
        });
        from
    }

    fn advance(&mut self, job: &mut Job) -> Option<Done> {
        match &mut job.work {
            Work::Replaying(Replaying::Seek(replay)) => {
                if self.workspace.run().replay_more(replay, REPLAY_STEPS) {
                    self.workspace.stand_at(replay.clone());
                    return Some(self.workspace.moved());
                }
                None
            }
            Work::Replaying(Replaying::Look {
                branch,
                replay,
                queries,
            }) => {
                let run = &self.workspace.branches[*branch as usize].run;
                let is_there = run.replay_more(replay, REPLAY_STEPS);
                is_there.then(|| {
                    let views = self.workspace.views_at(*branch, replay.world(), queries);
                    Done::Views(views.into())
                })
            }
            Work::Exec(typed) => {
                let more = typed.advance(&mut self.workspace);
                (!more).then(|| Done::Executed(std::mem::take(&mut typed.result)))
            }
            Work::Load(loading) => {
                let more = loading.advance();
                let refusal = loading.file_refusal();
                let limit = self.workspace.limits.memory_bytes;
                if let Some(message) = refusal.or_else(|| loading.memory_refusal(limit)) {
                    self.discard(std::mem::take(&mut loading.workspace));
                    return Some(Done::Refused { message });
                }
                if more {
                    return None;
                }
                let done = loading.done();
                let resumes = loading.resumes;
                let (workspace, rewound) = loading.finish();
                let mut old = std::mem::replace(&mut self.workspace, workspace);
                self.workspace.take_over(&mut old);
                let config = self.workspace.run().head().config();
                self.texts.files.begun = config.snapshot.clone();
                self.discard(old);
                if rewound {
                    self.workspace.note_progress();
                    return Some(self.workspace.moved());
                }
                self.workspace.resume_lesson(resumes);
                Some(done)
            }
            Work::Goal(loading, queries) => {
                if loading.advance() {
                    return None;
                }
                let (workspace, _) = loading.finish();
                Some(Done::Views(workspace.views(queries, false).into()))
            }
            Work::Comparing(comparison) => {
                let has_ended = comparison.advance();
                has_ended.then(|| Done::Qos(comparison.view().into()))
            }
            Work::Odds(odds) => odds.advance(&self.workspace),
            Work::Exporting(export) => export.advance(&self.workspace),
            Work::Rehearsing(rehearsal) => {
                let more = rehearsal.advance();
                (!more).then(|| Done::LessonCheck(rehearsal.result()))
            }
            // These jobs never advance: see `pump_while` and `stalled_load`.
            Work::Request(_) | Work::Text { .. } | Work::File { .. } => None,
        }
    }
}

pub(super) fn answer(out: &mut Vec<FromEngine>, id: u32, done: Done) {
    out.push(FromEngine::Done { id, done });
}
