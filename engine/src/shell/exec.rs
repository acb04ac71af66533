//! The program that `watch … -- COMMAND` and `lock NAME COMMAND` run, with the environment variables that etcdctl sets.
//!
//! The simulator has no other programs than `echo`, `printf`, `env`, `true`, `false` and etcdctl, alone or in the text
//! of `sh -c`. The environment contains only the variables that etcdctl adds. Like upstream, etcdctl starts the program
//! without a shell, so a `$NAME` in its words is an ordinary text.

use super::{CommandKind, Etcdctl, Output, ParseError};
use crate::api::Request;
use crate::base::bytes::escape;
use crate::transcript::Filters;
use crate::transcript::for_loop::{Arg, ShellNames, Statement, Variable, expand};
use crate::transcript::text_tools::{echo, printf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecCommand {
    words: Vec<Vec<u8>>,
    kind: ExecKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ExecKind {
    /// A command of etcdctl that sends a request.
    Etcdctl(Box<Etcdctl>),
    /// A command of etcdctl that sends no request, with its output.
    Answered(Output),
    /// A program that only prints.
    Prints,
    /// The text of `sh -c`, whose programs only print.
    Script(Vec<u8>),
}

/// The programs that only print.
const PRINTING: &[&str] = &["echo", "printf", "env", "printenv", "true", "false", ":"];

fn not_here(word: &[u8]) -> String {
    format!(
        "Watchglass cannot run `{}` here; it runs echo, printf, env and etcdctl",
        escape(word)
    )
}

impl ExecCommand {
    /// Reads the words of a program. `read_etcdctl` reads the words after `etcdctl` and returns `None` if the command
    /// continues on the next lines.
    ///
    /// # Errors
    /// Returns the reason if the simulator cannot run the program.
    pub(super) fn read(
        words: &[Vec<u8>],
        read_etcdctl: impl Fn(&[Arg]) -> Result<Option<CommandKind>, ParseError>,
    ) -> Result<Self, String> {
        let of = |kind| {
            Ok(Self {
                words: words.to_vec(),
                kind,
            })
        };
        let first = words.first().map_or(&b""[..], Vec::as_slice);
        match (name_of(first), words) {
            ("etcdctl", _) => of(etcdctl(words, read_etcdctl)?),
            (name, _) if PRINTING.contains(&name) => of(ExecKind::Prints),
            ("sh" | "bash" | "ash" | "dash", [_, flag, text, ..]) if flag.ends_with(b"c") => {
                let statements = statements(text, &[]);
                match statements.as_deref() {
                    Ok([one])
                        if name_of(&one.args[0].bytes) == "etcdctl" && !text.contains(&b'$') =>
                    {
                        of(etcdctl(&words_of(one), read_etcdctl)?)
                    }
                    Ok(all) => {
                        let unknown = all.iter().find(|one| !can_print(one));
                        match unknown {
                            Some(one) => Err(not_here(&one.args[0].bytes)),
                            None => of(ExecKind::Script(text.clone())),
                        }
                    }
                    Err(why) => Err(why.clone()),
                }
            }
            _ => Err(not_here(first)),
        }
    }

    /// Returns the request that the program sends; `None` if it sends no request.
    pub fn request(&self) -> Option<Request> {
        match &self.kind {
            ExecKind::Etcdctl(etcdctl) => Some(etcdctl.request()),
            _ => None,
        }
    }

    /// Returns the output of the program. `print_reply` prints the response to the request of the program.
    pub(super) fn output(
        &self,
        environment: &[Variable],
        print_reply: impl FnOnce(&Etcdctl) -> Output,
    ) -> Output {
        match &self.kind {
            ExecKind::Etcdctl(etcdctl) => print_reply(etcdctl),
            ExecKind::Answered(output) => output.clone(),
            ExecKind::Prints => printed(&self.words, environment),
            ExecKind::Script(text) => {
                let mut output = Output::default();
                for one in statements(text, environment).unwrap_or_default() {
                    if one.run_if.holds(output.exit) {
                        let printed = printed(&words_of(&one), environment);
                        let (stdout, exit) = match Filters::parse(&one.output_target) {
                            Some(filters) => filters.run(&printed.stdout),
                            None => (printed.stdout, printed.exit),
                        };
                        output.stdout.extend(stdout);
                        output.exit = exit;
                    }
                }
                output
            }
        }
    }

    /// Returns true if the program is etcdctl or a program that only prints, from the search path and without a shell.
    pub fn is_harmless(&self) -> bool {
        let programs: [&[u8]; 5] = [b"etcdctl", b"echo", b"printf", b"true", b"false"];
        let first = self.words.first();
        first.is_some_and(|program| programs.contains(&&program[..]))
    }

    /// Returns the words of the program as Go's `%q` prints them.
    pub fn quoted(&self) -> String {
        let words = self
            .words
            .iter()
            .map(|word| crate::base::go::quote::quoted(word));
        format!("[{}]", words.collect::<Vec<_>>().join(" "))
    }
}

fn name_of(word: &[u8]) -> &str {
    let name = word.rsplit(|b| *b == b'/').next().unwrap_or_default();
    std::str::from_utf8(name).unwrap_or_default()
}

fn words_of(statement: &Statement) -> Vec<Vec<u8>> {
    statement.args.iter().map(|arg| arg.bytes.clone()).collect()
}

/// Returns the commands in the text of `sh -c`. A variable that is not set is empty, as in a shell.
fn statements(text: &[u8], environment: &[Variable]) -> Result<Vec<Statement>, String> {
    let mut variables = environment.to_vec();
    for name in [
        "ETCD_WATCH_REVISION",
        "ETCD_WATCH_EVENT_TYPE",
        "ETCD_WATCH_KEY",
        "ETCD_WATCH_VALUE",
    ]
    .into_iter()
    .chain(["ETCD_LOCK_KEY", "ETCD_LOCK_REV"])
    {
        if variables.iter().all(|(known, _)| known != name) {
            variables.push((name.to_owned(), Vec::new()));
        }
    }
    let names = ShellNames {
        variables,
        ..ShellNames::default()
    };
    let all = expand(text, &names).map_err(|error| error.to_string())?;
    Ok(all.into_iter().filter(|one| !one.args.is_empty()).collect())
}

/// Returns true if a command of `sh -c` only prints, possibly through programs such as `grep`.
fn can_print(statement: &Statement) -> bool {
    let target = &statement.output_target;
    (target.is_empty() || Filters::parse(target).is_some())
        && PRINTING.contains(&name_of(&statement.args[0].bytes))
}

fn printed(words: &[Vec<u8>], environment: &[Variable]) -> Output {
    let line = |(name, value): &Variable| [name.as_bytes(), b"=", value, b"\n"].concat();
    let stdout = match (name_of(&words[0]), &words[1..]) {
        ("echo", rest) => echo(rest),
        ("printf", rest) => printf(rest),
        ("env", _) | ("printenv", []) => environment.iter().flat_map(line).collect(),
        ("printenv", [name, ..]) => {
            let found = environment
                .iter()
                .find(|(known, _)| known.as_bytes() == name);
            found.map_or_else(Vec::new, |(_, value)| [&value[..], b"\n"].concat())
        }
        _ => Vec::new(),
    };
    Output {
        stdout,
        exit: u8::from(name_of(&words[0]) == "false"),
        ..Output::default()
    }
}

fn etcdctl(
    words: &[Vec<u8>],
    read_etcdctl: impl Fn(&[Arg]) -> Result<Option<CommandKind>, ParseError>,
) -> Result<ExecKind, String> {
    let args = words[1..].iter().map(|word| Arg {
        bytes: word.clone(),
        span: (0, 0),
        quoted: true,
    });
    let args: Vec<Arg> = args.collect();
    match read_etcdctl(&args) {
        Ok(Some(CommandKind::Etcdctl(etcdctl))) => Ok(ExecKind::Etcdctl(Box::new(etcdctl))),
        Ok(Some(CommandKind::Answered(output) | CommandKind::Refused(output))) => {
            Ok(ExecKind::Answered(output))
        }
        Ok(_) => Err(format!(
            "Watchglass cannot run `{}` here, because the command does not end by itself",
            escape(&words.join(&b' '))
        )),
        Err(error) => Err(error.to_string()),
    }
}
