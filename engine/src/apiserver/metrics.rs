//! The counters of an API server that show where a list comes from.
//!
//! Mirrors `storage/cacher/metrics` and `storage/etcd3/metrics`. Left out: histograms, and all counters that this file
//! does not name.

use std::sync::Arc;

use crate::api::{Request, RequestOp};
use crate::base::digest::Undigested;
use crate::base::ordered::OrdMap;
use crate::kube::{KubeAnswer, KubeResponse, KubeVerb, Reason, Resource, ServedBy};

use super::request::{CallReason, InFlight};
use super::serve::Figures;
use super::server::ApiServer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeMetric {
    CacheListTotal,
    /// The objects that these lists examined.
    CacheListFetched,
    CacheListReturned,
    /// The consistent reads that a cache could serve.
    ConsistentRead,
    EtcdRequests,
}

impl KubeMetric {
    /// Returns the name of the counter on the page `/metrics`.
    pub fn name(self) -> &'static str {
        match self {
            Self::CacheListTotal => "apiserver_cache_list_total",
            Self::CacheListFetched => "apiserver_cache_list_fetched_objects_total",
            Self::CacheListReturned => "apiserver_cache_list_returned_objects_total",
            Self::ConsistentRead => "apiserver_watch_cache_consistent_read_total",
            Self::EtcdRequests => "etcd_requests_total",
        }
    }
}

/// The values of all counters, by the labels of the page `/metrics`.
#[derive(Clone, Debug, Default, Hash)]
pub struct KubeMetrics {
    // Digests exclude the counters, because they follow from the trace.
    counts: Undigested<OrdMap<(KubeMetric, Arc<str>), u64>>,
}

impl KubeMetrics {
    fn add(&mut self, metric: KubeMetric, labels: &str, n: u64) {
        let key = (metric, labels.into());
        let sum = self.counts.get(&key).copied().unwrap_or(0) + n;
        self.counts.insert(key, sum);
    }

    /// Returns the counters, sorted by name and labels.
    pub fn counts(&self) -> impl Iterator<Item = (KubeMetric, &str, u64)> {
        let counts = self.counts.iter();
        counts.map(|((metric, labels), n)| (*metric, &**labels, *n))
    }

    /// Counts the response to a list.
    pub(super) fn answered(&mut self, request: &InFlight, answer: &KubeAnswer, figures: &Figures) {
        let KubeVerb::List { .. } = &request.request.verb else {
            return;
        };
        let (group, resource) = names(request.request.resource);
        let reason = request.route.as_ref().map(|route| route.reason);
        if reason == Some(Reason::ConsistentList) {
            let (fallback, success) = (request.fell_back, answer.is_ok());
            let labels = format!(
                "fallback=\"{fallback}\",group=\"{group}\",resource=\"{resource}\",success=\"{success}\""
            );
            self.add(KubeMetric::ConsistentRead, &labels, 1);
        }
        let is_cached = matches!(request.by, ServedBy::Cache | ServedBy::Snapshot);
        if let (Ok(KubeResponse::List(_)), true) = (answer, is_cached) {
            let index = figures.index.as_deref().unwrap_or_default();
            let labels = format!("group=\"{group}\",index=\"{index}\",resource=\"{resource}\"");
            self.add(KubeMetric::CacheListTotal, &labels, 1);
            self.add(KubeMetric::CacheListFetched, &labels, figures.fetched);
            let labels = format!("group=\"{group}\",resource=\"{resource}\"");
            self.add(KubeMetric::CacheListReturned, &labels, figures.items);
        }
    }

    fn asked(&mut self, resource: &Resource, operation: &str) {
        let (group, name) = names(resource);
        let labels = format!("group=\"{group}\",operation=\"{operation}\",resource=\"{name}\"");
        self.add(KubeMetric::EtcdRequests, &labels, 1);
    }
}

fn names(resource: &Resource) -> (&'static str, &'static str) {
    (resource.group(), resource.name)
}

/// Returns the operation of a request to etcd, as the counter names it.
fn operation(why: CallReason, request: &Request) -> Option<&'static str> {
    Some(match (why, request) {
        (CallReason::CacherList(_) | CallReason::Check(_), _) => "list",
        (CallReason::Revision(..) | CallReason::WatchRevision(_), _) => "getCurrentResourceVersion",
        (CallReason::Request(_), Request::Range(range)) if range.range_end.is_empty() => "get",
        (CallReason::Request(_), Request::Range(_)) => "list",
        (CallReason::Request(_), Request::RangeStream(_)) => "listStream",
        (CallReason::Request(_), Request::Txn(txn)) => match (txn.success.first(), &*txn.failure) {
            (Some(RequestOp::DeleteRange(_)), _) => "delete",
            (_, []) => "create",
            _ => "update",
        },
        _ => return None,
    })
}

impl ApiServer {
    pub fn metrics(&self) -> &KubeMetrics {
        &self.metrics
    }

    pub(super) fn count_etcd_request(&mut self, why: CallReason, request: &Request) {
        let Some(operation) = operation(why, request) else {
            return;
        };
        let resource = self.resource_of(why).and_then(Resource::find);
        if let Some(resource) = resource {
            self.metrics.asked(resource, operation);
        }
    }
}
