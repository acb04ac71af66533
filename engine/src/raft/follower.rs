//! The work of a follower: it appends the entries of its leader, and installs snapshots.

use super::{ConfState, EntryData, LogMark, LoggedEntry, RaftId, RaftNode, RaftPayload};

impl<T: EntryData> RaftNode<T> {
    pub(super) fn handle_append(
        &mut self,
        leader: RaftId,
        previous: LogMark,
        entries: Vec<LoggedEntry<T>>,
        commit: u64,
    ) {
        let committed = self.log.committed();
        if previous.index < committed {
            // This message is old. Up to the commit index, the logs of the leader and the follower are equal.
            return self.send(leader, RaftPayload::Appended { index: committed });
        }
        let payload = match self.log.append_after(previous, entries) {
            Some(index) => {
                // Entries after the last new entry may be from an older leader, so they must not become committed.
                self.log.commit_to(commit.min(index));
                RaftPayload::Appended { index }
            }
            None => RaftPayload::AppendRejected {
                index: previous.index,
                hint: self
                    .log
                    .find_conflict_by_term(previous.index, previous.term),
            },
        };
        self.send(leader, payload);
    }

    /// Replaces the log and the members with those of a snapshot, unless the log contains the position of the snapshot.
    /// A node also ignores the snapshot of a cluster to which it does not belong.
    pub(super) fn handle_snapshot(&mut self, leader: RaftId, mark: LogMark, members: ConfState) {
        let is_old = mark.index <= self.log.committed() || !members.members().contains(&self.id());
        if !is_old && self.log.contains(mark) {
            self.log.commit_to(mark.index);
        } else if !is_old {
            self.log.install(mark);
            self.snapshot = Some(mark);
            self.set_members(members);
        }
        let index = self.log.committed();
        self.send(leader, RaftPayload::Appended { index });
    }
}
