//! A store that copies the changes of another etcd, one step per change (`etcd/mirror.rs`).

use crate::etcd::MirrorOp;
use crate::words::changes as words;

use super::{Cause, FIRST_MEMBER, Trace, World};

impl World {
    /// Returns true if the store copies another etcd.
    pub fn is_mirror(&self) -> bool {
        self.member(FIRST_MEMBER)
            .is_some_and(|member| member.is_mirror())
    }

    pub(super) fn mirror(&mut self, cause: Cause, op: &MirrorOp, trace: Trace<'_>) {
        let sentence = match op {
            MirrorOp::Start => words::MIRROR_STARTED.to_owned(),
            MirrorOp::Change { revision, .. } => words::revision_copied(*revision),
            MirrorOp::Skip(revision) => words::revision_skipped(*revision),
            MirrorOp::Compact(revision) => words::compaction_copied(*revision),
            MirrorOp::Lease { id, .. } => words::lease_copied(*id),
        };
        let cause = self.changed(cause, Some(FIRST_MEMBER), sentence, trace);
        self.with_member(FIRST_MEMBER, cause, trace, |member, out| {
            member.mirror(op, out);
        });
    }
}
