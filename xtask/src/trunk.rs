//! The stage `trunk`: builds the page with Trunk, where there is one, and tries the result in the browser.
//!
//! Nothing else needs Trunk, and it takes minutes to compile, so it is not installed here.

use anyhow::Result;

use crate::report::Report;
use crate::{browser, project};

/// The pages that must work: front door, app, figure.
const SPECS: [&str; 2] = ["smoke.spec", "front.spec"];

/// Builds with Trunk and runs the smoke tests; skipped, and said to be, without a `trunk` on PATH.
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
