//! The text form of the Watch view: the text alternative of the figure, and the rows of the table.

use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::{Lamp, LampView, ReceivedView, WatcherView};

use super::shape;
use crate::draw::text::{duration, grouped};
use crate::widgets::GridRow;

/// The headings of the table.
pub const COLUMNS: [&str; 7] = [
    "Watcher",
    "Keys",
    "Pool",
    "Next revision",
    "Behind",
    "Client",
    "Stream",
];

/// Returns the row of a watcher.
pub fn row(watcher: &WatcherView) -> GridRow {
    GridRow {
        id: watcher.id,
        cells: vec![
            watcher.name.clone(),
            watcher.range.clone(),
            shape::state(watcher.pool).to_owned(),
            watcher.next.to_string(),
            watcher.behind.to_string(),
            watcher.client.map_or_else(String::new, |client| {
                let [said, _] = received(client);
                said
            }),
            [watcher.stream.to_string(), watcher.watch_id.to_string()].join(" · "),
        ],
    }
}

/// Describes a watcher in a sentence.
pub fn title(watcher: &WatcherView) -> String {
    let mut text = format!(
        "{}, {}, {}, waits for revision {}",
        watcher.name,
        watcher.range,
        shape::state(watcher.pool),
        watcher.next
    );
    if watcher.behind > 0 {
        text.push_str(", ");
        text.push_str(&watcher.behind.to_string());
        text.push_str(" behind");
    }
    if let Some(client) = watcher.client {
        let [said, _] = received(client);
        text.push_str(", ");
        text.push_str(&said);
    }
    text
}

/// Returns a long and a short text about the events that a client has received.
pub fn received(client: ReceivedView) -> [String; 2] {
    let revision = grouped(client.revision);
    match client.missing {
        0 => [
            format!("client at revision {revision}"),
            format!("client {revision}"),
        ],
        missing => [
            format!("client at revision {revision}, {} missing", events(missing)),
            format!(
                "{} missing",
                grouped(i64::try_from(missing).unwrap_or(i64::MAX))
            ),
        ],
    }
}

fn events(count: u64) -> String {
    match count {
        1 => "1 event".to_owned(),
        count => format!(
            "{} events",
            grouped(i64::try_from(count).unwrap_or(i64::MAX))
        ),
    }
}

/// Returns the text alternative of the figure.
pub fn figure(view: &WatchView) -> String {
    let all = view.synced + view.unsynced + view.victims;
    if all == 0 && view.watchers.is_empty() {
        let mut text = "No watchers.".to_owned();
        push_away(&mut text, view);
        return text;
    }
    let mut text = format!("At revision {}", view.revision);
    for (before, number, name) in [
        (": ", all, "watchers"),
        (", ", view.synced, "synced"),
        (", ", view.unsynced, "unsynced"),
        (", ", view.victims, "victims"),
    ] {
        if before == ": " || number > 0 {
            text.push_str(before);
            text.push_str(&number.to_string());
            text.push(' ');
            text.push_str(if number == 1 {
                name.trim_end_matches('s')
            } else {
                name
            });
        }
    }
    text.push('.');
    if let Some(next) = &view.next_sync {
        text.push_str(" The next sync pass, in ");
        text.push_str(&duration(next.in_us));
        text.push_str(", handles ");
        text.push_str(&next.picks.to_string());
        text.push_str(" of them and reads revisions ");
        text.push_str(&next.from.to_string());
        text.push_str(" to ");
        text.push_str(&next.to.to_string());
        text.push('.');
    }
    if view.compact_revision > 0 {
        text.push_str(" Compacted at ");
        text.push_str(&view.compact_revision.to_string());
        text.push('.');
    }
    push_away(&mut text, view);
    text
}

/// Appends a sentence for each watch without a watcher.
fn push_away(text: &mut String, view: &WatchView) {
    for watch in &view.away {
        for part in [
            " ",
            &watch.name,
            ", ",
            watch.state.word(),
            ": ",
            &watch.about,
            ".",
        ] {
            text.push_str(part);
        }
    }
}

/// Returns the state of a guarantee in words.
pub fn lamp(lamp: &LampView) -> &'static str {
    match lamp.lamp {
        Lamp::Idle => "not exercised yet",
        Lamp::Holds => "holds",
        Lamp::Near => "near its limit",
        Lamp::Broken => "broken",
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::watch::{AwayState, AwayView};

    use super::super::fixture;
    use super::*;

    #[test]
    fn the_figure_in_sentences() {
        assert_eq!(
            figure(&fixture::few()),
            "At revision 5240: 8 watchers, 4 synced, 3 unsynced, 1 victim. The next sync pass, in \
             63 ms, handles 3 of them and reads revisions 1640 to 5240. Compacted at 1400."
        );
        assert_eq!(figure(&WatchView::default()), "No watchers.");
        let mut gone = WatchView::default();
        gone.away.push(AwayView {
            name: "w1".to_owned(),
            state: AwayState::Ended,
            about: "canceled by its client".to_owned(),
            ..AwayView::default()
        });
        assert_eq!(
            figure(&gone),
            "No watchers. w1, ended: canceled by its client."
        );
    }

    #[test]
    fn a_row_of_the_table() {
        let mut watcher = fixture::few().watchers[5].clone();
        watcher.client = Some(ReceivedView {
            revision: 1600,
            missing: 1,
            has_progress: false,
        });
        let client = "client at revision 1,600, 1 event missing";
        assert_eq!(
            row(&watcher).cells,
            [
                "D0",
                "/registry/",
                "unsynced",
                "1640",
                "3601",
                client,
                "2 · 1"
            ]
        );
    }
}
