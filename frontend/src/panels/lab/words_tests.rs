//! Tests of the texts of the Lab.

use watchglass_engine::session::latency::lab::{FromLab, Lab, ToLab};
use watchglass_engine::session::latency::{LabSetting, Scheme, SimDuration};

use super::rows::within_round_trip;
use crate::words::lab::{comparison, duration_us, finding, fixed, ms, rate};

#[test]
fn numbers_have_the_digits_that_matter() {
    assert_eq!(ms(91_000), "0.09");
    assert_eq!(ms(1_490_000), "1.49");
    assert_eq!(ms(125_040_000), "125.0");
    assert_eq!(ms(300_000_000_000), "300,000");
    assert_eq!(duration_us(250_000), "250 ms");
    assert_eq!(duration_us(600_000_000), "10 min");
    assert_eq!(duration_us(500), "0.5 ms");
    assert_eq!(rate(100), "0.1 /s");
    assert_eq!(rate(10_000), "10 /s");
    assert_eq!(fixed(1_005, 2), "10.05");
}

#[test]
fn the_headline_says_what_the_report_has() {
    assert_eq!(finding(None), "How long does a consistent list wait?");
    let report = |setting: LabSetting| {
        let mut lab = Lab::default();
        lab.handle(ToLab::Run {
            id: 1,
            settings: vec![setting.clamped()],
        });
        let mut out = Vec::new();
        while lab.pump_while(|| true, &mut out) {}
        let reports = out.into_iter().find_map(|message| match message {
            FromLab::Done { reports, .. } => Some(reports),
            _ => None,
        });
        reports.expect("the lab answers").remove(0)
    };
    let example = LabSetting::example_of_the_draft().map(|setting| {
        report(LabSetting {
            requests: 2_000,
            ..setting
        })
    });
    let said = finding(Some(&example[0]));
    assert!(
        said.starts_with(
            "etcd notifies every 250 ms, the cache asks after 300 ms of silence: no progress request sent; the \
             average wait is 12"
        ),
        "{said}"
    );
    let said = comparison(&example[1], within_round_trip(&example[1]));
    assert!(
        said.starts_with(
            "In B, etcd notifies every 10 min, the cache asks after 300 ms of silence: "
        ) && said.contains(" progress requests sent; the average wait is 15"),
        "{said}"
    );
    let timer = LabSetting {
        requests: 2_000,
        ..LabSetting::of(Scheme::TimerOnly)
    };
    let said = finding(Some(&report(timer)));
    assert!(
        said.starts_with("The average wait is ")
            && said.ends_with(" ms: the waits are spread evenly over one interval of the timer."),
        "{said}"
    );
    // With a tick every ten minutes, nearly all lists time out after three seconds.
    let slow = LabSetting {
        interval: SimDuration::from_millis(600_000),
        ..timer
    };
    let said = finding(Some(&report(slow)));
    assert!(said.contains("% of the lists time out"), "{said}");
}
