//! Members that are added to the cluster, and members that were removed from it.
//!
//! A member that `member add` adds is a process to start: `start NAME` starts it without data, as with
//! `--initial-cluster-state=existing`. The name is the host of the member's peer URL. Not simulated: the request with
//! which the new process reads the member list from another member. A removed member ends its process, and its name can
//! be used again.

use std::sync::Arc;

use crate::api::ListedMember;
use crate::api::message::{Body, EtcdMessage};
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::etcd::EtcdServer;
use crate::etcd::join::Joining;
use crate::etcd::membership::Membership;
use crate::raft::RaftPayload;
use crate::trace::{ClientTrace, TraceEvent};
use crate::words::changes as words;

use super::config::MEMBERS_MAX;
use super::node::{Member, Node};
use super::resolve::refuse;
use super::{Cause, Trace, World};

/// etcd's error when a member learns that it was removed.
const REMOVED: &str = "the member has been permanently removed from the cluster";

impl World {
    /// Returns true if the members use raft: the world began with several members, or a member was added.
    pub fn is_cluster(&self) -> bool {
        self.at_endpoint().raft().is_some()
    }

    /// Returns the members in the newest state that a member of the cluster has applied.
    fn newest_membership(&self) -> Arc<Membership> {
        let newest = self.members().max_by_key(|(_, member)| member.raft_index());
        newest
            .map_or(self.at_endpoint(), |(_, member)| member)
            .membership()
    }

    /// The member that `start NAME` starts for the first time; `None` if the cluster has no such member.
    pub(super) fn joining(&self, name: &str) -> Option<Joining> {
        let known = self.names.get(name);
        if known.is_some_and(|node| !self.is_removed(*node)) {
            return None;
        }
        let is_free = |raft: u32| !self.nodes.contains_key(&NodeId::Member(raft));
        let membership = self.newest_membership();
        let mut members = membership.members();
        let (raft, member) = members.find(|(raft, member)| {
            is_free(*raft) && member.peer_urls.iter().any(|url| host(url) == name)
        })?;
        let endpoint = self.at_endpoint();
        Some(Joining {
            raft,
            member: ListedMember {
                name: name.to_owned(),
                client_urls: vec![format!("http://{name}:2379")],
                ..member.clone()
            },
            founders: endpoint.founders(),
            has_whole_log: endpoint.has_whole_log(),
        })
    }

    pub(super) fn check_join(&self) -> Result<(), String> {
        refuse(self.members().count() >= MEMBERS_MAX as usize, || {
            format!("a world can have at most {MEMBERS_MAX} members")
        })
    }

    /// Returns true if the node is a member that was removed from the cluster and has stopped.
    pub fn is_removed(&self, node: NodeId) -> bool {
        matches!(self.nodes.get(&node), Some(Node::Member(member)) if *member.is_removed)
    }

    pub(super) fn join_member(&mut self, cause: Cause, joining: Joining, trace: Trace<'_>) {
        let node = NodeId::Member(joining.raft);
        let name: Arc<str> = joining.member.name.as_str().into();
        let sentence = words::member_joins(&name);
        let (profile, seed) = (self.config.profile, self.seed());
        let server = EtcdServer::new(profile).seeded(seed).with_cost(self.cost);
        let mut server = server.joining(joining, seed);
        #[cfg(feature = "planted-bugs")]
        server.plant(self.planted);
        self.copy_settings(&mut server);
        let mut member = Member::new(server);
        member.name = Sparse(Some(name.clone()));
        self.nodes.insert(node, Node::Member(Arc::new(member)));
        self.names.insert(name, node);
        let cause = self.changed(cause, Some(node), sentence, trace);
        let event = ClientTrace::Started { node };
        let cause = self.tell(node, cause, TraceEvent::Client(event), trace);
        self.with_member(node, cause, trace, |member, out| {
            member.start_raft(out);
        });
    }

    /// Ends the process of a member that was removed from the cluster.
    pub(super) fn end_removed(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        let sentence = words::process_failed(&self.node_name(node), REMOVED);
        let cause = self.changed(cause, Some(node), sentence, trace);
        self.stop_etcd(cause, node, trace);
        if let Some(member) = self.state::<Member>(node) {
            member.is_removed = Sparse(true);
        }
    }

    /// Reports to a member that a snapshot did not arrive, because the receiver was never started.
    pub(super) fn refuse_connection(
        &mut self,
        from: NodeId,
        cause: Cause,
        body: &Body,
        trace: Trace<'_>,
    ) {
        if let Body::Etcd(EtcdMessage::Peer(message)) = body
            && let RaftPayload::Snapshot(_) = &message.payload
        {
            self.with_member(from, cause, trace, |member, out| {
                member.snapshot_failed(message.to, out);
            });
        }
    }

    /// Returns true if the process of a member was never started, so that nothing accepts connections at its address.
    pub(super) fn is_unstarted(&self, node: NodeId) -> bool {
        node.is_member() && !self.nodes.contains_key(&node)
    }
}

/// Returns the host in a URL, such as `etcd-4` in `http://etcd-4:2380`.
fn host(url: &str) -> &str {
    let address = url.split_once("://").map_or(url, |(_, rest)| rest);
    address.split_once(':').map_or(address, |(host, _)| host)
}
