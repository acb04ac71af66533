//! API Priority and Fairness: the seats of an API server, and the requests that wait for seats.
//!
//! Mirrors `apiserver/pkg/util/flowcontrol`: `request/list_work_estimator.go` and the seats of `queueset.go`. A get or
//! a write occupies one seat until its response. A list occupies as many seats as the estimate of its work, which the
//! server makes before it reads anything. A request that finds no free seats waits in a queue.
//!
//! Here, all requests belong to one priority level with one queue, in the order of their arrival. Left out: flow
//! schemas, other levels and their shares, fair queues for several users, seats of watches, and the seats that a write
//! occupies while its event is sent. Upstream counts the objects of a resource once per minute. Here, the count is that
//! of the cache or, without a cache, of the last complete list from etcd.

use std::collections::VecDeque;

use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::{KubeRequest, KubeVerb};

/// The seats of all priority levels: the defaults of `--max-requests-inflight` and of
/// `--max-mutating-requests-inflight`.
const SEATS: u64 = 400 + 200;

/// The maximum number of waiting requests (`queueLengthLimit`).
const QUEUE_LENGTH: usize = 50;

/// The maximum time in the queue is this part of the time limit of a request.
const WAIT_PART: u64 = 4;

/// The number of queues that the requests of one user are distributed to (`handSize`). Here, it only limits the seats
/// of one request.
const HAND_SIZE: u64 = 6;

/// The maximum share of the seats that one request occupies, in percent (`priorityLevelMaxSeatsPercent`).
const MAX_SEATS_PERCENT: u64 = 15;

/// The number of objects per seat in the estimate by objects (`objectsPerSeat`), and the maximum number of seats.
const BY_COUNT: (u64, u64) = (100, 10);

/// The number of bytes per seat in the estimate by size (`bytesPerSeat`), and the maximum number of seats.
const BY_SIZE: (u64, u64) = (100_000, 100);

/// The maximum estimate of the memory of a list from the cache, whose response is encoded piece by piece
/// (`cacheWithStreamingMaxMemoryUsage`).
const CACHED_BYTES_MAX: u64 = 1_000_000;

/// The objects of a resource, as far as the server knows them before it serves a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourceStats {
    pub objects: u64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seating {
    pub seats: u64,
    /// The time that the request waited for its seats.
    pub queue_took: SimDuration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlowDecision {
    Served,
    /// The request waits until seats are free.
    Queued,
    /// The queue is full.
    Refused,
}

/// The seats of an API server, and the requests that wait for seats.
///
/// ```
/// use watchglass_engine::apiserver::flow_control::{FlowControl, ResourceStats};
/// let flow = FlowControl::new(100);
/// let stats = Some(ResourceStats { objects: 300, bytes: 300_000_000 });
/// // 300 objects of 1 MB, from etcd: the estimate by objects sees 600 objects, the estimate by size sees 300 MB.
/// assert_eq!(flow.list_seats(stats, None, (false, false), false), 6);
/// assert_eq!(flow.list_seats(stats, None, (false, false), true), 15);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlowControl {
    total: u64,
    /// The seats of each request that the server serves.
    occupied: OrdMap<u64, u64>,
    /// The waiting requests with their seats and the start of their wait, the oldest first.
    queue: VecDeque<(u64, u64, SimTime)>,
    /// The objects of the last complete list from etcd, by resource without a cache.
    listed: OrdMap<&'static str, ResourceStats>,
}

impl FlowControl {
    /// Creates the flow control of a server; 0 seats for the default.
    pub fn new(seats: u64) -> Self {
        Self {
            total: if seats == 0 { SEATS } else { seats },
            ..Self::default()
        }
    }

    /// Returns the number of occupied seats, the number of all seats, and the number of waiting requests.
    pub fn usage(&self) -> (u64, u64, u64) {
        let occupied = self.occupied.values().sum();
        (occupied, self.total, self.queue.len() as u64)
    }

    /// Returns the estimated number of seats of a list with this limit. `is_from_cache` and `has_selector` are what the
    /// server knows of the list; it does not know the result.
    pub fn list_seats(
        &self,
        stats: Option<ResourceStats>,
        limit: Option<u64>,
        (is_from_cache, has_selector): (bool, bool),
        is_by_size: bool,
    ) -> u64 {
        // The server assumes that an unknown resource is not its own.
        let Some(ResourceStats { objects, bytes }) = stats else {
            return 1;
        };
        let limited = limit.unwrap_or(objects).min(objects);
        let (work, (per_seat, most)) = if is_by_size {
            let loaded = match (is_from_cache, has_selector) {
                (false, true) => limited.max(objects / 2),
                _ => limited,
            };
            let memory = loaded * (bytes / objects.max(1));
            let memory = match is_from_cache {
                true => memory.min(CACHED_BYTES_MAX),
                false => memory,
            };
            (memory, BY_SIZE)
        } else {
            let processed = match (is_from_cache, has_selector) {
                (true, _) => objects,
                (false, true) => objects + limited,
                (false, false) => 2 * limited,
            };
            (processed, BY_COUNT)
        };
        let share = (self.total * MAX_SEATS_PERCENT).div_ceil(100);
        let most = share.min(self.total / HAND_SIZE).clamp(1, most);
        work.div_ceil(per_seat).clamp(1, most)
    }

    /// Returns the number of seats of a request; `None` if the request needs no seat.
    pub(super) fn seats(
        &self,
        request: &KubeRequest,
        stats: Option<ResourceStats>,
        is_from_cache: bool,
        is_by_size: bool,
    ) -> Option<u64> {
        match &request.verb {
            KubeVerb::Watch { .. } | KubeVerb::Raw(_) => None,
            KubeVerb::List { target, .. } if !target.name.is_empty() => Some(1),
            KubeVerb::List { target, options } => {
                let limit = (options.limit > 0).then_some(options.limit);
                let kind = (is_from_cache, !target.predicate.is_empty());
                Some(self.list_seats(stats, limit, kind, is_by_size))
            }
            KubeVerb::Get { .. }
            | KubeVerb::Create(_)
            | KubeVerb::Update { .. }
            | KubeVerb::Patch { .. }
            | KubeVerb::Delete { .. } => Some(1),
        }
    }

    /// Seats a request, or adds it to the queue.
    pub(super) fn admit(&mut self, now: SimTime, id: u64, seats: u64) -> FlowDecision {
        if self.queue.is_empty() && self.has_room(seats) {
            self.occupied.insert(id, seats);
            return FlowDecision::Served;
        }
        if self.queue.len() == QUEUE_LENGTH {
            return FlowDecision::Refused;
        }
        self.queue.push_back((id, seats, now));
        FlowDecision::Queued
    }

    /// Returns the objects of the last complete list of a resource from etcd.
    pub(super) fn listed(&self, resource: &str) -> Option<ResourceStats> {
        self.listed.get(&resource).copied()
    }

    /// Records a complete list of a resource from etcd.
    pub(super) fn record_list(&mut self, resource: &'static str, stats: ResourceStats) {
        self.listed.insert(resource, stats);
    }

    /// Returns the seats of a request that did not wait.
    pub(super) fn seating(&self, id: u64) -> Seating {
        Seating {
            seats: self.occupied.get(&id).copied().unwrap_or(0),
            queue_took: SimDuration(0),
        }
    }

    pub(super) fn is_queued(&self, id: u64) -> bool {
        self.queue.iter().any(|(queued, ..)| *queued == id)
    }

    /// Frees the seats of a request, or removes it from the queue.
    pub(super) fn release(&mut self, id: u64) {
        self.occupied.remove(&id);
        self.queue.retain(|(queued, ..)| *queued != id);
    }

    /// Seats the oldest waiting request if enough seats are free. A request that needs many seats also delays the
    /// requests behind it.
    pub(super) fn seat_next(&mut self, now: SimTime) -> Option<(u64, Seating)> {
        let (id, seats, since) = *self.queue.front()?;
        if !self.has_room(seats) {
            return None;
        }
        self.queue.pop_front();
        self.occupied.insert(id, seats);
        let queue_took = now - since;
        Some((id, Seating { seats, queue_took }))
    }

    fn has_room(&self, seats: u64) -> bool {
        let occupied: u64 = self.occupied.values().sum();
        occupied + seats <= self.total || occupied == 0
    }
}

/// Returns the maximum time that a request waits for seats.
pub(super) fn wait_limit(request_timeout: SimDuration) -> SimDuration {
    SimDuration(request_timeout.0 / WAIT_PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_with_many_seats_delays_the_requests_behind_it() {
        let mut flow = FlowControl::new(10);
        let ms = |n: u64| SimTime(n * 1_000);
        assert_eq!(flow.admit(ms(0), 1, 6), FlowDecision::Served);
        assert_eq!(flow.admit(ms(0), 2, 6), FlowDecision::Queued);
        // One seat is free, but request 2 came first.
        assert_eq!(flow.admit(ms(1), 3, 1), FlowDecision::Queued);
        assert_eq!((flow.seat_next(ms(1)), flow.usage()), (None, (6, 10, 2)));
        flow.release(1);
        let seated = |seats, queue_ms| Seating {
            seats,
            queue_took: SimDuration::from_millis(queue_ms),
        };
        assert_eq!(flow.seat_next(ms(5)), Some((2, seated(6, 5))));
        assert_eq!(flow.seat_next(ms(5)), Some((3, seated(1, 4))));
        assert_eq!((flow.seat_next(ms(5)), flow.usage()), (None, (7, 10, 0)));
    }

    #[test]
    fn a_full_queue_refuses_a_request_and_a_long_wait_ends() {
        let mut flow = FlowControl::new(1);
        assert_eq!(flow.admit(SimTime(0), 0, 1), FlowDecision::Served);
        let last = QUEUE_LENGTH as u64;
        for id in 1..=last {
            assert_eq!(flow.admit(SimTime(0), id, 1), FlowDecision::Queued);
        }
        assert_eq!(flow.admit(SimTime(0), last + 1, 1), FlowDecision::Refused);
        flow.release(1);
        assert!(!flow.is_queued(1) && flow.is_queued(2));
        assert_eq!(flow.usage(), (1, 1, last - 1));
    }

    #[test]
    fn the_estimates_are_those_of_upstream() {
        let flow = FlowControl::new(1_000);
        let stats = |objects, bytes| Some(ResourceStats { objects, bytes });
        let (cached, stored, selected) = ((true, false), (false, false), (false, true));
        for (stats, limit, kind, by_count, by_size) in [
            (None, None, stored, 1, 1),
            (stats(0, 0), None, stored, 1, 1),
            (stats(400, 400_000), None, cached, 4, 4),
            (stats(400, 400_000), None, stored, 8, 4),
            (stats(400, 400_000), Some(50), stored, 1, 1),
            (stats(400, 400_000), Some(50), selected, 5, 2),
            (stats(300, 300_000_000), None, cached, 3, 10),
            (stats(300, 300_000_000), None, stored, 6, 100),
            (stats(100_000, 100_000), None, stored, 10, 1),
        ] {
            let seats = |is_by_size| flow.list_seats(stats, limit, kind, is_by_size);
            assert_eq!(
                (seats(false), seats(true)),
                (by_count, by_size),
                "{stats:?}"
            );
        }
    }
}
