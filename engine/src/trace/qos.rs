//! The trace events of etcd QoS, a proposal.

use crate::base::time::{SimDuration, SimTime};
use crate::qos::QosName;

/// A decision of etcd QoS on a request, or a change of a QoS class or rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QosTrace {
    /// A rule matched a request, and the rule's class admitted the request.
    Admitted { rule: QosName },
    /// A rule matched a request, and the rule's class delays the request.
    Delayed {
        rule: QosName,
        /// The time at which the request starts.
        until: SimTime,
        wait: SimDuration,
    },
    /// A rule matched a request, and the request waits until a running request of the rule's class ends.
    Queued { rule: QosName },
    /// The delay of a request ended, and the member executes the request.
    Released,
    /// A rule matched a request, and the rule's class refused the request.
    Limited {
        rule: QosName,
        /// The time after which a retry could succeed, if known.
        retry_after: Option<SimDuration>,
    },
    /// A class or a rule was added, changed or deleted.
    Defined {
        change: DefinitionChange,
        kind: Defined,
        name: QosName,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defined {
    Class,
    Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionChange {
    Added,
    Changed,
    Deleted,
}
