//! etcdctl's commands for keys, transactions, watches and leases.

use crate::api::Profile;
use crate::shell::table::Versions::{Since, Until};
use crate::shell::table::world::WATCH_EXTRA;
use crate::shell::table::{
    Flag, FlagKind, Group, Spec, choice, command, flag, flag_of, short_flag,
};

pub(super) const GET: Spec = Spec {
    group: Some(Group::KeyValue),
    flags: GET_FLAGS,
    gloss: "read one key or a range, now or at a past revision",
    example: "get /key --prefix --rev 3 -w json",
    ..command(
        "get",
        "get [options] <key> [range_end]",
        "Gets the key or a range of keys",
    )
};

pub(super) const PUT: Spec = Spec {
    group: Some(Group::KeyValue),
    long: PUT_LONG,
    flags: PUT_FLAGS,
    gloss: "write a value to a key; this creates one revision",
    example: "put /key1 value1",
    ..command(
        "put",
        "put [options] <key> <value> (<value> can also be given from stdin)",
        "Puts the given key into the store",
    )
};

pub(super) const DEL: Spec = Spec {
    group: Some(Group::KeyValue),
    flags: DEL_FLAGS,
    gloss: "delete a key or a range; etcd writes a tombstone for each deleted key",
    example: "del /key --prefix --prev-kv",
    ..command(
        "del",
        "del [options] <key> [range_end]",
        "Removes the specified key or range of keys [key, range_end)",
    )
};

/// `txn`, whose page has a description since 3.6.
pub(super) const TXN: Spec = Spec {
    versions: Since(Profile::V3_6),
    long: TXN_LONG,
    ..OLD_TXN
};

/// `txn` of 3.4 and 3.5.
pub(super) const OLD_TXN: Spec = Spec {
    versions: Until(Profile::V3_5),
    group: Some(Group::KeyValue),
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
    ..command(
        "txn",
        "txn [options]",
        "Txn processes all the requests in one transaction",
    )
};

pub(super) const COMPACTION: Spec = Spec {
    group: Some(Group::KeyValue),
    flags: &[flag(
        "physical",
        FlagKind::Bool,
        "false",
        "'true' to wait for compaction to physically remove all old revisions",
    )],
    gloss: "delete superseded rows up to a revision; reads at lower revisions then fail",
    example: "compaction 3",
    ..command(
        "compaction",
        "compaction [options] <revision>",
        "Compacts the event history in etcd",
    )
};

pub(super) const WATCH: Spec = Spec {
    group: Some(Group::KeyValue),
    flags: WATCH_FLAGS,
    extra: WATCH_EXTRA,
    gloss: "watch a key or a range; `recv` prints the events",
    example: "watch /key --prefix --rev 3 as w1",
    ..command(
        "watch",
        "watch [options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...]",
        "Watches events stream on keys or prefixes",
    )
};

pub(super) const LEASE: Spec = Spec {
    group: Some(Group::KeyValue),
    gloss: "manage leases; when a lease expires, etcd deletes its keys",
    example: "lease grant 60",
    children: &[
        Spec {
            gloss: "create a lease of TTL seconds; attach keys with put --lease=ID",
            example: "lease grant 60",
            ..command("grant", "grant <ttl>", "Creates leases")
        },
        Spec {
            gloss: "revoke a lease; etcd deletes its keys in one revision",
            example: "lease revoke 694d000000000001",
            ..command("revoke", "revoke <leaseID>", "Revokes leases")
        },
        Spec {
            flags: &[flag(
                "keys",
                FlagKind::Bool,
                "false",
                "Get keys attached to this lease",
            )],
            gloss: "print the remaining TTL of a lease and its attached keys",
            example: "lease timetolive 694d000000000001 --keys",
            ..command(
                "timetolive",
                "timetolive <leaseID> [options]",
                "Get lease information",
            )
        },
        Spec {
            gloss: "list all leases, sorted by expiry time",
            example: "lease list",
            ..command("list", "list", "List all active leases")
        },
        Spec {
            flags: KEEP_ALIVE_FLAGS,
            gloss: "renew a lease at every third of its TTL, until `unwatch` or Ctrl+C; with --once, renew it once",
            example: "lease keep-alive --once 694d000000000001",
            ..command(
                "keep-alive",
                "keep-alive [options] <leaseID>",
                "Keeps leases alive (renew)",
            )
        },
    ],
    ..command("lease", "lease <subcommand>", "Lease related commands")
};

const KEEP_ALIVE_FLAGS: &[Flag] = &[
    flag_of(
        Until(Profile::V3_4),
        flag(
            "once",
            FlagKind::Bool,
            "false",
            "Resets the keep-alive time to its original value and exits immediately",
        ),
    ),
    flag_of(
        Since(Profile::V3_5),
        flag(
            "once",
            FlagKind::Bool,
            "false",
            "Resets the keep-alive time to its original value and cobrautl.Exits immediately",
        ),
    ),
];

const ORDERS: &[&str] = &["ASCEND", "DESCEND"];
const TARGETS: &[&str] = &["CREATE", "KEY", "MODIFY", "VALUE", "VERSION"];

const GET_FLAGS: &[Flag] = &[
    choice(
        &["l", "s"],
        flag(
            "consistency",
            FlagKind::Text,
            "l",
            "Linearizable(l) or Serializable(s)",
        ),
    ),
    flag_of(
        Since(Profile::V3_5),
        flag("count-only", FlagKind::Bool, "false", "Get only the count"),
    ),
    flag(
        "from-key",
        FlagKind::Bool,
        "false",
        "Get keys that are greater than or equal to the given key using byte compare",
    ),
    flag("keys-only", FlagKind::Bool, "false", "Get only the keys"),
    flag("limit", FlagKind::Int, "0", "Maximum number of results"),
    flag_of(
        Since(Profile::V3_6),
        flag(
            "max-create-rev",
            FlagKind::Int,
            "0",
            "Maximum create revision",
        ),
    ),
    flag_of(
        Since(Profile::V3_6),
        flag(
            "max-mod-rev",
            FlagKind::Int,
            "0",
            "Maximum modification revision",
        ),
    ),
    flag_of(
        Since(Profile::V3_6),
        flag(
            "min-create-rev",
            FlagKind::Int,
            "0",
            "Minimum create revision",
        ),
    ),
    flag_of(
        Since(Profile::V3_6),
        flag(
            "min-mod-rev",
            FlagKind::Int,
            "0",
            "Minimum modification revision",
        ),
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
    flag_of(
        Since(Profile::V3_7),
        flag("stream", FlagKind::Bool, "false", "Use the RangeStream RPC"),
    ),
];

const PUT_FLAGS: &[Flag] = &[
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

const DEL_FLAGS: &[Flag] = &[
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
    flag_of(
        Since(Profile::V3_5),
        flag("range", FlagKind::Bool, "false", "delete range of keys"),
    ),
];

const WATCH_FLAGS: &[Flag] = &[
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
    flag_of(
        Since(Profile::V3_5),
        flag(
            "progress-notify",
            FlagKind::Bool,
            "false",
            "get periodic watch progress notification from server",
        ),
    ),
    flag("rev", FlagKind::Int, "0", "Revision to start watching"),
];

const PUT_LONG: &str = "
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

const TXN_LONG: &str = "\
Txn reads multiple etcd requests from standard input and applies them as a single atomic transaction.

A transaction consists of three components:
1) a list of conditions,
2) a list of requests to apply if all the conditions are true,
3) a list of requests to apply if any condition is false.

Example interactive stdin usage:

---
etcdctl txn -i
# compares:
mod(\"key1\") > \"0\"

# success requests (get, put, delete):
put key1 \"overwrote-key1\"

# failure requests (get, put, delete):
put key1 \"created-key1\"
put key2 \"some extra key\"
---

Refer to https://github.com/etcd-io/etcd/blob/main/etcdctl/README.md#txn-options.";
