//! Compares a run with and without the QoS rules, using the same seed.
//!
//! Both runs are replays of the inputs up to the cursor. The replay with the rules makes the same steps as the run. In
//! the replay without the rules, requests end at other times and the steps differ, so each input is applied at its time
//! in the original run. Until a rule limits a request, both replays make the same steps.

use crate::base::time::{SimDuration, SimTime};
use crate::view::QosComparisonView;
use crate::view::qos::comparison::{QosMilestones, side_view};
use crate::world::World;

use super::inputs::Inputs;
use super::run::REPLAY_STEPS;
use super::workspace::Workspace;

type InputTime = (u64, SimTime);

/// A comparison of a run with and without the QoS rules, in progress.
#[derive(Debug)]
pub(super) struct QosComparison {
    /// The inputs of the run, oldest first.
    inputs: Inputs,
    /// The step and the time of each input.
    moments: Vec<InputTime>,
    /// The step and the time at which the comparison ends.
    end: InputTime,
    /// The two replays: with the rules, and without them.
    sides: [Side; 2],
}

#[derive(Debug)]
struct Side {
    world: World,
    /// The number of inputs that the replay has applied.
    applied: usize,
    milestones: QosMilestones,
    is_over: bool,
}

impl Workspace {
    /// Starts the comparison up to the cursor.
    pub(super) fn begin_qos_comparison(&self) -> QosComparison {
        let run = self.run();
        let inputs = run.recording().inputs.before(self.cursor);
        let time_of = |step| run.step(step).map_or(SimTime(0), |record| record.at);
        let moments = (0..).map_while(|number| inputs.get(number));
        let moments = moments.map(|(step, _)| (step, time_of(step))).collect();
        let config = || run.head().config().clone();
        let worlds = [
            World::new(config()),
            World::new(config()).without_qos_rules(),
        ];
        QosComparison {
            inputs,
            moments,
            end: (self.cursor, time_of(self.cursor)),
            sides: worlds.map(|world| Side {
                world,
                applied: 0,
                milestones: QosMilestones::default(),
                is_over: false,
            }),
        }
    }
}

impl QosComparison {
    /// Makes a few steps. Returns true once both runs have reached the end.
    pub(super) fn advance(&mut self) -> bool {
        for _ in 0..REPLAY_STEPS {
            let Some(side) = self.sides.iter_mut().find(|side| !side.is_over) else {
                return true;
            };
            side.is_over = !side.step(&self.inputs, &self.moments, self.end);
        }
        false
    }

    /// Returns the simulated time that the replays have covered, and the total time that they must cover, in
    /// microseconds. Both numbers are sums over the two replays.
    pub(super) fn progress(&self) -> (u64, u64) {
        let end = self.end.1.0;
        let replayed = |side: &Side| match side.is_over {
            true => end,
            false => side.world.now().0.min(end),
        };
        (self.sides.iter().map(replayed).sum(), 2 * end)
    }

    pub(super) fn view(&self) -> QosComparisonView {
        QosComparisonView {
            step: self.end.0,
            time_us: self.end.1.0,
            sides: self
                .sides
                .each_ref()
                .map(|side| side_view(&side.world, side.milestones)),
        }
    }
}

impl Side {
    /// Applies the next input or makes a step. Returns false if the run has ended.
    fn step(&mut self, inputs: &Inputs, moments: &[InputTime], end: InputTime) -> bool {
        let next = moments.get(self.applied).copied();
        let until = next.unwrap_or(end);
        if !self.is_at(until) {
            let is_due = self.world.next_at().is_some_and(|at| at <= until.1);
            if !is_due && self.world.now() < until.1 {
                self.world
                    .sleep(SimDuration(until.1.0 - self.world.now().0));
            }
            if is_due || self.world.now() < until.1 {
                self.world.step_untraced();
                self.milestones.observe(&self.world);
                return true;
            }
        }
        let Some((_, input)) = inputs.get(self.applied) else {
            return false;
        };
        input.apply(&mut self.world);
        self.applied += 1;
        true
    }

    /// Returns true if this replay has reached a position of the original run: the replay is at a later time, or it is
    /// at the same time and has made at least as many steps.
    fn is_at(&self, (step, time): InputTime) -> bool {
        self.world.now() > time || self.world.now() == time && self.world.steps() >= step
    }
}
