//! Links between nodes: the delay, loss, duplication and order of messages.
//!
//! Mirrors TCP as gRPC sees it: messages of one connection arrive in order and once. TCP retransmits a lost packet
//! after a timeout, so a loss delays its message and all messages behind it. The receiver's transport drops a
//! duplicate. Not simulated: handshakes, acknowledgements, congestion windows.

use std::fmt;

use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};

/// The travel time of a message in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delay {
    Fixed(SimDuration),
    /// A random delay between the two bounds, uniformly distributed.
    Uniform(SimDuration, SimDuration),
    /// A random delay: usually close to this value, rarely up to twenty times this value.
    LongTail(SimDuration),
}

/// Percentiles of a long-tailed delay, in hundredths of its typical value: the 0th, 5th, 10th and so on to the 95th,
/// then the 99th and the 99.9th. The table replaces a log-normal curve, so that no float is needed.
const LONG_TAIL: [u64; 22] = [
    50, 60, 66, 71, 76, 80, 84, 88, 92, 96, 100, 105, 110, 117, 125, 135, 148, 166, 195, 260, 700,
    2000,
];

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(d) => write!(f, "{d}"),
            Self::Uniform(least, most) => write!(f, "{least} to {most}"),
            Self::LongTail(typical) => write!(f, "around {typical} with a long tail"),
        }
    }
}

impl Delay {
    fn draw(self, rng: &mut Rng) -> SimDuration {
        match self {
            Self::Fixed(d) => d,
            Self::Uniform(least, most) => {
                let span = most.0.saturating_sub(least.0);
                SimDuration(least.0 + rng.below(span + 1))
            }
            Self::LongTail(typical) => {
                let place = rng.below(1000);
                let i = match place {
                    999 => 21,
                    990..=998 => 20,
                    _ => place as usize / 50,
                };
                SimDuration(typical.0 * LONG_TAIL[i] / 100)
            }
        }
    }
}

/// TCP's first retransmission timeout (Linux: at least 200 ms). The timeout doubles with each attempt.
const RETRANSMIT: SimDuration = SimDuration::from_millis(200);

/// The maximum number of lost attempts per message. To lose every message, cut the link.
const TRIES_MAX: u32 = 8;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    pub delay: Delay,
    /// The bandwidth in bytes per second; 0 for no limit.
    bandwidth: u64,
    /// One message in N is lost and sent again; 0 for no losses.
    pub loss_one_in: u32,
    /// One message in N arrives twice; 0 for no duplicates.
    pub duplicate_one_in: u32,
    /// Whether messages wait at the link until `release`.
    pub held: bool,
    /// The arrival time of the message that was sent last. The next message does not arrive before this time.
    last_arrival: SimTime,
    /// The time from which the link can send the next message. Only links with limited bandwidth use this field.
    free_at: SimTime,
    rng: Rng,
}

/// The data about a message's travel over a link, which the link determines when the message is sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Passage {
    pub arrives: SimTime,
    /// The lost attempts to send the message: for each attempt, the time at which the message would have arrived.
    pub lost: Vec<SimTime>,
    /// Whether a second copy arrives; the receiver drops the copy.
    pub duplicated: bool,
}

impl Link {
    /// Creates a link with a fixed delay and without loss.
    pub fn new(delay: SimDuration, rng: Rng) -> Self {
        Self {
            delay: Delay::Fixed(delay),
            bandwidth: 0,
            loss_one_in: 0,
            duplicate_one_in: 0,
            held: false,
            last_arrival: SimTime(0),
            free_at: SimTime(0),
            rng,
        }
    }

    /// Lets no later message arrive before this time.
    pub fn arrive_not_before(&mut self, at: SimTime) {
        self.last_arrival = self.last_arrival.max(at);
    }

    /// Replaces the random numbers of the messages that are sent from now on.
    pub fn reseed(&mut self, seed: u64) {
        self.rng.reseed(seed);
    }

    /// Determines the arrival of a message of `bytes` bytes that is sent now.
    pub fn pass(&mut self, now: SimTime, bytes: u64) -> Passage {
        let mut leaves = now.max(self.free_at);
        if self.bandwidth > 0 {
            leaves = leaves + self.takes(bytes);
            self.free_at = leaves;
        }
        let mut lost = Vec::new();
        let mut wait = RETRANSMIT;
        while one_in(self.loss_one_in, &mut self.rng) && (lost.len() as u32) < TRIES_MAX {
            lost.push(leaves + self.delay.draw(&mut self.rng));
            leaves = leaves + wait;
            wait = SimDuration(wait.0 * 2);
        }
        let arrives = (leaves + self.delay.draw(&mut self.rng)).max(self.last_arrival);
        self.last_arrival = arrives;
        Passage {
            arrives,
            lost,
            duplicated: one_in(self.duplicate_one_in, &mut self.rng),
        }
    }
}

impl Link {
    /// Changes the bandwidth, in bytes per second; 0 for no limit. Messages that are already sent keep their arrival
    /// times. Messages that are sent later wait until the link has sent the waiting bytes at the new speed.
    pub fn set_bandwidth(&mut self, now: SimTime, bandwidth: u64) {
        let waiting = self.backlog(now);
        self.bandwidth = bandwidth;
        self.free_at = now + self.takes(waiting);
    }

    fn takes(&self, bytes: u64) -> SimDuration {
        SimDuration(match self.bandwidth {
            0 => 0,
            bandwidth => bytes.saturating_mul(1_000_000).div_ceil(bandwidth),
        })
    }

    /// Returns the number of bytes that wait until the link is free. Without a bandwidth, no bytes wait.
    pub fn backlog(&self, now: SimTime) -> u64 {
        let wait = self.free_at.0.saturating_sub(now.0);
        let bytes = u128::from(wait) * u128::from(self.bandwidth) / 1_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// Drops the bytes that wait until the link is free, because the connection broke.
    pub fn drop_backlog(&mut self, now: SimTime) {
        if self.free_at > now {
            self.free_at = now;
            self.last_arrival = now;
        }
    }
}

fn one_in(n: u32, rng: &mut Rng) -> bool {
    n > 0 && rng.below(u64::from(n)) == 0
}
