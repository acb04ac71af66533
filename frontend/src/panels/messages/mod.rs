//! The Messages view: a lane for each node and an arrow for each message, whose slant shows the transit time.
//!
//! Data flows one way: [`scene`] computes positions from the view and the size of the drawing area, [`picture`] draws
//! the scene, and [`rows`] lists the messages. [`panel`] connects the view to the page's state.

#[cfg(test)]
mod fixture;
pub mod panel;
pub mod picture;
pub mod plan;
pub mod rows;
pub mod scene;
#[cfg(test)]
mod words_tests;

pub use panel::MessagesPanel;
