//! The stage `firefox` is a short test of the release page in Firefox. It runs only if Firefox is installed.
//!
//! The other browser tests use Chromium. This stage does not install Firefox, because the installation of a second
//! browser takes a minute.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::report::Report;
use crate::{browser, project};

const SCRIPT: &str = "firefox.mjs";

/// Runs `e2e/firefox.mjs`. If Firefox is not installed, reports that the stage is skipped.
pub(crate) fn test() -> Result<Report> {
    let Some(firefox) = find_firefox() else {
        return Ok(Report {
            note: "skipped: there is no `firefox` on PATH".to_owned(),
            ..Report::default()
        });
    };
    let mut script = browser::script_command(SCRIPT, &project::dist())?;
    script.env("FIREFOX_PATH", firefox);
    let mut last = String::new();
    let status = project::tee(&mut script, |line| line.clone_into(&mut last))?;
    Report::of_summary(&last)
        .with_context(|| format!("{SCRIPT} ended with {status} and no summary"))
}

fn find_firefox() -> Option<PathBuf> {
    let mac = PathBuf::from("/Applications/Firefox.app/Contents/MacOS/firefox");
    project::on_path(&["firefox", "firefox-esr"]).or_else(|| mac.is_file().then_some(mac))
}
