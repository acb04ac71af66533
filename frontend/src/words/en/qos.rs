//! The texts of the QoS view: names of disciplines and outcomes, levels, comparisons, and the text alternative.

use watchglass_engine::view::qos::comparison::{QosClassOutcome, QosSideView};
use watchglass_engine::view::qos::{
    Discipline, LATENCY_BINS, QosClassView, QosCounts, QosLevel, QosVerdict, RequestOutcome,
};

use watchglass_engine::view::{QosComparisonView, QosView};

use crate::draw::text::{bytes, count, duration, grouped};

/// The names of the latency bins.
const BINS: [&str; LATENCY_BINS] = [
    "up to 1 ms",
    "up to 10 ms",
    "up to 100 ms",
    "up to 1 s",
    "up to 10 s",
    "over 10 s",
];

/// The outcomes in the order of the legend.
pub const OUTCOMES: [RequestOutcome; 4] = [
    RequestOutcome::Bypassed,
    RequestOutcome::Admitted,
    RequestOutcome::Delayed,
    RequestOutcome::Limited,
];

/// Returns the name of a discipline.
pub fn discipline(discipline: Discipline) -> &'static str {
    match discipline {
        Discipline::TokenBucket => "token bucket",
        Discipline::LeakyBucket => "leaky bucket",
        Discipline::InFlight => "running requests",
        Discipline::Window => "running window",
        Discipline::Priority => "priority queue",
        Discipline::Discard => "discard",
    }
}

/// Returns the name of an outcome.
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
        true => "no requests".to_owned(),
        false => some,
    }
}

/// Returns the outcomes that at least one request has, with their numbers.
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
        QosVerdict::Unused => "matches, but a larger priority decides".to_owned(),
        QosVerdict::Mismatch(reason) => ["no match: ", reason].concat(),
    }
}

/// Returns the latencies in words.
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
        text.push_str(&[", without the rules ", &without, ". "].concat());
    } else if without.kills > with.kills {
        let often = times(without.kills);
        text.push_str(&["Without the rules, etcd runs out of memory ", &often].concat());
        text.push_str(&match with.kills {
            0 => ". With the rules, the memory is sufficient. ".to_owned(),
            kills => [", with the rules ", &times(kills), ". "].concat(),
        });
    }
    if text.is_empty() {
        text = match with.limited {
            _ if with == without => "The rules changed nothing, so both runs are equal.".to_owned(),
            0 => "The rules refuse no request. Compare the latencies.".to_owned(),
            limited => [
                "The rules refuse ",
                &count(limited),
                " requests. The outcomes for quota and memory are the same in both runs. Compare the latencies.",
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

/// Returns the names of the classes of both runs, in order.
pub fn compared_classes(view: &QosComparisonView) -> Vec<&str> {
    let classes = view.sides.iter().flat_map(|side| &side.classes);
    let mut names: Vec<&str> = classes.map(|class| &*class.name).collect();
    names.sort_unstable();
    names.dedup();
    names
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

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn in_words() {
        let view = fixture::busy();
        assert_eq!(
            figure(&view),
            "QoS, a proposal. Requests: 76 without a rule, 41 admitted, 6 delayed, 29 limited. \
             Class event: leaky bucket, 2 of 3 in the bucket, 1 waiting, next in 472 ms, 1 admitted, 6 delayed, \
             4 limited. Class slow-query: token bucket, 0 of 12 tokens, 40 admitted, 25 limited."
        );
        let verdicts: Vec<String> = view
            .rules
            .iter()
            .map(|rule| verdict(&rule.verdict))
            .collect();
        assert_eq!(
            verdicts,
            [
                "matches and decides",
                "no match: another operation",
                "matches, but a larger priority decides"
            ]
        );
        assert_eq!(
            storage(&view),
            "pages in use 91 % of the quota, 3.6 MB of 4 MB"
        );
        assert_eq!(
            latencies(&view.classes[1].latencies),
            "30 up to 1 ms, 10 up to 10 ms"
        );
        assert_eq!(figure(&QosView::default()), "QoS is off.");
    }

    #[test]
    fn the_conclusion_names_what_the_rules_prevent() {
        let mut view = QosComparisonView::default();
        assert_eq!(
            conclusion(&view),
            "The rules changed nothing, so both runs are equal."
        );
        view.sides[0].limited = 246;
        assert!(conclusion(&view).starts_with("The rules refuse 246 requests."));
        let without = &mut view.sides[1];
        (without.no_space_us, without.has_no_space) = (Some(8_132_000), true);
        without.storage = [3_700_000, 4_200_000, 4_200_000];
        assert_eq!(
            conclusion(&view),
            "Without the rules, the database exceeds its quota after 8.1 s, and etcd refuses writes. With the \
             rules, etcd accepts writes until the end."
        );
        assert_eq!(
            quota(&view.sides[1]),
            "NOSPACE after 8.1 s, file 4 MB of 4 MB"
        );
        assert_eq!(quota(&view.sides[0]), "no alarm, file 0 B of 0 B");
        view.sides[0].no_space_us = Some(9_000_000);
        assert!(conclusion(&view).contains("after 9 s with the rules, after 8.1 s without"));
        view.sides = [QosSideView::default(), QosSideView::default()];
        (view.sides[1].kills, view.sides[1].killed_us) = (3, Some(1_500_000));
        assert_eq!(
            conclusion(&view),
            "Without the rules, etcd runs out of memory 3 times. With the rules, the memory is sufficient."
        );
        assert_eq!(
            memory(&view.sides[1]),
            "killed 3 times: out of memory, first after 1.5 s"
        );
        assert_eq!(memory(&view.sides[0]), "not killed");
        view.sides[0].kills = 1;
        assert!(conclusion(&view).ends_with("3 times, with the rules once."));
        view.sides.swap(0, 1);
        assert_eq!(
            conclusion(&view),
            "With the rules, etcd runs out of memory 3 times, without the rules once."
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
            class_outcome(&view.sides[1].classes[0]),
            "5 succeeded, 2 failed, 4 without a response"
        );
    }
}
