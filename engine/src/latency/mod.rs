//! The latency lab: what a consistent list waits for, from a hundred thousand virtual lists, and
//! what the closed form says to it.
//!
//! ```text
//!   Setting ──▶ Simulation ──▶ Report       the real Freshness over two wires, lists that come as they do
//!      │                          │
//!      └──────▶ ClosedForm ◀── compared     what can be said with pen and paper
//! ```
//!
//! Left out: other API servers, a watch that falls behind, and the work of etcd and the API server,
//! except where [`cost`] prices a whole list.

pub mod closed_form;
pub mod cost;
pub mod gaps;
pub mod lab;
pub mod report;
pub mod setting;
pub mod simulation;

pub use crate::base::histogram::HistogramBin;
pub use crate::base::time::SimDuration;
pub use closed_form::ClosedForm;
pub use gaps::Rate;
pub use report::{Distribution, LabReport};
pub use setting::{Arrivals, LabSetting, Others, Scheme};
pub use simulation::Simulation;
