//! Requests that a follower forwards to its leader: requests about leases, and changes of the membership.
//!
//! Mirrors `LeaseRenew`, `LeaseTimeToLive` and `waitLeader` (`v3_server.go`): only the leader counts the time of
//! leases. Also mirrors `PromoteMember` (`server.go`). Upstream forwards these requests by HTTP. A follower without a
//! leader checks for a leader once per election timeout.

use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage};
use crate::api::{EtcdError, Reply, Request, Response, ResponseHeader};
use crate::base::ids::{Caller, NodeId};
use crate::sim::Outbox;

use super::cluster::{ClusterMember, REQUEST_TICKS};
use super::server::{EtcdServer, MemberTimer};

/// A request that waits for the leader.
#[derive(Clone, Debug, Hash)]
pub(super) struct ForwardedRequest {
    caller: Caller,
    request: Arc<Request>,
    /// The response header from the time when the request arrived. The response to a renewal contains this header.
    header: ResponseHeader,
    /// The tick of the request's arrival.
    since: u64,
    /// The tick at which the member sends the request to the leader; `None` after sending.
    send_at: Option<u64>,
}

impl ForwardedRequest {
    /// Returns true if the member passes the leader's error on to the caller. A request about a lease is repeated after
    /// any error, and a change of the membership only if its receiver is no longer the leader.
    fn is_final(&self, error: EtcdError) -> bool {
        matches!(&*self.request, Request::MemberChange(_)) && error != EtcdError::NoLeader
    }
}

impl ClusterMember {
    /// Sends the waiting requests that are due. Returns the callers of requests that timed out, each with its error.
    fn forward_due(&mut self, out: &mut Outbox<MemberTimer>) -> Vec<(Caller, EtcdError)> {
        let (ticks, leader) = (self.ticks, self.node.leader());
        let mut late = Vec::new();
        let calls: Vec<u64> = self.forwarded.keys().copied().collect();
        for call in calls {
            let waiting = self
                .forwarded
                .get_mut(&call)
                .expect("the call was just listed");
            if ticks >= waiting.since + REQUEST_TICKS {
                late.push(match waiting.send_at {
                    Some(_) => (waiting.caller, EtcdError::NoLeader),
                    None => (waiting.caller, EtcdError::RequestTimedOut),
                });
                self.forwarded.remove(&call);
            } else if waiting.send_at.is_some_and(|at| at <= ticks) {
                let Some(leader) = leader else {
                    waiting.send_at = Some(ticks + u64::from(self.config.election_ticks));
                    continue;
                };
                waiting.send_at = None;
                let request = waiting.request.clone();
                let body = Body::Etcd(EtcdMessage::Call { call, request });
                out.send(NodeId::Member(leader), body);
            }
        }
        late
    }
}

impl EtcdServer {
    /// Forwards a request to the leader.
    ///
    /// # Errors
    /// Returns an error if another member forwarded the request to this member. The other member then retries.
    pub(super) fn forward_to_leader(
        &mut self,
        caller: Caller,
        request: &Arc<Request>,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<(), EtcdError> {
        if caller.node.is_member() {
            return Err(EtcdError::NoLeader);
        }
        let header = self.header_now();
        if let Some(member) = &mut self.cluster.0 {
            let call = member.number();
            let waiting = ForwardedRequest {
                caller,
                request: request.clone(),
                header,
                since: member.ticks,
                send_at: Some(member.ticks),
            };
            member.forwarded.insert(call, waiting);
            self.forward_requests(out);
        }
        Ok(())
    }

    /// Sends the forwarded requests that are due, and fails the requests that timed out.
    pub(super) fn forward_requests(&mut self, out: &mut Outbox<MemberTimer>) {
        if let Some(member) = &mut self.cluster.0 {
            for (caller, error) in member.forward_due(out) {
                out.reply(caller, Err(error));
            }
        }
    }

    pub fn forwarded_reply(&mut self, call: u64, reply: &Reply, out: &mut Outbox<MemberTimer>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        let Some(mut waiting) = member.forwarded.remove(&call) else {
            return;
        };
        let response = match reply.clone() {
            Ok(Response::LeaseKeepAlive(mut response)) => {
                response.header = waiting.header;
                Response::LeaseKeepAlive(response)
            }
            Ok(Response::LeaseTimeToLive(mut response)) => {
                response.header = ResponseHeader::default();
                Response::LeaseTimeToLive(response)
            }
            Ok(Response::MemberChange(response)) => Response::MemberChange(response),
            Err(error) if waiting.is_final(error) => return out.reply(waiting.caller, Err(error)),
            // The member that received the forwarded request is no longer the leader, so this member forwards the
            // request again.
            _ => {
                waiting.send_at = Some(member.ticks + 1);
                member.forwarded.insert(call, waiting);
                return;
            }
        };
        self.reply(waiting.caller, Ok(Some(response)), out);
    }
}
