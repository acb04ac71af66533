//! The parts of etcd QoS that a member and a gRPC proxy share: the requests that a class delays or queues, and the
//! changes of classes and rules.

use std::sync::Arc;

use crate::api::qos::{QosContent, QosRequest};
use crate::api::{EtcdError, Request, RequestAs};
use crate::base::ids::{Caller, NodeId};
use crate::base::ordered::OrdMap;
use crate::base::proto;
use crate::base::time::{SimDuration, SimTime};
use crate::qos::condition::MILLION;
use crate::qos::{
    Arrival, ClassKind, ConditionKind, Decision, OpKind, Qos, QosClass, QosCondition, QosError,
    QosName, QosRule,
};
use crate::sim::Outbox;
use crate::trace::{Defined, DefinitionChange, QosTrace, TraceEvent};

use super::qos::operations;

/// The timeout of an etcdctl request, which gRPC sends along with the request (`--command-timeout`).
const ETCDCTL_TIMEOUT: SimDuration = SimDuration::from_millis(5_000);

/// The requests that QoS holds back.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct HeldRequests {
    /// The delayed requests. The key of a request is the time at which the request starts, and a counter that orders
    /// requests with the same start time.
    delayed: OrdMap<(SimTime, u64), (Caller, Arc<Request>)>,
    delays: u64,
    /// The requests that wait until a running request ends.
    queued: OrdMap<Caller, Arc<Request>>,
}

impl HeldRequests {
    pub(super) fn is_empty(&self) -> bool {
        self.delayed.is_empty() && self.queued.is_empty()
    }

    /// Returns the start time and the caller of each delayed request.
    pub(super) fn delayed(&self) -> impl Iterator<Item = (SimTime, Caller)> + '_ {
        self.delayed
            .iter()
            .map(|((at, _), (caller, _))| (*at, *caller))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Caller, &Arc<Request>)> {
        let delayed = self.delayed.values();
        let delayed = delayed.map(|(caller, request)| (caller, request));
        delayed.chain(self.queued.iter())
    }

    /// Decides on an arriving request. Holds the request if it is delayed or queued, and replies if it is refused.
    pub(super) fn arrive<T>(
        &mut self,
        qos: &mut Qos,
        caller: Caller,
        (arrival, request): (Arrival, &Arc<Request>),
        out: &mut Outbox<T>,
    ) -> Decision {
        let now = out.now;

        self.drop_expired(qos, now);
        let decision = qos.arrive(now, caller, arrival);
        match decision {
            Decision::Bypass => {}
            Decision::Admitted { rule } => out.trace(TraceEvent::Qos(QosTrace::Admitted { rule })),
            Decision::Delayed { rule, until } => {
                self.delays += 1;
                let place = (until, self.delays);
                self.delayed.insert(place, (caller, request.clone()));
                let wait = until - now;
                out.trace(TraceEvent::Qos(QosTrace::Delayed { rule, until, wait }));
            }
            Decision::Queued { rule } => {
                self.queued.insert(caller, request.clone());
                out.trace(TraceEvent::Qos(QosTrace::Queued { rule }));
            }
            Decision::Limited { rule, retry_after } => {
                out.trace(TraceEvent::Qos(QosTrace::Limited { rule, retry_after }));
                out.reply(caller, Err(EtcdError::LimitRequest { rule }));
            }
        }
        decision
    }

    /// Drops the queued requests whose clients have given up.
    fn drop_expired(&mut self, qos: &mut Qos, now: SimTime) {
        if !qos.has_queued() {
            return;
        }
        for caller in qos.expired(now) {
            self.queued.remove(&caller);
            qos.cancel(now, caller);
        }
    }

    /// Returns the time until the next delayed request starts.
    pub(super) fn next_start(&self, now: SimTime) -> Option<SimDuration> {
        let ((at, _), _) = self.delayed.get_min()?;
        Some(SimDuration(at.0.saturating_sub(now.0)))
    }

    /// Removes and returns a delayed request whose start time has been reached.
    pub(super) fn take_delayed<T>(
        &mut self,
        out: &mut Outbox<T>,
    ) -> Option<(Caller, Arc<Request>)> {
        let (place, _) = self
            .delayed
            .get_min()
            .filter(|((at, _), _)| *at <= out.now)?;
        let place = *place;
        out.trace(TraceEvent::Qos(QosTrace::Released));
        self.delayed.remove(&place)
    }

    /// Removes and returns a queued request that can run now.
    pub(super) fn take_queued<T>(
        &mut self,
        qos: &mut Qos,
        out: &mut Outbox<T>,
    ) -> Option<(Caller, Arc<Request>)> {
        self.drop_expired(qos, out.now);
        let caller = qos.start_next(out.now)?;
        let request = self.queued.remove(&caller)?;
        out.trace(TraceEvent::Qos(QosTrace::Released));
        Some((caller, request))
    }

    /// Drops the requests of a client whose connection broke.
    pub(super) fn forget_client(&mut self, qos: &mut Qos, now: SimTime, client: NodeId) {
        let is_gone = |caller: &Caller| caller.node == client;
        let delayed = self.delayed.iter();
        let delayed = delayed.filter(|(_, (caller, _))| is_gone(caller));
        let places: Vec<(SimTime, u64)> = delayed.map(|(place, _)| *place).collect();
        for place in places {
            if let Some((caller, _)) = self.delayed.remove(&place) {
                qos.cancel(now, caller);
            }
        }
        let queued = self.queued.keys().filter(|caller| is_gone(caller));
        let queued: Vec<Caller> = queued.copied().collect();
        for caller in queued {
            self.queued.remove(&caller);
            qos.cancel(now, caller);
        }
    }
}

/// Returns the properties of a request that are in its message; `None` if no rule can match the request.
pub(super) fn arrival(
    qos: &Qos,
    now: SimTime,
    caller: Caller,
    (sender, request): (Option<&RequestAs>, &Arc<Request>),
) -> Option<Arrival> {
    let (method, operations) = (request.method(), operations(request));
    let mut rules = qos.definitions().rules().iter();
    if operations.is_empty() && !rules.any(|rule| rule.selects(method)) {
        return None;
    }
    let identity = sender.map(|sender| sender.identity.clone());
    let mut arrival = Arrival::new(method, operations, identity.unwrap_or_default());
    arrival.retry = sender.map_or(0, |sender| sender.retry);
    arrival.request_bytes = proto::size(&**request);
    let timeout = match caller.node {
        NodeId::Etcdctl => Some(ETCDCTL_TIMEOUT),
        _ => sender.and_then(|sender| sender.timeout),
    };
    arrival.deadline = timeout.map(|timeout| now + timeout);
    Some(arrival)
}

/// Returns the classes or rules that a request reads; `None` for other requests.
pub(super) fn read_definitions(
    qos: &Qos,
    request: &QosRequest,
) -> Result<Option<QosContent>, QosError> {
    let definitions = qos.definitions();
    Ok(Some(match request {
        QosRequest::GetClasses(Some(name)) => QosContent::Classes(vec![*definitions.class(*name)?]),
        QosRequest::GetClasses(None) => {
            QosContent::Classes(definitions.classes().copied().collect())
        }
        QosRequest::GetRules(Some(name)) => {
            QosContent::Rules(vec![definitions.rule(*name)?.clone()])
        }
        QosRequest::GetRules(None) => QosContent::Rules(definitions.rules().to_vec()),
        _ => return Ok(None),
    }))
}

/// A class or rule that a request changed: its name and its encoded form; `None` if the class or rule was deleted.
type StoredDefinition = (Defined, QosName, Option<Vec<u8>>);

fn stored_class(class: &QosClass) -> StoredDefinition {
    (Defined::Class, class.name, Some(class.encode()))
}

fn stored_rule(rule: &QosRule) -> StoredDefinition {
    (Defined::Rule, rule.name, Some(rule.encode()))
}

/// Changes classes or rules. Returns the response, and the changes to store.
///
/// # Panics
/// Panics if the request changes nothing.
pub(super) fn change_definitions<T>(
    qos: &mut Qos,
    request: &QosRequest,
    out: &mut Outbox<T>,
) -> Result<(QosContent, Vec<StoredDefinition>), QosError> {
    let now = out.now;
    let mut stored = Vec::new();
    let mut define = |change, definition: StoredDefinition| {
        let (kind, name) = (definition.0, definition.1);
        out.trace(TraceEvent::Qos(QosTrace::Defined { change, kind, name }));
        stored.push(definition);
    };
    let warnings = match request {
        QosRequest::AddClass(class) => {
            let known = qos.definitions().class(class.name);
            let warnings = match known.is_ok_and(|known| *known == built_in().0) {
                true => qos.update_class(now, *class)?,
                false => qos.add_class(*class)?,
            };
            define(DefinitionChange::Added, stored_class(class));
            warnings
        }
        QosRequest::UpdateClass(class) => {
            let warnings = qos.update_class(now, *class)?;
            define(DefinitionChange::Changed, stored_class(class));
            warnings
        }
        QosRequest::DeleteClass(name) => {
            qos.delete_class(*name)?;
            define(DefinitionChange::Deleted, (Defined::Class, *name, None));
            Vec::new()
        }
        QosRequest::AddRule { rule, strict } => {
            let known = qos.definitions().rule(rule.name);
            let warnings = match known.is_ok_and(|known| *known == built_in().1) {
                true => qos.update_rule((**rule).clone(), *strict)?,
                false => qos.add_rule((**rule).clone(), *strict)?,
            };
            define(DefinitionChange::Added, stored_rule(rule));
            warnings
        }
        QosRequest::UpdateRule { rule, strict } => {
            let warnings = qos.update_rule((**rule).clone(), *strict)?;
            define(DefinitionChange::Changed, stored_rule(rule));
            warnings
        }
        QosRequest::DeleteRule(name) => {
            qos.delete_rule(*name)?;
            define(DefinitionChange::Deleted, (Defined::Rule, *name, None));
            Vec::new()
        }
        QosRequest::AddAdvised(advices) => {
            for (class, rule) in advices.iter().filter_map(|advice| advice.proposal.as_ref()) {
                qos.add_class(*class)?;
                define(DefinitionChange::Added, stored_class(class));
                qos.add_rule(rule.clone(), false)?;
                define(DefinitionChange::Added, stored_rule(rule));
            }
            return Ok((QosContent::Advice(advices.clone(), true), stored));
        }
        QosRequest::GetClasses(_)
        | QosRequest::GetRules(_)
        | QosRequest::Monitor(_)
        | QosRequest::Doctor { .. } => unreachable!("the request changes nothing"),
    };
    Ok((QosContent::Changed { warnings }, stored))
}

impl From<QosError> for EtcdError {
    fn from(error: QosError) -> Self {
        Self::Qos(error)
    }
}

/// Returns the built-in class and rule, which a member adds when QoS is turned on (FAQ 9 of the proposal). The FAQ's
/// text says 10000 scanned keys, but its command says 1000.0. Watchglass follows the text. A request that adds a
/// definition of the same name replaces the built-in definition, so the examples of the proposal work as written.
pub(super) fn built_in() -> (QosClass, QosRule) {
    let name = |text| QosName::new(text).expect("a valid name");
    let class = QosClass {
        name: name("slow-query"),
        kind: ClassKind::Tbf {
            mqps: 10_000,
            burst: 12,
            max_wait: SimDuration(0),
        },
    };
    let mut rule = QosRule::new(name("rule-slowlog"), class.name, 10);
    rule.ops = vec![OpKind::Range];
    rule.conditions = vec![QosCondition {
        kind: ConditionKind::ScanKeyNum,
        threshold: 10_000 * MILLION,
    }];
    (class, rule)
}
