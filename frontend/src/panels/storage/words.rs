//! What the Storage view says: names of pages, sizes, and what the last commit did.

use watchglass_engine::view::StorageView;
use watchglass_engine::view::storage::{CommitView, PageCell, PageKind, TreePage};

/// The name of a kind of page.
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

/// Its letter in the strip.
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

/// What a page of the strip is called.
pub fn cell(cell: &PageCell) -> String {
    let written = if cell.is_written {
        ", written by the last commit"
    } else {
        ""
    };
    format!("Page {}, {}{written}", cell.id, kind(cell.kind))
}

/// What a page of the tree is called.
pub fn tree_page(page: &TreePage) -> String {
    let (count, children) = match page.kind {
        PageKind::Branch => (page.count, "child"),
        _ => (page.count, "row"),
    };
    let count = match (count, children) {
        (1, what) => format!("1 {what}"),
        (count, "child") => format!("{count} children"),
        (count, what) => format!("{count} {what}s"),
    };
    format!(
        "Page {}, {} from {}, {count}, {} % full{}",
        page.id,
        kind(page.kind),
        page.first,
        page.fill,
        if page.is_written {
            ", written by the last commit"
        } else {
            ""
        }
    )
}

/// Bytes in KiB or MiB.
pub fn size(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        0..10_000 if !bytes.is_multiple_of(KIB) => format!("{bytes} bytes"),
        ..MIB => format!("{} KiB", bytes / KIB),
        _ => format!("{}.{} MiB", bytes / MIB, bytes % MIB * 10 / MIB),
    }
}

/// The open snapshots, and what they hold back.
pub fn readers(view: &StorageView) -> Option<String> {
    let (oldest, snapshots) = (view.readers.first()?, view.readers.len() as u64);
    let pending = count(view.pending, "page is pending", "pages are pending");
    Some(match snapshots {
        1 => format!(
            "An open snapshot reads transaction {oldest}: {pending} until it closes, and the file grows."
        ),
        many => format!(
            "{many} open snapshots read transaction {oldest} or later: {pending} until they close, and the file grows."
        ),
    })
}

fn count(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}

/// Size and size in use.
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

/// What the last commit did.
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

/// What waits for the next commit.
pub fn batch(view: &StorageView) -> String {
    match (view.batch_rows, view.commit_in_us) {
        (0, _) => "Nothing waits for a commit.".to_owned(),
        (rows, Some(us)) => format!(
            "{} in the batch: in the log, and in the file {}.{} ms from now.",
            count(rows, "row is", "rows are"),
            us / 1000,
            us % 1000 / 100
        ),
        (rows, None) => format!("{} in the log only.", count(rows, "row is", "rows are")),
    }
}

/// The whole picture in a sentence or two.
pub fn figure(view: &StorageView) -> String {
    let tree = match view.levels.len() as u64 {
        0 => "The rows of the bucket key are in the root page of all buckets.".to_owned(),
        levels => format!(
            "The tree of the bucket key has {}.",
            count(levels, "level", "levels")
        ),
    };
    let written = view.commit.as_ref().map(|done| commit(view, done));
    let sizes = sizes(view) + ".";
    [sizes, batch(view), written.unwrap_or_default(), tree].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size(20_480), "20 KiB");
        assert_eq!(size(270), "270 bytes");
        assert_eq!(size(3 << 19), "1.5 MiB");
    }

    #[test]
    fn open_snapshots_say_what_they_hold_back() {
        let view = StorageView {
            readers: vec![4],
            pending: 5,
            ..StorageView::default()
        };
        assert_eq!(
            readers(&view).unwrap(),
            "An open snapshot reads transaction 4: 5 pages are pending until it closes, and the file grows."
        );
        assert_eq!(readers(&StorageView::default()), None);
    }

    #[test]
    fn a_commit_says_what_it_wrote() {
        let commit_view = CommitView {
            operations: 1,
            written: vec![4, 5, 1],
            bytes: 12_288,
            freed: vec![2],
            ..CommitView::default()
        };
        let view = StorageView {
            txid: 7,
            page_bytes: 4096,
            ..StorageView::default()
        };
        assert_eq!(
            commit(&view, &commit_view),
            "Transaction 7 wrote 3 pages (12 KiB) for 1 operation, the meta page last. 1 page is freed for \
             the next commit."
        );
    }

    #[test]
    fn a_page_is_called_by_number_and_kind() {
        let page = PageCell {
            id: 4,
            kind: PageKind::Leaf,
            is_written: true,
        };
        assert_eq!(cell(&page), "Page 4, leaf, written by the last commit");
    }
}
