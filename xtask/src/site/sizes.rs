//! The sizes of a visitor's downloads: the size of each file, and for each page the sum of all files that a visitor
//! downloads until the page responds to the first click.
//!
//! `xtask/sizes.txt` stores the sums. A stage of `cargo xtask test` fails if a sum grows by more than 2 %, so that no
//! page becomes larger unnoticed. The budgets are goals, which do not fail a test.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::compress::with_suffix;
use crate::project;

/// A page, with the files that a visitor downloads until the page responds to the first click.
struct Part {
    name: &'static str,
    /// The HTML file of the page. Files that the HTML names are included.
    page: &'static str,
    /// The files that the page's scripts load, except the modules that they import. Each text is the name of a program,
    /// or the path of a file in the release's folder or the top folder.
    loads: &'static [&'static str],
    /// Whether the page also loads the files of the engine ([`ENGINE`]).
    has_engine: bool,
    coding: Coding,
    /// The goal for the sum of the sizes: at most this number of bytes.
    budget: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Brotli,
}

/// The files that an app or a figure loads to run the engine in a worker.
const ENGINE: [&str; 4] = [
    "worker",
    "static/worker_boot.js",
    "static/engine.js",
    "static/start.js",
];

const PARTS: [Part; 6] = [
    Part {
        name: "app",
        page: "index.html",
        loads: &["app", "scenarios/stories/two-generations.txt"],
        has_engine: true,
        coding: Coding::Brotli,
        budget: 1_533_000,
    },
    Part {
        name: "figure that is tried",
        page: "embed.html",
        loads: &[
            "app",
            "tapes/800/slow-client.json.gz",
            "scenarios/stories/slow-client.txt",
        ],
        has_engine: true,
        coding: Coding::Brotli,
        budget: 1_380_000,
    },
    Part {
        name: "picture",
        page: "index.html",
        loads: &[],
        has_engine: false,
        coding: Coding::Brotli,
        budget: 60_000,
    },
    Part {
        name: "front door",
        page: "index.html",
        loads: &["static/front.js", "tapes/front/wide.json.gz"],
        has_engine: false,
        coding: Coding::Brotli,
        budget: 100_000,
    },
    Part {
        name: "loader",
        page: LOADER,
        loads: &[],
        has_engine: false,
        coding: Coding::Gzip,
        budget: 5_000,
    },
    Part {
        name: "figure",
        page: LOADER,
        loads: &[
            "static/tape.js",
            "static/embed.html.css",
            "tapes/800/slow-client.json.gz",
        ],
        has_engine: false,
        coding: Coding::Brotli,
        budget: 40_000,
    },
];

/// The script that a page with figures names.
const LOADER: &str = "watch-glass.js";
/// The file that contains the stored sums.
const KEPT: &str = "xtask/sizes.txt";
/// The tolerance for the growth of a sum. Without `--bless`, a sum may exceed its stored value by at most the stored
/// value divided by `SLACK`.
const SLACK: u64 = 50;

/// The sizes of a release build.
#[derive(Debug)]
pub(crate) struct Sizes {
    rows: Vec<Row>,
    sums: Vec<u64>,
}

#[derive(Debug)]
struct Row {
    name: String,
    bytes: Bytes,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bytes {
    raw: u64,
    gzip: u64,
    brotli: u64,
}

impl Sizes {
    /// Reads the sizes of the files in `dist` and of their compressed forms.
    pub(crate) fn measure(dist: &Path) -> Result<Self> {
        let mut files = project::files_below(dist, &[])?;
        // Not the compressed forms of other files.
        files.retain(|file| {
            let is_packed = |end| end == "br" || end == "gz";
            !(file.extension().is_some_and(is_packed) && file.with_extension("").exists())
        });
        let mut rows = Vec::new();
        for file in files {
            let path = file
                .strip_prefix(dist)
                .context("a listed file lies below its folder")?;
            rows.push(Row {
                name: path.to_string_lossy().replace('\\', "/"),
                bytes: Bytes::measure(&file)?,
            });
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.bytes.brotli));
        let mut sums = Vec::new();
        for part in &PARTS {
            let page = std::fs::read_to_string(dist.join(part.page)).with_context(|| {
                format!("there is no dist/{}: run `cargo xtask build`", part.page)
            })?;
            let names = rows.iter().map(|row| row.name.as_str());
            let mut needed: BTreeSet<String> = names
                .filter(|name| part.needs(name, &page))
                .map(str::to_owned)
                .collect();
            let mut scripts: Vec<String> = needed.iter().cloned().collect();
            scripts.retain(|name| name.ends_with(".js"));
            while let Some(script) = scripts.pop() {
                let text = std::fs::read_to_string(dist.join(&script))
                    .with_context(|| format!("cannot read dist/{script}"))?;
                let new = imports(&script, &text);
                scripts.extend(new.filter(|name| needed.insert(name.clone())));
            }
            let needed = rows.iter().filter(|row| needed.contains(&row.name));
            sums.push(needed.map(|row| row.bytes.coded(part.coding)).sum::<u64>());
        }
        Ok(Self { rows, sums })
    }

    /// Fails if the downloads of a page exceed their stored sum by more than the tolerance.
    pub(crate) fn check(&self) -> Result<()> {
        let kept = std::fs::read_to_string(project::root().join(KEPT)).with_context(|| {
            format!("cannot read {KEPT}: run `cargo xtask bench sizes --bless`")
        })?;
        for (part, &bytes) in PARTS.iter().zip(&self.sums) {
            let known = kept_bytes(&kept, part.name)?;
            ensure!(
                is_within_slack(bytes, known),
                "{}: {bytes} B, more than 2 % over the {known} B in {KEPT}: find out what grew; if it is worth it, \
                 keep the new figure with `cargo xtask bench sizes --bless` and say why in the commit",
                part.name
            );
        }
        Ok(())
    }

    /// Stores the current sums of the download sizes in the file.
    pub(crate) fn bless(&self) -> Result<()> {
        let mut text = String::from(
            "# Bytes before the first interaction: with Brotli, the loader with gzip. Written by\n\
             # `cargo xtask bench sizes --bless`; `cargo xtask test` fails at 2 % more.\n",
        );
        for (part, bytes) in PARTS.iter().zip(&self.sums) {
            text.push_str(&format!("{}: {bytes}\n", part.name));
        }
        std::fs::write(project::root().join(KEPT), text)
            .with_context(|| format!("cannot write {KEPT}"))
    }
}

impl Part {
    fn needs(&self, name: &str, page: &str) -> bool {
        if self.loads.contains(&name) {
            return true;
        }
        if name == self.page || page.contains(&format!("\"./{name}\"")) {
            // Pictures, and the script for browsers that cannot run the page, are not counted.
            return !name.ends_with("/old.js")
                && !name.ends_with(".png")
                && !name.ends_with(".svg");
        }
        let engine: &[&str] = if self.has_engine { &ENGINE } else { &[] };
        inside_release(name).is_some_and(|inside| {
            self.loads.iter().chain(engine).any(|start| {
                let is_whole = inside == *start;
                // The parts of a program come later, when the reader opens them.
                let is_program = [".js", "_bg.wasm", "_parts.js"]
                    .iter()
                    .any(|end| inside.strip_suffix(end) == Some(start));
                is_whole || is_program
            })
        })
    }
}

/// Returns the path of a file relative to the release's folder; `None` for a file outside that folder.
fn inside_release(name: &str) -> Option<&str> {
    let (release, inside) = name.split_once('/')?;
    release.starts_with("release-").then_some(inside)
}

/// Returns the names of the modules that a script imports when it starts. `script` is the name of the script.
fn imports<'a>(script: &'a str, text: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let lines = text.lines().filter(|line| line.starts_with("import "));
    lines.filter_map(|line| {
        let (_, rest) = line.split_once(['\'', '"'])?;
        let (path, _) = rest.split_once(['\'', '"'])?;
        let mut folders: Vec<&str> = script.split('/').collect();
        folders.pop();
        for part in path.split('/') {
            match part {
                "." => {}
                ".." => drop(folders.pop()),
                name => folders.push(name),
            }
        }
        Some(folders.join("/"))
    })
}

fn kept_bytes(kept: &str, name: &str) -> Result<u64> {
    let line = kept
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    match line.map(str::parse) {
        Some(Ok(bytes)) => Ok(bytes),
        _ => bail!("{KEPT} has no line `{name}: BYTES`: run `cargo xtask bench sizes --bless`"),
    }
}

fn is_within_slack(bytes: u64, known: u64) -> bool {
    bytes <= known + known / SLACK
}

impl fmt::Display for Sizes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.rows.iter().map(|row| row.name.len());
        let width = names.max().unwrap_or(0).max(40);
        writeln!(
            out,
            "{:width$}  {:>11} {:>11} {:>11}",
            "file", "raw", "gzip", "Brotli"
        )?;
        for row in &self.rows {
            writeln!(out, "{:width$}  {}", row.name, row.bytes)?;
        }
        writeln!(
            out,
            "\n{:width$}  {:>11} {:>11}",
            "before the first interaction", "bytes", "budget"
        )?;
        for (part, bytes) in PARTS.iter().zip(&self.sums) {
            let coding = match part.coding {
                Coding::Gzip => "gzip",
                Coding::Brotli => "Brotli",
            };
            let over = if *bytes > part.budget { ", OVER" } else { "" };
            writeln!(
                out,
                "{:width$}  {bytes:>9} B {:>9} B  {:>3} %, with {coding}{over}",
                part.name,
                part.budget,
                bytes * 100 / part.budget
            )?;
        }
        Ok(())
    }
}

impl Bytes {
    fn measure(file: &Path) -> Result<Self> {
        let size = |path: PathBuf| std::fs::metadata(path).map(|data| data.len());
        let raw =
            size(file.to_path_buf()).with_context(|| format!("cannot read {}", file.display()))?;
        // A file without a compressed form is sent unchanged.
        Ok(Self {
            raw,
            gzip: size(with_suffix(file, "gz")).unwrap_or(raw),
            brotli: size(with_suffix(file, "br")).unwrap_or(raw),
        })
    }

    fn coded(self, coding: Coding) -> u64 {
        match coding {
            Coding::Gzip => self.gzip,
            Coding::Brotli => self.brotli,
        }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{:>9} B {:>9} B {:>9} B",
            self.raw, self.gzip, self.brotli
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(part: &str, page: &str) -> Vec<&'static str> {
        let files = [
            "index.html",
            "embed.html",
            "watch-glass.js",
            "release-1/app_bg.wasm",
            "release-1/worker_bg.wasm",
            "release-1/static/app.css",
            "release-1/static/old.js",
            "release-1/static/start.js",
            "release-1/static/embed_boot.js",
            "release-1/tapes/800/slow-client.json.gz",
        ];
        let part = PARTS.iter().find(|known| known.name == part).unwrap();
        files
            .into_iter()
            .filter(|name| part.needs(name, page))
            .collect()
    }

    #[test]
    fn a_part_is_its_page_what_that_names_and_the_programs() {
        let page =
            r#"<link href="./release-1/static/app.css"><script src="./release-1/static/old.js">"#;
        assert_eq!(
            needed("app", page),
            [
                "index.html",
                "release-1/app_bg.wasm",
                "release-1/worker_bg.wasm",
                "release-1/static/app.css",
                "release-1/static/start.js",
            ]
        );
        assert_eq!(
            needed("figure that is tried", ""),
            [
                "embed.html",
                "release-1/app_bg.wasm",
                "release-1/worker_bg.wasm",
                "release-1/static/start.js",
                "release-1/tapes/800/slow-client.json.gz",
            ]
        );
        assert_eq!(needed("loader", ""), ["watch-glass.js"]);
        assert_eq!(
            needed("figure", ""),
            ["watch-glass.js", "release-1/tapes/800/slow-client.json.gz"]
        );
    }

    #[test]
    fn the_modules_that_a_script_imports_are_counted() {
        let script =
            "import { a } from './a.js';\nimport \"../b.js\"\nconst c = import('./c.js');\n";
        let found: Vec<String> = imports("release-1/static/x.js", script).collect();
        assert_eq!(found, ["release-1/static/a.js", "release-1/b.js"]);
    }

    #[test]
    fn two_in_a_hundred_more_is_too_much() {
        assert!(is_within_slack(1020, 1000));
        assert!(!is_within_slack(1021, 1000));
        assert_eq!(
            kept_bytes("# x\nfront door: 12\n", "front door").unwrap(),
            12
        );
        assert!(kept_bytes("app: 12\n", "figure").is_err());
    }
}
