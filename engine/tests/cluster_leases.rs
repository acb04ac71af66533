//! Leases in a cluster: only the leader counts time.

use watchglass_engine::api::{
    LeaseGrantRequest, LeaseKeepAliveRequest, LeaseTimeToLiveRequest, Profile, PutRequest,
    RangeRequest, Reply, Request, Response,
};
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::etcd::AutoCompaction;

use crate::cluster_members::Members;

const LEASE: i64 = 7;

fn time_to_live() -> Request {
    Request::LeaseTimeToLive(LeaseTimeToLiveRequest {
        id: LEASE,
        keys: true,
    })
}

fn remaining(reply: &Reply) -> i64 {
    match reply {
        Ok(Response::LeaseTimeToLive(response)) => response.ttl,
        other => panic!("{other:?}"),
    }
}

fn with_lease() -> Members {
    let mut members = Members::new(3, Profile::V3_4, 1);
    let follower = members.followers()[0];
    let grant = LeaseGrantRequest { ttl: 10, id: LEASE };
    members.ask(follower, Request::LeaseGrant(grant)).unwrap();
    let put = PutRequest {
        key: "leased".into(),
        lease: LEASE,
        ..PutRequest::default()
    };
    members.ask(follower, Request::Put(put)).unwrap();
    members
}

fn keys(members: &mut Members, id: u32) -> i64 {
    let range = RangeRequest {
        key: "leased".into(),
        serializable: true,
        ..RangeRequest::default()
    };
    match members.ask(id, Request::Range(range)) {
        Ok(Response::Range(response)) => response.count,
        other => panic!("{other:?}"),
    }
}

/// Observed on a cluster of three members of etcd 3.4.23: `lease timetolive` works through one follower, and `lease
/// keep-alive` through the other.
#[test]
fn a_follower_forwards_lease_requests_to_the_leader() {
    let mut members = with_lease();
    members.pass(4_000);
    for id in 1..=3 {
        let reply = members.ask(id, time_to_live());
        assert_eq!(remaining(&reply), 5, "member {id}");
    }
    let follower = members.followers()[1];
    let renew = Request::LeaseKeepAlive(LeaseKeepAliveRequest { id: LEASE });
    match members.ask(follower, renew) {
        Ok(Response::LeaseKeepAlive(response)) => assert_eq!(response.ttl, 10),
        other => panic!("{other:?}"),
    }
    let leader = members.leader();
    for id in [follower, leader] {
        let reply = members.ask(id, time_to_live());
        assert_eq!(remaining(&reply), 9, "member {id}");
    }
}

/// An expired lease ends once, at the same revision on all members, because only the leader revokes it.
#[test]
fn the_leader_revokes_an_expired_lease_once() {
    let mut members = with_lease();
    let revision = members.server(1).store().current_rev();
    members.pass(12_000);
    for id in 1..=3 {
        assert_eq!(keys(&mut members, id), 0, "member {id}");
        assert_eq!(members.server(id).store().current_rev(), revision + 1);
        assert_eq!(members.server(id).lessor().leases().count(), 0);
    }
}

/// Observed on a cluster of three members of etcd 3.4.23: a new leader extends each lease to its full TTL plus an
/// election timeout. The leader was stopped at once, and a lease of 5 s was alive 6 s later. Here, the old leader is
/// isolated and cannot revoke the lease.
#[test]
fn a_lease_survives_a_leader_change() {
    let mut members = with_lease();
    let old = members.leader();
    members.pass(8_000);
    members.isolate(old);
    members.pass(5_000);
    let new = members.leader();
    assert_ne!(new, old);
    assert_eq!(keys(&mut members, new), 1);
    let reply = members.ask(new, time_to_live());
    assert!(remaining(&reply) > 5, "{reply:?}");
    // The term of the old leader has grown, so another election follows, which extends the lease again.
    members.heal();
    members.pass(15_000);
    for id in 1..=3 {
        assert_eq!(keys(&mut members, id), 0, "member {id}");
    }
}

/// Observed on a cluster of three members of etcd 3.4.23: a member without a leader returns `no leader` after 7 s, and
/// a member that forwarded the request to a stopped leader returns `request timed out` after 7 s.
#[test]
fn lease_requests_without_a_leader_fail_after_7_s() {
    let mut members = with_lease();
    let old = members.leader();
    let follower = members.followers()[0];
    members.isolate(old);
    let lost = members.send(follower, time_to_live());
    members.pass(2_500);
    let alone = members.send(old, time_to_live());
    members.pass(4_300);
    assert_eq!(members.reply(lost), None);
    members.pass(300);
    assert_eq!(members.error(lost), "etcdserver: request timed out");
    members.pass(2_500);
    assert_eq!(members.error(alone), "etcdserver: no leader");
}

/// A follower does not compact automatically: upstream's `updateLeadership` pauses the compactor of a member that stops
/// being the leader.
#[test]
fn only_the_leader_compacts_automatically() {
    let mut members = with_lease();
    let minute = SimDuration::from_millis(60_000);
    let follower = members.followers()[0];
    let leader = members.leader();
    for (id, compacts) in [(follower, false), (leader, true)] {
        members.act(id, |server, out| {
            server.compact_automatically(AutoCompaction::Periodic(minute), out);
        });
        members.pass(70_000);
        let compacted = members.server(leader).store().compact_rev();
        assert_eq!(compacted > 0, compacts, "member {id}");
    }
}
