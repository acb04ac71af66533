//! A command that the shell has read: a request to a member, a view of internal state, or an action in the simulated
//! world.
//!
//! The reader performs all checks that etcdctl performs before it sends a request. Therefore, if a command contains a
//! request, a real etcdctl would send this request, too.

use std::sync::Arc;

use crate::api::{
    AlarmAction, AlarmRequest, AuthContent, AuthRequest, CompactionRequest, Credential,
    DefragmentRequest, DeleteRangeRequest, Difference, EtcdError, HashKvRequest, LeaseGrantRequest,
    LeaseKeepAliveRequest, LeaseLeasesRequest, LeaseRevokeRequest, LeaseTimeToLiveRequest,
    MemberChangeRequest, MemberListRequest, MoveLeaderRequest, Profile, PutRequest, QosRequest,
    RangeRequest, Reply, Request, RequestAs, RequestOp, Response, StatusRequest, Switch,
    TxnRequest, WatchCreateRequest,
};
use crate::auth::ROOT;
use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::client::etcd::login::Login;
use crate::client::etcd::process::ProcessSpec;
use crate::qos::Identity;
use crate::qos::monitor::MonitorQuery;
use crate::world::op::WorldOp;
use crate::world::{Destination, WITHOUT_LIMIT, World};

use super::{ExecCommand, Note};
use crate::transcript::Filters;
use crate::transcript::lexer::RunIf;

/// The time in which a person can interrupt the deletion of a range without `--range`.
const RANGE_WARNING: SimDuration = SimDuration::from_millis(2_000);

/// A command that the shell has read and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The text of the command. If a [`super::LineReader`] reads this text, the result is the same command, except that
    /// the condition is always [`RunIf::Always`]. The text of a transaction includes the three blocks, with a newline
    /// after each line except the last.
    pub text: String,
    pub kind: CommandKind,
    /// The note that the simulator adds to the output, for example about an ignored part of the line.
    pub note: Option<Note>,
    /// The condition that `&&` or `||` before the command sets. The text of the command does not contain the condition.
    pub run_if: RunIf,
}

/// The kinds of commands, by the part of the simulator that executes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// An etcdctl command that sends a request to a member.
    Etcdctl(Etcdctl),
    /// `watch` starts an etcdctl process that runs until the watch is canceled. `recv` prints its output.
    Watch(WatchCommand),
    /// `qos monitor` starts an etcdctl process that receives the requests above a threshold. `recv` prints its output.
    Monitor {
        /// The name given with `as`. Without `as`, the process gets the first free name of w1, w2, …
        name: Option<String>,
        /// The measure and the threshold that select the requests to send, and the maximum number of requests.
        query: MonitorQuery,
        /// The first endpoint of `--endpoints`, if the flag is given.
        endpoint: Option<String>,
    },
    /// `lock` or another command of etcdctl that runs until it is ended. `recv` prints its output.
    Process(Box<ProcessCommand>),
    /// `recv NAME` prints the events that a watch received since the last `recv`.
    Recv {
        name: String,
    },
    /// A kubectl command that sends a request to an API server or starts a watch.
    Kubectl(Box<super::kubectl_command::KubectlCommand>),
    /// A command that changes the simulated world, such as `pause` or `net`.
    Op(WorldOp),
    /// `show` or a similar command, which prints internal state.
    Show(Show),
    /// Lets this much simulated time pass.
    Run(SimDuration),
    /// Runs this number of simulation steps.
    Step(u64),
    Fork,
    /// Explains the named command; `None` lists all commands.
    Help(Option<String>),
    /// Starts a new run with an empty store.
    World {
        /// The new etcd version; `None` keeps the current version.
        profile: Option<Profile>,
        /// The bug or the fix that the version gets.
        switch: Option<Switch>,
        /// The seed; `None` keeps the current seed.
        seed: Option<u64>,
        /// The number of members; `None` keeps the current number.
        members: Option<u32>,
    },
    /// An etcdctl command that needs no member, such as `version` or `--help`, with its output.
    Answered(Output),
    /// A command that etcdctl or kubectl refuses before it sends a request, for example because of an unknown flag,
    /// with the program's error message.
    Refused(Output),
}

impl CommandKind {
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
        matches!(
            self,
            Self::Etcdctl(_)
                | Self::Watch(_)
                | Self::Process(_)
                | Self::Monitor { .. }
                | Self::Op(WorldOp::SaveSnapshot { .. })
        )
    }
}

/// An etcdctl command that sends one request, together with its print options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etcdctl {
    pub verb: Verb,
    /// The output format (`--write-out`).
    pub format: Format,
    /// `--hex`: whether keys and values are printed as `\x61\x62`.
    pub hex: bool,
    /// The user given with `--user` and `--password`.
    pub user: Option<UserFlag>,
    /// The endpoints given with `--endpoints`. The `endpoint` commands print them.
    pub endpoints: Vec<String>,
    /// `--cluster`: whether the endpoints are the client URLs of all members.
    pub cluster: bool,
    /// `--command-timeout`: the timeout of the request. Some commands ignore this timeout.
    pub timeout: SimDuration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchCommand {
    /// The actions of the process, in order: one watch or, for `watch -i`, one action for each input line.
    pub starts: Vec<WatchLine>,
    /// The name given with `as`. Without `as`, the watch gets the first free name of w1, w2, …
    pub name: Option<String>,
    /// The client given with `on`, whose stream the watch uses.
    pub client: Option<String>,
    /// The first endpoint of `--endpoints`, if the flag is given.
    pub endpoint: Option<String>,
    /// The user given with `--user` and `--password`.
    pub user: Option<UserFlag>,
    pub print: WatchPrint,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchLine {
    Watch(WatchCreateRequest),
    /// Requests a progress notification for the stream.
    Progress,
    /// Reports a line of input that etcdctl cannot read. etcdctl prints this message, including the newline, on
    /// standard error and continues.
    Bad(String),
}

/// A command of etcdctl that runs until it is ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessCommand {
    pub spec: ProcessSpec,
    /// The name given with `as`. Without `as`, the process gets the first free name of w1, w2, …
    pub name: Option<String>,
    /// The first endpoint of `--endpoints`, if the flag is given.
    pub endpoint: Option<String>,
    /// The destination of `make-mirror`.
    pub destination: Option<String>,
    /// The user given with `--user`.
    pub user: Option<UserFlag>,
    pub print: WatchPrint,
}

/// The print options of a `watch` process, or of another command that runs until it is ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchPrint {
    /// The output format (`--write-out`).
    pub format: Format,
    /// `--hex`: whether keys and values are printed as `\x61\x62`.
    pub hex: bool,
    /// `-i`: whether the process continues after one of its watches ends.
    pub interactive: bool,
    /// The program that runs for each event, or while the process holds a lock.
    pub command: Option<Arc<ExecCommand>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFlag {
    /// The name; empty with `--auth-jwt-token`.
    pub name: String,
    /// The password, with which etcdctl logs in before it sends a request, or the token given with `--auth-jwt-token`.
    pub credential: Option<Credential>,
}

impl UserFlag {
    /// Returns the login of the user; `None` without a password.
    pub fn login(&self) -> Option<Login> {
        match &self.credential {
            Some(Credential::Password(password)) => {
                Some(Login::new(self.name.as_str().into(), password.clone()))
            }
            Some(Credential::Token(_)) | None => None,
        }
    }
}

/// A command of `auth`, `user` or `role`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthCommand {
    /// The first request of the command.
    pub request: AuthRequest,
    /// `user get --detail`: whether etcdctl also requests the permissions of each role.
    pub detail: bool,
    /// Whether the command reads its password from the input (`--interactive=false`).
    pub reads_password: bool,
}

/// The etcdctl commands that send a request to a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    Put(PutRequest),
    Get {
        request: RangeRequest,
        /// Whether only values are printed (`--print-value-only`).
        print_value_only: bool,
        /// Whether the member sends the rows in chunks (`--stream`).
        is_streamed: bool,
    },
    Del {
        request: DeleteRangeRequest,
        /// The warning of etcdctl 3.6 or later about a range without `--range`.
        warning: Option<String>,
    },
    Txn {
        request: TxnRequest,
        /// `-i`: whether the output contains the prompts for input.
        interactive: bool,
        /// The warnings about ranges that the transaction deletes.
        warnings: Vec<String>,
    },
    Compaction(CompactionRequest),
    LeaseGrant(LeaseGrantRequest),
    LeaseRevoke(LeaseRevokeRequest),
    LeaseKeepAlive {
        request: LeaseKeepAliveRequest,
        /// Whether the lease is renewed only once (`--once`).
        once: bool,
    },
    LeaseTimeToLive(LeaseTimeToLiveRequest),
    LeaseList,
    AlarmList,
    AlarmDisarm,
    Defrag,
    MemberList(MemberListRequest),
    /// `member add`, `member remove`, `member update` and `member promote` change one member.
    MemberChange {
        request: MemberChangeRequest,
        /// The name of the new member in the output of `member add`; empty for other changes.
        name: String,
    },
    MoveLeader(MoveLeaderRequest),
    /// `qos` manages etcd QoS, a proposal for limits on expensive requests.
    Qos(QosRequest),
    /// `auth`, `user` and `role` manage authentication, users and roles.
    Auth(AuthCommand),
    EndpointStatus,
    /// `endpoint hashkv` prints a hash of the history.
    EndpointHashKv(HashKvRequest),
    /// `endpoint health` reads the key `health`.
    EndpointHealth {
        /// Whether etcdctl also requests the alarms (since 3.5).
        asks_for_alarms: bool,
    },
}

/// The output formats of etcdctl (`--write-out`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Simple,
    /// One line of JSON.
    Json,
    /// One line per field, as `"Name" : value`.
    Fields,
    /// A table. Only some responses can be printed as a table.
    Table,
    Protobuf,
}

/// The commands that print internal state. Most of them are variants of `show`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// `show key-index KEY`: prints the generations of one key.
    KeyIndex { key: Bytes, json: bool },
    /// `show bucket NAME`: prints the rows of a backend bucket, newest first.
    Bucket {
        name: String,
        /// The name of the snapshot to read. If no snapshot has this name, the command reads the member's database.
        file: String,
        /// Whether rows are decoded. Otherwise, rows are printed as quoted bytes.
        decode: bool,
        limit: Option<u64>,
        json: bool,
    },
    /// `etcd-dump-db list-bucket`: prints the names of all buckets.
    Buckets,
    /// `snapshot status FILE`: prints a summary of a saved snapshot.
    Snapshot { name: String, format: Format },
    /// `etcdutl hashkv FILE`: prints the hash of the history in a saved snapshot.
    FileHash {
        name: String,
        /// The last revision to hash; 0 for the newest (`--rev`).
        revision: i64,
        format: Format,
    },
    /// `show store`: prints a summary of revisions and sizes.
    Store { json: bool },
    /// `show storage`: prints figures about the database file.
    Storage { json: bool },
    /// `show settings`: prints the settings that `set` changes, such as queue sizes and periods.
    Settings { json: bool },
    /// `show watchers`: prints every watcher of the member, with the revision that the watcher has reached.
    Watchers { json: bool },
    /// `show qos`: prints the QoS classes and rules (a proposal) with their state.
    Qos,
    /// `show metrics`: prints the metrics of the member.
    Metrics { prefix: String },
    /// `show slow`: prints the log of slow reads.
    Slow,
    /// `show cluster`: prints the role, the term and the indexes of each member.
    Cluster,
    /// `show clients`: prints the traffic of each API server, load and etcd client: the numbers of requests, keys and
    /// events.
    Clients,
    /// `show cost`: prints the simulated costs of work, and the capacities of machines and links.
    Cost,
    /// `show containers`: prints the running containers of all kubelets.
    Containers,
    /// `show processes`: prints the processor time and the memory of each member and API server.
    Processes,
    /// `show apiserver`: prints the API servers and their caches.
    ApiServers,
    /// `show cache RESOURCE`: prints the caches of one resource and their watchers.
    Cache {
        /// The resource. An empty name selects the first resource that has a cache.
        resource: String,
    },
    /// `show requests`: prints the newest requests. For each request, prints the server, the source of the response,
    /// the reason for this source, and the latency.
    Requests {
        /// The resource. An empty name selects the first resource that has a cache.
        resource: String,
        /// The maximum number of requests to print.
        last: u64,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub exit: u8,
}

impl Output {
    /// Returns the output in the order in which etcdctl prints it: error output, standard output, error output.
    ///
    /// `endpoint status` prints the error of each endpoint immediately, and all results at the end. `del` warns about a
    /// range before it sends the request. For a wrong flag, etcdctl prints the error, the help page, and the rest.
    pub fn in_order(&self) -> [&[u8]; 3] {
        let errors = &*self.stderr;
        let is_first = errors.starts_with(b"Failed to get the status")
            || errors.starts_with(b"Warning: Keys between ");
        // kubectl warns before it sends the request of a delete.
        const FORCED: &[u8] = b"Warning: Immediate deletion";
        let end = match self.stdout.starts_with(b"NAME:\n") {
            true => errors.windows(2).position(|bytes| bytes == b"\n\n"),
            false if errors.starts_with(FORCED) => errors.iter().position(|byte| *byte == b'\n'),
            false => None,
        };
        let first = end.map_or(if is_first { errors.len() } else { 0 }, |end| end + 1);
        let (before, after) = errors.split_at(first);
        [before, &self.stdout, after]
    }

    /// Returns the output of a command whose standard output goes through programs.
    pub fn filtered(self, filters: &Filters) -> Self {
        if filters.takes_errors() {
            let (stdout, exit) = filters.run(&self.in_order().concat());
            return Self {
                stdout,
                exit,
                ..Self::default()
            };
        }
        let (stdout, exit) = filters.run(&self.stdout);
        Self {
            stdout,
            exit,
            ..self
        }
    }

    pub fn ok(stdout: impl Into<Vec<u8>>) -> Self {
        Self {
            stdout: stdout.into(),
            ..Self::default()
        }
    }

    /// Creates the output of a failed command, which is `Error: ` and the text on standard error.
    pub fn error(text: &str, exit: u8) -> Self {
        Self {
            stderr: format!("Error: {text}\n").into_bytes(),
            exit,
            ..Self::default()
        }
    }
}

impl Command {
    /// Returns the request of `lease grant`, whose lease ID etcd chooses; `None` for other commands.
    pub fn chooses_lease_id(&mut self) -> Option<&mut LeaseGrantRequest> {
        match &mut self.kind {
            CommandKind::Etcdctl(Etcdctl {
                verb: Verb::LeaseGrant(request),
                ..
            }) => Some(request),
            _ => None,
        }
    }

    /// Returns the request that etcdctl sends to the member; `None` for other commands.
    pub fn request(&self) -> Option<Request> {
        match &self.kind {
            CommandKind::Etcdctl(e) => Some(e.request()),
            CommandKind::Watch(_)
            | CommandKind::Process(_)
            | CommandKind::Monitor { .. }
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

    /// Returns the output that etcdctl 3.5 prints before it does the work of etcdutl.
    pub fn deprecation(&self, profile: Profile) -> Output {
        let moved = match &self.kind {
            CommandKind::Show(Show::Snapshot { .. }) => "status",
            CommandKind::Op(WorldOp::RestoreSnapshot { .. }) => "restore",
            _ => return Output::default(),
        };
        let mut words = self.text.split_ascii_whitespace();
        let is_etcdctl = words
            .next()
            .is_some_and(|word| matches!(word, "etcdctl" | "e"));
        match is_etcdctl && profile == Profile::V3_5 {
            true => Output {
                stderr: deprecation(moved).into(),
                ..Output::default()
            },
            false => Output::default(),
        }
    }

    /// Returns true if the request of the command can change the state of the member.
    pub fn is_write(&self) -> bool {
        let is_write = |request: &Request| match request {
            Request::Put(_)
            | Request::DeleteRange(_)
            | Request::Compact(_)
            | Request::LeaseGrant(_)
            | Request::LeaseRevoke(_)
            | Request::LeaseKeepAlive(_)
            | Request::Defragment(_)
            | Request::MoveLeader(_)
            | Request::MemberChange(_) => true,
            Request::Alarm(r) => r.action != AlarmAction::Get,
            Request::Txn(txn) => writes(txn),
            Request::Qos(r) => r.is_write(),
            Request::Auth(r) => r.is_write(),
            Request::Range(_)
            | Request::RangeStream(_)
            | Request::HashKv(_)
            | Request::Status(_)
            | Request::LeaseTimeToLive(_)
            | Request::LeaseLeases(_)
            | Request::MemberList(_)
            | Request::Authenticate(_)
            | Request::As(_) => false,
        };
        if let CommandKind::Kubectl(kubectl) = &self.kind {
            return kubectl.watch.is_some() || kubectl.is_write();
        }
        match self.request() {
            Some(Request::As(r)) => is_write(&r.request),
            Some(request) => is_write(&request),
            None => false,
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
    /// Returns true if the simulator sends a separate request to each endpoint. etcdctl does the same, except for
    /// `move-leader`.
    pub(super) fn asks_each_endpoint(&self) -> bool {
        matches!(
            self,
            Self::Defrag
                | Self::MoveLeader(_)
                | Self::EndpointStatus
                | Self::EndpointHashKv(_)
                | Self::EndpointHealth { .. }
        )
    }
}

impl Verb {
    /// Returns the time for which etcdctl waits for the response, if this time does not depend on `--command-timeout`.
    fn fixed_timeout(&self) -> Option<SimDuration> {
        match self {
            // These commands use `context.TODO()` or `context.Background()`.
            Self::Txn { .. }
            | Self::LeaseTimeToLive(_)
            | Self::LeaseList
            | Self::LeaseKeepAlive { once: true, .. } => Some(WITHOUT_LIMIT),
            Self::LeaseKeepAlive { once: false, .. } => Some(FIRST_KEEP_ALIVE_TIMEOUT),
            _ => None,
        }
    }
}

/// Returns the text that etcdctl 3.5 prints before a command that etcdutl has, too.
pub(super) fn deprecation(moved: &str) -> String {
    format!("Deprecated: Use `etcdutl snapshot {moved}` instead.\n\n")
}

/// The time after which the client library gives up a lease whose first renewal has no response: the default of
/// `--dial-timeout`, and a second (`firstKeepAliveTimeout`).
const FIRST_KEEP_ALIVE_TIMEOUT: SimDuration = SimDuration::from_millis(3_000);

impl Etcdctl {
    /// Returns the request that etcdctl sends to the member, with the name of the user if `--user` is given.
    pub fn request(&self) -> Request {
        self.of_user(self.request_of_verb())
    }

    /// Returns the next request of a command that sends several requests in turn, after the replies to its earlier
    /// requests.
    pub(crate) fn next_request(&self, replies: &[&Reply]) -> Option<Request> {
        let Verb::Auth(AuthCommand {
            request, detail, ..
        }) = &self.verb
        else {
            return None;
        };
        let next = match (request, replies) {
            // `auth enable` adds a missing role `root`, and tries again.
            (AuthRequest::Enable, [.., last]) => match (replies.len() % 3, last) {
                (1, Err(EtcdError::RootRoleNotExist)) => {
                    let name = ROOT.into();
                    AuthRequest::RoleAdd { name }
                }
                (2, Ok(_)) => {
                    let (user, role) = (ROOT.into(), ROOT.into());
                    AuthRequest::UserGrantRole { user, role }
                }
                (0, Ok(_)) => AuthRequest::Enable,
                _ => return None,
            },
            (AuthRequest::UserGet { .. }, [Ok(Response::Auth(user)), roles @ ..]) if *detail => {
                let AuthContent::Roles(names) = &user.content else {
                    return None;
                };
                if roles.iter().any(|reply| reply.is_err()) {
                    return None;
                }
                let role = names.get(roles.len())?.to_string();
                AuthRequest::RoleGet { role }
            }
            _ => return None,
        };
        Some(self.of_user(Request::Auth(next)))
    }

    fn of_user(&self, request: Request) -> Request {
        match &self.user {
            None => request,
            Some(UserFlag { name, credential }) => Request::As(Box::new(RequestAs {
                identity: Identity {
                    user: (!name.is_empty()).then(|| name.as_str().into()),
                    ..Identity::default()
                },
                retry: 0,
                timeout: None,
                request: request.into(),
                credential: Sparse(credential.clone()),
            })),
        }
    }

    /// Returns the command that requests the member list from the endpoints of this command (`endpointsFromCluster`).
    pub fn member_list(&self, profile: Profile) -> Self {
        Self {
            verb: Verb::MemberList(MemberListRequest::of_client(profile)),
            user: self.user.clone().filter(|user| user.credential.is_some()),
            cluster: false,
            ..self.clone()
        }
    }

    /// Returns the destination of each request. Only some commands send a request to each endpoint; the other commands
    /// send one request, to any endpoint.
    ///
    /// # Errors
    /// Returns an error message if no member has the address.
    pub fn destinations(&self, world: &World) -> Result<Vec<Destination>, String> {
        let timeout = self.verb.fixed_timeout().unwrap_or(self.timeout);
        let wait = self.wait(world);
        let to = |members| Destination {
            members,
            timeout,
            wait,
        };
        let mut each = Vec::new();
        for endpoint in &self.endpoints {
            let member = world.member_at(endpoint)?;
            each.push(world.listens_at(endpoint).then_some(member));
        }
        let is_single = !world.is_cluster();
        if self.verb.asks_each_endpoint() {
            // The reply of a single member is the reply at all its addresses.
            if is_single && each.iter().all(|to| to.is_some() && *to == each[0]) {
                each.truncate(1);
            }
            let each = each.into_iter();
            return Ok(each
                .map(|member| to(member.into_iter().collect()))
                .collect());
        }
        let mut members: Vec<NodeId> = each.into_iter().flatten().collect();
        if is_single {
            members.dedup();
        }
        Ok(vec![to(members)])
    }

    /// Returns the time that etcdctl waits before it sends the request, so that a person can interrupt the deletion of
    /// a range.
    fn wait(&self, world: &World) -> SimDuration {
        let config = world.config();
        let waits =
            config.format.waits_before_deletes() && config.profile.has(Difference::WarnsAboutRange);
        let warnings = match &self.verb {
            Verb::Del { warning, .. } => warning.iter().count(),
            Verb::Txn { warnings, .. } => warnings.len(),
            _ => 0,
        };
        match waits {
            true => SimDuration(RANGE_WARNING.0 * warnings as u64),
            false => SimDuration(0),
        }
    }

    fn request_of_verb(&self) -> Request {
        match &self.verb {
            Verb::Put(r) => Request::Put(r.clone()),
            Verb::Get {
                request,
                is_streamed: true,
                ..
            } => Request::RangeStream(request.clone()),
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
            Verb::MoveLeader(r) => Request::MoveLeader(*r),
            Verb::MemberList(r) => Request::MemberList(*r),
            Verb::MemberChange { request, .. } => Request::MemberChange(request.clone()),
            Verb::Defrag => Request::Defragment(DefragmentRequest {}),
            Verb::Qos(r) => Request::Qos(r.clone()),
            Verb::Auth(command) => Request::Auth(command.request.clone()),
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
