//! Revisions, which count the changes of a store, and their encoding as bucket keys.
//!
//! Mirrors `server/storage/mvcc/revision.go`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::Bytes;

/// The revision of one change. `main` counts write transactions, and `sub` counts the changes inside a transaction from
/// 0.
///
/// A new store is at revision 1, and its first write creates revision 2.
///
/// ```
/// use watchglass_engine::mvcc::Revision;
/// assert!(Revision::new(4, 1) > Revision::new(4, 0));
/// assert_eq!(Revision::new(4, 1).to_string(), "4.1");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Revision {
    /// The number of the write transaction.
    pub main: i64,
    /// The sub-revision: the number of the change inside the transaction.
    pub sub: i64,
}

impl Revision {
    pub const fn new(main: i64, sub: i64) -> Self {
        Self { main, sub }
    }

    /// Encodes the bucket key of a put in 17 bytes: `main`, `_`, `sub`, with both numbers in big-endian order.
    pub fn encode(self) -> [u8; BUCKET_KEY_LEN] {
        let mut out = [0; BUCKET_KEY_LEN];
        out[..8].copy_from_slice(&self.main.to_be_bytes());
        out[8] = b'_';
        out[9..].copy_from_slice(&self.sub.to_be_bytes());
        out
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.main, self.sub)
    }
}

/// The length of a put's bucket key, in bytes. The bucket key of a tombstone is one byte longer.
pub const BUCKET_KEY_LEN: usize = 17;

const TOMBSTONE_MARK: u8 = b't';

/// A key of the bucket `key`: the revision of a change, and whether the change is a delete.
///
/// ```
/// use watchglass_engine::mvcc::{BucketKey, Revision};
/// let put = BucketKey { revision: Revision::new(4, 0), tombstone: false };
/// let delete = BucketKey { revision: Revision::new(5, 0), tombstone: true };
/// assert_eq!(&*put.encode(), b"\0\0\0\0\0\0\0\x04_\0\0\0\0\0\0\0\0");
/// assert_eq!(&*delete.encode(), b"\0\0\0\0\0\0\0\x05_\0\0\0\0\0\0\0\0t");
/// assert_eq!(BucketKey::decode(&delete.encode()), Some(delete));
/// assert!(put.encode() < delete.encode()); // byte order is revision order
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BucketKey {
    pub revision: Revision,
    pub tombstone: bool,
}

impl BucketKey {
    /// Encodes the bucket key in 17 bytes, or 18 bytes with the `t` of a tombstone.
    pub fn encode(self) -> Bytes {
        let plain = self.revision.encode();
        if self.tombstone {
            let mut marked = [TOMBSTONE_MARK; BUCKET_KEY_LEN + 1];
            marked[..BUCKET_KEY_LEN].copy_from_slice(&plain);
            Bytes::from(&marked[..])
        } else {
            Bytes::from(&plain[..])
        }
    }

    /// Decodes a bucket key. Returns `None` if the bytes are not a bucket key.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let tombstone = match bytes.len() {
            BUCKET_KEY_LEN => false,
            n if n == BUCKET_KEY_LEN + 1 && bytes[BUCKET_KEY_LEN] == TOMBSTONE_MARK => true,
            _ => return None,
        };
        if bytes[8] != b'_' {
            return None;
        }
        let number = |b: &[u8]| b.try_into().ok().map(i64::from_be_bytes);
        let revision = Revision::new(number(&bytes[..8])?, number(&bytes[9..BUCKET_KEY_LEN])?);
        (revision.main >= 0 && revision.sub >= 0).then_some(Self {
            revision,
            tombstone,
        })
    }
}
