//! Large operations of a session. The session works in pieces where possible, and the time must not grow with the
//! square of the size.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    unsafe_code,
    reason = "the test asks how much processor time the engine takes"
)]

#[path = "../examples/common/processor_time.rs"]
mod processor_time;

use std::time::{Duration, Instant};

use crate::support::answer_text;
use watchglass_engine::session::{
    Act, FromEngine, Notification, ProgressUnit, Read, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::trace::{ClientTrace, TraceEvent};

fn with(lines: &[&str]) -> Session {
    let mut session = Session::default();
    for line in lines {
        let done = session.exec(line);
        assert_eq!(done.exit, 0, "{line}: {}", done.stderr);
    }
    session
}

fn largest_step(session: &Session) -> usize {
    let steps = 1..=session.run().len();
    let sizes = steps.map(|step| session.run().events(step).len());
    sizes.max().unwrap_or_default()
}

fn wanted(session: &Session, step: u64) -> usize {
    let is_wanted =
        |what: &TraceEvent| matches!(what, TraceEvent::Client(ClientTrace::Wants { .. }));
    let events = session.run().events(step);
    events.iter().filter(|event| is_wanted(&event.what)).count()
}

fn watches(session: &Session) -> usize {
    let streams = session
        .world()
        .clients()
        .flat_map(|(_, client)| client.streams());
    streams.map(|stream| stream.watches().count()).sum()
}

#[test]
fn a_large_crowd_begins_in_steps_of_a_thousand() {
    let mut session = with(&["put /a 1", "watch /a --many=20000 --streams=20000 as w"]);
    assert_eq!(wanted(&session, 2), 1_000);
    assert!(
        largest_step(&session) <= 5_000,
        "{}",
        largest_step(&session)
    );
    assert_eq!(watches(&session), 20_000);
    session.exec("put /a 2");
    for watch in ["w-1", "w-1000", "w-1001", "w-20000"] {
        let received = session.exec(&format!("recv {watch}"));
        assert_eq!(received.stdout, "PUT\n/a\n2\n", "{watch}");
    }
}

#[test]
fn a_crowd_of_a_thousand_begins_in_one_step() {
    let session = with(&["watch /a --many=1000 --streams=1000 as w"]);
    assert_eq!(wanted(&session, 1), 1_000);
    let moments: Vec<u64> = session.run().steps().iter().map(|s| s.at.0).collect();
    assert!(moments.is_sorted_by(|a, b| a < b), "{moments:?}");
}

#[test]
fn a_crowd_that_was_interrupted_is_made_again_as_it_was() {
    let mut session = Session::default();
    let mut out = Vec::new();
    let text = "watch /a --many=5000 --rev=spread as w".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Act(Act::Type(text))),
        &mut out,
    );
    session.pump(4, &mut out);
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    let begun = watches(&session);
    assert!(begun > 0 && begun < 5_000, "{begun}");
    session.exec("run 1s");
    assert_eq!(watches(&session), begun);
    let digest = session.world().digest();
    let saved = answer_text(
        &mut session,
        ToEngine::Request(2, Request::Read(Read::Save)),
    );
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(again.world().digest(), digest);
}

#[test]
fn a_branch_of_a_long_run_is_made_in_pieces_and_can_be_interrupted() {
    let mut session = with(&["for i in {1..6000}; do put /k$i v; done"]);
    session.seek(SeekTo::Step(5_000));
    let saved = answer_text(
        &mut session,
        ToEngine::Request(2, Request::Read(Read::Save)),
    );
    let mut out = Vec::new();
    let exec = |session: &mut Session, out: &mut Vec<FromEngine>| {
        let text = "put /other v".to_owned();
        session.handle(ToEngine::Request(1, Request::Act(Act::Type(text))), out);
    };
    exec(&mut session, &mut out);
    assert!(session.pump(3, &mut out));
    let progress = out.iter().find_map(|message| match message {
        FromEngine::Progress { running, .. } => running.clone(),
        _ => None,
    });
    let progress = progress.expect("it says how far it has come");
    assert_eq!(
        (progress.total, progress.unit),
        (5_000, ProgressUnit::Steps)
    );
    assert!((500..4_500).contains(&progress.done), "{progress:?}");

    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert!(!session.pump(1, &mut out));
    assert_eq!(session.views().status.branches.len(), 1);
    assert_eq!(
        answer_text(
            &mut session,
            ToEngine::Request(2, Request::Read(Read::Save))
        ),
        saved
    );

    exec(&mut session, &mut out);
    while session.pump(1, &mut out) {}
    assert_eq!(session.views().status.branches.len(), 2);
    let store = session.world().at_endpoint().store();
    assert_eq!((store.current_rev(), session.run().len()), (5_002, 5_001));
    assert_eq!(session.run().history().changes_from(0).count(), 5_001);
    assert_eq!(session.run().replayed().digest(), session.world().digest());
}

#[test]
fn a_large_run_is_freed_in_pieces() {
    let mut session = with(&["for i in {1..6000}; do put /k$i v; done"]);
    let mut out = Vec::new();
    let source = Source::Story("two-generations".into());
    let at = SeekTo::End;
    session.handle(ToEngine::Request(1, Request::Load { source, at }), &mut out);
    let is_done = |m: &FromEngine| matches!(m, FromEngine::Done { id: 1, .. });
    while !out.iter().any(is_done) {
        assert!(session.pump(1, &mut out));
    }
    let mut pieces = 0;
    while session.pump(1, &mut out) {
        pieces += 1;
    }
    assert!(pieces >= 5, "{pieces}");
    assert_eq!(session.exec("put /a 1").exit, 0);
}

fn time(work: impl FnOnce()) -> Duration {
    let clock = Instant::now();
    let begun = processor_time::processor_time();
    work();
    match (begun, processor_time::processor_time()) {
        (Some(begun), Some(ended)) => ended.saturating_sub(begun),
        _ => clock.elapsed(),
    }
}

/// Asserts that eight times the size takes less than thirty times as long; quadratic work would take sixty-four times
/// as long.
fn assert_grows_slowly(prepare: impl Fn(usize) -> Session, work: impl Fn(&mut Session)) {
    let least = |size| {
        let mut session = prepare(size);
        let first = time(|| work(&mut session));
        let mut session = prepare(size);
        first.min(time(|| work(&mut session)))
    };
    let (few, many) = (least(1_000), least(8_000));
    assert!(many < few * 30, "{few:?}, then {many:?}");
}

fn look(session: &mut Session) {
    session.views();
}

#[test]
fn the_sentence_about_many_deleted_keys_takes_a_time_that_grows_slowly() {
    let prepare = |keys| {
        let puts = format!("for i in {{1..{keys}}}; do put /k$i v; done");
        with(&[&puts, "del /k --prefix"])
    };
    assert_grows_slowly(prepare, look);
}

fn full_streams(streams: usize) -> Session {
    let crowd = format!("watch /a --many={streams} --streams={streams} as w");
    with(&[
        "set stream-window 0",
        "set watch-channel 1",
        &crowd,
        "pause w",
        "put /a 1",
        "put /a 2",
        "put /a 3",
    ])
}

#[test]
fn the_sentence_about_many_victims_takes_a_time_that_grows_slowly() {
    assert_grows_slowly(full_streams, look);
}

#[test]
fn reading_from_many_full_streams_takes_a_time_that_grows_slowly() {
    assert_grows_slowly(full_streams, |session| {
        session.exec("resume w");
        session.exec("run 1s");
        assert_eq!(
            session.exec("recv w-7").stdout,
            "PUT\n/a\n1\nPUT\n/a\n2\nPUT\n/a\n3\n"
        );
    });
}

#[test]
fn disconnecting_many_full_streams_takes_a_time_that_grows_slowly() {
    assert_grows_slowly(full_streams, |session| {
        session.exec("disconnect w");
    });
}
