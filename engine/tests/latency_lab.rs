//! The latency lab, controlled by messages: the lab runs in slices, can be stopped, and accepts any settings.

use proptest::prelude::*;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::latency::lab::{FromLab, Lab, ToLab};
use watchglass_engine::latency::{LabReport, LabSetting, Scheme};

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
