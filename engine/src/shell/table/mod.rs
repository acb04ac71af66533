//! The tables of all commands: names, flags, usage, descriptions and examples.
//!
//! The command readers, the help pages, etcdctl's usage pages and the completion use these tables. The texts in
//! [`ETCDCTL`] are etcdctl's own and are printed unchanged, except `gloss` and `example`. The texts in [`SIMULATOR`]
//! and [`WORLD`] belong to the simulator.

mod kube;
mod qos;
pub(super) mod world;

use super::ParseError;
use super::line::for_loop::Arg;
use crate::api::Profile;
use kube::{KUBE, SHOW_APISERVER, SHOW_CACHE, SHOW_REQUESTS};
use qos::QOS;
use world::{
    RESTORE_FLAGS, SHOW_CLIENTS, SHOW_CLUSTER, SHOW_CONTAINERS, SHOW_COST, SHOW_METRICS,
    SHOW_PROCESSES, SHOW_QOS, SHOW_SETTINGS, SHOW_SLOW, SHOW_WATCHERS, WATCH_EXTRA, WORLD,
};

/// A command or a group of commands.
#[derive(Debug)]
pub(super) struct Spec {
    /// The word that the user types.
    pub(super) name: &'static str,
    /// The name and the arguments, in the form that etcdctl's usage page prints.
    pub(super) usage: &'static str,
    /// etcdctl's one-line description.
    pub(super) short: &'static str,
    /// The paragraphs that etcdctl prints below `short`.
    pub(super) long: &'static str,
    /// The command's own flags, sorted by name.
    pub(super) flags: &'static [Flag],
    /// The flags that the command shares with its subcommands.
    pub(super) shared: &'static [Flag],
    /// Additional flags that the command has in the simulator but not in etcdctl.
    pub(super) extra: &'static [Flag],
    /// The simulator's one-line description, for help and completion.
    pub(super) gloss: &'static str,
    /// An example of the command.
    pub(super) example: &'static str,
    /// The subcommands; empty for a command without subcommands.
    pub(super) children: &'static [Spec],
}

/// A flag of a command, with the texts of its help.
#[derive(Debug)]
pub(super) struct Flag {
    /// The name, without the leading dashes.
    pub(super) name: &'static str,
    /// The short form of the flag, which is a single letter; 0 if there is none.
    pub(super) letter: u8,
    /// The type of the value.
    pub(super) kind: FlagKind,
    /// The default value, in the form that the usage page prints.
    pub(super) default: &'static str,
    /// etcdctl's description of the flag.
    pub(super) usage: &'static str,
    /// The values that completion suggests.
    pub(super) values: &'static [&'static str],
    /// The first etcd version in which etcdctl has the flag.
    pub(super) since: Profile,
}

/// The type of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagKind {
    /// A boolean: the flag alone, or with `=true` or `=false`.
    Bool,
    /// A whole number in any base that Go accepts.
    Int,
    /// Any text.
    Text,
    /// A duration.
    Duration,
    /// A comma-separated list.
    List,
}

impl Flag {
    /// Returns true if this version of etcdctl has the flag.
    pub(super) fn exists(&self, profile: Profile) -> bool {
        profile >= self.since
    }
}

pub(super) const fn flag(
    name: &'static str,
    kind: FlagKind,
    default: &'static str,
    usage: &'static str,
) -> Flag {
    Flag {
        name,
        letter: 0,
        kind,
        default,
        usage,
        values: &[],
        since: Profile::V3_4,
    }
}

pub(super) const fn new_flag(
    name: &'static str,
    kind: FlagKind,
    default: &'static str,
    usage: &'static str,
) -> Flag {
    Flag {
        since: Profile::V3_6,
        ..flag(name, kind, default, usage)
    }
}

const fn short_flag(letter: u8, flag: Flag) -> Flag {
    Flag { letter, ..flag }
}

/// The flag that selects the output format. All tools have this flag.
const WRITE_OUT: Flag = short_flag(
    b'w',
    flag(
        "write-out",
        FlagKind::Text,
        "simple",
        "set the output format (fields, json, protobuf, simple, table)",
    ),
);

pub(super) const fn choice(values: &'static [&'static str], flag: Flag) -> Flag {
    Flag { values, ..flag }
}

/// A command whose fields are all empty. Other commands take their empty fields from this command by struct update
/// syntax.
pub(super) const LEAF: Spec = Spec {
    name: "",
    usage: "",
    short: "",
    long: "",
    flags: &[],
    shared: &[],
    extra: &[],
    gloss: "",
    example: "",
    children: &[],
};

/// The flag `help`, which every etcdctl command has.
pub(super) const HELP_FLAG: Flag = short_flag(b'h', flag("help", FlagKind::Bool, "false", ""));

/// The command `etcdctl`, with all simulated subcommands.
pub(super) static ETCDCTL: Spec = Spec {
    name: "etcdctl",
    usage: "etcdctl",
    short: "A simple command line client for etcd3.",
    shared: GLOBAL_FLAGS,
    children: &[
        Spec {
            name: "get",
            usage: "get [options] <key> [range_end]",
            short: "Gets the key or a range of keys",
            flags: GET_FLAGS,
            gloss: "read one key or a range, now or at a past revision",
            example: "get /key --prefix --rev 3 -w json",
            ..LEAF
        },
        Spec {
            name: "put",
            usage: "put [options] <key> <value> (<value> can also be given from stdin)",
            short: "Puts the given key into the store",
            long: PUT_LONG,
            flags: PUT_FLAGS,
            gloss: "write a value to a key; this creates one revision",
            example: "put /key1 value1",
            ..LEAF
        },
        Spec {
            name: "del",
            usage: "del [options] <key> [range_end]",
            short: "Removes the specified key or range of keys [key, range_end)",
            flags: DEL_FLAGS,
            gloss: "delete a key or a range; etcd writes a tombstone for each deleted key",
            example: "del /key --prefix --prev-kv",
            ..LEAF
        },
        Spec {
            name: "txn",
            usage: "txn [options]",
            short: "Txn processes all the requests in one transaction",
            flags: &[short_flag(
                b'i',
                flag(
                    "interactive",
                    FlagKind::Bool,
                    "false",
                    "Input transaction in interactive mode",
                ),
            )],
            gloss: "compare keys, then run one of two request lists; all writes of a transaction share one revision",
            example: "txn",
            ..LEAF
        },
        Spec {
            name: "compaction",
            usage: "compaction [options] <revision>",
            short: "Compacts the event history in etcd",
            flags: &[flag(
                "physical",
                FlagKind::Bool,
                "false",
                "'true' to wait for compaction to physically remove all old revisions",
            )],
            gloss: "delete superseded rows up to a revision; reads at lower revisions then fail",
            example: "compaction 3",
            ..LEAF
        },
        Spec {
            name: "lease",
            usage: "lease <subcommand>",
            short: "Lease related commands",
            gloss: "manage leases; when a lease expires, etcd deletes its keys",
            example: "lease grant 60",
            children: LEASE,
            ..LEAF
        },
        Spec {
            name: "alarm",
            usage: "alarm <subcommand>",
            short: "Alarm related commands",
            gloss: "list or clear alarms, such as NOSPACE when the database is full",
            example: "alarm list",
            children: &[
                Spec {
                    name: "disarm",
                    usage: "disarm",
                    short: "Disarms all alarms",
                    gloss: "clear all alarms, so that etcd accepts writes again",
                    example: "alarm disarm",
                    ..LEAF
                },
                Spec {
                    name: "list",
                    usage: "list",
                    short: "Lists all alarms",
                    gloss: "list the active alarms",
                    example: "alarm list",
                    ..LEAF
                },
            ],
            ..LEAF
        },
        Spec {
            name: "defrag",
            usage: "defrag",
            short: "Defragments the storage of the etcd members with given endpoints",
            flags: &[flag(
                "data-dir",
                FlagKind::Text,
                "",
                "Optional. If present, defragments a data directory not in use by etcd.",
            )],
            shared: &[flag(
                "cluster",
                FlagKind::Bool,
                "false",
                "use all endpoints from the cluster member list",
            )],
            gloss: "rewrite the database file without its free pages",
            example: "defrag",
            ..LEAF
        },
        Spec {
            name: "move-leader",
            usage: "move-leader <transferee-member-id>",
            short: "Transfers leadership to another etcd cluster member.",
            gloss: "make another member the leader; the simulator also accepts a member's name",
            example: "move-leader etcd-2 --endpoints=etcd-1",
            ..LEAF
        },
        Spec {
            name: "endpoint",
            usage: "endpoint <subcommand>",
            short: "Endpoint related commands",
            shared: &[flag(
                "cluster",
                FlagKind::Bool,
                "false",
                "use all endpoints from the cluster member list",
            )],
            gloss: "print the health, the status or the history hash of members",
            example: "endpoint status -w table",
            children: &[
                Spec {
                    name: "health",
                    usage: "health",
                    short: "Checks the healthiness of endpoints specified in `--endpoints` flag",
                    gloss: "read the key `health` and print the response time",
                    example: "endpoint health",
                    ..LEAF
                },
                Spec {
                    name: "status",
                    usage: "status",
                    short: "Prints out the status of endpoints specified in `--endpoints` flag",
                    long: STATUS_LONG,
                    gloss: "print the version, the database size, the Raft term and the Raft index",
                    example: "endpoint status -w table",
                    ..LEAF
                },
                Spec {
                    name: "hashkv",
                    usage: "hashkv",
                    short: "Prints the KV history hash for each endpoint in --endpoints",
                    shared: &[flag(
                        "rev",
                        FlagKind::Int,
                        "0",
                        "maximum revision to hash (default: all revisions)",
                    )],
                    gloss: "print a hash of the history; healthy members have the same hash at the same revision",
                    example: "endpoint hashkv --rev 5",
                    ..LEAF
                },
            ],
            ..LEAF
        },
        QOS,
        Spec {
            name: "member",
            usage: "member <subcommand>",
            short: "Membership related commands",
            gloss: "print the members of the cluster",
            example: "member list -w table",
            children: &[Spec {
                name: "list",
                usage: "list",
                short: "Lists all members in the cluster",
                long: MEMBER_LIST_LONG,
                gloss: "print the ID, the name and the addresses of each member",
                example: "member list -w table",
                ..LEAF
            }],
            ..LEAF
        },
        Spec {
            name: "watch",
            usage: "watch [options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...]",
            short: "Watches events stream on keys or prefixes",
            flags: WATCH_FLAGS,
            extra: WATCH_EXTRA,
            gloss: "watch a key or a range; `recv` prints the events",
            example: "watch /key --prefix --rev 3 as w1",
            ..LEAF
        },
        Spec {
            name: "version",
            usage: "version",
            short: "Prints the version of etcdctl",
            gloss: "print the version of the simulated etcdctl",
            example: "version",
            ..LEAF
        },
    ],
    ..LEAF
};

/// The command `etcdctl snapshot`. [`ETCDCTL`] omits it, because the simulator's own command `snapshot` replaces it in
/// the help and in completions.
pub(super) static SNAPSHOT: Spec = Spec {
    name: "snapshot",
    usage: "snapshot <subcommand>",
    short: "Manages etcd node snapshots",
    children: &[
        Spec {
            name: "restore",
            usage: "restore <filename> [options]",
            short: "Restores an etcd member snapshot to an etcd directory",
            flags: RESTORE_FLAGS,
            ..LEAF
        },
        Spec {
            name: "save",
            usage: "save <filename>",
            short: "Stores an etcd node backend snapshot to a given file",
            ..LEAF
        },
        Spec {
            name: "status",
            usage: "status <filename>",
            short: "Gets backend snapshot status of a given file",
            long: SNAPSHOT_STATUS_LONG,
            ..LEAF
        },
    ],
    ..LEAF
};

/// The simulator's own commands, except the commands in [`WORLD`] and [`KUBE`].
pub(super) static SIMULATOR: &[Spec] = &[
    Spec {
        name: "show",
        usage: "show key-index KEY | bucket NAME | store | storage | watchers | clients | cost | processes | \
                containers | settings | apiserver | cache | requests | qos | metrics | slow | cluster",
        gloss: "show the internal state of members, API servers and clients; some commands accept --json",
        example: "show key-index /key1",
        children: &[
            Spec {
                name: "key-index",
                usage: "show key-index KEY [--json]",
                gloss: "show the generations of one key",
                example: "show key-index /key1 --json",
                ..LEAF
            },
            Spec {
                name: "bucket",
                usage: "show bucket NAME [--decode] [--limit N] [--json]",
                gloss: "show the rows of a backend bucket, newest first",
                example: "show bucket key --decode",
                ..LEAF
            },
            Spec {
                name: "store",
                usage: "show store [--json]",
                gloss: "show a summary of revisions, keys and sizes",
                example: "show store",
                ..LEAF
            },
            Spec {
                name: "storage",
                usage: "show storage [--json]",
                gloss: "show the pages of the database file, and the open snapshots that prevent the reuse of free \
                pages",
                example: "show storage",
                ..LEAF
            },
            SHOW_WATCHERS,
            SHOW_CLIENTS,
            SHOW_COST,
            SHOW_PROCESSES,
            SHOW_CONTAINERS,
            SHOW_SETTINGS,
            SHOW_APISERVER,
            SHOW_CACHE,
            SHOW_REQUESTS,
            SHOW_QOS,
            SHOW_METRICS,
            SHOW_SLOW,
            SHOW_CLUSTER,
        ],
        ..LEAF
    },
    Spec {
        name: "etcd-dump-db",
        usage: "etcd-dump-db list-bucket FILE | etcd-dump-db iterate-bucket FILE BUCKET [--decode] [--limit N]",
        gloss: "print the buckets of a database file, or the rows of one bucket",
        example: "etcd-dump-db iterate-bucket db key --decode",
        children: &[
            Spec {
                name: "list-bucket",
                usage: "etcd-dump-db list-bucket FILE",
                gloss: "print the names of all buckets",
                example: "etcd-dump-db list-bucket db",
                ..LEAF
            },
            Spec {
                name: "iterate-bucket",
                usage: "etcd-dump-db iterate-bucket FILE BUCKET [--decode] [--limit N]",
                gloss: "print the rows of a bucket, newest first; FILE is a saved snapshot or the member's database",
                example: "etcd-dump-db iterate-bucket db key --decode",
                ..LEAF
            },
        ],
        ..LEAF
    },
    Spec {
        name: "run",
        usage: "run DURATION",
        gloss: "let simulated time pass",
        example: "run 5s",
        ..LEAF
    },
    Spec {
        name: "step",
        usage: "step [N]",
        gloss: "run one simulation step, or N steps",
        example: "step 10",
        ..LEAF
    },
    Spec {
        name: "fork",
        usage: "fork",
        gloss: "start a new branch at the current step",
        example: "fork",
        ..LEAF
    },
    Spec {
        name: "world",
        usage: "world [profile=3.4|3.5|3.6|3.7] [seed=N] [members=N]",
        gloss: "start a new run with an empty store",
        example: "world profile=3.4 seed=1",
        ..LEAF
    },
    Spec {
        name: "help",
        usage: "help [COMMAND]",
        gloss: "list the commands, or explain one command",
        example: "help put",
        ..LEAF
    },
];

/// Returns all of the simulator's own commands.
pub(super) fn own_verbs() -> impl Iterator<Item = &'static Spec> {
    SIMULATOR.iter().chain(WORLD).chain(KUBE)
}

/// The names of the etcdctl commands of all versions, in the order in which etcdctl suggests them.
static ALL_NAMES: &[&str] = &[
    "get",
    "put",
    "del",
    "txn",
    "compaction",
    "alarm",
    "defrag",
    "endpoint",
    "move-leader",
    "watch",
    "version",
    "lease",
    "member",
    "snapshot",
    "make-mirror",
    "migrate",
    "lock",
    "elect",
    "auth",
    "user",
    "role",
    "check",
    "help",
    "completion",
    "downgrade",
    "qos",
];

/// Returns the names of etcdctl's commands, in the order in which etcdctl suggests them.
pub(super) fn etcdctl_names(profile: Profile) -> Vec<&'static str> {
    let exists = |name: &&str| match *name {
        "migrate" => profile == Profile::V3_4,
        "downgrade" => profile >= Profile::V3_5,
        _ => true,
    };
    ALL_NAMES.iter().copied().filter(exists).collect()
}

static LEASE: &[Spec] = &[
    Spec {
        name: "grant",
        usage: "grant <ttl>",
        short: "Creates leases",
        gloss: "create a lease of TTL seconds; attach keys with put --lease=ID",
        example: "lease grant 60",
        ..LEAF
    },
    Spec {
        name: "revoke",
        usage: "revoke <leaseID>",
        short: "Revokes leases",
        gloss: "revoke a lease; etcd deletes its keys in one revision",
        example: "lease revoke 694d000000000001",
        ..LEAF
    },
    Spec {
        name: "timetolive",
        usage: "timetolive <leaseID> [options]",
        short: "Get lease information",
        flags: &[flag(
            "keys",
            FlagKind::Bool,
            "false",
            "Get keys attached to this lease",
        )],
        gloss: "print the remaining TTL of a lease and its attached keys",
        example: "lease timetolive 694d000000000001 --keys",
        ..LEAF
    },
    Spec {
        name: "list",
        usage: "list",
        short: "List all active leases",
        gloss: "list all leases, sorted by expiry time",
        example: "lease list",
        ..LEAF
    },
    Spec {
        name: "keep-alive",
        usage: "keep-alive [options] <leaseID>",
        short: "Keeps leases alive (renew)",
        flags: &[flag(
            "once",
            FlagKind::Bool,
            "false",
            "Resets the keep-alive time to its original value and exits immediately",
        )],
        gloss: "renew a lease once; for periodic renewals, use `keepalive`",
        example: "lease keep-alive --once 694d000000000001",
        ..LEAF
    },
];

const ORDERS: &[&str] = &["ASCEND", "DESCEND"];
const TARGETS: &[&str] = &["CREATE", "KEY", "MODIFY", "VALUE", "VERSION"];
const FORMATS: &[&str] = &["simple", "json", "fields", "table", "protobuf"];

static GET_FLAGS: &[Flag] = &[
    choice(
        &["l", "s"],
        flag(
            "consistency",
            FlagKind::Text,
            "l",
            "Linearizable(l) or Serializable(s)",
        ),
    ),
    new_flag("count-only", FlagKind::Bool, "false", "Get only the count"),
    flag(
        "from-key",
        FlagKind::Bool,
        "false",
        "Get keys that are greater than or equal to the given key using byte compare",
    ),
    flag("keys-only", FlagKind::Bool, "false", "Get only the keys"),
    flag("limit", FlagKind::Int, "0", "Maximum number of results"),
    new_flag(
        "max-create-rev",
        FlagKind::Int,
        "0",
        "Maximum create revision",
    ),
    new_flag(
        "max-mod-rev",
        FlagKind::Int,
        "0",
        "Maximum modification revision",
    ),
    new_flag(
        "min-create-rev",
        FlagKind::Int,
        "0",
        "Minimum create revision",
    ),
    new_flag(
        "min-mod-rev",
        FlagKind::Int,
        "0",
        "Minimum modification revision",
    ),
    choice(
        ORDERS,
        flag(
            "order",
            FlagKind::Text,
            "",
            "Order of results; ASCEND or DESCEND (ASCEND by default)",
        ),
    ),
    flag(
        "prefix",
        FlagKind::Bool,
        "false",
        "Get keys with matching prefix",
    ),
    flag(
        "print-value-only",
        FlagKind::Bool,
        "false",
        "Only write values when using the \"simple\" output format",
    ),
    flag("rev", FlagKind::Int, "0", "Specify the kv revision"),
    choice(
        TARGETS,
        flag(
            "sort-by",
            FlagKind::Text,
            "",
            "Sort target; CREATE, KEY, MODIFY, VALUE, or VERSION",
        ),
    ),
];

static PUT_FLAGS: &[Flag] = &[
    flag(
        "ignore-lease",
        FlagKind::Bool,
        "false",
        "updates the key using its current lease",
    ),
    flag(
        "ignore-value",
        FlagKind::Bool,
        "false",
        "updates the key using its current value",
    ),
    flag(
        "lease",
        FlagKind::Text,
        "0",
        "lease ID (in hexadecimal) to attach to the key",
    ),
    flag(
        "prev-kv",
        FlagKind::Bool,
        "false",
        "return the previous key-value pair before modification",
    ),
];

static DEL_FLAGS: &[Flag] = &[
    flag(
        "from-key",
        FlagKind::Bool,
        "false",
        "delete keys that are greater than or equal to the given key using byte compare",
    ),
    flag(
        "prefix",
        FlagKind::Bool,
        "false",
        "delete keys with matching prefix",
    ),
    flag(
        "prev-kv",
        FlagKind::Bool,
        "false",
        "return deleted key-value pairs",
    ),
    new_flag(
        "range",
        FlagKind::Bool,
        "false",
        "delete range of keys without delay",
    ),
];

static WATCH_FLAGS: &[Flag] = &[
    short_flag(
        b'i',
        flag("interactive", FlagKind::Bool, "false", "Interactive mode"),
    ),
    flag(
        "prefix",
        FlagKind::Bool,
        "false",
        "Watch on a prefix if prefix is set",
    ),
    flag(
        "prev-kv",
        FlagKind::Bool,
        "false",
        "get the previous key-value pair before the event happens",
    ),
    new_flag(
        "progress-notify",
        FlagKind::Bool,
        "false",
        "get periodic watch progress notification from server",
    ),
    flag("rev", FlagKind::Int, "0", "Revision to start watching"),
];

static GLOBAL_FLAGS: &[Flag] = &[
    flag(
        "cacert",
        FlagKind::Text,
        "",
        "verify certificates of TLS-enabled secure servers using this CA bundle",
    ),
    flag(
        "cert",
        FlagKind::Text,
        "",
        "identify secure client using this TLS certificate file",
    ),
    flag(
        "command-timeout",
        FlagKind::Duration,
        "5s",
        "timeout for short running command (excluding dial timeout)",
    ),
    flag(
        "debug",
        FlagKind::Bool,
        "false",
        "enable client-side debug logging",
    ),
    flag(
        "dial-timeout",
        FlagKind::Duration,
        "2s",
        "dial timeout for client connections",
    ),
    short_flag(
        b'd',
        flag(
            "discovery-srv",
            FlagKind::Text,
            "",
            "domain name to query for SRV records describing cluster endpoints",
        ),
    ),
    flag(
        "discovery-srv-name",
        FlagKind::Text,
        "",
        "service name to query when using DNS discovery",
    ),
    flag(
        "endpoints",
        FlagKind::List,
        "[127.0.0.1:2379]",
        "gRPC endpoints",
    ),
    flag(
        "hex",
        FlagKind::Bool,
        "false",
        "print byte strings as hex encoded strings",
    ),
    flag(
        "insecure-discovery",
        FlagKind::Bool,
        "true",
        "accept insecure SRV records describing cluster endpoints",
    ),
    flag(
        "insecure-skip-tls-verify",
        FlagKind::Bool,
        "false",
        "skip server certificate verification (CAUTION: this option should be enabled only for \
         testing purposes)",
    ),
    flag(
        "insecure-transport",
        FlagKind::Bool,
        "true",
        "disable transport security for client connections",
    ),
    flag(
        "keepalive-time",
        FlagKind::Duration,
        "2s",
        "keepalive time for client connections",
    ),
    flag(
        "keepalive-timeout",
        FlagKind::Duration,
        "6s",
        "keepalive timeout for client connections",
    ),
    flag(
        "key",
        FlagKind::Text,
        "",
        "identify secure client using this TLS key file",
    ),
    new_flag(
        "max-recv-bytes",
        FlagKind::Int,
        "0",
        "client-side response receive limit in bytes (if 0, it defaults to \"math.MaxInt32\")",
    ),
    new_flag(
        "max-request-bytes",
        FlagKind::Int,
        "0",
        "client-side request send limit in bytes (if 0, it defaults to 2.0 MiB (2 * 1024 * 1024).)",
    ),
    flag(
        "password",
        FlagKind::Text,
        "",
        "password for authentication (if this option is used, --user option shouldn't include \
         password)",
    ),
    flag(
        "user",
        FlagKind::Text,
        "",
        "username[:password] for authentication (prompt if password is not supplied)",
    ),
    choice(FORMATS, WRITE_OUT),
];

const MEMBER_LIST_LONG: &str = "\
When --write-out is set to simple, this command prints out comma-separated member lists for each endpoint.
The items in the lists are ID, Status, Name, Peer Addrs, Client Addrs, Is Learner.";

const SNAPSHOT_STATUS_LONG: &str = "\
When --write-out is set to simple, this command prints out comma-separated status lists for each endpoint.
The items in the lists are hash, revision, total keys, total size.";

const STATUS_LONG: &str = "\
When --write-out is set to simple, this command prints out comma-separated status lists for each endpoint.
The items in the lists are endpoint, ID, version, db size, is leader, is learner, \
raft term, raft index, raft applied index, errors.";

const PUT_LONG: &str = "\
Puts the given key into the store.

When <value> begins with '-', <value> is interpreted as a flag.
Insert '--' for workaround:

$ put <key> -- <value>
$ put -- <key> <value>

If <value> isn't given as a command line argument and '--ignore-value' is not specified,
this command tries to read the value from standard input.

If <lease> isn't given as a command line argument and '--ignore-lease' is not specified,
this command tries to read the value from standard input.

For example,
$ cat file | put <key>
will store the content of the file to <key>.";

/// Creates an error at the word `arg` or, without `arg`, at the start of the line. The hint is the usage of the command
/// and an example.
pub(super) fn wrong(spec: &Spec, arg: Option<&Arg>, expected: &str) -> ParseError {
    let (start, end) = arg.map_or((0, 0), |a| a.span);
    ParseError::new(
        start,
        end,
        expected,
        format!("write `{}`, for example `{}`", spec.usage, spec.example),
    )
}
