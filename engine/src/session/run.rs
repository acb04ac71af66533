//! One line of history: what was asked, what it led to, and how to stand at any moment of it.
//!
//! Truth is the config and the inputs; everything else can be made again from them. A world is
//! kept every so many steps, so that standing somewhere costs at most that many.

use std::sync::Arc;

use crate::api::kube::{KubeAnswer, KubeResponse};
use crate::api::message::{Body, EtcdMessage, KubeMessage};
use crate::api::{RangeResponse, Reply, Request, Response};
use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};
use crate::client::kube::KubeClient;
use crate::observe::kube_log::{Heard, Moment};
use crate::observe::{Delivery, Guard, History, KubeGuard, KubeLog, Traffic, WatchLog, WatcherLog};
use crate::scenario::expr::Exchange;
use crate::shell::{Output, WatchPrint};
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::trace::{Event, EventList, KubeTrace, NetTrace, TraceEvent};
use crate::view::{EntryKind, MarkerKind};
use crate::world::op::WorldOp;
use crate::world::{Config, Kubectl, World};

use super::memory::{Counts, ITEM_BYTES};
use super::step_kind;

/// Steps from one kept world to the next, in a short run.
const KEYFRAME_STEPS: u64 = 256;

/// Worlds that are kept. In a longer run every second one is dropped and the distance doubles:
/// what a key's long history costs in each of them must not grow with the run as well.
const KEYFRAMES_MAX: usize = 64;

/// How long `recv` waits for what is on its way.
const WAIT_MAX: SimDuration = SimDuration::from_millis(10_000);

/// Messages that arrive so close after one another still count as part of a command that set them
/// off.
const AFTERMATH: SimDuration = SimDuration::from_millis(1);

/// But not for longer than this in all.
const AFTERMATH_MAX: SimDuration = SimDuration::from_millis(100);

/// Worlds that are kept however large they are.
const KEYFRAMES_MIN: usize = 8;

/// Steps of a replay that are made at once. They are cheaper than new steps, which are traced and kept.
pub(super) const REPLAY_STEPS: u64 = 4;

/// Bytes of outputs that a run keeps whole.
const OUTPUT_BYTES_KEPT: usize = 64 << 20;

/// Entries, from the newest back, that keep what was asked and answered.
const EXCHANGES_KEPT: usize = 100;

/// Bytes that stay of an older output when there are more.
const OUTPUT_BYTES_SHORT: usize = 2_000;

/// Lists to fleets of kubelets that a run keeps whole, each as it is sent and as it is heard: of later ones it keeps
/// how many objects they had. Thousands of them arrive while one looks, and nobody reads them.
const FLEET_LISTS_KEPT: u32 = 2 * 200;

/// Events of a step that there is always room for.
const ROOM_KEPT: usize = 64;

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    inputs: Vec<Input>,
    steps: Vec<StepRecord>,
    events: EventList,
    /// Room for those of the step that is being done.
    now: Vec<Event>,
    seen: Observers,
    /// How much of what reached a watch was printed by `recv`, by its name: step and count.
    read: OrdMap<Arc<str>, Vec<(u64, usize)>>,
    /// How each watch prints, by its name.
    prints: OrdMap<Arc<str>, WatchPrint>,
    entries: Vec<Entry>,
    next_entry: u64,
    /// Bytes of all outputs, and how many entries from the oldest on were shortened for it.
    output_bytes: usize,
    shortened: usize,
    fleet_lists: u32,
    /// Bytes of what the messages of the trace hold.
    payload: u64,
    keyframes: Vec<World>,
    keyframe_steps: u64,
    head: World,
}

/// Those who follow what happens. Each knows no more than the events up to the end of the run.
#[derive(Clone, Debug)]
struct Observers {
    history: History,
    watch_log: WatchLog,
    watcher_log: WatcherLog,
    traffic: Traffic,
    kube_log: KubeLog,
    kube_guard: KubeGuard,
    guard: Guard,
}

impl Observers {
    /// Those of a run of this world, whose pictures show the member that the terminal asks.
    fn new(world: &World) -> Self {
        let member = world.endpoint();
        Self {
            history: History::of(member),
            watch_log: WatchLog::default(),
            watcher_log: WatcherLog::of(member),
            traffic: Traffic::default(),
            kube_log: KubeLog::default(),
            kube_guard: KubeGuard::default(),
            guard: Guard::new(member, world.config().profile),
        }
    }

    fn observe(&mut self, event: &Event) {
        self.history.observe(event);
        self.watch_log.observe(event);
        self.watcher_log.observe(event);
        self.traffic.observe(event);
        self.kube_log.observe(event);
        self.guard.observe(event);
    }
}

/// Something from outside, and after which step it came.
#[derive(Clone, Debug)]
struct Input {
    after_step: u64,
    what: InputKind,
}

#[derive(Clone, Debug)]
enum InputKind {
    Request(Arc<Request>),
    Kubectl(Arc<Kubectl>),
    Sleep(SimDuration),
    Op(Arc<WorldOp>),
    /// What was submitted and is not delivered yet is dropped.
    Cancel,
}

impl InputKind {
    fn apply(&self, world: &mut World) {
        match self {
            Self::Request(request) => {
                world.submit(request.clone());
            }
            Self::Sleep(duration) => world.sleep(*duration),
            Self::Op(op) => world.do_op(op.clone()),
            Self::Kubectl(request) => {
                world.kubectl(request.clone());
            }
            Self::Cancel => {
                world.drop_undelivered();
            }
        }
    }
}

/// A world that is being brought to a step of the run.
#[derive(Clone, Debug)]
pub struct Replay {
    world: Box<World>,
    to: u64,
}

impl Replay {
    /// The step.
    pub fn to(&self) -> u64 {
        self.to
    }

    /// Steps that are left.
    pub fn left(&self) -> u64 {
        self.to - self.world.steps()
    }

    /// The world.
    pub fn into_world(self) -> World {
        *self.world
    }
}

/// What is known of a step without standing there.
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// When it happened.
    pub at: SimTime,
    /// The store's revision after it.
    pub revision: i64,
    /// What it was.
    pub kind: MarkerKind,
    /// The command it belongs to.
    pub command: Arc<str>,
    /// The remark that stood above that command.
    pub remark: Arc<str>,
    /// Where its events begin.
    events_from: u32,
}

/// A command and what it printed.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number in the run.
    pub id: u64,
    /// The step at which its answer came.
    pub step: u64,
    /// What was typed.
    pub command: Arc<str>,
    /// The remark above it.
    pub remark: Arc<str>,
    /// What it printed.
    pub output: Output,
    /// What it did to the run.
    pub kind: EntryKind,
    /// What a transcript said it would print, when that differs.
    pub expected: Option<String>,
    /// What was asked and answered; in a lesson, whose checker may want to know.
    pub exchange: Option<Arc<Exchange>>,
}

impl Run {
    /// A run in which nothing has happened.
    pub fn new(config: Config) -> Self {
        let head = World::new(config);
        Self {
            inputs: Vec::new(),
            steps: Vec::new(),
            events: EventList::default(),
            now: Vec::new(),
            seen: Observers::new(&head),
            read: OrdMap::new(),
            prints: OrdMap::new(),
            entries: Vec::new(),
            next_entry: 0,
            output_bytes: 0,
            shortened: 0,
            fleet_lists: 0,
            payload: 0,
            keyframes: vec![head.clone()],
            keyframe_steps: KEYFRAME_STEPS,
            head,
        }
    }

    /// The world at the end.
    pub fn head(&self) -> &World {
        &self.head
    }

    /// How many steps there are.
    pub fn len(&self) -> u64 {
        self.steps.len() as u64
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Every step, the first one first.
    pub fn steps(&self) -> &[StepRecord] {
        &self.steps
    }

    /// A step, from 1; `None` for 0 and beyond the end.
    pub fn step(&self, step: u64) -> Option<&StepRecord> {
        self.steps.get(usize::try_from(step.checked_sub(1)?).ok()?)
    }

    /// What happened in a step, from 1.
    pub fn events(&self, step: u64) -> &[Event] {
        let Some(record) = self.step(step) else {
            return &[];
        };
        let end = self
            .step(step + 1)
            .map_or(self.events.len(), |next| next.events_from as usize);
        self.events.of_step(record.events_from as usize, end)
    }

    /// Everything that was ever written.
    pub fn history(&self) -> &History {
        &self.seen.history
    }

    /// What its clients asked for and what reached them.
    pub fn watch_log(&self) -> &WatchLog {
        &self.seen.watch_log
    }

    /// Where to find what happened to its watchers.
    pub fn watcher_log(&self) -> &WatcherLog {
        &self.seen.watcher_log
    }

    /// Its messages.
    pub fn traffic(&self) -> &Traffic {
        &self.seen.traffic
    }

    /// What happened on Kubernetes' side.
    pub fn kube_log(&self) -> &KubeLog {
        &self.seen.kube_log
    }

    /// Which promises to clients of API servers were kept.
    pub fn kube_guard(&self) -> &KubeGuard {
        &self.seen.kube_guard
    }

    /// Which promises to its watches were kept.
    pub fn guard(&self) -> &Guard {
        &self.seen.guard
    }

    /// Everything that happened; an event's number is its place, from 1.
    pub fn trace(&self) -> &EventList {
        &self.events
    }

    /// What reached a watch or a client of this name by `step` and was not printed yet.
    pub fn unread(&self, name: &str, step: u64) -> Option<Vec<&Delivery>> {
        let mut all = self.seen.watch_log.deliveries(name, step)?;
        all.drain(..self.read_count(name, step).min(all.len()));
        Some(all)
    }

    /// Notes how a watch prints.
    pub fn print_as(&mut self, name: &str, print: WatchPrint) {
        self.prints.insert(name.into(), print);
    }

    /// Whether a process of this name was begun.
    pub fn prints(&self, name: &str) -> bool {
        self.prints.contains_key(name)
    }

    /// How a watch prints.
    pub fn print_of(&self, name: &str) -> WatchPrint {
        self.prints.get(name).copied().unwrap_or_default()
    }

    /// When the lease that a client keeps alive got its time again by `step`, as far as that was
    /// not printed yet; `None` for any other client.
    pub fn unread_kept(&self, name: &str, step: u64) -> Option<&[(u64, i64, i64)]> {
        let all = self.seen.watch_log.kept(name, step)?;
        Some(&all[self.read_count(name, step).min(all.len())..])
    }

    /// What a client of API servers heard by `step` and was not printed yet; `None` when there is no
    /// such client.
    pub fn unread_heard(&self, name: &str, step: u64) -> Option<&[(Moment, Heard)]> {
        let all = self.seen.kube_log.heard(name, step)?;
        Some(&all[self.read_count(name, step).min(all.len())..])
    }

    fn read_count(&self, name: &str, step: u64) -> usize {
        let marks = self.read.get(name).map_or(&[][..], |marks| marks);
        let mark = marks.iter().rev().find(|(at, _)| *at <= step);
        mark.map_or(0, |(_, count)| *count)
    }

    /// Notes that everything which reached a watch by now was printed.
    pub fn mark_read(&mut self, name: &str) {
        let step = self.len();
        let log = &self.seen.watch_log;
        let count = match log.kept(name, step) {
            Some(kept) => kept.len(),
            None => match self.seen.kube_log.heard(name, step) {
                Some(heard) => heard.len(),
                None => log.deliveries(name, step).map_or(0, |all| all.len()),
            },
        };
        self.read
            .get_or_insert_with(name.into(), Vec::new)
            .push((step, count));
    }

    /// The terminal's entries at or before a step, oldest first.
    pub fn entries_at(&self, step: u64) -> &[Entry] {
        &self.entries[..self.entries.partition_point(|e| e.step <= step)]
    }

    /// Notes what was typed at a step and what it printed. Of outputs that are long past only the
    /// beginning is kept when all of them together become too much, and of what was asked and
    /// answered only the newest. Returns the entry's number.
    pub fn note(&mut self, mut entry: Entry) -> u64 {
        self.output_bytes += entry.output.stdout.len() + entry.output.stderr.len();
        while self.output_bytes > OUTPUT_BYTES_KEPT && self.shortened < self.entries.len() {
            let old = &mut self.entries[self.shortened].output;
            for text in [&mut old.stdout, &mut old.stderr] {
                let cut = text.len().saturating_sub(OUTPUT_BYTES_SHORT);
                text.truncate(OUTPUT_BYTES_SHORT);
                text.shrink_to_fit();
                self.output_bytes -= cut;
            }
            self.shortened += 1;
        }
        let id = self.next_entry;
        entry.id = id;
        self.next_entry += 1;
        let place = self.entries.partition_point(|e| e.step <= entry.step);
        let asked = entry.exchange.is_some();
        self.entries.insert(place, entry);
        if asked && let Some(old) = self.entries.len().checked_sub(EXCHANGES_KEPT + 1) {
            self.entries[old].exchange = None;
        }
        id
    }

    /// Forgets the terminal's entries: what was typed so far was not typed by a person.
    pub fn clear_terminal(&mut self) {
        self.entries.clear();
        (self.output_bytes, self.shortened) = (0, 0);
    }

    /// Returns the entry of this number, whose answer came at or before a step.
    pub fn entry(&self, step: u64, id: u64) -> Option<&Entry> {
        let mut entries = self.entries_at(step).iter().rev();
        entries.find(|entry| entry.id == id)
    }

    /// The last request to the member that was answered at or before a step.
    pub fn last_exchange(&self, step: u64) -> Option<&Arc<Exchange>> {
        self.exchange_before(step, u64::MAX)
    }

    /// The same, without the entries from this number on.
    pub fn exchange_before(&self, step: u64, entry: u64) -> Option<&Arc<Exchange>> {
        let entries = self.entries_at(step).iter().rev();
        let earlier = entries.filter(|e| e.id < entry);
        earlier.filter_map(|e| e.exchange.as_ref()).next()
    }

    // Inputs: what a command asks for. The caller that adds an input also makes its steps.

    fn add_input(&mut self, what: InputKind) {
        self.inputs.push(Input {
            after_step: self.len(),
            what,
        });
    }

    /// Sends a request to etcd at the end of the run.
    pub fn submit(&mut self, request: Request) -> RequestId {
        let request = Arc::new(request);
        self.add_input(InputKind::Request(request.clone()));
        self.head.submit(request)
    }

    /// Takes the response to a request, once it is there.
    pub fn take_reply(&mut self, id: RequestId) -> Option<Reply> {
        self.head.take_reply(id)
    }

    /// Sends a request to an API server at the end of the run.
    pub fn submit_kubectl(&mut self, request: Kubectl) -> RequestId {
        let request = Arc::new(request);
        self.add_input(InputKind::Kubectl(request.clone()));
        self.head.kubectl(request)
    }

    /// Takes the response to a request of kubectl, once it is there.
    pub fn take_kubectl_reply(&mut self, id: RequestId) -> Option<KubectlReply> {
        self.head.take_kubectl_reply(id)
    }

    /// Does something to the world at the end of the run, after [`World::check`] allowed it. Returns the time by which
    /// it is done.
    pub fn submit_op(&mut self, op: WorldOp) -> SimTime {
        let op = Arc::new(op);
        self.add_input(InputKind::Op(op.clone()));
        self.head.do_op(op);
        self.head.now() + self.head.config().command_pace
    }

    /// Lets time pass at the end of the run. Returns the time until which it does.
    ///
    /// # Errors
    /// When the run would last longer than time is counted.
    pub fn submit_sleep(&mut self, duration: SimDuration) -> Result<SimTime, String> {
        if !self.head.can_sleep(duration) {
            return Err("a run lasts at most a hundred years of simulated time".into());
        }
        self.add_input(InputKind::Sleep(duration));
        self.head.sleep(duration);
        Ok(self.head.now() + duration)
    }

    /// Drops the inputs that have not been delivered: requests on their way to etcd, sleeps that have not ended.
    pub fn cancel_undelivered(&mut self) {
        if self.head.drop_undelivered() > 0 {
            self.add_input(InputKind::Cancel);
        }
    }

    /// Whether something is due by then.
    pub fn is_due_by(&self, at: SimTime) -> bool {
        self.head.next_at().is_some_and(|next| next <= at)
    }

    /// Whether something is on its way to the watch of this name, and due by then.
    pub fn is_pending(&self, name: &str, until: SimTime) -> bool {
        self.is_due_by(until) && (self.head.is_pending(name) || self.head.is_kube_pending(name))
    }

    /// Until when [`recv`](Self::is_pending) waits that begins now.
    pub fn receive_until(&self) -> SimTime {
        self.head.now() + WAIT_MAX
    }

    /// Whether more belongs to the command that was just done: something due at this very moment, such as the first
    /// batch of a compaction, or a message that arrives soon.
    pub fn is_unsettled(&self, until: SimTime) -> bool {
        let now = self.head.now();
        let soon = (now + AFTERMATH).min(until);
        self.is_due_by(now) || self.head.a_message_arrives_by(soon)
    }

    /// Until when a command that is done now can [settle](Self::is_unsettled).
    pub fn settle_until(&self) -> SimTime {
        self.head.now() + AFTERMATH_MAX
    }

    /// Makes the next step; false when nothing is due.
    pub fn make_step(&mut self, command: &Arc<str>, remark: &Arc<str>) -> bool {
        let events_from = self.events.len();
        let now = &mut self.now;
        let stepped = self.head.step(&mut |event| now.push(event));
        for event in now.iter_mut() {
            // It looks at whole lists.
            self.seen.kube_guard.observe(event);
            shorten(event, &self.head, &mut self.fleet_lists);
            self.payload += payload_bytes(event);
            self.seen.observe(event);
        }
        if stepped {
            self.steps.push(StepRecord {
                at: self.head.now(),
                revision: self.head.at_endpoint().store().current_rev(),
                kind: step_kind::of(&self.now),
                command: command.clone(),
                remark: remark.clone(),
                events_from: events_from as u32,
            });
            if self.len().is_multiple_of(self.keyframe_steps) {
                self.keep_head();
            }
        }
        self.events.take_step(&mut self.now);
        // A step with very many is rare.
        self.now.shrink_to(ROOM_KEPT);
        stepped
    }

    fn keep_head(&mut self) {
        self.keyframes.push(self.head.clone());
        let is_large = self.memory().is_large_in_worlds() && self.keyframes.len() > KEYFRAMES_MIN;
        if self.keyframes.len() > KEYFRAMES_MAX || is_large {
            let mut keep = false;
            self.keyframes.retain(|_| {
                keep = !keep;
                keep
            });
            self.keyframe_steps *= 2;
        }
    }

    /// Frees a piece of what it keeps; false when little is left. The run is of no use after that.
    pub(super) fn free_more(&mut self) -> bool {
        if self.keyframes.pop().is_some() || self.events.free_last() {
            return true;
        }
        let has_steps = !self.steps.is_empty();
        if has_steps {
            self.steps = Vec::new();
            self.seen = Observers::new(&self.head);
        }
        has_steps
    }

    /// What it keeps, in numbers.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            events: self.events.len() as u64,
            steps: self.len(),
            payload: self.payload,
            entries: self.entries.len() as u64,
            output_bytes: self.output_bytes as u64,
            keyframes: self.keyframes.len() as u64,
            keyframe_steps: self.keyframe_steps,
            nodes: self.head.node_count(),
            due: self.head.due_count(),
        }
    }

    /// The world after a step, made from the nearest kept one.
    pub fn world_at(&self, step: u64) -> World {
        let mut replay = self.begin_replay(step);
        while !self.replay_more(&mut replay, u64::MAX) {}
        replay.into_world()
    }

    /// Begins to make the world after a step from the nearest kept one.
    pub fn begin_replay(&self, step: u64) -> Replay {
        let to = step.min(self.len());
        let world = if to == self.len() {
            self.head.clone()
        } else {
            self.keyframes[(to / self.keyframe_steps) as usize].clone()
        };
        let world = Box::new(world);
        Replay { world, to }
    }

    /// Makes at most so many more steps; true when the world is that after the wanted step.
    pub fn replay_more(&self, replay: &mut Replay, steps: u64) -> bool {
        let Replay { world, to } = replay;
        let upto = world.steps().saturating_add(steps).min(*to);
        let first = self.inputs_before(world);
        let mut inputs = self.inputs[first..].iter().peekable();
        while world.steps() < upto {
            while let Some(input) = inputs.next_if(|i| i.after_step == world.steps()) {
                input.what.apply(world);
            }
            assert!(world.step_untraced(), "a replay has the steps of the run");
        }
        world.steps() == *to
    }

    /// Inputs that a world already has which a replay has brought to the end of a step: those that came before that
    /// step.
    fn inputs_before(&self, world: &World) -> usize {
        self.inputs
            .partition_point(|i| i.after_step < world.steps())
    }

    /// The world at the end, made again from the config and the inputs alone.
    pub fn again(&self) -> World {
        let world = Box::new(World::new(self.head.config().clone()));
        let to = self.len();
        let mut replay = Replay { world, to };
        while !self.replay_more(&mut replay, u64::MAX) {}
        let mut world = replay.into_world();
        for input in &self.inputs[self.inputs_before(&world)..] {
            input.what.apply(&mut world);
        }
        world
    }

    /// The run up to a step as a new run that continues differently. Drops the inputs that were not delivered at that
    /// step: they belong to the future of this run.
    pub fn fork(&self, step: u64, world: World) -> Self {
        let mut fork = self.begin_fork(step, world);
        while !fork.observe_more(usize::MAX) {}
        fork.into_run()
    }

    /// Begins to fork the run; its observers still have to observe the events.
    pub fn begin_fork(&self, step: u64, world: World) -> Fork {
        let is_at_the_end = step == self.len();
        let mut read = self.read.clone();
        for marks in read.values_mut() {
            marks.retain(|(at, _)| *at <= step);
        }
        let kept = (step / self.keyframe_steps) as usize;
        let run = Self {
            inputs: self
                .inputs
                .iter()
                .take_while(|i| is_at_the_end || i.after_step < step)
                .cloned()
                .collect(),
            steps: self.steps[..step as usize].to_vec(),
            events: self.events.head(self.events_by(step)),
            now: Vec::new(),
            seen: Observers::new(&self.head),
            read,
            prints: self.prints.clone(),
            entries: self.entries_at(step).to_vec(),
            next_entry: self.next_entry,
            output_bytes: self.output_bytes,
            shortened: self.shortened.min(self.entries_at(step).len()),
            fleet_lists: self.fleet_lists,
            payload: 0,
            keyframes: self.keyframes[..=kept].to_vec(),
            keyframe_steps: self.keyframe_steps,
            head: world,
        };
        Fork { run, observed: 0 }
    }

    /// The number of events up to the end of a step.
    fn events_by(&self, step: u64) -> usize {
        let next = self.step(step + 1);
        next.map_or(self.events.len(), |next| next.events_from as usize)
    }

    /// What a fork at a step would keep, in numbers. Its messages are taken to be as large as those of the whole run.
    pub(super) fn fork_counts(&self, step: u64) -> Counts {
        let events = self.events_by(step) as u64;
        let share = u128::from(self.payload) * u128::from(events);
        Counts {
            events,
            steps: step,
            payload: (share / (self.events.len() as u128).max(1)) as u64,
            entries: self.entries_at(step).len() as u64,
            keyframes: step / self.keyframe_steps + 1,
            ..self.counts()
        }
    }
}

/// A fork whose observers have not observed all events yet: with a long history that takes longer than one step may.
#[derive(Debug)]
pub struct Fork {
    run: Run,
    observed: usize,
}

impl Fork {
    /// Observes at least so many more events if there are as many; true when all are observed.
    pub fn observe_more(&mut self, events: usize) -> bool {
        let to = self.observed.saturating_add(events);
        let Run {
            events,
            seen,
            payload,
            ..
        } = &mut self.run;
        while self.observed < to.min(events.len()) {
            let piece = events.from(self.observed);
            for event in piece {
                seen.kube_guard.observe(event);
                seen.observe(event);
                *payload += payload_bytes(event);
            }
            self.observed += piece.len();
        }
        self.observed == events.len()
    }

    /// Steps that are observed, and all of them.
    pub fn progress(&self) -> (u64, u64) {
        let all = self.run.len();
        let next = self.run.events.from(self.observed).first();
        (next.map_or(all, |event| event.step - 1), all)
    }

    /// The new run.
    pub fn into_run(mut self) -> Run {
        self.run.cancel_undelivered();
        self.run
    }
}

/// Rows of an answer of etcd that a run keeps: of 150,000 pods in one message its pictures show only how many.
const ROWS_KEPT: usize = 10;

/// Keeps of a very long answer on its way only the beginning, and of most lists that go to a fleet only how many
/// objects they have; counts and sizes stay as they were.
fn shorten(event: &mut Event, world: &World, fleet_lists: &mut u32) {
    let is_many = |client| world.kube_client(client).is_some_and(KubeClient::is_many);
    match &mut event.what {
        TraceEvent::Net(NetTrace::Sent { to, body, .. }) => {
            let shorter = match &**body {
                Body::Etcd(EtcdMessage::Answer { call, reply }) => {
                    short_reply(reply).map(|reply| {
                        Body::Etcd(EtcdMessage::Answer {
                            call: *call,
                            reply: Arc::new(reply),
                        })
                    })
                }
                Body::Kube(KubeMessage::Answer { call, answer }) if is_many(*to) => {
                    without_items(answer, fleet_lists).map(|answer| {
                        Body::Kube(KubeMessage::Answer {
                            call: *call,
                            answer: Arc::new(answer),
                        })
                    })
                }
                _ => None,
            };
            if let Some(shorter) = shorter {
                *body = Arc::new(shorter);
            }
        }
        TraceEvent::Kube(KubeTrace::Hears { client, answer, .. }) if is_many(*client) => {
            if let Some(shorter) = without_items(answer, fleet_lists) {
                *answer = Arc::new(shorter);
            }
        }
        _ => {}
    }
}

/// Bytes that a message or change adds to what is kept. The receiver of a message shares the message with the trace.
fn payload_bytes(event: &Event) -> u64 {
    let items = |count: usize| count as u64 * ITEM_BYTES;
    match &event.what {
        TraceEvent::Changed { key, value, .. } => (key.len() + value.len()) as u64,
        TraceEvent::Net(NetTrace::Sent { body, .. }) => match &**body {
            Body::Etcd(EtcdMessage::Answer { reply, .. }) => match &**reply {
                Ok(Response::Range(range)) => items(range.kvs.len()),
                _ => 0,
            },
            Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) => items(response.events.len()),
            Body::Kube(KubeMessage::Answer { answer, .. }) => match &**answer {
                Ok(KubeResponse::List(list)) => items(list.items.len()),
                _ => 0,
            },
            Body::Kube(KubeMessage::Events { events, .. }) => items(events.len()),
            Body::Etcd(EtcdMessage::Call { .. })
            | Body::Etcd(EtcdMessage::Watch { .. })
            | Body::Kube(KubeMessage::Call { .. })
            | Body::Kube(KubeMessage::End { .. }) => 0,
        },
        _ => 0,
    }
}

fn short_reply(reply: &Reply) -> Option<Reply> {
    let Ok(Response::Range(range)) = reply else {
        return None;
    };
    (range.kvs.len() > ROWS_KEPT).then(|| {
        Ok(Response::Range(RangeResponse {
            kvs: range.kvs.head(ROWS_KEPT).into(),
            ..range.clone()
        }))
    })
}

fn without_items(answer: &KubeAnswer, kept: &mut u32) -> Option<KubeAnswer> {
    let Ok(KubeResponse::List(list)) = answer else {
        return None;
    };
    *kept = kept.saturating_add(1);
    let is_kept = *kept <= FLEET_LISTS_KEPT;
    (!is_kept).then(|| Ok(KubeResponse::List(list.without_items().into())))
}
