//! Reads `mirror`, the changes of another etcd that this store copies.
//!
//! A page that is attached to an etcd types these commands (`static/attach.js`).

use crate::base::Bytes;
use crate::base::go::number::parse_int;
use crate::etcd::{MirrorOp, MirrorWrite};
use crate::shell::table::{Spec, wrong};
use crate::shell::{CommandKind, ParseError, amount};
use crate::transcript::for_loop::Arg;
use crate::world::op::WorldOp;

const LEASE: &str = "a hexadecimal lease ID";

/// Reads a command. The first element of `args` is its name.
pub(super) fn read(args: &[Arg], spec: &Spec) -> Result<CommandKind, ParseError> {
    let Some((what, rest)) = args.get(1..).and_then(<[Arg]>::split_first) else {
        let expected = "start, skip, compact, lease, or a revision and its writes";
        return Err(wrong(spec, args.last(), expected));
    };
    let end = || wrong(spec, rest.last(), "the end of the command");
    let op = match (what.bytes.as_slice(), rest) {
        (b"start", []) => MirrorOp::Start,
        (b"start", _) => return Err(end()),
        (b"skip", [to]) => MirrorOp::Skip(revision(to, spec)?),
        (b"skip", _) => return Err(wrong(spec, Some(what), "one revision after this word")),
        (b"compact", [at]) => MirrorOp::Compact(revision(at, spec)?),
        (b"compact", _) => return Err(wrong(spec, Some(what), "one revision after this word")),
        (b"lease", [id, ttl]) => MirrorOp::Lease {
            id: lease(id, spec)?,
            ttl_s: amount::count(&ttl.bytes)
                .and_then(|ttl| i64::try_from(ttl).ok())
                .ok_or_else(|| wrong(spec, Some(ttl), "a number of seconds"))?,
        },
        (b"lease", _) => {
            return Err(wrong(
                spec,
                Some(what),
                "a lease ID and its time in seconds",
            ));
        }
        (_, []) => {
            return Err(wrong(
                spec,
                Some(what),
                "a write after the revision: put or del",
            ));
        }
        _ => MirrorOp::Change {
            revision: revision(what, spec)?,
            writes: writes(rest, spec)?,
        },
    };
    Ok(CommandKind::Op(WorldOp::Mirror(op)))
}

/// Reads `put KEY VALUE [--lease=ID]` and `del KEY`, in any number.
fn writes(mut words: &[Arg], spec: &Spec) -> Result<Vec<MirrorWrite>, ParseError> {
    let mut writes = Vec::new();
    while let Some((verb, rest)) = words.split_first() {
        let (write, rest) = match (verb.bytes.as_slice(), rest) {
            (b"put", [key, value, rest @ ..]) => {
                let is_lease = |arg: &&Arg| !arg.quoted && arg.bytes.starts_with(b"--lease=");
                let id = rest.first().filter(is_lease);
                let write = MirrorWrite::Put {
                    key: bytes(key),
                    value: bytes(value),
                    lease: id.map_or(Ok(0), |id| lease(id, spec))?,
                };
                (write, &rest[usize::from(id.is_some())..])
            }
            (b"del", [key, rest @ ..]) => (MirrorWrite::Delete(bytes(key)), rest),
            (b"put", _) => {
                return Err(wrong(spec, Some(verb), "a key and a value after this word"));
            }
            (b"del", _) => return Err(wrong(spec, Some(verb), "a key after this word")),
            _ => return Err(wrong(spec, Some(verb), "put KEY VALUE or del KEY")),
        };
        writes.push(write);
        words = rest;
    }
    Ok(writes)
}

fn bytes(arg: &Arg) -> Bytes {
    Bytes::from(arg.bytes.as_slice())
}

fn revision(arg: &Arg, spec: &Spec) -> Result<i64, ParseError> {
    let number = amount::count(&arg.bytes).and_then(|number| i64::try_from(number).ok());
    number.ok_or_else(|| wrong(spec, Some(arg), "a revision, such as 7"))
}

/// Reads a lease ID, also after `--lease=`.
fn lease(arg: &Arg, spec: &Spec) -> Result<i64, ParseError> {
    let text = arg.bytes.strip_prefix(b"--lease=").unwrap_or(&arg.bytes);
    parse_int(text, 16).map_err(|_| wrong(spec, Some(arg), LEASE))
}
