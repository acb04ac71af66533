//! Writes sentences about leases.

use crate::base::time::SimTime;
use crate::lease::lessor::EXPIRED_PER_LOOK_MAX;
use crate::trace::{Event, LeaseTrace, TraceEvent};

/// Describes the end of a lease if the end deletes keys in this step.
pub(in crate::view) fn revoked(events: &[Event]) -> Option<String> {
    leases(events).find_map(|e| match e {
        LeaseTrace::Revoked { id, keys, expired } if *keys > 0 => {
            let how = how(*expired);
            let go = if *keys == 1 { "its key" } else { "its keys" };
            Some(format!("Lease {id:x} {how}, so etcd deletes {go}."))
        }
        _ => None,
    })
}

/// Describes the change of a key's lease by a put.
pub(in crate::view) fn of_key(events: &[Event]) -> Option<String> {
    leases(events).find_map(|e| match e {
        LeaseTrace::OfKey {
            before: 0, after, ..
        } => Some(format!("The key is attached to lease {after:x}.")),
        LeaseTrace::OfKey {
            before, after: 0, ..
        } => Some(format!(
            "The key is no longer attached to lease {before:x}."
        )),
        LeaseTrace::OfKey { before, after, .. } => Some(format!(
            "The key moves from lease {before:x} to lease {after:x}."
        )),
        _ => None,
    })
}

/// Describes a lease event in a step that changes no keys.
pub(in crate::view) fn quiet(event: &LeaseTrace) -> Option<String> {
    Some(match event {
        LeaseTrace::Granted {
            id,
            asked_s,
            ttl_s,
            expiry,
        } => {
            let raised = if asked_s < ttl_s { ", the minimum" } else { "" };
            let until = until(*expiry);
            format!(
                "Lease {id:x} is granted for {ttl_s} s{raised}: {until}. The revision does not change."
            )
        }
        LeaseTrace::Renewed { id, ttl_s, expiry } => {
            let until = until(*expiry);
            format!("Lease {id:x} is renewed for {ttl_s} s: {until}.")
        }
        LeaseTrace::Missing { id } => {
            format!("There is no lease {id:x}: the response has a TTL of 0.")
        }
        LeaseTrace::RenewalWaits { id } => format!(
            "Lease {id:x} has already expired: the response to its renewal waits until etcd revokes \
             the lease."
        ),
        LeaseTrace::Looked { more: true, .. } => format!(
            "The check for expired leases finds {EXPIRED_PER_LOOK_MAX}, the maximum; the other \
             leases wait half a second."
        ),
        LeaseTrace::Looked { expired: 0, .. } => "The check for expired leases finds none.".into(),
        LeaseTrace::Looked { expired: 1, .. } => {
            "The check for expired leases, every half second, finds one. etcd revokes the lease \
             next."
                .into()
        }
        LeaseTrace::Looked { expired, .. } => format!(
            "The check for expired leases, every half second, finds {expired}. etcd revokes the \
             leases next, one after the other."
        ),
        LeaseTrace::Revoked {
            id,
            keys: 0,
            expired,
        } => format!("Lease {id:x} {}; no key was attached.", how(*expired)),
        LeaseTrace::Checkpointed {
            first,
            remaining_s,
            leases: 1,
        } => format!(
            "etcd writes the remaining time of lease {first:x}, {remaining_s} s, to the raft log, so \
             that a new leader knows this time."
        ),
        LeaseTrace::Checkpointed { leases, .. } => format!(
            "etcd writes the remaining times of {leases} leases to the raft log, so that a new \
             leader knows these times."
        ),
        LeaseTrace::Revoked { .. } | LeaseTrace::OfKey { .. } => return None,
    })
}

fn leases(events: &[Event]) -> impl Iterator<Item = &LeaseTrace> {
    events.iter().filter_map(|e| match &e.what {
        TraceEvent::Lease(event) => Some(event),
        _ => None,
    })
}

fn how(expired: bool) -> &'static str {
    if expired { "has expired" } else { "is revoked" }
}

fn until(expiry: SimTime) -> String {
    format!("it expires at {expiry} unless renewed")
}
