//! Tests of the texts of the Cache view.

use watchglass_engine::view::watch::WatcherPool;

use super::fixture;
use super::lane::pool;
use super::picture::legend_items;
use super::plot::bar_class;
use crate::words::cache as words;

#[test]
fn the_figure_in_sentences() {
    assert_eq!(
        words::figure(&fixture::two()),
        "etcd is at revision 1258. api-1, cache of pods: fresh, revision 1258; window: 16 \
         of 16 events, from 1,219; 120 client watches, 1 etcd watch; etcd last reported progress at \
         revision 1258. api-2, cache of pods: 14 behind, revision 1244, 284 ms stale; window: 16 of 16 \
         events, from 1,215; 2 client watches, 1 etcd watch; LIST needs RV 1,258 · waits 87 ms; \
         etcd last reported progress at revision 1244. Newest writes to pods: revision 1,250: put \
         pods/default/web-1; revision 1,245: put pods/default/web-1; revision 1,242: put \
         pods/default/web-1; revision 1,239: put pods/default/web-1; revision 1,237: put \
         pods/default/web-1; revision 1,235: put pods/default/web-1; revision 1,234: put \
         pods/default/web-1; revision 1,232: put pods/default/web-1. dashboard went \
         back in time: 1258 on api-1, then 1244 on api-2."
    );
}

#[test]
fn beside_the_bar_staleness_is_in_revisions_and_in_time() {
    let mut view = fixture::two();
    let [first, second] = view.caches.as_slice() else {
        panic!("two caches");
    };
    assert_eq!(words::brief(&view, first), "fresh");
    assert_eq!(words::brief(&view, second), "−14 · 284 ms");
    let second = second.clone();
    "held".clone_into(&mut view.servers[1].state);
    assert_eq!(words::brief(&view, &second), "held");
    assert_eq!(words::state(&view, &second), "held, 14 behind");
}

/// A view in which the second cache has all events of its resource: after the revision of the cache, only other keys
/// changed.
fn unconfirmed() -> watchglass_engine::view::CacheView {
    let mut view = fixture::two();
    let second = &mut view.caches[1];
    (second.behind, second.missing, second.stale_us) = (1, 0, 0);
    view
}

#[test]
fn a_cache_that_misses_no_event_is_unconfirmed_and_not_stale() {
    let view = unconfirmed();
    let second = &view.caches[1];
    assert_eq!(words::brief(&view, second), "−1 unconfirmed");
    assert_eq!(words::line(&view, second), "api-2: unconfirmed");
    assert_eq!(words::lag(second), "1 revision, unconfirmed");
    assert!(words::cache(&view, second).contains(
        "1 behind, unconfirmed, revision 1244 (the cache has received all events of pods, and \
         waits for a progress notification that confirms this)"
    ));
    let legend: Vec<&str> = legend_items(&view).iter().map(|item| item.2).collect();
    assert!(legend.contains(&words::UNCONFIRMED) && !legend.contains(&words::MISSING));
}

#[test]
fn a_disconnected_server_is_not_fresh() {
    let mut view = fixture::two();
    "disconnected".clone_into(&mut view.servers[0].state);
    let first = &view.caches[0];
    assert_eq!(words::line(&view, first), "api-1: disconnected");
    assert_eq!(pool(&view, first), WatcherPool::Unsynced);
}

#[test]
fn a_watch_that_ended_with_an_error_shows_the_error() {
    let mut request = fixture::two().requests.remove(1);
    assert_eq!(bar_class(&request), "cache-request");
    request.ended_with = 410;
    assert_eq!(bar_class(&request), "cache-request refused");
    assert_eq!(
        words::result(&request),
        "cache, 200 after 4.1 ms, ended with ERROR 410"
    );
}

#[test]
fn the_legend_has_the_marks_of_the_pictures() {
    let legend: Vec<&str> = legend_items(&fixture::two())
        .iter()
        .map(|item| item.2)
        .collect();
    assert_eq!(
        legend,
        [
            "create or update",
            "delete",
            "write to other keys",
            "in the cache",
            "missing",
            "wait",
            "progress (P)",
            "bookmark (B)",
            "client watch",
            "request in progress",
            "request: cache",
            "request: etcd",
        ]
    );
}
