//! The texts of the Lab's page that shows the accuracy of the limits of etcd QoS.

use watchglass_engine::session::latency::AccuracySetting;
use watchglass_engine::session::latency::accuracy::BINS;

use super::lab::count;

/// The texts of the page about the accuracy of the limits.
pub const HEADING: &str = "How accurate the limits of etcd QoS are";
pub const SETTING: &str = "Setting";
pub const LIMIT: &str = "Limit, requests/s ";
pub const RUNS: &str = "Runs ";
pub const SAVE: &str = "Save the table";

/// The name, the caption and the headings of the table of accuracies.
pub const ACCURACY: &str = "Accuracy";
pub const TABLE: &str = "Accuracy of the limits";
pub const DISCIPLINE: &str = "Discipline";
pub const COLUMNS: [&str; 6] = [
    "Offered, /s",
    "Mean, /s",
    "Deviation, /s",
    "Variance",
    "Theory, /s",
    "Agrees",
];
/// The text of the cell of a queue discipline for which there is no theory.
pub const NO_THEORY: &str = "–";

/// The explanation of the numbers on the page about the accuracy of the limits.
pub const ABOUT: &str = "Meaning of the numbers";
pub const ABOUT_RUNS: &str = "etcd QoS is a proposal. The limiters are those of a simulated member; requests arrive at \
    random times. The mean rate of the requests is 0.5, 1, 2 or 10 times the limit. Each run \
    ignores its first second, and then counts the requests that start in each of the next 300 seconds. Some \
    disciplines limit the number of running requests instead of the rate. With these disciplines, one request runs at \
    a time, and the Lab chooses the duration of a request so that the maximum rate equals the limit.";
pub const ABOUT_THEORY: &str = "A rate below the limit is usually not an error of the limiter. A bucket of one token \
    refuses a request that arrives shortly before the next token. The token then waits unused for the next request. \
    If requests arrive at twice the limit, a third of the limit stays unused in this way. The theory is the M/D/1/K \
    queue of queueing theory. A mean agrees with the theory if the difference is at most this sum: 1 % of the limit, \
    plus the burst at the start of a run, plus three standard errors. The discipline “window” is not such a queue, so \
    the table has no theory for this discipline.";

/// Returns the main result in a sentence: how many of the measured means agree with the theory. `known` is the number
/// of means that have a theory.
pub fn finding(setting: AccuracySetting, agree: u64, known: u64) -> String {
    let AccuracySetting { qps, runs } = setting;
    [
        "A limit of ",
        &count(qps),
        " requests per second, ",
        &count(runs),
        " runs of ",
        &count(BINS),
        " s: ",
        &count(agree),
        " of ",
        &count(known),
        " mean rates agree with the theory.",
    ]
    .concat()
}

/// Returns the cell that says whether a mean agrees with the theory; `None` without a theory.
pub fn agrees(is_accurate: Option<bool>) -> &'static str {
    match is_accurate {
        Some(true) => "yes",
        Some(false) => "no",
        None => NO_THEORY,
    }
}
