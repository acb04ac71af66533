//! The table of the commands of etcd QoS, a proposal that etcd never merged.

use super::{Flag, FlagKind, LEAF, Spec, choice, flag};

const KINDS: &[&str] = &["tbf", "lbf", "maxinflight", "window", "prio", "discard"];

static CLASS_FLAGS: &[Flag] = &[
    flag(
        "burst",
        FlagKind::Int,
        "0",
        "Capacity of the token bucket (tbf)",
    ),
    flag(
        "limit",
        FlagKind::Int,
        "0",
        "Maximum sum of costs in the time window (window)",
    ),
    flag(
        "max-wait",
        FlagKind::Duration,
        "0s",
        "Maximum delay of a request without a token (tbf)",
    ),
    flag(
        "num",
        FlagKind::Int,
        "0",
        "Maximum sum of the costs of running requests, where each request costs 1 by default (maxinflight); or maximum \
         number of running requests (prio)",
    ),
    choice(
        KINDS,
        flag(
            "qdisc-kind",
            FlagKind::Text,
            "",
            "Queue discipline: tbf, lbf, maxinflight, window, prio or discard",
        ),
    ),
    flag("qps", FlagKind::Text, "", "Requests per second (tbf, lbf)"),
    flag(
        "queue",
        FlagKind::Int,
        "2",
        "Maximum number of waiting requests (lbf, prio)",
    ),
    flag(
        "window",
        FlagKind::Duration,
        "0s",
        "Length of the time window (window)",
    ),
];

const OPS: &[&str] = &["Range", "Put", "DeleteRange", "Authenticate", "Watch"];
const CONDITIONS: &[&str] = &[
    "PercentOfStorageQuotaUsed",
    "ScanKeyNum",
    "RequestSize",
    "ResponseSize",
    "TotalTraffic",
    "RequestLatency",
    "KeyNum",
];

static RULE_FLAGS: &[Flag] = &[
    flag(
        "class",
        FlagKind::Text,
        "",
        "Class that limits the requests",
    ),
    flag(
        "client-ip",
        FlagKind::List,
        "[]",
        "Client address or CIDR block",
    ),
    flag(
        "condition",
        FlagKind::List,
        "[]",
        "Condition such as 'ScanKeyNum>1000'",
    ),
    choice(
        CONDITIONS,
        flag(
            "condition-kind",
            FlagKind::Text,
            "",
            "The quantity that a single condition compares with its threshold",
        ),
    ),
    flag(
        "condition-threshold",
        FlagKind::Text,
        "",
        "Threshold of a single condition",
    ),
    choice(
        &[
            "1",
            "failed",
            "scan_keys",
            "req_bytes",
            "traffic",
            "resp_bytes",
            "wall_ms",
            "cpu_ms",
        ],
        flag(
            "cost",
            FlagKind::Text,
            "1",
            "Cost of a request: 1 per request, or a measure of the request",
        ),
    ),
    choice(
        &["user", "ip", "key:2"],
        flag(
            "group-by",
            FlagKind::Text,
            "",
            "user, ip or key:N: each user, address or key prefix gets its own limiter",
        ),
    ),
    choice(
        &["Compact", "LeaseGrant", "Snapshot", "Txn"],
        flag(
            "method",
            FlagKind::List,
            "[]",
            "Methods of etcd's services, also of requests without an operation",
        ),
    ),
    choice(OPS, flag("ops", FlagKind::List, "[]", "Operations")),
    flag(
        "prefix",
        FlagKind::List,
        "[]",
        "Key prefixes; a prefix that contains a comma is in double quotes",
    ),
    flag(
        "prefixPaths",
        FlagKind::List,
        "[]",
        "The same as --prefix; the etcd QoS proposal uses this name",
    ),
    flag(
        "priority",
        FlagKind::Int,
        "0",
        "Priority from 1 to 100; the highest priority wins",
    ),
    flag(
        "qclassName",
        FlagKind::Text,
        "",
        "The same as --class; the etcd QoS proposal uses this name",
    ),
    flag(
        "retry",
        FlagKind::Int,
        "0",
        "Minimum number of earlier attempts of the request",
    ),
    choice(
        &["KV", "Watch", "Lease", "Cluster", "Maintenance", "Auth"],
        flag(
            "service",
            FlagKind::List,
            "[]",
            "Services of etcd: all methods of a service",
        ),
    ),
    flag(
        "strict",
        FlagKind::Bool,
        "false",
        "Refuse a rule if a transaction could match two rules of the same priority",
    ),
    flag("user", FlagKind::List, "[]", "User name"),
];

static MONITOR_FLAGS: &[Flag] = &[
    flag(
        "limit",
        FlagKind::Int,
        "100",
        "Number of requests after which the stream ends, at most 100",
    ),
    flag(
        "threshold",
        FlagKind::Text,
        "0",
        "Threshold: a number, bytes or a duration",
    ),
    choice(
        &["scanKeyNum", "latency", "traffic"],
        flag(
            "type",
            FlagKind::Text,
            "scanKeyNum",
            "Measure of a request: scanKeyNum, latency or traffic",
        ),
    ),
];

pub(super) const QOS: Spec = Spec {
    name: "qos",
    usage: "qos <subcommand>",
    short: "QoS related commands (a proposal)",
    gloss: "limit expensive requests; a proposal that etcd never merged",
    example: "qos rule list",
    children: &[
        Spec {
            name: "class",
            usage: "class <subcommand>",
            short: "QoS class related commands",
            gloss: "manage classes, which limit requests",
            example: "qos class add slow-query --qdisc-kind tbf --qps 10 --burst 12",
            children: &[
                Spec {
                    name: "add",
                    usage: "add <name> [options]",
                    short: "Adds a class",
                    flags: CLASS_FLAGS,
                    gloss: "add a class",
                    example: "qos class add slow-query --qdisc-kind tbf --qps 10 --burst 12",
                    ..LEAF
                },
                Spec {
                    name: "update",
                    usage: "update <name> [options]",
                    short: "Replaces a class",
                    flags: CLASS_FLAGS,
                    gloss: "replace a class; its limiters keep their state",
                    example: "qos class update slow-query --qdisc-kind tbf --qps 1 --burst 3",
                    ..LEAF
                },
                DEL,
                GET,
                LIST,
            ],
            ..LEAF
        },
        Spec {
            name: "rule",
            usage: "rule <subcommand>",
            short: "QoS rule related commands",
            gloss: "manage rules, which select requests for a class",
            example: "qos rule add r --class slow-query --priority 9 --ops Range",
            children: &[
                Spec {
                    name: "add",
                    usage: "add <name> [options]",
                    short: "Adds a rule",
                    flags: RULE_FLAGS,
                    gloss: "add a rule",
                    example: "qos rule add r --class slow-query --priority 9 --ops Range --prefix /a",
                    ..LEAF
                },
                Spec {
                    name: "update",
                    usage: "update <name> [options]",
                    short: "Replaces a rule",
                    flags: RULE_FLAGS,
                    gloss: "replace a rule",
                    example: "qos rule update r --class slow-query --priority 9 --ops Put",
                    ..LEAF
                },
                DEL,
                GET,
                LIST,
            ],
            ..LEAF
        },
        Spec {
            name: "monitor",
            usage: "monitor [options]",
            short: "Reports each request above a threshold",
            flags: MONITOR_FLAGS,
            gloss: "report each request above a threshold; `recv` prints the reports, `unwatch` ends the stream",
            example: "qos monitor --type scanKeyNum --threshold 1000 --limit 10 as m1",
            ..LEAF
        },
        Spec {
            name: "doctor",
            usage: "doctor [options]",
            short: "Proposes rules",
            flags: &[flag(
                "apply",
                FlagKind::Bool,
                "false",
                "Add the proposed classes and rules",
            )],
            gloss: "propose rules for the requests of the last minute",
            example: "qos doctor --apply",
            ..LEAF
        },
    ],
    ..LEAF
};

const DEL: Spec = Spec {
    name: "del",
    usage: "del <name>",
    short: "Deletes a definition",
    gloss: "delete a definition",
    example: "qos rule del r",
    ..LEAF
};

const GET: Spec = Spec {
    name: "get",
    usage: "get <name>",
    short: "Prints a definition",
    gloss: "print a definition",
    example: "qos rule get r",
    ..LEAF
};

const LIST: Spec = Spec {
    name: "list",
    usage: "list",
    short: "Lists all definitions",
    gloss: "list all definitions",
    example: "qos rule list",
    ..LEAF
};
