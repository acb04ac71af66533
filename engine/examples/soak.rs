//! Random clusters with faults: `cargo xtask soak` builds this program and runs it on every core.
//!
//! `soak FIRST STEP COUNT` runs COUNT clusters; their seeds are FIRST, FIRST + STEP, and so on. For each cluster, the
//! program prints a line: `OK`, or `FAILED` with the violation. A panic does not end the program.

#![allow(
    clippy::print_stdout,
    reason = "the results on standard output are what this program is for"
)]

#[path = "../tests/cluster_nemesis/mod.rs"]
mod cluster_nemesis;

use std::panic::{self, catch_unwind};

fn main() {
    let numbers = std::env::args().skip(1).map(|arg| arg.parse());
    let numbers: Result<Vec<u64>, _> = numbers.collect();
    let Ok([first, step, count]) = numbers.as_deref() else {
        println!("usage: soak FIRST STEP COUNT");
        return;
    };
    panic::set_hook(Box::new(|info| println!("PANIC\t{info}")));
    for number in 0..*count {
        let seed = first + number * step;
        let undecided = match catch_unwind(|| cluster_nemesis::run(seed, |world| world)) {
            Ok(Ok(report)) => report.is_undecided,
            Ok(Err(violation)) => {
                println!("FAILED\t{seed}\t{}", violation.replace('\n', " "));
                continue;
            }
            Err(_) => {
                println!("FAILED\t{seed}\ta panic");
                continue;
            }
        };
        println!("OK\t{seed}\t{undecided}");
    }
}
