//! The native shell: `cargo run -q --release -p watchglass-engine --example etcdctl`.
//!
//! Reads one command per line from standard input, or from the given file. For each command, prints what `etcdctl`
//! writes to standard output and to standard error, and then a line `# exit N`. `txn` reads its three blocks from the
//! following lines, each ended by an empty line. `--profile 3.4|3.5|3.6|3.7` selects the behaviour, and `--seed N` the
//! seed. If the file is a scenario (with `----` between commands and expected output), the program compares the
//! outputs, prints the differences, and exits with code 1 if there are any (for a known failure: if there are none).
#![allow(
    clippy::print_stderr,
    reason = "a program on the command line complains on standard error"
)]

use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::process::ExitCode;

use watchglass_engine::api::Profile;
use watchglass_engine::session::{Config, Session, script};
use watchglass_engine::shell::{
    Command, CommandKind, LineReader, Output, ParseError, Read, with_flags_joined,
};

const USAGE: &str = "usage: etcdctl [--profile 3.4|3.5|3.6|3.7] [--seed N] [FILE]";

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
                    .ok_or_else(|| format!("--profile is 3.4, 3.5, 3.6 or 3.7\n{USAGE}"))?;
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
    if let Ok(utf8) = std::str::from_utf8(&text) {
        if utf8.lines().any(|line| line == "----") {
            return check(&path, utf8).map_err(complain);
        }
        text = with_flags_joined(utf8).join("\n").into_bytes();
    }
    Shell::new(config).run(text.as_slice()).map_err(complain)
}

/// Runs a scenario file and prints the differences between the expected and the actual outputs.
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

/// The size of the input buffer in bytes. The program processes all complete lines in the buffer together.
const BUFFER_BYTES: usize = 1 << 18;

struct Shell {
    reader: LineReader,
    session: Session,
    batch: Vec<Command>,
    /// The exit code of the last command, which decides about a command after `&&` or `||`.
    exit: u8,
}

impl Shell {
    fn new(config: Config) -> Self {
        Self {
            reader: LineReader::new(config.profile),
            session: Session::new(config),
            batch: Vec::new(),
            exit: 0,
        }
    }

    /// Runs every line. Lines that arrive together are passed to the session together, because the session updates its
    /// views after each text.
    fn run(mut self, input: impl io::Read) -> io::Result<ExitCode> {
        let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let read = self.reader.line_bytes(text);
            self.take(read, &mut out)?;
            line.clear();
            if !input.buffer().contains(&b'\n') {
                self.answer(&mut out)?;
            }
        }
        let read = self.reader.finish();
        self.take(read, &mut out)?;
        self.answer(&mut out)?;
        Ok(ExitCode::SUCCESS)
    }

    fn take(&mut self, read: Result<Read, ParseError>, out: &mut impl Write) -> io::Result<()> {
        match read {
            Ok(Read::Blank | Read::More { .. }) => {}
            Ok(Read::Commands(commands)) => {
                for command in commands {
                    let profile = match command.kind {
                        CommandKind::World { profile, .. } => Some(profile),
                        _ => None,
                    };
                    // A new world has no entries of the old world.
                    if profile.is_some() {
                        self.answer(out)?;
                    }
                    self.batch.push(command);
                    if let Some(profile) = profile {
                        self.answer(out)?;
                        let profile = profile.unwrap_or(self.session.world().config().profile);
                        self.reader = LineReader::new(profile);
                    }
                }
            }
            Err(error) => {
                self.answer(out)?;
                self.exit = 1;
                print(&Output::error(&error.to_string(), 1), out)?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, out: &mut impl Write) -> io::Result<()> {
        for command in &self.batch {
            if !command.run_if.holds(self.exit) {
                continue;
            }
            match &command.kind {
                CommandKind::Answered(output) | CommandKind::Refused(output) => {
                    self.exit = output.exit;
                    print(output, out)?;
                }
                _ => {
                    // The session's own response is text for the page; its entries keep every byte.
                    self.session.exec(&command.text);
                    let mut entries = self.session.run().scrollback().at(self.session.cursor());
                    if let Some(entry) = entries.next_back() {
                        self.exit = entry.output.exit;
                        print(&entry.output, out)?;
                    }
                }
            }
        }
        self.batch.clear();
        // A caller that waits for the output of one line gets it before the next line runs.
        out.flush()
    }
}

fn print(output: &Output, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&output.stdout)?;
    out.write_all(&output.stderr)?;
    let last = output.stderr.last().or(output.stdout.last());
    if last.is_some_and(|byte| *byte != b'\n') {
        out.write_all(b"\n")?;
    }
    writeln!(out, "# exit {}", output.exit)
}
