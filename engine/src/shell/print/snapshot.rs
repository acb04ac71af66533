//! Prints the output of `snapshot status` and `etcdutl hashkv`.
//!
//! Mirrors `makeDBStatusTable` and the `DBStatus` methods in `printer.go`. For 3.6, it mirrors
//! `etcdutl/etcdutl/printer.go`, which adds the storage version.

use super::status::human_size;
use super::table::table;
use super::{json, unsupported};
use crate::api::{Difference, Profile};
use crate::backend::SnapshotStatus;
use crate::base::json::Json;
use crate::mvcc::hash_kv::KeyValueHash;
use crate::shell::{Format, Output};

pub fn snapshot_status(status: &SnapshotStatus, format: Format, profile: Profile) -> Output {
    let mut output = Output::default();
    let total_keys = status.total_keys(profile);
    let has_version = profile.has(Difference::ReportsStorage);
    let mut row = vec![
        format!("{:x}", status.hash),
        status.revision.to_string(),
        total_keys.to_string(),
        human_size(status.total_bytes as i64),
    ];
    let mut headings = vec!["hash", "revision", "total keys", "total size"];
    if has_version {
        row.push(status.version.clone());
        headings.push("version");
    }
    match format {
        Format::Simple => output.stdout = (row.join(", ") + "\n").into_bytes(),
        Format::Table => table(&mut output.stdout, &headings, &[row], profile),
        Format::Json => json::line(&mut output.stdout, |out| {
            let mut json = Json::object(out);
            json.value("hash", status.hash);
            json.value("revision", status.revision);
            json.value("totalKey", total_keys);
            json.value("totalSize", status.total_bytes);
            if has_version {
                json.string("version", &status.version);
            }
        }),
        Format::Fields => {
            let mut text = format!(
                "\"Hash\" : {}\n\"Revision\" : {}\n\"Keys\" : {}\n\"Size\" : {}\n",
                status.hash, status.revision, total_keys, status.total_bytes
            );
            if has_version {
                text.push_str(&format!("\"Version\" : {}\n", status.version));
            }
            output.stdout = text.into_bytes();
        }
        Format::Protobuf => unsupported(format, &mut output),
    }
    output
}

/// Returns the output of `etcdutl hashkv`.
pub fn file_hash(hash: &KeyValueHash, format: Format, profile: Profile) -> Output {
    let mut output = Output::default();
    let row = vec![
        hash.hash.to_string(),
        hash.revision.to_string(),
        hash.compact_revision.to_string(),
    ];
    match format {
        Format::Simple => output.stdout = (row.join(", ") + "\n").into_bytes(),
        Format::Table => {
            let headings = ["hash", "hash revision", "compact revision"];
            table(&mut output.stdout, &headings, &[row], profile);
        }
        Format::Json => json::line(&mut output.stdout, |out| {
            let mut json = Json::object(out);
            json.value("hash", hash.hash);
            json.value("hashRevision", hash.revision);
            json.value("compactRevision", hash.compact_revision);
        }),
        Format::Fields => {
            let text = format!(
                "\"Hash\" : {}\n\"Hash revision\" : {}\n\"Compact revision\" : {}\n",
                hash.hash, hash.revision, hash.compact_revision
            );
            output.stdout = text.into_bytes();
        }
        Format::Protobuf => unsupported(format, &mut output),
    }
    output
}
