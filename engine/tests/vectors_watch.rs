//! Compares the store's watchers with etcd's own test cases: `watchable_store_test.go`, `watcher_test.go`,
//! `watcher_group.go`, as data in `tests/data/watch_vectors.json`.

use std::collections::BTreeMap;

use crate::support::{bytes, flag, int, list, load, text};
use serde_json::Value;
use watchglass_engine::api::{EventKind, KeyValue, Profile, WatchEvent};
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::mvcc::event_batch::EventBatch;
use watchglass_engine::mvcc::{
    Filters, KvStore, StoreWatchResponse, StreamId, WatchLimits, WatchableStore, WatcherGroup,
    WatcherId,
};

fn vectors() -> Value {
    load("watch_vectors.json")
}

fn with_limits(limits: WatchLimits) -> WatchableStore {
    WatchableStore::with_limits(KvStore::new(Profile::V3_6), limits)
}

fn fresh() -> WatchableStore {
    with_limits(WatchLimits::default())
}

fn one(key: &str) -> KeyRange {
    KeyRange::One(key.into())
}

fn put(store: &mut WatchableStore, key: &str) {
    store.write(|txn| txn.put(key.into(), "bar".into(), 0));
}

fn delete(store: &mut WatchableStore, range: &KeyRange) -> i64 {
    store.write(|txn| txn.delete_range(range)).0
}

fn setup(store: &mut WatchableStore, ops: &[Value]) {
    for op in ops {
        match text(&op[0]) {
            "put" => put(store, text(&op[1])),
            "delete_range" => {
                let range = match op[2].as_str() {
                    None => KeyRange::One(bytes(&op[1])),
                    Some(end) => KeyRange::Between(bytes(&op[1]), end.into()),
                };
                delete(store, &range);
            }
            other => panic!("unknown operation {other}"),
        }
    }
}

fn watch(store: &mut WatchableStore, stream: StreamId, range: KeyRange, rev: i64) -> i64 {
    let id = store.watch(stream, 0, range, rev, Filters::default());
    id.expect("the watch is valid")
}

fn drain(store: &mut WatchableStore, stream: StreamId) -> Vec<StoreWatchResponse> {
    std::iter::from_fn(|| store.recv(stream)).collect()
}

fn mods(events: &[WatchEvent]) -> Vec<i64> {
    events.iter().map(|e| e.kv.mod_revision).collect()
}

fn numbers(v: &Value) -> Vec<i64> {
    let list = v.as_array().unwrap_or_else(|| panic!("not a list: {v}"));
    list.iter().map(int).collect()
}

fn assert_event(event: &WatchEvent, expected: &Value) {
    let kind = match event.kind {
        EventKind::Put => "PUT",
        EventKind::Delete => "DELETE",
    };
    assert_eq!(kind, text(&expected["type"]));
    let kv = &expected["kv"];
    assert_eq!(event.kv.key.to_text(), text(&kv["key"]));
    assert_eq!(event.kv.mod_revision, int(&kv["mod_revision"]));
    for (field, actual) in [
        ("create_revision", event.kv.create_revision),
        ("version", event.kv.version),
    ] {
        assert_eq!(actual, kv[field].as_i64().unwrap_or(0), "{field}");
    }
    assert_eq!(event.kv.value.to_text(), kv["value"].as_str().unwrap_or(""));
}

#[test]
fn a_batch_holds_whole_revisions_and_remembers_where_to_go_on() {
    let all = vectors();
    let cases = list(&all["event_batch_trace"], "cases");
    for case in cases {
        let mut batch = EventBatch::default();
        for rev in numbers(&case["in"]) {
            let kv = KeyValue {
                mod_revision: rev,
                ..KeyValue::default()
            };
            batch.add(
                &WatchEvent {
                    kind: EventKind::Put,
                    kv,
                    prev_kv: None,
                },
                2,
            );
        }
        assert_eq!(mods(&batch.events), numbers(&case["evs"]));
        assert_eq!(i64::from(batch.revs), int(&case["revs"]));
        assert_eq!(batch.more_rev, int(&case["more_rev"]));
    }
    assert_eq!(cases.len(), 2);
}

#[test]
fn a_lone_unsynced_watcher_catches_up_batch_by_batch() {
    let all = vectors();
    let cases = list(&all["batch_unsynced"], "cases");
    for case in cases {
        let (txns, puts) = (int(&case["R"]), int(&case["E"]));
        let mut store = with_limits(WatchLimits {
            batch_revs: int(&case["B"]) as u32,
            ..WatchLimits::default()
        });
        for _ in 0..txns {
            store.write(|txn| {
                for _ in 0..puts {
                    txn.put("foo".into(), "bar".into(), 0);
                }
            });
        }
        let stream = store.open_stream();
        watch(&mut store, stream, one("foo"), 1);
        let mut batches = Vec::new();
        while store.sync_watchers().is_some() {
            batches.extend(drain(&mut store, stream).iter().map(|r| mods(&r.events)));
        }
        let expected: Vec<Vec<i64>> = list(case, "batches").iter().map(numbers).collect();
        assert_eq!(batches, expected);
        assert_eq!(store.counts(), (1, 0, 0));
    }
    assert_eq!(cases.len(), 2);
}

#[test]
fn a_range_over_the_rows_gives_the_events_in_order() {
    let all = vectors();
    let vector = &all["range_events"];
    let mut store = fresh();
    setup(&mut store, list(vector, "setup"));
    let mut group = WatcherGroup::default();
    group.add(WatcherId(1), &KeyRange::From("foo".into()));
    let expected = list(vector, "all_events");
    let cases = list(vector, "cases");
    for case in cases {
        let (events, ..) = store.range_events(int(&case["min"]), int(&case["max"]), &group);
        let want = &expected[int(&case["from"]) as usize..int(&case["to"]) as usize];
        assert_eq!(events.len(), want.len(), "{case}");
        for (event, want) in events.iter().zip(want) {
            assert_event(event, want);
        }
    }
    assert_eq!(cases.len(), 9);
}

#[test]
fn each_watcher_gets_the_events_of_its_keys() {
    let all = vectors();
    let vector = &all["watcher_batch"];
    let keys: Vec<&str> = list(vector, "events").iter().map(text).collect();
    let cases = list(vector, "cases");
    for case in cases {
        let mut store = fresh();
        let stream = store.open_stream();
        let mut names = BTreeMap::new();
        for name in list(case, "group") {
            let key = text(&vector["watchers"][text(name)]);
            let id = watch(&mut store, stream, one(key), 0);
            names.insert(id, text(name).to_owned());
        }
        store.write(|txn| {
            for i in numbers(&case["events"]) {
                txn.put(keys[i as usize].into(), "bar".into(), 0);
            }
        });
        let got: BTreeMap<String, Vec<i64>> = drain(&mut store, stream)
            .into_iter()
            .map(|r| {
                let events = r.events.iter().map(|e| {
                    keys.iter()
                        .position(|k| *k == e.kv.key.to_text())
                        .expect("a known key") as i64
                });
                (names[&r.watch_id].clone(), events.collect())
            })
            .collect();
        let want: BTreeMap<String, Vec<i64>> = case["out"]
            .as_object()
            .expect("an object")
            .iter()
            .map(|(name, events)| (name.clone(), numbers(events)))
            .collect();
        assert_eq!(got, want);
    }
    assert_eq!(cases.len(), 3);
}

#[test]
fn ids_are_given_or_taken_and_never_given_twice() {
    let all = vectors();
    let mut store = fresh();
    let stream = store.open_stream();
    for case in list(&all["custom_ids"], "cases") {
        let got = store.watch(
            stream,
            int(&case["given"]),
            one("foo"),
            0,
            Filters::default(),
        );
        assert_eq!(got, Ok(int(&case["got"])));
    }
    let taken = store.watch(stream, 1, one("foo"), 0, Filters::default());
    assert_eq!(
        taken.expect_err("1 is in use").to_string(),
        "mvcc: duplicate watch ID provided on the WatchStream"
    );
    let stream = store.open_stream();
    for expected in 0..20 {
        let id = watch(&mut store, stream, one("foo"), 0);
        assert_eq!(id, expected);
        store.cancel(stream, id).expect("it is there");
    }
}

#[test]
fn an_empty_range_is_refused() {
    let all = vectors();
    let cases = list(&all["wrong_range"], "cases");
    for case in cases {
        let mut store = fresh();
        let stream = store.open_stream();
        let range = match case["error"].as_str() {
            Some(_) => KeyRange::Between(bytes(&case["key"]), bytes(&case["end"])),
            None => KeyRange::From(bytes(&case["key"])),
        };
        let got = store.watch(stream, 0, range, 0, Filters::default());
        match case["error"].as_str() {
            Some(error) => assert_eq!(got.expect_err("it is empty").to_string(), error),
            None => assert_eq!(got, Ok(int(&case["got"]))),
        }
    }
    assert_eq!(cases.len(), 3);
}

#[test]
fn a_watch_can_be_canceled_once() {
    let all = vectors();
    let mut store = fresh();
    let stream = store.open_stream();
    let id = watch(&mut store, stream, one("foo"), 0);
    let cases = list(&all["cancel"], "cases");
    for case in cases {
        let which = if text(&case["cancel"]) == "id+1" {
            id + 1
        } else {
            id
        };
        let got = store.cancel(stream, which).err().map(|e| e.to_string());
        assert_eq!(got.as_deref(), case["error"].as_str());
    }
    assert_eq!((cases.len(), store.counts()), (3, (0, 0, 0)));
}

#[test]
fn deletes_of_one_range_come_in_one_response() {
    let all = vectors();
    let vector = &all["watch_delete_range"];
    let mut store = fresh();
    setup(&mut store, list(vector, "setup"));
    let stream = store.open_stream();
    watch(
        &mut store,
        stream,
        KeyRange::Between("foo".into(), "foo_99".into()),
        0,
    );
    setup(&mut store, &[vector["then"].clone()]);
    let responses = drain(&mut store, stream);
    assert_eq!(responses.len(), 1);
    let want = list(vector, "one_response_events");
    assert_eq!(responses[0].events.len(), want.len());
    for (event, want) in responses[0].events.iter().zip(want) {
        assert_event(event, want);
    }
}

#[test]
fn one_pass_syncs_a_hundred_watchers() {
    let mut store = fresh();
    put(&mut store, "foo");
    let streams: Vec<StreamId> = (0..100)
        .map(|_| {
            let stream = store.open_stream();
            watch(&mut store, stream, one("foo"), 1);
            stream
        })
        .collect();
    assert_eq!(store.counts(), (0, 100, 0));
    let pass = store.sync_watchers().expect("there is work");
    assert_eq!((pass.picked, pass.synced, pass.rows), (100, 100, 1));
    assert_eq!(store.counts(), (100, 0, 0));
    for stream in streams {
        let responses = drain(&mut store, stream);
        assert_eq!(responses.len(), 1);
        let kv = &responses[0].events[0].kv;
        assert_eq!((kv.create_revision, kv.mod_revision, kv.version), (2, 2, 1));
    }
}

#[test]
fn progress_is_told_only_to_the_synced_and_not_before_a_future_start() {
    let all = vectors();
    let cases = list(&all["request_progress"], "cases");
    for case in cases {
        let mut store = fresh();
        put(&mut store, "foo");
        let stream = store.open_stream();
        let id = watch(&mut store, stream, one("bad"), int(&case["start_rev"]));
        assert!(
            !store.progress(stream, id + 1000),
            "an unknown id is told nothing"
        );
        assert_eq!(store.progress(stream, id), flag(&case["before_sync"]));
        drain(&mut store, stream);
        store.sync_watchers();
        assert_eq!(store.progress(stream, id), flag(&case["after_sync"]));
        for response in drain(&mut store, stream) {
            assert_eq!((response.watch_id, response.revision), (id, 2));
            assert!(response.events.is_empty());
        }
    }
    assert_eq!(cases.len(), 3);
}

#[test]
fn progress_of_a_stream_waits_until_all_of_it_is_synced() {
    let mut store = fresh();
    put(&mut store, "foo");
    let stream = store.open_stream();
    assert!(
        !store.progress_all(stream),
        "a stream without watches is told nothing"
    );
    watch(&mut store, stream, one("bad"), 1);
    assert!(!store.progress_all(stream));
    store.sync_watchers();
    assert!(store.progress_all(stream));
    let told = store.recv(stream).expect("it was sent");
    let want = &vectors()["request_progress_all"]["after_sync"];
    assert_eq!(told.watch_id, int(&want["watch_id"]));
    assert_eq!(told.revision, int(&want["revision"]));
}

#[test]
fn a_watch_from_the_future_hears_nothing_until_then() {
    let mut store = fresh();
    let stream = store.open_stream();
    watch(&mut store, stream, one("foo"), 10);
    while store.store().current_rev() < 10 {
        put(&mut store, "foo");
    }
    let responses = drain(&mut store, stream);
    assert_eq!(responses.len(), 1);
    assert_eq!(
        (responses[0].revision, mods(&responses[0].events)),
        (10, vec![10])
    );
}

fn ten_puts_compacted_at_5(limits: WatchLimits) -> WatchableStore {
    let mut store = with_limits(limits);
    for _ in 0..10 {
        put(&mut store, "foo");
    }
    store.compact(5).expect("5 is in the past");
    while store.store().compactions_pending() > 0 {
        store.compaction_batch();
    }
    store
}

#[test]
fn a_watch_that_compaction_overtook_is_told_so() {
    let mut store = ten_puts_compacted_at_5(WatchLimits::default());
    let stream = store.open_stream();
    watch(&mut store, stream, one("foo"), 4);
    store.sync_watchers();
    let told = drain(&mut store, stream);
    let want = &vectors()["compacted"]["response"];
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].compact_revision, int(&want["compact_revision"]));
    assert_eq!((told[0].revision, told[0].events.len()), (0, 0));
}

#[test]
fn a_full_channel_delays_the_news_of_a_compaction_but_loses_nothing() {
    let mut store = ten_puts_compacted_at_5(WatchLimits {
        channel: 1,
        watchers_per_sync: 4,
        ..WatchLimits::default()
    });
    let stream = store.open_stream();
    for rev in [1, 1, 6] {
        watch(&mut store, stream, one("foo"), rev);
    }
    let mut got: BTreeMap<i64, Vec<StoreWatchResponse>> = BTreeMap::new();
    for _ in 0..20 {
        store.sync_watchers();
        store.sync_victims();
        for response in drain(&mut store, stream) {
            got.entry(response.watch_id).or_default().push(response);
        }
    }
    for id in [0, 1] {
        let told: Vec<i64> = got[&id].iter().map(|r| r.compact_revision).collect();
        assert_eq!(told, [5], "watcher {id}");
    }
    let events: Vec<i64> = got[&2].iter().flat_map(|r| mods(&r.events)).collect();
    assert_eq!(events, [6, 7, 8, 9, 10, 11]);
}

#[test]
fn watchers_of_a_store_that_a_snapshot_replaces_lose_nothing() {
    let all = vectors();
    let cases = list(&all["restore"], "cases");
    for (case, sync_before, sync_after) in cases.iter().flat_map(|c| {
        [
            (c, false, false),
            (c, false, true),
            (c, true, false),
            (c, true, true),
        ]
    }) {
        let mut store = fresh();
        let stream = store.open_stream();
        watch(&mut store, stream, one("foo"), int(&case["start_rev"]));
        if sync_before {
            store.sync_watchers();
        }
        put(&mut store, "foo");
        let again = KvStore::restore(store.store().backend().clone(), Profile::V3_6)
            .expect("the rows are those of a store");
        store.restore(again);
        if sync_after {
            store.sync_watchers();
        }
        delete(&mut store, &one("foo"));
        while store.sync_watchers().is_some() {}
        let events: Vec<WatchEvent> = drain(&mut store, stream)
            .into_iter()
            .flat_map(|r| r.events)
            .collect();
        let want = list(case, "events");
        assert_eq!(
            events.len(),
            want.len(),
            "{case} {sync_before} {sync_after}"
        );
        for (event, want) in events.iter().zip(want) {
            assert_event(event, want);
        }
    }
    assert_eq!(cases.len(), 3);
}

#[test]
fn a_filter_keeps_events_away() {
    let mut store = fresh();
    let stream = store.open_stream();
    let filters = Filters {
        no_put: true,
        no_delete: false,
    };
    store
        .watch(stream, 0, one("foo"), 0, filters)
        .expect("the watch is valid");
    put(&mut store, "foo");
    assert_eq!(drain(&mut store, stream).len(), 0);
    delete(&mut store, &one("foo"));
    assert_eq!(drain(&mut store, stream).len(), 1);
}

#[test]
fn slow_readers_become_victims_and_still_get_everything_in_order() {
    let mut store = with_limits(WatchLimits {
        channel: 1,
        watchers_per_sync: 2,
        ..WatchLimits::default()
    });
    let streams: Vec<StreamId> = (0..256)
        .map(|_| {
            let stream = store.open_stream();
            watch(&mut store, stream, one("foo"), 1);
            stream
        })
        .collect();
    let mut got: BTreeMap<StreamId, Vec<i64>> = BTreeMap::new();
    let mut were_victims = 0;
    // In each round one watcher reads one response; writes and sync passes continue in between.
    for round in 0..4_000u64 {
        if round < 64 {
            put(&mut store, "foo");
        }
        store.sync_watchers();
        were_victims = were_victims.max(store.counts().2);
        store.sync_victims();
        for stream in streams.iter().filter(|s| (s.0 + round).is_multiple_of(3)) {
            if let Some(response) = store.recv(*stream) {
                got.entry(*stream)
                    .or_default()
                    .extend(mods(&response.events));
            }
        }
    }
    assert!(were_victims > 0, "nobody was ever slow");
    let expected: Vec<i64> = (2..=65).collect();
    for stream in &streams {
        assert_eq!(got[stream], expected, "{stream:?}");
    }
}
