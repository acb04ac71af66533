//! Builds the timeline.

use super::{BeatMark, Marker, MarkerKind, TimelineBin, TimelineQuery, TimelineView};

/// The minimum number of pixel columns per marker, so that adjacent markers are distinguishable.
const COLUMNS_PER_MARKER: u64 = 3;

/// The minimum number of pixel columns per beat, so that the user can point at
/// each beat.
const COLUMNS_PER_BEAT: u64 = 12;

/// The source data of the timeline. The timeline calls these functions only for the steps and beats that it needs.
pub struct Line<K, M, L, B> {
    pub steps: u64,
    /// The simulated time and the store's revision at the end of the run.
    pub end: (u64, i64),
    /// Returns the kind of a step. Steps are counted from 1.
    pub kind: K,
    /// Returns the marker of a step. Steps are counted from 1.
    pub marker: M,
    /// Returns two lags after a step: the lag of the watch that is furthest behind, and the lag of the cache that is
    /// furthest behind. Steps are counted from 1.
    pub lag: L,
    pub beats: u64,
    /// Returns the mark of a beat on the timeline. Beats are counted from 1.
    pub beat: B,
}

pub fn timeline_view(
    query: &TimelineQuery,
    line: Line<
        impl Fn(u64) -> MarkerKind,
        impl Fn(u64) -> Marker,
        impl Fn(u64) -> (u32, u32),
        impl Fn(u64) -> BeatMark,
    >,
) -> TimelineView {
    let Line { steps, end, .. } = line;
    let columns = u64::from(query.columns.max(1));
    let mut view = TimelineView {
        steps,
        end_us: end.0,
        end_revision: end.1,
        ..TimelineView::default()
    };
    if line.beats * COLUMNS_PER_BEAT <= columns {
        view.beats = (1..=line.beats).map(line.beat).collect();
    }
    if steps * COLUMNS_PER_MARKER <= columns {
        view.markers = (1..=steps).map(line.marker).collect();
        for step in 1..=steps {
            let (watch, cache) = (line.lag)(step);
            view.watch_lag.add(step, watch);
            view.cache_lag.add(step, cache);
        }
        return view;
    }
    let mut most = Most::default();
    for step in 1..=steps {
        let column = ((step - 1) * columns / steps) as u32;
        let kind = (line.kind)(step);
        let (watch, cache) = (line.lag)(step);
        match view.bins.last_mut() {
            Some(bin) if bin.column == column => {
                bin.count += 1;
                bin.kind = bin.kind.max(kind);
                most.watch = most.watch.max(watch);
                most.cache = most.cache.max(cache);
            }
            _ => {
                most.end_in(&mut view);
                most = Most { step, watch, cache };
                view.bins.push(TimelineBin {
                    column,
                    count: 1,
                    kind,
                });
            }
        }
    }
    most.end_in(&mut view);
    view
}

/// The greatest lags of a watch and of a cache in a pixel column, and the first step of the column.
#[derive(Clone, Copy, Debug, Default)]
struct Most {
    step: u64,
    watch: u32,
    cache: u32,
}

impl Most {
    fn end_in(self, view: &mut TimelineView) {
        view.watch_lag.add(self.step, self.watch);
        view.cache_lag.add(self.step, self.cache);
    }
}
