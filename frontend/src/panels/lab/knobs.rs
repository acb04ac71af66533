//! The knobs of the Lab. A knob is a setting that the user changes with a slider; this file defines the steps and the
//! unit of each knob.

use watchglass_engine::session::latency::{Arrivals, LabSetting, Others, Rate, Scheme};

use crate::words::lab::{count, duration_us, rate};
use crate::words::lab_knobs as words;

/// A knob: a setting that the user changes with a slider, in fixed steps.
pub struct Knob {
    pub name: &'static str,
    /// The meaning of the knob, and the source of its values.
    pub source: &'static str,
    /// The values of the slider's steps.
    pub values: &'static [u64],
    /// Reads the value from the settings of A or B.
    pub get: fn(&LabSetting) -> u64,
    /// Sets the value in the settings of A or B.
    pub set: fn(&mut LabSetting, u64),
    /// Formats a value of the slider with its unit.
    pub show: fn(u64) -> String,
}

/// The last value of the slider for writes to other resources: the writes follow each other without a pause.
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

/// The slider for the interval of etcd's own timer for progress notifications.
const TICK: Knob = Knob {
    name: words::TICK,
    source: words::TICK_SOURCE,
    values: INTERVALS_US,
    get: |setting| setting.interval.0,
    set: set_interval,
    show: duration_us,
};

/// The slider for the interval of etcd's own timer for progress notifications, in a scheme that also uses progress
/// requests.
const TIMER_BESIDE: Knob = Knob {
    get: |setting| setting.gap.0,
    set: set_gap,
    ..TICK
};

/// The slider for the duration of etcd's silence after which the API server requests a progress notification, in a
/// scheme that also uses etcd's own timer.
const NEEDED: Knob = Knob {
    name: words::NEEDED,
    source: words::NEEDED_SOURCE,
    ..TICK
};

/// The slider for the duration of etcd's silence after which the background task in KEP-2340's draft requests a
/// progress notification.
const QUIET: Knob = Knob {
    name: words::QUIET,
    source: words::QUIET_SOURCE,
    ..TICK
};

/// The slider for the interval between progress requests while a list waits.
const PERIOD: Knob = Knob {
    name: words::PERIOD,
    source: words::PERIOD_SOURCE,
    ..TICK
};

const MIN_GAP: Knob = Knob {
    name: words::MIN_GAP,
    source: words::MIN_GAP_SOURCE,
    values: GAPS_US,
    get: |setting| setting.gap.0,
    set: set_gap,
    show: duration_us,
};

const BATCH: Knob = Knob {
    name: words::BATCH,
    source: words::BATCH_SOURCE,
    ..MIN_GAP
};

/// Returns the sliders of a scheme. A scheme is a way to serve consistent lists.
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

/// The sliders that apply to both A and B.
pub const SHARED: [Knob; 7] = [
    Knob {
        name: words::OWN_WRITES,
        source: words::OWN_WRITES_SOURCE,
        values: RATES,
        get: |setting| setting.own.0,
        set: |setting, value| setting.own = Rate(value),
        show: rate,
    },
    Knob {
        name: words::OTHER_WRITES,
        source: words::OTHER_WRITES_SOURCE,
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
                words::WITHOUT_PAUSE.to_owned()
            } else {
                rate(value)
            }
        },
    },
    Knob {
        name: words::LISTS,
        source: words::LISTS_SOURCE,
        values: LIST_RATES,
        get: |setting| setting.lists.0,
        set: |setting, value| setting.lists = Rate(value),
        show: rate,
    },
    Knob {
        name: words::ROUND_TRIP,
        source: words::ROUND_TRIP_SOURCE,
        values: ROUND_TRIPS_US,
        get: |setting| setting.round_trip.0,
        set: |setting, value| setting.round_trip.0 = value,
        show: duration_us,
    },
    Knob {
        name: words::JITTER,
        source: words::JITTER_SOURCE,
        values: JITTERS_US,
        get: |setting| setting.jitter.0,
        set: |setting, value| setting.jitter.0 = value,
        show: duration_us,
    },
    Knob {
        name: words::OBJECTS,
        source: words::OBJECTS_SOURCE,
        values: SIZES,
        get: |setting| setting.size,
        set: |setting, value| setting.size = value,
        show: count,
    },
    Knob {
        name: words::LISTS_IN_RUN,
        source: words::LISTS_IN_RUN_SOURCE,
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

/// The arrival processes of lists, in the order in which the page offers them.
pub const ARRIVALS: [Arrivals; 3] = [Arrivals::Poisson, Arrivals::Regular, Arrivals::Bursts];

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
