//! The result of reading one command: a request for a member, a view of the store, or an action in the world.
//!
//! The reader performs all checks that etcdctl performs before it sends a request. So if a command contains a
//! request, etcdctl would send this request.

use crate::api::{
    AlarmAction, AlarmRequest, CompactionRequest, DefragmentRequest, DeleteRangeRequest,
    HashKvRequest, LeaseGrantRequest, LeaseKeepAliveRequest, LeaseLeasesRequest,
    LeaseRevokeRequest, LeaseTimeToLiveRequest, Profile, PutRequest, RangeRequest, Request,
    RequestOp, StatusRequest, TxnRequest, WatchCreateRequest,
};
use crate::base::Bytes;
use crate::base::time::SimDuration;
use crate::kube::KubeRequest;
use crate::world::op::WorldOp;

use super::Note;

/// A command that was read and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The text of the command, which a [`super::LineReader`] reads back to the same command. For a transaction,
    /// it includes the three blocks, with a newline after each line but the last.
    pub text: String,
    /// The kind of command.
    pub kind: CommandKind,
    /// The difference between the typed line and the executed command.
    pub note: Option<Note>,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// An etcdctl command that sends a request to a member.
    Etcdctl(Etcdctl),
    /// `watch`: an etcdctl process that runs until the watch is canceled. `recv` prints its output.
    Watch(WatchCommand),
    /// `recv NAME`: print what a watch received since the last `recv`.
    Recv {
        /// The name of the watch.
        name: String,
    },
    /// A kubectl command that sends a request to an API server or starts a watch.
    Kubectl(Box<KubectlCommand>),
    /// A command that changes the simulated world, such as `pause` or `net`.
    Op(WorldOp),
    /// `show` and similar commands, which print the internal state of the store.
    Show(Show),
    /// Let this much simulated time pass.
    Run(SimDuration),
    /// Run this number of simulation steps.
    Step(u64),
    /// Start a new branch of the run at the cursor.
    Fork,
    /// Explain the named command, or list all commands.
    Help(Option<String>),
    /// Start a new run with an empty store.
    World {
        /// The new etcd version; `None` keeps the current version.
        profile: Option<Profile>,
        /// The seed; `None` keeps the current seed.
        seed: Option<u64>,
    },
    /// The output of an etcdctl command that needs no member: `version`, `--help`.
    Answered(Output),
    /// etcdctl's error message for a command that etcdctl refuses before it sends a request: an unknown flag, a
    /// missing argument.
    Refused(Output),
}

impl CommandKind {
    /// Returns true for a serializable read.
    pub(super) fn is_serializable(&self) -> bool {
        match self {
            Self::Etcdctl(Etcdctl {
                verb: Verb::Get { request, .. },
                ..
            }) => request.serializable,
            _ => false,
        }
    }

    /// Returns true if etcdctl sends a request to a member for this command.
    pub(super) fn is_sent(&self) -> bool {
        matches!(self, Self::Etcdctl(_) | Self::Watch(_))
    }
}

/// An etcdctl command that sends one request, with its print options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etcdctl {
    /// The request, with the options of its command.
    pub verb: Verb,
    /// The output format (`--write-out`).
    pub format: Format,
    /// `--hex`: whether keys and values are printed as `\x61\x62`.
    pub hex: bool,
    /// `--endpoints`, which the `endpoint` commands print.
    pub endpoints: Vec<String>,
}

/// A `watch` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchCommand {
    /// The watch to start, or the lines of input given to `watch -i`, in order.
    pub starts: Vec<WatchLine>,
    /// The name given with `as`. Without `as`, the name is the first free name of w1, w2, …
    pub name: Option<String>,
    /// The client given with `on`. The watch uses the stream of this client.
    pub client: Option<String>,
    /// The print options.
    pub print: WatchPrint,
}

/// One action of a `watch` process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchLine {
    /// Starts a watch.
    Watch(WatchCreateRequest),
    /// Requests a progress notification for the stream.
    Progress,
    /// A line of input that etcdctl cannot read. etcdctl prints this message on standard error, with its line
    /// ending, and continues.
    Bad(String),
}

/// The print options of a `watch` process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchPrint {
    /// The output format (`--write-out`).
    pub format: Format,
    /// `--hex`: whether keys and values are printed as `\x61\x62`.
    pub hex: bool,
    /// `-i`: whether the process continues after one of its watches ends.
    pub interactive: bool,
}

/// The etcdctl commands that send a request to a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `put` writes a key.
    Put(PutRequest),
    /// `get` reads keys.
    Get {
        /// The read to send to the member.
        request: RangeRequest,
        /// Whether only values are printed (`--print-value-only`).
        print_value_only: bool,
    },
    /// `del` deletes keys.
    Del {
        /// The delete to send to the member.
        request: DeleteRangeRequest,
        /// Whether etcdctl warns and waits for two seconds, because the command deletes a range without `--range`
        /// (since 3.6).
        warns: bool,
    },
    /// `txn` runs a transaction.
    Txn {
        /// The transaction to send to the member.
        request: TxnRequest,
        /// `-i`: whether the output contains the prompts.
        interactive: bool,
    },
    /// `compaction` removes old revisions.
    Compaction(CompactionRequest),
    /// `lease grant` creates a lease.
    LeaseGrant(LeaseGrantRequest),
    /// `lease revoke` ends a lease.
    LeaseRevoke(LeaseRevokeRequest),
    /// `lease keep-alive` renews a lease.
    LeaseKeepAlive {
        /// The renewal to send to the member.
        request: LeaseKeepAliveRequest,
        /// Whether the lease is renewed only once (`--once`).
        once: bool,
    },
    /// `lease timetolive` prints the remaining time of a lease.
    LeaseTimeToLive(LeaseTimeToLiveRequest),
    /// `lease list` prints all leases.
    LeaseList,
    /// `alarm list` prints the active alarms.
    AlarmList,
    /// `alarm disarm` clears all alarms.
    AlarmDisarm,
    /// `defrag` rewrites the database file without free pages.
    Defrag,
    /// `endpoint status` prints the status of the member.
    EndpointStatus,
    /// `endpoint hashkv` prints a hash of the history.
    EndpointHashKv(HashKvRequest),
    /// `endpoint health`: a read of the key `health`.
    EndpointHealth {
        /// Whether etcdctl also requests the alarms (since 3.5).
        asks_for_alarms: bool,
    },
}

/// The output formats of etcdctl (`--write-out`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The default format, for people to read.
    #[default]
    Simple,
    /// One line of JSON.
    Json,
    /// One `"Name" : value` per line.
    Fields,
    /// A table; only some responses have a table.
    Table,
    /// The bytes of the response in protobuf encoding.
    Protobuf,
}

/// The commands that print internal state, most of them variants of `show`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// `show key-index KEY`: prints the generations of one key.
    KeyIndex {
        /// The key whose generations to print.
        key: Bytes,
        /// Whether to print JSON.
        json: bool,
    },
    /// `show bucket NAME`: prints the rows of a backend bucket, newest first.
    Bucket {
        /// The name of the bucket.
        name: String,
        /// The name of the snapshot to read. If no snapshot has this name, the command reads the member's
        /// database.
        file: String,
        /// Whether rows are decoded; otherwise they are printed as quoted bytes.
        decode: bool,
        /// The maximum number of rows to print.
        limit: Option<u64>,
        /// Whether to print JSON.
        json: bool,
    },
    /// `etcd-dump-db list-bucket`: prints the names of all buckets.
    Buckets,
    /// `snapshot status FILE`: prints a summary of a saved snapshot.
    Snapshot {
        /// The name of the snapshot.
        name: String,
        /// The output format (`--write-out`).
        format: Format,
    },
    /// `show store`: prints a summary of revisions and sizes.
    Store {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show storage`: prints figures about the database file.
    Storage {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show settings`: prints the settings that `set` changes, such as queue sizes and periods.
    Settings {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show watchers`: prints every watcher of the member and the revision that each has reached.
    Watchers {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show clients`: prints the numbers of requests, keys and events of each etcd client.
    Clients,
    /// `show apiserver`: prints the API servers and their caches.
    ApiServers,
    /// `show cache RESOURCE`: prints the caches of one resource and their watchers.
    Cache {
        /// The resource. Empty for the first cached resource.
        resource: String,
    },
    /// `show requests`: prints the newest requests, with the server and the reason for each, and the time each
    /// took.
    Requests {
        /// The resource. Empty for the first cached resource.
        resource: String,
        /// The maximum number of requests to print.
        last: u64,
    },
}

/// The output and exit code of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output, byte for byte.
    pub stdout: Vec<u8>,
    /// Standard error, byte for byte.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub exit: u8,
}

impl Output {
    /// Creates the output of a successful command.
    pub fn ok(stdout: impl Into<Vec<u8>>) -> Self {
        Self {
            stdout: stdout.into(),
            ..Self::default()
        }
    }

    /// Creates the output of a failed command: `Error: text`.
    pub fn error(text: &str, exit: u8) -> Self {
        Self {
            stderr: format!("Error: {text}\n").into_bytes(),
            exit,
            ..Self::default()
        }
    }
}

impl Command {
    /// Returns the request that etcdctl sends to the member; `None` for other commands.
    pub fn request(&self) -> Option<Request> {
        match &self.kind {
            CommandKind::Etcdctl(e) => Some(e.request()),
            CommandKind::Watch(_)
            | CommandKind::Kubectl(_)
            | CommandKind::Recv { .. }
            | CommandKind::Op(_)
            | CommandKind::Show(_)
            | CommandKind::Run(_)
            | CommandKind::Step(_)
            | CommandKind::Fork
            | CommandKind::Help(_)
            | CommandKind::World { .. }
            | CommandKind::Answered(_)
            | CommandKind::Refused(_) => None,
        }
    }

    /// Returns true if the command can change the state of the member.
    pub fn is_write(&self) -> bool {
        if let CommandKind::Kubectl(kubectl) = &self.kind {
            return kubectl.watch.is_some() || kubectl.request.verb.is_write();
        }
        match self.request() {
            Some(
                Request::Put(_)
                | Request::DeleteRange(_)
                | Request::Compact(_)
                | Request::LeaseGrant(_)
                | Request::LeaseRevoke(_)
                | Request::LeaseKeepAlive(_)
                | Request::Defragment(_),
            ) => true,
            Some(Request::Alarm(r)) => r.action != AlarmAction::Get,
            Some(Request::Txn(txn)) => writes(&txn),
            Some(
                Request::Range(_)
                | Request::HashKv(_)
                | Request::Status(_)
                | Request::LeaseTimeToLive(_)
                | Request::LeaseLeases(_),
            )
            | None => false,
        }
    }
}

fn writes(txn: &TxnRequest) -> bool {
    txn.success.iter().chain(&txn.failure).any(|op| match op {
        RequestOp::Put(_) | RequestOp::DeleteRange(_) => true,
        RequestOp::Txn(inner) => writes(inner),
        RequestOp::Range(_) | RequestOp::Empty => false,
    })
}

impl Verb {
    /// Returns true if etcdctl asks each endpoint separately and prints the endpoint's name.
    pub(super) fn asks_each_endpoint(&self) -> bool {
        matches!(
            self,
            Self::Defrag
                | Self::EndpointStatus
                | Self::EndpointHashKv(_)
                | Self::EndpointHealth { .. }
        )
    }
}

impl Etcdctl {
    /// Returns the request that etcdctl sends to the member.
    pub fn request(&self) -> Request {
        match &self.verb {
            Verb::Put(r) => Request::Put(r.clone()),
            Verb::Get { request, .. } => Request::Range(request.clone()),
            Verb::Del { request, .. } => Request::DeleteRange(request.clone()),
            Verb::Txn { request, .. } => Request::Txn(request.clone()),
            Verb::Compaction(r) => Request::Compact(*r),
            Verb::LeaseGrant(r) => Request::LeaseGrant(*r),
            Verb::LeaseRevoke(r) => Request::LeaseRevoke(*r),
            Verb::LeaseKeepAlive { request, .. } => Request::LeaseKeepAlive(*request),
            Verb::LeaseTimeToLive(r) => Request::LeaseTimeToLive(*r),
            Verb::LeaseList => Request::LeaseLeases(LeaseLeasesRequest {}),
            Verb::AlarmList => Request::Alarm(AlarmRequest::default()),
            Verb::AlarmDisarm => Request::Alarm(AlarmRequest {
                action: AlarmAction::Deactivate,
                ..AlarmRequest::default()
            }),
            Verb::Defrag => Request::Defragment(DefragmentRequest {}),
            Verb::EndpointStatus => Request::Status(StatusRequest {}),
            Verb::EndpointHashKv(r) => Request::HashKv(*r),
            // This is the second of two requests. The first reads the key "health" and has no effect on the
            // member.
            Verb::EndpointHealth {
                asks_for_alarms: true,
            } => Request::Alarm(AlarmRequest::default()),
            Verb::EndpointHealth {
                asks_for_alarms: false,
            } => Request::Range(RangeRequest {
                key: Bytes::from("health"),
                ..RangeRequest::default()
            }),
        }
    }
}

/// A kubectl command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubectlCommand {
    /// The name of the API server. `None` selects the first.
    pub server: Option<String>,
    /// The request to send to the API server.
    pub request: KubeRequest,
    /// Whether kubectl requests the list in chunks until it is complete.
    pub in_chunks: bool,
    /// For a watch: the name given with `as`, and whether the watch starts with a list. `None` for other
    /// commands.
    pub watch: Option<(Option<String>, bool)>,
    /// The output format.
    pub output: KubectlOutput,
    /// `--all-namespaces`: whether each row starts with its namespace.
    pub all_namespaces: bool,
}

/// The output formats of kubectl (`-o`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KubectlOutput {
    /// A table, the default.
    #[default]
    Table,
    /// A table with more columns.
    Wide,
    /// The resource and the name: `pod/web-1`.
    Name,
    /// The objects as JSON.
    Json,
}
