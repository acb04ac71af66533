//! The latency lab, controlled by messages: the lab runs in slices, can be stopped, and accepts any settings.

use proptest::prelude::*;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::latency::lab::{FromLab, Lab, ToLab};
use watchglass_engine::latency::report::{ListParts, WaitEnd, WatchMessageKind};
use watchglass_engine::latency::{LabReport, LabSetting, Rate, Scheme};

fn setting(scheme: Scheme, requests: u64) -> LabSetting {
    LabSetting {
        requests,
        ..LabSetting::of(scheme)
    }
}

/// Runs a few slices; returns true if there is more work.
fn pump(lab: &mut Lab, slices: u32, out: &mut Vec<FromLab>) -> bool {
    let mut left = slices;
    let has_time = || {
        left = left.saturating_sub(1);
        left > 0
    };
    lab.pump_while(has_time, out)
}

fn reports(out: &[FromLab], wanted: u32) -> Option<&[LabReport]> {
    out.iter().find_map(|message| match message {
        FromLab::Done { id, reports } if *id == wanted => Some(&**reports),
        _ => None,
    })
}

#[test]
fn two_settings_are_run_one_after_the_other() {
    let mut lab = Lab::default();
    let mut out = Vec::new();
    let settings = vec![
        setting(Scheme::TimerOnly, 2_000),
        setting(Scheme::Today, 1_000),
    ];
    lab.handle(ToLab::Run { id: 7, settings });
    while pump(&mut lab, 4, &mut out) {}
    let reports = reports(&out, 7).expect("it ends with reports");
    let counts: Vec<u64> = reports.iter().map(|report| report.wait.count).collect();
    assert_eq!(counts, [2_000, 1_000]);
    assert!(reports[0].wait.mean_ns > 2 * reports[1].wait.mean_ns);
    let so_far: Vec<(u64, u64)> = out
        .iter()
        .filter_map(|message| match message {
            FromLab::Progress { id: 7, done, total } => Some((*done, *total)),
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
fn a_run_ends_without_a_report_when_it_is_canceled_or_replaced() {
    let long = || vec![setting(Scheme::Draft, 50_000)];
    let mut lab = Lab::default();
    let mut out = Vec::new();
    lab.handle(ToLab::Run {
        id: 1,
        settings: long(),
    });
    assert!(pump(&mut lab, 10, &mut out), "it is long");
    lab.handle(ToLab::Cancel);
    assert!(!pump(&mut lab, 10, &mut out));
    lab.handle(ToLab::Run {
        id: 2,
        settings: long(),
    });
    assert!(pump(&mut lab, 10, &mut out));
    let settings = vec![setting(Scheme::Draft, 100)];
    lab.handle(ToLab::Run { id: 3, settings });
    while pump(&mut lab, 10, &mut out) {}
    assert_eq!((reports(&out, 1), reports(&out, 2)), (None, None));
    assert_eq!(reports(&out, 3).map(<[LabReport]>::len), Some(1));
}

#[test]
fn nothing_from_outside_makes_it_fall_over() {
    let wild = LabSetting {
        interval: SimDuration(u64::MAX),
        gap: SimDuration(0),
        own: watchglass_engine::latency::Rate(u64::MAX),
        lists: watchglass_engine::latency::Rate(0),
        size: u64::MAX,
        object_bytes: u64::MAX,
        requests: 3,
        ..setting(Scheme::Batch, 3)
    };
    let mut lab = Lab::default();
    let mut out = Vec::new();
    let settings = vec![wild];
    lab.handle(ToLab::Run { id: 1, settings });
    while pump(&mut lab, 4, &mut out) {}
    assert_eq!(reports(&out, 1).expect("a report")[0].wait.count, 3);
    let settings = Vec::new();
    lab.handle(ToLab::Run { id: 2, settings });
    while pump(&mut lab, 4, &mut out) {}
    assert_eq!(reports(&out, 2), Some(&[][..]));
}

/// Generates any number up to `most`, small numbers more often than large ones.
fn any_number(most: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        0..most,
        (any::<u64>(), 0..64_u32).prop_map(|(n, by)| n >> by)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_setting_ends_with_a_report(
        scheme in prop::sample::select(Scheme::ALL.to_vec()),
        (interval, gap) in (any_number(300_000), any_number(20_000)),
        (round_trip, jitter) in (any_number(20_000), any_number(20_000)),
        (size, object_bytes) in (any_number(10_000), any_number(10_000)),
        requests in 1..300_u64,
        seed in any::<u64>(),
    ) {
        let setting = LabSetting {
            interval: SimDuration(interval),
            gap: SimDuration(gap),
            round_trip: SimDuration(round_trip),
            jitter: SimDuration(jitter),
            size,
            object_bytes,
            requests,
            seed,
            ..setting(scheme, requests)
        };
        let mut lab = Lab::default();
        let mut out = Vec::new();
        let settings = vec![setting];
        lab.handle(ToLab::Run { id: 1, settings });
        while pump(&mut lab, 50, &mut out) {}
        let counts = reports(&out, 1).map(|all| all[0].wait.count);
        prop_assert_eq!(counts, Some(setting.clamped().requests));
    }
}

fn run(setting: LabSetting) -> LabReport {
    let mut lab = Lab::default();
    let mut out = Vec::new();
    let settings = vec![setting];
    lab.handle(ToLab::Run { id: 1, settings });
    while pump(&mut lab, 1_000, &mut out) {}
    reports(&out, 1).expect("a report")[0].clone()
}

#[test]
fn no_request_is_sent_if_etcd_notifies_more_often_than_needed() {
    let [often, rarely] = LabSetting::example_of_the_draft().map(|setting| {
        run(LabSetting {
            requests: 5_000,
            ..setting
        })
    });
    // In the draft's example, etcd sends a notification every 250 ms, and the API server needs one every 300 ms.
    assert_eq!(often.requests, 0);
    let seconds = often.simulated_us as f64 / 1e6;
    let per_second = often.notifications as f64 / seconds;
    assert!((per_second - 4.0).abs() < 0.01, "{per_second}");
    assert!(often.wait.mean_ns.abs_diff(125_000_000) < 3_000_000);
    assert!(often.wait.max_us <= 250_000);
    // With etcd's default interval of 10 min, the API server requests each notification: one per 300 ms plus a round
    // trip.
    let seconds = rarely.simulated_us as f64 / 1e6;
    let per_second = rarely.requests as f64 / seconds;
    assert!((per_second - 1.0 / 0.301).abs() < 0.01, "{per_second}");
    assert!(rarely.wait.mean_ns.abs_diff(150_500_000) < 3_000_000);
}

#[test]
fn a_timer_that_is_too_slow_by_a_little_lets_some_requests_through() {
    let ms = SimDuration::from_millis;
    let of = |gap| {
        run(LabSetting {
            gap,
            requests: 2_000,
            ..LabSetting::of(Scheme::TimerAndRequests)
        })
    };
    assert_eq!(of(ms(299)).requests, 0);
    assert!(of(ms(301)).requests > 0);
    // If etcd's timer skips ticks after events, the API server must also send requests.
    let skips = LabSetting {
        elides: true,
        own: Rate::per_second(2),
        requests: 2_000,
        ..LabSetting::of(Scheme::TimerAndRequests)
    };
    assert!(run(skips).requests > 0);
}

#[test]
fn the_parts_of_a_list_add_up_to_its_latency() {
    for scheme in Scheme::ALL {
        let setting = LabSetting {
            requests: 3_000,
            own: Rate::per_second(3),
            jitter: SimDuration(700),
            ..LabSetting::of(scheme)
        };
        let report = run(setting);
        let samples = &report.samples;
        assert!(!samples.is_empty(), "{scheme:?}");
        assert!(samples.is_sorted_by_key(ListParts::whole_us), "{scheme:?}");
        let slowest = samples.last().expect("a sample").whole_us();
        assert_eq!(slowest, report.whole.max_us, "{scheme:?}");
        let median = samples[report.median_sample().expect("a sample")].whole_us();
        assert!(
            median.abs_diff(report.whole.p50_us) <= report.whole.p50_us / 16 + 1,
            "{scheme:?}: {median} is near {}",
            report.whole.p50_us
        );
        for list in samples {
            let parts = list.parts();
            let sum: u64 = parts.iter().map(|(_, from, to)| to - from).sum();
            assert_eq!(sum, list.whole_us(), "{scheme:?} {list:?}");
            assert!(parts.windows(2).all(|pair| pair[0].2 == pair[1].1));
            let inside = list.arrived_us..=list.ended_us;
            assert!(
                list.messages
                    .iter()
                    .all(|message| inside.contains(&message.at_us)),
                "{scheme:?} {list:?}"
            );
            check_end(&setting, list);
        }
    }
}

fn check_end(setting: &LabSetting, list: &ListParts) {
    let needs_revision = !matches!(setting.scheme, Scheme::Echo | Scheme::FromEtcd);
    assert_eq!(list.revision.is_some(), needs_revision, "{list:?}");
    if let Some(revision) = list.revision {
        let takes = revision.received_us - revision.sent_us;
        // Each direction takes half a millisecond plus a delay of up to 0.7 ms, or longer if an earlier message is in
        // front.
        assert!((1_000..=2_400).contains(&takes), "{list:?}");
    }
    let needed = list.revision.map_or(0, |revision| revision.revision);
    let last = list
        .messages
        .last()
        .filter(|message| message.at_us == list.ended_us);
    match list.ended_by {
        WaitEnd::Event => assert!(
            matches!(last.map(|last| last.kind), Some(WatchMessageKind::Event(rv)) if rv >= needed),
            "{list:?}"
        ),
        WaitEnd::Notification => assert!(
            matches!(last.map(|last| last.kind), Some(WatchMessageKind::Notification(rv)) if rv >= needed),
            "{list:?}"
        ),
        WaitEnd::Timeout => assert!(list.is_refused || list.etcd_us.is_some(), "{list:?}"),
        WaitEnd::Fresh => assert!(
            list.revision
                .is_none_or(|revision| revision.received_us == list.ended_us),
            "{list:?}"
        ),
    }
}
