//! `cargo xtask sample` draws visible sentences and doc comments at random, for review by a reader who did not write
//! them.
//!
//! The visible sentences are the narration of runs and lessons, the documents, and all string literals that are
//! sentences in the page, the views, the shell and the world.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::project;
use crate::tidy::source::mask;

const SENTENCES: usize = 100;
const DOC_COMMENTS: usize = 50;
/// The minimum number of words of a sentence; a text with fewer words is a label.
const WORDS_MIN: usize = 4;

/// A text, and the place where it is in the sources.
struct Text {
    place: String,
    text: String,
}

/// Runs `cargo xtask sample [--seed N]`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let seed = match args {
        [] => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
        [flag, seed] if flag == "--seed" => seed.parse().context("--seed takes a number")?,
        _ => bail!("`sample` takes nothing but `--seed N`"),
    };
    let (mut seen, mut docs) = (Vec::new(), Vec::new());
    for path in project::files_below(
        &project::root(),
        &[
            "target",
            "dist",
            ".git",
            ".tools",
            "node_modules",
            "test-results",
        ],
    )? {
        let name = project::relative(&path);
        let is_source = path.extension().is_some_and(|end| end == "rs");
        let is_told = name.starts_with("engine/tests/behaviour/")
            || name.starts_with("engine/src/scenario/lessons/");
        let is_document = path.extension().is_some_and(|end| end == "md");
        if !is_source && !is_told && !is_document {
            continue;
        }
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
        if is_source {
            doc_comments(&name, &text, &mut docs);
            if is_visible(&path) {
                literals(&name, &text, &mut seen);
            }
        } else {
            paragraphs(&name, &text, is_told, &mut seen);
        }
    }
    println!(
        "seed {seed}\n\n{SENTENCES} of {} texts that people see:",
        seen.len()
    );
    let mut random = Random(seed);
    draw(seen, SENTENCES, &mut random);
    println!("\n{DOC_COMMENTS} of {} doc comments:", docs.len());
    draw(docs, DOC_COMMENTS, &mut random);
    Ok(ExitCode::SUCCESS)
}

/// Returns true if the string literals of this source file are visible to users.
fn is_visible(path: &Path) -> bool {
    let name = project::relative(path);
    let folders = [
        "engine/src/words/",
        "engine/src/view/",
        "engine/src/shell/",
        "engine/src/world/",
        "engine/src/session/",
        "frontend/src/",
    ];
    folders.iter().any(|folder| name.starts_with(folder)) && !name.ends_with("tests.rs")
}

/// The code that precedes a string literal if only developers read the literal.
const FOR_DEVELOPERS: [&str; 4] = ["reason=", "expect(", "panic!(", "unreachable!("];

/// Collects the string literals that are sentences. Literals in the file's tests and literals for developers (of
/// assertions, panics and lint attributes) are skipped.
fn literals(name: &str, text: &str, out: &mut Vec<Text>) {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let masked = mask(text);
    let mut line = 1;
    let (mut literal, mut begins) = (String::new(), 0);
    let mut statement = String::new();
    for (code, both) in masked.code.chars().zip(masked.code_and_strings.chars()) {
        if code != both || (!literal.is_empty() && code == ' ' && both == ' ') {
            if literal.is_empty() {
                begins = line;
            }
            literal.push(both);
        } else if !literal.is_empty() && code != '\n' {
            let is_for_developers = statement.contains("assert")
                || FOR_DEVELOPERS.iter().any(|end| statement.ends_with(end));
            if !is_for_developers {
                let words = literal.replace('"', " ").replace("\\", " ");
                push(name, begins, &words, out);
            }
            literal.clear();
        } else if !literal.is_empty() {
            // A line break in a literal separates words.
            literal.push(' ');
        }
        if code == both && !code.is_whitespace() {
            statement.push(code);
            if matches!(code, ';' | '{' | '}') {
                statement.clear();
            }
        }
        line += usize::from(both == '\n');
    }
}

fn doc_comments(name: &str, text: &str, out: &mut Vec<Text>) {
    let mut comment = String::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        match line.strip_prefix("/// ").or(line.strip_prefix("//! ")) {
            Some(words) if !words.starts_with("```") => {
                comment.push_str(words);
                comment.push(' ');
            }
            _ => {
                push(name, number, &comment, out);
                comment.clear();
            }
        }
    }
}

/// Collects the paragraphs of a text. If `is_told` is true, the text is a run or a lesson, and its comments are
/// collected. Otherwise, the text is a document; its headings, tables and code are omitted.
fn paragraphs(name: &str, text: &str, is_told: bool, out: &mut Vec<Text>) {
    let mut paragraph = String::new();
    for (number, line) in text.lines().chain([""]).enumerate() {
        let words = match (is_told, line.strip_prefix("# ")) {
            (true, words) => words.or(line.strip_prefix("#! opening: ")),
            (false, _) => (!line.is_empty() && !line.starts_with(['|', '#', '`'])).then_some(line),
        };
        match words {
            Some(words) => {
                paragraph.push_str(words);
                paragraph.push(' ');
            }
            None => {
                push(name, number, &paragraph, out);
                paragraph.clear();
            }
        }
    }
}

fn push(name: &str, line: usize, text: &str, out: &mut Vec<Text>) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = text.split(' ').filter(|word| {
        word.chars()
            .all(|c| c.is_alphabetic() || ".,:;!?'".contains(c))
    });
    if words.count() >= WORDS_MIN {
        out.push(Text {
            place: format!("{name}:{line}"),
            text,
        });
    }
}

/// Prints `count` texts in random order.
fn draw(mut texts: Vec<Text>, count: usize, random: &mut Random) {
    for number in 1..=count.min(texts.len()) {
        let text = texts.swap_remove(random.below(texts.len()));
        println!("{number:3}. {}\n     {}", text.text, text.place);
    }
}

/// The random number generator SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_for_developers_are_not_visible() {
        let source = r#"
            #[allow(dead_code, reason = "the shape of this type is fixed")]
            fn show(rows: usize) -> &'static str {
                assert!(rows > 0, "a view has at least one row");
                let first = rows.checked_sub(1).expect("there is at least one row");
                if first == 0 { "This view has
only one row." } else { "" }
            }
        "#;
        let mut out = Vec::new();
        literals("view.rs", source, &mut out);
        let texts: Vec<&str> = out.iter().map(|text| text.text.as_str()).collect();
        assert_eq!(texts, ["This view has only one row."]);
    }
}
