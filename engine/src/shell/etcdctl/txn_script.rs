//! Collects the lines of a transaction, which has three blocks. An empty line ends each block.
//!
//! Mirrors `txnCommandFunc`, `readCompares` and `readOps` in `etcdctl/ctlv3/command/txn_command.go`. etcdctl exits at
//! the first invalid line. The simulator also reads the remaining lines of the three blocks, if they belong to the same
//! input, but discards them, so that they do not run as commands.

use super::operation::EXIT_INVALID_INPUT;
use super::txn_line::{Rejected, compare, operation, with_quotes};
use crate::api::{Profile, TxnRequest};
use crate::shell::{
    Command, CommandKind, Etcdctl, Format, Note, Output, ParseError, UserFlag, Verb,
};
use crate::transcript::lexer::RunIf;
use crate::world::COMMAND_TIMEOUT;

/// The prompts that `txn -i` prints before the three blocks of a transaction.
pub(in crate::shell) const PROMPTS: [&str; 3] = [
    "compares:",
    "success requests (get, put, del):",
    "failure requests (get, put, del):",
];

#[derive(Clone, Debug)]
pub(in crate::shell) struct TxnHead {
    /// Whether the prompts are printed (`-i`).
    pub(in crate::shell) interactive: bool,
    /// The output format (`--write-out`).
    pub(in crate::shell) format: Format,
    /// Whether keys and values are printed in hexadecimal (`--hex`).
    pub(in crate::shell) hex: bool,
    pub(in crate::shell) user: Option<UserFlag>,
    pub(in crate::shell) endpoints: Vec<String>,
    /// The text of the `txn` command line.
    pub(in crate::shell) text: String,
}

/// A transaction of which some lines are still to be read.
#[derive(Clone, Debug)]
pub(in crate::shell) struct TxnScript {
    profile: Profile,
    head: TxnHead,
    text: String,
    request: TxnRequest,
    /// The warnings about ranges to delete, which etcdctl prints when it reads the lines.
    warnings: Vec<String>,
    /// The index of the block that contains the next line.
    block: usize,
    /// The output or the error, if an invalid line has ended the transaction.
    end: Option<Result<Output, ParseError>>,
    /// A note that shows the correction of the invalid line.
    note: Option<Note>,
}

impl TxnScript {
    pub(in crate::shell) fn new(head: TxnHead, profile: Profile) -> Self {
        Self {
            profile,
            text: format!("{}\n", head.text),
            head,
            request: TxnRequest::default(),
            warnings: Vec::new(),
            block: 0,
            end: None,
            note: None,
        }
    }

    /// Returns the lines that were read so far, each with a line break at its end.
    pub(in crate::shell) fn text(&self) -> &str {
        &self.text
    }

    pub(in crate::shell) fn prompt(&self) -> &'static str {
        PROMPTS[self.block.min(PROMPTS.len() - 1)]
    }

    pub(in crate::shell) fn is_refused(&self) -> bool {
        self.end.is_some()
    }

    /// Reads one line. Returns true if it was the last line of the transaction.
    pub(in crate::shell) fn line(&mut self, line: &str) -> bool {
        let line = line.trim();
        if self.end.is_none() {
            self.text.push_str(line);
            self.text.push('\n');
        }
        if line.is_empty() {
            self.block += 1;
            return self.block == PROMPTS.len();
        }
        if self.end.is_none()
            && let Err(rejected) = self.take(line)
        {
            // The text of the command has all three blocks, so that no later line belongs to the transaction.
            let blocks_left = PROMPTS.len() - self.block;
            self.text.extend(std::iter::repeat_n('\n', blocks_left));
            if self.block == 0 {
                self.note = with_quotes(line).map(Note::CompareQuotes);
            }
            self.end = Some(match rejected {
                Rejected::Refused(output) => Ok(self.after_prompts(output)),
                Rejected::Hangs => Err(ParseError::new(
                    0,
                    line.len(),
                    "`get`, `put` or `del`, and a key",
                    "for this line, etcdctl would print a help page and then wait forever",
                )),
            });
        }
        false
    }

    fn take(&mut self, line: &str) -> Result<(), Rejected> {
        match self.block {
            0 => self.request.compare.push(compare(line)?),
            block => {
                let (operation, warning) = operation(line, self.profile)?;
                self.warnings.extend(warning);
                match block {
                    1 => self.request.success.push(operation),
                    _ => self.request.failure.push(operation),
                }
            }
        }
        Ok(())
    }

    /// Returns the command for the transaction. If the input ended too early, the command prints etcdctl's error.
    pub(in crate::shell) fn finish(mut self) -> Result<Command, ParseError> {
        let complete = self.block == PROMPTS.len();
        let end = match self.end.take() {
            Some(end) => Some(end?),
            None if complete => None,
            None => Some(self.after_prompts(Output::error("EOF", EXIT_INVALID_INPUT))),
        };
        let kind = match end {
            Some(output) => CommandKind::Refused(output),
            None => CommandKind::Etcdctl(Etcdctl {
                verb: Verb::Txn {
                    request: self.request,
                    interactive: self.head.interactive,
                    warnings: self.warnings,
                },
                format: self.head.format,
                hex: self.head.hex,
                user: self.head.user,
                endpoints: self.head.endpoints,
                cluster: false,
                timeout: COMMAND_TIMEOUT,
            }),
        };
        Ok(Command {
            text: self.text,
            kind,
            note: self.note,
            run_if: RunIf::Always,
        })
    }

    /// Returns the output, preceded by the prompts that etcdctl printed because of `-i`, and by the warnings.
    fn after_prompts(&self, output: Output) -> Output {
        let mut stdout = Vec::new();
        if self.head.interactive {
            for prompt in &PROMPTS[..=self.block.min(PROMPTS.len() - 1)] {
                stdout.extend_from_slice(prompt.as_bytes());
                stdout.push(b'\n');
            }
        }
        stdout.extend_from_slice(&output.stdout);
        let stderr = [self.warnings.concat().as_bytes(), &output.stderr].concat();
        Output {
            stdout,
            stderr,
            ..output
        }
    }
}
