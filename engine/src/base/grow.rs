//! Adding to a list that may become very long.
//!
//! A `Vec` that is full takes twice the room. Of a list with half a million entries that is tens of megabytes for
//! nothing, in a page that has no more than a few hundred.

/// Entries from which on a full list takes a quarter more room, and not as much again.
const LONG: usize = 1 << 16;

/// Adds an entry at the end.
pub fn push<T>(list: &mut Vec<T>, entry: T) {
    if list.len() == list.capacity() && list.len() >= LONG {
        list.reserve_exact(list.len() / 4);
    }
    list.push(entry);
}
