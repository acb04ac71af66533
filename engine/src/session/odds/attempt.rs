//! A copy of a run on which other commands are typed, until an ending occurs.

use crate::session::inputs::Replay;
use crate::session::run::{Fork, REPLAY_STEPS, Run};
use crate::session::typing::Typed;
use crate::session::workspace::Workspace;
use crate::shell::LineReader;
use crate::world::World;

use super::STEPS_MAX;
use super::ending::Detector;

/// Copies a run up to a step, in slices of work.
#[derive(Debug, Default)]
pub(super) enum Copying {
    /// Replays the run up to the step, in this branch.
    World(u32, Replay),
    /// Lets the observers of the copy read the events up to the step. The world is the state of the run at the step.
    Observers(Box<Fork>, Box<World>),
    #[default]
    Ended,
}

impl Copying {
    pub(super) fn new(workspace: &Workspace, step: u64) -> Self {
        let replay = workspace.run().begin_replay(step);
        Self::World(workspace.current as u32, replay)
    }

    /// Makes a piece of the work. Once the copy is complete, returns it with the state of the run at the step. In the
    /// copy, the requests of the command that was running at the step are canceled.
    pub(super) fn advance(&mut self, workspace: &Workspace) -> Option<(Run, World)> {
        *self = match std::mem::take(self) {
            Self::World(branch, mut replay) => {
                let run = &workspace.branches[branch as usize].run;
                match run.replay_more(&mut replay, REPLAY_STEPS) {
                    true => {
                        let step = replay.to();
                        let world = replay.into_world();
                        let fork = run.begin_fork(step, world.clone());
                        Self::Observers(fork.into(), world.into())
                    }
                    false => Self::World(branch, replay),
                }
            }
            Self::Observers(mut fork, world) => match fork.observe_more() {
                true => return Some((fork.into_run(), *world)),
                false => Self::Observers(fork, world),
            },
            Self::Ended => Self::Ended,
        };
        None
    }
}

/// The outcome of a text that was typed on a copy.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The ending of the detector with this number occurred.
    Hit(usize),
    /// No ending has occurred until the end of the text.
    Avoided,
    /// The copy took too many steps.
    Stopped,
}

/// A copy of a run, and a text that is typed on it.
#[derive(Debug)]
pub(super) struct Attempt {
    workspace: Workspace,
    typed: Typed,
    /// The number of the detector that has seen its ending in the world.
    seen: Option<usize>,
}

impl Attempt {
    pub(super) fn new(run: &Run, reader: LineReader, text: &str) -> Self {
        let mut workspace = Workspace::of_copy(run.clone());
        workspace.reader = reader;
        Self {
            workspace,
            typed: Typed::new(text),
            seen: None,
        }
    }

    pub(super) fn run(&self) -> &Run {
        self.workspace.run()
    }

    pub(super) fn world(&self) -> &World {
        self.run().head()
    }

    /// Types a further text after the end of the text before.
    pub(super) fn go_on(&mut self, text: &str) {
        self.typed = Typed::new(text);
    }

    /// Makes a step of a command, or starts a command. `from` is the number of steps of the copied run. Returns the
    /// outcome once an ending has occurred or the text has ended.
    pub(super) fn advance<'a>(
        &mut self,
        detectors: impl Iterator<Item = &'a Detector> + Clone,
        from: u64,
    ) -> Option<Outcome> {
        let before = self.run().len();
        let goes_on = self.typed.advance(&mut self.workspace);
        let run = self.workspace.run();
        if run.len() != before && self.seen.is_none() {
            self.seen = detectors
                .clone()
                .position(|detector| detector.is_there(run, run.len(), run.head()));
        }
        if let Some(seen) = self.seen {
            return Some(Outcome::Hit(seen));
        }
        if goes_on {
            return (run.len() > from + STEPS_MAX).then_some(Outcome::Stopped);
        }
        let logged = detectors
            .clone()
            .position(|detector| detector.logged(run).is_some());
        Some(logged.map_or(Outcome::Avoided, Outcome::Hit))
    }
}
