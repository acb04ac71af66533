//! The QoS state of a member: definitions, limiters, running requests, and the decision on each request.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::base::ids::{Caller, NodeId};
use crate::base::ordered::OrdMap;
use crate::base::small_sort::SmallSort;
use crate::base::time::{SimDuration, SimTime};

use super::arrival::{Arrival, Measures};
use super::class::{ClassKind, QosClass};
use super::condition::ConditionKind;
use super::counted_tree::CountedTree;
use super::error::{QosError, QosWarning};
use super::limiter::{Admission, Limiter};
use super::metrics::{QosMetrics, QosOutcome};
use super::monitor::{Monitor, MonitorRow};
use super::name::QosName;
use super::operation::{OpKind, Operation};
use super::overlap::prefix_range;
use super::rule::{Cost, Mismatch, QosRule};
use super::rules::Definitions;
use super::tracker::{Learned, Tracker};

/// The maximum number of limiters of accounting groups. Above this number, the least recently used limiter is dropped.
/// The next request of its group creates a new limiter, as in Kubernetes' EventRateLimit.
const GROUPS_MAX: u64 = 4_096;

/// The memory of the parts of QoS, in bytes per element, as `cargo xtask bench qos` measures it in the simulator.
const KEY_BYTES: u64 = 64;
const TRACKER_BYTES: u64 = 150;
const LIMITER_BYTES: u64 = 400;
const MONITOR_BYTES: u64 = 430;

/// The data from which a member estimates, before it executes a request, how many keys the request scans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Estimator {
    /// The counted tree of the index's keys.
    #[default]
    Index,
    /// The tracker, which knows only requests that were executed before.
    Lru,
}

/// The decision of the rules on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// No rule matches.
    Bypass,
    /// The rule's class admits the request at once.
    Admitted { rule: QosName },
    /// The rule's class admits the request at a later time.
    Delayed {
        rule: QosName,
        /// The time at which the request starts.
        until: SimTime,
    },
    /// The request waits until a running request of the rule's class ends.
    Queued { rule: QosName },
    Limited {
        rule: QosName,
        /// The time after which a retry could succeed, if known.
        retry_after: Option<SimDuration>,
    },
}

/// The result of an executed request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Finish {
    pub response_bytes: u64,
    pub is_failure: bool,
    /// The processor time of the request.
    pub cpu: SimDuration,
}

/// A limiter, with the sequence number of its first use and the sequence number of its last use. The uses of all
/// limiters are numbered in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Slot {
    limiter: Limiter,
    used: u64,
    created: u64,
}

type GroupKey = (QosName, Arc<str>);

/// The position of a waiting request in the queue of its limiter: the group, the priority of the rule, and a sequence
/// number.
type QueuePlace = (GroupKey, Reverse<u32>, u64);

/// A placeholder for the start time of a request in a queue.
const NOT_PLANNED: SimTime = SimTime(u64::MAX);

/// The cost that was charged for a request, and the limiter that charged it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Charge {
    /// The rule that decided on the request.
    rule: QosName,
    /// The accounting group of the limiter.
    group: GroupKey,
    /// The sequence number of the limiter's first use. If the limiter was dropped, its group can have a new limiter,
    /// which has another number and has not charged the request.
    created: u64,
    charged: u64,
    cost: Cost,
}

/// An admitted or delayed request that has not ended yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Running {
    arrival: Arc<Arrival>,
    arrived: SimTime,
    starts: SimTime,
    /// The class of the rule that matches the request.
    class: Option<QosName>,
    charge: Option<Charge>,
}

/// The newest request that was compared with the rules, for the explanation of the decision on the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LastArrival {
    pub at: SimTime,
    pub arrival: Arc<Arrival>,
    pub decision: Decision,
    measures: Measures,
}

/// The QoS state of a member.
///
/// ```
/// use watchglass_engine::base::ids::{Caller, NodeId};
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::qos::*;
/// let name = |text| QosName::new(text).unwrap();
/// let mut qos = Qos::default();
/// let kind = ClassKind::MaxInflight { num: 1 };
/// qos.add_class(QosClass { name: name("c"), kind }).unwrap();
/// qos.add_rule(QosRule::new(name("r"), name("c"), 9), false).unwrap();
/// let arrival = Arrival::new("Put", vec![Operation::new(OpKind::Put, None)], Identity::default());
/// let caller = |call| Caller { node: NodeId::Etcdctl, call };
/// let first = qos.arrive(SimTime(0), caller(1), arrival.clone());
/// assert_eq!(first, Decision::Admitted { rule: name("r") });
/// let second = qos.arrive(SimTime(0), caller(2), arrival);
/// assert!(matches!(second, Decision::Limited { .. }));
/// ```
#[derive(Clone, Debug, Default, Hash)]
pub struct Qos {
    definitions: Definitions,
    limiters: OrdMap<GroupKey, Slot>,
    /// The limiters of groups, in the order of their last use.
    by_use: OrdMap<u64, GroupKey>,
    uses: u64,
    running: OrdMap<Caller, Running>,
    /// The waiting requests of all limiters. The requests of one limiter are in the order in which they will start.
    queued: OrdMap<QueuePlace, Caller>,
    tracker: Tracker,
    estimator: Estimator,
    keys: CountedTree,
    metrics: QosMetrics,
    monitor: Monitor,
    last: Option<LastArrival>,
    /// Whether the limits of the rules are ignored. The rules then only assign requests to classes. A run with ignored
    /// limits can be compared with the same run with limits.
    ignores_rules: bool,
}

impl Qos {
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Returns mutable access to the classes and rules, for changes that do not affect limiters, such as a restore.
    pub fn definitions_mut(&mut self) -> &mut Definitions {
        &mut self.definitions
    }

    pub fn metrics(&self) -> &QosMetrics {
        &self.metrics
    }

    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Returns the newest request that was compared with the rules.
    pub fn last(&self) -> Option<&LastArrival> {
        self.last.as_ref()
    }

    /// Returns the rules in the order in which they are compared with a request, each with the first reason why the
    /// rule does not match this request.
    pub fn compare(
        &self,
        last: Option<&LastArrival>,
    ) -> impl Iterator<Item = (&QosRule, Option<Mismatch>)> {
        let rules = self.definitions.rules().iter();
        rules.map(move |rule| {
            let mismatch = last.and_then(|last| {
                let measures = self.measures_for(rule, last.measures);
                rule.mismatch(&last.arrival, &measures)
            });
            (rule, mismatch)
        })
    }

    /// Ignores the limits of all rules. The rules still assign each request to a class, because the latencies are
    /// recorded by class.
    pub fn ignore_rules(&mut self) {
        self.ignores_rules = true;
    }

    /// Returns mutable access to the monitor, for example to open and close streams.
    pub fn monitor_mut(&mut self) -> &mut Monitor {
        &mut self.monitor
    }

    /// Returns true if QoS has no work for any request, because there is no rule and no stream of the monitor.
    pub fn is_idle(&self) -> bool {
        self.definitions.rules().is_empty() && self.monitor.streams().next().is_none()
    }

    pub fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    pub fn resize_tracker(&mut self, size: u64) {
        self.tracker.resize(size);
    }

    pub fn estimator(&self) -> Estimator {
        self.estimator
    }

    pub fn set_estimator(&mut self, estimator: Estimator) {
        self.estimator = estimator;
    }

    /// Returns the [`CountedTree`] of the keys in the store's index, with which QoS estimates how many keys a request
    /// scans.
    pub fn keys(&self) -> &CountedTree {
        &self.keys
    }

    /// Replaces the [`CountedTree`] of the keys in the store's index.
    pub fn set_keys(&mut self, keys: CountedTree) {
        self.keys = keys;
    }

    /// Returns mutable access to the counted tree, for example to add keys.
    pub fn keys_mut(&mut self) -> &mut CountedTree {
        &mut self.keys
    }

    /// Counts a request that was refused because of the gap between committed and applied entries.
    pub fn count_too_many_requests(&mut self) {
        self.metrics.too_many_requests += 1;
    }

    /// Returns the memory of each part in bytes. The bytes of the keys in the tree belong to the index.
    pub fn memory(&self) -> [(&'static str, u64); 4] {
        [
            ("limiters", self.limiters.len() as u64 * LIMITER_BYTES),
            (
                "monitor",
                self.monitor.rows().count() as u64 * MONITOR_BYTES,
            ),
            ("tracker", self.tracker.len() * TRACKER_BYTES),
            ("tree", self.keys.len() * KEY_BYTES),
        ]
    }

    /// Returns the number of index entries that the reads and deletes of a request visit.
    pub fn scan(&self, operations: &[Operation]) -> u64 {
        let visits = |op: &&Operation| matches!(op.kind, OpKind::Range | OpKind::DeleteRange);
        let visiting = operations.iter().filter(visits);
        visiting
            .filter_map(|op| op.keys.as_ref())
            .map(|keys| self.keys.count(keys))
            .sum()
    }

    // Definitions.

    /// Adds a class.
    ///
    /// # Errors
    /// See [`Definitions::add_class`].
    pub fn add_class(&mut self, class: QosClass) -> Result<Vec<QosWarning>, QosError> {
        self.definitions.add_class(class)
    }

    /// Replaces a class. Its limiters keep their state: until `now`, credit accrues at the old rate.
    ///
    /// # Errors
    /// See [`Definitions::update_class`].
    pub fn update_class(
        &mut self,
        now: SimTime,
        class: QosClass,
    ) -> Result<Vec<QosWarning>, QosError> {
        let before = self.definitions.class(class.name);
        let is_same_kind = before.is_ok_and(|before| before.kind.name() == class.kind.name());
        let warnings = self.definitions.update_class(class)?;
        if is_same_kind {
            for key in self.groups_of(class.name) {
                if let Some(slot) = self.limiters.get_mut(&key) {
                    slot.limiter.update(now, class.kind);
                }
            }
        } else {
            self.drop_groups(class.name);
        }
        Ok(warnings)
    }

    /// Deletes a class with its limiters.
    ///
    /// # Errors
    /// See [`Definitions::delete_class`].
    pub fn delete_class(&mut self, name: QosName) -> Result<(), QosError> {
        self.definitions.delete_class(name)?;
        self.drop_groups(name);
        Ok(())
    }

    fn drop_groups(&mut self, class: QosName) {
        for key in self.groups_of(class) {
            if let Some(slot) = self.limiters.remove(&key) {
                self.by_use.remove(&slot.used);
            }
        }
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// See [`Definitions::add_rule`].
    pub fn add_rule(&mut self, rule: QosRule, strict: bool) -> Result<Vec<QosWarning>, QosError> {
        let prefixes = rule.prefixes.clone();
        let mut warnings = self.definitions.add_rule(rule, strict)?;
        self.warn_of_keys(&prefixes, &mut warnings);
        Ok(warnings)
    }

    /// Replaces a rule.
    ///
    /// # Errors
    /// See [`Definitions::update_rule`].
    pub fn update_rule(
        &mut self,
        rule: QosRule,
        strict: bool,
    ) -> Result<Vec<QosWarning>, QosError> {
        let prefixes = rule.prefixes.clone();
        let mut warnings = self.definitions.update_rule(rule, strict)?;
        self.warn_of_keys(&prefixes, &mut warnings);
        Ok(warnings)
    }

    /// Adds a warning for each prefix that no key has.
    fn warn_of_keys(&self, prefixes: &[crate::base::Bytes], warnings: &mut Vec<QosWarning>) {
        let empty = prefixes.iter().filter(|prefix| {
            let count = self.keys.count(&prefix_range(prefix));
            count == 0
        });
        warnings.extend(empty.cloned().map(QosWarning::PrefixWithoutKeys));
    }

    /// Deletes a rule. Requests that the rule has delayed still run.
    ///
    /// # Errors
    /// See [`Definitions::delete_rule`].
    pub fn delete_rule(&mut self, name: QosName) -> Result<(), QosError> {
        self.definitions.delete_rule(name)
    }

    // Limiters.

    fn groups_of(&self, class: QosName) -> Vec<GroupKey> {
        let keys = self.limiters.range((class, Arc::from(""))..);
        let keys = keys.map(|(key, _)| key);
        keys.take_while(|key| key.0 == class).cloned().collect()
    }

    /// Returns the level of each class: the sum of the levels of its limiters. The unit depends on the discipline, for
    /// example tokens or running requests.
    pub fn levels(&self, now: SimTime) -> Vec<(QosName, ClassKind, i64)> {
        let classes = self.definitions.classes();
        let level = |class: &QosClass| {
            let slots = self.limiters.range((class.name, Arc::from(""))..);
            let mut slots = slots
                .take_while(|((name, _), _)| *name == class.name)
                .peekable();
            let level = match slots.peek() {
                None => Limiter::new(now, class.kind).level(now).0,
                Some(_) => slots.map(|(_, slot)| slot.limiter.level(now).0).sum(),
            };
            (class.name, class.kind, level)
        };
        classes.map(level).collect()
    }

    /// Returns the level and the maximum level of a class's limiter. If the class has a limiter for each group, returns
    /// the values of the limiter that was used last.
    pub fn level(&self, class: &QosClass, now: SimTime) -> (i64, u64) {
        let slots = self.limiters.range((class.name, Arc::from(""))..);
        let slots = slots.take_while(|((name, _), _)| *name == class.name);
        let newest = slots.max_by_key(|(_, slot)| slot.used);
        match newest {
            Some((_, slot)) => slot.limiter.level(now),
            None => Limiter::new(now, class.kind).level(now),
        }
    }

    /// Returns the time at which the next delayed request of a class starts; `None` if no request of the class is
    /// delayed.
    pub fn next_start(&self, class: QosName, now: SimTime) -> Option<SimTime> {
        let delayed = self.delayed(class, now);
        let planned = delayed.map(|running| running.starts);
        planned.filter(|starts| *starts != NOT_PLANNED).min()
    }

    /// Returns the group, the level and the maximum level of each limiter of a class.
    pub fn groups(&self, class: QosName, now: SimTime) -> Vec<(Arc<str>, i64, u64)> {
        let slots = self.limiters.range((class, Arc::from(""))..);
        let slots = slots.take_while(|((name, _), _)| *name == class);
        let group = |((_, group), slot): (&GroupKey, &Slot)| {
            let (level, max) = slot.limiter.level(now);
            (group.clone(), level, max)
        };
        slots.map(group).collect()
    }

    /// Returns the number of delayed requests of a class.
    pub fn waiting(&self, class: QosName, now: SimTime) -> u64 {
        self.delayed(class, now).count() as u64
    }

    fn delayed(&self, class: QosName, now: SimTime) -> impl Iterator<Item = &Running> {
        self.running.values().filter(move |running| {
            let charge = running.charge.as_ref();
            running.starts > now && charge.is_some_and(|charge| charge.group.0 == class)
        })
    }

    /// Returns the limiter of a group, and creates the limiter on first use.
    fn limiter(&mut self, now: SimTime, key: &GroupKey, kind: ClassKind) -> &mut Slot {
        self.uses += 1;
        let used = self.uses;
        let slot = self.limiters.get_or_insert_with(key.clone(), || Slot {
            limiter: Limiter::new(now, kind),
            used: 0,
            created: used,
        });
        self.by_use.remove(&slot.used);
        slot.used = used;
        self.by_use.insert(used, key.clone());
        while self.by_use.len() as u64 > GROUPS_MAX
            && let Some((used, oldest)) = self.by_use.get_min().cloned()
        {
            self.by_use.remove(&used);
            self.limiters.remove(&oldest);
        }
        let slot = self.limiters.get_mut(key);
        slot.expect("the newest limiter is not dropped")
    }

    // Requests.

    /// Returns the measures that are known when a request arrives, except measures that depend on a rule.
    fn measures(&self, arrival: &Arrival, learned: Option<Learned>) -> Measures {
        Measures {
            storage: arrival.storage,
            scan: match self.estimator {
                Estimator::Index => Some(arrival.scan),
                Estimator::Lru => learned.map(|learned| learned.scan),
            },
            request_bytes: arrival.request_bytes,
            response_bytes: learned.map(|learned| learned.response_bytes),
            latency: learned.map(|learned| learned.latency),
            cpu: learned.map(|learned| learned.cpu),
            keys: None,
        }
    }

    /// Adds the measures that depend on the rule, such as the number of keys under its prefixes.
    fn measures_for(&self, rule: &QosRule, measures: Measures) -> Measures {
        let count = || {
            let prefixes = rule.prefixes.iter();
            prefixes
                .map(|prefix| self.keys.count(&prefix_range(prefix)))
                .sum()
        };
        Measures {
            keys: rule.counts_keys().then(count),
            ..measures
        }
    }

    /// Decides on an arriving request, and charges its cost. Every request that is not refused must end with
    /// [`finish`](Self::finish).
    pub fn arrive(&mut self, now: SimTime, caller: Caller, arrival: Arrival) -> Decision {
        let arrival = Arc::new(arrival);
        let learned = self.tracker.look_up(arrival.digest());
        let measures = self.measures(&arrival, learned);
        let decision = self.decide(now, caller, arrival.clone(), measures);
        self.last = Some(LastArrival {
            at: now,
            arrival,
            decision,
            measures,
        });
        decision
    }

    fn decide(
        &mut self,
        now: SimTime,
        caller: Caller,
        arrival: Arc<Arrival>,
        measures: Measures,
    ) -> Decision {
        let for_rule = |rule: &QosRule| self.measures_for(rule, measures);
        let winner = self.definitions.winner(&arrival, for_rule);
        let class = winner.map(|rule| rule.class);
        self.metrics.arrival(class);
        let Some(rule) = winner.filter(|_| !self.ignores_rules) else {
            self.metrics.bypassed += 1;
            let running = Running {
                arrival,
                arrived: now,
                starts: now,
                class,
                charge: None,
            };
            self.running.insert(caller, running);
            return Decision::Bypass;
        };
        let (name, cost, priority) = (rule.name, rule.cost, rule.priority);
        let key = (rule.class, rule.group_by.group(&arrival));
        let charged = cost.of(&measures);
        let definition = self.definitions.class(key.0);
        let kind = definition.expect("a rule's class exists").kind;
        let slot = self.limiter(now, &key, kind);
        let (created, limiter) = (slot.created, &mut slot.limiter);
        let before = match (arrival.deadline, &*limiter) {
            (Some(_), Limiter::Tbf(_) | Limiter::Lbf(_)) => Some(limiter.clone()),
            _ => None,
        };
        let mut admission = limiter.admit(now, charged);
        if let (Admission::At(start), Some(deadline), Some(before)) =
            (admission, arrival.deadline, before)
            && start >= deadline
        {
            // The client gives up before the start, so the request must not take a place in the queue.
            *limiter = before;
            admission = Admission::Refused(Some(start - now));
        }
        let (outcome, starts, decision) = match admission {
            Admission::At(start) if start == now => {
                let decision = Decision::Admitted { rule: name };
                (QosOutcome::Admitted, start, decision)
            }
            Admission::At(until) => {
                let decision = Decision::Delayed { rule: name, until };
                (QosOutcome::Delayed, until, decision)
            }
            Admission::Queued => {
                let decision = Decision::Queued { rule: name };
                (QosOutcome::Delayed, NOT_PLANNED, decision)
            }
            Admission::Refused(retry_after) => {
                self.metrics.count(name, key.0, QosOutcome::Limited);
                let row = monitor_row(&arrival, now, Some((name, key.0)));
                self.monitor.add(MonitorRow {
                    is_limited: true,
                    ..row
                });
                return Decision::Limited {
                    rule: name,
                    retry_after,
                };
            }
        };
        self.metrics.count(name, key.0, outcome);
        if starts == NOT_PLANNED {
            let place = (key.clone(), Reverse(priority), self.uses);
            self.queued.insert(place, caller);
        } else {
            self.metrics.wait(key.0, starts - now);
        }
        let running = Running {
            arrival,
            arrived: now,
            starts,
            class,
            charge: Some(Charge {
                rule: name,
                group: key,
                created,
                charged,
                cost,
            }),
        };
        self.running.insert(caller, running);
        decision
    }

    /// Returns true if the request of this caller was admitted or delayed and has not ended.
    pub fn is_running(&self, caller: Caller) -> bool {
        self.running.contains_key(&caller)
    }

    /// Ends an executed request: releases its limiter, charges the actual cost, and stores the cost in the tracker.
    pub fn finish(&mut self, now: SimTime, caller: Caller, end: Finish) {
        let Some(running) = self.running.remove(&caller) else {
            return;
        };
        let Running {
            arrival,
            arrived,
            starts,
            class,
            charge,
        } = running;
        let latency = SimDuration(now.0.saturating_sub(starts.0));
        let learned = Learned {
            scan: arrival.scan,
            response_bytes: end.response_bytes,
            latency,
            cpu: end.cpu,
        };
        let measures = Measures {
            scan: Some(arrival.scan),
            ..self.measures(&arrival, Some(learned))
        };
        self.count_expensive(&measures);
        let digest = arrival.digest();
        let for_rule = |rule: &QosRule| self.measures_for(rule, measures);
        let is_expensive = || self.definitions.winner(&arrival, for_rule).is_some();
        if self.tracker.knows(digest) || is_expensive() {
            self.tracker.write(digest, learned);
        }
        let charged = charge.as_ref().map(|charge| (charge.rule, charge.group.0));
        let total = SimDuration(now.0.saturating_sub(arrived.0));
        self.metrics.latency(class, total);
        if end.is_failure {
            self.metrics.failure(class);
        }
        if let Some(charge) = charge {
            let actual = match charge.cost {
                Cost::Failed if !end.is_failure => 0,
                cost => cost.of(&measures),
            };
            self.settle(now, &charge, actual);
        }
        self.monitor.add(MonitorRow {
            traffic: arrival.request_bytes + end.response_bytes,
            wait: starts - arrived,
            latency,
            ..monitor_row(&arrival, arrived, charged)
        });
    }

    /// Counts a request whose cost meets a condition of some rule.
    fn count_expensive(&mut self, measures: &Measures) {
        let rules = self.definitions.rules().iter();
        let conditions = rules.flat_map(|rule| &rule.conditions);
        let is_cost = |kind| {
            !matches!(
                kind,
                ConditionKind::PercentOfStorageQuotaUsed | ConditionKind::KeyNum
            )
        };
        let met = conditions.filter(|c| is_cost(c.kind) && c.is_met(measures));
        let mut kinds: Vec<ConditionKind> = met.map(|condition| condition.kind).collect();
        kinds.small_sort();
        kinds.dedup();
        for kind in kinds {
            self.metrics.expensive(kind);
        }
    }

    /// Ends a request whose client gave up before the request started. Keeps the charge, and only frees the request's
    /// position in the queue or among the running requests.
    pub fn cancel(&mut self, now: SimTime, caller: Caller) {
        let Some(running) = self.running.remove(&caller) else {
            return;
        };
        let Some(charge) = running.charge else {
            return;
        };
        if running.starts != NOT_PLANNED {
            return self.settle(now, &charge, charge.charged);
        }
        let place = self.queued.iter().find(|(_, queued)| **queued == caller);
        let place = place.map(|(place, _)| place.clone());
        if let Some(place) = place {
            self.queued.remove(&place);
        }
        if let Some(limiter) = self.limiter_of(&charge) {
            limiter.leave();
        }
    }

    /// Returns the limiter that decided on a request, unless the limiter was dropped.
    fn limiter_of(&mut self, charge: &Charge) -> Option<&mut Limiter> {
        let slot = self.limiters.get_mut(&charge.group)?;
        (slot.created == charge.created).then_some(&mut slot.limiter)
    }

    pub fn has_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    /// Starts a waiting request if its class allows one more running request. Returns the caller of the request.
    pub fn start_next(&mut self, now: SimTime) -> Option<Caller> {
        let places: Vec<QueuePlace> = self.queued.keys().cloned().collect();
        for place in places {
            let caller = *self.queued.get(&place)?;
            let charge = self.running.get(&caller).and_then(|r| r.charge.clone())?;
            // If the limiter was dropped, its waiting requests start immediately.
            if self.limiter_of(&charge).is_none_or(Limiter::start) {
                self.queued.remove(&place);
                let running = self.running.get_mut(&caller)?;
                running.starts = now;
                let wait = now - running.arrived;
                self.metrics.wait(charge.group.0, wait);
                return Some(caller);
            }
        }
        None
    }

    /// Returns the callers of the waiting requests whose clients have given up.
    pub fn expired(&self, now: SimTime) -> Vec<Caller> {
        let has_expired = |caller: &&Caller| {
            let deadline = self.running.get(*caller).and_then(|r| r.arrival.deadline);
            deadline.is_some_and(|deadline| deadline <= now)
        };
        self.queued.values().filter(has_expired).copied().collect()
    }

    /// Corrects the charge of a request that ends, in the limiter that admitted the request.
    fn settle(&mut self, now: SimTime, charge: &Charge, actual: u64) {
        if let Some(limiter) = self.limiter_of(charge) {
            limiter.finish(now, charge.charged, actual);
        }
    }

    /// Returns the callers of a node's delayed and queued requests.
    pub fn waiting_callers(&self, node: NodeId, now: SimTime) -> Vec<Caller> {
        let first = Caller { node, call: 0 };
        let last = Caller {
            node,
            call: u64::MAX,
        };
        let of_node = self.running.range(first..=last);
        let waiting = of_node.filter(|(_, running)| running.starts > now);
        waiting.map(|(caller, _)| *caller).collect()
    }

    /// Drops the state that a process loses when it stops: limiters, running requests, counters and the tracker.
    /// Definitions and settings stay.
    pub fn restart(&mut self) {
        *self = Self {
            definitions: self.definitions.clone(),
            tracker: Tracker::new(self.tracker.size()),
            estimator: self.estimator,
            keys: self.keys.clone(),
            ignores_rules: self.ignores_rules,
            ..Self::default()
        };
    }
}

/// Creates the row with which the monitor describes a request that has not been executed. `charged` is the rule that
/// decided on the request, and the rule's class.
fn monitor_row(
    arrival: &Arrival,
    arrived: SimTime,
    charged: Option<(QosName, QosName)>,
) -> MonitorRow {
    let first = arrival.operations.first();
    MonitorRow {
        arrived,
        name: arrival.name(),
        keys: first.and_then(|op| op.keys.clone()),
        caller: arrival.caller.clone(),
        scan: arrival.scan,
        traffic: arrival.request_bytes,
        wait: SimDuration(0),
        latency: SimDuration(0),
        rule: charged.map(|(rule, _)| rule),
        class: charged.map(|(_, class)| class),
        is_limited: false,
    }
}
