//! The lanes that match a query, in the order it asks for: which are in the window, which the last write changed, which
//! a range of keys covers.
//!
//! A picture of 100,000 keys sorts none of them: the history has them in both orders, as numbers.

use crate::mvcc::WatcherId;
use crate::observe::{LaneHistory, Past};
use crate::view::names;

use super::{IndexQuery, LaneBracket, LaneOrder};

/// The most rows of an overview.
const OVERVIEW_ROWS_MAX: u32 = 1_024;

/// The most changes that an overview counts: the newest of the revisions wanted.
const OVERVIEW_CHANGES_MAX: usize = 100_000;

/// The place of a lane that does not match.
const NO_PLACE: u32 = u32::MAX;

/// The lanes that match.
pub(super) struct MatchingLanes<'a> {
    m: Past<'a>,
    /// All lanes at the cursor, in the order of creation.
    all: &'a [LaneHistory],
    /// The numbers in `all` of those that match, in the order of the query.
    numbers: Vec<u32>,
    /// The place in `numbers` of each lane in `all`.
    places: Vec<u32>,
}

impl<'a> MatchingLanes<'a> {
    pub(super) fn new(m: Past<'a>, query: &IndexQuery) -> Self {
        let all = m.history.lanes_at(m.step);
        let filter = query.filter.as_bytes();
        let matches = |number: &u32| contains(&all[*number as usize].key, filter);
        let numbers: Vec<u32> = match query.order {
            LaneOrder::Creation => (0..all.len() as u32).filter(matches).collect(),
            LaneOrder::Key => m.history.numbers_by_key(m.step).filter(matches).collect(),
        };
        let mut places = vec![NO_PLACE; all.len()];
        for (place, number) in (0..).zip(&numbers) {
            places[*number as usize] = place;
        }
        Self {
            m,
            all,
            numbers,
            places,
        }
    }

    /// How many match.
    pub(super) fn count(&self) -> u32 {
        self.numbers.len() as u32
    }

    /// So many lanes from this place on, as far as there are.
    pub(super) fn window(&self, first: u32, count: u32) -> Vec<&'a LaneHistory> {
        let from = self.numbers.iter().skip(first as usize);
        let lanes = from.map(|number| &self.all[*number as usize]);
        lanes.take(count as usize).collect()
    }

    /// The place of the first lane that the store's revision changed.
    pub(super) fn written(&self) -> Option<u32> {
        let head = self.m.store().current_rev();
        self.changed(head, head).min()
    }

    /// The lanes that the range of the selected watcher covers, or else the last range read.
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

    /// Changes in the revisions wanted, for each row of the overview.
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

    /// The place of each change in these revisions, newest first.
    fn changed(&self, from: i64, to: i64) -> impl Iterator<Item = u32> {
        let lanes = self.m.history.changed_lanes(from, to, self.m.step);
        let places = lanes.filter_map(|number| self.places.get(number as usize).copied());
        places.filter(|place| *place != NO_PLACE)
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || haystack.windows(needle.len()).any(|w| w == needle)
}
