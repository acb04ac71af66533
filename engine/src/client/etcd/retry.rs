//! The retries of requests by the client library.
//!
//! Mirrors `retry.go`, `retry_interceptor.go`, `KeepAliveOnce` (`lease.go`) and `roundRobinQuorumBackoff`
//! (`client.go`). The library sends a request again to the next endpoint if a second execution is harmless and the
//! error is temporary. A put, a delete, a transaction or a compaction may have taken effect although its response is an
//! error, so the library does not repeat these requests after most errors. But it repeats every request after
//! `DeadlineExceeded`, which a member without a leader returns for a write that it could not propose. Left out: the
//! jitter of the pause.

use crate::api::error::Code;
use crate::api::{EtcdError, Request};
use crate::base::time::SimDuration;

/// The maximum number of attempts (`defaultUnaryMaxRetries`).
pub const ATTEMPTS_MAX: u32 = 100;

/// The pause after attempts on a majority of the endpoints (`defaultBackoffWaitBetween`).
const PAUSE: SimDuration = SimDuration::from_millis(25);

/// Returns true if the library may send a request again after an error.
///
/// ```
/// use watchglass_engine::api::{EtcdError, PutRequest, RangeRequest, Request};
/// use watchglass_engine::client::etcd::retry;
/// let (read, write) = (Request::Range(RangeRequest::default()), Request::Put(PutRequest::default()));
/// assert!(retry::is_safe(&read, EtcdError::RequestTimedOut));
/// assert!(!retry::is_safe(&read, EtcdError::Compacted));
/// assert!(!retry::is_safe(&write, EtcdError::RequestTimedOut));
/// assert!(retry::is_safe(&write, EtcdError::DeadlineExceeded)); // the error of a member, not the client's own timeout
/// ```
pub fn is_safe(request: &Request, error: EtcdError) -> bool {
    match (request, error.code()) {
        (Request::As(inner), _) => is_safe(&inner.request, error),
        // `KeepAliveOnce` opens a new stream after an error of the connection, but not after an error of etcd.
        (Request::LeaseKeepAlive(_), _) => error == EtcdError::MemberStopped,
        // The library repeats no other streams.
        (Request::RangeStream(_), _) => false,
        // The client's own context has time left, so the interceptor assumes that only this attempt ran out of time.
        (_, Code::DeadlineExceeded) => true,
        (_, Code::Unavailable) => is_repeatable(request),
        _ => false,
    }
}

/// Returns true if the library may send a request twice (`withRepeatablePolicy`).
pub fn is_repeatable(request: &Request) -> bool {
    match request {
        Request::As(inner) => is_repeatable(&inner.request),
        Request::Range(_)
        | Request::HashKv(_)
        | Request::Status(_)
        | Request::LeaseGrant(_)
        | Request::LeaseRevoke(_)
        | Request::LeaseTimeToLive(_)
        | Request::LeaseLeases(_)
        | Request::Alarm(_)
        | Request::MoveLeader(_)
        | Request::MemberList(_) => true,
        Request::Put(_)
        | Request::DeleteRange(_)
        | Request::Txn(_)
        | Request::Compact(_)
        | Request::LeaseKeepAlive(_)
        | Request::RangeStream(_)
        | Request::Defragment(_)
        | Request::MemberChange(_)
        | Request::Authenticate(_)
        | Request::Qos(_) => false,
        Request::Auth(r) => !r.is_write(),
    }
}

/// Returns the pause before a repeated attempt. `attempt` is 1 for the first repetition of a request.
pub fn pause(attempt: u32, endpoints: usize) -> SimDuration {
    let quorum = endpoints as u32 / 2 + 1;
    match attempt.is_multiple_of(quorum) {
        true => PAUSE,
        false => SimDuration(0),
    }
}
