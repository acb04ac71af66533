//! The Index view: a key is a line, a write is a bead on it, a generation is a bracket.
//!
//! The x axis is the revision, and each key has a lane. Data flows one way: [`scene`] computes positions from the view
//! and the drawing area, [`svg`] or [`canvas`] draws them, [`hit`] and [`walk`] find [`spot`]s, and [`table`] describes
//! the scene in words. [`loom`] stores the state that only the picture needs (camera, scroll position, hover), and
//! [`panel`] connects it to the page's state.
//!
//! Nothing here computes etcd's behaviour: states and generations come from the engine.

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
pub mod store_rows;
pub mod strip;
pub mod svg;
pub mod svg_beads;
pub mod table;
pub mod toolbar;
pub mod tooltip;
pub mod values;
pub mod walk;
#[cfg(test)]
mod words_tests;

pub use panel::IndexPanel;
