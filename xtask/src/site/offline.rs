//! Writes the forms of the site that other servers and computers keep: those that need no network, and the package of
//! figures. Scripts for Node do the work.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::{project, tools};

/// The page in one file, which contains all files in packed form.
pub(super) const SINGLE: &str = "watchglass.html";

pub(super) fn write(dist: &Path, release: &str) -> Result<()> {
    tools::ensure_node()?;
    project::run(script("offline/offline.mjs").arg(dist).arg(release))
}

/// Writes the npm package of the files that figures load.
pub(super) fn package(dist: &Path, release: &str) -> Result<()> {
    let mut command = script("package/package.mjs");
    command
        .arg(dist)
        .arg(release)
        .arg(env!("CARGO_PKG_VERSION"));
    project::run(&mut command)
}

fn script(path: &str) -> Command {
    let mut command = tools::node();
    command.arg(project::root().join("xtask/src/site").join(path));
    command
}
