//! The gRPC proxy in the world: its start and end, and the connections to it.
//!
//! A world has at most one proxy. Requests of etcdctl to a stopped proxy wait for their connection, as they do for a
//! stopped member. All other requests to a stopped proxy, and requests of the proxy to a stopped member, fail.

use std::sync::Arc;

use crate::api::EtcdError;
use crate::api::message::{Body, EtcdMessage};
use crate::base::ids::NodeId;
use crate::client::etcd::client::Client;
use crate::etcd::GrpcProxy;
use crate::words::changes as words;

use super::life::LifeChange;
use super::node::Node;
use super::resolve::{ResolvedOp, refuse, resolved};
use super::{Cause, FIRST_MEMBER, InFlightMessage, Trace, World};

pub(super) const NAME: &str = "grpc-proxy";

impl World {
    pub fn proxy(&self) -> Option<&GrpcProxy> {
        match self.nodes.get(&NodeId::Proxy)? {
            Node::Proxy(proxy) => Some(proxy),
            _ => None,
        }
    }

    /// Returns true if the proxy listens at an address, even while it is stopped. The name of the proxy is an address,
    /// too.
    pub(super) fn is_proxy_at(&self, endpoint: &str) -> bool {
        let port = endpoint
            .rsplit_once(':')
            .and_then(|(_, port)| port.parse().ok());
        let is_at = |proxy: &GrpcProxy| endpoint == NAME || port == Some(proxy.port());
        self.proxy().is_some_and(is_at)
    }

    /// Returns the member or the proxy that listens at an address.
    pub(super) fn listener_at(&self, endpoint: &str) -> Result<NodeId, String> {
        let node = self.member_at(endpoint)?;
        refuse(!self.listens_at(endpoint), || {
            let urls = self.client_urls().join(", ");
            format!("nothing listens at {endpoint}; the addresses of members are {urls}")
        })?;
        Ok(node)
    }

    /// Returns the member at an address, to which a client can open a stream. Without an address, returns the first
    /// member.
    pub(super) fn stream_member(&self, endpoint: Option<&str>) -> Result<NodeId, String> {
        let Some(endpoint) = endpoint else {
            return Ok(FIRST_MEMBER);
        };
        let member = self.member_at(endpoint)?;
        refuse(member == NodeId::Proxy, || {
            format!(
                "{endpoint} is the address of {NAME}, and the simulated proxy relays no streams; use the address of \
                 a member"
            )
        })?;
        Ok(member)
    }

    pub(super) fn resolve_proxy(
        &self,
        endpoint: &str,
        port: u32,
    ) -> Result<ResolvedOp<'static>, String> {
        let etcd = self.listener_at(endpoint)?;
        refuse(etcd == NodeId::Proxy, || {
            format!("{endpoint} is the address of {NAME} itself; use the address of a member")
        })?;
        match self.proxy() {
            Some(_) => self.check_life(NodeId::Proxy, LifeChange::Start)?,
            None => self.free_name(NAME)?,
        }
        resolved(move |world, cause, trace| world.add_proxy(cause, etcd, port, trace))
    }

    fn add_proxy(&mut self, cause: Cause, etcd: NodeId, port: u32, trace: Trace<'_>) {
        let cause = match self.state::<GrpcProxy>(NodeId::Proxy) {
            Some(proxy) => {
                proxy.set_flags(etcd, port);
                self.change_life(cause, NodeId::Proxy, LifeChange::Start, trace);
                cause
            }
            None => {
                let proxy = Node::Proxy(Arc::new(GrpcProxy::new(etcd, port)));
                self.add_node(cause, NodeId::Proxy, (NAME.into(), proxy), trace)
            }
        };
        let sentence = words::proxy_starts(NAME, port, &self.node_name(etcd));
        self.changed(cause, Some(NodeId::Proxy), sentence, trace);
    }

    pub(super) fn stop_proxy(&mut self, cause: Cause, trace: Trace<'_>) {
        let proxy = NodeId::Proxy;
        self.cut_streams(cause, proxy, trace);
        self.disconnect_distributors(cause, proxy, trace);
        self.network.drop_backlog(self.now, proxy, NodeId::Etcdctl);
        self.due.retain(|due| due.timer_of() != Some(proxy));
        if let Some(proxy) = self.state::<GrpcProxy>(proxy) {
            proxy.stop();
        }
        self.break_typed(cause, proxy, trace);
    }

    pub(super) fn start_proxy(&mut self) {
        if let Some(proxy) = self.state::<GrpcProxy>(NodeId::Proxy) {
            proxy.start();
        }
        self.connect_distributors(NodeId::Proxy);
        self.deliver_unsent(NodeId::Proxy);
    }

    /// Fails the relayed requests of the proxy, because its member stopped.
    pub(super) fn cut_off_proxy(&mut self, cause: Cause, etcd: NodeId, trace: Trace<'_>) {
        if self.proxy().is_some_and(|proxy| proxy.etcd() == etcd) {
            self.break_connections(cause, NodeId::Proxy, etcd, trace);
            self.with(NodeId::Proxy, cause, trace, |proxy: &mut GrpcProxy, out| {
                proxy.member_stopped(out);
            });
        }
    }

    /// Fails a request whose receiver is stopped, if the sender or the receiver is the proxy.
    pub(super) fn refuse_call(&mut self, cause: Cause, flight: &InFlightMessage, trace: Trace<'_>) {
        let Body::Etcd(EtcdMessage::Call { call, .. }) = *flight.body else {
            return;
        };
        let reply = Arc::new(Err(EtcdError::MemberStopped));
        let body = Body::Etcd(EtcdMessage::Answer { call, reply });
        match flight.from {
            NodeId::Proxy => self.reach_proxy(cause, flight.to, &body, trace),
            client if flight.to == NodeId::Proxy => {
                self.with(client, cause, trace, |client: &mut Client, out| {
                    client.handle(&body, 0, out);
                });
            }
            _ => {}
        }
    }

    pub(super) fn reach_proxy(
        &mut self,
        cause: Cause,
        from: NodeId,
        body: &Body,
        trace: Trace<'_>,
    ) {
        self.with(NodeId::Proxy, cause, trace, |proxy: &mut GrpcProxy, out| {
            proxy.handle(from, body, out);
        });
    }
}
