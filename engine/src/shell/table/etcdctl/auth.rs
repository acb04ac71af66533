//! etcdctl's commands for authentication: `auth`, `user` and `role`.

use crate::api::Profile;
use crate::shell::table::Versions::Since;
use crate::shell::table::{FlagKind, Group, Spec, command, flag};

pub(super) const AUTH: Spec = Spec {
    group: Some(Group::Authentication),
    gloss: "let etcd demand a user with every request; the user `root` needs a password first",
    example: "auth enable",
    children: &[
        Spec {
            gloss: "let etcd refuse requests without a user; first add the user `root`",
            example: "auth enable",
            ..command("enable", "enable", "Enables authentication")
        },
        Spec {
            gloss: "let etcd serve requests without a user again",
            example: "auth disable --user root:secret",
            ..command("disable", "disable", "Disables authentication")
        },
        Spec {
            versions: Since(Profile::V3_5),
            gloss: "print whether authentication is enabled, and the auth revision",
            example: "auth status --user root:secret",
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
    gloss: "add, change and delete users, and grant them roles",
    example: "user add alice:secret",
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
            gloss: "add a user with a password",
            example: "user add alice:secret",
            ..command(
                "add",
                "add <user name or user:password> [options]",
                "Adds a new user",
            )
        },
        Spec {
            gloss: "delete a user; its tokens become invalid",
            example: "user delete alice",
            ..command("delete", "delete <user name>", "Deletes a user")
        },
        Spec {
            flags: &[flag(
                "detail",
                FlagKind::Bool,
                "false",
                "Show permissions of roles granted to the user",
            )],
            gloss: "print the roles of a user, or with --detail their permissions",
            example: "user get alice --detail",
            ..command(
                "get",
                "get <user name> [options]",
                "Gets detailed information of a user",
            )
        },
        Spec {
            gloss: "print the names of all users",
            example: "user list",
            ..command("list", "list", "Lists all users")
        },
        Spec {
            flags: &[flag(
                "interactive",
                FlagKind::Bool,
                "true",
                "If true, read password from stdin instead of interactive terminal",
            )],
            gloss: "change a password, which the simulator reads from `echo`",
            example: "echo secret | etcdctl user passwd alice --interactive=false",
            ..command(
                "passwd",
                "passwd <user name> [options]",
                "Changes password of user",
            )
        },
        Spec {
            gloss: "give a user the permissions of a role",
            example: "user grant-role alice readers",
            ..command(
                "grant-role",
                "grant-role <user name> <role name>",
                "Grants a role to a user",
            )
        },
        Spec {
            gloss: "take a role from a user",
            example: "user revoke-role alice readers",
            ..command(
                "revoke-role",
                "revoke-role <user name> <role name>",
                "Revokes a role from a user",
            )
        },
    ],
    ..command("user", "user <subcommand>", "User related commands")
};

pub(super) const ROLE: Spec = Spec {
    group: Some(Group::Authentication),
    gloss: "add and delete roles, and grant them permissions for keys",
    example: "role grant-permission readers read /app/ --prefix",
    children: &[
        Spec {
            gloss: "add a role without permissions",
            example: "role add readers",
            ..command("add", "add <role name>", "Adds a new role")
        },
        Spec {
            gloss: "delete a role, also from its users",
            example: "role delete readers",
            ..command("delete", "delete <role name>", "Deletes a role")
        },
        Spec {
            gloss: "print the keys that a role may read and write",
            example: "role get readers",
            ..command(
                "get",
                "get <role name>",
                "Gets detailed information of a role",
            )
        },
        Spec {
            gloss: "print the names of all roles",
            example: "role list",
            ..command("list", "list", "Lists all roles")
        },
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
            gloss: "let a role read, write or readwrite a key or a range",
            example: "role grant-permission readers read /app/ --prefix",
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
            gloss: "take a permission from a role; the keys must be those of the grant",
            example: "role revoke-permission readers /app/ --prefix",
            ..command(
                "revoke-permission",
                "revoke-permission <role name> <key> [endkey]",
                "Revokes a key from a role",
            )
        },
    ],
    ..command("role", "role <subcommand>", "Role related commands")
};
