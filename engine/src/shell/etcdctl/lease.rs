//! Reads the `lease` commands.
//!
//! Mirrors `etcdctl/ctlv3/command/lease_command.go`. [`process_line`](super::process_line) reads `keep-alive` without
//! `--once`, which runs until the lease ends.

use super::flags::Parsed;
use super::operation::EXIT_BAD_ARGS;
use crate::api::{
    LeaseGrantRequest, LeaseKeepAliveRequest, LeaseRevokeRequest, LeaseTimeToLiveRequest,
};
use crate::base::go::number::parse_int;
use crate::shell::{Output, Verb};

pub(in crate::shell) fn grant(parsed: &Parsed) -> Result<Verb, Output> {
    let ttl = the_one(parsed, "lease grant command needs TTL argument")?;
    let ttl =
        parse_int(ttl, 10).map_err(|complaint| bad_args(&format!("bad TTL ({complaint})")))?;
    // The server chooses the lease ID, because etcdctl has no flag for it.
    Ok(Verb::LeaseGrant(LeaseGrantRequest { ttl, id: 0 }))
}

pub(in crate::shell) fn revoke(parsed: &Parsed) -> Result<Verb, Output> {
    let id = lease_id(the_one(parsed, "lease revoke command needs 1 argument")?)?;
    Ok(Verb::LeaseRevoke(LeaseRevokeRequest { id }))
}

pub(in crate::shell) fn keep_alive(parsed: &Parsed) -> Result<Verb, Output> {
    const NEEDS: &str = "lease keep-alive command needs lease ID as argument";
    let id = lease_id(the_one(parsed, NEEDS)?)?;
    Ok(Verb::LeaseKeepAlive {
        request: LeaseKeepAliveRequest { id },
        once: parsed.on("once"),
    })
}

/// Reads `lease timetolive`. Upstream first counts the arguments, then connects, and then reads the ID. Like upstream,
/// this function calls `connect` after it counts the arguments and before it reads the ID, so errors of `connect`
/// precede errors about the ID.
pub(in crate::shell) fn time_to_live<E: From<Output>>(
    parsed: &Parsed,
    connect: impl FnOnce() -> Result<(), E>,
) -> Result<Verb, E> {
    const NEEDS: &str = "lease timetolive command needs lease ID as argument";
    let id = the_one(parsed, NEEDS)?;
    connect()?;
    Ok(Verb::LeaseTimeToLive(LeaseTimeToLiveRequest {
        id: lease_id(id)?,
        keys: parsed.on("keys"),
    }))
}

fn bad_args(text: &str) -> Output {
    Output::error(text, EXIT_BAD_ARGS)
}

fn the_one<'a>(parsed: &'a Parsed, complaint: &str) -> Result<&'a [u8], Output> {
    match parsed.args.as_slice() {
        [only] => Ok(only),
        _ => Err(bad_args(complaint)),
    }
}

fn lease_id(text: &[u8]) -> Result<i64, Output> {
    parse_int(text, 16).map_err(|complaint| {
        bad_args(&format!(
            "bad lease ID arg ({complaint}), expecting ID in Hex"
        ))
    })
}
