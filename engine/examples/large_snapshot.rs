//! Writes a large snapshot for measurements, similar to a snapshot of a Kubernetes cluster: `large_snapshot FILE [MB]`.
//!
//! The rows are pods, events, leases and configmaps with values of 200 to 4,000 bytes; every second row is an update of
//! a key.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program that writes a file and says so"
)]

use std::process::ExitCode;
use std::{env, fs};

use watchglass_engine::api::KeyValue;
use watchglass_engine::base::proto;
use watchglass_engine::bbolt::file::with_trailer;
use watchglass_engine::bbolt::node::FILL_SEQUENTIAL;
use watchglass_engine::bbolt::{Db, Options, TxError};
use watchglass_engine::mvcc::Revision;

/// The maximum number of rows that one transaction writes, as in etcd's backend (`defaultBatchLimit`).
const BATCH: i64 = 10_000;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let megabytes = args.get(1).map_or(Ok(100), |text| text.parse::<u64>());
    let (Some(path), Ok(megabytes)) = (args.first(), megabytes) else {
        eprintln!("usage: large_snapshot FILE [MB]");
        return ExitCode::FAILURE;
    };
    let written = rows(megabytes * 1_000_000);
    let saved = written
        .map_err(|error| error.to_string())
        .and_then(|(file, rows)| {
            fs::write(path, file).map_err(|error| error.to_string())?;
            Ok(rows)
        });
    match saved {
        Ok(rows) => {
            println!("{path}: {rows} rows");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Creates a database file of about `bytes` bytes. Returns the file and its number of rows.
fn rows(bytes: u64) -> Result<(Vec<u8>, i64), TxError> {
    let mut db = Db::new(Options::etcd_3_6());
    let mut tx = db.begin();
    for bucket in ["key", "lease", "meta"] {
        tx.create_bucket(&[], bucket.as_bytes())?;
    }
    db.commit(tx)?;
    let mut main = 1;
    while db.bytes() < bytes {
        let mut tx = db.begin();
        tx.set_fill(&[b"key"], FILL_SEQUENTIAL)?;
        let rows = (0..BATCH).map(|_| {
            main += 1;
            let row = proto::encode(&change(main));
            (
                Revision::new(main, 0).encode().as_slice().into(),
                row.into(),
            )
        });
        tx.append(&[b"key"], rows)?;
        db.commit(tx)?;
    }
    Ok((with_trailer(db.view().to_file()?), main - 1))
}

/// Returns the change at revision `main`: an even revision creates a key, and the next revision updates the key.
fn change(main: i64) -> KeyValue {
    let (key, is_update) = (main / 2, main % 2 == 1);
    let kinds = ["pods", "events", "leases/kube-node-lease", "configmaps"];
    let namespace = key / 4 % 60;
    let name = format!(
        "/registry/{}/team-{namespace}/object-{key:07}",
        kinds[(key % 4) as usize]
    );
    let length = 200 + key * 7919 % 3800;
    KeyValue {
        key: name.into(),
        create_revision: if is_update { main - 1 } else { main },
        mod_revision: main,
        version: if is_update { 2 } else { 1 },
        value: vec![b'x'; length as usize].into(),
        lease: 0,
    }
}
