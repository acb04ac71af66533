//! The API server of Kubernetes, as far as its watch cache goes: one cache for each resource, fed by
//! one watch of etcd, serving the lists and watches of all clients.
//!
//! Mirrors `k8s.io/apiserver/pkg/storage/cacher` as of 1.34 to 1.37, what the proposal of 2015 and
//! the draft of KEP-2340 say where it can be chosen, and older versions where [`gates`](crate::kube::gates) names them.
//! State machines: they are told what came and when, and say what is to be sent and when they want to
//! be woken. [`ApiServer`] puts them together, and alone talks to etcd and to clients.
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
pub mod dispatch;
pub mod event;
pub mod feature_support;
pub mod freshness;
pub mod history_ring;
pub mod interval;
pub mod list;
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

pub use bookmark_buckets::BookmarkBuckets;
pub use cache_store::{CacheStore, OrderedLister};
pub use cache_watcher::{CacheWatcher, CacheWatcherId, EndReason, WatchSpec, WatcherRead};
pub use cacher::Cacher;
pub use config::{ApiServerConfig, CacheSize, FreshnessPolicy};
pub use dispatch::{DispatchTimer, Dispatched, Dispatcher, Registration, Scope};
pub use event::{EventType, StoreElement, WatchCacheEvent};
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
