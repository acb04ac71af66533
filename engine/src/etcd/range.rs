//! Range requests: reading, filtering, sorting and limiting rows.
//!
//! Mirrors the range function of `server/etcdserver/txn/txn.go`.

use std::cmp::Ordering;

use crate::api::{
    Difference, EtcdError, KeyValue, Profile, RangeRequest, RangeResponse, ResponseHeader,
    SortOrder, SortTarget,
};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::mvcc::{KvStore, RangeResult, StoreError, WriteTxn};

/// A source of reads: the store, or an open transaction.
pub trait ReadView {
    fn range(&self, range: &KeyRange, rev: i64, limit: i64) -> Result<RangeResult, StoreError>;
    fn count(&self, range: &KeyRange, rev: i64) -> Result<RangeResult, StoreError>;
    fn profile(&self) -> Profile;
}

impl ReadView for KvStore {
    fn range(&self, range: &KeyRange, rev: i64, limit: i64) -> Result<RangeResult, StoreError> {
        Self::range(self, range, rev, limit)
    }
    fn count(&self, range: &KeyRange, rev: i64) -> Result<RangeResult, StoreError> {
        Self::count(self, range, rev)
    }
    fn profile(&self) -> Profile {
        Self::profile(self)
    }
}

impl ReadView for WriteTxn<'_> {
    fn range(&self, range: &KeyRange, rev: i64, limit: i64) -> Result<RangeResult, StoreError> {
        Self::range(self, range, rev, limit)
    }
    fn count(&self, range: &KeyRange, rev: i64) -> Result<RangeResult, StoreError> {
        Self::count(self, range, rev)
    }
    fn profile(&self) -> Profile {
        Self::profile(self)
    }
}

impl From<StoreError> for EtcdError {
    fn from(e: StoreError) -> Self {
        match e {
            StoreError::Compacted => Self::Compacted,
            StoreError::FutureRev => Self::FutureRev,
            StoreError::RowMissing => Self::MemberStopped,
        }
    }
}

/// Serves a range request. The header of the response contains only the revision.
pub fn range(view: &impl ReadView, r: &RangeRequest) -> Result<RangeResponse, EtcdError> {
    let keys = KeyRange::new(&r.key, &r.range_end);
    let found = if r.count_only {
        view.count(&keys, r.revision)?
    } else {
        view.range(&keys, r.revision, fetch_limit(r))?
    };
    Ok(response(found, r, view.profile()))
}

/// Serves a range request, and counts no keys after the last row that the limit allows (`withTotalCount`).
pub fn without_total_count(store: &KvStore, r: &RangeRequest) -> Result<RangeResponse, EtcdError> {
    let keys = KeyRange::new(&r.key, &r.range_end);
    let found = if r.count_only {
        store.count(&keys, r.revision)?
    } else {
        store.first_rows(&keys, r.revision, fetch_limit(r))?
    };
    Ok(response(found, r, store.profile()))
}

/// Filters, sorts and limits the rows of a read.
fn response(found: RangeResult, r: &RangeRequest, profile: Profile) -> RangeResponse {
    let mut kvs = found.kvs;
    kvs.retain(|kv| passes_filters(r, kv));
    sort(&mut kvs, r);
    let mut more = false;
    if r.limit > 0 && kvs.len() as i64 > r.limit {
        kvs.truncate(r.limit as usize);
        more = true;
    }
    if r.keys_only {
        let from_index = reads_only_index(r, profile);
        for kv in &mut kvs {
            kv.value = Bytes::default();
            if from_index {
                kv.lease = 0;
            }
        }
    }
    let header = ResponseHeader {
        revision: found.rev,
        ..ResponseHeader::default()
    };
    RangeResponse {
        header,
        kvs: kvs.into(),
        more,
        count: found.count,
    }
}

/// Returns the rows that a range request reads, in the order of the reads. Each row is identified by its key in the
/// bucket `key`.
pub fn rows_read(store: &KvStore, r: &RangeRequest) -> Vec<Bytes> {
    if r.count_only || reads_only_index(r, store.profile()) {
        return Vec::new();
    }
    let keys = KeyRange::new(&r.key, &r.range_end);
    let rows = store.rows_of_range(&keys, r.revision, fetch_limit(r));
    rows.unwrap_or_default()
}

/// Returns true if the index has everything that the response needs. The index has no leases.
fn reads_only_index(r: &RangeRequest, profile: Profile) -> bool {
    profile.has(Difference::ReadsKeysFromIndex) && r.keys_only && r.sort_target != SortTarget::Value
}

/// Returns the maximum number of rows to fetch. If the rows are filtered or sorted later, all rows are needed.
/// Otherwise, one row more than the limit is needed, to find out whether more rows exist.
///
/// As in etcd, only a sort order makes the member fetch all rows. A request with a sort target but no sort order is
/// also sorted, but only after the limit has been applied in key order.
fn fetch_limit(r: &RangeRequest) -> i64 {
    let is_limited = is_in_key_order(r) && !has_revision_filters(r);
    match r.limit {
        limit if limit > 0 && limit < i64::MAX && is_limited => limit + 1,
        _ => 0,
    }
}

/// Returns true if the request asks for no other order than the order of the keys (`IsDefaultOrdering`).
pub fn is_in_key_order(r: &RangeRequest) -> bool {
    r.sort_order == SortOrder::None
        || (r.sort_target == SortTarget::Key && r.sort_order == SortOrder::Ascend)
}

pub fn has_revision_filters(r: &RangeRequest) -> bool {
    let bounds = [
        r.min_mod_revision,
        r.max_mod_revision,
        r.min_create_revision,
        r.max_create_revision,
    ];
    bounds.iter().any(|bound| *bound != 0)
}

fn passes_filters(r: &RangeRequest, kv: &KeyValue) -> bool {
    let within = |n: i64, min: i64, max: i64| (min == 0 || n >= min) && (max == 0 || n <= max);
    within(kv.mod_revision, r.min_mod_revision, r.max_mod_revision)
        && within(
            kv.create_revision,
            r.min_create_revision,
            r.max_create_revision,
        )
}

fn sort(kvs: &mut [KeyValue], r: &RangeRequest) {
    let order = match (r.sort_order, r.sort_target) {
        (SortOrder::None, SortTarget::Key) => return,
        (SortOrder::None, _) => SortOrder::Ascend,
        (order, _) => order,
    };
    let ascending = |a: &KeyValue, b: &KeyValue| -> Ordering {
        match r.sort_target {
            SortTarget::Key => a.key.cmp(&b.key),
            SortTarget::Version => a.version.cmp(&b.version),
            SortTarget::Create => a.create_revision.cmp(&b.create_revision),
            SortTarget::Mod => a.mod_revision.cmp(&b.mod_revision),
            SortTarget::Value => a.value.cmp(&b.value),
        }
    };
    // Upstream's sort does not define the order of equal elements. A stable sort leaves them in key order.
    if order == SortOrder::Descend {
        kvs.sort_by(|a, b| ascending(b, a));
    } else {
        kvs.sort_by(ascending);
    }
}

/// Checks that a read in a transaction can read the revision `rev`.
///
/// For this check, a negative revision is an ordinary revision. Only the read itself treats a negative revision as the
/// newest revision.
pub fn check_revision(store: &KvStore, rev: i64) -> Result<(), EtcdError> {
    if rev == 0 {
        Ok(())
    } else if rev > store.current_rev() {
        Err(EtcdError::FutureRev)
    } else if rev < store.compact_rev() {
        Err(EtcdError::Compacted)
    } else {
        Ok(())
    }
}
