//! Prints the responses of `auth`, `user` and `role`.
//!
//! Mirrors `printer_simple.go`, `printer_fields.go` and the JSON tags of the messages. The format fields cannot print
//! three of these responses, and the format table none of them.

use super::fields::{Fields, quoted};
use super::json::{self, header};
use super::{fail, unsupported};
use crate::api::{
    AuthContent, AuthRequest, AuthResponse, Permission, Profile, Reply, Response, ResponseHeader,
};
use crate::base::bytes::prefix_end;
use crate::base::go::quote::push_quoted;
use crate::base::json::{Json, push_bytes, push_string};
use crate::base::proto::ProtoMessage;
use crate::shell::etcdctl::operation::EXIT_ERROR;
use crate::shell::{AuthCommand, Etcdctl, Format, Output};

/// Prints the responses to a command, which sends one request or a sequence of requests.
pub(super) fn print(
    command: &Etcdctl,
    auth: &AuthCommand,
    replies: &[Reply],
    profile: Profile,
    output: &mut Output,
) {
    if let (AuthRequest::UserGet { name }, true, [Ok(Response::Auth(user)), roles @ ..]) =
        (&auth.request, auth.detail, replies)
    {
        return detail(command, (name, user, roles), profile, output);
    }
    match replies.last() {
        Some(Ok(Response::Auth(response))) => {
            response_to(command, &auth.request, response, profile, output);
        }
        Some(Err(error)) => fail(output, &error.to_string(), EXIT_ERROR),
        _ => {}
    }
}

/// Prints the output of `user get --detail`: the response to `role get` for each role of the user.
fn detail(
    command: &Etcdctl,
    (name, user, roles): (&str, &AuthResponse, &[Reply]),
    profile: Profile,
    output: &mut Output,
) {
    push(output, &format!("User: {name}\n"));
    let AuthContent::Roles(names) = &user.content else {
        return;
    };
    for (role, reply) in names.iter().zip(roles) {
        push(output, "\n");
        match reply {
            Ok(Response::Auth(response)) => {
                let role = role.to_string();
                let request = AuthRequest::RoleGet { role };
                response_to(command, &request, response, profile, output);
            }
            Err(error) => fail(output, &error.to_string(), EXIT_ERROR),
            Ok(_) => {}
        }
        if output.exit != 0 {
            return;
        }
    }
}

fn push(output: &mut Output, text: &str) {
    output.stdout.extend_from_slice(text.as_bytes());
}

fn response_to(
    command: &Etcdctl,
    request: &AuthRequest,
    response: &AuthResponse,
    profile: Profile,
    output: &mut Output,
) {
    let has_fields = !matches!(
        request,
        AuthRequest::UserGet { .. } | AuthRequest::UserList | AuthRequest::Status
    );
    match (request, command.format) {
        (AuthRequest::Enable, _) => push(output, "Authentication Enabled\n"),
        (AuthRequest::Disable, _) => push(output, "Authentication Disabled\n"),
        (_, Format::Simple) => simple(request, &response.content, &mut output.stdout),
        (_, Format::Json) => json::line(&mut output.stdout, |out| json_of(out, response)),
        (_, Format::Fields) if has_fields => {
            let fields = Fields::new(command.hex, profile);
            fields.header(&mut output.stdout, &response.header);
            fields_of(&response.content, &mut output.stdout);
        }
        (_, Format::Protobuf) => response.write(&mut output.stdout),
        (_, format @ (Format::Fields | Format::Table)) => unsupported(format, output),
    }
}

fn simple(request: &AuthRequest, content: &AuthContent, out: &mut Vec<u8>) {
    match content {
        AuthContent::Status {
            enabled,
            auth_revision,
        } => {
            let text = format!("Authentication Status: {enabled}\nAuthRevision: {auth_revision}\n");
            out.extend_from_slice(text.as_bytes());
            return;
        }
        AuthContent::Permissions(permissions) => {
            if let AuthRequest::RoleGet { role } = request {
                permissions_of(role, permissions, out);
            }
            return;
        }
        AuthContent::Roles(roles) if let AuthRequest::UserGet { name } = request => {
            let mut text = format!("User: {name}\nRoles:");
            for role in roles {
                text.push(' ');
                text.push_str(role);
            }
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
            return;
        }
        AuthContent::Users(names) | AuthContent::Roles(names) => {
            for name in names {
                out.extend_from_slice(name.as_bytes());
                out.push(b'\n');
            }
            return;
        }
        AuthContent::Done | AuthContent::Token(_) => {}
    }
    let text = match request {
        AuthRequest::UserAdd { name, .. } => format!("User {name} created"),
        AuthRequest::UserDelete { name } => format!("User {name} deleted"),
        AuthRequest::UserChangePassword { .. } => "Password updated".to_owned(),
        AuthRequest::UserGrantRole { user, role } => {
            format!("Role {role} is granted to user {user}")
        }
        AuthRequest::UserRevokeRole { name, role } => {
            format!("Role {role} is revoked from user {name}")
        }
        AuthRequest::RoleAdd { name } => format!("Role {name} created"),
        AuthRequest::RoleDelete { role } => format!("Role {role} deleted"),
        AuthRequest::RoleGrantPermission { name, .. } => format!("Role {name} updated"),
        AuthRequest::RoleRevokePermission {
            role,
            key,
            range_end,
        } => {
            return revoked(role, (key, range_end), out);
        }
        AuthRequest::Enable
        | AuthRequest::Disable
        | AuthRequest::Status
        | AuthRequest::UserGet { .. }
        | AuthRequest::UserList
        | AuthRequest::RoleGet { .. }
        | AuthRequest::RoleList
        | AuthRequest::AssignToken { .. } => return,
    };
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

/// Prints the output of `role revoke-permission`. etcdctl prints the key as typed, so an empty key stays empty.
fn revoked(role: &str, (key, end): (&[u8], &[u8]), out: &mut Vec<u8>) {
    let typed: &[u8] = if key == [0] { b"" } else { key };
    out.extend_from_slice(match end {
        [] => b"Permission of key ".as_slice(),
        _ => b"Permission of range [",
    });
    out.extend_from_slice(typed);
    match end {
        [] => {}
        [0] => out.extend_from_slice(b", <open ended>"),
        end => {
            out.extend_from_slice(b", ");
            out.extend_from_slice(end);
            out.push(b')');
        }
    }
    out.extend_from_slice(format!(" is revoked from role {role}\n").as_bytes());
}

fn permissions_of(role: &str, all: &[Permission], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("Role {role}\n").as_bytes());
    out.extend_from_slice(b"KV Read:\n");
    for permission in all.iter().filter(|permission| permission.kind.reads()) {
        keys(permission, out);
    }
    out.extend_from_slice(b"KV Write:\n");
    for permission in all.iter().filter(|permission| permission.kind.writes()) {
        keys(permission, out);
    }
}

fn keys(permission: &Permission, out: &mut Vec<u8>) {
    let Permission { key, range_end, .. } = permission;
    out.push(b'\t');
    if range_end.is_empty() {
        out.extend_from_slice(key);
        return out.push(b'\n');
    }
    out.push(b'[');
    out.extend_from_slice(key);
    match **range_end {
        [0] => out.extend_from_slice(b", <open ended>"),
        ref end => {
            out.extend_from_slice(b", ");
            out.extend_from_slice(end);
            out.push(b')');
        }
    }
    if prefix_end(key) == *range_end && !key.is_empty() {
        out.extend_from_slice(b" (prefix ");
        out.extend_from_slice(key);
        out.push(b')');
    }
    out.push(b'\n');
}

fn json_of(out: &mut String, response: &AuthResponse) {
    let mut json = Json::object(out);
    if response.header != ResponseHeader::default() {
        header(&mut json, &response.header);
    }
    let list = |json: &mut Json<'_>, field: &str, names: &[std::sync::Arc<str>]| {
        if !names.is_empty() {
            let mut list = Json::array(json.key(field));
            for name in names {
                push_string(list.item(), name);
            }
        }
    };
    match &response.content {
        AuthContent::Done | AuthContent::Token(_) => {}
        AuthContent::Status {
            enabled,
            auth_revision,
        } => {
            if *enabled {
                json.value("enabled", true);
            }
            json.value("authRevision", *auth_revision);
        }
        AuthContent::Users(names) => list(&mut json, "users", names),
        AuthContent::Roles(names) => list(&mut json, "roles", names),
        AuthContent::Permissions(permissions) if !permissions.is_empty() => {
            let mut list = Json::array(json.key("perm"));
            for permission in permissions {
                permission_json(list.item(), permission);
            }
        }
        AuthContent::Permissions(_) => {}
    }
}

fn permission_json(out: &mut String, permission: &Permission) {
    let mut json = Json::object(out);
    if permission.kind.number() != 0 {
        json.value("permType", permission.kind.number());
    }
    for (name, bytes) in [
        ("key", &permission.key),
        ("range_end", &permission.range_end),
    ] {
        if !bytes.is_empty() {
            push_bytes(json.key(name), bytes);
        }
    }
}

fn fields_of(content: &AuthContent, out: &mut Vec<u8>) {
    match content {
        AuthContent::Permissions(permissions) => {
            for permission in permissions {
                let kind = permission.kind.name();
                out.extend_from_slice(format!("\"PermType\" :  {kind}\n").as_bytes());
                quoted(out, "", "Key", &permission.key);
                quoted(out, "", "RangeEnd", &permission.range_end);
            }
        }
        AuthContent::Roles(roles) => {
            out.extend_from_slice(b"\"Roles\" :");
            for role in roles {
                out.push(b' ');
                push_quoted(out, role.as_bytes());
            }
            out.push(b'\n');
        }
        AuthContent::Done
        | AuthContent::Status { .. }
        | AuthContent::Users(_)
        | AuthContent::Token(_) => {}
    }
}
