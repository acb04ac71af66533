//! A world of several members that do not send messages to each other. Each member has its own store, and each event
//! names its member.

use watchglass_engine::api::{PutRequest, RangeRequest, Request, Response};
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::trace::{Event, TraceEvent};
use watchglass_engine::world::{Config, World};

fn put(key: &str) -> Request {
    Request::Put(PutRequest {
        key: key.into(),
        value: "1".into(),
        ..PutRequest::default()
    })
}

fn ask(world: &mut World, member: NodeId, request: Request, trace: &mut Vec<Event>) -> Response {
    let id = world.submit_to(member, request.into());
    loop {
        if let Some(reply) = world.take_reply(id) {
            return reply.expect("the request is one that every member accepts");
        }
        assert!(world.step(&mut |event| trace.push(event)));
    }
}

fn revisions(world: &World) -> Vec<i64> {
    let members = world.members();
    members
        .map(|(_, etcd)| etcd.store().current_rev())
        .collect()
}

#[test]
fn each_member_has_its_own_store() {
    let mut world = World::with_members(Config::default(), 3);
    let mut trace = Vec::new();
    ask(&mut world, NodeId::Member(1), put("a"), &mut trace);
    ask(&mut world, NodeId::Member(2), put("a"), &mut trace);
    ask(&mut world, NodeId::Member(2), put("b"), &mut trace);
    assert_eq!(revisions(&world), [2, 3, 1]);

    let all = RangeRequest {
        key: "a".into(),
        range_end: "z".into(),
        ..RangeRequest::default()
    };
    let counts: Vec<i64> = (1..=3)
        .map(|n| {
            let range = Request::Range(all.clone());
            match ask(&mut world, NodeId::Member(n), range, &mut trace) {
                Response::Range(found) => found.count,
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(counts, [1, 2, 0]);
}

#[test]
fn each_event_names_the_member_it_happened_on() {
    let mut world = World::with_members(Config::default(), 3);
    let mut trace = Vec::new();
    for n in [3, 1, 3] {
        ask(&mut world, NodeId::Member(n), put("a"), &mut trace);
    }
    let committed = trace.iter().filter_map(|event| match event.what {
        TraceEvent::Committed { revision, .. } => Some((event.node, revision)),
        _ => None,
    });
    let committed: Vec<_> = committed.collect();
    let third = Some(NodeId::Member(3));
    let first = Some(NodeId::Member(1));
    assert_eq!(committed, [(third, 2), (first, 2), (third, 3)]);
    assert!(trace.iter().all(|event| event.node.is_some()));
    assert!(
        !trace
            .iter()
            .any(|event| event.node == Some(NodeId::Member(2)))
    );
}

#[test]
fn one_member_more_changes_nothing_for_the_first() {
    let mut traces = Vec::new();
    for members in [1, 3] {
        let mut world = World::with_members(Config::default(), members);
        let mut trace = Vec::new();
        for key in ["a", "b", "a"] {
            ask(&mut world, NodeId::Member(1), put(key), &mut trace);
        }
        traces.push(trace);
    }
    assert_eq!(traces[0], traces[1]);
}
