//! Builds the rows of individual watchers. A row contains the position on the ruler, the last batch sent, and the
//! missing events.
//!
//! In etcd, a sync pass reads missing events from the backend. The view counts the missing events from the recorded
//! history of the run instead. The history is sorted by key and by revision, so the view does not need to decode rows.

use crate::api::WatchEvent;
use crate::base::bytes::KeyRange;
use crate::base::ordered::OrdMap;
use crate::base::small_sort::SmallSort;
use crate::mvcc::{Filters, Watcher, WatcherId};
use crate::observe::{LaneHistory, Past, PastChange};
use crate::trace::{ChangeKind, TraceEvent, WatchTrace};

use super::build::pool;
use super::{ReceivedView, WatcherPool, WatcherView};
use crate::view::names;

/// Builds the rows of several watchers. If several rows need the same data, looks up the data only once.
pub(in crate::view) struct WatcherRows<'a> {
    m: Past<'a>,
    wanted: Vec<(KeyRange, Vec<Wanted>)>,
    kept: OrdMap<WatcherId, (i64, i64)>,
    changed: Changed,
}

/// A change that a watcher may be missing. The change is stored with the number of deletes and the number of revisions
/// that are before the change in the watcher's key range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    main: i64,
    sub: i64,
    delete: bool,
    /// The number of deletes in the key range before this change.
    deletes: u64,
    /// The number of different revisions in the key range before this change.
    revisions: u64,
}

/// The watchers and keys that the step at the cursor changed.
#[derive(Clone, Debug, Default)]
struct Changed {
    watchers: Vec<u64>,
    /// The keys that the step wrote; empty if the step notified no watcher.
    keys: Vec<crate::base::Bytes>,
}

/// The missing events of a watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::view) struct Lack {
    /// The number of missing events that pass the watcher's filters.
    pub(in crate::view) events: u64,
    /// The number of different revisions of the missing events, including events that the filters remove.
    pub(in crate::view) revisions: u64,
    /// The first and the last revision of the next batch.
    pub(in crate::view) batch: Option<(i64, i64)>,
    /// The number of events in the next batch that the watcher's filters let through.
    pub(in crate::view) batch_events: u64,
}

impl<'a> WatcherRows<'a> {
    /// Prepares the rows of the watchers in `shown`, by looking up the data that several rows need.
    pub(in crate::view) fn new(m: Past<'a>, shown: impl Iterator<Item = WatcherId>) -> Self {
        let kv = m.etcd().watchable();
        let mut lowest: Vec<(KeyRange, i64)> = Vec::new();
        for watcher in shown.filter_map(|id| {
            kv.watcher(id)
                .filter(|_| pool(m, id) != WatcherPool::Synced)
        }) {
            if watcher.min_rev > m.head() {
                continue;
            }
            match lowest.iter_mut().find(|(range, _)| *range == watcher.range) {
                Some((_, from)) => *from = (*from).min(watcher.min_rev),
                None => lowest.push((watcher.range.clone(), watcher.min_rev)),
            }
        }
        let kept = kv.victims().map(|(id, batch)| (id, batch.span()));
        Self {
            m,
            wanted: lowest
                .into_iter()
                .map(|(range, from)| {
                    let wanted = wanted(m, &range, from);
                    (range, wanted)
                })
                .collect(),
            kept: kept.collect(),
            changed: changed(m),
        }
    }

    /// Returns a watcher's row; `None` if the watcher no longer exists.
    pub(in crate::view) fn row(&self, id: WatcherId) -> Option<WatcherView> {
        let m = self.m;
        let watcher = m.etcd().watchable().watcher(id)?;
        let pool = pool(m, id);
        let next = Standing { id, watcher, pool }.next(m.head());
        let lack = match pool {
            WatcherPool::Synced => Lack::default(),
            _ => self.lack(watcher),
        };
        let kept = self.kept.get(&id).copied();
        Some(WatcherView {
            id: id.0,
            name: names::name(m.world, id, watcher),
            stream: watcher.stream.0,
            watch_id: watcher.watch_id,
            range: names::range(&watcher.range),
            key: watcher.range.start().to_vec(),
            end: watcher.range.end_field().to_vec(),
            pool,
            next,
            behind: (m.head() - next + 1).max(0),
            sent: self.sent(id, watcher),
            next_batch: lack.batch.filter(|_| pool == WatcherPool::Unsynced),
            events_behind: lack.events + self.kept_events(id, watcher.filters),
            kept: kept.map(|(from, _)| from),
            client: self.client(id, watcher),
            changed: self.changed(id, watcher, pool),
        })
    }

    /// Returns the state of the watcher's client; `None` until the client knows the watch ID.
    fn client(&self, id: WatcherId, watcher: &Watcher) -> Option<ReceivedView> {
        let m = self.m;
        let (stream, watch_id) = m.watch_log.place_of(id.0)?;
        let name = m.watch_log.name_at(stream, watch_id)?;
        let revision = m.watch_log.known_revision(name, m.step)?;
        let options = m.watch_log.watch(name)?.options;
        Some(ReceivedView {
            revision,
            missing: self.wanted_after(watcher, revision),
            has_progress: options.progress_notify,
        })
    }

    /// Counts the events after `revision` that the watcher's filters let through. Also counts compacted events.
    fn wanted_after(&self, watcher: &Watcher, revision: i64) -> u64 {
        let m = self.m;
        let (history, head) = (m.history, m.head());
        let filters = watcher.filters;
        let is_wanted = |change: &PastChange| match change.kind {
            ChangeKind::Delete => !filters.no_delete,
            _ => !filters.no_put,
        };
        let changes = head.saturating_sub(revision).max(0) as usize;
        if changes <= history.lanes_at(m.step).len() {
            let after = history.changes_from(revision.saturating_add(1));
            let upto_now = after.take_while(|(_, change)| change.main <= head);
            let inside =
                upto_now.filter(|(key, change)| watcher.range.contains(key) && is_wanted(change));
            return inside.count() as u64;
        }
        let lanes = history.lanes_in(&watcher.range);
        let after = lanes.flat_map(|lane| {
            let first = lane
                .changes
                .partition_point(|change| change.main <= revision);
            let end = lane.changes.partition_point(|change| change.main <= head);
            lane.changes[first.min(end)..end].iter()
        });
        after.filter(|change| is_wanted(change)).count() as u64
    }

    /// Counts the watcher's missing events, excluding the events of a batch that the watcher holds. Returns zeros for a
    /// compacted watcher.
    pub(in crate::view) fn lack(&self, watcher: &Watcher) -> Lack {
        let mut lack = Lack::default();
        let floor = self.m.etcd().store().compact_rev();
        if watcher.compacted || watcher.min_rev < floor || watcher.min_rev > self.m.head() {
            return lack;
        }
        let found = self.wanted.iter().find(|(r, _)| *r == watcher.range);
        let Some((_, wanted)) = found else {
            return lack;
        };
        let from = wanted.partition_point(|w| w.main < watcher.min_rev);
        let Some(first) = wanted.get(from) else {
            return lack;
        };
        // Counts the events from the first up to `upto` that pass the filters.
        let wants = |upto: usize| {
            let deletes = wanted
                .get(upto)
                .map_or_else(|| all_deletes(wanted), |w| w.deletes);
            let deletes = deletes - first.deletes;
            let puts = (upto - from) as u64 - deletes;
            let filters = watcher.filters;
            u64::from(!filters.no_delete) * deletes + u64::from(!filters.no_put) * puts
        };
        let most = u64::from(self.m.etcd().watchable().limits().batch_revs);
        let end = wanted.partition_point(|w| w.revisions < first.revisions + most);
        lack.events = wants(wanted.len());
        lack.revisions = wanted[wanted.len() - 1].revisions + 1 - first.revisions;
        lack.batch_events = wants(end);
        // If the filters leave no event of a batch, no response is sent.
        if lack.batch_events > 0 {
            lack.batch = Some((first.main, wanted[end - 1].main));
        }
        lack
    }

    fn kept_events(&self, id: WatcherId, filters: Filters) -> u64 {
        if !self.kept.contains_key(&id) {
            return 0;
        }
        let victims = self.m.etcd().watchable().victims();
        let batch = victims.into_iter().find(|(victim, _)| *victim == id);
        let wants = |e: &&WatchEvent| !filters.drop(e);
        batch.map_or(0, |(_, b)| b.events.iter().filter(wants).count() as u64)
    }

    /// Returns the first and the last revision of the newest batch for the watcher. The batch may still be in the
    /// stream's channel or in the send loop.
    fn sent(&self, id: WatcherId, watcher: &Watcher) -> Option<(i64, i64)> {
        let etcd = self.m.etcd();
        let stream = etcd.watchable().stream(watcher.stream)?;
        let waiting = stream.channel.iter().rev();
        let of_watch = |watch_id: i64, events: &[WatchEvent]| match watch_id == watcher.watch_id {
            true => span(events),
            false => None,
        };
        let mut waiting = waiting.map(|r| of_watch(r.watch_id, &r.events));
        if let Some(found) = waiting.find_map(|span| span) {
            return Some(found);
        }
        let key = etcd.stream_key(watcher.stream)?;
        let in_hand = etcd.in_hand(key).rev();
        let mut in_hand = in_hand.map(|r| of_watch(r.watch_id, &r.events));
        if let Some(found) = in_hand.find_map(|span| span) {
            return Some(found);
        }
        let marks = self.m.watcher_log.of_watcher(id.0, self.m.step);
        marks.iter().rev().find_map(|mark| mark.sent?.revisions)
    }

    /// Returns true if the current step moved the watcher to another pool or notified the watcher.
    fn changed(&self, id: WatcherId, watcher: &Watcher, pool: WatcherPool) -> bool {
        let is_notified = || {
            let keys = self.changed.keys.iter();
            pool != WatcherPool::Unsynced && keys.into_iter().any(|k| watcher.range.contains(k))
        };
        self.changed.watchers.contains(&id.0) || is_notified()
    }
}

/// A watcher, and the pool that contains it.
#[derive(Clone, Copy, Debug)]
pub(in crate::view) struct Standing<'a> {
    pub(in crate::view) id: WatcherId,
    pub(in crate::view) watcher: &'a Watcher,
    pub(in crate::view) pool: WatcherPool,
}

impl Standing<'_> {
    /// Returns the next revision that the watcher accepts. `head` is the store's revision. For a synced watcher, the
    /// result is `head + 1`, although etcd does not advance the watcher's `minRev` past the last event.
    pub(in crate::view) fn next(&self, head: i64) -> i64 {
        match self.pool {
            WatcherPool::Synced => self.watcher.min_rev.max(head + 1),
            WatcherPool::Unsynced | WatcherPool::Victim | WatcherPool::Compacted => {
                self.watcher.min_rev
            }
        }
    }
}

/// Returns all watchers in the order of creation. Each group of watchers is already in this order, so the groups are
/// merged in one pass.
pub(in crate::view) fn standings(m: Past<'_>) -> Vec<Standing<'_>> {
    let kv = m.etcd().watchable();
    let mut unsynced = kv.unsynced().peekable();
    let mut victims = kv.victims().map(|(id, _)| id).peekable();
    let all = kv.watchers().map(|(id, watcher)| {
        let pool = if watcher.compacted {
            WatcherPool::Compacted
        } else if victims.next_if_eq(&id).is_some() {
            WatcherPool::Victim
        } else if unsynced.next_if_eq(&id).is_some() {
            WatcherPool::Unsynced
        } else {
            WatcherPool::Synced
        };
        Standing { id, watcher, pool }
    });
    all.collect()
}

fn span(events: &[WatchEvent]) -> Option<(i64, i64)> {
    let (first, last) = (events.first()?, events.last()?);
    Some((first.kv.mod_revision, last.kv.mod_revision))
}

/// Returns the changes in a key range that are still readable, starting at revision `from`, oldest first.
fn wanted(m: Past<'_>, range: &KeyRange, from: i64) -> Vec<Wanted> {
    let store = m.etcd().store();
    let (floor, head) = (store.compact_rev(), m.head());
    let from = from.max(floor);
    // At the compact revision itself, a row may be missing: it was a tombstone, or the same revision contains a
    // newer change of the key.
    let stands = |c: &PastChange| c.main > floor || store.stored_row(c.revision()).is_some();
    let want = |c: &PastChange| Wanted {
        main: c.main,
        sub: c.sub.into(),
        delete: c.kind == ChangeKind::Delete,
        deletes: 0,
        revisions: 0,
    };
    let slice = |lane: &'_ LaneHistory| {
        let first = lane.changes.partition_point(|c| c.main < from);
        let end = lane.changes.partition_point(|c| c.main <= head);
        first.min(end)..end
    };
    let history = m.history;
    let inside: usize = history.lanes_in(range).map(|lane| slice(lane).len()).sum();
    let changes = head.saturating_sub(from).saturating_add(1).max(0) as usize;
    let mut wanted: Vec<Wanted> = if inside * 2 > changes {
        // For a large part of all changes, visits the changes by revision instead of sorting the changes of each key.
        let all = history.changes_from(from);
        let upto_now = all.take_while(|(_, c)| c.main <= head);
        let inside = upto_now.filter(|(key, c)| range.contains(key) && stands(c));
        inside.map(|(_, c)| want(c)).collect()
    } else {
        let mut wanted = Vec::with_capacity(inside);
        for lane in history.lanes_in(range) {
            let changes = lane.changes[slice(lane)].iter();
            wanted.extend(changes.filter(|c| stands(c)).map(want));
        }
        wanted.small_sort();
        wanted
    };
    let (mut deletes, mut revisions, mut last) = (0, 0, None);
    for w in &mut wanted {
        revisions += u64::from(last.is_some_and(|last| last != w.main));
        last = Some(w.main);
        (w.deletes, w.revisions) = (deletes, revisions);
        deletes += u64::from(w.delete);
    }
    wanted
}

fn all_deletes(wanted: &[Wanted]) -> u64 {
    wanted.last().map_or(0, |w| w.deletes + u64::from(w.delete))
}

fn changed(m: Past<'_>) -> Changed {
    let mut changed = Changed::default();
    let mut is_notified = false;
    for event in m.events {
        match &event.what {
            TraceEvent::Changed { key, .. } => changed.keys.push(key.clone()),
            TraceEvent::Watch(
                WatchTrace::Created { watcher, .. }
                | WatchTrace::BecameVictim { watcher, .. }
                | WatchTrace::CaughtUp { watcher, .. }
                | WatchTrace::Overtaken { watcher, .. }
                | WatchTrace::PassedOver { watcher, .. }
                | WatchTrace::VictimSent { watcher, .. },
            ) => changed.watchers.push(*watcher),
            TraceEvent::Watch(WatchTrace::Notified { .. }) => is_notified = true,
            _ => {}
        }
    }
    if !is_notified {
        changed.keys.clear();
    }
    changed
}
