//! Finds the rows of a long etcd response that can match a field selector, so that a list decodes only these rows.
//!
//! An API server without a cache decodes every row for every list. The cost that the simulator reports includes all
//! these rows. To save time, the simulator itself scans the rows of a response once for all lists, and then decodes
//! only the rows that can match. The results of the lists are the same as without the scan.

use std::fmt;
use std::hash::Hasher;
use std::sync::{Arc, Mutex};

use crate::api::rows::RowsPart;
use crate::api::{KeyValue, Rows};
use crate::base::digest::{Digest, Undigested};

use crate::kube::resource::Resource;
use crate::kube::selector::Predicate;

/// The simulator scans a response only if the response has at least this number of rows.
const LONG: usize = 1000;

/// The scan of the most recent long response. All copies of the simulated cluster share the scan, because the scan
/// depends only on the rows.
pub(super) type LastScan = Undigested<Arc<Mutex<Option<Arc<Scan>>>>>;

/// A long response, with an index of the values of one field.
#[derive(Debug)]
pub(super) struct Scan {
    rows: Rows,
    field: &'static str,
    parts: Vec<Arc<Said>>,
    /// The assumed size of all objects in the response, in bytes.
    pub(super) bytes: u64,
}

/// The field values of the rows in one `RowsPart` of the response.
struct Said {
    part: Arc<RowsPart>,
    /// A pair for each row: the hash of the field's value, and the index of the row. The pairs are sorted.
    hashes: Vec<(u64, usize)>,
    bytes: u64,
}

/// The hash for a row without the field.
const NOTHING: u64 = 0;

/// The hash for a row whose field value is unclear, so that a list must decode the row.
const UNCLEAR: u64 = 1;

impl Scan {
    /// Returns the field and the value by which a scan can find the rows of a list; `None` if there are few rows or the
    /// list has another kind of selector.
    pub(super) fn wanted<'a>(
        resource: &Resource,
        rows: &Rows,
        predicate: &'a Predicate,
    ) -> Option<(&'static str, &'a str)> {
        let field = resource.trigger.filter(|f| !f.starts_with("metadata."))?;
        let value = predicate.fields.requires_exact_match(field)?;
        let plain = |b: u8| b > b' ' && b < 0x7f && b != b'"' && b != b'\\';
        let is_plain = !value.is_empty() && value.bytes().all(plain);
        (rows.len() >= LONG && is_plain).then_some((field, value))
    }

    /// Returns the scan of these rows. If the last scan covers the same rows, returns the last scan. Otherwise, creates
    /// a new scan, which reuses unchanged parts of the last scan.
    pub(super) fn of(last: &LastScan, rows: &Rows, field: &'static str) -> Arc<Self> {
        let mut last = last.lock().expect("nobody stops half way");
        let known = last.take().filter(|known| known.field == field);
        let scan = match known {
            Some(known) if known.rows.is_same(rows) => known,
            known => Arc::new(Self::new(rows, field, known.as_deref())),
        };
        *last = Some(scan.clone());
        scan
    }

    fn new(rows: &Rows, field: &'static str, before: Option<&Self>) -> Self {
        let name = field.rsplit('.').next().unwrap_or(field);
        let named = format!("{name}\"");
        let known = before.map_or(&[][..], |before| &before.parts);
        let mut at = 0;
        let parts = rows.parts().iter().map(|part| {
            let starts_before = |old: &Arc<Said>| old.part.rows()[0].key < part.rows()[0].key;
            while known.get(at).is_some_and(starts_before) {
                at += 1;
            }
            let same = known.get(at).filter(|old| Arc::ptr_eq(&old.part, part));
            same.cloned()
                .unwrap_or_else(|| Arc::new(Said::new(part, named.as_bytes())))
        });
        let parts: Vec<Arc<Said>> = parts.collect();
        Self {
            rows: rows.clone(),
            field,
            bytes: parts.iter().map(|part| part.bytes).sum(),
            parts,
        }
    }

    /// Returns the rows that can have this value, in order. Some of these rows may have a different value.
    pub(super) fn places(&self, value: &str) -> impl Iterator<Item = &KeyValue> {
        let wanted = hash(value.as_bytes());
        self.parts.iter().flat_map(move |part| {
            let mut places: Vec<usize> = part.with(UNCLEAR).chain(part.with(wanted)).collect();
            places.sort_unstable();
            places.into_iter().map(|place| &part.part.rows()[place])
        })
    }
}

impl Said {
    fn new(part: &Arc<RowsPart>, named: &[u8]) -> Self {
        let rows = part.rows().iter().enumerate();
        let mut hashes: Vec<(u64, usize)> = rows
            .map(|(place, row)| (says(&row.value, named), place))
            .collect();
        hashes.sort_unstable();
        let bytes = part.rows().iter().map(|row| u64::from(size(&row.value)));
        Self {
            part: part.clone(),
            hashes,
            bytes: bytes.sum(),
        }
    }

    fn with(&self, wanted: u64) -> impl Iterator<Item = usize> {
        let from = self.hashes.partition_point(|(hash, _)| *hash < wanted);
        let found = self.hashes[from..].iter();
        found
            .take_while(move |(hash, _)| *hash == wanted)
            .map(|(_, place)| *place)
    }
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes.fmt(f)
    }
}

/// Returns the hash of the value after the field's name, if the row contains the name exactly once. Otherwise, returns
/// [`NOTHING`] or [`UNCLEAR`].
fn says(row: &[u8], named: &[u8]) -> u64 {
    if row.contains(&b'\\') {
        return UNCLEAR;
    }
    let Some(at) = find(row, named) else {
        return NOTHING;
    };
    let behind = &row[at + named.len()..];
    if find(behind, named).is_some() {
        return UNCLEAR;
    }
    text(behind).map_or(UNCLEAR, hash)
}

/// Parses `:"value"` and returns the value.
fn text(behind: &[u8]) -> Option<&[u8]> {
    let value = behind.trim_ascii_start().strip_prefix(b":")?;
    let value = value.trim_ascii_start().strip_prefix(b"\"")?;
    let end = value.iter().position(|b| *b == b'"')?;
    Some(&value[..end])
}

/// Returns the assumed size of an object in bytes, computed from its row alone.
fn size(row: &[u8]) -> u32 {
    let stated = find(row, b"watchglass/size\"").and_then(|at| {
        let digits = text(&row[at + b"watchglass/size\"".len()..])?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    });
    let stated: u64 = stated.unwrap_or(0);
    u32::try_from(stated.max(row.len() as u64)).unwrap_or(u32::MAX)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    let (last, head) = part.split_last()?;
    // Searches for the last byte of `part`, because that byte is a quote and quotes are rare in the text.
    let mut from = head.len();
    while let Some(at) = text.get(from..)?.iter().position(|b| b == last) {
        let end = from + at;
        if text[..end].ends_with(head) {
            return Some(end - head.len());
        }
        from = end + 1;
    }
    None
}

fn hash(value: &[u8]) -> u64 {
    let mut d = Digest::default();
    d.bytes(value);
    d.finish().max(UNCLEAR + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Bytes;
    use crate::kube::codec;
    use crate::kube::object::Object;
    use crate::kube::resource::PODS;

    fn row(value: &str) -> KeyValue {
        KeyValue {
            key: "/registry/pods/default/x".into(),
            value: value.into(),
            ..KeyValue::default()
        }
    }

    #[test]
    fn no_row_that_matches_is_passed_over() {
        let pod = |node: &str| {
            let pod = Object::new("Pod", "default", "x").with_field("spec.nodeName", node);
            row(&codec::encode(&pod.with_size(5_000)))
        };
        let mut rows = vec![
            pod("node-1"),
            pod("node-12"),
            row("{\"spec\" : { \"nodeName\" : \"node-1\" } }"),
            row("{\"spec.nodeName\":\"node-1\"}"),
            row("{\"spec\":{\"node\\u004eame\":\"node-1\"}}"),
            row("{\"status\":{\"nodeName\":\"node-2\"},\"spec\":{\"nodeName\":\"node-1\"}}"),
            row("{\"spec\":{\"nodeName\":\"node-2\"}}"),
            row("Running"),
        ];
        for (place, row) in rows.iter_mut().enumerate() {
            row.key = format!("/registry/pods/default/{place}").as_str().into();
        }
        let others = (10..9000).map(|place| KeyValue {
            key: format!("/registry/pods/default/{place:04}").as_str().into(),
            ..pod(&format!("node-{}", place % 100))
        });
        rows.extend(others);
        rows.sort_unstable_by_key(|row| row.key.clone());
        let rows = Rows::from(rows);
        let last = LastScan::default();
        let scan = Scan::of(&last, &rows, "spec.nodeName");
        check(&scan);

        // Some rows change. The new scan reuses the other rows of the last scan.
        let key = |name: &str| Bytes::from(format!("/registry/pods/default/{name}").as_str());
        let at = |name: &str, value: KeyValue| {
            let key = key(name);
            (key.clone(), Some(KeyValue { key, ..value }))
        };
        let later = rows.with([
            at("0", pod("node-3")),
            at("5", pod("node-1")),
            (key("2"), None),
            at("90", pod("node-1")),
            at("1200", pod("node-1")),
            at("1200x", pod("node-1")),
        ]);
        let again = Scan::of(&last, &later, "spec.nodeName");
        check(&again);
        let shared = scan.parts.iter().filter(|part| {
            let mut those = again.parts.iter();
            those.any(|other| Arc::ptr_eq(part, other))
        });
        assert_eq!(shared.count(), scan.parts.len() - 5);
        assert!(Arc::ptr_eq(
            &again,
            &Scan::of(&last, &later, "spec.nodeName")
        ));
    }

    fn check(scan: &Scan) {
        let found: Vec<&KeyValue> = scan.places("node-1").collect();
        let mut bytes = 0;
        for kv in scan.rows.iter() {
            let object = codec::decode(&PODS, "/registry/pods/default/x", &kv.value, 2);
            let matches = object.field("spec.nodeName") == "node-1";
            let is_found = found.iter().any(|row| std::ptr::eq(*row, kv));
            assert!(!matches || is_found, "{:?}", kv.value);
            assert!(
                matches
                    || !is_found
                    || kv.value.contains(&b'\\')
                    || object.field("status.phase").is_empty()
            );
            bytes += object.size_bytes;
        }
        assert_eq!(scan.bytes, bytes);
    }
}
