//! The admission plug-in `EventRateLimit`, which limits how fast clients write events.
//!
//! Mirrors `plugin/pkg/admission/eventratelimit`: a token bucket for the whole server, or one for each namespace. An
//! event must find a token in the bucket of every limit, and takes the tokens of all limits, even if one limit refuses
//! the event. The flag `--event-rate-limit` stands for the configuration file of the plug-in. Left out: the types
//! `User` and `SourceAndObject`, and the limit on the number of buckets.

use std::sync::Arc;

use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::status::StatusError;
use crate::kube::{KubeRequest, KubeVerb};
use crate::qos::limiter::Admission;
use crate::qos::tbf::Tbf;

/// The writes that share a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum EventLimitType {
    Server,
    Namespace,
}

impl EventLimitType {
    fn name(self) -> &'static str {
        match self {
            Self::Server => "Server",
            Self::Namespace => "Namespace",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventLimit {
    kind: EventLimitType,
    qps: u64,
    burst: u64,
}

impl EventLimit {
    /// Parses a type, a rate per second and a burst.
    ///
    /// ```
    /// use watchglass_engine::apiserver::EventLimit;
    /// assert!(EventLimit::parse("Namespace:3:10").is_some());
    /// assert!(EventLimit::parse("Namespace:3").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (kind, qps, burst) = (parts.next()?, parts.next()?, parts.next()?);
        let mut kinds = [EventLimitType::Server, EventLimitType::Namespace].into_iter();
        let limit = Self {
            kind: kinds.find(|known| known.name() == kind)?,
            qps: qps.parse().ok()?,
            burst: burst.parse().ok()?,
        };
        let is_valid = limit.qps > 0 && limit.burst > 0 && parts.next().is_none();
        is_valid.then_some(limit)
    }
}

/// The buckets of the limits, by the number of the limit and the namespace.
pub(super) type EventBuckets = OrdMap<(u32, Arc<str>), Tbf>;

/// Takes the tokens of a write of an event.
///
/// # Errors
/// Returns the error of the last limit without a token.
pub(super) fn admit(
    limits: &[EventLimit],
    buckets: &mut EventBuckets,
    now: SimTime,
    request: &KubeRequest,
) -> Result<(), StatusError> {
    let namespace = match &request.verb {
        KubeVerb::Create(object) | KubeVerb::Update { object, .. } => &*object.namespace,
        KubeVerb::Patch { namespace, .. } => namespace,
        _ => return Ok(()),
    };
    if request.resource.name != "events" {
        return Ok(());
    }
    let mut admitted = Ok(());
    for (number, limit) in (0..).zip(limits) {
        let key: Arc<str> = match limit.kind {
            EventLimitType::Server => "".into(),
            EventLimitType::Namespace => namespace.into(),
        };
        let full = || Tbf::new(now, limit.qps * 1_000, limit.burst, SimDuration(0));
        let bucket = buckets.get_or_insert_with((number, key.clone()), full);
        if matches!(bucket.admit(now, 1), Admission::Refused(_)) {
            let limit = limit.kind.name();
            admitted = Err(StatusError::EventLimit { limit, key });
        }
    }
    admitted
}
