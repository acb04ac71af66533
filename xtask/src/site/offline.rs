//! Writes the forms of the site that need no network. A script for Node does the work: `offline/offline.mjs`.

use std::path::Path;

use anyhow::Result;

use crate::{project, tools};

/// The page in one file, which contains all files in packed form.
pub(super) const SINGLE: &str = "watchglass.html";

pub(super) fn write(dist: &Path, release: &str) -> Result<()> {
    tools::ensure_node()?;
    let mut command = tools::node();
    command.arg(project::root().join("xtask/src/site/offline/offline.mjs"));
    command.arg(dist).arg(release);
    project::run(&mut command)
}
