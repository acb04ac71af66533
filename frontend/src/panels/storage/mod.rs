//! The Storage view: the member's database file page by page, the tree of the bucket `key`, and one page with its
//! elements. [`words`] says what the buttons and lines say.

pub mod panel;
pub mod words;

pub use panel::StoragePanel;
