//! Compares the simulator with the recorded outputs of real etcd servers and their etcdctl: both output streams and the
//! exit code of each command, byte for byte. The tests need no etcd.
//!
//! `cargo xtask parity --record FILE` writes such files. A folder has the name of the etcd version.

mod kept;
mod transcript;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kept::Kept;
use transcript::{Record, parse, shown};
use watchglass_engine::api::Profile;
use watchglass_engine::session::Config;
use watchglass_engine::session::script::run_recording;
use watchglass_engine::shell::Output;

#[test]
fn profile_3_4_prints_what_etcd_3_4_23_printed() {
    compare("3.4.23", Profile::V3_4, &[Kept::Time]);
}

#[test]
fn profile_3_6_prints_what_etcd_3_6_10_printed() {
    compare("3.6.10", Profile::V3_6, &Kept::ALL);
}

#[test]
fn profile_3_7_prints_what_etcd_3_7_1_printed() {
    compare("3.7.1", Profile::V3_7, &Kept::ALL);
}

#[test]
fn each_kept_difference_has_a_line() {
    let page = include_str!("../../docs/fidelity.md");
    for kept in Kept::ALL {
        assert!(page.contains(kept.line()), "{kept:?}");
    }
}

fn compare(version: &str, profile: Profile, kept: &[Kept]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    let mut differences = String::new();
    for path in files(&folder.join(version)) {
        let records = parse(&std::fs::read_to_string(&path).unwrap());
        assert!(records.len() > 50, "{path:?} is too short");
        let config = Config {
            profile,
            ..Config::default()
        };
        let outputs = run_recording(config, records.iter().map(|record| &record.command));
        for (record, actual) in records.iter().zip(outputs) {
            let _ = write!(differences, "{}", difference(&path, record, &actual, kept));
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

/// Describes the difference between the recorded and the actual output. Returns an empty text if there is none.
fn difference(path: &Path, record: &Record, actual: &Output, kept: &[Kept]) -> String {
    let command = &record.command.line;
    let masked = |output| {
        kept.iter()
            .fold(Output::clone(output), |output, kind| kind.masked(&output))
    };
    let (expected, actual) = (masked(&record.output), masked(actual));
    let is_same = |expected: &[u8], actual: &[u8]| {
        expected == actual || !record.is_open && expected.strip_suffix(b"\n") == Some(actual)
    };
    if expected.exit == actual.exit
        && is_same(&expected.stdout, &actual.stdout)
        && is_same(&expected.stderr, &actual.stderr)
    {
        return String::new();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (line, input) = (record.line, record.command.input.iter());
    let input: String = input.map(|line| format!("\n< {line}")).collect();
    let (expected, actual) = (shown(&expected), shown(&actual));
    format!("\n{name}:{line}\n$ {command}{input}\nexpected:\n{expected}actual:\n{actual}")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "there are no recordings in {folder:?}");
    files
}
