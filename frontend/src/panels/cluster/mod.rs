//! The Cluster view: a map of the members with cut links and of the nodes that use them, the log of each member, the
//! revision that each member has reached, and the operations of clients with the order that explains them.

pub mod calls;
pub mod faults;
#[cfg(test)]
mod fixture;
pub mod inside;
pub mod log;
pub mod map;
pub mod panel;
pub mod peers;
pub mod revisions;
#[cfg(test)]
mod words_tests;

pub use panel::ClusterPanel;
