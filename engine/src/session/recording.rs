//! The recording of a run, in chapters: groups of consecutive steps. Only the newest chapters store their events and
//! messages. The run recreates an older chapter on demand: it replays the inputs from the nearest kept world, which is
//! a copy of the simulation at an earlier step.
//!
//! Chapters are short, so recreating a chapter and moving the cursor to any of its steps are fast.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::base::ordered::OrdMap;
use crate::base::shared_list::SharedList;
use crate::base::time::SimTime;
use crate::observe::traffic::{Later, Message};
use crate::observe::{Cuts, GreatestLag, MetricHistory, Recorded};
use crate::trace::{Event, EventId, NetTrace, TraceEvent};
use crate::view::MarkerKind;
use crate::world::World;

use super::chapter::Chapter;
use super::inputs::{Inputs, Replay};
use super::scrollback::LineNumber;
use super::shortened::shorten;
use super::step_kind;

const CHAPTER_STEPS: u64 = 1_024;

/// The number of events after which a chapter ends, even with fewer steps.
const CHAPTER_EVENTS: usize = 8_192;

/// The maximum number of finished chapters in memory. The least recently used chapter is dropped first.
const CHAPTERS_HELD: usize = 4;

/// The number of steps before the displayed step in which a view searches for messages. The number is limited because
/// the search may need replays.
const STEPS_LOOKED_AT: u64 = 4_096;

/// The facts about a step that are available without a replay.
#[derive(Clone, Debug)]
pub struct StepRecord {
    pub at: SimTime,
    /// The store's revision after the step.
    pub revision: i64,
    pub kind: MarkerKind,
    pub line: LineNumber,
    /// The greatest lags of watches and caches after the step.
    pub lag: GreatestLag,
}

#[derive(Clone, Debug)]
pub struct Recording {
    pub(super) inputs: Inputs,
    pub(super) steps: SharedList<StepRecord>,
    /// The history of the metrics of the member that the terminal uses.
    pub(super) metrics: MetricHistory,
    /// The start of each chapter. The first chapter starts with the run.
    starts: Vec<Start>,
    /// The chapter that is being written.
    newest: Arc<Chapter>,
    held: Held,
    /// For each message, by its number: the events that happened in a later chapter than the one in which the message
    /// was sent.
    crossing: OrdMap<u64, Vec<Later>>,
    cuts: Cuts,
    fleet_lists: u32,
    events: u64,
    messages: u64,
    chapter_steps: u64,
    /// The number of chapters per kept world: for one of every `world_every` chapters, the recording keeps a copy of
    /// the simulated world at the start of the chapter. The number is 1 at first and doubles when kept worlds take too
    /// much memory. A kept world takes about 300 bytes for each key that changed since the previous kept world.
    world_every: usize,
}

#[derive(Clone, Debug)]
struct Start {
    /// The numbers of steps, events and messages before this chapter.
    steps: u64,
    events: u64,
    messages: u64,
    fleet_lists: u32,
    /// The world at the start of the chapter; `None` if the recording does not keep this world.
    world: Option<Arc<World>>,
}

/// The finished chapters in memory, each with its number. The most recently used chapter is at the end.
#[derive(Clone, Debug, Default)]
struct Held(RefCell<VecDeque<(usize, Arc<Chapter>)>>);

impl Held {
    fn take(&self, number: usize) -> Option<Arc<Chapter>> {
        let mut held = self.0.borrow_mut();
        let place = held.iter().position(|(of, _)| *of == number)?;
        let (_, chapter) = held.remove(place)?;
        Some(chapter)
    }

    fn put(&self, number: usize, chapter: Arc<Chapter>) {
        let mut held = self.0.borrow_mut();
        held.push_back((number, chapter));
        if held.len() > CHAPTERS_HELD {
            held.pop_front();
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct StepEvents {
    chapter: Arc<Chapter>,
    range: Range<usize>,
}

impl Deref for StepEvents {
    type Target = [Event];

    fn deref(&self) -> &[Event] {
        &self.chapter.events()[self.range.clone()]
    }
}

impl Recording {
    pub(super) fn new(world: &World) -> Self {
        let start = Start {
            steps: 0,
            events: 0,
            messages: 0,
            fleet_lists: 0,
            world: Some(world.clone().into()),
        };
        Self {
            inputs: Inputs::default(),
            steps: SharedList::default(),
            metrics: MetricHistory::default(),
            starts: vec![start],
            newest: Arc::default(),
            held: Held::default(),
            crossing: OrdMap::new(),
            cuts: Cuts::default(),
            fleet_lists: 0,
            events: 0,
            messages: 0,
            chapter_steps: CHAPTER_STEPS,
            world_every: 1,
        }
    }

    pub(super) fn set_chapter_steps(&mut self, steps: u64) {
        self.chapter_steps = steps;
    }

    /// Drops the chapters that a replay can recreate.
    pub(super) fn forget(&self) {
        self.held.0.borrow_mut().clear();
    }

    // Writing.

    /// Adds an event of the current step; the event must already be shortened. The caller ends the step after its last
    /// event.
    pub(super) fn add(&mut self, event: Event) {
        self.events += 1;
        self.messages += u64::from(is_sent(&event));
        self.cuts.observe(&event);
        if let Some((number, later)) = Arc::make_mut(&mut self.newest).add(event) {
            let laters = self.crossing.get_or_insert_with(number, Vec::new);
            laters.push(later);
        }
    }

    /// Shortens an event: cuts a very long response to its first rows, and removes the objects from most lists that go
    /// to a fleet of kubelets. Counts and sizes do not change.
    pub(super) fn shorten(&mut self, event: &mut Event, world: &World) {
        shorten(event, world, &mut self.fleet_lists);
    }

    /// Ends the step that led to this world; returns true if a new chapter starts after the step.
    pub(super) fn end_step(&mut self, world: &World, line: LineNumber, lag: GreatestLag) -> bool {
        let chapter = Arc::make_mut(&mut self.newest);
        chapter.end_step();
        let events = chapter.events_of(chapter.steps() - 1);
        self.steps.push(StepRecord {
            at: world.now(),
            revision: world.at_endpoint().store().current_rev(),
            kind: step_kind::of(&chapter.events()[events]),
            line,
            lag,
        });
        self.metrics.observe(world);
        let is_long = chapter.steps() as u64 >= self.chapter_steps;
        let ends = is_long || chapter.events().len() >= CHAPTER_EVENTS;
        if ends {
            self.begin_chapter(world);
        }
        ends
    }

    fn begin_chapter(&mut self, world: &World) {
        let number = self.starts.len();
        let is_kept = number.is_multiple_of(self.world_every);
        self.starts.push(Start {
            steps: world.steps(),
            events: self.events,
            messages: self.messages,
            fleet_lists: self.fleet_lists,
            world: is_kept.then(|| world.clone().into()),
        });
        let finished = std::mem::take(&mut self.newest);
        self.held.put(number - 1, finished);
    }

    /// Drops every second kept world. Moving the cursor back then takes longer.
    pub(super) fn thin_worlds(&mut self) {
        self.world_every *= 2;
        for (number, start) in self.starts.iter_mut().enumerate() {
            if !number.is_multiple_of(self.world_every) {
                start.world = None;
            }
        }
    }

    pub(super) fn worlds(&self) -> u64 {
        self.starts.len().div_ceil(self.world_every) as u64
    }

    /// Returns the number of steps between two kept worlds.
    pub(super) fn world_distance(&self) -> u64 {
        self.chapter_steps * self.world_every as u64
    }

    /// Returns the maximum number of events in memory.
    pub(super) fn events_held(&self) -> u64 {
        self.events
            .min(((CHAPTERS_HELD + 1) * CHAPTER_EVENTS) as u64)
    }

    /// Frees the start of one chapter with its world; returns false if no chapter is left. Afterwards, the recording is
    /// unusable.
    pub(super) fn free_more(&mut self) -> bool {
        self.forget();
        self.starts.pop().is_some()
    }

    // Reading.

    pub fn len(&self) -> u64 {
        self.events
    }

    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// Returns all events of the run, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Event> {
        (0..self.starts.len()).flat_map(|number| self.chapter(number).events().to_vec())
    }

    /// Returns the events of a step. Steps are counted from 1.
    pub(super) fn events(&self, step: u64) -> StepEvents {
        if step == 0 || step > self.steps.len() as u64 {
            return StepEvents::default();
        }
        let number = self.number_by(|start| start.steps < step);
        let chapter = self.chapter(number);
        let range = chapter.events_of((step - 1 - self.starts[number].steps) as usize);
        StepEvents { chapter, range }
    }

    /// Starts a replay to a step before the last step.
    pub(super) fn begin_replay(&self, step: u64) -> Replay {
        let world = self.world_before(self.number_by(|start| start.steps <= step));
        Replay::new(World::clone(world), step)
    }

    /// Returns the number of the last chapter whose start satisfies `is_before`; the first chapter's start always does.
    fn number_by(&self, is_before: impl Fn(&Start) -> bool) -> usize {
        self.starts.partition_point(is_before).saturating_sub(1)
    }

    /// Returns the nearest kept world at or before the start of a chapter.
    fn world_before(&self, number: usize) -> &World {
        let mut starts = self.starts[..=number].iter().rev();
        let found = starts.find_map(|start| start.world.as_ref());
        found.expect("the first chapter stores its first world")
    }

    /// Returns the number of chapters, including the chapter that is being written.
    pub(super) fn chapters(&self) -> usize {
        self.starts.len()
    }

    /// Returns a chapter. If the chapter is not in memory, replays it first.
    pub(super) fn chapter(&self, number: usize) -> Arc<Chapter> {
        let Some(end) = self.starts.get(number + 1) else {
            return self.newest.clone();
        };
        let found = self.held.take(number);
        let chapter = found.unwrap_or_else(|| self.recompute(number, end.steps).0.into());
        self.held.put(number, chapter.clone());
        chapter
    }

    /// Replays a chapter up to a step. Also returns the number of lists sent to fleets of kubelets by that step.
    fn recompute(&self, number: usize, upto: u64) -> (Chapter, u32) {
        let start = &self.starts[number];
        let mut world = self.world_before(number).clone();
        self.inputs.replay(&mut world, start.steps, None);
        let mut chapter = Chapter::default();
        let mut fleet_lists = start.fleet_lists;
        for step in start.steps + 1..=upto {
            let mut add = |mut event: Event, world: &World| {
                shorten(&mut event, world, &mut fleet_lists);
                chapter.add(event);
            };
            self.inputs.replay(&mut world, step, Some(&mut add));
            chapter.end_step();
        }
        (chapter, fleet_lists)
    }

    /// Returns the recording up to a step, for a fork of the run. Both recordings share the kept worlds.
    pub(super) fn fork(&self, step: u64) -> Self {
        let is_at_the_end = step == self.steps.len() as u64;
        let inputs = match is_at_the_end {
            true => self.inputs.clone(),
            false => self.inputs.before(step),
        };
        let number = self.number_by(|start| start.steps <= step);
        let (newest, fleet_lists) = self.recompute(number, step);
        let held = self.held.clone();
        held.0.borrow_mut().retain(|(held, _)| *held < number);
        let mut crossing = OrdMap::new();
        for (message, laters) in &self.crossing {
            let known = laters.partition_point(|later| later.step <= step);
            if known > 0 {
                crossing.insert(*message, laters[..known].to_vec());
            }
        }
        Self {
            inputs,
            steps: self.steps.first(step as usize),
            metrics: self.metrics.first(step),
            starts: self.starts[..=number].to_vec(),
            held,
            crossing,
            cuts: self.cuts.by_step(step),
            fleet_lists,
            events: self.starts[number].events + newest.events().len() as u64,
            messages: self.starts[number].messages + newest.messages.all().len() as u64,
            newest: newest.into(),
            ..*self
        }
    }

    fn with_laters(&self, message: &Message) -> Message {
        let mut message = message.clone();
        if let Some(laters) = self.crossing.get(&message.number) {
            message.later.extend(laters);
        }
        message
    }
}

impl Recorded for Recording {
    fn event(&self, id: EventId) -> Option<Event> {
        let number = self.number_by(|start| start.events < id.0);
        self.chapter(number).event(id).cloned()
    }

    fn time_of(&self, step: u64) -> Option<SimTime> {
        let place = usize::try_from(step.checked_sub(1)?).ok()?;
        Some(self.steps.get(place)?.at)
    }

    fn message(&self, id: EventId) -> Option<Message> {
        let number = self.number_by(|start| start.events < id.0);
        let chapter = self.chapter(number);
        Some(self.with_laters(chapter.messages.of_event(id)?))
    }

    fn message_numbered(&self, message: u64) -> Option<Message> {
        let number = self.number_by(|start| start.messages < message);
        let chapter = self.chapter(number);
        Some(self.with_laters(chapter.messages.numbered(message)?))
    }

    fn message_count(&self, step: u64) -> u64 {
        let number = self.number_by(|start| start.steps < step);
        let here = self.chapter(number);
        self.starts[number].messages + here.messages.by_step(step).len() as u64
    }

    fn newest_messages(&self, step: u64, most: usize) -> Vec<Message> {
        let mut newest: Vec<Message> = Vec::new();
        let mut end = self.message_count(step);
        for number in (0..=self.number_by(|start| start.steps < step)).rev() {
            let start = &self.starts[number];
            let is_near = step.saturating_sub(start.steps) <= STEPS_LOOKED_AT + self.chapter_steps;
            if newest.len() == most || !is_near {
                break;
            }
            if start.messages < end {
                end = start.messages;
                let chapter = self.chapter(number);
                let messages = chapter.messages.by_step(step).iter().rev();
                let wanted = messages.take(most - newest.len());
                newest.extend(wanted.map(|message| self.with_laters(message)));
            }
        }
        newest.reverse();
        newest
    }

    fn cut(&self, message: &Message, step: u64) -> Option<SimTime> {
        self.cuts.of(message, step)
    }
}

fn is_sent(event: &Event) -> bool {
    matches!(event.what, TraceEvent::Net(NetTrace::Sent { .. }))
}
