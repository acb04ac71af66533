//! A limiter: the counters with which a class, or one accounting group of a class, limits its requests.

use crate::base::time::{SimDuration, SimTime};

use super::class::ClassKind;
use super::lbf::Lbf;
use super::max_inflight::MaxInflight;
use super::scheduler::Scheduler;
use super::tbf::Tbf;
use super::window::Window;

/// The credit that one request uses up. The unit of credit is a microsecond times a thousandth of a request per second,
/// so the credit for any span of time is an exact integer.
pub(super) const UNIT: i128 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The request starts at this time.
    At(SimTime),
    /// The request waits until a running request ends.
    Queued,
    /// The request is refused. Contains the time after which a retry could succeed, if the limiter knows the time.
    Refused(Option<SimDuration>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    Tbf(Tbf),
    Lbf(Lbf),
    MaxInflight(MaxInflight),
    Window(Window),
    /// A scheduler, which lets waiting requests start in the order of their priorities.
    Prio(Scheduler),
    /// A limiter that refuses everything.
    Discard,
}

impl Limiter {
    pub fn new(now: SimTime, kind: ClassKind) -> Self {
        match kind {
            ClassKind::Tbf {
                mqps,
                burst,
                max_wait,
            } => Self::Tbf(Tbf::new(now, mqps, burst, max_wait)),
            ClassKind::Lbf { mqps, queue } => Self::Lbf(Lbf::new(now, mqps, queue)),
            ClassKind::MaxInflight { num } => Self::MaxInflight(MaxInflight::new(num)),
            ClassKind::Window { window, limit } => Self::Window(Window::new(window, limit)),
            ClassKind::Prio { num, queue } => Self::Prio(Scheduler::new(num, queue)),
            ClassKind::Discard => Self::Discard,
        }
    }

    /// Applies new parameters of the class and keeps the state. If the queue discipline changes, the state is reset.
    pub fn update(&mut self, now: SimTime, kind: ClassKind) {
        match (&mut *self, kind) {
            (
                Self::Tbf(tbf),
                ClassKind::Tbf {
                    mqps,
                    burst,
                    max_wait,
                },
            ) => tbf.update(now, mqps, burst, max_wait),
            (Self::Lbf(lbf), ClassKind::Lbf { mqps, queue }) => lbf.update(now, mqps, queue),
            (Self::MaxInflight(limit), ClassKind::MaxInflight { num }) => limit.update(num),
            (Self::Window(w), ClassKind::Window { window, limit }) => w.update(now, window, limit),
            (Self::Prio(scheduler), ClassKind::Prio { num, queue }) => scheduler.update(num, queue),
            (_, kind) => *self = Self::new(now, kind),
        }
    }

    /// Admits, delays or refuses a request of this cost. Charges the cost unless the request is refused.
    pub fn admit(&mut self, now: SimTime, cost: u64) -> Admission {
        match self {
            Self::Tbf(tbf) => tbf.admit(now, cost),
            Self::Lbf(lbf) => lbf.admit(now, cost),
            Self::MaxInflight(limit) => limit.admit(now, cost),
            Self::Window(window) => window.admit(now, cost),
            Self::Prio(scheduler) => scheduler.admit(now),
            Self::Discard => Admission::Refused(None),
        }
    }

    /// Ends a request. `charged` is the cost that was charged on arrival, and `actual` is the actual cost.
    pub fn finish(&mut self, now: SimTime, charged: u64, actual: u64) {
        let change = i128::from(actual) - i128::from(charged);
        match self {
            Self::MaxInflight(limit) => limit.release(charged),
            Self::Prio(scheduler) => scheduler.release(),
            Self::Tbf(tbf) if change != 0 => tbf.settle(now, change),
            Self::Lbf(lbf) if change != 0 => lbf.settle(now, change),
            Self::Window(window) => window.settle(now, change),
            Self::Tbf(_) | Self::Lbf(_) | Self::Discard => {}
        }
    }

    /// Starts a waiting request if fewer requests run than the maximum. Only a scheduler has waiting requests.
    pub fn start(&mut self) -> bool {
        match self {
            Self::Prio(scheduler) => scheduler.start(),
            _ => false,
        }
    }

    /// Removes a waiting request, because its client gave up.
    pub fn leave(&mut self) {
        if let Self::Prio(scheduler) = self {
            scheduler.leave();
        }
    }

    /// Returns the current level and the maximum level. The unit depends on the discipline: tokens, requests in a leaky
    /// bucket, running requests, or the sum of costs in a window.
    pub fn level(&self, now: SimTime) -> (i64, u64) {
        match self {
            Self::Tbf(tbf) => tbf.level(now),
            Self::Lbf(lbf) => lbf.level(now),
            Self::MaxInflight(limit) => limit.level(),
            Self::Window(window) => window.level(now),
            Self::Prio(scheduler) => scheduler.level(),
            Self::Discard => (0, 0),
        }
    }
}
