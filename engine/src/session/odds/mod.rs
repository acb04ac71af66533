//! When did an ending become inevitable? The run is repeated from earlier steps with other random numbers, and the
//! repetitions in which the ending occurs are counted.
//!
//! A replay types the later commands of the run again on a copy of the run, one after the other, up to a step. A replay
//! can leave out later commands at random: in most runs the commands, and not the random numbers, decide how they end.
//! A command that is impossible in a replay is refused, as if a person had typed it.

mod attempt;
mod draw;
mod ending;
mod later;
mod nemesis;
mod shrink;

use std::ops::Range;

use crate::shell::LineReader;
use crate::view::narrate;
use crate::view::odds::{Ending, EndingsView, OddsView};
use crate::words::session as words;
use crate::world::World;

use self::attempt::{Attempt, Copying, Outcome};
use self::ending::Detector;
use self::later::Later;
pub(super) use self::nemesis::Nemesis;
use super::inputs::Replay;
use super::protocol::Done;
use super::run::{REPLAY_STEPS, Run};
use super::workspace::Workspace;

/// The maximum number of steps of a run that is repeated, and of a replay.
pub const STEPS_MAX: u64 = 20_000;

/// Work that answers a question about endings.
#[derive(Debug)]
pub(super) enum Work {
    Search(Search),
    Repeat(Box<Repeat>),
    Nemesis(Box<Nemesis>),
}

impl Work {
    /// Makes a piece of the work. Returns the response once the work is done.
    pub(super) fn advance(&mut self, workspace: &Workspace) -> Option<Done> {
        match self {
            Self::Search(search) => search.advance(workspace).map(Done::Endings),
            Self::Repeat(repeat) => repeat
                .advance(workspace)
                .map(|view| Done::Odds(view.into())),
            Self::Nemesis(nemesis) => nemesis.advance(workspace).map(|result| match result {
                Ok(view) => Done::Nemesis(view.into()),
                Err(message) => Done::Refused { message },
            }),
        }
    }

    /// Returns the finished work, and all work: in steps of the search, in replays, or in attempts.
    pub(super) fn progress(&self) -> (u64, u64) {
        match self {
            Self::Search(search) => {
                let to = search.replay.to();
                (to - search.replay.left(), to)
            }
            Self::Repeat(repeat) => {
                let done = u64::from(repeat.view.replays + repeat.view.stopped);
                (done, done + repeat.seeds.clone().count() as u64)
            }
            Self::Nemesis(nemesis) => nemesis.progress(),
        }
    }
}

/// The search for the endings that occurred in a run up to the cursor.
#[derive(Debug)]
pub(super) struct Search {
    branch: u32,
    replay: Replay,
    detectors: Vec<(Ending, Detector, Option<u64>)>,
}

/// The replays from one step on.
#[derive(Debug)]
pub(super) struct Repeat {
    branch: u32,
    detector: Detector,
    later: Later,
    leaves_out: bool,
    seeds: Range<u64>,
    /// The reader of the run, which knows the variables that were set.
    reader: LineReader,
    stage: Stage,
    view: OddsView,
}

#[derive(Debug, Default)]
enum Stage {
    Copying(Copying),
    /// The copy of the run, and the replay in progress with its text.
    Replays(Box<Run>, Option<(String, Box<Attempt>)>),
    #[default]
    Ended,
}

impl Workspace {
    /// Starts to search the run up to the cursor for endings: for a condition, or for all endings without a condition.
    ///
    /// # Errors
    /// Returns an error message if the condition cannot be read, or if the run is too long.
    pub(super) fn begin_search(&self, condition: Option<String>) -> Result<Work, String> {
        check_length(self.cursor)?;
        let endings = match condition {
            Some(text) => vec![Ending::Condition(text)],
            None => Ending::ALL.to_vec(),
        };
        let detectors = endings.into_iter().map(|ending| {
            let detector = Detector::new(&ending)?;
            Ok((ending, detector, None))
        });
        Ok(Work::Search(Search {
            branch: self.current as u32,
            replay: Replay::new(World::new(self.world().config().clone()), self.cursor),
            detectors: detectors.collect::<Result<_, String>>()?,
        }))
    }

    /// Starts to repeat the run from a step on, once for each seed.
    ///
    /// # Errors
    /// Returns an error message if the condition cannot be read, or if the run is too long.
    pub(super) fn begin_repeat(
        &self,
        ending: &Ending,
        (step, until): (u64, u64),
        seeds: Range<u64>,
        leaves_out: bool,
    ) -> Result<Work, String> {
        let run = self.run();
        let until = until.min(run.len());
        check_length(until)?;
        let later = Later::new(run, step, until);
        let step = later.step;
        Ok(Work::Repeat(Box::new(Repeat {
            branch: self.current as u32,
            detector: Detector::new(ending)?,
            leaves_out,
            seeds,
            reader: self.reader.clone(),
            stage: Stage::Copying(Copying::new(self, step)),
            view: OddsView {
                step,
                time_us: run.step(step).map_or(0, |record| record.at.0),
                ..OddsView::default()
            },
            later,
        })))
    }
}

fn check_length(steps: u64) -> Result<(), String> {
    match steps > STEPS_MAX {
        true => Err(words::too_long_to_repeat(steps, STEPS_MAX)),
        false => Ok(()),
    }
}

impl Search {
    /// Makes a few steps. Returns the result once the replay has reached the cursor.
    pub(super) fn advance(&mut self, workspace: &Workspace) -> Option<EndingsView> {
        let run = &workspace.branches[self.branch as usize].run;
        for _ in 0..REPLAY_STEPS {
            let is_done = run.replay_more(&mut self.replay, 1);
            let world = self.replay.world();
            for (_, detector, first) in &mut self.detectors {
                if first.is_none() && detector.is_there(run, world.steps(), world) {
                    *first = Some(world.steps());
                }
            }
            if is_done {
                return Some(self.result(run));
            }
        }
        None
    }

    fn result(&mut self, run: &Run) -> EndingsView {
        let step = self.replay.to();
        let found = self
            .detectors
            .drain(..)
            .filter_map(|(ending, detector, first)| {
                let first = first.or_else(|| detector.logged(run))?;
                (first <= step).then_some((ending, first))
            });
        EndingsView {
            step,
            found: found.collect(),
        }
    }
}

impl Repeat {
    /// Makes a step of a replay. Returns the counts once all replays have ended.
    pub(super) fn advance(&mut self, workspace: &Workspace) -> Option<OddsView> {
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Copying(mut copying) => match copying.advance(workspace) {
                Some((copy, world)) => {
                    let run = &workspace.branches[self.branch as usize].run;
                    self.view.next = next_step(run, world);
                    Stage::Replays(copy.into(), None)
                }
                None => Stage::Copying(copying),
            },
            Stage::Replays(run, None) => {
                let Some(seed) = self.seeds.next() else {
                    return Some(std::mem::take(&mut self.view));
                };
                let text = self.later.text(seed, self.leaves_out);
                let attempt = Attempt::new(&run, self.reader.clone(), &text);
                Stage::Replays(run, Some((text, attempt.into())))
            }
            Stage::Replays(run, Some((text, mut attempt))) => {
                let detectors = std::iter::once(&self.detector);
                match attempt.advance(detectors, self.view.step) {
                    None => Stage::Replays(run, Some((text, attempt))),
                    Some(outcome) => {
                        self.count(&outcome, text);
                        Stage::Replays(run, None)
                    }
                }
            }
            Stage::Ended => Stage::Ended,
        };
        None
    }

    fn count(&mut self, outcome: &Outcome, text: String) {
        let view = &mut self.view;
        match outcome {
            Outcome::Stopped => view.stopped += 1,
            Outcome::Hit(_) => (view.replays, view.hits) = (view.replays + 1, view.hits + 1),
            Outcome::Avoided => {
                view.replays += 1;
                view.avoided.get_or_insert(text);
            }
        }
    }
}

/// Returns the sentence about the next step of a run after a state, and the command of this step.
fn next_step(run: &Run, world: World) -> (String, String) {
    let step = world.steps() + 1;
    let mut next = Replay::new(world, step.min(run.len()));
    run.replay_more(&mut next, 1);
    let events = run.events(step);
    let past = run.past(step, next.world(), &events);
    (narrate::sentence(past), past.command.to_owned())
}
