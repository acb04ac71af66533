//! Compares the simulator with upstream's own test cases for the watch cache of the API server (`watch_cache_test.go`,
//! `cacher_whitebox_test.go`, `delegator_test.go` and others), as data in `tests/data/watchcache_vectors.json`. The
//! last test checks that no group is omitted.

use std::sync::Arc;

use crate::support::{flag, int, list, load, text};
use serde_json::Value;
use watchglass_engine::apiserver::bookmark_buckets::next_bookmark_time;
use watchglass_engine::apiserver::cache_watcher::{CacheWatcher, WatchSpec};
use watchglass_engine::apiserver::freshness::{
    CallId, FreshnessTimer, Moved, ReadId, ReadSpec, Target, Verdict, Wants,
};
use watchglass_engine::apiserver::history_ring::{capacity_upper_bound, suggested_channel_size};
use watchglass_engine::apiserver::interval::{CacheInterval, IntervalNext};
use watchglass_engine::apiserver::ready::retry_after_unready_s;
use watchglass_engine::apiserver::routing::{
    OnTimeout, ReadRequest, RoutingCache, ServedFrom, Wait, route,
};
use watchglass_engine::apiserver::watch_start::{bookmark_after_rv, required_rv};
use watchglass_engine::apiserver::{
    CacheStore, EtcdVersion, EventType, Freshness, HistoryRing, Listing, Policy, RingLimits,
    StoreElement, StoreSnapshotter, TimeBudget, WatchCache, WatchCacheEvent, WatcherRead,
};
use watchglass_engine::base::base64;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::client::kube::backoff;
use watchglass_engine::client::kube::backoff::ReflectorBackoff;
use watchglass_engine::kube::continue_token::ContinueToken;
use watchglass_engine::kube::gates::{Gates, KubeVersion};
use watchglass_engine::kube::list_options::{
    ListOptions, ListVerb, ResourceVersion, ResourceVersionMatch,
};
use watchglass_engine::kube::object::Object;
use watchglass_engine::kube::resource::{PODS, SERVICES};
use watchglass_engine::kube::selector::Predicate;
use watchglass_engine::kube::status::StatusError;
use watchglass_engine::kube::watch_event::KubeWatchEvent;

/// The number of cases in each group. The test fails if a new version of the file contains more cases.
const GROUPS: [(&str, usize); 17] = [
    ("history", 9),
    ("resize_table", 10),
    ("channel_size", 9),
    ("capacity_upper_bound", 4),
    ("time_budget", 2),
    ("retry_after_unready", 7),
    ("snapshots", 3),
    ("filtering", 2),
    ("should_delegate", 16),
    ("consistent_read", 4),
    ("continue_token", 4),
    ("watch_start_rv", 5),
    ("bookmark_after_rv", 9),
    ("bookmark_schedule", 4),
    ("progress_requester", 2),
    ("etcd_version_gate", 7),
    ("retry", 1),
];

fn cases(group: &str) -> Vec<Value> {
    let all = load("watchcache_vectors.json");
    let cases = list(&all, group).to_vec();
    let expected = GROUPS.iter().find(|(name, _)| *name == group);
    let (_, count) = expected.unwrap_or_else(|| panic!("`{group}` is not in the list of groups"));
    assert_eq!(cases.len(), *count, "cases of {group}");
    cases
}

fn number(v: &Value) -> u64 {
    v.as_u64().unwrap_or_else(|| panic!("not a number: {v}"))
}

fn small(v: &Value) -> u32 {
    u32::try_from(number(v)).expect("a small number")
}

/// Converts a time of the data file from seconds to microseconds.
fn us(v: &Value) -> u64 {
    let seconds = v.as_f64().unwrap_or_else(|| panic!("not a number: {v}"));
    assert!(seconds >= 0.0, "time begins at 0");
    (seconds * 1e6).round() as u64
}

fn seconds(n: u64) -> SimTime {
    SimTime(n * 1_000_000)
}

fn ms(n: u64) -> SimTime {
    SimTime(n * 1_000)
}

fn pod(rv: u64) -> Object {
    Object::new("Pod", "default", &format!("pod-{rv}")).at(rv)
}

fn event(rv: u64, at: SimTime) -> Arc<WatchCacheEvent> {
    let object = pod(rv);
    Arc::new(WatchCacheEvent {
        kind: EventType::Added,
        key: object.key(PODS.prefix),
        object: Arc::new(object),
        prev_object: None,
        resource_version: rv,
        record_time: at,
    })
}

/// Reads an interval of the cache's history to its end, and returns the resource versions of its events.
fn drain(mut interval: CacheInterval, ring: &HistoryRing) -> Vec<u64> {
    let mut found = Vec::new();
    loop {
        match interval.next(ring) {
            IntervalNext::Event(event) => found.push(event.resource_version),
            IntervalNext::End => return found,
            IntervalNext::Invalidated { index } => panic!("index {index} is gone"),
        }
    }
}

#[test]
fn history() {
    let mut asked = 0;
    for case in cases("history") {
        let name = text(&case["name"]);
        let init = &case["init"];
        let limits = RingLimits {
            lower: small(&init["lower"]),
            upper: small(&init["upper"]),
            window: SimDuration(us(&init["fresh_s"])),
        };
        assert_eq!(init["capacity"], init["lower"], "{name} starts smallest");
        let mut cache = WatchCache::new(&PODS, limits);
        for step in list(&case, "steps") {
            let expect = &step["expect"];
            match text(&step["op"]) {
                "replace" => {
                    cache.replace(number(&step["rv"]), Vec::new());
                }
                "add" => {
                    cache.add(pod(number(&step["rv"])), SimTime(us(&step["t"])));
                }
                "addn" => {
                    for i in 0..number(&step["count"]) {
                        let at = us(&step["t0"]) + i * us(&step["dt"]);
                        cache.add(pod(number(&step["first_rv"]) + i), SimTime(at));
                    }
                }
                "since" => {
                    asked += 1;
                    match cache.since(number(&step["rv"])) {
                        Ok(interval) => {
                            let want: Vec<u64> =
                                list(expect, "events").iter().map(number).collect();
                            assert_eq!(drain(interval, cache.ring()), want, "{name}: {step}");
                        }
                        Err(error) => {
                            let told = format!("{} {}", error.code(), error.reason());
                            assert_eq!(told, text(&expect["error"]), "{name}: {step}");
                            assert_eq!(error.to_string(), text(&expect["message"]), "{name}");
                        }
                    }
                }
                "state" => {
                    let ring = cache.ring();
                    let oldest = cache.oldest_deliverable().expect("it has listed or heard");
                    let state = serde_json::json!({
                        "capacity": ring.capacity(),
                        "start_index": ring.start_index(),
                        "end_index": ring.end_index(),
                        "size": ring.len(),
                        "removed_since_relist": ring.removed_since_relist(),
                        "list_rv": cache.list_rv(),
                        "cache_rv": cache.cache_rv(),
                        "oldest_deliverable_rv": oldest,
                        "min_watch_rv_accepted": oldest - 1,
                    });
                    assert_eq!(&state, expect, "{name}");
                }
                other => panic!("unknown operation {other}"),
            }
        }
    }
    assert_eq!(asked, 29, "questions in all histories");
}

#[test]
fn resize_table() {
    for case in cases("resize_table") {
        let limits = RingLimits {
            lower: small(&case["lower"]),
            upper: small(&case["upper"]),
            ..RingLimits::DYNAMIC
        };
        let (capacity, start) = (small(&case["capacity"]), number(&case["start_index"]));
        let mut ring = HistoryRing::starting_at(limits, capacity, start);
        let interval = case["interval_s"].as_f64().expect("a number");
        for i in 0..number(&case["events"]) {
            let at = (interval * i as f64 * 1e6).round() as u64;
            ring.push(event(i + 1, SimTime(at)));
        }
        ring.resize(SimTime(us(&case["resize_call_at_s"])));
        assert_eq!(ring.capacity(), small(&case["expect_capacity"]), "{case}");
        assert_eq!(
            ring.start_index(),
            number(&case["expect_start_index"]),
            "{case}"
        );
        assert_eq!(
            ring.end_index(),
            number(&case["expect_end_index"]),
            "{case}"
        );
    }
}

#[test]
fn channel_size() {
    for case in cases("channel_size") {
        let size = suggested_channel_size(
            small(&case["capacity"]),
            SimDuration(us(&case["fresh_s"])),
            flag(&case["index_exists"]),
            flag(&case["trigger_used"]),
        );
        assert_eq!(size, small(&case["expect"]), "{case}");
    }
}

#[test]
fn upper_bound() {
    for case in cases("capacity_upper_bound") {
        let window = SimDuration(us(&case["fresh_s"]));
        assert_eq!(
            capacity_upper_bound(window),
            small(&case["expect"]),
            "{case}"
        );
    }
}

#[test]
fn time_budget() {
    // In the file, the clock goes back to before 0; simulated time cannot, so it starts later.
    const ZERO_S: f64 = 1_000.0;
    for case in cases("time_budget") {
        let at = |v: &Value| {
            let now = v.as_f64().unwrap_or_else(|| panic!("not a number: {v}"));
            SimTime(((ZERO_S + now) * 1e6).round() as u64)
        };
        let in_us = |v: &Value| (v.as_f64().expect("a number") * 1e3).round() as i64;
        assert_eq!(number(&case["refresh_ms_per_s"]), 50);
        let max = SimDuration(in_us(&case["max_ms"]) as u64);
        let start = at(&Value::from(0));
        let mut budget = TimeBudget::with_max(start, max);
        for step in list(&case, "steps") {
            match text(&step["op"]) {
                "take" => {
                    let taken = budget.take_available(at(&step["now_s"]));
                    assert_eq!(taken.0 as i64, in_us(&step["expect_ms"]), "{step}");
                }
                "return_unused" => budget.return_unused(in_us(&step["ms"])),
                other => panic!("unknown operation {other}"),
            }
        }
    }
}

#[test]
fn retry_after_unready() {
    for case in cases("retry_after_unready") {
        let downtime = SimDuration(us(&case["downtime_s"]));
        let told = retry_after_unready_s(downtime);
        assert_eq!(told, small(&case["expect_retry_after_s"]), "{case}");
    }
}

fn found(snapshots: &StoreSnapshotter, queries: &Value) -> usize {
    let queries = queries.as_object().expect("an object");
    for (rv, want) in queries {
        let rv = rv.parse().expect("a resource version");
        let at = snapshots.get_less_or_equal(rv).map(|(at, _)| at);
        assert_eq!(at, want.as_u64(), "at or below {rv}");
    }
    queries.len()
}

fn exact(cache: &WatchCache, rv: u64) -> Result<Vec<u64>, String> {
    let listed = cache.list_exact(rv, &Listing::all(PODS.prefix));
    let listed = listed.map_err(|error| format!("{} {error}", error.code()))?;
    assert_eq!(listed.resource_version, rv);
    Ok(listed.items.iter().map(|o| o.resource_version).collect())
}

#[test]
fn snapshots() {
    let cases = cases("snapshots");
    let names: Vec<&str> = cases.iter().map(|case| text(&case["name"])).collect();
    assert_eq!(
        names,
        ["less_or_equal", "compact_from_etcd", "replace_resets"]
    );

    let case = &cases[0];
    let store = CacheStore::new(&[]);
    let mut snapshots = StoreSnapshotter::default();
    for op in list(case, "ops") {
        let rv = text(op).strip_prefix("add ").expect("only add");
        snapshots.add(rv.parse().expect("a resource version"), store.snapshot());
    }
    assert_eq!(found(&snapshots, &case["queries"]), 6);
    snapshots.remove_less(number(&case["then_remove_less"]));
    assert_eq!(snapshots.len(), number(&case["len_after"]));
    assert_eq!(found(&snapshots, &case["queries_after"]), 5);
    assert!(flag(&case["then_reset"]));
    snapshots.reset();
    assert_eq!(found(&snapshots, &case["queries_after_reset"]), 2);

    // The other two cases are sentences; the following code does what they describe.
    let steps = |case: &Value| -> Vec<String> {
        list(case, "steps")
            .iter()
            .map(|s| text(s).to_owned())
            .collect()
    };
    assert_eq!(
        steps(&cases[1]),
        [
            "events rv=20,30",
            "compact(30) removes snapshot 20, keeps 30",
            "exact 20 -> 410 'too old resource version: 20'",
            "exact 30 ok",
        ]
    );
    let gone = |rv| Err(format!("410 too old resource version: {rv}"));
    let mut cache = WatchCache::new(&PODS, RingLimits::DYNAMIC).with_snapshots();
    cache.replace(10, Vec::new());
    cache.add(pod(20), seconds(0));
    cache.add(pod(30), seconds(0));
    assert_eq!(exact(&cache, 20), Ok(vec![20]));
    cache.compact(30);
    let left = cache
        .snapshots()
        .expect("it takes them")
        .resource_versions();
    assert_eq!(left.collect::<Vec<_>>(), [30]);
    assert_eq!(exact(&cache, 20), gone(20));
    assert_eq!(exact(&cache, 30), Ok(vec![20, 30]));

    assert_eq!(
        steps(&cases[2]),
        [
            "events 400,500,600",
            "replace rv=700",
            "exact 500,600 -> 410",
            "exact 700 ok",
        ]
    );
    let mut cache = WatchCache::new(&PODS, RingLimits::DYNAMIC).with_snapshots();
    cache.replace(300, Vec::new());
    for rv in [400, 500, 600] {
        cache.add(pod(rv), seconds(0));
    }
    assert_eq!(exact(&cache, 500), Ok(vec![400, 500]));
    cache.replace(700, vec![pod(600)]);
    assert_eq!(
        (exact(&cache, 500), exact(&cache, 600)),
        (gone(500), gone(600))
    );
    assert_eq!(exact(&cache, 700), Ok(vec![600]));
}

#[test]
fn filtering() {
    for case in cases("filtering") {
        let mut cache = WatchCache::new(&PODS, RingLimits::DYNAMIC);
        cache.replace(100, Vec::new());
        let spec = WatchSpec {
            key: PODS.prefix.into(),
            is_recursive: true,
            predicate: Predicate::by_fields(text(&case["watch_filter"])).expect("a selector"),
            channel_size: 10,
            deadline: None,
            allow_bookmarks: false,
            bookmark_after_rv: 0,
        };
        let interval = cache.since(100).expect("it is where the list was");
        let mut watcher = CacheWatcher::new(spec, interval, 100);
        for change in list(&case, "events") {
            let rv = 100 + number(&change[1]);
            let on_node = |v: &Value| {
                let object = Object::new("Pod", "default", "web-1");
                match v.as_str() {
                    None | Some("") => object,
                    Some(node) => object.with_field("spec.nodeName", node),
                }
            };
            let processed = match text(&change[0]) {
                "ADDED" => cache.add(on_node(&change[3]).at(rv), seconds(0)),
                "MODIFIED" => cache.update(on_node(&change[3]).at(rv), seconds(0)),
                "DELETED" => cache.delete(on_node(&change[3]), rv, seconds(0)),
                other => panic!("unknown event {other}"),
            };
            let before = processed.event.prev_object.as_ref();
            let was = before.map(|object| object.field("spec.nodeName"));
            assert_eq!(was, change[2].as_str(), "what was there before");
            assert!(watcher.nonblocking_add(&StoreElement::Event(processed.event)));
        }
        let mut got = Vec::new();
        while let WatcherRead::Event(event) = watcher.read(cache.ring()) {
            let rv = event.resource_version().expect("no error");
            if let KubeWatchEvent::Deleted(last) = &event {
                assert_eq!(
                    last.field("spec.nodeName"),
                    "host",
                    "the body is the one before"
                );
            }
            got.push(serde_json::json!([event.type_name(), rv - 100]));
        }
        assert_eq!(&Value::from(got), &case["expect"]);
    }
}

/// Returns a continue token for the resource version of a case.
fn token(rv: i64) -> String {
    ContinueToken {
        resource_version: rv,
        start: "default/a\0".to_owned(),
    }
    .encode()
}

fn options(request: &Value) -> ListOptions {
    let resource_version = request.get("rv").map_or("", text);
    ListOptions {
        resource_version: ResourceVersion::parse(resource_version).expect("a number"),
        resource_version_match: request.get("match").map(|how| match text(how) {
            "Exact" => ResourceVersionMatch::Exact,
            "NotOlderThan" => ResourceVersionMatch::NotOlderThan,
            other => panic!("unknown match {other}"),
        }),
        limit: request.get("limit").map_or(0, number),
        continue_token: request.get("continue_rv").map(|rv| token(int(rv))),
        ..ListOptions::default()
    }
}

#[test]
fn should_delegate() {
    let mut answers = 0;
    for case in cases("should_delegate") {
        let request = ReadRequest {
            verb: ListVerb::List,
            options: options(&case["request"]),
            is_recursive: true,
            has_selector: false,
        };
        let columns = case["to_etcd"].as_object().expect("an object");
        for (column, want) in columns {
            let (version, oldest_snapshot, supports_progress) = match column.as_str() {
                "v1.27_like" => (KubeVersion::V1_27, None, true),
                "kep2340_no_snapshots" => (KubeVersion::V1_31, None, true),
                "kep4988_old_snapshot_missing" => (KubeVersion::V1_34, Some(100), true),
                "kep4988_old_snapshot_present" => (KubeVersion::V1_34, Some(80), true),
                "progress_unsupported_kep4988_present" => (KubeVersion::V1_34, Some(80), false),
                other => panic!("unknown column {other}"),
            };
            let view = RoutingCache {
                ready: Ok(1),
                cache_rv: 100,
                oldest_snapshot,
                is_consistent: true,
                supports_progress,
            };
            let route = route(&request, &Gates::of(version), &view);
            let to_etcd = match route.served_from {
                ServedFrom::Etcd => true,
                ServedFrom::Cache | ServedFrom::Snapshot => false,
                ServedFrom::Refused(error) => panic!("{case}: {error}"),
            };
            assert_eq!(
                to_etcd,
                flag(want),
                "{} in {column}: {:?}",
                case["request"],
                route.reason
            );
            answers += 1;
        }
    }
    assert_eq!(answers, 80);
}

/// The result of a list from an idle cache, either a consistent list or a list with `NotOlderThan`: its outcome, the
/// number of requests for etcd's revision, and its duration.
struct ReadRun {
    verdict: Verdict,
    revision_calls: usize,
    waited: SimDuration,
}

fn run_read(cache: &WatchCache, target: Target, etcd_rv: u64, on_timeout: OnTimeout) -> ReadRun {
    let mut freshness = Freshness::new(Policy::TODAY, ms(0));
    let mut out = Wants::default();
    let spec = ReadSpec {
        target,
        expected_size: cache.store().len(),
        on_timeout,
    };
    let cache_rv = cache.cache_rv();
    freshness.begin(ms(500), ReadId(1), spec, cache_rv, &mut out);
    let calls: Vec<CallId> = std::mem::take(&mut out.calls);
    for call in &calls {
        freshness.revision(ms(500), *call, Ok(etcd_rv), cache_rv, &mut out);
    }
    let mut now = ms(500);
    let mut timers = Vec::new();
    while out.done.is_empty() {
        let set = out.timers.drain(..);
        timers.extend(set.map(|(after, timer)| (now + after, timer)));
        let next = (0..timers.len()).min_by_key(|place| timers[*place].0);
        let (at, timer) = timers.remove(next.expect("a wait has an end"));
        now = at.max(now);
        freshness.wake(now, timer, cache_rv, &mut out);
    }
    let outcome = out.done.remove(0);
    ReadRun {
        verdict: outcome.verdict,
        revision_calls: calls.len(),
        waited: outcome.waited,
    }
}

fn cache_at(rv: u64) -> WatchCache {
    let mut cache = WatchCache::new(&PODS, RingLimits::DYNAMIC);
    cache.replace(rv, Vec::new());
    cache
}

#[test]
fn consistent_read() {
    let cases = cases("consistent_read");
    let names: Vec<&str> = cases.iter().map(|case| text(&case["name"])).collect();
    assert_eq!(
        names,
        [
            "fresh",
            "fallback_failure",
            "not_older_than_future",
            "unblocked_by_event_beyond",
        ]
    );

    let case = &cases[0];
    let cache = cache_at(number(&case["cache_rv"]));
    let run = run_read(
        &cache,
        Target::Current,
        number(&case["etcd_rv"]),
        OnTimeout::AskEtcd,
    );
    let required = number(&case["expect"]["rv"]);
    assert_eq!(run.verdict, Verdict::FromCache { required });
    assert_eq!(
        cache.list(&Listing::all(PODS.prefix)).resource_version,
        required
    );
    assert_eq!(
        run.revision_calls as u64,
        number(&case["expect"]["etcd_calls"])
    );
    assert_eq!(
        run.waited.0 >= 3_000_000,
        flag(&case["expect"]["blocks_3s"])
    );

    let case = &cases[1];
    assert!(flag(&case["never_catches_up"]) && flag(&case["etcd_list_fails"]));
    let cache = cache_at(number(&case["cache_rv"]));
    let run = run_read(
        &cache,
        Target::Current,
        number(&case["etcd_rv"]),
        OnTimeout::AskEtcd,
    );
    assert_eq!(
        run.verdict,
        Verdict::FromEtcd,
        "what fails then is etcd's list"
    );
    // The calls are the requests for the revision, and the list that fails.
    assert_eq!(
        run.revision_calls as u64 + 1,
        number(&case["expect"]["etcd_calls"])
    );
    assert_eq!(
        run.waited.0 >= 3_000_000,
        flag(&case["expect"]["blocks_3s"])
    );
    let metric = &case["expect"]["metric"];
    assert_eq!(
        (text(&metric["success"]), text(&metric["fallback"])),
        ("false", "true")
    );

    let case = &cases[2];
    let cache = cache_at(number(&case["cache_rv"]));
    let request = ReadRequest {
        verb: ListVerb::List,
        options: options(&case["request"]),
        is_recursive: true,
        has_selector: false,
    };
    let view = RoutingCache::of(&cache, Ok(1), true);
    let route = route(&request, &Gates::of(KubeVersion::V1_37), &view);
    let Wait::Until(rv) = route.wait else {
        panic!("it waits until the cache has come to it: {route:?}");
    };
    let run = run_read(&cache, Target::At(rv), 0, route.on_timeout);
    let Verdict::Refused(error) = run.verdict else {
        panic!("it is never rescued");
    };
    let expect = &case["expect"];
    assert_eq!(
        format!("{} {}", error.code(), error.reason()),
        text(&expect["error"])
    );
    assert_eq!(error.to_string(), text(&expect["message"]));
    assert_eq!(error.retry_after_s(), Some(small(&expect["retry_after_s"])));
    let causes = error.causes();
    let cause = causes.first().map(|cause| cause.reason);
    assert_eq!(cause, expect["cause"].as_str());
    assert_eq!((text(&expect["fallback"]), run.revision_calls), ("none", 0));

    let case = &cases[3];
    let mut cache = cache_at(number(&case["cache_rv"]));
    let mut freshness = Freshness::new(Policy::TODAY, ms(0));
    let mut out = Wants::default();
    let spec = ReadSpec {
        target: Target::Current,
        expected_size: 0,
        on_timeout: OnTimeout::AskEtcd,
    };
    freshness.begin(ms(500), ReadId(1), spec, cache.cache_rv(), &mut out);
    let etcd_rv = number(&case["etcd_rv_at_get"]);
    freshness.revision(ms(501), CallId(1), Ok(etcd_rv), cache.cache_rv(), &mut out);
    assert!(out.done.is_empty(), "it waits");
    cache.add(pod(number(&case["event_rv"])), ms(502));
    freshness.cache_moved(ms(502), cache.cache_rv(), Moved::Event, &mut out);
    assert_eq!(out.done.len(), 1);
    let listed = cache.list(&Listing::all(PODS.prefix));
    assert_eq!(listed.resource_version, number(&case["expect"]["rv"]));
}

#[test]
fn continue_token() {
    let (mut read, mut refused) = (0, 0);
    for case in cases("continue_token") {
        if case["error"].is_string() {
            let json = case["token_json"].to_string();
            let error = ContinueToken::decode(&base64::encode(json.as_bytes()));
            let error = error.expect_err("it must not be used").to_string();
            assert_eq!(error, text(&case["error"]));
            let options = ListOptions {
                continue_token: Some(base64::encode(json.as_bytes())),
                ..ListOptions::default()
            };
            let told = options.continue_at().expect_err("nor by a list");
            assert_eq!(told, StatusError::InvalidContinue(error));
            refused += 1;
        } else {
            let token = ContinueToken {
                resource_version: int(&case["rv"]),
                start: text(&case["start"]).to_owned(),
            };
            assert_eq!(token.encode(), text(&case["token"]));
            assert_eq!(
                ContinueToken::decode(text(&case["token"])),
                Ok(token.clone())
            );
            let from = token.from_key(text(&case["decode_with_prefix"]));
            assert_eq!(from, text(&case["from_key"]));
            read += 1;
        }
    }
    assert_eq!((read, refused), (2, 2));
}

fn watch_options(case: &Value) -> ListOptions {
    ListOptions {
        resource_version: ResourceVersion::parse(text(&case["rv"])).expect("a number"),
        send_initial_events: case["send_initial_events"].as_bool(),
        allow_watch_bookmarks: case["allow_bookmarks"].as_bool().unwrap_or(false),
        ..ListOptions::default()
    }
}

#[test]
fn watch_start_rv() {
    for case in cases("watch_start_rv") {
        let required = required_rv(&watch_options(&case), number(&case["etcd_rv"]));
        assert_eq!(required, number(&case["expect_required_rv"]), "{case}");
    }
}

#[test]
fn bookmark_after() {
    for case in cases("bookmark_after_rv") {
        let options = watch_options(&case);
        let (required, cache_rv) = (number(&case["required_rv"]), number(&case["cache_rv"]));
        let after = bookmark_after_rv(&options, required, cache_rv);
        assert_eq!(after, number(&case["expect"]), "{case}");
    }
    // The file contains no expected values for these cases, so the test defines them.
    for (rv, expect) in [("", 100), ("0", 99), ("95", 95)] {
        let options = ListOptions {
            resource_version: ResourceVersion::parse(rv).expect("a number"),
            send_initial_events: Some(true),
            allow_watch_bookmarks: true,
            ..ListOptions::default()
        };
        assert_eq!(bookmark_after_rv(&options, 100, 99), expect, "{rv}");
    }
}

#[test]
fn bookmark_schedule() {
    for case in cases("bookmark_schedule") {
        let now = SimTime(us(&case["now_s"]));
        let next = next_bookmark_time(now, Some(SimTime(us(&case["deadline_s"]))));
        let want = case["expect_next_s"].as_u64().map(seconds);
        assert_eq!(next, want, "{case}");
    }
}

/// Runs the progress requester of current Kubernetes up to the time `end`. Waiters come and go at the given times.
/// Returns the times of the progress requests.
fn requests(changes: &[(u64, bool)], end: u64) -> Vec<u64> {
    let mut freshness = Freshness::new(Policy::TODAY, ms(0));
    let mut out = Wants::default();
    let mut asked = Vec::new();
    let mut pending: Vec<(u64, FreshnessTimer)> = Vec::new();
    let mut reads = 0;
    for now in 0..=end {
        for (_, comes) in changes.iter().filter(|(at, _)| *at == now) {
            if *comes {
                reads += 1;
                let spec = ReadSpec {
                    target: Target::At(reads),
                    expected_size: 0,
                    on_timeout: OnTimeout::Refuse,
                };
                freshness.begin(ms(now), ReadId(reads), spec, reads - 1, &mut out);
            } else {
                freshness.cache_moved(ms(now), reads, Moved::Event, &mut out);
            }
        }
        let (due, later) = pending.into_iter().partition(|(at, _)| *at <= now);
        pending = later;
        for (_, timer) in due {
            freshness.wake(ms(now), timer, reads.saturating_sub(1), &mut out);
        }
        asked.extend(out.progress.drain(..).map(|_| now));
        for (after, timer) in out.timers.drain(..) {
            pending.retain(|(_, before)| *before != timer);
            pending.push((now + after.0 / 1000, timer));
        }
    }
    asked
}

#[test]
fn progress_requester() {
    let cases = cases("progress_requester");
    assert!(cases.iter().all(|case| number(&case["period_ms"]) == 100));
    // Both cases are sentences; the following code does what they describe.
    let steps: Vec<Vec<&str>> = cases
        .iter()
        .map(|case| list(case, "steps").iter().map(text).collect())
        .collect();
    assert_eq!(
        steps[0],
        [
            "t=0 start, waiting=0",
            "t=200 no requests so far",
            "t=200 Add -> request #1 immediately (timer already expired)",
            "t=300 request #2",
            ".. one per 100 ms while waiting>0",
            "Remove -> no more requests",
        ]
    );
    assert_eq!(
        requests(&[(200, true), (650, false)], 2_000),
        [200, 300, 400, 500, 600]
    );
    assert_eq!(
        steps[1],
        [
            "t=0 Add -> request",
            "t=1 satisfied, Remove",
            "t=40 Add -> request only at t=100 (wait 60 ms + RTT)",
        ]
    );
    // The case's time 0 is a moment at which the timer has expired, not the start.
    let from = 500;
    let changes = [
        (from, true),
        (from + 1, false),
        (from + 40, true),
        (from + 101, false),
    ];
    assert_eq!(requests(&changes, 2_000), [from, from + 100]);
}

#[test]
fn etcd_version_gate() {
    for case in cases("etcd_version_gate") {
        let version = EtcdVersion::parse(text(&case["version"])).expect("a version");
        let supports = version.supports_request_progress();
        assert_eq!(supports, flag(&case["supports_request_progress"]), "{case}");
    }
}

#[test]
fn retry() {
    let case = &cases("retry")[0];
    assert_eq!(text(&case["name"]), "reflector_backoff");
    let in_ms = |d: SimDuration| d.0 / 1000;
    assert_eq!(in_ms(backoff::INIT), number(&case["init_ms"]));
    assert_eq!(backoff::FACTOR, number(&case["factor"]));
    assert_eq!(in_ms(backoff::CAP), number(&case["cap_ms"]));
    assert_eq!(
        in_ms(backoff::RESET_AFTER),
        1000 * number(&case["reset_after_s"])
    );
    assert_eq!(case["jitter"].as_f64(), Some(1.0));
    let mut rng = Rng::stream(1, "backoff");
    let mut backoff = ReflectorBackoff::default();
    for base in [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000] {
        let delay = in_ms(backoff.next_delay(seconds(1), &mut rng));
        assert!((base..2 * base).contains(&delay), "{delay} for {base}");
    }
}

#[test]
fn no_group_is_left_out() {
    let all = load("watchcache_vectors.json");
    let groups: Vec<&str> = all
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .filter(|name| !name.starts_with('_'))
        .collect();
    let mut known: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(groups, known);
    let total: usize = GROUPS.iter().map(|(_, count)| count).sum();
    assert_eq!(total, 98);
    // Resources differ in whether they have a trigger; the sizes above do not depend on it.
    assert!(PODS.trigger.is_some() && SERVICES.trigger.is_none());
}
