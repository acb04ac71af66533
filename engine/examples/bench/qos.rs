//! Measures what etcd QoS, a proposal, costs in time and memory. `docs/performance.md` has the results, from which the
//! prices `qos-decision` and `qos-rule` of the simulator come.

use std::sync::atomic::Ordering;

use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::time::SimTime;
use watchglass_engine::qos::{
    Arrival, ClassKind, CountedTree, Finish, GroupBy, Identity, OpKind, Operation, Qos, QosClass,
    QosName, QosRule,
};

use super::{LIVE_BYTES, key, keys, runs, timed};

const DECISIONS: u64 = 100_000;

fn name(text: &str) -> QosName {
    QosName::new(text).expect("a valid name")
}

fn qos(rules: u64, group_by: GroupBy) -> Qos {
    let mut qos = Qos::default();
    let kind = ClassKind::MaxInflight { num: 1 };
    let class = name("c");
    qos.add_class(QosClass { name: class, kind })
        .expect("a valid class");
    for number in 1..=rules {
        let mut rule = QosRule::new(name(&format!("r{number}")), class, 1 + number as u32 % 100);
        rule.ops = vec![OpKind::Range];
        rule.prefixes = vec![format!("/p{number}/").as_str().into()];
        rule.group_by = group_by;
        qos.add_rule(rule, false).expect("a valid rule");
    }
    qos
}

/// Decides about reads, each of another key. `keys` returns the key.
fn decide(qos: &mut Qos, decisions: u64, key: impl Fn(u64) -> Bytes) {
    for call in 0..decisions {
        let operation = Operation::new(OpKind::Range, Some(KeyRange::One(key(call))));
        let arrival = Arrival::new("Range", vec![operation], Identity::default());
        let caller = Caller {
            node: NodeId::Etcdctl,
            call,
        };
        qos.arrive(SimTime(call), caller, arrival);
        qos.finish(SimTime(call), caller, Finish::default());
    }
}

fn nanos(count: u64, work: impl FnOnce()) -> f64 {
    timed(work).0.as_secs_f64() * 1e9 / count as f64
}

/// Measures a decision that compares a request with all rules and finds no match.
pub(super) fn decision(rules: u64) -> Vec<f64> {
    let keys = keys(DECISIONS);
    runs(|| {
        let mut qos = qos(rules, GroupBy::Rule);
        nanos(DECISIONS, || {
            decide(&mut qos, DECISIONS, |call| keys[call as usize].clone());
        })
    })
}

pub(super) fn estimate(keys: u64) -> Vec<f64> {
    let tree = tree_of(keys);
    runs(|| {
        nanos(DECISIONS, || {
            for at in 0..DECISIONS {
                let from = at * 7_919 % keys;
                tree.count(&KeyRange::Between(key(from), key(from + 500)));
            }
        })
    })
}

pub(super) fn insert(keys: u64) -> Vec<f64> {
    let full = tree_of(keys);
    runs(|| {
        let mut tree = full.clone();
        nanos(DECISIONS, || {
            for at in 0..DECISIONS {
                tree.insert(key(keys + at));
            }
        })
    })
}

fn tree_of(keys: u64) -> CountedTree {
    let mut tree = CountedTree::default();
    for at in 0..keys {
        tree.insert(key(at));
    }
    tree
}

/// Measures the bytes of the tree for each key. The bytes of the key itself belong to the index.
pub(super) fn tree_bytes() -> Vec<f64> {
    let keys = keys(100_000);
    bytes(keys.len() as u64, || {
        let mut tree = CountedTree::default();
        for key in &keys {
            tree.insert(key.clone());
        }
        tree
    })
}

pub(super) fn monitor_bytes() -> Vec<f64> {
    member_bytes(GroupBy::Rule, |_| "/p1/".into())
}

/// Measures the bytes of a full monitor and a full tracker.
pub(super) fn tracker_bytes() -> Vec<f64> {
    member_bytes(GroupBy::Rule, |call| format!("/p1/{call}/").into())
}

/// Measures the bytes of a full monitor, a full tracker and the maximum number of limiters.
pub(super) fn limiter_bytes() -> Vec<f64> {
    member_bytes(GroupBy::KeySegments(2), |call| {
        format!("/p1/{call}/").into()
    })
}

fn member_bytes(group_by: GroupBy, key: fn(u64) -> Bytes) -> Vec<f64> {
    bytes(1, || {
        let mut qos = qos(1, group_by);
        decide(&mut qos, 10_000, key);
        qos
    })
}

fn bytes<T>(count: u64, make: impl Fn() -> T) -> Vec<f64> {
    runs(|| {
        let before = LIVE_BYTES.load(Ordering::Relaxed);
        let made = make();
        let bytes = LIVE_BYTES.load(Ordering::Relaxed) - before;
        drop(made);
        bytes as f64 / count as f64
    })
}
