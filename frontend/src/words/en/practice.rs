//! The texts of practice: the panel with an exercise, and the summary of a round. The exercises themselves come from
//! the engine.

pub const PRACTICE: &str = "Practice";
pub const ABOUT: &str = "Ten questions a day: what does this command return, and why?";
pub const TEXT: &str = "Text of the exercise";
pub const BEFORE: &str = "These commands have run";
pub const CHOICES: &str = "Choices";
pub const LINK: &str = "Link";
pub const LINK_TITLE: &str = "The address of this exercise";
pub const MORE: &str = "Practise more";
pub const FORGET: &str = "Forget all results";
/// The label of the same button after the first click, because nothing brings the results back.
pub const FORGET_FOR_GOOD: &str = "Forget them for good";
pub const SAVED: &str = "The results are saved in this browser only.";

/// Returns the number of an exercise in its round and its topic, such as "Practice 3 of 10 · Watches".
pub fn position(number: usize, total: usize, topic: &str) -> String {
    format!("{PRACTICE} {number} of {total} · {topic}")
}

/// Returns the heading of the summary.
pub fn score(right: usize, total: usize) -> String {
    format!("{right} of {total} right")
}

/// Returns a sentence about the forms that come again, by the names of their topics.
pub fn again(topics: &[&str]) -> String {
    match topics {
        [] => "Every answer was right. Each question comes again later, after more days each time."
            .to_owned(),
        topics => format!(
            "These topics come again tomorrow: {}. The questions that you answered right come again later.",
            topics.join(", ")
        ),
    }
}
