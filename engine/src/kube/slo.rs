//! The service level objectives of Kubernetes for the latency of API calls.
//!
//! Mirrors `sig-scalability/slos/api_call_latency.md`: for each kind of call, the 99th percentile of the latency over
//! five minutes. Left out: the window of five minutes, and objectives other than latency.

use crate::base::time::SimDuration;

/// A kind of API call that has its own service level objective.
///
/// ```
/// use watchglass_engine::base::time::SimDuration;
/// use watchglass_engine::kube::slo::Slo;
/// assert!(Slo::List.is_met(SimDuration::from_millis(8_100)));
/// assert!(!Slo::OneObject.is_met(SimDuration::from_millis(8_100)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slo {
    /// A call for one object: a read, a create, an update or a delete.
    OneObject,
    /// A list of a namespace or of the cluster.
    List,
}

impl Slo {
    pub const ALL: [Self; 2] = [Self::OneObject, Self::List];

    /// Returns the objective: the maximum of the 99th percentile of the latency.
    pub fn limit(self) -> SimDuration {
        match self {
            Self::OneObject => SimDuration::from_millis(1_000),
            Self::List => SimDuration::from_millis(30_000),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::OneObject => "one object",
            Self::List => "lists",
        }
    }

    /// Returns true if a 99th percentile meets the objective.
    pub fn is_met(self, p99: SimDuration) -> bool {
        p99 <= self.limit()
    }
}
