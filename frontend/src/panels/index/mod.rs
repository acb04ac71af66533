//! The Index view, "the loom": a key is a thread, a write is a bead, a generation is a bracket.
//!
//! x is the revision, each key has a lane in the order in which it first appeared. Data flows one
//! way: view and stage make a [`scene`] of places, [`svg`] or [`canvas`] draw it, [`hit`] and
//! [`walk`] find [`spot`]s in it, [`table`] says the same in words. [`loom`] holds what only the
//! picture knows (camera, scroll, hover) and [`panel`] connects it to the page's state.
//!
//! Nothing here computes what etcd would do; states and generations come from the engine.

pub mod camera;
pub mod canvas;
pub mod canvas_shapes;
pub mod empty;
#[cfg(test)]
mod fixture;
pub mod geometry;
pub mod hit;
pub mod input;
pub mod legend;
pub mod lod;
pub mod loom;
pub mod overview;
pub mod panel;
pub mod picture;
pub mod scene;
pub mod spot;
pub mod still;
pub mod strip;
pub mod svg;
pub mod svg_beads;
pub mod table;
pub mod toolbar;
pub mod tooltip;
pub mod walk;
pub mod words;

pub use panel::IndexPanel;
