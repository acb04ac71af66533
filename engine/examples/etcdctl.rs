//! The native shell: `cargo run -q --release -p watchglass-engine --example etcdctl`.
//!
//! Reads one command a line from standard input, or the file that is named, and prints for each
//! what `etcdctl` prints on either stream, then a line `# exit N`. `txn` takes its three blocks
//! from the lines that follow, each ended by an empty line. `--profile 3.4|3.6` chooses the
//! behaviour, `--seed N` the seed. A scenario file (with `----` between what is typed and what is
//! expected) is checked instead: its differences are printed and make the exit code 1.
#![allow(
    clippy::print_stderr,
    reason = "a program on the command line complains on standard error"
)]

use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::process::ExitCode;

use watchglass_engine::api::Profile;
use watchglass_engine::session::{Config, Session, script};
use watchglass_engine::shell::{Command, CommandKind, Output, Read, Reader};

const USAGE: &str = "usage: etcdctl [--profile 3.4|3.6] [--seed N] [FILE]";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let mut config = Config::default();
    let mut file = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => {
                (name.to_owned(), Some(value.to_owned()))
            }
            _ => (arg, None),
        };
        let mut value = || value.clone().or_else(|| args.next()).unwrap_or_default();
        match name.as_str() {
            "--profile" => {
                config.profile = Profile::parse(&value())
                    .ok_or_else(|| format!("--profile is 3.4 or 3.6\n{USAGE}"))?;
            }
            "--seed" => {
                config.seed = value()
                    .parse()
                    .map_err(|_| format!("--seed is a whole number\n{USAGE}"))?;
            }
            _ if name.starts_with('-') && name.len() > 1 => {
                return Err(format!("there is no flag {name}\n{USAGE}"));
            }
            _ => file = Some(name),
        }
    }
    let complain = |e: io::Error| e.to_string();
    let Some(path) = file else {
        return Shell::new(config).run(io::stdin().lock()).map_err(complain);
    };
    let mut text = Vec::new();
    std::fs::File::open(&path)
        .and_then(|mut f| f.read_to_end(&mut text))
        .map_err(|e| format!("{path}: {e}"))?;
    if let Ok(text) = std::str::from_utf8(&text)
        && text.lines().any(|line| line == "----")
    {
        return check(&path, text).map_err(complain);
    }
    Shell::new(config)
        .run(BufReader::new(text.as_slice()))
        .map_err(complain)
}

/// Runs a scenario file and prints where it differs.
fn check(path: &str, text: &str) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let report = match script::run_file(text) {
        Ok(report) => report,
        Err(error) => {
            writeln!(out, "{path}: {error}")?;
            return Ok(ExitCode::from(2));
        }
    };
    for d in &report.differences {
        writeln!(out, "{path}:{}: {}", d.line, d.input)?;
        writeln!(out, "expected:\n{}\nactual:\n{}\n", d.expected, d.actual)?;
    }
    let count = report.differences.len();
    writeln!(
        out,
        "{path}: {} commands, {count} differences",
        report.blocks
    )?;
    let failed = report.known_failure.is_some() == report.differences.is_empty();
    Ok(ExitCode::from(u8::from(failed)))
}

struct Shell {
    reader: Reader,
    session: Session,
}

impl Shell {
    fn new(config: Config) -> Self {
        Self {
            reader: Reader::new(config.profile),
            session: Session::new(config),
        }
    }

    fn run(mut self, input: impl BufRead) -> io::Result<ExitCode> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        for line in input.split(b'\n') {
            let read = self.reader.line_bytes(&line?);
            self.answer(read, &mut out)?;
        }
        let read = self.reader.finish();
        self.answer(read, &mut out)?;
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    fn answer(
        &mut self,
        read: Result<Read, watchglass_engine::shell::ParseError>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match read {
            Ok(Read::Blank | Read::More { .. }) => Ok(()),
            Ok(Read::Commands(commands)) => {
                for command in &commands {
                    print(&self.command(command), out)?;
                }
                Ok(())
            }
            Err(error) => print(&Output::error(&error.to_string(), 2), out),
        }
    }

    fn command(&mut self, command: &Command) -> Output {
        if let CommandKind::Answered(output) | CommandKind::Refused(output) = &command.kind {
            return output.clone();
        }
        self.session.exec(&command.text);
        if let CommandKind::World {
            profile: Some(profile),
            ..
        } = command.kind
        {
            self.reader = Reader::new(profile);
        }
        // The session's own answer is text for the page; the entry keeps every byte.
        let entries = self.session.run().entries_at(self.session.cursor());
        entries.last().map(|e| e.output.clone()).unwrap_or_default()
    }
}

fn print(output: &Output, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&output.stdout)?;
    out.write_all(&output.stderr)?;
    let last = output.stderr.last().or(output.stdout.last());
    if last.is_some_and(|byte| *byte != b'\n') {
        out.write_all(b"\n")?;
    }
    writeln!(out, "# exit {}", output.exit)?;
    // Whoever reads the answers of a long run sees them as they come.
    out.flush()
}
