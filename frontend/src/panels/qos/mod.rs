//! The QoS view: the requests of the last seconds by class, the rules, the limiters of the classes, and the newest
//! requests with their costs.

pub mod comparison;
pub mod estimate;
#[cfg(test)]
mod fixture;
pub mod gauge;
pub mod panel;
pub mod stream;
#[cfg(test)]
mod words_tests;

pub use panel::QosPanel;
