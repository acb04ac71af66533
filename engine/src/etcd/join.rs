//! Members that join an existing cluster, and the change of a single member to the member of a cluster.
//!
//! Mirrors `bootstrapExistingClusterNoWAL` (`bootstrap.go`) and `publishV3` (`server.go`). A new member starts without
//! data. It receives all entries from the leader, or a snapshot if the leader does not have all entries. Once the
//! member has a leader, it publishes its name and its client URLs. A single member keeps no log, so the first member
//! that is added to it receives a snapshot.

use std::sync::Arc;

use crate::api::ListedMember;
use crate::api::log_entry::LogEntry;
use crate::base::digest::Sparse;
use crate::raft::{RaftId, RaftNode, WriteAheadLog};
use crate::sim::Outbox;

use super::cluster::{Cluster, ClusterMember, REQUEST_TICKS, TERM_AT_START, TICK};
use super::entries::Waiter;
use super::identity::MemberIdentity;
use super::membership::Membership;
use super::server::{EtcdServer, MemberTimer};

/// The number that a single member has in raft once other members are added.
const FIRST: RaftId = 1;

/// A member that joins an existing cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Joining {
    /// The number of the member's node in raft.
    pub raft: RaftId,
    /// The id, the name and the URLs of the member.
    pub member: ListedMember,
    /// The number of members that founded the cluster.
    pub founders: u32,
    /// Whether the log of the cluster contains all changes of the store.
    pub has_whole_log: bool,
}

impl EtcdServer {
    /// Turns a new member into one that joins an existing cluster.
    #[must_use]
    pub fn joining(mut self, joining: Joining, seed: u64) -> Self {
        let founders = joining.founders;
        // The first entries of a log only add the founding members, which a new member knows.
        let (wal, applied) = match joining.has_whole_log {
            true => {
                let applied = u64::from(founders);
                (WriteAheadLog::bootstrapped(TERM_AT_START, applied), applied)
            }
            false => (WriteAheadLog::default(), 0),
        };
        self.raft_index = applied;
        self.raft_term = wal.hard_state().term;
        let mut member = ClusterMember::new(
            (joining.raft, founders),
            MemberIdentity::of_joining(joining.member.id, founders),
            (self.profile(), seed),
            wal,
            |config, wal| RaftNode::restart(config, seed, wal, applied),
        );
        member.joining = Sparse(Some(Arc::new(joining)));
        self.begin_in_cluster(member);
        self
    }

    /// Turns a single member into the leader of a cluster with one voter. Its log begins after the last applied entry.
    pub(super) fn enter_raft(&mut self, out: &mut Outbox<MemberTimer>) {
        let (applied, seed) = (self.raft_index, *self.seed);
        let wal = WriteAheadLog::bootstrapped(self.raft_term, applied);
        let mut member = ClusterMember::new(
            (FIRST, 1),
            MemberIdentity::of_founder(FIRST, 1),
            (self.profile(), seed),
            wal,
            |config, wal| RaftNode::alone(config, seed, wal, applied),
        );
        member.leads_alone();
        for (entry, waiter) in self.take_proposed() {
            member.propose(entry, waiter);
        }
        self.cluster = Cluster(Some(Box::new(member)));
        out.timer(TICK, MemberTimer::RaftTick);
    }

    /// Returns true if a new member can receive all entries of the log: no row is older than the log.
    pub fn has_whole_log(&self) -> bool {
        self.founders() > 1 && !*self.is_populated
    }

    /// Proposes the attributes of the member. Founding members are known from the start, so their proposals are empty.
    pub(super) fn publish(&mut self) {
        let entry = match &self.cluster.0 {
            Some(member) => match &*member.joining {
                Some(joining) => LogEntry::Publish(Arc::new(joining.member.clone())),
                None => LogEntry::Empty,
            },
            None => return,
        };
        self.propose(entry, Waiter::Nobody);
    }

    /// Proposes the attributes of a joining member again if they were not applied within the timeout of a request.
    pub(super) fn publish_again(&mut self) {
        let Some(member) = &self.cluster.0 else {
            return;
        };
        let Some(joining) = &*member.joining else {
            return;
        };
        let own = member.membership().member(joining.raft);
        let is_published = own.is_some_and(ListedMember::is_started);
        if !is_published && member.ticks.is_multiple_of(REQUEST_TICKS) {
            self.publish();
        }
    }

    pub(super) fn apply_publish(&mut self, started: &ListedMember) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        let mut membership = Membership::clone(member.membership());
        if membership.publish(started).is_some() {
            member.changed = Sparse(Some(Arc::new(membership)));
            self.store_membership();
        }
    }
}
