//! The rows of a response, stored in parts that several responses can share.
//!
//! Clients list 150,000 rows again and again while only a few rows change. Two responses that differ in one row differ
//! in one part and share all other parts. The wire size of each part is computed only once.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::KeyValue;
use crate::base::Bytes;
use crate::base::assumed_size::weight;
use crate::base::proto::size;

/// The number of rows in a new part. Later changes can insert rows into a part or remove rows from a part.
const PART: usize = 512;

/// The maximum number of rows in a part; a larger part is split in two.
const PART_MAX: usize = 2 * PART;

/// The rows of a response, in order. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Rows(Arc<All>);

#[derive(Clone, Default)]
struct All {
    parts: Vec<Arc<RowsPart>>,
    len: usize,
    bytes: u64,
    weight: u64,
}

/// One or more consecutive rows of a response.
#[derive(Clone, Default)]
pub struct RowsPart {
    rows: Vec<KeyValue>,
    bytes: u64,
    weight: u64,
}

impl RowsPart {
    pub fn rows(&self) -> &[KeyValue] {
        &self.rows
    }

    fn of(rows: Vec<KeyValue>) -> Arc<Self> {
        Arc::new(Self {
            bytes: rows.iter().map(size).sum(),
            weight: rows.iter().map(|row| weight(&row.value)).sum(),
            rows,
        })
    }
}

impl Rows {
    pub fn len(&self) -> usize {
        self.0.len
    }

    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// Returns the size of all encoded rows, in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Returns the total assumed size of all values, in bytes. See [`weight`](crate::base::assumed_size::weight).
    pub fn weight(&self) -> u64 {
        self.0.weight
    }

    pub fn parts(&self) -> &[Arc<RowsPart>] {
        &self.0.parts
    }

    /// Returns true if `self` and `other` share the same list in memory; equal contents are not enough.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub fn iter(&self) -> impl Iterator<Item = &KeyValue> {
        self.0.parts.iter().flat_map(|part| &part.rows)
    }

    pub fn first(&self) -> Option<&KeyValue> {
        self.0.parts.first()?.rows.first()
    }

    pub fn last(&self) -> Option<&KeyValue> {
        self.0.parts.last()?.rows.last()
    }

    /// Returns the first `most` rows, or all rows if there are fewer.
    pub fn head(&self, most: usize) -> Vec<KeyValue> {
        self.iter().take(most).cloned().collect()
    }

    /// Returns a copy of these rows with changed keys. In `changes`, `Some` inserts or replaces the row of a key, and
    /// `None` removes the row. These rows must be in key order.
    #[must_use]
    pub fn with(&self, changes: impl IntoIterator<Item = (Bytes, Option<KeyValue>)>) -> Self {
        let mut parts: Option<Vec<Arc<RowsPart>>> = None;
        for (key, row) in changes {
            let parts = parts.get_or_insert_with(|| self.0.parts.clone());
            change(parts, &key, row);
        }
        parts.map_or_else(|| self.clone(), Self::of)
    }

    /// Returns the rows of all lists, one list after the other.
    pub fn joined(lists: &[Self]) -> Self {
        Self::of(
            lists
                .iter()
                .flat_map(|list| list.parts())
                .cloned()
                .collect(),
        )
    }

    fn of(parts: Vec<Arc<RowsPart>>) -> Self {
        let len = parts.iter().map(|part| part.rows.len()).sum();
        let bytes = parts.iter().map(|part| part.bytes).sum();
        let weight = parts.iter().map(|part| part.weight).sum();
        Self(Arc::new(All {
            parts,
            len,
            bytes,
            weight,
        }))
    }
}

fn change(parts: &mut Vec<Arc<RowsPart>>, key: &Bytes, row: Option<KeyValue>) {
    let ends_before = |part: &Arc<RowsPart>| part.rows.last().is_some_and(|last| last.key < *key);
    let at = parts.partition_point(ends_before);
    // A key after the last row is inserted into the last part.
    let at = at.min(parts.len().saturating_sub(1));
    let Some(shared) = parts.get_mut(at) else {
        parts.extend(row.map(|row| RowsPart::of(vec![row])));
        return;
    };
    let part = Arc::make_mut(shared);
    let place = part.rows.binary_search_by(|known| known.key.cmp(key));
    if let Ok(place) = place {
        part.bytes -= size(&part.rows[place]);
        part.weight -= weight(&part.rows[place].value);
    }
    part.bytes += row.as_ref().map_or(0, size);
    part.weight += row.as_ref().map_or(0, |row| weight(&row.value));
    match (place, row) {
        (Ok(place), Some(row)) => part.rows[place] = row,
        (Ok(place), None) => {
            part.rows.remove(place);
        }
        (Err(place), Some(row)) => part.rows.insert(place, row),
        (Err(_), None) => {}
    }
    if part.rows.is_empty() {
        parts.remove(at);
    } else if part.rows.len() > PART_MAX {
        let rest = RowsPart::of(part.rows.split_off(PART));
        part.bytes -= rest.bytes;
        part.weight -= rest.weight;
        parts.insert(at + 1, rest);
    }
}

impl From<Vec<KeyValue>> for Rows {
    fn from(rows: Vec<KeyValue>) -> Self {
        let mut parts = Vec::with_capacity(rows.len().div_ceil(PART));
        let mut rows = rows.into_iter();
        loop {
            let part: Vec<KeyValue> = rows.by_ref().take(PART).collect();
            if part.is_empty() {
                return Self::of(parts);
            }
            parts.push(RowsPart::of(part));
        }
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Rows {}

/// Hashes only the rows. The hash omits the boundaries between parts, because these boundaries depend on earlier reads.
impl Hash for Rows {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        self.iter().for_each(|row| row.hash(state));
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(key: u16, value: usize) -> KeyValue {
        KeyValue {
            key: format!("/k/{key:05}").as_str().into(),
            mod_revision: value as i64,
            value: "v".repeat(value).as_str().into(),
            ..KeyValue::default()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn like_a_plain_list(
            first in 0_u16..3000,
            changes in prop::collection::vec((0_u16..6000, prop::option::of(0_usize..300)), 0..3000),
            at_once in 1_usize..200,
        ) {
            let mut plain: Vec<KeyValue> = (0..first).map(|key| row(2 * key, 3)).collect();
            let mut rows = Rows::from(plain.clone());
            for changes in changes.chunks(at_once) {
                let before = rows.clone();
                let as_before = plain.clone();
                let changes = changes.iter().map(|(key, value)| {
                    let row_now = value.map(|value| row(*key, value));
                    let key = row(*key, 0).key;
                    match (plain.binary_search_by(|known| known.key.cmp(&key)), row_now.clone()) {
                        (Ok(at), Some(row)) => plain[at] = row,
                        (Ok(at), None) => { plain.remove(at); }
                        (Err(at), Some(row)) => plain.insert(at, row),
                        (Err(_), None) => {}
                    }
                    (key, row_now)
                });
                let changes: Vec<_> = changes.collect();
                rows = rows.with(changes);
                prop_assert!(before.iter().eq(&as_before), "what is shared stays as it is");
            }
            prop_assert!(rows.iter().eq(&plain));
            prop_assert_eq!(rows.len(), plain.len());
            prop_assert_eq!(rows.is_empty(), plain.is_empty());
            prop_assert_eq!((rows.first(), rows.last()), (plain.first(), plain.last()));
            prop_assert_eq!(rows.bytes(), plain.iter().map(size).sum::<u64>());
            prop_assert_eq!(rows.weight(), plain.iter().map(|row| weight(&row.value)).sum::<u64>());
            prop_assert_eq!(&rows, &Rows::from(plain));
            for part in rows.parts() {
                prop_assert!((1..=PART_MAX).contains(&part.rows().len()));
                prop_assert_eq!(part.bytes, part.rows.iter().map(size).sum::<u64>());
            }
        }
    }

    #[test]
    fn one_row_costs_one_part() {
        let rows = Rows::from((0..5000).map(|key| row(key, 1)).collect::<Vec<_>>());
        let later = rows.with([(row(2600, 0).key, Some(row(2600, 9)))]);
        let shared = rows.parts().iter().zip(later.parts());
        assert_eq!(shared.filter(|(a, b)| !Arc::ptr_eq(a, b)).count(), 1);
        assert!(rows.with([]).is_same(&rows));
    }
}
