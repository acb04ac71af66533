//! Typed text: reads its lines, runs its commands at the cursor, and records them in the log.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use crate::base::grow;
use crate::scenario::INTERRUPT;
use crate::shell::{Command, CommandKind, Output, ParseError, Read, with_flags_joined};
use crate::view::EntryKind;

use super::input_lines::{InputLines, LineRead};
use super::protocol::{Executed, RunningCommand};
use super::report::{CommandReport, Finished};
use super::save::LogItem;
use super::task::Typing;
use super::workspace::Workspace;

/// A text that is being typed: its pending lines, and the pending commands of the line that was read last. A line is
/// read only after all earlier commands are done, because these commands may change the meaning of the line.
#[derive(Debug)]
pub(super) struct Typed {
    begun: bool,
    input: InputLines,
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
            input: InputLines::new(with_flags_joined(text)),
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
        let left = self.input.len() + self.commands.len();
        (self.done, self.done + left as u64)
    }

    /// Returns the progress of the line that is being read, if any.
    pub(super) fn reading(&self) -> Option<RunningCommand> {
        self.input.progress()
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
                if self.is_substituted() {
                    self.input.substitute(Vec::new());
                }
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
                ..workspace.typing_of(&command, text)
            };
            if let Some(finished) = workspace.begin_command(&command, typed) {
                self.finished(finished);
            }
        } else {
            if let Some(line) = self
                .input
                .next_line()
                .filter(|line| line.trim() == INTERRUPT)
            {
                // The line ends an unfinished command, or else a watch.
                let is_unfinished = workspace.reader.pending().is_some();
                workspace.reader.abandon();
                workspace.half_typed.clear();
                *line = match is_unfinished {
                    true => String::new(),
                    false => workspace.command_to_end_newest().unwrap_or_default(),
                };
            }
            match self.input.read_more(&mut workspace.reader) {
                Some(LineRead::Whole(line, read)) => self.line_is_read(workspace, line, read),
                Some(LineRead::Begun(commands)) => self.commands.extend(commands),
                None => {}
            }
        }
    }

    /// Refuses a command and drops all commands after it. None of these commands is logged, because a replay may have
    /// enough memory to run them.
    fn refuse(&mut self, workspace: &mut Workspace, command: &Command, why: &str) {
        self.commands.clear();
        self.input.clear();
        let report = CommandReport::refused(why);
        let typed = Typing::new(&*command.text);
        let finished = workspace.note(workspace.current, workspace.cursor, &typed, report);
        self.finished(finished);
    }

    /// Returns true if the last command that began is inside a substitution.
    fn is_substituted(&self) -> bool {
        self.commands.is_empty() && self.input.needs_output()
    }

    fn finished(&mut self, finished: Finished) {
        self.done += 1;
        self.result.branched |= finished.branched;
        if !self.is_substituted() {
            return append(&mut self.result, &finished.output);
        }
        self.input.substitute(finished.output.stdout.clone());
        // The exit code decides nothing: the conditions of the line are about its own commands.
        let exit = self.result.exit;
        append(
            &mut self.result,
            &Output {
                stdout: Vec::new(),
                ..Output::clone(&finished.output)
            },
        );
        self.result.exit = exit;
    }

    fn line_is_read(
        &mut self,
        workspace: &mut Workspace,
        line: String,
        read: Result<Read, ParseError>,
    ) {
        self.done += 1;
        let refused = match self.input.len() == 0 {
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

/// Unreadable lines of a text, and the error message about these lines.
struct Refused {
    typed: String,
    output: Output,
}

impl Workspace {
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
    pub(super) fn note_unreadable(&mut self, typed: &Typing, output: Output) {
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
}

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
