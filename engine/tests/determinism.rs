//! The same inputs lead to the same world: when the run is repeated, with and without a trace, after the cursor moved
//! to any step, and after the run was saved and loaded. Links and lessons are correct only if this is true.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::support::{PROFILES, answer_text, config};
use proptest::prelude::*;
use watchglass_engine::api::{CompactionRequest, DeleteRangeRequest, PutRequest, Request};
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::session::{
    Config, Done, Move, Read, SeekTo, Session, Source, ToEngine, protocol,
};
use watchglass_engine::world::World;

/// Generates a line as a person might type it: correct, refused by etcd, or not parseable.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(&["a", "b", "/c", "/c/d"][..]);
    prop_oneof![
        6 => (key.clone(), 0..9).prop_map(|(k, v)| format!("put {k} {v}")),
        2 => key.clone().prop_map(|k| format!("del {k} --prefix")),
        2 => (key.clone(), -1..40).prop_map(|(k, rev)| format!("get {k} --rev={rev}")),
        2 => (1..60).prop_map(|rev| format!("compact {rev}")),
        1 => (1..60).prop_map(|rev| format!("compact {rev} --physical")),
        1 => key.prop_map(|k| format!("txn\nversion(\"{k}\") > \"1\"\n\nput {k} t\nput t {k}\n\ndel t\n")),
        1 => (1..30).prop_map(|ms| format!("run {ms}ms")),
        1 => Just("endpoint hashkv".to_owned()),
        1 => Just("for i in {1..90}; do put loop/$i $i; done".to_owned()),
        1 => Just("for i in {1..90}; do put once $i; done".to_owned()),
        1 => Just("putt a".to_owned()),
    ]
}

fn script() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), 1..40)
}

fn session(profile: usize) -> Session {
    Session::new(Config {
        profile: PROFILES[profile],
        ..Config::default()
    })
}

/// Runs the script from start to end. Returns the session and, for each command, the step at which the command ended
/// and the world's digest at this step.
fn straight(profile: usize, script: &[String]) -> (Session, BTreeMap<u64, u64>) {
    let mut session = session(profile);
    let mut digests = BTreeMap::from([(0, session.world().digest())]);
    for line in script {
        session.exec(line);
        digests.insert(session.run().len(), session.world().digest());
    }
    (session, digests)
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn a_run_made_again_is_the_same(script in script(), profile in 0..2_usize) {
        let (first, digests) = straight(profile, &script);
        let (second, again) = straight(profile, &script);
        prop_assert_eq!(&digests, &again);
        prop_assert_eq!(first.run().replayed().digest(), second.world().digest());
        let events = |s: &Session| {
            let steps = 1..=s.run().len();
            steps.flat_map(|step| s.run().events(step).to_vec()).collect::<Vec<_>>()
        };
        prop_assert_eq!(events(&first), events(&second));
    }

    #[test]
    fn any_step_can_be_stood_in(
        script in script(),
        profile in 0..2_usize,
        window in any::<prop::sample::Index>(),
        jumps in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
    ) {
        let (mut session, digests) = straight(profile, &script);
        let len = session.run().len();
        for (step, expected) in digests.iter().rev() {
            session.seek(SeekTo::Step(*step));
            prop_assert_eq!(session.world().digest(), *expected, "at step {}", step);
        }
        // Visits a stretch of steps in order, and then the same steps in any order: the order of seeks must not matter.
        let first = window.index(len as usize + 1) as u64;
        let mut stretch = Vec::new();
        for step in first..=len.min(first + 40) {
            session.seek(SeekTo::Step(step));
            prop_assert_eq!(session.world().steps(), step);
            stretch.push(session.world().digest());
        }
        for jump in jumps {
            session.seek(SeekTo::Step(0));
            let i = jump.index(stretch.len());
            session.seek(SeekTo::Step(first + i as u64));
            prop_assert_eq!(session.world().digest(), stretch[i], "at step {}", first + i as u64);
        }
    }

    #[test]
    fn what_was_saved_loads_as_it_was(script in script(), profile in 0..2_usize) {
        let (mut first, _) = straight(profile, &script);
        let saved = answer_text(&mut first, ToEngine::Request(1, protocol::Request::Read(Read::Save)));
        let mut second = Session::default();
        let done = second.load(Source::Saved(saved), SeekTo::End);
        prop_assert!(matches!(done, Done::Loaded { .. }), "{:?}", done);
        prop_assert_eq!(second.world().digest(), first.world().digest());
    }

    #[test]
    fn a_branch_leaves_the_run_it_left(
        script in script(),
        other in script(),
        back in any::<prop::sample::Index>(),
    ) {
        let (mut session, digests) = straight(0, &script);
        let len = session.run().len();
        let step = back.index(len as usize + 1) as u64;
        session.seek(SeekTo::Step(step));
        let there = session.world().digest();
        for line in &other {
            session.exec(line);
        }
        session.seek(SeekTo::Step(step));
        prop_assert_eq!(session.world().digest(), there);
        session.handle(ToEngine::Request(1, protocol::Request::Move(Move::ToBranch(0))), &mut Vec::new());
        session.seek(SeekTo::Step(len));
        prop_assert_eq!(session.run().len() >= len, true);
        prop_assert_eq!(session.world().digest(), digests[&len]);
    }
}

/// In a long run, the session drops some of its stored copies of the world. It must still restore the world at each
/// step.
#[test]
fn a_long_run_has_the_same_past() {
    let mut session = session(1);
    let mut digests = Vec::new();
    for round in 0..9 {
        let done = session.exec(&format!("for i in {{1..2000}}; do put k$i {round}; done"));
        assert_eq!(done.exit, 0, "{}", done.stderr);
        digests.push((session.run().len(), session.world().digest()));
    }
    assert!(session.run().len() > 64 * 256, "no world was thinned out");
    for (step, digest) in digests.into_iter().rev() {
        session.seek(SeekTo::Step(step));
        assert_eq!(session.world().digest(), digest, "at step {step}");
    }
}

fn world_after(requests: &[Arc<Request>], with_trace: bool) -> (Vec<u64>, u64) {
    let mut world = World::new(Config::default());
    let mut digests = Vec::new();
    let mut events = 0;
    for request in requests {
        world.submit(request.clone());
        world.sleep(SimDuration::from_millis(3));
        loop {
            let stepped = if with_trace {
                world.step(&mut |_| events += 1)
            } else {
                world.step_untraced()
            };
            if !stepped {
                break;
            }
            digests.push(world.digest());
        }
    }
    (digests, events)
}

#[test]
fn what_is_on_its_way_is_part_of_the_digest() {
    let typed = |value: &str| {
        let mut world = World::new(Config::default());
        world.submit(Arc::new(Request::Put(PutRequest {
            key: "/a".into(),
            value: value.into(),
            ..PutRequest::default()
        })));
        world.digest()
    };
    assert_eq!(typed("1"), typed("1"));
    assert_ne!(typed("1"), typed("2"));
}

#[test]
fn a_trace_changes_nothing() {
    let mut requests: Vec<Request> = Vec::new();
    for i in 0..1500 {
        let (key, value) = (format!("k{}", i % 7).into(), format!("{i}").into());
        requests.push(Request::Put(PutRequest {
            key,
            value,
            ..PutRequest::default()
        }));
        if i % 100 == 99 {
            let key = format!("k{}", i % 5).into();
            requests.push(Request::DeleteRange(DeleteRangeRequest {
                key,
                ..Default::default()
            }));
        }
        if i == 1400 {
            requests.push(Request::Compact(CompactionRequest {
                revision: 1300,
                physical: true,
            }));
        }
    }
    let requests: Vec<Arc<Request>> = requests.into_iter().map(Arc::new).collect();
    let (with, events) = world_after(&requests, true);
    let (without, _) = world_after(&requests, false);
    assert!(events > with.len() as u64, "a step has events");
    assert_eq!(with, without);
}
