//! The line at the prompt. It changes with every key, so it is apart from the rest of the page's state: what does not
//! draw the line is not drawn again while one types.

/// The typed line, and its completions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptLine {
    /// The half-typed line.
    pub draft: String,
    /// The open list of completions.
    pub completions: Option<Completions>,
}

/// The completions of the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Completions {
    /// The start of the completed word in the line, in bytes.
    pub start: u32,
    /// The candidates with a few words on each.
    pub items: Vec<(String, String)>,
}
