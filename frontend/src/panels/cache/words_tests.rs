//! Tests of the texts of the Cache view.

use super::fixture;
use crate::words::cache as words;

#[test]
fn the_figure_in_sentences() {
    assert_eq!(
        words::figure(&fixture::two()),
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
    assert_eq!(words::brief(&view, first), "fresh");
    assert_eq!(words::brief(&view, second), "−14 · 284 ms");
    let second = second.clone();
    "held".clone_into(&mut view.servers[1].state);
    assert_eq!(words::brief(&view, &second), "held −14 · 284 ms");
    assert_eq!(words::state(&view, &second), "held, 14 behind");
}
