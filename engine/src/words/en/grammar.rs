//! Helpers for sentences in English: numbers with a noun.

/// Returns a number and its noun: `1 key`, `2 keys`.
pub(super) fn number(n: u64, one: &str, many: &str) -> String {
    let noun = if n == 1 { one } else { many };
    format!("{n} {noun}")
}
