//! The Storage view: the keys in memory, the tree of the bucket `key`, all pages of the file, the path of one row
//! through them, and the metrics of the member.

#[cfg(test)]
mod fixture;
mod metrics;
pub mod panel;
pub mod picture;
pub mod plan;
pub mod rows;
pub mod scene;
pub mod touched;
#[cfg(test)]
mod words_tests;

pub use panel::StoragePanel;
