//! The value of a row: `mvccpb.KeyValue` in protobuf's binary form.
//!
//! Mirrors `api/mvccpb/kv.proto`: key 1, create_revision 2, mod_revision 3, version 4, value 5,
//! lease 6; a field that is zero or empty is not written (proto3).

use crate::api::KeyValue;
use crate::base::Bytes;

/// One field of an encoded row: where its bytes are and what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name in `kv.proto`.
    pub name: &'static str,
    /// Offset of the field's tag in the encoded row, in bytes.
    pub start: u32,
    /// Offset of the first byte after the field.
    pub end: u32,
}

/// The row's bytes.
///
/// ```
/// use watchglass_engine::{api::KeyValue, mvcc::record};
/// let kv = KeyValue { key: "a".into(), create_revision: 2, mod_revision: 2, version: 1,
///     value: "1".into(), lease: 0 };
/// assert_eq!(&*record::encode(&kv), b"\x0a\x01a\x10\x02\x18\x02\x20\x01\x2a\x011");
/// assert_eq!(record::decode(&record::encode(&kv)), Some(kv));
/// ```
pub fn encode(kv: &KeyValue) -> Bytes {
    let mut out = Vec::with_capacity(kv.key.len() + kv.value.len() + 24);
    put_bytes(&mut out, 1, &kv.key);
    put_int(&mut out, 2, kv.create_revision);
    put_int(&mut out, 3, kv.mod_revision);
    put_int(&mut out, 4, kv.version);
    put_bytes(&mut out, 5, &kv.value);
    put_int(&mut out, 6, kv.lease);
    Bytes::from(out)
}

/// Reads a row; `None` when the bytes are not a `KeyValue`. Unknown fields are skipped.
pub fn decode(bytes: &[u8]) -> Option<KeyValue> {
    let mut kv = KeyValue::default();
    walk(bytes, |field, content, _, _| match (field, content) {
        (1, Content::Bytes(b)) => kv.key = Bytes::from(b),
        (2, Content::Int(n)) => kv.create_revision = n,
        (3, Content::Int(n)) => kv.mod_revision = n,
        (4, Content::Int(n)) => kv.version = n,
        (5, Content::Bytes(b)) => kv.value = Bytes::from(b),
        (6, Content::Int(n)) => kv.lease = n,
        _ => {}
    })?;
    Some(kv)
}

/// The fields of an encoded row in the order they stand there, for showing the bytes.
pub fn fields(bytes: &[u8]) -> Vec<Field> {
    const NAMES: [&str; 7] = [
        "unknown",
        "key",
        "create_revision",
        "mod_revision",
        "version",
        "value",
        "lease",
    ];
    let mut out = Vec::new();
    // A row that cannot be read to its end still shows the fields before the damage.
    let _ = walk(bytes, |field, _, start, end| {
        let name = NAMES.get(field as usize).copied().unwrap_or(NAMES[0]);
        out.push(Field {
            name,
            start: start as u32,
            end: end as u32,
        });
    });
    out
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// A number.
    Int(i64),
    /// Bytes or a text.
    Bytes(&'a [u8]),
}

/// Calls `f(field number, content, start, end)` for each field of a message; `None` when the bytes
/// are no message.
pub fn walk(bytes: &[u8], mut f: impl FnMut(u64, Content<'_>, usize, usize)) -> Option<()> {
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let tag = read_varint(bytes, &mut at)?;
        let content = match tag & 7 {
            0 => Content::Int(read_varint(bytes, &mut at)? as i64),
            2 => {
                let len = usize::try_from(read_varint(bytes, &mut at)?).ok()?;
                let end = at.checked_add(len)?;
                let content = bytes.get(at..end)?;
                at = end;
                Content::Bytes(content)
            }
            _ => return None,
        };
        f(tag >> 3, content, start, at);
    }
    Some(())
}

/// Appends `n` in base-128 varint form.
pub fn put_varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut n = 0u64;
    for shift in (0..64).step_by(7) {
        let b = *bytes.get(*at)?;
        *at += 1;
        n |= u64::from(b & 0x7f) << shift;
        if b & 0x80 == 0 {
            return Some(n);
        }
    }
    None
}

/// Appends a field with a number, unless that is 0.
pub fn put_int(out: &mut Vec<u8>, field: u8, n: i64) {
    if n != 0 {
        out.push(field << 3);
        put_varint(out, n as u64);
    }
}

fn put_bytes(out: &mut Vec<u8>, field: u8, b: &[u8]) {
    if !b.is_empty() {
        out.push(field << 3 | 2);
        put_varint(out, b.len() as u64);
        out.extend_from_slice(b);
    }
}
