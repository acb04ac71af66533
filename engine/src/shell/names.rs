//! Names of watches, clients and files.

use crate::base::bytes::escape;
use crate::shell::ParseError;
use crate::transcript::for_loop::Arg;
use crate::world::op::NodeName;

/// The maximum length of a name, so that lists of names stay readable.
const NAME_CHARS_MAX: usize = 48;

/// The name that commands use for the first member.
pub(in crate::shell) const MEMBER: &str = "etcd";

/// Reads the name of a watch or client.
pub(in crate::shell) fn name(arg: &Arg) -> Result<String, ParseError> {
    named(arg, &arg.bytes)
}

/// Reads the name of a watch. The name of a watch started with `watch -i` ends in a dot and a number.
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

/// Reads the name of a file. File names can contain dots and slashes.
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
            " characters",
        ];
        return wrong(&expected.concat(), "choose a shorter name");
    }
    if text == MEMBER {
        return wrong(
            "the name of a watch or of a client",
            "`etcd` is the name of the member; choose another name",
        );
    }
    Ok(text)
}

/// Reads the name of a node, which is the member or a client.
pub(in crate::shell) fn node(arg: &Arg) -> Result<NodeName, ParseError> {
    if arg.bytes == MEMBER.as_bytes() {
        return Ok(NodeName::Etcd);
    }
    name(arg).map(NodeName::Client)
}
