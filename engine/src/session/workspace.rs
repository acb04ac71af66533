//! The run that a person works on: its branches, the cursor, and the typed commands.
//!
//! Other files of this folder add the methods for commands, lessons and undo to [`Workspace`]. The session decides when
//! to call these methods.

use crate::api::Profile;
use crate::scenario::exhibit::Exhibit;
use crate::shell::LineReader;
use crate::view::{Moment, WayView};
use crate::words::session as words;
use crate::world::{Config, World};

use super::goal::GoalState;
use super::lesson_run::{End, FilledSentence, LessonRun, SolutionTrial, Trial};
use super::progress::LearnerProgress;
use super::protocol::{Limits, Source};
use super::run::Run;
use super::save::{LogItem, Saved};
use super::stand::Stand;
use super::task::Running;

/// A run with its branches, and all other data that the load of another run replaces.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) title: String,
    /// The introduction of the run, from the header of its scenario.
    pub(super) opening: Option<String>,
    /// The bug that the run shows, from the header of its scenario.
    pub(super) exhibit: Option<Exhibit>,
    /// Whether the page narrates the run beat by beat (section by section), because the source of the run has comments.
    pub(super) is_told: bool,
    /// The links that the web page shows at the end of the run.
    pub(super) ways: Vec<WayView>,
    pub(super) branches: Vec<Branch>,
    pub(super) current: usize,
    /// The last step before the cursor; 0 at the start of the run.
    pub(super) cursor: u64,
    /// The beat that the last cursor move requested; see [`Workspace::beat`].
    pub(super) wanted_beat: u64,
    /// The world at the cursor; `None` at the end of the run, where the run itself stores the world. A second copy at
    /// the end would share data with the run's own world, so every write would have to copy the data that it changes.
    pub(super) past: Option<World>,
    pub(super) reader: LineReader,
    /// The source of the run. The source and the log are enough to replay the run.
    pub(super) source: Source,
    pub(super) log: Vec<LogItem>,
    /// For each command of the log, in order: the position at which the command ended.
    pub(super) ends: Vec<End>,
    /// The sentences of the lesson about earlier steps, filled in with the values of these steps.
    pub(super) filled_sentences: Vec<FilledSentence>,
    /// Whether the current part of the lesson fits the run; `None` if the run follows the text of the lesson.
    pub(super) trial: Option<Trial>,
    /// Whether the solution of the current task still works; `None` if there is nothing to check.
    pub(super) solution_trial: Option<SolutionTrial>,
    pub(super) goal: GoalState,
    /// The lines of an incomplete transaction.
    pub(super) half_typed: Vec<String>,
    /// The states to which undo can return, newest last.
    pub(super) before: Vec<Before>,
    pub(super) lesson: Option<LessonRun>,
    /// The learner's progress in all lessons, independent of the open run.
    pub(super) progress: LearnerProgress,
    pub(super) limits: Limits,
    /// The names of the watches that commands started, newest last.
    pub(super) started_watches: Vec<String>,
    /// The exit code of the last command, which `echo $?` prints.
    pub(super) last_exit: u8,
    pub(super) running: Option<Running>,
    /// Whether the views have changed since the engine last sent views.
    pub(super) dirty: bool,
}

/// A branch: a run that may start at a step of another branch's run.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) run: Run,
    /// The parent branch, and the step at which this branch starts; `None` if the branch has no parent.
    pub(super) parent: Option<Moment>,
    /// The label of the point where the branch starts.
    pub(super) label: String,
}

/// A state to which undo can return.
#[derive(Clone, Debug)]
pub(super) enum Before {
    /// The position before the learner typed a text.
    Typed(Stand),
    /// The state before the learner restarted the lesson or a part of the lesson.
    Reset(Box<Reset>),
}

/// The run and the lesson before a restart.
#[derive(Clone, Debug)]
pub(super) struct Reset {
    pub(super) saved: Saved,
    pub(super) lesson: LessonRun,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl Workspace {
    pub(super) fn new(config: Config) -> Self {
        let source = Source::Empty {
            profile: config.profile.to_string(),
            seed: config.seed,
        };
        Self::of(Run::new(config), source)
    }

    /// Creates a workspace at the end of a copied run, for commands that must not change the run itself.
    pub(super) fn of_copy(run: Run) -> Self {
        let cursor = run.len();
        Self {
            cursor,
            ..Self::of(run, Source::Text(String::new()))
        }
    }

    /// Creates a workspace from a run that has no steps yet, and from the source of the run.
    pub(super) fn of(run: Run, source: Source) -> Self {
        Self {
            title: words::SANDBOX.into(),
            opening: None,
            exhibit: None,
            is_told: false,
            ways: Vec::new(),
            wanted_beat: 0,
            past: None,
            reader: LineReader::new(run.head().config().profile),
            branches: vec![Branch {
                run,
                parent: None,
                label: words::START.into(),
            }],
            current: 0,
            cursor: 0,
            source,
            log: Vec::new(),
            ends: Vec::new(),
            filled_sentences: Vec::new(),
            trial: None,
            solution_trial: None,
            goal: GoalState::Unknown,
            half_typed: Vec::new(),
            before: Vec::new(),
            lesson: None,
            progress: LearnerProgress::default(),
            limits: Limits::default(),
            started_watches: Vec::new(),
            last_exit: 0,
            running: None,
            dirty: true,
        }
    }

    /// Sets the number of steps in new chapters, for tests: with the normal number, all chapters of a short run stay in
    /// memory.
    pub(super) fn set_chapter_steps(&mut self, steps: u64) {
        for branch in &mut self.branches {
            branch.run.set_chapter_steps(steps);
        }
    }

    pub(super) fn world(&self) -> &World {
        self.past.as_ref().unwrap_or_else(|| self.run().head())
    }

    /// Returns the etcd version with which the first branch started.
    pub(super) fn first_profile(&self) -> Profile {
        self.branches[0].run.head().config().profile
    }

    /// Returns the run of the current branch.
    pub(super) fn run(&self) -> &Run {
        &self.branches[self.current].run
    }

    /// Returns the position of the cursor.
    pub(super) fn moment(&self) -> Moment {
        Moment {
            branch: self.current as u32,
            step: self.cursor,
        }
    }

    /// Returns the prompt of a half-typed transaction.
    pub(super) fn pending(&self) -> Option<&'static str> {
        self.reader.pending()
    }

    /// Takes over the learner's progress and the limits from the workspace that this workspace replaces.
    pub(super) fn take_over(&mut self, old: &mut Self) {
        self.progress = std::mem::take(&mut old.progress);
        self.limits = old.limits;
        self.dirty = true;
    }
}
