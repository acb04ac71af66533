//! A block of a scenario that is being typed, and the comparison of its output with the expected output.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use crate::scenario::{Beat, Block, Expected, Sameness, compare_output, is_beside_events};
use crate::shell::{Command, CommandKind, Note, Output, Read, RunIf, Verb};
use crate::view::TranscriptOutput;
use crate::words::loading as words;
use crate::words::transcript as transcript_words;
use crate::world::World;
use crate::world::op::WorldOp;

use super::input_lines::{InputLines, LineRead};
use super::protocol::RunningCommand;
use super::report::Finished;
use super::task::{ExpectedOutput, Typing, printed};
use super::workspace::Workspace;

/// A block of a scenario that is being typed.
#[derive(Debug)]
pub(super) struct TypedBlock {
    beat: Option<Arc<Beat>>,
    input: String,
    lines: InputLines,
    /// Whether the reader has read all lines and has handled the end of the input.
    is_read: bool,
    commands: VecDeque<Command>,
    expected: Expected,
    /// The lease IDs in the expected output that are not assigned to a command yet.
    lease_ids: VecDeque<i64>,
    /// The output of the block so far, as the terminal shows it.
    pub(super) printed: String,
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
            lines: InputLines::new(block.input.split('\n').map(Into::into)),
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
        self.lines.progress()
    }

    fn read_more(&mut self, workspace: &mut Workspace) {
        let reader = &mut workspace.reader;
        reader.reads_saved(false);
        if let Some(why) = self.skip.take() {
            self.lines.clear();
            let input = self.input.clone();
            self.unreadable(workspace, &input, &why);
            self.is_read = true;
        } else if self.lines.len() > 0 {
            match self.lines.read_more(reader) {
                None => {}
                Some(LineRead::Whole(_, Ok(read))) => self.take(read),
                Some(LineRead::Whole(line, Err(error))) => {
                    self.unreadable(workspace, &line, &error.to_string());
                }
                Some(LineRead::Begun(commands)) => self.commands.extend(commands),
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

    pub(super) fn input(&self) -> &str {
        &self.input
    }

    pub(super) fn has_output(&self) -> bool {
        self.expected_text().is_some()
    }

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
        if !self.is_read && !self.lines.needs_output() {
            self.read_more(workspace);
            return true;
        }
        match workspace.poll_command() {
            Poll::Pending => return true,
            Poll::Ready(Some(finished)) => self.finished(&finished),
            Poll::Ready(None) => {
                if let Some(mut command) = self.commands.pop_front() {
                    if !command.run_if.holds(self.last_output.exit) {
                        if self.is_substituted() {
                            self.lines.substitute(Vec::new());
                        }
                        return !self.commands.is_empty() || !self.is_read;
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
                    let expected = match self.is_read && may_be_last && self.unreadable.is_none() {
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
                        filters: note.and_then(Note::filters),
                        ..Typing::new(shown_text(&command, workspace))
                    };
                    if let Some(finished) = workspace.begin_command(&command, typed) {
                        self.finished(&finished);
                    }
                }
            }
        }
        !self.commands.is_empty() || workspace.is_running() || !self.is_read
    }

    /// Returns true if the last command that began is inside a substitution.
    fn is_substituted(&self) -> bool {
        self.commands.is_empty() && self.lines.needs_output()
    }

    fn finished(&mut self, finished: &Finished) {
        let output = &finished.output;
        if self.is_substituted() {
            return self.lines.substitute(output.stdout.clone());
        }
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

impl Workspace {
    /// Types a block of a scenario to its end and returns its output.
    /// Types a block to its end and returns its output. Returns `None` if the block needs more than `steps` steps.
    /// Subtracts the steps of the block.
    pub(super) fn block_within(&mut self, block: &Block, steps: &mut u32) -> Option<String> {
        let mut typed = TypedBlock::new(block);
        while typed.advance(self) {
            *steps = steps.checked_sub(1)?;
        }
        Some(typed.printed)
    }

    pub(super) fn block(&mut self, block: &Block) -> String {
        let mut typed = TypedBlock::new(block);
        while typed.advance(self) {}
        typed.printed
    }
}
