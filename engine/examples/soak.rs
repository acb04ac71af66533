//! Random clusters with faults, and random commands: `cargo xtask soak` builds this program and runs it on every core.
//!
//! `soak FIRST STEP COUNT` makes COUNT runs; their seeds are FIRST, FIRST + STEP, and so on. A run is a cluster, and
//! random commands after one of the [`STARTS`], as in the page's *Search for a failure*. For each run, the program
//! prints a line: `OK`, or `FAILED` with the violation. A panic does not end the program.

#![allow(
    clippy::print_stdout,
    reason = "the results on standard output are what this program is for"
)]

#[path = "../tests/nemesis/attempts.rs"]
mod attempts;
#[path = "../tests/cluster_nemesis/mod.rs"]
mod cluster_nemesis;

use std::panic::{self, catch_unwind};

use watchglass_engine::view::odds::Ending;

/// The commands before the random ones. The API servers have no kubelets: as in Kubernetes, `kubectl delete` can remove
/// the successor of a pod without a grace period, so that two containers run.
const STARTS: [&str; 3] = [
    "world profile=3.7",
    "world members=3 profile=3.7\nrun 3s",
    "apiserver api-1\napiserver api-2\nrun 1s\ninformer pods as i1 --server=api-2\nrun 1s",
];

/// Types random commands. Returns the failure in one line, if any.
fn attempt(seed: u64) -> Result<(), String> {
    let start = STARTS[seed as usize % STARTS.len()];
    let mut session = attempts::started(start);
    let view = attempts::try_random(&mut session, &Ending::FORBIDDEN, &[], seed..seed + 1);
    view.failure.map_or(Ok(()), |failure| {
        let text = [start, "\n", &failure.text].concat();
        Err(format!("{:?}: {} {text:?}", failure.ending, failure.what))
    })
}

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
        let run = || -> Result<_, String> {
            let report = cluster_nemesis::run(seed, |world| world)?;
            attempt(seed)?;
            Ok(report)
        };
        let undecided = match catch_unwind(run) {
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
