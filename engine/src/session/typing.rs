//! Typed text: reads its lines, runs its commands at the cursor, and records them in the log.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use crate::api::Profile;
use crate::base::grow;
use crate::base::time::SimDuration;
use crate::etcd::SnapshotError;
use crate::scenario::{
    Beat, Block, Expected, INTERRUPT, Sameness, compare_output, is_beside_events,
};
use crate::shell::{
    Command, CommandKind, EXIT_CODE, Etcdctl, Note, Output, ParseError, Read, Reading, RunIf, Verb,
    with_flags_joined,
};
use crate::view::{EntryKind, TranscriptOutput};
use crate::words::loading as words;
use crate::words::transcript as transcript_words;
use crate::world::op::WorldOp;
use crate::world::{Config, World};

use super::etcdctl_exchange::EtcdctlExchange;
use super::local;
use super::place::Place;
use super::protocol::{Executed, ProgressUnit, RunningCommand};
use super::report::{CommandReport, Finished};
use super::run::Run;
use super::save::LogItem;
use super::task::{Begun, ExpectedOutput, Task, Typing, first_line, printed, shortened};
use super::workspace::{Branch, Workspace};

/// The maximum number of commands that one call reads from a line.
const COMMANDS_READ_AT_ONCE: usize = 64;

/// A text that is being typed: its pending lines, and the pending commands of the line that was read last. A line is
/// read only after all earlier commands are done, because these commands may change the meaning of the line.
#[derive(Debug)]
pub(super) struct Typed {
    begun: bool,
    lines: VecDeque<String>,
    /// The line that is being read.
    reading: Option<(String, Reading)>,
    commands: VecDeque<Command>,
    /// The number of finished commands and lines.
    done: u64,
    /// Whether the text is an item of a log.
    is_saved: bool,
    /// During a replay, the number of steps after which the command was stopped in the original run.
    stop_after: Option<u64>,
    pub(super) result: Executed,
}

impl Typed {
    pub(super) fn new(text: &str) -> Self {
        Self {
            begun: false,
            lines: with_flags_joined(text).into(),
            reading: None,
            commands: VecDeque::new(),
            done: 0,
            is_saved: false,
            stop_after: None,
            result: Executed::default(),
        }
    }

    /// Returns the text of a log item, so that a replay can type the text again.
    pub(super) fn replay(item: &LogItem) -> Self {
        let (stop_after, text) = item.stop();
        Self {
            is_saved: true,
            stop_after,
            ..Self::new(text)
        }
    }

    /// Returns the number of finished lines and commands, and the number of all lines and commands.
    pub(super) fn progress(&self) -> (u64, u64) {
        let left = self.lines.len() + self.commands.len() + usize::from(self.reading.is_some());
        (self.done, self.done + left as u64)
    }

    /// Returns the progress of the line that is being read, if any.
    pub(super) fn reading(&self) -> Option<RunningCommand> {
        self.reading.as_ref().map(reading_progress)
    }

    /// Makes a step of a command, starts a command, or reads a piece of a line. Returns false when nothing is left.
    pub(super) fn advance(&mut self, workspace: &mut Workspace) -> bool {
        if !self.begun {
            self.begun = true;
            workspace.before_typing();
        }
        workspace.reader.reads_saved(self.is_saved);
        match workspace.poll_command() {
            Poll::Pending => return true,
            Poll::Ready(Some(finished)) => self.finished(finished),
            Poll::Ready(None) => self.begin_next(workspace),
        }
        self.result.more = workspace.pending().map(Into::into);
        let (done, total) = self.progress();
        done < total || workspace.is_running()
    }

    fn begin_next(&mut self, workspace: &mut Workspace) {
        if let Some(command) = self.commands.pop_front() {
            if !command.run_if.holds(self.result.exit) {
                self.done += 1;
                return;
            }
            let grows = workspace.makes_it_grow(&command);
            let refusal = workspace.memory_refusal(grows);
            if let Some(why) = refusal.or_else(|| workspace.branch_refusal(&command)) {
                return self.refuse(workspace, &command, &why);
            }
            let text: Arc<str> = command.text.as_str().into();
            workspace.log(text.clone());
            let typed = Typing {
                stop_after: self.stop_after.take(),
                note: workspace.sentence_of(command.note.as_ref()),
                ..Typing::new(text)
            };
            if let Some(finished) = workspace.begin_command(&command, typed) {
                self.finished(finished);
            }
        } else if let Some((line, reading)) = self.reading.take() {
            self.read(workspace, line, reading);
        } else if let Some(mut line) = self.lines.pop_front() {
            if line.trim() == INTERRUPT {
                // The line ends an unfinished command, or else a watch.
                let is_unfinished = workspace.reader.pending().is_some();
                workspace.reader.abandon();
                workspace.half_typed.clear();
                line = match is_unfinished {
                    true => String::new(),
                    false => workspace.command_to_end_newest().unwrap_or_default(),
                };
            }
            match workspace.reader.begin_line(&line) {
                Ok(reading) => self.read(workspace, line, reading),
                Err(error) => self.line_is_read(workspace, line, Err(error)),
            }
        }
    }

    /// Refuses a command and drops all commands after it. None of these commands is logged, because a replay may have
    /// enough memory to run them.
    fn refuse(&mut self, workspace: &mut Workspace, command: &Command, why: &str) {
        self.commands.clear();
        self.lines.clear();
        let report = CommandReport::refused(why);
        let typed = Typing::new(&*command.text);
        let finished = workspace.note(workspace.current, workspace.cursor, &typed, report);
        self.finished(finished);
    }

    fn finished(&mut self, finished: Finished) {
        self.done += 1;
        append(&mut self.result, &finished.output);
        self.result.branched |= finished.branched;
    }

    fn read(&mut self, workspace: &mut Workspace, line: String, mut reading: Reading) {
        match workspace
            .reader
            .read_more(&mut reading, COMMANDS_READ_AT_ONCE)
        {
            Ok(None) => self.reading = Some((line, reading)),
            Ok(Some(read)) => self.line_is_read(workspace, line, Ok(read)),
            Err(error) => self.line_is_read(workspace, line, Err(error)),
        }
    }

    fn line_is_read(
        &mut self,
        workspace: &mut Workspace,
        line: String,
        read: Result<Read, ParseError>,
    ) {
        self.done += 1;
        let refused = match self.lines.is_empty() {
            true => workspace.reader.end_refused(),
            false => None,
        };
        match workspace.line_is_read(line, refused.unwrap_or(read)) {
            Ok(commands) => self.commands.extend(commands),
            Err(refused) => {
                let Refused { typed, output } = *refused;
                append(&mut self.result, &output);
                workspace.note_unreadable(&Typing::new(typed), output);
            }
        }
    }
}

fn reading_progress((line, reading): &(String, Reading)) -> RunningCommand {
    RunningCommand {
        text: shortened(line),
        steps: 0,
        done: reading.done(),
        total: reading.total(),
        unit: ProgressUnit::Commands,
    }
}

/// A block of a scenario that is being typed.
#[derive(Debug)]
pub(super) struct TypedBlock {
    beat: Option<Arc<Beat>>,
    input: String,
    /// The pending lines. All lines are read before the first command starts.
    lines: VecDeque<String>,
    reading: Option<(String, Reading)>,
    /// Whether the reader has read all lines and has handled the end of the input.
    is_read: bool,
    commands: VecDeque<Command>,
    expected: Expected,
    /// The lease IDs in the expected output that are not assigned to a command yet.
    lease_ids: VecDeque<i64>,
    /// The output of the block so far, as the terminal shows it.
    pub(super) printed: String,
    /// The output of the last command.
    pub(super) last_output: Output,
    /// Whether the comparison with the expected output ignores the error output of the current command.
    hides_errors: bool,
    /// The reason why the parser skips the block; `None` if the block runs.
    skip: Option<String>,
    /// The error message about a line that could not be read.
    unreadable: Option<String>,
    /// The note about a command of a program that the simulator does not have.
    unknown: Option<String>,
    /// The number of the block's first line in the text, counted from 1.
    pub(super) line: u32,
    /// Whether the commands print all of their output immediately. Only then can the output be compared.
    is_comparable: bool,
    /// Whether a command reads keys or objects.
    is_read_of_data: bool,
    /// Whether all commands are `etcdctl get`, which prints nothing if no key exists.
    may_print_nothing: bool,
    /// The name of the watch that the block starts.
    watch: Option<String>,
    is_interrupted: bool,
    /// Whether the events of the block's watch are compared: `^C` or the end of the text follows the events.
    is_end: bool,
    /// The events that the `etcdctl watch` of this block is expected to print. The next block receives and compares the
    /// events.
    events: Option<Expected>,
    /// Whether the block receives the events of a watch.
    is_receiver: bool,
}

impl TypedBlock {
    pub(super) fn new(block: &Block) -> Self {
        Self {
            beat: block.beat.clone(),
            input: block.input.clone(),
            lines: block.input.split('\n').map(Into::into).collect(),
            reading: None,
            is_read: false,
            commands: VecDeque::new(),
            expected: block.expected.clone(),
            lease_ids: block.lease_ids.clone().into(),
            printed: String::new(),
            last_output: Output::default(),
            hides_errors: false,
            skip: block.skip.clone(),
            unreadable: None,
            unknown: None,
            line: block.line,
            is_comparable: true,
            is_read_of_data: false,
            may_print_nothing: !block.input.trim_end().ends_with('&'),
            watch: None,
            is_interrupted: block.is_interrupted,
            is_end: block.is_interrupted,
            events: None,
            is_receiver: false,
        }
    }

    /// Creates a block that is the last block of a transcript.
    pub(super) fn last(block: &Block) -> Self {
        let has_output = matches!(block.expected, Expected::Output(_));
        Self {
            is_end: block.is_interrupted || has_output,
            ..Self::new(block)
        }
    }

    /// Creates the block that continues the watch that this block runs in the foreground. For a watch of etcdctl, the
    /// first such block prints and compares the events. If `^C` follows the output of the watch, the last such block
    /// ends the watch. A person watches for a while before pressing Ctrl+C, so the watch receives its first events
    /// before it ends.
    pub(super) fn after_watch(&mut self, workspace: &Workspace) -> Option<Self> {
        let name = self.watch.take().filter(|_| !self.is_background())?;
        let (sleep, command) = match &self.events {
            Some(_) => ("sleep 1\n", format!("recv {name}")),
            None if !self.is_interrupted => return None,
            None if self.is_receiver => ("", workspace.command_to_end(&name)?),
            None => ("sleep 1\n", workspace.command_to_end(&name)?),
        };
        let is_receiver = self.events.is_some();
        Some(Self {
            beat: self.beat.clone(),
            watch: is_receiver.then_some(name),
            is_receiver,
            ..Self::new(&Block {
                line: self.line,
                input: [sleep, &command].concat(),
                expected: self.events.take().unwrap_or_default(),
                is_interrupted: self.is_interrupted,
                ..Block::default()
            })
        })
    }

    fn is_background(&self) -> bool {
        self.input.trim_end().ends_with('&')
    }

    /// Returns true if the expected output contains events that a watch printed.
    pub(super) fn has_events(&self, world: &World) -> bool {
        let Expected::Output(expected) = &self.expected else {
            return false;
        };
        let is_watched = || is_beside_events(expected, &self.printed) && world.has_watches();
        self.differs() && (self.watch.is_some() && !self.is_receiver || is_watched())
    }

    /// Returns the progress of the line that is being read, if any.
    pub(super) fn reading(&self) -> Option<RunningCommand> {
        self.reading.as_ref().map(reading_progress)
    }

    /// Reads a piece of the block.
    fn read_more(&mut self, workspace: &mut Workspace) {
        let reader = &mut workspace.reader;
        reader.reads_saved(false);
        if let Some(why) = self.skip.take() {
            self.lines.clear();
            let input = self.input.clone();
            self.unreadable(workspace, &input, &why);
            self.is_read = true;
        } else if let Some((line, mut reading)) = self.reading.take() {
            match reader.read_more(&mut reading, COMMANDS_READ_AT_ONCE) {
                Ok(None) => self.reading = Some((line, reading)),
                Ok(Some(read)) => self.take(read),
                Err(error) => self.unreadable(workspace, &line, &error.to_string()),
            }
        } else if let Some(line) = self.lines.pop_front() {
            match reader.begin_line(&line) {
                Ok(reading) => self.reading = Some((line, reading)),
                Err(error) => self.unreadable(workspace, &line, &error.to_string()),
            }
        } else {
            match reader.finish() {
                Ok(read) => self.take(read),
                Err(error) => {
                    let input = self.input.clone();
                    self.unreadable(workspace, &input, &error.to_string());
                }
            }
            self.is_read = true;
        }
    }

    fn take(&mut self, read: Read) {
        if let Read::Commands(read) = read {
            self.is_comparable &= read.iter().all(prints_here);
            self.is_read_of_data |= read.iter().any(reads_data);
            self.may_print_nothing &= read.iter().all(is_get);
            let mut notes = read.iter().filter_map(|command| command.note.as_ref());
            if let Some(Note::Unknown(word)) = notes.rfind(|note| matches!(note, Note::Unknown(_)))
            {
                self.unknown = Some(words::unknown_command(word));
            }
            self.commands.extend(read);
        }
    }

    /// Returns the typed text.
    pub(super) fn input(&self) -> &str {
        &self.input
    }

    /// Returns true if the text contains an output for the block.
    pub(super) fn has_output(&self) -> bool {
        self.expected_text().is_some()
    }

    /// Returns the output that the text expects from the block, if any.
    fn expected_text(&self) -> Option<&str> {
        match &self.expected {
            Expected::Output(text) => Some(text),
            Expected::Nothing => {
                let is_compared = self.may_print_nothing && self.is_comparable;
                is_compared.then_some("")
            }
            Expected::Unsaid => None,
        }
    }

    /// Returns true if the output is compared with the expected output.
    pub(super) fn is_compared(&self) -> bool {
        match &self.expected {
            Expected::Output(text) => self.is_comparable || text.is_empty(),
            Expected::Nothing | Expected::Unsaid => true,
        }
    }

    fn unreadable(&mut self, workspace: &mut Workspace, line: &str, why: &str) {
        let output = Output::error(why, 1);
        self.printed.push_str(&printed(&output));
        self.last_output = output.clone();
        self.may_print_nothing = false;
        let expected = match self.unreadable {
            None => self.expected_output(false),
            Some(_) => None,
        };
        self.unreadable.get_or_insert_with(|| why.to_owned());
        let typed = Typing {
            beat: self.beat.clone(),
            expected,
            ..Typing::new(line)
        };
        workspace.note_unreadable(&typed, output);
    }

    /// Makes a step of a command, starts a command, or reads a piece of the block. Returns false when nothing is left.
    pub(super) fn advance(&mut self, workspace: &mut Workspace) -> bool {
        if !self.is_read {
            self.read_more(workspace);
            return true;
        }
        match workspace.poll_command() {
            Poll::Pending => return true,
            Poll::Ready(Some(finished)) => self.finished(&finished),
            Poll::Ready(None) => {
                if let Some(mut command) = self.commands.pop_front() {
                    if !command.run_if.holds(self.last_output.exit) {
                        return !self.commands.is_empty();
                    }
                    if let Some(request) = command.chooses_lease_id()
                        && let Some(id) = self.lease_ids.pop_front()
                    {
                        request.id = id;
                    }
                    if let CommandKind::Op(op @ WorldOp::RestoreSnapshot { .. }) = &command.kind
                        && workspace.world().check(op).is_err()
                    {
                        self.unknown = Some(transcript_words::STOPS_FIRST.to_owned());
                    }
                    if let Some(name) = watch_of(&command) {
                        self.watch = Some(name.unwrap_or_else(|| workspace.free_name()));
                        let is_etcdctl = matches!(command.kind, CommandKind::Watch(_));
                        if is_etcdctl && self.is_end && !self.is_background() {
                            self.events = Some(std::mem::take(&mut self.expected));
                        }
                    }
                    let is_conditional = |command: &Command| command.run_if != RunIf::Always;
                    let may_be_last = self.commands.iter().all(is_conditional);
                    let expected = match may_be_last && self.unreadable.is_none() {
                        true => self.expected_output(self.is_compared() && self.unknown.is_none()),
                        false => None,
                    };
                    // Notes about connection flags are left out, because a transcript may have such flags in every
                    // line.
                    let note = command.note.as_ref();
                    self.hides_errors = note.is_some_and(Note::hides_errors);
                    let note = note.filter(|note| !matches!(note, Note::Connection(_)));
                    let typed = Typing {
                        beat: self.beat.clone(),
                        expected,
                        hides_errors: self.hides_errors,
                        note: workspace.sentence_of(note),
                        ..Typing::new(shown_text(&command, workspace))
                    };
                    if let Some(finished) = workspace.begin_command(&command, typed) {
                        self.finished(&finished);
                    }
                }
            }
        }
        !self.commands.is_empty() || workspace.is_running()
    }

    fn finished(&mut self, finished: &Finished) {
        let output = &finished.output;
        self.last_output = Output::clone(output);
        match self.hides_errors {
            true => self
                .printed
                .push_str(&String::from_utf8_lossy(&output.stdout)),
            false => self.printed.push_str(&printed(output)),
        }
    }

    fn expected_output(&self, is_compared: bool) -> Option<Box<ExpectedOutput>> {
        let text = self.expected_text()?;
        Some(Box::new(ExpectedOutput {
            output: TranscriptOutput {
                text: text.to_owned(),
                is_compared,
            },
            earlier: self.printed.clone(),
            next: self.commands.iter().map(|next| next.run_if).collect(),
        }))
    }

    /// If the block counts as skipped, returns the reason: an unreadable line, or a command of another program.
    pub(super) fn skipped(&self) -> Option<&str> {
        let unknown = self
            .unknown
            .as_deref()
            .filter(|_| self.is_silent() || self.differs());
        self.unreadable.as_deref().or(unknown)
    }

    fn is_silent(&self) -> bool {
        self.expected_text().is_none()
    }

    /// Returns true if the actual output differs from the expected output.
    pub(super) fn differs(&self) -> bool {
        self.sameness() == Sameness::Different
    }

    /// Returns true if the block reads data, and the expected output contains more data than the actual output.
    pub(super) fn lacks_data(&self) -> bool {
        let Expected::Output(expected) = &self.expected else {
            return false;
        };
        self.is_read_of_data && self.differs() && expected.trim().len() > self.printed.trim().len()
    }

    /// Returns the result of the comparison with the expected output.
    pub(super) fn sameness(&self) -> Sameness {
        match self.expected_text() {
            Some(expected) => compare_output(expected, &self.printed),
            None => Sameness::Same,
        }
    }
}

/// Returns the text of a command without the flags for connections that have no effect. With one member, only the flags
/// for the user and for the timeout of the command have an effect.
fn shown_text(command: &Command, workspace: &Workspace) -> String {
    let text = &command.text;
    let Some(Note::Connection(flags)) = &command.note else {
        return text.clone();
    };
    if workspace.world().is_cluster() {
        return text.clone();
    }
    let (mut shown, mut is_quoted) = (Vec::new(), false);
    let mut words = text.split(' ');
    while let Some(word) = words.next() {
        let flag = word.strip_prefix("--").filter(|_| !is_quoted);
        let (name, value) = flag.map_or(("", None), |flag| match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        });
        let has_effect = matches!(name, "user" | "command-timeout");
        if !has_effect && flags.iter().any(|flag| flag == name) {
            let is_switch = name.starts_with("insecure-");
            let value = value.or_else(|| if is_switch { None } else { words.next() });
            if value.is_some_and(|value| value.contains(['\'', '\n'])) {
                return text.clone();
            }
            continue;
        }
        is_quoted ^= word.matches('\'').count() % 2 == 1;
        shown.push(word);
    }
    shown.join(" ")
}

/// Returns true if a command prints all of its output immediately. Returns false for a watch, because its output
/// depends on later writes.
fn prints_here(command: &Command) -> bool {
    let is_changed = command.note.as_ref().is_some_and(Note::changes_output);
    let is_monitor = matches!(command.kind, CommandKind::Monitor { .. });
    !is_changed && !is_monitor && watch_of(command).is_none()
}

/// Returns true for `etcdctl get`.
fn is_get(command: &Command) -> bool {
    matches!(&command.kind, CommandKind::Etcdctl(etcdctl) if matches!(etcdctl.verb, Verb::Get { .. }))
}

/// Returns true if a command reads keys with etcdctl or objects with kubectl.
fn reads_data(command: &Command) -> bool {
    match &command.kind {
        CommandKind::Kubectl(kubectl) => kubectl.watch.is_none() && !kubectl.is_write(),
        _ => is_get(command),
    }
}

/// Returns `None` if the command is neither `etcdctl watch` nor `kubectl get --watch`. Otherwise, returns `Some` with
/// the name of the watch; this inner value is `None` if the user chose no name.
fn watch_of(command: &Command) -> Option<Option<String>> {
    match &command.kind {
        CommandKind::Watch(watch) => Some(watch.name.clone()),
        CommandKind::Process(process) => Some(process.name.clone()),
        CommandKind::Kubectl(kubectl) => {
            let (name, _) = kubectl.watch.as_ref()?;
            Some(name.clone())
        }
        _ => None,
    }
}

/// Unreadable lines of a text, and the error message about these lines.
struct Refused {
    typed: String,
    output: Output,
}

impl Workspace {
    /// Types a block of a scenario to its end and returns its output.
    pub(super) fn block(&mut self, block: &Block) -> String {
        let mut typed = TypedBlock::new(block);
        while typed.advance(self) {}
        typed.printed
    }

    /// Handles a line after it was read: returns its commands, or the error. If a line is unreadable, the log stores it
    /// together with the previous lines that it continues, because the line alone could be a valid command.
    fn line_is_read(
        &mut self,
        line: String,
        read: Result<Read, ParseError>,
    ) -> Result<Vec<Command>, Box<Refused>> {
        self.half_typed.push(line);
        // The lines of a transaction become one command in the log once the transaction is complete.
        if self.reader.pending().is_some() {
            self.dirty = true;
            return Ok(Vec::new());
        }
        let typed = std::mem::take(&mut self.half_typed);
        match read {
            Ok(Read::Blank | Read::More { .. }) => Ok(Vec::new()),
            Ok(Read::Commands(commands)) => Ok(commands),
            Err(error) => {
                let typed = typed.join("\n");
                self.log(typed.as_str().into());
                let output = Output::error(&error.to_string(), 1);
                Err(Box::new(Refused { typed, output }))
            }
        }
    }

    /// Adds an unreadable line and its error message to the content of the terminal.
    fn note_unreadable(&mut self, typed: &Typing, output: Output) {
        let report = CommandReport::new(output, EntryKind::Unreadable);
        self.note(self.current, self.cursor, typed, report);
    }

    /// Adds a text to the log at the position of the cursor.
    fn log(&mut self, text: Arc<str>) {
        let item = LogItem {
            at: self.moment(),
            text,
        };
        grow::push(&mut self.log, item);
    }

    /// Returns true if a command adds steps or a branch to the run.
    fn makes_it_grow(&self, command: &Command) -> bool {
        let at_the_end = self.cursor == self.run().len();
        match command.kind {
            CommandKind::Run(_)
            | CommandKind::Watch(_)
            | CommandKind::Process(_)
            | CommandKind::Monitor { .. }
            | CommandKind::Op(_)
            | CommandKind::Fork
            | CommandKind::World { .. } => true,
            CommandKind::Etcdctl(_) | CommandKind::Kubectl(_) => at_the_end || command.is_write(),
            CommandKind::Step(_) | CommandKind::Recv { .. } => at_the_end,
            CommandKind::Show(_)
            | CommandKind::Help(_)
            | CommandKind::Answered(_)
            | CommandKind::Refused(_) => false,
        }
    }

    pub(super) fn begin_at_the_cursor(&mut self, command: &Command, typed: &Typing) -> Begun {
        let at_the_end = self.cursor == self.run().len();
        let report = match &command.kind {
            CommandKind::Etcdctl(etcdctl) => return self.send(etcdctl),
            CommandKind::Run(duration) => return self.sleep(*duration),
            CommandKind::Step(steps) => {
                if at_the_end {
                    return Begun::Task(Task::Steps(*steps));
                }
                let to = self.cursor.saturating_add(*steps);
                let replay = self.run().begin_replay(to);
                let length = replay.left();
                return Begun::Task(Task::Move(replay, length));
            }
            CommandKind::Fork if typed.branched => {
                let text = format!("branch {}\n", self.current + 1);
                CommandReport::local(Output::ok(text))
            }
            CommandKind::Fork => CommandReport::refused(&format!(
                "the run already has the maximum of {FORKS_MAX} branches; continue on an existing branch"
            )),
            CommandKind::World {
                profile,
                seed,
                members,
            } => match self.fresh_world((*profile, *seed, *members), &typed.text) {
                Ok(()) => CommandReport::local(Output::default()),
                Err(message) => CommandReport::refused(&message),
            },
            CommandKind::Watch(watch) => return self.watch(watch),
            CommandKind::Process(process) => return self.process(process),
            CommandKind::Monitor {
                name,
                query,
                endpoint,
            } => {
                let name = name.clone().unwrap_or_else(|| self.free_name());
                let op = WorldOp::Monitor {
                    name,
                    query: *query,
                    endpoint: endpoint.clone(),
                };
                return self.begin_op(op, Output::default());
            }
            CommandKind::Recv { name } if at_the_end => {
                let until = self.run().receive_until();
                return Begun::Task(Task::Receive(name.clone(), until));
            }
            CommandKind::Recv { name } => self.received(name, self.current, Some(self.cursor)),
            CommandKind::Kubectl(kubectl) => return self.kubectl(kubectl),
            CommandKind::Op(WorldOp::Unwatch { name }) => return self.unwatch(name),
            CommandKind::Op(op) => {
                let deprecation = command.deprecation(self.profile());
                return self.begin_op(op.clone(), deprecation);
            }
            CommandKind::Show(show) => {
                let mut output = local::show(show, self.past(&[]));
                let deprecation = command.deprecation(self.profile()).stderr;
                output.stderr.splice(0..0, deprecation);
                CommandReport::local(output)
            }
            CommandKind::Help(topic) => {
                CommandReport::local(local::help(topic.as_deref(), self.profile()))
            }
            CommandKind::Answered(output) if typed.text.starts_with("echo ") => {
                let exit = self.last_exit.to_string();
                let text = String::from_utf8_lossy(&output.stdout);
                CommandReport::local(Output::ok(text.replace(EXIT_CODE, &exit)))
            }
            CommandKind::Answered(output) | CommandKind::Refused(output) => {
                CommandReport::local(output.clone())
            }
        };
        Begun::Done(report)
    }

    /// Starts an etcdctl command that sends requests.
    fn send(&mut self, etcdctl: &Etcdctl) -> Begun {
        let place = self.place();
        let run = &mut self.branches[self.current].run;
        match EtcdctlExchange::begin(etcdctl.clone(), place, run) {
            Ok(exchange) => Begun::Task(Task::Etcdctl(exchange.into())),
            Err(why) => Begun::refused(&why),
        }
    }

    /// Starts a command that lets simulated time pass.
    fn sleep(&mut self, duration: SimDuration) -> Begun {
        match self.branches[self.current].run.submit_sleep(duration) {
            Ok(until) => Begun::Task(Task::Sleep(until)),
            Err(why) => Begun::refused(&why),
        }
    }

    /// Returns the place in which the requests of a command run: the run itself if the cursor is at its end.
    pub(super) fn place(&self) -> Place {
        match self.cursor == self.run().len() {
            true => Place::Run,
            false => Place::Aside(self.aside().into()),
        }
    }

    /// Returns a copy of the world at the cursor, for requests that must not change the run. The copy does not contain
    /// the requests that are in flight at the cursor, because they belong to the future of the run.
    pub(super) fn aside(&self) -> World {
        let mut aside = self.world().clone();
        aside.drop_undelivered();
        aside
    }

    fn profile(&self) -> Profile {
        self.world().config().profile
    }

    /// Returns the sentence of a note. If the world has several members, returns `None` for a note that applies only to
    /// a world with one member.
    fn sentence_of(&self, note: Option<&Note>) -> Option<String> {
        let is_single = !self.world().is_cluster();
        let note = note.filter(|note| is_single || !note.needs_one_member());
        note.map(Note::sentence)
    }

    /// Starts a new branch from the database file of the run, or from an empty store if the run has no such file.
    fn fresh_world(
        &mut self,
        (profile, seed, members): (Option<Profile>, Option<u64>, Option<u32>),
        label: &str,
    ) -> Result<(), String> {
        let now = self.world().config().clone();
        let profile = profile.unwrap_or(now.profile);
        let snapshot = match now.snapshot {
            Some(file) if file.profile != profile => {
                let read = file.with_profile(profile);
                let read = read.map_err(|error| {
                    let (name, error) = (&file.identity.name, SnapshotError::from(error));
                    format!("Cannot start a run on {name}: {error}.")
                })?;
                Some(Arc::new(read))
            }
            same => same,
        };
        let config = Config {
            profile,
            seed: seed.unwrap_or(now.seed),
            command_pace: now.command_pace,
            snapshot,
            members: members.unwrap_or(now.members),
            format: now.format,
        };
        self.reader = self.reader.clone().with_profile(config.profile);
        let fresh = Branch {
            run: Run::new(config),
            parent: None,
            label: first_line(label),
        };
        if self.branches.len() == 1 && self.run().is_empty() {
            self.branches[0] = Branch {
                label: self.branches[0].label.clone(),
                ..fresh
            };
        } else {
            self.branches.push(fresh);
            self.current = self.branches.len() - 1;
        }
        self.go_to_head();
        Ok(())
    }
}

/// The maximum number of branches that `fork` creates; each branch has its own history.
pub(super) const FORKS_MAX: usize = 256;

/// The maximum size of the output in one response to typed text, in bytes.
const EXECUTED_BYTES_MAX: usize = 16 << 20;

fn append(result: &mut Executed, output: &Output) {
    for (all, more) in [
        (&mut result.stdout, &output.stdout),
        (&mut result.stderr, &output.stderr),
    ] {
        if all.len() + more.len() <= EXECUTED_BYTES_MAX {
            all.push_str(&String::from_utf8_lossy(more));
        } else if !all.ends_with(CUT) {
            all.push_str(CUT);
        }
    }
    result.exit = output.exit;
}

/// The text that ends a response if the whole output does not fit into the response.
const CUT: &str = "\n… the rest of the output does not fit into one response\n";
