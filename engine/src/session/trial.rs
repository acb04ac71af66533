//! Checks whether a part of a lesson fits the learner's store, by running the lesson's commands on a copy of the run: a
//! task fits if its solution solves the task, and a question fits if its choices contain the actual answer.
//!
//! If the run followed the text, the part always fits, because the lesson's test runs the same commands.
//!
//! While the learner works on a task, checks in the same way whether the solution still solves the task from the end of
//! the run. If it does not, the page says so and offers to restart the part.

use crate::scenario::Block;
use crate::scenario::lesson::{PartKind, same_answer};
use crate::view::Moment;

use super::lesson_run::{LessonRun, SolutionTrial, Trial};
use super::workspace::Workspace;

/// The maximum number of steps of a trial. The text of a lesson can come from anywhere, and can contain endless
/// commands.
const STEPS_MAX: u32 = 20_000;

/// The maximum number of commands of a solution that trials leave out.
const COMMANDS_TRIED: usize = 8;

/// The last step at which a trial can start, unless it starts at the end of the run. If a trial starts before the end,
/// the observers of the copied run must read all events before the start.
const STEPS_BEFORE_MAX: u64 = 20_000;

impl Workspace {
    /// Checks whether the current part fits the learner's store, if the store can differ from the store of the lesson.
    pub(super) fn try_part(&mut self) {
        if self.is_running() {
            return;
        }
        let Some(run) = &self.lesson else {
            return;
        };
        let part = run.part();
        self.trial = self.start_of_trial(run).map(|(at, from)| {
            let known = self
                .trial
                .filter(|trial| (trial.part, trial.at) == (part, at));
            let fits = known.map_or_else(|| self.fits(run, at), |known| known.fits);
            Trial {
                part,
                at,
                from,
                fits,
            }
        });
    }

    /// Checks whether the solution of the current task still solves the task, if the learner has typed commands in the
    /// part. The learner can have typed the first commands of the solution, so the last commands alone may solve the
    /// task. The learner can also have typed a later command first, so the solution without one of its commands may
    /// solve the task, once time has passed.
    pub(super) fn try_solution(&mut self) {
        if self.is_running() {
            return;
        }
        self.solution_trial = self.solution_to_try().map(|(part, solution)| {
            let at = self.now().at;
            let known = self
                .solution_trial
                .filter(|trial| (trial.part, trial.at) == (part, at));
            let solves = known.map_or_else(|| self.can_solve(&solution), |known| known.solves);
            SolutionTrial { part, at, solves }
        });
    }

    /// Returns the number of the current part and the solution of its task. Returns `None` if the task is solved, if it
    /// does not fit the learner's store, or if the learner has typed nothing in the part.
    fn solution_to_try(&self) -> Option<(usize, Vec<Block>)> {
        let run = self.lesson.as_ref()?;
        let (part, mark) = (run.part(), &run.state.marks[run.part()]);
        let PartKind::Task(task) = &run.lesson.parts[part].kind else {
            return None;
        };
        let fits = self.trial.is_none_or(|trial| trial.fits);
        // A task without conditions compares the store with its goal instead.
        let is_open = !mark.done
            && fits
            && !task.conditions.is_empty()
            && self.now().at != run.state.began[part].at;
        is_open.then(|| (part, task.solution.clone()))
    }

    fn can_solve(&self, solution: &[Block]) -> bool {
        // Each command needs two trials.
        let all: Vec<&Block> = solution.iter().take(COMMANDS_TRIED).collect();
        let wait = Block {
            input: "run 1s".to_owned(),
            ..solution[0].clone()
        };
        let without = |left_out: usize| {
            let others = all.iter().enumerate().filter(|(at, _)| *at != left_out);
            let others = others.map(|(_, block)| *block);
            others.chain([&wait]).collect::<Vec<_>>()
        };
        (0..all.len()).any(|from| self.solves(&all[from..]))
            || (0..all.len()).any(|left_out| self.solves(&without(left_out)))
    }

    /// Returns true if these commands solve the current task from the end of the run.
    fn solves(&self, commands: &[&Block]) -> bool {
        let Some(run) = &self.lesson else {
            return true;
        };
        let PartKind::Task(task) = &run.lesson.parts[run.part()].kind else {
            return true;
        };
        let trial = self.with_commands(self.now().at, commands);
        trial.is_none_or(|trial| task.is_solved(&trial.facts(&run.answers())))
    }

    /// Returns the position from which the current part's commands run, and the part in which the run first differed
    /// from the text of the lesson. Returns `None` if the part has nothing to check, or if the run followed the text.
    fn start_of_trial(&self, run: &LessonRun) -> Option<(Moment, usize)> {
        let (part, mark) = (run.part(), &run.state.marks[run.part()]);
        match &run.lesson.parts[part].kind {
            PartKind::Task(_) if !mark.done => {
                let from = self.left_the_text(run, 0..part)?;
                Some((self.within(run.state.began[part].at), from))
            }
            PartKind::Predict(question)
                if !question.choices.is_empty() && mark.answer.is_none() && !mark.done =>
            {
                let from = self.left_the_text(run, 0..part + 1)?;
                Some((self.now().at, from))
            }
            PartKind::Step | PartKind::Predict(_) | PartKind::Task(_) => None,
        }
    }

    /// Returns true if the learner can complete the current part from this position as the lesson describes.
    fn fits(&self, run: &LessonRun, at: Moment) -> bool {
        let part = &run.lesson.parts[run.part()];
        let open: Vec<&Block> = match &part.kind {
            PartKind::Task(task) => task.solution.iter().collect(),
            PartKind::Step | PartKind::Predict(_) => {
                let typed = self.typed_commands();
                let open = part.blocks().zip(typed).filter(|(_, typed)| !typed.done);
                open.map(|(block, _)| block).collect()
            }
        };
        let Some(trial) = self.with_commands(at, &open) else {
            return true;
        };
        let answers = run.answers();
        let facts = trial.facts(&answers);
        match &part.kind {
            PartKind::Task(task) => task.is_solved(&facts),
            PartKind::Predict(question) => {
                let actual = question.actual(&facts);
                question
                    .choices
                    .iter()
                    .any(|choice| same_answer(choice, &actual))
            }
            PartKind::Step => true,
        }
    }

    /// Runs commands on a copy of the run up to a position. Returns `None` if the commands need too many steps.
    fn with_commands(&self, at: Moment, blocks: &[&Block]) -> Option<Self> {
        let run = &self.branches[at.branch as usize].run;
        let copy = if at.step == run.len() {
            run.clone()
        } else if at.step <= STEPS_BEFORE_MAX {
            run.fork(at.step, run.world_at(at.step))
        } else {
            return None;
        };
        let mut trial = Self::of_copy(copy);
        // Only a run with a lesson stores the responses that the checks read.
        trial.lesson = self.lesson.clone();
        let mut steps = STEPS_MAX;
        for block in blocks {
            trial.block_within(block, &mut steps)?;
        }
        Some(trial)
    }

    /// Returns the position; if it is outside the run, returns the nearest position in the run.
    fn within(&self, at: Moment) -> Moment {
        let branch = at.branch.min(self.branches.len() as u32 - 1);
        let step = at.step.min(self.branches[branch as usize].run.len());
        Moment { branch, step }
    }
}
