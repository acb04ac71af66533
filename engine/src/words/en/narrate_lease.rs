//! The sentences about leases.

use crate::base::time::SimTime;

/// Sentences about the lease of a key after a put.
pub fn attached(lease: i64) -> String {
    format!("The key is attached to lease {lease:x}.")
}

pub fn detached(lease: i64) -> String {
    format!("The key is no longer attached to lease {lease:x}.")
}

pub fn moved(from: i64, to: i64) -> String {
    format!("The key moves from lease {from:x} to lease {to:x}.")
}

/// Sentences about the grant, renewals and expiry of a lease.
pub fn granted(lease: i64, ttl_s: i64, is_minimum: bool, expiry: SimTime) -> String {
    let minimum = if is_minimum { ", the minimum" } else { "" };
    format!(
        "Lease {lease:x} is granted for {ttl_s} s{minimum}: it expires at {expiry} unless renewed. The revision does \
         not change."
    )
}

pub fn renewed(lease: i64, ttl_s: i64, expiry: SimTime) -> String {
    format!(
        "Lease {lease:x} is renewed for {ttl_s} s: it expires at {expiry} unless renewed again."
    )
}

pub fn missing(lease: i64) -> String {
    format!("There is no lease {lease:x}: the response has a TTL of 0.")
}

pub fn renewal_waits(lease: i64) -> String {
    format!(
        "Lease {lease:x} has already expired: the response to the renewal waits until etcd revokes the lease."
    )
}

/// Sentences about the end of a lease, with the number of its keys.
pub fn expired(lease: i64, keys: u32) -> String {
    match keys {
        0 => format!("Lease {lease:x} has expired; no key was attached."),
        1 => format!("Lease {lease:x} has expired, so etcd deletes its key."),
        _ => format!("Lease {lease:x} has expired, so etcd deletes its keys."),
    }
}

pub fn revoked(lease: i64, keys: u32) -> String {
    match keys {
        0 => format!("Lease {lease:x} is revoked; no key was attached."),
        1 => format!("Lease {lease:x} is revoked, so etcd deletes its key."),
        _ => format!("Lease {lease:x} is revoked, so etcd deletes its keys."),
    }
}

/// Sentences about the member's check for expired leases.
pub fn expiry_check(expired: u32) -> String {
    match expired {
        0 => "The check for expired leases finds none.".to_owned(),
        1 => "The check for expired leases (every half second) finds one. etcd revokes this lease next.".to_owned(),
        n => format!(
            "The check for expired leases (every half second) finds {n}. etcd revokes these leases next, one after \
             the other."
        ),
    }
}

pub fn full_expiry_check(most: usize) -> String {
    format!(
        "The check for expired leases finds {most}, the maximum for one check; the next check, in half a second, \
         finds the other expired leases."
    )
}

/// Sentences about the checkpoint of a lease or of several leases.
pub fn checkpoint(lease: i64, remaining_s: i64) -> String {
    format!(
        "etcd writes the remaining time of lease {lease:x}, {remaining_s} s, to the raft log, so that a new leader \
         knows this time."
    )
}

pub fn checkpoints(leases: u32) -> String {
    format!(
        "etcd writes the remaining time of each of {leases} leases to the raft log, so that a new leader knows these \
        times."
    )
}
