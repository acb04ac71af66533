//! Full disks of members.
//!
//! Mirrors etcd on a full disk: the process ends when the database file must grow. After a restart, the process ends
//! again if the disk still has no space (observed with etcd 3.4.23). A follower rejects the snapshots of its leader.
//! Left out: the write-ahead log, whose files of 64 MB etcd allocates in advance, and the space that a defragmentation
//! needs.

use crate::base::ids::NodeId;
use crate::words::changes as words;

use super::node::Member;
use super::{Cause, Trace, World};

/// etcd's error when the database file cannot grow.
const NO_SPACE: &str =
    "cannot commit tx (write default.etcd/member/snap/db: no space left on device)";

impl World {
    pub fn has_full_disk(&self, node: NodeId) -> bool {
        let member = self.member(node);
        member.is_some_and(|member| member.store().backend().is_disk_full())
    }

    pub(super) fn is_any_disk_full(&self) -> bool {
        self.etcds().any(|(node, _)| self.has_full_disk(node))
    }

    pub(super) fn fill_disk(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        let sentence = words::disk_full(&self.node_name(node));
        let cause = self.changed(cause, Some(node), sentence, trace);
        self.with_member(node, cause, trace, |member, _| member.set_disk_full(true));
    }

    pub(super) fn free_disks(&mut self, cause: Cause, trace: Trace<'_>) {
        let nodes: Vec<NodeId> = self.etcds().map(|(node, _)| node).collect();
        for node in nodes {
            if self.has_full_disk(node) {
                let sentence = words::disk_freed(&self.node_name(node));
                self.changed(cause, Some(node), sentence, trace);
                if let Some(member) = self.state::<Member>(node) {
                    member.server.set_disk_full(false);
                }
            }
        }
    }

    /// Ends the process of a member whose database cannot grow.
    pub(super) fn disk_failed(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        if !self.runs(node) {
            return; // Another event already ended the process.
        }
        let sentence = words::process_failed(&self.node_name(node), NO_SPACE);
        let cause = self.changed(cause, Some(node), sentence, trace);
        self.stop_etcd(cause, node, trace);
    }
}
