//! The rows of the Messages view's list, which contains the same messages as the picture.

use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::Arrow;

use crate::draw::text::duration;
use crate::widgets::GridRow;
use crate::words::messages as words;

pub fn rows(view: &MessagesView) -> Vec<GridRow> {
    view.arrows.iter().map(|arrow| row(view, arrow)).collect()
}

/// Returns the row of a message in the list of messages.
pub fn row(view: &MessagesView, arrow: &Arrow) -> GridRow {
    let name = |lane: u32| {
        let lane = view.lanes.get(lane as usize);
        lane.map(|lane| lane.name.clone()).unwrap_or_default()
    };
    GridRow {
        id: arrow.id,
        cells: vec![
            words::message(arrow),
            name(arrow.from),
            name(arrow.to),
            duration(arrow.sent_us),
            duration(arrow.arrives_us.saturating_sub(arrow.sent_us)),
            words::fate(arrow.fate).to_owned(),
        ],
    }
}
