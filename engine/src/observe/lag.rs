//! How far watches and caches lag behind the store: the greatest lag of a watch and the greatest lag of a cache,
//! computed from the trace alone.
//!
//! A watch lags while its client is missing an event. The lag is the number of revisions from the oldest missing event
//! to the store's revision. Revisions of other keys before the oldest missing event do not count. A cache lags by all
//! revisions that it has not received, regardless of their keys, as in the Cache view. Only events change a lag, so the
//! cost of a step does not depend on the number of watches.

use std::sync::Arc;

use crate::api::WatchResponse;
use crate::base::bytes::KeyRange;
use crate::base::ids::NodeId;
use crate::base::ordered::{OrdMap, OrdSet};
use crate::mvcc::{WatcherGroup, WatcherId};
use crate::trace::{ChangeKind, ClientTrace, Event, KubeTrace, TraceEvent, WatchOptions};

use super::history::History;

/// The greatest lags after a step, in revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreatestLag {
    /// The greatest lag of a watch; 0 without watches.
    pub watch: u32,
    /// The greatest lag of an API server's cache; 0 without caches.
    pub cache: u32,
}

/// The lags of all watches and caches.
#[derive(Clone, Debug)]
pub struct Lag {
    member: NodeId,
    /// All watches that clients have requested.
    watches: Vec<LaggingWatch>,
    /// For each watch name, the position of the newest watch with this name.
    by_name: OrdMap<Arc<str>, u32>,
    /// The positions of the confirmed watches whose clients have received every event.
    complete: WatcherGroup,
    /// The confirmed watches with a missing event: the revision of the oldest missing event, and the position of the
    /// watch.
    missing: OrdSet<(i64, u64)>,
    /// The revision of each cache that has received its first list.
    caches: OrdMap<(NodeId, &'static str), u64>,
}

/// A watch, and the revisions up to which its client has received events.
#[derive(Clone, Debug)]
struct LaggingWatch {
    node: NodeId,
    range: KeyRange,
    options: WatchOptions,
    /// Whether etcd has confirmed the watch, and the watch has not ended.
    is_open: bool,
    /// The last revision that the client does not need: one less than the requested start revision. A watch for new
    /// events starts after the revision of its created response; before that response, the value is `None`.
    asked: Option<i64>,
    /// The revision of the last event or progress notification.
    received: i64,
    /// The revision of the oldest missing event.
    missing: Option<i64>,
}

impl LaggingWatch {
    /// Returns the revision up to which the client has received everything.
    fn known(&self) -> i64 {
        self.asked.unwrap_or(0).max(self.received)
    }

    fn wants(&self, kind: ChangeKind) -> bool {
        match kind {
            ChangeKind::Delete => !self.options.no_delete,
            _ => !self.options.no_put,
        }
    }

    /// Returns the revision of the first event after `revision` that is in the range of the watch and passes its
    /// filters.
    fn oldest_after(&self, revision: i64, history: &History) -> Option<i64> {
        let mut changes = history.changes_from(revision.saturating_add(1));
        let found =
            changes.find(|(key, change)| self.range.contains(key) && self.wants(change.kind));
        found.map(|(_, change)| change.main)
    }
}

impl Lag {
    /// Creates an observer of the lags behind the store of `member`.
    pub fn of(member: NodeId) -> Self {
        Self {
            member,
            watches: Vec::new(),
            by_name: OrdMap::new(),
            complete: WatcherGroup::default(),
            missing: OrdSet::new(),
            caches: OrdMap::new(),
        }
    }

    /// Returns the greatest lags when the store is at `head`.
    pub fn greatest(&self, head: i64) -> GreatestLag {
        let revisions = |from: i64| (head - from).clamp(0, u32::MAX.into()) as u32;
        let oldest = self.missing.get_min();
        let caches = self.caches.values().min();
        GreatestLag {
            watch: oldest.map_or(0, |(missing, _)| revisions(missing - 1)),
            cache: caches.map_or(0, |revision| revisions(*revision as i64)),
        }
    }

    /// Records an event. The history must already contain the event.
    pub fn observe(&mut self, event: &Event, history: &History) {
        match &event.what {
            TraceEvent::Changed {
                main, kind, key, ..
            } if event.node == Some(self.member) => {
                let watching = self.complete.watching(key);
                // A watch that starts at a future revision does not miss earlier changes.
                let is_missed = |watch: &LaggingWatch| watch.wants(*kind) && watch.known() < *main;
                let miss: Vec<WatcherId> = watching
                    .filter(|id| is_missed(&self.watches[id.0 as usize]))
                    .collect();
                for id in miss {
                    self.set_missing(id.0, Some(*main));
                }
            }
            TraceEvent::Restored { backup, .. } if event.node == Some(self.member) => {
                let taken_back = self.missing.range((backup + 1, 0)..);
                let taken_back: Vec<u64> = taken_back.map(|(_, place)| *place).collect();
                for place in taken_back {
                    self.set_missing(place, None);
                }
            }
            TraceEvent::Client(what) => self.client(what, history),
            TraceEvent::Kube(
                KubeTrace::Listed {
                    server,
                    resource,
                    revision,
                    ..
                }
                | KubeTrace::CacheMoved {
                    server,
                    resource,
                    to: revision,
                    ..
                },
            ) => {
                self.caches.insert((*server, resource), *revision);
            }
            _ => {}
        }
    }

    fn client(&mut self, what: &ClientTrace, history: &History) {
        match what {
            ClientTrace::Wants {
                node,
                watch,
                range,
                start_rev,
                options,
                ..
            } => {
                self.close(watch);
                self.by_name
                    .insert(watch.clone(), self.watches.len() as u32);
                self.watches.push(LaggingWatch {
                    node: *node,
                    range: range.clone(),
                    options: *options,
                    is_open: false,
                    asked: before(*start_rev),
                    received: 0,
                    missing: None,
                });
            }
            ClientTrace::Received {
                watch, response, ..
            } => self.received(watch, response, history),
            ClientTrace::ResumesFrom {
                watch, revision, ..
            } => {
                if let Some(place) = self.by_name.get(watch).copied() {
                    let known = self.watches[place as usize].known();
                    self.watches[place as usize].asked = before(*revision);
                    self.moved(place, known, history);
                }
            }
            ClientTrace::Ended { watch, .. } => self.close(watch),
            ClientTrace::Stopped { node } => {
                // When a process stops, its watches and caches end too.
                let is_of = |watch: &LaggingWatch| watch.is_open && watch.node == *node;
                let names = self.by_name.iter();
                let own = names.filter(|(_, place)| is_of(&self.watches[**place as usize]));
                let own: Vec<Arc<str>> = own.map(|(name, _)| name.clone()).collect();
                for name in own {
                    self.close(&name);
                }
                let caches = self.caches.keys().filter(|(server, _)| server == node);
                let caches: Vec<_> = caches.copied().collect();
                for cache in caches {
                    self.caches.remove(&cache);
                }
            }
            _ => {}
        }
    }

    fn received(&mut self, name: &Arc<str>, response: &WatchResponse, history: &History) {
        let Some(place) = self.by_name.get(name).copied() else {
            return;
        };
        let watch = &mut self.watches[place as usize];
        let known = watch.known();
        if let Some(event) = response.events.last() {
            watch.received = event.kv.mod_revision;
        } else if response.created {
            watch.asked.get_or_insert(response.header.revision);
            if !watch.is_open {
                watch.is_open = true;
                let missing = watch.oldest_after(watch.known(), history);
                self.complete
                    .add(WatcherId(place.into()), &self.watches[place as usize].range);
                self.set_missing(place.into(), missing);
                return;
            }
        } else if !response.canceled {
            watch.received = response.header.revision;
        }
        self.moved(place, known, history);
    }

    /// Updates the oldest missing event of a watch. `earlier` is the revision up to which the client had received
    /// everything before the current event.
    fn moved(&mut self, place: u32, earlier: i64, history: &History) {
        let watch = &self.watches[place as usize];
        let known = watch.known();
        if !watch.is_open {
            return;
        }
        // Nothing changes, unless the client has received the oldest missing event, or a restored backup has reduced
        // the revision that the client knows.
        let is_as_before = known >= earlier && watch.missing.is_none_or(|missing| missing > known);
        if !is_as_before {
            let missing = watch.oldest_after(known, history);
            self.set_missing(place.into(), missing);
        }
    }

    /// Sets the revision of the oldest event that an open watch has not received.
    fn set_missing(&mut self, place: u64, missing: Option<i64>) {
        let watch = &mut self.watches[place as usize];
        if watch.missing == missing {
            return;
        }
        match watch.missing {
            Some(revision) => drop(self.missing.remove(&(revision, place))),
            None => drop(self.complete.remove(WatcherId(place), &watch.range)),
        }
        match missing {
            Some(revision) => drop(self.missing.insert((revision, place))),
            None => self.complete.add(WatcherId(place), &watch.range),
        }
        watch.missing = missing;
    }

    /// Handles the end of the watch with this name: the watch no longer lags.
    fn close(&mut self, name: &Arc<str>) {
        let Some(place) = self.by_name.get(name) else {
            return;
        };
        let id = u64::from(*place);
        let watch = &mut self.watches[*place as usize];
        if !std::mem::take(&mut watch.is_open) {
            return;
        }
        match watch.missing.take() {
            Some(revision) => drop(self.missing.remove(&(revision, id))),
            None => drop(self.complete.remove(WatcherId(id), &watch.range)),
        }
    }
}

/// Returns the revision before the requested start revision; `None` for a watch for new events.
fn before(revision: i64) -> Option<i64> {
    (revision > 0).then(|| revision - 1)
}
