//! Benchmarks of etcd QoS, a proposal: the accuracy of each queue discipline, and work to count instructions of.
//!
//! `qos accuracy` prints the mean, the standard deviation and the variance of the requests per second that each
//! discipline starts. `qos decide RULES DECISIONS` decides about requests and prints nothing; `cargo xtask bench qos`
//! counts the instructions of two such runs and subtracts.

#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::qos::limiter::{Admission, Limiter};
use watchglass_engine::qos::{
    Arrival, ClassKind, Finish, Identity, OpKind, Operation, Qos, QosClass, QosName, QosRule,
};

/// The rate of all limits, in requests per second.
const QPS: u64 = 10;
/// The number of runs for each row. Each run has its own seed.
const RUNS: u64 = 20;
/// The number of bins in each run, not counting the first second. A bin is one second long.
const BINS: u64 = 300;
const SECOND: u64 = 1_000_000;
/// The duration of each request, for the disciplines that limit running requests: one at a time is 10 per second.
const SERVICE: u64 = SECOND / QPS;

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

/// A row of the table: a name, the discipline, and the length of its queue as an M/D/1/K system.
type Row = (&'static str, ClassKind, Option<usize>);

fn rows() -> Vec<Row> {
    let mqps = QPS * 1_000;
    let tbf = |burst| ClassKind::Tbf {
        mqps,
        burst,
        max_wait: SimDuration(0),
    };
    let lbf = |queue| ClassKind::Lbf { mqps, queue };
    let window = SimDuration(SECOND);
    vec![
        ("tbf, burst 1", tbf(1), Some(1)),
        ("tbf, burst 2", tbf(2), Some(2)),
        ("tbf, burst 12", tbf(12), Some(12)),
        ("lbf, queue 0", lbf(0), Some(1)),
        ("lbf, queue 2", lbf(2), Some(3)),
        ("lbf, queue 11", lbf(11), Some(12)),
        (
            "window, 10 in 1 s",
            ClassKind::Window { window, limit: QPS },
            None,
        ),
        ("maxinflight, 1", ClassKind::MaxInflight { num: 1 }, Some(1)),
        (
            "prio, 1, queue 11",
            ClassKind::Prio { num: 1, queue: 11 },
            Some(12),
        ),
    ]
}

/// Returns Poisson arrivals, in microseconds.
fn arrivals(seed: u64, per_second: f64) -> Vec<u64> {
    let mut rng = Rng::stream(seed, "arrivals");
    let (mut now, mut all) = (0.0, Vec::new());
    loop {
        let uniform = (rng.below(1 << 53) + 1) as f64 / (1_u64 << 53) as f64;
        now -= uniform.ln() / per_second * SECOND as f64;
        if now as u64 >= (BINS + 1) * SECOND {
            return all;
        }
        all.push(now as u64);
    }
}

/// Returns the starts of the admitted requests, in microseconds.
fn starts(kind: ClassKind, arrivals: &[u64]) -> Vec<u64> {
    let mut limiter = Limiter::new(SimTime(0), kind);
    let holds_places = matches!(kind, ClassKind::MaxInflight { .. } | ClassKind::Prio { .. });
    // The ends of the running requests, earliest first.
    let mut ends = std::collections::VecDeque::new();
    let mut found = Vec::new();
    for at in arrivals.iter().copied().chain([u64::MAX]) {
        while let Some(end) = ends.pop_front_if(|end| *end <= at) {
            limiter.finish(SimTime(end), 1, 1);
            if limiter.start() {
                found.push(end);
                ends.push_back(end + SERVICE);
            }
        }
        if at == u64::MAX {
            break;
        }
        if let Admission::At(start) = limiter.admit(SimTime(at), 1) {
            found.push(start.0);
            if holds_places {
                ends.push_back(start.0 + SERVICE);
            }
        }
    }
    found
}

/// Returns the mean and the variance of the starts per second.
fn mean_and_variance(bins: &[u32]) -> (f64, f64) {
    let mean = bins.iter().sum::<u32>() as f64 / bins.len() as f64;
    let squares = bins.iter().map(|n| (f64::from(*n) - mean).powi(2));
    (mean, squares.sum::<f64>() / bins.len() as f64)
}

/// Returns the rate that an M/D/1/K queue achieves, as a share of the limit, for a load of `rho` times the limit.
fn theory(rho: f64, k: usize) -> f64 {
    let mut arrivals = vec![(-rho).exp()];
    for n in 1..=k {
        arrivals.push(arrivals[n - 1] * rho / n as f64);
    }
    // The distribution of the queue after a departure, up to a factor.
    let mut left = vec![1.0];
    for j in 0..k.saturating_sub(1) {
        let others: f64 = (1..=j).map(|i| left[i] * arrivals[j - i + 1]).sum();
        left.push((left[j] - arrivals[j] - others) / arrivals[0]);
    }
    let empty = 1.0 / left.iter().sum::<f64>();
    rho / (empty + rho)
}

/// Prints the table. Each row is the sum of many runs.
fn accuracy() {
    println!("requests per second with a limit of {QPS}; {RUNS} runs of {BINS} s");
    println!(
        "{:<20} {:>7} {:>7} {:>7} {:>9} {:>9}",
        "discipline", "offered", "mean", "sd", "variance", "theory"
    );
    for (name, kind, k) in rows() {
        for times in [0.5, 1.0, 2.0, 10.0] {
            let offered = times * QPS as f64;
            let mut bins = vec![0_u32; (RUNS * BINS) as usize];
            for run in 0..RUNS {
                for start in starts(kind, &arrivals(run, offered)) {
                    let bin = (start / SECOND).wrapping_sub(1);
                    if bin < BINS {
                        bins[(run * BINS + bin) as usize] += 1;
                    }
                }
            }
            let (mean, variance) = mean_and_variance(&bins);
            let theory = k.map(|k| format!("{:.2}", QPS as f64 * theory(times, k)));
            println!(
                "{name:<20} {offered:>7.1} {mean:>7.2} {:>7.2} {variance:>9.2} {:>9}",
                variance.sqrt(),
                theory.unwrap_or_else(|| "-".into())
            );
        }
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
