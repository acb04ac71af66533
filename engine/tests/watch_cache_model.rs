//! Random histories of one resource: the watch cache compared with naive models. The seed is fixed; set
//! `PROPTEST_CASES=20000 PROPTEST_RNG_SEED=…` to try more cases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::support::config;
use proptest::prelude::*;
use watchglass_engine::apiserver::dispatch::DispatchTimer;
use watchglass_engine::apiserver::interval::IntervalNext;
use watchglass_engine::apiserver::watch_start;
use watchglass_engine::apiserver::{
    CacheInterval, CacheWatcherId, Dispatcher, EndReason, EventType, HistoryRing, Listing,
    Processed, RingLimits, StoreElement, WatchCache, WatchCacheEvent, WatcherRead,
};
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::kube::list_options::{ListOptions, ResourceVersion};
use watchglass_engine::kube::object::Object;
use watchglass_engine::kube::request::WatchTarget;
use watchglass_engine::kube::resource::PODS;
use watchglass_engine::kube::selector::Predicate;
use watchglass_engine::kube::watch_event::KubeWatchEvent;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const NODES: [&str; 3] = ["", "node-1", "node-2"];

/// A change of the resource, as the reflector reports it to the cache.
#[derive(Clone, Debug)]
enum Change {
    /// A pod is created on a node, or an existing pod is moved to the node.
    Put {
        name: usize,
        node: usize,
    },
    /// A pod is deleted, if it exists.
    Delete {
        name: usize,
    },
    /// No pod changes, and etcd sends the cache a progress notification.
    Progress {
        revisions: u64,
    },
    /// The cache relists after etcd's revision has increased by this number.
    Relist {
        revisions: u64,
    },
    /// etcd is compacted at the current revision minus this number.
    Compact {
        ago: u64,
    },
    Sleep {
        seconds: u64,
    },
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        12 => (0..NAMES.len(), 0..NODES.len()).prop_map(|(name, node)| Change::Put { name, node }),
        4 => (0..NAMES.len()).prop_map(|name| Change::Delete { name }),
        3 => (0..5_u64).prop_map(|revisions| Change::Progress { revisions }),
        1 => (0..5_u64).prop_map(|revisions| Change::Relist { revisions }),
        1 => (0..8_u64).prop_map(|ago| Change::Compact { ago }),
        3 => (1..90_u64).prop_map(|seconds| Change::Sleep { seconds }),
    ]
}

fn pod(name: usize, node: usize, rv: u64) -> Object {
    let pod = Object::new("Pod", "default", NAMES[name]).at(rv);
    match NODES[node] {
        "" => pod,
        node => pod.with_field("spec.nodeName", node),
    }
}

type State = BTreeMap<usize, Object>;

/// The cache, and a naive record of everything that happened.
struct Run {
    cache: WatchCache,
    revision: u64,
    now: SimTime,
    /// The state after each revision that changed the pods.
    states: BTreeMap<u64, State>,
    /// All events of the resource since the start of the case.
    log: Vec<Arc<WatchCacheEvent>>,
    /// The resource versions of the snapshots that the cache must have.
    snapshots: BTreeSet<u64>,
}

impl Run {
    fn new(limits: RingLimits) -> Self {
        let mut cache = WatchCache::new(&PODS, limits).with_snapshots();
        cache.replace(1, Vec::new());
        Self {
            cache,
            revision: 1,
            now: SimTime(0),
            states: BTreeMap::from([(1, State::new())]),
            log: Vec::new(),
            snapshots: BTreeSet::from([1]),
        }
    }

    fn state(&self) -> &State {
        self.states.last_key_value().expect("it begins with one").1
    }

    /// Applies a change to the cache and to the record. Returns the elements that the cache passes to the dispatcher.
    fn apply(&mut self, change: &Change) -> Vec<StoreElement> {
        match *change {
            Change::Put { name, node } => {
                self.revision += 1;
                let mut state = self.state().clone();
                let object = pod(name, node, self.revision);
                let is_new = state.insert(name, object.clone()).is_none();
                self.states.insert(self.revision, state);
                let done = if is_new {
                    self.cache.add(object, self.now)
                } else {
                    self.cache.update(object, self.now)
                };
                self.happened(&done)
            }
            Change::Delete { name } => {
                let mut state = self.state().clone();
                let Some(last) = state.remove(&name) else {
                    return Vec::new();
                };
                self.revision += 1;
                self.states.insert(self.revision, state);
                let done = self.cache.delete(last, self.revision, self.now);
                self.happened(&done)
            }
            Change::Progress { revisions } => {
                self.revision += revisions;
                vec![self.cache.update_resource_version(self.revision)]
            }
            Change::Relist { revisions } => {
                self.revision += revisions;
                let objects = self.state().values().cloned().collect();
                self.snapshots = BTreeSet::from([self.revision]);
                vec![self.cache.replace(self.revision, objects)]
            }
            Change::Compact { ago } => {
                let at = self.revision.saturating_sub(ago).max(1);
                self.cache.compact(at);
                self.snapshots.retain(|rv| *rv >= at);
                Vec::new()
            }
            Change::Sleep { seconds } => {
                self.now = self.now + SimDuration(seconds * 1_000_000);
                Vec::new()
            }
        }
    }
}

impl Run {
    fn happened(&mut self, done: &Processed) -> Vec<StoreElement> {
        let ring = self.cache.ring();
        if ring.is_full() {
            let oldest = ring
                .oldest()
                .expect("a full ring is not empty")
                .resource_version;
            self.snapshots.retain(|rv| *rv >= oldest);
        }
        self.snapshots.insert(self.revision);
        self.log.push(done.event.clone());
        done.entries().into()
    }
}

fn history(max: usize) -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(change(), 1..max)
}

fn limits() -> impl Strategy<Value = RingLimits> {
    let dynamic = |lower| RingLimits {
        lower,
        upper: lower * 8,
        ..RingLimits::DYNAMIC
    };
    prop_oneof![
        (1..9_u32).prop_map(RingLimits::fixed),
        (1..9_u32).prop_map(dynamic),
    ]
}

/// A naive model of the cache's history, which is a ring: every event since the start, the index of the oldest event
/// that the ring still contains, and the ring's capacity.
struct NaiveRing {
    all: Vec<(u64, SimTime)>,
    start: usize,
    capacity: usize,
}

impl NaiveRing {
    fn push(&mut self, limits: RingLimits, rv: u64, now: SimTime) {
        let full = self.all.len() - self.start == self.capacity;
        if full {
            let window = limits.window.0;
            let age = |index: usize| now.0 - self.all[index].1.0;
            let young = self.all.len() - self.capacity / 4;
            // An empty quarter starts after the newest event, whose slot is that of the oldest event.
            let young = if young == self.all.len() {
                self.start
            } else {
                young
            };
            if age(self.start) < window {
                self.capacity = (self.capacity * 2).min(limits.upper as usize);
            } else if age(young) > window {
                self.capacity = (self.capacity / 2).max(limits.lower as usize);
                self.start = self.all.len() - self.capacity;
            }
        }
        if self.all.len() - self.start == self.capacity {
            self.start += 1;
        }
        self.all.push((rv, now));
    }
}

fn rvs(ring: &HistoryRing) -> Vec<u64> {
    ring.iter()
        .map(|(_, event)| event.resource_version)
        .collect()
}

/// Reads an interval of the cache's history to its end and returns the resource versions of its events. If the ring
/// overwrites an event before it is read, returns the resource versions read so far as `Err`.
fn drain(interval: &mut CacheInterval, ring: &HistoryRing) -> Result<Vec<u64>, Vec<u64>> {
    let mut found = Vec::new();
    loop {
        match interval.next(ring) {
            IntervalNext::Event(event) => found.push(event.resource_version),
            IntervalNext::End => return Ok(found),
            IntervalNext::Invalidated { .. } => return Err(found),
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn the_ring_is_the_end_of_a_list(
        limits in limits(),
        events in prop::collection::vec((1..3_u64, 0..120_u64, 0..20_u8), 1..120),
    ) {
        let mut ring = HistoryRing::new(limits);
        let mut naive = NaiveRing { all: Vec::new(), start: 0, capacity: limits.lower as usize };
        let (mut rv, mut now) = (0, SimTime(0));
        for (more, seconds, reset) in events {
            if reset == 0 {
                ring.reset();
                naive.start = naive.all.len();
            }
            rv += more;
            now = now + SimDuration(seconds * 1_000_000);
            let object = Arc::new(pod(0, 0, rv));
            ring.push(Arc::new(WatchCacheEvent {
                kind: EventType::Modified,
                key: object.key(PODS.prefix),
                object,
                prev_object: None,
                resource_version: rv,
                record_time: now,
            }));
            naive.push(limits, rv, now);
            prop_assert_eq!(ring.capacity() as usize, naive.capacity);
            prop_assert_eq!(ring.start_index() as usize, naive.start);
            prop_assert_eq!(ring.end_index() as usize, naive.all.len());
            let want: Vec<u64> = naive.all[naive.start..].iter().map(|(rv, _)| *rv).collect();
            prop_assert_eq!(rvs(&ring), want.clone());
            for (index, event) in ring.iter() {
                prop_assert_eq!(event.resource_version, naive.all[index as usize].0);
                prop_assert!(ring.slot_of(index) < ring.capacity());
            }
            for at in rv.saturating_sub(6)..rv + 2 {
                let first = ring.first_after(at);
                let naive_first = naive.start + want.iter().filter(|found| **found <= at).count();
                prop_assert_eq!(first as usize, naive_first);
            }
        }
    }

    #[test]
    fn since_skips_and_repeats_nothing(limits in limits(), history in history(80)) {
        let mut run = Run::new(limits);
        for change in &history {
            run.apply(change);
            let oldest = run.cache.oldest_deliverable().expect("it has listed");
            for rv in 0..run.revision + 3 {
                let happened: Vec<u64> = run
                    .log
                    .iter()
                    .map(|event| event.resource_version)
                    .filter(|at| *at > rv)
                    .collect();
                match run.cache.since(rv) {
                    Ok(mut interval) => {
                        prop_assert!(rv + 1 >= oldest);
                        let told = drain(&mut interval, run.cache.ring());
                        prop_assert_eq!(told, Ok(happened), "since {}", rv);
                    }
                    Err(error) => {
                        prop_assert_eq!(error.code(), 410);
                        prop_assert!(rv + 1 < oldest, "what is there is not refused");
                    }
                }
            }
        }
    }

    #[test]
    fn an_interval_that_is_overtaken_says_so(
        capacity in 1..6_u32,
        before in 1..8_u64,
        after in 0..8_u64,
        from in 0..8_u64,
    ) {
        let mut run = Run::new(RingLimits::fixed(capacity));
        let put = Change::Put { name: 0, node: 0 };
        for _ in 0..before {
            run.apply(&put);
        }
        let minimum = run.cache.oldest_deliverable().expect("it has listed") - 1;
        let from = minimum + from;
        let mut interval = run.cache.since(from).expect("it is there");
        let wanted: Vec<u64> = (from.max(1) + 1..=run.revision).collect();
        for _ in 0..after {
            run.apply(&put);
        }
        let told = drain(&mut interval, run.cache.ring());
        let oldest = run.cache.ring().oldest().expect("it is not empty").resource_version;
        if wanted.first().is_some_and(|first| *first < oldest) {
            // No event of the interval was copied yet, so no event is sent.
            prop_assert_eq!(told, Err(Vec::new()));
        } else {
            prop_assert_eq!(told, Ok(wanted));
        }
    }

    #[test]
    fn a_snapshot_is_what_a_replay_gives(limits in limits(), history in history(80)) {
        let mut run = Run::new(limits);
        let all = Listing::all(PODS.prefix);
        let on_node = Listing {
            predicate: Predicate::by_fields("spec.nodeName=node-1").expect("a selector"),
            ..all.clone()
        };
        for change in &history {
            run.apply(change);
            let now: Vec<Object> = run.state().values().cloned().collect();
            let listed = run.cache.list(&all);
            prop_assert_eq!(listed.resource_version, run.revision);
            let items: Vec<Object> = listed.items.iter().map(|o| Object::clone(o)).collect();
            prop_assert_eq!(&items, &now);
            // A list by the index and a list that looks at each object give the same result.
            let by_index = run.cache.list(&on_node);
            prop_assert!(by_index.index.is_some());
            let by_hand = on_node.from_snapshot(run.cache.store().objects(), run.revision);
            prop_assert_eq!(&by_index.items, &by_hand.items);
            for rv in 1..=run.revision {
                let has_snapshot = run.snapshots.range(..=rv).next_back().is_some();
                let Ok(listed) = run.cache.list_exact(rv, &all) else {
                    prop_assert!(!has_snapshot, "what is there is not refused");
                    continue;
                };
                prop_assert!(has_snapshot, "what was forgotten is not answered");
                let (_, state) = run.states.range(..=rv).next_back().expect("there is one");
                let want: Vec<Object> = state.values().cloned().collect();
                let items: Vec<Object> = listed.items.iter().map(|o| Object::clone(o)).collect();
                prop_assert_eq!(items, want, "at {}", rv);
            }
        }
    }

    #[test]
    fn pages_are_the_list(history in history(40), limit in 1..4_u64) {
        let mut run = Run::new(RingLimits::DYNAMIC);
        // A compaction may remove the newest snapshot, too; then the next page comes from etcd.
        for change in history.iter().filter(|change| !matches!(change, Change::Compact { .. })) {
            run.apply(change);
        }
        let all = Listing::all(PODS.prefix);
        let want = run.cache.list(&all).items;
        let at = run.revision;
        let mut page = Listing { limit, ..all.clone() };
        let mut got = Vec::new();
        loop {
            let listed = run.cache.list_exact(at, &page).expect("it has a snapshot of now");
            prop_assert!(listed.items.len() as u64 <= limit);
            got.extend(listed.items);
            // Pods are written between the pages; the list stays the same.
            run.apply(&Change::Put { name: 0, node: 0 });
            run.apply(&Change::Delete { name: 1 });
            let Some(token) = listed.continue_token else {
                prop_assert_eq!(listed.remaining, None);
                break;
            };
            prop_assert_eq!(listed.remaining, Some((want.len() - got.len()) as u64));
            let token = watchglass_engine::kube::continue_token::ContinueToken::decode(&token);
            let token = token.expect("the cache made it");
            prop_assert_eq!(token.resource_version as u64, at);
            page.start = Some(token.from_key(PODS.prefix));
        }
        prop_assert_eq!(got, want);
    }
}

/// A client that remembers the objects it received, and starts a new watch when its watch ends.
struct Client {
    target: WatchTarget,
    id: Option<CacheWatcherId>,
    /// The last resource version that the client has received; 0 if it has received none.
    last: u64,
    known: BTreeMap<String, u64>,
    /// Whether the client has received all initial events, for a watch with `sendInitialEvents`.
    is_synced: bool,
    ends: Vec<EndReason>,
}

/// A cache, its dispatcher, and clients that read at random times.
struct Server {
    run: Run,
    dispatcher: Dispatcher,
    timers: Vec<(SimTime, DispatchTimer)>,
    clients: Vec<Client>,
}

impl Server {
    fn new(limits: RingLimits, targets: Vec<WatchTarget>) -> Self {
        let mut server = Self {
            run: Run::new(limits),
            dispatcher: Dispatcher::new(&PODS, Rng::stream(7, "bookmarks"), SimTime(0)),
            timers: Vec::new(),
            clients: Vec::new(),
        };
        let did = server.dispatcher.start(1);
        server.took(did);
        for target in targets {
            server.clients.push(Client {
                target,
                id: None,
                last: 0,
                known: BTreeMap::new(),
                is_synced: false,
                ends: Vec::new(),
            });
        }
        server
    }

    fn took(&mut self, did: watchglass_engine::apiserver::Dispatched) {
        let now = self.run.now;
        for (after, timer) in did.timers {
            self.timers.retain(|(_, before)| *before != timer);
            self.timers.push((now + after, timer));
        }
    }

    fn connect(&mut self, which: usize) {
        let cache = &self.run.cache;
        let client = &mut self.clients[which];
        let is_new = client.last == 0;
        let options = ListOptions {
            resource_version: if is_new {
                ResourceVersion::Any
            } else {
                ResourceVersion::At(client.last)
            },
            send_initial_events: Some(is_new),
            allow_watch_bookmarks: true,
            ..ListOptions::default()
        };
        let start = watch_start::start_rv(&options, 0, cache.cache_rv());
        match watch_start::interval(cache, &options, start, None) {
            Ok(interval) => {
                let spec = client.target.spec(cache, &options, 0, None);
                let place = client.target.registration(&PODS);
                let now = self.run.now;
                client.id = Some(
                    self.dispatcher
                        .add_watcher(spec, place, interval, start, now),
                );
                client.is_synced = !is_new;
                if is_new {
                    client.known.clear();
                }
            }
            // After 410, the client starts again.
            Err(error) => {
                assert_eq!(error.code(), 410);
                client.last = 0;
            }
        }
    }

    fn read(&mut self, which: usize, count: u32) {
        for _ in 0..count {
            let client = &mut self.clients[which];
            let Some(id) = client.id else {
                return;
            };
            match self.dispatcher.read(id, self.run.cache.ring()) {
                WatcherRead::Empty => return,
                WatcherRead::End(reason) => {
                    client.id = None;
                    client.ends.push(reason);
                    if !client.is_synced {
                        client.last = 0;
                    }
                    return;
                }
                WatcherRead::Event(event) => take(client, &event),
            }
            let did = self
                .dispatcher
                .dispatch(self.run.now, self.run.cache.ring());
            self.took(did);
        }
    }

    fn apply(&mut self, change: &Change) {
        // The cache does not continue while the channel is full: etcd's stream waits.
        if !self.dispatcher.has_room() {
            self.pass(SimDuration::from_millis(200));
        }
        if matches!(change, Change::Relist { .. }) {
            self.dispatcher.terminate_all();
        }
        for entry in self.run.apply(change) {
            assert!(self.dispatcher.offer(entry), "it was made room for");
        }
        let did = self
            .dispatcher
            .dispatch(self.run.now, self.run.cache.ring());
        self.took(did);
        self.fire();
    }

    fn pass(&mut self, time: SimDuration) {
        self.run.now = self.run.now + time;
        self.fire();
    }

    fn fire(&mut self) {
        loop {
            let now = self.run.now;
            let due = self
                .timers
                .iter()
                .filter(|(at, _)| *at <= now)
                .min_by_key(|(at, _)| *at);
            let Some(due) = due.copied() else {
                return;
            };
            self.timers.retain(|timer| *timer != due);
            let did = self.dispatcher.wake(now, due.1, self.run.cache.ring());
            self.took(did);
        }
    }

    /// Returns the objects that a client with this target should know at a resource version.
    fn truth(&self, target: &WatchTarget, at: u64) -> BTreeMap<String, u64> {
        let state = self.run.states.range(..=at).next_back();
        let objects = state.into_iter().flat_map(|(_, state)| state.values());
        objects
            .filter(|object| target.predicate.matches(object))
            .map(|object| (object.name.to_string(), object.resource_version))
            .collect()
    }
}

fn take(client: &mut Client, event: &KubeWatchEvent) {
    let rv = event.resource_version().expect("no error is sent here");
    match event {
        KubeWatchEvent::Added(object) | KubeWatchEvent::Modified(object) => {
            let before = client.known.insert(object.name.to_string(), rv);
            assert!(
                before.is_none_or(|before| before < rv),
                "told twice, or back in time"
            );
            let is_added = matches!(event, KubeWatchEvent::Added(_));
            assert_eq!(
                is_added,
                before.is_none(),
                "ADDED means that it was not seen before"
            );
        }
        KubeWatchEvent::Deleted(object) => {
            let before = client.known.remove(&*object.name);
            assert!(
                before.is_some_and(|before| before < rv),
                "it deletes what was there"
            );
        }
        KubeWatchEvent::Resync { .. } => unreachable!("nobody asked for it"),
        KubeWatchEvent::Bookmark {
            initial_events_end, ..
        } => {
            assert_eq!(
                *initial_events_end, !client.is_synced,
                "exactly one bookmark ends them"
            );
            client.is_synced = true;
        }
        KubeWatchEvent::Error(error) => panic!("{error}"),
    }
    // Initial objects are older than the state, and arrive in any order.
    if client.is_synced {
        assert!(rv >= client.last, "a watch never goes back in time");
        client.last = rv;
    }
}

#[derive(Clone, Debug)]
enum Act {
    Change(Change),
    Connect(usize),
    Read(usize, u32),
    Pass(u64),
    Stop(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        14 => change().prop_map(Act::Change),
        3 => (0..3_usize).prop_map(Act::Connect),
        5 => (0..3_usize, 1..12_u32).prop_map(|(who, count)| Act::Read(who, count)),
        2 => (1..2_500_u64).prop_map(Act::Pass),
        1 => (0..3_usize).prop_map(Act::Stop),
    ]
}

fn targets() -> Vec<WatchTarget> {
    let by_fields = |text| WatchTarget {
        predicate: Predicate::by_fields(text).expect("a selector"),
        ..WatchTarget::everything()
    };
    vec![
        WatchTarget::everything(),
        by_fields("spec.nodeName=node-1"),
        by_fields("metadata.name=a"),
    ]
}

proptest! {
    #![proptest_config(config(300))]

    /// A client knows exactly the objects that existed at its resource version, and has received each event once. This
    /// holds for slow and fast clients, and also after the watch of a client has ended.
    #[test]
    fn clients_know_what_was_there(
        limits in limits(),
        acts in prop::collection::vec(act(), 1..150),
    ) {
        let mut server = Server::new(limits, targets());
        for act in &acts {
            match act {
                Act::Change(change) => server.apply(change),
                Act::Connect(who) if server.clients[*who].id.is_none() => server.connect(*who),
                Act::Connect(_) => {}
                Act::Read(who, count) => server.read(*who, *count),
                Act::Pass(ms) => server.pass(SimDuration::from_millis(*ms)),
                Act::Stop(who) => {
                    let client = &mut server.clients[*who];
                    if let Some(id) = client.id.take() {
                        if !client.is_synced {
                            client.last = 0;
                        }
                        server.dispatcher.stop_watcher(id);
                    }
                }
            }
            for client in server.clients.iter().filter(|client| client.is_synced && client.last > 0) {
                prop_assert_eq!(&client.known, &server.truth(&client.target, client.last));
            }
        }
        // At the end every client reads all events, and watches again if its watch was ended.
        for which in 0..server.clients.len() {
            for _ in 0..4 {
                if server.clients[which].id.is_none() {
                    server.connect(which);
                }
                server.read(which, 1_000);
                server.pass(SimDuration::from_millis(300));
            }
            server.read(which, 1_000);
            let client = &server.clients[which];
            prop_assert!(client.is_synced && client.id.is_some());
            prop_assert_eq!(&client.known, &server.truth(&client.target, server.run.revision));
        }
    }
}
