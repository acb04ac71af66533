//! A copy that receives each change of another etcd equals it, whatever the changes are: puts, deletes of ranges,
//! transactions, expired leases and compactions.

use std::collections::BTreeMap;

use crate::support::PROFILES;
use watchglass_engine::api::{
    CompactionRequest, DeleteRangeRequest, LeaseGrantRequest, Profile, PutRequest, Request,
    RequestOp, TxnRequest,
};
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::etcd::{MirrorOp, MirrorWrite};
use watchglass_engine::session::Session;
use watchglass_engine::trace::{ChangeKind, TraceEvent};
use watchglass_engine::world::op::WorldOp;
use watchglass_engine::world::{Config, World};

const TTL_S: i64 = 5;

/// An etcd and its copy.
struct Pair {
    source: World,
    copy: World,
    /// The writes of revisions that the copy has not received.
    writes: BTreeMap<i64, Vec<MirrorWrite>>,
}

fn empty(profile: Profile) -> World {
    World::new(Config {
        profile,
        ..Config::default()
    })
}

impl Pair {
    fn new(profile: Profile) -> Self {
        let mut pair = Self {
            source: empty(profile),
            copy: empty(profile),
            writes: BTreeMap::new(),
        };
        pair.mirror(MirrorOp::Start);
        pair
    }

    /// Lets time pass in the source.
    fn run(&mut self, length: SimDuration) {
        self.source.sleep(length);
        let until = self.source.now() + length;
        let writes = &mut self.writes;
        while self.source.next_at().is_some_and(|at| at <= until) {
            self.source.step(&mut |event| {
                if let TraceEvent::Changed {
                    main,
                    kind,
                    key,
                    value,
                    lease,
                    ..
                } = event.what
                {
                    let write = match kind {
                        ChangeKind::Delete => MirrorWrite::Delete(key),
                        _ => MirrorWrite::Put { key, value, lease },
                    };
                    writes.entry(main).or_default().push(write);
                }
            });
        }
    }

    fn request(&mut self, request: Request) {
        self.source.submit(request.into());
        self.run(SimDuration::from_millis(20));
    }

    fn mirror(&mut self, op: MirrorOp) {
        let op = WorldOp::Mirror(op);
        self.copy.check(&op).expect("the copy can do the same");
        self.copy.do_op(op.into());
        let until = self.copy.now() + SimDuration::from_millis(20);
        self.copy.sleep(SimDuration::from_millis(20));
        while self.copy.next_at().is_some_and(|at| at <= until) {
            self.copy.step(&mut |_| {});
        }
    }

    /// Gives the copy all changes that it has not received, and compares both.
    fn compare(&mut self) {
        for (revision, writes) in std::mem::take(&mut self.writes) {
            for write in &writes {
                if let MirrorWrite::Put { lease, .. } = write
                    && *lease > 0
                {
                    let (id, ttl_s) = (*lease, TTL_S);
                    self.mirror(MirrorOp::Lease { id, ttl_s });
                }
            }
            self.mirror(MirrorOp::Change { revision, writes });
        }
        let store = self.source.at_endpoint().store();
        let compacted = store.compact_rev();
        if compacted > 0 {
            self.mirror(MirrorOp::Compact(compacted));
        }
        let stores = [&self.source, &self.copy].map(|world| world.at_endpoint().store());
        let [source, copy] = stores.map(|store| (store.current_rev(), store.hash_by_rev(0)));
        assert_eq!(source, copy);
        let [source, copy] = stores.map(|store| (store.live_keys(), store.compact_rev()));
        assert_eq!(source, copy);
    }
}

fn key(rng: &mut Rng) -> watchglass_engine::base::Bytes {
    format!("/{}", rng.below(6)).into()
}

fn put(rng: &mut Rng, leases: i64) -> PutRequest {
    let has_lease = leases > 0 && rng.chance(1, 3);
    PutRequest {
        key: key(rng),
        value: format!("{}", rng.below(100)).into(),
        lease: if has_lease { leases } else { 0 },
        ..PutRequest::default()
    }
}

fn delete(rng: &mut Rng) -> DeleteRangeRequest {
    DeleteRangeRequest {
        key: key(rng),
        range_end: if rng.chance(1, 3) { "\0" } else { "" }.into(),
        ..DeleteRangeRequest::default()
    }
}

#[test]
fn a_copy_equals_the_etcd_whose_changes_it_receives() {
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, "mirror");
        let mut pair = Pair::new(PROFILES[seed as usize % PROFILES.len()]);
        let mut leases = 0;
        for _ in 0..60 {
            match rng.below(10) {
                0 => {
                    leases += 1;
                    let grant = LeaseGrantRequest {
                        ttl: TTL_S,
                        id: leases,
                    };
                    pair.request(Request::LeaseGrant(grant));
                }
                1 => pair.run(SimDuration::from_millis(3_000)),
                2 => {
                    let current = pair.source.at_endpoint().store().current_rev();
                    let revision = 1 + rng.below(current as u64) as i64;
                    pair.request(Request::Compact(CompactionRequest {
                        revision,
                        physical: false,
                    }));
                }
                3 => pair.request(Request::DeleteRange(delete(&mut rng))),
                4 => {
                    let success = vec![
                        RequestOp::Put(put(&mut rng, 0)),
                        RequestOp::DeleteRange(delete(&mut rng)),
                    ];
                    let txn = TxnRequest {
                        success,
                        ..TxnRequest::default()
                    };
                    pair.request(Request::Txn(txn));
                }
                5 => pair.compare(),
                _ => {
                    let put = put(&mut rng, leases);
                    pair.request(Request::Put(put));
                }
            }
        }
        pair.compare();
    }
}

/// The first branch of a copy contains only the changes of the other etcd; watches of the copy stay on it.
#[test]
fn what_a_person_writes_goes_to_a_branch_of_the_copy() {
    let mut session = Session::default();
    let mut exec = |line: &str| {
        let done = session.exec(line);
        (done.stdout, done.stderr, done.branched)
    };
    let refused = exec("mirror 2 put /a 1");
    assert!(refused.1.contains("type `mirror start`"), "{}", refused.1);
    assert!(!exec("mirror start").2);
    assert!(!exec("mirror 2 put /a 1").2);
    assert!(!exec("watch /a as w1").2);
    assert!(!exec("get /a").2);
    assert!(exec("put /a mine").2);
    let refused = exec("mirror 3 put /a 2");
    assert!(
        refused.1.contains("at the end of the first branch"),
        "{}",
        refused.1
    );
    assert_eq!(exec("get /a").0, "/a\nmine\n");
}
