//! One line of history: what was asked, what it led to, and how to stand at any moment of it.
//!
//! Truth is the config and the inputs; everything else can be made again from them. A world is
//! kept every so many steps, so that standing somewhere costs at most that many.

use std::sync::Arc;

use crate::api::kube::{KubeAnswer, KubeResponse};
use crate::api::message::Body;
use crate::api::{Profile, RangeResponse, Reply, Request, Response};
use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};
use crate::client::kube::KubeClient;
use crate::observe::kube_log::{Heard, Moment};
use crate::observe::{Delivery, Guard, History, KubeGuard, KubeLog, Traffic, WatchLog, WatcherLog};
use crate::scenario::expr::Exchange;
use crate::shell::{Output, WatchPrint};
use crate::sim::outbox::KubectlReply;
use crate::trace::{Event, EventList, KubeTrace, NetTrace, TraceEvent};
use crate::view::{EntryKind, MarkerKind};
use crate::world::op::WorldOp;
use crate::world::{Config, Kubectl, World};

use super::step_kind;

/// Steps from one kept world to the next, in a short run.
const KEYFRAME_STEPS: u64 = 256;

/// Worlds that are kept. In a longer run every second one is dropped and the distance doubles:
/// what a key's long history costs in each of them must not grow with the run as well.
const KEYFRAMES_MAX: usize = 64;

/// Steps that one command may lead to before it counts as endless.
pub(super) const STEPS_PER_COMMAND_MAX: u64 = 1_000_000;

/// How long `recv` waits for what is on its way.
const WAIT_MAX: SimDuration = SimDuration::from_millis(10_000);

/// Messages that arrive so close after one another still count as part of a command that set them
/// off.
const AFTERMATH: SimDuration = SimDuration::from_millis(1);

/// But not for longer than this in all.
const AFTERMATH_MAX: SimDuration = SimDuration::from_millis(100);

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
    fn new(profile: Profile) -> Self {
        Self {
            history: History::default(),
            watch_log: WatchLog::default(),
            watcher_log: WatcherLog::default(),
            traffic: Traffic::default(),
            kube_log: KubeLog::default(),
            kube_guard: KubeGuard::default(),
            guard: Guard::new(profile),
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
        let seen = Observers::new(config.profile);
        let head = World::new(config);
        Self {
            inputs: Vec::new(),
            steps: Vec::new(),
            events: EventList::default(),
            now: Vec::new(),
            seen,
            read: OrdMap::new(),
            prints: OrdMap::new(),
            entries: Vec::new(),
            next_entry: 0,
            output_bytes: 0,
            shortened: 0,
            fleet_lists: 0,
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
    pub fn hush(&mut self) {
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

    /// Sends a request at the end of the run and goes on until it is answered and nothing more is
    /// due at that moment.
    pub fn request(&mut self, request: Request, command: &Arc<str>, remark: &Arc<str>) -> Reply {
        let request = Arc::new(request);
        let input = InputKind::Request(request.clone());
        self.inputs.push(Input {
            after_step: self.len(),
            what: input,
        });
        let id = self.head.submit(request);
        for _ in 0..STEPS_PER_COMMAND_MAX {
            if self.head.reply(id).is_some() {
                break;
            }
            assert!(
                self.advance(command, remark),
                "a request is answered before all is quiet"
            );
        }
        self.settle(command, remark);
        self.head
            .take_reply(id)
            .expect("every request is answered within the limit of steps")
    }

    /// Asks an API server at the end of the run, and goes on until it is answered.
    pub fn kubectl(
        &mut self,
        request: Kubectl,
        command: &Arc<str>,
        remark: &Arc<str>,
    ) -> KubectlReply {
        let request = Arc::new(request);
        let after_step = self.len();
        let what = InputKind::Kubectl(request.clone());
        self.inputs.push(Input { after_step, what });
        let id = self.head.kubectl(request);
        for _ in 0..STEPS_PER_COMMAND_MAX {
            if self.head.kubectl_reply(id).is_some() || !self.advance(command, remark) {
                break;
            }
        }
        self.settle(command, remark);
        let reply = self.head.take_kubectl_reply(id);
        reply.unwrap_or(KubectlReply::TimedOut)
    }

    /// Does something to the world at the end of the run, and goes on until what it set off has
    /// arrived. Whether it can be done was asked before.
    pub fn op(&mut self, op: WorldOp, command: &Arc<str>, remark: &Arc<str>) {
        let op = Arc::new(op);
        let after_step = self.len();
        let what = InputKind::Op(op.clone());
        self.inputs.push(Input { after_step, what });
        let at = self.head.now() + self.head.config().command_pace;
        self.head.do_op(op);
        while self.head.next_at().is_some_and(|next| next <= at) {
            self.advance(command, remark);
        }
        self.settle(command, remark);
    }

    /// Goes on while something is on its way to a watch, so that it can be printed. Gives up when
    /// that takes longer than a person would wait.
    pub fn wait_for(&mut self, name: &str, command: &Arc<str>, remark: &Arc<str>) {
        let until = self.head.now() + WAIT_MAX;
        for _ in 0..STEPS_PER_COMMAND_MAX {
            let late = self.head.next_at().is_none_or(|at| at > until);
            let is_pending = self.head.is_pending(name) || self.head.is_kube_pending(name);
            if late || !is_pending {
                break;
            }
            self.advance(command, remark);
        }
    }

    /// Begins to do something whose steps take long; until when it goes on.
    pub fn begin_op(&mut self, op: WorldOp) -> SimTime {
        let op = Arc::new(op);
        let after_step = self.len();
        let what = InputKind::Op(op.clone());
        self.inputs.push(Input { after_step, what });
        self.head.do_op(op);
        self.head.now() + self.head.config().command_pace
    }

    /// Begins to let time pass; until when.
    ///
    /// # Errors
    /// When the run would last longer than time is counted.
    pub fn begin_sleep(&mut self, duration: SimDuration) -> Result<SimTime, String> {
        if !self.head.can_sleep(duration) {
            return Err("a run lasts at most a hundred years of simulated time".into());
        }
        self.inputs.push(Input {
            after_step: self.len(),
            what: InputKind::Sleep(duration),
        });
        self.head.sleep(duration);
        Ok(self.head.now() + duration)
    }

    /// Does at most so many of the things that are due by then; false when none is left.
    pub fn go_on(
        &mut self,
        until: SimTime,
        steps: u64,
        command: &Arc<str>,
        remark: &Arc<str>,
    ) -> bool {
        let is_due = |run: &Self| run.head.next_at().is_some_and(|at| at <= until);
        for _ in 0..steps {
            if !is_due(self) {
                return false;
            }
            self.advance(command, remark);
        }
        is_due(self)
    }

    /// Stops where it stands: time that was to pass and has not does not.
    pub fn stop_here(&mut self) {
        self.recall();
    }

    /// Does at most so many of the things that are due, and says how many there were.
    pub fn advance_by(&mut self, steps: u64, command: &Arc<str>, remark: &Arc<str>) -> u64 {
        (0..steps)
            .take_while(|_| self.head.can_step() && self.advance(command, remark))
            .count() as u64
    }

    /// Does what is due at this very moment, such as the first batch of a compaction, and lets
    /// messages arrive that are close.
    pub fn settle(&mut self, command: &Arc<str>, remark: &Arc<str>) {
        let until = self.head.now() + AFTERMATH_MAX;
        for _ in 0..STEPS_PER_COMMAND_MAX {
            let now = self.head.now();
            let soon = (now + AFTERMATH).min(until);
            let due = self.head.next_at().is_some_and(|at| at <= now);
            if !due && !self.head.a_message_arrives_by(soon) {
                break;
            }
            self.advance(command, remark);
        }
    }

    fn advance(&mut self, command: &Arc<str>, remark: &Arc<str>) -> bool {
        let events_from = self.events.len();
        let now = &mut self.now;
        let stepped = self.head.step(&mut |event| now.push(event));
        for event in now.iter_mut() {
            // It looks at whole lists.
            self.seen.kube_guard.observe(event);
            shorten(event, &self.head, &mut self.fleet_lists);
            self.seen.observe(event);
        }
        if stepped {
            self.steps.push(StepRecord {
                at: self.head.now(),
                revision: self.head.etcd().store().current_rev(),
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
        if self.keyframes.len() > KEYFRAMES_MAX {
            let mut keep = false;
            self.keyframes.retain(|_| {
                keep = !keep;
                keep
            });
            self.keyframe_steps *= 2;
        }
    }

    /// The world after a step, made from the nearest kept one.
    pub fn world_at(&self, step: u64) -> World {
        let step = step.min(self.len());
        if step == self.len() {
            return self.head.clone();
        }
        self.replay(&self.keyframes[(step / self.keyframe_steps) as usize], step)
    }

    /// The world at the end, made again from the config and the inputs alone.
    pub fn again(&self) -> World {
        self.replay(&World::new(self.head.config().clone()), self.len())
    }

    fn replay(&self, from: &World, step: u64) -> World {
        let mut world = from.clone();
        // An input is followed by at least one step, so that one that came after the step of a
        // kept world is not in it yet.
        let first = self
            .inputs
            .partition_point(|i| i.after_step < world.steps());
        let mut inputs = self.inputs[first..].iter().peekable();
        while world.steps() < step {
            while let Some(input) = inputs.next_if(|i| i.after_step == world.steps()) {
                match &input.what {
                    InputKind::Request(request) => {
                        world.submit(request.clone());
                    }
                    InputKind::Sleep(duration) => world.sleep(*duration),
                    InputKind::Op(op) => world.do_op(op.clone()),
                    InputKind::Kubectl(request) => {
                        world.kubectl(request.clone());
                    }
                }
            }
            assert!(world.step(&mut |_| {}), "a replay has the steps of the run");
        }
        world
    }

    /// The same run up to a step, to go on differently from there. What was on its way at that
    /// moment belongs to the future that is left behind.
    pub fn fork(&self, step: u64) -> Self {
        let step = step.min(self.len());
        let events_end = self
            .step(step + 1)
            .map_or(self.events.len(), |s| s.events_from as usize);
        let events = self.events.head(events_end);
        let mut seen = Observers::new(self.head.config().profile);
        for event in events.iter() {
            seen.kube_guard.observe(event);
            seen.observe(event);
        }
        let mut read = self.read.clone();
        for marks in read.values_mut() {
            marks.retain(|(at, _)| *at <= step);
        }
        let kept = (step / self.keyframe_steps) as usize;
        let mut fork = Self {
            inputs: self
                .inputs
                .iter()
                .take_while(|i| i.after_step < step)
                .cloned()
                .collect(),
            steps: self.steps[..step as usize].to_vec(),
            events,
            now: Vec::new(),
            seen,
            read,
            prints: self.prints.clone(),
            entries: self.entries_at(step).to_vec(),
            next_entry: self.next_entry,
            output_bytes: self.output_bytes,
            shortened: self.shortened.min(self.entries_at(step).len()),
            fleet_lists: self.fleet_lists,
            keyframes: self.keyframes[..=kept].to_vec(),
            keyframe_steps: self.keyframe_steps,
            head: self.world_at(step),
        };
        fork.recall();
        fork
    }

    /// Makes the end of the run again without the inputs that have not arrived there.
    fn recall(&mut self) {
        let flying = self.head.clone().drop_undelivered() as usize;
        if flying == 0 {
            return;
        }
        let stay = self.inputs.len() - flying;
        let sent_after = self.inputs[stay].after_step;
        self.inputs.truncate(stay);
        self.keyframes.retain(|world| world.steps() <= sent_after);
        let end = self.len();
        loop {
            let newest = self
                .keyframes
                .last()
                .expect("the empty world is always kept");
            let next = newest.steps() + self.keyframe_steps;
            if next > end {
                self.head = self.replay(newest, end);
                return;
            }
            self.keyframes.push(self.replay(newest, next));
        }
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
                Body::Answer { call, reply } => short_reply(reply).map(|reply| Body::Answer {
                    call: *call,
                    reply: Arc::new(reply),
                }),
                Body::KubeAnswer { call, answer } if is_many(*to) => {
                    without_items(answer, fleet_lists).map(|answer| Body::KubeAnswer {
                        call: *call,
                        answer: Arc::new(answer),
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
