//! The errors of requests while a cluster has no leader or changes its leader. Unless the comment of a test names
//! another source, the error was recorded on a real cluster: three members of etcd 3.4.23, whose processes were stopped
//! with SIGSTOP.

use std::sync::Arc;

use watchglass_engine::api::log_entry::{ClusterEntry, LogEntry, PeerMessage};
use watchglass_engine::api::{
    Profile, PutRequest, RangeRequest, Request, RequestOp, Response, StatusRequest, TxnRequest,
};
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::raft::{LogMark, LoggedEntry, RaftMessage, RaftPayload};
use watchglass_engine::sim::cost::{CostModel, Disk};

use crate::cluster_members::Members;

fn put(value: &str) -> Request {
    Request::Put(PutRequest {
        key: "key".into(),
        value: value.into(),
        ..PutRequest::default()
    })
}

fn range(serializable: bool) -> RangeRequest {
    RangeRequest {
        key: "key".into(),
        serializable,
        ..RangeRequest::default()
    }
}

fn read_only_txn(serializable: bool) -> Request {
    Request::Txn(TxnRequest {
        success: vec![RequestOp::Range(range(serializable))],
        ..TxnRequest::default()
    })
}

fn without_quorum() -> (Members, u32) {
    let mut members = Members::new(3, Profile::V3_4, 1);
    members.ask(1, put("before")).unwrap();
    let leader = members.leader();
    members.isolate(leader);
    (members, leader)
}

/// In the real cluster, a put on the leader right after the stop of the other two members fails after 7.02 s. The old
/// leader steps down after one election timeout. When the request times out, the member therefore knows no leader, and
/// the error names no cause.
#[test]
fn a_write_on_an_isolated_leader_times_out_after_7_s() {
    let (mut members, leader) = without_quorum();
    let start = members.now;
    let call = members.send(leader, put("alone"));
    members.pass(8_000);
    assert_eq!(members.error(call), "etcdserver: request timed out");
    let waited = members.reply(call).unwrap().0 - start;
    assert!(waited > SimDuration::from_millis(6_850) && waited <= SimDuration::from_millis(7_000));
}

/// In the real cluster, a put 2.5 s after the stop, when the old leader has stepped down, fails after 7.01 s with the
/// code `Unknown`.
#[test]
fn a_write_without_a_leader_waits_for_its_deadline() {
    let (mut members, leader) = without_quorum();
    members.pass(2_500);
    let call = members.send(leader, put("alone"));
    members.pass(8_000);
    let text = "rpc error: code = Unknown desc = context deadline exceeded";
    assert_eq!(members.error(call), text);
}

/// In the real cluster, `endpoint status` shows the error 3 s after the stop of the other members.
#[test]
fn the_status_says_that_the_member_knows_no_leader() {
    let (mut members, leader) = without_quorum();
    let status = |members: &mut Members| {
        let request = Request::Status(StatusRequest {});
        match members.ask(leader, request) {
            Ok(Response::Status(status)) => status.errors,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(status(&mut members), Vec::<String>::new());
    members.pass(2_500);
    let no_leader = vec!["etcdserver: no leader".to_string()];
    assert_eq!(status(&mut members), no_leader);
    members.heal();
    members.pass(5_000);
    assert_eq!(status(&mut members), Vec::<String>::new());
}

/// In the real cluster, a follower that receives a get right after the leader stops responds with an error when the
/// next leader is elected. A get without a quorum fails after 7 s, if no leader is elected before.
#[test]
fn a_read_fails_when_a_new_leader_is_elected() {
    let mut members = Members::new(3, Profile::V3_4, 1);
    let leader = members.leader();
    let followers = members.followers();
    members.isolate(leader);
    let calls: Vec<u64> = followers
        .iter()
        .map(|id| members.send(*id, Request::Range(range(false))))
        .collect();
    let alone = members.send(leader, Request::Range(range(false)));
    members.pass(6_000);
    for call in calls {
        assert_eq!(members.error(call), "etcdserver: leader changed");
    }
    assert_eq!(members.reply(alone), None);
    members.pass(1_500);
    assert_eq!(members.error(alone), "etcdserver: request timed out");
}

/// In the real cluster, a put on one follower right after the stop of the leader fails, and the error names no cause.
/// The recording does not show which follower became the leader. The expected error of the new leader is from
/// `parseProposeCtxErr`.
#[test]
fn only_the_new_leader_suspects_the_previous_leader() {
    let mut members = Members::new(3, Profile::V3_4, 1);
    let followers = members.followers();
    members.isolate(members.leader());
    let calls: Vec<(u32, u64)> = followers
        .iter()
        .map(|id| (*id, members.send(*id, put("lost"))))
        .collect();
    members.pass(8_000);
    let leader = members.leader();
    for (id, call) in calls {
        let cause = match id == leader {
            true => ", possibly due to previous leader failure",
            false => "",
        };
        let expected = format!("etcdserver: request timed out{cause}");
        assert_eq!(members.error(call), expected, "member {id}");
    }
}

/// A follower repeats a ReadIndex after 500 ms. etcd 3.4.23 repeats its id, and then the leader cannot tell a late
/// reply to the first one from a reply to the repetition (etcd#20418).
#[test]
fn a_repeated_read_index_has_a_new_id_since_3_5() {
    for profile in Profile::ALL {
        let mut members = Members::new(3, profile, 1);
        let leader = members.leader();
        let follower = members.followers()[0];
        members.isolate(leader);
        members.send(follower, Request::Range(range(false)));
        members.pass(800);
        let requests = members
            .peer_messages
            .iter()
            .filter_map(|message| match &message.payload {
                RaftPayload::ReadIndex(read) if message.from == follower => Some(read.number),
                _ => None,
            });
        let mut numbers: Vec<u64> = requests.collect();
        assert_eq!(numbers.len(), 2, "{profile}");
        numbers.dedup();
        assert_eq!(numbers.len() == 1, profile == Profile::V3_4, "{profile}");
    }
}

/// The consequence: the leader received a newer read before the repetition. The late replies to the first ReadIndex
/// confirm the repetition, and with it the newer read, although the leader may have lost its leadership meanwhile.
#[test]
fn a_late_reply_confirms_a_read_that_began_later() {
    let profile = Profile::V3_4;
    let mut members = Members::new(3, profile, 1);
    let leader = members.leader();
    let follower = members.followers()[0];
    let first = members.send(follower, Request::Range(range(false)));
    members.pass(100);
    assert!(members.reply(first).is_some());
    let of_follower = |message: &&PeerMessage| message.from == follower;
    let sent = members.peer_messages.iter().filter(of_follower);
    let request = sent
        .clone()
        .find(|message| matches!(message.payload, RaftPayload::ReadIndex(_)));
    let reply = sent.clone().find(|message| {
        matches!(
            message.payload,
            RaftPayload::HeartbeatReply { read: Some(_), .. }
        )
    });
    let (request, reply) = (request.unwrap().clone(), reply.unwrap().clone());
    // The leader is alone, but does not know that yet.
    members.isolate(leader);
    let stale = members.send(leader, Request::Range(range(false)));
    for message in [request, reply] {
        members.act(leader, |server, out| server.peer_message(&message, out));
    }
    assert!(members.reply(stale).is_some_and(|(_, reply)| reply.is_ok()));
}

/// Mirrors `isTxnSerializable`: a transaction with only serializable reads needs no response from the other members.
#[test]
fn a_serializable_transaction_needs_no_quorum() {
    let (mut members, leader) = without_quorum();
    members.ask(leader, read_only_txn(true)).unwrap();
    let call = members.send(leader, read_only_txn(false));
    members.pass(500);
    assert_eq!(members.reply(call), None);
}

/// Mirrors `processInternalRaftRequestOnce`: a member with more than 5,000 committed entries to apply refuses writes,
/// but still reads.
#[test]
fn a_member_that_lags_behind_the_log_refuses_writes() {
    for (entries, refuses) in [(5_000, false), (5_001, true)] {
        let mut members = Members::new(3, Profile::V3_4, 1);
        let leader = members.leader();
        let follower = members.followers()[0];
        let log = members.server(leader).raft().unwrap().log();
        let LogMark { term, index } = log.last();
        let slow = CostModel::FREE.with_disk(Disk::Spinning);
        members.act(follower, |server, out| server.set_cost(slow, out));
        let entry = |n| LoggedEntry {
            term,
            index: index + n,
            data: Some(Arc::new(ClusterEntry {
                id: n,
                content: LogEntry::Empty,
            })),
        };
        let append = RaftMessage {
            from: leader,
            to: follower,
            term,
            payload: RaftPayload::Append {
                previous: LogMark { term, index },
                entries: (1..=entries).map(entry).collect(),
                commit: index + entries,
            },
        };
        members.act(follower, |server, out| server.peer_message(&append, out));
        let call = members.send(follower, put("value"));
        let error = members.reply(call).map(|_| members.error(call));
        assert_eq!(error.is_some(), refuses, "{error:?}");
        if let Some(error) = error {
            assert_eq!(error, "etcdserver: too many requests");
        }
        let read = members.send(follower, Request::Range(range(true)));
        members.pass(100);
        assert!(members.reply(read).is_some_and(|(_, reply)| reply.is_ok()));
    }
}
