//! Writes sentences about leases.

use crate::lease::lessor::EXPIRED_PER_LOOK_MAX;
use crate::trace::{Event, LeaseTrace, TraceEvent};
use crate::words::narrate_lease as words;

/// Describes the end of a lease if the end deletes keys in this step.
pub(in crate::view) fn revoked(events: &[Event]) -> Option<String> {
    leases(events).find_map(|e| match e {
        LeaseTrace::Revoked { id, keys, expired } if *keys > 0 => Some(ended(*id, *keys, *expired)),
        _ => None,
    })
}

/// Describes how a put changes the lease of a key.
pub(in crate::view) fn of_key(events: &[Event]) -> Option<String> {
    leases(events).find_map(|e| match e {
        LeaseTrace::OfKey {
            before: 0, after, ..
        } => Some(words::attached(*after)),
        LeaseTrace::OfKey {
            before, after: 0, ..
        } => Some(words::detached(*before)),
        LeaseTrace::OfKey { before, after, .. } => Some(words::moved(*before, *after)),
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
        } => words::granted(*id, *ttl_s, asked_s < ttl_s, *expiry),
        LeaseTrace::Renewed { id, ttl_s, expiry } => words::renewed(*id, *ttl_s, *expiry),
        LeaseTrace::Missing { id } => words::missing(*id),
        LeaseTrace::RenewalWaits { id } => words::renewal_waits(*id),
        LeaseTrace::Looked { more: true, .. } => words::full_expiry_check(EXPIRED_PER_LOOK_MAX),
        LeaseTrace::Looked { expired, .. } => words::expiry_check(*expired),
        LeaseTrace::Revoked {
            id,
            keys: 0,
            expired,
        } => ended(*id, 0, *expired),
        LeaseTrace::Checkpointed {
            first,
            remaining_s,
            leases: 1,
        } => words::checkpoint(*first, *remaining_s),
        LeaseTrace::Checkpointed { leases, .. } => words::checkpoints(*leases),
        LeaseTrace::Revoked { .. } | LeaseTrace::OfKey { .. } => return None,
    })
}

fn leases(events: &[Event]) -> impl Iterator<Item = &LeaseTrace> {
    events.iter().filter_map(|e| match &e.what {
        TraceEvent::Lease(event) => Some(event),
        _ => None,
    })
}

fn ended(id: i64, keys: u32, expired: bool) -> String {
    match expired {
        true => words::expired(id, keys),
        false => words::revoked(id, keys),
    }
}
