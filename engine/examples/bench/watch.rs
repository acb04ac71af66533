//! Measures the fan-out to many watchers, and watchers that catch up.
//!
//! etcd's times include its goroutines and channels; here, each response is delivered within the call. Events are
//! counted as they leave the channels of the streams.

use watchglass_engine::api::{Profile, PutRequest, Request, WatchCreateRequest};
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::mvcc::{Filters, KvStore, StreamId, WatchableStore};
use watchglass_engine::world::op::WorldOp;
use watchglass_engine::world::{Config, World};

use super::{key, keys, millis, rate, runs, timed, value};

/// The total number of events that a fan-out delivers.
const EVENTS: u64 = 1_000_000;

fn watched(
    watchers: u64,
    streams: u64,
    start_rev: i64,
    mut range: impl FnMut(u64) -> KeyRange,
    mut store: WatchableStore,
) -> (WatchableStore, Vec<StreamId>) {
    let streams: Vec<StreamId> = (0..streams).map(|_| store.open_stream()).collect();
    for i in 0..watchers {
        let stream = streams[i as usize % streams.len()];
        let began = store.watch(stream, 0, range(i), start_rev, Filters::default());
        assert!(began.is_ok(), "a range that is not empty");
    }
    (store, streams)
}

fn drain(store: &mut WatchableStore, streams: &[StreamId]) -> u64 {
    let mut events = 0;
    for stream in streams {
        while let Some(response) = store.recv(*stream) {
            events += response.events.len() as u64;
        }
    }
    events
}

/// Measures puts to one key that all watchers watch; each put is delivered to all watchers before the next put starts.
pub(super) fn fan_out(watchers: u64, streams: u64) -> Vec<f64> {
    let value = value();
    runs(|| {
        // A channel holds the responses of one put. With upstream's 128, some watchers would become victims, because no
        // sender runs at the same time here.
        let mut limits = WatchableStore::new(KvStore::new(Profile::V3_6)).limits();
        limits.channel = (watchers / streams + 1) as u32;
        let store = WatchableStore::with_limits(KvStore::new(Profile::V3_6), limits);
        let one = |_| KeyRange::One(key(0));
        let (mut store, streams) = watched(watchers, streams, 0, one, store);
        let (took, events) = timed(|| {
            let mut events = 0;
            for _ in 0..EVENTS / watchers {
                store.write(|txn| txn.put(key(0), value.clone(), 0));
                events += drain(&mut store, &streams);
            }
            events
        });
        assert_eq!(events, EVENTS);
        rate(events, took)
    })
}

/// Measures the fan-out in a complete simulated world. All watchers watch one key. Each put to this key passes through
/// the links, the streams, the client library and the trace.
pub(super) fn fan_out_world(watches: u32, streams: u32, puts: u64) -> Vec<f64> {
    runs(|| {
        let mut world = World::new(Config::default());
        let create = WatchCreateRequest {
            key: key(0),
            ..WatchCreateRequest::default()
        };
        let name = "crowd".into();
        world.do_op(
            WorldOp::Crowd {
                name,
                watches,
                streams,
                create,
            }
            .into(),
        );
        let mut delivered = 0;
        let step = |world: &mut World, delivered: &mut u64| {
            world.step(&mut |event| {
                if let watchglass_engine::trace::TraceEvent::Client(
                    watchglass_engine::trace::ClientTrace::Received { response, .. },
                ) = event.what
                {
                    *delivered += response.events.len() as u64;
                }
            })
        };
        while step(&mut world, &mut delivered) {}
        let (took, ()) = timed(|| {
            for _ in 0..puts {
                let put = PutRequest {
                    key: key(0),
                    value: value(),
                    ..PutRequest::default()
                };
                world.submit(Request::Put(put).into());
                while step(&mut world, &mut delivered) {}
            }
        });
        assert_eq!(delivered, u64::from(watches) * puts);
        rate(delivered, took)
    })
}

/// Measures watchers that start at revision 1 and catch up over 10,000 revisions. Each watcher has its own key. The
/// measurement ends when all watchers are synced.
pub(super) fn catch_up_own_keys(watchers: u64) -> Vec<f64> {
    let keys = keys(watchers);
    let store = super::store_of(&keys, 10_000 / watchers.min(10_000));
    runs(|| {
        let own = |i: u64| KeyRange::One(keys[i as usize].clone());
        let store = WatchableStore::new(store.clone());
        let (mut store, streams) = watched(watchers, 100, 1, own, store);
        let (took, events) = timed(|| catch_up(&mut store, &streams));
        assert_eq!(events, 10_000);
        millis(took)
    })
}

/// Measures watchers that start at revision 1 and watch the same key, which has 10,000 revisions.
pub(super) fn catch_up_one_key(watchers: u64) -> Vec<f64> {
    let store = super::store_of(&keys(1), 10_000);
    (0..2)
        .map(|_| {
            let one = |_| KeyRange::One(key(0));
            let store = WatchableStore::new(store.clone());
            let (mut store, streams) = watched(watchers, 100, 1, one, store);
            let (took, events) = timed(|| catch_up(&mut store, &streams));
            assert_eq!(events, 10_000 * watchers);
            millis(took)
        })
        .collect()
}

fn catch_up(store: &mut WatchableStore, streams: &[StreamId]) -> u64 {
    let mut events = 0;
    while store.sync_watchers().is_some() {
        events += drain(store, streams);
    }
    events
}
