//! Reads `net CLIENT …`, which changes how messages travel between a client and the member.

use crate::base::time::SimDuration;
use crate::shell::ParseError;
use crate::shell::amount;
use crate::shell::names::name;
use crate::shell::table::Spec;
use crate::shell::table::wrong;
use crate::sim::network::Delay;
use crate::transcript::for_loop::Arg;
use crate::world::op::{LinkChange, Way, WorldOp};

const CHANGES: &str = "delay, bandwidth, loss, dup, hold or release";
const WATCH_CHANGES: &str = "delay, hold or release";
const LENGTH: &str = "a duration such as 5ms, at most 24h";

/// Reads a command. The first element of `args` is its name.
pub(in crate::shell) fn read(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    let [_, client, rest @ ..] = args else {
        return Err(wrong(spec, args.last(), "a client name after this word"));
    };
    let name = name(client)?;
    let (way, rest) = match rest {
        [way, rest @ ..] if way.bytes == b"up" => (Way::Up, rest),
        [way, rest @ ..] if way.bytes == b"down" => (Way::Down, rest),
        [way, rest @ ..] if way.bytes == b"watches" => (Way::Watches, rest),
        _ => (Way::Both, rest),
    };
    let changes = match way {
        Way::Up | Way::Down | Way::Both => CHANGES,
        Way::Watches => WATCH_CHANGES,
    };
    let Some((what, values)) = rest.split_first() else {
        return Err(wrong(
            spec,
            args.last(),
            &format!("{changes} after this word"),
        ));
    };
    let change = match what.bytes.as_slice() {
        b"delay" => LinkChange::Delay(delay(what, values, spec)?),
        b"bandwidth" if way != Way::Watches => {
            let expected = "bytes per second such as 1MB or 64KiB, or 0 for no limit";
            LinkChange::Bandwidth(one(what, values, spec, expected, amount::bytes)?)
        }
        b"loss" if way != Way::Watches => LinkChange::LossOneIn(share(what, values, spec)?),
        b"dup" if way != Way::Watches => LinkChange::DuplicateOneIn(share(what, values, spec)?),
        b"hold" => nothing(values, spec, LinkChange::Hold)?,
        b"release" => nothing(values, spec, LinkChange::Release)?,
        _ => return Err(wrong(spec, Some(what), changes)),
    };
    Ok(WorldOp::Link {
        client: name,
        way,
        change,
    })
}

fn delay(what: &Arg, values: &[Arg], spec: &Spec) -> Result<Delay, ParseError> {
    let length = |what, values| one(what, values, spec, LENGTH, amount::duration);
    match values {
        [kind, rest @ ..] if kind.bytes == b"longtail" => length(kind, rest).map(Delay::LongTail),
        [kind, rest @ ..] if kind.bytes == b"uniform" => {
            let [least, most @ ..] = rest else {
                return Err(wrong(spec, Some(kind), "two durations after this word"));
            };
            let from: SimDuration = length(kind, std::slice::from_ref(least))?;
            let to = length(least, most)?;
            if to < from {
                return Err(wrong(
                    spec,
                    most.first(),
                    "the longer duration after the shorter",
                ));
            }
            Ok(Delay::Uniform(from, to))
        }
        _ => length(what, values).map(Delay::Fixed),
    }
}

fn share(what: &Arg, values: &[Arg], spec: &Spec) -> Result<u32, ParseError> {
    let expected = "a fraction such as 1/10, or 0 for none";
    one(what, values, spec, expected, amount::one_in)
}

/// Reads the value after the word `what`, such as `delay`. There must be exactly one value.
fn one<T>(
    what: &Arg,
    values: &[Arg],
    spec: &Spec,
    expected: &str,
    read: fn(&[u8]) -> Option<T>,
) -> Result<T, ParseError> {
    match values {
        [value] => read(&value.bytes).ok_or_else(|| wrong(spec, Some(value), expected)),
        [_, more, ..] => Err(wrong(spec, Some(more), "the end of the command")),
        [] => Err(wrong(
            spec,
            Some(what),
            &format!("{expected} after this word"),
        )),
    }
}

fn nothing(values: &[Arg], spec: &Spec, change: LinkChange) -> Result<LinkChange, ParseError> {
    match values.first() {
        Some(more) => Err(wrong(spec, Some(more), "the end of the command")),
        None => Ok(change),
    }
}
