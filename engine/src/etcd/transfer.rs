//! Transfers the leadership to another member at the request of a client.
//!
//! Mirrors `MoveLeader` of `v3rpc/maintenance.go` and `EtcdServer.MoveLeader` (`server.go`): the leader asks raft for
//! the transfer, and checks once per tick whether the new leader has taken over. The request ends when its caller gives
//! up.

use crate::api::{EtcdError, MoveLeaderRequest, MoveLeaderResponse, Response};
use crate::base::ids::Caller;
use crate::raft::RaftId;
use crate::sim::Outbox;

use super::server::{EtcdServer, MemberTimer};

/// The error for a new leader that is not a member of the cluster.
const UNKNOWN: EtcdError = EtcdError::BadLeaderTransferee;

/// A transfer of the leadership that the new leader has not completed yet.
#[derive(Clone, Copy, Debug, Hash)]
pub(super) struct PendingTransfer {
    caller: Caller,
    to: RaftId,
}

impl EtcdServer {
    pub(super) fn move_leader(
        &mut self,
        caller: Caller,
        request: MoveLeaderRequest,
    ) -> Result<Option<Response>, EtcdError> {
        let is_itself = request.target_id == self.member_id();
        let Some(member) = &mut self.cluster.0 else {
            return match is_itself {
                true => Ok(Some(moved())),
                false => Err(UNKNOWN),
            };
        };
        if !member.node.is_leader() {
            return Err(EtcdError::NotLeader);
        }
        let membership = member.membership();
        let (to, target) = membership.find(request.target_id).ok_or(UNKNOWN)?;
        if target.is_learner {
            return Err(UNKNOWN);
        }
        if is_itself {
            return Ok(Some(moved()));
        }
        member.node.transfer_leader(to);
        member.transfers.push(PendingTransfer { caller, to });
        Ok(None)
    }

    /// Responds to the transfers whose new leader has taken over.
    pub(super) fn finish_transfers(&mut self, out: &mut Outbox<MemberTimer>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        let leader = member.node.leader();
        let pending = std::mem::take(&mut member.transfers);
        let (done, rest) = pending.into_iter().partition(|t| leader == Some(t.to));
        member.transfers = rest;
        let done: Vec<PendingTransfer> = done;
        for transfer in done {
            self.reply(transfer.caller, Ok(Some(moved())), out);
        }
    }
}

fn moved() -> Response {
    Response::MoveLeader(MoveLeaderResponse::default())
}
