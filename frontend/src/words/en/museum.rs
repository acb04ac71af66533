//! The texts of an exhibit of the museum: the bug, the other behaviour, and the guess.

/// The label of the link to the run with the other behaviour, at the same beat.
pub const SEE_BROKEN: &str = "See this with the bug";
pub const SEE_FIXED: &str = "See this with the fix";
/// The label of the link to the page that shows both runs.
pub const SIDE_BY_SIDE: &str = "Side by side";
/// The captions of the two runs on that page, and the label of the link to a run in the app.
pub const WITH_BUG: &str = "With the bug";
pub const WITH_FIX: &str = "With the fix";
pub const OPEN: &str = "Run it from the start";
/// The label of the buttons with which the reader guesses a result.
pub const GUESS: &str = "Guess before you go on";

/// Returns the releases with the bug and the releases with the fix.
pub fn releases(broken_in: &str, fixed_in: &str) -> String {
    let broken = ["With the bug: ", broken_in, "."].concat();
    [&broken, " With the fix: ", fixed_in, "."].concat()
}

/// Returns the result of a guess.
pub fn guessed(is_right: bool, guess: &str, answer: &str) -> String {
    match is_right {
        true => ["Your guess is right: ", answer, "."].concat(),
        false => ["Your guess: ", guess, ". The answer: ", answer, "."].concat(),
    }
}
