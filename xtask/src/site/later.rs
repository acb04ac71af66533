//! Which functions of a program go into its rest: those that were not called while the pages were opened and used as
//! most people use them first (`e2e/first-steps.mjs`).
//!
//! The lists in `later/` are made by `cargo xtask bench parts --bless`, in a build whose functions note that they were
//! called. A function that no list knows, such as one written since, is in the first part: the lists grow stale
//! towards a heavier first part, which `sizes` notices. Only a closure is known by its number in its function, which
//! another closure can take: then the first steps may wait for the rest, which `parts.spec.mjs` notices. A function is
//! known by the fingerprint of its name, since the names alone would be half a megabyte.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::project;

/// Fingerprints on a line of a list.
const PER_LINE: usize = 12;

/// In the names of functions that are called by chance, so that counting may miss them: the hashes of a hash map are
/// random, and whether a tooltip stays while the picture changes depends on who is faster.
const BY_CHANCE: [&str; 2] = ["hashbrown", "::tooltip::"];

/// The functions of one program that can wait.
#[derive(Debug)]
pub(super) struct Later {
    known: BTreeSet<u32>,
}

impl Later {
    /// Reads the list of a program: `app`, `embed` or `worker`.
    pub(super) fn read(program: &str) -> Result<Self> {
        let file = list_file(program);
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", project::relative(&file)))?;
        let words = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(str::split_whitespace);
        let known = words.map(|word| u32::from_str_radix(word, 16));
        Ok(Self {
            known: known.collect::<Result<_, _>>().with_context(|| {
                format!("{} has a word that is no number", project::relative(&file))
            })?,
        })
    }

    /// Whether the function of this name can wait.
    pub(super) fn has(&self, name: &str) -> bool {
        let by_chance = BY_CHANCE.iter().any(|part| name.contains(part));
        !by_chance && self.known.contains(&fingerprint(&plain(name)))
    }
}

/// Writes the list of each program from what `e2e/first-steps.mjs` found: a line `PROGRAM 0|1 NAME` for each function
/// in each page, 1 where it was called.
pub(super) fn bless(found: &str) -> Result<()> {
    let mut programs: BTreeMap<&str, (BTreeSet<u32>, BTreeSet<u32>)> = BTreeMap::new();
    for line in found.lines() {
        let mut words = line.splitn(3, ' ');
        let (Some(program), Some(called), Some(name)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let (first, all) = programs.entry(program).or_default();
        let key = fingerprint(&plain(name));
        all.insert(key);
        if called == "1" {
            first.insert(key);
        }
    }
    for (program, (first, all)) in programs {
        let later: Vec<u32> = all.difference(&first).copied().collect();
        println!(
            "{program}: {} functions first, {} later",
            first.len(),
            later.len()
        );
        let mut text = String::from(
            "# Functions that the first steps do without, by the fingerprints of their names.\n\
             # Written by `cargo xtask bench parts --bless`.\n",
        );
        for line in later.chunks(PER_LINE) {
            let words: Vec<String> = line.iter().map(|key| format!("{key:08x}")).collect();
            text.push_str(&words.join(" "));
            text.push('\n');
        }
        let file = list_file(program);
        std::fs::write(&file, text)
            .with_context(|| format!("cannot write {}", project::relative(&file)))?;
    }
    Ok(())
}

fn list_file(program: &str) -> PathBuf {
    let folder = Path::new("xtask").join("src").join("site").join("later");
    project::root().join(folder).join(format!("{program}.txt"))
}

/// The name without the number that tells it from an equal one, since equal names are one function here, and without
/// the marks of crates (`core[5c4f…]::…`), which change with the compiler.
fn plain(name: &str) -> String {
    let name = match name.rsplit_once('.') {
        Some((plain, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => plain,
        _ => name,
    };
    let mut pieces = name.split('[');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(']') {
            Some((mark, after)) if is_crate_mark(mark) => plain.push_str(after),
            _ => {
                plain.push('[');
                plain.push_str(piece);
            }
        }
    }
    plain
}

fn is_crate_mark(text: &str) -> bool {
    text.len() > 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// FNV-1a: the same on every machine, and two of a few thousand names are hardly ever equal in it.
fn fingerprint(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_one_function() {
        assert_eq!(plain("<u8>::next.632"), "<u8>::next");
        assert_eq!(plain("a::b.c"), "a::b.c");
        assert_eq!(
            plain("<core[5c4f0a1b2c3d4e5f]::X<[u8; 4]>>::y"),
            "<core::X<[u8; 4]>>::y"
        );
        assert_ne!(fingerprint("a"), fingerprint("b"));
    }

    #[test]
    fn what_is_called_by_chance_is_there_from_the_beginning() {
        let names = [
            "<hashbrown[5e619d7d1129c59f]::raw::RawTable<u8>>::find",
            "<app[5e619d7d1129c59f]::tooltip::Tooltip>::reuse",
            "a::b",
        ];
        let later = Later {
            known: names.iter().map(|name| fingerprint(&plain(name))).collect(),
        };
        assert_eq!(names.map(|name| later.has(name)), [false, false, true]);
    }
}
