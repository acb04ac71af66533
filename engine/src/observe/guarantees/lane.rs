//! Lanes. A lane is the list of changes that all watches of the same keys with the same filters must receive.
//!
//! A thousand watches of one prefix share a lane, so for each watch, only its position in the lane is stored.

use crate::api::EventKind;
use crate::base::bytes::KeyRange;
use crate::trace::WatchOptions;

use super::delivery::Unexpected;
use super::truth::{Fact, Truth};

#[derive(Clone, Debug, Default)]
pub(super) struct WatchLanes {
    lanes: Vec<WatchLane>,
}

/// A lane: the changes in one key range that pass one set of filters.
#[derive(Clone, Debug)]
pub(super) struct WatchLane {
    range: KeyRange,
    no_put: bool,
    no_delete: bool,
    /// The numbers of the committed changes in the lane, oldest first.
    changes: Vec<u32>,
}

impl WatchLanes {
    /// Returns the number of the lane for this range and these filters; creates the lane if there is none.
    pub(super) fn of(&mut self, range: &KeyRange, options: WatchOptions, truth: &Truth) -> u32 {
        let found = self.lanes.iter().position(|l| {
            l.range == *range && l.no_put == options.no_put && l.no_delete == options.no_delete
        });
        if let Some(found) = found {
            return found as u32;
        }
        let mut lane = WatchLane {
            range: range.clone(),
            no_put: options.no_put,
            no_delete: options.no_delete,
            changes: Vec::new(),
        };
        for (number, fact) in truth.facts() {
            lane.add(number, fact);
        }
        self.lanes.push(lane);
        self.lanes.len() as u32 - 1
    }

    /// Adds a new change to each lane that it belongs to.
    pub(super) fn add(&mut self, number: u32, fact: &Fact) {
        for lane in &mut self.lanes {
            lane.add(number, fact);
        }
    }

    /// Removes the changes whose number is `keep` or greater.
    pub(super) fn restored(&mut self, keep: u32) {
        for lane in &mut self.lanes {
            lane.changes.retain(|number| *number < keep);
        }
    }

    pub(super) fn lane(&self, number: u32) -> &WatchLane {
        &self.lanes[number as usize]
    }
}

impl WatchLane {
    fn add(&mut self, number: u32, fact: &Fact) {
        if self.refuses(fact).is_none() {
            self.changes.push(number);
        }
    }

    /// Returns the reason why a change does not belong to this lane; `None` if the change belongs to the lane.
    pub(super) fn refuses(&self, fact: &Fact) -> Option<Unexpected> {
        let unwanted = match fact.kind() {
            EventKind::Put => self.no_put,
            EventKind::Delete => self.no_delete,
        };
        if !self.range.contains(&fact.key) {
            Some(Unexpected::OutsideRange)
        } else if unwanted {
            Some(Unexpected::FilteredOut)
        } else {
            None
        }
    }

    /// Returns the number of the change at a position in the lane.
    pub(super) fn at(&self, place: u32) -> Option<u32> {
        self.changes.get(place as usize).copied()
    }

    pub(super) fn place_of(&self, number: u32) -> Option<u32> {
        self.changes.binary_search(&number).ok().map(|p| p as u32)
    }

    /// Returns the position of the first change at or after this revision.
    pub(super) fn from(&self, revision: i64, truth: &Truth) -> u32 {
        self.changes
            .partition_point(|n| truth.fact(*n).main < revision) as u32
    }

    pub(super) fn len(&self) -> u32 {
        self.changes.len() as u32
    }
}
