//! How much a visitor downloads, per file and before the page answers the first click.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::compress::with_suffix;
use crate::project;

/// What all files needed before the first interaction may weigh together with Brotli.
pub(crate) const FIRST_INTERACTION_BUDGET_BYTES: u64 = 400_000;

/// The sizes of a release build.
#[derive(Debug)]
pub(crate) struct Sizes {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    bytes: Bytes,
    /// Whether the page needs the file before it answers.
    first: bool,
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
        let html = std::fs::read_to_string(dist.join("index.html"))
            .context("there is no dist/index.html: run `cargo xtask build`")?;
        let mut files = project::files_below(dist, &[])?;
        files.retain(|file| {
            !file
                .extension()
                .is_some_and(|end| end == "br" || end == "gz")
        });
        let mut rows = Vec::new();
        for file in files {
            let path = file
                .strip_prefix(dist)
                .context("a listed file lies below its folder")?;
            rows.push(Row {
                name: path.to_string_lossy().replace('\\', "/"),
                bytes: Bytes::measure(&file)?,
                first: is_needed_first(path, &html),
            });
        }
        rows.sort_by_key(|row| (!row.first, std::cmp::Reverse(row.bytes.brotli)));
        Ok(Self { rows })
    }

    /// Brotli bytes of all files that the page needs before it answers.
    pub(crate) fn first_interaction_brotli(&self) -> u64 {
        self.sum(|row| row.first).brotli
    }

    fn sum(&self, wanted: impl Fn(&Row) -> bool) -> Bytes {
        self.rows
            .iter()
            .filter(|row| wanted(row))
            .fold(Bytes::default(), |sum, row| sum + row.bytes)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .rows
            .iter()
            .map(|row| row.name.len())
            .max()
            .unwrap_or(0)
            .max(40);
        writeln!(
            out,
            "{:width$}  {:>11} {:>11} {:>11}",
            "file (* = needed first)", "raw", "gzip", "Brotli"
        )?;
        for row in &self.rows {
            let name = format!("{}{}", row.name, if row.first { " *" } else { "" });
            writeln!(out, "{name:width$}  {}", row.bytes)?;
        }
        let first = self.sum(|row| row.first);
        writeln!(out, "{:width$}  {first}", "up to the first interaction")?;
        write!(
            out,
            "{:width$}  {} of {} B, {} %",
            "of the budget, with Brotli",
            first.brotli,
            FIRST_INTERACTION_BUDGET_BYTES,
            first.brotli * 100 / FIRST_INTERACTION_BUDGET_BYTES
        )
    }
}

impl Bytes {
    fn measure(file: &Path) -> Result<Self> {
        let size = |path: PathBuf| std::fs::metadata(path).map(|data| data.len());
        let raw =
            size(file.to_path_buf()).with_context(|| format!("cannot read {}", file.display()))?;
        // What has no compressed form is sent as it is.
        Ok(Self {
            raw,
            gzip: size(with_suffix(file, "gz")).unwrap_or(raw),
            brotli: size(with_suffix(file, "br")).unwrap_or(raw),
        })
    }
}

impl std::ops::Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            raw: self.raw + other.raw,
            gzip: self.gzip + other.gzip,
            brotli: self.brotli + other.brotli,
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

/// The page itself, what it names, and the code (app and worker), which lies at the top of the release's folder.
fn is_needed_first(path: &Path, html: &str) -> bool {
    let name = path.to_string_lossy().replace('\\', "/");
    let depth = path.components().count();
    let is_code = path
        .extension()
        .is_some_and(|end| end == "js" || end == "wasm");
    depth == 1 || (depth == 2 && is_code) || html.contains(&format!("\"./{name}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_what_the_page_names_come_first() {
        let html = r#"<link href="./release-1/static/app.css">"#;
        let first = |path: &str| is_needed_first(Path::new(path), html);
        assert!(first("index.html"));
        assert!(first("release-1/worker_bg.wasm"));
        assert!(first("release-1/static/app.css"));
        assert!(!first("release-1/static/lessons/1.txt"));
    }
}
