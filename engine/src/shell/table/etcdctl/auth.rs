//! etcdctl's commands for authentication: `auth`, `user` and `role`.

use crate::api::Profile;
use crate::shell::table::Versions::Since;
use crate::shell::table::{FlagKind, Group, Spec, command, flag};

pub(super) const AUTH: Spec = Spec {
    group: Some(Group::Authentication),
    children: &[
        command("enable", "enable", "Enables authentication"),
        command("disable", "disable", "Disables authentication"),
        Spec {
            versions: Since(Profile::V3_5),
            ..command("status", "status", "Returns authentication status")
        },
    ],
    ..command(
        "auth",
        "auth <enable or disable>",
        "Enable or disable authentication",
    )
};

pub(super) const USER: Spec = Spec {
    group: Some(Group::Authentication),
    children: &[
        Spec {
            flags: &[
                flag(
                    "interactive",
                    FlagKind::Bool,
                    "true",
                    "Read password from stdin instead of interactive terminal",
                ),
                flag(
                    "new-user-password",
                    FlagKind::Text,
                    "",
                    "Supply password from the command line flag",
                ),
                flag(
                    "no-password",
                    FlagKind::Bool,
                    "false",
                    "Create a user without password (CN based auth only)",
                ),
            ],
            ..command(
                "add",
                "add <user name or user:password> [options]",
                "Adds a new user",
            )
        },
        command("delete", "delete <user name>", "Deletes a user"),
        Spec {
            flags: &[flag(
                "detail",
                FlagKind::Bool,
                "false",
                "Show permissions of roles granted to the user",
            )],
            ..command(
                "get",
                "get <user name> [options]",
                "Gets detailed information of a user",
            )
        },
        command("list", "list", "Lists all users"),
        Spec {
            flags: &[flag(
                "interactive",
                FlagKind::Bool,
                "true",
                "If true, read password from stdin instead of interactive terminal",
            )],
            ..command(
                "passwd",
                "passwd <user name> [options]",
                "Changes password of user",
            )
        },
        command(
            "grant-role",
            "grant-role <user name> <role name>",
            "Grants a role to a user",
        ),
        command(
            "revoke-role",
            "revoke-role <user name> <role name>",
            "Revokes a role from a user",
        ),
    ],
    ..command("user", "user <subcommand>", "User related commands")
};

pub(super) const ROLE: Spec = Spec {
    group: Some(Group::Authentication),
    children: &[
        command("add", "add <role name>", "Adds a new role"),
        command("delete", "delete <role name>", "Deletes a role"),
        command(
            "get",
            "get <role name>",
            "Gets detailed information of a role",
        ),
        command("list", "list", "Lists all roles"),
        Spec {
            flags: &[
                flag(
                    "prefix",
                    FlagKind::Bool,
                    "false",
                    "grant a prefix permission",
                ),
                flag(
                    "from-key",
                    FlagKind::Bool,
                    "false",
                    "grant a permission of keys that are greater than or equal to the given key using byte compare",
                ),
            ],
            ..command(
                "grant-permission",
                "grant-permission [options] <role name> <permission type> <key> [endkey]",
                "Grants a key to a role",
            )
        },
        Spec {
            flags: &[
                flag(
                    "prefix",
                    FlagKind::Bool,
                    "false",
                    "revoke a prefix permission",
                ),
                flag(
                    "from-key",
                    FlagKind::Bool,
                    "false",
                    "revoke a permission of keys that are greater than or equal to the given key using byte compare",
                ),
            ],
            ..command(
                "revoke-permission",
                "revoke-permission <role name> <key> [endkey]",
                "Revokes a key from a role",
            )
        },
    ],
    ..command("role", "role <subcommand>", "Role related commands")
};
