//! The texts of the QoS view: the parameters of a class, the conditions of a rule, and the operations of a request.

use std::fmt::Display;

/// Joins conditions or kinds of operations to a list, for the description of a rule.
pub fn list(items: &[String]) -> String {
    items.join(", ")
}

/// Returns the condition that a user sends the request.
pub fn user(name: impl Display) -> String {
    format!("user {name}")
}

/// Returns the condition that the request comes from these addresses.
pub fn addresses(range: impl Display) -> String {
    format!("ip {range}")
}

/// Returns the condition that the request was already retried.
pub fn min_retry(retry: impl Display) -> String {
    format!("retry {retry} or later")
}

/// Returns the phrase for the property by which a rule divides requests into groups.
pub fn grouped_by(property: impl Display) -> String {
    format!("by {property}")
}

/// Returns a text with the first operation of a request and the number of the remaining operations.
pub fn and_more(operation: &str, more: usize) -> String {
    format!("{operation} and {more} more")
}

pub const REFUSES_ALL: &str = "refuses every request";

/// Returns the parameters of a token bucket.
pub fn bucket(rate: impl Display, burst: u64) -> String {
    format!("{rate} per second, burst {burst}")
}

/// Returns the parameters of a token bucket that lets requests wait for tokens.
pub fn bucket_with_wait(rate: impl Display, burst: u64, max_wait: impl Display) -> String {
    format!("{rate} per second, burst {burst}, wait up to {max_wait}")
}

pub fn leaky_bucket(rate: impl Display, queue: u64) -> String {
    format!("{rate} per second, queue {queue}")
}

/// Returns the maximum number of requests that run at the same time.
pub fn at_a_time(num: u64) -> String {
    format!("{num} at a time")
}

/// Returns the maximum number of requests that run at the same time, and the maximum length of the queue.
pub fn at_a_time_with_queue(num: u64, queue: u64) -> String {
    format!("{num} at a time, queue {queue}")
}

/// Returns the parameters of a sliding window: its limit and its length.
pub fn in_window(limit: u64, window: impl Display) -> String {
    format!("{limit} in {window}")
}

/// The reasons why a rule does not match a request.
pub const ANOTHER_CALLER: &str = "no match: the caller differs";
pub const TOO_FEW_RETRIES: &str = "no match: fewer retries than the rule requires";
pub const ANOTHER_METHOD: &str = "no match: the method differs";
pub const ANOTHER_OPERATION: &str = "no match: the operation differs";
pub const OTHER_KEYS: &str = "no match: the keys differ";

pub fn condition_not_met(condition: impl Display) -> String {
    format!("no match: not {condition}")
}
