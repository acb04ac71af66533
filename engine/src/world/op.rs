//! The operations that the user can apply to the world, such as starting watches, stopping clients, and changing links
//! and settings.

use std::fmt;
use std::sync::Arc;

use crate::api::{Request, WatchCreateRequest};
use crate::apiserver::ApiServerConfig;
use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::time::SimDuration;
use crate::client::etcd::login::Login;
use crate::client::kube::controller::ControllerSpec;
use crate::client::kube::load::LoadSpec;
use crate::etcd::FileEdit;
use crate::etcd::server::QUOTA_BYTES;
use crate::kube::list_options::ResourceVersion;
use crate::kube::request::WatchTarget;
use crate::kube::{KubeRequest, Resource};
use crate::qos::monitor::MonitorQuery;
use crate::sim::cost::{COSTS, CostModel, CostPreset, Disk};
use crate::sim::network::Delay;
use crate::words::{LinkMessages, SettingValue, changes as words};

pub use super::populate::Population;
use crate::client::etcd::list_watch::Memory;
use crate::client::etcd::load::EtcdLoadSpec;
use crate::client::etcd::poll::PollSpec;
use crate::client::etcd::process::ProcessSpec;
use crate::client::kube::kubelets::KubeletsSpec;

/// An operation that the user applies to the world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WorldOp {
    /// Starts a watch: `watch KEY … as NAME [on CLIENT]`.
    Watch(StartWatch),
    /// Ends a watch: `unwatch NAME`.
    Unwatch {
        /// The name of the watch.
        name: String,
    },
    /// Requests a progress notification for the stream of a watch: `progress NAME`.
    Progress {
        /// The name of a watch that uses the stream.
        name: String,
    },
    /// Starts a client that lists a prefix and then watches it: `listwatch PREFIX as NAME`.
    ListWatch {
        /// The name of the watch and of its client.
        name: String,
        /// The prefix to list and watch.
        prefix: Bytes,
        /// The state that the client keeps when it restarts.
        memory: Memory,
    },
    /// Starts a client that reads a prefix at a regular interval: `poll PREFIX as NAME`.
    Poll {
        /// The name of the new client.
        name: String,
        /// The prefix and the interval of the polls.
        spec: PollSpec,
    },
    /// Starts a client that renews a lease regularly: `keepalive LEASE as NAME`.
    KeepAlive {
        /// The name of the new client.
        name: String,
        /// The ID of the lease.
        lease: i64,
    },
    /// Starts a client that receives the requests of the QoS monitor: `qos monitor … as NAME`.
    Monitor {
        /// The name of the new client.
        name: String,
        /// The measure, threshold and limit that select the requests.
        query: MonitorQuery,
        /// The address of the member; `None` selects the first member.
        endpoint: Option<String>,
    },
    /// Starts a command of etcdctl that runs until it is ended, such as `lock NAME`.
    Process(Box<StartProcess>),
    /// Ends a command of etcdctl, like Ctrl-C: `unwatch NAME`.
    Interrupt {
        /// The name of the client.
        client: String,
    },
    /// Starts a crowd: many watches with one command, for demonstrations and measurements: `watch --many=N …`.
    Crowd {
        /// The common prefix of the names. The watches are named `NAME-1`, `NAME-2`, …
        name: String,
        /// The number of watches.
        watches: u32,
        /// The number of streams over which the client distributes the watches.
        streams: u32,
        /// The create request of each watch. With the start revision -1, each watch starts at a different past
        /// revision.
        create: WatchCreateRequest,
    },
    /// Pauses a node: `pause NODE`. Messages for the node wait until the node resumes.
    Pause(NodeName),
    /// Resumes a paused node: `resume NODE`.
    Resume(NodeName),
    /// Sets the time that a client needs to process a response: `slow CLIENT DURATION`.
    Slow {
        /// The name of the client.
        client: String,
        /// The processing time for each response; 0 if the client is not slow.
        per_response: SimDuration,
    },
    /// Sets the prices of work on all machines and links: `cost …`.
    Cost(Box<CostChange>),
    /// Breaks the connection of a client until `connect`: `disconnect CLIENT`.
    Disconnect {
        /// The name of the client.
        client: String,
    },
    /// Reconnects a client, which resumes its watches: `connect CLIENT`.
    Connect {
        /// The name of the client.
        client: String,
    },
    /// Stops a client's process: `stop CLIENT`. The data in its memory is lost.
    Stop {
        /// The name of the client.
        client: String,
    },
    /// Sends SIGTERM to an API server: `stop NAME --signal=SIGTERM`. The server accepts no new requests and ends
    /// after [`DRAIN`].
    Drain {
        /// The name of the API server.
        server: String,
    },
    /// Starts a stopped client: `start CLIENT`.
    Start {
        /// The name of the client.
        client: String,
    },
    /// Stops the member's process: `stop etcd`.
    StopEtcd,
    /// Simulates a power failure of a member's machine: `crash etcd`.
    Crash(NodeName),
    /// Starts etcd after a stop: `start etcd`.
    StartEtcd,
    /// Saves the database as a snapshot: `snapshot save NAME`.
    SaveSnapshot {
        /// The name of the snapshot.
        name: String,
        /// The user.
        login: Sparse<Option<Login>>,
    },
    /// Saves a snapshot and keeps the read transaction of the snapshot open, as a slow client would: `snapshot save
    /// NAME --open`.
    OpenSnapshot {
        /// The name of the snapshot.
        name: String,
    },
    /// Closes the read transaction of an open snapshot: `snapshot close NAME`.
    CloseSnapshot {
        /// The name of the snapshot.
        name: String,
    },
    /// Restores a snapshot: `snapshot restore NAME`.
    RestoreSnapshot {
        /// The name of the snapshot.
        name: String,
        /// The number that the restore adds to the revision (`--bump-revision`).
        bump: u64,
        /// Whether the restore marks the snapshot's revisions as compacted (`--mark-compacted`).
        mark_compacted: bool,
    },
    /// Changes how messages travel between a client and the member: `net CLIENT …`.
    Link {
        /// The name of the client.
        client: String,
        /// The direction to change: up, down or both.
        way: Way,
        /// The change of the link's behaviour.
        change: LinkChange,
    },
    /// Sets the deviation of a node's clock from the correct time: `clock NODE …`.
    Clock {
        /// The node whose clock to set.
        node: NodeName,
        /// The lead of the wall clock in microseconds; negative if the clock is behind.
        offset_us: i64,
        /// The microseconds that the clock gains per second; negative if the clock loses time.
        drift_ppm: i64,
    },
    /// Starts an API server: `apiserver NAME …`.
    ApiServer {
        /// The name of the API server.
        name: String,
        /// The configuration of the API server.
        config: Box<ApiServerConfig>,
    },
    /// Starts a watch of an API server: `kubectl get … -w as NAME`.
    KubeWatch(Box<KubeWatch>),
    /// Starts an informer, which is a client that maintains a copy of objects: `informer RESOURCE as NAME …`.
    Informer(Box<StartInformer>),
    /// Starts clients that send requests at a fixed rate: `load NAME …`.
    Load {
        /// The common prefix of the clients' names; a number is appended for each client.
        name: String,
        /// The number of clients.
        clients: u32,
        /// The name of the API server. `None` selects the first.
        server: Option<String>,
        /// The requests that each client sends.
        spec: Box<LoadSpec>,
    },
    /// Starts the gRPC proxy, or starts the stopped proxy with other flags: `etcd grpc-proxy start`.
    GrpcProxy {
        /// The address of the member that receives the requests (`--endpoints`).
        endpoint: String,
        /// The port at which the proxy listens (`--listen-addr`).
        port: u32,
    },
    /// Starts clients that send requests to etcd at a fixed rate: `load NAME PREFIX …`.
    EtcdLoad {
        /// The common prefix of the clients' names; a number is appended for each client.
        name: String,
        /// The number of clients.
        clients: u32,
        /// The requests that each client sends.
        spec: Box<EtcdLoadSpec>,
    },
    /// Adds the pods of a cluster to a new etcd: `populate --nodes=5000 --pods=30`.
    Populate(Population),
    /// Starts kubelets that list the pods of their nodes periodically: `kubelets N as NAME …`.
    Kubelets(Box<StartKubelets>),
    /// Connects a client to another API server: `move CLIENT SERVER`.
    Move {
        /// The name of the client.
        client: String,
        /// The name of the new API server.
        server: String,
    },
    /// Cuts links between nodes: `fault partition etcd-1 | etcd-2 etcd-3`.
    Partition(Partition),
    /// Repairs all cut links and frees space on all full disks: `heal`.
    Heal,
    /// Changes a setting: `set NAME VALUE`.
    Set {
        /// The setting to change.
        setting: Setting,
        /// The new value, in the unit of the setting.
        value: u64,
    },
    /// Fills the disk of a member: `fault disk-full NODE`.
    FillDisk(NodeName),
    /// Changes the database file of a stopped member: `etcdutl defrag` and `etcdutl migrate`.
    EditFile {
        /// The data directory. `NAME.etcd` is the directory of a cluster's member; any other directory is that of the
        /// first member.
        data_dir: String,
        /// The change.
        edit: FileEdit,
    },
}

/// A change to the prices of work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CostChange {
    /// The preset that replaces all prices; `None` keeps the current prices.
    pub preset: Option<CostPreset>,
    /// The new kind of disk of the members; `None` keeps the current disk.
    pub disk: Option<Disk>,
    /// The names of the prices to change, as in [`COSTS`](crate::sim::cost::COSTS), each with its new value.
    pub values: Vec<(&'static str, u64)>,
}

impl CostChange {
    /// Returns the model with this change.
    pub fn apply(&self, mut model: CostModel) -> CostModel {
        if let Some(preset) = self.preset {
            model = preset.model();
        }
        if let Some(disk) = self.disk {
            model = model.with_disk(disk);
        }
        for (name, value) in &self.values {
            if let Some(info) = COSTS.iter().find(|info| info.name == *name) {
                info.change(&mut model, *value);
            }
        }
        model
    }
}

/// A command of etcdctl to start, which runs until it is ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartProcess {
    /// The name of the new client.
    pub name: String,
    /// The address of the member; `None` selects the first member.
    pub endpoint: Option<String>,
    /// The address of the member that receives the copies of `make-mirror`.
    pub destination: Option<String>,
    /// The user of the client.
    pub login: Option<Login>,
    /// The command.
    pub spec: ProcessSpec,
}

/// A watch to start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartWatch {
    /// The name of the watch, which is unique in the run.
    pub name: String,
    /// The client that starts the watch. `None` adds a new client with the name of the watch. All watches of a client
    /// share one gRPC stream.
    pub client: Option<String>,
    /// The address of the member for a new client; `None` selects the first member.
    pub endpoint: Option<String>,
    /// The create request of the watch.
    pub create: WatchCreateRequest,
    /// The user of a new client.
    pub login: Sparse<Option<Login>>,
    /// The request that the watch sends for each event (`-- etcdctl …`).
    pub runs: Option<Arc<Request>>,
}

/// A watch of an API server to start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KubeWatch {
    /// The name of the watch and of its client, which is unique in the run.
    pub name: String,
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    /// The watch request.
    pub request: KubeRequest,
    /// Whether the client first lists, and then watches from the revision of the list.
    pub lists: bool,
}

/// An informer to start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartInformer {
    /// The name of the informer.
    pub name: String,
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    /// The resource to list and watch.
    pub resource: &'static Resource,
    /// The objects to select.
    pub target: WatchTarget,
    /// Whether the client starts with a watch-list. `None` selects the default of client-go in the server's release.
    pub watch_list: Option<bool>,
    /// The resource version that the first list requests: `Any`, or `Unset` for a consistent list.
    pub first_list: ResourceVersion,
    /// The control loop of the informer, if the informer runs a control loop.
    pub controller: Option<ControllerSpec>,
}

/// Kubelets to start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartKubelets {
    /// The name of the client that simulates the kubelets.
    pub name: String,
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    /// The number of kubelets and the list interval.
    pub spec: KubeletsSpec,
}

/// A network partition: cut links between two sets of nodes. The links inside each set work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Partition {
    /// The nodes on one side.
    pub left: Vec<NodeName>,
    /// The nodes on the other side. If empty, the members that are not on the left side.
    pub right: Vec<NodeName>,
    /// Whether only messages from the left side to the right side are cut (`--one-way`).
    pub is_one_way: bool,
}

/// A node, as named in commands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeName {
    /// The member: `etcd`.
    Etcd,
    /// A client or an API server, by name.
    Client(String),
}

/// A direction on the link between a client and a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the client to the member.
    Up,
    /// From the member to the client.
    Down,
    /// Both directions.
    Both,
    /// From the member to the client, and only the responses of watches. A watch has its own stream in the connection,
    /// so its responses can be late without those of other requests.
    Watches,
}

/// A change to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkChange {
    /// Sets the travel time of a message.
    Delay(Delay),
    /// Sets the bandwidth in bytes per second; 0 for no limit.
    Bandwidth(u64),
    /// Sets the loss: one in N messages is lost and retransmitted; 0 for no loss.
    LossOneIn(u32),
    /// Sets the duplicates: one in N messages arrives twice; 0 for no duplicates.
    DuplicateOneIn(u32),
    /// Makes the link hold all messages.
    Hold,
    /// Makes the link release the held messages.
    Release,
}

/// A setting that the user can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// The capacity of a stream's channel, in responses.
    WatchChannel,
    /// The maximum number of watchers per sync pass.
    WatchersPerSync,
    /// The maximum number of revisions per response.
    WatchBatchRevs,
    /// The interval between two sync passes.
    WatchResync,
    /// The interval between two retries for victims.
    WatchVictimRetry,
    /// The interval between two progress notifications.
    WatchProgressInterval,
    /// The maximum number of bytes that the member has sent on a stream and that the client has not read yet. At this
    /// number, the member stops sending on the stream.
    StreamWindow,
    /// The number of rows that a compaction checks in one batch.
    CompactionBatch,
    /// The pause between two batches of a compaction.
    CompactionSleep,
    /// The interval between two checkpoints of a long lease.
    LeaseCheckpoint,
    /// The quota: the maximum size of the database.
    QuotaBackend,
    /// The retention time for the member's automatic compaction.
    AutoCompactionPeriodic,
    /// The number of revisions that the member's automatic compaction retains.
    AutoCompactionRevision,
    /// The number of bytes of the database file that fit into the memory of the member's machine.
    PageCache,
    /// Whether the member accepts logins.
    Auth,
    /// Whether etcd QoS, a proposal, is on.
    EnableQos,
    /// The data from which QoS estimates the number of keys that a request scans: either the index, or the tracker,
    /// which stores the costs of executed requests.
    QosEstimator,
    /// The maximum number of entries of the QoS tracker, which stores the costs of executed requests.
    QosLruSize,
    /// The sampling rate of the tree with which QoS counts keys: the tree contains one in N keys.
    QosSample,
    /// The size that a QoS condition on the storage quota compares with the quota: the pages in use or the whole file.
    QosQuotaBasis,
    /// Whether members add the rules that the QoS doctor proposes.
    QosAutoLimit,
    /// The number of applied log entries between two snapshots of a member.
    SnapshotCount,
    /// The number of log entries that a member keeps in the log when it takes a snapshot. The member keeps these
    /// entries for followers that are behind.
    SnapshotCatchUp,
    /// Whether members answer progress requests.
    ProgressRequests,
}

/// The description of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SettingInfo {
    /// The described setting.
    pub setting: Setting,
    /// The name of the setting in `set` commands.
    pub name: &'static str,
    /// The unit of the value.
    pub unit: Unit,
    /// Upstream's default value, in the setting's unit.
    pub default: u64,
    /// The minimum and the maximum value that the simulator accepts.
    pub range: (u64, u64),
    /// A short explanation of the setting.
    pub what: &'static str,
    /// The constant, flag or file that defines the setting upstream.
    pub source: &'static str,
}

/// The unit of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A count without a unit.
    Count,
    /// A number of bytes.
    Bytes,
    /// A duration in microseconds.
    Micros,
}

/// The descriptions of all settings.
pub const SETTINGS: [SettingInfo; 24] = [
    SettingInfo {
        setting: Setting::WatchChannel,
        name: "watch-channel",
        unit: Unit::Count,
        default: 128,
        range: (1, 1 << 20),
        what: "capacity of a stream's channel, in responses",
        source: "chanBufLen, mvcc/watchable_store.go",
    },
    SettingInfo {
        setting: Setting::WatchersPerSync,
        name: "watchers-per-sync",
        unit: Unit::Count,
        default: 512,
        range: (1, 1 << 20),
        what: "maximum number of unsynced watchers in one sync pass",
        source: "maxWatchersPerSync, mvcc/watchable_store.go",
    },
    SettingInfo {
        setting: Setting::WatchBatchRevs,
        name: "watch-batch-revs",
        unit: Unit::Count,
        default: 1000,
        range: (1, 1 << 20),
        what: "maximum number of revisions in one response",
        source: "watchBatchMaxRevs, mvcc/watcher_group.go",
    },
    SettingInfo {
        setting: Setting::WatchResync,
        name: "watch-resync",
        unit: Unit::Micros,
        default: 100_000,
        range: (1_000, 3_600_000_000),
        what: "time between two sync passes over the unsynced watchers",
        source: "watchResyncPeriod, mvcc/watchable_store.go",
    },
    SettingInfo {
        setting: Setting::WatchVictimRetry,
        name: "watch-victim-retry",
        unit: Unit::Micros,
        default: 10_000,
        range: (1_000, 3_600_000_000),
        what: "time between two attempts to send the events of victims (watchers whose channel was full)",
        source: "syncVictimsLoop, mvcc/watchable_store.go",
    },
    SettingInfo {
        setting: Setting::WatchProgressInterval,
        name: "watch-progress-notify-interval",
        unit: Unit::Micros,
        default: 600_000_000,
        range: (100_000, 86_400_000_000),
        what: "time between two progress notifications; etcd adds a random part of up to a tenth of this time",
        source: "--watch-progress-notify-interval, v3rpc/watch.go",
    },
    SettingInfo {
        setting: Setting::StreamWindow,
        name: "stream-window",
        unit: Unit::Bytes,
        default: 65_535,
        range: (0, 1 << 30),
        what: "maximum number of bytes that are sent to a client but not yet read; 0 for one response at a time",
        source: "HTTP/2 initial window size, RFC 9113 section 6.9.2",
    },
    SettingInfo {
        setting: Setting::CompactionBatch,
        name: "compaction-batch-limit",
        unit: Unit::Count,
        default: 1000,
        range: (1, 1 << 30),
        what: "rows that one batch of a compaction checks",
        source: "--compaction-batch-limit (3.6), --experimental-compaction-batch-limit (3.4)",
    },
    SettingInfo {
        setting: Setting::CompactionSleep,
        name: "compaction-sleep-interval",
        unit: Unit::Micros,
        default: 10_000,
        range: (0, 3_600_000_000),
        what: "the pause between two batches of a compaction",
        source: "--compaction-sleep-interval (3.6), scheduleCompaction in mvcc",
    },
    SettingInfo {
        setting: Setting::LeaseCheckpoint,
        name: "lease-checkpoint-interval",
        unit: Unit::Micros,
        default: 0,
        range: (0, 86_400_000_000),
        what: "time between two checkpoints of a long lease; 0 for no checkpoints; etcd uses 5m if the feature is on",
        source: "feature gate LeaseCheckpoint (3.6), --experimental-enable-lease-checkpoint (3.4)",
    },
    SettingInfo {
        setting: Setting::QuotaBackend,
        name: "quota-backend-bytes",
        unit: Unit::Bytes,
        default: QUOTA_BYTES,
        range: (0, 1 << 40),
        what: "maximum database size in bytes; a put that would reach it is refused; 0 for the default",
        source: "--quota-backend-bytes, etcdserver/quota.go",
    },
    SettingInfo {
        setting: Setting::AutoCompactionPeriodic,
        name: "auto-compaction-periodic",
        unit: Unit::Micros,
        default: 0,
        range: (0, 86_400_000_000),
        what: "etcd compacts revisions older than this time, at least once an hour; 0 for never",
        source: "--auto-compaction-mode=periodic --auto-compaction-retention, v3compactor/periodic.go",
    },
    SettingInfo {
        setting: Setting::AutoCompactionRevision,
        name: "auto-compaction-revision",
        unit: Unit::Count,
        default: 0,
        range: (0, 1 << 40),
        what: "etcd keeps N revisions and compacts older revisions every 5 minutes; 0 for never",
        source: "--auto-compaction-mode=revision --auto-compaction-retention, v3compactor/revision.go",
    },
    SettingInfo {
        setting: Setting::PageCache,
        name: "page-cache",
        unit: Unit::Bytes,
        default: 0,
        range: (0, 1 << 40),
        what: "bytes of the database file that fit in memory; with 0, the whole file fits and reads are not counted",
        source: "the operating system's page cache, which bbolt uses through its memory map",
    },
    SettingInfo {
        setting: Setting::Auth,
        name: "auth",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "1 lets etcd accept logins of any user while authentication is disabled",
        source: "a switch of the simulator; see `auth enable`",
    },
    SettingInfo {
        setting: Setting::EnableQos,
        name: "experimental-enable-qos",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "1 turns on etcd QoS, which limits expensive requests; 0 turns it off",
        source: "no default in etcd: etcd QoS is a proposal of 2020 that was never merged",
    },
    SettingInfo {
        setting: Setting::QosEstimator,
        name: "qos-estimator",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "source of the number of scanned keys: 0 for a tree that counts keys, 1 for a cache of executed requests",
        source: "no default in the proposal, which describes both sources",
    },
    SettingInfo {
        setting: Setting::QosLruSize,
        name: "qos-lru-size",
        unit: Unit::Count,
        default: 1_000,
        range: (1, 1 << 20),
        what: "maximum number of entries in the cache of executed requests",
        source: "no default in the proposal, which does not name a size",
    },
    SettingInfo {
        setting: Setting::QosSample,
        name: "qos-sample-one-in",
        unit: Unit::Count,
        default: 1,
        range: (1, 1 << 20),
        what: "N: the tree that counts keys contains one key in N; N = 1 means all keys",
        source: "the proposal mentions random sampling, but names no default",
    },
    SettingInfo {
        setting: Setting::QosQuotaBasis,
        name: "qos-quota-basis",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "size that PercentOfStorageQuotaUsed compares with the quota: 0 for the pages in use, 1 for the file",
        source: "backendDBInUse / backendDBQuota in the proposal",
    },
    SettingInfo {
        setting: Setting::QosAutoLimit,
        name: "qos-auto-limit",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "1: members add the rules that `qos doctor` proposes, once per second; 0: only `--apply` adds them",
        source: "no default in the proposal, which leaves automatic limits to the future",
    },
    SettingInfo {
        setting: Setting::SnapshotCount,
        name: "snapshot-count",
        unit: Unit::Count,
        default: 0,
        range: (0, 1 << 40),
        what: "log entries that a member of a cluster applies between two snapshots; 0 for the default of the version",
        source: "--snapshot-count, 100,000 in 3.4 and 3.5, 10,000 in 3.6",
    },
    SettingInfo {
        setting: Setting::SnapshotCatchUp,
        name: "snapshot-catchup-entries",
        unit: Unit::Count,
        default: 5_000,
        range: (0, 1 << 40),
        what: "log entries before a snapshot that a member keeps for followers that are slightly behind",
        source: "DefaultSnapshotCatchUpEntries, etcdserver/server.go",
    },
    SettingInfo {
        setting: Setting::ProgressRequests,
        name: "watch-progress-requests",
        unit: Unit::Count,
        default: 1,
        range: (0, 1),
        what: "1: members answer progress requests; 0: members ignore them and report version 3.3.13, the last without",
        source: "WatchProgressRequest, since etcd 3.3.14",
    },
];

impl SettingInfo {
    /// Returns a value with its unit, for a sentence.
    pub(super) fn value(&self, value: u64) -> SettingValue {
        match self.unit {
            Unit::Count => SettingValue::Count(value),
            Unit::Bytes => SettingValue::Bytes(value),
            Unit::Micros => SettingValue::Time(SimDuration(value)),
        }
    }

    /// Formats a value with its unit, for the terminal.
    pub fn amount(&self, value: u64) -> String {
        match self.unit {
            Unit::Count => value.to_string(),
            Unit::Bytes => format!("{value} bytes"),
            Unit::Micros => SimDuration(value).to_string(),
        }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Etcd => "etcd",
            Self::Client(name) => name,
        })
    }
}

impl LinkChange {
    /// Describes the change of a node's link.
    pub(super) fn sentence(self, way: Way, node: &str) -> String {
        let messages = match way {
            Way::Up => LinkMessages::Outgoing,
            Way::Down => LinkMessages::Incoming,
            Way::Both => LinkMessages::All,
            Way::Watches => LinkMessages::WatchResponses,
        };
        match self {
            Self::Delay(Delay::Fixed(delay)) => words::link_delay(messages, node, delay),
            Self::Delay(Delay::Uniform(least, most)) => {
                words::link_delay_between(messages, node, least, most)
            }
            Self::Delay(Delay::LongTail(typical)) => {
                words::link_delay_with_long_tail(messages, node, typical)
            }
            Self::Bandwidth(bytes) => words::link_bandwidth(messages, node, bytes),
            Self::LossOneIn(n) => words::link_loss(messages, node, n),
            Self::DuplicateOneIn(n) => words::link_duplicates(messages, node, n),
            Self::Hold => words::link_holds(messages, node),
            Self::Release => words::link_releases(messages, node),
        }
    }
}
