//! Benchmarks of etcd QoS, a proposal: the accuracy of each queue discipline, and the number of instructions that a
//! decision takes.
//!
//! `qos accuracy` prints the mean, the standard deviation and the variance of the requests per second that each
//! discipline starts. `qos decide RULES DECISIONS` decides about requests and prints nothing; `cargo xtask bench qos`
//! counts the instructions of two such runs and computes the difference.

#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::time::SimTime;
use watchglass_engine::latency::accuracy::{Accuracy, AccuracySetting, BINS};
use watchglass_engine::qos::{
    Arrival, ClassKind, Finish, Identity, OpKind, Operation, Qos, QosClass, QosName, QosRule,
};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["decide", rules, decisions] => decide(number(rules), number(decisions)),
        _ => accuracy(),
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

/// Prints the table. Each row is the sum of many runs.
fn accuracy() {
    let setting = AccuracySetting::default();
    let AccuracySetting { qps, runs } = setting;
    println!("requests per second with a limit of {qps}; {runs} runs of {BINS} s");
    println!(
        "{:<36} {:>7} {:>7} {:>7} {:>9} {:>9} {:>7}",
        "discipline", "offered", "mean", "sd", "variance", "theory", "agrees"
    );
    let mut accuracy = Accuracy::new(setting);
    while accuracy.advance(u32::MAX) {}
    for row in accuracy.into_rows() {
        let theory = row.theory.map(|theory| format!("{theory:.2}"));
        let agrees = match row.is_accurate() {
            Some(true) => "yes",
            Some(false) => "no",
            None => "-",
        };
        println!(
            "{:<36} {:>7.1} {:>7.2} {:>7.2} {:>9.2} {:>9} {agrees:>7}",
            row.discipline,
            row.offered,
            row.mean,
            row.deviation(),
            row.variance,
            theory.unwrap_or_else(|| "-".into()),
        );
    }
}

/// Decides about requests that no rule matches, so that each decision compares all rules.
fn decide(rules: u64, decisions: u64) {
    let name = |text: &str| QosName::new(text).expect("a valid name");
    let mut qos = Qos::default();
    let kind = ClassKind::MaxInflight { num: 1 };
    qos.add_class(QosClass {
        name: name("c"),
        kind,
    })
    .expect("a valid class");
    for number in 1..=rules {
        let mut rule = QosRule::new(
            name(&format!("r{number}")),
            name("c"),
            1 + number as u32 % 100,
        );
        rule.ops = vec![OpKind::Range];
        rule.prefixes = vec![format!("/p{number}/").as_str().into()];
        qos.add_rule(rule, false).expect("a valid rule");
    }
    let keys = KeyRange::new(&"/registry/pods/".into(), &"/registry/pods0".into());
    for call in 0..decisions {
        if qos.is_idle() {
            continue;
        }
        let operation = Operation::new(OpKind::Range, Some(keys.clone()));
        let arrival = Arrival::new(vec![operation], Identity::default());
        let caller = Caller {
            node: NodeId::Etcdctl,
            call,
        };
        qos.arrive(SimTime(call), caller, arrival);
        qos.finish(SimTime(call), caller, Finish::default());
    }
}
