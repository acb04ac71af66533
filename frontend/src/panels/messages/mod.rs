//! The Messages view: a lane for each node, an arrow for each message, slanted by the time it took.
//!
//! Data flows one way: view and room make a [`scene`] of places, [`labels`] finds words a place
//! that no line crosses, [`picture`] draws it, [`words`] says the same as a list. [`panel`]
//! connects it to the page's state.

#[cfg(test)]
mod fixture;
pub mod labels;
pub mod panel;
pub mod picture;
pub mod plan;
pub mod scene;
pub mod words;

pub use panel::MessagesPanel;
