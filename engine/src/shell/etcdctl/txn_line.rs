//! Reads one line of a transaction, which is either a compare or an operation.
//!
//! Mirrors `parseCompare` and `parseRequestUnion` in `etcdctl/ctlv3/command`, including their bugs. etcdctl panics at
//! an unknown operator. etcdctl 3.4 also panics at any compare of a lease.

use super::argify::{argify, panicked};
use super::find::{Path, first_command, pick, without};
use super::flags::parse;
use super::operation::{EXIT_INVALID_INPUT, del, get, put, range_warning};
use super::usage::cobra_usage;
use crate::api::{Compare, CompareOp, CompareTarget, Profile, RequestOp};
use crate::base::Bytes;
use crate::base::go::number::parse_int;
use crate::base::go::quote::quoted;
use crate::base::go::scan::scan;
use crate::shell::Output;
use crate::shell::table::{ETCDCTL, Flag, HELP_FLAG};

#[derive(Debug, PartialEq, Eq)]
pub(in crate::shell) enum Rejected {
    Refused(Output),
    Hangs,
}

fn invalid(text: &str) -> Rejected {
    Rejected::Refused(Output::error(text, EXIT_INVALID_INPUT))
}

fn panic(text: &str) -> Rejected {
    Rejected::Refused(panicked(text))
}

/// Reads a compare such as `mod("key1") > "0"`.
pub(in crate::shell) fn compare(line: &str) -> Result<Compare, Rejected> {
    let malformed = |rest: &str| invalid(&format!("malformed comparison: {line}{rest}"));
    let Some((target, rest)) = line.split_once('(') else {
        return Err(malformed(""));
    };
    let scanned = scan(rest.as_bytes());
    let (key, op, value) = match (scanned.key, scanned.op, scanned.value) {
        (Some(key), Some(op), Some(value)) => (key, op, value),
        (key, op, _) => {
            let key = quoted(&key.unwrap_or_default());
            let op = op.unwrap_or_default();
            return Err(malformed(&format!("; got {target}({key}) {op} \"\"")));
        }
    };
    let number = || {
        let refused = |_| invalid(&format!("invalid txn compare request: {line}"));
        parse_int(&value, 10).map_err(refused)
    };
    let target = match target {
        "ver" | "version" => CompareTarget::Version(number()?),
        "c" | "create" => CompareTarget::Create(number()?),
        "m" | "mod" => CompareTarget::Mod(number()?),
        "val" | "value" => CompareTarget::Value(Bytes::from(value)),
        "lease" => {
            operator(&op)?;
            return Err(panic("bad value"));
        }
        other => return Err(malformed(&format!(" (unknown target {other})"))),
    };
    Ok(Compare {
        key: Bytes::from(key),
        range_end: Bytes::default(),
        result: operator(&op)?,
        target,
    })
}

/// Puts double quotes around the key and the value of a compare. Returns the compare if etcdctl accepts the result.
pub(in crate::shell) fn with_quotes(line: &str) -> Option<String> {
    let bare = |text: &str| quoted(text.trim_matches([' ', '"', '\'']).as_bytes());
    let (target, rest) = line.split_once('(')?;
    let (key, rest) = rest.split_once(')')?;
    let rest = rest.trim_start();
    let value = rest.trim_start_matches(['=', '!', '<', '>']);
    let op = rest.strip_suffix(value)?;
    let corrected = format!("{}({}) {op} {}", target.trim(), bare(key), bare(value));
    let is_accepted = compare(&corrected).is_ok();
    is_accepted.then_some(corrected)
}

fn operator(op: &str) -> Result<CompareOp, Rejected> {
    match op {
        "=" => Ok(CompareOp::Equal),
        "!=" => Ok(CompareOp::NotEqual),
        ">" => Ok(CompareOp::Greater),
        "<" => Ok(CompareOp::Less),
        _ => Err(panic("Unknown result op")),
    }
}

/// Reads an operation such as `put key1 "some value" --prev-kv`.
///
/// Also returns the warning that etcdctl prints about a range to delete.
pub(in crate::shell) fn operation(
    line: &str,
    profile: Profile,
) -> Result<(RequestOp, Option<String>), Rejected> {
    static HELP: Flag = HELP_FLAG;
    let refuse = |page: String| {
        let complaint = format!("Error: invalid txn request: {line}\n");
        Rejected::Refused(Output {
            stdout: Vec::new(),
            stderr: [page, complaint].concat().into_bytes(),
            exit: EXIT_INVALID_INPUT,
        })
    };
    let words = argify(line, profile).map_err(Rejected::Refused)?;
    if words.len() < 2 {
        return Err(invalid(&format!("invalid txn compare request: {line}")));
    }
    let Some(name) = first_command(&words, &[]) else {
        return Err(match parse(&words, &[&HELP]) {
            Err(_) => refuse(ROOT_PAGE.to_owned()),
            Ok(_) => Rejected::Hangs,
        });
    };
    let name_of = match pick(&name, &["put", "get", "del", "help", "completion"]) {
        Some("help" | "completion") => return Err(Rejected::Hangs),
        Some(name) => name,
        None => return Err(refuse(String::new())),
    };
    let Some(spec) = ETCDCTL.children(profile).find(|s| s.name == name_of) else {
        return Err(refuse(String::new()));
    };
    let path = Path::in_txn(spec);
    let mut flags = path.own_flags(profile);
    flags.push(&HELP);
    let Ok(parsed) = parse(&without(words, &name, &[]), &flags) else {
        return Err(refuse(
            [cobra_usage(&path, profile), "\n".to_owned()].concat(),
        ));
    };
    if parsed.on("help") {
        return Err(Rejected::Hangs);
    }
    let operation = match name_of {
        "put" => put(&parsed).map(|put| (RequestOp::Put(put), None)),
        "get" => get(&parsed, profile).map(|get| (RequestOp::Range(get), None)),
        _ => del(&parsed).map(|del| {
            let warning = range_warning(&parsed, profile);
            (RequestOp::DeleteRange(del), warning)
        }),
    };
    operation.map_err(Rejected::Refused)
}

const ROOT_PAGE: &str = "\
Usage:
   [command]

Available Commands:
  completion  Generate the autocompletion script for the specified shell
  del         Removes the specified key or range of keys [key, range_end)
  get         Gets the key or a range of keys
  help        Help about any command
  put         Puts the given key into the store

Flags:
  -h, --help   help for this command

Use \" [command] --help\" for more information about a command.

";

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(result: Rejected) -> (String, u8) {
        match result {
            Rejected::Refused(output) => (String::from_utf8(output.stderr).unwrap(), output.exit),
            Rejected::Hangs => ("hangs".into(), 0),
        }
    }

    fn compare_error(line: &str) -> String {
        refused(compare(line).unwrap_err()).0
    }

    fn op_error(line: &str) -> String {
        refused(operation(line, Profile::V3_4).unwrap_err()).0
    }

    #[test]
    fn compares_as_recorded() {
        let read = compare("c(\"a\\x00\") != \"12\" rest").unwrap();
        assert_eq!(&*read.key, b"a\0");
        assert_eq!(read.result, CompareOp::NotEqual);
        assert_eq!(read.target, CompareTarget::Create(12));
        assert_eq!(
            compare_error("garbage"),
            "Error: malformed comparison: garbage\n"
        );
        assert_eq!(
            compare_error("mod(key1) = 0"),
            "Error: malformed comparison: mod(key1) = 0; got mod(\"\")  \"\"\n"
        );
        assert_eq!(
            compare_error("foo(\"key1\") = \"0\""),
            "Error: malformed comparison: foo(\"key1\") = \"0\" (unknown target foo)\n"
        );
        assert_eq!(
            compare_error("mod(\"key1\") = \"abc\""),
            "Error: invalid txn compare request: mod(\"key1\") = \"abc\"\n"
        );
        assert_eq!(
            compare_error("mod(\"key1\") == \"0\""),
            "panic: Unknown result op\n"
        );
        assert_eq!(
            compare_error("lease(\"key1\") = \"0\""),
            "panic: bad value\n"
        );
    }

    #[test]
    fn missing_quotes_are_added() {
        let corrected = with_quotes;
        let expected = Some("mod(\"stock\") = \"5\"".to_owned());
        assert_eq!(corrected("mod(stock) = 5"), expected);
        assert_eq!(corrected("mod(\"stock\") = 5"), expected);
        assert_eq!(corrected("mod('stock')='5'"), expected);
        assert_eq!(corrected("mod(stock) == 5"), None);
        assert_eq!(corrected("mod(stock) = five"), None);
        assert_eq!(corrected("stock = 5"), None);
    }

    #[test]
    fn operations_as_recorded() {
        let value = |line: &str| match operation(line, Profile::V3_4) {
            Ok((RequestOp::Put(put), _)) => String::from_utf8(put.value.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(value(r#"put a "c\td""#), "c\td");
        assert_eq!(value("put a b'c d'e"), "b'c");
        assert_eq!(value("put a \"unclosed"), "unclosed");
        assert_eq!(value("put a ''"), "'");
        assert_eq!(value("p a -- -b"), "-b");
        assert_eq!(op_error("get"), "Error: invalid txn compare request: get\n");
        assert_eq!(
            op_error("watch key1"),
            "Error: invalid txn request: watch key1\n"
        );
        assert_eq!(op_error("put \"\\q\" x"), "Error: invalid syntax\n");
        assert_eq!(
            op_error("'x'"),
            "panic: runtime error: slice bounds out of range [1:0]\n"
        );
        assert_eq!(op_error("get -h"), "hangs");
        assert!(op_error("get a -w json").starts_with("Usage:\n   get [options] <key>"));
        assert!(
            op_error("get a -w json")
                .ends_with("VERSION\n\nError: invalid txn request: get a -w json\n")
        );
        assert_eq!(
            op_error("del a b c"),
            "Error: del command needs one argument as key and an optional argument as range_end\n"
        );
    }
}
