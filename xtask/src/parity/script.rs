//! `cargo xtask parity script [FILE]` brings the keys of a snapshot back with the script of `etcdctl put` that
//! Watchglass writes, and compares the values with those of the snapshot.
//!
//! One real etcd is restored from the snapshot. The shell runs the script against a second, empty etcd. Each key of the
//! snapshot, deleted keys included, must then have the value that the first etcd returns at the revision of the value.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{Case, etcd, with_temporary_file};
use crate::project;

const SAMPLE: &str = "engine/tests/data/etcd_3.4.23_writers.db";

pub(super) fn run(programs: &etcd::Programs, args: &[String]) -> Result<ExitCode> {
    let file = match args {
        [] => project::root().join(SAMPLE),
        [file] => PathBuf::from(file),
        _ => bail!("`parity script` has one argument, a snapshot"),
    };
    with_temporary_file("sh", |script| compare(programs, &file, script))
}

fn compare(programs: &etcd::Programs, file: &Path, script: &Path) -> Result<bool> {
    let mut example = project::engine_example("put_script");
    let keys = project::capture(example.arg(file).arg(script))?;
    let restored = etcd::Server::restored(programs, file)?;
    let fresh = etcd::Server::start(programs)?;
    let mut shell = Command::new("sh");
    shell.arg(script).env("ETCDCTL_ENDPOINTS", fresh.endpoint());
    shell.env("PATH", programs.path()?);
    project::capture(&mut shell)?;
    let (mut compared, mut differences) = (0, 0);
    for line in keys.lines() {
        let (revision, key) = line.split_once(' ').context("a revision and a key")?;
        let key: String = serde_json::from_str(key)?;
        let theirs = value(&restored, &key, Some(revision))?;
        let ours = value(&fresh, &key, None)?;
        ensure!(
            !theirs.is_null(),
            "etcd has no value of {key} at {revision}"
        );
        compared += 1;
        if ours != theirs {
            differences += 1;
            println!("{key} differs\n--- etcd at {revision}\n{theirs}\n--- the script\n{ours}");
        }
    }
    let live = |server: &etcd::Server<'_>| get(server, "", &["--prefix"]);
    let (live, written) = (live(&restored)?, live(&fresh)?);
    let pairs = |kvs: &Value| -> Vec<(Value, Value)> {
        let kvs = kvs.as_array().cloned().unwrap_or_default();
        kvs.iter()
            .map(|kv| (kv["key"].clone(), kv["value"].clone()))
            .collect()
    };
    let written = pairs(&written);
    for pair in pairs(&live) {
        if !written.contains(&pair) {
            differences += 1;
            println!("the live key {} differs", pair.0);
        }
    }
    println!(
        "parity script: {compared} keys at the revisions of their values, {differences} differences"
    );
    restored.stop();
    fresh.stop();
    Ok(differences == 0)
}

/// Returns the value of a key in base64, or `null`.
fn value(server: &etcd::Server<'_>, key: &str, revision: Option<&str>) -> Result<Value> {
    let flag = revision.map(|revision| format!("--rev={revision}"));
    let kvs = get(
        server,
        key,
        &flag.as_deref().into_iter().collect::<Vec<_>>(),
    )?;
    // etcdctl omits the value of a key with an empty value.
    Ok(match &kvs[0] {
        Value::Null => Value::Null,
        kv => kv.get("value").cloned().unwrap_or_else(|| "".into()),
    })
}

/// Returns the keys and values of a read.
fn get(server: &etcd::Server<'_>, key: &str, flags: &[&str]) -> Result<Value> {
    let end = ["--", key];
    let args = ["get", "-w", "json"].iter().chain(flags).chain(&end);
    let answer = server.run(&Case {
        args: args.map(|word| word.as_bytes().to_vec()).collect(),
        stdin: Vec::new(),
    })?;
    let complaint = String::from_utf8_lossy(&answer.stderr);
    ensure!(answer.exit == 0, "etcdctl failed: {complaint}");
    let mut answer: Value = serde_json::from_slice(&answer.stdout)?;
    Ok(answer["kvs"].take())
}
