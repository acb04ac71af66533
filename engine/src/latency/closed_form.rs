//! The distribution of the time that a list waits, in closed form: computed from formulas instead of a simulation.
//!
//! `T` is the interval, `g` the minimum gap between requests, `R` the round trip. Writes to the listed resource ("own"
//! writes) arrive at rate λ, writes to other resources at rate µ, and lists at rate ρ, all independently. Before a list
//! waits, the API server sends a request for etcd's revision. The wait ends when the cache receives a message that etcd
//! sent after this request had reached etcd: either a progress notification or the event of an own write. Both
//! directions of a round trip take the same time, so all times can be measured at etcd.
//!
//! | | the wait `W` | `P(W > t)` |
//! |---|---|---|
//! | timer | `min(U(0,T), Exp(λ))` | `(1 - t/T) e^-λt` |
//! | timer that skips ticks after an event | up to `2T` | see `eliding` |
//! | timer, other writes at rate µ | 0 after an own write | `e^-λt µ/νT [T-t - (1-e^-ν(T-t))/ν]`, ν = λ+µ |
//! | on demand | `min(X, Exp(λ))`, `X = R` with weight `w`, else `U(0,g)` | `e^-λt [(1-w)(1-t/g)⁺ + w·1(t<R)]` |
//!
//! `w` is the share of lists that send their own progress request. A list sends a request if no other list waits and
//! the last request is older than `g`. `w = e/(ρg + e)`, where `e = [λ + ρ e^-(λ+ρ)(g-R)]/(λ+ρ)` is the probability
//! that, at the time `g` after a request, no list is waiting. In the draft of KEP-2340, a background request may
//! precede the list's request. The probability `e` is then multiplied by `1 - e^-ρ(B-g)`, where `B` is the time between
//! two background requests. `B` is the quiet interval plus a round trip, because the interval starts at the last
//! notification.
//!
//! This module uses floats because its results do not affect the state of a run.

use crate::base::time::SimDuration;
use crate::words::latency as words;

use super::gaps::Rate;
use super::setting::{Arrivals, LabSetting, Others, Scheme};

/// The distribution of a wait in closed form. Times are in microseconds, rates per microsecond.
///
/// ```
/// use watchglass_engine::latency::{ClosedForm, Rate, Scheme, LabSetting};
/// let timer = ClosedForm::of(&LabSetting::of(Scheme::TimerOnly)).unwrap();
/// assert_eq!(timer.mean_ns(), 125_000_000); // "125 ms on average"
/// assert_eq!(timer.quantile_us(990_000), 247_500);
/// let rarely = LabSetting { lists: Rate(100), ..LabSetting::of(Scheme::Draft) };
/// let draft = ClosedForm::of(&rarely).unwrap();
/// assert_eq!(draft.mean_ns() / 1_000_000, 31); // a timer has a mean of 125
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    law: Law,
    own: f64,
    /// The time after which the scheme ends a wait; `None` if there is no such limit or no wait can reach the limit.
    limit: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    Timer {
        interval: f64,
    },
    Eliding {
        interval: f64,
    },
    TimerAndOthers {
        interval: f64,
        others: f64,
    },
    OnDemand {
        gap: f64,
        round_trip: f64,
        weight: f64,
    },
}

/// The reason why a setting has no closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Lists do not arrive independently of each other.
    Arrivals,
    /// Messages have random delays.
    Jitter,
    Scheme,
    /// Writes to other resources have pauses between them, and the scheme is not the plain timer.
    Others,
    /// A round trip takes longer than the gap between requests.
    RoundTrip,
}

impl Unknown {
    /// Returns the sentence with which the web page states the reason.
    pub fn text(self) -> &'static str {
        match self {
            Self::Arrivals => words::NEEDS_INDEPENDENT_LISTS,
            Self::Jitter => words::NEEDS_CONSTANT_DELAY,
            Self::Scheme => words::NO_CLOSED_FORM,
            Self::Others => words::ONLY_PLAIN_TIMER,
            Self::RoundTrip => words::NEEDS_SHORT_ROUND_TRIP,
        }
    }
}

/// The number of steps of a numeric integral over an interval in which the function is smooth. Simpson's rule needs an
/// even number.
const SIMPSON_STEPS: u32 = 4_000;

fn us(d: SimDuration) -> f64 {
    d.0 as f64
}

fn per_us(rate: Rate) -> f64 {
    rate.0 as f64 / 1e9
}

impl ClosedForm {
    /// Returns the closed form for a setting.
    ///
    /// # Errors
    /// Returns the reason if the setting has no closed form.
    pub fn of(setting: &LabSetting) -> Result<Self, Unknown> {
        let setting = setting.clamped();
        if setting.jitter.0 > 0 {
            return Err(Unknown::Jitter);
        }
        let own = per_us(setting.own);
        let (interval, gap) = (us(setting.interval), us(setting.gap));
        let (round_trip, lists) = (us(setting.round_trip), per_us(setting.lists));
        // etcd's timer sends a notification before the API server's next request is due, so only the timer has an
        // effect.
        let is_timer =
            setting.scheme == Scheme::TimerAndRequests && gap < interval && !setting.skips_ticks();
        let (scheme, interval) = if is_timer {
            (Scheme::TimerOnly, gap)
        } else {
            (setting.scheme, interval)
        };
        let law = match (scheme, setting.others) {
            _ if setting.arrivals != Arrivals::Poisson => return Err(Unknown::Arrivals),
            (Scheme::Echo | Scheme::Batch | Scheme::FromEtcd | Scheme::TimerAndRequests, _) => {
                return Err(Unknown::Scheme);
            }
            (Scheme::TimerOnly, Others::WithoutPause) if setting.elides && own > 0.0 => {
                Law::Eliding { interval }
            }
            (Scheme::TimerOnly, Others::WithoutPause) => Law::Timer { interval },
            (Scheme::TimerOnly, Others::At(rate)) if !setting.elides && !rate.is_never() => {
                let others = per_us(rate);
                Law::TimerAndOthers { interval, others }
            }
            (_, Others::At(_)) => return Err(Unknown::Others),
            (Scheme::Today, Others::WithoutPause) => {
                on_demand(interval, round_trip, own, lists, None)?
            }
            (Scheme::Draft, Others::WithoutPause) => {
                let background = interval + round_trip;
                on_demand(gap, round_trip, own, lists, Some(background))?
            }
        };
        let limit = setting.limit().map(us).filter(|limit| *limit < law.end());
        Ok(Self { law, own, limit })
    }

    /// Returns the share of lists, in millionths, that wait longer than `t_us` microseconds.
    pub fn above_ppm(&self, t_us: u64) -> u64 {
        let t = t_us as f64;
        let is_over = self.limit.is_some_and(|limit| t >= limit);
        ppm(if is_over { 0.0 } else { self.above(t) })
    }

    /// Returns the share of lists, in millionths, that reach the wait limit.
    pub fn too_late_ppm(&self) -> u64 {
        self.limit.map_or(0, |limit| ppm(self.above(limit)))
    }

    pub fn mean_ns(&self) -> u64 {
        let mean = match self.limit {
            None => self.mean(),
            Some(limit) => self.mean_until(limit),
        };
        (mean * 1_000.0 + 0.5) as u64
    }

    /// The shortest time such that at least `share_ppm` millionths of the lists wait at most this long.
    pub fn quantile_us(&self, share_ppm: u64) -> u64 {
        let above = 1.0 - share_ppm as f64 / 1e6;
        let end = self.limit.unwrap_or_else(|| self.law.end());
        if self.above(0.0) <= above {
            return 0;
        }
        let (mut low, mut high) = (0.0, end);
        while high - low > 0.25 {
            let middle = f64::midpoint(low, high);
            if self.above(middle) <= above {
                high = middle;
            } else {
                low = middle;
            }
        }
        (high + 0.5) as u64
    }

    /// Returns the longest possible wait in microseconds.
    pub fn end_us(&self) -> u64 {
        self.limit.unwrap_or_else(|| self.law.end()) as u64
    }

    /// Returns the share of lists, in millionths, that send their own progress request and wait one round trip. Returns
    /// `None` if the scheme is a timer.
    pub fn weight_ppm(&self) -> Option<u64> {
        match self.law {
            Law::OnDemand { weight, .. } => Some(ppm(weight)),
            Law::Timer { .. } | Law::Eliding { .. } | Law::TimerAndOthers { .. } => None,
        }
    }

    /// Returns P(W > t): the probability that a list waits longer than `t`.
    fn above(&self, t: f64) -> f64 {
        let kept = (-self.own * t).exp();
        let rest = |interval: f64| (1.0 - t / interval).max(0.0);
        match self.law {
            Law::Timer { interval } => rest(interval) * kept,
            Law::Eliding { interval } => kept * self.eliding(t, interval),
            Law::TimerAndOthers { interval, others } => {
                let (left, both) = ((interval - t).max(0.0), self.own + others);
                let stale = left - (1.0 - (-both * left).exp()) / both;
                kept * others / (both * interval) * stale
            }
            Law::OnDemand {
                gap,
                round_trip,
                weight,
            } => {
                let asks = if t < round_trip { weight } else { 0.0 };
                kept * ((1.0 - weight) * rest(gap) + asks)
            }
        }
    }

    /// Returns the probability that the timer sends nothing during a time `t`, if it skips each tick that follows an
    /// event.
    fn eliding(&self, t: f64, interval: f64) -> f64 {
        let own = self.own;
        if t < interval {
            let since = (-own * (interval - t)).exp() - (-own * interval).exp();
            1.0 - since / (own * interval)
        } else if t < 2.0 * interval {
            let left = 2.0 * interval - t;
            (left - (1.0 - (-own * left).exp()) / own) / interval
        } else {
            0.0
        }
    }

    fn mean(&self) -> f64 {
        let own = self.own;
        match self.law {
            Law::Timer { interval } => timer_mean(interval, own),
            Law::Eliding { interval } => {
                let x = own * interval;
                let e = (-x).exp();
                (1.0 - e + e * e - e * (1.0 - e) / x) / own
            }
            Law::TimerAndOthers { interval, .. } => self.integral(0.0, interval),
            Law::OnDemand {
                gap,
                round_trip,
                weight,
            } => {
                let asks = if own * round_trip < 1e-9 {
                    round_trip
                } else {
                    (1.0 - (-own * round_trip).exp()) / own
                };
                (1.0 - weight) * timer_mean(gap, own) + weight * asks
            }
        }
    }

    /// Returns E[min(W, limit)]: the expected wait if waits end at the limit.
    fn mean_until(&self, limit: f64) -> f64 {
        let own = self.own;
        match self.law {
            Law::Timer { interval } if own * limit < 1e-6 => {
                limit - limit * limit / (2.0 * interval)
            }
            Law::Timer { interval } => {
                let e = (-own * limit).exp();
                (1.0 - e) / own - (1.0 - e * (1.0 + own * limit)) / (interval * own * own)
            }
            Law::OnDemand { round_trip, .. } if round_trip < limit => {
                self.integral(0.0, round_trip) + self.integral(round_trip, limit)
            }
            Law::Eliding { interval } if interval < limit => {
                self.integral(0.0, interval) + self.integral(interval, limit)
            }
            Law::OnDemand { .. } | Law::Eliding { .. } | Law::TimerAndOthers { .. } => {
                self.integral(0.0, limit)
            }
        }
    }

    /// Integrates P(W > t) with Simpson's rule over an interval in which the function is smooth.
    fn integral(&self, from: f64, to: f64) -> f64 {
        let width = (to - from) / f64::from(SIMPSON_STEPS);
        // The last point is just inside the piece, because the function can jump down where the next piece begins.
        let at = |step: u32| {
            let inside = f64::from(step).min(f64::from(SIMPSON_STEPS) - 1e-6);
            self.above(from + width * inside)
        };
        let inner: f64 = (1..SIMPSON_STEPS)
            .map(|step| at(step) * if step % 2 == 1 { 4.0 } else { 2.0 })
            .sum();
        (at(0) + inner + at(SIMPSON_STEPS)) * width / 3.0
    }
}

impl Law {
    /// Returns the longest possible wait.
    fn end(self) -> f64 {
        match self {
            Self::Timer { interval } | Self::TimerAndOthers { interval, .. } => interval,
            Self::Eliding { interval } => 2.0 * interval,
            Self::OnDemand { gap, .. } => gap,
        }
    }
}

fn ppm(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 1e6 + 0.5) as u64
}

/// Returns E[min(U(0,T), Exp(λ))]: the expected wait with a timer.
fn timer_mean(interval: f64, own: f64) -> f64 {
    let x = own * interval;
    if x < 1e-6 {
        return interval / 2.0 * (1.0 - x / 3.0);
    }
    1.0 / own - (1.0 - (-x).exp()) / (own * x)
}

fn on_demand(
    gap: f64,
    round_trip: f64,
    own: f64,
    lists: f64,
    background: Option<f64>,
) -> Result<Law, Unknown> {
    if round_trip > gap {
        return Err(Unknown::RoundTrip);
    }
    let both = own + lists;
    let nobody = (own + lists * (-both * (gap - round_trip)).exp()) / both;
    let asks = match background {
        None => nobody,
        Some(background) => nobody * (1.0 - (-lists * (background - gap)).exp()),
    };
    Ok(Law::OnDemand {
        gap,
        round_trip,
        weight: asks / (lists * gap + asks),
    })
}
