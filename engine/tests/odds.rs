//! Tests of the repetitions of a run: how often an ending occurs from a step on.

use crate::support::session_after;
use watchglass_engine::api::Profile;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Act, Done, FromEngine, Notification, Request, SeekTo, Source, ToEngine,
};
use watchglass_engine::view::odds::{Ending, OddsView};

fn ask(session: &mut Session, request: Request) -> Done {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(9, request), &mut out);
    while session.pump(1_000, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { id: 9, done } => Some(done),
        _ => None,
    });
    done.expect("a response")
}

fn repeat(
    session: &mut Session,
    ending: &Ending,
    step: u64,
    seeds: std::ops::Range<u64>,
    leaves_out: bool,
) -> OddsView {
    let request = Request::Repeat {
        ending: ending.clone(),
        step,
        until: session.run().len(),
        seeds,
        leaves_out,
    };
    match ask(session, request) {
        Done::Odds(view) => *view,
        other => panic!("{other:?}"),
    }
}

fn endings(session: &mut Session, condition: Option<&str>) -> Vec<(Ending, u64)> {
    let condition = condition.map(Into::into);
    match ask(session, Request::SearchEndings { condition }) {
        Done::Endings(view) => view.found,
        other => panic!("{other:?}"),
    }
}

fn behaviour(name: &str) -> Session {
    let path = format!("{}/tests/behaviour/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a behaviour file");
    let mut session = Session::default();
    session.load(Source::Text(text), SeekTo::End);
    session
}

/// A watch whose link loses one message in three. A lost message arrives 200 ms later.
const LOSSES: [&str; 4] = [
    "watch a as w1",
    "net w1 down loss 1/3",
    "put a 1",
    "run 100ms",
];

/// Returns the number of steps before the store reaches a revision.
fn steps_before(session: &Session, revision: i64) -> u64 {
    let steps = session.run().steps().iter();
    steps.take_while(|step| step.revision < revision).count() as u64
}

/// The event has not arrived when the run ends.
fn is_late() -> Ending {
    Ending::Condition("store.time_ms > 100 and watch(\"w1\").events.len == 0".into())
}

#[test]
fn the_share_of_replays_is_the_probability_of_a_loss() {
    let mut outside = 0;
    let mut session = session_after(Profile::V3_6, &LOSSES);
    let put = steps_before(&session, 2);
    for hundred in 0..100 {
        let view = repeat(
            &mut session,
            &is_late(),
            put - 1,
            hundred * 60..hundred * 60 + 60,
            false,
        );
        assert_eq!((view.step, view.replays, view.stopped), (put - 1, 60, 0));
        // 99 % of the counts of a binomial distribution with 60 draws and the probability 1/3 are in this interval.
        outside += u32::from(!(11..=30).contains(&view.hits));
    }
    assert!(
        outside <= 5,
        "{outside} of 100 counts are outside the interval"
    );
}

#[test]
fn after_the_message_is_sent_the_ending_is_certain() {
    let mut session = session_after(Profile::V3_6, &LOSSES);
    let put = steps_before(&session, 2) + 1;
    let hits = |session: &mut Session, step| repeat(session, &is_late(), step, 0..20, false).hits;
    assert!((1..20).contains(&hits(&mut session, put - 1)));
    assert!(
        [0, 20].contains(&hits(&mut session, put)),
        "the loss is decided when the event is sent"
    );
}

#[test]
fn an_avoided_ending_can_be_opened_as_a_branch() {
    let mut session = behaviour("cache/a_stale_list_runs_a_pod_twice");
    let found = endings(&mut session, None);
    let [(Ending::TwoContainers, first)] = found[..] else {
        panic!("{found:?}");
    };
    let view = repeat(&mut session, &Ending::TwoContainers, first - 1, 1..11, true);
    assert_eq!((view.hits, view.replays), (10, 10));
    let start = session.run().steps().iter().position(|step| {
        session
            .run()
            .scrollback()
            .line(step.line)
            .text
            .starts_with("start kubelet-node-1")
    });
    let before = start.expect("the command") as u64;
    let view = repeat(&mut session, &Ending::TwoContainers, before, 1..21, true);
    assert_eq!(view.next.1, "start kubelet-node-1");
    assert!((1..20).contains(&view.hits), "{view:?}");
    session.seek(SeekTo::Step(view.step));
    assert!(
        session
            .exec(&view.avoided.expect("a replay without the ending"))
            .branched
    );
    assert_eq!(endings(&mut session, None), []);
}

#[test]
fn a_replay_can_begin_in_the_middle_of_a_wait() {
    let mut session = session_after(
        Profile::V3_6,
        &["watch a --progress-notify as w1", "run 2s", "put a 1"],
    );
    let end = session.run().head().now();
    let at_end = format!("store.time_ms >= {} and store.rev == 2", end.0 / 1000);
    let view = repeat(&mut session, &Ending::Condition(at_end), 3, 0..2, false);
    assert_eq!((view.step, view.hits, view.replays), (3, 2, 2), "{view:?}");
    assert_eq!(view.next.1, "run 2s");
}

#[test]
fn a_condition_is_found_where_it_first_holds() {
    let mut session = session_after(Profile::V3_6, &["put a 1", "put a 2", "del a"]);
    let found = endings(&mut session, Some("store.rev == 3"));
    let third = steps_before(&session, 3) + 1;
    assert_eq!(found, [(Ending::Condition("store.rev == 3".into()), third)]);
    let refused = ask(
        &mut session,
        Request::SearchEndings {
            condition: Some("store.revision == 3".into()),
        },
    );
    let Done::Refused { message } = refused else {
        panic!("{refused:?}");
    };
    assert!(
        message.contains("`store` has no field `revision`"),
        "{message}"
    );
}

#[test]
fn other_work_does_not_wait_and_a_load_ends_the_replays() {
    let mut session = session_after(Profile::V3_6, &LOSSES);
    let run = session.run().replayed();
    let repeat = |ids: u32| {
        let request = Request::Repeat {
            ending: is_late(),
            step: 0,
            until: u64::MAX,
            seeds: 0..1_000_000,
            leaves_out: true,
        };
        ToEngine::Request(ids, request)
    };
    let mut out = Vec::new();
    session.handle(repeat(1), &mut out);
    session.pump(1_000, &mut out);
    session.handle(
        ToEngine::Notification(Notification::StopBackground),
        &mut out,
    );
    session.handle(repeat(2), &mut out);
    session.pump(1_000, &mut out);
    session.handle(
        ToEngine::Request(3, Request::Act(Act::Type("put b 1".into()))),
        &mut out,
    );
    session.handle(ToEngine::Request(4, Request::Act(Act::Undo)), &mut out);
    while session.pump(1_000, &mut out) {}
    let ended = |id: u32| {
        let interrupted = FromEngine::Done {
            id,
            done: Done::Interrupted,
        };
        let is_ended = |message: &&FromEngine| **message == interrupted;
        out.iter().filter(is_ended).count()
    };
    assert_eq!([1, 2].map(ended), [1, 1]);
    assert_eq!(
        format!("{:?}", session.run().replayed()),
        format!("{run:?}")
    );
}

#[test]
fn a_load_that_waited_for_its_text_ends_the_replays() {
    let mut session = session_after(Profile::V3_6, &LOSSES);
    session.forget_texts();
    let load = Request::Load {
        source: Source::Lesson("L01".into()),
        at: SeekTo::End,
    };
    let repeat = Request::Repeat {
        ending: is_late(),
        step: session.run().len(),
        until: u64::MAX,
        seeds: 0..1_000_000,
        leaves_out: false,
    };
    let mut out = Vec::new();
    session.handle(ToEngine::Request(1, load), &mut out);
    session.handle(ToEngine::Request(2, repeat), &mut out);
    session.pump(1_000, &mut out);
    let wanted = out.iter().find_map(|message| match message {
        FromEngine::Wants { name } => Some(name.clone()),
        _ => None,
    });
    let text = Notification::Text {
        name: wanted.expect("the lesson has no text yet"),
        text: Some(include_str!("../src/scenario/lessons/L01.txt").into()),
    };
    session.handle(ToEngine::Notification(text), &mut out);
    while session.pump(1_000, &mut out) {}
    assert!(
        out.iter().any(|message| matches!(
            message,
            FromEngine::Done {
                id: 2,
                done: Done::Interrupted
            }
        )),
        "the load must end the replays of the run that it replaces"
    );
}

#[test]
fn reseed_changes_only_what_is_drawn_later() {
    let run = |seed: &str| {
        let session = session_after(
            Profile::V3_6,
            &[
                "world members=3 seed=7",
                "run 3s",
                seed,
                "stop etcd-1",
                "run 5s",
            ],
        );
        let steps: Vec<_> = session
            .run()
            .steps()
            .iter()
            .map(|step| (step.at, step.revision))
            .collect();
        (steps, session.run().replayed())
    };
    let (first, replayed) = run("reseed 1");
    assert_eq!(first, run("reseed 1").0);
    assert_eq!(replayed.steps(), first.len() as u64);
    let others = (2..6)
        .filter(|seed| run(&format!("reseed {seed}")).0 != first)
        .count();
    assert!(others >= 3, "other seeds lead to other elections");
}

#[test]
fn a_delayed_message_delays_the_later_messages_of_its_connection() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "watch a as w1",
            "watch a as w2",
            "net w1 down delay 50ms",
            "put a 1",
            "put a 2",
        ],
    );
    let refused = session.exec("delay 1 200ms");
    assert_eq!(refused.exit, 1);
    assert!(
        refused.stderr.contains("message 1 is not on its way"),
        "{}",
        refused.stderr
    );
    let last = session.run().recording().len();
    let number = (1..last).find(|number| session.exec(&format!("delay {number} 200ms")).exit == 0);
    assert!(number.is_some(), "two responses to w1 are on their way");
    session.exec("run 100ms");
    assert_eq!(session.exec("recv w2").stdout, "PUT\na\n1\nPUT\na\n2\n");
    assert_eq!(watch_events(&mut session), "", "both responses wait");
    session.exec("run 160ms");
    assert_eq!(watch_events(&mut session), "PUT\na\n1\nPUT\na\n2\n");
    assert_eq!(session.run().replayed().now(), session.world().now());
}

/// Returns the events that have arrived, without waiting for others.
fn watch_events(session: &mut Session) -> String {
    let step = session.cursor();
    let unread = session.run().unread("w1", step).expect("a watch");
    let count: usize = unread
        .iter()
        .map(|delivery| delivery.response.events.len())
        .sum();
    match count {
        0 => String::new(),
        _ => session.exec("recv w1").stdout,
    }
}

/// Returns the command before which the ending can be avoided for the last time. Halves the run until the last step
/// from which a replay avoids the ending is next to the first step from which none does.
fn cliff(session: &mut Session, ending: &Ending, first: u64) -> String {
    let mut last = repeat(session, ending, 0, 1..11, true);
    let (mut low, mut high) = (last.step, first);
    while high > low + 1 {
        let middle = low + (high - low) / 2;
        let view = repeat(session, ending, middle, 1..11, true);
        match view.hits < view.replays {
            true => (last, low) = (view, middle),
            // Replays begin before a command that sends requests at `middle`.
            false => high = view.step.max(low),
        }
    }
    let (_, command) = last.next;
    command.lines().next().unwrap_or_default().to_owned()
}

/// In the runs of etcd#17529, etcd#20281 and etcd#20693, the guarantee breaks when the next event arrives. In the other
/// runs, the command at the cliff is the one whose handling the fix changes.
#[test]
fn the_cliff_of_a_run_of_the_museum_is_at_its_decisive_command() {
    for (name, ending, command) in [
        (
            "etcd_15220",
            Ending::BrokenGuarantee,
            "kubectl get pods -o name",
        ),
        ("etcd_15274", Ending::BrokenGuarantee, "connect w1"),
        ("etcd_17529", Ending::BrokenGuarantee, "put /a 4"),
        (
            "etcd_18089",
            Ending::BrokenGuarantee,
            "watch a --rev=4 as w1",
        ),
        ("etcd_18667", Ending::DivergedMembers, "txn"),
        ("etcd_20281", Ending::BrokenGuarantee, "put /a 1"),
        ("etcd_20693", Ending::BrokenGuarantee, "put /a 2"),
        (
            "kubernetes_59848",
            Ending::TwoContainers,
            "start kubelet-node-1",
        ),
        (
            "enhancements_5647",
            Ending::RepeatedCreate,
            "kubectl delete pod web-1",
        ),
    ] {
        let mut session = behaviour(&["museum/", name].concat());
        let found = endings(&mut session, None);
        let first = found.iter().find(|(one, _)| *one == ending);
        let (_, first) = first.unwrap_or_else(|| panic!("{name}: {found:?}"));
        assert_eq!(cliff(&mut session, &ending, *first), command, "{name}");
        let mut fixed = behaviour(&["museum/", name, "_fixed"].concat());
        let found = endings(&mut fixed, None);
        assert!(
            found.iter().all(|(one, _)| *one != ending),
            "{name}: {found:?}"
        );
    }
}
