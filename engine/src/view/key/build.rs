//! Builds the view of the key inspector: the generations of a key, and the bytes of one row.

use crate::api::KeyValue;
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::proto;
use crate::mvcc::{BucketKey, KeyIndex, Revision};
use crate::observe::{LaneHistory, Past, PastChange};
use crate::trace::ChangeKind;

use super::{FieldView, GenerationView, KeyQuery, KeyView, RevisionView, RowView};
use crate::view::show;
use crate::words::key as words;

/// The maximum number of bytes of an encoded row that the view contains.
const ROW_BYTES_MAX: usize = 256;

/// The maximum number of characters of a field's value.
const VALUE_CHARS_MAX: usize = 200;

/// Returns the details of one key at the cursor.
pub fn key_view(m: Past<'_>, query: &KeyQuery) -> KeyView {
    let key = Bytes::from(query.key.as_slice());
    let index = m.store().index().key_index(&key);
    let changes = m
        .history
        .lane(&key)
        .map_or(&[][..], |lane: &LaneHistory| lane.changes_at(m.step));
    let newest = changes.last();
    let row = match query.revision {
        Some((main, sub)) => changes
            .iter()
            .find(|c| c.revision() == Revision::new(main, sub))
            .map(|c| row(m, &key, c)),
        None => newest.map(|c| row(m, &key, c)),
    };
    let mut generations: Vec<GenerationView> = changes
        .chunk_by(|a, b| a.life == b.life)
        .map(|life| generation(m, &key, index, life))
        .collect();
    generations.reverse();
    let is_empty = index
        .and_then(|index| index.generations.last())
        .is_some_and(|last| last.revs.is_empty());
    KeyView {
        empty: newest.filter(|_| is_empty).map(|c| c.life + 1),
        name: key.to_text(),
        indexed: index.is_some(),
        alive: newest.is_some_and(|c| c.kind != ChangeKind::Delete),
        modified: newest.map_or_else(String::new, |c| revision(c).to_string()),
        generations,
        json: index.map_or_else(String::new, show::key_index_json),
        row,
        key: query.key.clone(),
    }
}

fn revision(c: &PastChange) -> Revision {
    c.revision()
}

fn generation(
    m: Past<'_>,
    key: &Bytes,
    index: Option<&KeyIndex>,
    life: &[PastChange],
) -> GenerationView {
    let (first, last) = (&life[0], &life[life.len() - 1]);
    let place = index.and_then(|ki| {
        let newest = revision(last);
        ki.place_of(newest)
    });
    let known = |rev: Revision| {
        index
            .zip(place)
            .is_some_and(|(ki, i)| ki.generations[i].revs.contains(&rev))
    };
    let alive = last.kind != ChangeKind::Delete;
    let value = m
        .store()
        .index()
        .get(key, m.store().current_rev())
        .filter(|_| alive);
    GenerationView {
        number: last.life,
        place: place.map(|i| i as u32),
        ver: last.life_ver.into(),
        created: revision(first).to_string(),
        revs: life
            .iter()
            .map(|c| RevisionView {
                main: c.main,
                sub: c.sub.into(),
                tombstone: c.kind == ChangeKind::Delete,
                forgotten: !known(revision(c)),
            })
            .collect(),
        alive,
        ended: (!alive).then_some(last.main),
        value: value
            .and_then(|found| m.store().stored_row(found.modified))
            .and_then(|(_, row)| proto::decode::<KeyValue>(&row))
            .map(|kv| shortened(&kv.value)),
    }
}

fn row(m: Past<'_>, key: &Bytes, change: &PastChange) -> RowView {
    let rev = revision(change);
    let tombstone = change.kind == ChangeKind::Delete;
    let bucket_key = BucketKey {
        revision: rev,
        tombstone,
    };
    let encoded_key = bucket_key.encode();
    let stored = m.store().backend().get(Bucket::Key, &encoded_key);
    let mut out = RowView {
        main: rev.main,
        sub: rev.sub,
        tombstone,
        gone: stored.is_none(),
        bucket_key_parts: bucket_key_parts(bucket_key),
        bucket_key: encoded_key.to_vec(),
        ..RowView::default()
    };
    let Some(encoded) = stored else {
        return out;
    };
    let kv: KeyValue = proto::decode(&encoded).unwrap_or_default();
    debug_assert_eq!(&kv.key, key, "the row contains the same key as the index");
    let field = |name: &str, value: String| (name.to_owned(), value);
    out.fields = vec![
        field("key", kv.key.to_text()),
        field("create_revision", kv.create_revision.to_string()),
        field("mod_revision", kv.mod_revision.to_string()),
        field("version", kv.version.to_string()),
        field("value", shortened(&kv.value)),
        field(
            "lease",
            if kv.lease == 0 {
                words::NO_LEASE.into()
            } else {
                format!("{:x}", kv.lease)
            },
        ),
    ];
    out.value = encoded[..encoded.len().min(ROW_BYTES_MAX)].to_vec();
    out.value_len = encoded.len() as u32;
    out.value_parts = value_parts(&encoded, &kv);
    out
}

/// Returns the fields of a row's value. `encoded` is the encoded form of `kv`.
pub(in crate::view) fn value_parts(encoded: &[u8], kv: &KeyValue) -> Vec<FieldView> {
    let spans = proto::spans::<KeyValue>(encoded).into_iter();
    let part = |span: proto::Span| FieldView {
        name: span.name.into(),
        start: span.start,
        end: span.end,
        text: match span.name {
            "key" => kv.key.to_text(),
            "create_revision" => kv.create_revision.to_string(),
            "mod_revision" => kv.mod_revision.to_string(),
            "version" => kv.version.to_string(),
            "value" => shortened(&kv.value),
            "lease" => format!("{:x}", kv.lease),
            _ => String::new(),
        },
    };
    spans.map(part).collect()
}

/// Returns the parts of a row's key in the bucket `key`: the main revision, the separator, the sub-revision and, for a
/// tombstone, the byte `t`.
pub(in crate::view) fn bucket_key_parts(key: BucketKey) -> Vec<FieldView> {
    let part = |name: &str, start: u32, end: u32, text: String| FieldView {
        name: name.into(),
        start,
        end,
        text,
    };
    let mut parts = vec![
        part("main", 0, 8, key.revision.main.to_string()),
        part("separator", 8, 9, "_".into()),
        part("sub", 9, 17, key.revision.sub.to_string()),
    ];
    if key.tombstone {
        parts.push(part("tombstone", 17, 18, "t".into()));
    }
    parts
}

/// Returns a value as text, shortened to the maximum number of characters.
fn shortened(value: &Bytes) -> String {
    let head = &value[..value.len().min(VALUE_CHARS_MAX * 4)];
    let text = Bytes::from(head).to_text();
    let mut cut: String = text.chars().take(VALUE_CHARS_MAX).collect();
    if cut.len() < text.len() || head.len() < value.len() {
        cut.push('…');
    }
    cut
}
