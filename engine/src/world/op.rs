//! The operations that the user can apply to the world, such as starting watches, stopping clients, and changing links
//! and settings.

use std::fmt;
use std::sync::Arc;

use crate::api::{Request, WatchCreateRequest};
use crate::apiserver::ApiServerConfig;
use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::ids::MessageId;
use crate::base::time::SimDuration;
use crate::client::etcd::login::Login;
use crate::client::kube::controller::ControllerSpec;
use crate::client::kube::load::LoadSpec;
use crate::etcd::{FileEdit, MirrorOp};
use crate::kube::list_options::ResourceVersion;
use crate::kube::request::WatchTarget;
use crate::kube::{KubeRequest, Resource};
use crate::qos::monitor::MonitorQuery;

pub use super::cost::CostChange;
pub use super::link::{LinkChange, Way};
pub use super::populate::Population;
use super::setting::Setting;
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
    Unwatch { name: String },
    /// Requests a progress notification for the stream of a watch: `progress NAME`.
    Progress {
        /// The name of a watch that uses the stream.
        name: String,
    },
    /// Starts a client that lists a prefix and then watches it: `listwatch PREFIX as NAME`.
    ListWatch {
        /// The name of the watch and of its client.
        name: String,
        prefix: Bytes,
        memory: Memory,
    },
    /// Starts a client that reads a prefix at a regular interval: `poll PREFIX as NAME`.
    Poll { name: String, spec: PollSpec },
    /// Starts a client that renews a lease regularly: `keepalive LEASE as NAME`.
    KeepAlive { name: String, lease: i64 },
    /// Starts a client that receives the requests of the QoS monitor: `qos monitor … as NAME`.
    Monitor {
        name: String,
        query: MonitorQuery,
        /// The address of the member; `None` selects the first member.
        endpoint: Option<String>,
    },
    /// Starts a command of etcdctl that runs until it is ended, such as `lock NAME`.
    Process(Box<StartProcess>),
    /// Ends a command of etcdctl, like Ctrl-C: `unwatch NAME`.
    Interrupt { client: String },
    /// Starts a crowd: many watches with one command, for demonstrations and measurements: `watch --many=N …`.
    Crowd {
        /// The common prefix of the names. The watches are named `NAME-1`, `NAME-2`, …
        name: String,
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
        client: String,
        /// The processing time for each response; 0 if the client is not slow.
        per_response: SimDuration,
    },
    /// Sets the prices of work on all machines and links: `cost …`.
    Cost(Box<CostChange>),
    /// Breaks the connection of a client until `connect`: `disconnect CLIENT`.
    Disconnect { client: String },
    /// Reconnects a client, which resumes its watches: `connect CLIENT`.
    Connect { client: String },
    /// Stops a client's process: `stop CLIENT`. The data in its memory is lost.
    Stop { client: String },
    /// Sends SIGTERM to an API server: `stop NAME --signal=SIGTERM`. The server accepts no new requests and ends
    /// after [`DRAIN`].
    Drain { server: String },
    /// Starts a stopped client: `start CLIENT`.
    Start { client: String },
    /// Stops the member's process: `stop etcd`.
    StopEtcd,
    /// Simulates a power failure of a member's machine: `crash etcd`.
    Crash(NodeName),
    /// Starts etcd after a stop: `start etcd`.
    StartEtcd,
    /// Saves the database as a snapshot: `snapshot save NAME`.
    SaveSnapshot {
        name: String,
        login: Sparse<Option<Login>>,
    },
    /// Saves a snapshot and keeps the read transaction of the snapshot open, as a slow client would: `snapshot save
    /// NAME --open`.
    OpenSnapshot { name: String },
    /// Closes the read transaction of an open snapshot: `snapshot close NAME`.
    CloseSnapshot { name: String },
    RestoreSnapshot {
        name: String,
        /// The number that the restore adds to the revision (`--bump-revision`).
        bump: u64,
        /// Whether the restore marks the snapshot's revisions as compacted (`--mark-compacted`).
        mark_compacted: bool,
    },
    /// Changes how messages travel between a client and the member: `net CLIENT …`.
    Link {
        client: String,
        way: Way,
        change: LinkChange,
    },
    /// Sets the deviation of a node's clock from the correct time: `clock NODE …`.
    Clock {
        node: NodeName,
        /// The lead of the wall clock in microseconds; negative if the clock is behind.
        offset_us: i64,
        /// The microseconds that the clock gains per second; negative if the clock loses time.
        drift_ppm: i64,
    },
    /// Starts an API server: `apiserver NAME …`.
    ApiServer {
        name: String,
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
        setting: &'static Setting,
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
        edit: FileEdit,
    },
    /// Copies a change of another etcd: `mirror 7 put KEY VALUE`.
    Mirror(MirrorOp),
    /// Replaces the seed of the random numbers from now on: `reseed 7`.
    Reseed(u64),
    /// Lets a message in flight arrive later: `delay 17 200ms`.
    Delay { message: MessageId, by: SimDuration },
}

/// A command of etcdctl to start, which runs until it is ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartProcess {
    pub name: String,
    /// The address of the member; `None` selects the first member.
    pub endpoint: Option<String>,
    /// The address of the member that receives the copies of `make-mirror`.
    pub destination: Option<String>,
    pub login: Option<Login>,
    pub spec: ProcessSpec,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartWatch {
    /// The name of the watch, which is unique in the run.
    pub name: String,
    /// The client that starts the watch. `None` adds a new client with the name of the watch. All watches of a client
    /// share one gRPC stream.
    pub client: Option<String>,
    /// The address of the member for a new client; `None` selects the first member.
    pub endpoint: Option<String>,
    pub create: WatchCreateRequest,
    /// The user of a new client.
    pub login: Sparse<Option<Login>>,
    /// The request that the watch sends for each event (`-- etcdctl …`).
    pub runs: Option<Arc<Request>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KubeWatch {
    /// The name of the watch and of its client, which is unique in the run.
    pub name: String,
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    pub request: KubeRequest,
    /// Whether the client first lists, and then watches from the revision of the list.
    pub lists: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartInformer {
    pub name: String,
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    pub resource: &'static Resource,
    pub target: WatchTarget,
    /// Whether the client starts with a watch-list. `None` selects the default of client-go in the server's release.
    pub watch_list: Option<bool>,
    /// The resource version that the first list requests: `Any`, or `Unset` for a consistent list.
    pub first_list: ResourceVersion,
    /// Whether watches that follow a list request no bookmarks.
    pub without_bookmarks: Sparse<bool>,
    /// The control loop of the informer, if the informer runs a control loop.
    pub controller: Option<ControllerSpec>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartKubelets {
    /// The name of the client that simulates the kubelets.
    pub name: String,
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    pub spec: KubeletsSpec,
}

/// A network partition: cut links between two sets of nodes. The links inside each set work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Partition {
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

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Etcd => "etcd",
            Self::Client(name) => name,
        })
    }
}
