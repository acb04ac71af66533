//! Checks the published lessons: every statement is true, every output equals the recorded output, and each task is
//! unsolved before its solution and solved after it.
//!
//! `BLESS=1 cargo test -p watchglass-engine lessons::` rewrites the outputs; review the diff. The numbers in the text
//! are never rewritten.

use std::fs;
use std::path::{Path, PathBuf};

use watchglass_engine::scenario::lesson::{self, Item};
use watchglass_engine::scenario::lessons;
use watchglass_engine::session::rehearsal::rehearse;
use watchglass_engine::session::script;

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scenario/lessons");
    folder.join(format!("{name}.txt"))
}

#[test]
fn every_lesson_says_what_is_so() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for lesson in lessons::ALL.iter().chain(&lessons::CHALLENGES) {
        if bless {
            let report = script::run_file(lesson.text).unwrap_or_else(|e| panic!("{e}"));
            fs::write(path(lesson.name), report.rewritten).unwrap_or_else(|e| panic!("{e}"));
            continue;
        }
        let faults = match rehearse(lesson.text) {
            Ok(faults) => faults,
            Err(e) => {
                wrong.push(format!("{}.txt: {e}", lesson.name));
                continue;
            }
        };
        let said = |fault: &watchglass_engine::session::protocol::Fault| {
            format!("{}.txt:{}: {}", lesson.name, fault.line, fault.text)
        };
        wrong.extend(faults.iter().map(said));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every number in a text is checked: if any number is changed, the rehearsal of the lesson reports a fault.
#[test]
fn a_number_that_is_not_so_is_found() {
    for lesson in lessons::ALL {
        let mut found = 0;
        for (at, _) in lesson.text.match_indices(" = ") {
            let (before, after) = lesson.text.split_at(at);
            let Some(open) = before.rfind(['{', '\n']) else {
                continue;
            };
            let said = &before[open + 1..];
            let answers = said.starts_with("#: answer ");
            if answers || before.as_bytes()[open] == b'{' {
                let word = if answers { "#: answer " } else { "" };
                let lie = [&before[..=open], word, "77", after].concat();
                match rehearse(&lie) {
                    Ok(faults) => assert_eq!(faults.len(), 1, "{}: {said}", lesson.name),
                    // The changed answer is not among the choices, either.
                    Err(e) => assert!(answers && e.message.contains("77"), "{e}"),
                }
                found += 1;
            }
        }
        assert!(found >= 6, "{}: {found} numbers", lesson.name);
    }
}

#[test]
fn every_part_starts_with_a_sentence() {
    for published in lessons::ALL {
        let lesson = lesson::parse(published.text).unwrap_or_else(|e| panic!("{e}"));
        for part in &lesson.parts {
            let first = part.items.first();
            assert!(
                matches!(first, Some(Item::Say(_))),
                "{}, {}",
                published.name,
                part.title
            );
        }
    }
}

#[test]
fn the_lesson_in_the_readme_is_one() {
    let readme = include_str!("../../README.md");
    let from = readme
        .find("#! lesson:")
        .expect("the README shows a lesson");
    let text = &readme[from..];
    let text = &text[..text.find("```").expect("it ends")];
    assert_eq!(rehearse(text).expect("it is read"), []);
}
