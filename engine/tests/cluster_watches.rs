//! Watches in a cluster: streams that need a leader.

use watchglass_engine::api::message::{Body, EtcdMessage};
use watchglass_engine::api::{
    LeaderNeed, Profile, PutRequest, Request, WatchCreateRequest, WatchRequest, WatchResponse,
};
use watchglass_engine::base::ids::{NodeId, StreamKey};
use watchglass_engine::base::time::SimDuration;

use crate::cluster_members::Members;

const CLIENT: NodeId = NodeId::Client(1);

fn create(leader: LeaderNeed) -> WatchRequest {
    WatchRequest::Create(WatchCreateRequest {
        key: "key".into(),
        leader,
        ..WatchCreateRequest::default()
    })
}

fn watch(members: &mut Members, id: u32, stream: u32, request: &WatchRequest) {
    let key = StreamKey {
        client: CLIENT,
        stream,
    };
    members.act(id, |server, out| {
        server.watch_request(key, request, out);
    });
}

fn responses(members: &Members, number: u32) -> Vec<&WatchResponse> {
    let sent = members.sent.iter();
    let responses = sent.filter_map(|(_, to, body)| match body {
        Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) if *to == CLIENT => {
            (*stream == number).then_some(&**response)
        }
        _ => None,
    });
    responses.collect()
}

fn has_ended(members: &Members, stream: u32) -> bool {
    let last = responses(members, stream).pop();
    last.is_some_and(|response| {
        assert!(!response.ends_stream() || response.cancel_reason == "etcdserver: no leader");
        response.ends_stream()
    })
}

/// Observed on a cluster of three members of etcd 3.4.23, two of which were stopped with SIGSTOP: `etcdctl watch`,
/// which requires a leader, ends 3.3 s later, and a second `etcdctl watch` ends at once.
#[test]
fn a_stream_that_needs_a_leader_ends_without_a_leader() {
    let mut members = Members::new(3, Profile::V3_4, 1);
    let leader = members.leader();
    watch(&mut members, leader, 1, &create(LeaderNeed::Required));
    watch(&mut members, leader, 2, &create(LeaderNeed::NotRequired));
    members.isolate(leader);
    let start = members.now;
    while !has_ended(&members, 1) {
        members.pass(100);
        assert!(members.now - start < SimDuration::from_millis(5_000));
    }
    // The leader steps down after one to two seconds, and then misses a leader in three checks, one per second.
    assert!(members.now - start > SimDuration::from_millis(3_000));
    assert!(!has_ended(&members, 2));
    let keys: Vec<u32> = members
        .server(leader)
        .watch_streams()
        .map(|(key, _)| key.stream)
        .collect();
    assert_eq!(keys, [2]);
    watch(&mut members, leader, 3, &create(LeaderNeed::Required));
    assert!(has_ended(&members, 3));
    watch(&mut members, leader, 4, &create(LeaderNeed::NotRequired));
    assert_eq!(responses(&members, 4).len(), 1);
}

#[test]
fn a_short_time_without_a_leader_ends_no_stream() {
    let mut members = Members::new(3, Profile::V3_6, 1);
    let leader = members.leader();
    let follower = members.followers()[0];
    watch(&mut members, follower, 1, &create(LeaderNeed::Required));
    members.isolate(leader);
    members.pass(2_500);
    members.heal();
    members.pass(10_000);
    assert!(!has_ended(&members, 1));
    let put = PutRequest {
        key: "key".into(),
        value: "value".into(),
        ..PutRequest::default()
    };
    members.ask(leader, Request::Put(put)).unwrap();
    let events = responses(&members, 1);
    assert_eq!(events.iter().map(|r| r.events.len()).sum::<usize>(), 1);
}

/// gRPC has closed the stream, so a request that was in flight does not open the stream again.
#[test]
fn a_request_of_an_ended_stream_is_ignored() {
    let mut members = Members::new(3, Profile::V3_6, 1);
    let leader = members.leader();
    watch(&mut members, leader, 1, &create(LeaderNeed::Required));
    members.isolate(leader);
    members.pass(6_000);
    assert!(has_ended(&members, 1));
    members.heal();
    members.pass(5_000);
    watch(&mut members, leader, 1, &create(LeaderNeed::Required));
    assert_eq!(members.server(leader).watch_streams().count(), 0);
    watch(&mut members, leader, 2, &create(LeaderNeed::Required));
    assert_eq!(members.server(leader).watch_streams().count(), 1);
}
