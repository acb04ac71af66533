//! Counts for views of many watchers: per column of the revision ruler, per key range, and per fill level of the
//! streams' channels.

use crate::base::bytes::KeyRange;
use crate::base::small_sort::SmallSort;
use crate::mvcc::WatcherId;
use crate::observe::Past;

use super::rows::Standing;
use super::{RangeRow, WatchView, WatcherBin, WatcherPool, WatcherView};
use crate::view::names;
use crate::words::watch as words;

/// The maximum number of key ranges that have a row of their own. All other key ranges share one row.
const RANGES_NAMED: usize = 6;

/// The number of columns of the revision ruler if the query does not set a number.
const COLUMNS_DEFAULT: u32 = 48;
/// The maximum number of columns of the revision ruler.
const COLUMNS_MAX: u32 = 400;

/// The minimum number of revisions on the ruler. In a shorter history, the ruler shows all revisions.
const RULER_MIN: i64 = 10;

/// Returns the left end of the revision ruler. The left end is at or before the revisions of all watchers, and is a
/// round number so that it rarely changes. The ruler includes the compact revision unless the compact revision is
/// far to the left.
pub(in crate::view) fn axis_from(
    m: Past<'_>,
    standings: &[Standing<'_>],
    few: &[WatcherView],
) -> i64 {
    let kv = m.etcd().watchable();
    let head = m.head();
    let mut lowest = head - RULER_MIN + 1;
    for standing in standings {
        lowest = lowest.min(standing.next(head));
    }
    for (_, batch) in kv.victims() {
        lowest = lowest.min(batch.span().0);
    }
    let sent = few.iter().filter(|w| w.pool == WatcherPool::Unsynced);
    for (from, _) in sent.filter_map(|w| w.sent) {
        lowest = lowest.min(from);
    }
    // etcd 3.4 accepts a negative start revision.
    lowest = lowest.max(0);
    let floor = kv.store().compact_rev();
    if floor > 0 && floor >= lowest - 2 * (head - lowest) {
        lowest = lowest.min(floor);
    }
    let unit = round_above((head - lowest) / 5);
    (lowest / unit * unit).max(1)
}

/// Returns the smallest number in the sequence 1, 2, 5, 10, 20, 50, … that is at least `least`.
fn round_above(least: i64) -> i64 {
    let mut unit = 1;
    loop {
        for round in [unit, 2 * unit, 5 * unit] {
            if round >= least {
                return round;
            }
        }
        unit *= 10;
    }
}

/// Adds the counts to a view. The revision ruler of the view must already be set.
pub(in crate::view) fn bins_and_ranges(
    m: Past<'_>,
    standings: &[Standing<'_>],
    columns: u32,
    picks: &[WatcherId],
    view: &mut WatchView,
) {
    let columns = match columns {
        0 => COLUMNS_DEFAULT,
        n => n.min(COLUMNS_MAX),
    };
    let head = m.head();
    let span = (head - view.axis_from + 1).max(1);
    let width = round_above((span + i64::from(columns) - 1) / i64::from(columns));
    let mut picks = picks.to_vec();
    picks.small_sort();
    view.bins = (0..(span + width - 1) / width)
        .map(|i| WatcherBin {
            from: view.axis_from + i * width,
            to: (view.axis_from + (i + 1) * width - 1).min(head),
            ..WatcherBin::default()
        })
        .collect();
    let last = view.bins.len() - 1;
    let axis_from = view.axis_from;
    let column = |standing: &Standing<'_>| {
        let at = standing.next(head).saturating_sub(axis_from).max(0) / width;
        (at as usize).min(last)
    };
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut by_range: Vec<(&KeyRange, usize)> = Vec::new();
    for standing in standings {
        let Standing { id, watcher, pool } = *standing;
        let at = column(standing);
        let bin = &mut view.bins[at];
        match pool {
            WatcherPool::Unsynced if picks.binary_search(&id).is_ok() => bin.unsynced_now += 1,
            WatcherPool::Unsynced => bin.unsynced_later += 1,
            WatcherPool::Victim => bin.victims += 1,
            WatcherPool::Synced | WatcherPool::Compacted => {}
        }
        let order = |(r, _): &(&KeyRange, usize)| ends(r).cmp(&ends(&watcher.range));
        let group = match by_range.binary_search_by(order) {
            Ok(found) => by_range[found].1,
            Err(place) => {
                by_range.insert(place, (&watcher.range, groups.len()));
                groups.push(Group {
                    range: &watcher.range,
                    members: Vec::new(),
                });
                groups.len() - 1
            }
        };
        groups[group].members.push((pool, at));
    }
    view.ranges = ranges(groups, view.bins.len());
}

/// The watchers of one key range, each with its pool and its column on the ruler.
struct Group<'a> {
    range: &'a KeyRange,
    members: Vec<(WatcherPool, usize)>,
}

/// Returns a key by which ranges are sorted. The key is different for each range.
fn ends(range: &KeyRange) -> (&[u8], u8, &[u8]) {
    match range {
        KeyRange::One(key) => (key, 0, &[]),
        KeyRange::From(key) => (key, 2, &[]),
        KeyRange::Between(key, end) => (key, 1, end),
    }
}

/// Returns a row for each of the key ranges with the most watchers, in the order of their first watcher, and one row
/// for all other key ranges.
fn ranges(groups: Vec<Group<'_>>, columns: usize) -> Vec<RangeRow> {
    let mut by_size: Vec<usize> = (0..groups.len()).collect();
    by_size.small_sort_by_key(|i| (std::cmp::Reverse(groups[*i].members.len()), *i));
    let named = by_size.len().min(RANGES_NAMED);
    let (named, rest) = by_size.split_at_mut(named);
    named.small_sort();
    let mut rows: Vec<RangeRow> = named
        .iter()
        .map(|i| {
            let label = names::range(groups[*i].range);
            row(label, &[&groups[*i]], columns)
        })
        .collect();
    let rest: Vec<&Group<'_>> = rest.iter().map(|i| &groups[*i]).collect();
    match rest.as_slice() {
        [] => {}
        [one] => rows.push(row(names::range(one.range), &rest, columns)),
        many => rows.push(row(words::other_ranges(many.len()), many, columns)),
    }
    rows
}

fn row(label: String, groups: &[&Group<'_>], columns: usize) -> RangeRow {
    let mut row = RangeRow {
        label,
        unsynced: vec![0; columns],
        victims: vec![0; columns],
        ..RangeRow::default()
    };
    for (pool, column) in groups.iter().flat_map(|group| &group.members) {
        row.watchers += 1;
        match pool {
            WatcherPool::Synced => row.synced += 1,
            WatcherPool::Unsynced => row.unsynced[*column] += 1,
            WatcherPool::Victim => row.victims[*column] += 1,
            WatcherPool::Compacted => {}
        }
    }
    row
}

/// Counts the streams by the fill level of their channel: empty, up to a quarter full, fuller, and full.
pub(in crate::view) fn stream_fill(m: Past<'_>) -> [u64; 4] {
    let kv = m.etcd().watchable();
    let mut fill = [0; 4];
    for (_, state) in m.etcd().watch_streams() {
        let capacity = kv.stream(state.store).map_or(0, |s| s.capacity);
        let class = match kv.channel_len(state.store) {
            0 => 0,
            n if n >= capacity => 3,
            n if n < capacity.div_ceil(4) => 1,
            _ => 2,
        };
        fill[class] += 1;
    }
    fill
}
