//! Which rows of a long answer of etcd a list has to decode to find the objects that have a field's value.
//!
//! An API server without a cache decodes every one of them for every list, and that is what is counted. The
//! simulator reads the same rows once for all lists of the same answer, and then decodes only those that can match;
//! what comes of it is the same.

use std::sync::{Arc, Mutex};

use crate::api::KeyValue;
use crate::base::digest::Digest;

use super::resource::Resource;
use super::selector::Predicate;

/// Rows from which on an answer is worth it.
const LONG: usize = 1000;

/// The scan of the answer that was read last. All copies of a world share it: it is about the rows and nothing else.
pub(super) type LastScan = Arc<Mutex<Option<Arc<Scan>>>>;

/// A long answer, with what each row says of one field.
#[derive(Debug)]
pub(super) struct Scan {
    rows: Arc<Vec<KeyValue>>,
    field: &'static str,
    /// For each row a hash of what it says, and how large it is taken to be.
    said: Vec<(u64, u32)>,
    /// Bytes that all rows together are taken to have.
    pub(super) bytes: u64,
}

/// Stands for a row that says nothing of the field.
const NOTHING: u64 = 0;

/// Stands for a row that says it in no plain way: only decoding it tells.
const UNCLEAR: u64 = 1;

impl Scan {
    /// The field and the value by which a list's rows can be found; `None` when they are few, or it selects otherwise.
    pub(super) fn wanted<'a>(
        resource: &Resource,
        rows: &[KeyValue],
        predicate: &'a Predicate,
    ) -> Option<(&'static str, &'a str)> {
        let field = resource.trigger.filter(|f| !f.starts_with("metadata."))?;
        let value = predicate.fields.requires_exact_match(field)?;
        let plain = |b: u8| b > b' ' && b < 0x7f && b != b'"' && b != b'\\';
        let is_plain = !value.is_empty() && value.bytes().all(plain);
        (rows.len() >= LONG && is_plain).then_some((field, value))
    }

    /// The scan of these rows: the last one, if it is of them, or made from it where rows are the same.
    pub(super) fn of(last: &LastScan, rows: &Arc<Vec<KeyValue>>, field: &'static str) -> Arc<Self> {
        let mut last = last.lock().expect("nobody stops half way");
        let known = last.take().filter(|known| known.field == field);
        let scan = match known {
            Some(known) if Arc::ptr_eq(&known.rows, rows) => known,
            known => Arc::new(Self::new(rows, field, known.as_deref())),
        };
        *last = Some(scan.clone());
        scan
    }

    fn new(rows: &Arc<Vec<KeyValue>>, field: &'static str, before: Option<&Self>) -> Self {
        let name = field.rsplit('.').next().unwrap_or(field);
        let named = [name, "\""].concat();
        let known = before.map_or(&[][..], |before| &before.rows);
        let (mut said, mut bytes, mut at) = (Vec::with_capacity(rows.len()), 0, 0);
        for kv in rows.iter() {
            while known.get(at).is_some_and(|old| old.key < kv.key) {
                at += 1;
            }
            let is_same =
                |old: &&KeyValue| std::ptr::eq(&raw const *old.value, &raw const *kv.value);
            let of_row = match (before, known.get(at).filter(is_same)) {
                (Some(before), Some(_)) => before.said[at],
                _ => (says(&kv.value, named.as_bytes()), size(&kv.value)),
            };
            bytes += u64::from(of_row.1);
            said.push(of_row);
        }
        Self {
            rows: rows.clone(),
            field,
            said,
            bytes,
        }
    }

    /// The rows that can have this value, in their order. Some of them may have another one.
    pub(super) fn places(&self, value: &str) -> impl Iterator<Item = &KeyValue> {
        let wanted = hash(value.as_bytes());
        let all = self.rows.iter().zip(&self.said);
        all.filter(move |(_, (hash, _))| *hash == wanted || *hash == UNCLEAR)
            .map(|(row, _)| row)
    }
}

/// A hash of what stands behind the only place where this name ends.
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

/// `:"value"`
fn text(behind: &[u8]) -> Option<&[u8]> {
    let value = behind.trim_ascii_start().strip_prefix(b":")?;
    let value = value.trim_ascii_start().strip_prefix(b"\"")?;
    let end = value.iter().position(|b| *b == b'"')?;
    Some(&value[..end])
}

/// How large an object is taken to be, by its row alone.
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
    // The last byte is a quote: there are few.
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
    let mut d = Digest::new();
    d.bytes(value);
    d.finish().max(UNCLEAR + 1)
}

#[cfg(test)]
mod tests {
    use super::super::object::Object;
    use super::super::resource::PODS;
    use super::*;
    use crate::api::kube::codec;

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
        let rows = Arc::new(rows);
        let last = LastScan::default();
        check(&Scan::of(&last, &rows, "spec.nodeName"));

        // Some rows are others now, the rest are known.
        let mut later = Vec::clone(&rows);
        later[0].value = pod("node-3").value;
        later[5].value = pod("node-1").value;
        later.remove(2);
        later.push(KeyValue {
            key: "/registry/pods/default/9".into(),
            ..pod("node-1")
        });
        let later = Arc::new(later);
        let again = Scan::of(&last, &later, "spec.nodeName");
        check(&again);
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
                    || !object.fields.contains_key("status.phase")
            );
            bytes += object.size_bytes;
        }
        assert_eq!(scan.bytes, bytes);
    }
}
