//! How the values of a key differ in two states: the lines that both texts have, and the lines that only one has.

use similar::{ChangeTag, TextDiff};

use super::StoredValue;
use super::comparison::LineIn;
use super::value::{dump, readable_text};

/// Returns the lines of two texts in order.
///
/// ```
/// use watchglass_engine::view::file::comparison::LineIn;
/// use watchglass_engine::view::file::difference::lines;
/// let found = lines("a\nb\n", "a\nc\n");
/// let expected = [(LineIn::Both, "a"), (LineIn::First, "b"), (LineIn::Second, "c")];
/// assert_eq!(found, expected.map(|(place, text)| (place, text.to_owned())));
/// ```
pub fn lines(first: &str, second: &str) -> Vec<(LineIn, String)> {
    let difference = TextDiff::from_lines(first, second);
    let line = |change: similar::Change<&str>| {
        let place = match change.tag() {
            ChangeTag::Equal => LineIn::Both,
            ChangeTag::Delete => LineIn::First,
            ChangeTag::Insert => LineIn::Second,
        };
        (place, change.value().trim_end_matches('\n').to_owned())
    };
    difference.iter_all_changes().map(line).collect()
}

/// Returns the lines of two values: of their texts if both have one, or else of their bytes. A key that does not exist
/// has no lines. Returns no lines if a value is hidden.
pub fn lines_of_values(values: [Option<&StoredValue>; 2]) -> Vec<(LineIn, String)> {
    if values.iter().flatten().any(|value| value.is_hidden) {
        return Vec::new();
    }
    let texts = values.map(|value| value.map(readable_text));
    let is_readable = texts.iter().flatten().all(Option::is_some);
    let [first, second] = match is_readable {
        true => texts.map(|text| text.flatten().unwrap_or_default()),
        false => values.map(|value| value.map(|value| dump(&value.value)).unwrap_or_default()),
    };
    lines(&first, &second)
}
