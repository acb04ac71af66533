//! Measures the memory that a session uses per step of a run, and the time to move the cursor to any step.

use std::sync::atomic::Ordering;
use std::time::Instant;

use watchglass_engine::base::rng::Rng;
use watchglass_engine::session::{Limits, Notification, SeekTo, Session, ToEngine};

use super::{LIVE_BYTES, millis};

const SEEKS: u64 = 200;

const PUTS_PER_LINE: u64 = 1_000;

/// A run to measure: its name, and the lines to type in order to create the run.
struct Load {
    name: &'static str,
    before: &'static [&'static str],
    /// A line that is typed `lines` times. Each time, the number of the repetition replaces `%`.
    line: &'static str,
    lines: u64,
}

const PUTS: &str = "for i in {1..1000}; do put /registry/pods/default/pod-$i value-%; done";

const LOADS: [Load; 4] = [
    Load {
        name: "plain puts to 1,000 keys",
        before: &[],
        line: PUTS,
        lines: 1_000_000 / PUTS_PER_LINE,
    },
    Load {
        name: "watched puts to 1,000 keys",
        before: &["watch /registry --prefix as w1"],
        line: PUTS,
        lines: 200_000 / PUTS_PER_LINE,
    },
    Load {
        name: "kubelets: 1,000 nodes list every 60 s",
        before: &[
            "populate --nodes=1000 --pods=10",
            "apiserver api-1",
            "kubelets 1000 as fleet --every=60s --server=api-1",
            "load w --creates=1 --server=api-1",
        ],
        line: "run 10s",
        lines: 60,
    },
    Load {
        name: "cluster: 5 members, 1,000 puts per s",
        before: &[
            "world members=5 seed=7",
            "run 3s",
            "load writers /registry/pods/ --puts=1000 --keys=1000",
        ],
        line: "fault partition etcd-1 etcd-2 | etcd-3 etcd-4 etcd-5; run 2500ms; heal; run 2500ms",
        lines: 4,
    },
];

/// Creates and measures each run of [`LOADS`], and prints a line for each. `scale` divides the sizes of the runs.
pub(super) fn print(scale: u64) {
    println!(
        "\n{:<40} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9}",
        "session", "steps", "MB", "B/step", "seek p50", "p95 ms", "steps/s"
    );
    for load in LOADS {
        run(&load, scale);
    }
}

fn run(load: &Load, scale: u64) {
    let held = || LIVE_BYTES.load(Ordering::Relaxed);
    let before = held();
    let mut session = Session::default();
    let limits = Limits {
        memory_bytes: u64::MAX,
        ..Limits::APP
    };
    session.handle(
        ToEngine::Notification(Notification::Limit(limits)),
        &mut Vec::new(),
    );
    for line in load.before {
        let done = session.exec(line);
        assert_eq!(done.exit, 0, "{line}: {}", done.stderr);
    }
    let began = Instant::now();
    for number in 0..(load.lines / scale).max(1) {
        let line = load.line.replace('%', &number.to_string());
        let done = session.exec(&line);
        assert_eq!(done.exit, 0, "{line}: {}", done.stderr);
    }
    let took = began.elapsed().as_secs_f64();
    let bytes = held() - before;
    let steps = session.run().len();
    let mut rng = Rng::stream(1, "seeks");
    let mut seeks: Vec<f64> = (0..SEEKS)
        .map(|_| {
            let began = Instant::now();
            session.seek(SeekTo::Step(rng.below(steps + 1)));
            millis(began.elapsed())
        })
        .collect();
    seeks.sort_by(f64::total_cmp);
    let [p50, p95] = [seeks.len() / 2, seeks.len() * 95 / 100].map(|place| seeks[place]);
    println!(
        "{:<40} {steps:>9} {:>9.1} {:>8.0} {p50:>9.2} {p95:>9.2} {:>9.0}",
        load.name,
        bytes as f64 / 1e6,
        bytes as f64 / steps as f64,
        steps as f64 / took
    );
}
