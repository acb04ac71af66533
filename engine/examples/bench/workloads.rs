//! Work that runs natively and in wasm, so that the speeds can be compared. The work uses no clock, and returns a count
//! that proves that the work was done.

use watchglass_engine::api::Profile;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::mvcc::{Filters, KvStore, WatchableStore};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// The number of events that the work must deliver.
    pub(crate) events: u64,
    /// Does the work and returns the number of delivered events.
    pub(crate) run: fn() -> u64,
}

pub(crate) const WORKLOADS: [Workload; 4] = [
    Workload {
        name: "fan-out of 200 puts to 1,000 watchers on 10 streams",
        events: 200_000,
        run: || fan_out(1_000, 10, 200),
    },
    Workload {
        name: "fan-out of 20 puts to 10,000 watchers on 100 streams",
        events: 200_000,
        run: || fan_out(10_000, 100, 20),
    },
    Workload {
        name: "catch-up of 10,000 watchers from revision 1, each of its own key",
        events: 10_000,
        run: || catch_up(10_000, true),
    },
    Workload {
        name: "catch-up of 200 watchers over 1,000 revisions of one key",
        events: 200_000,
        run: || catch_up(200, false),
    },
];

fn key(i: u64) -> Bytes {
    format!("/registry/pods/namespace-{:04}/{i:036}", i / 1000).into()
}

fn fan_out(watchers: u64, streams: u64, puts: u64) -> u64 {
    let store = KvStore::new(Profile::V3_6);
    let mut limits = WatchableStore::new(store.clone()).limits();
    limits.channel = (watchers / streams + 1) as u32;
    let mut store = WatchableStore::with_limits(store, limits);
    let streams: Vec<_> = (0..streams).map(|_| store.open_stream()).collect();
    for i in 0..watchers {
        let on = streams[i as usize % streams.len()];
        let one = KeyRange::One(key(0));
        let began = store.watch(on, 0, one, 0, Filters::default());
        assert!(began.is_ok(), "a key is a range");
    }
    let mut events = 0;
    for _ in 0..puts {
        store.write(|txn| txn.put(key(0), "value".into(), 0));
        for stream in &streams {
            while let Some(response) = store.recv(*stream) {
                events += response.events.len() as u64;
            }
        }
    }
    events
}

fn catch_up(watchers: u64, own_keys: bool) -> u64 {
    let mut store = WatchableStore::new(KvStore::new(Profile::V3_6));
    let revisions = if own_keys { watchers } else { 1_000 };
    for i in 0..revisions {
        let at = if own_keys { i } else { 0 };
        store.write(|txn| txn.put(key(at), "value".into(), 0));
    }
    let streams: Vec<_> = (0..100).map(|_| store.open_stream()).collect();
    for i in 0..watchers {
        let on = streams[i as usize % streams.len()];
        let one = KeyRange::One(key(if own_keys { i } else { 0 }));
        let began = store.watch(on, 0, one, 1, Filters::default());
        assert!(began.is_ok(), "a key is a range");
    }
    let mut events = 0;
    while store.sync_watchers().is_some() {
        for stream in &streams {
            while let Some(response) = store.recv(*stream) {
                events += response.events.len() as u64;
            }
        }
    }
    events
}
