//! The doctor, which reads the newest requests and the definitions, and proposes rules.
//!
//! The proposal lists the doctor as future work ("similar to the function of redis latency / memory doctor"). The
//! doctor changes nothing; `qos doctor --apply` sends the proposed definitions as an administrator would.

use std::collections::BTreeMap;

use crate::base::bytes::escape;
use crate::base::time::{SimDuration, SimTime};

use super::class::{ClassKind, QosClass};
use super::condition::{ConditionKind, MILLION, QosCondition};
use super::name::QosName;
use super::operation::OpKind;
use super::overlap::prefix_range;
use super::rule::{QosRule, first_segments};
use super::rules::class_warnings;
use super::state::Qos;

/// The maximum age of the requests that the doctor examines.
const SPAN: SimDuration = SimDuration::from_millis(60_000);

/// The number of scanned keys above which a read is expensive (the proposal's second example).
const SCAN: u64 = 1_000;

/// The total size of a request and its response above which the request is expensive. The proposal does not contain
/// this value. The simulator uses 1 MiB, which is two thirds of the maximum request size of etcd.
const TRAFFIC_BYTES: u64 = 1 << 20;

/// The minimum number of expensive requests under one prefix for which the doctor proposes a rule.
const REQUESTS: usize = 3;

/// The number of slash-separated segments of the prefixes that the doctor proposes, such as `/registry/pods/`.
const SEGMENTS: u32 = 2;

/// A finding of the doctor, with the definitions that the doctor proposes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Advice {
    /// The description of the finding, as a sentence.
    pub text: String,
    /// The proposed class and rule; `None` if the doctor only reports a finding.
    pub proposal: Option<(QosClass, QosRule)>,
}

/// Examines the newest requests and the definitions. `storage` is the used size of the storage, the size of the file,
/// and the quota, in bytes.
pub fn examine(qos: &Qos, now: SimTime, storage: (u64, u64, u64)) -> Vec<Advice> {
    let mut advices = Vec::new();
    propose(qos, now, ConditionKind::ScanKeyNum, SCAN, &mut advices);
    propose(
        qos,
        now,
        ConditionKind::TotalTraffic,
        TRAFFIC_BYTES,
        &mut advices,
    );
    let remark = |text| Advice {
        text,
        proposal: None,
    };
    let definitions = qos.definitions();
    for rule in definitions.rules() {
        let name = rule.name;
        for prefix in &rule.prefixes {
            if qos.keys().count(&prefix_range(prefix)) == 0 {
                let slash = match prefix.first() {
                    Some(b'/') | None => String::new(),
                    Some(_) => format!(": did you mean /{prefix}?"),
                };
                let text = format!("rule {name}: no key has the prefix {prefix}{slash}");
                advices.push(remark(text));
            }
        }
        if let Some(other) = definitions.rules().iter().find(|r| r.shadows(rule)) {
            let text = format!("rule {name}: rule {} always wins", other.name);
            advices.push(remark(text));
        }
        let (used, size, quota) = storage;
        for condition in &rule.conditions {
            let is_percent = condition.kind == ConditionKind::PercentOfStorageQuotaUsed;
            let room = (MILLION - condition.threshold).max(0) as u128;
            let gap = u128::from(size.saturating_sub(used)) * MILLION as u128;
            if is_percent && gap > room * u128::from(quota) {
                advices.push(remark(format!(
                    "rule {name}: the file has {size} bytes and {used} bytes are in use; etcd refuses writes when \
                     the file reaches the quota of {quota} bytes, and {condition} may never be met before"
                )));
            }
        }
    }
    for class in definitions.classes() {
        let warnings = class_warnings(class);
        advices.extend(warnings.iter().map(|w| remark(w.to_string())));
    }
    advices
}

/// Proposes a rule for each prefix with at least [`REQUESTS`] expensive requests that no rule matched.
fn propose(
    qos: &Qos,
    now: SimTime,
    kind: ConditionKind,
    threshold: u64,
    advices: &mut Vec<Advice>,
) {
    let since = SimTime(now.0.saturating_sub(SPAN.0));
    let mut found: BTreeMap<(OpKind, Vec<u8>), usize> = BTreeMap::new();
    for row in qos.monitor().rows() {
        let value = match kind {
            ConditionKind::ScanKeyNum => row.scan,
            _ => row.traffic,
        };
        if row.arrived >= since
            && row.rule.is_none()
            && value > threshold
            && let (Some(kind), Some(keys)) = (OpKind::parse(row.name), &row.keys)
        {
            let prefix = first_segments(keys.start(), SEGMENTS).to_vec();
            *found.entry((kind, prefix)).or_default() += 1;
        }
    }
    for ((op, prefix), count) in found {
        if count < REQUESTS {
            continue;
        }
        let prefix_text = escape(&prefix);
        let measure = match kind {
            ConditionKind::ScanKeyNum => format!("scanned more than {threshold} keys"),
            _ => format!("moved more than {threshold} bytes"),
        };
        let mut text = format!(
            "{count} {} requests under {prefix_text} {measure} in the last 60 s, and no rule matched",
            op.name()
        );
        let proposal = proposal(qos, advices, op, &prefix, kind, threshold);
        if let Some((class, rule)) = &proposal {
            // A rule that was added after these requests limits the next ones.
            let mut rules = qos.definitions().rules().iter();
            if rules.any(|known| known.covers(rule)) {
                continue;
            }
            text.push_str(&format!(
                ": try `etcdctl qos class add {} {}` and `etcdctl qos rule add {} {rule}`",
                class.name, class.kind, rule.name
            ));
        }
        advices.push(Advice { text, proposal });
    }
}

/// Returns a class and a rule with unused names and an unused priority.
fn proposal(
    qos: &Qos,
    before: &[Advice],
    op: OpKind,
    prefix: &[u8],
    kind: ConditionKind,
    threshold: u64,
) -> Option<(QosClass, QosRule)> {
    let definitions = qos.definitions();
    let proposed = || before.iter().filter_map(|advice| advice.proposal.as_ref());
    let name = (1..1_000).find_map(|n| {
        let name = QosName::new(&format!("doctor-{n}"))?;
        let is_used = definitions.class(name).is_ok()
            || definitions.rule(name).is_ok()
            || proposed().any(|(class, _)| class.name == name);
        (!is_used).then_some(name)
    })?;
    let rules = definitions.rules().iter();
    let mut used: Vec<u32> = rules.map(|rule| rule.priority).collect();
    used.extend(proposed().map(|(_, rule)| rule.priority));
    let priority = (1..=100).rev().find(|priority| !used.contains(priority))?;
    let kind_of_class = match kind {
        ConditionKind::ScanKeyNum => ClassKind::Tbf {
            mqps: 10_000,
            burst: 12,
            max_wait: SimDuration(0),
        },
        _ => ClassKind::MaxInflight { num: 5 },
    };
    let class = QosClass {
        name,
        kind: kind_of_class,
    };
    let mut rule = QosRule::new(name, name, priority);
    rule.ops = vec![op];
    rule.prefixes = vec![prefix.into()];
    rule.conditions = vec![QosCondition {
        kind,
        threshold: threshold as i64 * MILLION,
    }];
    Some((class, rule))
}
