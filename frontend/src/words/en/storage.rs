//! The texts of the Storage view: names of pages and rows, sizes, and the work of the last commit.

use watchglass_engine::view::StorageView;
use watchglass_engine::view::storage::{
    CommitView, IndexKey, PageCell, PageKind, RowMark, RowPath, RowPlace, RowState, TouchedBy,
    TouchedPages, TreePage,
};

use yew::prelude::*;

use super::common::count;
use crate::draw::text::duration;

pub const VIEW: &str = "Storage: the database file";
/// The description of the list and its keyboard keys, for screen readers.
pub const LIST: &str =
    "Rows and pages. Arrow keys select an item. Enter shows the path to a row, or inspects a page.";
pub const COLUMNS: [&str; 3] = ["Item", "Where", "Content"];
pub const DOWNLOAD: &str = "Download snapshot.db";
/// The labels of the buttons that show other pages of a large file.
pub const EARLIER: &str = "Earlier";
pub const LATER: &str = "Later";

/// The names of the parts of the picture, each with a short explanation.
pub const SIZE: &str = "size";
/// The name of the pages that the last request touched.
pub fn touched(touched: &TouchedPages) -> &'static str {
    match touched.by {
        TouchedBy::Read => "pages read",
        TouchedBy::Commit => "last commit",
    }
}

/// Returns the numbers of pages that a request touched in sequence and at random.
pub fn touched_about(touched: &TouchedPages) -> String {
    match touched.sequential {
        0 => format!("{} random", touched.random),
        sequential => format!("{} random, {sequential} seq.", touched.random),
    }
}

/// Returns the mark for touched pages that have no room in the picture.
pub fn more_pages(pages: u64) -> String {
    format!("+{pages} more")
}

pub const TREE_INDEX: &str = "tree index";
pub const IN_MEMORY: &str = "in memory";
pub const IN_MEMORY_BY_KEY: &str = "memory, by key";
pub const BRANCH: &str = "branch";
pub const LEAVES: &str = "leaves";
pub const BY_REVISION: &str = "by revision";
pub const FILE: &str = "the file";
pub const BYTES: &str = "bytes";
/// The short name of the batch, which contains the rows that are not committed yet.
pub const BATCH: &str = "batch";
/// The text for the place of a row that no page contains yet.
pub const IN_BATCH: &str = "in the batch";

/// The names of the kinds of rows in the legend.
pub const NEWEST_ROW: &str = "newest row of its key";
pub const OLDER_ROW: &str = "older row";
pub const DELETE: &str = "delete";
pub const REMOVED_ROW: &str = "removed by the next commit";
pub const WRITTEN: &str = "written by the last commit";

/// The name of the section with the metrics, and the label of its button.
pub const METRICS: &str = "Metrics";
pub const DOWNLOAD_METRICS: &str = "Download metrics.txt";
/// The column headings of the table of metrics.
pub const METRIC: &str = "Metric";
pub const NOW: &str = "Now";
pub const HIGHEST: &str = "Highest";
/// The name of the durations above the last bin of a histogram.
pub const LONGER: &str = "longer";

/// The text in place of the keys while etcd is not running.
pub const NO_INDEX: &str = "etcd is not running. A restart rebuilds the index from the rows.";
/// The text in place of the keys while the store is empty.
pub const NO_KEYS: &str = "No keys yet.";
/// The text in place of the path if the selected row does not exist.
pub const NO_ROW: &str = "The selected key has no row at this step. Select another key.";

/// Formats a revision: `14.0`.
pub fn revision((main, sub): (i64, i64)) -> String {
    format!("{main}.{sub}")
}

/// Returns the name of a key of the tree index, and a description of its newest revision.
pub fn key(key: &IndexKey) -> (String, String) {
    let deleted = if key.is_deleted { ", a delete" } else { "" };
    let place = match key.leaf {
        Some(page) => format!("page {page}"),
        None => IN_BATCH.to_owned(),
    };
    let newest = revision(key.revision);
    (
        format!("Key {}", key.name),
        format!("newest revision {newest}{deleted}, {place}"),
    )
}

/// Returns the name of a row, and the place of the row in the history of its key.
pub fn row(mark: &RowMark) -> (String, String) {
    let state = match mark.state {
        RowState::Newest => "the newest row of its key",
        RowState::Older => "an older row of its key",
        RowState::Tombstone => "a delete",
        RowState::Removed => REMOVED_ROW,
        RowState::Unknown => "",
    };
    let key = String::from_utf8_lossy(&mark.key);
    let name = format!("Row {} of {key}", revision(mark.revision));
    (name, state.to_owned())
}

pub fn branch(page: &TreePage) -> String {
    format!("page {} · {}", page.id, content(page))
}

/// Returns the labels of a leaf page of which the picture shows `shown` rows, the longest label first.
pub fn leaf(page: &TreePage, shown: u64) -> [String; 4] {
    let id = page.id;
    let all = count(page.count, "row", "rows");
    let rows = match shown < page.count {
        true => format!("{shown} of {all}"),
        false => all,
    };
    if page.is_inline {
        // The fill level of a page with an inline bucket depends on the other buckets, too.
        let (short, long) = (
            format!("page {id} inline"),
            format!("page {id} inline · {rows}"),
        );
        return [long.clone(), long, short, format!("page {id}")];
    }
    let (last, overflow) = (id + page.overflow, page.overflow);
    let pages = if overflow > 0 {
        format!("pages {id}–{last}")
    } else {
        format!("page {id}")
    };
    [
        format!("{pages} · {rows} · {} % full", page.fill),
        format!("{pages} · {rows}"),
        pages,
        format!("page {id}"),
    ]
}

/// Returns the name of the batch, which contains the rows that are not committed yet.
pub fn batch_name(view: &StorageView) -> String {
    match view.commit_in_us {
        Some(us) => format!("{BATCH} · {} ms", us / 1000),
        None => BATCH.to_owned(),
    }
}

/// Returns the mark for rows of the batch that have no room in the picture.
pub fn more_rows(rows: u64) -> String {
    format!("+{rows} more")
}

/// Returns the same mark as [`more_rows`], but shorter, for a batch that is drawn narrow.
pub fn more_rows_short(rows: u64) -> String {
    format!("+{rows}")
}

/// Returns the number of pages and their size.
pub fn pages(view: &StorageView) -> String {
    format!("{} × {}", view.page_count, size(view.page_bytes))
}

/// Describes the path of one row in two sentences.
pub fn way(path: &RowPath, view: &StorageView) -> String {
    let (name, revision) = (&path.name, revision(path.revision));
    let found = match path.state {
        RowState::Newest => format!("get {name} finds revision {revision} in the tree index"),
        RowState::Tombstone => format!("The delete of {name} is revision {revision}"),
        RowState::Older | RowState::Removed => {
            format!("Revision {revision} of {name} is not the newest revision of the key")
        }
        RowState::Unknown => format!("Revision {revision} is a change of {name}"),
    };
    let Some(place) = path.place else {
        let rest = match view.index {
            Some(_) => "in the batch: in memory and in the log, not yet in the file",
            None => "only in the log: the next start reads the row from the log",
        };
        return format!("{found}. Its row is {rest}.");
    };
    let inline = view
        .levels
        .last()
        .is_some_and(|level| level.pages.iter().any(|page| page.is_inline));
    let through = match (path.pages.as_slice(), inline) {
        ([leaf], true) => format!("inline in page {leaf}, the page that lists all buckets"),
        ([leaf], false) => format!("in leaf page {leaf}"),
        ([branches @ .., leaf], _) => {
            let branches: Vec<String> = branches.iter().map(u64::to_string).collect();
            format!(
                "in leaf page {leaf}, below branch page {}",
                branches.join(" and ")
            )
        }
        ([], _) => String::new(),
    };
    format!(
        "{found}. Its row is {through}, at byte {:#x}.",
        place.offset
    )
}

pub fn kind(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Meta => "meta",
        PageKind::Freelist => "free list",
        PageKind::Branch => "branch",
        PageKind::Leaf => "leaf",
        PageKind::Overflow => "overflow",
        PageKind::Pending => "pending",
        PageKind::Free => "free",
    }
}

pub fn letter(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Meta => "M",
        PageKind::Freelist => "F",
        PageKind::Branch => "B",
        PageKind::Leaf => "L",
        PageKind::Overflow => "…",
        PageKind::Pending | PageKind::Free => "\u{a0}",
    }
}

/// Returns the name of a page in the file.
pub fn cell(cell: &PageCell) -> String {
    let written = written(cell.is_written);
    format!("Page {}, {}{written}", cell.id, kind(cell.kind))
}

fn written(is_written: bool) -> &'static str {
    if is_written {
        ", written by the last commit"
    } else {
        ""
    }
}

/// Returns a description of the content of a page in the tree.
pub fn content(page: &TreePage) -> String {
    let elements = match page.kind {
        PageKind::Branch => count(page.count, "child", "children"),
        _ => count(page.count, "row", "rows"),
    };
    match page.first.as_str() {
        "" => elements,
        first => format!("{elements} from {first}"),
    }
}

/// Returns the name of a page of the tree that is outside the shown part of the file.
pub fn page(page: &TreePage) -> String {
    format!("Page {}, {}", page.id, kind(page.kind))
}

/// Returns the place of a page in the file.
pub fn place_of_page(id: u64, view: &StorageView) -> String {
    format!("byte {}", id * view.page_bytes)
}

/// Returns the place of a row in the file.
pub fn place_of_row(place: RowPlace, view: &StorageView) -> String {
    format!(
        "page {} + {}",
        place.page,
        place.offset % view.page_bytes.max(1)
    )
}

/// Returns the numbers of the shown pages.
pub fn window(first: u64, last: u64, view: &StorageView) -> String {
    format!("Pages {first} to {last} of {}", view.page_count)
}

/// Returns two lines about a range read. A range read reads one row for each key. The read makes `steps` steps from the
/// row of one key to the row of the next key; `back` of these steps lead to an older row.
pub fn steps_back(back: usize, steps: usize) -> [String; 2] {
    [
        format!("{back} of {steps} steps"),
        "go to an older row".to_owned(),
    ]
}

/// Returns the label of the used part of the file.
pub fn used(bytes: u64) -> String {
    format!("{} in use", size(bytes))
}

/// Returns the label of the free part of the file.
pub fn free(bytes: u64) -> String {
    format!("{} free", size(bytes))
}

pub fn after_defrag(bytes: u64) -> String {
    format!("{} after defrag", size(bytes))
}

/// Explains the charts of the metrics.
pub fn about_metrics(now_us: u64) -> Html {
    let now = duration(now_us);
    html! {
        <>
            { "The charts show counters as rates per second, from 0 to " }{ now }{ " of simulated time. " }
            <code>{ "show metrics" }</code>{ " prints all metrics." }
        </>
    }
}

/// Returns the caption of the table of metrics.
pub fn metrics_at(now_us: u64) -> String {
    ["Metrics of the member at ", &duration(now_us)].concat()
}

/// Returns the label of the highest point of a chart.
pub fn highest(amount: &str) -> String {
    ["highest ", amount].concat()
}

pub fn per_second(amount: &str) -> String {
    [amount, "/s"].concat()
}

/// Returns the name of a bin of durations.
pub fn up_to(us: u64) -> String {
    ["up to ", &duration(us)].concat()
}

pub fn tree_page(page: &TreePage) -> String {
    let written = written(page.is_written);
    let kind = if page.is_inline {
        "the root bucket's leaf page, which contains this bucket"
    } else {
        kind(page.kind)
    };
    let fill = match page.is_inline {
        true => String::new(),
        false => format!(", {} % full", page.fill),
    };
    format!("Page {}, {kind}, {}{fill}{written}", page.id, content(page))
}

/// Formats a number of bytes in KiB or MiB.
pub fn size(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        0..10_000 if !bytes.is_multiple_of(KIB) => format!("{bytes} bytes"),
        ..MIB => format!("{} KiB", bytes / KIB),
        _ => format!("{}.{} MiB", bytes / MIB, bytes % MIB * 10 / MIB),
    }
}

/// Formats a quota. Unlike the size of a file, it is not a whole number of pages.
fn quota(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    match bytes {
        ..MIB if bytes.is_multiple_of(KIB) => size(bytes),
        ..MIB => format!("{}.{} KiB", bytes / KIB, bytes % KIB * 10 / KIB),
        _ if bytes.is_multiple_of(GIB) => format!("{} GiB", bytes / GIB),
        _ if bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        _ => size(bytes),
    }
}

/// Returns the size of the file, and its quota if the quota is known.
pub fn size_of(view: &StorageView) -> String {
    let file = size(view.bytes);
    match view.quota_bytes {
        Some(bytes) => format!("{file} of {}", quota(bytes)),
        None => file,
    }
}

/// The text about the alarm of a full database.
pub const ALARM: &str = "alarm NOSPACE: etcd refuses requests that need space";

/// Describes the pages that the last request touched.
fn touched_pages(touched: &TouchedPages) -> String {
    let done = match touched.by {
        TouchedBy::Read => "The last read needs",
        TouchedBy::Commit => "The last commit wrote",
    };
    let TouchedPages {
        random, sequential, ..
    } = touched;
    let ids: Vec<String> = touched
        .pages
        .iter()
        .map(|page| page.id.to_string())
        .collect();
    let pages = count(random + sequential, "page", "pages");
    let order = ids.join(", ");
    format!("{done} {pages} ({random} random, {sequential} sequential), in this order: {order}.")
}

/// Describes the open snapshots, and the pages that stay pending until the snapshots close.
pub fn readers(view: &StorageView) -> Option<String> {
    let (oldest, snapshots) = (view.readers.first()?, view.readers.len() as u64);
    let pending = count(view.pending, "page is pending", "pages are pending");
    Some(match snapshots {
        1 => format!(
            "An open snapshot reads the state after transaction {oldest}. Until the snapshot closes, {pending}, and \
             the file grows."
        ),
        many => format!(
            "{many} snapshots are open, and the oldest reads the state after transaction {oldest}. Until these \
             snapshots close, {pending}, and the file grows."
        ),
    })
}

/// Returns the size of the file and the size in use.
pub fn sizes(view: &StorageView) -> String {
    format!(
        "{} in use of {}: {}, {} free, {} pending",
        size(view.bytes_in_use),
        size(view.bytes),
        count(view.page_count, "page", "pages"),
        view.free,
        view.pending
    )
}

/// Describes the work of the last commit.
pub fn commit(view: &StorageView, commit: &CommitView) -> String {
    let pages = commit.bytes / view.page_bytes.max(1);
    let txid = view.txid;
    let freed = match commit.freed.len() as u64 {
        0 => String::new(),
        freed => format!(
            " {} freed for the next commit.",
            count(freed, "page is", "pages are")
        ),
    };
    format!(
        "Transaction {txid} wrote {} ({}) for {}, the meta page last.{freed}",
        count(pages, "page", "pages"),
        size(commit.bytes),
        count(commit.operations, "operation", "operations"),
    )
}

/// Describes the writes that wait for the next commit.
pub fn batch(view: &StorageView) -> String {
    let removes = match view.batch_removes {
        0 => String::new(),
        removes => format!(
            " The commit removes {} from the file.",
            count(removes, "row", "rows")
        ),
    };
    match (view.batch_rows, view.commit_in_us) {
        (0, _) if removes.is_empty() => "Nothing waits for a commit.".to_owned(),
        (rows, Some(us)) => format!(
            "{} in the batch and already in the log. The next commit, in {}.{} ms, writes the batch to the \
             file.{removes}",
            count(rows, "row is", "rows are"),
            us / 1000,
            us % 1000 / 100
        ),
        (rows, None) => format!("{} in the log only.", count(rows, "row is", "rows are")),
    }
}

/// Returns the text alternative of the figure.
pub fn figure(view: &StorageView) -> String {
    let path = view.path.as_ref().map(|path| way(path, view));
    let written = view.commit.as_ref().map(|done| commit(view, done));
    let sizes = sizes(view) + ".";
    let defrag = view.bytes_after_defrag.filter(|after| *after < view.bytes);
    let defrag = defrag.map(|after| {
        format!(
            "A defragmentation would reduce the file to {}.",
            size(after)
        )
    });
    let touched = view.touched.as_ref().map(touched_pages);
    let quota = view
        .quota_bytes
        .map(|bytes| format!("The quota is {}.", quota(bytes)));
    let alarm = view.has_no_space.then(|| format!("{ALARM}."));
    let batch = Some(batch(view));
    let parts = [
        touched,
        path,
        Some(sizes),
        quota,
        alarm,
        defrag,
        batch,
        written,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(" ")
}
