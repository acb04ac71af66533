//! How long a reflector waits before its next round.
//!
//! Mirrors `wait.NewExponentialBackoffManager` with the values of `client-go/tools/cache/reflector.go`:
//! 0.8, 1.6, 3.2, … 30 seconds, each made up to twice as long by chance, and 0.8 again after two
//! quiet minutes.

use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};

/// The first delay, before chance.
pub const INIT: SimDuration = SimDuration::from_millis(800);
/// The longest delay, before chance.
pub const CAP: SimDuration = SimDuration::from_millis(30_000);
/// The ratio between a delay and the previous delay.
pub const FACTOR: u64 = 2;
/// The time without a delay after which the first delay applies again.
pub const RESET_AFTER: SimDuration = SimDuration::from_millis(120_000);

/// The delays of one reflector.
///
/// ```
/// use watchglass_engine::client::kube::ReflectorBackoff;
/// use watchglass_engine::base::time::{SimDuration, SimTime};
/// let mut backoff = ReflectorBackoff::default();
/// let bases: Vec<u64> = (0..7).map(|_| backoff.next_base(SimTime(0)).0 / 1000).collect();
/// assert_eq!(bases, [800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
/// assert_eq!(backoff.next_base(SimTime(120_000_001)), SimDuration::from_millis(800));
/// ```
#[derive(Clone, Copy, Debug, Hash)]
pub struct ReflectorBackoff {
    next: SimDuration,
    last: SimTime,
}

impl Default for ReflectorBackoff {
    fn default() -> Self {
        Self {
            next: INIT,
            last: SimTime(0),
        }
    }
}

impl ReflectorBackoff {
    /// The next delay before chance.
    pub fn next_base(&mut self, now: SimTime) -> SimDuration {
        if now.0.saturating_sub(self.last.0) > RESET_AFTER.0 {
            self.next = INIT;
        }
        self.last = now;
        let base = self.next;
        self.next = SimDuration((base.0 * FACTOR).min(CAP.0));
        base
    }

    /// The next delay: from the base up to twice the base.
    pub fn next_delay(&mut self, now: SimTime, rng: &mut Rng) -> SimDuration {
        let base = self.next_base(now);
        SimDuration(base.0 + rng.below(base.0))
    }
}
