//! A run drops the events and messages of old steps, and recreates them when a view needs them. The views must not
//! depend on which steps were dropped.

use crate::support::config;
use proptest::prelude::*;
use watchglass_engine::session::{Notification, SeekTo, Session, ToEngine};
use watchglass_engine::trace::Event;
use watchglass_engine::view::{
    CacheQuery, IndexQuery, MessagesQuery, Queries, TerminalQuery, TimelineQuery, Views, WatchQuery,
};

/// Generates lines about watches, faults, leases and Kubernetes.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(&["a", "b", "/c", "/c/d"][..]);
    let watch = prop::sample::select(&["w1", "w2", "w3"][..]);
    let fixed = prop::sample::select(
        &[
            "watch / --prefix as w1",
            "watch a --rev=1 --prev-kv as w2",
            "watch /c --prefix --progress-notify as w3",
            "set stream-window 0",
            "lease grant 5",
            "apiserver api-1",
            "kubectl create pod p1 --node=n1 --size=200",
            "kubectl get pods",
            "load w --creates=20",
            "kubelets 3 as fleet --every=200ms --server=api-1",
            "for i in {1..30}; do put loop/$i $i; done",
            "compact 5",
            "fork",
        ][..],
    );
    prop_oneof![
        6 => (key.clone(), 0..9).prop_map(|(k, v)| format!("put {k} {v}")),
        1 => key.prop_map(|k| format!("del {k} --prefix")),
        2 => (watch, prop::sample::select(&["pause", "resume", "recv", "disconnect", "connect"][..]))
            .prop_map(|(w, verb)| format!("{verb} {w}")),
        2 => (1..400).prop_map(|ms| format!("run {ms}ms")),
        5 => fixed.prop_map(str::to_owned),
    ]
}

/// Returns queries for every view, with a message selected.
fn queries(selected: Option<u64>) -> Queries {
    Queries {
        index: Some(IndexQuery::default()),
        timeline: Some(TimelineQuery { columns: 200 }),
        terminal: Some(TerminalQuery { last: 50, beat: 0 }),
        watch: Some(WatchQuery {
            columns: 24,
            selected: Some(1),
            table_from: 0,
            table_rows: 20,
        }),
        messages: Some(MessagesQuery {
            most: 60,
            skipped: 0,
            selected,
        }),
        cache: Some(
            CacheQuery {
                resource: "pods".into(),
                ..CacheQuery::default()
            }
            .into(),
        ),
        ..Queries::default()
    }
}

fn views(session: &mut Session) -> Views {
    session.handle(
        ToEngine::Notification(Notification::Show(queries(None).into())),
        &mut Vec::new(),
    );
    let arrows = session.views().messages.map(|m| m.arrows);
    let middle = arrows.and_then(|arrows| Some(arrows.get(arrows.len() / 2)?.id));
    session.handle(
        ToEngine::Notification(Notification::Show(queries(middle).into())),
        &mut Vec::new(),
    );
    session.views()
}

/// Types the lines. Returns the events of every step, as the session returned them immediately after the step.
fn typed(session: &mut Session, lines: &[String]) -> Vec<Vec<Event>> {
    let mut noted = Vec::new();
    for line in lines {
        session.exec(line);
        let run = session.run();
        let made = noted.len() as u64 + 1..=run.len();
        noted.extend(made.map(|step| run.events(step).to_vec()));
    }
    noted
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn what_is_made_again_is_what_was_shown(
        lines in prop::collection::vec(line(), 1..40),
        chapter in 1..8_u64,
        places in prop::collection::vec(0..=1000_u64, 12),
        late in prop::collection::vec(line(), 0..6),
    ) {
        let mut whole = Session::default();
        let mut dropped = Session::default();
        dropped.set_chapter_steps(chapter);
        let noted = typed(&mut whole, &lines);
        prop_assert_eq!(&typed(&mut dropped, &lines), &noted);
        for (number, place) in places.iter().enumerate() {
            let step = whole.run().len() * place / 1000;
            for session in [&mut whole, &mut dropped] {
                session.seek(SeekTo::Step(step));
            }
            let (shown, again) = (views(&mut whole), views(&mut dropped));
            let (shown, again) = (format!("{shown:#?}"), format!("{again:#?}"));
            let differs = shown.lines().zip(again.lines()).position(|(a, b)| a != b);
            prop_assert!(shown == again, "at step {step}, line {differs:?} of {shown}");
            let happened = |session: &Session| session.run().events(step).to_vec();
            prop_assert_eq!(happened(&whole), happened(&dropped));
            // A branch that starts at an earlier step shares the steps before it.
            if number % 4 == 3 && let Some(line) = late.get(number / 4) {
                whole.exec(line);
                dropped.exec(line);
                prop_assert_eq!(whole.world().digest(), dropped.world().digest());
            }
        }
    }
}

/// The events of a recreated chapter have the same numbers, causes and times as before, no matter which chapter was
/// requested last.
#[test]
fn every_step_of_a_long_run_is_as_it_was() {
    let mut session = Session::default();
    session.set_chapter_steps(7);
    let lines = [
        "watch / --prefix as w1",
        "for i in {1..200}; do put /k$i $i; done",
        "pause w1",
        "for i in {1..200}; do put /k$i again; done",
        "resume w1",
        "run 1s",
    ];
    let noted = typed(&mut session, &lines.map(str::to_owned));
    assert!(noted.len() > 600, "{}", noted.len());
    let run = session.run();
    for step in (1..=run.len()).rev().chain([1, 300, 2, 299]) {
        assert_eq!(
            run.events(step).to_vec(),
            noted[step as usize - 1],
            "{step}"
        );
    }
    let all: Vec<Event> = run.recording().iter().collect();
    assert_eq!(all, noted.concat());
}
