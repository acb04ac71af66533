//! The latency lab. The lab simulates 100,000 consistent lists, measures how long each list waits, and compares the
//! results with formulas.
//!
//! ```text
//!   Setting ──▶ Simulation ──▶ Report       the real Freshness over two links, with random lists
//!      │                          │
//!      └──────▶ ClosedForm ◀── compared     the result of the formulas
//! ```
//!
//! Left out: other API servers, a watch that falls behind, and the processing time of etcd and the API server. Only the
//! module [`cost`] includes processing time: it computes the latency of a list, including the processing of its
//! objects. The module [`accuracy`] measures the limits of etcd QoS, with random requests instead of lists.

pub mod accuracy;
pub mod closed_form;
pub mod cost;
pub mod gaps;
pub mod lab;
pub mod report;
pub mod setting;
pub mod simulation;

pub use crate::base::histogram::HistogramBin;
pub use crate::base::time::SimDuration;
pub use crate::kube::slo::Slo;
pub use accuracy::{Accuracy, AccuracyRow, AccuracySetting};
pub use closed_form::ClosedForm;
pub use gaps::Rate;
pub use report::{Distribution, LabReport};
pub use setting::{Arrivals, LabSetting, Others, Scheme};
pub use simulation::Simulation;
