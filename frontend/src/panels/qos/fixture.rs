//! A fixed view for the tests of the QoS view.

use watchglass_engine::view::QosView;
use watchglass_engine::view::qos::{
    Discipline, QosClassView, QosCounts, QosLevel, QosMark, QosRuleView, QosVerdict, RequestOutcome,
};

fn counts(admitted: u64, delayed: u64, limited: u64) -> QosCounts {
    QosCounts {
        admitted,
        delayed,
        limited,
        ..QosCounts::default()
    }
}

fn rule(name: &str, priority: u32, verdict: QosVerdict) -> QosRuleView {
    QosRuleView {
        name: name.to_owned(),
        class: "slow-query".to_owned(),
        priority,
        verdict,
        ..QosRuleView::default()
    }
}

/// Returns a view of two classes, of three rules with different verdicts on the newest request, and of one request for
/// each outcome.
pub(super) fn busy() -> QosView {
    let class = |name: &str, discipline, level, max| QosClassView {
        name: name.to_owned(),
        discipline,
        level: QosLevel {
            level,
            max,
            ..QosLevel::default()
        },
        ..QosClassView::default()
    };
    let mut event = class("event", Discipline::LeakyBucket, 2, 3);
    (event.waiting, event.queue, event.next_us) = (1, 2, Some(472_000));
    event.counts = counts(1, 6, 4);
    let mut slow = class("slow-query", Discipline::TokenBucket, 0, 12);
    slow.counts = counts(40, 0, 25);
    slow.latencies = [30, 10, 0, 0, 0, 0];
    let mark = |at_us, class, outcome, wait_us| QosMark {
        at_us,
        wait_us,
        class,
        outcome,
    };
    QosView {
        is_on: true,
        now_us: 11_382_000,
        storage: [3_827_000, 4_000_000, 4 << 20],
        classes: vec![event, slow],
        rules: vec![
            rule("rule-slowlog", 10, QosVerdict::Wins),
            rule(
                "rule-event",
                9,
                QosVerdict::Mismatch("no match: the operation differs".to_owned()),
            ),
            rule("rule-pods", 7, QosVerdict::Unused),
        ],
        counts: QosCounts {
            bypassed: 76,
            ..counts(41, 6, 29)
        },
        marks: vec![
            mark(9_382_000, None, RequestOutcome::Bypassed, 0),
            mark(10_382_000, Some(0), RequestOutcome::Delayed, 500_000),
            mark(11_000_000, Some(1), RequestOutcome::Admitted, 0),
            mark(11_382_000, Some(1), RequestOutcome::Limited, 0),
        ],
        ..QosView::default()
    }
}
