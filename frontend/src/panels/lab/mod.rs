//! The latency lab: two settings side by side, what a hundred thousand virtual lists waited under
//! each, and what the closed form says; a knob swept; and what a whole list costs.
//!
//! [`knobs`] are the settings with their units and sources, [`bins`] sorts waits for a picture,
//! [`histogram`] and [`plot`] draw, [`words`] say the same as sentences and tables, [`export`] gives
//! it away. [`panel`] connects it to the page's state.

pub mod bins;
mod controls;
mod cost;
pub mod export;
pub mod histogram;
pub mod knobs;
mod panel;
pub mod plot;
pub mod words;

pub use panel::LabPanel;
