//! etcdctl's commands for concurrency and its other tools.

use crate::api::Profile;
use crate::shell::table::Versions::{Only, Since, Until};
use crate::shell::table::{Flag, FlagKind, Group, Spec, command, flag, flag_of, short_flag};

pub(super) const VERSION: Spec = Spec {
    group: Some(Group::Utility),
    gloss: "print the version of the simulated etcdctl",
    example: "version",
    ..command("version", "version", "Prints the version of etcdctl")
};

pub(super) const MAKE_MIRROR: Spec = Spec {
    group: Some(Group::Utility),
    flags: MIRROR_FLAGS,
    gloss: "copy keys to another prefix or member, and then all changes, until `unwatch` or Ctrl+C",
    example: "make-mirror --prefix=/a/ --dest-prefix=/b/ localhost:2379",
    ..command(
        "make-mirror",
        "make-mirror [options] <destination>",
        "Makes a mirror at the destination etcd cluster",
    )
};

const MIRROR_FLAGS: &[Flag] = &[
    flag("prefix", FlagKind::Text, "", "Key-value prefix to mirror"),
    flag_of(
        Since(Profile::V3_6),
        flag(
            "rev",
            FlagKind::Int,
            "0",
            "Specify the kv revision to start to mirror",
        ),
    ),
    flag_of(
        Since(Profile::V3_6),
        flag(
            "max-txn-ops",
            FlagKind::Uint,
            "128",
            "Maximum number of operations permitted in a transaction during syncing updates.",
        ),
    ),
    flag(
        "dest-prefix",
        FlagKind::Text,
        "",
        "destination prefix to mirror a prefix to a different prefix in the destination cluster",
    ),
    flag(
        "no-dest-prefix",
        FlagKind::Bool,
        "false",
        "mirror key-values to the root of the destination cluster",
    ),
    flag(
        "dest-cert",
        FlagKind::Text,
        "",
        "Identify secure client using this TLS certificate file for the destination cluster",
    ),
    flag(
        "dest-key",
        FlagKind::Text,
        "",
        "Identify secure client using this TLS key file",
    ),
    flag(
        "dest-cacert",
        FlagKind::Text,
        "",
        "Verify certificates of TLS enabled secure servers using this CA bundle",
    ),
    flag(
        "dest-insecure-transport",
        FlagKind::Bool,
        "true",
        "Disable transport security for client connections",
    ),
    flag_of(
        Since(Profile::V3_5),
        flag(
            "dest-user",
            FlagKind::Text,
            "",
            "Destination username[:password] for authentication (prompt if password is not supplied)",
        ),
    ),
    flag_of(
        Since(Profile::V3_5),
        flag(
            "dest-password",
            FlagKind::Text,
            "",
            "Destination password for authentication (if this option is used, --user option shouldn't include \
             password)",
        ),
    ),
];

pub(super) const MIGRATE: Spec = Spec {
    versions: Until(Profile::V3_4),
    flags: &[
        flag("no-ttl", FlagKind::Bool, "false", "Do not convert TTL keys"),
        flag("data-dir", FlagKind::Text, "", "Path to the data directory"),
        flag("wal-dir", FlagKind::Text, "", "Path to the WAL directory"),
        flag(
            "transformer",
            FlagKind::Text,
            "",
            "Path to the user-provided transformer program",
        ),
    ],
    ..command(
        "migrate",
        "migrate",
        "Migrates keys in a v2 store to a mvcc store",
    )
};

pub(super) const LOCK: Spec = Spec {
    group: Some(Group::Concurrency),
    flags: &[flag("ttl", FlagKind::Int, "10", "timeout for session")],
    gloss: "wait for a lock and hold it until `unwatch` or Ctrl+C, or while a command runs",
    example: "lock mylock as w1",
    ..command(
        "lock",
        "lock <lockname> [exec-command arg1 arg2 ...]",
        "Acquires a named lock",
    )
};

pub(super) const ELECT: Spec = Spec {
    group: Some(Group::Concurrency),
    flags: &[short_flag(
        b'l',
        flag("listen", FlagKind::Bool, "false", "observation mode"),
    )],
    gloss: "wait for the leadership and hold it until `unwatch` or Ctrl+C; with -l, print each leader",
    example: "elect myelection node-1 as w1",
    ..command(
        "elect",
        "elect <election-name> [proposal]",
        "Observes and participates in leader election",
    )
};

pub(super) const CHECK: Spec = Spec {
    group: Some(Group::Utility),
    children: &[
        Spec {
            flags: &[
                flag_of(
                    Until(Profile::V3_5),
                    flag(
                        "load",
                        FlagKind::Text,
                        "s",
                        "The performance check's workload model. Accepted workloads: s(small), m(medium), l(large), \
                         xl(xLarge)",
                    ),
                ),
                flag_of(
                    Since(Profile::V3_6),
                    flag(
                        "load",
                        FlagKind::Text,
                        "s",
                        "The performance check's workload model. Accepted workloads: s(small), m(medium), l(large), \
                         xl(xLarge). Different workload models use different configurations in terms of number of \
                         clients and expected throughput.",
                    ),
                ),
                flag(
                    "prefix",
                    FlagKind::Text,
                    "/etcdctl-check-perf/",
                    "The prefix for writing the performance check's keys.",
                ),
                AUTO_COMPACT,
                AUTO_DEFRAG,
            ],
            ..command(
                "perf",
                "perf [options]",
                "Check the performance of the etcd cluster",
            )
        },
        Spec {
            long: "If no endpoint is provided, localhost will be used. If multiple endpoints are provided, first \
                   endpoint will be used.",
            flags: &[
                flag(
                    "load",
                    FlagKind::Text,
                    "s",
                    "The datascale check's workload model. Accepted workloads: s(small), m(medium), l(large), \
                     xl(xLarge)",
                ),
                flag(
                    "prefix",
                    FlagKind::Text,
                    "/etcdctl-check-datascale/",
                    "The prefix for writing the datascale check's keys.",
                ),
                AUTO_COMPACT,
                AUTO_DEFRAG,
            ],
            ..command(
                "datascale",
                "datascale [options]",
                "Check the memory usage of holding data for different workloads on a given server endpoint.",
            )
        },
    ],
    ..command(
        "check",
        "check <subcommand>",
        "commands for checking properties of the etcd cluster",
    )
};

const AUTO_COMPACT: Flag = flag(
    "auto-compact",
    FlagKind::Bool,
    "false",
    "Compact storage with last revision after test is finished.",
);

const AUTO_DEFRAG: Flag = flag(
    "auto-defrag",
    FlagKind::Bool,
    "false",
    "Defragment storage after test is finished.",
);

/// The command of the library cobra, which Debian's etcdctl 3.4.23 has.
pub(super) const OLD_COMPLETION: Spec = Spec {
    versions: Only(Profile::V3_4),
    children: &[
        command(
            "bash",
            "bash",
            "Generate the autocompletion script for bash",
        ),
        command("zsh", "zsh", "Generate the autocompletion script for zsh"),
        command(
            "fish",
            "fish",
            "Generate the autocompletion script for fish",
        ),
        command(
            "powershell",
            "powershell",
            "Generate the autocompletion script for powershell",
        ),
    ],
    ..command(
        "completion",
        "completion",
        "Generate the autocompletion script for the specified shell",
    )
};

pub(super) const COMPLETION: Spec = Spec {
    versions: Since(Profile::V3_6),
    group: Some(Group::Utility),
    long: COMPLETION_LONG,
    is_usage_complete: true,
    ..command(
        "completion",
        "completion [bash|zsh|fish|powershell]",
        "Generate completion script",
    )
};

/// Lists the global flags, which the pages of 3.7 no longer do.
pub(super) const OPTIONS: Spec = Spec {
    versions: Since(Profile::V3_7),
    group: Some(Group::Utility),
    ..command("options", "options", "Show the global command-line flags")
};

pub(super) const HELP: Spec = Spec {
    group: Some(Group::Utility),
    long: "Help provides help for any command in the application.\n\
           Simply type etcdctl help [path to command] for full details.",
    ..command("help", "help [command]", "Help about any command")
};

const COMPLETION_LONG: &str = "\
To load completions:

Bash:

  $ source <(etcdctl completion bash)

  # To load completions for each session, execute once:
  # Linux:
  $ etcdctl completion bash > /etc/bash_completion.d/etcdctl
  # macOS:
  $ etcdctl completion bash > /usr/local/etc/bash_completion.d/etcdctl

Zsh:

  # If shell completion is not already enabled in your environment,
  # you will need to enable it.  You can execute the following once:

  $ echo \"autoload -U compinit; compinit\" >> ~/.zshrc

  # To load completions for each session, execute once:
  $ etcdctl completion zsh > \"${fpath[1]}/_etcdctl\"

  # You will need to start a new shell for this setup to take effect.

fish:

  $ etcdctl completion fish | source

  # To load completions for each session, execute once:
  $ etcdctl completion fish > ~/.config/fish/completions/etcdctl.fish

PowerShell:

  PS> etcdctl completion powershell | Out-String | Invoke-Expression

  # To load completions for every new session, run:
  PS> etcdctl completion powershell > etcdctl.ps1
  # and source this file from your PowerShell profile.";
