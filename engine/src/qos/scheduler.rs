//! The scheduler, which runs a limited number of requests and starts waiting requests in the order of their priority.
//!
//! The proposal names three methods of traffic control: shaping, scheduling and discarding. "etcd server prioritizes
//! high-priority requests, and low-priority requests are processed last." The proposal does not define a class for
//! scheduling. Here, several rules share a class of the kind `prio`, and the priority of each rule decides which
//! waiting request starts first.

use super::limiter::Admission;
use crate::base::time::SimTime;

/// The state of a scheduler. The queue itself is in the QoS state of the member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scheduler {
    num: u64,
    queue: u64,
    running: u64,
    waiting: u64,
}

impl Scheduler {
    pub fn new(num: u64, queue: u64) -> Self {
        Self {
            num,
            queue,
            running: 0,
            waiting: 0,
        }
    }

    /// Changes the parameters. Running and waiting requests are not affected.
    pub fn update(&mut self, num: u64, queue: u64) {
        (self.num, self.queue) = (num, queue);
    }

    /// Starts a request if fewer requests run than the maximum. Otherwise, adds the request to the queue.
    pub fn admit(&mut self, now: SimTime) -> Admission {
        if self.running < self.num && self.waiting == 0 {
            self.running += 1;
            return Admission::At(now);
        }
        if self.waiting >= self.queue {
            return Admission::Refused(None);
        }
        self.waiting += 1;
        Admission::Queued
    }

    /// Starts a waiting request if fewer requests run than the maximum.
    pub fn start(&mut self) -> bool {
        let is_free = self.running < self.num && self.waiting > 0;
        if is_free {
            self.running += 1;
            self.waiting -= 1;
        }
        is_free
    }

    /// Records that a running request has ended.
    pub fn release(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Removes a waiting request, because its client gave up.
    pub fn leave(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// Returns the number of running requests, and the maximum.
    pub fn level(&self) -> (i64, u64) {
        (self.running as i64, self.num)
    }
}
