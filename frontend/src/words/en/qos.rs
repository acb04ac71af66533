//! The texts of the QoS view: names of disciplines and outcomes, levels, comparisons, and the text alternative.

use watchglass_engine::view::qos::comparison::{QosClassOutcome, QosSideView};
use watchglass_engine::view::qos::{
    Discipline, LATENCY_BINS, QosClassView, QosCounts, QosEstimate, QosLevel, QosRequestView,
    QosSubtreePart, QosTracked, QosVerdict, RequestOutcome, SUBTREE_LEVELS_MAX,
};
use watchglass_engine::view::{QosComparisonView, QosView};
use yew::prelude::*;

use super::common::grouped_count;
use crate::draw::text::{bytes, count, duration, grouped};

pub const VIEW: &str = "QoS: classes, rules and the requests that they limit";
/// The accessible name of the scrollable part of the QoS view.
pub const MEMBER: &str = "QoS of the member";

pub const OFF: &str = "QoS is off";
/// The explanation that the empty view shows.
pub const ABOUT: &str = "etcd QoS is a proposal of 2020 that was never merged into etcd. Rules select expensive \
    requests, and the class of each rule limits the rate of the selected requests, or how many of them run at \
    the same time.";
/// The explanation of the command that turns QoS on.
pub const TURNS_ON: &str = "turns QoS on, with the proposal's class and rule for slow reads";

/// The mark that says that etcd QoS is not a part of etcd.
pub const PROPOSAL: &str = "Proposal, not in etcd";

/// The name of the section with the rules, and its text without rules.
pub const RULES: &str = "Rules";
pub const NO_RULES: &str = "There is no rule, so no request is limited.";

/// The column headings of the rules and of the newest requests.
pub const PRIORITY: &str = "Priority";
pub const RULE: &str = "Rule";
pub const CLASS: &str = "Class";
pub const SELECTS: &str = "Selects";
pub const NEWEST_REQUEST: &str = "Newest request";
pub const REQUESTS: &str = "Requests";
pub const TIME: &str = "Time";
pub const REQUEST: &str = "Request";
pub const CALLER: &str = "Caller";
pub const KEYS: &str = "Keys";
pub const TRAFFIC: &str = "Traffic";
pub const LATENCY: &str = "Latency";
pub const OUTCOME: &str = "Outcome";

pub const NEWEST_REQUESTS: &str = "Newest requests";
pub const MONITOR: &str = "Monitor";

/// The text in place of the queue if no request waits.
pub const NO_WAITING: &str = "no request waits";
/// The name of the lane of requests without a rule.
pub const NO_RULE_LANE: &str = "no rule";
/// The labels below the bars of latencies. Each bar stands for latencies that are ten times as long as the latencies of
/// the previous bar.
pub const BIN_LABELS: [&str; LATENCY_BINS] = ["1 ms", "", "", "1 s", "", ""];

/// The texts of the comparison with and without the rules: its name, its explanation, and its buttons.
pub const COMPARISON: &str = "With and without the rules";
pub const ABOUT_COMPARISON: &str = "What do the rules change? The simulator replays the run up to this step twice with \
    the same seed: with the rules and without them.";
pub const COMPARE: &str = "Compare";
pub const COMPARE_HERE: &str = "Compare at this step";
pub const REPLAYING: &str = "Replaying the run…";
pub const REPLAYED_TIME: &str = "Replayed time";
/// The column and row headings of the comparison.
pub const WITH_RULES: &str = "With the rules";
pub const WITHOUT_RULES: &str = "Without the rules";
pub const QUOTA: &str = "Quota";
pub const MEMORY: &str = "Memory";
pub const LIMITED_REQUESTS: &str = "Limited requests";
pub const NO_RULE: &str = "No rule";
/// The text in place of the outcomes, if one of the compared runs does not have the class.
pub const NO_REQUESTS: &str = "no requests";

const BINS: [&str; LATENCY_BINS] = [
    "up to 1 ms",
    "up to 10 ms",
    "up to 100 ms",
    "up to 1 s",
    "up to 10 s",
    "over 10 s",
];

/// The section with the estimate of the number of scanned keys.
pub const ESTIMATE: &str = "How many keys does a read scan?";
pub const ABOUT_ESTIMATE: &str = "The proposal counts keys in a tree of intervals. Each interval stores its number of \
    keys, so a count adds whole intervals and descends only at the ends of the range.";
pub const FROM: &str = "From key";
pub const TO: &str = "Up to, without";
pub const OF_NEWEST: &str = "Newest request";
pub const HASH: &str = "Request";
pub const RESPONSE: &str = "Response";

/// Returns the number of keys that a subtree adds to a count, or the number of its keys.
pub fn subtree(part: QosSubtreePart, size: u64) -> String {
    match part {
        QosSubtreePart::Added => ["+", &count(size)].concat(),
        QosSubtreePart::DescendedAndOwn => [&count(size), ", +1"].concat(),
        QosSubtreePart::Descended | QosSubtreePart::Skipped => count(size),
    }
}

/// Returns the result of a count, and the subtrees and keys from which it comes.
pub fn counted(estimate: &QosEstimate) -> String {
    let number = |part| {
        let all = estimate.subtrees.iter();
        all.filter(|subtree| subtree.part == part).count() as u64
    };
    let subtrees = grouped_count(number(QosSubtreePart::Added), "subtree", "subtrees");
    let own = number(QosSubtreePart::DescendedAndOwn);
    let own = grouped_count(own, "single key", "single keys");
    let keys = grouped_count(estimate.count, "key", "keys");
    let mut text = [
        &estimate.range,
        ": ",
        &keys,
        " of ",
        &count(estimate.keys * estimate.one_in),
        ", from ",
        &subtrees,
        " and ",
        &own,
        ".",
    ]
    .concat();
    if estimate.one_in > 1 {
        let one_in = count(estimate.one_in);
        text.push_str(&[" The tree contains about one key in ", &one_in, "."].concat());
    }
    let levels = estimate.subtrees.iter().map(|subtree| subtree.level + 1);
    if levels.max() == Some(SUBTREE_LEVELS_MAX) {
        let levels = SUBTREE_LEVELS_MAX.to_string();
        text.push_str(&[" The picture shows ", &levels, " levels of the tree."].concat());
    }
    text
}

/// Returns the size of the tracker, and which of both estimates the rules use.
pub fn tracker(estimate: &QosEstimate) -> String {
    let [used, size] = estimate.tracker;
    let used = grouped_count(used, "request", "requests");
    let rules = match estimate.uses_tracker {
        true => "The rules use the tracker, not the tree.",
        false => "The rules use the tree, not the tracker.",
    };
    [
        "The tracker knows the costs of ",
        &used,
        ", at most ",
        &count(size),
        ", the last used first. ",
        rules,
    ]
    .concat()
}

/// Returns the name of a request in the tracker.
pub fn tracked(tracked: &QosTracked) -> String {
    match tracked.is_of_range {
        true => [&tracked.hash, ", a read of this range"].concat(),
        false => tracked.hash.clone(),
    }
}

/// Returns the number of expensive requests for each condition that made them expensive.
pub fn expensive(expensive: &[(String, u64)]) -> String {
    let parts = expensive.iter();
    let parts = parts.map(|(name, number)| [&count(*number), " (", name, ")"].concat());
    let parts: Vec<String> = parts.collect();
    ["Expensive requests: ", &parts.join(", ")].concat()
}

/// Describes the newest request that the rules were compared with.
pub fn newest(request: &QosRequestView) -> Html {
    let scan = match request.scan {
        0 => String::new(),
        1 => " of 1 key".to_owned(),
        keys => [" of ", &count(keys), " keys"].concat(),
    };
    let at = duration(request.at_us);
    let outcome = outcome(request.outcome);
    let newest = [&request.operation, &scan, " at ", &at, ": ", outcome].concat();
    html! { <>{ "Newest request: " }<b>{ newest }</b></> }
}

/// Returns the name of the section of a class.
pub fn class(name: &str) -> String {
    ["Class ", name].concat()
}

/// Returns the number of accounting groups that are not shown.
pub fn more_groups(number: u64) -> String {
    ["and ", &grouped_count(number, "more group", "more groups")].concat()
}

pub fn request_outcome(request: &QosRequestView) -> String {
    match request.outcome {
        RequestOutcome::Delayed => ["delayed ", &duration(request.wait_us)].concat(),
        other => outcome(other).to_owned(),
    }
}

/// Returns the label of a point on the axis of time.
pub fn ago(us: u64) -> String {
    match us {
        0 => "now".to_owned(),
        us => ["−", &duration(us)].concat(),
    }
}

/// Returns the text alternative of the bars of latencies.
pub fn latency(bins: &[u64; LATENCY_BINS]) -> String {
    ["Latency: ", &latencies(bins)].concat()
}

/// Returns the time and the step that the comparison ends at.
pub fn compared_up_to(view: &QosComparisonView) -> String {
    let (time, step) = (duration(view.time_us), count(view.step));
    ["Up to ", &time, ", step ", &step].concat()
}

pub fn discipline(discipline: Discipline) -> &'static str {
    match discipline {
        Discipline::TokenBucket => "token bucket",
        Discipline::LeakyBucket => "leaky bucket",
        Discipline::InFlight => "running requests",
        Discipline::Window => "sliding window",
        Discipline::Priority => "priority queue",
        Discipline::Discard => "discard",
    }
}

pub fn outcome(outcome: RequestOutcome) -> &'static str {
    match outcome {
        RequestOutcome::Bypassed => "no rule",
        RequestOutcome::Admitted => "admitted",
        RequestOutcome::Delayed => "delayed",
        RequestOutcome::Limited => "limited",
    }
}

/// Returns the level of a limiter in words.
pub fn level(discipline: Discipline, level: &QosLevel) -> String {
    let of = [&grouped(level.level), " of ", &count(level.max)].concat();
    let unit = match discipline {
        Discipline::TokenBucket => " tokens",
        Discipline::LeakyBucket => " in the bucket",
        Discipline::InFlight | Discipline::Priority => " running",
        Discipline::Window => " spent",
        Discipline::Discard => return String::new(),
    };
    of + unit
}

/// Returns the queue of a class in words; empty if no request waits.
pub fn queue(class: &QosClassView) -> String {
    if class.waiting == 0 {
        return String::new();
    }
    let next = class
        .next_us
        .map(|us| [", next in ", &duration(us)].concat());
    [&count(class.waiting), " waiting", &next.unwrap_or_default()].concat()
}

/// Returns the number of requests for each outcome. Omits outcomes without requests.
pub fn counts(counts: &QosCounts) -> String {
    let some = outcomes(&[
        (counts.bypassed, "without a rule"),
        (counts.admitted, "admitted"),
        (counts.delayed, "delayed"),
        (counts.limited, "limited"),
        (counts.too_many, "too many requests"),
    ]);
    match some.is_empty() {
        true => NO_REQUESTS.to_owned(),
        false => some,
    }
}

/// Returns the outcomes that at least one request has, each with the number of these requests.
fn outcomes(parts: &[(u64, &str)]) -> String {
    let some = parts.iter().filter(|(number, _)| *number > 0);
    let some: Vec<String> = some
        .map(|(n, name)| [&count(*n), " ", name].concat())
        .collect();
    some.join(", ")
}

/// Says whether a rule matches the newest request, and whether the rule decides.
pub fn verdict(verdict: &QosVerdict) -> String {
    match verdict {
        QosVerdict::None => "no request yet".to_owned(),
        QosVerdict::Wins => "matches and decides".to_owned(),
        QosVerdict::Unused => "matches, but a higher priority decides".to_owned(),
        QosVerdict::Mismatch(reason) => reason.clone(),
    }
}

pub fn latencies(bins: &[u64; LATENCY_BINS]) -> String {
    let some = bins.iter().zip(BINS).filter(|(number, _)| **number > 0);
    let some: Vec<String> = some
        .map(|(n, name)| [&count(*n), " ", name].concat())
        .collect();
    some.join(", ")
}

/// Returns the used share of the database quota in words.
pub fn storage(view: &QosView) -> String {
    let [used, size, quota] = view.storage;
    let basis = if view.is_file_size { size } else { used };
    let percent = basis.saturating_mul(100) / quota.max(1);
    let name = if view.is_file_size {
        "file size"
    } else {
        "pages in use"
    };
    let sizes = [&bytes(basis), " of ", &bytes(quota)].concat();
    [name, " ", &percent.to_string(), " % of the quota, ", &sizes].concat()
}

/// Describes the effect of the rules on the run in a few sentences.
pub fn conclusion(view: &QosComparisonView) -> String {
    let [with, without] = &view.sides;
    let mut text = match (with.no_space_us, without.no_space_us) {
        (None, Some(at)) => [
            "Without the rules, the database exceeds its quota after ",
            &duration(at),
            ", and etcd refuses writes. With the rules, etcd accepts writes until the end. ",
        ]
        .concat(),
        (Some(with), Some(without)) if with != without => [
            "The database exceeds its quota in both runs: after ",
            &duration(with),
            " with the rules, after ",
            &duration(without),
            " without the rules. ",
        ]
        .concat(),
        (Some(at), None) => [
            "With the rules, the database exceeds its quota after ",
            &duration(at),
            ". Without the rules, the quota is not exceeded. ",
        ]
        .concat(),
        _ => String::new(),
    };
    if with.kills > without.kills {
        let (with, without) = (times(with.kills), times(without.kills));
        let more = ["With the rules, etcd runs out of memory ", &with];
        text.push_str(&more.concat());
        text.push_str(&["; without the rules, ", &without, ". "].concat());
    } else if without.kills > with.kills {
        let often = times(without.kills);
        text.push_str(&["Without the rules, etcd runs out of memory ", &often].concat());
        text.push_str(&match with.kills {
            0 => ". With the rules, the memory is sufficient. ".to_owned(),
            kills => ["; with the rules, ", &times(kills), ". "].concat(),
        });
    }
    if text.is_empty() {
        text = match with.limited {
            _ if with == without => "The rules changed nothing, so both runs are equal.".to_owned(),
            0 => "The rules refuse no request. Compare the latencies.".to_owned(),
            limited => [
                "The rules refuse ",
                &grouped_count(limited, "request", "requests"),
                ". The outcomes for quota and memory are the same in both runs. Compare the latencies.",
            ]
            .concat(),
        };
    }
    text.trim_end().to_owned()
}

fn times(number: u64) -> String {
    match number {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        number => [&count(number), " times"].concat(),
    }
}

/// Describes whether a run exceeded the quota of the database.
pub fn quota(side: &QosSideView) -> String {
    let [_, size, quota] = side.storage;
    let file = ["file ", &bytes(size), " of ", &bytes(quota)].concat();
    match side.no_space_us {
        None => ["no alarm, ", &file].concat(),
        Some(at) => {
            let end = if side.has_no_space {
                ""
            } else {
                " (disarmed later)"
            };
            ["NOSPACE after ", &duration(at), end, ", ", &file].concat()
        }
    }
}

/// Describes whether etcd ran out of memory in a run.
pub fn memory(side: &QosSideView) -> String {
    match side.killed_us {
        None => "not killed".to_owned(),
        Some(at) => {
            let often = times(side.kills);
            [
                "killed ",
                &often,
                ": out of memory, first after ",
                &duration(at),
            ]
            .concat()
        }
    }
}

/// Returns the outcomes of the requests of a class.
pub fn class_outcome(class: &QosClassOutcome) -> String {
    outcomes(&[
        (class.succeeded, "succeeded"),
        (class.failed, "failed"),
        (class.limited, "limited"),
        (class.unanswered, "without a response"),
    ])
}

/// Returns the text alternative of the view.
pub fn figure(view: &QosView) -> String {
    if !view.is_on {
        return "QoS is off.".to_owned();
    }
    let mut text = ["QoS, a proposal. Requests: ", &counts(&view.counts), "."].concat();
    for class in &view.classes {
        let parts = [
            discipline(class.discipline).to_owned(),
            level(class.discipline, &class.level),
            queue(class),
            counts(&class.counts),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        text.push_str(&[" Class ", &class.name, ": ", &parts.join(", "), "."].concat());
    }
    text
}
