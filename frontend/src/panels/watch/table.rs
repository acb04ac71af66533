//! The rows of the Watch view's table, which contains the same watchers as the picture.

use watchglass_engine::view::watch::WatcherView;

use crate::widgets::GridRow;
use crate::words::watch as words;

pub fn row(watcher: &WatcherView) -> GridRow {
    GridRow {
        id: watcher.id,
        cells: vec![
            watcher.name.clone(),
            watcher.range.clone(),
            words::state(watcher.pool).to_owned(),
            watcher.next.to_string(),
            watcher.behind.to_string(),
            watcher.client.map_or_else(String::new, |client| {
                let [said, _] = words::received(client);
                said
            }),
            [watcher.stream.to_string(), watcher.watch_id.to_string()].join(" · "),
        ],
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::watch::ReceivedView;

    use super::super::fixture;
    use super::*;

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
