//! The text form of the Messages view: the text alternative of the figure, and the rows of the list.

use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::Arrow;

use super::scene::fate;
use crate::draw::text::duration;
use crate::widgets::GridRow;
use crate::words::common::count;

/// The headings of the list.
pub const COLUMNS: [&str; 6] = ["Message", "From", "To", "Sent", "Takes", "Fate"];

/// Returns the row of a message.
pub fn row(view: &MessagesView, arrow: &Arrow) -> GridRow {
    let name = |lane: u32| {
        let lane = view.lanes.get(lane as usize);
        lane.map(|lane| lane.name.clone()).unwrap_or_default()
    };
    let mut said = arrow.label.clone();
    if arrow.count > 1 {
        said.push_str(" ×");
        said.push_str(&arrow.count.to_string());
    }
    GridRow {
        id: arrow.id,
        cells: vec![
            said,
            name(arrow.from),
            name(arrow.to),
            duration(arrow.sent_us),
            duration(arrow.arrives_us.saturating_sub(arrow.sent_us)),
            fate(arrow.fate).to_owned(),
        ],
    }
}

/// Returns the text alternative of the figure.
pub fn figure(view: &MessagesView) -> String {
    if view.total == 0 {
        return "No messages yet.".to_owned();
    }
    let names: Vec<&str> = view.lanes.iter().map(|lane| lane.name.as_str()).collect();
    let newer = match view.newer {
        0 => String::new(),
        newer => format!(", without the newest {newer}"),
    };
    let repeated = view.stretches.iter().filter(|stretch| stretch.repeated > 0);
    let repeated = repeated.map(|stretch| {
        let every = duration(stretch.every_us);
        format!(" {} rounds repeat every {every}.", stretch.repeated)
    });
    format!(
        "At {}, {} between {}; the last {}{newer}.{}",
        duration(view.now_us),
        count(view.total, "message", "messages"),
        names.join(", "),
        count(view.covered, "is shown", "are shown"),
        repeated.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn in_words() {
        let view = fixture::traffic();
        assert_eq!(
            figure(&view),
            "At 89.6 ms, 38 messages between w1, etcd, etcdctl; the last 37 are shown."
        );
        assert_eq!(
            row(&view, &view.arrows[6]).cells,
            [
                "PUT /a at 8",
                "etcd",
                "w1",
                "12.4 ms",
                "1.6 ms",
                "lost, resent"
            ]
        );
        assert_eq!(figure(&MessagesView::default()), "No messages yet.");
    }
}
