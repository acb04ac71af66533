//! The table of commands for watches and the world.
//!
//! The module also contains the flags of `watch` that etcdctl does not have, and the flags of the snapshot tools
//! (`etcdutl`, `snapshot restore`).

use super::{Flag, FlagKind, LEAF, Spec, Versions, WRITE_OUT, choice, flag, flag_of};
use crate::api::Profile;

/// The flags of `watch` that etcdctl does not have.
pub(in crate::shell) static WATCH_EXTRA: &[Flag] = &[
    choice(
        &["noput", "nodelete"],
        flag(
            "filter",
            FlagKind::Text,
            "",
            "omit put events or delete events",
        ),
    ),
    flag(
        "fragment",
        FlagKind::Bool,
        "false",
        "let the member split large responses",
    ),
    flag(
        "watch-id",
        FlagKind::Int,
        "0",
        "the watch ID on the stream; with 0, etcd chooses the ID",
    ),
    flag(
        "require-leader",
        FlagKind::Bool,
        "true",
        "with false, the watch continues while the member knows no leader; etcdctl always requires a leader",
    ),
    flag(
        "many",
        FlagKind::Int,
        "",
        "create N watches, named NAME-1, NAME-2, …",
    ),
    flag(
        "streams",
        FlagKind::Int,
        "1",
        "with --many: the number of streams; by default one stream for every four watches",
    ),
];

static LISTWATCH_EXTRA: &[Flag] = &[choice(
    &["nothing", "keys", "revision"],
    flag(
        "remember",
        FlagKind::Text,
        "nothing",
        "the data that the client keeps when it restarts",
    ),
)];

static POLL_EXTRA: &[Flag] = &[
    flag("every", FlagKind::Duration, "1s", "time between two polls"),
    flag(
        "each-revision",
        FlagKind::Bool,
        "false",
        "also read each revision since the previous poll",
    ),
    flag(
        "cache",
        FlagKind::Bool,
        "false",
        "read the client's own copy, once it has reached the revision of etcd",
    ),
];

static PROXY_FLAGS: &[Flag] = &[
    flag(
        "endpoints",
        FlagKind::Text,
        "127.0.0.1:2379",
        "the address of the member that receives the requests",
    ),
    flag(
        "listen-addr",
        FlagKind::Text,
        "127.0.0.1:23790",
        "the address at which the proxy listens",
    ),
];

static SNAPSHOT_EXTRA: &[Flag] = &[
    flag(
        "open",
        FlagKind::Bool,
        "false",
        "save: keep the read transaction open until `snapshot close FILE`",
    ),
    flag(
        "bump-revision",
        FlagKind::Uint,
        "0",
        "restore: the number to add to the revision",
    ),
    flag(
        "mark-compacted",
        FlagKind::Bool,
        "false",
        "restore: mark revisions below the new revision as compacted; etcd then cancels watches that start below it",
    ),
];

pub(in crate::shell) static ETCDUTL_FLAGS: &[Flag] = &[
    flag_of(
        Versions::Since(Profile::V3_7),
        flag(
            "timeout",
            FlagKind::Duration,
            "10s",
            "time to wait to obtain a file lock on db file, 0 to block indefinitely",
        ),
    ),
    WRITE_OUT,
];

/// The flags of `snapshot restore` in etcdctl 3.4 and in etcdutl.
pub(in crate::shell) static RESTORE_FLAGS: &[Flag] = &[
    flag_of(
        Versions::Until(Profile::V3_4),
        flag("data-dir", FlagKind::Text, "", "Path to the data directory"),
    ),
    flag_of(
        Versions::Since(Profile::V3_5),
        flag(
            "data-dir",
            FlagKind::Text,
            "",
            "Path to the output data directory",
        ),
    ),
    flag(
        "wal-dir",
        FlagKind::Text,
        "",
        "Path to the WAL directory (use --data-dir if none given)",
    ),
    flag(
        "name",
        FlagKind::Text,
        "default",
        "Human-readable name for this member",
    ),
    flag(
        "initial-cluster",
        FlagKind::Text,
        "default=http://localhost:2380",
        "Initial cluster configuration for restore bootstrap",
    ),
    flag(
        "initial-cluster-token",
        FlagKind::Text,
        "etcd-cluster",
        "Initial cluster token for the etcd cluster during restore bootstrap",
    ),
    flag(
        "initial-advertise-peer-urls",
        FlagKind::Text,
        "http://localhost:2380",
        "List of this member's peer URLs to advertise to the rest of the cluster",
    ),
    flag(
        "skip-hash-check",
        FlagKind::Bool,
        "false",
        "Ignore snapshot integrity hash value (required if copied from data directory)",
    ),
    flag_of(
        Versions::Since(Profile::V3_5),
        flag(
            "initial-memory-map-size",
            FlagKind::Uint,
            "10737418240",
            "Initial memory map size of the database in bytes. It uses the default value if not defined or defined to \
             0",
        ),
    ),
    flag_of(
        Versions::Since(Profile::V3_5),
        flag(
            "bump-revision",
            FlagKind::Uint,
            "0",
            "How much to increase the latest revision after restore",
        ),
    ),
    flag_of(
        Versions::Since(Profile::V3_5),
        flag(
            "mark-compacted",
            FlagKind::Bool,
            "false",
            "Mark the latest revision after restore as the point of scheduled compaction (required if \
         --bump-revision > 0, disallowed otherwise)",
        ),
    ),
];

pub(in crate::shell) const SHOW_SETTINGS: Spec = Spec {
    name: "settings",
    usage: "show settings [--json]",
    gloss: "show the settings, with upstream's defaults",
    example: "show settings",
    ..LEAF
};

pub(in crate::shell) const SHOW_QOS: Spec = Spec {
    name: "qos",
    usage: "show qos",
    gloss: "show the QoS classes and rules (a proposal) with their state",
    example: "show qos",
    ..LEAF
};

pub(in crate::shell) const SHOW_METRICS: Spec = Spec {
    name: "metrics",
    usage: "show metrics [PREFIX]",
    gloss: "print the member's metrics, in the format of /metrics",
    example: "show metrics etcd_mvcc",
    ..LEAF
};

pub(in crate::shell) const SHOW_SLOW: Spec = Spec {
    name: "slow",
    usage: "show slow",
    gloss: "show the last reads that took longer than 100 ms, as etcd logs them",
    example: "show slow",
    ..LEAF
};

pub(in crate::shell) const SHOW_CLUSTER: Spec = Spec {
    name: "cluster",
    usage: "show cluster",
    gloss: "print the role, the term and the log of each member",
    example: "show cluster",
    ..LEAF
};

pub(in crate::shell) const SHOW_CLIENTS: Spec = Spec {
    name: "clients",
    usage: "show clients",
    gloss: "show the traffic of each client of etcd, and the latencies of loads and kubelets",
    example: "show clients",
    ..LEAF
};

pub(in crate::shell) const SHOW_COST: Spec = Spec {
    name: "cost",
    usage: "show cost",
    gloss: "show the costs of work and the capacities of machines and links; `cost` changes them",
    example: "show cost",
    ..LEAF
};

pub(in crate::shell) const SHOW_PROCESSES: Spec = Spec {
    name: "processes",
    usage: "show processes",
    gloss: "show the processor time and the memory of each member and API server",
    example: "show processes",
    ..LEAF
};

pub(in crate::shell) const SHOW_CONTAINERS: Spec = Spec {
    name: "containers",
    usage: "show containers",
    gloss: "show the running containers of all kubelets",
    example: "show containers",
    ..LEAF
};

pub(in crate::shell) const SHOW_WATCHERS: Spec = Spec {
    name: "watchers",
    usage: "show watchers [--json]",
    gloss: "show the watchers of the member and the progress of each",
    example: "show watchers",
    ..LEAF
};

pub(in crate::shell) static WORLD: &[Spec] = &[
    Spec {
        name: "recv",
        usage: "recv NAME",
        gloss: "print the responses that a watch received since the last `recv`",
        example: "recv w1",
        ..LEAF
    },
    Spec {
        name: "progress",
        usage: "progress NAME",
        gloss: "request a progress notification for the stream of a watch",
        example: "progress w1",
        ..LEAF
    },
    Spec {
        name: "unwatch",
        usage: "unwatch NAME",
        gloss: "cancel a watch",
        example: "unwatch w1",
        ..LEAF
    },
    Spec {
        name: "listwatch",
        usage: "listwatch PREFIX as NAME [--remember=nothing|keys|revision]",
        extra: LISTWATCH_EXTRA,
        gloss: "start a client that lists and watches the keys with a prefix and keeps a copy of these keys",
        example: "listwatch /pods/ as c1 --remember=keys",
        ..LEAF
    },
    Spec {
        name: "poll",
        usage: "poll PREFIX as NAME [--every=1s] [--each-revision|--cache]",
        extra: POLL_EXTRA,
        gloss: "start a client that reads the keys with a prefix at an interval; `show clients` counts the reads",
        example: "poll /pods/ as p1 --every=500ms",
        ..LEAF
    },
    Spec {
        name: "keepalive",
        usage: "keepalive LEASE as NAME",
        gloss: "start a client that renews a lease periodically",
        example: "keepalive 694d000000000001 as leader",
        ..LEAF
    },
    Spec {
        name: "etcd",
        usage: "etcd grpc-proxy start [--endpoints=URL] [--listen-addr=ADDR]",
        extra: PROXY_FLAGS,
        gloss: "start a gRPC proxy, which relays requests to a member and can limit them with `qos`",
        example: "etcd grpc-proxy start --endpoints=127.0.0.1:2379",
        ..LEAF
    },
    Spec {
        name: "fault",
        usage: "fault partition [--one-way] NODE… [| NODE…] | fault disk-full MEMBER",
        gloss: "cut the links between two sets of nodes, or between one set and all other members, or fill a disk",
        example: "fault partition etcd-1 | etcd-2 etcd-3",
        ..LEAF
    },
    Spec {
        name: "heal",
        usage: "heal",
        gloss: "repair all links that a partition cut, and make space on all full disks",
        example: "heal",
        ..LEAF
    },
    Spec {
        name: "delay",
        usage: "delay MESSAGE DURATION",
        gloss: "let a message on its way, and the later messages of its connection, arrive later",
        example: "delay 17 200ms",
        ..LEAF
    },
    Spec {
        name: "reseed",
        usage: "reseed NUMBER",
        gloss: "replace the random numbers of all later delays, losses, election timeouts and timers",
        example: "reseed 7",
        ..LEAF
    },
    Spec {
        name: "mirror",
        usage: "mirror start | mirror REVISION put KEY VALUE [--lease=ID] del KEY… | mirror skip REVISION | \
        mirror compact REVISION | mirror lease ID SECONDS",
        gloss: "copy a change of another etcd; a page that is attached to an etcd types these commands",
        example: "mirror 2 put /a 1",
        ..LEAF
    },
    Spec {
        name: "pause",
        usage: "pause NODE",
        gloss: "pause a node; messages to the node wait",
        example: "pause w1",
        ..LEAF
    },
    Spec {
        name: "resume",
        usage: "resume NODE",
        gloss: "resume a paused node",
        example: "resume w1",
        ..LEAF
    },
    Spec {
        name: "slow",
        usage: "slow CLIENT DURATION",
        gloss: "set the time that a client needs for each response, or that an API server needs for each etcd event",
        example: "slow w1 50ms",
        ..LEAF
    },
    Spec {
        name: "cost",
        usage: "cost [free|processor|kep-2340] [--disk=free|ssd|spinning] [NAME=VALUE]",
        gloss: "set the costs of work: choose a preset or a disk, or set single costs by the names that `show cost` \
        prints",
        example: "cost kep-2340 --disk=ssd etcd-memory=4GB",
        ..LEAF
    },
    Spec {
        name: "disconnect",
        usage: "disconnect CLIENT",
        gloss: "break the connection of a client",
        example: "disconnect w1",
        ..LEAF
    },
    Spec {
        name: "connect",
        usage: "connect CLIENT",
        gloss: "reconnect a client, which resumes its watches",
        example: "connect w1",
        ..LEAF
    },
    Spec {
        name: "stop",
        usage: "stop NODE [--signal=SIGTERM]",
        gloss: "stop the process of a node; the data in its memory is lost",
        example: "stop c1",
        ..LEAF
    },
    Spec {
        name: "crash",
        usage: "crash MEMBER",
        gloss: "simulate a power failure of a member's machine; `start MEMBER` recovers the data",
        example: "crash etcd",
        ..LEAF
    },
    Spec {
        name: "start",
        usage: "start NODE",
        gloss: "start a stopped process",
        example: "start c1",
        ..LEAF
    },
    Spec {
        name: "snapshot",
        usage: "snapshot save FILE [--open], snapshot close FILE, snapshot status FILE [-w FORMAT], \
                snapshot restore FILE [--bump-revision=N] [--mark-compacted]; \
                `status` and `restore` also accept etcd's own form and flags: \
                `etcdutl snapshot …` (3.6) or `etcdctl snapshot …` (3.4)",
        extra: SNAPSHOT_EXTRA,
        gloss: "save the database as a file, summarize a saved file, or restore a saved file while etcd is stopped",
        example: "snapshot save monday.db",
        ..LEAF
    },
    Spec {
        name: "net",
        usage: "net CLIENT [up|down|watches] CHANGE",
        gloss: "change how messages travel between a client and the member",
        example: "net w1 down delay 5ms",
        ..LEAF
    },
    Spec {
        name: "clock",
        usage: "clock NODE offset [-]DURATION [drift N ppm]",
        gloss: "set the clock error of a node",
        example: "clock etcd offset -200ms drift 50 ppm",
        ..LEAF
    },
    Spec {
        name: "set",
        usage: "set NAME VALUE|default",
        gloss: "change a setting; `show settings` lists all settings",
        example: "set watch-channel 4",
        ..LEAF
    },
];
