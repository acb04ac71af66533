//! Watchers of the API server in special situations: slow watchers, initial events that the history window overtakes,
//! and bookmarks.

use std::collections::BTreeSet;

use watchglass_engine::apiserver::dispatch::{DispatchTimer, INCOMING_ENTRIES, Registration};
use watchglass_engine::apiserver::watch_start;
use watchglass_engine::apiserver::{
    CacheInterval, CacheWatcherId, Dispatched, Dispatcher, EndReason, RingLimits, WatchCache,
    WatcherRead,
};
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimTime;
use watchglass_engine::kube::list_options::{ListOptions, ResourceVersion};
use watchglass_engine::kube::object::Object;
use watchglass_engine::kube::request::WatchTarget;
use watchglass_engine::kube::resource::PODS;
use watchglass_engine::kube::selector::Predicate;
use watchglass_engine::kube::watch_event::KubeWatchEvent;

const TOO_SLOW: EndReason = EndReason::TooSlow { is_graceful: false };

/// The number of entries that a slow watcher can take before it blocks the dispatcher: the entries in both channels,
/// and one entry in progress.
const ROOM: u64 = 10 + 10 + 1;

fn ms(n: u64) -> SimTime {
    SimTime(n * 1_000)
}

struct Server {
    cache: WatchCache,
    dispatcher: Dispatcher,
    now: SimTime,
    timers: Vec<(SimTime, DispatchTimer)>,
    ended: Vec<(CacheWatcherId, EndReason)>,
}

impl Server {
    fn new() -> Self {
        let mut server = Self {
            cache: WatchCache::new(&PODS, RingLimits::DYNAMIC),
            dispatcher: Dispatcher::new(&PODS, Rng::stream(1, "bookmarks"), ms(0)),
            now: ms(0),
            timers: Vec::new(),
            ended: Vec::new(),
        };
        server.cache.replace(10, Vec::new());
        let did = server.dispatcher.start(10);
        server.took(did);
        server
    }

    fn took(&mut self, did: Dispatched) {
        let now = self.now;
        for (after, timer) in did.timers {
            self.timers.retain(|(_, before)| *before != timer);
            self.timers.push((now + after, timer));
        }
        self.ended.extend(did.ended);
    }

    fn watch(&mut self, target: &WatchTarget, rv: u64) -> CacheWatcherId {
        let options = ListOptions {
            resource_version: ResourceVersion::At(rv),
            ..ListOptions::default()
        };
        let interval = self.cache.since(rv).expect("it is in the history");
        self.register(target, &options, interval, rv)
    }

    fn register(
        &mut self,
        target: &WatchTarget,
        options: &ListOptions,
        interval: CacheInterval,
        after: u64,
    ) -> CacheWatcherId {
        let spec = target.spec(&self.cache, options, after, None);
        let place = target.registration(&PODS);
        self.dispatcher
            .add_watcher(spec, place, interval, after, self.now)
    }

    fn put(&mut self, name: &str, node: &str) {
        let rv = self.cache.cache_rv() + 1;
        let pod = Object::new("Pod", "default", name)
            .with_field("spec.nodeName", node)
            .at(rv);
        let is_new = self.cache.get(&pod.key(PODS.prefix)).0.is_none();
        let done = if is_new {
            self.cache.add(pod, self.now)
        } else {
            self.cache.update(pod, self.now)
        };
        for entry in done.entries() {
            assert!(self.dispatcher.offer(entry));
        }
        self.dispatch();
    }

    fn progress(&mut self, rv: u64) {
        let entry = self.cache.update_resource_version(rv);
        assert!(self.dispatcher.offer(entry));
        self.dispatch();
    }

    fn dispatch(&mut self) {
        let did = self.dispatcher.dispatch(self.now, self.cache.ring());
        self.took(did);
    }

    fn pass_to(&mut self, until: SimTime) {
        while let Some(next) = self.timers.iter().copied().min_by_key(|(at, _)| *at) {
            if next.0 > until {
                break;
            }
            self.timers.retain(|timer| *timer != next);
            self.now = next.0;
            let did = self.dispatcher.wake(self.now, next.1, self.cache.ring());
            self.took(did);
        }
        self.now = until;
    }

    fn read(&mut self, id: CacheWatcherId) -> WatcherRead {
        let read = self.dispatcher.read(id, self.cache.ring());
        self.dispatch();
        read
    }

    fn read_all(&mut self, id: CacheWatcherId) -> (Vec<KubeWatchEvent>, WatcherRead) {
        let mut events = Vec::new();
        loop {
            match self.read(id) {
                WatcherRead::Event(event) => events.push(event),
                last => return (events, last),
            }
        }
    }
}

fn on_node(node: &str) -> WatchTarget {
    WatchTarget {
        predicate: Predicate::by_fields(&format!("spec.nodeName={node}")).expect("a selector"),
        ..WatchTarget::everything()
    }
}

#[test]
fn a_slow_watcher_is_ended_cleanly_and_the_fast_one_misses_nothing() {
    let mut server = Server::new();
    let slow = server.watch(&on_node("n"), 10);
    let fast = server.watch(&on_node("n"), 10);
    let mut told = 0;
    for _ in 0..ROOM {
        server.put("a", "n");
        told += server.read_all(fast).0.len();
    }
    assert_eq!(server.dispatcher.waits_for(), None);
    // After two seconds the budget is at its maximum of 100 ms, which is how long the dispatcher waits for the slow
    // watcher.
    server.pass_to(ms(2_500));
    server.put("a", "n");
    assert_eq!(server.dispatcher.waits_for(), Some(slow));
    assert_eq!(
        server.read_all(fast).0.len(),
        1,
        "the fast one was told first"
    );
    server.pass_to(ms(2_599));
    assert!(server.ended.is_empty());
    server.pass_to(ms(2_600));
    assert_eq!(server.ended, [(slow, TOO_SLOW)]);
    assert_eq!((told as u64, server.dispatcher.terminated()), (ROOM, 1));
    // The client reads the sent events, and then the end of the stream, without a reason.
    let (events, last) = server.read_all(slow);
    assert_eq!((events.len(), last), (10, WatcherRead::End(TOO_SLOW)));
    // The client resumes where it stopped and gets the remaining events.
    let rv = events[9].resource_version().expect("an event");
    let again = server.watch(&on_node("n"), rv);
    assert_eq!(server.read_all(again).0.len() as u64, ROOM + 1 - 10);
}

#[test]
fn a_slow_watcher_that_reads_in_time_stays_and_the_rest_of_the_budget_too() {
    let mut server = Server::new();
    let slow = server.watch(&on_node("n"), 10);
    for _ in 0..ROOM {
        server.put("a", "n");
    }
    server.pass_to(ms(2_500));
    server.put("a", "n");
    assert_eq!(server.dispatcher.waits_for(), Some(slow));
    server.pass_to(ms(2_540));
    assert!(matches!(server.read(slow), WatcherRead::Event(_)));
    assert_eq!(server.dispatcher.waits_for(), None);
    // 60 ms of the budget are left, and the 40 ms of waiting added 2 ms.
    server.put("a", "n");
    server.pass_to(ms(2_601));
    assert!(server.ended.is_empty());
    server.pass_to(ms(2_602));
    assert_eq!(server.ended, [(slow, TOO_SLOW)]);
}

#[test]
fn while_it_waits_the_cache_is_held_up() {
    let mut server = Server::new();
    let slow = server.watch(&on_node("n"), 10);
    for _ in 0..ROOM {
        server.put("a", "n");
    }
    server.pass_to(ms(2_500));
    server.put("a", "n");
    // The watcher's bookmark, and 49 events with their bookmarks, fill the channel except for one entry.
    for _ in 0..49 {
        server.put("b", "elsewhere");
    }
    assert_eq!(server.dispatcher.incoming(), INCOMING_ENTRIES - 1);
    assert!(!server.dispatcher.has_room());
    server.dispatcher.stop_watcher(slow);
    assert_eq!(
        server.dispatcher.waits_for(),
        Some(slow),
        "stopping it waits, too"
    );
    server.pass_to(ms(2_600));
    assert_eq!(server.dispatcher.incoming(), 0);
    assert!(server.dispatcher.has_room());
}

#[test]
fn a_replay_that_is_overtaken_ends_without_a_word() {
    let mut server = Server::new();
    server.cache = WatchCache::new(&PODS, RingLimits::fixed(150));
    server.cache.replace(10, Vec::new());
    for _ in 0..150 {
        server.put("a", "n");
    }
    let late = server.watch(&on_node("n"), 10);
    // The watcher copies 100 events and sends the events that fit into its channel.
    assert!(matches!(server.read(late), WatcherRead::Event(_)));
    for _ in 0..150 {
        server.put("a", "elsewhere");
    }
    let (events, last) = server.read_all(late);
    assert_eq!(events.len() + 1, 100, "what was copied is sent");
    assert_eq!(last, WatcherRead::End(EndReason::Invalidated));
    let rv = events
        .last()
        .and_then(KubeWatchEvent::resource_version)
        .expect("an event");
    let error = server
        .cache
        .since(rv)
        .expect_err("and the client that comes back is told");
    assert_eq!(error.code(), 410);
}

#[test]
fn who_asked_for_initial_events_is_told_where_they_end() {
    let mut server = Server::new();
    for name in ["c", "a", "b"] {
        server.put(name, "n");
    }
    server.progress(50);
    let options = ListOptions {
        resource_version: ResourceVersion::Any,
        send_initial_events: Some(true),
        allow_watch_bookmarks: true,
        ..ListOptions::default()
    };
    let start = watch_start::start_rv(&options, 0, server.cache.cache_rv());
    let interval = watch_start::interval(&server.cache, &options, start, None);
    let interval = interval.expect("the state is always there");
    let id = server.register(&WatchTarget::everything(), &options, interval, start);
    let (events, _) = server.read_all(id);
    let told: Vec<(&str, u64)> = events
        .iter()
        .map(|e| (e.type_name(), e.resource_version().expect("no error")))
        .collect();
    // The objects are sorted by key, each with its own resource version; the bookmark has the cache's resource version.
    assert_eq!(
        told,
        [
            ("ADDED", 12),
            ("ADDED", 13),
            ("ADDED", 11),
            ("BOOKMARK", 50)
        ]
    );
    let ends = |e: &KubeWatchEvent| {
        matches!(
            e,
            KubeWatchEvent::Bookmark {
                initial_events_end: true,
                ..
            }
        )
    };
    assert!(ends(&events[3]));
    // The next bookmark arrives a minute later, if the resource version has advanced, and does not mark the end of the
    // initial events.
    server.pass_to(ms(70_000));
    assert!(server.read_all(id).0.is_empty());
    server.progress(60);
    server.pass_to(ms(130_000));
    let (events, _) = server.read_all(id);
    assert_eq!(events.len(), 1);
    assert!(!ends(&events[0]));
}

#[test]
fn bookmarks_come_by_the_minute_and_shortly_before_the_end() {
    let mut server = Server::new();
    let target = WatchTarget::everything();
    let options = ListOptions {
        resource_version: ResourceVersion::At(10),
        allow_watch_bookmarks: true,
        ..ListOptions::default()
    };
    let interval = server.cache.since(10).expect("it is there");
    let mut spec = target.spec(&server.cache, &options, 10, None);
    spec.deadline = Some(ms(150_000));
    let place = target.registration(&PODS);
    let id = server
        .dispatcher
        .add_watcher(spec, place, interval, 10, ms(0));
    let mut seen = Vec::new();
    for second in 1..=150 {
        // Other resources are written, so only the progress of the cache advances its revision.
        server.progress(10 + second);
        server.pass_to(ms(second * 1_000));
        for event in server.read_all(id).0 {
            let rv = event.resource_version().expect("a bookmark");
            assert!(
                (rv - 10).abs_diff(second) <= 1,
                "it tells how far the cache is"
            );
            seen.push(second);
        }
    }
    // The bookmarks are scheduled at 60 s, a minute after the first, and at 148 s. Each is up to a second late, or 1.25
    // s because of the timer.
    assert_eq!(seen.len(), 3, "{seen:?}");
    for (at, set) in seen.iter().zip([60, 120, 148]) {
        assert!(at.abs_diff(set) <= 2, "{seen:?}");
    }
}

#[test]
fn a_watcher_that_is_ended_with_its_bookmark_on_the_way_still_gets_it() {
    let mut server = Server::new();
    let target = on_node("n");
    let options = ListOptions {
        resource_version: ResourceVersion::At(12),
        send_initial_events: Some(true),
        allow_watch_bookmarks: true,
        ..ListOptions::default()
    };
    // There are more objects than fit into the channel, so the bookmark waits behind them.
    for i in 0..40 {
        server.put(&format!("pod-{i}"), "n");
    }
    let start = watch_start::start_rv(&options, 12, server.cache.cache_rv());
    let interval = watch_start::interval(&server.cache, &options, start, None);
    let interval = interval.expect("the state is always there");
    let id = server.register(&target, &options, interval, start);
    // A tick puts a bookmark into the input channel of the watcher, where it is received but not sent.
    server.pass_to(ms(1_300));
    for _ in 0..=ROOM {
        server.put("pod-0", "n");
    }
    server.pass_to(ms(1_500));
    let graceful = EndReason::TooSlow { is_graceful: true };
    assert_eq!(server.ended, [(id, graceful)]);
    let (events, last) = server.read_all(id);
    assert_eq!(last, WatcherRead::End(graceful));
    let bookmarks = events.iter().filter(|e| e.type_name() == "BOOKMARK");
    assert_eq!(bookmarks.count(), 1, "the one that ends the initial events");
    assert!(events.len() > 40, "and all of them came before it");
}

#[test]
fn a_lost_cache_ends_all_watchers() {
    let mut server = Server::new();
    let ids = [
        server.watch(&WatchTarget::everything(), 10),
        server.watch(&on_node("n"), 10),
    ];
    server.put("a", "n");
    assert_eq!(server.dispatcher.terminate_all(), ids);
    for id in ids {
        let (events, last) = server.read_all(id);
        assert_eq!(
            (events.len(), last),
            (1, WatcherRead::End(EndReason::CacheLost))
        );
        assert!(server.dispatcher.registration(id).is_none());
    }
}

#[test]
fn an_event_finds_its_watchers_by_scope_and_trigger() {
    let mut server = Server::new();
    let named = |namespace: &str, name: &str| WatchTarget {
        namespace: namespace.into(),
        name: name.into(),
        predicate: Predicate::everything(),
    };
    let by_name = WatchTarget {
        predicate: Predicate::by_fields("metadata.name=a").expect("a selector"),
        ..WatchTarget::everything()
    };
    let ids: Vec<CacheWatcherId> = [
        WatchTarget::everything(),
        named("default", ""),
        named("default", "a"),
        by_name,
        on_node("old"),
        on_node("new"),
        named("default", "b"),
        named("other", ""),
        on_node("third"),
    ]
    .iter()
    .map(|target| server.watch(target, 10))
    .collect();
    let triggered = |server: &Server, id| {
        matches!(
            server.dispatcher.registration(id),
            Some(Registration::Trigger(_))
        )
    };
    assert!(triggered(&server, ids[4]) && !triggered(&server, ids[3]));
    server.put("a", "old");
    for id in &ids {
        server.read_all(*id);
    }
    // The pod moves: the watches of both nodes receive the change.
    let rv = server.cache.cache_rv() + 1;
    let moved = Object::new("Pod", "default", "a")
        .with_field("spec.nodeName", "new")
        .at(rv);
    let done = server.cache.update(moved, server.now);
    for entry in done.entries() {
        assert!(server.dispatcher.offer(entry));
    }
    let did = server.dispatcher.dispatch(server.now, server.cache.ring());
    let notified: BTreeSet<CacheWatcherId> = did.notified.into_iter().collect();
    assert_eq!(notified, ids[..6].iter().copied().collect());
    let mut kinds = Vec::new();
    for id in &ids[..6] {
        let (events, _) = server.read_all(*id);
        kinds.extend(events.iter().map(KubeWatchEvent::type_name));
    }
    assert_eq!(
        kinds,
        [
            "MODIFIED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED", "ADDED"
        ]
    );
}

#[test]
fn a_watch_from_the_future_is_accepted_and_silent_until_then() {
    let mut server = Server::new();
    let id = server.watch(&WatchTarget::everything(), 12);
    server.put("a", "n"); // 11
    server.put("a", "n"); // 12
    assert!(server.read_all(id).0.is_empty());
    server.put("a", "n"); // 13
    assert_eq!(server.read_all(id).0.len(), 1);
}
