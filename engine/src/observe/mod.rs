//! Observers of a run: the history of its store, the responses to its clients, the guarantees to clients, and a simple
//! model of the store, with which tests compare the real store.

pub mod client_log;
pub mod guarantees;
pub mod history;
pub mod kube_guard;
pub mod kube_log;
pub mod lag;
pub mod linearizability;
pub mod metric_history;
pub mod model;
pub mod past;
pub mod recorded;
pub mod stored;
pub mod traffic;
pub mod watch_log;
pub mod watcher_log;

pub use client_log::ClientLog;
pub use guarantees::Guard;
pub use history::{History, LaneHistory, LeaseEnd, PastChange};
pub use kube_guard::{KubeGuarantee, KubeGuard};
pub use kube_log::KubeLog;
pub use lag::{GreatestLag, Lag};
pub use metric_history::{Metric, MetricHistory, MetricSample};
pub use past::{AsideRequest, Past};
pub use recorded::Recorded;
pub use stored::{StoredChange, StoredChanges};
pub use traffic::{Cuts, Messages};
pub use watch_log::{ClientRecord, LoggedDelivery, WatchLog, WatchRecord};
pub use watcher_log::{SentResponse, WatcherLog, WatcherMark};
