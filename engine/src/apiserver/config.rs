//! The configuration of an API server: version, feature gates, freshness policy and cached resources.
//!
//! Mirrors `--watch-cache`, `--watch-cache-sizes`, `--feature-gates` and `--request-timeout`. Here, only the resources
//! that the user names have a cache, so that the page shows only the relevant caches. In Kubernetes, all resources
//! except events have a cache.

use std::hash::{Hash, Hasher};

use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;

use super::event_rate_limit::EventLimit;
use super::freshness::Policy;
use super::history_ring::RingLimits;
use super::progress::ProgressPolicy;
use crate::kube::feature::Feature;
use crate::kube::gates::{Gates, KubeVersion};
use crate::kube::resource::{PODS, Resource};

/// The maximum duration of a request (`--request-timeout`).
pub const REQUEST_TIMEOUT: SimDuration = SimDuration::from_millis(60_000);

/// The number of unread bytes at which the server stops sending events to a client (`transportDefaultStreamFlow` of
/// Go's HTTP/2 client).
pub const STREAM_WINDOW: u64 = 4 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApiServerConfig {
    pub version: KubeVersion,
    /// The feature gates: the defaults of the version, with the user's settings applied.
    pub gates: Gates,
    /// The feature gates that the user set, as typed.
    pub gates_set: Vec<String>,
    pub policy: FreshnessPolicy,
    /// The interval of the freshness policy: the minimum time between two progress requests (current Kubernetes), or
    /// the maximum time without a notification (draft of KEP-2340). `None` selects the policy's own value.
    pub progress_interval: Option<SimDuration>,
    /// The minimum time between two progress requests in the draft of KEP-2340. `None` selects the draft's value.
    pub progress_gap: Option<SimDuration>,
    /// The method by which the API server gets etcd's current revision before a consistent list.
    pub current_revision: CurrentRevision,
    /// Whether etcd returns the ID of a progress request in the notification (KEP-2340, "potential future
    /// improvements").
    pub echo: bool,
    /// The interval between shared requests for etcd's revision (another improvement in KEP-2340). A shared request
    /// serves all consistent reads that wait for the revision. With `None`, each read has its own request.
    pub batch: Option<SimDuration>,
    /// Whether the watchers of a cache stay open during a relist and receive all objects again afterwards. The first
    /// proposal for a watch cache (2015) works like this.
    pub etcd_resync: bool,
    /// The resources with a cache, each with the size of the cache's history.
    pub caches: Vec<(&'static Resource, CacheSize)>,
    /// Whether the server sends progress requests without checking etcd's version.
    pub assume_progress: bool,
    /// The number of unread bytes at which the server stops sending events to a client.
    pub stream_window: u64,
    pub request_timeout: SimDuration,
    /// The maximum number of gets and lists in progress (`--max-requests-inflight`); 0 for no limit. Kubernetes'
    /// default is 400. Here, the default is 0, so that an overload is visible.
    pub max_in_flight: u64,
    /// Whether requests need seats (`--enable-priority-and-fairness`). The number of seats is `max_in_flight`, or the
    /// default of Kubernetes if that number is 0. Kubernetes' default is true. Here, the default is false, so that an
    /// overload is visible.
    pub has_fairness: Sparse<bool>,
    /// The limits on the rate of events (`EventRateLimit`).
    pub event_limits: Sparse<Vec<EventLimit>>,
    /// The time between two compactions of etcd (`--etcd-compaction-interval`); 0 for no compactions. Kubernetes'
    /// default is five minutes. Here, the default is 0, so that the history stays readable.
    pub compaction_interval: SimDuration,
    pub etcd_servers: EtcdServers,
    pub events_etcd: EventsEtcd,
}

/// The name of the member of the second etcd.
pub const EVENTS_ETCD_NAME: &str = "etcd-events";

/// The etcd that stores the events of an API server (`--etcd-servers-overrides`). In Kubernetes, the flag accepts any
/// resource. Here, the flag accepts only events, the one resource that never has a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventsEtcd {
    /// The etcd that also stores all other resources.
    #[default]
    Shared,
    /// A second etcd with the single member [`NodeId::EVENTS_ETCD`].
    Own,
}

// The hash omits the default, so the digest of an API server without the flag does not depend on the existence of the
// flag.
impl Hash for EventsEtcd {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if *self == Self::Own {
            true.hash(state);
        }
    }
}

/// The members of etcd that an API server connects to (`--etcd-servers`).
///
/// The client library distributes requests and streams among the given members (`round_robin`), so the requests and the
/// watches of an API server can be on different members. Here, the first given member receives all requests, and the
/// last given member serves all watches. If a watch ends because its member has no leader, the next watch uses the next
/// member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtcdServers(Vec<NodeId>);

impl Default for EtcdServers {
    fn default() -> Self {
        Self(vec![NodeId::Member(1)])
    }
}

// The hash omits the default, so the digest of an API server without the flag does not depend on the existence of the
// flag.
impl Hash for EtcdServers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if *self != Self::default() {
            self.0.hash(state);
        }
    }
}

impl EtcdServers {
    /// Creates a list of different members; `None` if the list is empty or has a member twice.
    pub fn new(members: Vec<NodeId>) -> Option<Self> {
        let is_twice = |n: usize| members[..n].contains(&members[n]);
        let is_wrong = members.is_empty() || (0..members.len()).any(is_twice);
        (!is_wrong).then_some(Self(members))
    }

    /// Returns the members in the order of the flag `--etcd-servers`.
    pub fn members(&self) -> impl Iterator<Item = NodeId> {
        self.0.iter().copied()
    }

    /// Returns the member that receives the requests.
    pub fn requests(&self) -> NodeId {
        self.0[0]
    }

    /// Returns the member that receives the first watches.
    pub fn watches(&self) -> NodeId {
        self.0[self.0.len() - 1]
    }

    /// Returns all members in the order of the flag. The first result is the member after `member`; the last result is
    /// `member` itself.
    pub(super) fn after(&self, member: NodeId) -> impl Iterator<Item = NodeId> {
        let place = self.0.iter().position(|other| *other == member);
        let (before, after) = self.0.split_at(place.map_or(0, |place| place + 1));
        after.iter().chain(before).copied()
    }
}

/// The member that a request or a watch stream of an API server uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Endpoint(pub(super) NodeId);

// The hash omits member 1, so the digest of an API server with a single member does not depend on this type.
impl Hash for Endpoint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.0 != NodeId::Member(1) {
            self.0.hash(state);
        }
    }
}

/// A named policy by which an API server checks the freshness of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FreshnessPolicy {
    /// The policy of current Kubernetes, since 1.31.
    #[default]
    Today,
    /// The policy of the draft of KEP-2340.
    Draft,
    /// The server sends no progress requests: only etcd's own timer causes notifications.
    Timer,
}

/// The method by which an API server gets etcd's current revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CurrentRevision {
    /// Reads the revision from the response header of a linearizable read, as Kubernetes does.
    #[default]
    Header,
    /// Uses the newest mod revision of all objects of the resource (`clientv3.WithLastRev`), as in the draft of
    /// KEP-2340. This revision does not include deletes, and etcd reads all objects to find it.
    WithLastRev,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheSize {
    /// The size in current Kubernetes: enough events for a window of 75 seconds.
    Dynamic,
    /// A fixed number of events, as in the first watch cache of 2015.
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
            progress_interval: None,
            progress_gap: None,
            current_revision: CurrentRevision::Header,
            echo: false,
            batch: None,
            etcd_resync: false,
            caches: vec![(&PODS, CacheSize::Dynamic)],
            assume_progress: false,
            stream_window: STREAM_WINDOW,
            request_timeout: REQUEST_TIMEOUT,
            max_in_flight: 0,
            has_fairness: Sparse(false),
            event_limits: Sparse::default(),
            compaction_interval: SimDuration(0),
            etcd_servers: EtcdServers::default(),
            events_etcd: EventsEtcd::default(),
        }
    }
}

impl FreshnessPolicy {
    pub const ALL: [Self; 3] = [Self::Today, Self::Draft, Self::Timer];

    /// Returns the name with which the user selects the policy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Draft => "draft",
            Self::Timer => "timer",
        }
    }

    pub fn policy(self) -> Policy {
        match self {
            Self::Today => Policy::TODAY,
            Self::Draft => Policy::DRAFT,
            Self::Timer => Policy::TIMER_ONLY,
        }
    }
}

impl CurrentRevision {
    pub const ALL: [Self; 2] = [Self::Header, Self::WithLastRev];

    /// Returns the name with which the user selects the method.
    pub fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::WithLastRev => "WithLastRev",
        }
    }
}

impl CacheSize {
    /// Returns the limits for the capacity of the history.
    pub fn limits(self) -> RingLimits {
        match self {
            Self::Dynamic => RingLimits::DYNAMIC,
            Self::Fixed(events) => RingLimits::fixed(events),
        }
    }
}

impl ApiServerConfig {
    /// Returns true if the user has turned a feature gate on.
    pub fn is_set(&self, feature: Feature) -> bool {
        self.setting(feature).unwrap_or(false)
    }

    /// Returns true if a feature gate is on, by the user's setting or by default.
    pub fn is_on(&self, feature: Feature) -> bool {
        let default = feature.is_default(self.version);
        self.setting(feature).unwrap_or(default)
    }

    /// Returns true if the server encodes lists piece by piece. Since 1.37, the gate does not exist any more.
    pub fn streams_lists(&self) -> bool {
        self.version >= KubeVersion::V1_37 || self.is_on(Feature::StreamingCollectionEncodingToJson)
    }

    fn setting(&self, feature: Feature) -> Option<bool> {
        let set = self.gates_set.iter().rev();
        let mut set = set.filter_map(|text| Feature::parse(text, self.version).ok());
        set.find(|(own, _)| *own == feature).map(|(_, is_on)| is_on)
    }

    pub fn freshness(&self) -> Policy {
        let policy = self.policy.policy();
        let progress = match policy.progress {
            ProgressPolicy::OnDemand { period } => ProgressPolicy::OnDemand {
                period: self.progress_interval.unwrap_or(period),
            },
            ProgressPolicy::Draft {
                background,
                min_gap,
            } => ProgressPolicy::Draft {
                background: self.progress_interval.unwrap_or(background),
                min_gap: self.progress_gap.unwrap_or(min_gap),
            },
            other => other,
        };
        Policy {
            progress,
            echo: self.echo,
            batch: self.batch,
            ..policy
        }
    }

    /// Returns true if the configuration contains a feature that exists only as a proposal.
    pub fn is_of_the_future(&self) -> bool {
        self.echo || self.batch.is_some() || self.etcd_resync
    }
}
