//! A run has a memory limit. A command that reaches the limit stops with an error message, and its finished steps stay.

use crate::support::answer_text;
use watchglass_engine::session::{
    Act, Done, Limits, Move, Notification, Read, Request, SeekTo, Session, Source, ToEngine,
};

const MIB: u64 = 1 << 20;

fn limited(mib: u64) -> Session {
    let mut session = Session::default();
    let limits = Limits {
        memory_bytes: mib * MIB,
        ..Limits::APP
    };
    session.handle(
        ToEngine::Notification(Notification::Limit(limits)),
        &mut Vec::new(),
    );
    session
}

/// Commands that create runs with a high memory usage: many watches and a few puts; many clients that write; many lists
/// of many pods.
const HEAVY: [&[&str]; 3] = [
    &[
        "for i in {1..100}; do watch a as q$i; done",
        "for i in {1..100000}; do put a $i; done",
    ],
    &[
        "apiserver api-1",
        "load w --creates=1000 --clients=100",
        "run 1h",
    ],
    &[
        "populate --nodes=50 --pods=10",
        "apiserver api-1",
        "kubelets 40 as fleet --every=40ms --server=api-1",
        "run 1h",
    ],
];

#[test]
fn at_the_limit_a_command_stops_with_a_sentence_and_its_run_is_made_again() {
    for lines in HEAVY {
        let (last, first) = lines.split_last().expect("there are some");
        let mut session = limited(6);
        for line in first {
            assert_eq!(session.exec(line).exit, 0, "{line}");
        }
        let done = session.exec(last);
        assert_ne!(done.exit, 0, "{last}");
        for wanted in ["MiB of memory", "the limit is 6 MiB", "undo"] {
            assert!(done.stderr.contains(wanted), "{last}: {}", done.stderr);
        }
        assert!(done.stderr.lines().count() <= 2, "{}", done.stderr);

        let view = session.views().status.memory.expect("it is full");
        assert!(view.is_full && view.used >= view.limit && view.limit == 6 * MIB);
        assert!(view.used < 7 * MIB, "{view:?}");
        assert!(view.parts.is_sorted_by(|a, b| a.bytes >= b.bytes));
        let sum: u64 = view.parts.iter().map(|part| part.bytes).sum();
        assert_eq!(sum, view.used);

        // Commands that would make the run larger are refused without any effect; a seek to an earlier step is not
        // refused.
        let (steps, digest) = (session.run().len(), session.world().digest());
        for line in [
            "put /x 1",
            "run 1s",
            "step 3",
            "watch /x as late",
            "fork",
            "world",
        ] {
            let refused = session.exec(line);
            assert!(
                refused.stderr.contains("not executed:"),
                "{line}: {refused:?}"
            );
        }
        assert_eq!(
            (session.run().len(), session.world().digest()),
            (steps, digest)
        );
        session.seek(SeekTo::Step(steps / 2));
        assert_eq!(session.exec("get a").exit, 0);
        session.seek(SeekTo::End);

        let saved = answer_text(
            &mut session,
            ToEngine::Request(1, Request::Read(Read::Save)),
        );
        let mut again = limited(6);
        let done = again.load(Source::Saved(saved.clone()), SeekTo::End);
        assert!(matches!(done, Done::Loaded { .. }), "{done:?}");
        assert_eq!(again.world().digest(), digest, "{last}");

        // With a smaller limit the run cannot be opened, and the previous run stays.
        let mut figure = limited(3);
        figure.exec("put /mine 1");
        let before = figure.world().digest();
        match figure.load(Source::Saved(saved), SeekTo::End) {
            Done::Refused { message } => assert!(message.contains("3 MiB"), "{message}"),
            done => panic!("{done:?}"),
        }
        assert_eq!(figure.world().digest(), before);

        // Undo first undoes the seek, and then frees memory.
        for id in [2, 3] {
            let mut out = Vec::new();
            session.handle(ToEngine::Request(id, Request::Act(Act::Undo)), &mut out);
            while session.pump(1000, &mut out) {}
        }
        assert_eq!(session.exec("put /x 1").exit, 0, "{last}");
    }
}

#[test]
fn a_run_says_what_takes_its_memory_before_it_is_full() {
    let mut session = limited(6);
    session.exec("for i in {1..50}; do watch a as q$i; done");
    assert_eq!(session.views().status.memory, None);
    let mut seen = None;
    for n in 0..10_000 {
        session.exec(&format!("put a {n}"));
        seen = session.views().status.memory;
        if seen.is_some() {
            break;
        }
    }
    let view = seen.expect("it grows");
    assert!(
        !view.is_full && view.used >= view.limit / 100 * 80,
        "{view:?}"
    );
}

#[test]
fn a_branch_that_does_not_fit_is_refused_before_it_is_made() {
    let mut session = limited(6);
    session.exec("for i in {1..1500}; do put a $i; done");
    let digest = session.world().digest();
    for (step, line) in [(1_490, "put a x"), (1_500, "fork")] {
        session.seek(SeekTo::Step(step));
        let refused = session.exec(line);
        for wanted in [
            "not executed: a branch at this step needs another",
            "the limit is 6 MiB",
        ] {
            assert!(
                refused.stderr.contains(wanted),
                "{line}: {}",
                refused.stderr
            );
        }
        assert_eq!(session.views().status.branches.len(), 1, "{line}");
    }
    session.seek(SeekTo::Step(10));
    assert_eq!(session.exec("put a x").exit, 0, "a short branch fits");
    assert_eq!(session.views().status.branches.len(), 2);
    session.handle(
        ToEngine::Request(1, Request::Move(Move::ToBranch(0))),
        &mut Vec::new(),
    );
    assert_eq!(session.world().digest(), digest);
}

#[test]
fn looks_at_a_full_run_end_somewhere() {
    let mut session = limited(2);
    session.exec("for i in {1..10000}; do put a $i; done");
    assert_eq!(session.exec("get a --rev=2").exit, 1, "it would make steps");
    assert_eq!(session.exec("show store").exit, 0);
    let refused = session.exec("for i in {1..10000}; do show store; done");
    assert!(
        refused.stderr.contains("not executed:"),
        "{}",
        refused.stderr
    );
    let view = session.views().status.memory.expect("it is full");
    assert!(view.used < view.limit + view.limit / 8, "{view:?}");
    let saved = answer_text(
        &mut session,
        ToEngine::Request(1, Request::Read(Read::Save)),
    );
    let done = limited(2).load(Source::Saved(saved), SeekTo::End);
    assert!(matches!(done, Done::Loaded { .. }), "{done:?}");
}
