//! One command, read and checked: what to ask of a member, or what to show, or what to do.
//!
//! Everything etcdctl decides before it sends a request is decided by then, so a command that
//! carries a request is one that etcdctl would send.

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

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The command as text that a [`super::LineReader`] reads back to the same command; a
    /// transaction with its three blocks, lines joined by newlines.
    pub text: String,
    /// The kind of command.
    pub kind: CommandKind,
    /// How the executed command differs from the typed line.
    pub note: Option<Note>,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// A request to a member, and how to print the answer.
    Etcdctl(Etcdctl),
    /// `watch`: a process of etcdctl that stays and prints when it is asked to.
    Watch(WatchCommand),
    /// `recv NAME`: print what has reached a watch since it was last asked.
    Recv {
        /// The name of the watch.
        name: String,
    },
    /// A request to an API server, or a watch.
    Kubectl(Box<KubectlCommand>),
    /// Something a person does to the world.
    Op(WorldOp),
    /// A look inside the store.
    Show(Show),
    /// Let simulated time pass.
    Run(SimDuration),
    /// Make N steps of the simulation.
    Step(u64),
    /// Start a new branch at the cursor.
    Fork,
    /// Explain the shell, or one command.
    Help(Option<String>),
    /// Start a new run with an empty store.
    World {
        /// The new etcd version; `None` keeps the current version.
        profile: Option<Profile>,
        /// The seed; `None` keeps the current seed.
        seed: Option<u64>,
    },
    /// etcdctl answers by itself, without asking a member: `version`, `--help`.
    Answered(Output),
    /// etcdctl refuses before it sends anything: an unknown flag, a missing argument.
    Refused(Output),
}

impl CommandKind {
    /// Whether the command is a serializable read.
    pub(super) fn is_serializable(&self) -> bool {
        match self {
            Self::Etcdctl(Etcdctl {
                verb: Verb::Get { request, .. },
                ..
            }) => request.serializable,
            _ => false,
        }
    }

    /// Whether a member is asked.
    pub(super) fn is_sent(&self) -> bool {
        matches!(self, Self::Etcdctl(_) | Self::Watch(_))
    }
}

/// A request of etcdctl, with its print options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etcdctl {
    /// The request.
    pub verb: Verb,
    /// `--write-out`
    pub format: Format,
    /// `--hex`: keys and values as `\x61\x62`.
    pub hex: bool,
    /// `--endpoints`, which the `endpoint` commands print.
    pub endpoints: Vec<String>,
}

/// `watch`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchCommand {
    /// What it asks of the member, in order: one watch, or the lines given to `watch -i`.
    pub starts: Vec<WatchLine>,
    /// The name given with `as`. Without one it is the first of w1, w2, … that is free.
    pub name: Option<String>,
    /// The client given with `on`, whose stream the watch shares.
    pub client: Option<String>,
    /// The print options.
    pub print: WatchPrint,
}

/// A line of a `watch` process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchLine {
    /// Starts a watch.
    Watch(WatchCreateRequest),
    /// Requests the progress of the stream.
    Progress,
    /// It complains on standard error about a line of its input, with this, and goes on. The text
    /// ends its line.
    Bad(String),
}

/// The print options of a `watch` process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchPrint {
    /// `--write-out`
    pub format: Format,
    /// `--hex`: keys and values as `\x61\x62`.
    pub hex: bool,
    /// `-i`: the process continues when one of its watches ends.
    pub interactive: bool,
}

/// The etcdctl commands that ask something of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `put`
    Put(PutRequest),
    /// `get`
    Get {
        /// The request.
        request: RangeRequest,
        /// `--print-value-only`
        print_value_only: bool,
    },
    /// `del`
    Del {
        /// The request.
        request: DeleteRangeRequest,
        /// Since 3.6, a range without `--range`: etcdctl warns and waits two seconds.
        warns: bool,
    },
    /// `txn`
    Txn {
        /// The request.
        request: TxnRequest,
        /// `-i`: the prompts are part of what is printed.
        interactive: bool,
    },
    /// `compaction`
    Compaction(CompactionRequest),
    /// `lease grant`
    LeaseGrant(LeaseGrantRequest),
    /// `lease revoke`
    LeaseRevoke(LeaseRevokeRequest),
    /// `lease keep-alive`
    LeaseKeepAlive {
        /// The request.
        request: LeaseKeepAliveRequest,
        /// `--once`
        once: bool,
    },
    /// `lease timetolive`
    LeaseTimeToLive(LeaseTimeToLiveRequest),
    /// `lease list`
    LeaseList,
    /// `alarm list`
    AlarmList,
    /// `alarm disarm`
    AlarmDisarm,
    /// `defrag`
    Defrag,
    /// `endpoint status`
    EndpointStatus,
    /// `endpoint hashkv`
    EndpointHashKv(HashKvRequest),
    /// `endpoint health`: a read of the key `health`.
    EndpointHealth {
        /// Whether etcdctl asks for the alarms, too: since 3.5.
        asks_for_alarms: bool,
    },
}

/// `--write-out`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Simple,
    /// One line of JSON.
    Json,
    /// One `"Name" : value` per line.
    Fields,
    /// A table; only some responses have a table.
    Table,
    /// The response as sent on the wire.
    Protobuf,
}

/// A look inside the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// `show key-index KEY`: the generations of one key.
    KeyIndex {
        /// Which key.
        key: Bytes,
        /// Whether to print JSON.
        json: bool,
    },
    /// `show bucket NAME`: the rows of a backend bucket, newest first.
    Bucket {
        /// Which bucket.
        name: String,
        /// The snapshot that is read if there is one of this name; otherwise the member's database.
        file: String,
        /// Rows decoded instead of quoted bytes.
        decode: bool,
        /// The most rows to show.
        limit: Option<u64>,
        /// Whether to print JSON.
        json: bool,
    },
    /// `etcd-dump-db list-bucket`: the names of all buckets.
    Buckets,
    /// `snapshot status FILE`: a summary of a snapshot that was saved.
    Snapshot {
        /// The name.
        name: String,
        /// `--write-out`
        format: Format,
    },
    /// `show store`: revisions and sizes at a glance.
    Store {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show storage`: the database file in figures.
    Storage {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show settings`: sizes and periods that `set` changes.
    Settings {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show watchers`: every watcher of the member and how far it has come.
    Watchers {
        /// Whether to print JSON.
        json: bool,
    },
    /// `show apiserver`: the API servers and their caches.
    ApiServers,
    /// `show cache RESOURCE`: the caches of one resource, and who watches them.
    Cache {
        /// The resource; empty for the first that is cached.
        resource: String,
    },
    /// `show requests`: who served the newest requests, why, and where their time went.
    Requests {
        /// The resource; empty for the first that is cached.
        resource: String,
        /// The number of requests.
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
    /// Ends well after writing this.
    pub fn ok(stdout: impl Into<Vec<u8>>) -> Self {
        Self {
            stdout: stdout.into(),
            ..Self::default()
        }
    }

    /// Ends with `Error: text`.
    pub fn error(text: &str, exit: u8) -> Self {
        Self {
            stderr: format!("Error: {text}\n").into_bytes(),
            exit,
            ..Self::default()
        }
    }
}

impl Command {
    /// The request to the member, if any.
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

    /// Whether the command can change the state of the member.
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
    /// Whether each endpoint is asked, and named in the output.
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
    /// The request to the member.
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
            // Only the second of two requests: the first reads the key "health" and leaves no trace in the member.
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

/// A command behind `kubectl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubectlCommand {
    /// The API server, by name; the first when none is given.
    pub server: Option<String>,
    /// The request.
    pub request: KubeRequest,
    /// Whether a list is asked for in chunks, to its last one.
    pub in_chunks: bool,
    /// Of a watch: its name, if one was given, and whether it lists first.
    pub watch: Option<(Option<String>, bool)>,
    /// The output format.
    pub output: KubectlOutput,
    /// All namespaces: each row starts with its namespace.
    pub all_namespaces: bool,
}

/// `-o`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KubectlOutput {
    /// A table.
    #[default]
    Table,
    /// A table with more columns.
    Wide,
    /// `pod/web-1`
    Name,
    /// JSON.
    Json,
}
