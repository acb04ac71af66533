//! `cargo xtask bench [sizes|native|browser]…`: the numbers a visitor feels; without a name, all of them.

use std::process::ExitCode;

use anyhow::{Result, bail, ensure};

use crate::site::sizes::{FIRST_INTERACTION_BUDGET_BYTES, Sizes};
use crate::{browser, project, site};

/// One group of measurements.
struct Part {
    name: &'static str,
    run: fn() -> Result<()>,
}

const PARTS: [Part; 3] = [
    Part {
        name: "sizes",
        run: sizes,
    },
    Part {
        name: "native",
        run: native,
    },
    Part {
        name: "browser",
        run: in_browser,
    },
];

/// Runs the named parts, or all of them.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = args
        .iter()
        .find(|arg| PARTS.iter().all(|part| part.name != **arg))
    {
        bail!("`bench` has no part `{unknown}`; it has sizes, native and browser");
    }
    for part in PARTS {
        if args.is_empty() || args.iter().any(|arg| arg == part.name) {
            println!("\n## {}\n", part.name);
            (part.run)()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the release build makes a visitor download.
fn sizes() -> Result<()> {
    site::build_if_changed()?;
    let sizes = Sizes::measure(&project::dist())?;
    println!("{sizes}");
    ensure!(
        sizes.first_interaction_brotli() <= FIRST_INTERACTION_BUDGET_BYTES,
        "over the budget: load something later, or drop a dependency (`cargo tree -p watchglass-frontend`)"
    );
    Ok(())
}

/// The engine alone, at full speed.
fn native() -> Result<()> {
    let mut bench = project::cargo();
    bench.args([
        "run",
        "--release",
        "-q",
        "-p",
        "watchglass-engine",
        "--example",
        "bench",
    ]);
    project::run(&mut bench)
}

/// The page in Chromium.
fn in_browser() -> Result<()> {
    site::build_if_changed()?;
    browser::run_script("bench.mjs")
}
