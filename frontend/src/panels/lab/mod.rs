//! The Lab: compares two settings, A and B. For each setting, the Lab simulates a hundred thousand lists and computes
//! closed forms of their waits. The Lab can also vary one knob (a setting with a slider). Two more pages compare the
//! cost of a list from the cache and from etcd, and measure the accuracy of the limits of etcd QoS.
//!
//! [`knobs`] defines the settings with their units, [`bins`] sorts waits for a picture, [`histogram`] and [`plot`]
//! draw, [`rows`] fills the table of results, and [`export`] saves the results. [`panel`] connects the Lab to the
//! page's state.

mod accuracy;
pub mod bins;
mod controls;
mod cost;
pub mod export;
pub mod histogram;
pub mod knobs;
mod panel;
pub mod plot;
pub mod rows;
mod taken;
#[cfg(test)]
mod words_tests;

pub use panel::LabPanel;
