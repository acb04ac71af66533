//! An arriving request, and the measures that conditions compare with their thresholds.

use crate::base::digest::Digest;
use crate::base::time::{SimDuration, SimTime};

use super::operation::Operation;
use super::subject::Identity;

/// A request that arrives at a member, with the data on which a decision depends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    pub method: &'static str,
    /// The operations of the request; empty if a request of this method has none.
    pub operations: Vec<Operation>,
    pub caller: Identity,
    pub request_bytes: u64,
    /// The number of index entries that the request visits, according to the counted tree of the index's keys.
    pub scan: u64,
    /// The used and the maximum size of the storage, in bytes.
    pub storage: (u64, u64),
    /// The time at which the client gives up, if the request contains this time.
    pub deadline: Option<SimTime>,
    /// The number of times that the client has sent the same request before.
    pub retry: u32,
}

impl Arrival {
    /// Creates an arrival with only a method, operations and a caller. All other fields are empty.
    pub fn new(method: &'static str, operations: Vec<Operation>, caller: Identity) -> Self {
        Self {
            method,
            operations,
            caller,
            request_bytes: 0,
            scan: 0,
            storage: (0, 1),
            deadline: None,
            retry: 0,
        }
    }

    /// Returns the name of the request for people: the kind of its first operation, or its method.
    pub fn name(&self) -> &'static str {
        let first = self.operations.first();
        first.map_or(self.method, |op| op.kind.name())
    }

    /// Returns a hash of the operations. The tracker, which stores the costs of recent requests, identifies the request
    /// by this hash.
    pub fn digest(&self) -> u64 {
        match self.operations.as_slice() {
            [] => Digest::of(&self.method),
            operations => Digest::of(&operations),
        }
    }
}

/// The known measures of a request. `None` stands for an unknown measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Measures {
    /// The used and the maximum size of the storage, in bytes.
    pub storage: (u64, u64),
    /// The number of index entries that the request visits.
    pub scan: Option<u64>,
    pub request_bytes: u64,
    pub response_bytes: Option<u64>,
    pub latency: Option<SimDuration>,
    /// The processor time of the request.
    pub cpu: Option<SimDuration>,
    /// The number of keys under the prefixes of the rule.
    pub keys: Option<u64>,
}
