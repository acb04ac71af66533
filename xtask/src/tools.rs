//! Installs missing tools that the build needs: the wasm target, npm packages, a browser.
//!
//! Each installation that takes longer than a second prints a message before it starts.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::project::{self, Fingerprint};

/// The name of the wasm target in rustup and cargo.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The minimum version of Node that `@playwright/test` requires.
const NODE_MAJOR_MIN: u32 = 20;

/// The name of the program of Chromium's headless shell, and of its package.
const HEADLESS_SHELL: &str = "chromium-headless-shell";

/// Installs the wasm target if it is missing.
pub(crate) fn ensure_wasm_target() -> Result<()> {
    if has_wasm_target()? {
        return Ok(());
    }
    println!("Rust's {WASM_TARGET} target is missing: adding it (some seconds).");
    let by_hand = format!("rustup target add {WASM_TARGET}");
    let mut rustup = project::program("rustup");
    project::run(rustup.args(["target", "add", WASM_TARGET])).with_context(|| {
        format!("Rust's {WASM_TARGET} target could not be added; run `{by_hand}` yourself, then try again")
    })?;
    ensure!(
        has_wasm_target()?,
        "rustup added {WASM_TARGET} for another toolchain than the one in use; \
         run `{by_hand}` for that of `rustc --version`"
    );
    Ok(())
}

/// Returns the compiler's version, which is part of the build's stamp. The versions of wasm-bindgen and binaryen are in
/// the lock files.
pub(crate) fn compiler_version() -> Result<String> {
    let rustc = project::capture(project::program("rustc").arg("--version"))?;
    Ok(rustc.trim().to_owned())
}

/// Installs the npm packages in `e2e/package-lock.json` if they are missing.
pub(crate) fn ensure_npm_packages() -> Result<()> {
    ensure_node()?;
    let lock = std::fs::read(project::e2e().join("package-lock.json"))
        .context("cannot read e2e/package-lock.json")?;
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(&lock);
    let installed = project::e2e().join("node_modules").join(".installed-lock");
    if std::fs::read_to_string(&installed).is_ok_and(|seen| seen == fingerprint.hex()) {
        return Ok(());
    }
    println!(
        "Getting the npm packages of e2e/package-lock.json (wasm-opt, Playwright: some seconds, 130 MB)."
    );
    let mut npm = project::program(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.arg("ci").current_dir(project::e2e());
    // The tests use the machine's own browser, see `ensure_browser`.
    npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    project::run(&mut npm)?;
    std::fs::write(&installed, fingerprint.hex()).context("cannot write into e2e/node_modules")
}

/// Returns a command that runs Node. Call `ensure_npm_packages` first, which checks that Node is installed.
pub(crate) fn node() -> Command {
    project::program("node")
}

/// Returns a command that runs binaryen's optimiser, in the version of `e2e/package-lock.json`.
pub(crate) fn wasm_opt() -> Command {
    let mut command = node();
    command.arg(project::e2e().join("node_modules/binaryen/bin/wasm-opt"));
    command
}

/// Finds Chromium or Chrome. If neither is installed, installs Chromium's headless shell from the distribution's
/// packages. The shell is Chromium without its window, and runs the tests in two thirds of the time.
pub(crate) fn ensure_browser() -> Result<PathBuf> {
    if let Some(browser) = find_browser()? {
        return Ok(browser);
    }
    ensure!(
        project::on_path(&["apt-get"]).is_some(),
        "no Chromium or Chrome was found: install one, or set CHROME_PATH to its program"
    );
    println!(
        "No Chromium or Chrome was found: installing the package `{HEADLESS_SHELL}` (about 20 seconds)."
    );
    apt_get(&["update"])?;
    let install = |package| apt_get(&["install", "-y", "--no-install-recommends", package]);
    // Some distributions have only the complete browser.
    install(HEADLESS_SHELL).or_else(|_| install("chromium"))?;
    find_browser()?.context(
        "the package put no browser on PATH: install Chromium or Chrome, or set CHROME_PATH",
    )
}

fn has_wasm_target() -> Result<bool> {
    let mut rustc = project::program("rustc");
    rustc.args(["--print", "target-libdir", "--target", WASM_TARGET]);
    Ok(Path::new(project::capture(&mut rustc)?.trim()).is_dir())
}

pub(crate) fn ensure_node() -> Result<()> {
    let version = project::capture(node().arg("--version"))
        .context("Node is needed for wasm-opt and the browser tests: install Node 20 or newer")?;
    let major = version.trim().trim_start_matches('v').split('.').next();
    let major: u32 = major.and_then(|text| text.parse().ok()).unwrap_or(0);
    ensure!(
        major >= NODE_MAJOR_MIN,
        "Node {NODE_MAJOR_MIN} or newer is needed, this one is {}: update it",
        version.trim()
    );
    Ok(())
}

fn find_browser() -> Result<Option<PathBuf>> {
    if let Some(path) = std::env::var_os("CHROME_PATH") {
        let path = PathBuf::from(path);
        ensure!(
            path.is_file(),
            "CHROME_PATH is {}, which is no file: correct or unset it",
            path.display()
        );
        return Ok(Some(path));
    }
    let names = [
        HEADLESS_SHELL,
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ];
    let mac = Path::new("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    Ok(project::on_path(&names).or_else(|| mac.is_file().then(|| mac.to_path_buf())))
}

fn apt_get(args: &[&str]) -> Result<()> {
    let is_root = project::capture(project::program("id").arg("-u"))?.trim() == "0";
    let mut command = if is_root {
        project::program("apt-get")
    } else if project::on_path(&["sudo"]).is_some() {
        let mut sudo = project::program("sudo");
        sudo.arg("apt-get");
        sudo
    } else {
        bail!(
            "installing Chromium needs root: run `apt-get install chromium` as root, then try again"
        )
    };
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    project::run(&mut command)
}
