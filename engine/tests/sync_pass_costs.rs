//! A sync pass over unsynced watchers takes as long as its reads, and writes wait for its end (etcd#22264). In runs of
//! the link versions 1 to 3, a pass takes a millisecond and blocks nothing.

use watchglass_engine::api::{
    Profile, PutRequest, Request, Response, WatchCreateRequest, WatchRequest,
};
use watchglass_engine::base::ids::{Caller, NodeId, StreamKey};
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::etcd::{EtcdServer, MemberTimer};
use watchglass_engine::sim::Outbox;
use watchglass_engine::sim::cost::{CostModel, Disk};
use watchglass_engine::world::config::FormatVersion;

const ROWS: u64 = 5_000;

fn put(member: &mut EtcdServer, call: u64, out: &mut Outbox<MemberTimer>) {
    let node = NodeId::Etcdctl;
    let request = Request::Put(PutRequest {
        key: "key".into(),
        value: "value".into(),
        ..PutRequest::default()
    });
    member.handle(Caller { node, call }, &request.into(), out);
}

/// Runs the first sync pass for a watcher that misses all rows, and puts a key directly afterwards. Returns the member,
/// and the outbox with the effects of the put.
fn pass(costs: bool, disk: Disk) -> (EtcdServer, Outbox<MemberTimer>) {
    let mut member = EtcdServer::new(Profile::V3_6)
        .with_cost(CostModel::PROCESSOR)
        .with_sync_pass_costs(costs);
    let mut out = Outbox::new(SimTime(0));
    for call in 0..ROWS {
        put(&mut member, call, &mut out);
    }
    member.set_cost(CostModel::PROCESSOR.with_disk(disk), &mut out);
    let stream = StreamKey {
        client: NodeId::Client(1),
        stream: 1,
    };
    let create = WatchRequest::Create(WatchCreateRequest {
        key: "key".into(),
        start_revision: 2,
        ..WatchCreateRequest::default()
    });
    member.watch_request(stream, &create, &mut out);
    let mut out = Outbox::new(SimTime(100_000));
    member.wake(MemberTimer::WatchSync, &mut out);
    assert_eq!(
        out.messages.is_empty(),
        costs,
        "the lock holds the responses back"
    );
    let unlock = out
        .timers
        .iter()
        .find(|(_, timer)| *timer == MemberTimer::WatchUnlock);
    // 5,000 rows of 0.88 µs, and 1.61 ns for each byte.
    let took = unlock.map_or(0, |(after, _)| after.0 / 1_000);
    assert_eq!(took, if costs { 4 } else { 0 });
    let mut out = Outbox::new(SimTime(101_000));
    put(&mut member, ROWS, &mut out);
    (member, out)
}

fn has_reply(out: &Outbox<MemberTimer>) -> bool {
    let is_put = |reply: &Response| matches!(reply, Response::Put(_));
    out.replies
        .iter()
        .any(|(_, reply)| reply.as_ref().is_ok_and(is_put))
}

#[test]
fn a_put_waits_for_the_end_of_the_pass() {
    let (mut member, out) = pass(true, Disk::Free);
    assert!(!has_reply(&out));
    let before = member.store().current_rev();
    let mut out = Outbox::new(SimTime(105_000));
    member.wake(MemberTimer::WatchUnlock, &mut out);
    assert!(has_reply(&out));
    assert!(!out.messages.is_empty(), "the watcher receives its events");
    assert_eq!(member.store().current_rev(), before + 1);
}

#[test]
fn a_put_whose_log_entry_is_synced_during_the_pass_waits_too() {
    let (mut member, _) = pass(true, Disk::Ssd);
    let mut out = Outbox::new(SimTime(102_000));
    member.wake(MemberTimer::LogSynced, &mut out);
    assert!(!has_reply(&out));
    out.now = SimTime(105_000);
    member.wake(MemberTimer::WatchUnlock, &mut out);
    assert!(has_reply(&out));
}

#[test]
fn old_links_keep_the_free_pass() {
    let (_, out) = pass(false, Disk::Free);
    assert!(has_reply(&out));
    let costs = FormatVersion::ALL.map(FormatVersion::sync_pass_costs);
    assert_eq!(costs, [false, false, false, true]);
}

#[test]
fn the_prices_fit_the_measurements() {
    let took = |rows, bytes| CostModel::PROCESSOR.sync_pass(rows, bytes).alone();
    // Upstream's test: 20,001 small rows in 17.568 ms. etcd#22264: 500,000 revisions of Kubernetes in about 1.3 s.
    assert_eq!(took(20_001, 0), SimDuration(17_600));
    assert_eq!(took(500_000, 500_000_000), SimDuration(1_245_000));
}
