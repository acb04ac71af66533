//! The errors of the QoS API, and the warnings about definitions (classes and rules).

use std::fmt;

use crate::base::Bytes;

use super::name::QosName;

/// The reason why a member refuses a class or a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QosError {
    ClassNotFound(QosName),
    RuleNotFound(QosName),
    ClassExists(QosName),
    RuleExists(QosName),
    /// The class cannot be deleted, because a rule uses it.
    ClassInUse {
        class: QosName,
        /// The first rule that uses the class.
        rule: QosName,
    },
    /// The update would change the queue discipline of a class that a rule uses.
    KindInUse {
        class: QosName,
        /// The first rule that uses the class.
        rule: QosName,
    },
    NotPositive {
        /// The name of the flag that sets the parameter.
        flag: &'static str,
    },
    /// The priority is not between 1 and 100.
    PriorityRange,
    NegativeThreshold,
    /// A threshold of `PercentOfStorageQuotaUsed` is 1 or more, so the condition could never be met.
    PercentThreshold,
    /// A single operation can match both this rule and another rule of the same priority.
    Overlap(QosName),
    /// A transaction can match both this rule and another rule of the same priority, and the request has the flag
    /// `--strict`.
    TxnOverlap(QosName),
    /// A proxy does not know this condition or cost of a rule.
    UnknownToProxy(&'static str),
}

impl fmt::Display for QosError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClassNotFound(name) => write!(f, "qos class {name} not found"),
            Self::RuleNotFound(name) => write!(f, "qos rule {name} not found"),
            Self::ClassExists(name) => write!(f, "qos class {name} already exists"),
            Self::RuleExists(name) => write!(f, "qos rule {name} already exists"),
            Self::ClassInUse { class, rule } => {
                write!(f, "qos class {class} in use by rule {rule}")
            }
            Self::KindInUse { class, rule } => write!(
                f,
                "qos class {class} in use by rule {rule}: delete the rule to change the qdisc kind"
            ),
            Self::NotPositive { flag } => write!(f, "{flag} must be greater than 0"),
            Self::PriorityRange => f.write_str("priority must be between 1 and 100"),
            Self::NegativeThreshold => f.write_str("threshold must not be negative"),
            Self::PercentThreshold => f.write_str(
                "threshold of PercentOfStorageQuotaUsed must be less than 1: write 0.9 or 90%",
            ),
            Self::Overlap(name) => write!(
                f,
                "rule {name} has the same priority and can match the same operation: use another priority"
            ),
            Self::TxnOverlap(name) => write!(
                f,
                "rule {name} has the same priority and can match the same transaction"
            ),
            Self::UnknownToProxy(measure) => write!(
                f,
                "a proxy does not know {measure}: only a member has the keys and the database"
            ),
        }
    }
}

/// A warning about a definition that is valid but probably not intended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QosWarning {
    /// A prefix does not start with a slash, but the keys of Kubernetes do.
    PrefixWithoutSlash(Bytes),
    /// No existing key has this prefix of the rule.
    PrefixWithoutKeys(Bytes),
    /// A rule compares the number of scanned keys but selects no reads.
    ScanWithoutRange,
    /// A rule selects logins, which have no key, but has prefixes.
    AuthenticateWithPrefixes,
    /// A rule selects a method whose requests have no operation, but also kinds of operations or prefixes.
    MethodWithoutOperation(&'static str),
    /// A transaction can match both this rule and another rule of the same priority.
    TxnOverlap(QosName),
    /// The rule has no effect: for every request that it matches, another rule wins.
    Shadowed(QosName),
    /// A token bucket of one token, or a leaky bucket without a queue. Such a bucket refuses some requests of clients
    /// that stay below its rate but send at random times.
    NoBurst(QosName),
}

impl fmt::Display for QosWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PrefixWithoutSlash(prefix) => write!(
                f,
                "prefix {prefix} does not start with a slash and never matches keys of Kubernetes: did you mean \
                 /{prefix}?"
            ),
            Self::PrefixWithoutKeys(prefix) => write!(f, "no key has the prefix {prefix}"),
            Self::ScanWithoutRange => {
                f.write_str("ScanKeyNum is only known for Range, which the rule does not select")
            }
            Self::AuthenticateWithPrefixes => {
                f.write_str("Authenticate has no key and never matches a rule with prefixes")
            }
            Self::MethodWithoutOperation(method) => write!(
                f,
                "{method} has no operation and no key, and never matches a rule with --ops or --prefix"
            ),
            Self::TxnOverlap(name) => write!(
                f,
                "rule {name} has the same priority: for a transaction that matches both, the smaller name wins"
            ),
            Self::Shadowed(name) => {
                write!(
                    f,
                    "rule {name} wins for every request that this rule matches"
                )
            }
            Self::NoBurst(name) => write!(
                f,
                "class {name} has no room for a second request: under random arrivals, it serves up to a third \
                 less than its rate"
            ),
        }
    }
}
