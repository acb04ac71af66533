//! The texts about faults of a database file: damaged pages, and buckets, rows and leases that etcd never writes.

use std::fmt::Display;

// Faults of the file.

/// The SHA-256 at the end of a snapshot is wrong.
pub const WRONG_TRAILER: &str =
    "the SHA-256 at the end of the file does not match the pages before it";

// A list of keys as a database.

pub const NO_KEY_LIST: &str = "the text is not JSON that `etcdctl get -w json` prints";
pub const LIST_WITHOUT_REVISION: &str = "its header has no revision";
pub const LIMITED_LIST: &str =
    "it was cut off, or has only some of the keys; leave out `--limit` and `--count-only`";

/// Returns the sentence about a key of a list, which is shown escaped.
pub fn wrong_revision(key: &str) -> String {
    format!(
        "the key {key} has no revision, or one above that of the list; leave out `--keys-only` and other flags that \
         omit fields"
    )
}

/// Returns a fault with its position in the file.
pub fn at_page(page: u64, offset: u64, fault: impl Display) -> String {
    format!("page {page}, byte {offset}: {fault}")
}

/// Returns the faults of both meta pages. Each fault already contains its position.
pub fn both_meta_pages(first: impl Display, second: impl Display) -> String {
    format!("{first}; {second}")
}

/// Returns the sentence about a file without a valid meta page. Each fault already contains its position.
pub fn no_meta_page(first: impl Display, second: impl Display) -> String {
    format!("neither meta page is valid: {first}; {second}")
}

pub fn file_too_short(bytes: u64) -> String {
    format!("the file has {bytes} bytes, too few for the two meta pages of a database")
}

pub fn file_too_long(bytes: u64) -> String {
    format!("the file has {bytes} bytes; the maximum is 16 GiB")
}

/// The reason why no run starts on a file that was changed, moved or deleted.
pub const UNREADABLE: &str = "the browser cannot read the file any more. Choose the file again";

pub fn page_too_long(overflow: u32) -> String {
    format!("the page has {overflow} overflow pages, too many to be read at once")
}

/// Returns the sentence about a file that ends before its last page.
pub fn truncated(counted: u64, held: u64) -> String {
    format!(
        "the meta page counts {counted} pages, but the file has {held}: the end of the file is missing"
    )
}

// Faults of a meta page.

pub fn magic(found: u32) -> String {
    format!("this is not a bbolt meta page: the magic number is {found:#010x}, expected 0xed0cdaed")
}

pub fn format_version(found: u32) -> String {
    format!("the format version is {found}, expected 2")
}

pub fn page_size(found: u32) -> String {
    format!("the page size is {found} bytes, expected a power of two from 1024 to 65536")
}

pub fn checksum(stored: u64, computed: u64) -> String {
    format!("the checksum is {stored:#018x}, expected {computed:#018x}")
}

/// Returns the sentence about a transaction number that is too high.
pub fn transaction(txid: u64) -> String {
    format!(
        "the last transaction has the number {txid}, which leaves no numbers for later transactions"
    )
}

// Faults of other pages.

/// Sentences about faults of a page that contain no numbers or names.
pub const EMPTY_BRANCH: &str = "the branch page has no elements";
pub const SINGLE_BRANCH: &str = "the branch page has 1 element, expected at least 2";
pub const EMPTY_LEAF: &str = "the leaf page has no elements, but a branch page links to it";
pub const REACHED_TWICE: &str = "two links in the file lead to the page";
pub const TOO_DEEP: &str = "the page is deeper in the tree than any page of a valid file";
pub const FREE_IN_USE: &str = "the page is in use, but also in the free list";
pub const LOST: &str = "the page is neither in use nor in the free list";

/// Returns the sentence about a link to a missing page.
pub fn no_such_page(linked: u64, held: u64) -> String {
    format!("a link leads to page {linked}, but the file has {held} pages")
}

/// Returns the sentence about a page whose header contains the number of another page.
pub fn wrong_id(found: u64) -> String {
    format!("the page number in the page header is {found}")
}

/// Returns the sentence about a page whose flags match no kind of page.
pub fn unknown_kind(flags: u16) -> String {
    wrong_kind(flags, "branch, leaf, meta or free list")
}

/// Returns the sentence about a page that is neither a branch page nor a leaf page, although a link requires it.
pub fn not_branch_or_leaf(flags: u16) -> String {
    wrong_kind(flags, "branch or leaf")
}

/// Returns the sentence about a page that is not a leaf page, although a link requires it.
pub fn not_leaf(flags: u16) -> String {
    wrong_kind(flags, "leaf")
}

/// Returns the sentence about a page that is not a meta page, although its position requires it.
pub fn not_meta(flags: u16) -> String {
    wrong_kind(flags, "meta")
}

/// Returns the sentence about a page that does not contain the free list, although the meta page refers to it.
pub fn not_freelist(flags: u16) -> String {
    wrong_kind(flags, "free list")
}

fn wrong_kind(flags: u16, expected: &str) -> String {
    format!("the page has the flags {flags:#06x}, expected the flags of a {expected} page")
}

/// Returns the sentence about a page with too many overflow pages.
pub fn overflow(overflow: u32, held: u64) -> String {
    format!("the page claims {overflow} overflow pages, but the file has {held} pages in all")
}

/// Returns the sentence about a page with too many elements.
pub fn element_count(count: u64, room: u64) -> String {
    format!("the page claims {count} elements, but has room for {room}")
}

pub fn element_beyond_page(index: u32) -> String {
    format!("element {index} extends beyond the end of the page")
}

/// Returns the sentence about elements that overlap.
pub fn overlap(index: u32) -> String {
    format!("element {index} overlaps other elements: together they are longer than the page")
}

pub fn element_without_key(index: u32) -> String {
    format!("element {index} has an empty key")
}

/// Returns the sentence about a key that is not greater than the previous key.
pub fn key_order(index: u32) -> String {
    format!("the key of element {index} is out of order")
}

/// Returns the sentence about a bucket whose value is too short.
pub fn bucket_value(index: u32) -> String {
    format!("element {index} is a bucket, but its value is not a bucket header")
}

/// Returns the sentence about a wrong entry of the free list.
pub fn freelist_entry(page: u64) -> String {
    format!("the free list contains page {page}, which cannot be free or is listed twice")
}

// Faults of the buckets.

/// Returns the sentence about a key that has the name of one of etcd's buckets but is not a bucket.
pub fn not_a_bucket(name: &str) -> String {
    format!("the root bucket of the file contains {name} as a key, expected a bucket")
}

/// Returns the sentence about a bucket that contains another bucket.
pub fn nested_bucket(name: &str) -> String {
    format!("the bucket {name} contains another bucket; buckets of etcd contain only rows")
}

// Faults of the rows. The sentences name a row by its revision.

/// Returns the sentence about a row whose key is not a revision. `bytes` is the length of the key, and `start` is the
/// start of the key as text.
pub fn row_key(bytes: usize, start: &str) -> String {
    format!(
        "a key of the bucket `key` is not a revision: {bytes} bytes, {start}; expected 17 bytes, or 18 for a delete"
    )
}

/// Returns the sentence about a row whose value cannot be decoded.
pub fn row_value(row: impl Display) -> String {
    format!("row {row} of the bucket `key`: the value is not a KeyValue")
}

/// Returns the sentence about a row with a revision or version that is too large.
pub fn count_too_large(row: impl Display) -> String {
    format!("row {row} of the bucket `key`: the revision or version is larger than etcd can reach")
}

pub fn changed_key_empty(row: impl Display) -> String {
    format!("row {row} of the bucket `key`: the KeyValue has an empty key, which etcd never writes")
}

/// Returns the sentence about a row whose value has another revision.
pub fn other_revision(row: impl Display, mod_revision: i64, expected: i64) -> String {
    format!(
        "row {row} of the bucket `key`: the value has mod_revision {mod_revision}, expected {expected}"
    )
}

/// Returns the sentence about a row with a wrong version or create revision.
pub fn wrong_version(
    row: impl Display,
    version: i64,
    create_revision: i64,
    create_revision_max: i64,
) -> String {
    format!(
        "row {row} of the bucket `key`: version {version}, create_revision {create_revision}; expected a version of at \
         least 1 and a create_revision of at most {create_revision_max}"
    )
}

/// Returns the sentence about the delete of a key that does not exist.
pub fn deleted_twice(row: impl Display, key: impl Display) -> String {
    format!("row {row} of the bucket `key`: {key} is deleted, but does not exist at this revision")
}

/// Returns the sentence about a key that a revision changes twice.
pub fn changed_twice(row: impl Display, key: impl Display) -> String {
    format!("row {row} of the bucket `key`: {key} is changed twice in this revision")
}

/// Returns the sentence about a compaction revision that cannot be decoded.
pub fn compact_revision(name: &str) -> String {
    format!("{name} in the bucket `meta` is not a revision: expected 17 bytes")
}

// Faults of the leases.

/// Returns the sentence about a key that is not a lease id.
pub fn lease_key(bytes: usize) -> String {
    format!("a key of the bucket `lease` has {bytes} bytes; expected the 8 bytes of a lease id")
}

/// Returns the sentence about a lease id whose value describes another lease.
pub fn lease_value(id: i64) -> String {
    format!("lease {id:x} of the bucket `lease`: the value describes another lease")
}

/// Returns the sentence about a lease with a TTL that etcd never grants. All times are in seconds.
pub fn lease_ttl(id: i64, ttl_s: i64, remaining_ttl_s: i64, ttl_max_s: i64) -> String {
    format!(
        "lease {id:x} of the bucket `lease`: a TTL of {ttl_s} s with {remaining_ttl_s} s left; expected a TTL of at \
         most {ttl_max_s} s, and a remaining time of at most the TTL"
    )
}
