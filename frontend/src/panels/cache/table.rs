//! The rows of the table: the caches, the watches of clients, the requests, and the writes to the resource.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::CacheRow;

use super::scene::{CACHE_ROW, REVISION_ROW, WATCH_ROW, WATCHES_A_CACHE};
use crate::widgets::GridRow;
use crate::words::cache as words;

/// Returns the rows of the table: first the caches, each with the watches of its clients, then the
/// requests, and then the writes, newest first.
pub fn rows(view: &CacheView) -> Vec<GridRow> {
    let mut rows = Vec::new();
    for (at, cache) in view.caches.iter().enumerate() {
        let first = WATCH_ROW + at as u64 * WATCHES_A_CACHE;
        rows.push(cache_row(view, cache, CACHE_ROW + at as u64));
        let watches = cache.watchers.iter().enumerate();
        rows.extend(watches.map(|(place, watch)| {
            let behind = (view.head - watch.revision).max(0).unsigned_abs();
            let cells = vec![
                words::watch(watch),
                cache.server.clone(),
                watch.revision.to_string(),
                behind.to_string(),
                words::watch_state(watch),
            ];
            GridRow {
                id: first + place as u64,
                cells,
            }
        }));
    }
    rows.extend(view.requests.iter().map(|known| GridRow {
        id: known.id,
        cells: vec![
            words::request(known),
            known.server.clone(),
            known.revision.map(|revision| revision.to_string()).unwrap_or_default(),
            String::new(),
            words::result(known),
        ],
    }));
    let own = view.revisions.iter().rev().filter(|mark| mark.own);
    rows.extend(own.map(|mark| GridRow {
        id: REVISION_ROW + mark.revision.unsigned_abs(),
        cells: vec![
            mark.label.clone(),
            words::ETCD.to_owned(),
            mark.revision.to_string(),
            String::new(),
            String::new(),
        ],
    }));
    rows
}

fn cache_row(view: &CacheView, cache: &CacheRow, id: u64) -> GridRow {
    GridRow {
        id,
        cells: vec![
            words::cache_of(&view.resource),
            cache.server.clone(),
            cache.revision.to_string(),
            words::lag(cache),
            words::cache_state(view, cache),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_table_has_what_the_picture_has() {
        let rows = rows(&fixture::two());
        let whats: Vec<&str> = rows.iter().map(|row| row.cells[0].as_str()).collect();
        assert_eq!(
            whats[..9],
            [
                "cache of pods",
                "watch scheduler, everything",
                "watch kubelet-1, by spec.nodeName=node-1",
                "cache of pods",
                "watch dashboard, everything",
                "watch audit, everything",
                "LIST pods by kubectl",
                "LIST pods --resource-version=0 by dashboard",
                "GET pods web-1 by kubectl",
            ]
        );
        assert_eq!(rows[3].cells[3], "14 revisions, 284 ms stale");
        assert_eq!(rows.len(), 9 + 20, "a row for each write to the resource");
        assert_eq!(
            rows[9].cells[..3],
            ["put pods/default/web-1", "etcd", "1250"]
        );
        assert_eq!(rows[7].cells[4], "cache, 200 after 4.1 ms");
        assert!(
            rows.iter()
                .all(|row| row.cells.len() == words::COLUMNS.len())
        );
        let mut ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
        ids.dedup();
        assert_eq!(ids.len(), rows.len());
    }
}
