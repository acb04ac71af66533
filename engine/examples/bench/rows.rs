//! The rows that `cargo xtask bench native` compares with etcd's own `mvcc` package; `etcd/main.go`
//! does the same work in Go, with the same keys in the same order.

use std::hint::black_box;
use std::time::Instant;

use watchglass_engine::api::Profile;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::mvcc::{KvStore, Revision, TreeIndex};

use super::processor_time::processor_time;
use super::{key, keys, store_of};

const GETS: u64 = 200_000;

/// The time of one run in milliseconds.
pub(crate) struct Took {
    pub(crate) passed: f64,
    /// The processor time of the program's only thread.
    pub(crate) used: f64,
}

/// Does the work of a row `runs` times. Returns `None` if there is no such row.
pub(crate) fn run(row: &str, runs: u32) -> Option<Vec<Took>> {
    Some(match row {
        "index-put" => index_put(10_000, 100, runs),
        "index-put-1m" => index_put(1_000_000, 1, runs),
        "index-get" => index_get(10_000, 100, At::Now, runs),
        "index-get-past" => index_get(10_000, 100, At::AnyRevision, runs),
        "index-get-1m" => index_get(1_000_000, 1, At::Now, runs),
        "index-compact" => index_compact(10_000, 100, runs),
        "index-compact-100k" => index_compact(100_000, 10, runs),
        "index-compact-1m" => index_compact(1_000_000, 1, runs),
        "store-put-new" => store_put(100_000, 1, runs),
        "store-put" => store_put(10_000, 100, runs),
        "store-get" => store_get(At::Now, runs),
        "store-get-past" => store_get(At::AnyRevision, runs),
        "store-range-1000" => store_range(1_000, 0, runs),
        "store-range-all" => store_range(100_000, 0, runs),
        "store-range-limited" => store_range(100_000, 1_000, runs),
        "store-count" => store_count(runs),
        "store-restore" => store_restore(runs),
        _ => return None,
    })
}

/// Times `work` on the value that `prepare` creates before each run. The result of the work is dropped after the
/// measurement: Go frees memory later, too.
fn times<P, T>(
    runs: u32,
    mut prepare: impl FnMut() -> P,
    mut work: impl FnMut(&mut P) -> T,
) -> Vec<Took> {
    let run = |_| {
        let mut prepared = prepare();
        let (began, used) = (Instant::now(), processor_time());
        let made = black_box(work(&mut prepared));
        let (passed, now_used) = (began.elapsed(), processor_time());
        drop(made);
        let used = used.zip(now_used).map_or(passed, |(from, to)| to - from);
        Took {
            passed: passed.as_secs_f64() * 1e3,
            used: used.as_secs_f64() * 1e3,
        }
    };
    (0..runs).map(run).collect()
}

/// The revision that each get in a row of the table requests: the current revision or a random revision.
#[derive(Clone, Copy, PartialEq)]
enum At {
    Now,
    AnyRevision,
}

/// Returns random pairs: the number of a key, and a revision. `etcd/main.go` uses the same pairs in the same order.
fn random_gets(keys: u64, current: i64, at: At) -> Vec<(usize, i64)> {
    let mut state = 1_u64;
    let mut below = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let get = |_| {
        let key = below(keys) as usize;
        match at {
            At::Now => (key, current),
            At::AnyRevision => (key, 2 + below(current as u64 - 1) as i64),
        }
    };
    (0..GETS).map(get).collect()
}

fn index_of(keys: &[Bytes], rounds: u64) -> TreeIndex {
    let mut index = TreeIndex::default();
    let mut main = 1;
    for _ in 0..rounds {
        for key in keys {
            main += 1;
            index.put(key.clone(), Revision::new(main, 0));
        }
    }
    index
}

fn index_put(n: u64, rounds: u64, runs: u32) -> Vec<Took> {
    let keys = keys(n);
    times(runs, || (), |()| index_of(&keys, rounds))
}

fn index_get(n: u64, rounds: u64, at: At, runs: u32) -> Vec<Took> {
    let keys = keys(n);
    let index = index_of(&keys, rounds);
    let gets = random_gets(n, (n * rounds) as i64 + 1, at);
    let work = |_: &mut ()| {
        let found = gets
            .iter()
            .filter(|(i, rev)| index.get(&keys[*i], *rev).is_some())
            .count();
        assert!(at == At::AnyRevision || found as u64 == GETS);
    };
    times(runs, || (), work)
}

fn index_compact(n: u64, rounds: u64, runs: u32) -> Vec<Took> {
    let keys = keys(n);
    let current = (n * rounds) as i64 + 1;
    let work = |index: &mut TreeIndex| {
        let kept = index.compact(current, Profile::V3_6);
        assert_eq!(kept.len() as u64, n);
    };
    times(runs, || index_of(&keys, rounds), work)
}

fn store_put(n: u64, rounds: u64, runs: u32) -> Vec<Took> {
    let keys = keys(n);
    times(runs, || (), |()| store_of(&keys, rounds))
}

fn store_get(at: At, runs: u32) -> Vec<Took> {
    const KEYS: u64 = 10_000;
    let keys = keys(KEYS);
    let store = store_of(&keys, 100);
    let gets: Vec<_> = random_gets(KEYS, store.current_rev(), at)
        .into_iter()
        .map(|(i, rev)| (KeyRange::One(keys[i].clone()), rev))
        .collect();
    let work = |_: &mut ()| {
        let found: i64 = gets
            .iter()
            .map(|(key, rev)| store.range(key, *rev, 0).map_or(0, |found| found.count))
            .sum();
        assert!(at == At::AnyRevision || found as u64 == GETS);
    };
    times(runs, || (), work)
}

const RANGE_KEYS: u64 = 100_000;

fn store_range(n: u64, limit: i64, runs: u32) -> Vec<Took> {
    let store = store_of(&keys(RANGE_KEYS), 1);
    let first = (RANGE_KEYS - n) / 2;
    let range = KeyRange::Between(key(first), key(first + n));
    times(
        runs,
        || (),
        |()| {
            let found = store.range(&range, 0, limit).expect("a readable revision");
            assert_eq!(found.count, n as i64);
            found
        },
    )
}

fn store_count(runs: u32) -> Vec<Took> {
    let store = store_of(&keys(RANGE_KEYS), 1);
    let range = KeyRange::Between(key(0), key(RANGE_KEYS));
    times(
        runs,
        || (),
        |()| {
            let found = store.count(&range, 0).expect("a readable revision");
            assert_eq!(found.count, RANGE_KEYS as i64);
        },
    )
}

fn store_restore(runs: u32) -> Vec<Took> {
    let store = store_of(&keys(10_000), 100);
    let work = |rows: &mut Option<_>| {
        let rows = rows.take().expect("prepared for one run");
        let restored = KvStore::restore(rows, Profile::V3_6).expect("the rows of a store");
        assert_eq!(restored.current_rev(), store.current_rev());
        restored
    };
    times(runs, || Some(store.backend().clone()), work)
}
