//! The inspector. Of a key: its lives, its entry in the index as JSON, and one of its rows down to
//! the bytes in the bucket. Of a watcher or a message: its state, what came of it, and why. Of a page of the
//! database file: its elements and their bytes.
//!
//! [`panel`] connects it to the page's state; the other files are its parts, each with plain props.

pub mod bytes;
pub mod cache;
pub mod copy;
pub mod fields;
pub mod generations;
pub mod hex;
pub mod json;
pub mod message;
pub mod page;
pub mod panel;
pub mod watcher;
pub mod why;

pub use panel::InspectorPanel;
