//! The tree of the bucket `key`, with the path to one row and the pages near this row.

use std::collections::BTreeSet;

use super::strip::kind_of;
use super::{
    KEY_BYTES_MAX, LEVEL_PAGES_MAX, LevelView, PageKind, ROWS_MAX, RowMark, RowPath, RowPlace,
    RowState, TreePage,
};
use crate::api::KeyValue;
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::proto;
use crate::bbolt::bucket::BucketHeader;
use crate::bbolt::page::{HEADER_BYTES, Kind, Page};
use crate::bbolt::{Lookup, View};
use crate::mvcc::{BucketKey, Revision, TreeIndex};

use super::index::newest;

/// The tree of the bucket `key` in a file, together with the batch of uncommitted rows.
pub(super) struct KeyTree<'a> {
    backend: &'a Backend,
    view: &'a View,
    index: Option<&'a TreeIndex>,
    /// The rows in the file; `None` if the file has no bucket `key`.
    rows: Option<Lookup>,
    /// The rows of the file that the batch of uncommitted changes removes.
    removed: BTreeSet<&'a Bytes>,
}

impl<'a> KeyTree<'a> {
    pub(super) fn new(backend: &'a Backend, view: &'a View, index: Option<&'a TreeIndex>) -> Self {
        let rows = view.lookup(&[Bucket::Key.name().as_bytes()]);
        let changes = backend.batch(Bucket::Key);
        Self {
            backend,
            view,
            index,
            rows: rows.ok().flatten(),
            removed: changes
                .filter_map(|(key, value)| value.is_none().then_some(key))
                .collect(),
        }
    }

    /// Returns the pages from the root of the tree to the leaf in which a key belongs. For an inline bucket, the leaf
    /// is the page that contains the bucket.
    fn pages(&self, key: &[u8]) -> Vec<Page> {
        let found = self.rows.as_ref().map(|rows| rows.pages_to(key));
        found.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns the leaf that contains a row; `None` if the row is only in the batch.
    pub(super) fn leaf_of(&self, row: BucketKey) -> Option<u64> {
        let key = row.encode();
        let leaf = self.pages(&key).pop()?;
        position(&leaf, &key).map(|_| leaf.id())
    }

    /// Returns the state of a row compared with other rows of its key.
    fn state(&self, row: BucketKey, key: &Bytes) -> RowState {
        if self.removed.contains(&row.encode()) {
            return RowState::Removed;
        }
        if row.tombstone {
            return RowState::Tombstone;
        }
        let Some(index) = self.index else {
            return RowState::Unknown;
        };
        match index.key_index(key).map(newest) {
            Some((revision, false)) if revision == row.revision => RowState::Newest,
            _ => RowState::Older,
        }
    }

    fn mark(&self, key: &[u8], value: &[u8]) -> RowMark {
        let Some(row) = BucketKey::decode(key) else {
            return RowMark::default();
        };
        let key = key_of(value).unwrap_or_default();
        RowMark {
            revision: (row.revision.main, row.revision.sub),
            state: self.state(row, &key),
            key: kept(&key),
        }
    }

    /// Returns the newest rows of the batch of uncommitted changes.
    pub(super) fn batch(&self) -> Vec<RowMark> {
        let puts = self.backend.batch(Bucket::Key);
        let puts = puts.filter_map(|(key, value)| Some((key, value?)));
        let mut rows: Vec<(&Bytes, &Bytes)> = puts.collect();
        rows.drain(..rows.len().saturating_sub(ROWS_MAX));
        let mark = |(key, value): (&Bytes, &Bytes)| self.mark(key, value);
        rows.into_iter().map(mark).collect()
    }

    /// Returns the row to follow: the row of the wanted revision of a key or, without a revision, the key's newest row.
    /// Without a wanted key, returns the row of the newest put.
    pub(super) fn row(&self, wanted: Option<(&Bytes, Option<Revision>)>) -> Option<BucketKey> {
        let Some((key, revision)) = wanted else {
            let newest = self.backend.rows_backwards(Bucket::Key).take(LOOKED_AT);
            let rows: Vec<BucketKey> = newest
                .filter_map(|(key, _)| BucketKey::decode(&key))
                .collect();
            let put = rows.iter().find(|row| !row.tombstone);
            return put.or(rows.first()).copied();
        };
        let exact = revision.and_then(|revision| self.stored(key, revision));
        exact.or_else(|| match self.index {
            Some(index) => self.stored(key, newest(index.key_index(key)?).0),
            // Without an index, this searches the rows themselves.
            None => {
                let mut rows = self.backend.rows_backwards(Bucket::Key).take(LOOKED_AT);
                let row = rows.find(|(_, value)| key_of(value).as_ref() == Some(key));
                BucketKey::decode(&row?.0)
            }
        })
    }

    /// Returns the row that stores this change; `None` if there is no such row.
    fn stored(&self, key: &Bytes, revision: Revision) -> Option<BucketKey> {
        let kinds = [false, true].map(|tombstone| BucketKey {
            revision,
            tombstone,
        });
        kinds.into_iter().find(|row| {
            let value = self.backend.get(Bucket::Key, &row.encode());
            value.is_some_and(|value| key_of(&value).as_ref() == Some(key))
        })
    }

    /// Returns the path from the tree index to a row.
    pub(super) fn path(&self, row: BucketKey) -> Option<RowPath> {
        let key = row.encode();
        let value = self.backend.get(Bucket::Key, &key)?;
        let kv = proto::decode::<KeyValue>(&value).unwrap_or_default();
        let pages = self.pages(&key);
        let place = pages.last().and_then(|leaf| place(leaf, &key, self.view));
        Some(RowPath {
            key: kv.key.to_vec(),
            name: super::page::shortened(&kv.key.to_text()),
            revision: (row.revision.main, row.revision.sub),
            state: self.state(row, &kv.key),
            pages: match place {
                Some(_) => pages.iter().map(Page::id).collect(),
                None => Vec::new(),
            },
            place,
            value_bytes: value.len() as u64,
            fields: super::page::value_fields(&value, &kv),
        })
    }

    /// Returns the levels of the tree, each with the pages near a row. Without a row, returns the last pages of each
    /// level.
    pub(super) fn levels(&self, row: Option<BucketKey>, written: &BTreeSet<u64>) -> Vec<LevelView> {
        // A key after all revisions, which is where new rows are inserted.
        let end = [u8::MAX; 1];
        let key = row.map_or(Bytes::from(&end[..]), BucketKey::encode);
        let way = self.pages(&key);
        let mut levels = Vec::new();
        let (mut pages, mut has_before, mut has_after): (Vec<Page>, _, _) =
            (way.iter().take(1).cloned().collect(), false, false);
        for depth in 0..way.len() {
            let tree_page = |page: &Page| self.tree_page(page, &key, written);
            levels.push(LevelView {
                pages: pages.iter().map(tree_page).collect(),
                has_before,
                has_after,
            });
            let Some(next) = way.get(depth + 1) else {
                break;
            };
            let branches = pages.iter().filter(|page| page.kind() == Kind::Branch);
            let children = branches.flat_map(|page| {
                (0..usize::from(page.count())).filter_map(|i| Some(page.item(i).ok()?.child))
            });
            let ids: Vec<u64> = children.collect();
            let at = ids.iter().position(|id| *id == next.id()).unwrap_or(0);
            let last = ids.len().saturating_sub(LEVEL_PAGES_MAX);
            let from = at.saturating_sub(LEVEL_PAGES_MAX / 2).min(last);
            let shown = ids.iter().skip(from).take(LEVEL_PAGES_MAX);
            has_before |= from > 0;
            has_after |= from + LEVEL_PAGES_MAX < ids.len();
            pages = shown.filter_map(|id| self.view.page(*id).ok()).collect();
        }
        levels
    }

    fn tree_page(&self, page: &Page, around: &[u8], written: &BTreeSet<u64>) -> TreePage {
        let count = usize::from(page.count());
        let is_leaf = page.kind() == Kind::Leaf;
        let at = position(page, around).unwrap_or(count);
        let last = count.saturating_sub(ROWS_MAX);
        let from = if is_leaf {
            at.saturating_sub(ROWS_MAX / 2).min(last)
        } else {
            count
        };
        let items = (from..count)
            .take(ROWS_MAX)
            .filter_map(|i| page.item(i).ok());
        TreePage {
            id: page.id(),
            kind: if is_leaf {
                PageKind::Leaf
            } else {
                kind_of(page.kind())
            },
            is_inline: page.is_inline(),
            count: count as u64,
            overflow: if page.is_inline() {
                0
            } else {
                u64::from(page.overflow())
            },
            first: first_key(page)
                .map(super::page::revision_text)
                .unwrap_or_default(),
            fill: (used_bytes(page) * 100 / page.bytes().len().max(1) as u64) as u32,
            is_written: written.contains(&page.id()),
            rows: items
                .map(|item| self.mark(&item.key, &item.value))
                .collect(),
            rows_from: from as u64,
        }
    }
}

/// The maximum number of rows to search for the row to follow, starting at the end of the bucket.
const LOOKED_AT: usize = 1_000;

/// Returns the first key of a page; `None` for an empty page.
pub(super) fn first_key(page: &Page) -> Option<&[u8]> {
    (page.count() > 0).then(|| page.key(0).ok()).flatten()
}

/// Returns the key, or an empty key if the key is too long for the view.
pub(super) fn kept(key: &Bytes) -> Vec<u8> {
    if key.len() > KEY_BYTES_MAX {
        return Vec::new();
    }
    key.to_vec()
}

/// Returns the index of the element with this key in a page.
fn position(page: &Page, key: &[u8]) -> Option<usize> {
    page.position(key).ok().flatten()
}

/// Returns the key that a row's value contains. Does not copy the rest of the row.
fn key_of(row: &[u8]) -> Option<Bytes> {
    const KEY: u32 = 1;
    let mut key = None;
    proto::each_field(row, |number, content| {
        if let (KEY, proto::Content::Bytes(bytes)) = (number, content) {
            key = Some(Bytes::from(bytes));
        }
    });
    key
}

fn place(leaf: &Page, key: &[u8], view: &View) -> Option<RowPlace> {
    let element = position(leaf, key)?;
    let offset = leaf.key_offset(element);
    Some(RowPlace {
        element: element as u32,
        offset,
        page: offset / u64::from(view.meta().page_size),
    })
}

/// Returns the number of bytes that the header, elements, keys and values of a page use.
pub(super) fn used_bytes(page: &Page) -> u64 {
    let items = (0..usize::from(page.count())).filter_map(|index| page.item(index).ok());
    let bytes: usize = items
        .map(|item| 16 + item.key.len() + item.value.len())
        .sum();
    (HEADER_BYTES + bytes) as u64
}

/// Returns the root page of a bucket; 0 if the bucket does not exist or is inline.
pub(super) fn root_of(view: &View, bucket: Bucket) -> u64 {
    let header = view.bucket(&[bucket.name().as_bytes()]).ok().flatten();
    header.map_or(0, |header: BucketHeader| header.page)
}
