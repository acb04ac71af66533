//! The lessor of a member: the member's leases, the keys attached to them, and their expiry.
//!
//! Mirrors `server/lease/lessor.go`. Left out: demotion, and spreading the expiry times after a change of leader.
//! Upstream's lessor returns an expired lease again only after 3 s. This lessor returns the expired leases at every
//! check until they are revoked, and the member waits 3 s before it retries a revocation.

use std::fmt;

use crate::base::ordered::{OrdMap, OrdSet};

use crate::base::Bytes;
use crate::base::time::{SimDuration, SimTime};

/// The maximum TTL, in seconds (`MaxLeaseTTL`).
pub const TTL_MAX_S: i64 = 9_000_000_000;

/// The interval between checks for expired leases.
pub const EXPIRY_PERIOD: SimDuration = SimDuration::from_millis(500);

/// The maximum number of expired leases that one check returns: half of `leaseRevokeRate` (1000 per second).
pub const EXPIRED_PER_LOOK_MAX: usize = 500;

/// The maximum number of checkpoints in one entry of the raft log (`maxLeaseCheckpointBatchSize`).
pub const CHECKPOINTS_PER_ENTRY_MAX: usize = 1000;

/// Returns the minimum TTL in seconds for an election timeout: 1.5 times the timeout, rounded up.
///
/// ```
/// use watchglass_engine::base::time::SimDuration;
/// use watchglass_engine::lease::lessor::ttl_min_s;
/// assert_eq!(ttl_min_s(SimDuration::from_millis(1000)), 2);
/// ```
pub fn ttl_min_s(election_timeout: SimDuration) -> i64 {
    (election_timeout.0 * 3).div_ceil(2_000_000) as i64
}

/// A lease and its attached keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    pub id: i64,
    pub ttl_s: i64,
    /// The time at which the lease expires unless a client renews it.
    pub expiry: SimTime,
    /// The remaining TTL at the last checkpoint, in seconds, or 0 if there was no checkpoint. Only a new leader uses
    /// this value.
    pub remaining_ttl_s: i64,
    pub keys: OrdSet<Bytes>,
}

impl Lease {
    /// Returns the remaining time in seconds, rounded towards 0 as in etcd. The time is negative if the lease has
    /// expired and the member has not revoked it yet.
    pub fn remaining_s(&self, now: SimTime) -> i64 {
        (self.expiry.0 as i64 - now.0 as i64) / 1_000_000
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeaseError {
    NotFound,
    Exists,
    TtlTooLarge,
}

impl fmt::Display for LeaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "lease not found",
            Self::Exists => "lease already exists",
            Self::TtlTooLarge => "too large lease TTL",
        })
    }
}

/// The lessor of a member. The lessor stores all leases.
///
/// ```
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::lease::Lessor;
/// let mut lessor = Lessor::new(2);
/// let lease = lessor.grant(7, 5, SimTime(0)).unwrap();
/// assert_eq!((lease.ttl_s, lease.remaining_s(SimTime(1))), (5, 4)); // just under 5 s
/// assert_eq!(lease.remaining_s(SimTime(8_100_000)), -3); // expired 3.1 s ago
/// lessor.attach(7, "k".into()).unwrap();
/// assert!(lessor.expired(SimTime(4_999_999)).is_empty());
/// assert_eq!(lessor.expired(SimTime(5_000_000)), [7]);
/// assert_eq!(lessor.revoke(7).unwrap(), ["k".into()]);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Lessor {
    ttl_min_s: i64,
    leases: OrdMap<i64, Lease>,
    /// The id of the lease that each key is attached to.
    items: OrdMap<Bytes, i64>,
    /// The expiry time and the id of each lease, ordered by expiry time.
    by_expiry: OrdSet<(SimTime, i64)>,
    /// The interval between checkpoints of a long lease, or 0 for no checkpoints.
    checkpoint_interval: SimDuration,
    /// The time of the next checkpoint of each lease that needs a checkpoint, and the id of the lease.
    checkpoints: OrdSet<(SimTime, i64)>,
}

impl Lessor {
    /// Creates a lessor without leases. The lessor raises every TTL to at least `ttl_min_s` seconds.
    pub fn new(ttl_min_s: i64) -> Self {
        Self {
            ttl_min_s,
            leases: OrdMap::new(),
            items: OrdMap::new(),
            by_expiry: OrdSet::new(),
            checkpoint_interval: SimDuration(0),
            checkpoints: OrdSet::new(),
        }
    }

    /// Grants a lease. A TTL below the minimum is raised to the minimum, even if the TTL is 0 or negative.
    ///
    /// # Errors
    /// Returns an error if a lease with the id already exists or the TTL is too large.
    pub fn grant(&mut self, id: i64, ttl_s: i64, now: SimTime) -> Result<&Lease, LeaseError> {
        if ttl_s > TTL_MAX_S {
            return Err(LeaseError::TtlTooLarge);
        }
        if self.leases.contains_key(&id) {
            return Err(LeaseError::Exists);
        }
        let ttl_s = ttl_s.max(self.ttl_min_s);
        let expiry = now + seconds(ttl_s);
        self.by_expiry.insert((expiry, id));
        let lease = Lease {
            id,
            ttl_s,
            expiry,
            remaining_ttl_s: 0,
            keys: OrdSet::new(),
        };
        self.leases.insert(id, lease);
        self.schedule_checkpoint(id, now);
        Ok(&self.leases[&id])
    }

    /// Removes a lease and returns its keys in order, so that the caller can delete the keys.
    ///
    /// # Errors
    /// Returns an error if the lease does not exist.
    pub fn revoke(&mut self, id: i64) -> Result<Vec<Bytes>, LeaseError> {
        let lease = self.leases.remove(&id).ok_or(LeaseError::NotFound)?;
        self.by_expiry.remove(&(lease.expiry, id));
        for key in &lease.keys {
            self.items.remove(key);
        }
        Ok(lease.keys.iter().cloned().collect())
    }

    /// Renews a lease for its full TTL and returns the TTL in seconds.
    ///
    /// # Errors
    /// Returns an error if the lease does not exist, or has expired and is waiting to be revoked.
    pub fn renew(&mut self, id: i64, now: SimTime) -> Result<i64, LeaseError> {
        let lease = self.leases.get_mut(&id).ok_or(LeaseError::NotFound)?;
        if lease.expiry <= now {
            return Err(LeaseError::NotFound);
        }
        self.by_expiry.remove(&(lease.expiry, id));
        lease.expiry = now + seconds(lease.ttl_s);
        self.by_expiry.insert((lease.expiry, id));
        Ok(lease.ttl_s)
    }

    /// Attaches a key to a lease, and detaches the key from its previous lease.
    ///
    /// # Errors
    /// Returns an error if the lease does not exist. The key is then attached to no lease.
    pub fn attach(&mut self, id: i64, key: Bytes) -> Result<(), LeaseError> {
        if self.items.get(&key) == Some(&id) {
            return Ok(());
        }
        self.detach(&key);
        let lease = self.leases.get_mut(&id).ok_or(LeaseError::NotFound)?;
        lease.keys.insert(key.clone());
        self.items.insert(key, id);
        Ok(())
    }

    pub fn detach(&mut self, key: &Bytes) {
        if let Some(id) = self.items.remove(key)
            && let Some(lease) = self.leases.get_mut(&id)
        {
            lease.keys.remove(key);
        }
    }

    pub fn lookup(&self, id: i64) -> Option<&Lease> {
        self.leases.get(&id)
    }

    pub fn len(&self) -> u64 {
        self.leases.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.leases.is_empty()
    }

    /// Returns all leases in the order of their expiry times.
    pub fn leases(&self) -> impl Iterator<Item = &Lease> {
        self.by_expiry
            .iter()
            .filter_map(|(_, id)| self.leases.get(id))
    }

    /// Returns the ids of up to [`EXPIRED_PER_LOOK_MAX`] expired leases, in the order of their expiry times.
    pub fn expired(&self, now: SimTime) -> Vec<i64> {
        let due = self.by_expiry.iter().take_while(|(at, _)| *at <= now);
        due.take(EXPIRED_PER_LOOK_MAX).map(|(_, id)| *id).collect()
    }

    /// Returns true if there are more expired leases than one check returns.
    pub fn more_expired(&self, now: SimTime) -> bool {
        let next = self.by_expiry.iter().nth(EXPIRED_PER_LOOK_MAX);
        next.is_some_and(|(at, _)| *at <= now)
    }

    /// Returns the id of the lease that a key is attached to, or 0 if the key has no lease.
    pub fn lease_of(&self, key: &Bytes) -> i64 {
        self.items.get(key).copied().unwrap_or(0)
    }

    /// Returns the time of the next expiry or checkpoint.
    pub fn next_due(&self) -> Option<SimTime> {
        let (expiry, checkpoint) = (self.by_expiry.get_min(), self.checkpoints.get_min());
        expiry
            .into_iter()
            .chain(checkpoint)
            .map(|(at, _)| *at)
            .min()
    }

    pub fn makes_checkpoints(&self) -> bool {
        self.checkpoint_interval.0 > 0
    }

    /// Returns the interval between checkpoints, or 0 for no checkpoints.
    pub fn checkpoint_interval(&self) -> SimDuration {
        self.checkpoint_interval
    }

    /// Makes this lessor the primary, as on a new leader: each lease expires after its remaining TTL, counted from
    /// `from`.
    pub fn promote(&mut self, from: SimTime) {
        self.by_expiry = OrdSet::new();
        let ids: Vec<i64> = self.leases.keys().copied().collect();
        for id in ids {
            let lease = self.leases.get_mut(&id).expect("it was just listed");
            let left_s = match lease.remaining_ttl_s {
                0 => lease.ttl_s,
                remaining => remaining,
            };
            lease.expiry = from + seconds(left_s);
            self.by_expiry.insert((lease.expiry, id));
        }
        self.checkpoint_every(self.checkpoint_interval, from);
    }

    /// Sets the interval between checkpoints for all leases. 0 disables checkpoints.
    pub fn checkpoint_every(&mut self, interval: SimDuration, now: SimTime) {
        self.checkpoint_interval = interval;
        self.checkpoints = OrdSet::new();
        let ids: Vec<i64> = self.leases.keys().copied().collect();
        for id in ids {
            self.schedule_checkpoint(id, now);
        }
    }

    /// Schedules a checkpoint for a lease whose remaining TTL is longer than the interval between checkpoints.
    fn schedule_checkpoint(&mut self, id: i64, now: SimTime) {
        let lease = &self.leases[&id];
        let left_s = match lease.remaining_ttl_s {
            0 => lease.ttl_s,
            remaining => remaining,
        };
        if self.makes_checkpoints() && left_s > (self.checkpoint_interval.0 / 1_000_000) as i64 {
            self.checkpoints
                .insert((now + self.checkpoint_interval, id));
        }
    }

    /// Removes up to [`CHECKPOINTS_PER_ENTRY_MAX`] due checkpoints from the schedule. Returns the ids of the leases and
    /// their remaining TTLs in seconds, rounded up. A lease that was just renewed needs no checkpoint, so the result
    /// omits the lease. As in upstream, the schedule then contains no further checkpoint of that lease.
    pub fn due_checkpoints(&mut self, now: SimTime) -> Vec<(i64, i64)> {
        let mut due = Vec::new();
        while due.len() < CHECKPOINTS_PER_ENTRY_MAX
            && let Some((at, id)) = self.checkpoints.get_min().copied()
            && at <= now
        {
            self.checkpoints.remove(&(at, id));
            let Some(lease) = self.leases.get(&id) else {
                continue;
            };
            let left_s = lease.expiry.0.saturating_sub(now.0).div_ceil(1_000_000) as i64;
            if left_s > 0 && left_s < lease.ttl_s {
                due.push((id, left_s));
            }
        }
        due
    }

    /// Stores the remaining TTL of a lease, where 0 means the full TTL. Returns the lease's TTL, or `None` if the lease
    /// no longer exists.
    pub fn checkpoint(&mut self, id: i64, remaining_s: i64, now: SimTime) -> Option<i64> {
        let lease = self.leases.get_mut(&id)?;
        lease.remaining_ttl_s = remaining_s;
        let ttl_s = lease.ttl_s;
        self.schedule_checkpoint(id, now);
        Some(ttl_s)
    }
}

/// Converts a TTL in seconds to a duration. A negative TTL becomes 0.
pub fn seconds(s: i64) -> SimDuration {
    SimDuration(s.max(0) as u64 * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lessor() -> Lessor {
        Lessor::new(2)
    }

    #[test]
    fn short_ttls_are_raised_and_long_ones_refused() {
        let mut l = lessor();
        for (id, ttl) in [(1, 1), (2, 0), (3, -100)] {
            assert_eq!(l.grant(id, ttl, SimTime(0)).map(|g| g.ttl_s), Ok(2));
        }
        let too_long = l.grant(4, TTL_MAX_S + 1, SimTime(0)).cloned();
        assert_eq!(too_long, Err(LeaseError::TtlTooLarge));
        assert_eq!(l.grant(1, 9, SimTime(0)).cloned(), Err(LeaseError::Exists));
        assert_eq!(
            l.grant(5, TTL_MAX_S, SimTime(0)).map(|g| g.ttl_s),
            Ok(TTL_MAX_S)
        );
    }

    #[test]
    fn a_key_hangs_on_one_lease_at_most() {
        let mut l = lessor();
        l.grant(1, 10, SimTime(0)).expect("granted");
        l.grant(2, 10, SimTime(0)).expect("granted");
        for key in ["b", "a"] {
            l.attach(1, key.into()).expect("it exists");
        }
        l.attach(2, "a".into()).expect("it exists");
        assert_eq!(l.revoke(1), Ok(vec!["b".into()]));
        l.detach(&"a".into());
        assert_eq!(l.revoke(2), Ok(vec![]));
        assert_eq!(l.revoke(2), Err(LeaseError::NotFound));
        assert_eq!(l.attach(9, "a".into()), Err(LeaseError::NotFound));
    }

    #[test]
    fn keys_of_a_revoked_lease_come_in_order() {
        let mut l = lessor();
        l.grant(1, 5, SimTime(0)).expect("granted");
        for key in ["k2", "k1", "k3"] {
            l.attach(1, key.into()).expect("it exists");
        }
        assert_eq!(l.revoke(1), Ok(vec!["k1".into(), "k2".into(), "k3".into()]));
    }

    #[test]
    fn renewing_moves_the_expiry_and_an_expired_lease_cannot_be_renewed() {
        let mut l = lessor();
        l.grant(1, 5, SimTime(0)).expect("granted");
        assert_eq!(l.renew(1, SimTime(4_900_000)), Ok(5));
        assert_eq!(l.next_due(), Some(SimTime(9_900_000)));
        assert!(l.expired(SimTime(9_899_999)).is_empty());
        assert_eq!(l.renew(1, SimTime(9_900_000)), Err(LeaseError::NotFound));
        assert_eq!(l.expired(SimTime(9_900_000)), [1]);
    }

    #[test]
    fn what_is_left_of_long_leases_is_written_down() {
        let mut l = lessor();
        let minutes = |m: u64| SimTime(m * 60_000_000);
        l.grant(1, 300, minutes(0)).expect("granted");
        l.grant(2, 900, minutes(0)).expect("granted");
        assert_eq!(l.next_due(), Some(minutes(5)), "nothing but expiry");
        l.checkpoint_every(SimDuration(300_000_000), minutes(1));
        assert_eq!(
            l.next_due(),
            Some(minutes(5)),
            "300 s are not longer than 5 min"
        );
        assert!(l.due_checkpoints(minutes(5)).is_empty());
        assert_eq!(l.due_checkpoints(minutes(6)), [(2, 540)]);
        assert_eq!(l.checkpoint(2, 540, minutes(6)), Some(900));
        assert_eq!(l.due_checkpoints(minutes(11)), [(2, 240)]);
        // The remaining TTL is not longer than the interval between checkpoints, so no further checkpoint is scheduled.
        assert_eq!(l.checkpoint(2, 240, minutes(11)), Some(900));
        assert!(l.due_checkpoints(minutes(16)).is_empty());
        // A lease that was just renewed needs no checkpoint.
        l.renew(2, minutes(14)).expect("it is there");
        assert_eq!(l.checkpoint(2, 0, minutes(14)), Some(900));
        l.renew(2, minutes(19)).expect("it is there");
        assert!(l.due_checkpoints(minutes(19)).is_empty());
        assert_eq!(l.checkpoint(3, 1, minutes(19)), None);
    }

    #[test]
    fn the_list_is_by_what_is_left_and_one_look_offers_five_hundred() {
        let mut l = lessor();
        for id in 0..600 {
            l.grant(id, 1000 - id, SimTime(0)).expect("granted");
        }
        let order: Vec<i64> = l.leases().map(|lease| lease.id).collect();
        assert_eq!(order[..3], [599, 598, 597]);
        let expired = l.expired(SimTime(2_000_000_000));
        assert_eq!((expired.len(), expired[0]), (500, 599));
    }
}
