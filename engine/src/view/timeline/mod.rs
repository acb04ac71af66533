//! The timeline of a run: one marker per step or, if there are too many steps, the number of steps per pixel column.

pub mod build;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineQuery {
    /// The number of pixel columns. With fewer than 3 columns per step, the timeline contains the number of steps per
    /// column. With fewer than 12 columns per beat, it contains no beats. A curve has at most one point per column.
    pub columns: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineView {
    pub steps: u64,
    /// The simulated time at the end of the run, in microseconds.
    pub end_us: u64,
    /// The store's revision at the end of the run.
    pub end_revision: i64,
    /// The marker of each step; empty if there are too many steps to draw each of them.
    pub markers: Vec<Marker>,
    /// The mark of each beat; empty if there are too many beats to draw each of
    /// them.
    pub beats: Vec<BeatMark>,
    /// The number of steps per column; empty if `markers` contains a marker for each step.
    pub bins: Vec<TimelineBin>,
    /// The lag of the watch that is furthest behind. The lag is a number of revisions. The first counted revision
    /// contains the oldest event that the watch's client has not received, and the last is the store's revision.
    pub watch_lag: StepCurve,
    /// The lag of the API server's cache that is furthest behind: the number of store revisions that the cache has not
    /// received.
    pub cache_lag: StepCurve,
}

/// A curve: a number of revisions that changes over the steps of a run. The curve has at most as many points as the
/// query has columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepCurve {
    /// The points at which the number changes, oldest first. Before the first point, the number is 0.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve, at which a new value starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The step, counted from 1. If steps are counted per column, the first step of the column.
    pub step: u64,
    /// The number of revisions. If steps are counted per column, the maximum in the column.
    pub revisions: u32,
}

impl StepCurve {
    /// Adds a value that is valid from `step` on. Steps must be added in order.
    pub(crate) fn add(&mut self, step: u64, revisions: u32) {
        if self.points.last().map_or(0, |last| last.revisions) != revisions {
            self.points.push(CurvePoint { step, revisions });
        }
    }

    /// Returns the last point at or before a step; `None` before the first point.
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

    /// Returns the highest point. If several points are equally high, returns the first.
    pub fn highest(&self) -> Option<CurvePoint> {
        let points = self.points.iter().rev();
        points.max_by_key(|point| point.revisions).copied()
    }
}

/// A beat on the timeline, at the position of its last step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeatMark {
    /// The number of the beat, counted from 1.
    pub number: u64,
    /// The last step of the beat. For a beat without steps, the step before the beat.
    pub step: u64,
    /// The place of a beat without steps among the beats without steps at its step, counted from 1; 0 for a beat with
    /// steps.
    pub place: u64,
    /// The number of beats without steps at the step.
    pub places: u64,
    /// The simulated time of the last step, in microseconds.
    pub time_us: u64,
    /// The store's revision after the last step.
    pub revision: i64,
    /// The first sentence of the beat's text, or the command of a beat without text.
    pub label: String,
}

/// A step on the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// The number of the step, counted from 1.
    pub step: u64,
    /// The simulated time of the step, in microseconds.
    pub time_us: u64,
    /// The store's revision after the step.
    pub revision: i64,
    pub kind: MarkerKind,
    /// The command of the step, for the tooltip.
    pub label: String,
}

/// The steps in one column of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineBin {
    /// The column, counted from 0.
    pub column: u32,
    pub count: u32,
    /// The most important kind among the steps, which is the greatest [`MarkerKind`] in the column.
    pub kind: MarkerKind,
}

/// The kind of a step. The kinds are ordered from the least to the most important. If several kinds apply to a step,
/// the step has the most important of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MarkerKind {
    /// Time passed, or a timer fired without effect.
    Time,
    /// Messages arrived.
    Delivery,
    /// A read, or a request that changed nothing.
    Read,
    /// A lease was granted or renewed, or a lease without keys was revoked.
    Lease,
    /// A watch was requested, created, resumed or canceled.
    Watch,
    /// A sync pass or a retry for a victim sent missing events to a watcher, or a watcher became a victim.
    SyncPass,
    /// A setting was changed, or a container started or stopped.
    Setting,
    Write,
    /// A node, connection or link failed or recovered, or a member installed the data of a snapshot.
    Fault,
    /// A request or a watch was refused, an alarm was raised or cleared, a watch was canceled because of a compaction,
    /// or a cache lost its watch.
    Refused,
    Delete,
    /// A compaction removed rows, or a defragmentation removed free pages.
    Scrub,
    /// A compaction was requested.
    Compact,
}

impl MarkerKind {
    /// Returns true if a step of this kind changes nothing. Navigation from change to change skips such a step.
    ///
    /// ```
    /// use watchglass_engine::view::MarkerKind;
    /// assert!(MarkerKind::Delivery.is_quiet() && !MarkerKind::Write.is_quiet());
    /// ```
    pub fn is_quiet(self) -> bool {
        self <= Self::Read
    }
}
