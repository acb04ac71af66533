//! A gRPC proxy, which relays requests to a member and can limit them by classes and rules of etcd QoS.
//!
//! Mirrors the part of `server/proxy/grpcproxy` that relays requests with a single response. The QoS of the proxy is an
//! alternative in the proposal: the member stays unchanged, but the proxy knows neither the keys nor the size of the
//! database. The proxy keeps classes and rules in memory only. Left out: streams such as watches and lease keep-alives,
//! the cache of serializable reads, and the work of the proxy's machine.

use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage};
use crate::api::{EtcdError, QosContent, QosRequest, QosResponse, Reply, Request, Response};
use crate::base::ids::{Caller, NodeId};
use crate::base::ordered::OrdMap;
use crate::base::time::SimTime;
use crate::qos::error::QosWarning;
use crate::qos::{Decision, Finish, Qos, QosError};
use crate::sim::Outbox;

use super::admission::{HeldRequests, arrival, change_definitions, read_definitions};
use super::qos::{caller_of, reply_bytes};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProxyTimer {
    /// Relay the delayed requests whose start time has been reached.
    QosRelease,
}

/// A gRPC proxy (`etcd grpc-proxy start`).
///
/// ```
/// use watchglass_engine::api::message::{Body, EtcdMessage};
/// use watchglass_engine::api::{RangeRequest, Request};
/// use watchglass_engine::base::ids::NodeId;
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::etcd::GrpcProxy;
/// use watchglass_engine::sim::Outbox;
/// let mut proxy = GrpcProxy::new(NodeId::Member(1), 23790);
/// let mut out = Outbox::new(SimTime(0));
/// let request = Request::Range(RangeRequest::default()).into();
/// let call = Body::Etcd(EtcdMessage::Call { call: 7, request });
/// proxy.handle(NodeId::Etcdctl, &call, &mut out);
/// assert_eq!(out.messages[0].0, NodeId::Member(1));
/// ```
#[derive(Clone, Debug, Hash)]
pub struct GrpcProxy {
    etcd: NodeId,
    port: u32,
    is_running: bool,
    calls: u64,
    /// The callers of the relayed requests, by the proxy's own number for each request.
    open: OrdMap<u64, Caller>,
    qos: Qos,
    held: HeldRequests,
}

impl GrpcProxy {
    pub fn new(etcd: NodeId, port: u32) -> Self {
        Self {
            etcd,
            port,
            is_running: true,
            calls: 0,
            open: OrdMap::new(),
            qos: Qos::default(),
            held: HeldRequests::default(),
        }
    }

    /// Returns the member that receives the requests (`--endpoints`).
    pub fn etcd(&self) -> NodeId {
        self.etcd
    }

    /// Returns the port at which the proxy listens (`--listen-addr`).
    pub fn port(&self) -> u32 {
        self.port
    }

    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Returns the classes, the rules and the counters of QoS.
    pub fn qos(&self) -> &Qos {
        &self.qos
    }

    pub fn is_void(&self, timer: ProxyTimer) -> bool {
        match timer {
            ProxyTimer::QosRelease => self.held.is_empty(),
        }
    }

    /// Changes the member and the port of a stopped proxy.
    pub fn set_flags(&mut self, etcd: NodeId, port: u32) {
        (self.etcd, self.port) = (etcd, port);
    }

    /// Ends the process, which loses its requests, and its classes and rules.
    pub fn stop(&mut self) {
        *self = Self {
            is_running: false,
            // A late response of the member must not meet a request of the next process.
            calls: self.calls,
            ..Self::new(self.etcd, self.port)
        };
    }

    pub fn start(&mut self) {
        self.is_running = true;
    }

    /// Handles the end of the member's process: the relayed requests fail.
    pub fn member_stopped(&mut self, out: &mut Outbox<ProxyTimer>) {
        let calls: Vec<u64> = self.open.keys().copied().collect();
        let reply = Arc::new(Err(EtcdError::MemberStopped));
        for call in calls {
            self.answered(call, &reply, out);
        }
    }

    pub fn handle(&mut self, from: NodeId, body: &Body, out: &mut Outbox<ProxyTimer>) {
        match body {
            Body::Etcd(EtcdMessage::Call { call, request }) => {
                let (node, call) = (from, *call);
                self.called(Caller { node, call }, request, out);
            }
            Body::Etcd(EtcdMessage::Answer { call, reply }) => {
                self.answered(*call, reply, out);
            }
            // A proxy receives none of these messages, because a client cannot choose it for streams.
            Body::Etcd(
                EtcdMessage::Watch { .. }
                | EtcdMessage::WatchAnswer { .. }
                | EtcdMessage::Peer(_)
                | EtcdMessage::PeerRemoved,
            )
            | Body::Kube(_) => {}
        }
    }

    fn called(&mut self, caller: Caller, request: &Arc<Request>, out: &mut Outbox<ProxyTimer>) {
        let (sender, inner) = caller_of(request);
        match &**inner {
            Request::Qos(inner) => {
                let reply = self.change_qos(inner, out);
                out.reply(caller, reply.map(Response::Qos));
            }
            Request::LeaseKeepAlive(_) | Request::RangeStream(_) => {
                out.reply(caller, Err(EtcdError::StreamNotRelayed));
            }
            _ => {
                let arrival = match self.qos.is_idle() {
                    true => None,
                    false => arrival(&self.qos, out.now, caller, (sender, inner)),
                };
                let decision = match arrival {
                    Some(arrival) => {
                        let arrived = (arrival, request);
                        self.held.arrive(&mut self.qos, caller, arrived, out)
                    }
                    None => Decision::Bypass,
                };
                match decision {
                    Decision::Bypass | Decision::Admitted { .. } => {
                        self.relay(caller, request.clone(), out);
                    }
                    Decision::Delayed { .. } => self.plan_release(out),
                    Decision::Queued { .. } | Decision::Limited { .. } => {}
                }
            }
        }
    }

    fn relay(&mut self, caller: Caller, request: Arc<Request>, out: &mut Outbox<ProxyTimer>) {
        self.calls += 1;
        let call = self.calls;
        self.open.insert(call, caller);
        out.send(self.etcd, Body::Etcd(EtcdMessage::Call { call, request }));
    }

    /// Relays the response to the proxy's request with the number `call`.
    fn answered(&mut self, call: u64, reply: &Arc<Reply>, out: &mut Outbox<ProxyTimer>) {
        let Some(caller) = self.open.remove(&call) else {
            return; // The request belongs to an earlier process.
        };
        let (call, reply) = (caller.call, reply.clone());
        let end = Finish {
            response_bytes: reply_bytes(&reply),
            is_failure: reply.is_err(),
            ..Finish::default()
        };
        out.send(caller.node, Body::Etcd(EtcdMessage::Answer { call, reply }));
        self.qos.finish(out.now, caller, end);
        while let Some((caller, request)) = self.held.take_queued(&mut self.qos, out) {
            self.relay(caller, request, out);
        }
    }

    pub fn wake(&mut self, timer: ProxyTimer, out: &mut Outbox<ProxyTimer>) {
        match timer {
            ProxyTimer::QosRelease => {
                while let Some((caller, request)) = self.held.take_delayed(out) {
                    self.relay(caller, request, out);
                }
                self.plan_release(out);
            }
        }
    }

    fn plan_release(&self, out: &mut Outbox<ProxyTimer>) {
        if let Some(wait) = self.held.next_start(out.now) {
            out.timer(wait, ProxyTimer::QosRelease);
        }
    }

    /// Drops the held requests of a client whose connection broke.
    pub fn forget_client(&mut self, now: SimTime, client: NodeId) {
        self.held.forget_client(&mut self.qos, now, client);
    }

    fn change_qos(
        &mut self,
        request: &QosRequest,
        out: &mut Outbox<ProxyTimer>,
    ) -> Result<QosResponse, EtcdError> {
        match request {
            QosRequest::AddRule { rule, .. } | QosRequest::UpdateRule { rule, .. } => {
                let mut conditions = rule.conditions.iter().map(|condition| condition.kind);
                if let Some(kind) = conditions.find(|kind| kind.needs_store()) {
                    return Err(QosError::UnknownToProxy(kind.name()).into());
                }
                if rule.cost.needs_member() {
                    return Err(QosError::UnknownToProxy(rule.cost.name()).into());
                }
            }
            QosRequest::Monitor(_) => return Err(EtcdError::StreamNotRelayed),
            QosRequest::Doctor { .. } => {
                return Err(QosError::UnknownToProxy("the cost of a request").into());
            }
            _ => {}
        }
        if let Some(content) = read_definitions(&self.qos, request)? {
            return Ok(content.into());
        }
        let (mut content, _) = change_definitions(&mut self.qos, request, out)?;
        if let QosContent::Changed { warnings } = &mut content {
            // The proxy knows no keys.
            warnings.retain(|warning| !matches!(warning, QosWarning::PrefixWithoutKeys(_)));
        }
        Ok(content.into())
    }
}
