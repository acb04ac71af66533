//! The texts of the Lab: numbers, the page that compares the waiting times of lists, results, and the text alternatives
//! of the pictures.
//!
//! [`super::lab_knobs`] names the sliders, [`super::lab_list`] describes one list, and [`super::lab_cost`] and
//! [`super::lab_qos`] contain the texts of the other pages.

use watchglass_engine::session::latency::{LabReport, Others, Scheme};

use super::lab_knobs::scheme;
use crate::draw::text;

/// The name of the Lab and the names of its pages.
pub const VIEW: &str = "Lab: the waits of consistent lists";
pub const PAGES_LABEL: &str = "Pages of the lab";
pub const PAGES: [&str; 3] = ["Waits", "Whole lists", "QoS limits"];

/// The names of the two settings that the Lab compares.
pub const A: &str = "A";
pub const B: &str = "B";

/// The line below the heading: after the settings have changed, and before the first run.
pub const IS_OLD: &str = "Settings changed: press Run.";
pub const BEFORE_RUN: &str =
    "The Lab compares two settings, A and B, with a hundred thousand simulated lists for each.";

/// The labels of the choices above the histogram.
pub const BINS: &str = "Bins";
pub const LINEAR_OR_LOG: [&str; 2] = ["Linear", "Log bins"];
pub const TIMES: &str = "Times";
pub const WAIT_OR_WHOLE: [&str; 2] = ["Wait", "Whole request"];

/// The names of the axes and the notes of the histogram.
pub const LISTS_AXIS: &str = "lists";
pub const WAIT_AXIS: &str = "wait after etcd's reply, ms";
pub const WHOLE_AXIS: &str = "whole request, ms";
pub const SLO: &str = "SLO 1 s";
/// The name in the legend of the lines that show closed forms.
pub const THEORY: &str = "predicted by theory, for this number of lists";

/// The caption and the first heading of the table of results.
pub const THE_RESULT: &str = "The result";
pub const RESULT: &str = "Result";
pub const NO_CLOSED_FORM: &str = "–";

/// The names of the groups of buttons that save results.
pub const SAVE_WAITS: &str = "Save the waits";
pub const SAVE_SWEEP: &str = "Save the sweep";

/// The name of the progress bar of a run.
pub const DONE: &str = "Progress";

/// The texts of the section about sweeps. A sweep runs A and B with each value of one slider.
pub const SWEEP_HEADING: &str = "Parameter sweep: mean wait";
pub const SWEEP: &str = "Sweep";
/// The names of the settings that a sweep can vary, each followed by the name of its axis.
pub const SWEEP_INTERVAL: &str = "Interval";
pub const SWEEP_INTERVAL_AXIS: &str = "interval in both A and B, ms";
pub const SWEEP_LISTS: &str = "Lists";
pub const SWEEP_LISTS_AXIS: &str = "consistent lists, /s";
pub const SWEEP_WRITES: &str = "Writes";
pub const SWEEP_WRITES_AXIS: &str = "writes to the listed resource, /s";
pub const SWEEP_ROUND_TRIP: &str = "Round trip";
pub const SWEEP_ROUND_TRIP_AXIS: &str = "round-trip time to etcd, ms";
pub const MEAN_AXIS: &str = "mean wait, ms";
/// The summary and the column headings of the table of a sweep.
pub const SWEEP_TABLE: &str = "Results of the sweep as a table";
pub const SWEEP_COLUMNS: [&str; 6] = ["A mean", "theory", "A p99", "B mean", "theory", "B p99"];

/// The explanation of the knobs and of the simulation.
pub const ABOUT: &str = "Meaning of the parameters, and simplifications";
pub const ABOUT_SIMULATION: &str = "For each list, the API server asks etcd for etcd's revision, which takes one \
    round trip. The list then waits until the cache has caught up to this revision. The simulator's own watch cache \
    decides when to ask for progress, with the same code as in a run. etcd is reduced to a counter with a single \
    watch that never lags. Links keep messages in order. Not simulated: other API servers, and the random part of up \
    to 10 % that etcd adds to each stream's interval of progress notifications. etcd's periodic \
    notifications are simulated only in the schemes with a timer.";
pub const ABOUT_DRAFT: &str = "The draft of KEP-2340 states an average wait of 125 ms. This average is the mean \
    wait with a plain timer of 250 ms. The scheme in the draft asks for progress sooner, so its mean wait is only \
    about 32 ms with few lists, and at most 62.5 ms under any load.";

/// The names of the rows in the table of results.
pub const MEAN_WAIT: &str = "mean wait, ms";
pub const CLOSED_FORM: &str = "theory";
pub const P50: &str = "p50, ms";
pub const P90: &str = "p90, ms";
pub const P99: &str = "p99, ms";
pub const LONGEST: &str = "longest, ms";
pub const FRESH: &str = "cache was fresh, %";
pub const ROUND_TRIP: &str = "waited at most a round trip, %";
pub const BY_EVENT: &str = "wait ended by an event, %";
pub const WHOLE_MEAN: &str = "whole request, mean ms";
pub const WHOLE_P99: &str = "whole request, p99 ms";
pub const SLO_OBJECT: &str = "SLO, p99 at most 1 s (one object)";
pub const SLO_LISTS: &str = "SLO, p99 at most 30 s (lists)";
pub const TO_ETCD: &str = "sent to etcd, %";
pub const FAILED: &str = "failed, %";
pub const NOTIFICATIONS: &str = "notifications, /s";
pub const PROGRESS_REQUESTS: &str = "progress requests, /s";
pub const REVISION_REQUESTS: &str = "revision requests, /s";
pub const SIMULATED: &str = "simulated, s";

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

pub fn percent(part: u64, whole: u64) -> String {
    fixed((part * 1_000 + whole / 2) / whole.max(1), 1)
}

/// Formats the rate of events per simulated second.
pub fn per_second(events: u64, simulated_us: u64) -> String {
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
        Scheme::FromEtcd => "No list waits, because etcd serves every list.".to_owned(),
        // If more than one list in a hundred times out, the average alone would mislead.
        _ if timed_out * 100 > all => {
            format!(
                "{} % of the lists time out; the average wait is {mean}.",
                percent(timed_out, all)
            )
        }
        Scheme::TimerAndRequests => {
            format!("{}; the average wait is {mean}.", requests_sent(report))
        }
        Scheme::TimerOnly if setting.own.0 == 0 && setting.others == Others::WithoutPause => {
            format!(
                "The average wait is {mean}: the waits are spread evenly over one interval of the timer."
            )
        }
        _ => format!("Lists wait {mean} on average until the cache is known to be fresh."),
    }
}

/// Returns three facts: the interval of etcd's notifications, the duration of etcd's silence after which the API server
/// requests progress, and the number of progress requests.
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

/// Returns the sentence that compares B with A. `within_round_trip` is the number of lists that wait no more than one
/// round trip.
pub fn comparison(report: &LabReport, within_round_trip: u64) -> String {
    let setting = report.setting;
    if setting.scheme == Scheme::TimerAndRequests {
        let mean = ms_unit(report.wait.mean_ns);
        return format!(
            "In B, {}; the average wait is {mean}.",
            requests_sent(report)
        );
    }
    let count = report.wait.count.max(1);
    format!(
        "In B ({}), lists wait {} on average under the same load; {} % of them wait at most one round trip.",
        scheme(setting.scheme),
        ms_unit(report.wait.mean_ns),
        fixed((within_round_trip * 100 + count / 2) / count, 0)
    )
}

/// Returns the cell that says whether a service level objective is met.
pub fn met(is_met: bool) -> &'static str {
    match is_met {
        true => "met",
        false => "missed",
    }
}

/// Returns the name of a setting (A or B) and of its scheme (a way to serve consistent lists).
pub fn setting(name: &str, of: Scheme) -> String {
    [name, " ", scheme(of)].concat()
}

/// Returns the entry of A or B in the legend: its name, its scheme, and the value of the scheme's first slider.
pub fn legend(name: &str, of: Scheme, interval: Option<&str>) -> String {
    let setting = setting(name, of);
    match interval {
        Some(interval) => [&setting, ", ", interval].concat(),
        None => setting,
    }
}

/// Returns the note beside a bar that is too high for the histogram.
pub fn high_bar(name: &str, lists: u64) -> String {
    format!("{name}: {} lists", count(lists))
}

/// Returns the note [`high_bar`] without the word "lists", because the name of the axis already contains this word.
pub fn high_bar_short(name: &str, lists: u64) -> String {
    format!("{name}: {}", count(lists))
}

/// Returns the label of a mean in the histogram.
pub fn mean_mark(name: &str, ns: u64) -> String {
    format!("{name} mean {}", ms_unit(ns))
}

/// Returns the label of a 99th percentile in the histogram.
pub fn p99_mark(name: &str, ns: u64) -> String {
    format!("{name} p99 {}", ms_unit(ns))
}

pub fn progress(done: u64, total: u64) -> String {
    [&count(done), " of ", &count(total)].concat()
}

/// Returns the progress of a run and its remaining time in seconds; `None` if the time is not known yet.
pub fn progress_left(done: u64, total: u64, seconds: Option<u64>) -> String {
    let progress = progress(done, total);
    match seconds {
        None => [&progress, ", …"].concat(),
        Some(0 | 1) => [&progress, ", about a second left"].concat(),
        Some(seconds) => format!("{progress}, about {} s left", count(seconds)),
    }
}

/// Returns the text alternative of the plot of a sweep.
pub fn sweep_alt(x_axis: &str) -> String {
    format!("Mean wait, by {x_axis}. The table below has the numbers.")
}

pub fn histogram_alt(reports: &[LabReport]) -> String {
    let mut text = String::from("Histogram of waits.");
    for (report, name) in reports.iter().zip([A, B]) {
        text.push_str(&format!(
            " {name}, {}: mean {}, median {}, 99th percentile {}.",
            scheme(report.setting.scheme),
            ms_unit(report.wait.mean_ns),
            ms_unit(report.wait.p50_us * 1_000),
            ms_unit(report.wait.p99_us * 1_000)
        ));
    }
    text
}
