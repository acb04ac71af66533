//! A run: its inputs, its steps, and the world after any step.
//!
//! The config and the inputs define a run; everything else can be replayed from them. At regular intervals, the run
//! keeps a copy of the simulated world (a kept world). A replay to any step starts at a kept world, so it is never
//! longer than an interval.

use std::sync::Arc;

use crate::api::{Reply, Request};
use crate::base::ordered::OrdMap;
use crate::base::shared_list::SharedList;
use crate::base::time::{SimDuration, SimTime};
use crate::mvcc::kv_store::FIRST_REVISION;
use crate::observe::kube_log::{Heard, StepTime};
use crate::observe::watch_log::MonitorOutcome;
use crate::observe::{
    ClientLog, Guard, History, KubeGuard, KubeLog, LoggedDelivery, Past, StoredChanges, WatchLog,
    WatcherLog,
};
use crate::scenario::Beat;
use crate::scenario::expr::Exchange;
use crate::shell::{Output, WatchPrint};
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::trace::{Event, Printed};
use crate::view::EntryKind;
use crate::world::op::WorldOp;
use crate::world::{Config, Destination, Kubectl, World};

use super::beats::Beats;
use super::inputs::{InputKind, Replay};
use super::memory::{Counts, MemoryUse};
use super::observers::Observers;
use super::recording::{Recording, StepEvents, StepRecord};
use super::scrollback::{Entry, LineNumber, More, Scrollback, TypedLine};

/// The maximum time, in simulated time, that `recv` waits for in-flight messages.
const WAIT_MAX: SimDuration = SimDuration::from_millis(10_000);

/// A message that arrives within this time after the previous event is part of the command that caused the message.
const AFTERMATH: SimDuration = SimDuration::from_millis(1);

/// The maximum time after a command in which a message can be part of the command.
const AFTERMATH_MAX: SimDuration = SimDuration::from_millis(100);

/// The minimum number of kept worlds (copies of the simulation). The run keeps this number of worlds even if each world
/// is large.
const WORLDS_MIN: u64 = 8;

/// The number of steps that a replay makes per call. Replayed steps are cheaper than new steps, which are traced and
/// recorded.
pub(super) const REPLAY_STEPS: u64 = 4;

/// The minimum capacity of the buffer for the events of a step. The buffer never shrinks below this capacity.
const ROOM_KEPT: usize = 64;

/// A run: the recorded steps, the inputs from which the steps can be replayed, and the world after the last step.
#[derive(Clone, Debug)]
pub struct Run {
    recording: Recording,
    /// A buffer for the events of the current step.
    now: Vec<Event>,
    seen: Observers,
    /// For each watch or client, by name: the step of each `recv`, and the number of responses that were printed up to
    /// that step.
    read: OrdMap<Arc<str>, Vec<(u64, usize)>>,
    /// The print options of each watch, by the name of the watch.
    prints: OrdMap<Arc<str>, WatchPrint>,
    scrollback: Scrollback,
    beats: Beats,
    head: World,
    /// The observers at the start of the run, if the run started on a file.
    seen_before: Option<Arc<Observers>>,
}

impl Run {
    /// Creates a run without steps.
    pub fn new(config: Config) -> Self {
        let mut new = NewRun::new(config);
        while !new.observe_more(usize::MAX) {}
        new.into_run()
    }

    /// Returns the revision of the store before the first step.
    pub fn first_revision(&self) -> i64 {
        match &self.head.config().snapshot {
            Some(file) => file.backup().revision(),
            None => FIRST_REVISION,
        }
    }

    /// Returns the world at the end of the run.
    pub fn head(&self) -> &World {
        &self.head
    }

    /// Returns the store's revision at the end of the run.
    pub fn head_revision(&self) -> i64 {
        self.head.at_endpoint().store().current_rev()
    }

    pub fn len(&self) -> u64 {
        self.recording.steps.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.recording.steps.is_empty()
    }

    /// Returns all steps, oldest first.
    pub fn steps(&self) -> &SharedList<StepRecord> {
        &self.recording.steps
    }

    /// Returns the record of a step, counted from 1; `None` for 0 and beyond the end.
    pub fn step(&self, step: u64) -> Option<&StepRecord> {
        self.recording
            .steps
            .get(usize::try_from(step.checked_sub(1)?).ok()?)
    }

    /// Returns the events of a step, counted from 1.
    pub fn events(&self, step: u64) -> StepEvents {
        self.recording.events(step)
    }

    /// Returns all changes that were written to the store.
    pub fn history(&self) -> &History {
        &self.seen.history
    }

    pub fn watch_log(&self) -> &WatchLog {
        &self.seen.watch_log
    }

    pub fn watcher_log(&self) -> &WatcherLog {
        &self.seen.watcher_log
    }

    pub fn kube_log(&self) -> &KubeLog {
        &self.seen.kube_log
    }

    pub fn client_log(&self) -> &ClientLog {
        &self.seen.client_log
    }

    /// Returns the state of the guarantees for clients of API servers.
    pub fn kube_guard(&self) -> &KubeGuard {
        &self.seen.kube_guard
    }

    /// Returns the state of the guarantees for watches.
    pub fn guard(&self) -> &Guard {
        &self.seen.guard
    }

    /// Returns the recording: the events and messages of the run.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Returns the data of the run up to a step. `world` is the world after the step, and `events` are the events of
    /// the step.
    pub fn past<'a>(&'a self, step: u64, world: &'a World, events: &'a [Event]) -> Past<'a> {
        Past {
            world,
            member: world.endpoint(),
            step,
            command: self.line_of(step).map_or("", |line| &line.text),
            events,
            makes_no_step: false,
            aside: None,
            focus: None,
            history: self.history().at(step),
            end_revision: self.head_revision(),
            watch_log: self.watch_log(),
            watcher_log: self.watcher_log(),
            kube_log: self.kube_log(),
            client_log: &self.seen.client_log,
            metrics: &self.recording.metrics,
            recorded: &self.recording,
        }
    }

    /// Sets the number of steps in new chapters of the recording.
    pub(super) fn set_chapter_steps(&mut self, steps: u64) {
        self.recording.set_chapter_steps(steps);
    }

    /// Returns the responses that reached the watch or client with this name by `step` and that `recv` has not printed
    /// yet.
    pub fn unread(&self, name: &str, step: u64) -> Option<Vec<&LoggedDelivery>> {
        let mut all = self.seen.watch_log.deliveries(name, step)?;
        all.drain(..self.read_count(name, step).min(all.len()));
        Some(all)
    }

    pub fn print_as(&mut self, name: &str, print: WatchPrint) {
        self.prints.insert(name.into(), print);
    }

    /// Returns true if a watch process with this name was started.
    pub fn prints(&self, name: &str) -> bool {
        self.prints.contains_key(name)
    }

    pub fn print_of(&self, name: &str) -> WatchPrint {
        self.prints.get(name).cloned().unwrap_or_default()
    }

    /// Returns the unprinted renewals, up to `step`, of the lease that a client keeps alive. Returns `None` for a
    /// client without such a lease.
    pub fn unread_kept(&self, name: &str, step: u64) -> Option<&[(u64, i64, i64)]> {
        let all = self.seen.watch_log.kept(name, step)?;
        Some(&all[self.read_count(name, step).min(all.len())..])
    }

    /// Returns the unprinted output, up to `step`, of a command that runs until it is ended. Returns `None` for a
    /// client without such output.
    pub fn unread_printed(&self, name: &str, step: u64) -> Option<&[(u64, Arc<Printed>)]> {
        let all = self.seen.watch_log.printed(name, step)?;
        Some(&all[self.read_count(name, step).min(all.len())..])
    }

    /// Returns the responses to the requests that a watch sent for the events in its unprinted responses.
    pub fn unread_ran(&self, name: &str, step: u64) -> Vec<Arc<Reply>> {
        let log = &self.seen.watch_log;
        let read = self.read_count(name, step);
        let deliveries = log.deliveries(name, step).unwrap_or_default();
        let events = deliveries
            .iter()
            .take(read)
            .map(|d| d.response.events.len());
        let mut ran = log.ran(name, step);
        ran.drain(..events.sum::<usize>().min(ran.len()));
        ran
    }

    /// Returns the unprinted responses of the QoS monitor, up to `step`. Returns `None` for a client without such
    /// responses.
    pub fn unread_monitored(&self, name: &str, step: u64) -> Option<&[(u64, MonitorOutcome)]> {
        let all = self.seen.watch_log.monitored(name, step)?;
        Some(&all[self.read_count(name, step).min(all.len())..])
    }

    /// Returns everything that a client of API servers received by `step` and that `recv` has not printed yet. Returns
    /// `None` if there is no such client.
    pub fn unread_heard(&self, name: &str, step: u64) -> Option<&[(StepTime, Heard)]> {
        let all = self.seen.kube_log.heard(name, step)?;
        Some(&all[self.read_count(name, step).min(all.len())..])
    }

    fn read_count(&self, name: &str, step: u64) -> usize {
        let marks = self.read.get(name).map_or(&[][..], |marks| marks);
        let mark = marks.iter().rev().find(|(at, _)| *at <= step);
        mark.map_or(0, |(_, count)| *count)
    }

    /// Records that all responses which have reached a watch or client so far are printed.
    pub fn mark_read(&mut self, name: &str) {
        let step = self.len();
        let log = &self.seen.watch_log;
        let is_process = self
            .head
            .client_named(name)
            .is_some_and(|(_, c)| c.process().is_some());
        let count = match log.kept(name, step) {
            _ if is_process => log.printed(name, step).map_or(0, <[_]>::len),
            Some(kept) => kept.len(),
            None if let Some(monitored) = log.monitored(name, step) => monitored.len(),
            None => match self.seen.kube_log.heard(name, step) {
                Some(heard) => heard.len(),
                None => log.deliveries(name, step).map_or(0, |all| all.len()),
            },
        };
        self.read
            .get_or_insert_with(name.into(), Vec::new)
            .push((step, count));
    }

    pub fn beats(&self) -> &Beats {
        &self.beats
    }

    /// Returns the number of a line, and starts a beat if the line begins a beat. A line
    /// that begins no beat becomes a beat of its own as soon as the line makes steps.
    fn begin_line(
        &mut self,
        text: &Arc<str>,
        beat: Option<&Arc<Beat>>,
        makes_step: bool,
    ) -> LineNumber {
        let line = self.scrollback.number_of(text, beat);
        let last = self.recording.steps.last();
        let begins = match beat {
            Some(beat) => !self.beats.is_newest(beat),
            None => makes_step && last.is_none_or(|step| step.line != line),
        };
        if begins {
            self.beats.begin(self.len() + 1, beat.cloned());
        }
        line
    }

    /// Adds the output of a command to the terminal, at a step. A command that belongs to no section of the narration
    /// is added to the beat `at_beat`. Returns the number of the entry.
    pub(super) fn note(
        &mut self,
        (step, at_beat): (u64, u64),
        (text, beat): (&Arc<str>, Option<&Arc<Beat>>),
        output: &Output,
        kind: EntryKind,
        more: More,
    ) -> u64 {
        let line = self.begin_line(text, beat, false);
        let number = match beat {
            Some(_) => self.beats.len(),
            None => at_beat,
        };
        self.scrollback
            .note((step, number), line, output, kind, more)
    }

    pub fn scrollback(&self) -> &Scrollback {
        &self.scrollback
    }

    pub(super) fn scrollback_mut(&mut self) -> &mut Scrollback {
        &mut self.scrollback
    }

    /// Returns the command line of a step, counted from 1; `None` for 0 and beyond the end.
    pub fn line_of(&self, step: u64) -> Option<&TypedLine> {
        Some(self.scrollback.line(self.step(step)?.line))
    }

    /// Returns the last command at a position: the command whose response arrived last, or the command of the step
    /// while its response is in flight. Returns `None` if there is no earlier command.
    pub fn command_at(&self, step: u64, beat: u64) -> Option<&TypedLine> {
        let last = self.entry_at(step, beat);
        let last = last.map(|entry| self.scrollback.line(entry.line));
        last.or_else(|| self.line_of(step))
    }

    /// Returns the newest entry at a position whose command ended at the step of the position.
    pub(super) fn entry_at(&self, step: u64, beat: u64) -> Option<&Entry> {
        let newest = self.scrollback.by(step, beat).next_back();
        newest.filter(|entry| entry.step == step)
    }

    /// Returns the last request to the member and the response, provided that the response arrived by the end of
    /// `step`.
    pub fn last_exchange(&self, step: u64) -> Option<&Arc<Exchange>> {
        self.scrollback.exchange_before(step, u64::MAX)
    }

    // The next functions add the inputs of commands. Their caller must also make the steps that the added input causes.

    fn add_input(&mut self, what: InputKind) {
        self.recording.inputs.add(self.len(), what);
    }

    /// Sends a request to a member at the end of the run.
    pub fn submit(&mut self, to: Destination, request: Arc<Request>) -> RequestId {
        let input = match to == Destination::from(self.head.endpoint()) {
            true => InputKind::request(&request, &self.seen.history),
            false => InputKind::RequestTo(to.clone().into(), request.clone()),
        };
        self.add_input(input);
        self.head.submit_to(to, request)
    }

    /// Takes the response to a request, once it has arrived.
    pub fn take_reply(&mut self, id: RequestId) -> Option<Reply> {
        self.head.take_reply(id)
    }

    /// Sends a request to an API server at the end of the run.
    pub fn submit_kubectl(&mut self, request: Kubectl) -> RequestId {
        let request = Arc::new(request);
        self.add_input(InputKind::Kubectl(request.clone()));
        self.head.kubectl(request)
    }

    /// Takes the response to a request of kubectl, once it has arrived.
    pub fn take_kubectl_reply(&mut self, id: RequestId) -> Option<KubectlReply> {
        self.head.take_kubectl_reply(id)
    }

    /// Applies an operation at the end of the run, after [`World::check`] has accepted it. Returns the time by which
    /// the operation is done.
    pub fn submit_op(&mut self, op: WorldOp) -> SimTime {
        let op = Arc::new(op);
        self.add_input(InputKind::Op(op.clone()));
        self.head.do_op(op);
        self.head.now() + self.head.config().command_pace
    }

    /// Lets time pass at the end of the run. Returns the time at which the sleep ends.
    ///
    /// # Errors
    /// Returns an error message if the run would exceed the maximum simulated time.
    pub fn submit_sleep(&mut self, duration: SimDuration) -> Result<SimTime, String> {
        if !self.head.can_sleep(duration) {
            return Err("a run can last at most 100 years of simulated time".into());
        }
        self.add_input(InputKind::Sleep(duration));
        self.head.sleep(duration);
        Ok(self.head.now() + duration)
    }

    /// Removes the inputs that have not been delivered: in-flight requests to etcd, and sleeps that have not ended.
    pub fn cancel_undelivered(&mut self) {
        if self.head.drop_undelivered() > 0 {
            self.add_input(InputKind::Cancel);
        }
    }

    /// Returns true if an event is scheduled for `at` or before.
    pub fn is_due_by(&self, at: SimTime) -> bool {
        self.head.next_at().is_some_and(|next| next <= at)
    }

    /// Returns true if data for the watch with this name is in flight, and the world has at least one event that is
    /// scheduled for `until` or before.
    pub fn is_pending(&self, name: &str, until: SimTime) -> bool {
        self.is_due_by(until) && (self.head.is_pending(name) || self.head.is_kube_pending(name))
    }

    /// Returns the latest time at which a `recv` that starts now stops waiting for [pending](Self::is_pending) data.
    pub fn receive_until(&self) -> SimTime {
        self.head.now() + WAIT_MAX
    }

    /// Returns true if further events are still part of the last command: an event scheduled for the current time, such
    /// as the first batch of a compaction, or a message that arrives soon.
    pub fn is_unsettled(&self, until: SimTime) -> bool {
        let now = self.head.now();
        let soon = (now + AFTERMATH).min(until);
        self.is_due_by(now) || self.head.a_message_arrives_by(soon)
    }

    /// Returns the latest time at which a command that ends now waits for [unsettled](Self::is_unsettled) events.
    pub fn settle_until(&self) -> SimTime {
        self.head.now() + AFTERMATH_MAX
    }

    /// Makes the next step; returns false if no event is scheduled.
    pub fn make_step(&mut self, command: &Arc<str>, beat: Option<&Arc<Beat>>) -> bool {
        let now = &mut self.now;
        let stepped = self.head.step(&mut |event| now.push(event));
        for mut event in now.drain(..) {
            // The guard checks whole lists, so it needs the event before it is shortened.
            self.seen.kube_guard.observe(&event, &self.seen.guard);
            self.recording.shorten(&mut event, &self.head);
            self.seen.observe(&event);
            self.recording.add(event);
        }
        // A step with very many events is rare, so its memory is not kept.
        now.shrink_to(ROOM_KEPT);
        if stepped {
            let line = self.begin_line(command, beat, true);
            let lag = self.seen.lag.greatest(self.head_revision());
            let begins = self.recording.end_step(&self.head, line, lag);
            let may_thin = begins && self.recording.worlds() > WORLDS_MIN;
            if may_thin && self.memory().is_large_in_worlds() {
                self.recording.thin_worlds();
            }
        }
        stepped
    }

    /// Frees a piece of the run's data; returns false when almost no data is left. Afterwards, the run is unusable.
    pub(super) fn free_more(&mut self) -> bool {
        if self.recording.free_more() {
            return true;
        }
        let has_steps = !self.is_empty();
        if has_steps {
            self.recording.steps = SharedList::default();
            self.seen = Observers::new(&self.head);
            self.seen_before = None;
        }
        has_steps
    }

    /// Returns the estimated memory use of the run.
    pub(super) fn memory(&self) -> MemoryUse {
        self.counts().into()
    }

    /// Returns the numbers of objects in the run, from which its memory is estimated.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            events: self.recording.events_held(),
            steps: self.len(),
            observed: self.seen.bytes + self.bytes_before(),
            entries: self.scrollback.len(),
            output_bytes: self.scrollback.output_bytes(),
            worlds: self.recording.worlds(),
            world_distance: self.recording.world_distance(),
            nodes: self.head.node_count(),
            due: self.head.due_count(),
            keys: self.head.at_endpoint().store().live_keys() as u64,
        }
    }

    /// Returns the number of bytes that the observers used before the first step, if the run starts on a file;
    /// otherwise 0. Each fork of the run starts with a copy of these observers.
    fn bytes_before(&self) -> u64 {
        self.seen_before.as_ref().map_or(0, |before| before.bytes)
    }

    /// Returns the world after a step, replayed from the nearest kept world.
    pub fn world_at(&self, step: u64) -> World {
        let mut replay = self.begin_replay(step);
        while !self.replay_more(&mut replay, u64::MAX) {}
        replay.into_world()
    }

    /// Starts a replay to a step from the nearest kept world.
    pub fn begin_replay(&self, step: u64) -> Replay {
        if step >= self.len() {
            return Replay::new(self.head.clone(), self.len());
        }
        self.recording.begin_replay(step)
    }

    /// Replays at most `steps` further steps; returns true once the world is at the target step.
    pub fn replay_more(&self, replay: &mut Replay, steps: u64) -> bool {
        replay.advance(&self.recording.inputs, steps)
    }

    /// Replays the whole run from the config and the inputs alone. Returns the world at the end.
    pub fn replayed(&self) -> World {
        let mut world = World::new(self.head.config().clone());
        let inputs = &self.recording.inputs;
        inputs.replay(&mut world, self.len(), None);
        inputs.apply_rest(&mut world);
        world
    }

    /// Returns the run up to a step as a new run. The new run does not contain the inputs that were not delivered at
    /// that step, because they belong to the future of this run.
    pub fn fork(&self, step: u64, world: World) -> Self {
        let mut fork = self.begin_fork(step, world);
        while !fork.observe_more() {}
        fork.into_run()
    }

    /// The observers of the fork still have to observe the events; see [`Fork::observe_more`].
    pub fn begin_fork(&self, step: u64, world: World) -> Fork {
        let mut read = self.read.clone();
        for marks in read.values_mut() {
            marks.retain(|(at, _)| *at <= step);
        }
        let run = Self {
            recording: self.recording.fork(step),
            now: Vec::new(),
            seen: match &self.seen_before {
                Some(before) => Observers::clone(before),
                None => Observers::new(&self.head),
            },
            seen_before: self.seen_before.clone(),
            read,
            prints: self.prints.clone(),
            scrollback: self
                .scrollback
                .fork(step, self.step(step).map(|last| last.line)),
            beats: self.beats.fork(step, self.len()),
            head: world,
        };
        Fork { run, observed: 0 }
    }

    /// Estimates the numbers of objects in a fork at a step. Assumes that the bytes of the observers are proportional
    /// to the number of steps.
    pub(super) fn fork_counts(&self, step: u64) -> Counts {
        let counts = self.counts();
        let share = |of: u64| {
            let share = u128::from(of) * u128::from(step) / u128::from(self.len()).max(1);
            share as u64
        };
        Counts {
            events: share(counts.events),
            steps: step,
            observed: self.bytes_before() + share(self.seen.bytes - self.bytes_before()),
            entries: self.scrollback.at(step).len() as u64,
            worlds: 0,
            ..counts
        }
    }
}

/// A new run whose observers have not observed all rows of its file yet.
#[derive(Debug)]
pub struct NewRun {
    run: Run,
    stored: Option<StoredChanges>,
}

impl NewRun {
    pub fn new(config: Config) -> Self {
        let head = World::new(config);
        let mut seen = Observers::new(&head);
        let file = head.config().snapshot.as_ref();
        let stored = file.map(|file| {
            let store = file.backup().store();
            seen.begin_at(store.current_rev(), store.compact_rev());
            StoredChanges::new(store.backend().clone())
        });
        let run = Run {
            recording: Recording::new(&head),
            now: Vec::new(),
            seen,
            read: OrdMap::new(),
            prints: OrdMap::new(),
            scrollback: Scrollback::default(),
            beats: Beats::default(),
            head,
            seen_before: None,
        };
        Self { run, stored }
    }

    /// Observes up to `rows` further rows; returns true once all rows are observed.
    pub fn observe_more(&mut self, rows: usize) -> bool {
        let Some(stored) = &mut self.stored else {
            return true;
        };
        let seen = &mut self.run.seen;
        stored.step(rows, |change| seen.begin_with(&change))
    }

    /// Returns the estimated size of the observers, in bytes. The size counts twice, because forks start with a copy of
    /// the observers.
    pub(super) fn bytes(&self) -> u64 {
        2 * self.run.seen.bytes
    }

    /// Returns the finished run, once all rows are observed.
    pub fn into_run(mut self) -> Run {
        if self.stored.is_some() {
            self.run.seen_before = Some(Arc::new(self.run.seen.clone()));
        }
        self.run
    }
}

/// A fork whose observers have not observed all events yet. After a long run, the observation takes several slices of
/// work.
#[derive(Debug)]
pub struct Fork {
    run: Run,
    /// The number of chapters that the fork's observers have observed.
    observed: usize,
}

impl Fork {
    /// Observes the next chapter, if any; returns true once all chapters are observed.
    pub fn observe_more(&mut self) -> bool {
        let Run {
            recording, seen, ..
        } = &mut self.run;
        if self.observed < recording.chapters() {
            for event in recording.chapter(self.observed).events() {
                seen.kube_guard.observe(event, &seen.guard);
                seen.observe(event);
            }
            self.observed += 1;
        }
        self.observed == recording.chapters()
    }

    /// Returns the number of observed steps, and the total number of steps.
    pub fn progress(&self) -> (u64, u64) {
        let all = self.run.len();
        let chapters = self.run.recording.chapters() as u64;
        (all * self.observed as u64 / chapters, all)
    }

    /// Returns the new run, once all chapters are observed.
    pub fn into_run(mut self) -> Run {
        self.run.cancel_undelivered();
        self.run
    }
}
