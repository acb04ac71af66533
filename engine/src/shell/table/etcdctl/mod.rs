//! The commands of etcdctl, of all versions, whether the simulator has them or not: their pages are printed in any
//! case.
//!
//! Mirrors the definitions in `etcdctl/ctlv3/command`.

mod auth;
mod cluster;
mod key_value;
mod utility;

use super::Versions::Since;
use super::qos::QOS;
use super::{Flag, FlagKind, Spec, WRITE_OUT, choice, command, flag, flag_of, short_flag};
use crate::api::Profile;

/// The command `etcdctl`. The subcommands are in upstream's order, which is the order of etcdctl's suggestions.
pub(in crate::shell) static ETCDCTL: Spec = Spec {
    shared: GLOBAL_FLAGS,
    children: &[
        key_value::GET,
        key_value::PUT,
        key_value::DEL,
        key_value::OLD_TXN,
        key_value::TXN,
        key_value::COMPACTION,
        cluster::ALARM,
        cluster::DEFRAG,
        cluster::ENDPOINT,
        cluster::MOVE_LEADER,
        key_value::WATCH,
        utility::VERSION,
        key_value::LEASE,
        cluster::MEMBER,
        cluster::OLD_SNAPSHOT,
        cluster::SNAPSHOT_3_6,
        cluster::SNAPSHOT,
        utility::MAKE_MIRROR,
        utility::MIGRATE,
        utility::LOCK,
        utility::ELECT,
        auth::AUTH,
        auth::USER,
        auth::ROLE,
        utility::CHECK,
        utility::HELP,
        utility::OLD_COMPLETION,
        utility::COMPLETION,
        cluster::DOWNGRADE,
        utility::OPTIONS,
        QOS,
    ],
    ..command(
        "etcdctl",
        "etcdctl",
        "A simple command line client for etcd3.",
    )
};

const FORMATS: &[&str] = &["simple", "json", "fields", "table", "protobuf"];

static GLOBAL_FLAGS: &[Flag] = &[
    flag_of(
        Since(Profile::V3_7),
        flag(
            "auth-jwt-token",
            FlagKind::Text,
            "",
            "JWT token used for authentication (if this option is used, --user and --password should not be set)",
        ),
    ),
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
    flag_of(
        Since(Profile::V3_6),
        flag(
            "max-recv-bytes",
            FlagKind::Int,
            "0",
            "client-side response receive limit in bytes (if 0, it defaults to \"math.MaxInt32\")",
        ),
    ),
    flag_of(
        Since(Profile::V3_6),
        flag(
            "max-request-bytes",
            FlagKind::Int,
            "0",
            "client-side request send limit in bytes (if 0, it defaults to 2.0 MiB (2 * 1024 * 1024).)",
        ),
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
