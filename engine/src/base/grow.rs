//! Appends to a list that can become very long.
//!
//! A `Vec` doubles its capacity when it is full. For a list with half a million entries, the unused half takes tens of
//! megabytes, but the browser gives the page only a few hundred megabytes.

/// The minimum length of a list that grows by a quarter when it is full. Shorter lists double their capacity.
const LONG: usize = 1 << 16;

/// Appends an entry. If the list is long and full, first grows its capacity by a quarter.
pub fn push<T>(list: &mut Vec<T>, entry: T) {
    if list.len() == list.capacity() && list.len() >= LONG {
        list.reserve_exact(list.len() / 4);
    }
    list.push(entry);
}
