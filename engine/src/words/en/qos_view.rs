//! The texts of the QoS view: the conditions of a rule, and the operations of a request.

use std::fmt::Display;

/// Returns a list of conditions or kinds of operations.
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

/// Returns the property by which the requests of a rule are grouped.
pub fn grouped_by(property: impl Display) -> String {
    format!("by {property}")
}

/// Returns the first of several operations of a request.
pub fn and_more(operation: &str, more: usize) -> String {
    format!("{operation} and {more} more")
}
