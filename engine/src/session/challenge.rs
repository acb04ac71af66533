//! A challenge: a lesson that consists of one task. The learner brings the run to the state in a picture, in any way,
//! with as few commands as possible.
//!
//! The goal is the state after the solution of the task. If the task has no conditions, the learner's store must have
//! the same revision, the same compact revision and the same key index as the goal (`goal.rs`).

use crate::scenario::lesson::{Lesson, Task};
use crate::scenario::picture::NamedView;
use crate::view::{
    CacheQuery, ChallengeView, ConditionView, IndexQuery, Queries, TextRun, TextRunKind, WatchQuery,
};
use crate::words::challenge as words;
use crate::words::lesson as lesson_words;
use crate::world::Config;

use super::goal::{Contents, Goal, GoalState};
use super::lesson_cards::changes_in;
use super::protocol::Source;
use super::workspace::Workspace;

/// The maximum number of steps to the goal. The text of a challenge can come from anywhere, and can contain endless
/// commands.
const STEPS_MAX: u32 = 2_000;
/// The maximum number of lanes, revisions and watchers in the picture of a goal.
const LANES_MAX: u32 = 8;
const REVISIONS_MAX: u32 = 40;

impl Workspace {
    /// Computes the goal of the current challenge, unless it is known: runs the solution on a store of its own.
    pub(super) fn find_goal(&mut self) {
        let lesson = self.lesson.as_ref().map(|run| &run.lesson);
        if let (GoalState::Unknown, Some(lesson)) = (&self.goal, lesson)
            && let Some(task) = lesson.challenge()
        {
            self.goal = goal_of(lesson, task)
                .map_or(GoalState::TooLong, |goal| GoalState::Known(goal.into()));
        }
    }

    /// Returns what is wrong with the goal of a challenge: its solution takes too long, or its picture does not show
    /// everything that is compared.
    pub(super) fn faults_of_goal(&self, task: &Task, view: NamedView) -> Vec<String> {
        let Some(goal) = self.known_goal() else {
            return vec![lesson_words::solution_too_long(STEPS_MAX)];
        };
        if !task.conditions.is_empty() {
            return Vec::new();
        }
        let Contents { revision, keys, .. } = &goal.contents;
        let is_too_large = keys.len() > LANES_MAX as usize || *revision > i64::from(REVISIONS_MAX);
        let too_large =
            is_too_large.then(|| lesson_words::goal_too_large(LANES_MAX, REVISIONS_MAX));
        let no_store =
            (view != NamedView::Index).then(|| lesson_words::GOAL_WITHOUT_STORE.to_owned());
        too_large.into_iter().chain(no_store).collect()
    }

    fn known_goal(&self) -> Option<&Goal> {
        match &self.goal {
            GoalState::Known(goal) => Some(goal),
            GoalState::Unknown | GoalState::TooLong => None,
        }
    }

    /// Returns the contents of the store at the cursor, and the contents of the goal, if the task compares them.
    fn compared(&self, task: &Task) -> Option<(Contents, &Contents)> {
        let goal = self.known_goal().filter(|_| task.conditions.is_empty())?;
        Some((Contents::of(self.facts(&[]).past.store()), &goal.contents))
    }

    /// Returns true if the state at the cursor solves the task.
    pub(super) fn is_solved(&self, task: &Task, answers: &[String]) -> bool {
        match self.compared(task) {
            Some((mine, goal)) => mine == *goal,
            None => task.is_solved(&self.facts(answers)) && !task.conditions.is_empty(),
        }
    }

    /// Returns true if no further command can lead from the store at the cursor to the goal of a challenge.
    pub(super) fn is_past_goal(&self, task: &Task) -> bool {
        let compared = self.compared(task);
        compared.is_some_and(|(mine, goal)| mine.is_past(goal))
    }

    /// Returns the conditions of a task whose goal is a picture: the revision, the rows and the compaction.
    pub(super) fn goal_conditions(&self, task: &Task) -> Vec<ConditionView> {
        let Some((mine, goal)) = self.compared(task) else {
            return Vec::new();
        };
        let difference = mine.difference(goal);
        let condition = |want: String, is_met: bool, why: String| ConditionView {
            want: runs(&want),
            ok: is_met,
            is_given: false,
            why: if is_met { Vec::new() } else { runs(&why) },
        };
        let mut conditions = vec![
            condition(
                words::want_revision(goal.revision),
                mine.revision == goal.revision,
                words::is_at_revision(mine.revision),
            ),
            condition(
                words::WANT_KEYS.to_owned(),
                difference.is_none(),
                difference.unwrap_or_default(),
            ),
        ];
        if mine.compacted > 0 || goal.compacted > 0 {
            conditions.insert(
                1,
                condition(
                    words::want_compacted(goal.compacted),
                    mine.compacted == goal.compacted,
                    words::is_compacted(mine.compacted),
                ),
            );
        }
        conditions
    }

    pub(super) fn challenge_view(&self) -> Option<ChallengeView> {
        let (lesson, goal) = (&self.lesson.as_ref()?.lesson, self.known_goal()?);
        Some(ChallengeView {
            goal: goal.views.clone().into(),
            picture: lesson.view.name().to_owned(),
            par: par(lesson)?,
            commands: self.command_count(),
            best: self.progress.best(&lesson.name),
        })
    }

    /// Records the number of commands of a solved challenge. A lesson with the name of a published challenge can have
    /// another text, and then does not count.
    pub(super) fn note_best(&mut self, name: &str) {
        let is_published = matches!(&self.source, Source::Lesson(source) if *source == *name);
        if is_published {
            let commands = self.command_count();
            self.progress.note_best(name, commands);
        }
    }

    /// Returns the number of typed commands that change the run.
    fn command_count(&self) -> u32 {
        let profile = self.first_profile();
        let all = self.log.iter();
        all.map(|item| changes_in(profile, &item.text) as u32).sum()
    }
}

/// Returns the number of commands of the solution that change the run; `None` if the lesson is no challenge.
fn par(lesson: &Lesson) -> Option<u32> {
    let solution = lesson.challenge()?.solution.iter();
    let changes = solution.map(|block| changes_in(lesson.profile, &block.input) as u32);
    Some(changes.sum())
}

/// Runs the solution; returns `None` if it takes too many steps.
fn goal_of(lesson: &Lesson, task: &Task) -> Option<Goal> {
    let mut workspace = Workspace::new(Config {
        profile: lesson.profile,
        ..Config::default()
    });
    let mut steps = STEPS_MAX;
    for block in lesson.start.iter().chain(&task.solution) {
        workspace.block_within(block, &mut steps)?;
    }
    Some(Goal {
        contents: Contents::of(workspace.facts(&[]).past.store()),
        views: workspace.views(&queries(lesson.view), false),
    })
}

/// Splits a sentence into its pieces; the pieces between backticks are code.
fn runs(sentence: &str) -> Vec<TextRun> {
    let pieces = sentence.split('`').enumerate();
    let run = |(number, text): (usize, &str)| TextRun {
        text: text.to_owned(),
        kind: match number % 2 {
            0 => TextRunKind::Plain,
            _ => TextRunKind::Code,
        },
    };
    pieces.map(run).filter(|run| !run.text.is_empty()).collect()
}

/// Returns the query for the picture of a goal.
fn queries(view: NamedView) -> Queries {
    let mut queries = Queries::default();
    match view {
        NamedView::Watch => {
            queries.watch = Some(WatchQuery {
                columns: REVISIONS_MAX,
                ..WatchQuery::default()
            })
        }
        NamedView::Cache => queries.cache = Some(CacheQuery::default().into()),
        _ => {
            queries.index = Some(IndexQuery {
                lane_count: LANES_MAX,
                rev_from: 1,
                rev_to: i64::from(REVISIONS_MAX),
                columns: REVISIONS_MAX * 4,
                ..IndexQuery::default()
            });
        }
    }
    queries
}
