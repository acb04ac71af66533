//! How long random commands take to find known bugs: `cargo xtask bench nemesis` runs this program.
//!
//! For each bug, the program starts five searches at different seeds, and prints the median of the times, the number of
//! attempts in that time, and the number of commands in the longest result. It then searches a run in which the bug is
//! fixed.

#![allow(
    clippy::print_stdout,
    reason = "the table on standard output is what this program is for"
)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "it measures the time of whole searches"
)]

#[path = "../tests/nemesis/attempts.rs"]
mod attempts;

use std::ops::Range;
use std::time::{Duration, Instant};

use watchglass_engine::session::Session;
use watchglass_engine::view::odds::{Ending, Failure, Known, NemesisView};

use attempts::{started, try_random};

/// The seed of the first attempt of each search.
const STARTS: [u64; 5] = [0, 100_000, 200_000, 300_000, 400_000];

/// The time after which a search ends without a result: with the bug, and with its fix.
const LIMITS: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(20)];

/// The number of attempts between two looks at the clock.
const ATTEMPTS: u64 = 50;

/// Two runs that start with the same commands except for one line.
#[derive(Clone, Copy, Debug)]
struct Case {
    bug: &'static str,
    before: &'static str,
    /// The line in which the runs differ: with the bug, and with its fix.
    switch: [&'static str; 2],
    after: &'static str,
    endings: &'static [Ending],
    /// The other bugs of the release.
    ignored: &'static [Known],
}

/// The bugs of the museum that random commands find.
const CASES: [Case; 9] = [
    Case {
        bug: "etcd#15220",
        before: "",
        switch: ["world profile=3.4", "world profile=3.4 fix=etcd#15220"],
        after: "apiserver api-1 --assume-progress=on\n",
        endings: &Ending::FORBIDDEN,
        ignored: &[],
    },
    etcd_3_4(
        "etcd#15274",
        "world profile=3.4 fix=etcd#15274",
        &[
            Known::HastyProgress,
            Known::NegativeStart,
            Known::PassedOver,
            Known::CompactedDelete,
        ],
    ),
    etcd_3_4(
        "etcd#17529",
        "world profile=3.4 fix=etcd#17529",
        &[
            Known::HastyProgress,
            Known::NegativeStart,
            Known::ProgressRepeated,
            Known::CompactedDelete,
        ],
    ),
    etcd_3_4(
        "etcd#18089",
        "world profile=3.4 fix=etcd#18089",
        &[
            Known::HastyProgress,
            Known::NegativeStart,
            Known::ProgressRepeated,
            Known::PassedOver,
        ],
    ),
    etcd_3_4(
        "etcd#20693",
        "world profile=3.4 fix=etcd#20693",
        &[
            Known::HastyProgress,
            Known::ProgressRepeated,
            Known::PassedOver,
            Known::CompactedDelete,
        ],
    ),
    Case {
        bug: "etcd#20281",
        before: "",
        switch: [
            "world members=3 seed=7 profile=3.4",
            "world members=3 seed=7 profile=3.4 fix=etcd#20281",
        ],
        after: "run 3s\n",
        endings: &[Ending::BrokenGuarantee],
        ignored: &[
            Known::HastyProgress,
            Known::NegativeStart,
            Known::ProgressRepeated,
            Known::PassedOver,
            Known::CompactedDelete,
        ],
    },
    Case {
        bug: "etcd#18667",
        before: "",
        switch: [
            "world members=3 seed=7 profile=3.6",
            "world members=3 seed=7 profile=3.6 fix=etcd#18667",
        ],
        after: "run 3s\n",
        endings: &Ending::FORBIDDEN,
        ignored: &[],
    },
    Case {
        bug: "kubernetes#59848",
        before: "apiserver api-1\napiserver api-2\nrun 1s\n\
            statefulset web --nodes=node-1,node-2 --server=api-1\n",
        switch: [
            "kubelet node-1 --server=api-1 --watch-list=off",
            "kubelet node-1 --server=api-1",
        ],
        after: "kubelet node-2 --server=api-1\nrun 1s\n",
        endings: &Ending::FORBIDDEN,
        ignored: &[],
    },
    Case {
        bug: "KEP-5647",
        before: "apiserver api-1\nrun 1s\n",
        switch: [
            "statefulset web --replicas=2 --feature-gates=StaleControllerConsistencyStatefulSet=false",
            "statefulset web --replicas=2",
        ],
        after: "run 1s\n",
        endings: &Ending::FORBIDDEN,
        ignored: &[],
    },
];

/// A bug of etcd 3.4.23 that an empty store with one member has.
const fn etcd_3_4(bug: &'static str, fixed: &'static str, ignored: &'static [Known]) -> Case {
    Case {
        bug,
        before: "",
        switch: ["world profile=3.4", fixed],
        after: "",
        endings: &Ending::FORBIDDEN,
        ignored,
    }
}

impl Case {
    /// Starts the run with the bug, or with its fix.
    fn start(&self, is_fixed: bool) -> Session {
        let switch = self.switch[usize::from(is_fixed)];
        started(&[self.before, switch, "\n", self.after].concat())
    }

    /// Makes attempts with random commands, one for each seed, until the bug shows.
    fn try_random(&self, session: &mut Session, seeds: Range<u64>) -> NemesisView {
        try_random(session, self.endings, self.ignored, seeds)
    }
}

struct Search {
    time: Duration,
    attempts: u64,
    failure: Option<Failure>,
}

fn search(case: &Case, is_fixed: bool, start: u64) -> Search {
    let mut session = case.start(is_fixed);
    let begun = Instant::now();
    let mut at = start;
    let mut failure = None;
    while failure.is_none() && begun.elapsed() < LIMITS[usize::from(is_fixed)] {
        let view = case.try_random(&mut session, at..at + ATTEMPTS);
        at += u64::from(view.attempts + view.stopped);
        failure = view.failure;
    }
    Search {
        time: begun.elapsed(),
        attempts: at - start,
        failure,
    }
}

fn main() {
    println!(
        "{:<18} {:>6} {:>9} {:>9} {:>9} {:>16}",
        "bug", "found", "median s", "attempts", "commands", "attempts, fixed"
    );
    for case in &CASES {
        let mut found: Vec<Search> = STARTS
            .iter()
            .map(|start| search(case, false, *start))
            .collect();
        found.sort_by_key(|search| search.time);
        let middle = &found[found.len() / 2];
        let failures = found.iter().filter_map(|search| search.failure.as_ref());
        let needed = failures.map(|failure| failure.needed);
        let fixed = search(case, true, 0);
        let fixed = match fixed.failure {
            None => fixed.attempts.to_string(),
            Some(failure) => format!("FOUND {failure:?}"),
        };
        println!(
            "{:<18} {:>4}/5 {:>9.1} {:>9} {:>9} {fixed:>16}",
            case.bug,
            needed.clone().count(),
            middle.time.as_secs_f64(),
            middle.attempts,
            needed.max().unwrap_or_default(),
        );
    }
}
