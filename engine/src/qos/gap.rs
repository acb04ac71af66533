//! etcd's own protection against overload: a member refuses proposals if too many committed entries are not applied
//! yet.
//!
//! Mirrors `processInternalRaftRequestOnce` and `exceedsRequestLimit` of `server/etcdserver/v3_server.go`. The check
//! concerns proposals only: reads never reach it. A simulated member applies each committed entry as soon as the entry
//! is on its disk, so the gap is always 0 on a single member. In a cluster, a member that catches up has a gap while
//! its disk syncs the entries.

/// The maximum gap between the committed and the applied index (`maxGapBetweenApplyAndCommitIndex`).
pub const MAX_GAP: u64 = 5_000;

/// The maximum gap between the committed and the applied index for a proposal to revoke a lease, if the member
/// prioritises these proposals.
pub const MAX_GAP_LEASE_REVOKE: u64 = 10_000;

/// Returns true if the gap is too large for a proposal (`ErrTooManyRequests`).
///
/// ```
/// use watchglass_engine::qos::gap::exceeds_request_limit;
/// assert!(!exceeds_request_limit(15_000, 10_000, false));
/// assert!(exceeds_request_limit(15_001, 10_000, false));
/// assert!(!exceeds_request_limit(20_000, 10_000, true));
/// ```
pub fn exceeds_request_limit(committed: u64, applied: u64, is_prior_lease_revoke: bool) -> bool {
    let max = match is_prior_lease_revoke {
        true => MAX_GAP_LEASE_REVOKE,
        false => MAX_GAP,
    };
    committed > applied.saturating_add(max)
}
