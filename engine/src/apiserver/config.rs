//! Which API server it is: version, gates, policy, and which resources it caches.
//!
//! Mirrors `--watch-cache`, `--watch-cache-sizes`, `--feature-gates` and `--request-timeout`. Here only
//! the resources that are named have a cache, so that pictures show what is talked about; upstream
//! all have one, except events.

use crate::base::time::SimDuration;

use super::freshness::Policy;
use super::history_ring::RingLimits;
use crate::kube::gates::{Gates, KubeVersion};
use crate::kube::resource::{PODS, Resource};

/// The maximum duration of a request (`--request-timeout`).
pub const REQUEST_TIMEOUT: SimDuration = SimDuration::from_millis(60_000);

/// Bytes of events that a client has not read, after which the server waits
/// (`transportDefaultStreamFlow` of Go's HTTP/2 client).
pub const STREAM_WINDOW: u64 = 4 << 20;

/// The configuration of an API server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApiServerConfig {
    /// The version.
    pub version: KubeVersion,
    /// The gates, as the version has them or set by hand.
    pub gates: Gates,
    /// The gates set by hand, as typed.
    pub gates_set: Vec<String>,
    /// How the cache checks that it is fresh.
    pub policy: FreshnessPolicy,
    /// etcd sends back the id of a progress request (KEP-2340, "potential future improvements").
    pub echo: bool,
    /// Consistent reads share the question for etcd's revision, asked at each multiple of this (the same).
    pub batch: Option<SimDuration>,
    /// A cache that lists again keeps its watchers and sends them everything (the proposal of 2015).
    pub etcd_resync: bool,
    /// The resources with a cache, and the size of its history.
    pub caches: Vec<(&'static Resource, CacheSize)>,
    /// Progress is asked for whatever version etcd has.
    pub assume_progress: bool,
    /// Bytes on the way to a client that it has not read.
    pub stream_window: u64,
    /// The maximum duration of a request.
    pub request_timeout: SimDuration,
    /// From compaction to compaction of etcd (`--etcd-compaction-interval`); 0 for none. Upstream's default is five
    /// minutes; here it is off, so that history stays as long as one looks at it.
    pub compaction_interval: SimDuration,
}

/// How an API server finds out that a cache is fresh, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FreshnessPolicy {
    /// The policy of Kubernetes since 1.31.
    #[default]
    Today,
    /// The policy of the draft of KEP-2340.
    Draft,
    /// Only etcd's own timer.
    Timer,
}

/// The size of a cache's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheSize {
    /// The size of today: a window of 75 seconds.
    Dynamic,
    /// As in 2015: a fixed number of events.
    Fixed(u32),
}

impl Default for ApiServerConfig {
    fn default() -> Self {
        let version = KubeVersion::default();
        Self {
            version,
            gates: Gates::of(version),
            gates_set: Vec::new(),
            policy: FreshnessPolicy::Today,
            echo: false,
            batch: None,
            etcd_resync: false,
            caches: vec![(&PODS, CacheSize::Dynamic)],
            assume_progress: false,
            stream_window: STREAM_WINDOW,
            request_timeout: REQUEST_TIMEOUT,
            compaction_interval: SimDuration(0),
        }
    }
}

impl FreshnessPolicy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Today, Self::Draft, Self::Timer];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Draft => "draft",
            Self::Timer => "timer",
        }
    }

    /// The policy in detail.
    pub fn policy(self) -> Policy {
        match self {
            Self::Today => Policy::TODAY,
            Self::Draft => Policy::DRAFT,
            Self::Timer => Policy::TIMER_ONLY,
        }
    }
}

impl CacheSize {
    /// Between which capacities the history may move.
    pub fn limits(self) -> RingLimits {
        match self {
            Self::Dynamic => RingLimits::DYNAMIC,
            Self::Fixed(events) => RingLimits::fixed(events),
        }
    }
}

impl ApiServerConfig {
    /// How the cache checks that it is fresh.
    pub fn freshness(&self) -> Policy {
        Policy {
            echo: self.echo,
            batch: self.batch,
            ..self.policy.policy()
        }
    }

    /// Whether the configuration contains anything that was only proposed.
    pub fn is_of_the_future(&self) -> bool {
        self.echo || self.batch.is_some() || self.etcd_resync
    }
}
