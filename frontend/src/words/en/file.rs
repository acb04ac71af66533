//! The texts of the dialog for a database file: the choice, the progress, and the content of the file.

use watchglass_engine::session::protocol::FileStage;
use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::{FileSpace, PrefixRow};
use yew::prelude::*;

use super::common::grouped_count as count;
use super::file_maintenance;

/// The titles of the dialog while no database file is open.
pub const NEEDS_SNAPSHOT: &str = "This run needs its snapshot";
pub const OPEN_SNAPSHOT: &str = "Open a snapshot";

/// The statement on privacy, shown at each button that chooses a snapshot.
/// The refusal of a field for a number.
pub const NO_NUMBER: &str = "Enter a whole number, such as 1000.";
pub const PRIVATE: &str =
    "This tab reads the file and never uploads it. Close the tab to discard the file.";
/// The labels of the buttons in the dialog for a database file.
pub const CHOOSE: &str = "Choose a file…";
pub const NO_FILE_IN_FIGURE: &str = "a figure cannot open files";
pub const OTHER_FILE: &str = "another file was opened before this one was read";
pub const CLOSED: &str = "the file was closed before it was read";
pub const CHOOSE_ANOTHER: &str = "Choose another file…";
pub const CHOOSE_THE_FILE: &str = "Choose the file…";
pub const DO_NOT_OPEN: &str = "Do not open this run";
pub const EXPLORE: &str = "Explore this file";
pub const CLOSE: &str = "Close the file";

/// The explanation for a run whose snapshot is not open, and the properties of the snapshot.
pub const CHOOSE_AGAIN: &str = "Links and saved runs contain your commands but not the snapshot. Choose the snapshot \
    file of this run again:";
pub const NAME: &str = "name";
pub const SNAPSHOT_SIZE: &str = "size";
pub const SHA_256: &str = "SHA-256 of the pages";

/// The names of the properties of a database file.
pub const FILE_SIZE: &str = "file size";
pub const PAGES: &str = "pages";
pub const HASH: &str = "hash (snapshot status)";
pub const NEWEST_REVISION: &str = "newest revision";
pub const COMPACTED_REVISION: &str = "compacted revision";
pub const LAST_APPLIED: &str = "last applied Raft entry";
pub const RAFT_TERM: &str = "Raft term";
pub const STORAGE_VERSION: &str = "storage version";
pub const LIVE_KEYS: &str = "live keys";
pub const REVISIONS_STORED: &str = "revisions stored";
pub const DELETES: &str = "of these, deletes";
pub const ROWS_IN_ALL: &str = "rows in all buckets";
/// The text in place of a number that is unknown, because pages are damaged.
pub const UNKNOWN: &str = "unknown";
/// The text for the compact revision of a file that was never compacted.
pub const NEVER: &str = "never";
pub const NO_STORAGE_VERSION: &str = "none (before etcd 3.6)";

/// The results of the checks of a database file.
pub const META_PAGES_VALID: &str = "Both meta pages are valid";
pub const TRAILER_MATCHES: &str = "The SHA-256 at the end of the file matches";
pub const NO_TRAILER: &str = "No SHA-256 at the end: a member's database, not a saved snapshot";
pub const NO_TRAILER_WITH_FAULTS: &str =
    "No SHA-256 at the end: either this is a member's database, or the end of the file is missing";
pub const PAGES_VALID: &str = "Every page is valid, and either free or used exactly once";

/// The headings of the sections in the dialog for a database file.
pub const FAULTS: &str = "Faults";
pub const USE_OF_SPACE: &str = "What frees space?";
pub const LEASES: &str = "Leases";
pub const BUCKETS: &str = "Buckets";
pub const BY_PREFIX: &str = "Which prefix uses the space?";

/// The names of the parts of the file's space.
pub const NEWEST_ROWS: &str = "newest rows";
pub const OLDER_ROWS: &str = "older rows and deletes";
pub const OTHER_SPACE: &str = "other buckets, page headers and unused space";
pub const FREE_PAGES: &str = "free pages";

/// The headings of the columns of the tables.
pub const LEASE: &str = "Lease";
pub const TTL: &str = "TTL";
pub const KEYS: &str = "Keys";
pub const BUCKET: &str = "Bucket";
pub const ROWS: &str = "Rows";
pub const BYTES: &str = "Bytes";
pub const PREFIX: &str = "Prefix";
pub const BYTES_OF_ROWS: &str = "Bytes of rows";
pub const KEY: &str = "Key";

/// The names of the two parts of each bar, for the legend.
pub const NEWEST_ROW: &str = "newest row of a live key";
pub const OLDER_ROW: &str = "older row or delete";
/// The first part of the path that leads to a prefix of keys. This part links to the groups of all keys.
pub const ALL_KEYS: &str = "all keys";

/// Formats a number with thousands separators.
pub fn number(value: impl Into<i128>) -> String {
    let value: i128 = value.into();
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

/// Formats a size in the largest unit in which the size is at least 1.
pub fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    for (unit, name) in units {
        if bytes >= unit {
            let tenths = bytes / (unit / 10);
            return format!("{}.{} {name}", number(tenths / 10), tenths % 10);
        }
    }
    format!("{bytes} B")
}

/// Formats a size in bytes.
pub fn bytes_exactly(bytes: u64) -> String {
    format!("{} bytes", number(bytes))
}

/// Formats a share in percent, with one decimal digit.
pub fn share(part: u64, whole: u64) -> String {
    let whole = whole.max(1);
    let tenths = (part.saturating_mul(1000) + whole / 2) / whole;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Returns the progress of opening a file: the current phase, and the amount of work done out of a total.
pub fn stage(stage: FileStage, done: u64, total: u64) -> String {
    let percent = share(done, total);
    match stage {
        FileStage::Unpacking => {
            format!(
                "Unpacking: {percent}, {} of {}",
                number(done),
                bytes_exactly(total)
            )
        }
        FileStage::Reading => {
            format!(
                "Reading and hashing: {percent}, {} of {}",
                number(done),
                bytes_exactly(total)
            )
        }
        FileStage::Checking => {
            format!(
                "Checking pages: {} of {}",
                number(done),
                count(total, "page", "pages")
            )
        }
        FileStage::Summing => {
            format!(
                "Reading rows: {} of {}",
                number(done),
                count(total, "page", "pages")
            )
        }
        FileStage::Maintenance(stage) => file_maintenance::stage(stage, done, total),
        FileStage::Comparing => {
            format!(
                "Comparing: {} of {}",
                number(done),
                count(total, "key and row", "keys and rows")
            )
        }
    }
}

pub fn percent(percent: u64) -> String {
    format!("{percent} %")
}

/// Explains which files can be chosen.
pub fn choose() -> Html {
    html! {
        <>
            { "Choose a file saved by " }<code>{ "etcdctl snapshot save" }</code>{ ", " }
            <code>{ "member/snap/db" }</code>{ " from a data directory, or the output of " }
            <code>{ "etcdctl get '' --prefix -w json" }</code>{ ". The page shows which keys use the most \
               space, who wrote them and which keys change most, and brings deleted keys back. You can then start a \
               run on this data: read old revisions, write, compact." }
        </>
    }
}

/// Returns the error for a file that is not the file that the run needs.
pub fn another_file(name: &str) -> String {
    format!("{name} is another file: its content differs. Choose the file with the SHA-256 below.")
}

/// Returns the reason why a figure cannot show a run that begins with a snapshot.
/// Returns the error message for a gzip file that cannot be unpacked.
pub fn damaged_gzip(name: &str) -> String {
    format!(
        "{name} cannot be unpacked: its gzip data is damaged, or its end is missing. Check it with `gzip -t {name}`."
    )
}

pub fn figure_cannot_open(name: &str) -> String {
    format!(
        "This run begins with the snapshot {name}, which a figure cannot open. Open the run in the app."
    )
}

/// Explains the button that starts a run.
pub fn explore(view: &FileOverview) -> String {
    format!(
        "Starts a run on a simulated etcd {} with this data. The file is not changed.",
        view.profile
    )
}

/// Returns the number of pages and their size.
pub fn pages(space: &FileSpace) -> String {
    format!(
        "{} × {}",
        number(space.pages),
        bytes_exactly(space.page_bytes)
    )
}

/// Explains the hash and the number of rows: `etcdctl snapshot status` prints the same hash.
pub fn snapshot_status() -> Html {
    html! {
        <>
            <code>{ "snapshot status" }</code>
            { " prints the same hash. Its “total keys” are the live keys since etcd 3.6, and the rows in all buckets \
               before." }
        </>
    }
}

/// Returns the result of the check of a damaged meta page.
pub fn meta_page_damaged(page: usize, fault: &str) -> String {
    let other = 1 - page;
    format!("Meta page {page} is damaged ({fault}); meta page {other} is used")
}

/// Returns the text about a file whose last bytes, a SHA-256, do not match the file's pages. `pages` is the SHA-256 of
/// the pages.
pub fn trailer_differs(pages: &str) -> String {
    let text = "The SHA-256 at the end does not match the pages: the file was changed after it was saved. \
        SHA-256 of the pages: ";
    [text, pages].concat()
}

/// Returns the result of the check of the pages if there are faults.
pub fn faults(found: u64) -> String {
    format!(
        "{}: only the file's pages without faults are shown",
        count(found, "fault", "faults")
    )
}

/// Returns the number of faults that are not in the list.
pub fn more_faults(number: u64) -> String {
    format!("and {}", count(number, "more fault", "more faults"))
}

/// Answers what frees space. The pages of a damaged file are not counted completely, so its text names only the free
/// pages.
pub fn what_frees_space(view: &FileOverview) -> Html {
    let space = &view.space;
    let free = format!(
        "Free pages are {} of the file ({}); etcd uses them for new rows.",
        share(space.free_bytes(), space.bytes()),
        size(space.free_bytes())
    );
    if !view.damages.is_empty() {
        return html! { free };
    }
    let compaction = format!(
        "A compaction removes up to {} of older rows and deletes. ",
        size(space.older_bytes)
    );
    html! {
        <>
            { compaction }
            { free }
            { " Only " }<code>{ "etcdctl defrag" }</code>
            { " makes the file smaller: it copies all rows to a new file, which has some free pages of its own." }
        </>
    }
}

/// Returns the text alternative of the map of the file's pages.
pub fn map(space: &FileSpace) -> String {
    format!(
        "Map of the file: {} of {} pages are free",
        space.free, space.pages
    )
}

/// Explains the cells of the map of the file's pages, and counts the pages of each type.
pub fn about_map(space: &FileSpace) -> String {
    let kinds = [
        ("leaf", space.leaf),
        ("overflow", space.overflow),
        ("branch", space.branch),
        ("meta and free list", space.meta),
        ("free", space.free),
        ("unreachable", space.not_reached),
    ];
    let kinds = kinds.iter().filter(|(_, pages)| *pages > 0);
    let kinds: Vec<String> = kinds
        .map(|(name, pages)| format!("{} {name}", number(*pages)))
        .collect();
    format!(
        "Each cell is {}, in file order; fainter cells have more free pages. Page types: {}.",
        count(space.map_pages, "page", "pages"),
        kinds.join(", ")
    )
}

/// Returns the number of leases and of their keys.
pub fn leases(view: &FileOverview) -> String {
    let leases = format!(
        "{}, {} attached",
        count(view.lease_count, "lease", "leases"),
        count(view.attached_keys, "key", "keys")
    );
    match view.lost_leases {
        0 => leases,
        lost => format!(
            "{leases}; {} a lease that is missing from the file",
            count(lost, "key refers to", "keys refer to")
        ),
    }
}

/// Returns the number of leases that are not in the table.
pub fn more_leases(number: u64) -> String {
    format!("and {} not shown", count(number, "lease", "leases"))
}

/// Formats a TTL.
pub fn seconds(seconds: i64) -> String {
    format!("{} s", number(seconds))
}

/// Returns the number of groups of keys that are not in the table.
pub fn more_groups(number: u64) -> String {
    let groups = count(number, "more group", "more groups");
    format!("{groups}: find their keys in the list below")
}

/// Answers which prefix uses the space: the first group of the list of groups below `prefix`.
pub fn largest_prefix(prefix: &str, first: &PrefixRow, all_bytes: u64) -> String {
    let below = match prefix {
        "" => String::new(),
        prefix => format!("Below {prefix}, "),
    };
    format!(
        "{below}{} has the most bytes: {} of {} ({}), in {}. {} of these bytes are older rows and deletes, which a \
        compaction can remove.",
        first.text,
        size(first.bytes()),
        size(all_bytes),
        share(first.bytes(), all_bytes),
        count(first.rows(), "row", "rows"),
        size(first.older_bytes),
    )
}
