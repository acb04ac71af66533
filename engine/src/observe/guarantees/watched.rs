//! One watch: what it wanted, and how far along its lane it has come.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::trace::WatchOptions;

use super::lane::WatchLane;
use super::truth::Truth;

/// One watch, from its request on.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) name: Arc<str>,
    pub(super) node: NodeId,
    pub(super) lane: u32,
    pub(super) options: WatchOptions,
    /// The requested start revision; 0 for new events only.
    start_rev: i64,
    /// The first revision that the watch must receive; without a start revision, unknown until etcd confirms the watch.
    pub(super) from: Option<i64>,
    /// The place in the lane behind the last one that it has heard of.
    pub(super) next: u32,
    /// Earlier positions whose events are missing.
    pub(super) missed: BTreeSet<u32>,
    /// The revision that a client library asks for when it must begin again.
    pub(super) next_rev: i64,
    /// The greatest revision that a hasty member has told the whole stream.
    pub(super) hasty: i64,
    /// The watch was resumed and has received no event since.
    pub(super) resumed: bool,
    /// The watch has not ended.
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
            hasty: 0,
            resumed: false,
            alive: true,
        }
    }

    /// Handles the created response: new events start after its revision.
    pub(super) fn created(&mut self, revision: i64) {
        if self.from.is_none() {
            self.from = Some(revision + 1);
            self.next_rev = revision;
        }
    }

    /// It asks again from a revision. What began "from now on" and has heard nothing asks for the
    /// revision at which it began, which had been done by then: so do etcd's clients.
    pub(super) fn resume(&mut self, revision: i64, lane: &WatchLane, truth: &Truth) {
        self.resumed = self.from.is_some();
        if self.start_rev == 0 && self.from == Some(revision + 1) && self.next_rev == revision {
            self.from = Some(revision);
            self.next = lane.from(revision, truth);
        }
    }

    /// Finds the first position at or after the start revision.
    pub(super) fn find_start(&mut self, lane: &WatchLane, truth: &Truth) {
        let Some(from) = self.from else { return };
        let before = |n: u32| truth.fact(n).main < from;
        if lane.at(self.next).is_some_and(before) {
            self.next = lane.from(from, truth);
        }
    }

    /// The first change at or before a revision that it has not heard of.
    pub(super) fn lacks(&self, upto: i64, lane: &WatchLane, truth: &Truth) -> Option<u32> {
        let next = lane.at(self.next)?;
        (truth.fact(next).main <= upto).then_some(next)
    }
}
