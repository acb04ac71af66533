//! The details of one page: the header, the elements, and the bytes of one element.

use super::strip::kind_of;
use super::tree::{first_key, root_of, used_bytes};
use super::{BYTES_MAX, BytesView, ELEMENTS_MAX, ElementView, PageKind, PageView};
use crate::api::KeyValue;
use crate::backend::Bucket;
use crate::base::bytes::escape;
use crate::base::proto;
use crate::bbolt::bucket::{BucketHeader, HEADER};
use crate::bbolt::leaf::BUCKET;
use crate::bbolt::meta::{Meta, NO_FREELIST};
use crate::bbolt::page::{HEADER_BYTES, Kind, Page};
use crate::bbolt::{Damage, Span, View};
use crate::mvcc::BucketKey;
use crate::view::key::FieldView;
use crate::view::key::build::{bucket_key_parts, value_parts};
use crate::words::storage as words;

/// The maximum number of characters of a key or value in an element.
const TEXT_CHARS_MAX: usize = 80;

/// An element, with the offset of its bytes in the file.
struct Found {
    element: ElementView,
    bucket: Option<Bucket>,
    key: Span,
    value: Span,
    /// The offset of the key in the file, in bytes.
    offset: u64,
}

/// Returns the details of page `id`. `kind` is the use of the page, and `chosen` selects the element whose bytes to
/// show.
pub(super) fn page_view(view: &View, id: u64, kind: PageKind, chosen: Chosen<'_>) -> PageView {
    let page_bytes = u64::from(view.meta().page_size);
    let mut out = PageView {
        id,
        kind,
        bytes: page_bytes,
        ..PageView::default()
    };
    let (PageKind::Meta | PageKind::Branch | PageKind::Leaf, Ok(page)) = (kind, view.page(id))
    else {
        return out;
    };
    out.header = header(&page);
    if kind == PageKind::Meta {
        out.fields = meta_fields(view, id);
        return out;
    }
    let bucket = owner(view, &page);
    out.bucket = bucket.map_or_else(String::new, |bucket| bucket.name().to_owned());
    out.overflow = u64::from(page.overflow());
    out.used_bytes = used_bytes(&page);
    out.bytes = page.bytes().len() as u64;
    out.count = u64::from(page.count());
    let found = elements(&page, bucket, chosen).unwrap_or_default();
    let is_row = |found: &Found| match chosen {
        Chosen::Row(key) => *found.key == *key,
        Chosen::Place(_) => false,
    };
    let at = match chosen {
        Chosen::Place(place) => Some(place as usize),
        Chosen::Row(_) => found.iter().position(is_row),
    };
    if let Some((at, shown)) = at.and_then(|at| Some((at, found.get(at)?))) {
        out.chosen = Some(at as u32);
        (out.key, out.value) = bytes_of(shown);
    }
    out.elements = found.into_iter().map(|found| found.element).collect();
    out
}

/// Selects the element whose bytes the view shows.
#[derive(Clone, Copy)]
pub(super) enum Chosen<'a> {
    /// The element with this key, if the page contains such an element.
    Row(&'a [u8]),
    /// The element with this index.
    Place(u32),
}

fn part(name: &str, from: u32, to: u32, text: String) -> FieldView {
    FieldView {
        name: name.to_owned(),
        start: from,
        end: to,
        text,
    }
}

fn header(page: &Page) -> BytesView {
    let bytes = page.bytes().get(..HEADER_BYTES).unwrap_or_default();
    let kind = match page.kind() {
        Kind::Meta => words::META,
        Kind::Freelist => words::FREE_LIST,
        Kind::Branch => words::BRANCH,
        Kind::Leaf => words::LEAF,
    };
    BytesView {
        offset: page.offset(),
        bytes: bytes.to_vec(),
        total: bytes.len() as u64,
        parts: vec![
            part("id", 0, 8, page.id().to_string()),
            part("flags", 8, 10, kind.to_owned()),
            part("count", 10, 12, page.count().to_string()),
            part("overflow", 12, 16, page.overflow().to_string()),
        ],
    }
}

fn meta_fields(view: &View, id: u64) -> Vec<(String, String)> {
    let bytes = &*view.pages().raw(id).unwrap_or_default();
    let Ok(meta) = Meta::read(id, 0, bytes) else {
        return Vec::new();
    };
    let field = |name: &str, value: String| (name.to_owned(), value);
    vec![
        field(words::TRANSACTION, meta.txid.to_string()),
        field(words::ROOT_PAGE, meta.root.page.to_string()),
        field(words::PAGES, meta.high_water.to_string()),
        field(words::PAGE_SIZE, meta.page_size.to_string()),
        field(
            words::FREE_LIST,
            match meta.freelist {
                NO_FREELIST => words::NOT_STORED.to_owned(),
                page => words::page(page),
            },
        ),
    ]
}

/// Returns the bucket whose tree contains the page; `None` for the page that lists all buckets.
fn owner(view: &View, page: &Page) -> Option<Bucket> {
    let first = first_key(page);
    Bucket::ALL.into_iter().find(|bucket| {
        let root = root_of(view, *bucket);
        if root == 0 || root == page.id() {
            return root != 0;
        }
        let way = first.and_then(|key| {
            let rows = view.lookup(&[bucket.name().as_bytes()]);
            rows.ok().flatten()?.pages_to(key).ok()
        });
        way.is_some_and(|way| way.iter().any(|on_it| on_it.id() == page.id()))
    })
}

/// Returns the elements of a page. `bucket` is the bucket that the page belongs to; `None` for the page that lists all
/// buckets.
fn elements(page: &Page, bucket: Option<Bucket>, chosen: Chosen<'_>) -> Result<Vec<Found>, Damage> {
    let count = usize::from(page.count());
    // A leaf with very small rows can have too many elements, so only those near the chosen element are returned.
    let at = match chosen {
        Chosen::Row(key) => page.position(key)?.unwrap_or(0),
        Chosen::Place(_) => 0,
    };
    let from = at
        .saturating_sub(ELEMENTS_MAX / 2)
        .min(count.saturating_sub(ELEMENTS_MAX));
    let mut out = Vec::new();
    for index in from..count {
        if out.len() >= ELEMENTS_MAX {
            break;
        }
        let item = page.item(index)?;
        let mut found = Found {
            element: ElementView {
                bytes: (item.key.len() + item.value.len()) as u64,
                ..ElementView::default()
            },
            bucket,
            offset: page.key_offset(index),
            key: item.key.clone(),
            value: item.value.clone(),
        };
        let element = &mut found.element;
        if page.kind() == Kind::Branch {
            element.key = revision_text(&item.key);
            element.value = words::page(item.child);
            element.child = Some(item.child);
            out.push(found);
        } else if item.flags & BUCKET != 0 {
            let name = String::from_utf8_lossy(&item.key).into_owned();
            let header = BucketHeader::read(&item.value).unwrap_or_default();
            element.key = words::bucket(&name);
            let value_offset = found.offset + item.key.len() as u64;
            let inline = item.value.from_offset(HEADER).filter(|_| header.page == 0);
            let inline = inline.and_then(|bytes| {
                Page::open_inline(page.id(), value_offset + HEADER as u64, bytes).ok()
            });
            element.child = (header.page != 0).then_some(header.page);
            element.value = match &inline {
                Some(page) => words::inline(page.count().into()),
                None => words::page(header.page),
            };
            out.push(found);
            if let Some(inline) = inline {
                let nested = elements(&inline, Bucket::from_name(&name), chosen)?;
                out.extend(nested.into_iter().map(|mut found| {
                    found.element.is_nested = true;
                    found
                }));
            }
        } else {
            (element.key, element.value) = row(bucket, &item.key, &item.value);
            out.push(found);
        }
    }
    Ok(out)
}

/// Returns the value of a row as text, decoded if the format of the bucket is known.
fn row(bucket: Option<Bucket>, key: &[u8], value: &[u8]) -> (String, String) {
    let plain = || (shortened(&escape(key)), shortened(&escape(value)));
    match bucket {
        Some(Bucket::Key) => match (BucketKey::decode(key), proto::decode::<KeyValue>(value)) {
            (Some(row), Some(kv)) if row.tombstone => {
                let name = shortened(&kv.key.to_text());
                (revision_text(key), words::deleted(&name))
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

/// Returns the bytes of an element's key and value, with named parts.
fn bytes_of(found: &Found) -> (BytesView, BytesView) {
    let is_row = found.bucket == Some(Bucket::Key) && found.element.child.is_none();
    let row = BucketKey::decode(&found.key).filter(|_| is_row);
    let key = BytesView {
        offset: found.offset,
        bytes: found.key[..found.key.len().min(BYTES_MAX)].to_vec(),
        total: found.key.len() as u64,
        parts: match (row, BucketKey::decode(&found.key)) {
            (Some(row), _) => bucket_key_parts(row),
            (None, Some(first)) if found.element.child.is_some() => bucket_key_parts(first),
            _ => vec![part("key", 0, found.key.len() as u32, escape(&found.key))],
        },
    };
    let value = BytesView {
        offset: found.offset + found.key.len() as u64,
        bytes: found.value[..found.value.len().min(BYTES_MAX)].to_vec(),
        total: found.value.len() as u64,
        parts: if row.is_some() {
            value_parts(
                &found.value,
                &proto::decode(&found.value).unwrap_or_default(),
            )
        } else {
            Vec::new()
        },
    };
    (key, value)
}

/// Returns the fields of a value in the bucket `key`, in the order of their bytes.
pub(super) fn value_fields(value: &[u8], kv: &KeyValue) -> Vec<(String, String)> {
    let parts = value_parts(value, kv).into_iter();
    parts
        .map(|part| (part.name, shortened(&part.text)))
        .collect()
}

/// Formats a row's key as a revision such as `14.0`. Keys in another format are returned as text.
pub(super) fn revision_text(key: &[u8]) -> String {
    match BucketKey::decode(key) {
        Some(row) => row.revision.to_string(),
        None => shortened(&escape(key)),
    }
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the use of a page outside the strip (the displayed row of adjacent pages).
pub(super) fn kind_at(view: &View, id: u64) -> PageKind {
    // A page without a header continues a page with a header.
    let page = view.page(id);
    page.map_or(PageKind::Overflow, |page| kind_of(page.kind()))
}
