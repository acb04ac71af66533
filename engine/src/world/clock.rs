//! The clocks of nodes. A clock can differ from the world's time.
//!
//! etcd measures leases and intervals with the machine's monotonic clock. A jump of the wall clock does not affect the
//! monotonic clock. But a clock that runs fast shortens each lease and interval.

use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::etcd;

use super::{Timer, World};

/// The unit of drift: parts per million.
const PPM: i128 = 1_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clock {
    /// The time by which the wall clock is ahead of the world's time, in microseconds; negative if the wall clock is
    /// behind.
    pub offset_us: i64,
    /// The microseconds that the clock gains per second; negative for a clock that loses time.
    pub drift_ppm: i64,
    /// The start of the current drift: the world's time and the reading of this clock at that moment, in microseconds.
    since: (u64, u64),
}

impl Clock {
    pub fn changed(self, now: SimTime, offset_us: i64, drift_ppm: i64) -> Self {
        Self {
            offset_us,
            drift_ppm,
            since: (now.0, self.read(now).0),
        }
    }

    /// Returns the reading of the monotonic clock, which ignores the offset.
    fn read(self, now: SimTime) -> SimTime {
        let (world, own) = self.since;
        let passed = i128::from(now.0 - world);
        let gained = passed * i128::from(self.drift_ppm) / PPM;
        SimTime((i128::from(own) + passed + gained).max(0) as u64)
    }
}

impl World {
    pub fn clock(&self, node: NodeId) -> Clock {
        self.clocks.get(&node).copied().unwrap_or_default()
    }

    /// Returns the time until a member's next sync pass. Returns 0 if the pass is overdue because the member is
    /// paused, and `None` if no pass is needed.
    ///
    /// The result comes from the schedule. If it were computed from the member's clock, which can drift, the time would
    /// be rounded twice and could be a microsecond late.
    pub fn until_sync_pass(&self, member: NodeId) -> Option<SimDuration> {
        if !self.member(member)?.needs_sync_pass() {
            return None;
        }
        let sync_pass = (member, Timer::Member(etcd::MemberTimer::WatchSync));
        let next = self.due.when(&sync_pass);
        Some(SimDuration(next.map_or(0, |at| at.0 - self.now.0)))
    }

    pub(super) fn local_now(&self, node: NodeId) -> SimTime {
        self.clock(node).read(self.now)
    }

    /// Converts a duration on a node's clock to the world's time.
    pub(super) fn world_span(&self, node: NodeId, own: SimDuration) -> SimDuration {
        let drift = self.clock(node).drift_ppm;
        if drift == 0 {
            return own;
        }
        let parts = (PPM + i128::from(drift)).max(1);
        let own = i128::from(own.0) * PPM;
        // The result is rounded up, so that the duration has passed on the node's clock when the node is woken.
        SimDuration(((own + parts - 1) / parts) as u64)
    }
}
