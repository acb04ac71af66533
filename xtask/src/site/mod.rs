//! `cargo xtask build` creates `dist/`, a folder that any static host can serve.
//!
//! First, cargo compiles the page's programs. The next steps are wasm-bindgen (as a library, in the version of
//! Cargo.lock), binaryen's optimiser, the layout of the folder (`layout`), the forms that need no network (`offline`),
//! compressed copies (`compress`) and sizes (`sizes`). `trunk build` creates the same page from the same `index.html`,
//! but without the last five steps.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::tools::WASM_TARGET;
use crate::{project, tools};

mod compress;
mod layout;
mod licences;
mod offline;
mod sheets;
pub(crate) mod sizes;
mod split;
mod stamp;

/// The binaries of the crates `frontend` and `worker`. Each becomes two files, `NAME.js` and `NAME_bg.wasm`.
const PROGRAMS: [&str; 3] = ["app", "worker", "lab"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Profile {
    /// A fast build without the optimiser and without compressed copies.
    Dev,
    /// The build that is published, measured and tested.
    Web,
}

impl Profile {
    /// Returns the name of Cargo's profile, which is also the name of its output folder.
    fn name(self) -> &'static str {
        match self {
            Profile::Dev => "web-dev",
            Profile::Web => "web",
        }
    }
}

/// Runs `cargo xtask build [--dev]`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let profile = match args {
        [] => Profile::Web,
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

const POSTERS: &str = ".tools/posters";

/// Runs `cargo xtask posters`. Trunk calls this command before it builds.
pub(crate) fn run_posters(args: &[String]) -> Result<ExitCode> {
    ensure!(args.is_empty(), "`posters` takes nothing");
    posters()?;
    Ok(ExitCode::SUCCESS)
}

/// The runs that the program reads for the pictures; everything else is part of the program.
const RUNS: &str = "engine/tests/behaviour";

/// Draws the pictures that the pages show until their programs run, unless the pictures are newer than the program and
/// the runs. `index.html` names the files of the pictures.
fn posters() -> Result<()> {
    let mut build = project::cargo();
    // The profile and the packages of `cargo test`, which then compiles neither the engine nor the page again.
    build.args(["build", "--profile", "test", "--example", "posters"]);
    project::run(&mut build)?;
    let program = project::example("posters")?;
    let folder = project::root().join(POSTERS);
    let drawn = folder.join("drawn");
    let mut inputs = project::files_below(&project::root().join(RUNS), &[])?;
    inputs.push(program.clone());
    if let Ok(drawn) = modified(&drawn)
        && inputs
            .iter()
            .all(|input| modified(input).is_ok_and(|at| at < drawn))
    {
        println!("· {POSTERS} is up to date");
        return Ok(());
    }
    project::run(project::program(program).arg(&folder))?;
    std::fs::write(&drawn, "").context("cannot record that the posters are drawn")
}

fn modified(file: &Path) -> std::io::Result<SystemTime> {
    std::fs::metadata(file)?.modified()
}

/// Creates `dist/`, unless `dist/` is already the release build of the current sources.
pub(crate) fn build_if_changed() -> Result<()> {
    let _lock = lock()?;
    if stamp::is_fresh()? {
        println!("dist/ is up to date.");
        return Ok(());
    }
    build(Profile::Web)
}

/// Creates `dist/` from scratch. The caller must hold the lock.
fn build(profile: Profile) -> Result<()> {
    let start = Instant::now();
    tools::ensure_wasm_target()?;
    if profile == Profile::Web {
        tools::ensure_npm_packages()?;
    }
    // The fingerprint is computed before the compiler runs, so that later edits count as changes.
    let sources = stamp::of_sources()?;
    let target = project::target_dir()?;
    // The posters are drawn in parallel: the linker and the optimiser leave a processor idle during the last program.
    let programs = std::thread::scope(|scope| {
        let posters = scope.spawn(posters);
        let programs = programs(profile, &project::root(), &target)?;
        match posters.join() {
            Ok(drawn) => drawn.map(|()| programs),
            Err(_) => bail!("the thread that draws the posters panicked"),
        }
    })?;
    let release = layout::write(&programs, &project::dist())?;
    std::fs::write(project::dist().join(licences::FILE), licences::text()?)
        .context("cannot write the licences into dist/")?;
    offline::write(&project::dist(), &release)?;
    if profile == Profile::Web {
        offline::package(&project::dist(), &release)?;
        compress::folder(&project::dist())?;
        println!("{}", sizes::Sizes::measure(&project::dist())?);
        stamp::write(&sources, &release)?;
    }
    println!("Built dist/ in {:.0} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// Locks the build, so that no second xtask builds the same folders at the same time. Dropping the file releases the
/// lock.
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

/// Builds `dist` from a copy of the sources. The posters and the files in `static` come from the project and not from
/// the copy.
///
/// The copy has a target folder of its own, because the programs of the copy and of the project have the same names. In
/// a common target folder, Cargo would take a program of the copy for a program of the project.
pub(crate) fn build_copy(sources: &Path, dist: &Path) -> Result<()> {
    tools::ensure_wasm_target()?;
    if !project::root().join(POSTERS).is_dir() {
        posters()?;
    }
    let programs = programs(Profile::Dev, sources, &sources.join("target"))?;
    layout::write(&programs, dist)?;
    Ok(())
}

/// Compiles the programs from the workspace in `sources`. Returns the folder that contains the JavaScript and the wasm
/// of each program.
fn programs(profile: Profile, sources: &Path, target: &Path) -> Result<PathBuf> {
    let mut cargo = project::cargo();
    cargo.current_dir(sources).env("CARGO_TARGET_DIR", target);
    cargo.args(["build", "--profile", profile.name(), "--bins"]);
    cargo.args(["-p", "watchglass-frontend", "-p", "watchglass-worker"]);
    cargo.args([
        "--features",
        "watchglass-frontend/split",
        "--target",
        WASM_TARGET,
    ]);
    if profile == Profile::Web {
        cargo.env("CARGO_ENCODED_RUSTFLAGS", without_paths()?);
    }
    project::run(&mut cargo)?;

    let compiled = target.join(WASM_TARGET).join(profile.name());
    let out = target.join("programs").join(profile.name());
    if out.exists() {
        std::fs::remove_dir_all(&out).context("cannot empty the folder of the programs")?;
    }
    println!(
        "· wasm-bindgen{} over {} programs",
        match profile {
            Profile::Dev => "",
            Profile::Web => " and wasm-opt -Oz",
        },
        PROGRAMS.len()
    );
    // In parallel, because binaryen takes most of a second per 100 kB.
    std::thread::scope(|scope| {
        let threads = PROGRAMS.map(|name| {
            let (compiled, out) = (&compiled, &out);
            scope.spawn(move || {
                let wasm = compiled.join(format!("{name}.wasm"));
                let (main, parts) = split::split(&wasm, name, out)?;
                bind(&main, name, !parts.is_empty(), out)?;
                match profile {
                    Profile::Dev => Ok(()),
                    Profile::Web => {
                        optimise(&out.join(format!("{name}_bg.wasm")))?;
                        parts.iter().try_for_each(|part| optimise(part))
                    }
                }
            })
        });
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => bail!("a thread that makes a program panicked"),
            })
    })?;
    Ok(out)
}

/// Returns compiler flags that remove this machine's paths from panic messages. The flags are separated as in
/// `CARGO_ENCODED_RUSTFLAGS`, because a path can contain spaces.
fn without_paths() -> Result<OsString> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => std::env::home_dir()
            .context("this machine has no home folder: set CARGO_HOME")?
            .join(".cargo"),
    };
    let mut flags = OsString::new();
    for (folder, name) in [(project::root(), "watchglass"), (home, "cargo")] {
        if !flags.is_empty() {
            flags.push("\u{1f}");
        }
        flags.push("--remap-path-prefix=");
        flags.push(folder);
        flags.push("=");
        flags.push(name);
    }
    Ok(flags)
}

/// Writes `NAME.js` and `NAME_bg.wasm` for a program.
fn bind(wasm: &Path, name: &str, has_parts: bool, out: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(wasm)
        .out_name(name)
        .typescript(false)
        // The parts of a program import the table and the stack pointer of the main module.
        .keep_lld_exports(has_parts)
        // `init()` without an argument finds the wasm beside its module.
        .omit_default_module_path(false);
    bindgen.web(true)?;
    bindgen
        .generate(out)
        .with_context(|| format!("wasm-bindgen over {}", project::relative(wasm)))
}

fn optimise(file: &Path) -> Result<()> {
    let mut command = tools::wasm_opt();
    command.arg("-Oz").arg(file).arg("-o").arg(file);
    // The wasm features that rustc uses. They are named here, because the section of the module that lists the features
    // may have been stripped.
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
    // Of a part, binaryen warns that it does not know all kinds of names, which nobody needs.
    let output = command.output().context("cannot start wasm-opt")?;
    ensure!(
        output.status.success(),
        "wasm-opt cannot optimise {}: {}",
        project::relative(file),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
