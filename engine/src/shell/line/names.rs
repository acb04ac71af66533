//! Names that a person gives to watches and clients.

use super::for_loop::Arg;
use crate::base::bytes::escape;
use crate::shell::ParseError;
use crate::world::op::NodeName;

/// The longest name, so that a list of them stays readable.
const NAME_CHARS_MAX: usize = 48;

/// The name of the member.
pub(in crate::shell) const MEMBER: &str = "etcd";

/// A name for a new watch or a new client, or the name of a client.
pub(in crate::shell) fn name(arg: &Arg) -> Result<String, ParseError> {
    named(arg, &arg.bytes)
}

/// The name of a watch. One of several of a `watch -i` has a number after a dot.
pub(in crate::shell) fn watch_name(arg: &Arg) -> Result<String, ParseError> {
    let dot = arg.bytes.iter().rposition(|b| *b == b'.');
    let of_several = dot
        .map(|at| arg.bytes.split_at(at))
        .filter(|(_, number)| number.len() > 1 && number[1..].iter().all(u8::is_ascii_digit));
    match of_several {
        Some((process, _)) => named(arg, process).map(|_| escape(&arg.bytes)),
        None => named(arg, &arg.bytes),
    }
}

/// The name of a file: a name with dots and slashes in it.
pub(in crate::shell) fn file_name(arg: &Arg) -> Result<String, ParseError> {
    let plain: Vec<u8> = arg
        .bytes
        .iter()
        .copied()
        .filter(|b| !matches!(b, b'.' | b'/'))
        .collect();
    named(arg, &plain).map(|_| escape(&arg.bytes))
}

fn named(arg: &Arg, bytes: &[u8]) -> Result<String, ParseError> {
    let (start, end) = arg.span;
    let wrong = |expected: &str, hint: &str| Err(ParseError::new(start, end, expected, hint));
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let text = escape(bytes);
    if text.is_empty() || !bytes.iter().all(plain) || text.starts_with('-') {
        return wrong(
            "a name of letters, digits, - and _",
            "choose a name such as w1 or slow-reader",
        );
    }
    if text.len() > NAME_CHARS_MAX {
        let expected = [
            "a name of at most ",
            &NAME_CHARS_MAX.to_string(),
            " letters",
        ];
        return wrong(&expected.concat(), "choose a shorter name");
    }
    if text == MEMBER {
        return wrong(
            "the name of a watch or of a client",
            "`etcd` means the member; choose another name",
        );
    }
    Ok(text)
}

/// The name of a node: the member or a client.
pub(in crate::shell) fn node(arg: &Arg) -> Result<NodeName, ParseError> {
    if arg.bytes == MEMBER.as_bytes() {
        return Ok(NodeName::Etcd);
    }
    name(arg).map(NodeName::Client)
}
