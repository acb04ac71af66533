//! The compaction that the user is typing: its revision, and the watches that the compaction would cancel.

use watchglass_engine::view::watch::WatcherPool;
use watchglass_engine::view::{WatchView, watch::WatcherView};

use crate::draw::text::cells;
use crate::words::watch as words;

/// A compaction that is typed but not sent yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Fence {
    pub revision: i64,
    /// The names of the watchers that the compaction would cancel; empty if there are too many watchers to list them.
    pub names: Vec<String>,
    /// The number of watches that the compaction would cancel.
    pub count: u64,
}

impl Fence {
    /// Parses the line in the prompt. Returns `None` unless the line is a compaction that etcd would accept.
    pub fn read(draft: &str, view: &WatchView) -> Option<Fence> {
        let words = draft.split_whitespace();
        let mut words = words.filter(|word| !word.starts_with("--") && *word != "etcdctl");
        if !matches!(words.next(), Some("compact" | "compaction")) {
            return None;
        }
        let revision: i64 = words.next()?.parse().ok()?;
        if revision <= view.compact_revision || revision > view.revision || revision < 1 {
            return None;
        }
        // A sync pass cancels each watcher that still needs a revision before the compact revision.
        let falls = |watcher: &&WatcherView| {
            watcher.next < revision
                && matches!(watcher.pool, WatcherPool::Unsynced | WatcherPool::Victim)
        };
        let names: Vec<String> = view
            .watchers
            .iter()
            .filter(falls)
            .map(|watcher| watcher.name.clone())
            .collect();
        let in_bins = view
            .bins
            .iter()
            .filter(|bin| bin.to < revision)
            .map(|bin| u64::from(bin.unsynced_now + bin.unsynced_later + bin.victims))
            .sum::<u64>();
        Some(Fence {
            revision,
            count: names.len() as u64 + in_bins,
            names,
        })
    }

    /// Returns the label of the compaction, with the names of the watchers if they fit into `room` characters.
    pub fn words(&self, room: usize) -> String {
        if self.count == 0 {
            return words::cancels_none(self.revision);
        }
        let all = words::cancels(self.revision, &self.names);
        if self.names.len() as u64 == self.count && self.names.len() <= 4 && cells(&all) <= room {
            return all;
        }
        words::cancels_many(self.revision, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_line_is_read_as_it_is_typed() {
        let view = fixture::few();
        let at = |draft: &str| Fence::read(draft, &view).map(|fence| fence.words(80));
        assert_eq!(at("compac"), None);
        assert_eq!(at("compact"), None);
        assert_eq!(at("compact 2x"), None);
        assert_eq!(at("compact 1400"), None, "that is where the floor is");
        assert_eq!(at("compact 9999"), None, "a revision to come");
        let said = at("etcdctl compact 2000 --physical");
        assert_eq!(said.as_deref(), Some("compact 2,000 would cancel D0"));
        let said = at("compact 1600");
        assert_eq!(said.as_deref(), Some("compact 1,600 would cancel no watch"));
        let fence = Fence::read("compact 5240", &view).unwrap();
        assert_eq!(fence.words(40), "compact 5,240 would cancel 4");
    }

    #[test]
    fn of_many_only_whole_columns_are_counted() {
        let view = fixture::many();
        let fence = Fence::read("compact 2000", &view).unwrap();
        assert_eq!(fence.words(80), "compact 2,000 would cancel 24");
    }
}
