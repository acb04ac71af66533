//! The free pages of a database, and its pending pages: pages that a transaction has freed but that an open reader may
//! still see.
//!
//! Mirrors `freelist.go` of bbolt 1.3.6 with the array type, the default of etcd 3.4: an allocation takes the lowest
//! run of contiguous free pages that is long enough. bbolt stores single page ids. This list stores runs, and allocates
//! the same pages as bbolt. Left out: the hashmap type (the default of etcd 3.5 and later), which chooses a random run
//! among the runs of the right length.

use im::OrdMap;

use super::page::{HEADER_BYTES, Kind, Page, u64_at, write_header};
use super::{AllowedKinds, Damage, Fault};

/// The lowest count that does not fit in the page header. From this count on, the header contains 65,535, and the real
/// count precedes the first id.
const COUNT_MAX: u64 = 0xffff;

/// The free and pending pages of a database.
///
/// ```
/// use watchglass_engine::bbolt::freelist::Freelist;
/// let mut list = Freelist::from_ids([3, 5, 6, 7]);
/// assert_eq!(list.allocate(9, 2), Some(5));
/// list.free(9, 20..=20, false);
/// assert_eq!((list.free_count(), list.pending_count()), (2, 1));
/// list.release(&[]);
/// assert_eq!(list.ids(), [3, 7, 20]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Freelist {
    /// The runs of contiguous free pages. Maps the first page of each run to the length of the run.
    runs: OrdMap<u64, u64>,
    /// Maps each transaction to the pages that the transaction has freed. Each page is stored with the number of the
    /// transaction that allocated the page, or 0 if unknown.
    pending: OrdMap<u64, Vec<(u64, u64)>>,
    /// The runs of contiguous pages that were allocated from the free list. Maps the first page of each run to the
    /// transaction that allocated the run.
    allocated_by: OrdMap<u64, u64>,
}

impl Freelist {
    pub fn from_ids(ids: impl IntoIterator<Item = u64>) -> Self {
        let mut list = Self::default();
        for id in ids {
            list.add(id);
        }
        list
    }

    pub fn free_count(&self) -> u64 {
        self.runs.iter().map(|(_, length)| length).sum()
    }

    pub fn pending_count(&self) -> u64 {
        self.pending
            .iter()
            .map(|(_, pages)| pages.len() as u64)
            .sum()
    }

    /// Returns the runs of free pages: the first page and the length of each run.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> {
        self.runs.iter().map(|(start, length)| (*start, *length))
    }

    /// Returns true if a page is free or pending.
    pub fn contains(&self, page: u64) -> bool {
        let run = self.runs.get_prev(&page);
        run.is_some_and(|(start, length)| page < start + length)
            || self.pending().any(|(id, _)| id == page)
    }

    /// Returns the pending pages, each with the transaction that freed it.
    pub fn pending(&self) -> impl Iterator<Item = (u64, u64)> {
        self.pending
            .iter()
            .flat_map(|(txid, pages)| pages.iter().map(|(id, _)| (*id, *txid)))
    }

    /// Returns all free and pending pages in order, which is the list that a commit stores.
    pub fn ids(&self) -> Vec<u64> {
        let free = self
            .runs()
            .flat_map(|(start, length)| start..start + length);
        let mut ids: Vec<u64> = free.chain(self.pending().map(|(id, _)| id)).collect();
        ids.sort_unstable();
        ids
    }

    /// The lowest run of `count` free pages. Returns the first page, or `None` if no run is long enough.
    pub fn allocate(&mut self, txid: u64, count: u64) -> Option<u64> {
        let (start, length) = self.runs().find(|(_, length)| *length >= count)?;
        self.runs.remove(&start);
        if length > count {
            self.runs.insert(start + count, length - count);
        }
        self.allocated_by.insert(start, txid);
        Some(start)
    }

    /// Frees a page and its overflow pages in transaction `txid`; the pages become pending. A page of the stored free
    /// list counts as allocated by the previous transaction.
    pub fn free(&mut self, txid: u64, pages: std::ops::RangeInclusive<u64>, is_freelist: bool) {
        let by_default = if is_freelist { txid - 1 } else { 0 };
        let allocated_by = self
            .allocated_by
            .remove(pages.start())
            .unwrap_or(by_default);
        let mut pending = self.pending.get(&txid).cloned().unwrap_or_default();
        pending.extend(pages.map(|id| (id, allocated_by)));
        self.pending.insert(txid, pending);
    }

    /// Frees the pending pages that no reader can see. `readers` are the numbers of the transactions that open readers
    /// see, in order. Returns the freed pages, in order.
    pub fn release(&mut self, readers: &[u64]) -> Vec<u64> {
        let mut released = Vec::new();
        let oldest = readers.first().copied().unwrap_or(u64::MAX);
        let done: Vec<u64> = self.pending.range(..oldest).map(|(id, _)| *id).collect();
        for txid in done {
            let pending = self.pending.remove(&txid).unwrap_or_default();
            released.extend(pending.iter().map(|(id, _)| *id));
        }
        let mut from = oldest;
        for reader in readers {
            self.release_range(from, reader.saturating_sub(1), &mut released);
            from = reader + 1;
        }
        self.release_range(from, u64::MAX, &mut released);
        released.sort_unstable();
        for id in &released {
            self.add(*id);
        }
        released
    }

    /// Frees the pending pages that were both allocated and freed in the transactions `from` to `to`. No reader may see
    /// any of these transactions.
    fn release_range(&mut self, from: u64, to: u64, released: &mut Vec<u64>) {
        if from > to {
            return;
        }
        let txids: Vec<u64> = self.pending.range(from..=to).map(|(id, _)| *id).collect();
        for txid in txids {
            let mut pending = self.pending.get(&txid).cloned().unwrap_or_default();
            pending.retain(|(id, allocated_by)| {
                let is_between = (from..=to).contains(allocated_by);
                if is_between {
                    released.push(*id);
                }
                !is_between
            });
            if pending.is_empty() {
                self.pending.remove(&txid);
            } else {
                self.pending.insert(txid, pending);
            }
        }
    }

    /// Adds a free page, and merges it with the run that ends before it and the run that starts after it.
    fn add(&mut self, id: u64) {
        let (mut start, mut length) = (id, 1);
        if let Some((before, count)) = self.runs.get_prev(&id).map(|(s, l)| (*s, *l))
            && before + count == id
        {
            (start, length) = (before, count + 1);
        }
        length += self.runs.remove(&(id + 1)).unwrap_or(0);
        self.runs.insert(start, length);
    }

    /// Returns the size of the stored list in bytes, including its page header.
    pub fn stored_bytes(&self) -> u64 {
        let count = self.free_count() + self.pending_count();
        let numbers = if count < COUNT_MAX { count } else { count + 1 };
        HEADER_BYTES as u64 + 8 * numbers
    }

    /// Encodes the free list as `count` pages of `page_size` bytes, starting at page `id`.
    pub(super) fn to_pages(&self, id: u64, count: u64, page_size: u32) -> Vec<u8> {
        let mut out = vec![0; (count * u64::from(page_size)) as usize];
        let ids = self.ids();
        let real_count = ids.len() as u64;
        let header_count = real_count.min(COUNT_MAX) as u16;
        write_header(&mut out, id, Kind::Freelist, header_count, count as u32 - 1);
        let before = (real_count >= COUNT_MAX).then_some(real_count);
        for (i, number) in before.into_iter().chain(ids).enumerate() {
            let at = HEADER_BYTES + 8 * i;
            out[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        out
    }

    /// Reads the page ids of a stored free list, in stored order.
    ///
    /// # Errors
    /// Returns an error if the page is not a free list, or claims more ids than fit in the page.
    pub fn read(page: &Page) -> Result<Vec<u64>, Damage> {
        if page.kind() != Kind::Freelist {
            let flags = page.kind().flags();
            let expected = AllowedKinds::Freelist;
            return Err(page.damage(8, Fault::WrongKind { flags, expected }));
        }
        let room = (page.bytes().len() - HEADER_BYTES) as u64 / 8;
        let (first, count) = match u64::from(page.count()) {
            COUNT_MAX => (1, u64_at(page.bytes(), HEADER_BYTES)),
            count => (0, count),
        };
        if count > room - first {
            let room = room - first;
            return Err(page.damage(10, Fault::Count { count, room }));
        }
        let at = |i: u64| HEADER_BYTES + 8 * i as usize;
        Ok((first..first + count)
            .map(|i| u64_at(page.bytes(), at(i)))
            .collect())
    }
}
