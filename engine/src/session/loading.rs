//! Making a run from a story, a lesson, a text or a save, beside the present one.

use std::collections::VecDeque;

use crate::api::Profile;
use crate::scenario::{self, Block, Scenario, included, lesson, lessons, stories};
use crate::shell::{Command, CommandKind, Read, Reader};
use crate::world::Config;

use super::lesson::LessonRun;
use super::permalink::Permalink;
use super::protocol::{Done, SeekTo, Source};
use super::save::{LogItem, Saved};
use super::session::Session;
use super::typing::{TypedBlock, first_line};
use super::undo::Before;

/// A run that is being made; it takes the place of the present one when it is complete.
#[derive(Debug)]
pub(super) struct Loading {
    pub(super) session: Session,
    blocks: VecDeque<Block>,
    /// The block under way.
    block: Option<TypedBlock>,
    replay: VecDeque<LogItem>,
    at: SeekTo,
    saved_at: Option<(u32, u64)>,
    differences: u64,
    skipped: u64,
    view: String,
    /// A lesson is begun: what its beginning prints is nobody's business.
    hush: bool,
    kept: Option<Kept>,
    /// Steps made, and how many of them before the load was last resumed.
    steps: u64,
    steps_before_pause: u64,
}

/// What stays when the run is made again to take something back.
#[derive(Debug)]
struct Kept {
    lesson: Option<LessonRun>,
    before: Vec<Before>,
}

impl Loading {
    /// Reads the source; its commands are run by [`advance`](Self::advance).
    pub(super) fn new(source: Source, at: SeekTo) -> Result<Self, String> {
        let mut loading = Self::blank(at);
        loading.open(source)?;
        Ok(loading)
    }

    fn blank(at: SeekTo) -> Self {
        Self {
            session: Session::default(),
            blocks: VecDeque::new(),
            block: None,
            replay: VecDeque::new(),
            at,
            saved_at: None,
            differences: 0,
            skipped: 0,
            view: String::new(),
            hush: false,
            kept: None,
            steps: 0,
            steps_before_pause: 0,
        }
    }

    /// The present run up to an earlier moment.
    pub(super) fn rewound(
        saved: Saved,
        lesson: Option<LessonRun>,
        before: Vec<Before>,
    ) -> Result<Self, String> {
        let mut loading = Self::blank(SeekTo::Default);
        loading.again(saved)?;
        loading.kept = Some(Kept { lesson, before });
        Ok(loading)
    }

    /// The lesson to go on with instead.
    pub(super) fn keep_lesson(&mut self, lesson: LessonRun) {
        if let Some(kept) = &mut self.kept {
            kept.lesson = Some(lesson);
        }
    }

    /// A lesson as it is when its last task is solved.
    pub(super) fn goal(name: &str) -> Result<Self, String> {
        let mut loading = Self::new(Source::Lesson(name.into()), SeekTo::End)?;
        let scenario = scenario::format::parse(embedded(name)?).map_err(|e| e.to_string())?;
        loading.blocks = scenario.blocks.into();
        Ok(loading)
    }

    /// The run that was made, and whether it takes the place of an earlier moment of the same.
    pub(super) fn finish(&mut self) -> (Session, bool) {
        let mut session = std::mem::take(&mut self.session);
        let Some(kept) = self.kept.take() else {
            return (session, false);
        };
        session.lesson = kept.lesson;
        session.before = kept.before;
        (session, true)
    }

    /// Blocks and typed texts still to be done.
    pub(super) fn left(&self) -> u64 {
        (self.blocks.len() + self.replay.len()) as u64
    }

    /// Steps made so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the load has made as many steps as it may without being resumed.
    pub(super) fn is_paused(&self, load_steps: Option<u64>) -> bool {
        load_steps.is_some_and(|most| self.steps - self.steps_before_pause >= most)
    }

    /// Allows as many steps again.
    pub(super) fn resume(&mut self) {
        self.steps_before_pause = self.steps;
    }

    /// What to answer when it is complete.
    pub(super) fn done(&self) -> Done {
        Done::Loaded {
            differences: self.differences,
            skipped: self.skipped,
            view: self.view.clone(),
        }
    }

    fn open(&mut self, source: Source) -> Result<(), String> {
        match &source {
            Source::Story(name) => {
                let text = included::text(&stories::ALL, "story", name)?;
                let scenario = scenario::read(text).map_err(|e| e.to_string())?;
                self.take(scenario);
            }
            Source::Lesson(name) => self.take_lesson(embedded(name)?)?,
            Source::Empty { profile, seed } => {
                let profile = Profile::parse(profile).ok_or_else(|| {
                    format!("there is no profile `{profile}`; there are 3.6 and 3.4")
                })?;
                self.session = Session::new(Config {
                    profile,
                    seed: *seed,
                    ..Config::default()
                });
            }
            Source::Text(text) if lesson::is_lesson(text) => self.take_lesson(text)?,
            Source::Text(text) => {
                let scenario = scenario::read(text).map_err(|e| e.to_string())?;
                some_command(&scenario)?;
                self.take(scenario);
            }
            Source::Saved(text) => {
                let saved = Saved::from_text(text)?;
                return self.again(saved);
            }
            Source::Link(text) => {
                let link = Permalink::from_text(text)?;
                self.view = link.view;
                return self.again(link.saved);
            }
        }
        self.session.source = source;
        Ok(())
    }

    /// A run that was kept: what it began with, then everything that was typed.
    fn again(&mut self, saved: Saved) -> Result<(), String> {
        if matches!(saved.source, Source::Saved(_) | Source::Link(_)) {
            return Err("a saved run cannot be made from another saved run".into());
        }
        self.saved_at = Some((saved.branch, saved.step));
        self.replay = saved.log.into();
        self.open(saved.source)
    }

    /// The lesson's beginning is what is run.
    fn take_lesson(&mut self, text: &str) -> Result<(), String> {
        let lesson = lesson::parse(text).map_err(|e| e.to_string())?;
        self.session = Session::new(Config {
            profile: lesson.profile,
            ..Config::default()
        });
        self.session.title = lesson.title.clone();
        // A link says what was looked at when it was made.
        if self.view.is_empty() {
            self.view = lesson.picture.name().to_owned();
        }
        self.blocks = lesson.start.clone().into();
        self.session.lesson = Some(LessonRun::new(lesson.into()));
        self.hush = true;
        Ok(())
    }

    /// The scenario's commands are the ones to run.
    fn take(&mut self, scenario: Scenario) {
        self.session.title = scenario.header("title").unwrap_or("Transcript").to_owned();
        self.skipped = scenario.skipped;
        self.blocks = scenario.blocks.into();
    }

    /// Does the next command; false when the run is complete and the cursor stands.
    pub(super) fn advance(&mut self) -> bool {
        self.steps += 1;
        if let Some(block) = &mut self.block {
            if !block.advance(&mut self.session) {
                self.skipped += u64::from(!block.read);
                self.differences += u64::from(block.differs());
                self.block = None;
            }
            return true;
        }
        if let Some(block) = self.blocks.pop_front() {
            self.block = Some(TypedBlock::new(&mut self.session, &block));
            return true;
        }
        if std::mem::take(&mut self.hush) {
            self.session.branches[0].run.hush();
            self.session.go_to_head();
        }
        if let Some(item) = self.replay.pop_front() {
            self.session.replay(&item);
            return true;
        }
        match (self.saved_at, self.at) {
            (Some((branch, step)), SeekTo::Default) => {
                self.session.switch(branch);
                self.session.seek(SeekTo::Step(step));
            }
            (None, SeekTo::Default) if self.session.lesson.is_some() => {}
            (None, SeekTo::Default) => self.session.seek(SeekTo::Step(0)),
            (_, at) => self.session.seek(at),
        }
        false
    }
}

impl Session {
    /// Types again what was typed once, where it was typed.
    fn replay(&mut self, item: &LogItem) {
        if (item.branch as usize) < self.branches.len() && item.branch as usize != self.current {
            self.switch(item.branch);
        }
        self.seek(SeekTo::Step(item.step));
        let _ = self.exec(&item.text);
    }
}

/// The text of a lesson that comes with the engine.
fn embedded(name: &str) -> Result<&'static str, String> {
    included::text(&lessons::ALL, "lesson", name)
}

/// Blocks at the beginning of a text among which one must be a command.
const PROBED_BLOCKS: usize = 50;

/// Characters of a complaint about a line that are repeated.
const WHY_CHARS: usize = 200;

/// Refuses a text that is something else altogether: none of its first lines is a command.
fn some_command(scenario: &Scenario) -> Result<(), String> {
    let mut first = None;
    for block in scenario.blocks.iter().take(PROBED_BLOCKS) {
        let line = block.input.lines().next().unwrap_or_default();
        let why = match Reader::new(Profile::default()).line(line) {
            Ok(Read::Commands(read)) => match read.iter().find_map(refusal) {
                Some(why) => why,
                None => return Ok(()),
            },
            Ok(Read::Blank | Read::More { .. }) => return Ok(()),
            Err(error) => error.to_string(),
        };
        first =
            first.or_else(|| Some((block.line, why.chars().take(WHY_CHARS).collect::<String>())));
    }
    match first {
        None => Ok(()),
        Some((line, why)) => Err(format!(
            "No line of this text is a command that the simulator knows. Line {line}: {why}"
        )),
    }
}

/// What etcdctl itself says against a command, on one line.
fn refusal(command: &Command) -> Option<String> {
    match &command.kind {
        CommandKind::Refused(output) => {
            Some(first_line(String::from_utf8_lossy(&output.stderr).trim()))
        }
        _ => None,
    }
}
