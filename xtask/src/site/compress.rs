//! Writes a `.br` and a `.gz` version of each file, for hosts that serve precompressed files. Node's zlib compresses
//! the files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::offline;
use crate::{project, tools};

/// Extensions of files that are already compressed.
const INCOMPRESSIBLE: [&str; 7] = ["png", "jpg", "woff2", "br", "gz", "zip", "tgz"];

pub(super) fn folder(folder: &Path) -> Result<()> {
    let mut files = project::files_below(folder, &[])?;
    files.retain(|file| {
        !INCOMPRESSIBLE
            .iter()
            .any(|&end| file.extension().is_some_and(|found| found == end))
            && file.file_name().is_none_or(|name| name != offline::SINGLE)
    });
    println!("· brotli and gzip over {} files", files.len());
    let mut command = tools::node();
    command.arg(project::root().join("xtask/src/site/compress.mjs"));
    command.arg(folder);
    for file in &files {
        let name = file.strip_prefix(folder);
        command.arg(name.context("a listed file lies below its folder")?);
    }
    project::capture(&mut command).map(drop)
}

pub(super) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}
