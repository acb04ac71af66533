//! Names that a person gives to watches and clients.

use super::ParseError;
use super::for_loop::Arg;
use crate::base::bytes::escape;
use crate::world::op::NodeName;

/// The longest name, so that a list of them stays readable.
const NAME_CHARS_MAX: usize = 48;

/// The name of the member.
pub(super) const MEMBER: &str = "etcd";

/// A name of a watch or a client.
pub(super) fn name(arg: &Arg) -> Result<String, ParseError> {
    let expected = |what: &str, hint: &str| {
        let (start, end) = arg.span;
        Err(ParseError::new(start, end, what, hint))
    };
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let text = escape(&arg.bytes);
    if text.is_empty() || !arg.bytes.iter().all(plain) || text.starts_with('-') {
        return expected(
            "a name of letters, digits, - and _",
            "choose one such as w1 or slow-reader",
        );
    }
    if text.len() > NAME_CHARS_MAX {
        return expected(
            &[
                "a name of at most ",
                &NAME_CHARS_MAX.to_string(),
                " letters",
            ]
            .concat(),
            "choose a shorter one",
        );
    }
    if text == MEMBER {
        return expected(
            "the name of a watch or a client",
            "etcd is the member itself; choose another",
        );
    }
    Ok(text)
}

/// The name of a node: the member or a client.
pub(super) fn node(arg: &Arg) -> Result<NodeName, ParseError> {
    if arg.bytes == MEMBER.as_bytes() {
        return Ok(NodeName::Etcd);
    }
    name(arg).map(NodeName::Client)
}
