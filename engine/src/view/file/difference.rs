//! How the values of a key differ in two states: the lines that both texts have, and the lines that only one has.

use std::convert::Infallible;

use similar::algorithms::{DiffHook, Replace, myers};

use super::StoredValue;
use super::comparison::LineIn;
use super::value::{dump, readable_text};

/// Collects the lines of two texts. One algorithm is named, so that the program contains no other.
struct Lines<'a> {
    first: Vec<&'a str>,
    second: Vec<&'a str>,
    found: Vec<(LineIn, String)>,
}

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
    let (first, second): (Vec<&str>, Vec<&str>) =
        (first.lines().collect(), second.lines().collect());
    let lines = Lines {
        first: first.clone(),
        second: second.clone(),
        found: Vec::new(),
    };
    // Puts the lines of the first text before the lines that replace them.
    let mut lines = Replace::new(lines);
    let (all, others) = (0..first.len(), 0..second.len());
    match myers::diff(&mut lines, &first[..], all, &second[..], others) {
        Ok(()) => lines.into_inner().found,
    }
}

impl Lines<'_> {
    fn add(&mut self, place: LineIn, at: usize, count: usize) -> Result<(), Infallible> {
        let text = match place {
            LineIn::Both | LineIn::First => &self.first,
            LineIn::Second => &self.second,
        };
        let lines = text.iter().skip(at).take(count);
        self.found
            .extend(lines.map(|line| (place, (*line).to_owned())));
        Ok(())
    }
}

impl DiffHook for Lines<'_> {
    type Error = Infallible;

    fn equal(&mut self, first: usize, _second: usize, count: usize) -> Result<(), Infallible> {
        self.add(LineIn::Both, first, count)
    }

    fn delete(&mut self, first: usize, count: usize, _second: usize) -> Result<(), Infallible> {
        self.add(LineIn::First, first, count)
    }

    fn insert(&mut self, _first: usize, second: usize, count: usize) -> Result<(), Infallible> {
        self.add(LineIn::Second, second, count)
    }
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
