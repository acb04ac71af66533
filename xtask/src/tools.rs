//! Gets what the build needs and the machine lacks: the wasm target, Trunk, wasm-bindgen, npm packages, a browser.
//!
//! Programs built by cargo go to `.tools/` of the project, which git ignores; a program of the right version that is
//! on PATH already is used instead. Whatever takes longer than a second says so before it starts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::project::{self, Fingerprint};

/// The wasm target's name, for rustup and cargo.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The newest Trunk that this project's Rust version builds.
const TRUNK_VERSION: &str = "0.21.14";

/// `@playwright/test` asks for it.
const NODE_MAJOR_MIN: u32 = 20;

/// A program that `cargo install` builds.
struct CargoTool {
    /// What is run.
    program: &'static str,
    /// What is installed.
    package: &'static str,
    version: String,
    options: &'static [&'static str],
    usual_time: &'static str,
}

/// Makes sure that rustc can compile to wasm.
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

/// Makes sure that Trunk and wasm-bindgen are there; returns the PATH with which to run Trunk.
pub(crate) fn ensure_trunk() -> Result<OsString> {
    let tools = [
        CargoTool {
            program: "trunk",
            package: "trunk",
            version: TRUNK_VERSION.to_owned(),
            options: &["--locked", "--no-default-features", "--features", "rustls"],
            usual_time: "5 minutes on two cores",
        },
        CargoTool {
            program: "wasm-bindgen",
            package: "wasm-bindgen-cli",
            version: wasm_bindgen_version()?,
            // Not `--locked`: its lock file names a release that has been withdrawn from some registries.
            options: &[],
            usual_time: "2 minutes on two cores",
        },
    ];
    let mut folders = Vec::new();
    for tool in &tools {
        folders.push(ensure_cargo_tool(tool)?);
    }
    // Only now: both installs share what they compile.
    std::fs::remove_dir_all(build_cache()).ok();

    folders.dedup();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(all).context("a folder on PATH has a character that PATH cannot hold")
}

/// What the tools are, for the stamp of a build.
pub(crate) fn versions() -> Result<String> {
    let rustc = project::capture(project::program("rustc").arg("--version"))?;
    Ok(format!(
        "{}, trunk {TRUNK_VERSION}, wasm-bindgen {}",
        rustc.trim(),
        wasm_bindgen_version()?
    ))
}

/// Makes sure that the npm packages of `e2e/package-lock.json` are installed.
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
    // The machine's own browser is used, see `ensure_browser`.
    npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    project::run(&mut npm)?;
    std::fs::write(&installed, fingerprint.hex()).context("cannot write into e2e/node_modules")
}

/// A call of Node; `ensure_npm_packages` has checked that there is one.
pub(crate) fn node() -> Command {
    project::program("node")
}

/// Binaryen's optimiser, of the version in `e2e/package-lock.json`.
pub(crate) fn wasm_opt() -> Command {
    let mut command = node();
    command.arg(project::e2e().join("node_modules/binaryen/bin/wasm-opt"));
    command
}

/// Finds a Chromium or Chrome, or installs the distribution's package.
pub(crate) fn ensure_browser() -> Result<PathBuf> {
    if let Some(browser) = find_browser()? {
        return Ok(browser);
    }
    ensure!(
        project::on_path(&["apt-get"]).is_some(),
        "no Chromium or Chrome was found: install one, or set CHROME_PATH to its program"
    );
    println!(
        "No Chromium or Chrome was found: installing the package `chromium` (about 20 seconds)."
    );
    apt_get(&["update"])?;
    apt_get(&["install", "-y", "--no-install-recommends", "chromium"])?;
    find_browser()?.context(
        "the package `chromium` put no `chromium` on PATH: install Chromium or Chrome, or set CHROME_PATH",
    )
}

fn has_wasm_target() -> Result<bool> {
    let mut rustc = project::program("rustc");
    rustc.args(["--print", "target-libdir", "--target", WASM_TARGET]);
    Ok(Path::new(project::capture(&mut rustc)?.trim()).is_dir())
}

/// wasm-bindgen's program and library only understand each other when their versions are equal.
fn wasm_bindgen_version() -> Result<String> {
    let lock = std::fs::read_to_string(project::root().join("Cargo.lock"))
        .context("cannot read Cargo.lock: run `cargo generate-lockfile`")?;
    locked_version(&lock, "wasm-bindgen")
        .context("Cargo.lock names no `wasm-bindgen`: does frontend/Cargo.toml still depend on it?")
}

fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name_line = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == name_line)?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.strip_suffix('"')?.to_owned())
}

/// Returns the folder that holds the tool.
fn ensure_cargo_tool(tool: &CargoTool) -> Result<PathBuf> {
    let own = tools_dir().join("bin");
    let file_name = format!("{}{}", tool.program, std::env::consts::EXE_SUFFIX);
    if has_version(&own.join(&file_name), &tool.version) {
        return Ok(own);
    }
    if let Some(found) = project::on_path(&[tool.program])
        && has_version(&found, &tool.version)
        && let Some(folder) = found.parent()
    {
        return Ok(folder.to_path_buf());
    }
    install(tool)?;
    Ok(own)
}

fn has_version(program: &Path, version: &str) -> bool {
    program.is_file()
        && Command::new(program)
            .arg("--version")
            .output()
            .is_ok_and(|output| {
                String::from_utf8_lossy(&output.stdout)
                    .split_whitespace()
                    .any(|word| word == version)
            })
}

fn install(tool: &CargoTool) -> Result<()> {
    println!(
        "Installing {} {} into .tools/, once (usually {}).",
        tool.package, tool.version, tool.usual_time
    );
    let mut cargo = project::cargo();
    cargo
        .args(["install", tool.package, "--version", &tool.version])
        .args(tool.options)
        .arg("--root")
        .arg(tools_dir())
        // Outside the temporary folder, so that an install which was interrupted goes on where it stopped.
        .arg("--target-dir")
        .arg(build_cache());
    // These programs run for a second or two per build: it pays to compile them fast rather than well.
    cargo
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    project::run(&mut cargo).with_context(|| {
        format!(
            "{} {} could not be installed; with that version of `{}` on PATH nothing need be installed",
            tool.package, tool.version, tool.program
        )
    })
}

fn tools_dir() -> PathBuf {
    project::root().join(".tools")
}

fn build_cache() -> PathBuf {
    tools_dir().join("build")
}

fn ensure_node() -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_version_takes_the_exact_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.1\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(
            locked_version(lock, "wasm-bindgen").as_deref(),
            Some("0.2.130")
        );
        assert_eq!(locked_version(lock, "yew"), None);
    }
}
