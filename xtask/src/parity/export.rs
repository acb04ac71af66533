//! `cargo xtask parity export [N]` runs scripts that Watchglass exports against a real etcd. Each script compares each
//! output with its comments, and must find no difference.
//!
//! N scripts have random commands (20 by default), with a watch from the start to the end. A real etcd chooses the
//! commands, because later commands depend on earlier outputs; another, fresh one runs the script. As many scripts come
//! from behaviour files all of whose commands a real etcd has.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::{ask, etcd, generate, leases, transcript, with_temporary_file};
use crate::project;

/// The number of random commands in a script.
const COMMANDS: usize = 40;

/// The folders with behaviour files of commands that a single etcd has.
const FOLDERS: [&str; 6] = ["mvcc", "txn", "lease", "compaction", "watch", "auth"];

/// The number of outputs that a script compares, and of those that are equal.
#[derive(Clone, Copy, Default)]
struct Outputs {
    compared: u64,
    equal: u64,
}

pub(super) fn run(programs: &etcd::Programs, args: &[String]) -> Result<ExitCode> {
    let scripts = match args {
        [] => 20,
        [number] => number
            .parse()
            .context("`parity export` has one argument, a number")?,
        _ => bail!("`parity export` has one argument, a number"),
    };
    with_temporary_file("sh", |script| compare(programs, scripts, script))
}

fn compare(programs: &etcd::Programs, scripts: usize, script: &Path) -> Result<bool> {
    let mut all = Outputs::default();
    let mut counts = [0, 0];
    let mut differing = 0;
    let mut check = |name: &str, text: &[u8], kind: usize| -> Result<()> {
        std::fs::write(script, text)?;
        let outputs = run_script(programs, name, script)?;
        all.compared += outputs.compared;
        all.equal += outputs.equal;
        counts[kind] += 1;
        differing += usize::from(outputs.equal != outputs.compared);
        Ok(())
    };
    for seed in 1..=scripts as u64 {
        let text = exported(programs, &random_commands(programs, seed)?)?;
        check(&format!("random commands, seed {seed}"), &text, 0)?;
    }
    let mut shipped = 0;
    for file in behaviour_files()? {
        let text = exported(programs, &std::fs::read_to_string(&file)?)?;
        // A real etcd has not all of these commands, or the outputs depend on the moment at which a lease expires.
        let commands = String::from_utf8_lossy(&text);
        let expires = commands.contains("\ngrant ") && commands.contains("\nsleep ");
        if commands.contains("\n# Left out") || expires || !commands.contains("\nrun 3 ") {
            continue;
        }
        let name = file.strip_prefix(project::root()).unwrap_or(&file);
        check(&name.display().to_string(), &text, 1)?;
        shipped += 1;
        if shipped == scripts {
            break;
        }
    }
    println!(
        "parity export: {} scripts of random commands and {} of behaviour files with etcd {}; {} of {} outputs are \
         equal, {differing} scripts with differences",
        counts[0],
        counts[1],
        programs.version(),
        all.equal,
        all.compared
    );
    Ok(differing == 0)
}

/// Returns the lines that run random commands in the simulator, with the simulator's lease IDs.
fn random_commands(programs: &etcd::Programs, seed: u64) -> Result<String> {
    let server = etcd::Server::start(programs)?;
    let mut generator = generate::Generator::new(seed, false);
    let mut leases = leases::Leases::default();
    let mut text = "watch '' --prefix as w1\n".to_owned();
    for done in 0..COMMANDS {
        let case = generator.next_case(done >= COMMANDS / 2);
        let (case, _) = ask(&server, &mut generator, &mut leases, &case)?;
        text.push_str(&transcript::input(&case));
    }
    text.push_str("recv w1\n");
    server.stop();
    Ok(text)
}

/// Returns the script of a run of these commands, or of the commands of a behaviour file.
fn exported(programs: &etcd::Programs, text: &str) -> Result<Vec<u8>> {
    let mut export = project::engine_example("export");
    export.args(["script", programs.profile()]);
    let mut child = export
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("the exporter has no input")?;
    stdin.write_all(text.as_bytes())?;
    drop(stdin);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the run cannot be exported");
    Ok(output.stdout)
}

fn behaviour_files() -> Result<Vec<PathBuf>> {
    let folder = project::root().join("engine/tests/behaviour");
    let mut files = Vec::new();
    for name in FOLDERS {
        for entry in std::fs::read_dir(folder.join(name))? {
            files.push(entry?.path());
        }
    }
    // In the order of the names, files of all folders come early.
    files.sort_by_key(|file| file.file_name().map(OsStr::to_os_string));
    Ok(files)
}

/// Runs a script against a fresh etcd, and prints its report if outputs differ.
fn run_script(programs: &etcd::Programs, name: &str, script: &Path) -> Result<Outputs> {
    let text = std::fs::read(script)?;
    let shell = match text.starts_with(b"#!/bin/sh") {
        true => "sh",
        false => "bash",
    };
    let server = etcd::Server::start(programs)?;
    let mut run = project::program(shell);
    run.arg(script).env("ETCDCTL_ENDPOINTS", server.endpoint());
    run.env("PATH", programs.path()?);
    let output = run.output()?;
    server.stop();
    let printed = String::from_utf8_lossy(&output.stdout);
    let last = printed.lines().last().unwrap_or_default();
    let numbers: Vec<u64> = last
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [equal, compared] = numbers[..] else {
        bail!(
            "{name}: the script stops early\n{printed}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    println!("  {equal} of {compared} outputs are equal: {name}");
    if equal != compared {
        println!("{printed}");
    }
    Ok(Outputs { compared, equal })
}
