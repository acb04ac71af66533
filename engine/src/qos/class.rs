//! A class: the queue discipline of one or more rules.

use std::fmt;

use crate::base::proto::{Content, each_field, write_bytes, write_number};
use crate::base::time::SimDuration;
use crate::words::qos_view as words;

use super::error::QosError;
use super::name::QosName;

/// A class: a queue discipline with a name. Each rule names the class that limits the requests of the rule. The
/// proposal has no type for classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QosClass {
    pub name: QosName,
    pub kind: ClassKind,
}

/// A queue discipline with its parameters. Rates are in thousandths of a request per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKind {
    /// Token bucket filter: starts full, and refuses a request for which no token is left.
    Tbf {
        /// The tokens added per second, in thousandths.
        mqps: u64,
        /// The capacity of the bucket.
        burst: u64,
        /// The maximum delay of a request that finds no token. If 0, the request is refused instead.
        max_wait: SimDuration,
    },
    /// Leaky bucket filter: delays requests so that requests start at an even rate.
    Lbf {
        /// The number of requests that start per second, in thousandths.
        mqps: u64,
        /// The number of requests that may wait. If 0, a request that would have to wait is refused.
        queue: u64,
    },
    /// Max inflight request filter: limits the number of requests that run at the same time.
    MaxInflight { num: u64 },
    /// Sliding window: limits the sum of costs in the last `window` of time. The proposal mentions windows only in its
    /// generalised rule.
    Window {
        window: SimDuration,
        /// The maximum sum of costs in the window.
        limit: u64,
    },
    /// A limit on the number of running requests. Further requests wait in a queue, and start in the order of their
    /// rules' priorities. This is the proposal's second method of traffic control.
    Prio {
        /// The maximum number of running requests.
        num: u64,
        /// The number of requests that may wait.
        queue: u64,
    },
    /// Refuses every request that matches. This is the proposal's third method of traffic control.
    Discard,
}

impl ClassKind {
    /// Returns the value of the flag `--qdisc-kind` that selects this queue discipline.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tbf { .. } => "tbf",
            Self::Lbf { .. } => "lbf",
            Self::MaxInflight { .. } => "maxinflight",
            Self::Window { .. } => "window",
            Self::Discard => "discard",
            Self::Prio { .. } => "prio",
        }
    }

    /// Returns the parameters in words, such as `10 per second, burst 12`.
    pub fn parameters(self) -> String {
        match self {
            Self::Tbf {
                mqps,
                burst,
                max_wait,
            } => {
                let rate = Thousandths(mqps);
                match max_wait.0 {
                    0 => words::bucket(rate, burst),
                    _ => words::bucket_with_wait(rate, burst, max_wait),
                }
            }
            Self::Lbf { mqps, queue } => words::leaky_bucket(Thousandths(mqps), queue),
            Self::MaxInflight { num } => words::at_a_time(num),
            Self::Window { window, limit } => words::in_window(limit, window),
            Self::Discard => words::REFUSES_ALL.to_owned(),
            Self::Prio { num, queue } => words::at_a_time_with_queue(num, queue),
        }
    }

    /// Returns the fields that encode the class as a row: the number of the queue discipline and up to three
    /// parameters.
    fn fields(self) -> (u64, [u64; 3]) {
        match self {
            Self::Tbf {
                mqps,
                burst,
                max_wait,
            } => (1, [mqps, burst, max_wait.0]),
            Self::Lbf { mqps, queue } => (2, [mqps, queue, 0]),
            Self::MaxInflight { num } => (3, [num, 0, 0]),
            Self::Window { window, limit } => (4, [window.0, limit, 0]),
            Self::Discard => (5, [0; 3]),
            Self::Prio { num, queue } => (6, [num, queue, 0]),
        }
    }

    fn from_fields(number: u64, [a, b, c]: [u64; 3]) -> Option<Self> {
        Some(match number {
            1 => Self::Tbf {
                mqps: a,
                burst: b,
                max_wait: SimDuration(c),
            },
            2 => Self::Lbf { mqps: a, queue: b },
            3 => Self::MaxInflight { num: a },
            4 => Self::Window {
                window: SimDuration(a),
                limit: b,
            },
            5 => Self::Discard,
            6 => Self::Prio { num: a, queue: b },
            _ => return None,
        })
    }
}

impl QosClass {
    /// Checks the parameters of the class.
    ///
    /// # Errors
    /// Returns an error if the discipline could never admit a request.
    pub fn check(&self) -> Result<(), QosError> {
        let positive = |flag, value: u64| match value {
            0 => Err(QosError::NotPositive { flag }),
            _ => Ok(()),
        };
        match self.kind {
            ClassKind::Tbf { mqps, burst, .. } => {
                positive("--qps", mqps)?;
                positive("--burst", burst)
            }
            ClassKind::Lbf { mqps, .. } => positive("--qps", mqps),
            ClassKind::MaxInflight { num } | ClassKind::Prio { num, .. } => positive("--num", num),
            ClassKind::Window { window, limit } => {
                positive("--window", window.0)?;
                positive("--limit", limit)
            }
            ClassKind::Discard => Ok(()),
        }
    }

    /// Encodes the class as a row of the bucket `qos`.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let (kind, parameters) = self.kind.fields();
        write_bytes(1, self.name.as_str().as_bytes(), &mut out);
        write_number(2, kind, &mut out);
        for (number, value) in (3..).zip(parameters) {
            write_number(number, value, &mut out);
        }
        out
    }

    /// Decodes a row of the bucket `qos`. Returns `None` if the row is not a class.
    pub fn decode(row: &[u8]) -> Option<Self> {
        let (mut name, mut kind, mut parameters) = (None, 0, [0; 3]);
        each_field(row, |number, content| match (number, content) {
            (1, Content::Bytes(bytes)) => {
                name = std::str::from_utf8(bytes).ok().and_then(QosName::new);
            }
            (2, Content::Int(n)) => kind = n,
            (3..=5, Content::Int(n)) => parameters[number as usize - 3] = n,
            _ => {}
        });
        let kind = ClassKind::from_fields(kind, parameters)?;
        Some(Self { name: name?, kind })
    }
}

/// Formats the queue discipline as the flags that create a class with it.
impl fmt::Display for ClassKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--qdisc-kind {}", self.name())?;
        match *self {
            Self::Tbf {
                mqps,
                burst,
                max_wait,
            } => {
                write!(f, " --qps {} --burst {burst}", Thousandths(mqps))?;
                match max_wait.0 {
                    0 => Ok(()),
                    _ => write!(f, " --max-wait {}", Span(max_wait)),
                }
            }
            Self::Lbf { mqps, queue } => {
                write!(f, " --qps {} --queue {queue}", Thousandths(mqps))
            }
            Self::MaxInflight { num } => write!(f, " --num {num}"),
            Self::Window { window, limit } => {
                write!(f, " --window {} --limit {limit}", Span(window))
            }
            Self::Discard => Ok(()),
            Self::Prio { num, queue } => write!(f, " --num {num} --queue {queue}"),
        }
    }
}

/// A duration, formatted as the flags accept it.
struct Span(SimDuration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.0 {
            us if us % 1_000_000 == 0 => write!(f, "{}s", us / 1_000_000),
            us if us % 1_000 == 0 => write!(f, "{}ms", us / 1_000),
            us => write!(f, "{us}us"),
        }
    }
}

/// A number in thousandths, formatted as a decimal number without trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thousandths(pub u64);

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:03}", self.0 / 1_000, self.0 % 1_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
