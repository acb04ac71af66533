//! The key inspector: one key's lives, its entry in the index as JSON, and one of its rows down to
//! the bytes in the bucket.
//!
//! [`panel`] connects it to the page's state; the other files are its parts, each with plain props.

pub mod bytes;
pub mod copy;
pub mod fields;
pub mod generations;
pub mod hex;
pub mod json;
pub mod panel;
pub mod tabs;

pub use panel::InspectorPanel;
