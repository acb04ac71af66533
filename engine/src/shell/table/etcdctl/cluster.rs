//! etcdctl's commands for the maintenance of a cluster.

use crate::api::Profile;
use crate::shell::table::Versions::{Only, Since, Until};
use crate::shell::table::world::RESTORE_FLAGS;
use crate::shell::table::{Flag, FlagKind, Group, Spec, choice, command, flag, flag_of};

pub(super) const ALARM: Spec = Spec {
    group: Some(Group::Cluster),
    gloss: "list or clear alarms, such as NOSPACE when the database is full",
    example: "alarm list",
    children: &[
        Spec {
            gloss: "clear all alarms, so that etcd accepts writes again",
            example: "alarm disarm",
            ..command("disarm", "disarm", "Disarms all alarms")
        },
        Spec {
            gloss: "list the active alarms",
            example: "alarm list",
            ..command("list", "list", "Lists all alarms")
        },
    ],
    ..command("alarm", "alarm <subcommand>", "Alarm related commands")
};

pub(super) const DEFRAG: Spec = Spec {
    group: Some(Group::Cluster),
    flags: &[flag_of(
        Until(Profile::V3_5),
        flag(
            "data-dir",
            FlagKind::Text,
            "",
            "Optional. If present, defragments a data directory not in use by etcd.",
        ),
    )],
    shared: CLUSTER_FLAG,
    gloss: "rewrite the database file without its free pages",
    example: "defrag",
    ..command(
        "defrag",
        "defrag",
        "Defragments the storage of the etcd members with given endpoints",
    )
};

pub(super) const MOVE_LEADER: Spec = Spec {
    group: Some(Group::Cluster),
    gloss: "make another member the leader; the simulator also accepts a member's name",
    example: "move-leader etcd-2 --endpoints=etcd-1",
    ..command(
        "move-leader",
        "move-leader <transferee-member-id>",
        "Transfers leadership to another etcd cluster member.",
    )
};

pub(super) const ENDPOINT: Spec = Spec {
    group: Some(Group::Cluster),
    shared: CLUSTER_FLAG,
    gloss: "print the health, the status or the history hash of members",
    example: "endpoint status -w table",
    children: &[
        Spec {
            gloss: "read the key `health` and print the response time",
            example: "endpoint health",
            ..command(
                "health",
                "health",
                "Checks the healthiness of endpoints specified in `--endpoints` flag",
            )
        },
        Spec {
            long: STATUS_LONG,
            gloss: "print the version, the database size, the Raft term and the Raft index",
            example: "endpoint status -w table",
            ..command(
                "status",
                "status",
                "Prints out the status of endpoints specified in `--endpoints` flag",
            )
        },
        Spec {
            shared: &[
                flag_of(
                    Until(Profile::V3_5),
                    flag(
                        "rev",
                        FlagKind::Int,
                        "0",
                        "maximum revision to hash (default: all revisions)",
                    ),
                ),
                flag_of(
                    Since(Profile::V3_6),
                    flag(
                        "rev",
                        FlagKind::Int,
                        "0",
                        "maximum revision to hash (default: latest revision)",
                    ),
                ),
            ],
            gloss: "print a hash of the history; healthy members have the same hash at the same revision",
            example: "endpoint hashkv --rev 5",
            ..command(
                "hashkv",
                "hashkv",
                "Prints the KV history hash for each endpoint in --endpoints",
            )
        },
    ],
    ..command(
        "endpoint",
        "endpoint <subcommand>",
        "Endpoint related commands",
    )
};

const CLUSTER_FLAG: &[Flag] = &[flag(
    "cluster",
    FlagKind::Bool,
    "false",
    "use all endpoints from the cluster member list",
)];

pub(super) const MEMBER: Spec = Spec {
    group: Some(Group::Cluster),
    gloss: "print and change the members of the cluster",
    example: "member list -w table",
    children: &[
        Spec {
            flags: &[
                flag(
                    "peer-urls",
                    FlagKind::Text,
                    "",
                    "comma separated peer URLs for the new member.",
                ),
                flag(
                    "learner",
                    FlagKind::Bool,
                    "false",
                    "indicates if the new member is raft learner",
                ),
            ],
            gloss: "add a member or a learner, which `start NAME` then starts",
            example: "member add etcd-4 --peer-urls=http://etcd-4:2380",
            ..command(
                "add",
                "add <memberName> [options]",
                "Adds a member into the cluster",
            )
        },
        Spec {
            gloss: "remove a member, which then stops",
            example: "member remove 1e738073e57b0810",
            ..command(
                "remove",
                "remove <memberID>",
                "Removes a member from the cluster",
            )
        },
        Spec {
            flags: &[flag(
                "peer-urls",
                FlagKind::Text,
                "",
                "comma separated peer URLs for the updated member.",
            )],
            gloss: "change the peer URLs of a member",
            example: "member update 1e738073e57b0810 --peer-urls=http://etcd-9:2380",
            ..command(
                "update",
                "update <memberID> [options]",
                "Updates a member in the cluster",
            )
        },
        Spec {
            long: MEMBER_LIST_LONG,
            flags: &[flag_of(
                Since(Profile::V3_6),
                choice(
                    &["l", "s"],
                    flag(
                        "consistency",
                        FlagKind::Text,
                        "l",
                        "Linearizable(l) or Serializable(s)",
                    ),
                ),
            )],
            gloss: "print the ID, the name and the addresses of each member",
            example: "member list -w table",
            ..command("list", "list", "Lists all members in the cluster")
        },
        Spec {
            long: "Promotes a non-voting learner member to a voting one in the cluster.",
            gloss: "make a learner a voter",
            example: "member promote 1e738073e57b0810",
            ..command(
                "promote",
                "promote <memberID>",
                "Promotes a non-voting member in the cluster",
            )
        },
    ],
    ..command(
        "member",
        "member <subcommand>",
        "Membership related commands",
    )
};

/// `etcdctl snapshot` of 3.4 and 3.5. The simulator's help has no row for it, because the simulator's own command
/// `snapshot` replaces it.
pub(super) const OLD_SNAPSHOT: Spec = Spec {
    versions: Until(Profile::V3_5),
    children: &[
        command(
            "save",
            "save <filename>",
            "Stores an etcd node backend snapshot to a given file",
        ),
        Spec {
            versions: Until(Profile::V3_4),
            flags: RESTORE_FLAGS,
            ..command("restore", "restore <filename> [options]", RESTORE_SHORT)
        },
        Spec {
            versions: Only(Profile::V3_5),
            long: "Moved to `etcdutl snapshot restore ...`",
            flags: RESTORE_FLAGS,
            ..command("restore", "restore <filename> [options]", RESTORE_SHORT)
        },
        Spec {
            versions: Until(Profile::V3_4),
            long: SNAPSHOT_STATUS_LONG,
            ..command(
                "status",
                "status <filename>",
                "Gets backend snapshot status of a given file",
            )
        },
        Spec {
            versions: Only(Profile::V3_5),
            long: SNAPSHOT_STATUS_LONG_3_5,
            ..command(
                "status",
                "status <filename>",
                "[deprecated] Gets backend snapshot status of a given file",
            )
        },
    ],
    ..SNAPSHOT_GROUP
};

pub(super) const SNAPSHOT_3_6: Spec = Spec {
    versions: Only(Profile::V3_6),
    manual: SNAPSHOT_MANUAL_3_6,
    children: &[Spec {
        manual: SNAPSHOT_MANUAL_3_6,
        ..SAVE
    }],
    ..SNAPSHOT_GROUP
};

/// `etcdctl snapshot` since 3.7.
pub(super) const SNAPSHOT: Spec = Spec {
    versions: Since(Profile::V3_7),
    manual: SNAPSHOT_MANUAL,
    children: &[Spec {
        manual: SNAPSHOT_MANUAL,
        ..SAVE
    }],
    ..SNAPSHOT_GROUP
};

const SNAPSHOT_GROUP: Spec = Spec {
    group: Some(Group::Cluster),
    ..command(
        "snapshot",
        "snapshot <subcommand>",
        "Manages etcd node snapshots",
    )
};

const SAVE: Spec = command(
    "save",
    "save <filename>",
    "Stores an etcd node backend snapshot to a given file",
);

const RESTORE_SHORT: &str = "Restores an etcd member snapshot to an etcd directory";

pub(super) const DOWNGRADE: Spec = Spec {
    versions: Since(Profile::V3_6),
    group: Some(Group::Cluster),
    children: &[
        command(
            "validate",
            "validate <TARGET_VERSION>",
            "Validate downgrade capability before starting downgrade",
        ),
        command(
            "enable",
            "enable <TARGET_VERSION>",
            "Start a downgrade action to cluster",
        ),
        command(
            "cancel",
            "cancel",
            "Cancel the ongoing downgrade action to cluster",
        ),
    ],
    ..command(
        "downgrade",
        "downgrade <TARGET_VERSION>",
        "Downgrade related commands",
    )
};

const MEMBER_LIST_LONG: &str = "\
When --write-out is set to simple, this command prints out comma-separated member lists for each endpoint.
The items in the lists are ID, Status, Name, Peer Addrs, Client Addrs, Is Learner.";

const SNAPSHOT_STATUS_LONG: &str = "\
When --write-out is set to simple, this command prints out comma-separated status lists for each endpoint.
The items in the lists are hash, revision, total keys, total size.";

const SNAPSHOT_STATUS_LONG_3_5: &str = "\
When --write-out is set to simple, this command prints out comma-separated status lists for each endpoint.
The items in the lists are hash, revision, total keys, total size.

Moved to 'etcdutl snapshot status ...'";

const STATUS_LONG: &str = "\
When --write-out is set to simple, this command prints out comma-separated status lists for each endpoint.
The items in the lists are endpoint, ID, version, db size, is leader, is learner, \
raft term, raft index, raft applied index, errors.";

/// The examples of `snapshot`. The word is misspelt in 3.6.
macro_rules! snapshot_manual {
    ($with:literal) => {
        concat!(
            "  # Save snapshot to a given file\n",
            "  etcdctl snapshot save /backup/etcd-snapshot.db\n  \n",
            "  # Get snapshot from given address and save it to file\n",
            "  etcdctl snapshot save --endpoints=127.0.0.1:3000 /backup/etcd-snapshot.db\n  \n",
            "  # Get snapshot from given address with certificates\n",
            "  etcdctl --endpoints=https://127.0.0.1:2379 --cacert=/etc/etcd/ca.crt --cert=/etc/etcd/etcd.crt \
             --key=/etc/etcd/etcd.key snapshot save /backup/etcd-snapshot.db\n  \n",
            "  # Get snapshot ",
            $with,
            " certain user and password\n",
            "  etcdctl --user=root --password=password123 snapshot save /backup/etcd-snapshot.db\n  \n",
            "  # Get snapshot from given address with timeout\n",
            "  etcdctl --endpoints=https://127.0.0.1:2379 --dial-timeout=20s snapshot save \
             /backup/etcd-snapshot.db\n  \n",
            "  # Save snapshot with desirable time format\n",
            "  etcdctl snapshot save /mnt/backup/etcd/backup_$(date +%Y%m%d_%H%M%S).db"
        )
    };
}
const SNAPSHOT_MANUAL: &str = snapshot_manual!("with");
const SNAPSHOT_MANUAL_3_6: &str = snapshot_manual!("wih");
