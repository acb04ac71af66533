//! The inspector. For a key, it shows the generations, the entry in the key index as JSON, and the bytes of a row. For
//! a watcher or a message, it shows the state, the result and the causes. For a page of the database file, it shows
//! the elements and their bytes.
//!
//! [`panel`] connects the inspector to the page's state; the other files are its parts, each with plain properties.

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
