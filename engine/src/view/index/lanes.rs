//! The lanes (rows of the Index view, one per key) that match a query, in the requested order. Finds the lanes to draw,
//! the lane of the last write, and the lanes in a range of keys.
//!
//! The history stores the lanes in creation order and in key order, so a view of 100,000 keys needs no sorting.

use crate::mvcc::WatcherId;
use crate::observe::{LaneHistory, Past};
use crate::view::names;

use super::{IndexQuery, LaneBracket, LaneOrder};

/// The maximum number of rows in an overview of all lanes.
const OVERVIEW_ROWS_MAX: u32 = 1_024;

/// The maximum number of changes that an overview counts. The newest changes are counted.
const OVERVIEW_CHANGES_MAX: usize = 100_000;

/// The value in [`MatchingLanes::places`] for a lane that does not match the query.
const NO_PLACE: u32 = u32::MAX;

pub(super) struct MatchingLanes<'a> {
    m: Past<'a>,
    /// All lanes that exist at the cursor, sorted by the creation time of their keys.
    all: &'a [LaneHistory],
    /// The matching lanes, as indexes into `all`, in the requested order.
    numbers: Vec<u32>,
    /// For each lane in `all`: the lane's index in `numbers`, or [`NO_PLACE`] if `numbers` does not contain the lane.
    places: Vec<u32>,
    /// The number of lanes that match the filter but are folded (hidden).
    folded: u32,
}

impl<'a> MatchingLanes<'a> {
    pub(super) fn new(m: Past<'a>, query: &IndexQuery) -> Self {
        let all = m.history.lanes_at(m.step);
        let filter = query.filter.as_bytes();
        let matches = |number: &u32| contains(&all[*number as usize].key, filter);
        let mut numbers: Vec<u32> = match query.order {
            LaneOrder::Creation => (0..all.len() as u32).filter(matches).collect(),
            LaneOrder::Key => m.history.numbers_by_key(m.step).filter(matches).collect(),
        };
        let found = numbers.len();
        if let Some(fold) = query.fold {
            let head = m.store().current_rev();
            let mut is_changed = vec![false; all.len()];
            for (from, to) in [fold, (head, head)] {
                for number in m.history.changed_lanes(from, to, m.step) {
                    is_changed[number as usize] = true;
                }
            }
            numbers.retain(|number| is_changed[*number as usize]);
        }
        let mut places = vec![NO_PLACE; all.len()];
        for (place, number) in (0..).zip(&numbers) {
            places[*number as usize] = place;
        }
        Self {
            m,
            all,
            folded: (found - numbers.len()) as u32,
            numbers,
            places,
        }
    }

    /// Returns the number of lanes that match the filter but are folded (hidden).
    pub(super) fn folded(&self) -> u32 {
        self.folded
    }

    pub(super) fn count(&self) -> u32 {
        self.numbers.len() as u32
    }

    /// Returns up to `count` lanes, starting at the index `first`.
    pub(super) fn window(&self, first: u32, count: u32) -> Vec<&'a LaneHistory> {
        let from = self.numbers.iter().skip(first as usize);
        let lanes = from.map(|number| &self.all[*number as usize]);
        lanes.take(count as usize).collect()
    }

    /// Returns the index of the first lane that changed at the store's current revision; `None` if no such lane matches
    /// the query.
    pub(super) fn written(&self) -> Option<u32> {
        let head = self.m.store().current_rev();
        self.changed(head, head).min()
    }

    /// Returns the index of the lane of the key that the beat highlights; `None` if no such lane matches the query.
    pub(super) fn focused(&self) -> Option<u32> {
        let key = self.m.focus?.as_bytes();
        let is_it = |number: &u32| *self.all[*number as usize].key == *key;
        let place = self.numbers.iter().position(is_it)?;
        u32::try_from(place).ok()
    }

    /// Returns the lanes in the key range of the selected watcher. Without a selected watcher, uses the key range of
    /// the last read.
    pub(super) fn bracket(&self, query: &IndexQuery) -> Option<LaneBracket> {
        if query.order != LaneOrder::Key {
            return None;
        }
        let range = match query.watcher {
            Some(id) => &self.m.etcd().watchable().watcher(WatcherId(id))?.range,
            None => self.m.history.last_range_read(self.m.step)?,
        };
        let key = |number: &u32| &self.all[*number as usize].key;
        let first = self.numbers.partition_point(|n| key(n) < range.start());
        let covered = self.numbers[first..].partition_point(|n| range.contains(key(n)));
        let last = (first + covered).checked_sub(1)?;
        (covered > 0).then(|| LaneBracket {
            range: names::range(range),
            first: first as u32,
            last: last as u32,
        })
    }

    /// Counts the changes between the requested revisions for each row of the overview.
    pub(super) fn overview(&self, query: &IndexQuery) -> Vec<u32> {
        let rows = query.overview_rows.min(OVERVIEW_ROWS_MAX).min(self.count());
        let mut changes = vec![0; rows as usize];
        if rows > 0 {
            let newest = self.changed(query.rev_from, query.rev_to);
            for place in newest.take(OVERVIEW_CHANGES_MAX) {
                let row = u64::from(place) * u64::from(rows) / u64::from(self.count());
                changes[row as usize] += 1;
            }
        }
        changes
    }

    /// Returns the index of the changed lane for each change between the requested revisions, newest change first.
    fn changed(&self, from: i64, to: i64) -> impl Iterator<Item = u32> {
        let lanes = self.m.history.changed_lanes(from, to, self.m.step);
        let places = lanes.filter_map(|number| self.places.get(number as usize).copied());
        places.filter(|place| *place != NO_PLACE)
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || haystack.windows(needle.len()).any(|w| w == needle)
}
