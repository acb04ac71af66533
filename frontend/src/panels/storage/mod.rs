//! The Storage view: the keys in memory, the tree of the bucket `key`, all pages of the file, the path of one row
//! through them, and the metrics of the member. [`words`] contains the texts of labels, buttons and rows of the list.

#[cfg(test)]
mod fixture;
mod metrics;
pub mod panel;
pub mod picture;
pub mod plan;
pub mod scene;
pub mod words;

pub use panel::StoragePanel;
