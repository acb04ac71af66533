//! The run as a line: a marker per step, or counts per column when there are too many.

use serde::{Deserialize, Serialize};

/// What part of the run is visible, and how finely.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineQuery {
    /// Columns of pixels there are; with more than a third as many steps come bins.
    pub columns: u32,
}

/// The run as a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineView {
    /// Steps of the whole run.
    pub steps: u64,
    /// Simulated time at its end, in microseconds.
    pub end_us: u64,
    /// The store's revision at its end.
    pub end_revision: i64,
    /// Every step; empty when there are too many.
    pub markers: Vec<Marker>,
    /// Steps per column, when there are too many markers.
    pub bins: Vec<TimelineBin>,
}

/// One step on the line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// The step, from 1.
    pub step: u64,
    /// When it happened, in simulated microseconds.
    pub time_us: u64,
    /// The store's revision after it.
    pub revision: i64,
    /// What it was.
    pub kind: MarkerKind,
    /// Its command, for the tooltip.
    pub label: String,
}

/// The steps that fall into one column (by step number).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineBin {
    /// The column, from 0.
    pub column: u32,
    /// Steps in it.
    pub count: u32,
    /// The most notable of them: compactions, then deletes, refusals, writes, reads.
    pub kind: MarkerKind,
}

/// What a step was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MarkerKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A request that was refused.
    Refused,
    /// A delete.
    Delete,
    /// Rows removed by a compaction.
    Scrub,
    /// A compaction was asked for.
    Compact,
}
