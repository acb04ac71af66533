//! The sentences about leases.

use crate::base::time::SimTime;
use crate::lease::lessor::EXPIRED_PER_LOOK_MAX;
use crate::trace::{Event, LeaseTrace, TraceEvent};

/// Why the deletes of a step happen, when it is because a lease ends.
pub(in crate::view) fn revoked(events: &[Event]) -> Option<String> {
    leases(events).find_map(|e| match e {
        LeaseTrace::Revoked { id, keys, expired } if *keys > 0 => {
            let how = how(*expired);
            let go = if *keys == 1 {
                "its key goes"
            } else {
                "its keys go"
            };
            Some(format!("Lease {id:x} {how}, and {go} with it."))
        }
        _ => None,
    })
}

/// What a put means for the lease of its key.
pub(in crate::view) fn of_key(events: &[Event]) -> Option<String> {
    leases(events).find_map(|e| match e {
        LeaseTrace::OfKey {
            before: 0, after, ..
        } => Some(format!("It hangs on lease {after:x}.")),
        LeaseTrace::OfKey {
            before, after: 0, ..
        } => Some(format!("It no longer hangs on lease {before:x}.")),
        LeaseTrace::OfKey { before, after, .. } => Some(format!(
            "It hangs on lease {after:x} now, no longer on {before:x}."
        )),
        _ => None,
    })
}

/// One event of a step that changed no key.
pub(in crate::view) fn quiet(event: &LeaseTrace) -> Option<String> {
    Some(match event {
        LeaseTrace::Granted {
            id,
            asked_s,
            ttl_s,
            expiry,
        } => {
            let raised = if asked_s < ttl_s {
                ", the shortest there is"
            } else {
                ""
            };
            let until = until(*expiry);
            format!("Lease {id:x} is granted for {ttl_s} s{raised}: {until}. That is no revision.")
        }
        LeaseTrace::Renewed { id, ttl_s, expiry } => {
            let until = until(*expiry);
            format!("Lease {id:x} is kept alive and has its {ttl_s} s again: {until}.")
        }
        LeaseTrace::Missing { id } => {
            format!("There is no lease {id:x}, which the answer says with a TTL of 0.")
        }
        LeaseTrace::RenewalWaits { id } => format!(
            "Lease {id:x} has expired already: the answer to its renewal waits until it is revoked."
        ),
        LeaseTrace::Looked { more: true, .. } => format!(
            "The look for expired leases takes {EXPIRED_PER_LOOK_MAX}, the most it may; the others \
             wait half a second."
        ),
        LeaseTrace::Looked { expired: 0, .. } => "The look for expired leases finds none.".into(),
        LeaseTrace::Looked { expired: 1, .. } => {
            "The look for expired leases, every half second, finds one. It is revoked next.".into()
        }
        LeaseTrace::Looked { expired, .. } => format!(
            "The look for expired leases, every half second, finds {expired}. They are revoked \
             next, one after the other."
        ),
        LeaseTrace::Revoked {
            id,
            keys: 0,
            expired,
        } => format!("Lease {id:x} {}; no key hung on it.", how(*expired)),
        LeaseTrace::Checkpointed {
            first,
            remaining_s,
            leases: 1,
        } => format!(
            "That lease {first:x} has {remaining_s} s left goes through the raft log, so that a new \
             leader knows it."
        ),
        LeaseTrace::Checkpointed { leases, .. } => format!(
            "What is left of {leases} leases goes through the raft log, so that a new leader knows \
             it."
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
    format!("it expires at {expiry} unless it is kept alive")
}
