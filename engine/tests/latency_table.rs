//! Compares the latency lab with an independent table: the closed forms must agree to the last digit, the simulated
//! lists within 3 %.
//!
//! A separate program computed `data/latency_table.txt`, and checked each closed form with a Monte Carlo run.

use watchglass_engine::apiserver::progress::{DRAFT_BACKGROUND, DRAFT_MIN_GAP};
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::latency::{
    ClosedForm, LabReport, LabSetting, Others, Rate, Scheme, Simulation,
};

const TABLE: &str = include_str!("data/latency_table.txt");
const LISTS: u64 = 100_000;
/// The maximum relative difference between a simulated mean or percentile and the expected value, in millionths.
const TOLERANCE_PPM: u64 = 30_000;
/// The maximum difference, in millionths, between the simulated and the expected share of lists that wait longer than a
/// percentile. If many lists wait exactly as long as the percentile, the test compares this share instead of the
/// percentile.
const SHARE_PPM: u64 = 1_000;

/// Returns the rows of the section `head` of the table's file, each split into words. Omits lines with column titles.
fn section(head: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let start = TABLE
        .find(head)
        .unwrap_or_else(|| panic!("the table has {head}"));
    let rows = TABLE[start..].lines().skip(1);
    rows.take_while(|line| !line.trim().is_empty() && !line.starts_with("worst"))
        .filter(|line| !line.contains("mean    p50") && !line.contains("MC mean   MC p99"))
        .map(|line| {
            line.split(|c: char| c.is_whitespace() || "|=(),".contains(c))
                .filter(|word| !word.is_empty())
                .collect()
        })
}

/// Parses a time and returns it in nanoseconds: `50.000` is in milliseconds, `300.00s` is in seconds.
fn ns(text: &str) -> u64 {
    let (number, unit) = match text.strip_suffix('s') {
        Some(number) => (number, 1e9),
        None => (text, 1e6),
    };
    (number
        .parse::<f64>()
        .unwrap_or_else(|_| panic!("{text} is a time"))
        * unit)
        .round() as u64
}

fn number(text: &str) -> u64 {
    text.parse()
        .unwrap_or_else(|_| panic!("{text} is a number"))
}

fn ppm(text: &str) -> u64 {
    (text
        .parse::<f64>()
        .unwrap_or_else(|_| panic!("{text} is a share"))
        * 1e6)
        .round() as u64
}

/// Parses a rate per second, with up to three decimal places.
fn rate(text: &str) -> Rate {
    Rate(
        (text
            .parse::<f64>()
            .unwrap_or_else(|_| panic!("{text} is a rate"))
            * 1e3) as u64,
    )
}

fn run(setting: LabSetting) -> LabReport {
    let mut simulation = Simulation::new(setting);
    while simulation.advance(100_000) {}
    simulation.report()
}

fn base(scheme: Scheme) -> LabSetting {
    LabSetting {
        requests: LISTS,
        is_limited: false,
        ..LabSetting::of(scheme)
    }
}

fn is_near(a: u64, b: u64, tolerance_ppm: u64) -> bool {
    u128::from(a.abs_diff(b)) * 1_000_000 <= u128::from(b) * u128::from(tolerance_ppm)
}

/// Asserts that the closed form differs from the table's value by at most one unit in the value's last digit.
#[track_caller]
fn same(what: &str, setting: &LabSetting, ours: u64, table: &str) {
    let digit = if table.ends_with('s') {
        10_000_000
    } else {
        1_000
    };
    let table_ns = ns(table);
    assert!(
        ours.abs_diff(table_ns) <= digit,
        "{what}: {ours} ns against {table} for {setting:?}"
    );
}

/// Compares simulated results with the closed form, and returns a text for each difference.
fn compare(setting: &LabSetting, report: &LabReport, closed: &ClosedForm) -> Vec<String> {
    let mut wrong = Vec::new();
    let (mean, closed_mean) = (report.wait.mean_ns, closed.mean_ns());
    if !is_near(mean, closed_mean, TOLERANCE_PPM) {
        wrong.push(format!(
            "mean {mean} ns against {closed_mean} for {setting:?}"
        ));
    }
    let (p99, closed_p99) = (report.wait.p99_us, closed.quantile_us(990_000));
    if !is_near(p99, closed_p99, TOLERANCE_PPM) {
        let above: u64 = report
            .wait
            .bins
            .iter()
            .filter(|bin| bin.from > closed_p99)
            .map(|bin| bin.count)
            .sum();
        let share = above * 1_000_000 / report.wait.count;
        if share.abs_diff(closed.above_ppm(closed_p99)) > SHARE_PPM {
            wrong.push(format!("p99 {p99} µs against {closed_p99} for {setting:?}"));
        }
    }
    wrong
}

#[track_caller]
fn all_near(wrong: &[String], rows: u32, expected: u32) {
    assert!(
        wrong.is_empty(),
        "{} of {rows} rows differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(rows, expected, "rows of the table");
}

/// Returns the rate of lists to simulate. `own` is the rate of writes to the listed resource. If the timer's interval
/// is ten minutes, returns `own` or, without writes, 0.01 lists per second. Otherwise, returns `own`, but at least 10
/// lists per second.
fn lists_for(interval_ms: u64, own: Rate) -> Rate {
    match (interval_ms, own.0) {
        (600_000, 0) => Rate(10),
        (600_000, _) => own,
        _ => Rate(own.0.max(10_000)),
    }
}

#[test]
fn a_timer_alone_is_as_the_table_has_it() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in section("## Model A: timer") {
        let [interval, own, mean, p50, p99, ..] = row[..] else {
            panic!("{row:?}")
        };
        let interval_ms = number(interval);
        let setting = LabSetting {
            interval: SimDuration::from_millis(interval_ms),
            own: rate(own),
            lists: lists_for(interval_ms, rate(own)),
            ..base(Scheme::TimerOnly)
        };
        let closed = ClosedForm::of(&setting).expect("a closed form");
        same("mean", &setting, closed.mean_ns(), mean);
        same("p50", &setting, closed.quantile_us(500_000) * 1_000, p50);
        same("p99", &setting, closed.quantile_us(990_000) * 1_000, p99);
        wrong.extend(compare(&setting, &run(setting), &closed));
        rows += 1;
    }
    all_near(&wrong, rows, 20);
}

#[test]
fn a_timer_that_passes_over_ticks_is_as_the_table_has_it() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in section("## Model A: timer") {
        let (interval_ms, own) = (number(row[0]), rate(row[1]));
        let setting = LabSetting {
            interval: SimDuration::from_millis(interval_ms),
            own,
            elides: true,
            lists: lists_for(interval_ms, own),
            ..base(Scheme::TimerOnly)
        };
        let closed = ClosedForm::of(&setting).expect("a closed form");
        let at = row.iter().position(|word| *word == "elide:");
        assert_eq!(at, None, "the head is no row");
        same("mean", &setting, closed.mean_ns(), row[7]);
        same("p99", &setting, closed.quantile_us(990_000) * 1_000, row[8]);
        wrong.extend(compare(&setting, &run(setting), &closed));
        rows += 1;
    }
    all_near(&wrong, rows, 20);
}

#[test]
fn a_wait_that_is_cut_off_is_as_the_table_has_it() {
    let mut rows = 0;
    for row in section("## Model A with blockTimeout") {
        let own = rate(row[1]);
        let setting = LabSetting {
            interval: SimDuration::from_millis(600_000),
            own,
            is_limited: true,
            ..base(Scheme::TimerOnly)
        };
        let closed = ClosedForm::of(&setting).expect("a closed form");
        let (mean, late) = (row[3], row[row.len() - 1]);
        assert!(
            closed.mean_ns().abs_diff(ns(mean)) <= 1_000,
            "{} against {mean}",
            closed.mean_ns()
        );
        assert!(
            closed.too_late_ppm().abs_diff(ppm(late)) <= 1,
            "{} against {late}",
            closed.too_late_ppm()
        );
        let report = run(setting);
        assert!(
            is_near(report.wait.mean_ns, closed.mean_ns(), TOLERANCE_PPM),
            "{:?}",
            report.wait.mean_ns
        );
        let late_ppm = report.from_etcd * 1_000_000 / report.wait.count;
        assert!(
            late_ppm.abs_diff(closed.too_late_ppm()) <= SHARE_PPM * 2,
            "{late_ppm} against {late}"
        );
        rows += 1;
    }
    assert_eq!(rows, 4, "rows of the table");
}

#[test]
fn pauses_of_other_writes_are_as_the_table_has_them() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in section("## Finite mu") {
        let (own, others) = (rate(row[1]), rate(row[3]));
        let (stale, mean) = (row[6], row[10]);
        let setting = LabSetting {
            own,
            others: Others::At(others),
            lists: Rate((own.0 + others.0).max(10_000) / 10),
            // In these settings only one list in a hundred is stale: a hundred thousand lists would be too few to
            // measure the waits of stale lists.
            requests: if own.0 > 10 * others.0 {
                10 * LISTS
            } else {
                LISTS
            },
            ..base(Scheme::TimerOnly)
        };
        let closed = ClosedForm::of(&setting).expect("a closed form");
        same("mean", &setting, closed.mean_ns(), mean);
        assert!(
            closed.above_ppm(0).abs_diff(ppm(stale)) <= 50,
            "{} against {stale}",
            closed.above_ppm(0)
        );
        let report = run(setting);
        let stale_ppm = (report.wait.count - report.fresh) * 1_000_000 / report.wait.count;
        if !is_near(stale_ppm, closed.above_ppm(0), TOLERANCE_PPM) {
            wrong.push(format!(
                "stale {stale_ppm} ppm against {stale} for {setting:?}"
            ));
        }
        if !is_near(report.wait.mean_ns, closed.mean_ns(), TOLERANCE_PPM) {
            wrong.push(format!(
                "mean {} ns against {mean} ms for {setting:?}",
                report.wait.mean_ns
            ));
        }
        rows += 1;
    }
    all_near(&wrong, rows, 16);
}

#[test]
fn todays_requester_is_as_the_table_has_it() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in section("## Model B") {
        let [gap, round_trip, own, lists, weight, mean, p99, ..] = row[..] else {
            panic!("{row:?}")
        };
        let setting = LabSetting {
            interval: SimDuration::from_millis(number(gap)),
            round_trip: SimDuration::from_millis(number(round_trip)),
            own: rate(own),
            lists: rate(lists),
            // Lists that wait together end together: if dozens end at once, the mean needs more lists.
            requests: if number(gap) > 200 && rate(lists) == Rate::per_second(100) {
                4 * LISTS
            } else {
                LISTS
            },
            ..base(Scheme::Today)
        };
        let closed = ClosedForm::of(&setting).expect("a closed form");
        same("mean", &setting, closed.mean_ns(), mean);
        same("p99", &setting, closed.quantile_us(990_000) * 1_000, p99);
        assert!(
            closed
                .weight_ppm()
                .is_some_and(|ours| ours.abs_diff(ppm(weight)) <= 50),
            "{weight}"
        );
        wrong.extend(compare(&setting, &run(setting), &closed));
        rows += 1;
    }
    all_near(&wrong, rows, 80);
}

#[test]
fn the_draft_is_as_the_table_has_it() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in section("## Model C") {
        let (round_trip, own, lists) = (number(row[1]), rate(row[3]), rate(row[5]));
        let (mean, p99) = (row[9], row[11]);
        let setting = LabSetting {
            // The table counts the 250 ms from request to request, the draft counts them from the last notification.
            interval: SimDuration(DRAFT_BACKGROUND.0 - round_trip * 1_000),
            gap: DRAFT_MIN_GAP,
            round_trip: SimDuration::from_millis(round_trip),
            own,
            lists,
            ..base(Scheme::Draft)
        };
        let closed = ClosedForm::of(&setting).expect("a closed form");
        same("mean", &setting, closed.mean_ns(), mean);
        same("p99", &setting, closed.quantile_us(990_000) * 1_000, p99);
        wrong.extend(compare(&setting, &run(setting), &closed));
        rows += 1;
    }
    all_near(&wrong, rows, 32);
}

#[test]
fn a_hundred_and_twenty_five_milliseconds_belong_to_the_plain_timer() {
    let timer = run(base(Scheme::TimerOnly)).wait.mean_ns;
    assert!(is_near(timer, 125_000_000, 10_000), "{timer}");
    // The draft's requester sends its requests sooner: at one list in ten seconds, and at any load, the wait is at most
    // about half of the wait with the timer alone.
    for (lists, expected_ns) in [
        (100, 32_000_000),
        (1_000, 34_500_000),
        (10_000, 53_700_000),
        (100_000, 62_500_000),
    ] {
        let draft = LabSetting {
            lists: Rate(lists),
            ..base(Scheme::Draft)
        };
        let mean = run(draft).wait.mean_ns;
        assert!(
            is_near(mean, expected_ns, TOLERANCE_PPM),
            "{mean} at {lists}"
        );
        assert!(mean * 2 < timer + timer / 20, "{mean} at {lists}");
        let closed = ClosedForm::of(&draft).expect("a closed form").mean_ns();
        assert!(
            is_near(mean, closed, TOLERANCE_PPM),
            "{mean} against {closed}"
        );
    }
}
