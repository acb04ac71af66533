//! `cargo xtask build`: turns Trunk's output into `dist/`, a folder for any static host.
//!
//! Trunk compiles the two binaries and copies `static/`. After it come the steps that Trunk has no setting for:
//! binaryen's optimiser, a page without inline script (`page`), compressed copies (`compress`), sizes (`sizes`).
//!
//! Everything but `index.html` lies in one folder whose name is the fingerprint of its contents. The page can thus
//! never start a worker of another release, whatever a cache in between keeps, and an old release may be left lying
//! beside the new one for pages that are still open. File names inside the folder are plain: `worker_loader.js` is
//! found beside the module that starts it, by `import.meta.url`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{project, tools};

mod compress;
mod page;
pub(crate) mod sizes;
mod stamp;

/// Whether the page is built to be looked at, or to be published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Profile {
    /// Fast to build: no optimiser, no compressed copies.
    Dev,
    /// What is published, measured and tested.
    Release,
}

/// `cargo xtask build [--dev]`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let profile = match args {
        [] => Profile::Release,
        [flag] if flag == "--dev" => Profile::Dev,
        _ => bail!(
            "`build` takes nothing but `--dev`, not `{}`",
            args.join(" ")
        ),
    };
    let _lock = lock()?;
    build(profile)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes `dist/`, whatever was there before. The caller holds the lock.
fn build(profile: Profile) -> Result<()> {
    let start = Instant::now();
    tools::ensure_wasm_target()?;
    let path = tools::ensure_trunk()?;
    tools::ensure_npm_packages()?;
    // Taken before the compiler runs: what is edited meanwhile must count as changed afterwards.
    let sources = stamp::of_sources()?;

    let trunk_output = project::target_dir()?.join("site");
    let mut trunk = project::program("trunk");
    trunk
        .args(["build", "--offline", "--dist"])
        .arg(&trunk_output);
    if profile == Profile::Release {
        trunk.arg("--release");
    }
    // Trunk reads NO_COLOR as a boolean and refuses the customary `NO_COLOR=1`.
    trunk.env("PATH", path).env_remove("NO_COLOR");
    project::run(&mut trunk)?;

    if profile == Profile::Release {
        optimise(&trunk_output)?;
    }
    let release = page::assemble(&trunk_output, &project::dist())?;
    if profile == Profile::Release {
        compress::folder(&project::dist())?;
        println!("{}", sizes::Sizes::measure(&project::dist())?);
        stamp::write(&sources, &release)?;
    }
    println!("Built dist/ in {:.0} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// Makes `dist/` unless it is the release build of the sources as they are now.
pub(crate) fn build_if_changed() -> Result<()> {
    let _lock = lock()?;
    if stamp::is_fresh()? {
        println!("dist/ is up to date.");
        return Ok(());
    }
    build(Profile::Release)
}

/// Keeps a second xtask from building the same folders at the same time; the lock ends with the file.
fn lock() -> Result<File> {
    let folder = project::root().join(".tools");
    std::fs::create_dir_all(&folder).context("cannot make the folder .tools/")?;
    let file = File::create(folder.join("build-lock")).context("cannot write .tools/build-lock")?;
    if file.try_lock().is_err() {
        println!("Another build is running: waiting for it.");
        file.lock().context("cannot lock .tools/build-lock")?;
    }
    Ok(file)
}

/// Runs binaryen over each wasm file, in parallel: it takes most of a second per 100 kB.
fn optimise(folder: &Path) -> Result<()> {
    let files = files_ending_in(folder, "wasm")?;
    println!("· wasm-opt -Oz over {} files", files.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = files
            .iter()
            .map(|file| scope.spawn(|| optimise_file(file)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => bail!("a thread that waits for wasm-opt panicked"),
            })
    })
}

fn optimise_file(file: &Path) -> Result<()> {
    let mut command = tools::wasm_opt();
    command.arg("-Oz").arg(file).arg("-o").arg(file);
    // rustc's own set for wasm32: named in case the section that lists them was stripped.
    for feature in [
        "bulk-memory",
        "mutable-globals",
        "multivalue",
        "nontrapping-float-to-int",
        "reference-types",
        "sign-ext",
    ] {
        command.arg(format!("--enable-{feature}"));
    }
    command.args(["--strip-debug", "--strip-producers"]);
    project::capture(&mut command)
        .map(drop)
        .with_context(|| format!("optimising {}", project::relative(file)))
}

fn files_ending_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = project::files_below(folder, &[])?;
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    Ok(files)
}
