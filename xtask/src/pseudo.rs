//! `cargo xtask pseudo` builds the page with a pseudo-language and finds texts that are not in a module of
//! texts.
//!
//! The pseudo-language is English with an accented letter for each letter. It exists only in a copy of the sources, in
//! which the string literals below each `words/en/` are rewritten. A sentence on the page that still has plain letters
//! bypasses these modules, so a translation would miss it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::report::Report;
use crate::tidy::source::string_literals;
use crate::{browser, project, site};

/// The part of a path that identifies the folders with texts, in the engine and in the page.
const WORDS: &str = "/words/en/";
/// The parts of the project that the page's programs are compiled from.
const SOURCES: [&str; 5] = ["Cargo.toml", "Cargo.lock", "engine", "frontend", "xtask"];
/// The folder of the copied sources.
const COPY: &str = ".tools/pseudo";

const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ACCENTED: &str = "áƀćđéƒǵĥíĵķĺɱńóṕɋŕśťúṽẃẋýźÁɃĆĐÉƑǴĤÍĴĶĹṀŃÓṔɊŔŚŤÚṼẂẊÝŹ";

/// Runs `cargo xtask pseudo`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    ensure!(args.is_empty(), "`pseudo` takes nothing");
    let report = test()?;
    println!("{} passed, {} failed", report.passed, report.failed);
    Ok(match report.failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Builds the page with the pseudo-language, and runs the tests that look for texts outside of the modules of texts.
pub(crate) fn test() -> Result<Report> {
    let copy = project::root().join(COPY);
    write_copy(&copy)?;
    let dist = copy.join("dist");
    site::build_copy(&copy, &dist)?;
    browser::playwright(&dist, &[&"pseudo".to_owned()])
}

/// Copies the sources. A file that has not changed is not written again, so that Cargo compiles only what changed.
fn write_copy(copy: &Path) -> Result<()> {
    let root = project::root();
    for part in SOURCES {
        for path in files_of(&root.join(part))? {
            let name = path
                .strip_prefix(&root)
                .context("a source is below the root")?;
            let mut bytes = std::fs::read(&path)
                .with_context(|| format!("cannot read {}", project::relative(&path)))?;
            if is_words(name) {
                let text = String::from_utf8(bytes).context("sources are UTF-8")?;
                bytes = translated(&text).into_bytes();
            }
            let target = copy.join(name);
            if std::fs::read(&target).is_ok_and(|old| old == bytes) {
                continue;
            }
            if let Some(folder) = target.parent() {
                std::fs::create_dir_all(folder).context("cannot make the folder of the copy")?;
            }
            std::fs::write(&target, bytes)
                .with_context(|| format!("cannot write {}", project::relative(&target)))?;
        }
    }
    Ok(())
}

fn files_of(part: &Path) -> Result<Vec<PathBuf>> {
    match part.is_dir() {
        true => project::files_below(part, &[]),
        false => Ok(vec![part.to_path_buf()]),
    }
}

fn is_words(name: &Path) -> bool {
    let name = name.to_string_lossy().replace('\\', "/");
    name.contains(WORDS) && name.ends_with(".rs")
}

/// Replaces the letters of all string literals except those of `class` attributes.
fn translated(source: &str) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    let mut end = 0;
    for literal in string_literals(source) {
        out.push_str(&source[end..literal.start]);
        end = literal.end;
        let text = &source[literal];
        if out.ends_with("class=") {
            out.push_str(text);
        } else {
            accent(text, &mut out);
        }
    }
    out.push_str(&source[end..]);
    out
}

/// Replaces the letters of a literal, except in escapes (`\n`, `\u{2013}`) and in arguments (`{name}`).
fn accent(literal: &str, out: &mut String) {
    let (mut depth, mut is_escape) = (0_u32, false);
    for letter in literal.chars() {
        let at = PLAIN.chars().position(|plain| plain == letter);
        let accented = at.and_then(|at| ACCENTED.chars().nth(at));
        let is_text = depth == 0 && !is_escape;
        out.push(accented.filter(|_| is_text).unwrap_or(letter));
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_escape = letter == '\\' && !is_escape;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_letters_of_texts_are_replaced() {
        let source = r#"
pub fn lag(n: u64) -> String { format!("lag {n}\n \u{2013}") } // "no"
html! { <b class="wg-b is-c">{ "Go" }</b> }"#;
        let expected = r#"
pub fn lag(n: u64) -> String { format!("ĺáǵ {n}\n \u{2013}") } // "no"
html! { <b class="wg-b is-c">{ "Ǵó" }</b> }"#;
        assert_eq!(translated(source), expected);
    }

    #[test]
    fn each_letter_has_an_accented_letter() {
        assert_eq!(PLAIN.chars().count(), ACCENTED.chars().count());
        assert!(ACCENTED.chars().all(|letter| !letter.is_ascii()));
    }

    #[test]
    fn the_texts_of_the_page_are_found() {
        assert!(is_words(Path::new("frontend/src/words/en/cluster.rs")));
        assert!(!is_words(Path::new("frontend/src/words/mod.rs")));
    }
}
