//! `cargo xtask parity maintenance [FILE [PREFIX]]` compares the prediction of maintenance plans with a real etcd.
//!
//! For each plan, a real etcd is restored from the snapshot, and the shell runs the script of the plan against it. The
//! sizes that etcd then reports must be within [`TOLERANCE_PERCENT`] of the predicted sizes.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Case, etcd, with_temporary_file};
use crate::project;

/// The snapshots and prefixes that are compared without arguments.
const SAMPLES: [(&str, &str); 2] = [
    (
        "engine/tests/data/etcd_3.4.23_registry.db",
        "/registry/pods/",
    ),
    (
        "engine/tests/data/etcd_3.4.23_writers.db",
        "/registry/configmaps/",
    ),
];

/// The tolerance in percent of the predicted size.
const TOLERANCE_PERCENT: u64 = 2;

/// A difference of this number of bytes is tolerated in small files: a restored member writes rows of its own.
const TOLERANCE_BYTES: u64 = 2 * 4096;

pub(super) fn run(programs: &etcd::Programs, args: &[String]) -> Result<ExitCode> {
    let samples: Vec<(PathBuf, String)> = match args {
        [] => SAMPLES
            .iter()
            .map(|(file, prefix)| (project::root().join(file), (*prefix).to_owned()))
            .collect(),
        [file] => vec![(file.into(), String::new())],
        [file, prefix] => vec![(file.into(), prefix.clone())],
        _ => bail!(
            "`parity maintenance` has two arguments, a snapshot and a prefix of keys to delete"
        ),
    };
    with_temporary_file("sh", |script| {
        let mut differences = 0;
        for (file, prefix) in &samples {
            let mut plans = vec![("newest", ""), ("-10", ""), ("never", "")];
            if !prefix.is_empty() {
                plans.extend([("newest", &**prefix), ("-10", prefix), ("never", prefix)]);
            }
            for (compact, prefix) in plans {
                differences += u64::from(!compare(programs, file, script, (compact, prefix))?);
            }
        }
        println!("parity maintenance: {differences} plans with differences");
        Ok(differences == 0)
    })
}

/// Returns true if the real sizes are within the tolerance.
fn compare(
    programs: &etcd::Programs,
    file: &Path,
    script: &Path,
    (compact, prefix): (&str, &str),
) -> Result<bool> {
    let mut example = project::engine_example("maintenance");
    example.arg(file).arg(script).arg(compact).arg(prefix);
    let predicted = project::capture(&mut example)?;
    // etcd finishes a scheduled compaction when it starts.
    let is_at_start = |line: &&str| line.contains("Start") || line.contains("is_scheduled: true");
    let before = sizes(predicted.lines().rfind(is_at_start))?;
    let after = sizes(predicted.lines().next_back())?;
    let server = etcd::Server::restored(programs, file)?;
    let real_before = real_sizes(&server)?;
    // The member advertises an address at which it does not listen, so the script uses the address of the variable.
    let text = std::fs::read_to_string(script)?.replace(" --cluster", "");
    std::fs::write(script, text)?;
    let mut shell = Command::new("sh");
    shell
        .arg(script)
        .env("ETCDCTL_ENDPOINTS", server.endpoint());
    shell.env("PATH", programs.path()?);
    project::capture(&mut shell)?;
    let real_after = real_sizes(&server)?;
    server.stop();
    let is_close = |ours: u64, theirs: u64| {
        ours.abs_diff(theirs) <= (ours * TOLERANCE_PERCENT / 100).max(TOLERANCE_BYTES)
    };
    let pairs = [before, after].into_iter().zip([real_before, real_after]);
    let same = pairs.fold(true, |same, (ours, theirs)| {
        same && is_close(ours.0, theirs.0) && is_close(ours.1, theirs.1)
    });
    println!(
        "{} compact {compact} delete {prefix:?}: size {} -> {} (etcd {} -> {}), in use {} -> {} (etcd {} -> {}){}",
        file.file_name().unwrap_or_default().to_string_lossy(),
        before.0,
        after.0,
        real_before.0,
        real_after.0,
        before.1,
        after.1,
        real_before.1,
        real_after.1,
        if same { "" } else { " DIFFERS" }
    );
    Ok(same)
}

/// Reads the size and the size in use from a line of the example.
fn sizes(line: Option<&str>) -> Result<(u64, u64)> {
    let mut words = line.context("the example prints no steps")?.split(' ');
    let mut number = || -> Result<u64> { Ok(words.next().context("a size")?.parse()?) };
    Ok((number()?, number()?))
}

fn real_sizes(server: &etcd::Server<'_>) -> Result<(u64, u64)> {
    let args = ["endpoint", "status", "-w", "json"];
    let answer = server.run(&Case {
        args: args.map(|word| word.as_bytes().to_vec()).to_vec(),
        stdin: Vec::new(),
    })?;
    let answer: Value = serde_json::from_slice(&answer.stdout)?;
    let size = |name: &str| answer[0]["Status"][name].as_u64().context("no size");
    Ok((size("dbSize")?, size("dbSizeInUse")?))
}
