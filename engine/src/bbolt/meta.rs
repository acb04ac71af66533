//! Meta pages 0 and 1: the positions of the root bucket and the free list, and the number of pages ever used.
//!
//! Mirrors `meta` of `db.go`. Transaction number t writes meta page t mod 2, so the meta page of the previous
//! transaction does not change. A crash during the write leaves the previous state intact. The checksum is FNV-1a (64
//! bits) of the preceding 56 bytes.

use std::hash::Hasher as _;

use super::bucket::BucketHeader;
use super::page::{HEADER_BYTES, Kind, u16_at, u32_at, u64_at, write_header};
use super::{AllowedKinds, Damage, Fault};
use crate::base::digest::Digest;

/// The first four bytes of a meta page's body.
pub const MAGIC: u32 = 0xed0c_daed;
/// The version of bbolt's file format.
pub const VERSION: u32 = 2;
/// The value of `Meta::freelist` if the free list is not stored, as in etcd's files.
pub const NO_FREELIST: u64 = u64::MAX;

pub const PAGE_BYTES: std::ops::RangeInclusive<u32> = 1024..=65_536;

/// The size of a meta page's body, in bytes.
pub const META_BYTES: usize = 64;
const CHECKSUM_AT: usize = HEADER_BYTES + 56;

/// The body of a meta page.
///
/// ```
/// use watchglass_engine::bbolt::meta::Meta;
/// use watchglass_engine::bbolt::{Db, Options};
/// let db = Db::new(Options::default());
/// let meta = db.view().meta();
/// assert_eq!((meta.root.page, meta.high_water, meta.txid), (3, 4, 1));
/// assert_eq!(Meta::read(1, 4096, &meta.to_page(1)), Ok(meta));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meta {
    /// The page size, in bytes.
    pub page_size: u32,
    /// The root bucket, which contains all other buckets.
    pub root: BucketHeader,
    /// The page of the free list, or [`NO_FREELIST`].
    pub freelist: u64,
    /// The number of the first page that was never used. The size of the database is `high_water * page_size` bytes.
    pub high_water: u64,
    /// The number of the transaction that wrote the page.
    pub txid: u64,
}

impl Meta {
    /// Reads meta page `id` (0 or 1) from its bytes, which begin at byte `offset` of the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a meta page, or the checksum is wrong.
    pub fn read(id: u64, offset: u64, page: &[u8]) -> Result<Self, Damage> {
        let damage = |at: usize, fault| Damage {
            page: id,
            offset: offset + at as u64,
            fault,
        };
        if page.len() < HEADER_BYTES + META_BYTES {
            return Err(damage(0, Fault::FileTooShort(offset + page.len() as u64)));
        }
        let u32_in = |at: usize| u32_at(page, HEADER_BYTES + at);
        let u64_in = |at: usize| u64_at(page, HEADER_BYTES + at);
        if u32_in(0) != MAGIC {
            return Err(damage(HEADER_BYTES, Fault::Magic(u32_in(0))));
        }
        if u32_in(4) != VERSION {
            return Err(damage(HEADER_BYTES + 4, Fault::Version(u32_in(4))));
        }
        let (stored, computed) = (u64_at(page, CHECKSUM_AT), checksum(page));
        if stored != computed {
            return Err(damage(CHECKSUM_AT, Fault::Checksum { stored, computed }));
        }
        let page_size = u32_in(8);
        if !page_size.is_power_of_two() || !PAGE_BYTES.contains(&page_size) {
            return Err(damage(HEADER_BYTES + 8, Fault::PageSize(page_size)));
        }
        let flags = u16_at(page, 8);
        if flags != Kind::Meta.flags() {
            let expected = AllowedKinds::Meta;
            return Err(damage(8, Fault::WrongKind { flags, expected }));
        }
        Ok(Self {
            page_size,
            root: BucketHeader {
                page: u64_in(16),
                sequence: u64_in(24),
            },
            freelist: u64_in(32),
            high_water: u64_in(40),
            txid: u64_in(48),
        })
    }

    pub fn to_page(&self, id: u64) -> Vec<u8> {
        let mut page = vec![0; self.page_size as usize];
        write_header(&mut page, id, Kind::Meta, 0, 0);
        let body = &mut page[HEADER_BYTES..];
        body[0..4].copy_from_slice(&MAGIC.to_le_bytes());
        body[4..8].copy_from_slice(&VERSION.to_le_bytes());
        body[8..12].copy_from_slice(&self.page_size.to_le_bytes());
        let fields = [
            self.root.page,
            self.root.sequence,
            self.freelist,
            self.high_water,
            self.txid,
        ];
        for (i, field) in fields.into_iter().enumerate() {
            body[16 + 8 * i..24 + 8 * i].copy_from_slice(&field.to_le_bytes());
        }
        let sum = checksum(&page);
        page[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
        page
    }

    /// Returns the number of the meta page that this transaction writes: 0 or 1.
    pub fn page_id(&self) -> u64 {
        self.txid % 2
    }
}

fn checksum(page: &[u8]) -> u64 {
    let mut fnv = Digest::default();
    fnv.write(&page[HEADER_BYTES..CHECKSUM_AT]);
    fnv.finish()
}
