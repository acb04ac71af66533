//! Lines of a text that do not run, with the reasons.

use serde::{Deserialize, Serialize};

/// A line that does not run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedLine {
    /// The line number, from 1.
    pub line: u32,
    /// The start of the line.
    pub text: String,
    /// The reason why the line does not run.
    pub why: String,
}

/// The lines of a text that do not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedLines {
    /// The number of skipped lines.
    pub count: u64,
    /// The first skipped lines.
    pub first: Vec<SkippedLine>,
}

/// The maximum number of lines that are stored with their reasons.
const KEPT: usize = 50;

/// The maximum number of characters that are stored of a skipped line, and of a reason.
const TEXT_CHARS_MAX: usize = 200;

impl SkippedLines {
    /// Adds a line.
    pub fn push(&mut self, line: u32, text: &str, why: &str) {
        self.count += 1;
        if self.first.len() < KEPT {
            let cut = |text: &str| text.chars().take(TEXT_CHARS_MAX).collect();
            self.first.push(SkippedLine {
                line,
                text: cut(text),
                why: cut(why),
            });
        }
    }
}
