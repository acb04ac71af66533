//! The Lab: compares two settings, A and B. For each setting, the Lab simulates a hundred thousand lists and computes
//! closed forms of their waits. The Lab can also vary one knob (a setting with a slider). Two more pages compare the
//! cost of a list from the cache and from etcd, and measure the accuracy of the limits of etcd QoS.
//!
//! [`knobs`] defines the settings with their units and sources, [`bins`] sorts waits for a picture, [`histogram`] and
//! [`plot`] draw, [`words`] describes the results in sentences and tables, and [`export`] saves them. [`panel`]
//! connects the Lab to the page's state.

mod accuracy;
pub mod bins;
mod controls;
mod cost;
pub mod export;
pub mod histogram;
pub mod knobs;
mod panel;
pub mod plot;
mod taken;
pub mod words;

pub use panel::LabPanel;
