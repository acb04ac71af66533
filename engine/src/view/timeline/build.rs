//! Drawing up the timeline.

use super::{Marker, MarkerKind, TimelineBin, TimelineQuery, TimelineView};

/// Columns of pixels that a marker needs to be told from its neighbours.
const COLUMNS_PER_MARKER: u64 = 3;

/// The line of a run; kinds and markers of its steps, from 1 on, are asked for as they are needed.
pub fn timeline_view(
    steps: u64,
    query: &TimelineQuery,
    end: (u64, i64),
    kind: impl Fn(u64) -> MarkerKind,
    marker: impl Fn(u64) -> Marker,
) -> TimelineView {
    let columns = u64::from(query.columns.max(1));
    let mut view = TimelineView {
        steps,
        end_us: end.0,
        end_revision: end.1,
        ..TimelineView::default()
    };
    if steps * COLUMNS_PER_MARKER <= columns {
        view.markers = (1..=steps).map(marker).collect();
        return view;
    }
    for step in 1..=steps {
        let column = ((step - 1) * columns / steps) as u32;
        let kind = kind(step);
        match view.bins.last_mut() {
            Some(bin) if bin.column == column => {
                bin.count += 1;
                bin.kind = bin.kind.max(kind);
            }
            _ => view.bins.push(TimelineBin {
                column,
                count: 1,
                kind,
            }),
        }
    }
    view
}
