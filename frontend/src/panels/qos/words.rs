//! The texts of the QoS view: names of disciplines and outcomes, levels, comparisons, and the text alternative.

use watchglass_engine::view::QosView;
use watchglass_engine::view::qos::{
    Discipline, LATENCY_BINS, QosClassView, QosCounts, QosLevel, QosVerdict, RequestOutcome,
};

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
        Discipline::Priority => "order of priority",
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

/// Returns the number of requests for each outcome that at least one request has.
pub fn counts(counts: &QosCounts) -> String {
    let parts = [
        (counts.bypassed, "without a rule"),
        (counts.admitted, "admitted"),
        (counts.delayed, "delayed"),
        (counts.limited, "limited"),
        (counts.too_many, "too many requests"),
    ];
    let some = parts.iter().filter(|(number, _)| *number > 0);
    let some: Vec<String> = some
        .map(|(n, name)| [&count(*n), " ", name].concat())
        .collect();
    match some.is_empty() {
        true => "no requests".to_owned(),
        false => some.join(", "),
    }
}

/// Returns the comparison of a rule with the newest request.
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
}
