//! Builds the QoS view from the state of a member.

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::digest::Digest;
use crate::base::small_sort::SmallSort;
use crate::base::time::SimTime;
use crate::etcd::{EtcdServer, MemberQos, QuotaBasis};
use crate::qos::counted_tree::SubtreePart;
use crate::qos::metrics::{QosDurations, QosMetrics, QosOutcome};
use crate::qos::monitor::MonitorRow;
use crate::qos::{
    AddressRange, ClassKind, Decision, Estimator, Identity, LastArrival, Mismatch, OpKind,
    Operation, Qos, QosClass, QosRule,
};

use super::super::names;
use super::{
    Discipline, GROUPS_MAX, LATENCY_BINS, MARKS_MAX, MARKS_SPAN_US, QosClassView, QosCounts,
    QosEstimate, QosLevel, QosMark, QosQuery, QosRequestView, QosRuleView, QosSubtree,
    QosSubtreePart, QosTracked, QosVerdict, QosView, REQUESTS_MAX, RequestOutcome,
    SUBTREE_LEVELS_MAX, TRACKED_MAX,
};
use crate::words::qos_view as words;

/// Returns the QoS view of a member. `now` is the time on the member's clock.
pub fn qos_view(member: &EtcdServer, now: SimTime, query: &QosQuery) -> QosView {
    let db = member.store().backend().db();
    let storage = [db.bytes_in_use(), db.bytes(), member.quota_bytes()];
    let Some(member) = member.qos() else {
        return QosView {
            storage,
            ..QosView::default()
        };
    };
    let qos = member.state();
    let metrics = qos.metrics();
    let classes: Vec<&QosClass> = qos.definitions().classes().collect();
    let newest_first = qos.monitor().rows().rev();
    let mut requests: Vec<QosRequestView> = newest_first
        .take(REQUESTS_MAX)
        .map(request_of_row)
        .collect();
    requests.small_sort_by_key(|request| request.at_us);
    QosView {
        is_on: true,
        now_us: now.0,
        storage,
        is_file_size: member.basis() == QuotaBasis::FileSize,
        rules: rules(qos),
        newest: qos.last().map(request_of_last),
        counts: QosCounts {
            bypassed: metrics.bypassed,
            too_many: metrics.too_many_requests,
            ..counts(|outcome| metrics.total(outcome))
        },
        expensive: metrics
            .expensive_requests()
            .map(|(kind, count)| (kind.name().to_owned(), count))
            .collect(),
        latencies: bins(metrics.latencies(None)),
        requests,
        marks: marks(qos, &classes, now),
        estimate: estimate(qos, query),
        classes: classes
            .into_iter()
            .map(|class| class_view(member, class, now))
            .collect(),
    }
}

/// Counts the keys of the queried range, or of the newest request.
fn estimate(qos: &Qos, query: &QosQuery) -> QosEstimate {
    let newest = qos.last().and_then(|last| {
        let mut operations = last.arrival.operations.iter();
        operations.find(|op| op.keys.is_some()).cloned()
    });
    let whole = || Operation::new(OpKind::Range, Some(KeyRange::From(Bytes::zero())));
    let operation = match &query.range {
        [from, to] if from.is_empty() && to.is_empty() => newest.unwrap_or_else(whole),
        [from, to] => {
            let or_zero = |text: &str| match text {
                "" => Bytes::zero(),
                text => text.into(),
            };
            let keys = KeyRange::new(&or_zero(from), &or_zero(to));
            Operation::new(OpKind::Range, Some(keys))
        }
    };
    let keys = operation
        .keys
        .clone()
        .unwrap_or(KeyRange::From(Bytes::zero()));
    let tracker = qos.tracker();
    let digest = Digest::of(&[operation].as_slice());
    let tracked = tracker.newest().take(TRACKED_MAX);
    QosEstimate {
        range: names::range(&keys),
        count: qos.keys().count(&keys),
        keys: qos.keys().len(),
        one_in: qos.keys().one_in(),
        subtrees: qos
            .keys()
            .subtrees(&keys, SUBTREE_LEVELS_MAX)
            .into_iter()
            .map(|subtree| QosSubtree {
                level: subtree.level,
                before: subtree.before,
                size: subtree.size,
                ends: subtree.ends.map(|key| key.to_string()),
                part: match subtree.part {
                    SubtreePart::Added => QosSubtreePart::Added,
                    SubtreePart::Descended { adds_own: true } => QosSubtreePart::DescendedAndOwn,
                    SubtreePart::Descended { adds_own: false } => QosSubtreePart::Descended,
                    SubtreePart::Skipped => QosSubtreePart::Skipped,
                },
            })
            .collect(),
        tracked: tracked
            .map(|(hash, learned)| QosTracked {
                hash: format!("{hash:016x}"),
                scan: learned.scan,
                bytes: learned.response_bytes,
                latency_us: learned.latency.0,
                is_of_range: hash == digest,
            })
            .collect(),
        tracker: [tracker.len(), tracker.size()],
        uses_tracker: qos.estimator() == Estimator::Lru,
    }
}

fn counts(of: impl Fn(QosOutcome) -> u64) -> QosCounts {
    QosCounts {
        admitted: of(QosOutcome::Admitted),
        delayed: of(QosOutcome::Delayed),
        limited: of(QosOutcome::Limited),
        ..QosCounts::default()
    }
}

/// Converts cumulative bins to separate bins. In `durations`, each bin also counts the values of all lower bins. In the
/// result, each value is counted in only one bin.
pub(super) fn bins(durations: QosDurations) -> [u64; LATENCY_BINS] {
    let mut bins = [0; LATENCY_BINS];
    let mut below = 0;
    let totals = durations.bins.into_iter().chain([durations.count]);
    for (bin, total) in bins.iter_mut().zip(totals) {
        *bin = total - below;
        below = total;
    }
    bins
}

fn class_view(member: &MemberQos, class: &QosClass, now: SimTime) -> QosClassView {
    let qos = member.state();
    let metrics: &QosMetrics = qos.metrics();
    let mut groups = Vec::new();
    let mut group_count = 0;
    for (group, level, max) in qos.groups(class.name, now) {
        group_count += u64::from(!group.is_empty());
        if !group.is_empty() && groups.len() < GROUPS_MAX {
            let group = group.to_string();
            groups.push(QosLevel { group, level, max });
        }
    }
    let (level, max) = qos.level(class, now);
    let next = qos.next_start(class.name, now);
    QosClassView {
        name: class.name.to_string(),
        discipline: discipline(class.kind),
        parameters: class.kind.parameters(),
        level: QosLevel {
            level,
            max,
            ..QosLevel::default()
        },
        groups,
        group_count,
        waiting: qos.waiting(class.name, now),
        queue: match class.kind {
            ClassKind::Lbf { queue, .. } | ClassKind::Prio { queue, .. } => queue,
            _ => 0,
        },
        next_us: next.map(|at| at.0.saturating_sub(now.0)),
        counts: counts(|outcome| metrics.of_class(class.name, outcome)),
        latencies: bins(metrics.latencies(Some(class.name))),
    }
}

fn discipline(kind: ClassKind) -> Discipline {
    match kind {
        ClassKind::Tbf { .. } => Discipline::TokenBucket,
        ClassKind::Lbf { .. } => Discipline::LeakyBucket,
        ClassKind::MaxInflight { .. } => Discipline::InFlight,
        ClassKind::Window { .. } => Discipline::Window,
        ClassKind::Prio { .. } => Discipline::Priority,
        ClassKind::Discard => Discipline::Discard,
    }
}

fn rules(qos: &Qos) -> Vec<QosRuleView> {
    let last = qos.last();
    let mut is_decided = false;
    let mut views = Vec::new();
    for (rule, mismatch) in qos.compare(last) {
        let verdict = match mismatch {
            _ if last.is_none() => QosVerdict::None,
            Some(reason) => QosVerdict::Mismatch(mismatch_text(reason)),
            None if is_decided => QosVerdict::Unused,
            None => {
                is_decided = true;
                QosVerdict::Wins
            }
        };
        views.push(QosRuleView {
            name: rule.name.to_string(),
            class: rule.class.to_string(),
            priority: rule.priority,
            ops: joined(rule.kinds().iter().map(|kind| kind.name().to_owned())),
            selects: selects(rule),
            conditions: joined(rule.conditions.iter().map(ToString::to_string)),
            verdict,
            counts: counts(|outcome| qos.metrics().of_rule(rule.name, outcome)),
        });
    }
    views
}

fn mismatch_text(reason: Mismatch) -> String {
    match reason {
        Mismatch::Subject => words::ANOTHER_CALLER.to_owned(),
        Mismatch::Retry => words::TOO_FEW_RETRIES.to_owned(),
        Mismatch::Method => words::ANOTHER_METHOD.to_owned(),
        Mismatch::Operation => words::ANOTHER_OPERATION.to_owned(),
        Mismatch::Prefix => words::OTHER_KEYS.to_owned(),
        Mismatch::Condition(condition) => words::condition_not_met(condition),
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    words::list(&parts.collect::<Vec<_>>())
}

fn selects(rule: &QosRule) -> String {
    let prefixes = rule.prefixes.iter().map(|prefix| format!("{prefix}*"));
    let subjects = rule.subjects.iter().flat_map(|subject| {
        let user = subject.user.iter().map(words::user);
        let addresses = subject.addresses.iter().map(words::addresses);
        user.chain(addresses).collect::<Vec<_>>()
    });
    let retries = (rule.min_retry > 0).then(|| words::min_retry(rule.min_retry));
    let group = rule.group_by.text().map(words::grouped_by);
    let methods = rule.methods.iter().map(|method| (*method).to_owned());
    joined(
        methods
            .chain(prefixes)
            .chain(subjects)
            .chain(retries)
            .chain(group),
    )
}

/// Returns the name of a request, the keys of its first operation, and the number of its further operations.
fn operation(name: &str, keys: Option<&KeyRange>, count: usize) -> String {
    let mut text = name.to_owned();
    if let Some(keys) = keys {
        text.push(' ');
        text.push_str(&names::range(keys));
    }
    if count > 1 {
        text = words::and_more(&text, count - 1);
    }
    text
}

fn caller(identity: &Identity) -> String {
    let address = AddressRange {
        first: identity.address,
        bits: 32,
    };
    match &identity.user {
        Some(user) => format!("{user}, {address}"),
        None => address.to_string(),
    }
}

fn request_of_last(last: &LastArrival) -> QosRequestView {
    let arrival = &last.arrival;
    let first = arrival.operations.first();
    let (outcome, rule, wait_us) = match last.decision {
        Decision::Bypass => (RequestOutcome::Bypassed, None, 0),
        Decision::Admitted { rule } => (RequestOutcome::Admitted, Some(rule), 0),
        Decision::Delayed { rule, until } => {
            (RequestOutcome::Delayed, Some(rule), (until - last.at).0)
        }
        Decision::Queued { rule } => (RequestOutcome::Delayed, Some(rule), 0),
        Decision::Limited { rule, .. } => (RequestOutcome::Limited, Some(rule), 0),
    };
    QosRequestView {
        at_us: last.at.0,
        operation: operation(
            arrival.name(),
            first.and_then(|op| op.keys.as_ref()),
            arrival.operations.len(),
        ),
        caller: caller(&arrival.caller),
        scan: arrival.scan,
        traffic: arrival.request_bytes,
        wait_us,
        latency_us: None,
        rule: rule.map(|rule| rule.to_string()).unwrap_or_default(),
        outcome,
    }
}

fn outcome(row: &MonitorRow) -> RequestOutcome {
    match row.rule {
        None => RequestOutcome::Bypassed,
        Some(_) if row.is_limited => RequestOutcome::Limited,
        Some(_) if row.wait.0 > 0 => RequestOutcome::Delayed,
        Some(_) => RequestOutcome::Admitted,
    }
}

fn request_of_row(row: &MonitorRow) -> QosRequestView {
    QosRequestView {
        at_us: row.arrived.0,
        operation: operation(row.name, row.keys.as_ref(), 1),
        caller: caller(&row.caller),
        scan: row.scan,
        traffic: row.traffic,
        wait_us: row.wait.0,
        latency_us: (!row.is_limited).then_some(row.latency.0),
        rule: row.rule.map(|rule| rule.to_string()).unwrap_or_default(),
        outcome: outcome(row),
    }
}

fn marks(qos: &Qos, classes: &[&QosClass], now: SimTime) -> Vec<QosMark> {
    let newest_first = qos.monitor().rows().rev();
    let recent = newest_first.filter(|row| row.arrived.0 + MARKS_SPAN_US > now.0);
    let mark = |row: &MonitorRow| {
        let class = match row.class {
            // A request whose class has been deleted has no lane.
            Some(class) => Some(classes.iter().position(|c| c.name == class)? as u32),
            None => None,
        };
        Some(QosMark {
            at_us: row.arrived.0,
            wait_us: row.wait.0,
            class,
            outcome: outcome(row),
        })
    };
    let mut marks: Vec<QosMark> = recent.take(MARKS_MAX).filter_map(mark).collect();
    marks.small_sort_by_key(|mark| mark.at_us);
    marks
}
