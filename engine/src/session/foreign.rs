//! Files that are no database, but that people open because a backup or a data directory of etcd contains them.

use crate::etcd::key_list::is_key_list;
pub use crate::words::ForeignFile;

/// The number of bytes from which a file is recognized.
pub const START_BYTES: usize = 512;

/// The first bytes of the formats that have a signature at the start.
const SIGNATURES: [(&[u8], ForeignFile); 6] = [
    (b"SQLite format 3\0", ForeignFile::Sqlite),
    (b"\x1f\x8b\x08", ForeignFile::Gzip),
    (b"PK\x03\x04", ForeignFile::Zip),
    (b"\x28\xb5\x2f\xfd", ForeignFile::Zstd),
    (b"\xfd7zXZ\0", ForeignFile::Xz),
    (b"BZh", ForeignFile::Bzip2),
];

/// Returns the format of a file that starts with these bytes; `None` for a database and for a file of any other format.
///
/// ```
/// use watchglass_engine::session::foreign::{ForeignFile, foreign_file};
/// assert_eq!(foreign_file(b"\x1f\x8b\x08\0"), Some(ForeignFile::Gzip));
/// assert_eq!(foreign_file(b"etcdctl put a 1"), None);
/// ```
pub fn foreign_file(start: &[u8]) -> Option<ForeignFile> {
    let at = |at: usize, what: &[u8]| start.get(at..at + what.len()) == Some(what);
    let signed = SIGNATURES.iter().find(|(signature, _)| at(0, signature));
    if let Some((_, format)) = signed {
        return Some(*format);
    }
    if at(257, b"ustar") {
        return Some(ForeignFile::Tar);
    }
    // The length of the first record, which has at most 8 bytes, and then its type, the checksum.
    let is_short = start.first().is_some_and(|length| (4..=8).contains(length));
    let is_log = is_short && at(1, &[0; 6]) && at(8, b"\x08\x04\x10");
    is_log.then_some(ForeignFile::WriteAheadLog)
}

/// Returns true if a file with this name and start is to be opened as a database: a bbolt file, a list of keys, a file
/// with a name that ends with `.db`, or a [`foreign_file`], whose refusal explains what to do.
pub fn opens_as_database(name: &str, start: &[u8]) -> bool {
    let is_bbolt = start.get(16..20) == Some(&[0xed, 0xda, 0x0c, 0xed]);
    is_bbolt || name.ends_with(".db") || is_key_list(start) || foreign_file(start).is_some()
}
