//! Collects the input lines of `watch -i`. An empty line ends the input.
//!
//! Mirrors `watchInteractiveFunc` in `etcdctl/ctlv3/command/watch_command.go`, with two differences. First, the
//! simulator prints a prompt. Second, in the simulator the process continues after the end of the input; etcdctl exits.
//! An error that makes etcdctl exit also ends the simulated process, including its earlier watches. The remaining lines
//! are read and discarded.

use super::argify::argify;
use super::flags::parse;
use super::operation::{EXIT_BAD_ARGS, EXIT_INVALID_INPUT};
use super::watch_line::{Ending, before_command, create, error_at, has_command, no_commands, path};
use super::watch_own::Own;
use crate::api::{Difference, Profile};
use crate::shell::table::{Flag, HELP_FLAG};
use crate::shell::{
    Command, CommandKind, Output, ParseError, UserFlag, WatchCommand, WatchLine, WatchPrint,
};
use crate::transcript::for_loop::Arg;
use crate::transcript::lexer::RunIf;

/// The prompt for each line. etcdctl itself prints no prompt here.
pub(in crate::shell) const PROMPT: &str = "watch KEY or progress:";

#[derive(Clone, Debug)]
pub(in crate::shell) struct WatchHead {
    /// The name of the process (`as NAME`).
    pub(in crate::shell) name: Option<String>,
    /// The client whose stream the watches use (`on CLIENT`).
    pub(in crate::shell) client: Option<String>,
    pub(in crate::shell) user: Option<UserFlag>,
    pub(in crate::shell) print: WatchPrint,
    /// The text of the `watch -i` command line.
    pub(in crate::shell) text: String,
}

/// A `watch -i` command of which some lines are still to be read.
#[derive(Clone, Debug)]
pub(in crate::shell) struct WatchScript {
    profile: Profile,
    head: WatchHead,
    text: String,
    starts: Vec<WatchLine>,
    complete: bool,
    /// The output or the error, if a line has made etcdctl exit.
    end: Option<Result<Output, ParseError>>,
}

impl WatchScript {
    pub(in crate::shell) fn new(head: WatchHead, profile: Profile) -> Self {
        Self {
            profile,
            text: format!("{}\n", head.text),
            head,
            starts: Vec::new(),
            complete: false,
            end: None,
        }
    }

    /// Returns the lines that were read so far, each with a line break at its end.
    pub(in crate::shell) fn text(&self) -> &str {
        &self.text
    }

    /// Reads one line. Returns true if it was the last line.
    pub(in crate::shell) fn line(&mut self, line: &str) -> bool {
        let line = line.trim_end_matches('\r');
        self.complete = line.trim().is_empty();
        if !self.complete {
            self.text.push_str(line);
            if self.end.is_none() {
                match self.take(line) {
                    Ok(start) => self.starts.push(start),
                    Err(end) => self.end = Some(end),
                }
            }
        }
        self.text.push('\n');
        self.complete
    }

    fn take(&self, line: &str) -> Result<WatchLine, Result<Output, ParseError>> {
        let bad = |why: &str| Ok(WatchLine::Bad(format!("Invalid command {line}{why}\n")));
        let ends = |text: &str| Err(Ok(Output::error(text, EXIT_BAD_ARGS)));
        let words = argify(line, self.profile).map_err(Ok)?;
        match words.first().map(Vec::as_slice) {
            None => {
                let parts = [
                    "Invalid command: ",
                    line,
                    " (watch and progress supported)\n",
                ];
                return Ok(WatchLine::Bad(parts.concat()));
            }
            Some(b"progress") => return Ok(WatchLine::Progress),
            Some(b"watch") if words.len() == 1 => {
                return bad(" (command type or key is not provided)");
            }
            Some(b"watch") => {}
            Some(_) => return bad(" (only support watch)"),
        }
        // The words of such a line have no positions of their own, so each gets the range of the whole line.
        let args: Vec<Arg> = words[1..]
            .iter()
            .map(|word| Arg {
                bytes: word.clone(),
                span: (0, line.len()),
                quoted: false,
            })
            .collect();
        let (words, own) = Own::split(&args).map_err(Err)?;
        let runs = has_command(&words).map_err(Ok)?;
        let parsed = match parse(&words, &self.flags()) {
            Ok(parsed) if parsed.on("help") => return ends("pflag: help requested"),
            Ok(parsed) => parsed,
            Err(complaint) => return ends(&complaint),
        };
        if parsed.args.is_empty() && !runs {
            return ends("bad number of arguments");
        }
        let keys = before_command(&words, parsed.args.clone()).map_err(Ok)?;
        let create = match create(&keys, &parsed, &own) {
            Ok(create) => create,
            Err(why) => return bad(&format!(" ({why})")),
        };
        if runs {
            return Err(Err(no_commands(&args)));
        }
        match own.crowd(&create, &args, &Ending::default()) {
            None => Ok(WatchLine::Watch(create)),
            Some(_) => {
                let hint = "use --many in a separate `watch` command";
                Err(Err(error_at(
                    &args,
                    "a line without --many or --rev=spread",
                    hint,
                )))
            }
        }
    }

    fn flags(&self) -> Vec<&'static Flag> {
        static HELP: Flag = HELP_FLAG;
        let mut flags = path().map_or_else(Vec::new, |path| path.own_flags(self.profile));
        flags.push(&HELP);
        flags
    }

    /// Returns the command for the whole input. If the input ended too early, the command prints etcdctl's error.
    pub(in crate::shell) fn finish(self) -> Result<Command, ParseError> {
        let end = match self.end {
            Some(end) => Some(end?),
            None if self.complete => None,
            None => {
                let text = match self.profile.has(Difference::LowercaseWatchErrors) {
                    false => "Error reading watch request line: EOF",
                    true => "error reading watch request line: EOF",
                };
                Some(Output::error(text, EXIT_INVALID_INPUT))
            }
        };
        let kind = match end {
            Some(end) => CommandKind::Refused(after(&self.starts, end)),
            None => CommandKind::Watch(WatchCommand {
                starts: self.starts,
                name: self.head.name,
                client: self.head.client,
                endpoint: None,
                user: self.head.user,
                print: self.head.print,
            }),
        };
        Ok(Command {
            text: self.text,
            kind,
            note: None,
            run_if: RunIf::Always,
        })
    }
}

/// Returns the final output of the process, preceded by the error messages about earlier lines.
fn after(starts: &[WatchLine], end: Output) -> Output {
    let mut stderr = Vec::new();
    for start in starts {
        if let WatchLine::Bad(text) = start {
            stderr.extend_from_slice(text.as_bytes());
        }
    }
    stderr.extend_from_slice(&end.stderr);
    Output { stderr, ..end }
}
