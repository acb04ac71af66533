//! The requests of the service `Auth`: logins, users and roles, with their responses.
//!
//! Mirrors the messages `Auth…` and `Authenticate…` of `rpc.proto` and `authpb/auth.proto`. Passwords are hashed as
//! [`Password`] describes. Left out: JSON Web Tokens and the common names of TLS certificates.

use std::sync::Arc;

use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::proto::{Content, Field, ProtoMessage, Scalar, Sink, message, row, write_bytes};

use super::ResponseHeader;

/// `Auth.Authenticate`: checks a password, which costs processor time, and returns a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AuthenticateRequest {
    pub name: String,
    pub password: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AuthenticateResponse {
    pub header: ResponseHeader,
    /// The token, which the client sends with its requests.
    pub token: Sparse<Option<Arc<str>>>,
}

message! {
    AuthenticateRequest { name = 1, password = 2 }
}

/// A request that reads or changes users, roles or the state of authentication.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AuthRequest {
    /// `AuthEnable`: from now on, requests need a user.
    Enable,
    Disable,
    /// `AuthStatus` (since 3.5)
    Status,
    UserAdd {
        name: String,
        /// The password of the new user; `None` for a user that cannot log in with a password (`--no-password`).
        password: Option<Password>,
    },
    UserDelete {
        name: String,
    },
    /// `UserGet`: returns the roles of a user.
    UserGet {
        name: String,
    },
    UserList,
    UserChangePassword {
        name: String,
        password: Password,
    },
    UserGrantRole {
        user: String,
        role: String,
    },
    UserRevokeRole {
        name: String,
        role: String,
    },
    RoleAdd {
        name: String,
    },
    RoleDelete {
        role: String,
    },
    /// `RoleGet`: returns the permissions of a role.
    RoleGet {
        role: String,
    },
    RoleList,
    RoleGrantPermission {
        name: String,
        /// The permission, which replaces a permission for the same keys.
        permission: Permission,
    },
    RoleRevokePermission {
        role: String,
        key: Bytes,
        /// The end of the range; empty for a single key.
        range_end: Bytes,
    },
    /// `InternalAuthenticateRequest`: assigns a token to a user. Only members create this request, after they have
    /// checked the password.
    AssignToken {
        name: String,
        /// The random part of the token.
        simple_token: Arc<str>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Password {
    /// The password as the client sends it.
    Plain(String),
    /// The hash of the password. A member proposes only hashes.
    Hashed(Bytes),
}

/// The permission to read or write a key or a range of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permission {
    pub kind: PermissionType,
    pub key: Bytes,
    /// The end of the range: empty for a single key, `\0` for all keys from `key` on.
    pub range_end: Bytes,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PermissionType {
    #[default]
    Read,
    /// Puts and deletes.
    Write,
    ReadWrite,
}

impl PermissionType {
    /// Parses the name of a permission type, in upper or lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let types = [Self::Read, Self::Write, Self::ReadWrite];
        types
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(text))
    }

    /// Returns the name of the permission type, such as `READWRITE`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "READ",
            Self::Write => "WRITE",
            Self::ReadWrite => "READWRITE",
        }
    }

    /// Returns the number of the permission type on the wire.
    pub fn number(self) -> u64 {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::ReadWrite => 2,
        }
    }

    pub fn reads(self) -> bool {
        self != Self::Write
    }

    pub fn writes(self) -> bool {
        self != Self::Read
    }
}

impl Field for PermissionType {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        self.number().write_field(number, to);
    }
}

impl Scalar for PermissionType {
    fn read(content: Content<'_>) -> Option<Self> {
        let types = [Self::Read, Self::Write, Self::ReadWrite];
        let number = u64::read(content)?;
        types.into_iter().find(|kind| kind.number() == number)
    }
}

row! {
    Permission { kind = 1, key = 2, range_end = 3 }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AuthResponse {
    pub header: ResponseHeader,
    pub content: AuthContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AuthContent {
    /// The change has taken effect.
    Done,
    Status {
        /// Whether requests need a user.
        enabled: bool,
        /// The number of changes to users and roles, which starts at 1.
        auth_revision: u64,
    },
    /// The names of users, sorted.
    Users(Vec<Arc<str>>),
    /// The names of roles, sorted.
    Roles(Vec<Arc<str>>),
    /// The permissions of a role, sorted by key.
    Permissions(Vec<Permission>),
    Token(Arc<str>),
}

impl From<AuthContent> for AuthResponse {
    fn from(content: AuthContent) -> Self {
        let header = ResponseHeader::default();
        Self { header, content }
    }
}

struct UserAddOptions {
    no_password: bool,
}

message! {
    UserAddOptions { no_password = 1 }
}

impl AuthRequest {
    /// Returns the name of the request's method, such as `UserAdd`.
    pub fn method(&self) -> &'static str {
        self.numbered().0
    }

    /// Returns the number of the request's field in a raft entry (`InternalRaftRequest`).
    pub fn entry_field(&self) -> u32 {
        self.numbered().1
    }

    fn numbered(&self) -> (&'static str, u32) {
        match self {
            Self::Enable => ("AuthEnable", 1000),
            Self::Disable => ("AuthDisable", 1011),
            Self::AssignToken { .. } => ("Authenticate", 1012),
            Self::Status => ("AuthStatus", 1013),
            Self::UserAdd { .. } => ("UserAdd", 1100),
            Self::UserDelete { .. } => ("UserDelete", 1101),
            Self::UserGet { .. } => ("UserGet", 1102),
            Self::UserChangePassword { .. } => ("UserChangePassword", 1103),
            Self::UserGrantRole { .. } => ("UserGrantRole", 1104),
            Self::UserRevokeRole { .. } => ("UserRevokeRole", 1105),
            Self::UserList => ("UserList", 1106),
            Self::RoleList => ("RoleList", 1107),
            Self::RoleAdd { .. } => ("RoleAdd", 1200),
            Self::RoleDelete { .. } => ("RoleDelete", 1201),
            Self::RoleGet { .. } => ("RoleGet", 1202),
            Self::RoleGrantPermission { .. } => ("RoleGrantPermission", 1203),
            Self::RoleRevokePermission { .. } => ("RoleRevokePermission", 1204),
        }
    }

    pub fn is_write(&self) -> bool {
        match self {
            Self::Status
            | Self::UserGet { .. }
            | Self::UserList
            | Self::RoleGet { .. }
            | Self::RoleList => false,
            Self::Enable
            | Self::Disable
            | Self::UserAdd { .. }
            | Self::UserDelete { .. }
            | Self::UserChangePassword { .. }
            | Self::UserGrantRole { .. }
            | Self::UserRevokeRole { .. }
            | Self::RoleAdd { .. }
            | Self::RoleDelete { .. }
            | Self::RoleGrantPermission { .. }
            | Self::RoleRevokePermission { .. }
            | Self::AssignToken { .. } => true,
        }
    }
}

fn write_password(password: &Password, hash: u32, to: &mut impl Sink) {
    match password {
        Password::Plain(text) => text.write_field(2, to),
        Password::Hashed(bytes) => bytes.write_field(hash, to),
    }
}

impl ProtoMessage for AuthRequest {
    fn write(&self, to: &mut impl Sink) {
        match self {
            Self::Enable | Self::Disable | Self::Status | Self::UserList | Self::RoleList => {}
            Self::UserAdd { name, password } => {
                name.write_field(1, to);
                let options = UserAddOptions {
                    no_password: password.is_none(),
                };
                match password {
                    Some(Password::Plain(text)) => text.write_field(2, to),
                    Some(Password::Hashed(_)) | None => {}
                }
                options.write_field(3, to);
                if let Some(Password::Hashed(bytes)) = password {
                    bytes.write_field(4, to);
                }
            }
            Self::UserChangePassword { name, password } => {
                name.write_field(1, to);
                write_password(password, 3, to);
            }
            Self::UserDelete { name } | Self::UserGet { name } | Self::RoleAdd { name } => {
                name.write_field(1, to);
            }
            Self::RoleDelete { role } | Self::RoleGet { role } => role.write_field(1, to),
            Self::UserGrantRole { user: name, role } | Self::UserRevokeRole { name, role } => {
                name.write_field(1, to);
                role.write_field(2, to);
            }
            Self::RoleGrantPermission { name, permission } => {
                name.write_field(1, to);
                permission.write_field(2, to);
            }
            Self::RoleRevokePermission {
                role,
                key,
                range_end,
            } => {
                role.write_field(1, to);
                key.write_field(2, to);
                range_end.write_field(3, to);
            }
            Self::AssignToken { name, simple_token } => {
                name.write_field(1, to);
                write_bytes(3, simple_token.as_bytes(), to);
            }
        }
    }
}

impl ProtoMessage for AuthResponse {
    fn write(&self, to: &mut impl Sink) {
        self.header.write_field(1, to);
        match &self.content {
            AuthContent::Done => {}
            AuthContent::Status {
                enabled,
                auth_revision,
            } => {
                enabled.write_field(2, to);
                auth_revision.write_field(3, to);
            }
            AuthContent::Users(names) | AuthContent::Roles(names) => {
                for name in names {
                    write_bytes(2, name.as_bytes(), to);
                }
            }
            AuthContent::Permissions(permissions) => permissions.write_field(2, to),
            AuthContent::Token(token) => write_bytes(2, token.as_bytes(), to),
        }
    }
}
