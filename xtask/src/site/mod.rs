//! `cargo xtask build`: turns Trunk's output into `dist/`, a folder for any static host.
//!
//! Trunk compiles the three programs and copies `static/`. After it come the steps that Trunk has no setting for:
//! binaryen's optimiser, each program in two parts (`split`, `later`), a page without inline script (`page`),
//! compressed copies (`compress`), sizes (`sizes`).
//!
//! Everything but `index.html` lies in one folder whose name is the fingerprint of its contents. The page can thus
//! never start a worker of another release, whatever a cache in between keeps, and an old release may be left lying
//! beside the new one for pages that are still open. File names inside the folder are plain: `worker_loader.js` is
//! found beside the module that starts it, by `import.meta.url`.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use self::later::Later;
use crate::{browser, project, tools};

mod compress;
mod later;
mod page;
pub(crate) mod sizes;
mod split;
mod stamp;

/// What Trunk compiles; each is `NAME.js` and `NAME_bg.wasm`, and when split `NAME_rest.wasm` too.
const PROGRAMS: [Program; 3] = [
    // It is at hand all day: what will be needed next is fetched as soon as nobody waits for anything.
    Program {
        name: "app",
        rest: "idle",
    },
    // Most figures of a text are read and not touched.
    Program {
        name: "embed",
        rest: "interest",
    },
    // A worker waits for the rest without holding up the page.
    Program {
        name: "worker",
        rest: "need",
    },
];

struct Program {
    name: &'static str,
    /// When its rest is fetched if nothing calls for it; see `rest.js`.
    rest: &'static str,
}

/// Added to the glue of a program that is split.
const REST_JS: &str = include_str!("rest.js");

/// Whether the page is built to be looked at, or to be published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Profile {
    /// Fast to build: no optimiser, no compressed copies.
    Dev,
    /// What is published, measured and tested.
    Release,
    /// As published, but in one part and with functions that note that they were called.
    Counting,
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
    if profile != Profile::Dev {
        trunk.arg("--release");
    }
    // Trunk reads NO_COLOR as a boolean and refuses the customary `NO_COLOR=1`.
    trunk.env("PATH", path).env_remove("NO_COLOR");
    project::run(&mut trunk)?;

    if profile != Profile::Dev {
        make_programs(&trunk_output, profile)?;
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

/// Finds out what the first steps need, and keeps it: the next release build cuts the programs accordingly.
pub(crate) fn bless_parts() -> Result<()> {
    let _lock = lock()?;
    build(Profile::Counting)?;
    let found = browser::capture_script("first-steps.mjs")?;
    later::bless(&found)
}

/// Makes what is published of each program, in parallel: binaryen takes most of a second per 100 kB.
fn make_programs(folder: &Path, profile: Profile) -> Result<()> {
    println!("· wasm-opt -Oz over {} programs", PROGRAMS.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = PROGRAMS
            .iter()
            .map(|program| scope.spawn(|| make_program(folder, program, profile)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => bail!("a thread that makes a program panicked"),
            })
    })
}

fn make_program(folder: &Path, program: &Program, profile: Profile) -> Result<()> {
    let file = folder.join(format!("{}_bg.wasm", program.name));
    optimise(&file)?;
    let whole = read(&file)?;
    let glue = folder.join(format!("{}.js", program.name));
    let text = String::from_utf8(read(&glue)?).context("wasm-bindgen writes UTF-8")?;
    if profile == Profile::Counting {
        write(&file, &split::counting(&whole)?)?;
        return write(&glue, with_exports(&text)?.as_bytes());
    }
    let later = Later::read(program.name)?;
    let parts = split::split(&whole, |name| later.has(name))
        .with_context(|| format!("splitting {}", project::relative(&file)))?;
    write(&file, &parts.first)?;
    let rest = format!("{}_rest.wasm", program.name);
    write(&folder.join(&rest), &parts.rest)?;
    let text = with_rest(&text, &rest, program.rest)?;
    write(&glue, with_names(&text, &parts.imports).as_bytes())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", project::relative(file)))
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(file, bytes).with_context(|| format!("cannot write {}", project::relative(file)))
}

/// wasm-bindgen's glue, with the import through which the first part gets the rest.
fn with_rest(glue: &str, file: &str, when: &str) -> Result<String> {
    const IMPORTS: &str = "_bg.js\": import0,";
    let mut places = glue.match_indices(IMPORTS);
    let (Some((at, _)), None) = (places.next(), places.next()) else {
        bail!(
            "wasm-bindgen's glue has no single list of imports: has its output changed? See `with_rest`"
        );
    };
    let (before, after) = glue.split_at(at + IMPORTS.len());
    let loader = split::LOADER;
    Ok(format!(
        "{before}\n        {loader}: rest(\"{file}\", \"{when}\", () => wasm),{after}\n{REST_JS}"
    ))
}

/// wasm-bindgen's glue, with other names for what it gives to the program.
fn with_names(glue: &str, names: &HashMap<String, String>) -> String {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut out = String::with_capacity(glue.len());
    let mut rest = glue;
    while let Some(begin) = rest.find(is_of_name) {
        let (between, tail) = rest.split_at(begin);
        let (name, tail) = tail.split_at(tail.find(|l| !is_of_name(l)).unwrap_or(tail.len()));
        out.push_str(between);
        out.push_str(names.get(name).map_or(name, String::as_str));
        rest = tail;
    }
    out + rest
}

/// wasm-bindgen's glue, with the program's exports where `e2e/first-steps.mjs` finds them.
fn with_exports(glue: &str) -> Result<String> {
    const FOUND: &str = "wasm = instance.exports;";
    ensure!(
        glue.contains(FOUND),
        "wasm-bindgen's glue has no `{FOUND}`: has its output changed? See `with_exports`"
    );
    Ok(glue.replace(
        FOUND,
        &format!("{FOUND} globalThis.watchglassExports = wasm;"),
    ))
}

fn optimise(file: &Path) -> Result<()> {
    let mut command = tools::wasm_opt();
    // Functions keep their names: they are told apart by them afterwards, when the names go.
    command.args(["-Oz", "-g"]);
    // What is called in one place stays a function of its own, so that it can be in another part than its caller.
    command.arg("--one-caller-inline-max-function-size=40");
    command.arg(file).arg("-o").arg(file);
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
    project::capture(&mut command)
        .map(drop)
        .with_context(|| format!("optimising {}", project::relative(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glue_of_a_split_program_offers_its_loader() {
        let glue = "return {\n \"./app_bg.js\": import0,\n};\n";
        let with = with_rest(glue, "app_rest.wasm", "idle").unwrap();
        assert!(with.contains("rest: rest(\"app_rest.wasm\", \"idle\", () => wasm),"));
        assert!(with.contains("function rest("));
        assert!(with_rest("other glue", "app_rest.wasm", "idle").is_err());
        assert!(with_exports("other glue").is_err());
    }

    #[test]
    fn the_glue_calls_imports_as_the_program_does() {
        let names = HashMap::from([("__wbg_log_1f".to_owned(), "i0".to_owned())]);
        let glue = "{ __wbg_log_1f: function(a) {}, __wbg_log_1f2() {} }";
        let expected = "{ i0: function(a) {}, __wbg_log_1f2() {} }";
        assert_eq!(with_names(glue, &names), expected);
    }
}
