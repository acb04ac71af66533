//! A transaction while it is typed: three blocks, each ended by an empty line.
//!
//! Mirrors `txnCommandFunc`, `readCompares` and `readOps` of
//! `etcdctl/ctlv3/command/txn_command.go`. Upstream ends at the first line it does not like and
//! leaves the rest unread; here the rest of the three blocks is taken off the input all the same,
//! so that it is not run as commands.

use super::operation::EXIT_INVALID_INPUT;
use super::txn_line::{Rejected, compare, operation};
use crate::api::{Profile, TxnRequest};
use crate::shell::{Command, CommandKind, Etcdctl, Format, Output, ParseError, Verb};

/// The prompts of the three blocks.
pub(in crate::shell) const PROMPTS: [&str; 3] = [
    "compares:",
    "success requests (get, put, del):",
    "failure requests (get, put, del):",
];

/// The options of `txn`.
#[derive(Clone, Debug)]
pub(in crate::shell) struct TxnHead {
    /// `-i`
    pub(in crate::shell) interactive: bool,
    /// `--write-out`
    pub(in crate::shell) format: Format,
    /// `--hex`
    pub(in crate::shell) hex: bool,
    /// `--endpoints`
    pub(in crate::shell) endpoints: Vec<String>,
    /// The command line itself.
    pub(in crate::shell) text: String,
}

/// A transaction that is being typed.
#[derive(Clone, Debug)]
pub(in crate::shell) struct TxnScript {
    profile: Profile,
    head: TxnHead,
    text: String,
    request: TxnRequest,
    /// The block the next line belongs to.
    block: usize,
    /// The result, once a line is refused.
    end: Option<Result<Output, ParseError>>,
}

impl TxnScript {
    /// Starts after the line with `txn`.
    pub(in crate::shell) fn new(head: TxnHead, profile: Profile) -> Self {
        Self {
            profile,
            text: format!("{}\n", head.text),
            head,
            request: TxnRequest::default(),
            block: 0,
            end: None,
        }
    }

    /// The prompt of the block that is being typed.
    pub(in crate::shell) fn prompt(&self) -> &'static str {
        PROMPTS[self.block.min(PROMPTS.len() - 1)]
    }

    /// Reads one line; returns whether it was the last line.
    pub(in crate::shell) fn line(&mut self, line: &str) -> bool {
        let line = line.trim();
        self.text.push_str(line);
        self.text.push('\n');
        if line.is_empty() {
            self.block += 1;
            return self.block == PROMPTS.len();
        }
        if self.end.is_none()
            && let Err(rejected) = self.take(line)
        {
            self.end = Some(match rejected {
                Rejected::Refused(output) => Ok(self.after_prompts(output)),
                Rejected::Hangs => Err(ParseError::new(
                    0,
                    line.len(),
                    "a get, put or del with its key",
                    "etcdctl prints a help page here and then waits forever",
                )),
            });
        }
        false
    }

    fn take(&mut self, line: &str) -> Result<(), Rejected> {
        match self.block {
            0 => self.request.compare.push(compare(line, self.profile)?),
            1 => self.request.success.push(operation(line, self.profile)?),
            _ => self.request.failure.push(operation(line, self.profile)?),
        }
        Ok(())
    }

    /// The resulting command; complete or, at the end of the input, cut short.
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
                },
                format: self.head.format,
                hex: self.head.hex,
                endpoints: self.head.endpoints,
            }),
        };
        Ok(Command {
            text: self.text,
            kind,
            note: None,
        })
    }

    /// The output, after the prompts that `-i` has printed by now.
    fn after_prompts(&self, output: Output) -> Output {
        let mut stdout = Vec::new();
        if self.head.interactive {
            for prompt in &PROMPTS[..=self.block.min(PROMPTS.len() - 1)] {
                stdout.extend_from_slice(prompt.as_bytes());
                stdout.push(b'\n');
            }
        }
        stdout.extend_from_slice(&output.stdout);
        Output { stdout, ..output }
    }
}
