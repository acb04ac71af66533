//! The QoS view: the requests of the last seconds by class, the rules, the limiters of the classes, and the newest
//! requests with their costs. [`words`] contains the texts.

pub mod comparison;
#[cfg(test)]
mod fixture;
pub mod gauge;
pub mod panel;
pub mod stream;
pub mod words;

pub use panel::QosPanel;
