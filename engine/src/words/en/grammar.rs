//! Helpers for sentences in English: numbers with a noun, revisions, and lists of names.

/// The maximum number of names in a list.
const NAMES_LISTED: usize = 3;

/// Returns a number with its noun: `1 key`, `2 keys`.
pub(super) fn number(n: u64, one: &str, many: &str) -> String {
    let noun = if n == 1 { one } else { many };
    format!("{n} {noun}")
}

/// Returns a range of revisions: `revision 3`, `revisions 3 to 5`.
pub(super) fn revisions(from: i64, to: i64) -> String {
    match from == to {
        true => format!("revision {from}"),
        false => format!("revisions {from} to {to}"),
    }
}

/// Joins names to a list for a sentence, with at most three names: `a`, `a and b`, `a, b and c`, `a, b, c and 2
/// others`.
pub(super) fn list<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_at_checked(NAMES_LISTED) {
        Some((shown, more)) if !more.is_empty() => {
            let others = number(more.len() as u64, "other", "others");
            format!("{} and {others}", shown.join(", "))
        }
        _ => whole_list(&names),
    }
}

/// Joins all names to a list for a sentence: `a`, `a and b`, `a, b, c, d and e`.
pub(super) fn whole_list<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_contains_three_names_and_the_number_of_others() {
        let names = ["a", "b", "c", "d", "e"];
        let lists: Vec<String> = (1..=5).map(|n| list(&names[..n])).collect();
        let expected = [
            "a",
            "a and b",
            "a, b and c",
            "a, b, c and 1 other",
            "a, b, c and 2 others",
        ];
        assert_eq!(lists, expected);
    }
}
