//! The sentences about etcd QoS, a proposal.

use std::fmt::Display;

use crate::base::time::{SimDuration, SimTime};

pub const RELEASED: &str = "The delay of a request ends, and the request runs.";

/// Sentences about the decision of a rule on a request: the request is executed, held, queued or refused.
pub fn admitted(rule: impl Display) -> String {
    format!("QoS rule {rule} matches and admits the request.")
}

pub fn delayed(rule: impl Display, wait: SimDuration, until: SimTime) -> String {
    format!("QoS rule {rule} matches and delays the request by {wait}, until {until}.")
}

pub fn queued(rule: impl Display) -> String {
    format!("QoS rule {rule} matches: the request waits until a running request ends.")
}

pub fn refused(rule: impl Display) -> String {
    format!("QoS rule {rule} matches and refuses the request.")
}

pub fn refused_for(rule: impl Display, wait: SimDuration) -> String {
    format!("QoS rule {rule} matches and refuses the request. A retry can succeed after {wait}.")
}

/// Sentences about classes and rules of QoS that were added, changed or deleted.
pub fn class_added(name: impl Display) -> String {
    format!("QoS class {name} is added.")
}

pub fn class_changed(name: impl Display) -> String {
    format!("QoS class {name} is changed.")
}

pub fn class_deleted(name: impl Display) -> String {
    format!("QoS class {name} is deleted.")
}

pub fn rule_added(name: impl Display) -> String {
    format!("QoS rule {name} is added.")
}

pub fn rule_changed(name: impl Display) -> String {
    format!("QoS rule {name} is changed.")
}

pub fn rule_deleted(name: impl Display) -> String {
    format!("QoS rule {name} is deleted.")
}
