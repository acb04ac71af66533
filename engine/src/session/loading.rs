//! Loads a run from a story, a lesson, a text or a saved run, while the current run stays in place.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::Profile;
use crate::etcd::snapshot_file::SnapshotOpening;
use crate::etcd::{FileIdentity, SnapshotError, SnapshotFile};
use crate::scenario::exhibit::Exhibit;
use crate::scenario::lesson::PartKind;
use crate::scenario::transcript::PROFILE_HEADER;
use crate::scenario::{self, Block, Sameness, Scenario, SkippedLines, TextReader, lesson};
use crate::shell::{Command, CommandKind, LineReader, Read};
use crate::view::{Moment, WayView};
use crate::words::loading as words;
use crate::words::transcript as transcript_words;
use crate::words::{file as file_words, session as session_words};
use crate::world::Config;
use crate::world::config::FormatVersion;

use super::inputs::Replay;
use super::lesson_run::LessonRun;
use super::memory::{CHANGE_BYTES, mib};
use super::permalink::Permalink;
use super::practice::Item;
use super::protocol::{
    DifferingEntry, Done, ProgressUnit, RunningCommand, SeekTo, Source, TextReport,
};
use super::run::{NewRun, REPLAY_STEPS, Run};
use super::save::{LogItem, Saved};
use super::scrollback::Entry;
use super::task::first_line;
use super::texts::{NotNow, Texts};
use super::typed_block::TypedBlock;
use super::typing::Typed;
use super::workspace::{Before, Workspace};

/// A run that is being loaded. It replaces the current run once it is complete.
#[derive(Debug)]
pub(super) struct Loading {
    pub(super) workspace: Workspace,
    /// The file or the text from which the run starts; `None` once the file or the text is read.
    begin: Option<Begin>,
    /// The reason why the run cannot be loaded.
    refusal: Option<String>,
    blocks: VecDeque<Block>,
    /// The block of the text whose commands are running now.
    block: Option<TypedBlock>,
    /// The commands before the part of a lesson that a preview shows; `None` stands for the end of a part.
    before_part: VecDeque<Option<String>>,
    replay: VecDeque<LogItem>,
    /// The log item that is being typed again; `None` while the cursor moves to the item's position.
    typed: Option<Typed>,
    /// The cursor is moving to the position of the next log item.
    seeking: Option<Replay>,
    /// Whether the final cursor move of the load, which leads to the requested position, has started.
    is_placed: bool,
    /// The number of blocks and log items that are finished.
    done: u64,
    at: SeekTo,
    saved_at: Option<Moment>,
    /// The beat of the cursor in the saved run, if this beat has no steps; otherwise 0.
    saved_beat: u64,
    compared: u64,
    /// Whether the text has no title. If it has no title, the load compares the outputs and reports the differences to
    /// the user. The texts of Watchglass have titles, and tests compare the outputs of these texts.
    is_transcript: bool,
    differences: u64,
    /// Whether at least one output differs from its expected output only in values that are different in every cluster.
    has_same_kind: bool,
    /// Whether an expected output contains data that the store of the run does not have.
    lacks_data: bool,
    /// Whether an expected output contains events that a watch printed.
    has_events: bool,
    /// Notes for the reader about parts of the text that the simulator runs differently from a real cluster.
    notes: Vec<String>,
    uncompared: u64,
    skipped: SkippedLines,
    view: String,
    /// Whether to clear the terminal after the blocks, because the page does not show the outputs of the commands at a
    /// lesson's start.
    clears_terminal: bool,
    /// Whether the run was saved, so that its lesson resumes at the learner's position.
    pub(super) resumes: bool,
    kept: Option<Kept>,
    /// The number of steps that the load has made.
    steps: u64,
    /// The number of steps that the load had made when it was last resumed.
    steps_before_pause: u64,
    /// The version of the format of the saved run.
    format: FormatVersion,
    /// The etcd version of a source that does not name its version.
    profile: Profile,
}

/// A run that starts from a file or a text that is being read.
#[derive(Debug)]
enum Begin {
    /// The lines of the text are being parsed.
    Text(TextReader),
    /// The store is being built from the rows.
    Open(Box<SnapshotOpening>),
    /// The observers of the new run are reading the rows.
    Observe(Box<NewRun>),
}

/// The maximum number of entries in the report about a text whose outputs differ.
const DIFFERING_MAX: usize = 1_000;

/// The number of rows of a file that are read per call.
const ROWS_AT_ONCE: usize = 64;

/// The number of lines of a text that are read at the start. Only a longer text is read in pieces.
const LINES_AT_FIRST: usize = 1_000;

/// The number of lines of a text that are read per call.
const LINES_AT_ONCE: usize = 64;

/// The state of the workspace that an undo or a restart preserves. Everything else is replayed.
#[derive(Debug)]
struct Kept {
    lesson: Option<LessonRun>,
    before: Vec<Before>,
}

impl Loading {
    /// Prepares to load `source`. [`advance`](Self::advance) then runs the commands of the source.
    pub(super) fn new(source: Source, at: SeekTo, texts: &Texts) -> Result<Self, NotNow> {
        let mut loading = Self::blank(at);
        // The address of a figure names a step, but no version. Published addresses were made for version 3.
        if matches!(
            (&source, at),
            (Source::Story(_) | Source::Text(_), SeekTo::Step(1..))
        ) {
            loading.format = FormatVersion::V3;
            loading.profile = FormatVersion::V3
                .implied_profile()
                .unwrap_or(loading.profile);
        }
        loading.open(source, texts)?;
        Ok(loading)
    }

    fn blank(at: SeekTo) -> Self {
        Self {
            workspace: Workspace::default(),
            begin: None,
            refusal: None,
            blocks: VecDeque::new(),
            block: None,
            before_part: VecDeque::new(),
            replay: VecDeque::new(),
            typed: None,
            seeking: None,
            is_placed: false,
            done: 0,
            at,
            saved_at: None,
            saved_beat: 0,
            compared: 0,
            is_transcript: false,
            differences: 0,
            has_same_kind: false,
            lacks_data: false,
            has_events: false,
            notes: Vec::new(),
            uncompared: 0,
            skipped: SkippedLines::default(),
            view: String::new(),
            clears_terminal: false,
            resumes: false,
            kept: None,
            steps: 0,
            steps_before_pause: 0,
            format: FormatVersion::default(),
            profile: Profile::default(),
        }
    }

    /// Returns the default config, for runs whose source does not contain a config.
    fn config(&self) -> Config {
        Config {
            format: self.format,
            profile: self.profile,
            ..Config::default()
        }
    }

    /// Prepares to replay the current run up to an earlier position.
    pub(super) fn rewound(
        saved: Saved,
        lesson: Option<LessonRun>,
        before: Vec<Before>,
        texts: &Texts,
    ) -> Result<Self, NotNow> {
        let mut loading = Self::blank(SeekTo::Default);
        loading.replay(saved, texts)?;
        loading.kept = Some(Kept { lesson, before });
        Ok(loading)
    }

    /// Sets the lesson that the learner continues in the loaded run.
    pub(super) fn keep_lesson(&mut self, lesson: LessonRun) {
        if let Some(kept) = &mut self.kept {
            kept.lesson = Some(lesson);
        }
    }

    /// Loads a lesson up to its goal: the state that the page shows as the result of the lesson.
    pub(super) fn goal(name: &str, texts: &Texts) -> Result<Self, NotNow> {
        let mut loading = Self::new(Source::Lesson(name.into()), SeekTo::End, texts)?;
        let text = texts.lesson(name)?;
        let scenario = scenario::format::parse(lesson::up_to_goal(text));
        loading.blocks = scenario.map_err(|e| e.to_string())?.blocks.into();
        Ok(loading)
    }

    /// Loads the text of a lesson at one of its parts, for its author.
    pub(super) fn preview(text: String, part: u32, texts: &Texts) -> Result<Self, NotNow> {
        let mut loading = Self::new(Source::Text(text), SeekTo::Default, texts)?;
        if let Some(run) = &mut loading.workspace.lesson {
            run.is_preview = true;
            let last = run.lesson.parts.len() - 1;
            for part in &run.lesson.parts[..last.min(part as usize)] {
                let blocks: Vec<&Block> = match &part.kind {
                    PartKind::Step | PartKind::Predict(_) => part.blocks().collect(),
                    PartKind::Task(task) => task.solution.iter().collect(),
                };
                let inputs = blocks.into_iter().map(|block| Some(block.input.clone()));
                loading.before_part.extend(inputs.chain([None]));
            }
        }
        Ok(loading)
    }

    /// Returns the loaded run, and true if that run is an earlier state of the current run.
    pub(super) fn finish(&mut self) -> (Workspace, bool) {
        let mut workspace = std::mem::take(&mut self.workspace);
        let Some(kept) = self.kept.take() else {
            return (workspace, false);
        };
        workspace.lesson = kept.lesson;
        workspace.before = kept.before;
        (workspace, true)
    }

    /// Returns the number of finished blocks and log items, and the total number.
    pub(super) fn progress(&self) -> (u64, u64) {
        let begun = usize::from(self.block.is_some()) + usize::from(self.typed.is_some());
        let left = self.blocks.len() + self.replay.len() + begun;
        (self.done, self.done + left as u64)
    }

    /// Returns the number of steps that the load has made.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns true if the load has made `load_steps` steps since it was last resumed.
    pub(super) fn is_paused(&self, load_steps: Option<u64>) -> bool {
        load_steps.is_some_and(|most| self.steps - self.steps_before_pause >= most)
    }

    pub(super) fn resume(&mut self) {
        self.steps_before_pause = self.steps;
    }

    /// Returns the response to the message that started the load.
    pub(super) fn done(&self) -> Done {
        Done::Loaded {
            text: TextReport {
                compared: self.compared,
                differences: self.differences,
                differing: self.differing(),
                notes: self.notes(),
                uncompared: self.uncompared,
                skipped: self.skipped.count,
                skipped_writes: self.skipped.writes,
                first_skipped: self.skipped.first.clone(),
            },
            view: self.view.clone(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let same_kind = self
            .has_same_kind
            .then(|| transcript_words::SAME_KIND.to_owned());
        let events = self
            .has_events
            .then(|| transcript_words::OTHER_TERMINAL.to_owned());
        // A transcript always starts with an empty store.
        let empty = self
            .lacks_data
            .then(|| transcript_words::EMPTY_AT_START.to_owned());
        let notes = empty.into_iter().chain(self.notes.iter().cloned());
        notes.chain(events).chain(same_kind).collect()
    }

    /// Returns the first entries of the terminal whose outputs differ from the transcript.
    fn differing(&self) -> Vec<DifferingEntry> {
        if self.differences == 0 {
            return Vec::new();
        }
        let run = self.workspace.run();
        let entries = run.scrollback().at(run.len());
        let is_compared = |entry: &&Entry| entry.expected().is_some_and(|text| text.is_compared);
        let differing = entries.filter(is_compared).map(|entry| DifferingEntry {
            entry: entry.id,
            step: entry.step,
        });
        differing.take(DIFFERING_MAX).collect()
    }

    fn open(&mut self, source: Source, texts: &Texts) -> Result<(), NotNow> {
        self.workspace = Workspace::new(self.config());
        match &source {
            Source::Story(name) => {
                let scenario = scenario::read(texts.story(name)?).map_err(|e| e.to_string())?;
                self.take(scenario);
            }
            Source::Lesson(name) => match Item::named(name).and_then(Item::text) {
                Some(exercise) => self.take_lesson(&exercise)?,
                None => self.take_lesson(texts.lesson(name)?)?,
            },
            Source::Empty { profile, seed } => {
                let profile = Profile::parse(profile).ok_or_else(|| words::no_profile(profile))?;
                self.workspace = Workspace::new(Config {
                    profile,
                    seed: *seed,
                    ..self.config()
                });
            }
            Source::Text(text) if lesson::is_lesson(text) => self.take_lesson(text)?,
            Source::Text(text) => {
                let mut reader = TextReader::new(text).map_err(|e| e.to_string())?;
                match reader.read(LINES_AT_FIRST) {
                    true => self.begin = Some(Begin::Text(reader)),
                    false => self.take_text(reader)?,
                }
            }
            Source::Saved(text) => {
                let saved = Saved::from_text(text)?;
                self.resumes = true;
                return self.replay(saved, texts);
            }
            Source::Snapshot { file, profile } => {
                let known = Profile::parse(profile);
                let known = known.ok_or_else(|| words::no_profile(profile))?;
                self.begin = Some(begin(file, (known, self.format), texts)?);
                self.workspace.title = file.name.to_string();
            }
            Source::Link(text) => {
                let link = Permalink::from_text(text)?;
                self.view = link.view;
                return self.replay(link.saved, texts);
            }
        }
        self.workspace.source = source;
        Ok(())
    }

    /// Replays a saved run: loads its source, then types everything that was typed in the run.
    fn replay(&mut self, saved: Saved, texts: &Texts) -> Result<(), NotNow> {
        if matches!(saved.source, Source::Saved(_) | Source::Link(_)) {
            let message = words::SAVED_IN_SAVED.to_owned();
            return Err(NotNow::Refused(message));
        }
        self.saved_at = Some(saved.at);
        self.saved_beat = saved.beat;
        self.format = saved.format;
        self.profile = saved.profile;
        self.replay = saved.log.into();
        self.open(saved.source, texts)
    }

    /// Opens a lesson and takes the commands at the start of the lesson. The load then runs these commands.
    fn take_lesson(&mut self, text: &str) -> Result<(), String> {
        let lesson = lesson::parse(text).map_err(|e| e.to_string())?;
        self.workspace = Workspace::new(Config {
            profile: lesson.profile,
            ..self.config()
        });
        self.workspace.title = lesson.title.clone();
        // The view in a link takes precedence.
        if self.view.is_empty() {
            self.view = lesson.view.name().to_owned();
        }
        let ways = lesson.ways.iter();
        let ways = ways.map(|(target, title)| WayView::from((&**target, &**title)));
        self.workspace.ways = ways.collect();
        self.blocks = lesson.start.clone().into();
        self.clears_terminal = !lesson.is_exercise();
        self.workspace.lesson = Some(LessonRun::new(lesson.into()));
        Ok(())
    }

    /// Takes the commands of a text that was read completely. The load then runs these commands.
    fn take_text(&mut self, reader: TextReader) -> Result<(), String> {
        let scenario = reader.finish().map_err(|e| e.to_string())?;
        some_command(&scenario)?;
        self.take(scenario);
        Ok(())
    }

    /// Takes the commands of a scenario. The load then runs these commands.
    fn take(&mut self, scenario: Scenario) {
        if let Some(profile) = scenario.header(PROFILE_HEADER).and_then(Profile::parse) {
            let run = Run::new(Config {
                profile,
                ..self.config()
            });
            self.workspace = Workspace::of(run, self.workspace.source.clone());
        }
        self.is_transcript = scenario.header("title").is_none();
        let title = scenario.header("title");
        self.workspace.title = title.unwrap_or(session_words::TRANSCRIPT).to_owned();
        self.workspace.opening = scenario.header("opening").map(Into::into);
        self.workspace.exhibit = Exhibit::of(&scenario);
        self.workspace.is_told = scenario.blocks.iter().any(|block| block.beat.is_some());
        self.workspace.ways = scenario.ways().map(WayView::from).collect();
        self.notes = scenario.notes;
        self.skipped = scenario.skipped;
        self.blocks = scenario.blocks.into();
    }

    /// Makes the next step of the load, such as a step of the simulation or the read of a few rows. Returns false once
    /// the run is complete and the cursor is in place.
    pub(super) fn advance(&mut self) -> bool {
        self.steps += 1;
        // The load has its own memory check, so the limit for commands does not apply.
        self.workspace.limits.memory_bytes = u64::MAX;
        if let Some(begin) = self.begin.take() {
            self.refusal = self.read_more(begin).err();
            return self.refusal.is_none();
        }
        if let Some(replay) = &mut self.seeking {
            if self.workspace.run().replay_more(replay, REPLAY_STEPS)
                && let Some(replay) = self.seeking.take()
            {
                self.workspace.stand_at(replay);
            }
            return true;
        }
        if let Some(typed) = &mut self.typed {
            if !typed.advance(&mut self.workspace) {
                self.typed = None;
                self.done += 1;
            }
            return true;
        }
        if let Some(block) = &mut self.block {
            if !block.advance(&mut self.workspace) {
                match block.skipped() {
                    Some(why) => self.skipped.push(block.line, block.input(), why),
                    None if block.has_events(self.workspace.run().head()) => {
                        self.uncompared += 1;
                        self.has_events = true;
                    }
                    None if block.is_compared() => {
                        let is_text = matches!(self.workspace.source, Source::Text(_));
                        let is_shown = is_text && self.is_transcript && !self.clears_terminal;
                        let is_compared = is_shown && block.has_output();
                        self.compared += u64::from(is_compared);
                        self.differences += u64::from(block.differs());
                        self.lacks_data |= is_compared && block.lacks_data();
                        self.has_same_kind |= is_compared && block.sameness() == Sameness::SameKind;
                    }
                    // An output that cannot be compared counts only if it differs from the text.
                    None => self.uncompared += u64::from(block.differs()),
                }
                self.block = block.after_watch(&self.workspace);
                self.done += 1;
            }
            return true;
        }
        if let Some(block) = self.blocks.pop_front() {
            let is_last = self.is_transcript && self.blocks.is_empty();
            self.block = Some(match is_last {
                true => TypedBlock::last(&block),
                false => TypedBlock::new(&block),
            });
            return true;
        }
        if std::mem::take(&mut self.clears_terminal) {
            self.workspace.branches[0].run.scrollback_mut().clear();
            self.workspace.go_to_head();
        }
        if let Some(next) = self.before_part.pop_front() {
            match next {
                Some(input) => self.typed = Some(Typed::new(&input)),
                None => self.workspace.finish_part(),
            }
            return true;
        }
        if let Some(item) = self.replay.pop_front() {
            let workspace = &mut self.workspace;
            if (item.at.branch as usize) < workspace.branches.len()
                && item.at.branch as usize != workspace.current
            {
                workspace.switch(item.at.branch);
            }
            self.typed = Some(Typed::replay(&item));
            self.seeking = workspace.begin_seek(SeekTo::Step(item.at.step));
            return true;
        }
        !std::mem::replace(&mut self.is_placed, true) && self.place()
    }

    /// Starts the last move of the cursor, after all commands. Returns true if the move needs a replay in several
    /// pieces.
    fn place(&mut self) -> bool {
        let to = match (self.saved_at, self.at) {
            (Some(at), SeekTo::Default) => {
                self.workspace.switch(at.branch);
                SeekTo::Step(at.step)
            }
            (None, SeekTo::Default) if self.workspace.lesson.is_some() => {
                SeekTo::Step(self.workspace.cursor)
            }
            (None, SeekTo::Default) => SeekTo::Step(0),
            (_, at) => at,
        };
        self.seeking = self.workspace.begin_seek(to);
        if self.saved_beat > 0 && self.at == SeekTo::Default {
            self.workspace.stand_in_beat(self.saved_beat);
        }
        self.seeking.is_some()
    }

    /// Reads a few more lines of the text or rows of the file.
    fn read_more(&mut self, begin: Begin) -> Result<(), String> {
        let refused = |error: SnapshotError| file_words::no_run(&self.workspace.title, error);
        self.begin = match begin {
            Begin::Text(mut reader) => match reader.read(LINES_AT_ONCE) {
                true => Some(Begin::Text(reader)),
                false => {
                    self.take_text(reader)?;
                    None
                }
            },
            Begin::Open(mut opening) => match opening.step(ROWS_AT_ONCE).map_err(refused)? {
                false => Some(Begin::Open(opening)),
                true => {
                    let file = opening.finish().map_err(refused)?;
                    Some(begin_with(Arc::new(file), self.format))
                }
            },
            Begin::Observe(mut new) => match new.observe_more(ROWS_AT_ONCE) {
                false => Some(Begin::Observe(new)),
                true => {
                    let source = self.workspace.source.clone();
                    let empty = Workspace::of(new.into_run(), source);
                    let of_file = std::mem::replace(&mut self.workspace, empty);
                    self.workspace.title = of_file.title;
                    None
                }
            },
        };
        Ok(())
    }

    /// Returns the reason why no run can start on the file, once the reason is known.
    pub(super) fn file_refusal(&mut self) -> Option<String> {
        self.refusal.take()
    }

    /// Returns an error message if the run takes too much memory to be loaded. A load may exceed the memory limit by
    /// one eighth, so that a run that was saved at the limit loads again.
    pub(super) fn memory_refusal(&self, limit: u64) -> Option<String> {
        let of_file = match &self.begin {
            Some(Begin::Open(opening)) => opening.rows() * CHANGE_BYTES,
            Some(Begin::Observe(new)) => new.bytes(),
            Some(Begin::Text(_)) | None => 0,
        };
        let used = self.workspace.memory_used() + of_file;
        (used > limit.saturating_add(limit / 8)).then(|| {
            if self.begin.is_some() {
                return file_words::run_too_large(&mib(limit));
            }
            let (done, total) = self.progress();
            words::run_too_large(&mib(limit), done, total)
        })
    }

    /// Returns the progress of the running command; `None` if no long command is running.
    pub(super) fn running(&self) -> Option<RunningCommand> {
        if let Some(Begin::Text(reader)) = &self.begin {
            let (done, total) = reader.progress();
            return Some(RunningCommand {
                text: String::new(),
                steps: 0,
                done,
                total,
                unit: ProgressUnit::Lines,
            });
        }
        let reading = || match (&self.typed, &self.block) {
            (Some(typed), _) => typed.reading(),
            (None, Some(block)) => block.reading(),
            (None, None) => None,
        };
        self.workspace.running_progress().or_else(reading)
    }
}

/// Starts a run on an open file.
fn begin(
    wanted: &FileIdentity,
    (profile, format): (Profile, FormatVersion),
    texts: &Texts,
) -> Result<Begin, NotNow> {
    let files = &texts.files;
    if let Some(file) = files.parsed(wanted) {
        // The run keeps the wanted file name, because commands of the run can contain the name.
        let file = file.with_identity(wanted.clone());
        return match file.profile == profile {
            true => Ok(begin_with(Arc::new(file), format)),
            false => match file.with_profile(profile) {
                Ok(file) => Ok(begin_with(Arc::new(file), format)),
                Err(error) => {
                    let error = SnapshotError::from(error);
                    Err(NotNow::Refused(file_words::no_run(&wanted.name, error)))
                }
            },
        };
    }
    let Some(open) = files.find(wanted) else {
        return Err(NotNow::WantsFile(wanted.clone()));
    };
    if let Some(why) = &open.too_large {
        return Err(NotNow::Refused(why.clone()));
    }
    let opening = SnapshotOpening::new(wanted.clone(), &open.file, open.findings.clone(), profile);
    let opening = opening.map_err(|error| file_words::no_run(&wanted.name, error))?;
    Ok(Begin::Open(Box::new(opening)))
}

fn begin_with(file: Arc<SnapshotFile>, format: FormatVersion) -> Begin {
    let config = Config {
        profile: file.profile,
        snapshot: Some(file),
        format,
        ..Config::default()
    };
    Begin::Observe(Box::new(NewRun::new(config)))
}

/// The number of blocks that are checked at the start of a text; at least one of these blocks must be a command.
const PROBED_BLOCKS: usize = 50;

/// The maximum number of characters of a quoted error message.
const WHY_CHARS: usize = 200;

/// Refuses a text if no block among its first blocks is a command.
fn some_command(scenario: &Scenario) -> Result<(), String> {
    let mut first = None;
    let mut reader = LineReader::new(Profile::default());
    let blocks = scenario.blocks.iter().filter(|block| block.skip.is_none());
    for block in blocks.take(PROBED_BLOCKS) {
        let line = block.input.lines().next().unwrap_or_default();
        reader.abandon();
        let why = match reader.beginning(line) {
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
        Some((line, why)) => Err(words::no_command(line, &why)),
    }
}

/// Returns etcdctl's own error message about a command, as one line.
fn refusal(command: &Command) -> Option<String> {
    match &command.kind {
        CommandKind::Refused(output) => {
            Some(first_line(String::from_utf8_lossy(&output.stderr).trim()))
        }
        _ => None,
    }
}
