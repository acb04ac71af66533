//! The verbs for watches and for the world they live in, with names, usage and an example each.
//!
//! None of them is etcdctl's; what etcdctl's own `watch` takes here besides its flags is here too.

use super::{Flag, FlagKind, LEAF, Spec, WRITE_OUT, choice, flag, new_flag};

/// What `watch` takes beyond etcdctl's flags.
pub(in crate::shell) static WATCH_EXTRA: &[Flag] = &[
    choice(
        &["noput", "nodelete"],
        flag("filter", FlagKind::Text, "", "leave out puts, or deletes"),
    ),
    flag(
        "fragment",
        FlagKind::Bool,
        "false",
        "let the member split responses that are too large",
    ),
    flag(
        "watch-id",
        FlagKind::Int,
        "0",
        "the id wanted on the stream; 0 to be given one",
    ),
    flag(
        "many",
        FlagKind::Int,
        "",
        "this many watches at once, named NAME-1, NAME-2, …",
    ),
    flag(
        "streams",
        FlagKind::Int,
        "1",
        "with --many: on so many streams of one client; a stream for each four watches without it",
    ),
];

static LISTWATCH_EXTRA: &[Flag] = &[choice(
    &["nothing", "keys", "revision"],
    flag(
        "remember",
        FlagKind::Text,
        "nothing",
        "what it still knows when it comes back",
    ),
)];

static SNAPSHOT_EXTRA: &[Flag] = &[
    flag(
        "open",
        FlagKind::Bool,
        "false",
        "save: its read transaction stays open until `snapshot close FILE`",
    ),
    flag(
        "bump-revision",
        FlagKind::Int,
        "0",
        "restore: how much is added to the revision",
    ),
    flag(
        "mark-compacted",
        FlagKind::Bool,
        "false",
        "restore: watches of before are told that they are too old",
    ),
];

/// The flags of etcdutl for all of its commands.
pub(in crate::shell) static ETCDUTL_FLAGS: &[Flag] = &[WRITE_OUT];

/// The flags of `snapshot restore` of etcdctl 3.4 and of etcdutl.
pub(in crate::shell) static RESTORE_FLAGS: &[Flag] = &[
    flag("data-dir", FlagKind::Text, "", "Path to the data directory"),
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
    new_flag(
        "initial-memory-map-size",
        FlagKind::Int,
        "0",
        "Initial memory map size of the database in bytes",
    ),
    new_flag(
        "bump-revision",
        FlagKind::Int,
        "0",
        "How much to increase the latest revision after restore",
    ),
    new_flag(
        "mark-compacted",
        FlagKind::Bool,
        "false",
        "Mark the latest revision after restore as the point of scheduled compaction (required if \
         --bump-revision > 0, disallowed otherwise)",
    ),
];

/// `show settings`
pub(in crate::shell) const SHOW_SETTINGS: Spec = Spec {
    name: "settings",
    usage: "show settings [--json]",
    gloss: "sizes and periods, and what upstream has for them",
    example: "show settings",
    ..LEAF
};

/// `show watchers`
pub(in crate::shell) const SHOW_WATCHERS: Spec = Spec {
    name: "watchers",
    usage: "show watchers [--json]",
    gloss: "every watcher of the member and how far it has come",
    example: "show watchers",
    ..LEAF
};

/// The verbs.
pub(in crate::shell) static WORLD: &[Spec] = &[
    Spec {
        name: "recv",
        usage: "recv NAME",
        gloss: "print what has reached a watch since it was last asked",
        example: "recv w1",
        ..LEAF
    },
    Spec {
        name: "progress",
        usage: "progress NAME",
        gloss: "ask how far the stream of a watch has come",
        example: "progress w1",
        ..LEAF
    },
    Spec {
        name: "unwatch",
        usage: "unwatch NAME",
        gloss: "end a watch",
        example: "unwatch w1",
        ..LEAF
    },
    Spec {
        name: "listwatch",
        usage: "listwatch PREFIX as NAME [--remember=nothing|keys|revision]",
        extra: LISTWATCH_EXTRA,
        gloss: "a client that lists a prefix, watches it and keeps a copy",
        example: "listwatch /pods/ as c1 --remember=keys",
        ..LEAF
    },
    Spec {
        name: "keepalive",
        usage: "keepalive LEASE as NAME",
        gloss: "a client that keeps a lease alive, as `lease keep-alive` does without --once",
        example: "keepalive 694d000000000001 as leader",
        ..LEAF
    },
    Spec {
        name: "pause",
        usage: "pause NODE",
        gloss: "a node stops; what arrives waits",
        example: "pause w1",
        ..LEAF
    },
    Spec {
        name: "resume",
        usage: "resume NODE",
        gloss: "it goes on",
        example: "resume w1",
        ..LEAF
    },
    Spec {
        name: "slow",
        usage: "slow CLIENT DURATION",
        gloss: "a client takes this long over each response, an API server over each event of etcd",
        example: "slow w1 50ms",
        ..LEAF
    },
    Spec {
        name: "disconnect",
        usage: "disconnect CLIENT",
        gloss: "a client's connection breaks and stays broken",
        example: "disconnect w1",
        ..LEAF
    },
    Spec {
        name: "connect",
        usage: "connect CLIENT",
        gloss: "it connects again and resumes its watches",
        example: "connect w1",
        ..LEAF
    },
    Spec {
        name: "stop",
        usage: "stop NODE",
        gloss: "a process ends, etcd's too; what it only had in memory is gone",
        example: "stop c1",
        ..LEAF
    },
    Spec {
        name: "crash",
        usage: "crash etcd",
        gloss: "etcd's machine loses power, in the middle of a commit if one is pending; `start etcd` recovers",
        example: "crash etcd",
        ..LEAF
    },
    Spec {
        name: "start",
        usage: "start NODE",
        gloss: "starts the process again",
        example: "start c1",
        ..LEAF
    },
    Spec {
        name: "snapshot",
        usage: "snapshot save FILE [--open], snapshot close FILE, snapshot status FILE [-w FORMAT], \
                snapshot restore FILE [--bump-revision=N] [--mark-compacted]; \
                status and restore also as `etcdutl snapshot …` (3.6) or `etcdctl snapshot …` (3.4), with their flags",
        extra: SNAPSHOT_EXTRA,
        gloss: "save the database as a file, summarize the file, or restore it while etcd is stopped",
        example: "snapshot save monday.db",
        ..LEAF
    },
    Spec {
        name: "net",
        usage: "net CLIENT [up|down] CHANGE",
        gloss: "how messages travel between a client and the member",
        example: "net w1 down delay 5ms",
        ..LEAF
    },
    Spec {
        name: "clock",
        usage: "clock NODE offset [-]DURATION [drift N ppm]",
        gloss: "put a node's clock wrong",
        example: "clock etcd offset -200ms drift 50 ppm",
        ..LEAF
    },
    Spec {
        name: "set",
        usage: "set NAME VALUE|default",
        gloss: "change a size or a period; `show settings` lists them",
        example: "set watch-channel 4",
        ..LEAF
    },
];
