//! The watch cache of the Kubernetes API server. Each resource has one cache. A single etcd watch fills the cache. The
//! cache serves the lists and watches of all clients.
//!
//! Mirrors `k8s.io/apiserver/pkg/storage/cacher` of 1.34 to 1.37. The configuration can also select the first proposal
//! for a watch cache (2015), the draft of KEP-2340, and the older behaviour that [`gates`](crate::kube::gates) lists.
//! The parts are state machines: their inputs are messages and times, their outputs are messages to send and timers to
//! set. [`ApiServer`] combines the parts; only [`ApiServer`] communicates with etcd and with clients.
//!
//! ```text
//!            list, watch                                   lists, gets
//!   etcd ────────────────▶ WatchCache ◀──── route, Freshness ◀──────── clients
//!                          │ CacheStore · StoreSnapshotter
//!                          │ HistoryRing ──interval──┐
//!                          ▼                         ▼
//!                      Dispatcher ──────────▶ CacheWatcher ──watches──▶ clients
//! ```

pub mod bookmark_buckets;
pub mod cache_store;
pub mod cache_watcher;
pub mod cacher;
mod compactor;
pub mod config;
mod consistency;
pub mod dispatch;
pub mod event;
mod event_rate_limit;
pub mod feature_support;
pub mod flow_control;
pub mod freshness;
pub mod history_ring;
pub mod interval;
pub mod list;
pub mod metrics;
mod page;
pub mod progress;
pub mod ready;
mod request;
pub mod routing;
mod scan;
mod serve;
mod serve_watch;
pub mod server;
pub mod snapshots;
mod storage;
pub mod time_budget;
pub mod watch_cache;
pub mod watch_start;
pub mod work;
mod write;

pub use bookmark_buckets::BookmarkBuckets;
pub use cache_store::{CacheStore, OrderedLister};
pub use cache_watcher::{CacheWatcher, CacheWatcherId, EndReason, WatchSpec, WatcherRead};
pub use cacher::Cacher;
pub use config::{
    ApiServerConfig, CacheSize, CurrentRevision, EVENTS_ETCD_NAME, EtcdServers, EventsEtcd,
    FreshnessPolicy,
};
pub use dispatch::{DispatchTimer, Dispatched, Dispatcher, Registration, Scope};
pub use event::{EventType, StoreElement, WatchCacheEvent};
pub use event_rate_limit::EventLimit;
pub use feature_support::{EtcdVersion, FeatureSupportChecker};
pub use freshness::{Freshness, Policy};
pub use history_ring::{HistoryRing, Pushed, RingLimits};
pub use interval::CacheInterval;
pub use list::{ListResult, Listing};
pub use progress::{ProgressPolicy, ProgressRequester};
pub use ready::{Ready, ReadyState};
pub use serve_watch::event_bytes;
pub use server::{ApiServer, ApiServerTimer, Storage, WatchInfo};
pub use snapshots::StoreSnapshotter;
pub use time_budget::TimeBudget;
pub use watch_cache::{Processed, WatchCache};
