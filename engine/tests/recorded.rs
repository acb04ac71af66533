//! Compares the simulator with the recorded output of a real etcdctl 3.4.23: both output streams and the exit code,
//! byte for byte.
//!
//! `cargo xtask parity --record FILE` writes the files; `xtask/src/parity/transcript.rs` describes their format. The
//! test needs no etcd.

use std::fmt::Write as _;

use watchglass_engine::api::Profile;
use watchglass_engine::session::{Config, Session};
use watchglass_engine::shell::{Command, CommandKind, LineReader, Output, Read};

#[test]
fn the_legacy_profile_answers_as_etcd_3_4_23_did() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there are no recordings in {folder}");

    let mut differences = String::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let records = parse(&std::fs::read_to_string(&path).unwrap());
        assert!(
            records.len() > 50,
            "{name} has only {} commands",
            records.len()
        );
        let mut shell = Shell::new();
        for record in &records {
            let actual = shell.answer(&record.input);
            if actual != record.output {
                let (expected, actual) = (shown(&record.output), shown(&actual));
                let (line, input) = (record.line, record.input.join("\n> "));
                let _ = write!(
                    differences,
                    "\n{name}:{line}\n$ {input}\nexpected:\n{expected}actual:\n{actual}"
                );
            }
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

struct Record {
    line: usize,
    input: Vec<String>,
    output: Output,
}

fn parse(text: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (mark, rest) = line.split_at(line.len().min(1));
        match mark {
            "" | "#" => {}
            "$" => records.push(Record {
                line: number + 1,
                input: vec![rest.trim_start().to_owned()],
                output: Output::default(),
            }),
            _ => {
                let record = records.last_mut().expect("a command comes first");
                match mark {
                    ">" => record.input.push(rest.trim_start().to_owned()),
                    "|" => push_line(&mut record.output.stdout, rest),
                    "!" => push_line(&mut record.output.stderr, rest),
                    "=" => record.output.exit = rest.trim().parse().expect("an exit code"),
                    _ => panic!("line {}: {line}", number + 1),
                }
            }
        }
    }
    records
}

/// Decodes a line in the format that `xtask` wrote, and adds the line to a stream.
fn push_line(stream: &mut Vec<u8>, text: &str) {
    let (text, newline) = match text.strip_prefix('~') {
        Some(text) => (text, false),
        None => (text, true),
    };
    let mut bytes = text.strip_prefix(' ').unwrap_or(text).bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'x') => {
                    let digits: String = bytes.by_ref().take(2).map(char::from).collect();
                    stream.push(u8::from_str_radix(&digits, 16).expect("two digits"));
                }
                Some(escaped) => stream.push(escaped),
                None => panic!("a backslash at the end"),
            },
            _ => stream.push(byte),
        }
    }
    if newline {
        stream.push(b'\n');
    }
}

fn shown(output: &Output) -> String {
    let mut text = String::new();
    for (mark, stream) in [('|', &output.stdout), ('!', &output.stderr)] {
        for line in stream.split_inclusive(|b| *b == b'\n') {
            let _ = writeln!(text, "{mark} {}", line.escape_ascii());
        }
    }
    let _ = writeln!(text, "= {}", output.exit);
    text
}

struct Shell {
    reader: LineReader,
    session: Session,
}

impl Shell {
    fn new() -> Self {
        let profile = Profile::V3_4;
        Self {
            reader: LineReader::new(profile),
            session: Session::new(Config {
                profile,
                ..Config::default()
            }),
        }
    }

    fn answer(&mut self, input: &[String]) -> Output {
        let mut read = Ok(Read::Blank);
        for line in input {
            read = self.reader.line(line);
        }
        if let Ok(Read::More { .. }) = read {
            read = self.reader.finish();
        }
        match read {
            Ok(Read::Commands(commands)) => match commands.as_slice() {
                [command] => self.run(command),
                _ => panic!("{input:?} is {} commands", commands.len()),
            },
            other => panic!("{input:?} is read as {other:?}"),
        }
    }

    fn run(&mut self, command: &Command) -> Output {
        if let CommandKind::Answered(output) | CommandKind::Refused(output) = &command.kind {
            return output.clone();
        }
        self.session.exec(&command.text);
        let mut entries = self.session.run().scrollback().at(self.session.cursor());
        let entry = entries.next_back().expect("what was typed is noted");
        Output::clone(&entry.output)
    }
}
