//! The rows of users and roles in the database.
//!
//! Mirrors `User` and `Role` of `authpb/auth.proto`, and `schema/auth_{users,roles}.go`.

use std::sync::Arc;

use crate::api::Permission;
use crate::base::Bytes;
use crate::base::proto::{
    Content, Field, ProtoMessage, Row, Scalar, Sink, decode, row, write_bytes,
};

/// A user: a row of the bucket `authUsers`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UserRow {
    pub name: Arc<str>,
    /// The hash of the password; empty for a user without a password.
    pub password: Bytes,
    /// The roles of the user, sorted by name.
    pub roles: Vec<Arc<str>>,
    /// Whether the user cannot log in with a password; `None` in the rows of old versions of etcd.
    pub no_password: Option<bool>,
}

/// A role: a row of the bucket `authRoles`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RoleRow {
    pub name: Arc<str>,
    /// The permissions of the role, sorted by key.
    pub permissions: Vec<Permission>,
}

#[derive(Default)]
struct Options {
    no_password: bool,
}

row! {
    Options { no_password = 1 }
}

fn text(content: Content<'_>) -> Option<Arc<str>> {
    match content {
        Content::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into()),
        Content::Int(_) => None,
    }
}

fn write_name(number: u32, name: &str, to: &mut impl Sink) {
    if !name.is_empty() {
        write_bytes(number, name.as_bytes(), to);
    }
}

impl ProtoMessage for UserRow {
    fn write(&self, to: &mut impl Sink) {
        write_name(1, &self.name, to);
        self.password.write_field(2, to);
        for role in &self.roles {
            write_bytes(3, role.as_bytes(), to);
        }
        let options = self.no_password.map(|no_password| Options { no_password });
        options.write_field(4, to);
    }
}

impl Row for UserRow {
    fn set(&mut self, number: u32, content: Content<'_>) {
        match (number, content) {
            (1, content) => self.name = text(content).unwrap_or_default(),
            (2, content) => self.password = Bytes::read(content).unwrap_or_default(),
            (3, content) => self.roles.extend(text(content)),
            (4, Content::Bytes(bytes)) => {
                self.no_password = decode::<Options>(bytes).map(|options| options.no_password);
            }
            _ => {}
        }
    }

    fn name(number: u32) -> Option<&'static str> {
        [
            None,
            Some("name"),
            Some("password"),
            Some("roles"),
            Some("options"),
        ]
        .get(number as usize)
        .copied()
        .flatten()
    }
}

impl ProtoMessage for RoleRow {
    fn write(&self, to: &mut impl Sink) {
        write_name(1, &self.name, to);
        self.permissions.write_field(2, to);
    }
}

impl Row for RoleRow {
    fn set(&mut self, number: u32, content: Content<'_>) {
        match (number, content) {
            (1, content) => self.name = text(content).unwrap_or_default(),
            (2, Content::Bytes(bytes)) => self.permissions.extend(decode::<Permission>(bytes)),
            _ => {}
        }
    }

    fn name(number: u32) -> Option<&'static str> {
        match number {
            1 => Some("name"),
            2 => Some("keyPermission"),
            _ => None,
        }
    }
}
