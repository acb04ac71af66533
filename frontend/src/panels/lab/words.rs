//! The text form of the Lab's pictures: numbers, sentences and tables.

use crate::draw::text;
use watchglass_engine::session::latency::{
    ClosedForm, Distribution, LabReport, Others, Scheme, SimDuration, Slo,
};

use super::knobs::scheme_name;

/// Formats `value / 10^digits` as a decimal number with `digits` decimal places.
pub fn fixed(value: u64, digits: u32) -> String {
    if digits == 0 {
        return text::count(value);
    }
    let unit = 10_u64.pow(digits);
    let (whole, rest) = (value / unit, value % unit);
    let rest = rest.to_string();
    let zeros = "0".repeat(digits as usize - rest.len());
    format!("{}.{zeros}{rest}", text::count(whole))
}

/// Formats nanoseconds as milliseconds, with at least three significant digits.
pub fn ms(ns: u64) -> String {
    match ns {
        0..=9_999_999 => fixed((ns + 5_000) / 10_000, 2),
        10_000_000..=99_999_999_999 => fixed((ns + 50_000) / 100_000, 1),
        _ => fixed((ns + 500_000) / 1_000_000, 0),
    }
}

/// Formats nanoseconds as milliseconds with the unit.
pub fn ms_unit(ns: u64) -> String {
    format!("{} ms", ms(ns))
}

/// Formats a duration: `250 ms`, `10 min`.
pub fn duration_us(us: u64) -> String {
    match us {
        0 => "0 ms".to_owned(),
        us if us >= 60_000_000 && us.is_multiple_of(60_000_000) => {
            format!("{} min", count(us / 60_000_000))
        }
        us if us >= 1_000_000 && us.is_multiple_of(1_000_000) => {
            format!("{} s", count(us / 1_000_000))
        }
        us if us.is_multiple_of(1_000) => format!("{} ms", count(us / 1_000)),
        us => format!("{} ms", fixed(us / 100, 1)),
    }
}

/// Formats a rate, given in thousandths: `0.1 /s`.
pub fn rate(thousandths: u64) -> String {
    let number = if thousandths.is_multiple_of(1_000) {
        count(thousandths / 1_000)
    } else {
        fixed(thousandths / 100, 1)
    };
    format!("{number} /s")
}

/// Formats an integer with thousands separators.
pub fn count(value: u64) -> String {
    fixed(value, 0)
}

/// Formats a share in percent.
fn percent(part: u64, whole: u64) -> String {
    fixed((part * 1_000 + whole / 2) / whole.max(1), 1)
}

/// Formats the rate of events per simulated second.
fn per_second(events: u64, simulated_us: u64) -> String {
    let tenths = u128::from(events) * 10_000_000 / u128::from(simulated_us.max(1));
    fixed(u64::try_from(tenths).unwrap_or(u64::MAX), 1)
}

/// Returns the heading of the page: a sentence about the average wait of A, or a question before the first run.
pub fn finding(report: Option<&LabReport>) -> String {
    let Some(report) = report else {
        return "How long does a consistent list wait?".to_owned();
    };
    let (setting, all) = (report.setting, report.wait.count);
    let mean = ms_unit(report.wait.mean_ns);
    let timed_out = report.from_etcd + report.refused;
    match setting.scheme {
        Scheme::FromEtcd => "No list waits: etcd serves each one itself.".to_owned(),
        // If more than one list in a hundred times out, the average alone would mislead.
        _ if timed_out * 100 > all => {
            format!(
                "{} % of the lists time out; the average wait is {mean}.",
                percent(timed_out, all)
            )
        }
        Scheme::TimerAndRequests => {
            format!("{}; {mean} on average.", requests_sent(report))
        }
        Scheme::TimerOnly if setting.own.0 == 0 && setting.others == Others::WithoutPause => {
            format!("{mean} on average: waits are spread evenly over one tick.")
        }
        _ => format!("{mean} on average until the cache is known to be fresh."),
    }
}

/// Returns three facts: the interval of etcd's notifications, the silence after which the API server asks for progress,
/// and the number of progress requests.
fn requests_sent(report: &LabReport) -> String {
    let setting = report.setting;
    let requests = match report.requests {
        0 => "no progress request sent".to_owned(),
        1 => "1 progress request sent".to_owned(),
        requests => format!("{} progress requests sent", count(requests)),
    };
    format!(
        "etcd notifies every {}, the cache asks after {} of silence: {requests}",
        duration_us(setting.gap.0),
        duration_us(setting.interval.0)
    )
}

/// Returns the sentence that compares B with A.
pub fn comparison(report: &LabReport) -> String {
    let setting = report.setting;
    if setting.scheme == Scheme::TimerAndRequests {
        let mean = ms_unit(report.wait.mean_ns);
        return format!("In B, {}; {mean} on average.", requests_sent(report));
    }
    let at_most = within(&report.wait, setting.round_trip.0);
    let count = report.wait.count.max(1);
    format!(
        "B ({}) waits {} under the same load; {} % of its lists wait no more than one round trip.",
        scheme_name(setting.scheme),
        ms_unit(report.wait.mean_ns),
        fixed((at_most * 100 + count / 2) / count, 0)
    )
}

/// Returns the number of waits up to `us` microseconds.
fn within(distribution: &Distribution, us: u64) -> u64 {
    let bins = distribution.bins.iter().filter(|bin| bin.from <= us);
    bins.map(|bin| bin.count).sum()
}

/// A row of the table of results.
pub struct LabRow {
    /// The name of the row.
    pub name: &'static str,
    /// Whether the row is indented below the previous row.
    pub is_sub: bool,
    /// One cell per report.
    pub cells: Vec<String>,
}

/// Returns `met` if a report meets a service level objective, otherwise `missed`.
fn met(report: &LabReport, slo: Slo) -> String {
    match slo.is_met(SimDuration(report.whole.p99_us)) {
        true => "met".to_owned(),
        false => "missed".to_owned(),
    }
}

/// Returns the results as the rows of a table.
pub fn rows(reports: &[LabReport]) -> Vec<LabRow> {
    let closed: Vec<Option<ClosedForm>> = reports
        .iter()
        .map(|report| ClosedForm::of(&report.setting).ok())
        .collect();
    let of = |name, is_sub, cell: &dyn Fn(&LabReport) -> String| LabRow {
        name,
        is_sub,
        cells: reports.iter().map(cell).collect(),
    };
    let closed_form = |cell: &dyn Fn(&ClosedForm) -> u64| LabRow {
        name: "theory",
        is_sub: true,
        cells: closed
            .iter()
            .map(|closed| {
                closed
                    .as_ref()
                    .map_or("–".to_owned(), |closed| ms(cell(closed)))
            })
            .collect(),
    };
    let us = |us: u64| ms(us * 1_000);
    vec![
        of("mean wait, ms", false, &|r| ms(r.wait.mean_ns)),
        closed_form(&|closed| closed.mean_ns()),
        of("p50, ms", false, &|r| us(r.wait.p50_us)),
        of("p90, ms", false, &|r| us(r.wait.p90_us)),
        of("p99, ms", false, &|r| us(r.wait.p99_us)),
        closed_form(&|closed| closed.quantile_us(990_000) * 1_000),
        of("longest, ms", false, &|r| us(r.wait.max_us)),
        of("cache was fresh, %", false, &|r| {
            percent(r.fresh, r.wait.count)
        }),
        of("at most a round trip, %", false, &|r| {
            percent(within(&r.wait, r.setting.round_trip.0), r.wait.count)
        }),
        of("ended by an event, %", false, &|r| {
            percent(r.by_event, r.wait.count)
        }),
        of("whole request, mean ms", false, &|r| ms(r.whole.mean_ns)),
        of("whole request, p99 ms", true, &|r| us(r.whole.p99_us)),
        of("SLO, p99 at most 1 s (one object)", true, &|r| {
            met(r, Slo::OneObject)
        }),
        of("SLO, p99 at most 30 s (lists)", true, &|r| {
            met(r, Slo::List)
        }),
        of("sent to etcd, %", false, &|r| {
            percent(r.from_etcd, r.wait.count)
        }),
        of("failed, %", true, &|r| percent(r.refused, r.wait.count)),
        of("notifications, /s", false, &|r| {
            per_second(r.notifications, r.simulated_us)
        }),
        of("progress requests, /s", true, &|r| {
            per_second(r.requests, r.simulated_us)
        }),
        of("revision requests, /s", false, &|r| {
            per_second(r.questions, r.simulated_us)
        }),
        of("simulated, s", false, &|r| {
            fixed(r.simulated_us / 1_000_000, 0)
        }),
    ]
}

/// Returns the text alternative of the histogram.
pub fn histogram_alt(reports: &[LabReport]) -> String {
    let mut text = String::from("Histogram of waits.");
    for (report, name) in reports.iter().zip(["A", "B"]) {
        text.push_str(&format!(
            " {name}, {}: mean {}, median {}, 99th percentile {}.",
            scheme_name(report.setting.scheme),
            ms_unit(report.wait.mean_ns),
            ms_unit(report.wait.p50_us * 1_000),
            ms_unit(report.wait.p99_us * 1_000)
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::latency::lab::{FromLab, Lab, ToLab};
    use watchglass_engine::session::latency::{LabSetting, SimDuration};

    use super::*;

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
                "etcd notifies every 250 ms, the cache asks after 300 ms of silence: no progress request sent; 12"
            ),
            "{said}"
        );
        let said = comparison(&example[1]);
        assert!(
            said.starts_with(
                "In B, etcd notifies every 10 min, the cache asks after 300 ms of silence: "
            ) && said.contains(" progress requests sent; 15"),
            "{said}"
        );
        let timer = LabSetting {
            requests: 2_000,
            ..LabSetting::of(Scheme::TimerOnly)
        };
        let said = finding(Some(&report(timer)));
        assert!(
            said.ends_with("ms on average: waits are spread evenly over one tick."),
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
}
