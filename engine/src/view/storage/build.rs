//! Reads the file of a member page by page.

use std::collections::BTreeSet;

use super::{
    CommitView, ELEMENTS_MAX, ElementView, LEVEL_PAGES_MAX, LevelView, PAGES_MAX, PageCell,
    PageKind, PageView, StorageQuery, StorageView, TreePage,
};
use crate::api::KeyValue;
use crate::backend::{Backend, Bucket};
use crate::base::bytes::escape;
use crate::base::proto;
use crate::bbolt::bucket::{BucketHeader, HEADER};
use crate::bbolt::leaf::BUCKET;
use crate::bbolt::page::{HEADER_BYTES, Kind, Page};
use crate::bbolt::{Damage, View};
use crate::mvcc::BucketKey;

/// Characters of a key or value.
const TEXT_CHARS_MAX: usize = 80;
/// Bytes of a key in hex: those of a revision with its tombstone mark.
const KEY_HEX_MAX: usize = 18;

/// The file of a backend. `now_us` is the member's time.
pub fn storage_view(backend: &Backend, now_us: u64, query: &StorageQuery) -> StorageView {
    let (db, view) = (backend.db(), backend.file());
    let written: BTreeSet<u64> = backend.last_commit().map_or_else(BTreeSet::new, |commit| {
        let size = view.meta().page_size as usize;
        let writes = commit.report.writes.iter();
        let pages = writes.flat_map(|w| w.page..w.page + (w.bytes.len() / size) as u64);
        pages.collect()
    });
    let key_root = view.bucket(&[Bucket::Key.name().as_bytes()]).ok().flatten();
    let key_root = key_root.map_or(0, |header| header.page);
    let page_count = view.meta().high_water;
    let shown = query.page.filter(|page| *page < page_count);
    let shown = shown.unwrap_or(if key_root == 0 {
        view.meta().root.page
    } else {
        key_root
    });
    let cells = cells(backend, &written, page_count);
    let first = query.first.min(page_count.saturating_sub(1)) / PAGES_MAX * PAGES_MAX;
    let kind = cells
        .get(shown as usize)
        .map_or(PageKind::Free, |cell| cell.kind);
    StorageView {
        page_bytes: u64::from(view.meta().page_size),
        bytes: db.bytes(),
        bytes_in_use: db.bytes_in_use(),
        page_count,
        free: db.freelist().free_count(),
        pending: db.freelist().pending_count(),
        readers: db.readers().to_vec(),
        txid: view.meta().txid,
        commit: backend.last_commit().map(|commit| CommitView {
            at_us: commit.at.0,
            operations: u64::from(commit.operations),
            written: commit
                .report
                .writes
                .iter()
                .map(|write| write.page)
                .collect(),
            bytes: commit.report.bytes_written(),
            freed: commit.report.freed.clone(),
        }),
        batch_rows: Bucket::ALL
            .into_iter()
            .map(|b| backend.batch(b).count() as u64)
            .sum(),
        commit_in_us: backend.due().map(|due| due.0.saturating_sub(now_us)),
        levels: levels(&view, key_root, &written),
        page: Some(page_view(&view, shown, kind)),
        pages: cells
            .into_iter()
            .skip(first as usize)
            .take(PAGES_MAX as usize)
            .collect(),
    }
}

/// What each page is used for. Only headers are read.
fn cells(backend: &Backend, written: &BTreeSet<u64>, page_count: u64) -> Vec<PageCell> {
    let (db, view) = (backend.db(), backend.file());
    let mut kinds = vec![PageKind::Leaf; page_count as usize];
    let mut set = |id: u64, kind| {
        if let Some(place) = kinds.get_mut(id as usize) {
            *place = kind;
        }
    };
    let runs = db
        .freelist()
        .runs()
        .flat_map(|(start, length)| start..start + length);
    let free: BTreeSet<u64> = runs.collect();
    let pending: BTreeSet<u64> = db.freelist().pending().map(|(id, _)| id).collect();
    let mut id = 0;
    while id < page_count {
        let (kind, overflow) = if free.contains(&id) {
            (PageKind::Free, 0)
        } else if pending.contains(&id) {
            (PageKind::Pending, 0)
        } else {
            view.page(id).map_or((PageKind::Free, 0), |page| {
                (kind_of(page.kind()), u64::from(page.overflow()))
            })
        };
        set(id, kind);
        for behind in id + 1..=id + overflow {
            set(behind, PageKind::Overflow);
        }
        id += 1 + overflow;
    }
    let cells = kinds.into_iter().zip(0..);
    cells
        .map(|(kind, id)| PageCell {
            id,
            kind,
            is_written: written.contains(&id),
        })
        .collect()
}

fn kind_of(kind: Kind) -> PageKind {
    match kind {
        Kind::Meta => PageKind::Meta,
        Kind::Freelist => PageKind::Freelist,
        Kind::Branch => PageKind::Branch,
        Kind::Leaf => PageKind::Leaf,
    }
}

/// The tree below `root`; nothing for an inline bucket.
fn levels(view: &View, root: u64, written: &BTreeSet<u64>) -> Vec<LevelView> {
    let mut levels = Vec::new();
    let (mut ids, mut has_more) = (vec![root], false);
    while !ids.is_empty() && root != 0 {
        let pages: Vec<Page> = ids.iter().filter_map(|id| view.page(*id).ok()).collect();
        let tree_page = |page: &Page| TreePage {
            id: page.id(),
            kind: kind_of(page.kind()),
            count: u64::from(page.count()),
            first: page.key(0).map(revision_text).unwrap_or_default(),
            fill: (used_bytes(page) * 100 / page.bytes().len() as u64) as u32,
            is_written: written.contains(&page.id()),
        };
        levels.push(LevelView {
            pages: pages.iter().map(tree_page).collect(),
            has_more,
        });
        let branches = pages.iter().filter(|page| page.kind() == Kind::Branch);
        let children = branches.flat_map(|page| {
            (0..usize::from(page.count())).filter_map(|i| Some(page.item(i).ok()?.child))
        });
        ids = children.collect();
        let skipped = ids.len().saturating_sub(LEVEL_PAGES_MAX);
        has_more |= skipped > 0;
        ids.drain(..skipped);
    }
    levels
}

fn used_bytes(page: &Page) -> u64 {
    let items = (0..usize::from(page.count())).filter_map(|index| page.item(index).ok());
    let bytes: usize = items
        .map(|item| 16 + item.key.len() + item.value.len())
        .sum();
    (HEADER_BYTES + bytes) as u64
}

fn page_view(view: &View, id: u64, kind: PageKind) -> PageView {
    let mut out = PageView {
        id,
        kind,
        bytes: u64::from(view.meta().page_size),
        ..PageView::default()
    };
    let Ok(page) = view.page(id) else {
        return out;
    };
    match kind {
        PageKind::Meta => out.fields = meta_fields(view, id),
        PageKind::Branch | PageKind::Leaf => {
            out.overflow = u64::from(page.overflow());
            out.used_bytes = used_bytes(&page);
            out.bytes = page.bytes().len() as u64;
            out.count = u64::from(page.count());
            let bucket = if id == view.meta().root.page {
                None
            } else {
                owner(view, id)
            };
            out.elements = elements(&page, bucket).unwrap_or_default();
        }
        PageKind::Freelist | PageKind::Overflow | PageKind::Pending | PageKind::Free => {}
    }
    out
}

fn meta_fields(view: &View, id: u64) -> Vec<(String, String)> {
    let bytes = view.pages().raw(id).unwrap_or_default();
    let Ok(meta) = crate::bbolt::meta::Meta::read(id, 0, bytes) else {
        return Vec::new();
    };
    let field = |name: &str, value: String| (name.to_owned(), value);
    vec![
        field("transaction", meta.txid.to_string()),
        field("root page", meta.root.page.to_string()),
        field("pages", meta.high_water.to_string()),
        field("page size", meta.page_size.to_string()),
        field(
            "free list",
            match meta.freelist {
                crate::bbolt::meta::NO_FREELIST => "not stored".to_owned(),
                page => format!("page {page}"),
            },
        ),
    ]
}

/// The bucket whose tree has the page.
fn owner(view: &View, page: u64) -> Option<Bucket> {
    Bucket::ALL.into_iter().find(|bucket| {
        let header = view.bucket(&[bucket.name().as_bytes()]).ok().flatten();
        let mut ids = vec![header.map_or(0, |header| header.page)];
        while let Some(id) = ids.pop().filter(|id| *id != 0) {
            if id == page {
                return true;
            }
            if let Ok(found) = view.page(id)
                && found.kind() == Kind::Branch
            {
                let items = (0..usize::from(found.count())).filter_map(|i| found.item(i).ok());
                ids.extend(items.map(|item| item.child));
            }
        }
        false
    })
}

/// The elements of a page. Without a bucket it is the page of all buckets.
fn elements(page: &Page, bucket: Option<Bucket>) -> Result<Vec<ElementView>, Damage> {
    let mut out = Vec::new();
    for index in 0..usize::from(page.count()) {
        if out.len() >= ELEMENTS_MAX {
            break;
        }
        let item = page.item(index)?;
        let mut element = ElementView {
            key_hex: hex(&item.key),
            bytes: (item.key.len() + item.value.len()) as u64,
            ..ElementView::default()
        };
        if page.kind() == Kind::Branch {
            element.key = revision_text(&item.key);
            element.value = format!("page {}", item.child);
            element.child = Some(item.child);
            out.push(element);
        } else if item.flags & BUCKET != 0 {
            let name = String::from_utf8_lossy(&item.key).into_owned();
            let header = BucketHeader::read(&item.value).unwrap_or_default();
            element.key = format!("bucket {name}");
            let inline = item.value.from_offset(HEADER).filter(|_| header.page == 0);
            let inline = inline.and_then(|bytes| Page::open_inline(page.id(), 0, bytes).ok());
            element.child = (header.page != 0).then_some(header.page);
            element.value = match &inline {
                Some(page) => format!("inline, {}", rows(u64::from(page.count()))),
                None => format!("page {}", header.page),
            };
            out.push(element);
            if let Some(inline) = inline {
                let nested = elements(&inline, Bucket::from_name(&name))?;
                out.extend(nested.into_iter().map(|element| ElementView {
                    is_nested: true,
                    ..element
                }));
            }
        } else {
            (element.key, element.value) = row(bucket, &item.key, &item.value);
            out.push(element);
        }
    }
    Ok(out)
}

fn rows(count: u64) -> String {
    match count {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    }
}

/// A row, decoded as far as the bucket is known.
fn row(bucket: Option<Bucket>, key: &[u8], value: &[u8]) -> (String, String) {
    let plain = || (shortened(&escape(key)), shortened(&escape(value)));
    match bucket {
        Some(Bucket::Key) => match (BucketKey::decode(key), proto::decode::<KeyValue>(value)) {
            (Some(row), Some(kv)) if row.tombstone => {
                let name = shortened(&kv.key.to_text());
                (revision_text(key), format!("{name} deleted"))
            }
            (Some(_), Some(kv)) => {
                let (name, value) = (kv.key.to_text(), kv.value.to_text());
                (revision_text(key), shortened(&format!("{name} = {value}")))
            }
            _ => plain(),
        },
        Some(Bucket::Meta) => match (BucketKey::decode(value), value.try_into()) {
            (Some(row), _) => (escape(key), row.revision.to_string()),
            (None, Ok(number)) => (escape(key), u64::from_be_bytes(number).to_string()),
            _ => plain(),
        },
        _ => plain(),
    }
}

/// A revision such as `14.0`; other keys as text.
fn revision_text(key: &[u8]) -> String {
    match BucketKey::decode(key) {
        Some(row) => format!("{}.{}", row.revision.main, row.revision.sub),
        None => shortened(&escape(key)),
    }
}

fn hex(key: &[u8]) -> String {
    let shown = key.iter().take(KEY_HEX_MAX);
    shown.map(|byte| format!("{byte:02x}")).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
