//! etcd QoS: limits on expensive requests, as the proposal of 2020 describes them.
//!
//! The proposal ("etcd QoS Feature Design") was never merged into etcd. The model is pure: it decides on a request
//! from the definitions, the state of the limiters and the time, and knows nothing about members or stores. All
//! decisions use integers: time in microseconds, rates in thousandths of a request per second.
//!
//! Where the proposal is silent or contradicts itself, the model decides as follows. The rule with the largest priority
//! wins. If several rules have this priority, the rule whose name is the smallest in byte order wins. All conditions of
//! a rule must be met, and a condition is met only if its measure is strictly above its threshold. If a request matches
//! several rules, exactly one of these rules is charged. A rule matches a request if a single operation has one of the
//! rule's kinds and a key under one of the rule's prefixes.

pub mod arrival;
pub mod class;
pub mod condition;
pub mod counted_tree;
pub mod doctor;
pub mod error;
pub mod gap;
pub mod lbf;
pub mod limiter;
pub mod max_inflight;
pub mod method;
pub mod metrics;
pub mod monitor;
pub mod name;
pub mod operation;
pub mod overlap;
pub mod rule;
pub mod rules;
pub mod scheduler;
pub mod state;
pub mod subject;
pub mod tbf;
pub mod tracker;
pub mod window;

pub use arrival::{Arrival, Measures};
pub use class::{ClassKind, QosClass};
pub use condition::{ConditionKind, QosCondition};
pub use counted_tree::CountedTree;
pub use error::QosError;
pub use name::QosName;
pub use operation::{OpKind, Operation};
pub use rule::{Cost, GroupBy, Mismatch, QosRule};
pub use state::{Decision, Estimator, Finish, LastArrival, Qos};
pub use subject::{AddressRange, Identity, QosSubject};
