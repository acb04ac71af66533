//! The accuracy of each queue discipline of etcd QoS, a proposal: the mean, the standard deviation and the variance of
//! the requests per second that the discipline starts. `bench/qos.rs` measures the cost of a decision.

#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use watchglass_engine::latency::accuracy::{Accuracy, AccuracySetting, BINS};

/// Prints the table. Each row is the sum of many runs.
fn main() {
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
