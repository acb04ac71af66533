//! The knobs of a run.

use serde::{Deserialize, Serialize};

use crate::apiserver::freshness::{Policy, Toleration, WaitLimit};
use crate::apiserver::progress::ProgressPolicy;
use crate::apiserver::routing::OnTimeout;
use crate::base::base64;
use crate::base::time::SimDuration;

use super::gaps::Rate;

/// How the cache checks that it is fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// Only etcd's own timer.
    TimerOnly,
    /// The draft of KEP-2340: asked for when it was quiet for long, and sooner when somebody waits.
    Draft,
    /// Kubernetes today: requested only while a list waits.
    Today,
    /// Today's, with an id that etcd echoes (an idea of the draft): no question for the revision.
    Echo,
    /// Today's, with one question for all lists of a while (an idea of the draft).
    Batch,
    /// Opted out: each list goes to etcd.
    FromEtcd,
}

/// Writes to other resources: they move etcd's revision, and not the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Others {
    /// Writes without a pause: every list finds the cache behind.
    WithoutPause,
    /// At this rate.
    At(Rate),
}

/// The arrival process of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arrivals {
    /// Independently of each other.
    Poisson,
    /// Evenly.
    Regular,
    /// Ten at once.
    Bursts,
}

/// The number of lists in a burst.
pub const BURST: u64 = 10;

/// The values of all knobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabSetting {
    /// How the cache checks that it is fresh.
    pub scheme: Scheme,
    /// etcd's timer, the draft's longest quiet time, or today's least time between two requests.
    pub interval: SimDuration,
    /// The draft's least time between two requests; how long a batch collects.
    pub gap: SimDuration,
    /// etcd passes over a tick of its timer when an event was sent since the tick before.
    pub elides: bool,
    /// Writes to the listed resource.
    pub own: Rate,
    /// Writes to others.
    pub others: Others,
    /// Consistent lists.
    pub lists: Rate,
    /// The arrival process of lists.
    pub arrivals: Arrivals,
    /// From the API server to etcd and back; each way takes half of it.
    pub round_trip: SimDuration,
    /// The most that each way takes longer, at random.
    pub jitter: SimDuration,
    /// Objects in the list.
    pub size: u64,
    /// Bytes of an object.
    pub object_bytes: u64,
    /// Whether a wait can be too long.
    pub is_limited: bool,
    /// Lists in all.
    pub requests: u64,
    /// The seed.
    pub seed: u64,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Self; 6] = [
        Self::TimerOnly,
        Self::Draft,
        Self::Today,
        Self::Echo,
        Self::Batch,
        Self::FromEtcd,
    ];

    /// The default interval, from the scheme's source.
    pub fn interval(self) -> SimDuration {
        match self {
            Self::TimerOnly | Self::Draft => SimDuration::from_millis(250),
            Self::Today | Self::Echo | Self::Batch | Self::FromEtcd => {
                SimDuration::from_millis(100)
            }
        }
    }

    /// The default gap, from the scheme's source; the gap of a batch is ours.
    pub fn gap(self) -> SimDuration {
        match self {
            Self::Batch => SimDuration::from_millis(20),
            Self::TimerOnly | Self::Draft | Self::Today | Self::Echo | Self::FromEtcd => {
                SimDuration::from_millis(125)
            }
        }
    }
}

impl LabSetting {
    /// A scheme as its source describes it, under a load that hides nothing.
    pub fn of(scheme: Scheme) -> Self {
        Self {
            scheme,
            interval: scheme.interval(),
            gap: scheme.gap(),
            elides: false,
            own: Rate(0),
            others: Others::WithoutPause,
            lists: Rate::per_second(10),
            arrivals: Arrivals::Poisson,
            round_trip: SimDuration::from_millis(1),
            jitter: SimDuration(0),
            size: 150_000,
            object_bytes: 5_000,
            is_limited: true,
            requests: 100_000,
            seed: 42,
        }
    }

    /// Two settings as a short text, for a link or a browser's storage.
    ///
    /// ```
    /// use watchglass_engine::session::latency::{LabSetting, Scheme};
    /// let both = [LabSetting::of(Scheme::Draft), LabSetting::of(Scheme::Today)];
    /// assert_eq!(LabSetting::from_text(&LabSetting::to_text(&both)), Some(both));
    /// assert_eq!(LabSetting::from_text("nonsense"), None);
    /// ```
    pub fn to_text(both: &[Self; 2]) -> String {
        // Numbers and closed enums: there is nothing in it that cannot be written.
        base64::encode(&postcard::to_allocvec(both).unwrap_or_default())
    }

    /// Reads such a text. The lab clamps values beyond their limits when it runs them.
    pub fn from_text(text: &str) -> Option<[Self; 2]> {
        postcard::from_bytes(&base64::decode(text)?).ok()
    }

    /// The same within what can be run: a message from outside may hold anything.
    #[must_use]
    pub fn clamped(mut self) -> Self {
        let within = |d: SimDuration, least: u64, most: u64| SimDuration(d.0.clamp(least, most));
        self.interval = within(self.interval, 1_000, 600_000_000);
        self.gap = within(self.gap, 1_000, self.interval.0);
        self.own.0 = self.own.0.min(RATE_MAX);
        if let Others::At(rate) = &mut self.others {
            rate.0 = rate.0.min(RATE_MAX);
        }
        self.lists.0 = self.lists.0.clamp(10, RATE_MAX);
        self.round_trip = within(self.round_trip, 0, 1_000_000);
        self.jitter = within(self.jitter, 0, 1_000_000);
        self.size = self.size.clamp(1, 1_000_000);
        self.object_bytes = self.object_bytes.clamp(100, 2_000_000);
        self.requests = self.requests.clamp(1, REQUESTS_MAX);
        self
    }

    /// The policy of the API server.
    pub fn policy(&self) -> Policy {
        let requester = ProgressPolicy::OnDemand {
            period: self.interval,
        };
        let policy = match self.scheme {
            Scheme::TimerOnly => Policy::TIMER_ONLY,
            Scheme::Draft => Policy {
                progress: ProgressPolicy::Draft {
                    background: self.interval,
                    min_gap: self.gap,
                },
                ..Policy::DRAFT
            },
            Scheme::Today | Scheme::FromEtcd => Policy {
                progress: requester,
                ..Policy::TODAY
            },
            Scheme::Echo => Policy {
                progress: requester,
                echo: true,
                ..Policy::TODAY
            },
            Scheme::Batch => Policy {
                progress: requester,
                batch: Some(self.gap),
                ..Policy::TODAY
            },
        };
        if self.is_limited {
            return policy;
        }
        Policy {
            wait: WaitLimit::Fixed(FOR_EVER),
            ..policy
        }
    }

    /// The wait limit of a list.
    pub fn limit(&self) -> Option<SimDuration> {
        match self.policy().wait {
            WaitLimit::Fixed(FOR_EVER) => None,
            WaitLimit::Fixed(limit) => Some(limit),
            WaitLimit::BySize(toleration) => Some(toleration.of(self.size)),
        }
    }

    /// The action on a list after its wait limit.
    pub fn on_timeout(&self) -> OnTimeout {
        match self.scheme {
            Scheme::Draft => OnTimeout::BySize,
            _ => OnTimeout::AskEtcd,
        }
    }

    /// Whether the draft would refuse this list rather than send it to etcd.
    pub fn is_large(&self) -> bool {
        Toleration::DRAFT.is_large(self.size)
    }
}

/// The most that a rate can be: 100,000 times a second.
const RATE_MAX: u64 = 100_000_000;
/// The maximum number of lists in one run.
const REQUESTS_MAX: u64 = 1_000_000;
/// Longer than any wait.
const FOR_EVER: SimDuration = SimDuration::from_millis(10_000_000_000);
