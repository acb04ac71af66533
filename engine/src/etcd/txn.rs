//! Executes transactions: evaluates the compares, checks the chosen branch, and executes the branch in one revision.
//!
//! Mirrors `server/etcdserver/txn/txn.go`.

use crate::api::{
    Compare, CompareOp, CompareTarget, Difference, EtcdError, KeyValue, PutRequest, RangeRequest,
    RequestOp, ResponseHeader, ResponseOp, TxnRequest, TxnResponse,
};
use crate::base::bytes::KeyRange;
use crate::lease::Lessor;
use crate::mvcc::{KvStore, WriteTxn};

use super::apply;
use super::range;

/// The branches that a transaction executes. Contains one boolean for the transaction, and then one for each nested
/// transaction in the chosen branches: true for the success branch. All compares are evaluated before the first write.
pub struct TxnPath {
    branches: Vec<bool>,
    /// The number of compares that were evaluated. The first compare that does not hold ends an evaluation.
    compares: u64,
}

impl TxnPath {
    /// Evaluates all compares and chooses the branches.
    pub fn choose(store: &KvStore, r: &TxnRequest) -> Self {
        let mut path = Self {
            branches: Vec::new(),
            compares: 0,
        };
        path.add(store, r);
        path
    }

    fn add(&mut self, store: &KvStore, r: &TxnRequest) {
        let holds = r.compare.iter().all(|c| {
            self.compares += 1;
            compare(store, c)
        });
        self.branches.push(holds);
        for op in branch(r, holds) {
            if let RequestOp::Txn(nested) = op {
                self.add(store, nested);
            }
        }
    }

    /// Returns the number of compares that were evaluated.
    pub fn compares(&self) -> u64 {
        self.compares
    }

    /// Calls `f` with each operation of the chosen branches.
    pub fn each(&self, r: &TxnRequest, f: &mut impl FnMut(&RequestOp)) {
        let visited = each_op(r, &mut self.branches.iter(), &mut |op| {
            f(op);
            Ok(())
        });
        visited.expect("no operation is refused");
    }

    /// Returns true if the compares of the outermost transaction succeeded.
    pub fn succeeded(&self) -> bool {
        self.branches[0]
    }
}

/// Returns true if a transaction contains only reads. A transaction with a nested transaction counts as a write.
pub fn is_read_only(r: &TxnRequest) -> bool {
    r.success
        .iter()
        .chain(&r.failure)
        .all(|op| matches!(op, RequestOp::Range(_)))
}

/// Returns the transaction without its reads (`removeNeedlessRangeReqs`).
pub fn without_reads(r: &TxnRequest) -> TxnRequest {
    let kept = |operations: &[RequestOp]| {
        let writes = operations.iter().filter_map(|op| match op {
            RequestOp::Range(_) => None,
            RequestOp::Txn(nested) => Some(RequestOp::Txn(without_reads(nested))),
            write => Some(write.clone()),
        });
        writes.collect()
    };
    TxnRequest {
        compare: r.compare.clone(),
        success: kept(&r.success),
        failure: kept(&r.failure),
    }
}

/// Returns true if a transaction contains only serializable reads (`isTxnSerializable`).
pub fn is_serializable(r: &TxnRequest) -> bool {
    r.success
        .iter()
        .chain(&r.failure)
        .all(|op| matches!(op, RequestOp::Range(r) if r.serializable))
}

/// Returns the number of compares, including nested compares.
pub fn compare_count(r: &TxnRequest) -> u32 {
    let nested = r.success.iter().chain(&r.failure).map(|op| match op {
        RequestOp::Txn(t) => compare_count(t),
        _ => 0,
    });
    r.compare.len() as u32 + nested.sum::<u32>()
}

/// Checks all operations in the chosen branch. If one operation would fail, the member refuses the whole transaction.
/// Since 3.6, etcd checks the operations in their order (`checkTxn`). Before, it checked all puts before all reads.
pub fn check(
    store: &KvStore,
    lessor: &Lessor,
    r: &TxnRequest,
    path: &TxnPath,
) -> Result<(), EtcdError> {
    let put = |p: &PutRequest| {
        if p.ignore_value || p.ignore_lease {
            apply::existing(store, &p.key)?;
        }
        apply::check_lease(lessor, p.lease)
    };
    let range = |r: &RangeRequest| range::check_revision(store, r.revision);
    // If several operations are invalid, the order of the checks determines the error.
    if store.profile().has(Difference::ChecksOperationsInOrder) {
        return each_op(r, &mut path.branches.iter(), &mut |op| match op {
            RequestOp::Put(p) => put(p),
            RequestOp::Range(r) => range(r),
            _ => Ok(()),
        });
    }
    each_op(r, &mut path.branches.iter(), &mut |op| match op {
        RequestOp::Put(p) => put(p),
        _ => Ok(()),
    })?;
    each_op(r, &mut path.branches.iter(), &mut |op| match op {
        RequestOp::Range(r) => range(r),
        _ => Ok(()),
    })
}

fn each_op<'p>(
    r: &TxnRequest,
    path: &mut impl Iterator<Item = &'p bool>,
    f: &mut impl FnMut(&RequestOp) -> Result<(), EtcdError>,
) -> Result<(), EtcdError> {
    let holds = *path.next().expect("a path has an entry per transaction");
    for op in branch(r, holds) {
        match op {
            RequestOp::Txn(nested) => each_op(nested, path, f)?,
            op => f(op)?,
        }
    }
    Ok(())
}

/// Executes the chosen branch. The caller ends the transaction and sets the revision in the header.
///
/// # Errors
/// Returns an error if an operation fails despite the checks. The caller must then roll back the transaction.
pub fn execute(
    txn: &mut WriteTxn<'_>,
    r: &TxnRequest,
    path: &TxnPath,
) -> Result<TxnResponse, EtcdError> {
    execute_on(txn, r, &mut path.branches.iter())
}

fn execute_on<'p>(
    txn: &mut WriteTxn<'_>,
    r: &TxnRequest,
    path: &mut impl Iterator<Item = &'p bool>,
) -> Result<TxnResponse, EtcdError> {
    let succeeded = *path.next().expect("a path has an entry per transaction");
    let mut responses = Vec::new();
    for op in branch(r, succeeded) {
        responses.push(match op {
            RequestOp::Range(r) => ResponseOp::Range(range::range(txn, r)?),
            RequestOp::Put(r) => ResponseOp::Put(apply::put(txn, r)?),
            RequestOp::DeleteRange(r) => ResponseOp::DeleteRange(apply::delete_range(txn, r)?),
            // The header of a nested transaction's response stays empty. Even its revision is 0.
            RequestOp::Txn(r) => ResponseOp::Txn(execute_on(txn, r, path)?),
            RequestOp::Empty => unreachable!("refused before it was proposed"),
        });
    }
    Ok(TxnResponse {
        header: ResponseHeader::default(),
        succeeded,
        responses,
    })
}

fn branch(r: &TxnRequest, holds: bool) -> &[RequestOp] {
    if holds { &r.success } else { &r.failure }
}

fn compare(store: &KvStore, c: &Compare) -> bool {
    let keys = KeyRange::new(&c.key, &c.range_end);
    let Ok(found) = store.range(&keys, 0, 0) else {
        return false;
    };
    if found.kvs.is_empty() {
        // A missing key has no value, so a compare of its value never holds, not even with "not equal".
        let has_value = matches!(c.target, CompareTarget::Value(_));
        return !has_value && compare_kv(c, &KeyValue::default());
    }
    found.kvs.iter().all(|kv| compare_kv(c, kv))
}

fn compare_kv(c: &Compare, kv: &KeyValue) -> bool {
    let order = match &c.target {
        CompareTarget::Version(n) => kv.version.cmp(n),
        CompareTarget::Create(n) => kv.create_revision.cmp(n),
        CompareTarget::Mod(n) => kv.mod_revision.cmp(n),
        CompareTarget::Value(v) => kv.value.cmp(v),
        CompareTarget::Lease(n) => kv.lease.cmp(n),
    };
    match c.result {
        CompareOp::Equal => order.is_eq(),
        CompareOp::NotEqual => order.is_ne(),
        CompareOp::Greater => order.is_gt(),
        CompareOp::Less => order.is_lt(),
    }
}
