//! `cargo xtask parity snapshot [--operations N] [--seed N]` restores a snapshot of the simulator in a real etcd and
//! compares both.
//!
//! A random run with leases, transactions and compactions is saved as a file. The real etcdctl summarizes and restores
//! the file, and a real etcd starts on it. This etcd must return the same responses as the simulator, at the newest and
//! at old revisions, and continue at the next revision. Headers are not compared, because a restored member has new
//! IDs.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{Answer, Case, etcd, with_temporary_file};
use crate::project;

pub(super) fn run(programs: &etcd::Programs, args: &[String]) -> Result<ExitCode> {
    let (mut operations, mut seed) = ("5000".to_owned(), "1".to_owned());
    for pair in args.chunks(2) {
        match pair {
            [name, value] if name == "--operations" => operations.clone_from(value),
            [name, value] if name == "--seed" => seed.clone_from(value),
            _ => bail!("`parity snapshot` has --operations N and --seed N"),
        }
    }
    with_temporary_file("db", |file| compare(programs, file, &operations, &seed))
}

fn compare(programs: &etcd::Programs, file: &Path, operations: &str, seed: &str) -> Result<bool> {
    let mut example = project::engine_example("snapshot");
    let answers = project::capture(
        example
            .arg(file)
            .args([operations, seed, programs.profile()]),
    )?;
    let mut answers = answers.lines();
    let counts = next(&mut answers, "counts")?;
    println!("{operations} operations with seed {seed}: {counts}");
    let mut differences = 0;
    let mut compared = |what: &str, ours: &str, theirs: &str, fields: &[&str]| -> Result<()> {
        let [ours, theirs] = [ours, theirs].map(|text| only(text, fields));
        let (ours, theirs) = (ours?, theirs?);
        if ours != theirs {
            differences += 1;
            println!("{what} differs\n--- etcd\n{theirs}\n--- watchglass\n{ours}");
        }
        Ok(())
    };
    let ours = next(&mut answers, "status")?;
    let theirs = programs.snapshot_status(file, "json")?;
    compared(
        "snapshot status",
        ours,
        &theirs,
        &["hash", "revision", "totalKey", "totalSize"],
    )?;
    println!("etcdctl snapshot status: {}", theirs.trim_end());
    let mut differing_formats = 0;
    for format in ["simple", "table", "fields"] {
        let ours = next(&mut answers, format)?.replace("\\n", "\n");
        let theirs = programs.snapshot_status(file, format)?;
        if ours.trim_end() != theirs.trim_end() {
            differing_formats += 1;
            println!(
                "snapshot status -w {format} differs\n--- etcd\n{theirs}--- watchglass\n{ours}"
            );
        }
    }

    let server = etcd::Server::restored(programs, file)?;
    let get = |revision: Option<&str>| -> Result<String> {
        let mut args = vec!["get", "", "--prefix", "-w", "json"];
        let flag = revision.map(|revision| format!("--rev={revision}"));
        args.extend(flag.as_deref());
        text(&server.run(&case(&args))?)
    };
    let now = next(&mut answers, "now")?;
    let theirs = get(None)?;
    compared("get now", now, &theirs, &["kvs", "count", "more"])?;
    compared_revision(now, &theirs)?;
    let mut reads = 0;
    for answer in answers {
        let (revision, ours) = answer.split_once(' ').context("a revision and an answer")?;
        let what = format!("get at revision {revision}");
        compared(
            &what,
            ours,
            &get(Some(revision))?,
            &["kvs", "count", "more"],
        )?;
        reads += 1;
    }
    let written = server.run(&case(&["put", "after", "restore", "-w", "json"]))?;
    let next_revision = revision(&text(&written)?)?;
    let ours = revision(now)? + 1;
    if next_revision != ours {
        differences += 1;
        println!("the next revision is {next_revision}, not {ours}");
    }
    server.stop();
    differences += differing_formats;
    let keys = only(now, &["count"])?;
    println!(
        "parity snapshot: {keys} now, {reads} reads of old revisions, next revision {next_revision}, {differences} \
         differences"
    );
    Ok(differences == 0)
}

fn compared_revision(ours: &str, theirs: &str) -> Result<()> {
    let (ours, theirs) = (revision(ours)?, revision(theirs)?);
    ensure!(ours == theirs, "restored at revision {theirs}, not {ours}");
    Ok(())
}

fn next<'a>(lines: &mut std::str::Lines<'a>, name: &str) -> Result<&'a str> {
    let line = lines.next().and_then(|line| line.strip_prefix(name));
    line.map(str::trim)
        .with_context(|| format!("the example prints no {name}"))
}

fn case(args: &[&str]) -> Case {
    Case {
        args: args.iter().map(|word| word.as_bytes().to_vec()).collect(),
        stdin: Vec::new(),
    }
}

fn text(answer: &Answer) -> Result<String> {
    let complaint = String::from_utf8_lossy(&answer.stderr);
    ensure!(answer.exit == 0, "etcdctl failed: {complaint}");
    Ok(String::from_utf8(answer.stdout.clone())?)
}

/// Returns a JSON object that contains only these fields of the JSON object in `text`.
fn only(text: &str, fields: &[&str]) -> Result<String> {
    let value: Value = serde_json::from_str(text).with_context(|| format!("no JSON: {text}"))?;
    let fields = fields
        .iter()
        .map(|field| format!("{field} {}", value[field]));
    Ok(fields.collect::<Vec<_>>().join(", "))
}

fn revision(text: &str) -> Result<i64> {
    let value: Value = serde_json::from_str(text)?;
    value["header"]["revision"].as_i64().context("no revision")
}
