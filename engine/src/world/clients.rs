//! Adds clients of etcd to the world.

use std::sync::Arc;

use crate::api::LeaderNeed;
use crate::base::ids::NodeId;
use crate::client::etcd::client::Client;
use crate::client::etcd::list_watch::ListWatch;

use super::node::Node;
use super::op::StartWatch;
use super::resolve::{ResolvedOp, resolved};
use super::{Cause, FIRST_MEMBER, Trace, World};

impl World {
    pub(super) fn add_client(
        &mut self,
        cause: Cause,
        name: &Arc<str>,
        member: NodeId,
        trace: Trace<'_>,
    ) -> (NodeId, Cause) {
        let node = self.next_client();
        let client = Client::new(node, name.clone(), member);
        self.add_client_node(cause, node, client, trace)
    }

    /// Adds a client of the first member that keeps a copy of a prefix. The watch of the copy has the client's name.
    pub(super) fn add_list_watch(
        &mut self,
        cause: Cause,
        name: &str,
        app: ListWatch,
        trace: Trace<'_>,
    ) -> (NodeId, Cause) {
        let name: Arc<str> = name.into();
        let node = self.next_client();
        let client = Client::list_watch(node, name.clone(), FIRST_MEMBER, app);
        let (node, cause) = self.add_client_node(cause, node, client, trace);
        self.watches.insert(name, node);
        (node, cause)
    }

    fn next_client(&self) -> NodeId {
        NodeId::Client(self.clients().count() as u32 + 1)
    }

    fn add_client_node(
        &mut self,
        cause: Cause,
        node: NodeId,
        client: Client,
        trace: Trace<'_>,
    ) -> (NodeId, Cause) {
        let name = client.name().clone();
        let client = client
            .with_profile(self.config.profile)
            .planted(self.planted);
        let client = Node::Client(Arc::new(client));
        let cause = self.add_node(cause, node, (name, client), trace);
        (node, cause)
    }

    pub(super) fn resolve_watch<'a>(
        &self,
        start: &'a StartWatch,
    ) -> Result<ResolvedOp<'a>, String> {
        self.free_watch(&start.name)?;
        let member = self.stream_member(start.endpoint.as_deref())?;
        let client = match &start.client {
            Some(client) => self.usable_client(client)?,
            None => self.free_client(&start.name).map(|()| None)?,
        };
        resolved(move |world, cause, trace| {
            let name: Arc<str> = start.name.as_str().into();
            let (node, cause) = match client {
                Some(node) => (node, cause),
                None => {
                    let client = start.client.as_deref().unwrap_or(&start.name).into();
                    world.add_client(cause, &client, member, trace)
                }
            };
            world.watches.insert(name.clone(), node);
            // Watches that require a leader and watches that do not use separate streams.
            let place = u32::from(start.create.leader == LeaderNeed::NotRequired);
            world.with(node, cause, trace, |client: &mut Client, out| {
                if let Some(request) = &start.runs {
                    client.run_for_events(name.clone(), request.clone());
                }
                if start.login.is_some() {
                    client.log_in_as(start.login.0.clone());
                }
                client.watch(name, place, start.create.clone(), out);
            });
        })
    }
}
