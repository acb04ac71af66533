//! A condition of a rule. A condition is met if a measure of the request or of the member is above a threshold.

use std::fmt;

use super::arrival::Measures;

/// The unit of thresholds: a threshold is an integer number of millionths.
pub const MILLION: i64 = 1_000_000;

/// A condition, which is met if a measure is strictly greater than a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QosCondition {
    /// The measure that is compared with the threshold.
    pub kind: ConditionKind,
    /// The threshold in millionths of the measure's unit. Latencies are in seconds, sizes in bytes.
    pub threshold: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConditionKind {
    PercentOfStorageQuotaUsed,
    /// The number of index entries that the request visits.
    ScanKeyNum,
    /// The size of the request in bytes.
    RequestSize,
    /// The size of the response in bytes, known from an earlier request with the same operations.
    ResponseSize,
    /// The size of the request and the response in bytes.
    TotalTraffic,
    /// The duration of the request in seconds, known from an earlier request with the same operations.
    RequestLatency,
    /// The number of keys under the rule's prefixes. The proposal does not define this measure, but mentions a rule
    /// that needs the measure: "when the number of events is greater than the threshold".
    KeyNum,
}

impl ConditionKind {
    pub const ALL: [Self; 7] = [
        Self::PercentOfStorageQuotaUsed,
        Self::ScanKeyNum,
        Self::RequestSize,
        Self::ResponseSize,
        Self::TotalTraffic,
        Self::RequestLatency,
        Self::KeyNum,
    ];

    /// Returns the canonical name of the measure, which is the value of the proposal's constant.
    pub fn name(self) -> &'static str {
        match self {
            Self::PercentOfStorageQuotaUsed => "PercentOfStorageQuotaUsed",
            Self::ScanKeyNum => "ScanKeyNum",
            Self::RequestSize => "RequestSize",
            Self::ResponseSize => "ResponseSize",
            Self::TotalTraffic => "TotalTraffic",
            Self::RequestLatency => "RequestLatency",
            Self::KeyNum => "KeyNum",
        }
    }

    /// Returns true if only a member knows the measure, because the measure depends on the keys or on the database.
    pub fn needs_store(self) -> bool {
        matches!(
            self,
            Self::PercentOfStorageQuotaUsed | Self::ScanKeyNum | Self::KeyNum
        )
    }

    /// Returns the measure with this name. The proposal uses several names for most measures, and all of them are
    /// accepted.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("ConditionKind").unwrap_or(text);
        Some(match text {
            "PercentOfStorageQuotaUsed" | "percentOfStorageQuotaUsed" | "PercentDBQuotaUsed" => {
                Self::PercentOfStorageQuotaUsed
            }
            "ScanKeyNum" | "scanKeyNum" | "NumberOfScanKeyNum" | "NumberOfScanKey"
            | "numberOfScanKey" | "NumberOfKeyScan" => Self::ScanKeyNum,
            "RequestSize" => Self::RequestSize,
            "ResponseSize" => Self::ResponseSize,
            "TotalTraffic" | "TotalTrafficSize" | "traffic" => Self::TotalTraffic,
            "RequestLatency" | "latency" => Self::RequestLatency,
            "KeyNum" => Self::KeyNum,
            _ => return None,
        })
    }
}

impl QosCondition {
    /// Returns true if the condition is met. A condition on an unknown measure is not met.
    pub fn is_met(&self, measures: &Measures) -> bool {
        let threshold = i128::from(self.threshold);
        let millionths = i128::from(MILLION);
        let is_above = |value: u64| i128::from(value) * millionths > threshold;
        match self.kind {
            ConditionKind::PercentOfStorageQuotaUsed => {
                let (used, quota) = measures.storage;
                i128::from(used) * millionths > threshold * i128::from(quota)
            }
            ConditionKind::ScanKeyNum => measures.scan.is_some_and(is_above),
            ConditionKind::RequestSize => is_above(measures.request_bytes),
            ConditionKind::ResponseSize => measures.response_bytes.is_some_and(is_above),
            ConditionKind::TotalTraffic => {
                let response = measures.response_bytes;
                response.is_some_and(|bytes| is_above(measures.request_bytes + bytes))
            }
            ConditionKind::RequestLatency => {
                let latency = measures.latency;
                latency.is_some_and(|span| i128::from(span.0) > threshold)
            }
            ConditionKind::KeyNum => measures.keys.is_some_and(is_above),
        }
    }
}

impl fmt::Display for QosCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.kind.name(), Millionths(self.threshold))
    }
}

/// A number in millionths, formatted as a decimal number without trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Millionths(pub i64);

impl fmt::Display for Millionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let n = self.0.unsigned_abs();
        let text = format!("{sign}{}.{:06}", n / 1_000_000, n % 1_000_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Parses a decimal number such as `0.9`, `1000.0` or `90%` into millionths.
///
/// ```
/// use watchglass_engine::qos::condition::parse_millionths;
/// assert_eq!(parse_millionths("90%"), parse_millionths("0.9"));
/// assert_eq!(parse_millionths("1000.0"), Some(1_000_000_000));
/// assert_eq!(parse_millionths("many"), None);
/// ```
pub fn parse_millionths(text: &str) -> Option<i64> {
    let (text, divisor) = match text.strip_suffix('%') {
        Some(number) => (number, 100),
        None => (text, 1),
    };
    let (text, sign) = match text.strip_prefix('-') {
        Some(number) => (number, -1),
        None => (text, 1),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || fraction.len() > 6 || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let fraction: i64 = format!("{fraction:0<6}").parse().ok()?;
    let millionths = whole.checked_mul(MILLION)?.checked_add(fraction)?;
    Some(sign * millionths / divisor)
}
