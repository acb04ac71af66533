//! What could come next on the command line.

use crate::base::Bytes;

/// Candidates for the word at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where that word begins, in bytes.
    pub start: u32,
    /// What it could be.
    pub items: Vec<CompletionItem>,
}

/// One candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// The word.
    pub text: String,
    /// A few words on it.
    pub gloss: String,
}

/// What could come next.
pub fn complete(_line: &str, _cursor: usize, _keys: &[Bytes]) -> Completion {
    Completion::default()
}
