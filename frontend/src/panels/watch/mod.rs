//! The Watch view: three pools of watchers on one axis of revisions, the sweep that brings them
//! up, the streams they share, and the guarantees of etcd as lamps.
//!
//! Data flows one way: view and room make a [`scene`] of places, [`picture`] draws it, [`words`]
//! says the same. [`panel`] connects it to the page's state.

pub mod bands;
pub mod dense;
pub mod fence;
#[cfg(test)]
mod fixture;
pub mod lamps;
pub mod panel;
pub mod picture;
pub mod pill;
pub mod ruler;
pub mod scene;
pub mod shape;
pub mod streams;
pub mod words;

pub use panel::WatchPanel;
