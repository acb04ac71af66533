//! The merged permissions of a user: the key intervals that the user may read, and those that the user may write.
//!
//! Mirrors `range_perm_cache.go` and the part of `pkg/adt/interval_tree.go` that it uses. A sorted list replaces the
//! tree; the results are the same.

use std::cmp::Ordering;

use crate::api::{Permission, PermissionType};
use crate::base::Bytes;

/// The key intervals that a user may read and write.
///
/// ```
/// use watchglass_engine::api::{Permission, PermissionType};
/// use watchglass_engine::auth::RangePermissions;
/// let permission = |key: &str, end: &str| Permission {
///     kind: PermissionType::Read,
///     key: key.into(),
///     range_end: end.into(),
/// };
/// let mut permissions = RangePermissions::default();
/// permissions.add(&permission("a", "c"));
/// permissions.add(&permission("c", "e"));
/// // Two intervals that touch cover a range across their border.
/// assert!(permissions.permits(PermissionType::Read, &"b".into(), &"d".into()));
/// assert!(!permissions.permits(PermissionType::Read, &"b".into(), &"f".into()));
/// assert!(!permissions.permits(PermissionType::Write, &"b".into(), &"".into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RangePermissions {
    read: Vec<Interval>,
    write: Vec<Interval>,
}

/// The keys from `begin` up to, but not including, `end`. As in upstream's `BytesAffineComparable`, an empty bound is
/// greater than every key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Interval {
    begin: Bytes,
    end: Bytes,
}

/// Returns true if `range_end` means all keys from the first key on.
fn is_open_ended(range_end: &Bytes) -> bool {
    **range_end == [0]
}

/// Returns true if a role may have a permission for these keys (`isValidPermissionRange`).
pub(super) fn is_valid(key: &Bytes, range_end: &Bytes) -> bool {
    !key.is_empty()
        && (range_end.is_empty()
            || compare(key, range_end) == Ordering::Less
            || is_open_ended(range_end))
}

fn compare(one: &Bytes, other: &Bytes) -> Ordering {
    match (one.is_empty(), other.is_empty()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => one.cmp(other),
    }
}

impl Interval {
    fn new(key: &Bytes, range_end: &Bytes) -> Self {
        let end = match range_end {
            end if end.is_empty() => [&**key, &[0]].concat().into(),
            end if is_open_ended(end) => Bytes::default(),
            end => end.clone(),
        };
        let begin = key.clone();
        Self { begin, end }
    }

    /// Returns true if the intervals have a key in common. For an interval whose end is not greater than its begin, the
    /// result is that of upstream's tree.
    fn meets(&self, other: &Self) -> bool {
        let is_left = compare(&self.begin, &other.begin) == Ordering::Less
            && compare(&self.end, &other.begin) != Ordering::Greater;
        let is_right = compare(&self.begin, &other.end) != Ordering::Less;
        !is_left && !is_right
    }
}

impl RangePermissions {
    /// Adds a permission of one of the user's roles.
    pub fn add(&mut self, permission: &Permission) {
        let interval = Interval::new(&permission.key, &permission.range_end);
        let lists = [
            (permission.kind.reads(), &mut self.read),
            (permission.kind.writes(), &mut self.write),
        ];
        for (_, list) in lists.into_iter().filter(|(permits, _)| *permits) {
            let before = |i: &Interval| compare(&i.begin, &interval.begin) != Ordering::Greater;
            let place = list.partition_point(before);
            list.insert(place, interval.clone());
        }
    }

    /// Returns true if the user may read or write all keys of a request.
    pub fn permits(&self, kind: PermissionType, key: &Bytes, range_end: &Bytes) -> bool {
        let list = match kind {
            PermissionType::Read => &self.read,
            PermissionType::Write => &self.write,
            PermissionType::ReadWrite => {
                return self.permits(PermissionType::Read, key, range_end)
                    && self.permits(PermissionType::Write, key, range_end);
            }
        };
        let wanted = Interval::new(key, range_end);
        let mut met = list.iter().filter(|interval| wanted.meets(interval));
        if range_end.is_empty() {
            return met.next().is_some();
        }
        covers(&wanted, met)
    }
}

/// Returns true if the intervals, which are sorted by their begins, cover `wanted` without a gap.
fn covers<'a>(wanted: &Interval, mut intervals: impl Iterator<Item = &'a Interval>) -> bool {
    let Some(first) = intervals.next() else {
        return false;
    };
    let mut end = &first.end;
    for interval in intervals {
        if compare(end, &interval.begin) == Ordering::Less {
            return false;
        }
        if compare(&interval.end, end) == Ordering::Greater {
            end = &interval.end;
        }
    }
    compare(end, &wanted.end) != Ordering::Less
        && compare(&first.begin, &wanted.begin) != Ordering::Greater
}
