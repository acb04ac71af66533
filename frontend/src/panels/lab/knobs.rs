//! The knobs of the Lab. A knob is a setting that the user changes with a slider; this file defines the name, steps,
//! unit and source of each knob.

use watchglass_engine::session::latency::{Arrivals, LabSetting, Others, Rate, Scheme};

use super::words::{count, duration_us, rate};

/// A knob with fixed steps.
pub struct Knob {
    /// The name.
    pub name: &'static str,
    /// The meaning of the knob, and the source of its values.
    pub source: &'static str,
    /// The values of the steps.
    pub values: &'static [u64],
    /// Reads the knob's value from a setting.
    pub get: fn(&LabSetting) -> u64,
    /// Sets the knob's value in a setting.
    pub set: fn(&mut LabSetting, u64),
    /// Formats a value with its unit.
    pub show: fn(u64) -> String,
}

/// The step of the knob for other writes at which writes follow each other without a pause.
pub const WITHOUT_PAUSE: u64 = u64::MAX;

const INTERVALS_US: &[u64] = &[
    10_000,
    20_000,
    50_000,
    75_000,
    100_000,
    125_000,
    150_000,
    200_000,
    250_000,
    300_000,
    400_000,
    500_000,
    750_000,
    1_000_000,
    2_000_000,
    5_000_000,
    60_000_000,
    600_000_000,
];
const GAPS_US: &[u64] = &[
    5_000, 10_000, 20_000, 50_000, 75_000, 100_000, 125_000, 150_000, 200_000, 250_000,
];
const RATES: &[u64] = &[
    0, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
];
const OTHER_RATES: &[u64] = &[
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    WITHOUT_PAUSE,
];
const LIST_RATES: &[u64] = &[
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
];
const ROUND_TRIPS_US: &[u64] = &[
    0, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000,
];
const JITTERS_US: &[u64] = &[
    0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000,
];
const SIZES: &[u64] = &[
    1, 10, 100, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 150_000, 500_000,
];
const LISTS: &[u64] = &[1_000, 10_000, 100_000, 500_000, 1_000_000];

fn set_interval(setting: &mut LabSetting, us: u64) {
    setting.interval.0 = us;
}

fn set_gap(setting: &mut LabSetting, us: u64) {
    setting.gap.0 = us;
}

/// The knob for the interval of etcd's own timer.
const TICK: Knob = Knob {
    name: "etcd notifies every",
    source: "etcd's --watch-progress-notify-interval: 10 min by default, 5 s in kubeadm's clusters; \
        the draft assumes 250 ms.",
    values: INTERVALS_US,
    get: |setting| setting.interval.0,
    set: set_interval,
    show: duration_us,
};

/// The knob for the interval of etcd's own timer in a scheme that also uses progress requests.
const TIMER_BESIDE: Knob = Knob {
    get: |setting| setting.gap.0,
    set: set_gap,
    ..TICK
};

/// The knob for the silence after which the API server requests progress in a scheme that also uses etcd's own timer.
const NEEDED: Knob = Knob {
    name: "progress is needed every",
    source: "KEP-2340's draft: with etcd's timer at 250 ms and progress needed every 300 ms, each notification cancels \
        the scheduled request.",
    ..TICK
};

/// The knob for the silence after which the background task in the KEP's draft requests progress.
const QUIET: Knob = Knob {
    name: "asks after a silence of",
    source: "KEP-2340's draft: a request if no notification has arrived for 250 ms.",
    ..TICK
};

/// The knob for the interval between progress requests while a list waits.
const PERIOD: Knob = Knob {
    name: "while a list waits, asks every",
    source: "progressRequestPeriod of the watch cache: 100 ms since 1.28.",
    ..TICK
};

const MIN_GAP: Knob = Knob {
    name: "at most one request every",
    source: "KEP-2340's draft: at most one request every 125 ms, no matter how many lists wait.",
    values: GAPS_US,
    get: |setting| setting.gap.0,
    set: set_gap,
    show: duration_us,
};

const BATCH: Knob = Knob {
    name: "collects lists for",
    source: "KEP-2340's draft describes the idea without a number.",
    ..MIN_GAP
};

/// Returns the knobs of a scheme. A scheme is a way to serve consistent lists.
pub fn of_scheme(scheme: Scheme) -> Vec<&'static Knob> {
    match scheme {
        Scheme::TimerOnly => vec![&TICK],
        Scheme::TimerAndRequests => vec![&TIMER_BESIDE, &NEEDED],
        Scheme::Draft => vec![&QUIET, &MIN_GAP],
        Scheme::Today | Scheme::Echo => vec![&PERIOD],
        Scheme::Batch => vec![&PERIOD, &BATCH],
        Scheme::FromEtcd => Vec::new(),
    }
}

/// The knobs that belong to both settings.
pub const SHARED: [Knob; 7] = [
    Knob {
        name: "Writes to the listed resource",
        source: "Each write is an event on the cache's own watch. An event ends a wait, like a \
            notification.",
        values: RATES,
        get: |setting| setting.own.0,
        set: |setting, value| setting.own = Rate(value),
        show: rate,
    },
    Knob {
        name: "Writes to other resources",
        source: "These writes advance etcd's revision but not the cache; without them the cache is \
            never behind. If they never pause, the cache is behind at every list: the worst case.",
        values: OTHER_RATES,
        get: |setting| match setting.others {
            Others::WithoutPause => WITHOUT_PAUSE,
            Others::At(rate) => rate.0,
        },
        set: |setting, value| {
            setting.others = if value == WITHOUT_PAUSE {
                Others::WithoutPause
            } else {
                Others::At(Rate(value))
            };
        },
        show: |value| {
            if value == WITHOUT_PAUSE {
                "without pause".to_owned()
            } else {
                rate(value)
            }
        },
    },
    Knob {
        name: "Consistent lists",
        source: "Lists of one resource, sent to one API server. KEP-2340's benchmark sends one list per second.",
        values: LIST_RATES,
        get: |setting| setting.lists.0,
        set: |setting, value| setting.lists = Rate(value),
        show: rate,
    },
    Knob {
        name: "Round trip to etcd",
        source: "Half of the time in each direction. About 1 ms in one zone, up to 10 ms between zones.",
        values: ROUND_TRIPS_US,
        get: |setting| setting.round_trip.0,
        set: |setting, value| setting.round_trip.0 = value,
        show: duration_us,
    },
    Knob {
        name: "Jitter of each way",
        source: "Uniform from 0 to this value (our assumption).",
        values: JITTERS_US,
        get: |setting| setting.jitter.0,
        set: |setting, value| setting.jitter.0 = value,
        show: duration_us,
    },
    Knob {
        name: "Objects in the list",
        source: "The draft lets small lists wait 10 ms and large ones 500 ms; the limits for small \
            (100) and large (10,000) are our assumption. Today every list waits up to 3 s. A list \
            of all pods on 5,000 nodes with 30 pods each has 150,000 objects.",
        values: SIZES,
        get: |setting| setting.size,
        set: |setting, value| setting.size = value,
        show: count,
    },
    Knob {
        name: "Lists in the run",
        source: "Percentiles of fewer than 100,000 lists are imprecise.",
        values: LISTS,
        get: |setting| setting.requests,
        set: |setting, value| setting.requests = value,
        show: count,
    },
];

impl Knob {
    /// Returns the index of the step nearest to a value.
    pub fn step_of(&self, value: u64) -> usize {
        let distance = |step: &usize| self.values[*step].abs_diff(value);
        (0..self.values.len()).min_by_key(distance).unwrap_or(0)
    }
}

/// Returns the label of a scheme.
pub fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::TimerOnly => "Timer only",
        Scheme::TimerAndRequests => "Timer and requests",
        Scheme::Draft => "Draft KEP",
        Scheme::Today => "Today",
        Scheme::Echo => "Today, echoed id",
        Scheme::Batch => "Today, in batches",
        Scheme::FromEtcd => "Opted out: etcd",
    }
}

/// Returns the description of a scheme.
pub fn scheme_gloss(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::TimerOnly => "Only etcd's own timer sends progress to the cache.",
        Scheme::TimerAndRequests => {
            "An example of the draft: etcd's own timer sends progress, and the cache asks only if \
             no progress arrives for a period. A waiting list does not shorten this period."
        }
        Scheme::Draft => {
            "The cache asks etcd for progress after a long silence, and sooner while a list waits. \
             Large lists that wait 500 ms fail; small lists go to etcd."
        }
        Scheme::Today => {
            "The cache asks etcd for progress only while a list waits; after 3 s the list goes to etcd."
        }
        Scheme::Echo => {
            "An idea of the draft: etcd echoes an id, so the cache does not ask for the revision \
             first. This saves one of two round trips, but even a fresh cache has to ask."
        }
        Scheme::Batch => {
            "An idea of the draft: lists that arrive close together share one request for etcd's \
             revision. etcd gets fewer requests, and lists wait longer."
        }
        Scheme::FromEtcd => "Every list goes to etcd, as before KEP-2340, at etcd's cost.",
    }
}

/// The arrival processes, with their names.
pub const ARRIVALS: [(Arrivals, &str); 3] = [
    (Arrivals::Poisson, "at random"),
    (Arrivals::Regular, "evenly"),
    (Arrivals::Bursts, "ten at once"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_stands_on_a_step_at_first() {
        for scheme in Scheme::ALL {
            let setting = LabSetting::of(scheme);
            let knobs = of_scheme(scheme).into_iter().chain(&SHARED);
            for knob in knobs {
                let value = (knob.get)(&setting);
                assert!(knob.values.contains(&value), "{}: {value}", knob.name);
                assert_eq!(knob.values[knob.step_of(value)], value, "{}", knob.name);
                assert!(knob.values.is_sorted(), "{}", knob.name);
                let mut turned = setting;
                (knob.set)(&mut turned, knob.values[0]);
                assert_eq!((knob.get)(&turned), knob.values[0], "{}", knob.name);
            }
        }
    }
}
