//! Reads the rows of a bucket from the batch and the file. A row in the batch replaces the row with the same key in the
//! file.
//!
//! Mirrors `readTx.UnsafeRange`, which reads from the read buffer first.

use std::iter;

use crate::base::Bytes;
use crate::bbolt::{Cursor, Damage, Entry, Span};

type Change<'a> = (&'a Bytes, &'a Option<Bytes>);

/// Returns the rows whose keys are `start` or greater, in key order.
pub(super) fn forwards<'a, B: Iterator<Item = Change<'a>>>(
    mut cursor: Option<Cursor>,
    start: &[u8],
    batch: B,
) -> impl Iterator<Item = (Span, Span)> + use<'a, B> {
    let first = cursor.as_mut().and_then(|cursor| read(cursor.seek(start)));
    let next = move || read(cursor.as_mut()?.next());
    merge(first, next, batch, |file, batch| file < batch)
}

/// Returns all rows, the greatest key first.
pub(super) fn backwards<'a>(
    mut cursor: Option<Cursor>,
    batch: impl Iterator<Item = Change<'a>>,
) -> impl Iterator<Item = (Span, Span)> {
    let last = cursor.as_mut().and_then(|cursor| read(cursor.last()));
    let next = move || read(cursor.as_mut()?.prev());
    merge(last, next, batch, |file, batch| file > batch)
}

fn read(moved: Result<Option<Entry>, Damage>) -> Option<Entry> {
    moved.expect("the pages of a database are not damaged")
}

/// Merges the batch with the file. `in_file` is the first entry in the file; `next` returns the following entry.
fn merge<'a>(
    mut in_file: Option<Entry>,
    mut next: impl FnMut() -> Option<Entry>,
    batch: impl Iterator<Item = Change<'a>>,
    is_before: fn(&[u8], &[u8]) -> bool,
) -> impl Iterator<Item = (Span, Span)> {
    let mut batch = batch.peekable();
    iter::from_fn(move || {
        loop {
            let change = batch.peek();
            if let Some(entry) = &in_file
                && change.is_none_or(|(key, _)| is_before(&entry.key, key))
            {
                let entry = in_file.take()?;
                in_file = next();
                return Some((entry.key, entry.value));
            }
            let (key, value) = batch.next()?;
            if in_file.as_ref().is_some_and(|entry| *entry.key == **key) {
                in_file = next();
            }
            if let Some(value) = value {
                return Some((Span::from(key.clone()), Span::from(value.clone())));
            }
        }
    })
}
