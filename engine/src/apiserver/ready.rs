//! The readiness of a cache: pending before its first list and after the loss of its watch, otherwise ready.
//!
//! Mirrors `cacher/ready.go`. Left out: the stopped state, because the cache ends with the server's process. Blocking
//! waits are also left out, because the server itself resumes the waiting requests when the cache becomes ready. The
//! generation of the cache grows each time the cache becomes ready. So a watch that started to register in one
//! generation can detect that the cache was lost and rebuilt in the meantime.

use std::sync::Arc;

use crate::base::time::{SimDuration, SimTime};

use crate::kube::status::StatusError;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadyState {
    /// The cache has not listed yet, or has lost its watch of etcd.
    Pending,
    Ready,
}

/// The readiness of a cache, with its generation and the start of its downtime.
///
/// ```
/// use watchglass_engine::apiserver::Ready;
/// use watchglass_engine::base::time::SimTime;
/// let mut ready = Ready::new(SimTime(0));
/// let error = ready.check(SimTime(30_000_000)).unwrap_err(); // half a minute without a list
/// assert_eq!(error.to_string(), "storage is (re)initializing");
/// assert_eq!((error.code(), error.retry_after_s()), (429, Some(6)));
/// ready.set_ready();
/// assert_eq!(ready.check(SimTime(31_000_000)), Ok(1)); // the first generation
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Ready {
    state: ReadyState,
    generation: u64,
    /// The time when the cache last stopped being ready.
    down_since: SimTime,
    last_error: Option<Arc<str>>,
}

impl Ready {
    pub fn new(now: SimTime) -> Self {
        Self {
            state: ReadyState::Pending,
            generation: 0,
            down_since: now,
            last_error: None,
        }
    }

    pub fn state(&self) -> ReadyState {
        self.state
    }

    /// Returns the number of times the cache became ready.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the generation of the cache if the cache is ready.
    ///
    /// # Errors
    /// Returns error 429 if the cache is pending.
    pub fn check(&self, now: SimTime) -> Result<u64, StatusError> {
        match self.state {
            ReadyState::Ready => Ok(self.generation),
            ReadyState::Pending => Err(StatusError::NotReady {
                last_error: self.last_error.clone(),
                retry_after_s: retry_after_unready_s(self.downtime(now)),
            }),
        }
    }

    /// Returns the time since the cache was last ready; 0 if the cache is ready.
    pub fn downtime(&self, now: SimTime) -> SimDuration {
        match self.state {
            ReadyState::Ready => SimDuration(0),
            ReadyState::Pending => now - self.down_since,
        }
    }

    /// Marks the cache as ready after a list.
    pub fn set_ready(&mut self) {
        if self.state == ReadyState::Pending {
            self.state = ReadyState::Ready;
            self.generation += 1;
            self.last_error = None;
        }
    }

    /// Marks the cache as pending, because the cache has lost its watch or a list has failed. Only a failed list has an
    /// error: upstream's reflector logs the errors of its watches and returns none.
    pub fn set_pending(&mut self, now: SimTime, error: Option<Arc<str>>) {
        if self.state == ReadyState::Ready {
            self.state = ReadyState::Pending;
            self.down_since = now;
        }
        self.last_error = error;
    }
}

/// The maximum `Retry-After` of a cache that is not ready, in seconds.
const RETRY_AFTER_MAX_S: u32 = 30;

/// The downtimes at which `floor(exp(0.06 × seconds))` reaches 2, 3, … 30, in microseconds: `ln(k) / 0.06`, rounded up.
/// A table replaces `exp`, because the last bit of `exp` can differ between machines.
const RETRY_AFTER_STEPS_US: [u64; 29] = [
    11_552_454, 18_310_205, 23_104_907, 26_823_966, 29_862_658, 32_431_836, 34_657_360, 36_620_410,
    38_376_419, 39_964_922, 41_415_111, 42_749_156, 43_984_289, 45_134_171, 46_209_813, 47_220_223,
    48_172_863, 49_073_983, 49_928_872, 50_742_041, 51_517_375, 52_258_237, 52_967_564, 53_647_931,
    54_301_609, 54_930_615, 55_536_742, 56_121_598, 56_686_624,
];

/// Returns the `Retry-After` in seconds for a cache with this downtime. The value grows with the downtime, so that
/// clients retry less often during a long downtime.
pub fn retry_after_unready_s(downtime: SimDuration) -> u32 {
    let reached = RETRY_AFTER_STEPS_US.partition_point(|step| *step <= downtime.0);
    (1 + reached as u32).min(RETRY_AFTER_MAX_S)
}
