//! The stage `trunk`: builds the page with Trunk, if Trunk is installed, and tests the result in the browser.
//!
//! Nothing else needs Trunk, and it takes minutes to compile, so this stage does not install it.

use anyhow::Result;

use crate::report::Report;
use crate::{browser, project};

/// The specs of the pages that must work: start page, app, figure.
const SPECS: [&str; 2] = ["smoke.spec", "front.spec"];

/// Builds with Trunk and runs the smoke tests; without `trunk` on PATH, reports that the stage is skipped.
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
