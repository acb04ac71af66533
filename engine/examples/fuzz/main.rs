//! Hostile inputs for the engine, generated from a seed: `cargo xtask fuzz` builds this program with overflow checks
//! and runs it.
//!
//! `fuzz MODE --seconds N --seed S [--from CASE]` runs cases until the time is over and prints a line for each finding.
//! A finding is a panic, a broken guarantee, a slice that takes too long, or a memory use above the limit. `fuzz MODE
//! --case SEED` runs one case. A panic does not end the program. A case that never returns or uses too much memory ends
//! the program, and the caller starts the program again with the next case.

#![allow(
    unsafe_code,
    reason = "memory is measured by an allocator that counts, and processor time is asked of the C library"
)]
#![allow(
    clippy::print_stdout,
    reason = "findings on standard output are what this program is for"
)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "it looks at the clock from outside the engine, and a thread of its own ends what never returns"
)]

mod acts;
mod drive;
mod lines;
mod meter;
mod pages;
#[path = "../common/processor_time.rs"]
mod processor_time;
mod texts;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use watchglass_engine::api::Profile;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::scenario::{self, Expected, format, lesson};
use watchglass_engine::session::permalink::Permalink;
use watchglass_engine::session::save::LogItem;
use watchglass_engine::session::{Limits, Notification, Request, SeekTo, Source, ToEngine};
use watchglass_engine::shell::{
    Command, LineReader, Note, Read, RunIf, StoreNames, complete, highlight,
};

use drive::Drive;
use pages::{PageFile, PageFiles};
use texts::Link;

/// The maximum time of a slice: 50 ms, as in a release build, and another 50 ms for the checks that are enabled here.
/// With longer slices, a page might not respond within 200 ms.
const SLICE_MAX: Duration = Duration::from_millis(100);

/// The maximum memory of a case. This maximum is above the session's own limit of 1 GiB, because the session only
/// estimates its memory.
const PEAK_BYTES_MAX: u64 = 1536 << 20;

/// The memory use, in bytes, at which the program ends, so that the machine does not run out of memory.
const LIVE_BYTES_MAX: u64 = 3 << 30;

const HANG: Duration = Duration::from_secs(40);

const MINIMISE_MAX: Duration = Duration::from_secs(5);

/// The project's texts and database files, from which inputs are generated.
pub(crate) struct Corpus {
    pub(crate) texts: Vec<String>,
    pub(crate) lines: Vec<String>,
    pub(crate) stories: Vec<String>,
    pub(crate) lessons: Vec<String>,
    pages: PageFiles,
}

/// The input of a case, in parts that the minimiser can leave out.
#[derive(Clone, Debug)]
enum Input {
    Links(Link, Vec<LogItem>),
    Texts(Vec<String>),
    Shell(Vec<String>),
    Session(Vec<acts::Act>),
    Pages(PageFile),
}

/// A fault and its location in the code. All faults at one location count as one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    place: String,
    what: String,
}

/// The location and the message of the last panic.
static PANIC: Mutex<(String, String)> = Mutex::new((String::new(), String::new()));

/// The start of the current case, and the text to print if the case never returns.
static CASE: Mutex<Option<(Instant, String)>> = Mutex::new(None);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| -> Option<u64> {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1)?.parse().ok()
    };
    let Some(mode) = args
        .first()
        .filter(|mode| ["links", "texts", "shell", "session", "pages"].contains(&mode.as_str()))
    else {
        println!(
            "fuzz links|texts|shell|session|pages --seconds N --seed S [--from CASE] | --case SEED"
        );
        return ExitCode::FAILURE;
    };
    panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or(String::new(), |at| format!("{}:{}", at.file(), at.line()));
        let text = info.payload().downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| info.payload().downcast_ref::<&str>().copied());
        if let Ok(mut panic) = PANIC.lock() {
            *panic = (place, text.unwrap_or("a panic").to_owned());
        }
    }));
    std::thread::spawn(guard);
    let corpus = Corpus::read();
    if let Some(seed) = value("--case") {
        let input = make(mode, seed, &corpus);
        println!("{input:#?}");
        let (found, slice, peak) = check(&input, seed, &corpus);
        println!("longest slice {slice:?}, peak {} MiB", peak >> 20);
        return match found {
            Some(Finding { place, what }) => {
                println!("{place}: {what}");
                ExitCode::FAILURE
            }
            None => ExitCode::SUCCESS,
        };
    }
    let until = Instant::now() + Duration::from_secs(value("--seconds").unwrap_or(60));
    let seed = value("--seed").unwrap_or(1);
    let mut known: Vec<String> = Vec::new();
    let mut case = value("--from").unwrap_or(0);
    while Instant::now() < until {
        // If a crash cannot be caught, this line is the last line of the output.
        let case_seed = Rng::stream(seed, &format!("{mode} {case}")).next_u64();
        println!("CASE\t{case}\t{case_seed}");
        let input = make(mode, case_seed, &corpus);
        let (mut found, mut slice, peak) = check(&input, case_seed, &corpus);
        // Other programs on the machine can delay a slice, but not the same slice twice.
        if slice > SLICE_MAX {
            let again = check(&input, case_seed, &corpus);
            if again.1 < slice {
                (found, slice) = (again.0, again.1);
            }
        }
        println!("COST\t{}\t{peak}", slice.as_micros());
        if let Some(found) = found
            && !known.contains(&found.place)
        {
            known.push(found.place.clone());
            let small = minimised(&input, &found, case_seed, &corpus);
            report(&found, case_seed, &small);
        }
        case += 1;
    }
    ExitCode::SUCCESS
}

fn report(found: &Finding, seed: u64, input: &Input) {
    let input: String = format!("{input:?}").chars().take(3_000).collect();
    println!(
        "FINDING\t{}\t{seed}\t{:?}\t{input}",
        found.place, found.what
    );
}

/// Ends the program if a case never returns or uses too much memory.
fn guard() {
    loop {
        std::thread::sleep(Duration::from_millis(50));
        let live = meter::live_bytes();
        let Ok(case) = CASE.lock() else { continue };
        let Some((since, shown)) = &*case else {
            continue;
        };
        let place = match (live > LIVE_BYTES_MAX, since.elapsed() > HANG) {
            (true, _) => "memory without an end",
            (_, true) => "a case that never returns",
            _ => continue,
        };
        println!("FINDING\t{place}\t{shown}");
        std::process::exit(3);
    }
}

impl Corpus {
    /// Reads the behaviour files, stories, lessons and recorded transcripts of the project.
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut texts = Vec::new();
        for folder in [
            "tests/behaviour",
            "tests/recorded/3.4.23",
            "src/scenario/lessons",
        ] {
            for path in files(&root.join(folder)) {
                texts.extend(fs::read_to_string(path));
            }
        }
        assert!(
            texts.len() > 40,
            "the project's own texts are not where they should be: {}",
            root.display()
        );
        let blocks = texts
            .iter()
            .filter_map(|text| scenario::read(text).ok())
            .flat_map(|read| read.blocks);
        let lines: Vec<String> = blocks
            .flat_map(|b| b.input.lines().map(Into::into).collect::<Vec<_>>())
            .collect();
        let names = |folder: &str| -> Vec<String> {
            let stem = |path: &PathBuf| {
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
            };
            files(&root.join(folder)).iter().filter_map(stem).collect()
        };
        Self {
            texts,
            lines,
            stories: names("tests/behaviour/stories"),
            lessons: names("src/scenario/lessons"),
            pages: PageFiles::new(),
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "txt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn make(mode: &str, seed: u64, corpus: &Corpus) -> Input {
    let rng = &mut Rng::stream(seed, mode);
    match mode {
        "links" => {
            let (link, log) = texts::link(rng, corpus);
            Input::Links(link, log)
        }
        "texts" => Input::Texts(texts::text(rng, corpus)),
        "shell" => Input::Shell(
            (0..1 + rng.below(10))
                .map(|_| lines::line(rng, corpus))
                .collect(),
        ),
        "pages" => Input::Pages(pages::file(rng)),
        _ => Input::Session(acts::acts(rng, corpus)),
    }
}

/// Runs a case; returns its finding, its longest slice, and the number of bytes that it used.
fn check(input: &Input, seed: u64, corpus: &Corpus) -> (Option<Finding>, Duration, u64) {
    if let Ok(mut case) = CASE.lock() {
        let shown: String = format!("{input:?}").chars().take(3_000).collect();
        *case = Some((
            Instant::now(),
            format!("{seed}\t{:?}\t{shown}", "see the seed"),
        ));
    }
    drive::begin_slices();
    let before = meter::begin_peak();
    let ended = panic::catch_unwind(AssertUnwindSafe(|| run(input, seed, corpus)));
    let peak = meter::peak_bytes().saturating_sub(before);
    let (slice, doing) = drive::longest_slice();
    if let Ok(mut case) = CASE.lock() {
        *case = None;
    }
    let finding = |place: &str, what: String| {
        let place = place.to_owned();
        Some(Finding { place, what })
    };
    let found = match ended {
        Err(_) => {
            let (place, what) = PANIC.lock().map(|panic| panic.clone()).unwrap_or_default();
            finding(&place, what)
        }
        Ok(Err(broken)) => finding(&broken, broken.clone()),
        Ok(Ok(())) if peak > PEAK_BYTES_MAX => {
            finding("too much memory", format!("{} MiB", peak >> 20))
        }
        Ok(Ok(())) if slice > SLICE_MAX => finding(
            &["a long slice: ", &doing].concat(),
            format!("{} ms", slice.as_millis()),
        ),
        Ok(Ok(())) => None,
    };
    (found, slice, peak)
}

fn run(input: &Input, seed: u64, corpus: &Corpus) -> Result<(), String> {
    match input {
        Input::Links(link, log) => {
            let text = texts::link_text(link, log);
            // The link is decoded both as text and as the page opens it.
            let _ = Permalink::from_text(&text);
            opened(Source::Link(text))
        }
        Input::Texts(lines) => {
            let text = lines.join("\n");
            let _ = lesson::parse(&text);
            rewritten(&text)?;
            opened(Source::Text(text))
        }
        Input::Shell(lines) => {
            for profile in [Profile::V3_4, Profile::V3_6] {
                read_back(lines, profile)?;
                let mut drive = Drive::new();
                // The limit does not depend on the lines that are left out.
                if profile == Profile::V3_6 {
                    let memory_bytes = acts::memory_limit(&mut Rng::stream(seed, "memory"));
                    drive.send(ToEngine::Notification(Notification::Limit(Limits {
                        memory_bytes,
                        ..Limits::APP
                    })))?;
                }
                drive.send(ToEngine::Request(
                    0,
                    Request::Load {
                        source: Source::Empty {
                            profile: profile.to_string(),
                            seed: 1,
                        },
                        at: SeekTo::End,
                    },
                ))?;
                drive.finish()?;
                for line in lines {
                    drive.send(ToEngine::Request(
                        0,
                        Request::Act(watchglass_engine::session::Act::Type(line.clone())),
                    ))?;
                }
                drive.finish()?;
                drive.compare()?;
            }
            Ok(())
        }
        Input::Session(acts) => {
            let mut drive = Drive::new();
            for act in acts {
                drive.act(act)?;
            }
            drive.finish()?;
            drive.compare()
        }
        Input::Pages(file) => drive::slice("a database file", || pages::run(file, &corpus.pages)),
    }
}

fn opened(source: Source) -> Result<(), String> {
    let mut drive = Drive::new();
    drive.send(ToEngine::Request(
        0,
        Request::Load {
            source,
            at: SeekTo::Default,
        },
    ))?;
    drive.finish()?;
    drive.compare()
}

/// Replaces the outputs in a behaviour file, and checks that the new text parses as a file with the new outputs.
fn rewritten(text: &str) -> Result<(), String> {
    let Ok(read) = format::parse(text) else {
        return Ok(());
    };
    let outputs: Vec<String> = (0..read.blocks.len())
        .map(|n| ["", "OK", "a\n\nb", "----", "-----\n----"][n % 5].to_owned())
        .collect();
    let again = format::rewrite(text, &outputs).and_then(|text| format::parse(&text));
    let same = again.is_ok_and(|again| {
        let blocks = again.blocks.iter().map(|b| (&b.input, &b.expected));
        let outputs = outputs
            .into_iter()
            .map(Expected::Output)
            .collect::<Vec<_>>();
        blocks.eq(read.blocks.iter().map(|b| &b.input).zip(&outputs))
    });
    match same {
        true => Ok(()),
        false => Err("a rewritten behaviour file reads otherwise".into()),
    }
}

/// Passes lines to the reader, the completion and the highlighter. Then reads the text of each command again, and
/// checks that the result is the same command. The comparison ignores two differences. First, the text does not contain
/// the condition of the command (`&&`, `||`). Second, if an exported variable sets a flag, the text contains this flag
/// as a word. In this case, only the command that is read again can have a note about connection flags.
fn read_back(lines: &[String], profile: Profile) -> Result<(), String> {
    let mut reader = LineReader::new(profile);
    let names = StoreNames {
        keys: vec!["/é".into(), "/a b".into()],
        leases: vec![1],
    };
    for line in lines {
        highlight(line);
        for at in [0, 1, line.len() / 2, line.len()] {
            complete(line, at, &names);
        }
        let Ok(Read::Commands(commands)) = reader.line(line) else {
            continue;
        };
        for command in commands.into_iter().take(100) {
            let again = LineReader::new(profile).text(&command.text);
            let again = again.map(|commands| commands.into_iter().map(comparable).collect());
            if again != Ok(vec![comparable(command)]) {
                return Err("the text of a command reads back as another".into());
            }
        }
    }
    Ok(())
}

/// Returns the command without its condition and without a note about connection flags.
fn comparable(command: Command) -> Command {
    let note = command.note;
    Command {
        run_if: RunIf::Always,
        note: note.filter(|note| !matches!(note, Note::Connection(_))),
        ..command
    }
}

/// Removes the parts of an input that are not needed for its finding, and returns the smaller input.
fn minimised(input: &Input, found: &Finding, seed: u64, corpus: &Corpus) -> Input {
    let until = Instant::now() + MINIMISE_MAX;
    let same = |input: &Input| {
        let (again, ..) = check(input, seed, corpus);
        again.is_some_and(|again| again.place == found.place)
    };
    match input {
        Input::Links(link, log) => {
            let with = |log: &[LogItem]| Input::Links(link.clone(), log.to_vec());
            with(&fewer(log, until, |log| same(&with(log))))
        }
        Input::Texts(lines) => Input::Texts(fewer(lines, until, |lines| {
            same(&Input::Texts(lines.to_vec()))
        })),
        Input::Shell(lines) => Input::Shell(fewer(lines, until, |lines| {
            same(&Input::Shell(lines.to_vec()))
        })),
        Input::Session(acts) => Input::Session(fewer(acts, until, |acts| {
            same(&Input::Session(acts.to_vec()))
        })),
        Input::Pages(file) => {
            let with = |changes: &[pages::Change]| {
                Input::Pages(PageFile {
                    changes: changes.to_vec(),
                    ..file.clone()
                })
            };
            with(&fewer(&file.changes, until, |changes| same(&with(changes))))
        }
    }
}

/// Removes a series of parts if `happens` returns true for the remaining parts. Tries long series first, and then
/// shorter and shorter series.
fn fewer<T: Clone>(parts: &[T], until: Instant, happens: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut parts = parts.to_vec();
    let mut size = parts.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < parts.len() {
            if Instant::now() > until {
                return parts;
            }
            let mut without = parts.clone();
            without.drain(at..(at + size).min(parts.len()));
            if happens(&without) {
                parts = without;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    parts
}
