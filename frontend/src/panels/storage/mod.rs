//! The Storage view: the keys in memory, the tree of the bucket `key`, all pages of the file, and the path of one row
//! through them. [`words`] contains the texts of labels, buttons and rows of the list.

#[cfg(test)]
mod fixture;
pub mod panel;
pub mod picture;
pub mod plan;
pub mod scene;
pub mod words;

pub use panel::StoragePanel;
