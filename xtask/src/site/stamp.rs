//! Records the sources from which `dist/` was built, so that an unchanged page can be served without a build.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project::{self, Fingerprint};
use crate::tools;

/// The files and folders that are inputs of a release build.
const SOURCES: [&str; 9] = [
    "engine",
    "frontend",
    "static",
    "xtask/src/site",
    "index.html",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/config.toml",
    "e2e/package-lock.json",
];

/// Returns the fingerprint of the sources and of the tools that build the page.
pub(super) fn of_sources() -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(tools::compiler_version()?.as_bytes());
    for source in SOURCES {
        let path = project::root().join(source);
        let files = if path.is_dir() {
            project::files_below(&path, &["target", "node_modules"])?
        } else {
            vec![path]
        };
        for file in files {
            let bytes = std::fs::read(&file).with_context(|| {
                format!(
                    "cannot read {}, which the build needs",
                    project::relative(&file)
                )
            })?;
            fingerprint.add(project::relative(&file).as_bytes());
            fingerprint.add(&bytes);
        }
    }
    Ok(fingerprint.hex())
}

/// Records that `dist/` contains the release named `release`, which was built from the sources with the fingerprint
/// `sources`.
pub(super) fn write(sources: &str, release: &str) -> Result<()> {
    let file = stamp_file();
    let folder = file.parent().context("the stamp has a folder")?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, format!("{sources} {release}\n")))
        .context("cannot write the build's stamp into .tools/")
}

/// Returns true if `dist/` is the release build of the current sources.
pub(super) fn is_fresh() -> Result<bool> {
    let Ok(stamp) = std::fs::read_to_string(stamp_file()) else {
        return Ok(false);
    };
    let Some((sources, release)) = stamp.trim().split_once(' ') else {
        return Ok(false);
    };
    // After a later development build, the release folder differs, or the page has no compressed form.
    let dist = project::dist();
    let is_there = dist.join(release).is_dir() && dist.join("index.html.br").is_file();
    Ok(is_there && sources == of_sources()?)
}

fn stamp_file() -> PathBuf {
    project::root().join(".tools").join("build-stamp")
}
