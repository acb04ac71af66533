//! Tests of the texts of the QoS view.

use watchglass_engine::view::qos::comparison::{QosClassOutcome, QosSideView};
use watchglass_engine::view::{QosComparisonView, QosView};

use super::comparison::compared_classes;
use super::fixture;
use crate::words::qos as words;

#[test]
fn in_words() {
    let view = fixture::busy();
    assert_eq!(
        words::figure(&view),
        "QoS, a proposal. Requests: 76 without a rule, 41 admitted, 6 delayed, 29 limited. \
         Class event: leaky bucket, 2 of 3 in the bucket, 1 waiting, next in 472 ms, 1 admitted, 6 delayed, \
         4 limited. Class slow-query: token bucket, 0 of 12 tokens, 40 admitted, 25 limited."
    );
    let verdicts: Vec<String> = view
        .rules
        .iter()
        .map(|rule| words::verdict(&rule.verdict))
        .collect();
    assert_eq!(
        verdicts,
        [
            "matches and decides",
            "no match: the operation differs",
            "matches, but a higher priority decides"
        ]
    );
    assert_eq!(
        words::storage(&view),
        "pages in use 91 % of the quota, 3.6 MB of 4 MB"
    );
    assert_eq!(
        words::latencies(&view.classes[1].latencies),
        "30 up to 1 ms, 10 up to 10 ms"
    );
    assert_eq!(words::figure(&QosView::default()), "QoS is off.");
}

#[test]
fn the_conclusion_names_what_the_rules_prevent() {
    let mut view = QosComparisonView::default();
    assert_eq!(
        words::conclusion(&view),
        "The rules changed nothing, so both runs are equal."
    );
    view.sides[0].limited = 246;
    assert!(words::conclusion(&view).starts_with("The rules refuse 246 requests."));
    let without = &mut view.sides[1];
    (without.no_space_us, without.has_no_space) = (Some(8_132_000), true);
    without.storage = [3_700_000, 4_200_000, 4_200_000];
    assert_eq!(
        words::conclusion(&view),
        "Without the rules, the database exceeds its quota after 8.1 s, and etcd refuses writes. With the \
         rules, etcd accepts writes until the end."
    );
    assert_eq!(
        words::quota(&view.sides[1]),
        "NOSPACE after 8.1 s, file 4 MB of 4 MB"
    );
    assert_eq!(words::quota(&view.sides[0]), "no alarm, file 0 B of 0 B");
    view.sides[0].no_space_us = Some(9_000_000);
    assert!(words::conclusion(&view).contains("after 9 s with the rules, after 8.1 s without"));
    view.sides = [QosSideView::default(), QosSideView::default()];
    (view.sides[1].kills, view.sides[1].killed_us) = (3, Some(1_500_000));
    assert_eq!(
        words::conclusion(&view),
        "Without the rules, etcd runs out of memory 3 times. With the rules, the memory is sufficient."
    );
    assert_eq!(
        words::memory(&view.sides[1]),
        "killed 3 times: out of memory, first after 1.5 s"
    );
    assert_eq!(words::memory(&view.sides[0]), "not killed");
    view.sides[0].kills = 1;
    assert!(words::conclusion(&view).ends_with("3 times; with the rules, once."));
    view.sides.swap(0, 1);
    assert_eq!(
        words::conclusion(&view),
        "With the rules, etcd runs out of memory 3 times; without the rules, once."
    );
}

#[test]
fn a_class_of_one_run_is_a_row_of_both() {
    let class = |name: &str, succeeded, failed| QosClassOutcome {
        name: name.to_owned(),
        succeeded,
        failed,
        ..QosClassOutcome::default()
    };
    let mut view = QosComparisonView::default();
    view.sides[0].classes = vec![class("", 5, 0), class("event", 12, 0)];
    view.sides[1].classes = vec![class("", 5, 2), class("lists", 1, 0)];
    view.sides[1].classes[0].unanswered = 4;
    assert_eq!(compared_classes(&view), ["", "event", "lists"]);
    assert_eq!(
        words::class_outcome(&view.sides[1].classes[0]),
        "5 succeeded, 2 failed, 4 without a response"
    );
}
