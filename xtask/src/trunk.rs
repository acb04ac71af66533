//! The stage `trunk` builds the page with Trunk and tests the result in the browser. It runs only if Trunk is
//! installed.
//!
//! No other stage needs Trunk. This stage does not install Trunk, because its compilation takes minutes.

use anyhow::Result;

use crate::report::Report;
use crate::{browser, project};

/// The specs that test the start page, the app and a figure.
const SPECS: [&str; 2] = ["smoke.spec", "front.spec"];

/// Builds the page with Trunk and runs the smoke tests. If `trunk` is not on PATH, reports that the stage is skipped.
pub(crate) fn test() -> Result<Report> {
    if project::on_path(&["trunk"]).is_none() {
        return Ok(Report {
            note: "skipped: there is no `trunk` on PATH".to_owned(),
            ..Report::default()
        });
    }
    let mut trunk = project::program("trunk");
    trunk.args(["build", "--release"]);
    // Trunk reads NO_COLOR as a boolean and refuses the customary `NO_COLOR=1`.
    trunk.env_remove("NO_COLOR");
    project::run(&mut trunk)?;
    let specs = SPECS.map(str::to_owned);
    browser::playwright(
        &project::root().join("target/trunk"),
        &specs.iter().collect::<Vec<_>>(),
    )
}
