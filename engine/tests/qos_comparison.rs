//! The comparison of a run with and without the QoS rules.

use crate::support::session_after;
use watchglass_engine::api::Profile;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Act, Done, FromEngine, Notification, Request, SeekTo, Source, ToEngine,
};
use watchglass_engine::view::QosComparisonView;
use watchglass_engine::view::qos::comparison::{QosClassOutcome, QosSideView};

fn done(out: &[FromEngine], wanted: u32) -> Option<&Done> {
    out.iter().find_map(|message| match message {
        FromEngine::Done { id, done } if *id == wanted => Some(done),
        _ => None,
    })
}

fn compare(session: &mut Session) -> QosComparisonView {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(7, Request::CompareQos), &mut out);
    while session.pump(1_000, &mut out) {}
    match done(&out, 7) {
        Some(Done::Qos(view)) => (**view).clone(),
        other => panic!("{other:?}"),
    }
}

fn class<'a>(side: &'a QosSideView, name: &str) -> &'a QosClassOutcome {
    let found = side.classes.iter().find(|class| class.name == name);
    found.unwrap_or_else(|| panic!("{name} in {side:?}"))
}

/// The first example of the proposal: the rule slows events when 90 % of the quota is used.
const EXAMPLE_ONE: [&str; 7] = [
    "set quota-backend-bytes 4MiB",
    "set experimental-enable-qos 1",
    "set qos-quota-basis 1",
    "qos class add event --qdisc-kind lbf --qps 2",
    "qos rule add rule-event --class event --priority 9 --prefix /registry/events --ops Put \
     --condition 'PercentOfStorageQuotaUsed>0.9'",
    "load events /registry/events/ --puts=50 --size=10kB",
    "run 12s",
];

#[test]
fn without_its_rule_the_first_example_ends_in_the_quota_alarm() {
    let mut session = session_after(Profile::V3_6, &EXAMPLE_ONE);
    let before = session.run().replayed();
    let view = compare(&mut session);
    let [with, without] = &view.sides;
    assert_eq!(with.no_space_us, None);
    assert!(!with.has_no_space && without.has_no_space);
    let raised = without.no_space_us.expect("an alarm");
    assert!((5_000_000..12_000_000).contains(&raised), "{raised}");
    assert!(with.limited > 200, "{with:?}");
    assert_eq!(without.limited, 0);
    let events = class(without, "event");
    assert!(events.failed > 100 && events.succeeded < 60, "{events:?}");
    assert_eq!(class(with, "event").failed, 0);
    // The run itself is not affected.
    assert_eq!(session.run().replayed().digest(), before.digest());
    assert_eq!(view.time_us, session.world().now().0);
}

/// The second example of the proposal, with memory: lists of many keys make etcd run out of memory.
#[test]
fn without_its_rule_the_second_example_ends_out_of_memory() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "populate --nodes=20 --pods=30 --size=50kB",
            "cost kep-2340 etcd-memory=1GB",
            "set experimental-enable-qos 1",
            "qos class add lists --qdisc-kind tbf --qps 3 --burst 4",
            "qos rule add lists --class lists --priority 20 --ops Range --condition 'ScanKeyNum>500'",
            "load readers /registry/pods/ --ranges=60",
            "run 20s",
        ],
    );
    let view = compare(&mut session);
    let [with, without] = &view.sides;
    assert_eq!((with.kills, with.killed_us), (0, None));
    assert!(without.kills >= 1, "{without:?}");
    assert!(without.killed_us.is_some_and(|at| at < 20_000_000));
    // The responses before the process was killed are counted, too.
    let lists = class(without, "lists");
    let bins: u64 = lists.latencies.iter().sum();
    assert_eq!(bins, lists.succeeded + lists.failed);
    assert!(class(with, "lists").succeeded > 0);
    assert!(
        lists.failed > 0,
        "stopped, because the client has gone: {lists:?}"
    );
    assert!(class(with, "lists").unanswered < 10, "{with:?}");
}

#[test]
fn both_runs_are_equal_if_no_rule_limits_a_request() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "load writer /a/ --puts=40",
            "load reader /a/ --ranges=40",
            "run 3s",
            "put /b x",
            "get /a/ --prefix --limit 1 --keys-only",
            "run 2s",
            "put /c x; get /c",
        ],
    );
    let view = compare(&mut session);
    assert_eq!(view.sides[0], view.sides[1]);
    assert!(class(&view.sides[0], "").succeeded > 350, "{view:?}");
}

#[test]
fn the_comparison_ends_at_the_cursor() {
    let mut session = session_after(Profile::V3_6, &EXAMPLE_ONE);
    session.seek(SeekTo::TimeUs(3_000_000));
    let view = compare(&mut session);
    assert_eq!(view.step, session.cursor());
    assert!(view.time_us <= 3_000_000);
    assert_eq!(view.sides[1].no_space_us, None);
    session.seek(SeekTo::Step(0));
    let start = compare(&mut session);
    assert_eq!((start.step, start.time_us), (0, 0));
    assert!(start.sides[0].classes.is_empty());
}

/// The session handles messages while a comparison runs, and the comparison can be canceled.
#[test]
fn the_comparison_yields_to_other_work_and_can_be_canceled() {
    let mut session = session_after(Profile::V3_6, &EXAMPLE_ONE);
    let mut out = Vec::new();
    session.handle(ToEngine::Request(1, Request::CompareQos), &mut out);
    assert!(session.pump(5, &mut out));
    let progress = out.iter().rev().find_map(|message| match message {
        FromEngine::Progress {
            id: 1, done, total, ..
        } => Some((*done, *total)),
        _ => None,
    });
    let (part, all) = progress.expect("progress");
    assert!(part < all && all == 2 * session.world().now().0);
    let act = Act::Type("put /a 1".into());
    session.handle(ToEngine::Request(3, Request::Act(act)), &mut out);
    while done(&out, 3).is_none() {
        assert!(session.pump(1, &mut out));
    }
    assert_eq!(done(&out, 1), None);
    session.handle(ToEngine::Request(2, Request::CompareQos), &mut out);
    assert_eq!(done(&out, 1), Some(&Done::Interrupted));
    session.handle(
        ToEngine::Notification(Notification::StopBackground),
        &mut out,
    );
    assert_eq!(done(&out, 2), Some(&Done::Interrupted));
    assert!(!session.pump(5, &mut out));
}

#[test]
fn the_published_examples_fail_without_their_rules() {
    let compared = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/behaviour/");
        let path = format!("{folder}{name}.txt");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut session = Session::default();
        let done = session.load(Source::Text(text), SeekTo::End);
        assert!(matches!(done, Done::Loaded { .. }), "{done:?}");
        compare(&mut session)
    };
    let [with, without] = compared("qos/example_one_slows_events_when_the_database_fills").sides;
    assert_eq!(with.no_space_us, None);
    assert!(without.no_space_us.is_some(), "{without:?}");
    let [with, without] = compared("qos/a_rule_saves_etcd_from_running_out_of_memory").sides;
    assert_eq!(with.kills, 3, "before the rule");
    assert!(without.kills > 3, "{without:?}");
    // In a cluster, without the rule, the leader ends earlier.
    let [with, without] = compared("cluster/an_overload_ends_the_term_of_a_leader").sides;
    assert_eq!(with.kills, 1, "after the rule was deleted");
    assert!(without.kills > 1 && without.killed_us < with.killed_us);
}
