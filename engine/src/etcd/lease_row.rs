//! A row of the `lease` bucket: `leasepb.Lease` in protobuf's binary form, under the id.
//!
//! Mirrors `server/lease/leasepb/lease.proto` and `schema/lease.go`: ID 1, TTL 2, RemainingTTL 3.

use crate::base::Bytes;
use crate::mvcc::record::{Content, put_int, walk};

/// What is kept of a lease; when it expires is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaseRow {
    /// Its id.
    pub id: i64,
    /// Its TTL in seconds.
    pub ttl_s: i64,
    /// What was left of it at the last checkpoint, in seconds; 0 without one.
    pub remaining_ttl_s: i64,
}

impl LeaseRow {
    /// The key of a lease's row.
    pub fn key(id: i64) -> Bytes {
        Bytes::from(&id.to_be_bytes()[..])
    }

    /// The row's bytes.
    ///
    /// ```
    /// use watchglass_engine::etcd::lease_row::LeaseRow;
    /// let row = LeaseRow { id: 7001, ttl_s: 100, remaining_ttl_s: 0 };
    /// assert_eq!(&*row.encode(), b"\x08\xd9\x36\x10\x64");
    /// assert_eq!(LeaseRow::decode(&row.encode()), Some(row));
    /// ```
    pub fn encode(&self) -> Bytes {
        let mut out = Vec::new();
        put_int(&mut out, 1, self.id);
        put_int(&mut out, 2, self.ttl_s);
        put_int(&mut out, 3, self.remaining_ttl_s);
        Bytes::from(out)
    }

    /// Reads a row; `None` when the bytes are not a `Lease`.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut row = Self::default();
        walk(bytes, |field, content, _, _| match (field, content) {
            (1, Content::Int(n)) => row.id = n,
            (2, Content::Int(n)) => row.ttl_s = n,
            (3, Content::Int(n)) => row.remaining_ttl_s = n,
            _ => {}
        })?;
        Some(row)
    }
}
