//! Rules of transactions that etcdctl's language cannot express: nested transactions, ranges in compares, negative
//! revisions, the limit on operations. Mirrors `server/etcdserver/txn/txn.go` and `server/etcdserver/api/v3rpc/key.go`.

use crate::support::PROFILES;
use std::sync::Arc;

use watchglass_engine::api::{
    CompactionRequest, Compare, CompareOp, CompareTarget, EtcdError, Profile, PutRequest,
    RangeRequest, Reply, Request, RequestOp, Response, TxnRequest, TxnResponse,
};
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::time::SimTime;
use watchglass_engine::etcd::{EtcdServer, MemberTimer};
use watchglass_engine::sim::Outbox;

const CALLER: Caller = Caller {
    node: NodeId::Etcdctl,
    call: 1,
};

fn ask(member: &mut EtcdServer, request: &Request) -> Reply {
    let mut out: Outbox<MemberTimer> = Outbox::new(SimTime(0));
    member.handle(CALLER, &Arc::new(request.clone()), &mut out);
    while let Some((_, timer)) = out.timers.pop() {
        member.wake(timer, &mut out);
    }
    out.replies.pop().expect("answered").1
}

fn txn(member: &mut EtcdServer, txn: TxnRequest) -> Result<TxnResponse, EtcdError> {
    match ask(member, &Request::Txn(txn))? {
        Response::Txn(response) => Ok(response),
        other => panic!("another answer: {other:?}"),
    }
}

fn put(key: &str, value: &str) -> RequestOp {
    RequestOp::Put(PutRequest {
        key: key.into(),
        value: value.into(),
        ..PutRequest::default()
    })
}

fn get(key: &str, revision: i64) -> RequestOp {
    RequestOp::Range(RangeRequest {
        key: key.into(),
        revision,
        ..RangeRequest::default()
    })
}

fn then(success: Vec<RequestOp>) -> TxnRequest {
    TxnRequest {
        success,
        ..TxnRequest::default()
    }
}

fn member_with(profile: Profile, keys: &[&str]) -> EtcdServer {
    let mut member = EtcdServer::new(profile);
    for key in keys {
        txn(&mut member, then(vec![put(key, "1")])).expect("a put");
    }
    member
}

#[test]
fn a_negative_revision_is_compared_and_not_taken_as_now() {
    for profile in PROFILES {
        let mut member = member_with(profile, &["a"]);
        // -1 is the compact revision of a store without a compaction, so a read at -1 is not below it.
        assert!(txn(&mut member, then(vec![get("a", -1)])).is_ok());
        let refused = txn(&mut member, then(vec![get("a", -2)]));
        assert_eq!(refused, Err(EtcdError::Compacted));
        let compact = CompactionRequest {
            revision: 2,
            physical: false,
        };
        ask(&mut member, &Request::Compact(compact)).expect("never compacted");
        let refused = txn(&mut member, then(vec![get("a", -1), put("b", "1")]));
        assert_eq!(refused, Err(EtcdError::Compacted));
        // Outside of a transaction, the same revision means the current revision.
        let RequestOp::Range(alone) = get("a", -2) else {
            unreachable!("it is a range")
        };
        assert!(ask(&mut member, &Request::Range(alone)).is_ok());
        assert_eq!(member.store().current_rev(), 2, "nothing was written");
    }
}

#[test]
fn a_branch_has_at_most_128_operations() {
    let many =
        |n: usize| -> Vec<RequestOp> { (0..n).map(|i| put(&format!("k{i}"), "v")).collect() };
    let mut member = EtcdServer::new(Profile::V3_4);
    assert!(txn(&mut member, then(many(128))).is_ok());
    assert_eq!(
        txn(&mut member, then(many(129))),
        Err(EtcdError::TooManyOps)
    );
    let untaken = TxnRequest {
        failure: many(129),
        ..TxnRequest::default()
    };
    assert_eq!(txn(&mut member, untaken), Err(EtcdError::TooManyOps));
    let compare = Compare {
        key: "a".into(),
        range_end: Default::default(),
        result: CompareOp::Equal,
        target: CompareTarget::Version(0),
    };
    let compares = TxnRequest {
        compare: vec![compare; 129],
        ..TxnRequest::default()
    };
    assert_eq!(txn(&mut member, compares), Err(EtcdError::TooManyOps));
    // Operations of the outer transaction reduce the number allowed in the inner transaction.
    let nested = |inner: usize| then(vec![get("a", 0), RequestOp::Txn(then(many(inner)))]);
    assert!(txn(&mut member, nested(126)).is_ok());
    assert_eq!(txn(&mut member, nested(127)), Err(EtcdError::TooManyOps));
    assert_eq!(member.store().current_rev(), 3, "two transactions wrote");
}

#[test]
fn every_key_of_a_compared_range_must_satisfy() {
    let mut member = member_with(Profile::V3_6, &["t1", "t2", "u"]);
    txn(&mut member, then(vec![put("t2", "2")])).expect("a put");
    let holds = |member: &mut EtcdServer, target: CompareTarget, result: CompareOp| {
        let compare = Compare {
            key: "t".into(),
            range_end: "u".into(),
            result,
            target,
        };
        let request = TxnRequest {
            compare: vec![compare],
            ..TxnRequest::default()
        };
        txn(member, request).expect("a compare").succeeded
    };
    assert!(holds(
        &mut member,
        CompareTarget::Version(0),
        CompareOp::Greater
    ));
    assert!(
        !holds(&mut member, CompareTarget::Version(1), CompareOp::Equal),
        "t2 has 2"
    );
    assert!(holds(
        &mut member,
        CompareTarget::Value("3".into()),
        CompareOp::Less
    ));
    assert!(!holds(
        &mut member,
        CompareTarget::Value("2".into()),
        CompareOp::Less
    ));
}

#[test]
fn nested_compares_see_the_state_before_everything() {
    for profile in PROFILES {
        let mut member = member_with(profile, &["a"]);
        let a_is_2 = Compare {
            key: "a".into(),
            range_end: Default::default(),
            result: CompareOp::Equal,
            target: CompareTarget::Value("2".into()),
        };
        let inner = TxnRequest {
            compare: vec![a_is_2],
            success: vec![put("b", "then")],
            failure: vec![put("b", "else")],
        };
        let outer = then(vec![put("a", "2"), RequestOp::Txn(inner), get("b", 0)]);
        let response = txn(&mut member, outer).expect("it writes each key once");
        assert_eq!(response.header.revision, 3);
        let [_, nested, read] = &response.responses[..] else {
            panic!("three answers")
        };
        let watchglass_engine::api::ResponseOp::Txn(nested) = nested else {
            panic!("a txn")
        };
        assert!(!nested.succeeded, "the put before it is not seen");
        assert_eq!(nested.header.revision, 0, "a nested header stays empty");
        let watchglass_engine::api::ResponseOp::Range(read) = read else {
            panic!("a range")
        };
        assert_eq!(
            read.kvs.first().map(|kv| kv.value.as_slice()),
            Some(&b"else"[..]),
            "but reads see what was written"
        );
    }
}

#[test]
fn a_nested_put_is_a_duplicate_of_an_outer_one() {
    let mut member = EtcdServer::new(Profile::V3_6);
    let inner = |key: &str| RequestOp::Txn(then(vec![put(key, "1")]));
    let outer = then(vec![put("a", "0"), inner("a")]);
    assert_eq!(txn(&mut member, outer), Err(EtcdError::DuplicateKey));
    let side_by_side = then(vec![inner("a"), inner("a")]);
    assert_eq!(txn(&mut member, side_by_side), Err(EtcdError::DuplicateKey));
    let either = TxnRequest {
        success: vec![put("a", "1")],
        failure: vec![put("a", "2")],
        ..TxnRequest::default()
    };
    assert!(
        txn(&mut member, then(vec![RequestOp::Txn(either)])).is_ok(),
        "one of them is done"
    );
    assert_eq!(
        txn(&mut member, then(vec![RequestOp::Empty])),
        Err(EtcdError::KeyNotFound)
    );
}
