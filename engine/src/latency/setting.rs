//! The settings of a run of the latency lab.

use serde::{Deserialize, Serialize};

use crate::apiserver::freshness::{Policy, Toleration, WaitLimit};
use crate::apiserver::progress::ProgressPolicy;
use crate::apiserver::routing::OnTimeout;
use crate::base::base64;
use crate::base::time::SimDuration;

use super::gaps::Rate;

/// The scheme by which the API server makes sure that the cache is fresh enough for a consistent list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// Only etcd's timer sends progress notifications.
    TimerOnly,
    /// The draft of KEP-2340: the API server requests progress after a long quiet time, or sooner if a list waits.
    Draft,
    /// Current Kubernetes: the API server requests progress only while a list waits.
    Today,
    /// Like current Kubernetes, but progress requests have an id that etcd echoes. The API server then needs no request
    /// for etcd's revision. This scheme is an idea in the draft of KEP-2340.
    Echo,
    /// Like current Kubernetes, but lists that arrive within a short time share one request for etcd's revision. This
    /// scheme is an idea in the draft of KEP-2340.
    Batch,
    /// Consistent lists from the cache are disabled: etcd serves each list.
    FromEtcd,
    /// An example in the draft of KEP-2340: etcd's timer sends notifications, and the API server requests progress only
    /// after a long time without notifications. This scheme was added last. Links identify a scheme by the position of
    /// its variant, so a new scheme must be the last variant.
    TimerAndRequests,
}

/// The writes to other resources. These writes raise etcd's revision but do not change the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Others {
    /// Writes to other resources follow each other without a pause, so each list finds the cache behind etcd.
    WithoutPause,
    At(Rate),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arrivals {
    /// Lists arrive independently of each other, at random times.
    Poisson,
    Regular,
    /// Lists arrive in bursts of ten.
    Bursts,
}

pub const BURST: u64 = 10;

/// All settings of a run of the latency lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabSetting {
    pub scheme: Scheme,
    /// The main interval of the scheme: the interval of etcd's timer, or the maximum quiet time in the draft of
    /// KEP-2340 and in its example. In current Kubernetes, this is the minimum time between two progress requests.
    pub interval: SimDuration,
    /// The second interval of the scheme. In the draft of KEP-2340, this is the minimum time between two progress
    /// requests. In the draft's example, this is the interval of etcd's timer. With batches, this is the time during
    /// which a batch collects lists.
    pub gap: SimDuration,
    /// Whether etcd's timer skips a tick if etcd has sent an event since the previous tick.
    pub elides: bool,
    /// The rate of writes to the listed resource.
    pub own: Rate,
    pub others: Others,
    pub lists: Rate,
    pub arrivals: Arrivals,
    /// The round-trip time between the API server and etcd. Each direction takes half of this time.
    pub round_trip: SimDuration,
    /// The maximum random delay of a message, in addition to half of the round-trip time.
    pub jitter: SimDuration,
    /// The number of objects in the list.
    pub size: u64,
    pub object_bytes: u64,
    /// Whether the wait of a list for the cache has a time limit.
    pub is_limited: bool,
    /// The total number of lists.
    pub requests: u64,
    pub seed: u64,
}

impl Scheme {
    pub const ALL: [Self; 7] = [
        Self::TimerOnly,
        Self::TimerAndRequests,
        Self::Draft,
        Self::Today,
        Self::Echo,
        Self::Batch,
        Self::FromEtcd,
    ];

    /// Returns the default interval of the scheme: the value in the document or code that describes the scheme.
    pub fn interval(self) -> SimDuration {
        match self {
            Self::TimerOnly | Self::Draft => SimDuration::from_millis(250),
            Self::TimerAndRequests => SimDuration::from_millis(300),
            Self::Today | Self::Echo | Self::Batch | Self::FromEtcd => {
                SimDuration::from_millis(100)
            }
        }
    }

    /// Returns the default gap of the scheme. The default gap of batches is the simulator's own value. The other
    /// defaults are the values in the document or code that describes the scheme.
    pub fn gap(self) -> SimDuration {
        match self {
            Self::Batch => SimDuration::from_millis(20),
            Self::TimerAndRequests => SimDuration::from_millis(250),
            Self::TimerOnly | Self::Draft | Self::Today | Self::Echo | Self::FromEtcd => {
                SimDuration::from_millis(125)
            }
        }
    }
}

impl LabSetting {
    /// Returns the default settings of a scheme. With the default load, each list from the cache has to wait.
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

    /// Returns the example in the draft of KEP-2340 as two settings. In the first setting, etcd's timer sends a
    /// notification every 250 ms; in the second, every 10 min (etcd's default). In both, the API server needs a
    /// notification every 300 ms.
    pub fn example_of_the_draft() -> [Self; 2] {
        let often = Self::of(Scheme::TimerAndRequests);
        let gap = SimDuration::from_millis(600_000);
        [often, Self { gap, ..often }]
    }

    /// Encodes two settings as a short text for a link or for the browser's storage.
    ///
    /// ```
    /// use watchglass_engine::session::latency::{LabSetting, Scheme};
    /// let both = [LabSetting::of(Scheme::Draft), LabSetting::of(Scheme::Today)];
    /// assert_eq!(LabSetting::from_text(&LabSetting::to_text(&both)), Some(both));
    /// assert_eq!(LabSetting::from_text("nonsense"), None);
    /// ```
    pub fn to_text(both: &[Self; 2]) -> String {
        // The encoding cannot fail, because settings contain only numbers and enums.
        base64::encode(&postcard::to_allocvec(both).unwrap_or_default())
    }

    /// Decodes the text of [`to_text`](Self::to_text). Values may exceed their limits: the lab clamps them before a
    /// run.
    pub fn from_text(text: &str) -> Option<[Self; 2]> {
        postcard::from_bytes(&base64::decode(text)?).ok()
    }

    /// Returns the settings with each value clamped to its limits. A message from outside may contain any values.
    #[must_use]
    pub fn clamped(mut self) -> Self {
        let within = |d: SimDuration, least: u64, most: u64| SimDuration(d.0.clamp(least, most));
        self.interval = within(self.interval, 1_000, 600_000_000);
        let gap_max = match self.scheme {
            Scheme::TimerAndRequests => 600_000_000,
            _ => self.interval.0,
        };
        self.gap = within(self.gap, 1_000, gap_max);
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

    /// Returns the interval of etcd's own timer; `None` if notifications of this timer are too rare to matter in the
    /// scheme.
    pub fn etcd_timer(&self) -> Option<SimDuration> {
        match self.scheme {
            Scheme::TimerOnly => Some(self.interval),
            Scheme::TimerAndRequests => Some(self.gap),
            Scheme::Draft | Scheme::Today | Scheme::Echo | Scheme::Batch | Scheme::FromEtcd => None,
        }
    }

    /// Returns true if etcd's timer skips the ticks that follow an event, and there are such events.
    pub fn skips_ticks(&self) -> bool {
        self.elides && self.own.0 > 0
    }

    /// Returns the policy with which the API server ensures that the cache is fresh.
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
            Scheme::TimerAndRequests => Policy {
                progress: ProgressPolicy::AfterSilence {
                    silence: self.interval,
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

    /// Returns the wait limit of a list, or `None` if waits have no limit.
    pub fn limit(&self) -> Option<SimDuration> {
        match self.policy().wait {
            WaitLimit::Fixed(FOR_EVER) => None,
            WaitLimit::Fixed(limit) => Some(limit),
            WaitLimit::BySize(toleration) => Some(toleration.of(self.size)),
        }
    }

    /// Returns the API server's behaviour when a list reaches its wait limit.
    pub fn on_timeout(&self) -> OnTimeout {
        match self.scheme {
            Scheme::Draft | Scheme::TimerAndRequests => OnTimeout::BySize,
            _ => OnTimeout::AskEtcd,
        }
    }

    /// Returns true if the list is too large to fall back to etcd. In the draft of KEP-2340, the API server refuses
    /// such a list when the list reaches the wait limit.
    pub fn is_large(&self) -> bool {
        Toleration::DRAFT.is_large(self.size)
    }
}

/// The maximum rate, in thousandths of an event per second: 100,000 events per second.
const RATE_MAX: u64 = 100_000_000;
/// The maximum number of lists in one run.
const REQUESTS_MAX: u64 = 1_000_000;
/// A duration that is longer than any wait.
const FOR_EVER: SimDuration = SimDuration::from_millis(10_000_000_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_from_before_the_newest_scheme_still_opens() {
        let old = "AZChD8jQBwAAAJBOAOgHAPCTCYgnAaCNBioCoI0GyNAHAAAAkE4A6AcA8JMJiCcBoI0GKg";
        let both = LabSetting::from_text(old).expect("settings");
        assert_eq!(LabSetting::to_text(&both), old);
        let newest = LabSetting::example_of_the_draft();
        let text = LabSetting::to_text(&newest);
        assert_eq!(LabSetting::from_text(&text), Some(newest));
    }
}
