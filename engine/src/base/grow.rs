//! Appends to a list that can become very long.
//!
//! A full `Vec` doubles its capacity. For a list with half a million entries, this reserves tens of megabytes of unused
//! memory, in a page that has only a few hundred megabytes.

/// The length from which on a full list grows by a quarter instead of doubling.
const LONG: usize = 1 << 16;

/// Appends an entry.
pub fn push<T>(list: &mut Vec<T>, entry: T) {
    if list.len() == list.capacity() && list.len() >= LONG {
        list.reserve_exact(list.len() / 4);
    }
    list.push(entry);
}
