//! The run as a line: a marker per step, or counts per column when there are too many.

pub mod build;

use serde::{Deserialize, Serialize};

/// What part of the run is visible, and how finely.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineQuery {
    /// Columns of pixels there are; with more than a third as many steps come bins, with more than a
    /// twelfth as many beats none of them. Curves have at most one point per column.
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
    /// Every beat; empty when there are too many.
    pub beats: Vec<BeatMark>,
    /// Steps per column, when there are too many markers.
    pub bins: Vec<TimelineBin>,
    /// The greatest lag of any watch: revisions from the oldest event that its client has not received, up to the
    /// store's revision.
    pub watch_lag: StepCurve,
    /// The greatest lag of any API server's cache: revisions of the store that the cache does not know of.
    pub cache_lag: StepCurve,
}

/// A number of revisions over the steps of a run; never more points than the query has columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepCurve {
    /// Where the number changes, oldest first; 0 before the first point. Empty when the number is always 0.
    pub points: Vec<CurvePoint>,
}

/// A step from which on a curve has another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The step, from 1; in a run with bins the first step of a column.
    pub step: u64,
    /// Revisions; in a run with bins the most after any step of the column.
    pub revisions: u32,
}

impl StepCurve {
    /// Adds the value from a step on.
    pub(crate) fn add(&mut self, step: u64, revisions: u32) {
        if self.points.last().map_or(0, |last| last.revisions) != revisions {
            self.points.push(CurvePoint { step, revisions });
        }
    }

    /// Returns the point in force after a step; `None` before the first one.
    ///
    /// ```
    /// use watchglass_engine::view::{CurvePoint, StepCurve};
    /// let point = |step, revisions| CurvePoint { step, revisions };
    /// let curve = StepCurve { points: vec![point(3, 1), point(5, 0)] };
    /// assert_eq!((curve.at(2), curve.at(4), curve.at(5)), (None, Some(point(3, 1)), Some(point(5, 0))));
    /// ```
    pub fn at(&self, step: u64) -> Option<CurvePoint> {
        let later = self.points.partition_point(|point| point.step <= step);
        self.points.get(later.checked_sub(1)?).copied()
    }

    /// Returns the highest point, the first of several.
    pub fn highest(&self) -> Option<CurvePoint> {
        let points = self.points.iter().rev();
        points.max_by_key(|point| point.revisions).copied()
    }
}

/// One beat on the line, which is where its last step is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeatMark {
    /// Its number, from 1.
    pub number: u64,
    /// Its last step.
    pub step: u64,
    /// When that happened, in simulated microseconds.
    pub time_us: u64,
    /// The store's revision then.
    pub revision: i64,
    /// Its words or its command, for the tooltip.
    pub label: String,
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
    /// The most notable of them, by the order of [`MarkerKind`].
    pub kind: MarkerKind,
}

/// What a step was. Of several things the most notable names it; the later ones here are more so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MarkerKind {
    /// Time passed, or a timer fired and found nothing to do.
    Time,
    /// Messages arrived.
    Delivery,
    /// A read.
    Read,
    /// A lease was granted, kept alive or revoked, and no key with it.
    Lease,
    /// A watch was asked for, began, went on or ended.
    Watch,
    /// A sweep or a victim's retry sent watchers what they lacked, or a watcher became a victim.
    Sweep,
    /// A size or a period was changed.
    Setting,
    /// A write.
    Write,
    /// A node, a connection or a link was disturbed, or mended again.
    Fault,
    /// A request or a watch that was refused, or a watch that compaction overtook.
    Refused,
    /// A delete.
    Delete,
    /// Rows removed by a compaction.
    Scrub,
    /// A compaction was asked for.
    Compact,
}

impl MarkerKind {
    /// Whether nothing was changed: who goes from change to change passes it over.
    ///
    /// ```
    /// use watchglass_engine::view::MarkerKind;
    /// assert!(MarkerKind::Delivery.is_quiet() && !MarkerKind::Write.is_quiet());
    /// ```
    pub fn is_quiet(self) -> bool {
        self <= Self::Read
    }
}
