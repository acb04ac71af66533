//! A world whose members form a cluster: they agree on one log and serve linearizable reads.

use watchglass_engine::api::{
    HashKvRequest, Profile, PutRequest, RangeRequest, Reply, Request, Response, StatusRequest,
};
use watchglass_engine::base::digest::Sparse;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::client::etcd::load::EtcdLoadSpec;
use watchglass_engine::client::load_calls::LoadPace;
use watchglass_engine::etcd::{EtcdServer, MemberTimer};
use watchglass_engine::qos::Identity;
use watchglass_engine::sim::Outbox;
use watchglass_engine::trace::{ClientTrace, NetTrace, RetryReason, TraceEvent};
use watchglass_engine::world::op::{NodeName, WorldOp};
use watchglass_engine::world::{COMMAND_TIMEOUT, Config, Destination, World};

const MEMBERS: u32 = 3;

fn put(value: &str) -> Request {
    Request::Put(PutRequest {
        key: "key".into(),
        value: value.into(),
        ..PutRequest::default()
    })
}

fn get(serializable: bool) -> Request {
    Request::Range(RangeRequest {
        key: "key".into(),
        serializable,
        ..RangeRequest::default()
    })
}

fn pass(world: &mut World, ms: u64) {
    let end = world.now() + SimDuration::from_millis(ms);
    while world.next_at().is_some_and(|at| at <= end) {
        world.step(&mut |_| ());
    }
}

/// Creates a cluster that has elected a leader.
fn cluster() -> World {
    let mut world = World::with_cluster(Config::default(), MEMBERS);
    pass(&mut world, 5_000);
    world
}

fn ask(world: &mut World, member: u32, request: Request) -> Reply {
    let id = world.submit_to(NodeId::Member(member), request.into());
    loop {
        if let Some(reply) = world.take_reply(id) {
            return reply;
        }
        assert!(world.step(&mut |_| ()));
    }
}

fn value(reply: Reply) -> String {
    match reply {
        Ok(Response::Range(range)) => {
            let values = range.kvs.iter().map(|kv| kv.value.to_string());
            values.collect()
        }
        other => panic!("{other:?}"),
    }
}

fn leader(world: &World) -> Option<u32> {
    (1..=MEMBERS).find(|n| {
        let member = NodeId::Member(*n);
        let raft = world.member(member).and_then(|member| member.raft());
        world.runs(member) && raft.is_some_and(|raft| raft.is_leader())
    })
}

fn hashes(world: &mut World) -> Vec<(i64, u32)> {
    let members = 1..=MEMBERS;
    let hashes = members.map(|n| {
        let request = Request::HashKv(HashKvRequest::default());
        match ask(world, n, request) {
            Ok(Response::HashKv(hash)) => (hash.header.revision, hash.hash),
            other => panic!("{other:?}"),
        }
    });
    hashes.collect()
}

#[test]
fn the_members_elect_a_leader_in_term_2() {
    // A new cluster starts in term 1, with one entry for each member. The leader appends an empty entry, and each
    // member publishes its attributes. (A real cluster also stores its version.)
    let mut world = cluster();
    assert!(leader(&world).is_some());
    for n in 1..=MEMBERS {
        let Ok(Response::Status(status)) = ask(&mut world, n, Request::Status(StatusRequest {}))
        else {
            panic!("a member always returns its status");
        };
        assert_eq!((status.raft_term, status.raft_index), (2, 7), "member {n}");
    }
}

#[test]
fn a_write_through_any_member_reaches_all_members() {
    let mut world = cluster();
    for n in 1..=MEMBERS {
        let text = format!("written through {n}");
        let Ok(Response::Put(response)) = ask(&mut world, n, put(&text)) else {
            panic!("the cluster accepts the write");
        };
        assert_eq!(response.header.revision, i64::from(n) + 1);
        for reader in 1..=MEMBERS {
            assert_eq!(
                value(ask(&mut world, reader, get(false))),
                text,
                "read through {reader}"
            );
        }
    }
    pass(&mut world, 1_000);
    let hashes = hashes(&mut world);
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn the_cluster_survives_the_stop_of_a_member() {
    let mut world = cluster();
    ask(&mut world, 1, put("before")).unwrap();
    world.do_op(WorldOp::StopEtcd.into());
    pass(&mut world, 5_000);
    assert!(leader(&world).is_some_and(|leader| leader != 1));
    ask(&mut world, 2, put("while member 1 is stopped")).unwrap();
    world.do_op(WorldOp::StartEtcd.into());
    pass(&mut world, 5_000);
    assert_eq!(
        value(ask(&mut world, 1, get(false))),
        "while member 1 is stopped"
    );
    let hashes = hashes(&mut world);
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn without_a_quorum_only_serializable_reads_succeed() {
    let mut world = World::with_cluster(Config::default(), 2);
    pass(&mut world, 5_000);
    ask(&mut world, 2, put("before")).unwrap();
    pass(&mut world, 1_000);
    world.do_op(WorldOp::StopEtcd.into());
    pass(&mut world, 1_000);
    assert_eq!(value(ask(&mut world, 2, get(true))), "before");
    for request in [get(false), put("after")] {
        let error = ask(&mut world, 2, request).unwrap_err();
        // etcdctl gives up after 5 s, the member after 7 s.
        assert_eq!(error.to_string(), "context deadline exceeded");
    }
    world.do_op(WorldOp::StartEtcd.into());
    pass(&mut world, 5_000);
    ask(&mut world, 2, put("with a quorum")).unwrap();
    assert_eq!(value(ask(&mut world, 1, get(false))), "with a quorum");
}

#[test]
fn a_member_without_quorum_gives_up_after_7_s() {
    let read = "etcdserver: request timed out";
    let write = "rpc error: code = Unknown desc = context deadline exceeded";
    for (request, expected) in [(get(false), read), (put("value"), write)] {
        let mut member = EtcdServer::new(Profile::V3_4).in_cluster(1, MEMBERS, 1);
        let mut out = Outbox::new(SimTime(0));
        member.start_raft(&mut out);
        let caller = Caller {
            node: NodeId::Etcdctl,
            call: 1,
        };
        member.handle(caller, &request.into(), &mut out);
        let ticks = (1..100).find(|tick| {
            out.now = SimTime(tick * 100_000);
            member.wake(MemberTimer::RaftTick, &mut out);
            !out.replies.is_empty()
        });
        assert_eq!(ticks, Some(70));
        let error = out.replies[0].1.as_ref().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_paused_leader_serves_no_stale_read_when_it_resumes() {
    for seed in 0..20 {
        let mut world = World::with_cluster(
            Config {
                seed,
                ..Config::default()
            },
            MEMBERS,
        );
        pass(&mut world, 5_000);
        if leader(&world) != Some(1) {
            continue;
        }
        ask(&mut world, 1, put("old")).unwrap();
        world.do_op(WorldOp::Pause(NodeName::Etcd).into());
        pass(&mut world, 5_000);
        ask(&mut world, 2, put("new")).unwrap();
        world.do_op(WorldOp::Resume(NodeName::Etcd).into());
        // The member learns about the new leader while the read waits, and the client library retries the read.
        let id = world.submit_to(NodeId::Member(1), get(false).into());
        let mut errors = Vec::new();
        let reply = loop {
            if let Some(reply) = world.take_reply(id) {
                break reply;
            }
            world.step(&mut |event| {
                if let TraceEvent::Client(ClientTrace::Retries { why, .. }) = event.what {
                    errors.push(why);
                }
            });
        };
        let expected = RetryReason::Error("etcdserver: leader changed".into());
        assert_eq!(errors, [expected]);
        assert_eq!(value(reply), "new");
        return;
    }
    panic!("no seed elects the first member");
}

/// The connection to a stopped member breaks, so the client library learns about the stop at once. The library repeats
/// a read on the next endpoint. A write may have taken effect, so the library reports the error.
#[test]
fn only_reads_continue_on_the_next_endpoint() {
    let reply_of = |request: Request| {
        let mut world = cluster();
        ask(&mut world, 1, put("old")).unwrap();
        let to = Destination {
            members: vec![NodeId::Member(2), NodeId::Member(3)],
            timeout: COMMAND_TIMEOUT,
            wait: SimDuration(0),
        };
        let id = world.submit_to(to, request.into());
        let client = "etcd-2".to_owned();
        world.do_op(WorldOp::Stop { client }.into());
        while world.runs(NodeId::Member(2)) {
            assert_eq!(world.reply(id), None);
            world.step(&mut |_| ());
        }
        // Long enough for an election, and shorter than the timeout.
        pass(&mut world, 4_000);
        world.take_reply(id).expect("the request has a reply")
    };
    assert_eq!(value(reply_of(get(false))), "old");
    let error = reply_of(put("new")).unwrap_err();
    let text = "rpc error: code = Unavailable desc = error reading from server: EOF";
    assert_eq!(error.to_string(), text);
}

/// A load sends its requests to its members in turn. When a member stops, the running members receive all requests.
#[test]
fn a_load_distributes_its_requests_among_running_members() {
    let mut world = cluster();
    let endpoints = (1..=MEMBERS).map(|n| format!("etcd-{n}"));
    let load = EtcdLoadSpec {
        prefix: "/k/".into(),
        puts: 100,
        ranges: 0,
        logins: 0,
        keys: 0,
        value_bytes: 10,
        pace: LoadPace::Closed(SimDuration::from_millis(5_000)),
        identity: Identity::default(),
        password: Sparse::default(),
        endpoints: Sparse(endpoints.collect()),
    };
    let load = WorldOp::EtcdLoad {
        name: "w".to_owned(),
        clients: 1,
        spec: Box::new(load),
    };
    world.do_op(load.into());
    let sent = |world: &mut World| {
        let mut sent = [0_u32; MEMBERS as usize];
        let end = world.now() + SimDuration::from_millis(3_000);
        while world.next_at().is_some_and(|at| at <= end) {
            world.step(&mut |event| {
                if let TraceEvent::Net(NetTrace::Sent { from, to, .. }) = event.what
                    && let (NodeId::Client(_), NodeId::Member(n)) = (from, to)
                {
                    sent[n as usize - 1] += 1;
                }
            });
        }
        sent
    };
    let counts = sent(&mut world);
    assert!(
        counts.iter().all(|n| n.abs_diff(counts[0]) <= 1),
        "{counts:?}"
    );
    let follower = if leader(&world) == Some(3) { 2 } else { 3 };
    let client = format!("etcd-{follower}");
    let stop = WorldOp::Stop {
        client: client.clone(),
    };
    world.do_op(stop.into());
    pass(&mut world, 10);
    let counts = sent(&mut world);
    assert_eq!(counts[follower as usize - 1], 0, "{counts:?}");
    assert!(counts.iter().sum::<u32>() > 100, "{counts:?}");
    world.do_op(WorldOp::Start { client }.into());
    pass(&mut world, 10);
    let counts = sent(&mut world);
    assert!(counts.iter().all(|n| *n > 50), "{counts:?}");
}
