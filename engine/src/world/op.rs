//! What a person can do to the world besides sending requests: begin watches, stop clients, bend
//! the network, set sizes and periods.

use std::fmt;

use crate::api::WatchCreateRequest;
use crate::apiserver::ApiServerConfig;
use crate::base::Bytes;
use crate::base::time::SimDuration;
use crate::client::kube::load::LoadSpec;
use crate::etcd::server::QUOTA_BYTES;
use crate::kube::request::WatchTarget;
use crate::kube::{KubeRequest, Resource};

pub use super::populate::Population;
use crate::client::etcd::list_watch::Memory;
use crate::client::kube::kubelets::KubeletsSpec;

/// An operation of a person on the world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WorldOp {
    /// Starts a watch: `watch KEY … as NAME [on CLIENT]`.
    Watch(StartWatch),
    /// Ends a watch: `unwatch NAME`.
    Unwatch {
        /// The name.
        name: String,
    },
    /// Requests the progress of a watch's whole stream: `progress NAME`.
    Progress {
        /// A watch on that stream.
        name: String,
    },
    /// A client that lists a prefix and then watches it: `listwatch PREFIX as NAME`.
    ListWatch {
        /// The name of the watch and of its client.
        name: String,
        /// The prefix to list and watch.
        prefix: Bytes,
        /// The state that the client keeps over a restart.
        memory: Memory,
    },
    /// A client that keeps a lease alive: `keepalive LEASE as NAME`.
    KeepAlive {
        /// The name.
        name: String,
        /// The lease.
        lease: i64,
    },
    /// Many watches at once, for pictures and measurements: `watch --many=N …`.
    Crowd {
        /// The common name; watches are `NAME-1`, `NAME-2`, ….
        name: String,
        /// The number of watches.
        watches: u32,
        /// The number of streams of the client.
        streams: u32,
        /// What each asks for. With a start revision of -1 each begins somewhere else in the past.
        create: WatchCreateRequest,
    },
    /// A node stops: `pause NODE`. What arrives waits.
    Pause(NodeName),
    /// Resumes a paused node: `resume NODE`.
    Resume(NodeName),
    /// Sets the processing time per response of a client: `slow CLIENT DURATION`.
    Slow {
        /// The client.
        client: String,
        /// The processing time; 0 for none.
        per_response: SimDuration,
    },
    /// Breaks the connection of a client until `connect`: `disconnect CLIENT`.
    Disconnect {
        /// The client.
        client: String,
    },
    /// Reconnects a client, which resumes its watches: `connect CLIENT`.
    Connect {
        /// The client.
        client: String,
    },
    /// The client's process ends: `stop CLIENT`. What it only had in memory is gone.
    Stop {
        /// The client.
        client: String,
    },
    /// Starts a stopped client: `start CLIENT`.
    Start {
        /// The client.
        client: String,
    },
    /// The member's process ends: `stop etcd`.
    StopEtcd,
    /// The member's machine loses power: `crash etcd`.
    CrashEtcd,
    /// Starts etcd after a stop: `start etcd`.
    StartEtcd,
    /// Keeps everything that is stored: `snapshot save NAME`.
    SaveSnapshot {
        /// Under which name.
        name: String,
    },
    /// The same, but the read transaction stays open, as while a client takes its time: `snapshot save NAME --open`.
    OpenSnapshot {
        /// The name of the snapshot.
        name: String,
    },
    /// The client has the whole snapshot: `snapshot close NAME`.
    CloseSnapshot {
        /// The name.
        name: String,
    },
    /// Restores a snapshot: `snapshot restore NAME`.
    RestoreSnapshot {
        /// The name.
        name: String,
        /// The number added to the revision (`--bump-revision`).
        bump: u64,
        /// Whether the revisions of the snapshot count as compacted (`--mark-compacted`).
        mark_compacted: bool,
    },
    /// Changes how messages travel between a client and the member: `net CLIENT …`.
    Link {
        /// The client.
        client: String,
        /// Which way.
        way: Way,
        /// The change of the link.
        change: LinkChange,
    },
    /// Puts a node's clock wrong: `clock NODE …`.
    Clock {
        /// The node.
        node: NodeName,
        /// The lead of the clock in microseconds; negative when the clock is behind.
        offset_us: i64,
        /// The gain per second in microseconds; negative for a loss.
        drift_ppm: i64,
    },
    /// An API server: `apiserver NAME …`.
    ApiServer {
        /// The name.
        name: String,
        /// The configuration.
        config: Box<ApiServerConfig>,
    },
    /// A watch of an API server: `kubectl get … -w as NAME`.
    KubeWatch(Box<KubeWatch>),
    /// A client that keeps a copy: `informer RESOURCE as NAME …`.
    Informer {
        /// The name.
        name: String,
        /// The API server, by name; the first when none is given.
        server: Option<String>,
        /// The resource.
        resource: &'static Resource,
        /// The selected objects.
        target: Box<WatchTarget>,
        /// Whether it begins with a watch-list; `None` for what client-go of the server's release does.
        watch_list: Option<bool>,
    },
    /// Clients that ask and write by themselves: `load NAME …`.
    Load {
        /// The common name; a number follows for each client.
        name: String,
        /// The number of clients.
        clients: u32,
        /// The API server, by name; the first when none is given.
        server: Option<String>,
        /// The requests of each client.
        spec: Box<LoadSpec>,
    },
    /// A cluster's pods are there from the beginning: `populate --nodes=5000 --pods=30`.
    Populate(Population),
    /// Kubelets that list the pods of their node again and again: `kubelets N as NAME …`.
    Kubelets(Box<StartKubelets>),
    /// A client goes to another API server: `move CLIENT SERVER`.
    Move {
        /// The client.
        client: String,
        /// The API server.
        server: String,
    },
    /// Changes a size or a period: `set NAME VALUE`.
    Set {
        /// Which.
        setting: Setting,
        /// The new value, in the setting's own unit.
        value: u64,
    },
}

/// A watch to be begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartWatch {
    /// The name in this run.
    pub name: String,
    /// The client it belongs to; its own, of the same name, when none is given. Watches of one
    /// client share one gRPC stream.
    pub client: Option<String>,
    /// The create request.
    pub create: WatchCreateRequest,
}

/// A watch of an API server to be begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KubeWatch {
    /// The name of the watch and of its client in this run.
    pub name: String,
    /// The API server, by name; the first when none is given.
    pub server: Option<String>,
    /// The watch request.
    pub request: KubeRequest,
    /// Whether the client lists first, and watches from there.
    pub lists: bool,
}

/// Kubelets to be begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartKubelets {
    /// The name of the client that simulates the kubelets.
    pub name: String,
    /// The API server, by name; the first when none is given.
    pub server: Option<String>,
    /// The number of kubelets and the list interval.
    pub spec: KubeletsSpec,
}

/// A node by its displayed name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeName {
    /// The member: `etcd`.
    Etcd,
    /// A client, or an API server.
    Client(String),
}

/// A direction on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the client to the member.
    Up,
    /// From the member to the client.
    Down,
    /// Both directions.
    Both,
}

/// A change to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkChange {
    /// The travel time of a message.
    Delay(crate::sim::network::Delay),
    /// Bytes a second; 0 for no limit.
    Bandwidth(u64),
    /// One message in so many is lost and sent again; 0 for none.
    LossOneIn(u32),
    /// One message in N arrives twice; 0 for none.
    DuplicateOneIn(u32),
    /// Messages wait at the link.
    Hold,
    /// The waiting messages continue.
    Release,
}

/// A size or period that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// Responses that a stream's channel holds.
    WatchChannel,
    /// The maximum number of watchers per sync pass.
    WatchersPerSync,
    /// The maximum number of revisions per response.
    WatchBatchRevs,
    /// From sweep to sweep.
    WatchResync,
    /// From try to try to send to victims.
    WatchVictimRetry,
    /// From progress notification to progress notification.
    WatchProgressInterval,
    /// Bytes on the way to a client that it has not read.
    StreamWindow,
    /// The number of rows that one batch of a compaction checks.
    CompactionBatch,
    /// The pause between two batches.
    CompactionSleep,
    /// From checkpoint to checkpoint of a long lease.
    LeaseCheckpoint,
    /// Bytes that the database may reach.
    QuotaBackend,
    /// The retention of the member's compactor, in time.
    AutoCompactionPeriodic,
    /// The retention of the member's compactor, in revisions.
    AutoCompactionRevision,
    /// Bytes of the database file that the member's machine keeps in memory.
    PageCache,
}

/// A setting's name, unit and default, and its place upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SettingInfo {
    /// The setting.
    pub setting: Setting,
    /// The name that `set` takes.
    pub name: &'static str,
    /// The unit of the value.
    pub unit: Unit,
    /// Upstream's default, in that unit.
    pub default: u64,
    /// The minimum and the maximum value here.
    pub range: (u64, u64),
    /// A short explanation.
    pub what: &'static str,
    /// The place upstream.
    pub source: &'static str,
}

/// The unit of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Things.
    Count,
    /// Bytes.
    Bytes,
    /// Microseconds.
    Micros,
}

/// Every setting.
pub const SETTINGS: [SettingInfo; 14] = [
    SettingInfo {
        setting: Setting::WatchChannel,
        name: "watch-channel",
        unit: Unit::Count,
        default: 128,
        range: (1, 1 << 20),
        what: "responses that wait between the store and one stream's send loop",
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
        what: "time between two attempts to send to victims",
        source: "syncVictimsLoop, mvcc/watchable_store.go",
    },
    SettingInfo {
        setting: Setting::WatchProgressInterval,
        name: "watch-progress-notify-interval",
        unit: Unit::Micros,
        default: 600_000_000,
        range: (100_000, 86_400_000_000),
        what: "time between two progress notifications, plus a random part of up to a tenth",
        source: "--watch-progress-notify-interval, v3rpc/watch.go",
    },
    SettingInfo {
        setting: Setting::StreamWindow,
        name: "stream-window",
        unit: Unit::Bytes,
        default: 65_535,
        range: (0, 1 << 30),
        what: "maximum bytes sent to a client but not read; 0 for one response at a time",
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
        what: "time between two checkpoints of a long lease; 0 for none, 5m when on",
        source: "feature gate LeaseCheckpoint (3.6), --experimental-enable-lease-checkpoint (3.4)",
    },
    SettingInfo {
        setting: Setting::QuotaBackend,
        name: "quota-backend-bytes",
        unit: Unit::Bytes,
        default: QUOTA_BYTES,
        range: (0, 1 << 40),
        what: "maximum database size in bytes, after which etcd refuses writes; 0 for the default",
        source: "--quota-backend-bytes, etcdserver/quota.go",
    },
    SettingInfo {
        setting: Setting::AutoCompactionPeriodic,
        name: "auto-compaction-periodic",
        unit: Unit::Micros,
        default: 0,
        range: (0, 86_400_000_000),
        what: "etcd compacts revisions older than this, at least once an hour; 0 for never",
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
        what: "bytes of the database file that fit in memory; 0 for the whole file, without counting reads",
        source: "the operating system's page cache, to which bbolt's memory map leads",
    },
];

impl SettingInfo {
    /// A value with its unit.
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

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Up => "messages from it",
            Self::Down => "messages to it",
            Self::Both => "messages from and to it",
        })
    }
}

impl fmt::Display for LinkChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delay(delay) => write!(f, "take {delay}"),
            Self::Bandwidth(0) => f.write_str("share no limit of bandwidth"),
            Self::Bandwidth(bytes) => write!(f, "share {bytes} bytes a second"),
            Self::LossOneIn(0) => f.write_str("are lost no more"),
            Self::LossOneIn(n) => write!(f, "are lost, one in {n}, and sent again"),
            Self::DuplicateOneIn(0) => f.write_str("come once"),
            Self::DuplicateOneIn(n) => write!(f, "come twice, one in {n}"),
            Self::Hold => f.write_str("are held"),
            Self::Release => f.write_str("go on"),
        }
    }
}
