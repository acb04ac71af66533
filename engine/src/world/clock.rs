//! A node's own clock: what it reads is not what the world's time is.
//!
//! etcd counts leases and periods with the machine's monotonic clock: a jump of the wall clock
//! changes nothing there, but one that runs fast makes every period shorter.

use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::etcd;

use super::{Timer, World};

/// Drift is counted in millionths.
const PPM: i128 = 1_000_000;

/// One node's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clock {
    /// The lead of the wall clock, in microseconds.
    pub offset_us: i64,
    /// The gain per second, in microseconds.
    pub drift_ppm: i64,
    /// The moment since when it drifts so, in the world's time and in its own.
    since: (u64, u64),
}

impl Clock {
    /// Returns this clock with another offset and drift, from time `now`.
    pub fn changed(self, now: SimTime, offset_us: i64, drift_ppm: i64) -> Self {
        Self {
            offset_us,
            drift_ppm,
            since: (now.0, self.read(now).0),
        }
    }

    /// The reading of the clock, monotonic and without the offset.
    fn read(self, now: SimTime) -> SimTime {
        let (world, own) = self.since;
        let passed = i128::from(now.0 - world);
        let gained = passed * i128::from(self.drift_ppm) / PPM;
        SimTime((i128::from(own) + passed + gained).max(0) as u64)
    }
}

impl World {
    /// A node's clock.
    pub fn clock(&self, node: NodeId) -> Clock {
        self.clocks.get(&node).copied().unwrap_or_default()
    }

    /// How long it is until a member's next sweep, if one is to come; 0 when it is overdue, because the member is
    /// paused.
    ///
    /// Looked up, not computed from the member's clock: with drift, what is rounded twice comes out a microsecond late.
    pub fn until_sweep(&self, member: NodeId) -> Option<SimDuration> {
        if !self.member(member)?.will_sweep() {
            return None;
        }
        let sweep = (member, Timer::Member(etcd::MemberTimer::WatchSync));
        let next = self.due.when(&sweep);
        Some(SimDuration(next.map_or(0, |at| at.0 - self.now.0)))
    }

    pub(super) fn local_now(&self, node: NodeId) -> SimTime {
        self.clock(node).read(self.now)
    }

    /// How long a span of a node's own time takes in the world's.
    pub(super) fn world_span(&self, node: NodeId, own: SimDuration) -> SimDuration {
        let drift = self.clock(node).drift_ppm;
        if drift == 0 {
            return own;
        }
        let parts = (PPM + i128::from(drift)).max(1);
        let own = i128::from(own.0) * PPM;
        // Rounded up, so that the node finds the span passed when it is woken.
        SimDuration(((own + parts - 1) / parts) as u64)
    }
}
