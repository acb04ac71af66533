//! The consistency checker of a cache: compares the cached objects with etcd's objects at the same revision.
//!
//! Mirrors `consistencyChecker` of `cacher/delegator.go`. A difference turns the snapshots of the cache off, so etcd
//! serves lists at an exact revision; the next check without a difference turns them on. Other reads do not change.
//! Upstream compares hashes of namespaces, names and versions. Here, the server asks for all objects in one request.
//! The checker is off unless the gate `DetectCacheInconsistency` is set; upstream's checker is on since 1.34.

use crate::api::{RangeResponse, Reply, Response};
use crate::base::time::SimDuration;
use crate::kube::Key;
use crate::kube::feature::Feature;
use crate::sim::Outbox;
use crate::trace::{KubeTrace, TraceEvent};

use super::request::CallReason;
use super::server::{ApiServer, ApiServerTimer};
use super::storage;

/// The minimum time between two checks (`ConsistencyCheckPeriod`). The maximum time is half as long again.
const PERIOD: SimDuration = SimDuration::from_millis(600_000);

/// The keys of a cache with the versions of their objects, at the start of a check.
pub(super) type CacheDigest = Vec<(Key, u64)>;

impl ApiServer {
    /// Schedules the next check of a cache, if the gate is set.
    pub(super) fn plan_check(&mut self, resource: &'static str, out: &mut Outbox<ApiServerTimer>) {
        if self.config().is_set(Feature::DetectCacheInconsistency) {
            let jitter = self.rng.below(PERIOD.0 / 2);
            let after = SimDuration(PERIOD.0 + jitter);
            out.timer(after, ApiServerTimer::Check(resource));
        }
    }

    /// Starts a check: asks etcd for the objects at the revision of the cache.
    pub(super) fn check_cache(&mut self, resource: &'static str, out: &mut Outbox<ApiServerTimer>) {
        let storage = self.storages.get_mut(resource);
        let cacher = storage.and_then(|storage| storage.cacher.as_mut());
        let Some(cacher) = cacher.filter(|cacher| cacher.ready().check(out.now).is_ok()) else {
            return self.plan_check(resource, out);
        };
        let objects = cacher.cache().store().objects().iter();
        let digest = objects.map(|(key, object)| (key.clone(), object.resource_version));
        *cacher.checking = Some(digest.collect());
        let revision = cacher.cache().cache_rv() as i64;
        let all = storage::page(cacher.resource().prefix, None, 0, revision);
        self.ask(CallReason::Check(resource), all, out);
    }

    /// Handles etcd's response to a check. An error ends the check without a result.
    pub(super) fn checked(
        &mut self,
        resource: &'static str,
        reply: &Reply,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let storage = self.storages.get_mut(resource);
        if let Some(cacher) = storage.and_then(|storage| storage.cacher.as_mut())
            && let (Some(cached), Ok(Response::Range(range))) = (cacher.checking.take(), reply)
        {
            let is_consistent = is_equal(&cached, range);
            cacher.cache.mark_consistent(is_consistent);
            out.trace(TraceEvent::Kube(KubeTrace::Checked {
                server: self.node,
                resource,
                is_consistent,
            }));
        }
        self.plan_check(resource, out);
    }
}

fn is_equal(cached: &CacheDigest, range: &RangeResponse) -> bool {
    let stored = range.kvs.iter();
    cached.len() == range.kvs.len()
        && cached.iter().zip(stored).all(|((key, version), kv)| {
            key.as_bytes() == &*kv.key && *version == kv.mod_revision as u64
        })
}
