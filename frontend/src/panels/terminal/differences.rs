//! Marks the lines and words of two outputs that differ: the output in a transcript and the output of the simulator.

use std::ops::Range;

/// The maximum number of lines of an output whose differences are marked. The work grows with the square of this
/// number.
const LINES_MAX: usize = 400;

/// A line of an output, and the part of it that differs from the other output. The part is empty if the whole line
/// occurs in the other output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkedLine<'a> {
    /// The text of the line, without its line break.
    pub(super) text: &'a str,
    /// The range of bytes to mark.
    pub(super) marked: Range<usize>,
}

/// Returns the lines of both outputs with their differences.
pub(super) fn differences<'a>(
    theirs: &'a str,
    ours: &'a str,
) -> (Vec<MarkedLine<'a>>, Vec<MarkedLine<'a>>) {
    let lines = |text: &'a str| -> Vec<MarkedLine<'a>> {
        let line = |text: &'a str| MarkedLine { text, marked: 0..0 };
        text.trim_end_matches('\n').split('\n').map(line).collect()
    };
    let (mut theirs, mut ours) = (lines(theirs), lines(ours));
    if theirs.len().max(ours.len()) > LINES_MAX {
        return (theirs, ours);
    }
    let (mut at, mut place) = (0, 0);
    let common = common_lines(&theirs, &ours);
    for (next, next_place) in common.into_iter().chain([(theirs.len(), ours.len())]) {
        mark_lines(&mut theirs[at..next], &mut ours[place..next_place]);
        (at, place) = (next + 1, next_place + 1);
    }
    (theirs, ours)
}

/// Marks the lines between two common lines. The nth line of one output is compared with the nth line of the other
/// output, word by word; a line without a counterpart is marked as a whole.
fn mark_lines<'a>(theirs: &mut [MarkedLine<'a>], ours: &mut [MarkedLine<'a>]) {
    for at in 0..theirs.len().max(ours.len()) {
        match (theirs.get_mut(at), ours.get_mut(at)) {
            (Some(theirs), Some(ours)) => {
                (theirs.marked, ours.marked) = differing_words(theirs.text, ours.text);
            }
            (Some(only), None) | (None, Some(only)) => only.marked = 0..only.text.len(),
            (None, None) => {}
        }
    }
}

/// Returns the indices of the lines of a longest common subsequence.
fn common_lines(theirs: &[MarkedLine<'_>], ours: &[MarkedLine<'_>]) -> Vec<(usize, usize)> {
    let width = ours.len() + 1;
    let mut lengths = vec![0_u16; (theirs.len() + 1) * width];
    let is_same =
        |at: usize, place: usize| theirs[at].text.trim_end() == ours[place].text.trim_end();
    for at in (0..theirs.len()).rev() {
        for place in (0..ours.len()).rev() {
            lengths[at * width + place] = match is_same(at, place) {
                true => lengths[(at + 1) * width + place + 1] + 1,
                false => lengths[(at + 1) * width + place].max(lengths[at * width + place + 1]),
            };
        }
    }
    let (mut at, mut place, mut common) = (0, 0, Vec::new());
    while at < theirs.len() && place < ours.len() {
        if is_same(at, place) {
            common.push((at, place));
            (at, place) = (at + 1, place + 1);
        } else if lengths[(at + 1) * width + place] >= lengths[at * width + place + 1] {
            at += 1;
        } else {
            place += 1;
        }
    }
    common
}

/// Returns the parts in which two lines differ: each part begins after the words with which both lines begin, and ends
/// before the words with which both lines end.
fn differing_words(theirs: &str, ours: &str) -> (Range<usize>, Range<usize>) {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '"' | '|');
    let words = |text: &'_ str| -> Vec<usize> {
        let ends = text.char_indices().filter(|(_, c)| is_end(*c));
        let ends = ends.map(|(at, c)| at + c.len_utf8());
        ends.chain([text.len()]).collect()
    };
    let start = words(theirs)
        .into_iter()
        .take_while(|end| ours.get(..*end) == theirs.get(..*end))
        .last()
        .unwrap_or(0);
    let rest = |text: &str| text.len() - start;
    let tail = words(theirs)
        .into_iter()
        .map(|end| theirs.len() - end)
        .filter(|tail| *tail <= rest(theirs).min(rest(ours)))
        .find(|tail| ours.get(ours.len() - tail..) == theirs.get(theirs.len() - tail..))
        .unwrap_or(0);
    (start..theirs.len() - tail, start..ours.len() - tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(theirs: &str, ours: &str) -> [Vec<String>; 2] {
        let (theirs, ours) = differences(theirs, ours);
        [theirs, ours].map(|lines| {
            let marked = lines.iter().filter(|line| !line.marked.is_empty());
            marked
                .map(|line| line.text[line.marked.clone()].to_owned())
                .collect()
        })
    }

    #[test]
    fn lines_and_words_that_differ_are_marked() {
        assert_eq!(marked("/a\n1\n", "/a\n2"), [["1"], ["2"]]);
        assert_eq!(
            marked("a\nx, 20 kB, true\nb", "a\nx, 25 kB, true\nb"),
            [["20 "], ["25 "]]
        );
        assert_eq!(marked("a\nb\nc", "a\nc"), [vec!["b"], vec![]]);
        assert_eq!(marked("a", "a\nb"), [vec![], vec!["b"]]);
        assert_eq!(marked("", "OK"), [vec![], vec!["OK"]]);
        assert_eq!(marked("same", "same"), [[""; 0], [""; 0]]);
        assert_eq!(marked("grüße 1", "grüße 2"), [["1"], ["2"]]);
        assert_eq!(marked("a b", "a b b"), [vec![], vec![" b"]]);
    }

    #[test]
    fn a_long_output_has_no_marks() {
        let long = |end: &str| ["x\n".repeat(LINES_MAX), end.to_owned()].concat();
        assert_eq!(marked(&long("1"), &long("2")), [[""; 0], [""; 0]]);
    }
}
