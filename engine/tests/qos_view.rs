//! The QoS view at the cursor: the comparison of the rules with the newest request, and the levels, queues and
//! counters.

use crate::support::session_after;
use watchglass_engine::api::Profile;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Notification, SeekTo, ToEngine};
use watchglass_engine::view::qos::{
    Discipline, QosClassView, QosCounts, QosVerdict, RequestOutcome,
};
use watchglass_engine::view::{QosView, Queries};

fn view(session: &mut Session) -> QosView {
    let queries = Queries {
        qos: Some(Box::default()),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    *session.views().qos.expect("the view was requested")
}

fn class<'a>(view: &'a QosView, name: &str) -> &'a QosClassView {
    let mut classes = view.classes.iter();
    classes.find(|class| class.name == name).expect("a class")
}

#[test]
fn the_view_is_empty_while_qos_is_off() {
    let mut session = session_after(Profile::V3_6, &["put a 1"]);
    let off = view(&mut session);
    assert!(!off.is_on && off.classes.is_empty());
    assert_eq!(off.storage[2], 2_147_483_648);
}

#[test]
fn each_rule_is_compared_with_the_newest_request() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add two --qdisc-kind tbf --qps 0.001 --burst 2",
            "qos rule add puts --class two --priority 20 --ops Put --group-by user",
            "qos rule add keys --class two --priority 9 --ops Put --prefix /a/",
            "qos rule add alice --class two --priority 8 --ops Put --prefix /b/ --user alice",
        ],
    );
    let before = view(&mut session);
    assert!(before.newest.is_none());
    let none = |view: &QosView| view.rules.iter().all(|r| r.verdict == QosVerdict::None);
    assert!(none(&before));
    for line in ["put /a/1 x", "put /a/2 x", "put /a/3 x"] {
        session.exec(line);
    }
    let after = view(&mut session);
    let verdicts: Vec<(&str, &QosVerdict)> = after
        .rules
        .iter()
        .map(|rule| (&*rule.name, &rule.verdict))
        .collect();
    let mismatch = |reason: &str| QosVerdict::Mismatch(["no match: ", reason].concat());
    assert_eq!(
        verdicts,
        [
            ("puts", &QosVerdict::Wins),
            ("rule-slowlog", &mismatch("the operation differs")),
            ("keys", &QosVerdict::Unused),
            ("alice", &mismatch("the caller differs")),
        ]
    );
    let newest = after.newest.as_ref().expect("a request");
    assert_eq!(
        (&*newest.operation, newest.outcome),
        ("Put /a/3", RequestOutcome::Limited)
    );
    let two = class(&after, "two");
    assert_eq!(
        (two.discipline, two.level.level),
        (Discipline::TokenBucket, 0)
    );
    let counts = QosCounts {
        admitted: 2,
        limited: 1,
        ..QosCounts::default()
    };
    assert_eq!((two.counts, after.rules[0].counts), (counts, counts));
    assert_eq!(two.latencies.iter().sum::<u64>(), 2);
    assert_eq!(after.requests.len(), 3);
    assert_eq!(after.marks.len(), 3);

    // The view shows the state at the cursor, which can be in the past.
    session.seek(SeekTo::Step(2));
    let past = view(&mut session);
    assert!(past.is_on && past.rules.len() < 4 && none(&past));
}

#[test]
fn delayed_requests_wait_in_their_class() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add slow --qdisc-kind lbf --qps 2 --queue 3",
            "qos rule add slow --class slow --priority 9 --ops Put --prefix /a/",
            "load writer /a/ --puts=40",
            "run 3s",
        ],
    );
    let view = view(&mut session);
    let slow = class(&view, "slow");
    assert_eq!((slow.level.max, slow.queue), (4, 3));
    assert!((2..=3).contains(&slow.waiting), "{}", slow.waiting);
    assert!(slow.next_us.is_some_and(|us| us <= 500_000));
    assert!(slow.counts.limited > 50);
    let delayed = view
        .marks
        .iter()
        .filter(|m| m.outcome == RequestOutcome::Delayed);
    assert!(delayed.clone().count() >= 3);
    assert!(delayed.clone().all(|mark| mark.wait_us > 0));
    let index = view.classes.iter().position(|class| class.name == "slow");
    assert!(
        delayed
            .clone()
            .all(|m| m.class == index.map(|at| at as u32))
    );
}

#[test]
fn a_request_stays_on_the_lane_of_the_class_that_it_had() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add one --qdisc-kind tbf --qps 0.001 --burst 1",
            "qos class add two --qdisc-kind tbf --qps 0.001 --burst 1",
            "qos rule add puts --class one --priority 20 --ops Put",
            "put /a/1 x",
            "qos rule update puts --class two --priority 20 --ops Put",
            "put /a/2 x",
        ],
    );
    let view = view(&mut session);
    let lanes = view.marks.iter().map(|mark| mark.class.expect("a class"));
    let lanes: Vec<&str> = lanes
        .map(|lane| view.classes[lane as usize].name.as_str())
        .collect();
    assert_eq!(lanes, ["one", "two"]);
}
