//! The history of a member's metrics: samples of the values, as Prometheus takes them from etcd's page `/metrics`. A
//! sample also has the memory of all processes and the requests of all loads.
//!
//! Prometheus takes a sample at a fixed interval. Here the interval grows with the elapsed simulated time, so the
//! samples of an hour need little memory. A chart of the run up to any step still has more samples than columns.

use crate::base::ids::NodeId;
use crate::base::shared_list::SharedList;
use crate::base::time::SimTime;
use crate::client::load_calls::LoadCalls;
use crate::world::World;
use crate::world::memory::ProcessMemory;

/// The minimum time between two samples, in microseconds.
const INTERVAL_US: u64 = 10_000;
/// The time between two samples is at least the elapsed time of the run divided by this number.
const SAMPLES: u64 = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    Ranges,
    Puts,
    Deletes,
    /// The number of transactions of the store that have more than one operation.
    Txns,
    ReceivedBytes,
    Watchers,
    /// The current number of watchers that are not synced.
    SlowWatchers,
    /// The current number of events in the channels of watch streams.
    PendingEvents,
    /// The number of events that watch streams took from their channels.
    Events,
    DbBytes,
    /// The size of the used pages of the database, in bytes.
    DbBytesInUse,
    /// The current number of Raft proposals without a result.
    PendingProposals,
    SlowApplies,
    /// The number of syncs of the write-ahead log.
    Syncs,
    Commits,
}

const METRICS: usize = Metric::ALL.len();

impl Metric {
    /// All metrics, in the order of the charts.
    pub const ALL: [Self; 15] = [
        Self::Ranges,
        Self::Puts,
        Self::Deletes,
        Self::Txns,
        Self::ReceivedBytes,
        Self::Watchers,
        Self::SlowWatchers,
        Self::PendingEvents,
        Self::Events,
        Self::DbBytes,
        Self::DbBytesInUse,
        Self::PendingProposals,
        Self::SlowApplies,
        Self::Syncs,
        Self::Commits,
    ];

    /// Returns the name that etcd gives the metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranges => "etcd_mvcc_range_total",
            Self::Puts => "etcd_mvcc_put_total",
            Self::Deletes => "etcd_mvcc_delete_total",
            Self::Txns => "etcd_mvcc_txn_total",
            Self::ReceivedBytes => "etcd_network_client_grpc_received_bytes_total",
            Self::Watchers => "etcd_debugging_mvcc_watcher_total",
            Self::SlowWatchers => "etcd_debugging_mvcc_slow_watcher_total",
            Self::PendingEvents => "etcd_debugging_mvcc_pending_events_total",
            Self::Events => "etcd_debugging_mvcc_events_total",
            Self::DbBytes => "etcd_mvcc_db_total_size_in_bytes",
            Self::DbBytesInUse => "etcd_mvcc_db_total_size_in_use_in_bytes",
            Self::PendingProposals => "etcd_server_proposals_pending",
            Self::SlowApplies => "etcd_server_slow_apply_total",
            Self::Syncs => "etcd_disk_wal_fsync_duration_seconds_count",
            Self::Commits => "etcd_disk_backend_commit_duration_seconds_count",
        }
    }

    /// Returns true if the metric is a counter, whose chart shows the rate.
    pub fn is_counter(self) -> bool {
        !matches!(
            self,
            Self::Watchers
                | Self::SlowWatchers
                | Self::PendingEvents
                | Self::DbBytes
                | Self::DbBytesInUse
                | Self::PendingProposals
        )
    }

    pub fn is_bytes(self) -> bool {
        matches!(
            self,
            Self::ReceivedBytes | Self::DbBytes | Self::DbBytesInUse
        )
    }
}

#[derive(Clone, Debug)]
pub struct MetricSample {
    /// The step of the run after which the sample was taken.
    pub step: u64,
    pub at: SimTime,
    /// The values, in the order of [`Metric::ALL`].
    pub values: [u64; METRICS],
    /// The memory of each member and API server with a memory limit.
    pub memory: Vec<(NodeId, ProcessMemory)>,
    pub calls: SampledCalls,
}

/// The sums over the requests of all loads and kubelets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampledCalls {
    pub sent: u64,
    /// The current number of requests without a response.
    pub in_flight: u64,
    pub succeeded: u64,
    /// The number of requests that were refused, timed out, or lost their connection.
    pub failed: u64,
}

impl SampledCalls {
    fn of(world: &World) -> Self {
        let mut sums = Self::default();
        for (_, client) in world.clients() {
            client
                .load()
                .into_iter()
                .for_each(|load| sums.add(load.calls()));
        }
        for (_, client) in world.kube_clients() {
            client
                .load()
                .into_iter()
                .for_each(|load| sums.add(load.calls()));
            client
                .kubelets()
                .into_iter()
                .for_each(|kubelets| sums.add(kubelets.calls()));
        }
        sums
    }

    fn add<R: Clone>(&mut self, calls: &LoadCalls<R>) {
        let counts = calls.counts();
        self.sent += counts.sent;
        self.in_flight += calls.open();
        self.succeeded += counts.succeeded;
        self.failed += counts.failed + counts.timed_out + counts.lost;
    }
}

impl MetricSample {
    /// Takes a sample. The metrics are those of the member that the terminal uses.
    pub fn of(world: &World) -> Self {
        let member = world.at_endpoint();
        let counters = member.metrics();
        let (synced, unsynced, victims) = member.watchable().counts();
        let backend = world.backend(world.endpoint());
        let backend = backend.as_ref().unwrap_or_else(|| member.store().backend());
        let value = |metric| match metric {
            Metric::Ranges => counters.ranges,
            Metric::Puts => counters.puts,
            Metric::Deletes => counters.deletes,
            Metric::Txns => counters.txns,
            Metric::ReceivedBytes => counters.received_bytes,
            Metric::Watchers => synced + unsynced + victims,
            Metric::SlowWatchers => unsynced + victims,
            Metric::PendingEvents => member.watchable().pending_events(),
            Metric::Events => counters.events,
            Metric::DbBytes => backend.db().bytes(),
            Metric::DbBytesInUse => backend.db().bytes_in_use(),
            Metric::PendingProposals => member.proposals_pending(),
            Metric::SlowApplies => counters.slow_applies,
            Metric::Syncs => counters.syncs.count,
            Metric::Commits => backend.commits().count,
        };
        Self {
            step: world.steps(),
            at: world.now(),
            values: Metric::ALL.map(value),
            memory: memory(world),
            calls: SampledCalls::of(world),
        }
    }
}

fn memory(world: &World) -> Vec<(NodeId, ProcessMemory)> {
    let members = world.etcds().map(|(node, _)| node);
    let nodes = members.chain(world.apiservers().map(|(node, _)| node));
    let memory = nodes.filter_map(|node| Some((node, world.memory_of(node)?)));
    memory.filter(|(_, memory)| memory.limit > 0).collect()
}

/// The samples of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub struct MetricHistory(SharedList<MetricSample>);

impl MetricHistory {
    /// Takes a sample after a step, if enough time has passed since the last sample.
    pub fn observe(&mut self, world: &World) {
        let now = world.now().0;
        let interval = INTERVAL_US.max(now / SAMPLES);
        let is_due = (self.0.last()).is_none_or(|last| now >= last.at.0 + interval);
        if is_due {
            self.0.push(MetricSample::of(world));
        }
    }

    pub fn by_step(&self, step: u64) -> impl Iterator<Item = &MetricSample> {
        self.0.range(0..self.count(step))
    }

    /// Returns the history up to a step, as a new history.
    pub fn first(&self, step: u64) -> Self {
        Self(self.0.first(self.count(step)))
    }

    fn count(&self, step: u64) -> usize {
        self.0.partition_point(|sample| sample.step <= step)
    }
}
