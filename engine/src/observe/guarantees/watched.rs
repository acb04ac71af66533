//! The guard's record of a watch: the watch's request, and its position in its lane (the list of changes that the watch
//! must receive).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::trace::WatchOptions;

use super::lane::WatchLane;
use super::truth::Truth;

/// The record of a watch, which starts with the request for the watch.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) name: Arc<str>,
    pub(super) node: NodeId,
    pub(super) lane: u32,
    pub(super) options: WatchOptions,
    /// The requested start revision; 0 for new events only.
    start_rev: i64,
    /// The first revision that the watch must receive. For a watch without a start revision, `None` until etcd confirms
    /// the watch.
    pub(super) from: Option<i64>,
    /// The position in the lane after the last received event.
    pub(super) next: u32,
    /// Positions in the lane, before `next`, of the events that the watch did not receive.
    pub(super) missed: BTreeSet<u32>,
    /// The revision from which the client library would resume the watch.
    pub(super) next_rev: i64,
    /// The revision of the last progress notification; 0 if the watch has received an event since that notification.
    pub(super) progress: i64,
    /// The revision of the progress notification at which the watch last resumed; `None` if the watch last resumed at
    /// another revision, or never.
    pub(super) resumed_at_progress: Option<i64>,
    /// The lowest revision before the start revision at which the watch resumed because of a progress notification;
    /// `None` if the watch never resumed before its start revision. After such a resume, the client library no longer
    /// knows the start revision.
    pub(super) lowered_to: Option<i64>,
    /// The greatest revision in a progress notification for the whole stream. Such a notification may have overtaken
    /// earlier events.
    pub(super) hasty: i64,
    /// Whether the watch was resumed and has received no event since.
    pub(super) resumed: bool,
    pub(super) alive: bool,
}

impl Watched {
    pub(super) fn new(
        name: Arc<str>,
        node: NodeId,
        lane: u32,
        start_rev: i64,
        options: WatchOptions,
    ) -> Self {
        Self {
            name,
            node,
            lane,
            options,
            start_rev,
            from: (start_rev != 0).then_some(start_rev),
            next: 0,
            missed: BTreeSet::new(),
            next_rev: start_rev,
            progress: 0,
            resumed_at_progress: None,
            lowered_to: None,
            hasty: 0,
            resumed: false,
            alive: true,
        }
    }

    /// Handles the created response of the watch. A watch for new events starts after the response's revision.
    pub(super) fn created(&mut self, revision: i64) {
        if self.from.is_none() {
            self.from = Some(revision + 1);
            self.next_rev = revision;
        }
    }

    /// Handles the resume of a watch from a revision. If a watch for new events has received nothing since its created
    /// response, the watch resumes at the revision of that response, as in etcd's client library. The watch then also
    /// receives the events of that revision.
    pub(super) fn resume(&mut self, revision: i64, lane: &WatchLane, truth: &Truth) {
        self.resumed = self.from.is_some();
        self.resumed_at_progress = (revision == self.progress).then_some(revision);
        if self.resumed_at_progress.is_some() && self.from.is_some_and(|from| revision < from) {
            self.lowered_to = Some(self.lowered_to.map_or(revision, |to| to.min(revision)));
        }
        if self.start_rev == 0 && self.from == Some(revision + 1) && self.next_rev == revision {
            self.from = Some(revision);
            self.next = lane.from(revision, truth);
        }
    }

    /// Moves the position in the lane forward to the first change at or after the start revision.
    pub(super) fn find_start(&mut self, lane: &WatchLane, truth: &Truth) {
        let Some(from) = self.from else { return };
        let before = |n: u32| truth.fact(n).main < from;
        if lane.at(self.next).is_some_and(before) {
            self.next = lane.from(from, truth);
        }
    }

    /// Returns the first change at or before revision `upto` that the watch has not received.
    pub(super) fn first_missing(&self, upto: i64, lane: &WatchLane, truth: &Truth) -> Option<u32> {
        let next = lane.at(self.next)?;
        (truth.fact(next).main <= upto).then_some(next)
    }
}
