//! The text form of the Cache view: the text alternative of the figure, the rows of the table, and the descriptions of
//! caches and requests.

use crate::draw::text;
use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{
    CacheReady, CacheRow, ClientWatchRow, PathKind, RequestRow, WaitingRow, WindowView,
};

use super::scene::{CACHE_ROW, WATCH_ROW, WATCHES_A_CACHE};
use crate::draw::text::{duration, grouped};
use crate::widgets::GridRow;

/// The headings of the table.
pub const COLUMNS: [&str; 5] = ["Item", "Server", "Revision", "Behind", "State"];

/// Formats a number with the singular or plural of its noun.
pub fn number(count: u64, one: &str, many: &str) -> String {
    let said = text::count(count);
    format!("{said} {}", if count == 1 { one } else { many })
}

/// Formats the lag of a cache in revisions and in time.
fn lacks(behind: u64, stale_us: u64) -> String {
    if behind == 0 {
        return "0".to_owned();
    }
    format!(
        "{}, {}",
        number(behind, "revision", "revisions"),
        duration(stale_us)
    )
}

/// Returns the state of the server, or the state of its cache if the state of the server is normal.
pub fn state(view: &CacheView, cache: &CacheRow) -> String {
    let server = view.servers.iter().find(|row| row.name == cache.server);
    if let Some(server) = server.filter(|server| !server.state.is_empty()) {
        let behind = text::count(cache.behind);
        return match cache.behind {
            0 => server.state.clone(),
            _ => format!("{}, {behind} behind", server.state),
        };
    }
    if !cache.cached {
        return "no cache".to_owned();
    }
    match cache.ready {
        CacheReady::Off => "no cache".to_owned(),
        CacheReady::Stopped => "stopped".to_owned(),
        CacheReady::Pending => "not ready".to_owned(),
        CacheReady::Ready if cache.ahead > 0 => "ahead of etcd".to_owned(),
        CacheReady::Ready if cache.behind == 0 => "fresh".to_owned(),
        CacheReady::Ready => {
            let behind = text::count(cache.behind);
            format!("{behind} behind")
        }
    }
}

/// Returns the state in a shorter form, including the staleness in time.
pub fn brief(view: &CacheView, cache: &CacheRow) -> String {
    if cache.behind == 0 || cache.ready != CacheReady::Ready {
        return state(view, cache);
    }
    let behind = text::count(cache.behind);
    let mut said = format!("−{behind} · {}", duration(cache.stale_us));
    let server = view.servers.iter().find(|row| row.name == cache.server);
    if let Some(server) = server.filter(|server| !server.state.is_empty()) {
        said = format!("{} {said}", server.state);
    }
    said
}

/// Returns the reason why a cache cannot be drawn.
pub fn unusable(cache: &CacheRow) -> String {
    if !cache.ready_detail.is_empty() {
        return cache.ready_detail.clone();
    }
    let said = match cache.ready {
        CacheReady::Stopped => "stopped",
        CacheReady::Pending | CacheReady::Ready => "no list from etcd yet",
        CacheReady::Off => "no cache: etcd serves every read",
    };
    said.to_owned()
}

/// Formats the size and the first revision of the history window.
pub fn window(window: &WindowView) -> String {
    let used = i64::try_from(window.used).unwrap_or(i64::MAX);
    let mut said = format!(
        "window: {} of {}",
        grouped(used),
        grouped(window.capacity.into())
    );
    said.push_str(" events");
    if let Some(oldest) = window.oldest {
        said.push_str(", from ");
        said.push_str(&grouped(oldest));
    }
    said
}

/// Describes a cache in a sentence.
pub fn cache(view: &CacheView, cache: &CacheRow) -> String {
    let mut said = format!("{}, cache of {}: ", cache.server, view.resource);
    if !cache.cached {
        said.push_str("none; etcd serves every read");
        return said;
    }
    said.push_str(&state(view, cache));
    said.push_str(", revision ");
    said.push_str(&cache.revision.to_string());
    if cache.behind > 0 {
        said.push_str(", ");
        said.push_str(&duration(cache.stale_us));
        said.push_str(" stale");
    }
    said.push_str("; ");
    said.push_str(&window(&cache.window));
    said.push_str("; ");
    said.push_str(&saved(cache));
    said
}

/// Formats the number of client watches of a cache and the number of etcd watches that it needs for them.
pub fn saved(cache: &CacheRow) -> String {
    format!(
        "{}, {}",
        number(cache.client_watches, "client watch", "client watches"),
        number(cache.etcd_watches.into(), "etcd watch", "etcd watches")
    )
}

/// Describes the client watches at one revision.
pub fn watches(count: u64, names: &str, revision: i64) -> String {
    let count = number(count, "client watch", "client watches");
    format!("{count} at revision {revision}: {names}")
}

/// Describes a waiting read.
pub fn waiting(view: &CacheView, waiting: &WaitingRow) -> String {
    let request = view.requests.iter().find(|row| row.id == waiting.request);
    let verb = request.map_or("read", |request| request.verb.as_str());
    let Some(needed) = waiting.needed else {
        return format!("{verb} asks etcd for the revision");
    };
    let waits = duration(view.now_us.saturating_sub(waiting.since_us));
    format!("{verb} needs {} · waits {waits}", grouped(needed))
}

/// Returns the source of a response in words.
pub fn path(path: PathKind) -> &'static str {
    match path {
        PathKind::Open => "in progress",
        PathKind::Cache => "cache",
        PathKind::Snapshot => "snapshot",
        PathKind::Etcd => "etcd",
        PathKind::Refused => "refused",
    }
}

/// Returns a request in words.
pub fn request(request: &RequestRow) -> String {
    let mut said = format!("{} {}", request.verb, request.what);
    if !request.client.is_empty() {
        said.push_str(" by ");
        said.push_str(&request.client);
    }
    said
}

/// Returns the result of a request in words.
pub fn outcome(request: &RequestRow) -> String {
    let took = duration(request.split.total_us);
    if request.code == 0 {
        return format!("no response for {took}");
    }
    let code = request.code.to_string();
    let mut said = format!("{code} after {took}");
    if request.split.wait_us > 0 {
        said.push_str(", waited ");
        said.push_str(&duration(request.split.wait_us));
    }
    said
}

/// Returns the start of a request's wait for the cache, in microseconds, if the request waits.
pub fn waits_since(view: &CacheView, request: &RequestRow) -> Option<u64> {
    let mut waiting = view.caches.iter().flat_map(|cache| &cache.waiting);
    let found = waiting.find(|waiting| waiting.request == request.id)?;
    found.needed.map(|_| found.since_us)
}

/// Returns the rows of the table: first the caches, each with the watches of its clients, and then the requests.
pub fn rows(view: &CacheView) -> Vec<GridRow> {
    let mut rows = Vec::new();
    for (at, cache) in view.caches.iter().enumerate() {
        let first = WATCH_ROW + at as u64 * WATCHES_A_CACHE;
        rows.push(cache_row(view, cache, CACHE_ROW + at as u64));
        let watches = cache.watchers.iter().enumerate();
        rows.extend(watches.map(|(place, watch)| {
            let behind = (view.head - watch.revision).max(0).unsigned_abs();
            let cells = vec![
                format!("watch {}, {}", watch.client, watch.selects),
                cache.server.clone(),
                watch.revision.to_string(),
                behind.to_string(),
                watch_state(watch),
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
            request(known),
            known.server.clone(),
            known.revision.map(|revision| revision.to_string()).unwrap_or_default(),
            String::new(),
            format!("{}, {}", path(known.path), outcome(known)),
        ],
    }));
    rows
}

fn cache_row(view: &CacheView, cache: &CacheRow, id: u64) -> GridRow {
    let mut said = state(view, cache);
    if cache.cached {
        said.push_str(", ");
        said.push_str(&window(&cache.window));
        said.push_str(", ");
        said.push_str(&saved(cache));
    }
    for waits in &cache.waiting {
        said.push_str("; ");
        said.push_str(&waiting(view, waits));
    }
    GridRow {
        id,
        cells: vec![
            format!("cache of {}", view.resource),
            cache.server.clone(),
            cache.revision.to_string(),
            lacks(cache.behind, cache.stale_us),
            said,
        ],
    }
}

fn watch_state(watch: &ClientWatchRow) -> String {
    let mut said = if watch.replaying { "replaying, " } else { "" }.to_owned();
    said.push_str(&watch.sent.to_string());
    said.push_str(" sent, channels ");
    let (input, result) = watch.queued;
    let of = watch.channel.to_string();
    for part in [
        &input.to_string(),
        "/",
        &of,
        " and ",
        &result.to_string(),
        "/",
        &of,
    ] {
        said.push_str(part);
    }
    said
}

/// Returns the text alternative of the figure.
pub fn figure(view: &CacheView) -> String {
    let mut said = format!("etcd's head is at revision {}.", view.head);
    for known in &view.caches {
        said.push(' ');
        said.push_str(&cache(view, known));
        for waits in &known.waiting {
            said.push_str("; ");
            said.push_str(&waiting(view, waits));
        }
        if let Some(progress) = known.progress.last() {
            said.push_str("; etcd last sent progress at ");
            said.push_str(&progress.revision.to_string());
        }
        said.push('.');
    }
    for moved in &view.back_in_time {
        for part in [
            " ",
            &moved.client,
            " went back in time: ",
            &moved.from.1.to_string(),
            " on ",
            &moved.from.0,
            ", then ",
            &moved.to.1.to_string(),
            " on ",
            &moved.to.0,
            ".",
        ] {
            said.push_str(part);
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_figure_in_sentences() {
        assert_eq!(
            figure(&fixture::two()),
            "etcd's head is at revision 1258. api-1, cache of pods: fresh, revision 1258; window: 16 \
             of 16 events, from 1,219; 120 client watches, 1 etcd watch; etcd last sent progress at \
             1258. api-2, cache of pods: 14 behind, revision 1244, 284 ms stale; window: 16 of 16 \
             events, from 1,215; 2 client watches, 1 etcd watch; LIST needs 1,258 · waits 87 ms; \
             etcd last sent progress at 1244. dashboard went back in time: 1258 on api-1, then 1244 on \
             api-2."
        );
    }

    #[test]
    fn beside_the_bar_staleness_is_in_revisions_and_in_time() {
        let mut view = fixture::two();
        let [first, second] = view.caches.as_slice() else {
            panic!("two caches");
        };
        assert_eq!(brief(&view, first), "fresh");
        assert_eq!(brief(&view, second), "−14 · 284 ms");
        let second = second.clone();
        "held".clone_into(&mut view.servers[1].state);
        assert_eq!(brief(&view, &second), "held −14 · 284 ms");
        assert_eq!(state(&view, &second), "held, 14 behind");
    }

    #[test]
    fn the_table_has_what_the_picture_has() {
        let rows = rows(&fixture::two());
        let whats: Vec<&str> = rows.iter().map(|row| row.cells[0].as_str()).collect();
        assert_eq!(
            whats,
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
        assert_eq!(rows[3].cells[3], "14 revisions, 284 ms");
        assert_eq!(rows[7].cells[4], "cache, 200 after 4.1 ms");
        assert!(rows.iter().all(|row| row.cells.len() == COLUMNS.len()));
        let mut ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
        ids.dedup();
        assert_eq!(ids.len(), rows.len());
    }
}
