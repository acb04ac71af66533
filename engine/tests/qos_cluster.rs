//! QoS in a cluster: the members agree on classes and rules, and each member has its own limiters.

use crate::cluster_members::Members;
use watchglass_engine::api::{
    EtcdError, Profile, PutRequest, QosRequest, RangeRequest, Request, RequestAs, Response,
};
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::qos::condition::MILLION;
use watchglass_engine::qos::metrics::QosOutcome;
use watchglass_engine::qos::{
    ClassKind, ConditionKind, Identity, OpKind, QosClass, QosCondition, QosName, QosRule,
};
use watchglass_engine::sim::cost::CostModel;

const MEMBERS: u32 = 3;

fn name(text: &str) -> QosName {
    QosName::new(text).expect("a valid name")
}

/// Returns a cluster with QoS and one rule for this kind of operation. A client sent the rule to one of the members.
fn cluster(kind: ClassKind, op: OpKind) -> Members {
    let mut members = Members::new(MEMBERS, Profile::V3_6, 7);
    for id in 1..=MEMBERS {
        members.act(id, |server, out| server.enable_qos(true, out));
    }
    let class = QosClass {
        name: name("limit"),
        kind,
    };
    let mut rule = QosRule::new(name("rule"), class.name, 9);
    rule.ops = vec![op];
    let follower = members.followers()[0];
    for request in [
        QosRequest::AddClass(class),
        QosRequest::AddRule {
            rule: rule.into(),
            strict: false,
        },
    ] {
        let reply = members.ask(follower, Request::Qos(request));
        assert!(reply.is_ok(), "{reply:?}");
    }
    members
}

fn ten_per_second() -> ClassKind {
    ClassKind::Tbf {
        mqps: 10_000,
        burst: 10,
        max_wait: SimDuration(0),
    }
}

fn read() -> Request {
    Request::Range(RangeRequest {
        key: "/a".into(),
        ..RangeRequest::default()
    })
}

fn put(key: &str) -> Request {
    Request::Put(PutRequest {
        key: key.into(),
        ..PutRequest::default()
    })
}

/// Returns the QoS definitions (classes and rules) of a member as text.
fn definitions(members: &Members, id: u32) -> Vec<String> {
    let qos = members.server(id).qos().expect("QoS is on");
    let definitions = qos.state().definitions();
    let classes = definitions.classes().map(|class| format!("{class:?}"));
    classes
        .chain(definitions.rules().iter().map(ToString::to_string))
        .collect()
}

fn admitted(members: &Members, id: u32) -> u64 {
    let qos = members.server(id).qos().expect("QoS is on");
    qos.state().metrics().total(QosOutcome::Admitted)
}

/// Sends 100 reads per second for ten seconds, to the given members in turn. Returns the number of admitted reads.
fn reads_of_ten_seconds(members: &mut Members, to: &[u32]) -> u64 {
    for number in 0..1_000 {
        members.send(to[number % to.len()], read());
        members.pass(10);
    }
    members.pass(1_000);
    (1..=MEMBERS).map(|id| admitted(members, id)).sum()
}

#[test]
fn the_members_agree_on_definitions() {
    let mut members = cluster(ten_per_second(), OpKind::Range);
    members.pass(1_000);
    let first = definitions(&members, 1);
    assert_eq!(first.len(), 4, "{first:?}");
    for id in 2..=MEMBERS {
        assert_eq!(definitions(&members, id), first, "member {id}");
    }
}

/// Each member admits a burst of ten requests and ten requests per second: 109 in 9.99 s. A client that sends its reads
/// to three members gets three times as many.
#[test]
fn three_members_admit_three_times_the_limit() {
    let mut one = cluster(ten_per_second(), OpKind::Range);
    assert_eq!(reads_of_ten_seconds(&mut one, &[1]), 109);
    let mut three = cluster(ten_per_second(), OpKind::Range);
    assert_eq!(reads_of_ten_seconds(&mut three, &[1, 2, 3]), 3 * 109);
}

/// A member that restarts has full buckets. The buckets of the other members do not change.
#[test]
fn the_restart_of_a_member_fills_its_buckets() {
    let rare = ClassKind::Tbf {
        mqps: 1,
        burst: 2,
        max_wait: SimDuration(0),
    };
    let mut members = cluster(rare, OpKind::Range);
    let uses_both = |members: &mut Members, id: u32| {
        let replies = [0; 3].map(|_| members.ask(id, read()));
        replies.map(|reply| reply.is_ok())
    };
    for id in 1..=MEMBERS {
        assert_eq!(uses_both(&mut members, id), [true, true, false]);
    }
    let follower = members.followers()[0];
    members.act(follower, |server, out| server.stop(out.now));
    members.act(follower, |server, out| {
        server.restart(out);
    });
    members.pass(2_000);
    assert_eq!(definitions(&members, follower).len(), 4);
    for id in 1..=MEMBERS {
        let expected = match id == follower {
            true => [true, true, false],
            false => [false; 3],
        };
        assert_eq!(uses_both(&mut members, id), expected, "member {id}");
    }
}

/// On a leader and on a follower, a write counts as running until its entry is applied.
#[test]
fn a_write_gives_back_its_place_when_its_entry_is_applied() {
    let mut members = cluster(ClassKind::MaxInflight { num: 1 }, OpKind::Put);
    for id in 1..=MEMBERS {
        for _ in 0..3 {
            let reply = members.ask(id, put("/a"));
            assert!(reply.is_ok(), "member {id}: {reply:?}");
        }
    }
    // A write that cannot be committed still counts as running.
    let follower = members.followers()[0];
    members.isolate(follower);
    let lost = members.send(follower, put("/a"));
    assert!(members.ask(follower, put("/a")).is_err());
    members.pass(10_000);
    members.error(lost);
    members.heal();
    members.pass(3_000);
    assert!(members.ask(follower, put("/a")).is_ok());
}

/// Each member has its own monitor. If the member that receives `qos doctor --apply` proposes classes and rules, all
/// members add them.
#[test]
fn the_doctor_adds_the_proposals_of_one_member_everywhere() {
    let mut members = cluster(ten_per_second(), OpKind::Put);
    for number in 0..1_100 {
        members.send(1, put(&format!("/registry/pods/{number}")));
        members.pass(100);
    }
    let list = Request::Range(RangeRequest {
        key: "/registry/pods/".into(),
        range_end: "/registry/pods0".into(),
        ..RangeRequest::default()
    });
    let follower = members.followers()[0];
    for _ in 0..5 {
        let request = list.clone().into();
        let identity = Identity::default();
        let (retry, timeout) = (0, None);
        let sent = RequestAs {
            credential: Default::default(),
            identity,
            retry,
            timeout,
            request,
        };
        assert!(members.ask(follower, Request::As(sent.into())).is_ok());
    }
    let doctor = QosRequest::Doctor { apply: true };
    let reply = members.ask(follower, Request::Qos(doctor));
    assert!(matches!(reply, Ok(Response::Qos(_))), "{reply:?}");
    members.pass(1_000);
    let first = definitions(&members, 1);
    let scan = QosCondition {
        kind: ConditionKind::ScanKeyNum,
        threshold: 1_000 * MILLION,
    };
    let has_scan = |text: &String| text.contains("doctor-1") && text.contains(&scan.to_string());
    assert!(first.iter().any(has_scan), "{first:?}");
    for id in 2..=MEMBERS {
        assert_eq!(definitions(&members, id), first, "member {id}");
    }
}

/// etcd's own protection against overload is independent of the QoS rules, and has its own counter. While a follower
/// catches up, its disk syncs many committed entries that are not applied yet. During this time, the follower refuses
/// writes, but serves reads that accept stale data.
#[test]
fn a_member_that_catches_up_refuses_writes_until_the_gap_is_small() {
    let gap = |missed: u64| {
        let mut members = cluster(ten_per_second(), OpKind::DeleteRange);
        let (leader, follower) = (members.leader(), members.followers()[0]);
        members.isolate(follower);
        for _ in 0..missed {
            members.send(leader, put("/a"));
        }
        members.act(follower, |server, out| {
            let slow = CostModel {
                fsync_ps: 1_500_000_000_000,
                ..*server.cost()
            };
            server.set_cost(slow, out);
        });
        members.heal();
        // The first sync contains a single batch of entries, which shows the leader where the follower's log ends. The
        // second sync contains all other entries.
        members.pass(2_500);
        let write = members.send(follower, put("/b"));
        let stale = RangeRequest {
            key: "/a".into(),
            serializable: true,
            ..RangeRequest::default()
        };
        let read = members.send(follower, Request::Range(stale));
        assert!(members.reply(read).is_some_and(|(_, reply)| reply.is_ok()));
        let refused = members.reply(write).map(|(_, reply)| reply.clone());
        let qos = members.server(follower).qos().expect("QoS is on");
        let counted = qos.state().metrics().too_many_requests;
        assert_eq!(counted, u64::from(refused.is_some()));
        refused
    };
    assert_eq!(gap(6_000), Some(Err(EtcdError::TooManyRequests)));
    assert_eq!(gap(5_400), None, "the write waits for its entry");
}
