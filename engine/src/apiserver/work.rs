//! The cost of lists for an API server: the objects and bytes that it examined, in total and in the last second.

use crate::base::time::SimTime;
use crate::kube::ServedBy;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WorkCost {
    pub lists: u64,
    /// The number of objects that the lists examined.
    pub objects: u64,
    /// The size of the examined objects, in bytes. A list from etcd reads and decodes these bytes. A list from the
    /// cache finds the objects already decoded.
    pub bytes: u64,
    pub returned: u64,
}

pub const SOURCES: [ServedBy; 3] = [ServedBy::Cache, ServedBy::Snapshot, ServedBy::Etcd];

/// The cost of lists, by source.
#[derive(Clone, Debug, Default, Hash)]
pub struct ServerWork {
    total: [WorkCost; SOURCES.len()],
    /// The current second, counted from the start of the run.
    second: u64,
    this: [WorkCost; SOURCES.len()],
    /// The cost of lists in the previous second, by source.
    last: [WorkCost; SOURCES.len()],
}

const SECOND_US: u64 = 1_000_000;

impl ServerWork {
    pub(super) fn listed(&mut self, now: SimTime, by: ServedBy, cost: WorkCost) {
        let Some(place) = SOURCES.iter().position(|source| *source == by) else {
            return;
        };
        let second = now.0 / SECOND_US;
        if second != self.second {
            let follows = second == self.second + 1;
            self.last = if follows {
                self.this
            } else {
                Default::default()
            };
            self.this = Default::default();
            self.second = second;
        }
        for sum in [&mut self.total[place], &mut self.this[place]] {
            sum.lists += cost.lists;
            sum.objects += cost.objects;
            sum.bytes += cost.bytes;
            sum.returned += cost.returned;
        }
    }

    /// Returns the cost of lists for each source: in total, and in the last complete second.
    pub fn of(&self, now: SimTime) -> impl Iterator<Item = (ServedBy, WorkCost, WorkCost)> + '_ {
        let second = now.0 / SECOND_US;
        let last = match second.checked_sub(self.second) {
            Some(0) => self.last,
            Some(1) => self.this,
            _ => Default::default(),
        };
        let all = SOURCES.into_iter().zip(self.total).zip(last);
        all.map(|((by, total), last)| (by, total, last))
            .filter(|(_, total, _)| total.lists > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_second_is_the_one_that_is_over() {
        let mut work = ServerWork::default();
        let cost = WorkCost {
            lists: 1,
            objects: 150_000,
            bytes: 10,
            returned: 30,
        };
        let of = |work: &ServerWork, us| {
            let mut all = work.of(SimTime(us));
            all.next().map(|(_, total, last)| (total.lists, last.lists))
        };
        assert_eq!(of(&work, 0), None);
        work.listed(SimTime(100), ServedBy::Etcd, cost);
        work.listed(SimTime(999_999), ServedBy::Etcd, cost);
        assert_eq!(of(&work, 999_999), Some((2, 0)));
        assert_eq!(of(&work, 1_000_000), Some((2, 2)));
        work.listed(SimTime(1_500_000), ServedBy::Etcd, cost);
        assert_eq!(of(&work, 1_600_000), Some((3, 2)));
        assert_eq!(of(&work, 2_000_000), Some((3, 1)));
        assert_eq!(of(&work, 3_000_000), Some((3, 0)));
        work.listed(SimTime(9_000_000), ServedBy::Cache, cost);
        assert_eq!(of(&work, 9_000_000), Some((1, 0)));
    }
}
