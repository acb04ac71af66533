//! The texts about a database file that the user opens: errors, and why no run can start on the file.

use std::fmt::Display;

use crate::words::ForeignFile;

/// The error messages for requests about a database file.
pub const NO_FILE: &str = "No file is open. Open a file first.";
pub const DAMAGED_VALUE: &str = "The value cannot be shown, because its row is on a damaged page.";
pub const NO_OBJECT: &str =
    "Watchglass does not know all fields of this object. Save the value as bytes or as a script.";
pub const NO_KEY: &str = "This text contains no key. Expected a key of 16, 24 or 32 bytes in base64, or the text of an \
    EncryptionConfiguration with its secrets.";
pub const NO_VALUES: &str = "No key matches whose value is in the file. Change the filter.";

/// Returns the error message for a table or script that would be too large.
pub fn saved_too_large(max_mib: usize) -> String {
    format!("The file would exceed {max_mib} MiB. Enter a longer part of the keys.")
}

/// Returns the comments at the start of a script that puts values of a file.
pub fn script_head(file: &str, revision: i64) -> Vec<String> {
    vec![
        format!("Puts the last values of keys in {file} (revision {revision}), byte for byte."),
        "Set ETCDCTL_ENDPOINTS, and for TLS ETCDCTL_CACERT, ETCDCTL_CERT and ETCDCTL_KEY.".to_owned(),
        "A put replaces the key if it exists. Leases are not restored, so the keys do not expire.".to_owned(),
        "API servers do not check values that are put into etcd; an object may refer to objects that are gone."
            .to_owned(),
    ]
}

pub fn too_large(name: &str, bytes: u64, max_gib: u64) -> String {
    let gib = bytes.div_ceil(1 << 30);
    format!("{name} has {gib} GiB; the maximum is {max_gib} GiB. Choose a smaller snapshot.")
}

/// Returns the error message for a file that the browser no longer reads.
pub fn unreadable(name: &str) -> String {
    format!(
        "The browser cannot read {name} any more: the file was changed, moved or deleted since you chose it. Choose \
        the file again. The current run is not affected."
    )
}

/// Returns the error message for a file with more keys and rows than fit in memory.
pub fn too_many_keys(name: &str, keys: u64, rows: u64) -> String {
    format!(
        "{name} has too many keys for a report in this tab: the limit was reached after {keys} keys in {rows} rows. \
        Keep this file. Restore it into a member of its own, delete prefixes that you do not need there, compact and \
        defragment that member, and save a smaller snapshot."
    )
}

/// Returns the reason why no run can start on a file with many pages in use.
pub fn pages_too_large(needed: &str, max: &str) -> String {
    format!(
        "A run on this file needs its {needed} of pages in use in memory; the maximum is {max}. The report needs no \
        such memory. {SMALLER_COPY}"
    )
}

/// The advice for a file that is too large for a run.
const SMALLER_COPY: &str = "To explore the data, keep this file, restore it into a member of its own, compact and \
    defragment that member, and save a smaller snapshot.";

/// Returns the error message for a file that is no etcd database, but has a known format.
pub fn foreign(name: &str, format: ForeignFile) -> String {
    let unpack = |kind: &str, command: &str| {
        format!(
            "is compressed with {kind}. Unpack it with `{command}`, and choose the unpacked file"
        )
    };
    let archive = |kind: &str, command: &str| {
        format!(
            "is a {kind} archive. Unpack it with `{command}`, and choose the snapshot in it, or the file \
            `member/snap/db` of a data directory"
        )
    };
    let what = match format {
        ForeignFile::Sqlite => {
            "is an SQLite database. Expected an etcd database: a file saved by `etcdctl snapshot \
            save`, or `member/snap/db` from a data directory"
                .to_owned()
        }
        ForeignFile::Gzip => unpack("gzip", &format!("gunzip {name}")),
        ForeignFile::Zstd => unpack("Zstandard", &format!("zstd -d {name}")),
        ForeignFile::Xz => unpack("xz", &format!("unxz {name}")),
        ForeignFile::Bzip2 => unpack("bzip2", &format!("bunzip2 {name}")),
        ForeignFile::Tar => archive("tar", &format!("tar xf {name}")),
        ForeignFile::Zip => archive("zip", &format!("unzip {name}")),
        ForeignFile::WriteAheadLog => {
            "is a part of etcd's write-ahead log, which has the requests of the cluster, \
            not its keys. Choose the database beside it: `member/snap/db`"
                .to_owned()
        }
    };
    format!("{name} {what}.")
}

/// Returns the error message for a list of keys that is no database.
pub fn no_list(name: &str, why: impl Display) -> String {
    format!(
        "{name} is a list of keys that cannot be read: {why}. Write it with `etcdctl get '' --prefix -w json`, or with \
        a prefix instead of ''."
    )
}

pub fn list_too_large(mib: u64) -> String {
    format!("it has more than {mib} MiB")
}

pub const LIST_UNREADABLE: &str = "the browser cannot read it, or it is not UTF-8";

pub fn not_etcd(name: &str, error: impl Display) -> String {
    format!(
        "{name} is not an etcd database, or both meta pages are damaged: {error}. Choose another file."
    )
}

/// Returns the reason why a damaged file cannot be explored.
pub fn damaged(first_error: impl Display) -> String {
    format!("This file is damaged and cannot be explored. First error: {first_error}.")
}

/// Returns the error message for a file on which no run can start.
pub fn no_run(name: &str, error: impl Display) -> String {
    format!("Cannot start a run on {name}: {error}.")
}

/// Returns the error message for a database file whose run would need too much memory.
pub fn run_too_large(limit: &str) -> String {
    format!(
        "A run on this file needs more memory than the limit of {limit}. You can still read the overview of the file. \
         {SMALLER_COPY}"
    )
}

/// Returns the error message for an undo that needs the run's database file again.
pub fn undo_needs(name: &str) -> String {
    format!("Cannot undo: the run starts from the file {name}. First open this file again.")
}
