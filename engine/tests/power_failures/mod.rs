//! A member that repeatedly writes, compacts and loses power, compared with a map of its acknowledged writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchglass_engine::api::{
    CompactionRequest, DeleteRangeRequest, KeyValue, Profile, PutRequest, Request, RequestOp,
    TxnRequest,
};
use watchglass_engine::backend::Bucket;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::planted::Planted;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimTime;
use watchglass_engine::bbolt::Db;
use watchglass_engine::etcd::{EtcdServer, MemberTimer};
use watchglass_engine::mvcc::{Generation, KeyIndex, KvStore};
use watchglass_engine::sim::Outbox;

const CALLER: Caller = Caller {
    node: NodeId::Etcdctl,
    call: 1,
};

/// The acknowledged writes: for each key, the value and the revision of its last put.
#[derive(Default)]
struct Model {
    rows: BTreeMap<Vec<u8>, (Vec<u8>, i64)>,
    revision: i64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// The number of crashes after which the file contained the state of the commit in progress.
    pub(crate) newer: u32,
    /// The number of crashes after which the file contained the state of the previous commit.
    pub(crate) older: u32,
    /// The number of disk writes that, because of a crash, reached the disk only in part or not at all.
    pub(crate) damaged: u32,
}

/// Runs a member with random writes, and lets its machine lose power this number of times.
///
/// # Errors
/// Returns a description of the fault if the member is wrong after a crash.
pub(crate) fn live(seed: u64, crashes: u32, planted: Planted) -> Result<Outcome, String> {
    let mut rng = Rng::stream(seed, "crashes");
    let profile = match seed % 2 {
        0 => Profile::V3_4,
        _ => Profile::V3_6,
    };
    let mut member = EtcdServer::new(profile);
    let mut model = Model {
        revision: 1,
        ..Model::default()
    };
    let (mut now, mut outcome) = (SimTime(0), Outcome::default());
    for number in 0..crashes {
        let mut timers = Vec::new();
        for _ in 0..rng.below(4) {
            now.0 += rng.below(40_000);
            let mut out = Outbox::untraced(now);
            write(&mut member, &mut model, &mut rng, &mut out);
            timers.append(&mut out.timers);
        }
        // A compaction may be in progress.
        while rng.chance(4, 5)
            && let Some((_, timer)) = timers.pop()
        {
            if timer == MemberTimer::CompactionBatch {
                let mut out = Outbox::untraced(now);
                member.wake(timer, &mut out);
                timers.append(&mut out.timers);
            }
        }
        let before = member.store().backend().file().meta().txid;
        let crash = member.crash(now, planted, &mut rng);
        let crash = crash.map_err(|damage| format!("crash {number}: {damage}"))?;
        outcome.damaged += crash.lost + crash.torn;
        let db = member.store().backend().db();
        let opened = Db::open(db.to_bytes().into(), db.options());
        let opened = opened.map_err(|damage| format!("crash {number}: {damage}"))?;
        let is_same = |a: &Db, b: &Db| {
            a.view().meta() == b.view().meta() && a.freelist().ids() == b.freelist().ids()
        };
        if !is_same(db, &opened) {
            return Err(format!(
                "crash {number}: the whole file says something else"
            ));
        }
        let after = member.store().backend().file().meta().txid;
        *match after > before {
            true => &mut outcome.newer,
            false => &mut outcome.older,
        } += 1;
        now.0 += 1_000;
        let mut out = Outbox::untraced(now);
        member.restart(&mut out);
        for (_, timer) in out.timers {
            member.wake(timer, &mut Outbox::untraced(now));
        }
        compare(&member, &model).map_err(|what| format!("crash {number}: {what}"))?;
    }
    Ok(outcome)
}

fn write(member: &mut EtcdServer, model: &mut Model, rng: &mut Rng, out: &mut Outbox<MemberTimer>) {
    let mut put = || {
        let key = format!("/key{}", rng.below(8)).into_bytes();
        let value = vec![b'a' + rng.below(26) as u8; rng.below(160) as usize];
        (key, value)
    };
    let request = |(key, value): &(Vec<u8>, Vec<u8>)| PutRequest {
        key: Bytes::from(key.as_slice()),
        value: Bytes::from(value.as_slice()),
        ..PutRequest::default()
    };
    let (first, second) = (put(), put());
    let puts = match rng.below(10) {
        0..=5 => {
            let put = Request::Put(request(&first));
            member.handle(CALLER, &Arc::new(put), out);
            vec![first]
        }
        6 if first.0 != second.0 => {
            let puts = [&first, &second].map(|put| RequestOp::Put(request(put)));
            let txn = TxnRequest {
                success: puts.to_vec(),
                ..TxnRequest::default()
            };
            member.handle(CALLER, &Arc::new(Request::Txn(txn)), out);
            vec![first, second]
        }
        8 | 9 => {
            let revision = model.revision - rng.below(4) as i64;
            let compact = CompactionRequest {
                revision,
                physical: false,
            };
            member.handle(CALLER, &Arc::new(Request::Compact(compact)), out);
            vec![]
        }
        _ => {
            let delete = DeleteRangeRequest {
                key: Bytes::from(first.0.as_slice()),
                ..DeleteRangeRequest::default()
            };
            member.handle(CALLER, &Arc::new(Request::DeleteRange(delete)), out);
            model.revision += i64::from(model.rows.remove(&first.0).is_some());
            vec![]
        }
    };
    model.revision += i64::from(!puts.is_empty());
    for (key, value) in puts {
        model.rows.insert(key, (value, model.revision));
    }
}

/// Compares the member with the acknowledged writes, and its index with an index built from its rows.
fn compare(member: &EtcdServer, model: &Model) -> Result<(), String> {
    let store = member.store();
    let (revision, expected) = (store.current_rev(), model.revision);
    if revision != expected {
        return Err(format!("revision {revision}, acknowledged {expected}"));
    }
    let all = KeyRange::new(&Bytes::zero(), &Bytes::zero());
    let found = store.range(&all, 0, 0).map_err(|error| error.to_string())?;
    let row = |kv: &KeyValue| (kv.key.to_vec(), (kv.value.to_vec(), kv.mod_revision));
    let rows: Vec<_> = found.kvs.iter().map(row).collect();
    if !model.rows.clone().into_iter().eq(rows) {
        return Err("other rows than were acknowledged".to_owned());
    }
    let backend = store.backend();
    let count = backend.rows(Bucket::Meta).count() as u64;
    if backend.row_count(Bucket::Meta) != count {
        return Err(format!(
            "{count} rows of the bucket meta, counted otherwise"
        ));
    }
    if store.compactions_pending() == 0 {
        let again = KvStore::restore(backend.clone(), member.profile());
        let again = again.map_err(|error| format!("{error:?}"))?;
        let mut pairs = again.index().iter().zip(store.index().iter());
        if let Some((rows, index)) = pairs.find(|(rows, index)| !is_same(rows, index)) {
            return Err(format!("the rows make {rows:?}, the index has {index:?}"));
        }
        if again.index().len() != store.index().len() {
            return Err("the index has other keys than the rows".to_owned());
        }
    }
    Ok(())
}

/// Compares two indexes of a key, except for data that rows do not store: the sub-revision at which a generation was
/// created and, if only the tombstone of a generation remains, its creation and its number of changes.
fn is_same(a: &KeyIndex, b: &KeyIndex) -> bool {
    let generation = |g: &Generation, is_last: bool| {
        let is_tombstone = !is_last && g.revs.len() == 1;
        let life = (!is_tombstone).then_some((g.ver, g.created.main));
        (life, g.revs.clone())
    };
    let generations = |index: &KeyIndex| -> Vec<_> {
        let last = index.generations.len() - 1;
        let all = index.generations.iter().enumerate();
        all.map(|(number, g)| generation(g, number == last))
            .collect()
    };
    (&a.key, a.modified, generations(a)) == (&b.key, b.modified, generations(b))
}
