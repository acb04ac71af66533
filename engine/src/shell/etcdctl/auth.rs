//! Reads the commands `auth`, `user` and `role`.
//!
//! Mirrors `etcdctl/ctlv3/command/{auth,user,role}_command.go`. Left out: the question for a password. `user add` and
//! `user passwd` read a password from `echo PASSWORD | …` with `--interactive=false`.

use super::Stop;
use super::flags::Parsed;
use super::operation::EXIT_BAD_ARGS;
use crate::api::{AuthRequest, Credential, Password, Permission, PermissionType};
use crate::base::Bytes;
use crate::base::bytes::{escape, prefix_end};
use crate::shell::{AuthCommand, Output, ParseError, UserFlag, Verb};

pub(in crate::shell) fn read(
    name: &str,
    parsed: &Parsed,
    span: (usize, usize),
) -> Result<Verb, Stop> {
    let args: Vec<String> = parsed.args.iter().map(|arg| text(arg)).collect();
    let one = |complaint: &str| match args.as_slice() {
        [name] => Ok(name.clone()),
        _ => Err(bad_args(complaint)),
    };
    let two = |complaint: &str| match args.as_slice() {
        [name, role] => Ok((name.clone(), role.clone())),
        _ => Err(bad_args(complaint)),
    };
    let none = |complaint: &str, request: AuthRequest| match args.is_empty() {
        true => Ok(request),
        false => Err(bad_args(complaint)),
    };
    let request = match name {
        "auth enable" => none(
            "auth enable command does not accept any arguments",
            AuthRequest::Enable,
        )?,
        "auth disable" => none(
            "auth disable command does not accept any arguments",
            AuthRequest::Disable,
        )?,
        "auth status" => none(
            "auth status command does not accept any arguments",
            AuthRequest::Status,
        )?,
        "user add" => {
            return new_user(
                &one("user add command requires user name as its argument")?,
                parsed,
                span,
            );
        }
        "user delete" => AuthRequest::UserDelete {
            name: one("user delete command requires user name as its argument")?,
        },
        "user get" => AuthRequest::UserGet {
            name: one("user get command requires user name as its argument")?,
        },
        "user list" => none(
            "user list command requires no arguments",
            AuthRequest::UserList,
        )?,
        "user passwd" => {
            let name = one("user passwd command requires user name as its argument")?;
            if is_interactive(parsed) {
                return Err(cannot_ask(span));
            }
            let password = Password::Plain(String::new());
            let request = AuthRequest::UserChangePassword { name, password };
            return Ok(from_input(request));
        }
        "user grant-role" => {
            let complaint = "user grant command requires user name and role name as its argument";
            let (user, role) = two(complaint)?;
            AuthRequest::UserGrantRole { user, role }
        }
        "user revoke-role" => {
            let complaint = "user revoke-role requires user name and role name as its argument";
            let (name, role) = two(complaint)?;
            AuthRequest::UserRevokeRole { name, role }
        }
        "role add" => AuthRequest::RoleAdd {
            name: one("role add command requires role name as its argument")?,
        },
        "role delete" => AuthRequest::RoleDelete {
            role: one("role delete command requires role name as its argument")?,
        },
        "role get" => AuthRequest::RoleGet {
            role: one("role get command requires role name as its argument")?,
        },
        "role list" => none(
            "role list command requires no arguments",
            AuthRequest::RoleList,
        )?,
        "role grant-permission" => grant(&args, parsed)?,
        "role revoke-permission" => revoke(&args, parsed)?,
        other => unreachable!("`{other}` is in the table, but no code reads it"),
    };
    Ok(Verb::Auth(AuthCommand {
        request,
        detail: parsed.on("detail"),
        reads_password: false,
    }))
}

/// Creates the command that reads its password from the input.
fn from_input(request: AuthRequest) -> Verb {
    Verb::Auth(AuthCommand {
        request,
        detail: false,
        reads_password: true,
    })
}

fn text(arg: &[u8]) -> String {
    String::from_utf8_lossy(arg).into_owned()
}

fn bad_args(text: &str) -> Stop {
    Output::error(text, EXIT_BAD_ARGS).into()
}

fn is_interactive(parsed: &Parsed) -> bool {
    !parsed.has("interactive") || parsed.on("interactive")
}

fn cannot_ask(span: (usize, usize)) -> Stop {
    Stop::Unreadable(ParseError::new(
        span.0,
        span.1,
        "a password in the command",
        "Watchglass cannot ask for a password: write `user add NAME:PASSWORD`, or \
         `echo PASSWORD | etcdctl user passwd NAME --interactive=false`",
    ))
}

fn new_user(argument: &str, parsed: &Parsed, span: (usize, usize)) -> Result<Verb, Stop> {
    let flag = parsed.text("new-user-password").map(text);
    let flag = flag.filter(|password| !password.is_empty());
    let (name, password) = if parsed.on("no-password") {
        (argument, None)
    } else if let Some(password) = flag {
        (argument, Some(password))
    } else if let Some((name, password)) = argument.split_once(':') {
        if name.is_empty() {
            return Err(bad_args("empty user name is not allowed"));
        }
        (name, Some(password.to_owned()))
    } else if is_interactive(parsed) {
        return Err(cannot_ask(span));
    } else {
        return Ok(from_input(AuthRequest::UserAdd {
            name: argument.to_owned(),
            password: Some(Password::Plain(String::new())),
        }));
    };
    Ok(Verb::Auth(AuthCommand {
        request: AuthRequest::UserAdd {
            name: name.to_owned(),
            password: password.map(Password::Plain),
        },
        detail: false,
        reads_password: false,
    }))
}

fn grant(args: &[String], parsed: &Parsed) -> Result<AuthRequest, Stop> {
    let [role, kind, _, ..] = args else {
        return Err(bad_args(
            "role grant command requires role name, permission type, and key [endkey] as its argument",
        ));
    };
    let unknown = || bad_args(&format!("invalid permission type: {kind}"));
    let kind = PermissionType::parse(kind).ok_or_else(unknown)?;
    let (key, range_end) = range(&parsed.args[2..], parsed)?;
    Ok(AuthRequest::RoleGrantPermission {
        name: role.clone(),
        permission: Permission {
            kind,
            key,
            range_end,
        },
    })
}

fn revoke(args: &[String], parsed: &Parsed) -> Result<AuthRequest, Stop> {
    let [role, _, ..] = args else {
        return Err(bad_args(
            "role revoke-permission command requires role name and key [endkey] as its argument",
        ));
    };
    let (key, range_end) = range(&parsed.args[1..], parsed)?;
    Ok(AuthRequest::RoleRevokePermission {
        role: role.clone(),
        key,
        range_end,
    })
}

/// Returns the keys of a permission (`permRange`). An empty key stands for the smallest key.
fn range(args: &[Vec<u8>], parsed: &Parsed) -> Result<(Bytes, Bytes), Stop> {
    let (is_prefix, is_from_key) = (parsed.on("prefix"), parsed.on("from-key"));
    let exclusive = || bad_args("--from-key and --prefix flags are mutually exclusive");
    let key = Bytes::from(args[0].as_slice());
    if key.is_empty() {
        return match (is_prefix, is_from_key) {
            (true, true) => Err(exclusive()),
            (false, false) => Ok((Bytes::zero(), Bytes::default())),
            _ => Ok((Bytes::zero(), Bytes::zero())),
        };
    }
    let end = match (args.get(1), is_prefix, is_from_key) {
        (None, true, true) => return Err(exclusive()),
        (None, true, false) => prefix_end(&key),
        (None, false, true) => Bytes::zero(),
        (None, false, false) => Bytes::default(),
        (Some(_), true, _) => {
            return Err(bad_args("unexpected endkey argument with --prefix flag"));
        }
        (Some(_), false, true) => {
            return Err(bad_args("unexpected endkey argument with --from-key flag"));
        }
        (Some(end), false, false) => Bytes::from(end.as_slice()),
    };
    Ok((key, end))
}

/// Returns the user given with `--user NAME[:PASSWORD]` and `--password`, or the token given with `--auth-jwt-token`.
///
/// etcdctl asks for a missing password. The simulator cannot ask: without a password, the command does not log in, and
/// the name identifies the caller only for QoS.
pub(in crate::shell) fn user(parsed: &Parsed) -> Option<UserFlag> {
    let given = |name: &str| {
        let value = parsed.text(name).map(escape);
        value.filter(|value| !value.is_empty())
    };
    if let Some(token) = given("auth-jwt-token") {
        return Some(UserFlag {
            name: String::new(),
            credential: Some(Credential::Token(token.into())),
        });
    }
    let flag = given("user")?;
    let (name, password) = match (given("password"), flag.split_once(':')) {
        (Some(password), _) => (flag, Some(password)),
        (None, Some((name, password))) => (name.to_owned(), Some(password.to_owned())),
        (None, None) => (flag, None),
    };
    let password = password.filter(|password| !password.is_empty());
    let credential = password.map(|password| Credential::Password(password.into()));
    (!name.is_empty()).then_some(UserFlag { name, credential })
}

#[cfg(test)]
mod tests {
    use crate::api::Profile;
    use crate::shell::{CommandKind, LineReader, Read};

    fn answer(line: &str) -> String {
        let read = LineReader::new(Profile::V3_6).line(line);
        match read {
            Ok(Read::Commands(commands)) => match &commands[0].kind {
                CommandKind::Refused(output) => {
                    format!(
                        "{} {}",
                        output.exit,
                        String::from_utf8_lossy(&output.stderr)
                    )
                }
                CommandKind::Etcdctl(command) => format!("{:?}", command.request()),
                other => format!("{other:?}"),
            },
            Ok(_) => "unfinished".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_errors_of_arguments_are_those_of_etcdctl() {
        for (line, error) in [
            (
                "auth enable x",
                "auth enable command does not accept any arguments",
            ),
            (
                "user add",
                "user add command requires user name as its argument",
            ),
            ("user add :x", "empty user name is not allowed"),
            (
                "user get",
                "user get command requires user name as its argument",
            ),
            ("user list x", "user list command requires no arguments"),
            (
                "user grant-role a",
                "user grant command requires user name and role name as its argument",
            ),
            (
                "user revoke-role a",
                "user revoke-role requires user name and role name as its argument",
            ),
            (
                "role grant-permission a read",
                "role grant command requires role name, permission type, and key [endkey] as its argument",
            ),
            (
                "role grant-permission a look /k",
                "invalid permission type: look",
            ),
            (
                "role grant-permission a read /k /l --prefix",
                "unexpected endkey argument with --prefix flag",
            ),
            (
                "role grant-permission a read /k --prefix --from-key",
                "--from-key and --prefix flags are mutually exclusive",
            ),
            (
                "role revoke-permission a /k /l --from-key",
                "unexpected endkey argument with --from-key flag",
            ),
        ] {
            assert_eq!(answer(line), format!("128 Error: {error}\n"), "{line}");
        }
    }

    #[test]
    fn keys_of_a_permission() {
        for (keys, key, end) in [
            ("/k", "/k", ""),
            ("/k /l", "/k", "/l"),
            ("/k --prefix", "/k", "/l"),
            ("/k --from-key", "/k", "\\x00"),
            ("'' --prefix", "\\x00", "\\x00"),
            ("''", "\\x00", ""),
        ] {
            let line = format!("role grant-permission a ReadWrite {keys}");
            let wanted = format!(
                "permission: Permission {{ kind: ReadWrite, key: \"{key}\", range_end: \"{end}\" }}"
            );
            assert!(answer(&line).contains(&wanted), "{line}: {}", answer(&line));
        }
    }

    #[test]
    fn a_password_can_follow_the_name_or_come_from_a_flag_or_from_echo() {
        let plain = "password: Some(Plain(\"s:x\"))";
        for line in [
            "user add a:s:x",
            "user add a --new-user-password=s:x",
            "echo s:x | etcdctl user add a --interactive=false",
            "echo s:x | etcdctl --user=root:pw user add a --interactive=false",
        ] {
            assert!(answer(line).contains(plain), "{line}: {}", answer(line));
        }
        assert!(answer("user add a --no-password").contains("password: None"));
        assert!(answer("user add a").contains("cannot ask for a password"));
        assert!(answer("user passwd a").contains("cannot ask for a password"));
        let changed = answer("echo new | etcdctl user passwd a --interactive=false");
        assert!(changed.contains("password: Plain(\"new\")"), "{changed}");
    }
}
