//! When did an ending become inevitable? The steps from which the run is repeated, and the result.
//!
//! The run is repeated first from steps over the whole run, coarse to fine, then from steps between the last one from
//! which the ending can be avoided and the next one.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use watchglass_engine::view::odds::{Ending, EndingsView, OddsView};

/// The number of steps from which the run is repeated before the last avoidable step is searched.
const STEPS: u64 = 40;

/// The seeds of the replays from each step.
const FIRST_SEEDS: Range<u64> = 1..11;

/// The seeds of the further replays from the last avoidable step and from the next one.
const MORE_SEEDS: Range<u64> = 11..51;

/// The search for the moment at which an ending became inevitable.
#[derive(Clone, Debug, PartialEq)]
pub struct Odds {
    /// The text of the user's own condition.
    pub condition: String,
    /// The reason why the engine refused the last request.
    pub refusal: Option<String>,
    /// The endings of the run, once the engine has found them.
    pub endings: Option<Rc<EndingsView>>,
    /// The chosen ending, and the first step after which it had occurred.
    pub chosen: Option<(Ending, u64)>,
    /// Whether each replay leaves out some of the later commands.
    pub leaves_out: bool,
    /// The results, by step.
    pub points: BTreeMap<u64, OddsPoint>,
    /// The number of the branch to which the results belong.
    pub(super) branch: u32,
    pub(super) running: Option<Running>,
    /// The steps and seeds of the next requests.
    planned: VecDeque<(u64, Range<u64>)>,
}

/// The replays from one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OddsPoint {
    /// The last step from which replays begin at this step, because a command sends requests until that step.
    pub until: u64,
    pub view: OddsView,
}

/// A search, or replays, that the engine works on.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    pub(super) id: u32,
    /// The requested step; `None` for a search.
    pub(super) step: Option<u64>,
}

/// The moment at which an ending became inevitable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cliff<'a> {
    /// From no step on, the ending was avoided.
    Always,
    /// The ending was avoided from this step on at the latest, and never from the second step on. There is no second
    /// point if the ending occurred in the next step.
    After(&'a OddsPoint, Option<&'a OddsPoint>),
}

/// An action in the dialog.
#[derive(Clone, Debug, PartialEq)]
pub enum OddsAct {
    Choose(Ending, u64),
    /// Search for the user's own condition.
    Condition(String),
    LeaveOut(bool),
    Stop,
    /// Choose another ending.
    Back,
    /// Type the replay without the ending on a new branch. Contains its step and its text.
    OpenAvoided(u64, String),
}

impl Default for Odds {
    fn default() -> Self {
        Self::new(0, String::new())
    }
}

impl Odds {
    /// Creates the state before the endings of a branch are known.
    pub(super) fn new(branch: u32, condition: String) -> Self {
        Self {
            condition,
            refusal: None,
            endings: None,
            chosen: None,
            leaves_out: true,
            points: BTreeMap::new(),
            branch,
            running: None,
            planned: VecDeque::new(),
        }
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub fn replays(&self) -> u32 {
        self.points.values().map(|point| point.view.replays).sum()
    }

    /// Returns the moment at which the ending became inevitable, according to the replays so far.
    pub fn cliff(&self) -> Option<Cliff<'_>> {
        let is_avoidable = |point: &&OddsPoint| point.view.hits < point.view.replays;
        let Some(last) = self.points.values().rfind(is_avoidable) else {
            return (!self.points.is_empty()).then_some(Cliff::Always);
        };
        let after = self.points.range(last.view.step + 1..).next();
        Some(Cliff::After(last, after.map(|(_, point)| point)))
    }

    /// Returns true if no step is left between the last avoidable step and the next one.
    pub fn is_exact(&self) -> bool {
        match self.cliff() {
            Some(Cliff::After(last, after)) => self.next_step(last, after) <= last.until + 1,
            Some(Cliff::Always) | None => true,
        }
    }

    fn next_step(&self, last: &OddsPoint, after: Option<&OddsPoint>) -> u64 {
        let first = self
            .chosen
            .as_ref()
            .map_or(last.until + 1, |(_, first)| *first);
        after.map_or(first, |after| after.view.step)
    }

    /// Starts the search for the moment at which this ending became inevitable; `first` is the first step after which
    /// it had occurred.
    pub(super) fn choose(&mut self, ending: Ending, first: u64) {
        self.points.clear();
        self.chosen = Some((ending, first));
        let steps = coarse_to_fine(first, STEPS).into_iter();
        self.planned = steps.map(|step| (step, FIRST_SEEDS)).collect();
    }

    /// Returns the step and the seeds of the next replays; `None` if the search has ended.
    pub(super) fn next(&mut self) -> Option<(u64, Range<u64>)> {
        if self.planned.is_empty() {
            self.refine();
        }
        self.planned.pop_front()
    }

    pub(super) fn stop(&mut self) {
        self.running = None;
        self.planned.clear();
    }

    /// Plans the next request after all planned requests have been answered.
    fn refine(&mut self) {
        let Some(Cliff::After(last, after)) = self.cliff() else {
            return;
        };
        let next = self.next_step(last, after);
        let (low, step) = (last.until, last.view.step);
        let is_few = |point: &OddsPoint| u64::from(point.view.replays) < MORE_SEEDS.end - 1;
        if next > low + 1 {
            self.planned
                .push_back((low + (next - low) / 2, FIRST_SEEDS));
        } else if is_few(last) {
            self.planned.push_back((step, MORE_SEEDS));
        } else if let Some(after) = after.filter(|after| is_few(after)) {
            self.planned.push_back((after.view.step, MORE_SEEDS));
        }
    }

    /// Adds the replays from a requested step.
    pub(super) fn add(&mut self, asked: u64, view: OddsView) {
        let point = self.points.entry(view.step).or_default();
        point.until = point.until.max(asked);
        let before = std::mem::take(&mut point.view);
        point.view = OddsView {
            replays: before.replays + view.replays,
            hits: before.hits + view.hits,
            stopped: before.stopped + view.stopped,
            avoided: before.avoided.or(view.avoided),
            ..view
        };
    }
}

/// Returns up to `count` evenly spaced steps before the step `end`: the first, then those that halve the gaps.
fn coarse_to_fine(end: u64, count: u64) -> Vec<u64> {
    let count = count.min(end);
    let place = |number: u64| number * end / count.max(1);
    let mut order: Vec<u64> = (0..count).collect();
    order.sort_by_key(|number| match number {
        0 => 0,
        _ => u32::MAX - number.trailing_zeros(),
    });
    order.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_steps_are_repeated_first() {
        assert_eq!(coarse_to_fine(80, 8), [0, 40, 20, 60, 10, 30, 50, 70]);
        assert_eq!(coarse_to_fine(3, 40), [0, 2, 1]);
        assert_eq!(coarse_to_fine(0, 40), [0_u64; 0]);
    }
}
