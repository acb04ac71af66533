//! Prints the output of `show qos`: the state of etcd QoS, a proposal.

use std::fmt::Write;

use crate::base::ids::NodeId;
use crate::base::time::SimTime;
use crate::etcd::GrpcProxy;
use crate::qos::metrics::QosOutcome;
use crate::qos::{ClassKind, Qos};
use crate::world::World;

/// Prints the classes with their limiters, and the rules with their counters: of the member, and of the proxy if it has
/// a class.
pub fn qos(world: &World) -> String {
    let mut out = match world.at_endpoint().qos() {
        Some(qos) => state(qos.state(), world.time_of(world.endpoint())),
        None => "QoS is off; type `set experimental-enable-qos 1` to turn it on\n".into(),
    };
    let proxy = world.proxy().map(GrpcProxy::qos);
    if let Some(qos) = proxy.filter(|qos| qos.definitions().classes().next().is_some()) {
        let name = world.node_name(NodeId::Proxy);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{name}:");
        out.push_str(&state(qos, world.time_of(NodeId::Proxy)));
    }
    out
}

fn state(qos: &Qos, now: SimTime) -> String {
    let mut out = String::new();
    for class in qos.definitions().classes() {
        let _ = writeln!(out, "class {}  {}", class.name, class.kind);
        for (group, level, max) in qos.groups(class.name, now) {
            let what = match class.kind {
                ClassKind::Tbf { .. } => "tokens",
                ClassKind::Lbf { .. } => "requests in the bucket",
                ClassKind::MaxInflight { .. } | ClassKind::Prio { .. } => "units in use",
                ClassKind::Window { .. } => "units of cost in the window",
                ClassKind::Discard => continue,
            };
            let group = match &*group {
                "" => String::new(),
                group => format!("{group}: "),
            };
            let _ = writeln!(out, "    {group}{level} of {max} {what}");
        }
        let waiting = qos.waiting(class.name, now);
        if waiting > 0 {
            let _ = writeln!(out, "    {waiting} delayed");
        }
    }
    let metrics = qos.metrics();
    for rule in qos.definitions().rules() {
        let _ = writeln!(out, "rule {}  {rule}", rule.name);
        let of = |outcome| metrics.of_rule(rule.name, outcome);
        let (admitted, delayed) = (of(QosOutcome::Admitted), of(QosOutcome::Delayed));
        let limited = of(QosOutcome::Limited);
        let _ = writeln!(
            out,
            "    {admitted} admitted, {delayed} delayed, {limited} limited"
        );
    }
    let _ = writeln!(out, "no rule  {} bypassed", metrics.bypassed);
    let tracker = qos.tracker();
    let _ = writeln!(
        out,
        "tracker  {} of {} entries, {} hits, {} misses, {} evictions",
        tracker.len(),
        tracker.size(),
        tracker.hits,
        tracker.misses,
        tracker.evictions
    );
    out
}
