//! The state of the prompt. The prompt changes with every key, so it is separate from the rest of the state: a
//! component that does not show the prompt is not rendered while the user types.

/// The typed line and its completions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptLine {
    /// The half-typed line.
    pub draft: String,
    /// The open list of completions.
    pub completions: Option<Completions>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Completions {
    /// The start of the completed word in the line, in bytes.
    pub start: u32,
    /// The candidates, each with a short description.
    pub items: Vec<(String, String)>,
}
