//! For each event of a response, searches the committed changes and the lane of the watch (the list of changes that the
//! watch must receive). The checkers of the guarantees use the results.

use crate::api::{EventKind, WatchEvent, WatchResponse};

use super::Known;
use super::lane::WatchLane;
use super::truth::Truth;
use super::watched::Watched;

/// A response with events, and the state of its watch before and after the response.
#[derive(Debug)]
pub(super) struct Delivery<'a> {
    pub(super) truth: &'a Truth,
    pub(super) lane: &'a WatchLane,
    /// The state of the watch before the response.
    pub(super) watch: &'a Watched,
    pub(super) found: Vec<FoundEvent<'a>>,
    /// The positions in the lane of the changes that this response skips, oldest first.
    pub(super) gap: Vec<u32>,
}

/// An event of a response, and the result of searching for the event among the committed changes and in the lane of the
/// watch.
#[derive(Debug)]
pub(super) struct FoundEvent<'a> {
    pub(super) event: &'a WatchEvent,
    pub(super) place: EventPlace,
}

/// The result of searching for an event among the committed changes and in the lane of the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventPlace {
    /// The event is in the lane of the watch, and the watch had not received the event before.
    New {
        /// The number of the committed change.
        number: u32,
        /// The position of the change in the lane.
        place: u32,
        /// Whether the watch had already received a later event.
        late: bool,
    },
    /// The event is in the lane of the watch, but the watch had already received the event.
    Again {
        /// The number of the committed change.
        number: u32,
        /// The position of the change in the lane.
        place: u32,
    },
    /// The event is a committed change, but it is not in the lane of the watch, or it is before the start of the watch.
    Outside {
        /// The number of the committed change.
        number: u32,
        why: Unexpected,
    },
    /// No committed change equals the event.
    Nowhere,
}

/// The reason why a watch must not receive an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unexpected {
    OutsideRange,
    FilteredOut,
    BeforeStart,
}

impl EventPlace {
    /// Returns the number of the change; `None` if no such change was committed.
    pub(super) fn number(self) -> Option<u32> {
        match self {
            Self::New { number, .. }
            | Self::Again { number, .. }
            | Self::Outside { number, .. } => Some(number),
            Self::Nowhere => None,
        }
    }
}

impl<'a> Delivery<'a> {
    /// Searches for each event of a response. Also returns the state of the watch after the response.
    pub(super) fn new(
        watch: &'a Watched,
        response: &'a WatchResponse,
        lane: &'a WatchLane,
        truth: &'a Truth,
    ) -> (Self, Watched) {
        let mut after = watch.clone();
        let mut found = Vec::with_capacity(response.events.len());
        for event in &response.events {
            let place = find(event, &after, lane, truth);
            if let EventPlace::New { place, .. } = place
                && !after.missed.remove(&place)
            {
                after.missed.extend(after.next..place);
                after.next = place + 1;
            }
            found.push(FoundEvent { event, place });
        }
        if let Some(last) = response.events.last() {
            after.next_rev = last.kv.mod_revision + 1;
            after.progress = 0;
        }
        after.resumed = false;
        let gap = after.missed.difference(&watch.missed).copied().collect();
        let delivery = Self {
            truth,
            lane,
            watch,
            found,
            gap,
        };
        (delivery, after)
    }

    /// The client library resumed the watch at the revision of a progress notification (etcd#15274).
    pub(super) fn known_repeat(&self, number: u32) -> Option<Known> {
        self.known_since(number, self.watch.resumed_at_progress)
    }

    /// An earlier progress notification replaced a start revision that was in the future (etcd#15274).
    pub(super) fn known_early(&self, number: u32) -> Option<Known> {
        self.known_since(number, self.watch.lowered_to)
    }

    fn known_since(&self, number: u32, revision: Option<i64>) -> Option<Known> {
        let is_since = self.truth.fact(number).main >= revision?;
        (is_since && self.truth.resumes_at_progress()).then_some(Known::ProgressRepeated)
    }

    /// Returns a change with its revision, e.g. `revision 7 (put /a)`.
    pub(super) fn name(&self, number: u32) -> String {
        self.truth.fact(number).name()
    }
}

fn find(event: &WatchEvent, watch: &Watched, lane: &WatchLane, truth: &Truth) -> EventPlace {
    let is_it = |number: u32| {
        let fact = truth.fact(number);
        fact.main == event.kv.mod_revision && fact.kind() == event.kind && fact.key == event.kv.key
    };
    // Nearly always, the event is the next expected event.
    if let Some(number) = lane.at(watch.next).filter(|n| is_it(*n)) {
        let place = watch.next;
        return EventPlace::New {
            number,
            place,
            late: false,
        };
    }
    let all = || truth.find(event.kv.mod_revision, &event.kv.key, event.kind);
    let Some(first) = all().next() else {
        return EventPlace::Nowhere;
    };
    if let Some(why) = lane.refuses(truth.fact(first)) {
        return EventPlace::Outside { number: first, why };
    }
    if watch.from.is_none_or(|from| truth.fact(first).main < from) {
        return EventPlace::Outside {
            number: first,
            why: Unexpected::BeforeStart,
        };
    }
    let in_lane = |number: u32| lane.place_of(number).expect("the lane does not refuse it");
    let is_new = |place: u32| place >= watch.next || watch.missed.contains(&place);
    let new = all().map(|n| (n, in_lane(n))).find(|(_, p)| is_new(*p));
    match new {
        Some((number, place)) => EventPlace::New {
            number,
            place,
            late: place < watch.next,
        },
        None => EventPlace::Again {
            number: first,
            place: in_lane(first),
        },
    }
}

/// Returns the name of an event's operation: `put` or `delete`.
pub(super) fn verb(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Put => "put",
        EventKind::Delete => "delete",
    }
}
