//! The back-off of a reflector: the delays before its next list or watch.
//!
//! Mirrors `wait.NewExponentialBackoffManager` with the values of `client-go/tools/cache/reflector.go`: 0.8, 1.6, 3.2,
//! … 30 seconds. Random jitter makes each delay up to twice as long. After two minutes without a call for a delay, the
//! next delay is 0.8 seconds again.

use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};

/// The first delay, without jitter.
pub const INIT: SimDuration = SimDuration::from_millis(800);
/// The longest delay, without jitter.
pub const CAP: SimDuration = SimDuration::from_millis(30_000);
/// The ratio between a delay and the previous delay.
pub const FACTOR: u64 = 2;
/// If the reflector needs no delay for this long, the next delay is the first delay again.
pub const RESET_AFTER: SimDuration = SimDuration::from_millis(120_000);

/// The back-off delays of one reflector.
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
    /// Returns the next delay, without jitter.
    pub fn next_base(&mut self, now: SimTime) -> SimDuration {
        if now.0.saturating_sub(self.last.0) > RESET_AFTER.0 {
            self.next = INIT;
        }
        self.last = now;
        let base = self.next;
        self.next = SimDuration((base.0 * FACTOR).min(CAP.0));
        base
    }

    /// Returns the next delay with jitter: between one and two times the delay without jitter.
    pub fn next_delay(&mut self, now: SimTime, rng: &mut Rng) -> SimDuration {
        let base = self.next_base(now);
        SimDuration(base.0 + rng.below(base.0))
    }
}
