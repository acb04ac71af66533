//! The latency lab through the session's messages: it runs in slices, steps aside for typing, and can be stopped.

use watchglass_engine::latency::{Scheme, Setting};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Done, FromEngine, ToEngine};

fn setting(scheme: Scheme, requests: u64) -> Setting {
    Setting {
        requests,
        ..Setting::of(scheme)
    }
}

fn done(out: &[FromEngine], wanted: u32) -> Option<&Done> {
    out.iter().find_map(|message| match message {
        FromEngine::Done { id, done } if *id == wanted => Some(done),
        _ => None,
    })
}

/// Pumps until nothing is left.
fn finish(session: &mut Session, out: &mut Vec<FromEngine>) {
    while session.pump(4, out) {}
}

#[test]
fn two_settings_are_run_one_after_the_other() {
    let mut session = Session::default();
    let mut out = Vec::new();
    let settings = vec![
        setting(Scheme::TimerOnly, 2_000),
        setting(Scheme::Today, 1_000),
    ];
    session.handle(ToEngine::Latency { id: 7, settings }, &mut out);
    finish(&mut session, &mut out);
    let Some(Done::Latency(reports)) = done(&out, 7) else {
        panic!("{out:?}")
    };
    let counts: Vec<u64> = reports.iter().map(|report| report.wait.count).collect();
    assert_eq!(counts, [2_000, 1_000]);
    assert!(reports[0].wait.mean_ns > 2 * reports[1].wait.mean_ns);
    let so_far: Vec<(u64, u64)> = out
        .iter()
        .filter_map(|message| match message {
            FromEngine::Progress {
                id: 7, done, total, ..
            } => Some((*done, *total)),
            _ => None,
        })
        .collect();
    assert!(so_far.len() > 1, "it goes in slices");
    assert!(
        so_far
            .iter()
            .all(|(done, total)| done <= total && *total == 3_000),
        "{so_far:?}"
    );
    assert!(so_far.is_sorted(), "{so_far:?}");
}

#[test]
fn typing_goes_first_and_ctrl_c_is_about_typing() {
    let mut session = Session::default();
    let mut out = Vec::new();
    let settings = vec![setting(Scheme::Draft, 50_000)];
    session.handle(ToEngine::Latency { id: 1, settings }, &mut out);
    assert!(session.pump(10, &mut out), "it is long");
    session.handle(
        ToEngine::Exec {
            id: 2,
            text: "put a 1".to_owned(),
        },
        &mut out,
    );
    assert!(session.pump(10, &mut out));
    assert!(matches!(done(&out, 2), Some(Done::Executed(_))), "{out:?}");
    session.handle(ToEngine::Interrupt, &mut out);
    assert!(session.pump(1, &mut out), "the lab goes on");
    assert_eq!(done(&out, 1), None);
}

#[test]
fn a_run_can_be_stopped() {
    let mut session = Session::default();
    let mut out = Vec::new();
    let settings = vec![setting(Scheme::Draft, 50_000)];
    session.handle(ToEngine::Latency { id: 1, settings }, &mut out);
    assert!(session.pump(10, &mut out));
    session.handle(ToEngine::CancelLatency { id: 2 }, &mut out);
    assert!(session.pump(10, &mut out), "that was another's number");
    session.handle(ToEngine::CancelLatency { id: 1 }, &mut out);
    assert_eq!(done(&out, 1), Some(&Done::Interrupted));
    assert!(!session.pump(1, &mut out));
}

#[test]
fn nothing_from_outside_makes_it_fall_over() {
    let wild = Setting {
        interval: watchglass_engine::base::time::SimDuration(u64::MAX),
        gap: watchglass_engine::base::time::SimDuration(0),
        own: watchglass_engine::latency::Rate(u64::MAX),
        lists: watchglass_engine::latency::Rate(0),
        size: u64::MAX,
        object_bytes: u64::MAX,
        requests: 3,
        ..setting(Scheme::Batch, 3)
    };
    let mut session = Session::default();
    let mut out = Vec::new();
    session.handle(
        ToEngine::Latency {
            id: 1,
            settings: vec![wild],
        },
        &mut out,
    );
    finish(&mut session, &mut out);
    let Some(Done::Latency(reports)) = done(&out, 1) else {
        panic!("{out:?}")
    };
    assert_eq!(reports[0].wait.count, 3);
    session.handle(
        ToEngine::Latency {
            id: 2,
            settings: Vec::new(),
        },
        &mut out,
    );
    finish(&mut session, &mut out);
    assert_eq!(done(&out, 2), Some(&Done::Latency(Vec::new())));
}
