//! Drawing up the timeline.

use super::{BeatMark, Marker, MarkerKind, TimelineBin, TimelineQuery, TimelineView};

/// Columns of pixels that a marker needs to be told from its neighbours.
const COLUMNS_PER_MARKER: u64 = 3;

/// Columns of pixels that a beat needs to be pointed at.
const COLUMNS_PER_BEAT: u64 = 12;

/// What the line of a run is made from; kinds, markers and beats are asked for as they are needed.
pub struct Line<K, M, L, B> {
    /// How many steps there are.
    pub steps: u64,
    /// Simulated time and revision at the end.
    pub end: (u64, i64),
    /// What a step was, from 1 on.
    pub kind: K,
    /// The marker of a step, from 1 on.
    pub marker: M,
    /// The greatest lags of watches and of caches after a step, from 1 on.
    pub lag: L,
    /// How many beats there are.
    pub beats: u64,
    /// The mark of a beat, from 1 on.
    pub beat: B,
}

/// The line of a run.
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

/// The greatest lags in a column, and its first step.
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
