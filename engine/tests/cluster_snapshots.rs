//! Snapshots of the leader's store for followers whose next log entries are compacted.

use watchglass_engine::api::message::{Body, EtcdMessage};
use watchglass_engine::api::{
    CompactionRequest, Difference, LeaseGrantRequest, Profile, PutRequest, RangeRequest, Request,
    Response, WatchCreateRequest, WatchRequest, WatchResponse,
};
use watchglass_engine::base::ids::{NodeId, StreamKey};
use watchglass_engine::observe::Guard;
use watchglass_engine::observe::guarantees::{Guarantee, Known};
use watchglass_engine::raft::ReplicationState;
use watchglass_engine::world::op::{NodeName, Partition, StartWatch, WorldOp};
use watchglass_engine::world::{Config, World};

use crate::cluster_members::Members;
use crate::support::PROFILES;

fn put(n: u32) -> Request {
    Request::Put(PutRequest {
        key: format!("key{}", n % 3).as_str().into(),
        value: n.to_string().as_str().into(),
        ..PutRequest::default()
    })
}

/// Creates a cluster that compacts its log after ten entries and keeps two entries.
fn with_short_log(profile: Profile) -> Members {
    let mut members = Members::new(3, profile, 1);
    for id in 1..=3 {
        members.act(id, |server, _| {
            server.set_snapshot_count(10);
            server.set_catch_up_entries(2);
        });
    }
    members
}

/// The others write `writes` entries. Returns the isolated follower.
fn left_behind(members: &mut Members, writes: u32) -> u32 {
    let follower = members.followers()[0];
    members.isolate(follower);
    let leader = members.leader();
    for n in 0..writes {
        members.ask(leader, put(n)).unwrap();
    }
    follower
}

fn start_of_log(members: &Members, id: u32) -> u64 {
    members.server(id).raft().unwrap().log().start().index
}

fn assert_equal(members: &Members) {
    let state = |id| {
        let server = members.server(id);
        (server.raft_index(), server.store().hash_by_rev(0).unwrap())
    };
    for id in 2..=3 {
        assert_eq!(state(id), state(1), "member {id}");
    }
}

/// Mirrors `snapshot` in `server.go`: after a snapshot, the log keeps only the last entries before the snapshot (5,000
/// by default, 2 in this test).
#[test]
fn a_member_compacts_its_log_after_a_number_of_entries() {
    let mut members = with_short_log(Profile::V3_6);
    let leader = members.leader();
    let first = members.server(leader).raft_index();
    assert_eq!(start_of_log(&members, leader), 3);
    // The first snapshot is due as soon as more than ten entries are applied.
    for n in 0..11 - first as u32 {
        members.ask(leader, put(n)).unwrap();
    }
    members.pass(1_000);
    for id in 1..=3 {
        assert_eq!(start_of_log(&members, id), 11 - 2, "member {id}");
    }
    for n in 0..10 {
        members.ask(leader, put(n)).unwrap();
    }
    assert_eq!(start_of_log(&members, leader), 11 - 2);
    members.ask(leader, put(10)).unwrap();
    assert_eq!(start_of_log(&members, leader), 22 - 2);
}

#[test]
fn a_follower_installs_a_snapshot_if_its_entries_are_compacted() {
    for profile in PROFILES {
        let mut members = with_short_log(profile);
        let leader = members.leader();
        let grant = LeaseGrantRequest { ttl: 600, id: 7 };
        let follower = left_behind(&mut members, 20);
        members.ask(leader, Request::LeaseGrant(grant)).unwrap();
        let leased = PutRequest {
            key: "leased".into(),
            lease: 7,
            ..PutRequest::default()
        };
        members.ask(leader, Request::Put(leased)).unwrap();
        let behind = members.server(follower).raft_index();
        assert!(behind < start_of_log(&members, leader));
        members.heal();
        members.pass(10_000);
        assert_equal(&members);
        let lease = members.server(follower).lessor().lookup(7);
        assert_eq!(lease.map(|lease| lease.keys.len()), Some(1));
        // The follower's log begins at the snapshot.
        assert!(start_of_log(&members, follower) > behind);
        // Replication continues with entries.
        let leader = members.leader();
        members.ask(leader, put(100)).unwrap();
        members.pass(500);
        let raft = members.server(leader).raft().unwrap();
        let progress = raft.progress(follower).unwrap();
        assert_eq!(progress.state, ReplicationState::Replicate);
        assert_equal(&members);
        let range = RangeRequest {
            key: "key1".into(),
            serializable: true,
            ..RangeRequest::default()
        };
        let Ok(Response::Range(found)) = members.ask(follower, Request::Range(range)) else {
            panic!("a serializable read always succeeds");
        };
        assert_eq!(&*found.kvs.first().unwrap().value, b"100");
    }
}

/// With the default settings, a cluster of etcd 3.6 compacts its log after 10,000 entries and keeps 5,000 of them.
#[test]
fn the_defaults_are_those_of_the_version() {
    for (profile, count) in [(Profile::V3_4, 100_000), (Profile::V3_6, 10_000)] {
        let mut members = Members::new(1, profile, 1);
        let server = members.server(1);
        assert_eq!(
            (server.snapshot_count(), server.catch_up_entries()),
            (count, 5_000)
        );
        members.act(1, |server, _| server.set_snapshot_count(7));
        assert_eq!(members.server(1).snapshot_count(), 7);
        members.act(1, |server, _| server.set_snapshot_count(0));
        assert_eq!(members.server(1).snapshot_count(), count);
    }
}

const CLIENT: NodeId = NodeId::Client(1);

fn watch(members: &mut Members, id: u32, start_revision: i64) {
    let key = StreamKey {
        client: CLIENT,
        stream: 1,
    };
    let request = WatchRequest::Create(WatchCreateRequest {
        key: "key".into(),
        range_end: "kez".into(),
        start_revision,
        ..WatchCreateRequest::default()
    });
    members.act(id, |server, out| {
        server.watch_request(key, &request, out);
    });
}

fn responses(members: &Members) -> Vec<&WatchResponse> {
    let sent = members.sent.iter();
    let responses = sent.filter_map(|(_, to, body)| match body {
        Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) if *to == CLIENT => Some(&**response),
        _ => None,
    });
    responses.collect()
}

fn revisions(members: &Members) -> Vec<i64> {
    let events = responses(members).into_iter().flat_map(|r| &r.events);
    events.map(|event| event.kv.mod_revision).collect()
}

/// From `TestWatchRestore`: a synced watcher receives the events that the snapshot contains, once and in order.
#[test]
fn a_watch_on_the_follower_receives_the_events_of_the_snapshot() {
    for profile in PROFILES {
        let mut members = with_short_log(profile);
        let follower = members.followers()[0];
        watch(&mut members, follower, 0);
        left_behind(&mut members, 20);
        assert_eq!(revisions(&members), Vec::<i64>::new());
        members.heal();
        members.pass(10_000);
        let all: Vec<i64> = (2..=21).collect();
        assert_eq!(revisions(&members), all);
        let leader = members.leader();
        members.ask(leader, put(0)).unwrap();
        members.pass(500);
        assert_eq!(revisions(&members).last(), Some(&22));
    }
}

/// From `chooseAll`: a watcher that needs revisions that the snapshot does not contain is canceled.
#[test]
fn a_compacted_snapshot_cancels_a_watch_on_the_follower() {
    let mut members = with_short_log(Profile::V3_6);
    let follower = members.followers()[0];
    watch(&mut members, follower, 0);
    left_behind(&mut members, 20);
    let leader = members.leader();
    let compact = CompactionRequest {
        revision: 10,
        physical: true,
    };
    members.ask(leader, Request::Compact(compact)).unwrap();
    members.heal();
    members.pass(10_000);
    assert_equal(&members);
    assert_eq!(revisions(&members), Vec::<i64>::new());
    let last = responses(&members).pop().unwrap();
    assert!(last.canceled && last.compact_revision == 10, "{last:?}");
}

/// From `watchableStore.Restore`. For each watcher, this function keeps the revision after the watcher's last event,
/// even if the watcher has reached a later revision. A synced watch that received no events is therefore canceled,
/// although no event is missing.
#[test]
fn a_compacted_snapshot_cancels_an_idle_watch_that_misses_nothing() {
    let mut members = with_short_log(Profile::V3_6);
    let follower = members.followers()[0];
    watch(&mut members, follower, 0);
    let leader = members.leader();
    let other = Request::Put(PutRequest {
        key: "other".into(),
        ..PutRequest::default()
    });
    for _ in 0..10 {
        members.ask(leader, other.clone()).unwrap();
    }
    assert_eq!(members.server(follower).store().current_rev(), 11);
    members.isolate(follower);
    for _ in 0..20 {
        members.ask(leader, other.clone()).unwrap();
    }
    let compact = CompactionRequest {
        revision: 11,
        physical: true,
    };
    members.ask(leader, Request::Compact(compact)).unwrap();
    members.heal();
    members.pass(10_000);
    let last = responses(&members).pop().unwrap();
    assert!(last.canceled && last.compact_revision == 11, "{last:?}");
}

/// From etcd#20281: in versions before 3.6.2, a member that has installed a snapshot sends events from before the start
/// revision to a watch that starts at a future revision. The observer that checks the guarantees explains the broken
/// guarantee with this bug.
#[test]
fn a_snapshot_lowers_the_start_of_a_watch_in_the_future_in_3_4() {
    for (profile, expected) in [(Profile::V3_4, vec![32, 33]), (Profile::V3_6, vec![])] {
        let mut members = with_short_log(profile);
        let follower = members.followers()[0];
        watch(&mut members, follower, 100);
        left_behind(&mut members, 30);
        members.heal();
        members.pass(10_000);
        let leader = members.leader();
        for n in 0..2 {
            members.ask(leader, put(n)).unwrap();
            members.pass(500);
        }
        assert_eq!(revisions(&members), expected, "{profile:?}");
    }
}

/// Runs a world until `ms` milliseconds have passed, and passes its events to an observer that checks the guarantees on
/// the first member.
fn pass(world: &mut World, guard: &mut Guard, ms: u64) {
    let end = world.now() + watchglass_engine::base::time::SimDuration::from_millis(ms);
    while world.next_at().is_some_and(|at| at <= end) {
        world.step(&mut |event| guard.observe(&event));
    }
}

/// The observer that checks the guarantees on a follower learns the changes that a snapshot contains. In 3.4, the
/// snapshot breaks a guarantee, and the observer explains this with the bug etcd#20281.
#[test]
fn the_guard_follows_a_member_that_installs_a_snapshot() {
    for profile in PROFILES {
        let config = Config {
            profile,
            seed: 7,
            ..Config::default()
        };
        let mut world = World::with_cluster(config, 3);
        let mut guard = Guard::new(NodeId::Member(1), profile);
        let mut run = |world: &mut World, op: WorldOp, ms: u64| {
            world.check(&op).unwrap();
            world.do_op(op.into());
            pass(world, &mut guard, ms);
        };
        for (setting, value) in [("snapshot-count", 10), ("snapshot-catchup-entries", 2)] {
            run(
                &mut world,
                WorldOp::set(setting, value).expect("the setting exists"),
                2_000,
            );
        }
        for (name, start_revision) in [("now", 0), ("future", 1_000)] {
            let create = WatchCreateRequest {
                key: "key".into(),
                range_end: "kez".into(),
                start_revision,
                ..WatchCreateRequest::default()
            };
            let start = StartWatch {
                login: Default::default(),
                endpoint: None,
                name: name.into(),
                client: None,
                create,
                runs: None,
            };
            run(&mut world, WorldOp::Watch(start), 100);
        }
        let partition = Partition {
            left: vec![NodeName::Etcd],
            right: Vec::new(),
            is_one_way: false,
        };
        run(&mut world, WorldOp::Partition(partition), 5_000);
        for n in 0..30 {
            world.submit_to(NodeId::Member(2), put(n).into());
        }
        run(&mut world, WorldOp::Heal, 10_000);
        world.submit_to(NodeId::Member(2), put(0).into());
        pass(&mut world, &mut guard, 2_000);
        guard.finish(&world);
        assert_eq!(guard.unexplained().next(), None, "{profile:?}");
        let known: Vec<_> = guard.breaches().iter().collect();
        match profile.has(Difference::KeepsFutureStart) {
            true => assert!(known.is_empty(), "{known:?}"),
            false => {
                assert_eq!(known.len(), 1, "{known:?}");
                assert_eq!(known[0].known, Some(Known::LoweredStart));
                assert_eq!(
                    (known[0].guarantee, &*known[0].watch),
                    (Guarantee::Filter, "future")
                );
            }
        }
    }
}
