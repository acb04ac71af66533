//! The Watch view: the pools of watchers on one revision axis, the sync pass that brings unsynced watchers up to the
//! head revision, the streams that watches share, and etcd's guarantees, each with an indicator.
//!
//! Data flows one way: [`scene`] computes positions from the view and the size of the drawing area, [`picture`] draws
//! them, and [`table`] lists them. [`panel`] connects the view to the page's state.

pub mod away;
pub mod bands;
pub mod dense;
pub mod fence;
#[cfg(test)]
mod fixture;
pub mod panel;
pub mod picture;
pub mod pill;
pub mod ruler;
pub mod scene;
pub mod streams;
pub mod table;
#[cfg(test)]
mod words_tests;

pub use panel::WatchPanel;
