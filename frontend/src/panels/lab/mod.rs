//! The Lab: compares two settings by the waits of a hundred thousand simulated lists each and by closed forms, sweeps
//! a knob, and compares the cost of a list from the cache and from etcd.
//!
//! [`knobs`] defines the settings with their units and sources, [`bins`] sorts waits for a picture, [`histogram`] and
//! [`plot`] draw, [`words`] describes the results in sentences and tables, and [`export`] saves them. [`panel`]
//! connects the Lab to the page's state.

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
