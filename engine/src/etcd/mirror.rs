//! A member that copies another etcd: it applies the changes of that etcd, and decides nothing itself.
//!
//! A watch reports the writes of a revision in order, but not the requests that made them. The copy therefore applies
//! the writes directly, each revision in one transaction. Leases are known only as far as keys name them: the copy
//! revokes none, because the other etcd does, and its watch then reports the deletes.

use std::collections::BTreeSet;

use crate::api::{CompactionRequest, LeaseGrantRequest};
use crate::base::Bytes;
use crate::base::bytes::{KeyRange, escape};
use crate::sim::Outbox;

use super::entries::Waiter;
use super::server::{EtcdServer, MemberTimer};

/// A change of another etcd, for the member that copies it.
///
/// ```
/// use watchglass_engine::api::Profile;
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::etcd::{EtcdServer, MirrorOp, MirrorWrite};
/// use watchglass_engine::sim::Outbox;
/// let mut member = EtcdServer::new(Profile::V3_6);
/// let put = MirrorWrite::Put { key: "/a".into(), value: "1".into(), lease: 0 };
/// let change = MirrorOp::Change { revision: 2, writes: vec![put] };
/// member.mirror(&MirrorOp::Start, &mut Outbox::new(SimTime(0)));
/// member.check_mirror(&change).unwrap();
/// member.mirror(&change, &mut Outbox::new(SimTime(0)));
/// assert_eq!(member.store().current_rev(), 2);
/// assert!(member.check_mirror(&change).is_err()); // the next change has revision 3
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MirrorOp {
    /// From now on the member is a copy: `mirror start`.
    Start,
    /// The writes of a revision, in their order: `mirror 7 put KEY VALUE del KEY`.
    Change {
        revision: i64,
        writes: Vec<MirrorWrite>,
    },
    /// Up to this revision, no change concerns a key of the copy, which has a part of the keys: `mirror skip 6`.
    Skip(i64),
    /// A compaction at this revision: `mirror compact 5`.
    Compact(i64),
    /// A lease that a later put names: `mirror lease ID TTL`.
    Lease {
        id: i64,
        /// The granted time in seconds.
        ttl_s: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MirrorWrite {
    Put {
        key: Bytes,
        value: Bytes,
        /// The ID of the lease; 0 for none.
        lease: i64,
    },
    Delete(Bytes),
}

impl EtcdServer {
    /// Returns true if the member only copies another etcd.
    pub fn is_mirror(&self) -> bool {
        *self.is_mirror
    }

    /// Checks whether the change follows the state of the member.
    ///
    /// # Errors
    /// Returns a sentence with the reason if the copy would then differ from the other etcd.
    pub fn check_mirror(&self, op: &MirrorOp) -> Result<(), String> {
        let store = self.store();
        if *op != MirrorOp::Start && !self.is_mirror() {
            return Err(
                "this store copies no other etcd; type `mirror start` to start a copy".into(),
            );
        }
        match op {
            MirrorOp::Start => Ok(()),
            MirrorOp::Change { revision, writes } => {
                let next = store.current_rev() + 1;
                if *revision != next {
                    return Err(format!(
                        "the next revision of this copy is {next}, not {revision}"
                    ));
                }
                let mut put = BTreeSet::new();
                for write in writes {
                    match write {
                        MirrorWrite::Put { key, .. } => drop(put.insert(key)),
                        MirrorWrite::Delete(key) => {
                            let range = KeyRange::One(key.clone());
                            let is_live = store.index().live(&range, next).next().is_some();
                            if !is_live && !put.contains(key) {
                                return Err(format!(
                                    "{} does not exist in this copy, so it cannot be deleted",
                                    escape(key)
                                ));
                            }
                        }
                    }
                }
                Ok(())
            }
            MirrorOp::Skip(revision) if *revision < store.current_rev() => Err(format!(
                "this copy is already at revision {}, after revision {revision}",
                store.current_rev()
            )),
            MirrorOp::Skip(i64::MAX) => Err("no revision follows the largest one".into()),
            MirrorOp::Skip(_) => Ok(()),
            MirrorOp::Compact(revision) if *revision > store.current_rev() => Err(format!(
                "this copy is at revision {}, so it cannot be compacted at revision {revision}",
                store.current_rev()
            )),
            MirrorOp::Compact(_) => Ok(()),
            MirrorOp::Lease { id: 0, .. } => Err("the ID of a lease is not 0".into()),
            MirrorOp::Lease { .. } => Ok(()),
        }
    }

    /// Applies a change that [`check_mirror`](Self::check_mirror) accepts. A lease that the member knows, and a
    /// compaction that the file contained, change nothing.
    pub fn mirror(&mut self, op: &MirrorOp, out: &mut Outbox<MemberTimer>) {
        match op {
            MirrorOp::Start => *self.is_mirror = true,
            MirrorOp::Change { writes, .. } => {
                self.next_index(out);
                let lessor = &self.lessor;
                let ((), written) = self.kv.write(|txn| {
                    for write in writes {
                        match write {
                            MirrorWrite::Put { key, value, lease } => {
                                let lease = lessor.lookup(*lease).map_or(0, |lease| lease.id);
                                txn.put(key.clone(), value.clone(), lease);
                            }
                            MirrorWrite::Delete(key) => {
                                txn.delete_range(&KeyRange::One(key.clone()));
                            }
                        }
                    }
                });
                self.committed(written, out);
            }
            MirrorOp::Skip(revision) => {
                self.next_index(out);
                self.kv.skip_to(*revision);
            }
            MirrorOp::Compact(revision) => {
                if *revision > self.store().compact_rev() {
                    self.next_index(out);
                    let request = CompactionRequest {
                        revision: *revision,
                        physical: false,
                    };
                    // The revision is neither compacted nor in the future.
                    self.apply_compaction(request, &Waiter::Nobody, out).ok();
                }
            }
            MirrorOp::Lease { id, ttl_s } => {
                if self.lessor.lookup(*id).is_none() {
                    self.next_index(out);
                    let grant = LeaseGrantRequest {
                        id: *id,
                        ttl: *ttl_s,
                    };
                    // The member does not know the id, and etcd has granted this time.
                    self.apply_grant(grant, out).ok();
                }
            }
        }
        self.settle_watches(out);
    }
}
