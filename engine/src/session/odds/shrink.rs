//! Leaves out lines of a text for as long as the text still fails.
//!
//! Delta debugging (Zeller and Hildebrandt 2002): leaves out halves first, then quarters and so on, at last single
//! lines, until no single line can be left out.

/// The lines that are left, and the next lines to leave out.
#[derive(Debug)]
pub(super) struct Shrink {
    lines: Vec<String>,
    /// The number of lines that the next candidate leaves out.
    size: usize,
    /// The first of these lines.
    at: usize,
    /// Whether lines were left out since the last time that the first line was tried.
    has_shrunk: bool,
}

impl Shrink {
    pub(super) fn new(lines: Vec<String>) -> Self {
        let size = lines.len().div_ceil(2);
        Self {
            lines,
            size,
            at: 0,
            has_shrunk: false,
        }
    }

    /// Returns the lines of the shortest text that still fails.
    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Returns the next text to try; `None` if no line can be left out.
    pub(super) fn candidate(&mut self) -> Option<Vec<String>> {
        while self.at >= self.lines.len() {
            if self.size <= 1 && !self.has_shrunk {
                return None;
            }
            self.size = self.size.div_ceil(2).max(1);
            (self.at, self.has_shrunk) = (0, false);
            if self.lines.is_empty() {
                return None;
            }
        }
        let end = (self.at + self.size).min(self.lines.len());
        let (before, after) = (&self.lines[..self.at], &self.lines[end..]);
        Some([before, after].concat())
    }

    /// Takes the result of the last candidate.
    pub(super) fn tell(&mut self, still_fails: bool) {
        let end = (self.at + self.size).min(self.lines.len());
        if still_fails {
            self.lines.drain(self.at..end);
            self.has_shrunk = true;
        } else {
            self.at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shrinks the numbers from 0 to 39, which fail if they contain all of the needed numbers.
    fn shrunk(needed: &[usize]) -> (Vec<String>, u32) {
        let mut shrink = Shrink::new((0..40).map(|n: u32| n.to_string()).collect());
        let mut tries = 0;
        while let Some(lines) = shrink.candidate() {
            let has = |n: &usize| lines.contains(&n.to_string());
            shrink.tell(needed.iter().all(has));
            tries += 1;
        }
        (shrink.lines().to_vec(), tries)
    }

    #[test]
    fn exactly_the_needed_lines_are_left() {
        for needed in [&[][..], &[0], &[39], &[3, 4, 5], &[0, 13, 20, 39]] {
            let (lines, tries) = shrunk(needed);
            let expected: Vec<String> = needed.iter().map(usize::to_string).collect();
            assert_eq!(lines, expected);
            assert!(tries < 100, "{tries} tries");
        }
    }
}
